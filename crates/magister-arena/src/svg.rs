//! Pages of charts as SVG: text that can be printed, compared and read by programs.

use std::fmt::Write as _;

/// A page that grows from top to bottom.
#[derive(Clone, Debug)]
pub struct Page {
    title: String,
    body: String,
    /// The vertical position of the next element.
    y: f64,
}

/// The width of a page, and of its margins.
const WIDTH: f64 = 760.0;
const MARGIN: f64 = 24.0;
/// The height of a line of text.
const LINE: f64 = 20.0;
/// The number of characters per line.
const LETTERS: usize = 95;
/// Where bars begin and end.
const LEFT: f64 = 220.0;
const RIGHT: f64 = WIDTH - 90.0;

/// A value with its interval.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// The label.
    pub name: String,
    /// The value.
    pub value: f64,
    /// The interval, if there is one.
    pub interval: Option<(f64, f64)>,
}

impl Page {
    /// A page with a heading.
    pub fn new(title: &str) -> Self {
        let mut page = Page { title: title.to_owned(), body: String::new(), y: MARGIN + LINE };
        page.words(MARGIN, page.y, "title", title);
        page.y += 1.5 * LINE;
        page
    }

    /// A smaller heading.
    pub fn heading(&mut self, text: &str) {
        self.y += 0.5 * LINE;
        self.words(MARGIN, self.y, "heading", text);
        self.y += LINE;
    }

    /// A text, wrapped.
    pub fn line(&mut self, text: &str) {
        let mut line = String::new();
        for word in text.split_whitespace() {
            if !line.is_empty() && line.chars().count() + word.chars().count() >= LETTERS {
                self.words(MARGIN, self.y, "text", &line);
                self.y += LINE;
                line.clear();
            }
            line.extend((!line.is_empty()).then_some(' '));
            line.push_str(word);
        }
        self.words(MARGIN, self.y, "text", &line);
        self.y += LINE;
    }

    /// Bars that start at a value, with intervals as whiskers.
    pub fn bars(&mut self, bars: &[Bar], from: f64) {
        let ends = bars.iter().flat_map(|bar| {
            let (low, high) = bar.interval.unwrap_or((bar.value, bar.value));
            [bar.value, low, high]
        });
        let ends: Vec<f64> = ends.filter(|end| end.is_finite()).chain([from]).collect();
        let low = ends.iter().copied().fold(f64::INFINITY, f64::min);
        let high = ends.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let spread = (high - low).max(1e-9);
        let x = |value: f64| LEFT + (RIGHT - LEFT) * (value.clamp(low, high) - low) / spread;
        for bar in bars {
            let (a, b) = (x(bar.value.min(from)), x(bar.value.max(from)));
            let (top, middle) = (self.y - 0.65 * LINE, self.y - 0.25 * LINE);
            self.words(MARGIN, self.y, "text", &bar.name);
            self.rectangle((a, top, (b - a).max(1.0), 0.8 * LINE), "bar", None);
            if let Some((low, high)) = bar.interval {
                self.stroke(&[(x(low), middle), (x(high), middle)], "whisker");
            }
            self.words(RIGHT + 10.0, self.y, "text", &number(bar.value));
            self.y += 1.2 * LINE;
        }
        let (top, bottom) = (self.y - 1.2 * LINE * bars.len() as f64 - 0.8 * LINE, self.y - LINE);
        self.stroke(&[(x(from), top), (x(from), bottom)], "axis");
    }

    /// A cross table: shares from 0 to 1 for pairs that met.
    pub fn cross_table(&mut self, names: &[String], cell: impl Fn(usize, usize) -> Option<f64>) {
        let side = ((WIDTH - MARGIN - LEFT) / names.len().max(1) as f64).min(56.0);
        // Names are too long for column headings, so columns have numbers, which also precede the
        // names of the rows.
        for column in 0..names.len() {
            let middle = LEFT + side * (column as f64 + 0.4);
            self.words(middle, self.y, "small", &format!("{}.", column + 1));
        }
        self.y += 0.4 * LINE;
        for (row, name) in names.iter().enumerate() {
            self.words(MARGIN, self.y + 0.6 * side, "text", &format!("{}. {name}", row + 1));
            for column in 0..names.len() {
                let left = LEFT + side * column as f64;
                let share = cell(row, column);
                self.rectangle((left, self.y, side - 2.0, side - 2.0), "cell", share);
                if let Some(share) = share {
                    self.words(left + 0.15 * side, self.y + 0.6 * side, "small", &number(share));
                }
            }
            self.y += side;
        }
        self.y += LINE;
    }

