//! The table of a sweep.

use std::fmt::{self, Write as _};

use magister_arena::Sample;
use serde_json::{Value, json};

use super::super::super::measure::Score;
use super::Row;

/// Two-sided 95 % quantiles of Student's t for one to thirty degrees of freedom.
const STUDENT: [f64; 30] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
    2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056,
    2.052, 2.048, 2.045, 2.042,
];

/// One combination against one opponent.
#[derive(Clone, Debug, PartialEq)]
struct Line {
    values: Vec<String>,
    against: Option<String>,
    /// The mean of each seed.
    seeds: Vec<f64>,
    matches: usize,
    mean: f64,
    interval: (f64, f64),
}

/// The results of a sweep, in the order of its runs.
#[derive(Debug)]
pub(super) struct Table {
    names: Vec<String>,
    lines: Vec<Line>,
    /// Whether the game has one player, so that results are rewards.
    alone: bool,
}

impl Table {
    pub(super) fn new(names: &[&str], rows: &[Row], alone: bool) -> Self {
        let mut groups: Vec<Vec<&Row>> = Vec::new();
        for row in rows {
            let same = |group: &&mut Vec<&Row>| {
                group[0].values == row.values && group[0].against == row.against
            };
            match groups.iter_mut().find(same) {
                Some(group) => group.push(row),
                None => groups.push(vec![row]),
            }
        }
        let lines = groups.iter().map(|group| line(group, alone)).collect();
        Table { names: names.iter().map(|&name| name.to_owned()).collect(), lines, alone }
    }

    /// Comma-separated values with a heading.
    pub(super) fn csv(&self) -> String {
        let mut text = self.names.join(",");
        text += ",against,seeds,matches,mean,low,high\n";
        for line in &self.lines {
            let against = line.against.as_deref().unwrap_or_default().replace('"', "\"\"");
            let (low, high) = line.interval;
            let values = line.values.join(",");
            let _ = writeln!(
                text,
                "{values},\"{against}\",{},{},{:.6},{low:.6},{high:.6}",
                line.seeds.len(),
                line.matches,
                line.mean,
            );
        }
        text
    }

    /// One object for each line.
    pub(super) fn json(&self) -> Vec<Value> {
        let object = |line: &Line| {
            let values: serde_json::Map<String, Value> = self
                .names
                .iter()
                .zip(&line.values)
                .map(|(name, value)| {
                    let number = value.parse::<f64>().ok().map(|number| json!(number));
                    (name.clone(), number.unwrap_or_else(|| json!(value)))
                })
                .collect();
            json!({
                "parameters": values,
                "against": line.against,
                "seeds": line.seeds,
                "matches": line.matches,
                "mean": line.mean,
                "interval": [line.interval.0, line.interval.1],
            })
        };
        self.lines.iter().map(object).collect()
    }
}

/// The mean over the seeds. Its interval is that of the means of seeds, which vary more than matches
/// of one agent; with one seed, it is that of the matches.
fn line(group: &[&Row], alone: bool) -> Line {
    let each = group.iter().map(|row| Sample { values: row.results.clone() });
    let seeds: Vec<f64> = each.map(|sample| sample.mean()).collect();
    let all: Vec<f64> = group.iter().flat_map(|row| row.results.iter().copied()).collect();
    let matches = all.len();
    let mean = seeds.iter().sum::<f64>() / seeds.len() as f64;
    let interval = if seeds.len() > 1 {
        let sample = Sample { values: seeds.clone() };
        let error = (sample.variance() / seeds.len() as f64).sqrt();
        let margin = error * STUDENT.get(seeds.len() - 2).copied().unwrap_or(1.96);
        // A share of the points is not outside of 0 and 1.
        let (low, high) = (mean - margin, mean + margin);
        if alone { (low, high) } else { (low.max(0.0), high.min(1.0)) }
    } else {
        Score { results: Sample { values: all }, faults: 0 }.interval(alone)
    };
    let (values, against) = (group[0].values.clone(), group[0].against.clone());
    Line { values, against, seeds, matches, mean, interval }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rows: Vec<Vec<String>> = Vec::new();
        let what = if self.alone { "reward" } else { "points" };
        let heads = ["against", "seeds", "matches", what, "95 % interval"].map(str::to_owned);
        rows.push(self.names.iter().cloned().chain(heads).collect());
        for line in &self.lines {
            let (factor, places) = if self.alone { (1.0, 1) } else { (100.0, 1) };
            let percent = if self.alone { "" } else { " %" };
            let number = |value: f64| format!("{:.places$}{percent}", factor * value);
            let mut row = line.values.clone();
            row.push(line.against.clone().unwrap_or_else(|| "-".to_owned()));
            row.push(line.seeds.len().to_string());
            row.push(line.matches.to_string());
            row.push(number(line.mean));
            let (low, high) = line.interval;
            row.push(format!("{} to {}", number(low), number(high)));
            rows.push(row);
        }
        let widths: Vec<usize> = (0..rows[0].len())
            .map(|column| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0))
            .collect();
        for row in &rows {
            let cells = row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:<width$}"));
            writeln!(f, "{}", cells.collect::<Vec<_>>().join("  ").trim_end())?;
        }
        if self.lines.iter().any(|line| line.seeds.len() == 1) {
            writeln!(
                f,
                "Intervals with one seed are those of its matches; --seeds 3 or more shows \
                how much trainings differ."
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(value: &str, seed: u64, results: &[f64]) -> Row {
        Row {
            key: String::new(),
            values: vec![value.to_owned()],
            seed,
            against: Some("mcs:playouts=1,\"x\"".to_owned()),
            games: 10,
            results: results.to_vec(),
        }
    }

    #[test]
    fn a_table_has_means_and_intervals_over_seeds() {
        let rows = [
            row("0.1", 0, &[1.0, 0.0]),
            row("0.1", 1, &[1.0, 1.0]),
            row("0.1", 2, &[1.0, 0.5]),
            row("1", 0, &[0.5, 0.5]),
        ];
        let table = Table::new(&["alpha"], &rows, false);
        let [first, second] = &table.lines[..] else { panic!("{table}") };
        assert_eq!((first.mean, first.matches, first.seeds.len()), (0.75, 6, 3));
        // The standard deviation of 0.5, 0.75 and 1 is 0.25, and the interval of three is wide.
        let low = 0.75 - 4.303 * 0.25 / 3_f64.sqrt();
        assert!((first.interval.0 - low).abs() < 1e-9, "{:?}", first.interval);
        assert_eq!((first.interval.1, second.mean), (1.0, 0.5));
        assert!(second.interval.0 < 0.5 && second.interval.1 > 0.5, "two matches say little");
        let text = table.to_string();
        assert!(text.contains("75.0 %") && text.contains("50.0 %"), "{text}");
        let csv = table.csv();
        assert!(csv.starts_with("alpha,against,seeds,matches,mean,low,high\n0.1,"), "{csv}");
        assert!(csv.contains("\"mcs:playouts=1,\"\"x\"\"\""), "{csv}");
        assert_eq!(table.json()[1]["parameters"]["alpha"], 1.0);
    }
}
