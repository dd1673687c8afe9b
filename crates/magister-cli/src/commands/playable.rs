//! `magister playable`: tests in random play whether rules make a proper game.

mod blind;
mod values;

use std::fmt::Write as _;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, bail};
use magister::{Language, Source};
use magister_core::{Game, Info, Move, Seed, Stop};
use magister_engine::inspect::{Fault, Score, Seen, Survey, survey};
use magister_engine::{Coverage, Unused, coverage, within};
use magister_gdl::Severity;
use serde_json::{Value, json};

use self::blind::{Unknown, blind};
use self::values::{doubled, vanished};
use super::plural;
use crate::args::Playable;
use crate::terminal::{fitted, hanging};
use crate::{CLEAN, FOUND, game};

/// Longer examples are described by their length.
const EXAMPLE: usize = 12;
/// The maximum number of never-legal moves that are named.
const NAMED: usize = 10;
/// The minimum number of matches after which equal results are noteworthy.
const ENOUGH: u32 = 20;

/// One problem.
struct Problem {
    kind: &'static str,
    what: String,
    /// The number of matches in which it occurred; `None` if it does not concern single matches.
    matches: Option<u32>,
    /// The moves of such a match, in the format of `magister step`.
    moves: Option<String>,
}

impl Problem {
    /// Whether a role has no legal move.
    fn is_stuck(&self) -> bool {
        self.kind == "no-move" || self.what.contains("has no legal move")
    }
}

pub(crate) fn run(args: &Playable) -> Result<u8> {
    let source = game::find(&args.game, &args.language.options())?;
    let mut problems: Vec<Problem> = checked(&source).into_iter().collect();
    let warnings = source.check().map_or(0, |found| found.count(Severity::Warning));
    let playable = match game::try_prepare(&source, args.evaluator)? {
        Ok(playable) => playable,
        Err(error) => {
            if let Some(evaluator) = args.evaluator
                && source.prepare(None).is_ok()
            {
                bail!("evaluator {evaluator} does not support {}: {error}", source.name());
            }
            let what = format!("no match can begin: {}", beginning(&error.to_string()));
            problems.push(Problem { kind: "start", what, matches: None, moves: None });
            return report(args, source.name(), None, &problems, warnings);
        }
    };
    let game = &*playable.game;
    let range = match source.language() {
        Language::Rust | Language::Recycle => game.info().rewards,
        _ => (0.0, 100.0),
    };
    let seed = Seed::from(args.seed).derive("playable");
    let survey = survey(game, range, args.playouts, args.max_steps, seed, &Stop::never());
    problems.extend(survey.faults.iter().map(|(fault, seen)| problem(game, range, fault, seen)));
    problems.extend(endings(&survey, args.max_steps));
    let unknown = blind(&playable.game, &survey, args, seed);
    let used = used(&source, args, seed);
    let mut notes = doubled(&source, game, seed);
    if problems.iter().any(Problem::is_stuck) {
        notes.extend(vanished(&source, game, seed));
    }
    notes.extend(undecided(game.info(), &survey));
    let evaluator = playable.evaluator;
    let played = Played { game, evaluator, survey: &survey, used, unknown, notes };
    report(args, &playable.name, Some(&played), &problems, warnings)
}

/// The reason why a match cannot begin, as a sentence about the initial position.
fn beginning(error: &str) -> String {
    match error.split_once(": the rules are at fault: ") {
        Some((before, fault)) if before.ends_with("the initial position") => {
            let fault =
                fault.replace(" in a state that is not terminal", ", and it is not terminal");
            format!("in the initial position, {fault}")
        }
        _ => error.to_owned(),
    }
}

/// The result of the matches.
struct Played<'a> {
    game: &'a dyn Game,
    evaluator: &'static str,
    survey: &'a Survey,
    /// The rules that were used, if the game has rules.
    used: Option<Coverage>,
    /// The roles that cannot know their legal moves, with an example.
    unknown: Vec<Unknown>,
    /// Possible mistakes.
    notes: Vec<String>,
}

