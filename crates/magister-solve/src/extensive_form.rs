//! The extensive form of a game, reduced to its sequence form.

use magister_core::{Game, Info, Information, Move, Payment, Role, Step, Stop, Turn, Worker};
use rustc_hash::FxHashMap;

use crate::choices::Choices;
use crate::held;
use crate::limits::{Size, SolveLimits, Unsolved};
use crate::memory::{Memory, NONE};
use crate::positions::rewards;

/// A game in sequence form: the sequences of each player, and the payoff of each combination.
///
/// An information set contains all histories in which a role made the same moves and had the same
/// observations. Because players have perfect recall, a role's own moves on the way to an
/// information set are the same in all these histories: its *sequence*. Two histories that lead to
/// the same state and that no player can distinguish are therefore merged into one node, and their
/// probabilities are added. Simultaneous moves need no order, because each belongs to its own
/// player's sequence. After one traversal of the game, only the sequences and the payoffs of their
/// combinations remain: von Stengel's sequence form, for any number of players.
pub struct ExtensiveForm {
    /// The players, in the order of the roles.
    pub(crate) players: Vec<Role>,
    pub(crate) plans: Vec<Plan>,
    /// For each payoff entry, the last sequence of each player.
    pub(crate) sequences: Vec<u32>,
    /// For each payoff entry, the payoff of each player, times its chance probability.
    pub(crate) payoffs: Vec<f64>,
    /// For each payoff entry, its chance probability.
    pub(crate) chances: Vec<f64>,
    memory: Memory,
    information: Information,
    range: (f64, f64),
    constant_sum: Option<f64>,
    size: Size,
}

/// The information sets of a player, in order of depth.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    pub(crate) sets: Vec<Set>,
    /// The number of sequences; the first is the empty sequence.
    pub(crate) sequences: usize,
    /// The information set of each situation that has a choice.
    places: FxHashMap<u32, u32>,
}

/// An information set in which a role has a choice.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Set {
    /// The sequence that leads to it.
    pub(crate) parent: u32,
    /// The first of the consecutive sequences of its moves.
    pub(crate) first: u32,
    pub(crate) count: u32,
    situation: u32,
}

impl Set {
    pub(crate) fn range(self) -> std::ops::Range<usize> {
        self.first as usize..(self.first + self.count) as usize
    }
}

impl ExtensiveForm {
    /// Builds the form by one traversal of the game.
    pub fn new(game: &dyn Game, limits: &SolveLimits, stop: &Stop) -> Result<Self, Unsolved> {
        let mut builder = Builder::new(game);
        while !builder.layer.is_empty() {
            builder.deepen(limits, stop)?;
        }
        builder.finish()
    }

    /// The players, in the order of the roles.
    pub fn players(&self) -> &[Role] {
        &self.players
    }

    /// The size of the form.
    pub fn size(&self) -> Size {
        self.size
    }

    /// The number of information sets in which a player has a choice.
    pub fn sets(&self, player: usize) -> usize {
        self.plans[player].sets.len()
    }

    /// The number of payoff entries: combinations of sequences with a payoff.
    pub fn payments(&self) -> usize {
        self.sequences.len() / self.players.len().max(1)
    }

    /// The lowest and the highest single payoff.
    pub fn range(&self) -> (f64, f64) {
        self.range
    }

    /// The sum of all players' payoffs, if it is constant.
    pub fn constant_sum(&self) -> Option<f64> {
        self.constant_sum
    }

    /// The number of information sets that differ from others only in their legal moves: the rules
    /// give a role different legal moves in positions that it cannot otherwise distinguish.
    pub fn revealed_by_legal_moves(&self) -> usize {
        self.memory.revealed
    }

    /// The moves and observations of a role on the way to an information set.
    pub fn turns(&self, player: usize, set: usize) -> Vec<Turn> {
        self.memory.turns(self.information, self.plans[player].sets[set].situation)
    }

