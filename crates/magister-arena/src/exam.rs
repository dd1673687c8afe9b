//! Exams: asks a player in the positions of a small game and compares its moves with the full
//! solution.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use magister_core::{
    Agent, Budget, Game, Halt, Information, Move, Observation, Payment, Role, Seed, Step, Stop,
    Turn, View, odds,
};
use magister_players::Spec;
use rustc_hash::FxHashMap;

/// An exam of a player.
#[derive(Clone)]
pub struct Exam {
    /// The game. All its matches must end, and only one role at a time may have a choice.
    pub game: Arc<dyn Game>,
    /// The player.
    pub player: Spec,
    /// The iterations per move.
    pub iterations: u64,
    /// The iterations before the first move, if one player is asked in all positions; otherwise a
    /// new player is created for each position.
    pub start: Option<u64>,
    /// The maximum number of positions of a game that is solved.
    pub limit: usize,
    /// N, if every N-th position with a choice is asked; 1 for all of them.
    pub every: usize,
    /// The number of positions that are asked at the same time.
    pub jobs: usize,
}

/// The results of an exam.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Marks {
    /// The number of positions of the game.
    pub positions: usize,
    /// The number of positions in which the player was asked.
    pub asked: usize,
    /// The mistakes.
    pub blunders: Vec<Blunder>,
}

/// A move that loses value.
#[derive(Clone, Debug, PartialEq)]
pub struct Blunder {
    /// The joint moves that lead to the position.
    pub path: Vec<Vec<String>>,
    /// The move, or the reason why there was none.
    pub choice: String,
    /// The best value of the position for the role, and the value after the move.
    pub values: (f64, f64),
}

/// Why an exam is impossible.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ExamError {
    /// The game cannot be solved position by position.
    Kind(&'static str),
    /// It has more positions than the limit.
    Limit,
    /// The rules failed.
    Halt(Halt),
}

impl fmt::Display for ExamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExamError::Kind(what) => write!(f, "the game cannot be solved: {what}"),
            ExamError::Limit => f.write_str("the game has more positions than the limit"),
            ExamError::Halt(halt) => halt.fmt(f),
        }
    }
}

impl std::error::Error for ExamError {}

impl From<Halt> for ExamError {
    fn from(halt: Halt) -> Self {
        ExamError::Halt(halt)
    }
}

impl fmt::Debug for Exam {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exam")
            .field("game", &self.game.info().name)
            .field("player", &self.player)
            .finish_non_exhaustive()
    }
}

/// Values closer than this are equal.
const TINY: f64 = 1e-9;

/// A position.
struct Node {
    /// The predecessor by which it was first reached, and the joint move.
    parent: Option<(u32, Box<[Move]>)>,
    actor: Option<Role>,
    /// For each move of the actor, its successors with their probabilities.
    moves: Vec<(Move, Vec<(u32, f64)>)>,
    values: Vec<f64>,
}

impl Exam {
    /// An exam in all positions, with this number of iterations per move.
    pub fn new(game: Arc<dyn Game>, player: Spec, iterations: u64) -> Self {
        let (start, limit, every, jobs) = (None, 1_000_000, 1, 1);
        Exam { game, player, iterations, start, limit, every, jobs }
    }

