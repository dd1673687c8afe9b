//! Positions that moves reach or facts describe, and why some facts describe none.

use std::sync::Arc;
use std::time::Duration;

use magister::engine::network::GdlNetwork;
use magister::engine::{Ground, within};
use magister_core::{Game, Move, Observation, Role, Step, Stop, Turn, View};
use magister_gdl::Syntax;
use magister_infoset::Determinization;
use rustc_hash::FxHashMap;

use crate::ApiError;
use crate::games::OpenGame;
use crate::live::resolve;
use crate::scene::{Position, Scene};
use crate::words::label;

/// The time limit for a move of a history.
const PATIENCE: Duration = Duration::from_secs(10);
/// The maximum number of facts that an error message names.
const NAMED: usize = 4;

/// Turns of a match: the moves of all roles, of all players, or only of those with a choice.
pub type History = Vec<Vec<String>>;

/// A position: given moves after the initial state, or after a state that facts describe.
pub struct Reached {
    /// The game.
    pub open: Arc<OpenGame>,
    /// The state.
    pub state: Vec<u64>,
    /// The turns as joint moves.
    pub turns: Vec<Vec<Move>>,
    /// The state before the turns, if it was set up by facts.
    start: Option<Vec<u64>>,
}

impl std::fmt::Debug for Reached {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reached").field("turns", &self.turns.len()).finish_non_exhaustive()
    }
}

impl Reached {
    /// Makes the moves of a history.
    pub fn new(open: &Arc<OpenGame>, history: &History) -> Result<Self, ApiError> {
        Self::from_facts(open, None, history)
    }

    /// Makes the moves of a history, from the state with these facts if there are any.
    pub fn from_facts(
        open: &Arc<OpenGame>,
        facts: Option<&str>,
        history: &History,
    ) -> Result<Self, ApiError> {
        let game = &*open.playable.game;
        let info = game.info();
        let mut worker = game.worker();
        let mut step = Step::new();
        let mut turns = Vec::new();
        let start = facts.map(|facts| state(open, facts)).transpose()?;
        match &start {
            Some(start) => worker.load(start, &Stop::never())?,
            None => worker.reset(),
        }
        for (number, texts) in history.iter().enumerate() {
            let wrong =
                |what: String| ApiError::invalid("history", format!("turn {}: {what}", number + 1));
            if worker.terminal() {
                return Err(wrong("the game is over before this turn".to_owned()));
            }
            let mut given = texts.iter();
            let choosers = info.all_roles().filter(|&role| worker.legal(role).len() > 1).count();
            let players = info.players().count();
            let mut joint = Vec::new();
            for role in info.all_roles() {
                let legal = worker.legal(role);
                let is_chance = info.chance == Some(role);
                let takes = if texts.len() == info.roles.len() {
                    true
                } else if texts.len() == players {
                    !is_chance
                } else {
                    texts.len() == choosers && legal.len() > 1
                };
                let text = if takes { given.next() } else { None };
                let name = info.role_name(role);
                let choice = match (text, legal) {
                    (Some(text), _) => resolve(game, &*worker, role, text).ok_or_else(|| {
                        wrong(format!("{} is not a legal move of {name}", label(text)))
                    })?,
                    (None, [only]) => *only,
                    (None, _) => return Err(wrong(format!("the move of {name} is missing"))),
                };
                joint.push(choice);
            }
            within(PATIENCE, &Stop::never(), |stop| worker.step(&joint, &mut step, stop))?;
            turns.push(joint);
        }
        let mut state = Vec::new();
        worker.save(&mut state);
        Ok(Reached { open: Arc::clone(open), state, turns, start })
    }

    /// The position as a scene in which all roles may move.
    pub fn scene(&self) -> Scene {
        let game = &*self.open.playable.game;
        let roles: Vec<Role> = game.info().players().collect();
        let mut worker = game.worker();
        let mut position = Position { open: &self.open, worker: &mut *worker, state: &self.state };
        let mut scene = position.scene(&roles);
        scene.ply = self.turns.len();
        scene.waiting.clone_from(&scene.acting);
        scene
    }

    /// The game, which begins in the state that was set up.
    pub fn game(&self) -> Arc<dyn Game> {
        let game = &self.open.playable.game;
        match &self.start {
            Some(start) => Arc::new(Determinization::new(game, start)),
            None => Arc::clone(game),
        }
    }

    /// The facts of the position, one per line if they are terms.
    pub fn facts(&self) -> String {
        facts(&self.open, &self.state)
    }

    /// The view of a role, with perfect information.
    pub fn view(&self, role: Role) -> View {
        let mut view = View::new(self.game(), role);
        for joint in &self.turns {
            let seen = Observation::Joint(joint.clone().into());
            view.push(Turn { own: joint[role.index()], seen });
        }
        view
    }
}