    /// The legal moves in an information set.
    pub fn moves(&self, player: usize, set: usize) -> Vec<Move> {
        self.memory.legal(self.plans[player].sets[set].situation).collect()
    }

    /// The information set of a role after these turns, if it has a choice there.
    pub fn find(&self, role: Role, turns: &[Turn]) -> Option<(usize, usize)> {
        let player = self.players.iter().position(|&one| one == role)?;
        let situation = self.memory.find(player, turns)?;
        let &set = self.plans[player].places.get(&situation)?;
        Some((player, set as usize))
    }
}

impl std::fmt::Debug for ExtensiveForm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ExtensiveForm")
            .field("players", &self.players)
            .field("size", &self.size)
            .field("payments", &self.payments())
            .finish_non_exhaustive()
    }
}

/// The number of nodes of a layer to expand before its size is estimated.
const PART: usize = 2_000;
/// The factor by which the estimate must exceed the limits before the traversal gives up early.
/// Nodes that are merged later in the layer make the estimate too high.
const HOPELESS: usize = 16;
/// The minimum memory of a node.
const NODE: usize = 64;
/// The memory of a sequence while strategies are computed.
const SEQUENCE: usize = 64;

struct Builder {
    info: Info,
    worker: Box<dyn Worker>,
    step: Step,
    words: Vec<u64>,
    form: ExtensiveForm,
    /// The last sequence of each information state.
    last: Vec<u32>,
    /// The nodes at this depth: the words of the state, then the information state of each player.
    layer: Vec<(Box<[u64]>, f64)>,
    next: Vec<(Box<[u64]>, f64)>,
    places: FxHashMap<Box<[u64]>, u32>,
    /// The number of payoff entries since they were last merged.
    fresh: usize,
}

impl Builder {
    fn new(game: &dyn Game) -> Self {
        let info = game.info();
        let players: Vec<Role> = info.players().collect();
        let form = ExtensiveForm {
            plans: players.iter().map(|_| Plan { sequences: 1, ..Plan::default() }).collect(),
            sequences: Vec::new(),
            payoffs: Vec::new(),
            chances: Vec::new(),
            memory: Memory::new(players.len()),
            information: info.information,
            range: (f64::INFINITY, f64::NEG_INFINITY),
            constant_sum: None,
            size: Size::default(),
            players,
        };
        let mut builder = Builder {
            info: info.clone(),
            worker: game.worker(),
            step: Step::new(),
            words: Vec::new(),
            last: vec![0; form.players.len()],
            layer: Vec::new(),
            next: Vec::new(),
            places: FxHashMap::default(),
            fresh: 0,
            form,
        };
        builder.worker.reset();
        builder.worker.save(&mut builder.words);
        let histories = 0..builder.form.players.len() as u64;
        builder.words.extend(histories);
        builder.layer.push((builder.words[..].into(), 1.0));
        builder
    }

    /// Extends all histories by one step.
    fn deepen(&mut self, limits: &SolveLimits, stop: &Stop) -> Result<(), Unsolved> {
        let layer = std::mem::take(&mut self.layer);
        for (number, (node, chance)) in layer.iter().enumerate() {
            self.form.size.nodes += 1;
            self.measure(layer.len());
            let size = Size { nodes: self.form.size.nodes + self.next.len(), ..self.form.size };
            if stop.is_set() {
                return Err(Unsolved::Late(size));
            }
            if size.nodes > limits.nodes || size.bytes > limits.bytes {
                return Err(Unsolved::TooLarge(size));
            }
            // A small part of a large layer shows whether the whole can fit.
            if number == PART.max(layer.len() / 100) {
                let next = self.next.len().saturating_mul(layer.len() / number);
                if next / HOPELESS > limits.nodes || next / HOPELESS * NODE > limits.bytes {
                    return Err(Unsolved::TooLarge(Size { expected: next, ..size }));
                }
            }
            self.expand(node, *chance, limits, stop).map_err(|why| why.or_late(size))?;
        }
        self.form.size.depth += usize::from(!self.next.is_empty());
        self.places.clear();
        self.layer = std::mem::take(&mut self.next);
        Ok(())
    }