    /// Curves over a common time axis from 0 to 1, with values from -1 to 1.
    pub fn curves(&mut self, curves: &[Vec<f64>]) {
        let height = 9.0 * LINE;
        let (left, right) = (MARGIN, WIDTH - MARGIN);
        let y = |value: f64| self.y + height * (0.5 - value.clamp(-1.0, 1.0) / 2.0);
        let zero = [(left, y(0.0)), (right, y(0.0))];
        let lines = over_time(curves, (left, right), y);
        self.stroke(&zero, "axis");
        for line in lines {
            self.stroke(&line, "curve");
        }
        self.y += height + LINE;
    }

    /// Curves over a common time axis, with values from 0 to 1; both axes have labels.
    pub fn shares(&mut self, curves: &[Vec<f64>], (begin, end): (&str, &str)) {
        let height = 9.0 * LINE;
        let (left, right) = (MARGIN + LINE, WIDTH - MARGIN);
        let (top, bottom) = (self.y, self.y + height);
        let lines =
            over_time(curves, (left, right), |value| bottom - height * value.clamp(0.0, 1.0));
        self.stroke(&[(left, top), (left, bottom), (right, bottom)], "axis");
        for line in lines {
            self.stroke(&line, "curve");
        }
        self.words(MARGIN, top + 5.0, "small", "1");
        self.words(MARGIN, bottom, "small", "0");
        self.words(left, bottom + LINE, "small", begin);
        self.words(right - 90.0, bottom + LINE, "small", end);
        self.y += height + 2.0 * LINE;
    }

    /// A curve through points in ascending order, with the first and last abscissa and the least and
    /// largest value as labels.
    pub fn plot(&mut self, points: &[(f64, f64)], unit: &str) {
        let points: Vec<(f64, f64)> =
            points.iter().copied().filter(|(x, y)| x.is_finite() && y.is_finite()).collect();
        let (Some(&(first, _)), Some(&(last, _))) = (points.first(), points.last()) else {
            self.line("There is nothing to show yet.");
            return;
        };
        let values = || points.iter().map(|point| point.1);
        let low = values().fold(f64::INFINITY, f64::min);
        let high = values().fold(f64::NEG_INFINITY, f64::max);
        let height = 9.0 * LINE;
        let (left, right) = (MARGIN + 70.0, WIDTH - MARGIN);
        let (top, bottom) = (self.y, self.y + height);
        let share = |value: f64, from: f64, to: f64| {
            if to > from { (value - from) / (to - from) } else { 0.5 }
        };
        let at = |&(x, y): &(f64, f64)| {
            (left + (right - left) * share(x, first, last), bottom - height * share(y, low, high))
        };
        self.stroke(&[(left, top), (left, bottom), (right, bottom)], "axis");
        let line: Vec<(f64, f64)> = points.iter().map(at).collect();
        self.stroke(&line, "line");
        self.words(MARGIN, top + 5.0, "small", &number(high));
        self.words(MARGIN, bottom, "small", &number(low));
        self.words(left, bottom + LINE, "small", &format!("{first:.0}"));
        self.words(right - 90.0, bottom + LINE, "small", &format!("{last:.0} {unit}"));
        self.y += height + 2.0 * LINE;
    }

    fn words(&mut self, x: f64, y: f64, class: &str, text: &str) {
        let text = escaped(text);
        let _ =
            writeln!(self.body, "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\">{text}</text>");
    }

    fn rectangle(
        &mut self,
        (x, y, width, height): (f64, f64, f64, f64),
        class: &str,
        share: Option<f64>,
    ) {
        let shade = share.map_or(String::new(), |share| {
            format!(" style=\"fill-opacity:{:.2}\"", 0.05 + 0.7 * share.clamp(0.0, 1.0))
        });
        let class = if class == "cell" && share.is_none() { "empty" } else { class };
        let _ = writeln!(
            self.body,
            "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" \
             height=\"{height:.1}\"{shade}/>"
        );
    }

