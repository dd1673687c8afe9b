//! From an argument to a playable game.

use std::io::{self, Write as _};

use anyhow::{Result, bail};
use magister::{Error, Input, Options, Playable, Reading, Source};
use magister_engine::Evaluator;
use magister_gdl::Severity;

use crate::args::EvaluatorArg;
use crate::waiting::progress;

/// The argument for standard input.
const STDIN: &str = "-";

/// The rules that an argument names: `-`, a file, or a bundled game.
pub(crate) fn input(argument: &str) -> Result<Input> {
    Ok(if argument == STDIN { stdin()? } else { Input::open(argument)? })
}

/// A file or standard input, whatever it contains.
pub(crate) fn file(argument: &str) -> Result<Input> {
    Ok(if argument == STDIN { stdin()? } else { Input::file(argument)? })
}

fn stdin() -> Result<Input, Error> {
    Input::read("standard input", io::stdin().lock())
}

/// The game of an argument: a bundled name, `rust:` and a bundled name, a file, or `-`. Errors in
/// its rules are shown.
pub(crate) fn find(argument: &str, reading: &Reading) -> Result<Source> {
    let options = Options { reading: *reading, progress: progress(), ..Options::default() };
    let found = if argument == STDIN {
        let input = stdin()?;
        Source::read(&input.name.clone(), input, &options)
    } else {
        options.find(argument)
    };
    if let Err(Error::Rules(findings)) = &found {
        show(findings)?;
        bail!("{} has errors and cannot be played", findings.input().name);
    }
    Ok(found?)
}

/// The maximum number of findings that are shown; the first errors often cause the later ones.
const MOST: usize = 20;

/// Shows findings on standard error.
fn show(findings: &magister::Findings) -> Result<()> {
    let mut err = anstream::stderr().lock();
    let all = findings.count(Severity::Error) + findings.count(Severity::Warning);
    let shown = findings.terminal().into_iter().take(MOST);
    let more = all.saturating_sub(shown.len());
    for finding in shown {
        writeln!(err, "{finding}\n")?;
    }
    if more > 0 {
        let name = &findings.input().name;
        writeln!(err, "and {more} more; `magister check --all {name}` shows them\n")?;
    }
    Ok(())
}

/// The game of an argument for commands that play it. Rules with errors are rejected, because the
/// game may differ from the author's intention. `force` accepts them.
pub(crate) fn find_clean(argument: &str, reading: &Reading, force: bool) -> Result<Source> {
    let source = find(argument, reading)?;
    if force {
        return Ok(source);
    }
    if let Some(findings) = source.check().filter(magister::Findings::has_errors) {
        show(&findings)?;
        bail!(
            "{} has errors; correct them (see `magister check`), or play it anyway with --force",
            source.name()
        );
    }
    Ok(source)
}

/// The game of an argument, ready to play.
pub(crate) fn open(
    argument: &str,
    evaluator: Option<Evaluator>,
    reading: &Reading,
) -> Result<Playable> {
    Ok(find(argument, reading)?.prepare(evaluator)?)
}

/// The game of an argument, ready for players that search.
pub(crate) fn open_for_play(argument: &str, reading: &Reading) -> Result<Playable> {
    let playable = open(argument, None, reading)?;
    playable.warm_up();
    Ok(playable)
}

/// The same, where rules with errors are refused unless `force` accepts them.
pub(crate) fn open_clean(argument: &str, reading: &Reading, force: bool) -> Result<Playable> {
    let playable = find_clean(argument, reading, force)?.prepare(None)?;
    playable.warm_up();
    Ok(playable)
}

/// The game, or the engine's error if the rules cannot be played.
pub(crate) fn try_prepare(
    source: &Source,
    evaluator: Option<Evaluator>,
) -> Result<Result<Playable, magister_engine::Error>> {
    match source.prepare(evaluator) {
        Ok(playable) => Ok(Ok(playable)),
        Err(Error::NotPlayable { error, .. }) => Ok(Err(error)),
        Err(error) => Err(error.into()),
    }
}

/// Calls `then` with the game on each evaluator that the user asked for. With
/// [`EvaluatorArg::All`], evaluators that do not support the game are reported on standard error
/// and skipped. It is an error if no evaluator supports the game.
pub(crate) fn each(
    source: &Source,
    wanted: Option<EvaluatorArg>,
    mut then: impl FnMut(&Playable) -> Result<()>,
) -> Result<()> {
    match wanted {
        None => return then(&source.prepare(None)?),
        Some(EvaluatorArg::One(one)) => return then(&source.prepare(Some(one))?),
        Some(EvaluatorArg::Steps) => return then(&source.prepare(None)?.one_by_one()),
        Some(EvaluatorArg::All) if source.input().is_none() => return then(&source.prepare(None)?),
        Some(EvaluatorArg::All) => {}
    }
    let each = source.prepare_each()?;
    for (evaluator, error) in each.refused {
        anstream::eprintln!(
            "magister: {}: evaluator {evaluator} does not support the game: {error}",
            source.name()
        );
    }
    each.taken.iter().try_for_each(then)
}
