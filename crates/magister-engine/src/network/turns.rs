//! Turns: whether at most one role has a choice in every state, and which fluent marks its turn.

use magister_core::Stop;

use super::graph::Edge;
use super::sample::{Samples, evaluate, read};
use super::solver::{Answer, Solver};
use super::{FluentId, MoveId, Network};

/// The length of the random play.
const STEPS: usize = 60;

/// Proof that roles take turns: no two roles have the turn at once, and a role without its turn has
/// at most one legal move.
///
/// Some moves of a role are legal only in its turn; each of the others is the only legal move
/// whenever it is legal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Turns {
    /// For every role, the condition of its turn.
    pub turn: Vec<Edge>,
    /// For every role, the moves that are legal only in its turn.
    pub active: Vec<Vec<MoveId>>,
    /// For every role, the other moves.
    pub resting: Vec<Vec<MoveId>>,
    /// For every role, whether it may have to make one of the other moves in its turn.
    pub passing: Vec<bool>,
}

impl Network {
    /// The turns, if they can be found and proven.
    pub(super) fn find_turns(&self, stop: &Stop) -> Option<Turns> {
        let mut turns = self.guess_turns()?;
        self.prove_turns(&mut turns, stop).then_some(turns)
    }

    fn guess_turns(&self) -> Option<Turns> {
        let roles = self.idle.len();
        let samples = Samples::new(self, STEPS);
        let mut wires = vec![0; self.graph.len()];
        // For every role, when it has a choice; for every move, when it is legal.
        let mut choices = vec![Vec::new(); roles];
        let mut legal = vec![Vec::new(); self.moves.len()];
        let mut over = Vec::new();
        for state in samples.states() {
            wires[1..].fill(0);
            wires[1..=self.fluents()].copy_from_slice(state);
            evaluate(&self.graph, &mut wires);
            over.push(read(&wires, self.terminal));
            let mut one = vec![0u64; roles];
            let mut two = vec![0u64; roles];
            for (at, &edge) in self.legal.iter().enumerate() {
                let word = read(&wires, edge);
                let role = self.moves[at].0.index();
                two[role] |= one[role] & word;
                one[role] |= word;
                legal[at].push(word);
            }
            for (role, word) in two.into_iter().enumerate() {
                choices[role].push(word);
            }
        }
        let holds = |edge: Edge, step: usize| {
            let fluent = edge.node().fluent().index();
            let word = samples.states()[step][fluent];
            if edge.negated() { !word } else { word }
        };
        let steps = over.len();
        let mut turn: Vec<Edge> = Vec::new();
        for (role, choices) in choices.iter().enumerate() {
            if choices.iter().zip(&over).all(|(choice, over)| choice & !over == 0) {
                turn.push(Edge::FALSE);
                continue;
            }
            let own: Vec<usize> =
                (0..self.moves.len()).filter(|&at| self.moves[at].0.index() == role).collect();
            let fits = |&edge: &Edge| {
                let all = |wrong: &dyn Fn(usize) -> u64| {
                    (0..steps).all(|step| wrong(step) & !over[step] == 0)
                };
                let others = turn.iter().filter(|&&other| other != Edge::FALSE);
                // A condition that is always true does not mark a turn.
                !all(&|step| !holds(edge, step))
                    && all(&|step| choices[step] & !holds(edge, step))
                    && others.into_iter().all(|&o| all(&|step| holds(o, step) & holds(edge, step)))
                    && own.iter().all(|&at| {
                        all(&|step| legal[at][step] & !holds(edge, step))
                            || all(&|step| legal[at][step] & choices[step])
                    })
            };
            let fluents = (0..self.fluents()).map(|fluent| FluentId::new(fluent).node());
            let found = fluents.flat_map(|node| [Edge::of(node), !Edge::of(node)]).find(fits)?;
            turn.push(found);
        }
        let (active, resting) = (vec![Vec::new(); roles], vec![Vec::new(); roles]);
        let mut turns = Turns { turn, active, resting, passing: vec![true; roles] };
        for (at, &(role, _)) in self.moves.iter().enumerate() {
            let role = role.index();
            let edge = turns.turn[role];
            let active = edge != Edge::FALSE
                && (0..steps).all(|step| legal[at][step] & !holds(edge, step) & !over[step] == 0);
            let list = if active { &mut turns.active } else { &mut turns.resting };
            list[role].push(MoveId::new(at));
        }
        Some(turns)
    }

    fn prove_turns(&self, turns: &mut Turns, stop: &Stop) -> bool {
        let mut outputs = self.legal.clone();
        outputs.push(self.terminal);
        let mut solver = Solver::new(self, outputs, stop);
        let terminal = solver.lit(self.terminal);
        solver.clause(&[!terminal]);
        solver.assume_implied(self);
        let never = |solver: &mut Solver, lits: &[_]| solver.ask(lits) == Answer::Never;
        for (role, &turn) in turns.turn.iter().enumerate() {
            let turn = solver.lit(turn);
            for &other in &turns.turn[..role] {
                let other = solver.lit(other);
                if !never(&mut solver, &[turn, other]) {
                    return false;
                }
            }
            let [active, resting] = [&turns.active, &turns.resting].map(|moves| -> Vec<_> {
                moves[role].iter().map(|&at| solver.lit(self.legal[at.index()])).collect()
            });
            let [any_active, any_resting] = [&active, &resting].map(|moves| {
                let any = solver.fresh();
                let mut clause = moves.clone();
                clause.push(!any);
                solver.clause(&clause);
                any
            });
            let two = solver.two(&resting);
            if [[any_active, !turn], [any_resting, any_active], [two, two]]
                .iter()
                .any(|wrong| !never(&mut solver, wrong))
            {
                return false;
            }
            turns.passing[role] = !never(&mut solver, &[any_resting, turn]);
        }
        true
    }
}
