//! The learning curve: the mean result of the first player and the error, over games.

use std::collections::VecDeque;
use std::fmt::Write as _;

use magister_arena::Page;
use magister_learn::driver::Progress;

/// The maximum number of points of a curve. If there are more, neighbours become one.
const POINTS: usize = 120;
/// The minimum number of games of a mean that is not mostly noise.
pub(super) const WINDOW: u64 = 400;
/// The columns and rows of a chart in the terminal.
const COLUMNS: usize = 60;
const ROWS: usize = 8;

/// Some consecutive games.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Point {
    /// The number of games of the training at the end of them.
    until: u64,
    games: u64,
    reward: f64,
    error: f64,
    /// The games whose error is known.
    learned: u64,
}

impl Point {
    fn add(&mut self, other: &Point) {
        self.until = other.until;
        self.games += other.games;
        self.reward += other.reward;
        self.error += other.error;
        self.learned += other.learned;
    }

    fn mean(&self) -> Option<f64> {
        (self.games > 0).then(|| self.reward / self.games as f64)
    }

    fn error(&self) -> Option<f64> {
        (self.learned > 0).then(|| self.error / self.learned as f64)
    }
}

/// A curve that grows.
#[derive(Debug)]
pub(super) struct Curve {
    points: Vec<Point>,
    /// The number of games of a point.
    each: u64,
    open: Point,
    /// The last games.
    last: VecDeque<Point>,
    lasting: Point,
}

impl Curve {
    pub(super) fn new() -> Self {
        Curve {
            points: Vec::new(),
            each: 1,
            open: Point::default(),
            last: VecDeque::new(),
            lasting: Point::default(),
        }
    }

    /// Adds the games since the last report.
    pub(super) fn add(&mut self, now: &Progress) {
        if now.fresh == 0 {
            return;
        }
        let games = now.fresh;
        let known = now.error.is_finite();
        let point = Point {
            until: now.games,
            games,
            reward: now.mean * games as f64,
            error: if known { now.error * games as f64 } else { 0.0 },
            learned: if known { games } else { 0 },
        };
        self.lasting.add(&point);
        self.last.push_back(point);
        while let Some(first) = self.last.front()
            && self.lasting.games - first.games >= WINDOW
        {
            self.lasting.games -= first.games;
            self.lasting.reward -= first.reward;
            self.lasting.error -= first.error;
            self.lasting.learned -= first.learned;
            self.last.pop_front();
        }
        self.open.add(&point);
        if self.open.games >= self.each {
            self.points.push(std::mem::take(&mut self.open));
        }
        if self.points.len() >= POINTS {
            let pairs = self.points.chunks(2).map(|pair| {
                let mut both = pair[0];
                pair[1..].iter().for_each(|other| both.add(other));
                both
            });
            self.points = pairs.collect();
            // The next points have as many games as the merged ones.
            self.each = self.points.iter().map(|point| point.games).max().unwrap_or(1);
        }
    }

    /// The number of games of the last means.
    pub(super) fn recent(&self) -> u64 {
        self.lasting.games
    }

    /// The mean result of the last games.
    pub(super) fn mean(&self) -> Option<f64> {
        self.lasting.mean()
    }

    /// The mean error of the last games; `None` if nothing was learned in them.
    pub(super) fn error(&self) -> Option<f64> {
        self.lasting.error()
    }

    /// Whether the mean of enough games has reached a goal.
    pub(super) fn reached(&self, goal: f64) -> bool {
        self.lasting.games >= WINDOW && self.mean().is_some_and(|mean| mean >= goal)
    }

    fn of(&self, value: impl Fn(&Point) -> Option<f64>) -> Vec<(f64, f64)> {
        let open = (self.open.games > 0).then_some(&self.open);
        let all = self.points.iter().chain(open);
        all.filter_map(|point| Some((point.until as f64, value(point)?))).collect()
    }

