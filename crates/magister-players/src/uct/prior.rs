//! The mean values of moves, wherever they were made.

use magister_core::playout::MoveTally;
use magister_core::{Info, Move, Role};
use rustc_hash::FxHashMap;

/// The counts of moves and their values.
#[derive(Clone, Debug, Default)]
pub(super) struct Means {
    /// For each role and move, the number of playouts and the sum of their values, from 0 to 1.
    sums: Vec<(f32, f32)>,
    /// The sums over all moves of each role.
    all: Vec<(f32, f32)>,
    moves: usize,
}

/// The number of playouts at which a mean has a weight of one half.
const DOUBT: f32 = 100.0;
/// Nodes with fewer visits than this have no means of their own.
const WORTHY: u32 = 24;
/// The memory limit in bytes.
const MEMORY: usize = 64 << 20;

impl Means {
    fn new(roles: usize, moves: usize) -> Self {
        Means { sums: vec![(0.0, 0.0); roles * moves], all: vec![(0.0, 0.0); roles], moves }
    }

    fn add(&mut self, role: Role, choice: Move, count: f32, sum: f32) {
        if choice == Move::IDLE {
            return;
        }
        let place = role.index() * self.moves + choice.index();
        for mean in [self.sums.get_mut(place), self.all.get_mut(role.index())].into_iter().flatten()
        {
            mean.0 += count;
            mean.1 += sum;
        }
    }

    /// The mean of a move, and its weight from 0 to 1.
    pub(super) fn of(&self, role: Role, choice: Move) -> Option<(f32, f32)> {
        let &(count, sum) = self.sums.get(role.index() * self.moves + choice.index())?;
        (count > 0.0).then(|| (sum / count, count / (count + DOUBT)))
    }

    /// The weighted difference between the mean of a move and that of all moves of the role.
    fn lead(&self, role: Role, choice: Move) -> f32 {
        let Some((mean, belief)) = self.of(role, choice) else { return 0.0 };
        let Some(&(count, sum)) = self.all.get(role.index()) else { return 0.0 };
        (mean - sum / count.max(1.0)) * belief
    }
}

/// Means of moves over all playouts (MAST), and over the playouts through a node (GRAVE uses the
/// nearest ancestor with enough of them).
///
/// They exist only for games with a fixed set of moves.
#[derive(Debug, Default)]
pub(super) struct Priors {
    pub(super) everywhere: Means,
    nodes: FxHashMap<u32, Means>,
    roles: usize,
    moves: Option<usize>,
}

impl Priors {
    pub(super) fn new(info: &Info) -> Self {
        let moves = info.moves.map(|moves| moves as usize);
        let moves = moves.filter(|moves| moves * info.roles.len() * 8 <= MEMORY / 64);
        let everywhere = Means::new(info.roles.len(), moves.unwrap_or(0));
        Priors { everywhere, nodes: FxHashMap::default(), roles: info.roles.len(), moves }
    }

    /// How much better a move was in other positions than all moves of the role.
    pub(super) fn lead(&self, role: Role, choice: Move) -> f32 {
        self.everywhere.lead(role, choice)
    }

    /// The means of a node, if it has any.
    pub(super) fn node(&self, node: u32) -> Option<&Means> {
        self.nodes.get(&node)
    }

    /// Adds playouts: for each move its count and the sum of its values.
    pub(super) fn note(&mut self, moves: &[(Role, Move, f32, f32)]) {
        for &(role, choice, count, sum) in moves {
            self.everywhere.add(role, choice, count, sum);
        }
    }

    /// Adds playouts through a node with a number of visits.
    pub(super) fn note_at(&mut self, node: u32, visits: u32, moves: &[(Role, Move, f32, f32)]) {
        let Some(count) = self.moves else { return };
        if !self.nodes.contains_key(&node) {
            let room = MEMORY / (self.roles * count * 8).max(1);
            if visits < WORTHY || self.nodes.len() >= room {
                return;
            }
        }
        let means = self.nodes.entry(node).or_insert_with(|| Means::new(self.roles, count));
        for &(role, choice, count, sum) in moves {
            means.add(role, choice, count, sum);
        }
    }

    /// Halves the weight of the statistics when the search moves to another position. `renumbered`
    /// means that the nodes have new numbers.
    pub(super) fn fade(&mut self, renumbered: bool) {
        if renumbered {
            self.nodes.clear();
        }
        let Means { sums, all, .. } = &mut self.everywhere;
        sums.iter_mut().chain(all).for_each(|mean| *mean = (mean.0 / 2.0, mean.1 / 2.0));
    }
}

/// The moves of a stream, with values from 0 to 1 instead of rewards.
pub(super) fn scaled(tallies: &[MoveTally], low: f32, spread: f32) -> Vec<(Role, Move, f32, f32)> {
    let scale = |tally: &MoveTally| {
        let count = tally.playouts as f32;
        (tally.role, tally.choice, count, (tally.sum as f32 - low * count) / spread)
    };
    tallies.iter().map(scale).collect()
}
