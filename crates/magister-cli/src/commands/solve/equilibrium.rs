//! An equilibrium as text and JSON.

use std::fmt::Write as _;

use magister_core::{Game, Observation, Turn};
use magister_solve::Equilibrium;
use serde_json::{Map, Value, json};

use super::{FEW, names, number, values_text};
use crate::args::{Method, Solve};
use crate::commands::plural;

/// A role's move and observation in a turn.
fn turn_text(game: &dyn Game, turn: &Turn) -> String {
    let seen: Vec<String> = match &turn.seen {
        Observation::Joint(joint) => {
            joint.iter().map(|&choice| game.text().move_text(choice)).collect()
        }
        Observation::Percepts(seen) => {
            seen.iter().map(|&percept| game.text().percept_text(percept)).collect()
        }
    };
    let seen = if seen.is_empty() { "nil".to_owned() } else { seen.join(", ") };
    format!("{} => {seen}", game.text().move_text(turn.own))
}

/// The interests of the players, as text.
fn interests(found: &Equilibrium) -> &'static str {
    match (found.form.players().len(), found.form.constant_sum()) {
        (1, _) => "one player",
        (2, Some(_)) => "two players, constant-sum",
        (2, None) => "two players, not constant-sum",
        _ => "more than two players",
    }
}

pub(super) fn text(game: &dyn Game, found: &Equilibrium, args: &Solve) -> String {
    let form = &found.form;
    let size = form.size();
    let mut text = format!(
        "game tree with {} and {}, {}\nvalue: {}\n",
        plural(size.nodes, "node"),
        plural(size.sets, "information set"),
        interests(found),
        values_text(game, &found.values)
    );
    if found.exact {
        text += "exact: no other strategy gets more\n";
    } else {
        if let Some(bounds) = found.bounds() {
            let bound = |(name, (low, high)): (String, &(f64, f64))| {
                format!("{name} {low:.6} to {high:.6}")
            };
            let bounds: Vec<String> = names(game).into_iter().zip(&bounds).map(bound).collect();
            let _ = writeln!(text, "proven bounds: {}", bounds.join(", "));
        } else {
            let gains: Vec<f64> =
                found.best.iter().zip(&found.values).map(|(best, value)| best - value).collect();
            let _ = writeln!(
                text,
                "approximate equilibrium; gains of a best response: {}; other equilibria may have \
                 other values",
                values_text(game, &gains)
            );
        }
        let _ = writeln!(
            text,
            "exploitability: {:.6} ({:.5} % of the payoff range) after {} of {}",
            found.exploitability(),
            100.0 * found.share(),
            plural(found.rounds, "iteration"),
            match args.method {
                Method::CfrPlus => "CFR+",
                Method::Cfr => "CFR",
            }
        );
    }
    if form.revealed_by_legal_moves() > 0 {
        let _ = writeln!(
            text,
            "in {} the legal moves differ between states that look the same to the role; the role \
             is assumed to know its legal moves",
            plural(form.revealed_by_legal_moves(), "information set")
        );
    }
    if !args.strategy && size.sets > FEW {
        let _ = writeln!(text, "--strategy prints the strategy in every information set");
        return text;
    }
    text += "strategy by information set: probability, move, expected value\n";
    for (player, &role) in form.players().iter().enumerate() {
        for (set, (met, values)) in form.report(player, &found.profile).iter().enumerate() {
            let turns: Vec<String> =
                form.turns(player, set).iter().map(|turn| turn_text(game, turn)).collect();
            let turns = if turns.is_empty() { "at the start".to_owned() } else { turns.join("; ") };
            let name = game.info().role_name(role);
            let _ = writeln!(text, "{name}, {turns}  (reached with {} %)", number(100.0 * met));
            let mixture = found.profile.mixture(form, player, set);
            for ((choice, share), value) in
                form.moves(player, set).into_iter().zip(mixture).zip(values)
            {
                let _ = write!(
                    text,
                    "  {:>8} %  {}",
                    number(100.0 * share),
                    game.text().move_text(choice)
                );
                if value.is_finite() {
                    let _ = write!(text, "  {}", number(*value));
                }
                text.push('\n');
            }
        }
    }
    text
}

pub(super) fn json(
    game: &dyn Game,
    found: &Equilibrium,
    args: &Solve,
    object: &mut Map<String, Value>,
) {
    let form = &found.form;
    let size = form.size();
    object.insert("method".into(), json!("equilibrium"));
    object.insert("exact".into(), json!(found.exact));
    object.insert("nodes".into(), json!(size.nodes));
    object.insert("information_sets".into(), json!(size.sets));
    object.insert("constant_sum".into(), json!(form.constant_sum()));
    object.insert("bounds".into(), json!(found.bounds()));
    let best = names(game).into_iter().zip(found.best.iter().map(|&best| Value::from(best)));
    object.insert("best_replies".into(), Value::Object(best.collect()));
    object.insert("exploitability".into(), json!(found.exploitability()));
    object.insert("exploitability_share".into(), json!(found.share()));
    object.insert("rounds".into(), json!(found.rounds));
    object.insert("told_by_legal_moves".into(), json!(form.revealed_by_legal_moves()));
    if !args.strategy {
        return;
    }
    let mut strategy = Vec::new();
    for (player, &role) in form.players().iter().enumerate() {
        for (set, (met, values)) in form.report(player, &found.profile).iter().enumerate() {
            let turns: Vec<String> =
                form.turns(player, set).iter().map(|turn| turn_text(game, turn)).collect();
            let mixture = found.profile.mixture(form, player, set);
            let moves: Vec<Value> = form
                .moves(player, set)
                .into_iter()
                .zip(mixture)
                .zip(values)
                .map(|((choice, share), value)| {
                    let value = value.is_finite().then_some(value);
                    json!({
                        "move": game.text().move_text(choice),
                        "probability": share,
                        "value": value,
                    })
                })
                .collect();
            strategy.push(json!({
                "role": game.info().role_name(role), "turns": turns, "met": met, "moves": moves,
            }));
        }
    }
    object.insert("strategy".into(), Value::Array(strategy));
}