    fn stroke(&mut self, points: &[(f64, f64)], class: &str) {
        let points: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let points = points.join(" ");
        let _ = writeln!(self.body, "<polyline class=\"{class}\" points=\"{points}\"/>");
    }
}

impl std::fmt::Display for Page {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let height = self.y + MARGIN;
        writeln!(
            f,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height:.0}\" \
             role=\"img\">"
        )?;
        writeln!(f, "<title>{}</title>\n<style>{STYLE}</style>", escaped(&self.title))?;
        writeln!(f, "<rect class=\"page\" width=\"{WIDTH}\" height=\"{height:.0}\"/>")?;
        write!(f, "{}", self.body)?;
        f.write_str("</svg>\n")
    }
}

/// Colours follow the reader's light or dark theme.
const STYLE: &str = "\
text{font:14px sans-serif;fill:#222}\
.title{font-size:20px;font-weight:bold}\
.heading{font-size:16px;font-weight:bold}\
.small{font-size:11px}\
.page{fill:#fff}\
.bar,.cell{fill:#3b6ea5}\
.empty{fill:#888;fill-opacity:.15}\
.whisker{stroke:#c33;stroke-width:2;fill:none}\
.axis{stroke:#888;stroke-width:1;fill:none}\
.line{stroke:#3b6ea5;stroke-width:2;fill:none}\
.curve{stroke:#3b6ea5;stroke-width:1.5;stroke-opacity:.5;fill:none}\
@media(prefers-color-scheme:dark){.page{fill:#1b1b1b}text{fill:#ddd}}";

/// The points of curves that have at least two, between two ends of the time axis.
fn over_time(
    curves: &[Vec<f64>],
    (left, right): (f64, f64),
    y: impl Fn(f64) -> f64,
) -> Vec<Vec<(f64, f64)>> {
    let curves = curves.iter().filter(|curve| curve.len() > 1);
    let points = curves.map(|curve| {
        let step = (right - left) / (curve.len() - 1) as f64;
        let point = |(at, &value): (usize, &f64)| (left + step * at as f64, y(value));
        curve.iter().enumerate().map(point).collect()
    });
    points.collect()
}

fn number(value: f64) -> String {
    if value.abs() >= 10.0 { format!("{value:.0}") } else { format!("{value:.2}") }
}

/// Text within an element. Characters that XML does not allow are replaced.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            letter if letter.is_control() => out.push(' '),
            letter => out.push(letter),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_well_formed_whatever_it_says() {
        let mut page = Page::new("<&\u{0}>");
        page.heading("a & b");
        page.line("c");
        let bar = |value, interval| Bar { name: "<x>".to_owned(), value, interval };
        page.bars(&[bar(f64::NAN, None), bar(3.0, Some((f64::NEG_INFINITY, 4.0)))], 0.0);
        page.bars(&[], 0.0);
        page.cross_table(&["a".to_owned(), "b".to_owned()], |a, b| (a != b).then_some(0.25));
        page.curves(&[vec![0.0, -2.0, 1.0], vec![], vec![0.5]]);
        page.shares(&[vec![0.0, 1.0], vec![], vec![0.5]], ("<begin>", "end"));
        page.plot(&[(1.0, f64::NAN), (2.0, 3.0), (4.0, 1.0)], "<games>");
        page.plot(&[(2.0, 3.0)], "games");
        page.plot(&[], "games");
        let text = page.to_string();
        assert!(text.starts_with("<svg") && text.ends_with("</svg>\n"));
        assert!(text.contains("&lt;&amp; &gt;") && !text.contains("<x>"));
        assert_eq!(text.matches('<').count(), text.matches('>').count());
        // Shares use the whole height of their chart, and its ends are labelled.
        assert!(text.contains(">1</text>") && text.contains(">&lt;begin&gt;</text>"), "{text}");
        assert!(!text.contains("inf\"") && !text.contains("inf,"), "{text}");
        // The cross table has a head for each column beside the names of the rows.
        assert!(text.contains(">1.</text>") && text.contains(">2.</text>"), "{text}");
    }
}