    /// Solves the game and asks the player.
    pub fn run(&self) -> Result<Marks, ExamError> {
        let nodes = self.solve()?;
        let due: Vec<usize> = (0..nodes.len())
            .filter(|&at| nodes[at].moves.len() > 1)
            .step_by(self.every.max(1))
            .collect();
        let next = AtomicUsize::new(0);
        let mut blunders: Vec<(usize, Blunder)> = std::thread::scope(|scope| {
            let ask = || {
                let mut found = Vec::new();
                let mut agent = self.ready();
                while let Some(&at) = due.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if self.start.is_none() {
                        agent = self.player.agent();
                    }
                    found.extend(self.ask(&mut *agent, &nodes, at).map(|blunder| (at, blunder)));
                }
                found
            };
            let threads: Vec<_> = (0..self.jobs.max(1)).map(|_| scope.spawn(ask)).collect();
            let joined = threads.into_iter().map(|thread| thread.join().unwrap_or_default());
            joined.flatten().collect()
        });
        blunders.sort_by_key(|(at, _)| *at);
        let blunders = blunders.into_iter().map(|(_, blunder)| blunder).collect();
        Ok(Marks { positions: nodes.len(), asked: due.len(), blunders })
    }

    /// The player, after its preparation.
    fn ready(&self) -> Box<dyn Agent> {
        let mut agent = self.player.agent();
        let role = self.game.info().players().next();
        if let (Some(start), Some(role)) = (self.start, role) {
            let view = View::new(Arc::clone(&self.game), role);
            let mut rng = Seed::from(0).derive("exam").rng();
            // A player whose preparation failed is asked all the same.
            let _ = agent.ready(&view, &mut Budget::iterations(start), &mut rng);
        }
        agent
    }

    /// Asks the player in a position. Returns its mistake, if any.
    fn ask(&self, agent: &mut dyn Agent, nodes: &[Node], at: usize) -> Option<Blunder> {
        let node = &nodes[at];
        let role = node.actor?;
        let mut path: Vec<&Box<[Move]>> = Vec::new();
        let mut from = at;
        while let Some((parent, joint)) = &nodes[from].parent {
            path.push(joint);
            from = *parent as usize;
        }
        path.reverse();
        let mut view = View::new(Arc::clone(&self.game), role);
        for joint in &path {
            let own = joint[role.index()];
            view.push(Turn { own, seen: Observation::Joint((*joint).clone()) });
        }
        let mut rng = Seed::from(at as u64).derive("exam").rng();
        let decided = agent.decide(&view, &mut Budget::iterations(self.iterations), &mut rng);
        let text = self.game.text();
        let (choice, reached) = match decided {
            Ok(decision) => {
                let made = node.moves.iter().find(|(choice, _)| *choice == decision.choice);
                let reached = made.map(|(_, ends)| expected(nodes, ends, role));
                (text.move_text(decision.choice), reached)
            }
            Err(halt) => (halt.to_string(), None),
        };
        let possible = node.values[role.index()];
        let reached = reached.unwrap_or(f64::NEG_INFINITY);
        (reached < possible - TINY).then(|| Blunder {
            path: path
                .iter()
                .map(|joint| joint.iter().map(|&choice| text.move_text(choice)).collect())
                .collect(),
            choice,
            values: (possible, reached),
        })
    }

    /// All positions with their values, if every role maximises its own reward.
    fn solve(&self) -> Result<Vec<Node>, ExamError> {
        let info = self.game.info();
        if info.information == Information::Hidden {
            return Err(ExamError::Kind("it has hidden information"));
        }
        if info.payment == Payment::OnTheWay {
            return Err(ExamError::Kind("it has rewards during play"));
        }
        if info.players().count() > 2 {
            return Err(ExamError::Kind("it has more than two players"));
        }
        let mut nodes = self.look()?;
        // A position gets its values when all its successors have theirs.
        let mut missing: Vec<u32> = vec![0; nodes.len()];
        let mut before: Vec<Vec<u32>> = vec![Vec::new(); nodes.len()];
        for (at, node) in nodes.iter().enumerate() {
            for &(end, _) in node.moves.iter().flat_map(|(_, ends)| ends) {
                missing[at] += 1;
                before[end as usize].push(at as u32);
            }
        }
        let mut ready: Vec<usize> = (0..nodes.len()).filter(|&at| missing[at] == 0).collect();
        let mut valued = 0;
        while let Some(at) = ready.pop() {
            valued += 1;
            if !nodes[at].moves.is_empty() {
                nodes[at].values = best(&nodes, at, info.roles.len());
            }
            for &parent in &before[at] {
                missing[parent as usize] -= 1;
                if missing[parent as usize] == 0 {
                    ready.push(parent as usize);
                }
            }
        }
        if valued < nodes.len() {
            return Err(ExamError::Kind("its matches need not end"));
        }
        Ok(nodes)
    }

    /// Visits every position.
    fn look(&self) -> Result<Vec<Node>, ExamError> {
        let (info, stop) = (self.game.info(), Stop::never());
        let mut worker = self.game.worker();
        worker.reset();
        let mut first = Vec::new();
        worker.save(&mut first);
        let mut places: FxHashMap<Vec<u64>, u32> = FxHashMap::default();
        places.insert(first.clone(), 0);
        let mut states = vec![first];
        let node = |parent| Node { parent, actor: None, moves: Vec::new(), values: Vec::new() };
        let mut nodes = vec![node(None)];
        let (mut step, mut child, mut goals) = (Step::new(), Vec::new(), Vec::new());
        let mut next = 0;
        while next < states.len() {
            if states.len() > self.limit {
                return Err(ExamError::Limit);
            }
            let (at, state) = (next, std::mem::take(&mut states[next]));
            next += 1;
            worker.load(&state, &stop)?;
            if worker.terminal() {
                for role in info.all_roles() {
                    worker.goals(role, &mut goals);
                    nodes[at].values.push(goals.first().copied().unwrap_or(info.rewards.0));
                }
                continue;
            }
            let mut actors = info.players().filter(|&role| worker.legal(role).len() > 1);
            let actor = actors.next();
            if actors.next().is_some() {
                return Err(ExamError::Kind("several players choose at the same time"));
            }
            let only = |role: Role| worker.legal(role).first().copied().unwrap_or(Move::IDLE);
            let mut joint: Vec<Move> = info.all_roles().map(only).collect();
            let own: Vec<Move> = actor.map_or_else(
                || vec![joint.first().copied().unwrap_or(Move::IDLE)],
                |role| worker.legal(role).to_vec(),
            );
            let drawn: Vec<Move> =
                info.chance.map_or_else(Vec::new, |role| worker.legal(role).to_vec());
            let weights = worker.weights().to_vec();
            let odds = odds(drawn.len(), &weights);
            let mut moves = Vec::with_capacity(own.len());
            for &choice in &own {
                let mut ends = Vec::new();
                for outcome in 0..drawn.len().max(1) {
                    if let Some(role) = actor {
                        joint[role.index()] = choice;
                    }
                    if let (Some(role), Some(&choice)) = (info.chance, drawn.get(outcome)) {
                        joint[role.index()] = choice;
                    }
                    worker.load(&state, &stop)?;
                    worker.step(&joint, &mut step, &stop)?;
                    worker.save(&mut child);
                    let end = *places.entry(child.clone()).or_insert_with(|| {
                        states.push(child.clone());
                        nodes.push(node(Some((at as u32, joint[..].into()))));
                        nodes.len() as u32 - 1
                    });
                    ends.push((end, odds(outcome)));
                }
                moves.push((choice, ends));
            }
            nodes[at].actor = actor;
            nodes[at].moves = moves;
        }
        Ok(nodes)
    }
}

/// The expected reward of a role over these positions.
fn expected(nodes: &[Node], ends: &[(u32, f64)], role: Role) -> f64 {
    ends.iter().map(|&(end, likely)| likely * nodes[end as usize].values[role.index()]).sum()
}

/// The values of a position: those of the best move of its actor; among equally good moves, those
/// of the worst one for the other role.
fn best(nodes: &[Node], at: usize, roles: usize) -> Vec<f64> {
    let values = |ends: &Vec<(u32, f64)>| -> Vec<f64> {
        (0..roles).map(|role| expected(nodes, ends, Role(role as u8))).collect()
    };
    let all: Vec<Vec<f64>> = nodes[at].moves.iter().map(|(_, ends)| values(ends)).collect();
    let own = nodes[at].actor.unwrap_or(Role(0)).index();
    let rest = |values: &Vec<f64>| values.iter().sum::<f64>() - values[own];
    let order =
        |a: &Vec<f64>, b: &Vec<f64>| a[own].total_cmp(&b[own]).then(rest(b).total_cmp(&rest(a)));
    all.into_iter().max_by(order).unwrap_or_default()
}
