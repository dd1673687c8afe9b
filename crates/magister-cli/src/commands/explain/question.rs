//! The question of `magister explain`: an atom, or a move as people type it in `magister play`.

use std::sync::Arc;

use anyhow::{Result, anyhow, bail};
use magister_core::{Game, Move, Role, Stop};
use magister_engine::explain::{Extent, Scene};
use magister_engine::{Explainer, Ground, Program, QueryLimits, Reference, ReferenceGame};
use magister_gdl::{Dialect, Syntax};

use super::Asked;
use crate::console::cells::Cells;
use crate::console::find::{Found, Place, find};
use crate::console::moves::{Numbers, is_idle, plain, several};
use crate::console::why;
use crate::terminal::fitted;

/// The maximum number of moves whose reasons are given.
const EXPLAINED: usize = 3;

/// Relations that every game has.
const KEYWORDS: [&str; 10] =
    ["legal", "true", "next", "goal", "does", "init", "role", "sees", "terminal", "not"];

/// The meaning of a question.
pub(super) enum Meaning {
    /// Whether an atom holds. `never` if it asks about a move that no position allows.
    Atom { atom: String, never: bool },
    /// A text that means no move, or several illegal ones, with the reasons.
    NoMoves(String),
}

/// A role with its legal moves and their numbers.
struct Seat {
    role: Role,
    moves: Vec<(Move, String)>,
    numbers: Numbers,
}

/// What is needed to understand a question.
pub(super) struct Asker<'a> {
    pub(super) asked: &'a Asked<'a>,
    pub(super) program: &'a Program,
    pub(super) scene: &'a Scene,
    pub(super) stop: &'a Stop,
}

