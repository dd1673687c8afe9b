//! The table, as Markdown between two markers in `docs/speed.md`.

use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::{Context as _, Result, ensure};

use super::{Options, Row};
use crate::binary;

const BEGIN: &str = "<!-- made by cargo xtask yardsticks: begin -->";
const END: &str = "<!-- made by cargo xtask yardsticks: end -->";

pub(super) fn table(rows: &[Row], options: &Options) -> Result<String> {
    let mut text = String::new();
    let mut line = |name: &str, cell: &dyn Fn(&Row) -> Option<String>| {
        let cells: Vec<String> =
            rows.iter().map(|row| cell(row).unwrap_or_else(|| "–".to_owned())).collect();
        writeln!(text, "| {name} | {} |", cells.join(" | "))
    };
    line("million states per second", &|row| Some(row.game.title.to_owned()))?;
    line("---", &|_| Some("---:".to_owned()))?;
    let version = rows.iter().find_map(|row| row.open_spiel.as_ref());
    let version = version.map_or(String::new(), |found| format!(" {}", found.version));
    line(&format!("OpenSpiel{version} (C++), one game at a time"), &|row| {
        Some(millions(row.open_spiel.as_ref()?.states_per_s))
    })?;
    line("written by hand, one game at a time", &|row| Some(millions(row.by_hand.best)))?;
    line("Magister, sweep, one game at a time", &|row| Some(millions(row.sweep.best)))?;
    line("Magister, incremental, one game at a time", &|row| Some(millions(row.incremental.best)))?;
    let code = |row: &Row| Some(millions(row.code.as_ref()?.best));
    line("Magister, machine code, one game at a time", &code)?;
    let step = |row: &Row| Some(format!("{:.0} ns", 1e9 / row.code.as_ref()?.best));
    line("– nanoseconds of a step", &step)?;
    line("Magister, batch, interpreted, AVX2", &|row| Some(millions(row.interpreted.best)))?;
    line(&format!("**Magister, batch, {}**", best_form()), &|row| {
        Some(format!("**{}**", millions(row.batch.best)))
    })?;
    line("the same on two threads", &|row| Some(millions(row.threads?[1][0])))?;
    line("written by hand, 512 games at once", &|row| Some(millions(row.sliced?.best)))?;
    line("batch : OpenSpiel", &|row| {
        Some(format!("{:.0}", row.batch.best / row.open_spiel.as_ref()?.states_per_s))
    })?;
    line("batch : by hand, one game at a time", &|row| {
        Some(format!("{:.2}", row.batch.best / row.by_hand.best))
    })?;
    line("batch : by hand, 512 games at once", &|row| {
        Some(format!("{:.2}", row.batch.best / row.sliced?.best))
    })?;
    let ratio = |row: &Row, clock: usize| {
        row.threads.map(|[one, two]| format!("{:.2}", two[clock] / one[clock]))
    };
    line("two threads : one", &|row| ratio(row, 0))?;
    line("two threads : one, by the wall clock", &|row| ratio(row, 1))?;
    line("moves per playout, batch", &|row| Some(format!("{:.3}", row.length)))?;
    writeln!(text, "\nMeasured on {}.", machine())?;
    writeln!(
        text,
        "Each figure is the best of {} measurements of {} seconds, made in turn.",
        options.rounds, options.seconds
    )?;
    for row in rows.iter().filter(|row| row.from != "the catalogue") {
        writeln!(text, "The rulesheet of {} was from {}.", row.game.title, row.from)?;
    }
    Ok(text)
}

/// Three significant digits.
fn millions(rate: f64) -> String {
    let millions = rate / 1e6;
    let digits = if millions < 1.0 {
        3
    } else if millions < 10.0 {
        2
    } else {
        usize::from(millions < 100.0)
    };
    format!("{millions:.digits$}")
}

/// The form in which this machine runs batches.
fn best_form() -> &'static str {
    let off = std::env::var("MAGISTER_CODE").is_ok_and(|value| value == "off");
    #[cfg(target_arch = "x86_64")]
    if std::env::var_os("MAGISTER_VECTORS").is_none() && !off {
        if is_x86_feature_detected!("avx512f") {
            return "machine code, AVX-512";
        }
        if is_x86_feature_detected!("avx2") {
            return "machine code, AVX2";
        }
    }
    if off { "interpreted" } else { "as set in the environment" }
}

/// The processor, as reported by the system.
fn machine() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name: &str| {
        let line = text.lines().find(|line| line.starts_with(name))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    };
    let model = field("model name").unwrap_or_else(|| "an unnamed processor".to_owned());
    let family = field("cpu family").zip(field("model\t"));
    let family = family
        .map_or(String::new(), |(family, model)| format!(" (family {family}, model {model})"));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{model}{family}, {cores} cores, one of them used unless it says two")
}

fn file() -> PathBuf {
    binary::root().join("docs/speed.md")
}

/// Replaces the table in the file.
pub(super) fn write(table: &str) -> Result<()> {
    let text = std::fs::read_to_string(file()).context("docs/speed.md")?;
    std::fs::write(file(), replaced(&text, table)?).context("docs/speed.md")
}

fn replaced(text: &str, table: &str) -> Result<String> {
    let place = text.find(BEGIN).zip(text.find(END)).filter(|(begin, end)| begin < end);
    ensure!(place.is_some(), "docs/speed.md has no place for the table: {BEGIN} and {END}");
    let (begin, end) = place.unwrap_or_default();
    Ok(format!("{}\n\n{}\n{}", &text[..begin + BEGIN.len()], table, &text[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_replaced() {
        let text = format!("# Speed\n{BEGIN}\nold\n{END}\nmore\n");
        let once = replaced(&text, "| new |\n").unwrap();
        assert_eq!(once, format!("# Speed\n{BEGIN}\n\n| new |\n\n{END}\nmore\n"));
        assert_eq!(replaced(&once, "| new |\n").unwrap(), once);
        assert!(replaced("nothing", "").is_err());
    }

    #[test]
    fn figures_have_three_digits() {
        let shown: Vec<String> = [2.5e5, 1.2345e6, 4.56789e7, 1.234_56e9].map(millions).into();
        assert_eq!(shown, ["0.250", "1.23", "45.7", "1235"]);
    }
}
