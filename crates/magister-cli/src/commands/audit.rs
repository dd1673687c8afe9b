//! `magister audit`: whether a player uses information that its role does not have.

use std::io::Write;
use std::time::Duration;

use anyhow::{Result, bail};
use magister_arena::audit::{Audit, Ground, Verdict, suspect};
use magister_core::{Role, Seed, Stop};
use magister_engine::within;
use serde_json::json;

use super::fit::{fits, no_players, seat};
use super::{plural, remote};
use crate::args;
use crate::terminal::fitted;
use crate::{CLEAN, FOUND, game};

/// How long to wait for a player that does not answer, as a multiple of the duration of the audit.
const PATIENCE: u32 = 3;

pub(crate) fn run(args: &args::Audit) -> Result<u8> {
    let playable = game::open_for_play(&args.game, &args.language.options())?;
    let info = playable.game.info();
    fits(&args.player, info)?;
    remote::fits(&args.player, &playable.game)?;
    let roles: Vec<Role> = match &args.role {
        None => info.players().collect(),
        Some(name) => vec![seat(info, name)?],
    };
    if roles.is_empty() {
        return Err(no_players(info));
    }
    let time = Duration::from_secs_f64(args.seconds);
    let mut out = anstream::stdout().lock();
    let (mut honest, mut silent) = (true, Vec::new());
    // Solving has its own time limit.
    let ground = within(time, &Stop::never(), |stop| Ground::new(&playable.game, stop));
    for role in roles {
        let audit = Audit {
            iterations: args.iterations,
            matches: args.matches,
            twins: args.twins,
            decisions: args.decisions,
            sample: args.sample,
            seed: Seed::from(args.seed),
            time: Some(time),
            ..Audit::new(role)
        };
        let verdict = within(time * PATIENCE, &Stop::never(), |stop| {
            audit.run(&ground, &suspect(&args.player), stop)
        })?;
        honest &= verdict.honest();
        let name = info.role_name(role);
        // If nothing was compared, there is no result.
        let known = verdict.compared() || !verdict.honest();
        if !known {
            silent.push(name);
        }
        if args.json {
            let object = json!({
                "game": playable.name,
                "player": args.player.to_string(),
                "role": name,
                "honest": known.then(|| verdict.honest()),
                "verdict": verdict,
            });
            writeln!(out, "{object}")?;
        } else {
            write!(out, "{}", as_text(&args.player.to_string(), name, &verdict))?;
        }
    }
    if honest && !silent.is_empty() {
        bail!(
            "nothing was compared as {}, so this says nothing about {}; raise --seconds, --matches, \
             --twins, --decisions or --sample",
            silent.join(", "),
            args.player
        );
    }
    Ok(if honest { CLEAN } else { FOUND })
}

fn as_text(player: &str, role: &str, verdict: &Verdict) -> String {
    let result = match (verdict.honest(), verdict.compared()) {
        (false, _) => "dishonest",
        (true, true) => "no sign of dishonesty",
        (true, false) => "nothing was compared",
    };
    let mut lines = vec![format!("{player} as {role}: {result}")];
    let futures = match verdict.futures {
        0 => String::new(),
        more => format!(", {more} of which differ only in later draws of chance"),
    };
    lines.push(format!(
        "  twins (histories that look the same to the role): {} in {}{futures}; {} compared",
        verdict.twins,
        plural(verdict.matches, "match"),
        plural(verdict.answers, "answer"),
    ));
    let p = |(least, tests): (f64, u32)| match tests {
        1 => format!("p = {least:.4}"),
        tests => format!("smallest p = {least:.4} of {tests} tests"),
    };
    if let Some(found) = verdict.permutation {
        lines.push(format!("  permutation test, moves after twins: {}", p(found)));
    }
    if let Some(found) = verdict.independence {
        lines.push(format!("  independence test, moves and hidden state: {}", p(found)));
    }
    if let Some(ceiling) = verdict.ceiling {
        lines.push(format!(
            "  ceiling: mean reward {:.2} ± {:.2} (standard error) in {}; an honest player gets at \
             most {:.2}",
            ceiling.mean,
            ceiling.error,
            plural(ceiling.matches, "match"),
            ceiling.most
        ));
    }
    if let Some(secrets) = verdict.secrets {
        lines.push(format!(
            "  secrets: of {} in which it matters whether the others see the state, {} are right, \
             and {} would be right only if the others saw it",
            plural(secrets.decisions, "decision"),
            secrets.kept,
            secrets.revealed
        ));
    }
    if verdict.illegal > 0 {
        let verb = if verdict.illegal == 1 { "was" } else { "were" };
        lines.push(format!("  {} {verb} illegal", plural(verdict.illegal, "answer")));
    }
    lines.extend(
        verdict.findings.iter().map(|found| format!("  failed, {}: {}", found.test, found.what)),
    );
    lines.extend(verdict.remarks.iter().map(|remark| format!("  note: {remark}")));
    fitted(&lines.join("\n"))
}