impl Asker<'_> {
    /// Reads the question. What is defined as a relation is an atom; otherwise it is a move, and
    /// the question is whether it is legal.
    pub(super) fn read(&self) -> Result<Meaning> {
        let text = self.asked.args.atom.trim();
        let syntax = self.asked.rules.syntax;
        let atom = || Meaning::Atom { atom: text.to_owned(), never: false };
        let explainer = Explainer::new(self.program.clone(), syntax, text, self.scene);
        let wrong = match explainer.map(|explainer| self.is_undefined(explainer)) {
            Ok(true) => None,
            Ok(false) => return Ok(atom()),
            Err(error) => Some(error),
        };
        if text.contains('?') && text.contains('(') {
            return wrong.map_or_else(|| Ok(atom()), |error| Err(error.into()));
        }
        let Some((game, cells)) = self.game() else {
            return wrong.map_or_else(|| Ok(atom()), |error| Err(error.into()));
        };
        let mut example = None;
        let mut found = None;
        for Seat { role, moves, numbers } in self.roles(&game) {
            let legal = |choice: Move| moves.iter().any(|(known, _)| *known == choice);
            let place = Place {
                game: &game,
                role,
                moves: &moves,
                numbers: &numbers,
                state: self.scene.state.clone(),
                is_legal: &legal,
                cells: &cells,
                owner: game.info().role_name(role),
            };
            if text.contains('(') && !is_named(&place, text) {
                continue;
            }
            let name = game.info().role_name(role);
            match find(&place, text) {
                Found::Legal(choice) => {
                    let term = game.text().move_text(choice);
                    return Ok(Meaning::Atom { atom: self.legal(name, &term), never: false });
                }
                Found::Several(texts) => bail!("{text} may mean {}", several(texts)),
                Found::Nothing => {}
                // A role that only waits is asked last.
                other => found = found.or(Some((name.to_owned(), other))),
            }
            let first = moves.iter().find(|(_, text)| !is_idle(text));
            example = example.or_else(|| first.map(|(_, text)| plain(text)));
        }
        let one = |role: &str, term: &str, never| {
            Ok(Meaning::Atom { atom: self.legal(role, term), never })
        };
        match found {
            Some((role, Found::Illegal(moves))) => match &moves[..] {
                [term] => one(&role, term, false),
                several => self.reasons(&role, several),
            },
            Some((role, Found::Never(term))) => one(&role, &term, true),
            Some((_, Found::NoMove(sentence))) => {
                Ok(Meaning::NoMoves(fitted(&format!("{sentence}."))))
            }
            _ if cells.missing(text).is_some() => {
                let cell = cells.missing(text).unwrap_or_default();
                let line = format!("{text} is never legal: the board has no cell {cell}.");
                Ok(Meaning::NoMoves(fitted(&line)))
            }
            _ => match (wrong, example) {
                (None, _) => Ok(atom()),
                (Some(_), Some(example)) if !text.contains('(') && !is_word(text) => {
                    Err(anyhow!("`{text}` is not a condition or a move, such as \"{example}\""))
                }
                (Some(error), _) => Err(error.into()),
            },
        }
    }

    /// Whether nothing in the rules defines the relation of a question.
    fn is_undefined(&self, mut explainer: Explainer) -> bool {
        let question = explainer.question();
        let name = plain(&question).split(' ').next().unwrap_or_default().to_owned();
        if KEYWORDS.contains(&name.as_str()) || explainer.needs_moves() {
            return false;
        }
        let extent = Extent { depth: 1, width: 1, history: 0 };
        let Ok(explanation) = explainer.explain(extent, self.stop) else { return false };
        let tree = explainer.json(&explanation);
        let root = tree["roots"][0].as_u64().unwrap_or(0) as usize;
        tree["nodes"][root]["because"] == "undefined"
    }

    /// The game with its vocabulary and the cells of its board. Rules that only the reference
    /// interpreter can run have neither.
    fn game(&self) -> Option<(Arc<dyn Game>, Cells)> {
        if let Ok(playable) = self.asked.source.prepare(None) {
            let cells = Cells::of(&playable);
            return Some((playable.game, cells));
        }
        let (text, name) = (self.asked.text, self.asked.name);
        let program = Arc::new(self.program.clone());
        let limits = QueryLimits::default();
        let game = ReferenceGame::with_limits(program, None, limits, text, name, self.stop).ok()?;
        Some((Arc::new(game), Cells::default()))
    }

    /// The roles with their legal moves and the numbers that `magister play` gives to them; those
    /// with a choice first.
    fn roles(&self, game: &Arc<dyn Game>) -> Vec<Seat> {
        let mut reference = Reference::new(Arc::new(self.program.clone()), QueryLimits::default());
        let mut legal = |state: &[Ground], role: Role| {
            let terms = reference.terms_mut();
            let state: Vec<_> = state.iter().map(|fluent| terms.import(fluent)).collect();
            reference.set_state(&state);
            let legal = reference.legal(role.index(), self.stop).unwrap_or_default();
            let words = game.text();
            let text = |term| reference.terms().export(term).text(self.asked.rules.syntax);
            let read = |text: String| {
                let choice = words.parse_move(role, &text)?;
                Some((choice, words.move_text(choice)))
            };
            let mut moves: Vec<(Move, String)> =
                legal.into_iter().map(text).filter_map(read).collect();
            moves.sort_unstable_by_key(|(choice, _)| *choice);
            moves
        };
        let mut roles = Vec::new();
        for role in game.info().all_roles() {
            let mut numbers = Numbers::default();
            for (state, _) in &self.scene.past {
                let moves = legal(state, role);
                if moves.len() > 1 {
                    numbers.assign(&moves);
                }
            }
            let moves = legal(&self.scene.state, role);
            if moves.len() > 1 {
                numbers.assign(&moves);
            }
            roles.push(Seat { role, moves, numbers });
        }
        roles.sort_by_key(|seat| match &seat.moves[..] {
            [] => 3,
            [(_, text)] if is_idle(text) => 2,
            [_] => 1,
            _ => 0,
        });
        roles
    }

    /// The question whether a move is legal, in the syntax of the rules.
    fn legal(&self, role: &str, term: &str) -> String {
        match (self.asked.rules.dialect, self.asked.rules.syntax) {
            (Dialect::Operations, _) => format!("legal({term})"),
            (_, Syntax::Kif) => format!("(legal {role} {term})"),
            (_, Syntax::Infix) => format!("legal({role},{term})"),
        }
    }

    /// The reasons why several moves are illegal.
    fn reasons(&self, role: &str, moves: &[String]) -> Result<Meaning> {
        let mut text = String::new();
        for choice in moves.iter().take(EXPLAINED) {
            let question = why::Question { role, choice, never: false };
            let state = self.scene.state.clone();
            text.push_str(&why::illegal(self.asked.source, state, &question)?.text);
        }
        Ok(Meaning::NoMoves(text))
    }
}

/// Whether a term begins with the name of a move.
fn is_named(place: &Place<'_>, text: &str) -> bool {
    let name = |text: &str| plain(text).split(' ').next().unwrap_or_default().to_lowercase();
    let wanted = name(text);
    let all = place.vocabulary();
    let listed = all.as_deref().unwrap_or(place.moves);
    listed.iter().any(|(_, text)| name(text) == wanted)
}

fn is_word(text: &str) -> bool {
    text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'))
}
