//! Sentences for people who play.

use std::fmt::Write as _;

use magister_core::{Decision, Observation, Role, Thought, View};
use magister_players::Spec;

/// How many moves an adviser names.
const NAMED: usize = 3;

/// A turn as the role lived it.
pub(super) fn seen(view: &View, at: usize) -> String {
    let (info, text) = (view.game().info(), view.game().text());
    let Some(turn) = view.turns().get(at) else { return String::new() };
    match &turn.seen {
        Observation::Joint(joint) => {
            let moves: Vec<String> = info
                .all_roles()
                .zip(joint)
                .map(|(role, &choice)| {
                    format!("{} {}", info.role_name(role), text.move_text(choice))
                })
                .collect();
            moves.join(", ")
        }
        Observation::Percepts(percepts) => {
            let seen: Vec<String> = percepts.iter().map(|&p| text.percept_text(p)).collect();
            let seen = if seen.is_empty() { "nothing".to_owned() } else { seen.join(", ") };
            format!("you played {} and saw {seen}", text.move_text(turn.own))
        }
    }
}

/// All turns as the role lived them.
pub(super) fn history(view: &View) -> String {
    if view.turns().is_empty() {
        return "nothing happened yet\n".to_owned();
    }
    let mut text = String::new();
    for at in 0..view.turns().len() {
        let _ = writeln!(text, "{:>3}  {}", at + 1, seen(view, at));
    }
    text
}

/// What an adviser says.
pub(super) fn advice(spec: &Spec, view: &View, decision: Decision) -> String {
    let words = view.game().text();
    let mut text = format!("{spec} would play {}\n", words.move_text(decision.choice));
    let mut thoughts = decision.thoughts;
    let key = |thought: &Thought| {
        (thought.choice == decision.choice, thought.visits, thought.value.unwrap_or(f64::MIN))
    };
    thoughts.sort_by(|a, b| {
        let (a, b) = (key(a), key(b));
        b.0.cmp(&a.0).then(b.1.cmp(&a.1)).then(b.2.total_cmp(&a.2))
    });
    for thought in thoughts.iter().take(NAMED) {
        let Some(value) = thought.value else { continue };
        let sure = if thought.proven { ", for certain" } else { "" };
        let choice = words.move_text(thought.choice);
        let _ = writeln!(text, "  {choice}: expects {value:.1}{sure}");
    }
    text
}

/// Who got what.
pub(super) fn result(view: &View, outcome: &[Option<f64>]) -> String {
    let info = view.game().info();
    let of = |role: Role| outcome.get(role.index()).copied().flatten();
    let told: Vec<String> = info
        .players()
        .map(|role| {
            let reward = of(role).map_or_else(|| "no result".to_owned(), |r| r.to_string());
            format!("{} {reward}", info.role_name(role))
        })
        .collect();
    let told = format!("the game is over: {}", told.join(", "));
    let others: Vec<f64> = info.players().filter(|&r| r != view.role()).filter_map(of).collect();
    match of(view.role()) {
        Some(own) if !others.is_empty() => {
            let best = others.iter().copied().fold(f64::MIN, f64::max);
            let verdict = match own.total_cmp(&best) {
                std::cmp::Ordering::Greater => "you win",
                std::cmp::Ordering::Equal => "a draw",
                std::cmp::Ordering::Less => "you lose",
            };
            format!("{told}; {verdict}")
        }
        _ => told,
    }
}