/// A note if several players always have the same results, whatever they do.
fn undecided(info: &Info, survey: &Survey) -> Option<String> {
    let players: Vec<_> = info.players().collect();
    let same = players.iter().all(|role| {
        let score = &survey.scores[role.index()];
        score.paid == survey.playouts && score.low >= score.high
    });
    let enough = players.len() > 1 && survey.playouts >= ENOUGH && survey.longest > 0;
    (enough && same).then(|| {
        "note: the result is the same in every random match. Do the moves matter for the goal?"
            .to_owned()
    })
}

/// The problem that matches are over before they begin, or never end.
fn endings(survey: &Survey, max_steps: u32) -> Option<Problem> {
    let Survey { playouts, finished, truncated, longest, .. } = *survey;
    if playouts == 0 {
        return None;
    }
    let (kind, what) = if truncated == playouts {
        (
            "endless",
            format!(
                "no match ended within {max_steps} steps, so no role got a reward; add a step limit \
                 to the rules, or raise --max-steps if matches are that long"
            ),
        )
    } else if finished == playouts && longest == 0 {
        ("over-at-once", "the game is over before the first move".to_owned())
    } else {
        return None;
    };
    Some(Problem { kind, what, matches: None, moves: None })
}

/// The rules that random matches use, as far as the time allows.
fn used(source: &Source, args: &Playable, seed: Seed) -> Option<Coverage> {
    let rules = source.rulesheet()?;
    let program = Arc::new(source.program()?.ok()?);
    let time = Duration::from_secs_f64(args.seconds);
    Some(within(time, &Stop::never(), |stop| {
        let seed = seed.derive("rules");
        coverage(&program, rules.syntax, args.playouts, args.max_steps, seed, stop)
    }))
}

/// The errors that are found without playing.
fn checked(source: &Source) -> Option<Problem> {
    let found = source.check()?;
    let first = found.first_error()?;
    let errors = plural(found.count(Severity::Error), "error");
    let what = format!("`magister check` reports {errors}; the first is {first}");
    Some(Problem { kind: "check", what, matches: None, moves: None })
}

fn problem(game: &dyn Game, range: (f64, f64), fault: &Fault, seen: &Seen) -> Problem {
    let info = game.info();
    let name = |role| info.role_name(role);
    let (kind, what) = match fault {
        Fault::NoMove(role) => (
            "no-move",
            format!("`{}` has no legal move in a state that is not terminal", name(*role)),
        ),
        Fault::Step(what) => ("step", what.clone()),
        Fault::NoGoal(role) => {
            ("no-goal", format!("`{}` has no goal value at the end", name(*role)))
        }
        Fault::ManyGoals(role, values) => (
            "many-goals",
            format!("`{}` has several goal values at the end: {values}", name(*role)),
        ),
        Fault::GoalRange(role, value) => (
            "goal-range",
            format!(
                "`{}` gets {value}, which is outside the range {} to {}",
                name(*role),
                range.0,
                range.1
            ),
        ),
    };
    let moves = Some(moves(game, &seen.example));
    Problem { kind, what, matches: Some(seen.matches), moves }
}

/// Joint moves in the format of `magister step --moves`.
fn moves(game: &dyn Game, joints: &[Vec<Move>]) -> String {
    let joint = |joint: &Vec<Move>| {
        let moves: Vec<String> = joint.iter().map(|&m| game.text().move_text(m)).collect();
        moves.join(" ")
    };
    joints.iter().map(joint).collect::<Vec<_>>().join("; ")
}

/// Moves that were never legal, if the game has a list of all moves.
fn never_legal(game: &dyn Game, survey: &Survey) -> Option<Vec<String>> {
    let all = (0..game.info().moves?).map(Move);
    Some(all.filter(|m| !survey.legal.contains(m)).map(|m| game.text().move_text(m)).collect())
}

