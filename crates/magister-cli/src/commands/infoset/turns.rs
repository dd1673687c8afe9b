//! Parses turns that people have written.

use anyhow::{Result, bail};
use magister_core::text::find_percepts;
use magister_core::{Game, Observation, Percept, Role, Stop, Turn};
use magister_infoset::{Known, ParticleFilter, Tracker};

use crate::session::joint::terms;

/// The maximum number of moves or percepts in an error.
const NAMED: usize = 40;
/// The maximum length of a text that an error repeats.
const LONG: usize = 80;

/// In a game whose rules do not list its percepts: the number of states in which percepts are
/// collected, and of joint moves in each.
const TRIED: usize = 2_000;
const JOINTS: usize = 200;

/// Parses a turn such as `(mark 2 2) => ok`. `states` are some states that the role considers
/// possible before the turn.
pub(super) fn read(
    game: &dyn Game,
    role: Role,
    tracker: Option<&Tracker>,
    states: &[Vec<u64>],
    before: usize,
    text: &str,
) -> Result<Turn> {
    let number = before + 1;
    let shown = short(text);
    let Some((own, seen)) = text.split_once("=>") else {
        bail!(
            "turn {number} (`{shown}`) has no `=>`; write it as \"MOVE => PERCEPT, PERCEPT\", or \
             \"MOVE => nil\" if nothing was perceived"
        );
    };
    let own = own.trim();
    let Some(choice) = game.text().parse_move(role, own) else {
        let tracker = tracker.filter(|tracker| tracker.turns() == before);
        let legal = tracker.and_then(|tracker| legal(game, role, tracker));
        let legal = legal.map_or(String::new(), |legal| format!("; legal moves: {legal}"));
        let name = game.info().role_name(role);
        let own = short(own);
        bail!("turn {number}: `{own}` is not a move of {name}{legal}");
    };
    if game.info().moves.is_none() {
        let known = || terms(seen).into_iter().all(|term| percept(game, term, number).is_ok());
        let states = states.iter().map(Vec::as_slice);
        find_percepts(game, (role, choice), states, JOINTS, known, &Stop::never())?;
    }
    let mut percepts = Vec::new();
    let mut nothing = false;
    for term in terms(seen) {
        let read = percept(game, term, number)?;
        nothing |= read.is_empty();
        percepts.extend(read);
    }
    if nothing && !percepts.is_empty() {
        bail!(
            "turn {number} (`{shown}`) has both percepts and nil, which means no percept; leave \
             out one of them"
        );
    }
    percepts.sort_unstable();
    percepts.dedup();
    Ok(Turn { own: choice, seen: Observation::Percepts(percepts.into()) })
}

/// Some of the states that are consistent with all turns so far.
pub(super) fn states(tracker: &Tracker, filter: Option<&ParticleFilter>) -> Vec<Vec<u64>> {
    if let Some(filter) = filter {
        return (0..filter.len().min(TRIED)).map(|at| filter.state(at).to_vec()).collect();
    }
    let layer = tracker.layer();
    (0..layer.len().min(TRIED)).map(|at| layer.state(at).to_vec()).collect()
}

/// The percepts of a term: one, none for `nil`, or those of a list.
fn percept(game: &dyn Game, term: &str, number: usize) -> Result<Vec<Percept>> {
    if let Some(percept) = game.text().parse_percept(term) {
        return Ok(vec![percept]);
    }
    if term.eq_ignore_ascii_case("nil") {
        return Ok(Vec::new());
    }
    let inner = term.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    let listed = inner.map(|inner| {
        let read = |term| game.text().parse_percept(term);
        terms(inner).into_iter().map(read).collect::<Option<Vec<_>>>()
    });
    if let Some(Some(percepts)) = listed {
        return Ok(percepts);
    }
    let term = short(term);
    bail!(
        "turn {number}: no role ever perceives `{term}` in this game; write percepts as the \
         rules do, and nil for none"
    )
}

/// A text from the command line, shortened.
pub(super) fn short(text: &str) -> String {
    match text.char_indices().nth(LONG) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

/// Why a turn is impossible, as far as this can be determined.
pub(super) fn impossible(
    game: &dyn Game,
    role: Role,
    tracker: &mut Tracker,
    turn: &Turn,
) -> String {
    let name = game.info().role_name(role);
    let own = game.text().move_text(turn.own);
    let outlook = tracker.outlook(turn.own, &Stop::never()).unwrap_or_default();
    if outlook.is_empty() {
        return match legal(game, role, tracker) {
            Some(legal) => format!("{name} cannot play {own} here; legal moves: {legal}"),
            None => "the game is over before it".to_owned(),
        };
    }
    let seen = |percepts: &[Percept]| {
        let texts: Vec<String> =
            percepts.iter().map(|&percept| game.text().percept_text(percept)).collect();
        if texts.is_empty() { "nil".to_owned() } else { texts.join(", ") }
    };
    let mut ways: Vec<String> =
        outlook.keys().take(NAMED).map(|percepts| format!("`{}`", seen(percepts))).collect();
    if outlook.len() > NAMED {
        ways.push(format!("{} more", outlook.len() - NAMED));
    }
    format!("{name} cannot perceive that after {own}; it may perceive {}", ways.join(" or "))
}

/// The legal moves as text; `None` if the game is over.
fn legal(game: &dyn Game, role: Role, tracker: &Tracker) -> Option<String> {
    let layer = tracker.layer();
    // In a sensible game, the legal moves are the same in all states, so a few suffice.
    let states = (0..layer.len().min(1000)).map(|at| (layer.state(at), layer.share(at)));
    let known = Known::of(game, role, states, &Stop::never()).ok()?;
    let mut moves: Vec<String> =
        known.moves.keys().take(NAMED).map(|&choice| game.text().move_text(choice)).collect();
    if known.moves.len() > NAMED {
        moves.push(format!("{} more", known.moves.len() - NAMED));
    }
    (!moves.is_empty()).then(|| moves.join(", "))
}
