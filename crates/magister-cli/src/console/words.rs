//! Sentences for players.

use std::cmp::Ordering;
use std::fmt::Write as _;

use magister_core::{Decision, Info, Observation, Role, Thought, Turn, View};

use super::moves::{is_idle, plain};
use crate::draw::Look;

/// The maximum number of moves that a hint names.
const NAMED: usize = 3;
/// The prefix of percepts.
const YOU_SEE: &str = "You see: ";

/// The name of a role; the role of dice and cards is called chance.
pub(super) fn name(info: &Info, role: Role) -> &str {
    if info.chance == Some(role) { "chance" } else { info.role_name(role) }
}

/// The player that made a move that a percept reports, if this is certain. An empty name means the
/// role itself.
pub(super) type Maker<'a> = &'a dyn Fn(&Turn, &str) -> Option<String>;

/// The percepts of a role in a turn of a game with hidden information, one text each. Percepts that
/// only repeat the role's own move are omitted.
pub(super) fn percepts(view: &View, turn: &Turn, maker: Maker<'_>) -> Vec<String> {
    let text = view.game().text();
    let Observation::Percepts(percepts) = &turn.seen else { return Vec::new() };
    let written = percepts.iter().filter_map(|&percept| {
        let percept = text.percept_text(percept);
        let reported = argument(&percept);
        match reported.and_then(|reported| maker(turn, reported)) {
            Some(who) if who.is_empty() => None,
            Some(who) => Some(format!("{who}: {}", plain(reported.unwrap_or_default()))),
            None => Some(plain(&percept)),
        }
    });
    written.collect()
}

/// The argument of a term that has one: `bet` in `(did bet)` and in `did(bet)`.
fn argument(term: &str) -> Option<&str> {
    let inner = term.strip_suffix(')')?;
    let argument = match inner.strip_prefix('(') {
        Some(inner) => inner.split_once(' ')?.1.trim(),
        None => inner.split_once('(')?.1.trim(),
    };
    let whole = argument.starts_with('(') || argument.ends_with(')');
    let single = whole || !argument.contains([' ', ',']);
    (single && !argument.is_empty()).then_some(argument)
}

/// The percepts of a role in a turn of a game with hidden information, as text; empty if there are
/// none.
pub(super) fn seen(view: &View, turn: &Turn, look: &Look, maker: Maker<'_>) -> String {
    let game = &**view.game();
    if let Observation::Percepts(percepts) = &turn.seen
        && let Some(news) = look.card_news(game, view.role(), percepts)
    {
        return news;
    }
    let seen = percepts(view, turn, maker);
    if seen.is_empty() { String::new() } else { format!("{YOU_SEE}{}", seen.join(", ")) }
}

/// A turn from the point of view of a role; empty if the role did nothing and perceived nothing.
pub(super) fn lived(view: &View, turn: &Turn, look: &Look, maker: Maker<'_>) -> String {
    let own = view.game().text().move_text(turn.own);
    let seen = seen(view, turn, look, maker);
    let own = if is_idle(&own) {
        String::new()
    } else {
        format!("you: {}", look.choice(view.game(), &own))
    };
    // The news of a card game may begin with a card, whose capital letter is kept.
    let seen = match seen.strip_prefix(YOU_SEE) {
        Some(rest) => format!("you see: {rest}"),
        None => seen,
    };
    match (own.is_empty(), seen.is_empty()) {
        (true, true) => String::new(),
        (false, true) => own,
        (true, false) => seen,
        (false, false) => format!("{own}; {seen}"),
    }
}

/// The text of a hint.
pub(super) fn advice(view: &View, decision: Decision) -> String {
    let words = view.game().text();
    let info = view.game().info();
    let text_of = |choice| plain(&words.move_text(choice));
    let mut text = format!("Try {}.\n", text_of(decision.choice));
    let mut thoughts = decision.thoughts;
    // A search recommends the most visited move, which need not have the highest estimate.
    let searched = thoughts.iter().any(|thought| thought.visits > 0);
    let key = |thought: &Thought| {
        (thought.choice == decision.choice, thought.visits, thought.value.unwrap_or(f64::MIN))
    };
    thoughts.sort_by(|a, b| {
        let (a, b) = (key(a), key(b));
        b.0.cmp(&a.0).then(b.1.cmp(&a.1)).then(b.2.total_cmp(&a.2))
    });
    let (low, high) = info.rewards;
    let chosen = thoughts.first().filter(|thought| thought.choice == decision.choice).cloned();
    let named = thoughts.iter().take(NAMED).filter(|thought| thought.value.is_some());
    let proven_best = chosen.as_ref().is_some_and(|thought| thought.proven);
    for thought in named {
        let value = thought.value.unwrap_or_default();
        let of = if low == 0.0 && high > 0.0 { format!(" of {high}") } else { String::new() };
        let why = match (thought.proven, searched) {
            (true, _) => " (proven)".to_owned(),
            (false, true) if !proven_best => format!(" ({})", searches(thought.visits)),
            _ => String::new(),
        };
        let about = if thought.proven { "" } else { "about " };
        let _ = writeln!(text, "  {}: {about}{value:.0}{of} points{why}", text_of(thought.choice));
    }
    let alone = info.players().count() == 1 && info.chance.is_none();
    let solved = chosen
        .is_some_and(|thought| thought.proven || thought.value.is_some_and(|value| value >= high));
    if alone && !solved {
        text.push_str("No solution found in this time; this is a guess.\n");
    }
    text
}

fn searches(count: u64) -> String {
    if count == 1 { "searched once".to_owned() } else { format!("searched {count} times") }
}

/// The result of a match for a role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Won,
    Drawn,
    Lost,
    /// There is no result, or no other result to compare it with.
    Open,
}

/// The result of a match for a role, compared with the best of the others.
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

/// The end of a match in a sentence. Several people at one terminal are called by their roles.
pub(super) fn result(view: &View, outcome: &[Option<f64>], shared: bool) -> String {
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
    let winner = info.players().find(|&role| verdict(info, role, outcome) == Verdict::Won);
    match verdict(info, view.role(), outcome) {
        Verdict::Open => {}
        _ if !shared => {}
        _ => {
            return match winner {
                Some(role) => format!("{} wins. ({points})", info.role_name(role)),
                None => format!("A draw. ({points})"),
            };
        }
    }
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

#[cfg(test)]
mod tests {
    use super::argument;

    #[test]
    fn what_a_percept_reports() {
        for (term, reported) in [
            ("(did bet)", Some("bet")),
            ("did(bet)", Some("bet")),
            ("(did (raise 2))", Some("(raise 2)")),
            ("did(raise(2))", Some("raise(2)")),
            ("(card player jack)", None),
            ("card(player,jack)", None),
            ("won", None),
            ("()", None),
            (")", None),
        ] {
            assert_eq!(argument(term), reported, "{term}");
        }
    }
}