fn report(
    args: &Playable,
    name: &str,
    played: Option<&Played<'_>>,
    problems: &[Problem],
    warnings: usize,
) -> Result<u8> {
    let mut out = anstream::stdout().lock();
    if args.json {
        writeln!(out, "{}", as_json(name, played, problems))?;
        return Ok(if problems.is_empty() { CLEAN } else { FOUND });
    }
    match played {
        None => writeln!(out, "{name}: no match was played")?,
        Some(Played { game, evaluator, survey, used, unknown, notes }) => {
            if problems.iter().any(|problem| problem.kind == "check") {
                let line = format!(
                    "{name} has errors, so it may not be the game that you mean; the matches were \
                     played all the same."
                );
                write!(out, "{}", fitted(&line))?;
            }
            let count = plural(survey.playouts, "random match");
            writeln!(out, "{name}: {count}, evaluator {evaluator}")?;
            if survey.playouts < args.playouts {
                let rest = plural(args.playouts - survey.playouts, "match");
                let verb = if survey.playouts + 1 == args.playouts { "was" } else { "were" };
                let line =
                    format!("{rest} {verb} not played, because several failed in the same way");
                write!(out, "{}", fitted(&line))?;
            }
            let mut lines = observations(*game, survey, args.max_steps);
            // Without a step, no rule for `next` or `goal` had an opportunity.
            if survey.finished < survey.playouts || survey.longest > 0 {
                lines.extend(used.iter().flat_map(unused));
            }
            lines.extend(unknown.iter().map(Unknown::line));
            lines.extend(notes.iter().cloned());
            for line in lines {
                write!(out, "{}", fitted(&line))?;
            }
        }
    }
    for problem in problems {
        writeln!(out, "{}", hanging(&format!("fault: {}", problem.what), 7))?;
        if let Some(matches) = problem.matches {
            let steps = problem.moves.as_deref().unwrap_or_default();
            let example = match steps.split("; ").count() {
                _ if steps.is_empty() => "at the start".to_owned(),
                n if n > EXAMPLE => format!("for example after {n} steps, which --json lists"),
                _ => format!("for example after {steps}"),
            };
            let played = played.map_or(args.playouts, |played| played.survey.playouts);
            let played = plural(played, "match");
            writeln!(
                out,
                "{}",
                hanging(&format!("       in {matches} of {played}, {example}"), 7)
            )?;
        }
    }
    // A note is more specific about the cause than the general advice.
    let noted = played.is_some_and(|played| !played.notes.is_empty());
    if let Some(advice) = advice(&args.game, warnings, problems).filter(|_| !noted) {
        writeln!(out, "{}", hanging(&advice, 0))?;
    }
    match problems.len() {
        0 => writeln!(out, "no faults found")?,
        n => writeln!(out, "not playable: {} found", plural(n, "fault"))?,
    }
    Ok(if problems.is_empty() { CLEAN } else { FOUND })
}

/// Advice about roles without a legal move.
fn advice(file: &str, warnings: usize, problems: &[Problem]) -> Option<String> {
    // Errors and warnings come first, because they may be the cause.
    if !problems.iter().any(Problem::is_stuck)
        || problems.iter().any(|problem| problem.kind == "check")
    {
        return None;
    }
    if warnings > 0 {
        let warnings = plural(warnings, "warning");
        return Some(format!(
            "`magister check {file}` reports {warnings}, which may be the cause."
        ));
    }
    Path::new(file).is_file().then(|| {
        format!(
            "If a role has nothing to do there, give it a move `noop`: `magister check --fix {file}` \
             adds one to rules with turns."
        )
    })
}

/// Facts about a game, whether it is correct or not.
fn observations(game: &dyn Game, survey: &Survey, max_steps: u32) -> Vec<String> {
    let info = game.info();
    let mut lines = Vec::new();
    if survey.finished > 0 {
        let mean = survey.steps as f64 / f64::from(survey.finished);
        let (short, long) = (survey.shortest, plural(survey.longest, "step"));
        lines.push(if survey.shortest == survey.longest {
            format!("length: always {long}")
        } else {
            format!("length: {short} to {long}, mean {mean:.1}")
        });
    }
    if survey.truncated > 0 {
        lines.push(format!(
            "length: {} of {} cut off after {} (--max-steps)",
            survey.truncated,
            plural(survey.playouts, "match"),
            plural(max_steps, "step")
        ));
    }
    if survey.truncated == survey.playouts {
        lines.push("goal values were not tested, because no match ended".to_owned());
    }
    let alone = info.players().count() == 1;
    for role in info.players() {
        let score = &survey.scores[role.index()];
        if score.paid > 0 {
            let all = survey.finished;
            let some = if score.paid < all {
                format!("a result in {} of {}, there ", score.paid, plural(all, "match"))
            } else {
                String::new()
            };
            let name = info.role_name(role);
            lines.push(format!(
                "reward of {name}: {some}{}",
                result(score, alone || score.paid < all)
            ));
        }
    }
    if let Some(never) = never_legal(game, survey).filter(|never| !never.is_empty()) {
        lines.push(format!("moves that were never legal: {}", named(&never)));
    }
    lines
}

