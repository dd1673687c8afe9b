//! From messages to the view of a role.

use std::sync::Arc;

use magister_core::text::find_move;
use magister_core::{
    Game, Halt, Information, Move, Observation, Percept, Role, Step, Stop, Turn, View, Worker,
};
use magister_protocol::Term;

/// One turn as reported in a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Reported {
    /// The moves of all roles.
    Joint(Vec<Term>),
    /// The player's move, if the message contains it, and the percepts.
    Own {
        /// The move that was executed.
        own: Option<Term>,
        /// The percepts of the role.
        percepts: Vec<Term>,
    },
    /// The action of the role that was in control, in the notation of the rules.
    Action(String),
}

/// A match from the point of view of one role, on one evaluator.
pub(super) struct Track {
    view: View,
    /// The worker: in the current state with perfect information, otherwise in the initial state.
    worker: Box<dyn Worker>,
}

/// Why a turn cannot be followed.
#[derive(Debug)]
pub(super) struct Lost(pub(super) String);

impl From<Halt> for Lost {
    fn from(halt: Halt) -> Self {
        Lost(halt.to_string())
    }
}

impl Track {
    pub(super) fn new(game: &Arc<dyn Game>, role: Role) -> Self {
        let mut worker = game.worker();
        worker.reset();
        Track { view: View::new(Arc::clone(game), role), worker }
    }

    pub(super) fn view(&self) -> &View {
        &self.view
    }

    pub(super) fn game(&self) -> &Arc<dyn Game> {
        self.view.game()
    }

    /// The legal moves, with perfect information.
    pub(super) fn legal(&self) -> &[Move] {
        match self.game().info().information {
            Information::Perfect => self.worker.legal(self.view.role()),
            Information::Hidden => &[],
        }
    }

    /// Whether the match is known to be over.
    pub(super) fn terminal(&self) -> bool {
        self.game().info().information == Information::Perfect && self.worker.terminal()
    }

    /// The results of all roles in a terminal state.
    pub(super) fn outcome(&self) -> Vec<Option<f64>> {
        let mut goals = Vec::new();
        let roles = self.game().info().all_roles();
        roles
            .map(|role| {
                self.worker.goals(role, &mut goals);
                (goals.len() == 1).then(|| goals[0])
            })
            .collect()
    }

    /// Adds a turn. `mine` is the player's reply, for messages that do not repeat it.
    pub(super) fn push(
        &mut self,
        sent: &Reported,
        mine: Option<&str>,
        stop: &Stop,
    ) -> Result<(), Lost> {
        let game = Arc::clone(self.game());
        match (sent, game.info().information) {
            (Reported::Joint(terms), Information::Perfect) => self.push_joint(&*game, terms, stop),
            (Reported::Own { own, percepts }, Information::Hidden) => {
                let own = own.clone().or_else(|| mine.and_then(|text| Term::read(text).ok()));
                let own =
                    own.ok_or_else(|| Lost("the player's own move is not known".to_owned()))?;
                self.push_own(&*game, &own, percepts)
            }
            (Reported::Own { .. }, Information::Perfect) => {
                Err(Lost("percepts came, but the rules have none".to_owned()))
            }
            (Reported::Action(text), Information::Perfect) => self.push_action(&*game, text, stop),
            (Reported::Joint(_) | Reported::Action(_), Information::Hidden) => {
                Err(Lost("moves came, but the rules give percepts".to_owned()))
            }
        }
    }

    fn push_joint(&mut self, game: &dyn Game, terms: &[Term], stop: &Stop) -> Result<(), Lost> {
        let info = game.info();
        if terms.len() != info.roles.len() {
            return Err(Lost(format!("{} moves came for {} roles", terms.len(), info.roles.len())));
        }
        let joint: Result<Vec<Move>, Lost> = info
            .all_roles()
            .zip(terms)
            .map(|(role, term)| {
                find(game, &*self.worker, role, term)
                    .ok_or_else(|| Lost(format!("`{term}` is not legal for role {}", role.0)))
            })
            .collect();
        let joint = joint?;
        self.worker.step(&joint, &mut Step::new(), stop)?;
        let own = joint[self.view.role().index()];
        self.view.push(Turn { own, seen: Observation::Joint(joint.into()) });
        Ok(())
    }

    /// Adds a turn of which only the action of one role is known. The others must have exactly one
    /// move.
    fn push_action(&mut self, game: &dyn Game, text: &str, stop: &Stop) -> Result<(), Lost> {
        let info = game.info();
        let able: Vec<(Role, Move)> = info
            .all_roles()
            .filter_map(|role| Some((role, find_text(game, &*self.worker, role, text)?)))
            .collect();
        // A role that has a choice is in control.
        let chooses = |&&(role, _): &&(Role, Move)| self.worker.legal(role).len() > 1;
        let Some(&(actor, choice)) = able.iter().find(chooses).or_else(|| able.first()) else {
            return Err(Lost(format!("`{text}` is not legal for any role")));
        };
        let joint: Result<Vec<Move>, Lost> = info
            .all_roles()
            .map(|role| match self.worker.legal(role) {
                _ if role == actor => Ok(choice),
                [only] => Ok(*only),
                _ => Err(Lost(format!("role {} has a choice besides `{text}`", role.0))),
            })
            .collect();
        let joint = joint?;
        self.worker.step(&joint, &mut Step::new(), stop)?;
        let own = joint[self.view.role().index()];
        self.view.push(Turn { own, seen: Observation::Joint(joint.into()) });
        Ok(())
    }

    fn push_own(&mut self, game: &dyn Game, own: &Term, percepts: &[Term]) -> Result<(), Lost> {
        let role = self.view.role();
        let text = game.text();
        let own = text
            .parse_move(role, &own.to_string())
            .or_else(|| find(game, &*self.worker, role, own))
            .ok_or_else(|| Lost(format!("`{own}` is not a move of the game")))?;
        let mut seen: Vec<Percept> = Vec::new();
        for percept in percepts {
            let known = text.parse_percept(&percept.to_string());
            seen.push(known.ok_or_else(|| Lost(format!("`{percept}` is not a percept")))?);
        }
        seen.sort();
        seen.dedup();
        self.view.push(Turn { own, seen: Observation::Percepts(seen.into()) });
        Ok(())
    }
}

/// The legal move that matches a term: with the same case, or otherwise with any case.
fn find(game: &dyn Game, worker: &dyn Worker, role: Role, term: &Term) -> Option<Move> {
    find_text(game, worker, role, &term.to_string())
}

fn find_text(game: &dyn Game, worker: &dyn Worker, role: Role, words: &str) -> Option<Move> {
    find_move(game, worker, role, words).or_else(|| {
        let same = |&&choice: &&Move| game.text().move_text(choice).eq_ignore_ascii_case(words);
        worker.legal(role).iter().find(same).copied()
    })
}
