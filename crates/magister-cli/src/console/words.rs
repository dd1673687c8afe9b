//! Sentences for people who play.

use std::cmp::Ordering;
use std::fmt::Write as _;

use magister_core::{Decision, Info, Observation, Role, Thought, Turn, View};

use super::moves::{is_idle, plain};
use crate::draw::Look;

/// How many moves a hint names.
const NAMED: usize = 3;

/// The name of a role; the one that stands for dice and cards is called chance.
pub(super) fn name(info: &Info, role: Role) -> &str {
    if info.chance == Some(role) { "chance" } else { info.role_name(role) }
}

/// What a role saw in a turn where information is hidden; empty if that was nothing.
pub(super) fn seen(view: &View, turn: &Turn, look: &Look) -> String {
    let text = view.game().text();
    let Observation::Percepts(percepts) = &turn.seen else { return String::new() };
    if let Some(news) = look.card_news(&**view.game(), view.role(), percepts) {
        return news;
    }
    let seen: Vec<String> = percepts.iter().map(|&p| plain(&text.percept_text(p))).collect();
    if seen.is_empty() { String::new() } else { format!("You see: {}", seen.join(", ")) }
}

/// A turn as the role lived it; empty if there was nothing to do and nothing to see.
pub(super) fn lived(view: &View, turn: &Turn, look: &Look) -> String {
    let own = view.game().text().move_text(turn.own);
    let seen = seen(view, turn, look);
    let own = if is_idle(&own) { String::new() } else { format!("you: {}", plain(&own)) };
    match (own.is_empty(), seen.is_empty()) {
        (true, true) => String::new(),
        (false, true) => own,
        (true, false) => lower(&seen),
        (false, false) => format!("{own}; {}", lower(&seen)),
    }
}

fn lower(sentence: &str) -> String {
    let mut letters = sentence.chars();
    letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
}

/// What an adviser says.
pub(super) fn advice(view: &View, decision: Decision) -> String {
    let words = view.game().text();
    let text_of = |choice| plain(&words.move_text(choice));
    let mut text = format!("Try {}.\n", text_of(decision.choice));
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
        let sure = if thought.proven { " (proven)" } else { "" };
        let _ = writeln!(text, "  {}: {value:.0} points expected{sure}", text_of(thought.choice));
    }
    text
}

/// How a match ended for a role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Won,
    Drawn,
    Lost,
    /// There is no other result to compare with, or no result.
    Open,
}

/// How the match ended for a role, compared with the best of the others.
pub(crate) fn verdict(info: &Info, role: Role, outcome: &[Option<f64>]) -> Verdict {
    let of = |role: Role| outcome.get(role.index()).copied().flatten();
    let others = info.players().filter(|&other| other != role).filter_map(of);
    let best = others
        .fold(None, |best: Option<f64>, value| Some(best.map_or(value, |best| best.max(value))));
    match (of(role), best) {
        (Some(own), Some(best)) => match own.total_cmp(&best) {
            Ordering::Greater => Verdict::Won,
            Ordering::Equal => Verdict::Drawn,
            Ordering::Less => Verdict::Lost,
        },
        _ => Verdict::Open,
    }
}

/// The end of a match in a sentence.
pub(super) fn result(view: &View, outcome: &[Option<f64>]) -> String {
    let info = view.game().info();
    let of = |role: Role| outcome.get(role.index()).copied().flatten();
    let points: Vec<String> = info
        .players()
        .map(|role| {
            let reward = of(role).map_or_else(|| "no result".to_owned(), |r| r.to_string());
            format!("{} {reward}", info.role_name(role))
        })
        .collect();
    let points = points.join(", ");
    match verdict(info, view.role(), outcome) {
        Verdict::Won => format!("You win! ({points})"),
        Verdict::Drawn => format!("A draw. ({points})"),
        Verdict::Lost => format!("You lose. ({points})"),
        Verdict::Open => match of(view.role()) {
            Some(own) => {
                let own = own.to_string();
                let points = if own == "1" { "point" } else { "points" };
                format!("The game is over. You have {own} {points}.")
            }
            None => "The game is over without a result.".to_owned(),
        },
    }
}
