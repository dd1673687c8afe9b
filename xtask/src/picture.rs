//! The picture in the README, from the real output of the command.

use std::path::Path;

use anstyle_svg::Term;
use anyhow::{Context as _, Result};
use magister_gdl::{Options, Source, examine};

/// A small game with typical mistakes.
const RULES: &str = "\
role(agent)
init(step(1))
legal(agent,cut(red)) :- true(step(1))
legal(agent,cut(blue)) :- true(stap(1))
next(step(2)) :- true(step(1))
explodes :- does(agent,cut(red))
goal(agent,0) :- explodes
goal(agent,N) :- true(step(2))
terminal :- true(step(2))
";

pub(crate) fn run() -> Result<()> {
    let found = examine(RULES, &Options::default());
    let source = Source::new("bomb.hrf", RULES);
    let shown: Vec<String> =
        found.diagnostics.as_slice().iter().map(|d| source.terminal(d, true)).collect();
    let text = format!("$ magister check bomb.hrf\n{}\n", shown.join("\n\n"));
    let svg = Term::new().render_svg(&text);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/check.svg");
    std::fs::create_dir_all(path.parent().context("a folder")?)?;
    std::fs::write(path, svg)?;
    Ok(())
}