    fn measure(&mut self, layer: usize) {
        let form = &mut self.form;
        let node = held::block(8 * self.words.len());
        form.size.sets = form.plans.iter().map(|plan| plan.sets.len()).sum();
        let traversal = layer * (node + 24)
            + self.next.len() * 2 * node
            + held::list(&self.next)
            + held::table(&self.places);
        // Regrets, averages, strategies and reach probabilities of all sequences are allocated
        // later, when the traversal no longer needs memory.
        let sequences: usize = form.plans.iter().map(|plan| plan.sequences).sum();
        let plans = form.plans.iter();
        let plans = plans.map(|plan| held::list(&plan.sets) + held::table(&plan.places));
        // Merging payoff entries copies them.
        let payoffs = 2 * form.payments() * (12 + 12 * form.players.len());
        form.size.bytes = form.memory.bytes()
            + held::list(&self.last)
            + plans.sum::<usize>()
            + payoffs
            + traversal.max(sequences * SEQUENCE);
    }

    /// Makes all joint moves from a node.
    fn expand(
        &mut self,
        node: &[u64],
        chance: f64,
        limits: &SolveLimits,
        stop: &Stop,
    ) -> Result<(), Unsolved> {
        let count = self.form.players.len();
        let (state, histories) = node.split_at(node.len() - count);
        self.worker.load(state, stop)?;
        if self.worker.terminal() {
            let values = rewards(&*self.worker, &self.info)?;
            let last: Vec<u32> = histories.iter().map(|&at| self.last[at as usize]).collect();
            if self.info.payment == Payment::AtEnd {
                self.pay(&last, &values, chance);
            }
            return Ok(());
        }
        let silent = self.worker.silent();
        let choices = Choices::of(&*self.worker);
        let situations: Vec<u32> = (0..count)
            .map(|player| {
                if silent {
                    return NONE;
                }
                self.situation(player, histories[player] as u32, &choices)
            })
            .collect();
        let Some(profiles) = choices.profiles().filter(|&count| count < limits.nodes) else {
            return Err(Unsolved::TooLarge(self.form.size));
        };
        let mut here = true;
        for profile in 0..profiles {
            for (outcome, likely) in choices.probabilities().iter().enumerate() {
                if !here && !self.worker.undo() {
                    self.worker.load(state, stop)?;
                }
                here = false;
                let joint = choices.joint(profile, outcome);
                self.worker.step(&joint, &mut self.step, stop)?;
                self.arrive(&joint, &choices, &situations, histories, chance * likely);
            }
        }
        Ok(())
    }

    /// The situation of a player. It is a new information set if the player has a choice there and
    /// it was not reached before.
    fn situation(&mut self, player: usize, history: u32, choices: &Choices) -> u32 {
        let legal = choices.moves(self.form.players[player]);
        let situation = self.form.memory.situation(history, legal);
        let plan = &mut self.form.plans[player];
        if legal.len() > 1 && !plan.places.contains_key(&situation) {
            plan.places.insert(situation, plan.sets.len() as u32);
            let (parent, first) = (self.last[history as usize], plan.sequences as u32);
            plan.sets.push(Set { parent, first, count: legal.len() as u32, situation });
            plan.sequences += legal.len();
        }
        situation
    }