/// The facts of a state, one per line if its text is a list of terms.
fn facts(open: &OpenGame, state: &[u64]) -> String {
    let text = open.playable.game.text().state_text(state);
    match read(open, &text) {
        Some(facts) => {
            let syntax = syntax(open);
            let lines: Vec<String> = facts.iter().map(|fact| fact.text(syntax)).collect();
            lines.join("\n")
        }
        None => text,
    }
}

/// The state in which exactly these facts hold.
fn state(open: &OpenGame, text: &str) -> Result<Vec<u64>, ApiError> {
    let wrong = |what: String| ApiError::invalid("state", what);
    let game = &*open.playable.game;
    let network = open.playable.network().map(|network| network.network());
    let given = read(open, text);
    let list = match (&given, open.playable.source.rulesheet()) {
        (None, Some(_)) => {
            let what = "the facts cannot be read; write one term per line, as in the rules";
            return Err(wrong(what.to_owned()));
        }
        (Some(facts), Some(_)) => {
            let syntax = syntax(open);
            magister_core::text::list(facts.iter().map(|fact| fact.text(syntax)))
        }
        (_, None) => text.trim().to_owned(),
    };
    let Some(words) = game.text().parse_state(&list) else {
        let why = network.zip(given.as_ref()).and_then(|(network, facts)| reason(network, facts));
        let what = "these facts do not describe a position of this game";
        return Err(wrong(why.unwrap_or_else(|| what.to_owned())));
    };
    let mut worker = game.worker();
    worker.load(&words, &Stop::never()).map_err(|error| {
        wrong(format!("these facts do not describe a position of this game: {error}"))
    })?;
    let info = game.info();
    let stuck = info.all_roles().find(|&role| worker.legal(role).is_empty());
    match stuck.filter(|_| !worker.terminal()) {
        Some(role) => {
            let name = info.role_name(role);
            Err(wrong(format!("{name} has no legal move in this position, but it is not terminal")))
        }
        None => Ok(words),
    }
}

fn syntax(open: &OpenGame) -> Syntax {
    open.playable.source.rulesheet().map_or(Syntax::Kif, |rules| rules.syntax)
}

/// Consecutive terms in either syntax, with or without the parentheses of a list.
fn read(open: &OpenGame, text: &str) -> Option<Vec<Ground>> {
    let text = text.trim();
    let first = syntax(open);
    let second = if first == Syntax::Kif { Syntax::Infix } else { Syntax::Kif };
    let inner = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    // A single fact in parentheses is not a list of words.
    let listed = |syntax: Syntax| {
        let inner = inner.filter(|inner| syntax == Syntax::Infix || inner.trim().starts_with('('));
        inner.and_then(|inner| Ground::read_all(inner, syntax))
    };
    let all = |syntax: Syntax| Ground::read_all(text, syntax);
    [first, second].into_iter().find_map(|syntax| listed(syntax).or_else(|| all(syntax)))
}

/// Why facts cannot hold together, by what is proven about all positions.
fn reason(network: &GdlNetwork, facts: &[Ground]) -> Option<String> {
    let names: Vec<Ground> =
        network.fluents.iter().map(|&term| network.terms.export(term)).collect();
    let numbers: FxHashMap<&Ground, usize> =
        names.iter().enumerate().map(|(number, name)| (name, number)).collect();
    if let Some(unknown) = facts.iter().find(|fact| !numbers.contains_key(fact)) {
        return Some(format!("{} cannot be a fact of this game", shown(unknown)));
    }
    let mut holds = vec![false; names.len()];
    facts.iter().for_each(|fact| holds[numbers[fact]] = true);
    for group in &network.invariants.groups {
        let members: Vec<usize> = group.members.iter().map(|node| node.index() - 1).collect();
        let held: Vec<usize> = members.iter().copied().filter(|&one| holds[one]).collect();
        match held[..] {
            [one, other, ..] => {
                let (one, other) = (shown(&names[one]), shown(&names[other]));
                return Some(format!("{one} and {other} cannot hold together"));
            }
            [] if group.exact => {
                let some: Vec<String> =
                    members.iter().take(NAMED).map(|&one| shown(&names[one])).collect();
                let more = if members.len() > NAMED { ", …" } else { "" };
                return Some(format!("one of these facts must hold: {}{more}", some.join(", ")));
            }
            _ => {}
        }
    }
    let implied = &network.invariants.implied;
    let (one, other) = implied.iter().find(|(a, b)| holds[a.index()] && !holds[b.index()])?;
    let (one, other) = (shown(&names[one.index()]), shown(&names[other.index()]));
    Some(format!("{one} holds only together with {other}"))
}

fn shown(fact: &Ground) -> String {
    label(&fact.text(Syntax::Kif))
}