/// The first of many names, and the number of the others.
fn named(all: &[String]) -> String {
    let more = all.len().saturating_sub(NAMED);
    let mut text = all[..all.len() - more].join(", ");
    if more > 0 {
        let _ = write!(text, " and {more} more");
    }
    text
}

/// The rules that were not used.
fn unused(used: &Coverage) -> Vec<String> {
    let positions = plural(used.positions as usize, "position");
    let list = |all: &[Unused]| {
        let texts = all.iter().map(|unused| format!("{} in line {}", unused.what, unused.line));
        named(&texts.collect::<Vec<_>>())
    };
    let mut lines = Vec::new();
    if used.rules.is_empty() {
        lines.push(format!("rules: every rule applied at least once in {positions}"));
    } else {
        lines.push(format!("rules that never applied in {positions}: {}", list(&used.rules)));
    }
    if !used.relations.is_empty() {
        lines.push(format!("relations that were never used: {}", list(&used.relations)));
    }
    lines
}

fn result(score: &Score, alone: bool) -> String {
    let mean = score.sum / f64::from(score.paid);
    let mut text = if score.low >= score.high {
        format!("always {}", score.low)
    } else {
        format!("mean {mean:.1}, {} to {}", score.low, score.high)
    };
    if !alone {
        let share = |count: u32| 100.0 * f64::from(count) / f64::from(score.paid);
        let (best, shared) = (share(score.best), share(score.shared));
        let _ = write!(text, "; wins {best:.1} %, ties {shared:.1} %");
    }
    text
}

fn as_json(name: &str, played: Option<&Played<'_>>, problems: &[Problem]) -> Value {
    let problems: Vec<Value> = problems
        .iter()
        .map(|p| json!({"kind": p.kind, "what": p.what, "matches": p.matches, "moves": p.moves}))
        .collect();
    let mut object =
        json!({"game": name, "playable": problems.is_empty(), "problems": problems, "playouts": 0});
    if let Some(Played { game, evaluator, survey, used, unknown, notes }) = played {
        let finished = survey.finished > 0;
        object["evaluator"] = json!(evaluator);
        object["playouts"] = json!(survey.playouts);
        object["finished"] = json!(survey.finished);
        object["truncated"] = json!(survey.truncated);
        object["shortest"] = json!(finished.then_some(survey.shortest));
        object["longest"] = json!(finished.then_some(survey.longest));
        object["mean_length"] =
            json!(finished.then(|| survey.steps as f64 / f64::from(survey.finished)));
        object["roles"] = json!(scores(game.info(), survey));
        object["unknown_moves"] = json!(unknown.iter().map(Unknown::json).collect::<Vec<_>>());
        object["notes"] = json!(notes);
        object["never_legal"] = json!(never_legal(*game, survey));
        if let Some(used) = used {
            let list = |all: &[Unused]| -> Vec<Value> {
                all.iter().map(|unused| json!({"line": unused.line, "what": unused.what})).collect()
            };
            object["rules_looked_at"] =
                json!({"positions": used.positions, "matches": used.matches});
            object["never_applied"] = json!(list(&used.rules));
            object["never_asked"] = json!(list(&used.relations));
        }
    }
    object
}

fn scores(info: &Info, survey: &Survey) -> Vec<Value> {
    info.players()
        .map(|role| {
            let score = &survey.scores[role.index()];
            let paid = score.paid > 0;
            json!({
                "role": info.role_name(role),
                "results": score.paid,
                "mean": paid.then(|| score.sum / f64::from(score.paid)),
                "lowest": paid.then_some(score.low),
                "highest": paid.then_some(score.high),
                "alone_in_front": score.best,
                "in_front_with_others": score.shared,
            })
        })
        .collect()
}
