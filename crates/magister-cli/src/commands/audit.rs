//! `magister audit`: whether a player knows what it must not know.

use std::io::Write;
use std::time::Duration;

use anyhow::{Result, bail};
use magister_arena::audit::{Audit, Ground, Verdict, suspect};
use magister_core::{Role, Seed, Stop};
use magister_engine::within;
use serde_json::json;

use super::fit::{fits, nobody, seat};
use super::plural;
use crate::args;
use crate::{CLEAN, FOUND, game};

/// A player that does not answer is waited for so many times as long as the audit should take.
const PATIENCE: u32 = 3;

pub(crate) fn run(args: &args::Audit) -> Result<u8> {
    let playable = game::open_for_play(&args.game, &args.language.options())?;
    let info = playable.game.info();
    fits(&args.player, info)?;
    let roles: Vec<Role> = match &args.role {
        None => info.players().collect(),
        Some(name) => vec![seat(info, name)?],
    };
    if roles.is_empty() {
        return Err(nobody(info));
    }
    let time = Duration::from_secs_f64(args.seconds);
    let mut out = anstream::stdout().lock();
    let (mut honest, mut silent) = (true, Vec::new());
    // Solving takes its own time.
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
        // Where nothing was compared, nothing is known.
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
            "nothing was compared as {}, so nothing is known of {}'s honesty; raise --seconds, or \
             ask for more with --matches, --twins, --decisions and --sample",
            silent.join(", "),
            args.player
        );
    }
    Ok(if honest { CLEAN } else { FOUND })
}

fn as_text(player: &str, role: &str, verdict: &Verdict) -> String {
    let told = match (verdict.honest(), verdict.compared()) {
        (false, _) => "found out",
        (true, true) => "nothing found",
        (true, false) => "nothing compared",
    };
    let mut lines = vec![format!("{player} as {role}: {told}")];
    lines.push(format!(
        "  twins: {} in {}, and {} with another future; {} compared",
        verdict.twins,
        matches(verdict.matches),
        verdict.futures,
        plural(verdict.answers as usize, "answer"),
    ));
    if let Some((least, tests)) = verdict.permutation {
        lines.push(format!("  permutation: p = {least:.4} at least, {}", times(tests)));
    }
    if let Some((least, tests)) = verdict.independence {
        lines.push(format!("  independence: p = {least:.4} at least, {}", times(tests)));
    }
    if let Some(ceiling) = verdict.ceiling {
        lines.push(format!(
            "  ceiling: {:.2} ± {:.2} in {} matches, where {:.2} can be had",
            ceiling.mean, ceiling.error, ceiling.matches, ceiling.most
        ));
    }
    if let Some(secrets) = verdict.secrets {
        lines.push(format!(
            "  secrets: kept in {} of {} decisions that matter, told in {}",
            secrets.kept, secrets.decisions, secrets.revealed
        ));
    }
    if verdict.illegal > 0 {
        lines.push(format!("  {} were not legal", plural(verdict.illegal as usize, "answer")));
    }
    lines.extend(verdict.findings.iter().map(|found| format!("  {}: {}", found.test, found.what)));
    lines.extend(verdict.remarks.iter().map(|remark| format!("  note: {remark}")));
    lines.join("\n") + "\n"
}

fn matches(count: u32) -> String {
    if count == 1 { "1 match".to_owned() } else { format!("{count} matches") }
}

fn times(tests: u32) -> String {
    plural(tests as usize, "test")
}
