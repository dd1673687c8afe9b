//! The information states of all roles, each stored once.

use std::sync::Arc;

use magister_core::{Game, Info, Information, Move, Observation, Percept, Role, Step, Turn, View};

use crate::pool::Pool;

/// The information state of a role: its own moves and observations. Two histories have the same
/// number for a role if and only if it cannot distinguish them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ViewId(pub u32);

/// Information states as a tree: each is its predecessor and a turn.
#[derive(Clone, Debug)]
pub struct Views {
    roles: usize,
    information: Information,
    /// One row per information state: its predecessor, the role's move and the observation. The
    /// first rows are the empty information states of the roles.
    pool: Pool,
    row: Vec<u64>,
}

impl Views {
    /// The empty information states of all roles of a game.
    pub fn new(game: &dyn Game) -> Self {
        let info = game.info();
        let roles = info.roles.len();
        let mut pool = Pool::default();
        for role in 0..roles {
            pool.insert(&[u64::MAX, role as u64]);
        }
        Views { roles, information: info.information, pool, row: Vec::new() }
    }

    /// The number of information states.
    pub fn len(&self) -> usize {
        self.pool.len()
    }

    /// Always false: the empty information states exist.
    pub fn is_empty(&self) -> bool {
        self.pool.is_empty()
    }

    /// The empty information state of a role.
    pub fn root(&self, role: Role) -> ViewId {
        ViewId(u32::from(role.0))
    }

    /// An information state extended by a role's turn at a step.
    pub fn extend(&mut self, view: ViewId, role: Role, joint: &[Move], step: &Step) -> ViewId {
        let own = joint.get(role.index()).copied().unwrap_or(Move::IDLE);
        self.row.clear();
        self.row.extend([u64::from(view.0), u64::from(own.0)]);
        match self.information {
            Information::Perfect => {
                self.row.extend(joint.iter().map(|choice| u64::from(choice.0)));
            }
            Information::Hidden => {
                let percepts = step.percepts.of(role);
                self.row.extend(percepts.iter().map(|percept| u64::from(percept.0)));
            }
        }
        ViewId(self.pool.insert(&self.row).0 as u32)
    }

    /// Adds a step to the information states of all roles except chance. Silent steps do not change
    /// them.
    pub(crate) fn live(&mut self, lived: &mut [ViewId], info: &Info, joint: &[Move], step: &Step) {
        for (role, view) in info.all_roles().zip(lived) {
            if step.tick && info.chance != Some(role) {
                *view = self.extend(*view, role, joint, step);
            }
        }
    }

    /// An information state extended by a turn.
    pub fn push(&mut self, view: ViewId, turn: &Turn) -> ViewId {
        self.row.clear();
        self.row.extend([u64::from(view.0), u64::from(turn.own.0)]);
        match &turn.seen {
            Observation::Joint(joint) => self.row.extend(joint.iter().map(|m| u64::from(m.0))),
            Observation::Percepts(seen) => self.row.extend(seen.iter().map(|p| u64::from(p.0))),
        }
        ViewId(self.pool.insert(&self.row).0 as u32)
    }

    /// The turns of an information state in order.
    pub fn turns(&self, view: ViewId) -> Vec<Turn> {
        let mut turns = Vec::new();
        let mut at = view.0 as usize;
        while at >= self.roles {
            let [before, own, seen @ ..] = self.pool.get(at) else { break };
            let seen = match self.information {
                Information::Perfect => {
                    Observation::Joint(seen.iter().map(|&word| Move(word as u32)).collect())
                }
                Information::Hidden => {
                    Observation::Percepts(seen.iter().map(|&word| Percept(word as u32)).collect())
                }
            };
            turns.push(Turn { own: Move(*own as u32), seen });
            at = *before as usize;
        }
        turns.reverse();
        turns
    }

    /// An information state as a player's view.
    pub fn view(&self, game: &Arc<dyn Game>, role: Role, view: ViewId) -> View {
        let mut whole = View::new(Arc::clone(game), role);
        self.turns(view).into_iter().for_each(|turn| whole.push(turn));
        whole
    }
}