    /// Records the result of a step.
    fn arrive(
        &mut self,
        joint: &[Move],
        choices: &Choices,
        situations: &[u32],
        histories: &[u64],
        chance: f64,
    ) {
        let information = self.form.information;
        self.worker.save(&mut self.words);
        let mut last = Vec::with_capacity(situations.len());
        for (player, &situation) in situations.iter().enumerate() {
            let role = self.form.players[player];
            let before = histories[player] as usize;
            // If the players had no turn, their information states do not change.
            if situation == NONE || !self.step.tick {
                self.words.push(histories[player]);
                last.push(self.last[before]);
                continue;
            }
            let own = joint[role.index()];
            let plan = &self.form.plans[player];
            let sequence = match plan.places.get(&situation) {
                None => self.last[before],
                Some(&set) => {
                    let at = choices.moves(role).iter().position(|&choice| choice == own);
                    plan.sets[set as usize].first + at.unwrap_or(0) as u32
                }
            };
            let memory = &mut self.form.memory;
            let history = memory.after(situation, own, (information, role), joint, &self.step);
            self.last.resize(memory.len(), NONE);
            self.last[history as usize] = sequence;
            self.words.push(u64::from(history));
            last.push(sequence);
        }
        if self.step.gains.iter().any(|&gain| gain != 0.0) {
            let gains = std::mem::take(&mut self.step.gains);
            self.pay(&last, &gains, chance);
            self.step.gains = gains;
        }
        if let Some(&at) = self.places.get(&self.words[..]) {
            self.next[at as usize].1 += chance;
        } else {
            let node: Box<[u64]> = self.words[..].into();
            self.places.insert(node.clone(), self.next.len() as u32);
            self.next.push((node, chance));
        }
    }

    /// Adds a payoff entry; `values` has one number per role.
    fn pay(&mut self, last: &[u32], values: &[f64], chance: f64) {
        let form = &mut self.form;
        let (low, high) = &mut form.range;
        let mut sum = 0.0;
        for role in &form.players {
            let value = values[role.index()];
            (*low, *high) = (low.min(value), high.max(value));
            form.payoffs.push(chance * value);
            sum += value;
        }
        form.sequences.extend_from_slice(last);
        form.chances.push(chance);
        form.constant_sum = match form.constant_sum {
            None => Some(sum),
            Some(known) if (known - sum).abs() > 1e-9 => Some(f64::NAN),
            same => same,
        };
        self.fresh += 1;
        if 2 * self.fresh > form.payments() + 100_000 {
            self.gather();
        }
    }

    /// Merges payoff entries of the same sequences.
    fn gather(&mut self) {
        let form = &mut self.form;
        let count = form.players.len();
        let mut order: Vec<u32> = (0..form.payments() as u32).collect();
        let key = |at: u32| &form.sequences[at as usize * count..][..count];
        order.sort_by(|&a, &b| key(a).cmp(key(b)));
        let (mut sequences, mut payoffs) = (Vec::<u32>::new(), Vec::<f64>::new());
        let mut chances = Vec::<f64>::new();
        for at in order {
            let values = &form.payoffs[at as usize * count..][..count];
            if sequences.ends_with(key(at)) {
                let end = payoffs.len() - count;
                payoffs[end..].iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
                chances.iter_mut().last().into_iter().for_each(|c| *c += form.chances[at as usize]);
            } else {
                sequences.extend_from_slice(key(at));
                payoffs.extend_from_slice(values);
                chances.push(form.chances[at as usize]);
            }
        }
        (form.sequences, form.payoffs, form.chances) = (sequences, payoffs, chances);
        self.fresh = 0;
    }

    fn finish(mut self) -> Result<ExtensiveForm, Unsolved> {
        if self.form.players.is_empty() {
            return Err(Unsolved::Undefined("the game has no players".to_owned()));
        }
        self.gather();
        let form = &mut self.form;
        let paid_on_the_way = self.info.payment == Payment::OnTheWay;
        // Intermediate rewards have a constant sum if each of them sums to zero.
        form.constant_sum =
            form.constant_sum.filter(|sum| !sum.is_nan() && (!paid_on_the_way || *sum == 0.0));
        Ok(self.form)
    }
}