    fn both(&self) -> [(&'static str, Vec<(f64, f64)>); 2] {
        [
            ("Mean result of the first player", self.of(Point::mean)),
            ("Mean error", self.of(Point::error)),
        ]
    }

    /// The curve as a page with charts.
    pub(super) fn svg(&self, title: &str) -> String {
        let mut page = Page::new(title);
        for (name, points) in self.both() {
            page.heading(name);
            page.plot(&points, "games");
        }
        page.to_string()
    }

    /// The curve in characters; empty if there are too few points.
    pub(super) fn chart(&self, unicode: bool) -> String {
        self.both().iter().map(|(name, points)| drawn(name, points, unicode)).collect()
    }
}

/// A chart in characters.
fn drawn(name: &str, points: &[(f64, f64)], unicode: bool) -> String {
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return String::new() };
    if points.len() < 2 {
        return String::new();
    }
    let values = || points.iter().map(|point| point.1);
    let (low, high) =
        (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
    let spread = if high > low { high - low } else { 1.0 };
    let columns = COLUMNS.min(points.len());
    let mut rows = vec![vec![' '; columns]; ROWS];
    let mark = if unicode { '\u{2022}' } else { '*' };
    for (column, part) in (0..columns).map(|column| {
        let at = |column: usize| column * points.len() / columns;
        (column, &points[at(column)..at(column + 1).max(at(column) + 1)])
    }) {
        let mean = part.iter().map(|point| point.1).sum::<f64>() / part.len() as f64;
        let row = ((high - mean) / spread * (ROWS - 1) as f64).round() as usize;
        rows[row.min(ROWS - 1)][column] = mark;
    }
    let mut text = format!("{name}\n");
    for (number, row) in rows.iter().enumerate() {
        let label = match number {
            0 => format!("{high:.3}"),
            _ if number == ROWS - 1 => format!("{low:.3}"),
            _ => String::new(),
        };
        let row: String = row.iter().collect();
        text += format!("{label:>12} | {}", row.trim_end()).trim_end();
        text.push('\n');
    }
    let (first, last) = (format!("{:.0}", first.0), format!("{:.0} games", last.0));
    let gap = columns.saturating_sub(first.len()).max(last.len() + 1);
    let _ = writeln!(text, "{:15}{first}{last:>gap$}", "");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(games: u64, fresh: u64, mean: f64) -> Progress {
        Progress { games, fresh, mean, error: 0.5, ..Progress::default() }
    }

    #[test]
    fn a_goal_needs_many_games() {
        let mut curve = Curve::new();
        curve.add(&report(32, 32, 1.0));
        assert!(!curve.reached(0.5), "one lucky report");
        for number in 2..=40 {
            curve.add(&report(32 * number, 32, if number % 2 == 0 { 1.0 } else { 0.0 }));
        }
        assert!(curve.reached(0.45) && !curve.reached(0.75));
        assert!(curve.recent() >= WINDOW && curve.recent() < WINDOW + 32);
    }

    #[test]
    fn a_long_curve_has_few_points() {
        let mut curve = Curve::new();
        for number in 1..=10_000 {
            curve.add(&report(32 * number, 32, number as f64 / 10_000.0));
            // Reports in the middle of games add nothing.
            curve.add(&report(32 * number, 0, -9.0));
        }
        let points = curve.of(Point::mean);
        assert!(points.len() <= POINTS + 1, "{}", points.len());
        assert!(points.windows(2).all(|two| two[0].0 < two[1].0 && two[0].1 < two[1].1));
        let all: u64 = curve.points.iter().chain([&curve.open]).map(|point| point.games).sum();
        assert_eq!(all, 320_000);
        let chart = curve.chart(false);
        assert!(chart.contains("0.99") && chart.contains("320000 games"), "{chart}");
        assert!(chart.lines().all(|line| line.len() <= 80), "{chart}");
        let page = curve.svg("a < b");
        assert!(page.contains("a &lt; b") && page.matches("class=\"line\"").count() == 2, "{page}");
    }

    #[test]
    fn a_curve_without_points_is_empty() {
        let curve = Curve::new();
        assert_eq!((curve.chart(true), curve.mean(), curve.error()), (String::new(), None, None));
        assert!(curve.svg("empty").ends_with("</svg>\n"));
    }
}
