//! `magister analyze`: the kind and quality of a game.

mod designer;

use std::fmt::Write as _;
use std::io::Write;

use anyhow::{Context as _, Result};
use magister_arena::{Analysis, Balance, Bar, Findings, Page};
use magister_core::{Info, Information, Seed, Stop};
use magister_players::Spec;
use serde_json::json;

use super::fit::fits;
use super::play::opponent;
use super::{plural, remote};
use crate::args::Analyze;
use crate::terminal::fitted;
use crate::{CLEAN, game};

pub(crate) fn run(args: &Analyze) -> Result<u8> {
    let playable = game::open_for_play(&args.game, &args.language.options())?;
    if args.designer || args.html.is_some() {
        return designer::run(args, &playable);
    }
    let info = playable.game.info().clone();
    let player = args.player.clone().map_or_else(|| opponent(&info), Ok)?;
    for player in [&player, &args.weak] {
        fits(player, &info)?;
        remote::fits(player, &playable.game)?;
    }
    let analysis = Analysis {
        playouts: args.playouts,
        games: args.games,
        iterations: args.iterations,
        solving: args.solving,
        max_steps: args.max_steps,
        seed: Seed::from(args.seed),
        ..Analysis::new(playable.game, player.clone(), args.weak.clone())
    };
    let findings = analysis.run(&Stop::never())?;
    let mut out = anstream::stdout().lock();
    if args.json {
        let seats: Vec<&str> = info.players().map(|role| info.role_name(role)).collect();
        let object = json!({
            "game": playable.name,
            "seats": seats,
            "player": player.to_string(),
            "weak": args.weak.to_string(),
            "findings": findings,
        });
        writeln!(out, "{object}")?;
    } else {
        let text = as_text(&playable.name, &info, args, &player, &findings);
        write!(out, "{}", fitted(&text))?;
    }
    if let Some(path) = &args.svg {
        std::fs::write(path, as_svg(&playable.name, &info, args, &player, &findings))
            .with_context(|| path.display().to_string())?;
    }
    Ok(CLEAN)
}

fn as_text(name: &str, info: &Info, args: &Analyze, player: &Spec, findings: &Findings) -> String {
    let seats: Vec<&str> = info.players().map(|role| info.role_name(role)).collect();
    let random = &findings.random;
    let mut text = format!("{name}: {}\n", plural(random.matches, "random match"));
    if random.broken_off == random.matches {
        let _ = writeln!(text, "length: none of them ended within {} steps", args.max_steps);
    } else {
        let _ = writeln!(text, "length: mean {:.1} steps", random.length);
        if random.broken_off > 0 {
            let _ = writeln!(text, "cut off after {} steps: {}", args.max_steps, random.broken_off);
        }
    }
    let _ = writeln!(
        text,
        "branching factor: mean {:.1}, at most {} (joint moves)",
        random.branching, random.widest
    );
    let tree = if random.broken_off > 0 { "more than" } else { "about" };
    let _ = writeln!(text, "game tree: {tree} {} nodes", magnitude(random.tree_log10));
    let rewards = |rewards: &[f64]| -> String {
        let line = |(seat, reward)| format!("mean reward of {seat}: {reward:.1}\n");
        seats.iter().zip(rewards).map(line).collect()
    };
    text += &rewards(random.rewards.as_deref().unwrap_or_default());
    let against = if seats.len() > 1 { " against itself" } else { " alone" };
    if findings.strong.is_none() && !seats.is_empty() {
        let _ = writeln!(
            text,
            "{player}{against}: none of {} ended within {} steps; raise --max-steps if matches are \
             that long; `magister playable {}` tests whether they end",
            plural(args.games, "match"),
            args.max_steps,
            args.game
        );
    }
    if let Some(strong) = findings.strong.as_ref().filter(|_| !seats.is_empty()) {
        let _ = writeln!(text, "{player}{against}, {}", plural(strong.matches, "match"));
        if strong.broken_off > 0 {
            let _ = writeln!(text, "cut off after {} steps: {}", args.max_steps, strong.broken_off);
        }
        let _ = writeln!(text, "length: mean {:.1} steps", strong.length);
        if seats.len() == 1 {
            text += &rewards(&strong.rewards);
        }
        if seats.len() > 1 {
            let decisive = 100.0 * (1.0 - strong.draws);
            let _ =
                writeln!(text, "draws: {:.0} %, decisive: {decisive:.0} %", 100.0 * strong.draws);
            for (seat, (score, low, high)) in seats.iter().zip(&strong.seats) {
                let _ = writeln!(text, "score of {seat}: {score:.2} ({low:.2} to {high:.2})");
            }
            if let [(score, low, high), _] = strong.seats[..] {
                let _ = writeln!(
                    text,
                    "advantage of {}, who {} first: {:+.2} ({:+.2} to {:+.2})",
                    seats[0],
                    if random.first == Some(0) { "moves" } else { "is listed" },
                    2.0 * score - 1.0,
                    2.0 * low - 1.0,
                    2.0 * high - 1.0
                );
            }
            // Not every player reports its estimate of a position.
            if !strong.leads.is_empty() {
                let _ = writeln!(
                    text,
                    "drama: {:.2} (how far behind the eventual winner was, 0 to 1)",
                    strong.drama
                );
                let _ = writeln!(text, "lead changes: {:.1} per match", strong.lead_changes);
                let _ = writeln!(
                    text,
                    "the winner is ahead in the last {:.0} % of the match",
                    100.0 * strong.decided
                );
            }
        }
    }
    if let Some((score, low, high)) = findings.skill {
        let _ = writeln!(
            text,
            "{player} against {}: score {score:.2} ({low:.2} to {high:.2})",
            args.weak
        );
    }
    if findings.skill.is_none() && seats.len() > 1 {
        let _ = writeln!(text, "{player} against {}: no match ended", args.weak);
    }
    if let (Some(weak), [_]) = (findings.weak_reward, &seats[..]) {
        let _ = writeln!(text, "mean reward of {} in its place: {weak:.1}", args.weak);
    }
    match &findings.solved {
        Some(values) => {
            let values: Vec<String> =
                seats.iter().zip(values).map(|(seat, value)| format!("{seat} {value}")).collect();
            let _ = writeln!(text, "solved: {}", values.join(", "));
        }
        None if seats.is_empty() => {}
        None if info.information == Information::Hidden => {
            let _ = writeln!(
                text,
                "not solved, because information is hidden; `magister solve {}` computes an \
                 equilibrium",
                args.game
            );
        }
        None => text += "not solved\n",
    }
    if let Some(balance) = &findings.balance {
        text += &fairer(&seats, balance);
    }
    text
}

/// A number given by its decimal logarithm: `600 thousand`, `4 * 10^23`.
fn magnitude(log10: f64) -> String {
    const NAMES: [&str; 5] = ["", " thousand", " million", " billion", " trillion"];
    let group = (log10 / 3.0).floor().max(0.0);
    match NAMES.get(group as usize) {
        Some(name) => format!("{:.0}{name}", 10_f64.powf(log10 - 3.0 * group)),
        None => format!("{:.0} * 10^{:.0}", 10_f64.powf(log10.fract()), log10.floor()),
    }
}

/// The changes that may make the game fairer.
fn fairer(seats: &[&str], balance: &Balance) -> String {
    let seat = seats[balance.favoured];
    let (score, low, high) = balance.score;
    let mut text = format!(
        "not fair: {seat} scores {score:.2} ({low:.2} to {high:.2}); rules that were tried:\n"
    );
    for trial in &balance.tried {
        let Some(&(score, low, high)) = trial.seats.get(balance.favoured) else {
            let _ = writeln!(text, "  {}: no match ended", trial.what);
            continue;
        };
        let exact = trial.solved.as_ref().map_or(String::new(), |values| {
            let each = seats.iter().zip(values);
            let each: Vec<String> = each.map(|(seat, value)| format!("{seat} {value}")).collect();
            format!("; solved: {}", each.join(", "))
        });
        let _ = writeln!(
            text,
            "  {}: {seat} scores {score:.2} ({low:.2} to {high:.2}), {:.0} % draws, {}{exact}",
            trial.what,
            100.0 * trial.draws,
            plural(trial.matches, "match")
        );
    }
    match balance.suggested {
        Some(at) => {
            let _ = writeln!(text, "suggested: {}", balance.tried[at].what);
        }
        None => text += "none of them makes the game fairer\n",
    }
    text
}

/// The same as a page, with the scores as bars and the leads as curves.
fn as_svg(name: &str, info: &Info, args: &Analyze, player: &Spec, findings: &Findings) -> String {
    let seats: Vec<&str> = info.players().map(|role| info.role_name(role)).collect();
    let mut page = Page::new(name);
    for line in as_text(name, info, args, player, findings).lines().skip(1) {
        page.line(line);
    }
    if let Some(strong) = findings.strong.as_ref().filter(|_| seats.len() > 1) {
        page.heading("Score of each seat, with intervals of 95 %");
        let bar = |name: String, &(value, low, high): &(f64, f64, f64)| Bar {
            name,
            value,
            interval: Some((low, high)),
        };
        let mut bars: Vec<Bar> = seats
            .iter()
            .zip(&strong.seats)
            .map(|(seat, score)| bar((*seat).to_owned(), score))
            .collect();
        if let Some(balance) = &findings.balance {
            for trial in &balance.tried {
                for (seat, score) in seats.iter().zip(&trial.seats) {
                    let rule = match trial.remedy {
                        magister_arena::Remedy::Swap => "swap",
                        magister_arena::Remedy::DrawOdds(_) => "draw odds",
                    };
                    bars.push(bar(format!("{seat}, {rule}"), score));
                }
            }
        }
        page.bars(&bars, 0.5);
        if !strong.leads.is_empty() {
            page.heading(&format!("How far {} was ahead, match by match", seats[0]));
            page.curves(&strong.leads);
        }
    }
    page.to_string()
}

#[cfg(test)]
mod tests {
    use super::magnitude;

    #[test]
    fn sizes_of_game_trees() {
        assert_eq!(magnitude(5.8), "631 thousand");
        assert_eq!(magnitude(0.0), "1");
        assert_eq!(magnitude(2.0), "100");
        assert_eq!(magnitude(12.0), "1 trillion");
        assert_eq!(magnitude(23.6), "4 * 10^23");
    }
}
