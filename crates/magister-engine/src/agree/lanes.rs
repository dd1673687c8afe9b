//! Plays the same streams with every batch method. The results must be identical, bit for bit.

use magister_core::playout::{Team, leaves_one_by_one, one_by_one, tries_one_by_one};
use magister_core::{
    Batch, Detail, Game, Halt, Information, LeafResults, Leaves, Move, Observation, Results, Rng,
    Role, Seed, Step, Stop, Stream, Tried, Tries, Turn, Worker,
};
use magister_lanes::Width;

use crate::evaluator::{CompiledGame, Playouts};

/// The amount of work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Amount {
    /// The number of streams. It exceeds the slots of a row, so that slots are refilled.
    pub streams: usize,
    /// The maximum number of playouts of a stream.
    pub quota: u32,
    /// The two step limits after which playouts are truncated: one batch uses the first, another
    /// the second.
    pub max_steps: [u32; 2],
}

impl Default for Amount {
    fn default() -> Self {
        Self { streams: 21, quota: 80, max_steps: [1_000, 7] }
    }
}

/// The batches on which all methods are compared.
#[derive(Debug)]
struct Workload {
    /// Start states, beginning with that of the game.
    starts: Vec<Vec<u64>>,
    amount: Amount,
    /// Possible turns of roles in those states.
    turns: Vec<(Role, Turn)>,
}

/// The length of the walks for start states.
const WALK: usize = 40;

impl Workload {
    /// Start states from random walks; an error if the rules fail.
    fn new(game: &dyn Game, amount: Amount, stop: &Stop) -> Result<Self, Halt> {
        let mut rng = Seed::from(7).rng();
        let mut starts = Vec::new();
        let mut worker = game.worker();
        let mut state = Vec::new();
        let mut step = Step::new();
        let (mut turns, mut other) = (Vec::new(), Seed::from(8).rng());
        while starts.len() < amount.streams.div_ceil(2) {
            worker.reset();
            let length = if starts.is_empty() { 0 } else { rng.below(WALK as u64) };
            for _ in 0..length {
                if worker.terminal() {
                    break;
                }
                worker.step(&joint(game, &*worker, &mut rng), &mut step, stop)?;
            }
            worker.save(&mut state);
            if !worker.terminal() {
                let joint = joint(game, &*worker, &mut other);
                match worker.step(&joint, &mut step, stop) {
                    Ok(()) => {}
                    Err(Halt::Rules(_)) => step.clear(joint.len()),
                    Err(halt) => return Err(halt),
                }
                let role = Role((starts.len() % joint.len()) as u8);
                let seen = match game.info().information {
                    Information::Hidden => Observation::Percepts(step.percepts.of(role).into()),
                    Information::Perfect => Observation::Joint(joint[..].into()),
                };
                turns.push((role, Turn { own: joint[role.index()], seen }));
            }
            starts.push(state.clone());
        }
        Ok(Self { starts, amount, turns })
    }

    /// The streams: quotas of all sizes, including none, and duplicate ids.
    fn streams(&self, same: bool) -> Vec<Stream<'_>> {
        let quota = u64::from(self.amount.quota);
        (0..self.amount.streams as u64)
            .map(|n| Stream {
                id: n % 13 * 0x1234_5678_9abc,
                start: &self.starts[if same { 0 } else { n as usize % self.starts.len() }],
                quota: match n {
                    3 => 0,
                    4 => 1,
                    _ => (n * 0x9e37_79b9 % (quota + 1)) as u32,
                },
            })
            .collect()
    }

    /// Plays all batches with `play`.
    fn play(
        &self,
        mut play: impl FnMut(&Batch<'_>, &mut Results) -> Result<(), Halt>,
    ) -> Result<Vec<Results>, Halt> {
        let mut all = Vec::new();
        for (same, detail, max_steps) in [
            (true, Detail::Sums, self.amount.max_steps[0]),
            (false, Detail::PerPlayout, self.amount.max_steps[0]),
            (false, Detail::Moves, self.amount.max_steps[0]),
            (true, Detail::Moves, self.amount.max_steps[1]),
            (false, Detail::PerPlayout, self.amount.max_steps[1]),
            (false, Detail::Sums, self.amount.max_steps[1]),
        ] {
            let streams = self.streams(same);
            let batch = Batch { seed: 0xfeed_5eed_0bad_cafe, streams: &streams, max_steps, detail };
            let mut out = Results::default();
            play(&batch, &mut out)?;
            all.push(out);
        }
        Ok(all)
    }

    /// Plays leaves with each number of playouts through `play`, more leaves than a row has lanes.
    fn leaves(
        &self,
        mut play: impl FnMut(&Leaves<'_>, &mut LeafResults) -> Result<(), Halt>,
    ) -> Result<Vec<LeafResults>, Halt> {
        let mut all = Vec::new();
        for (each, max_steps) in
            [1, 2, 4, 8, 16, 32].into_iter().zip(self.amount.max_steps.into_iter().cycle())
        {
            let count = self.amount.streams * 32 / each as usize + 1;
            let starts: Vec<&[u64]> =
                (0..count).map(|n| &self.starts[n * n % self.starts.len()][..]).collect();
            // Only some of them if each is played often.
            let starts = &starts[..count.min(150)];
            let leaves = Leaves { seed: 0xfeed_5eed, first: u64::MAX, starts, each, max_steps };
            let mut out = LeafResults::default();
            play(&leaves, &mut out)?;
            all.push(out);
        }
        Ok(all)
    }

    /// Compares steps with turns through `play`: more than a row has lanes, from all states, in
    /// some of which the move of the turn is illegal.
    fn tries(
        &self,
        mut play: impl FnMut(&Tries<'_>, &mut Tried) -> Result<(), Halt>,
    ) -> Result<Vec<Tried>, Halt> {
        let mut all = Vec::new();
        for (number, (role, turn)) in self.turns.iter().enumerate() {
            let count = [600, 70, 1][number % 3];
            let starts: Vec<&[u64]> = (0..count)
                .map(|n| &self.starts[if n % 3 == 0 { n / 3 } else { number } % self.starts.len()])
                .map(Vec::as_slice)
                .collect();
            let first = u64::MAX - number as u64;
            let tries = Tries { seed: 0x5eed_feed, first, starts: &starts, role: *role, turn };
            let mut out = Tried::default();
            play(&tries, &mut out)?;
            all.push(out);
        }
        Ok(all)
    }
}

/// Random legal moves, one for each role.
fn joint(game: &dyn Game, worker: &dyn Worker, rng: &mut Rng) -> Vec<Move> {
    let drawn = game.info().all_roles().filter_map(|role| {
        let legal = worker.legal(role);
        legal.get(rng.below(legal.len().max(1) as u64) as usize).copied()
    });
    drawn.collect()
}

/// The result of a comparison.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lanes {
    /// A hash of all results, for comparison with other machines.
    pub signature: u64,
    /// The methods whose results differ from the plain evaluator.
    pub different: Vec<String>,
}

/// The results of all batches and of all leaves.
type Played = (Vec<Results>, Vec<LeafResults>);

fn alone(workload: &Workload, worker: &mut dyn Worker, stop: &Stop) -> Result<Played, Halt> {
    let results = workload.play(|batch, out| worker.playouts(batch, out, stop))?;
    Ok((results, workload.leaves(|leaves, out| worker.leaves(leaves, out, stop))?))
}

/// The methods of trying steps whose results differ from trying the steps one by one. Every width
/// is tested, and the method that the game would choose.
pub fn tries(game: &CompiledGame, stop: &Stop) -> Result<Vec<String>, Halt> {
    tries_differ(game, &Workload::new(game, Amount::default(), stop)?, stop)
}

fn tries_differ(
    game: &CompiledGame,
    workload: &Workload,
    stop: &Stop,
) -> Result<Vec<String>, Halt> {
    let mut worker = game.worker();
    let plain = workload.tries(|tries, out| tries_one_by_one(&mut *worker, tries, out, stop))?;
    let mut different = Vec::new();
    let lanes = Width::ALL.iter().map(|&width| Playouts::Lanes(width));
    for choice in lanes.chain([Playouts::Measured]) {
        let game = game.playing(choice);
        let mut worker = game.worker();
        let tried = workload.tries(|tries, out| {
            let can = worker.tries(tries, out, stop)?;
            if can { Ok(()) } else { Err(Halt::Limit("they cannot be tried".to_owned())) }
        });
        match tried {
            Ok(tried) if tried == plain => {}
            Ok(_) => different.push(format!("{choice:?}, tried steps")),
            Err(Halt::Stopped) => return Err(Halt::Stopped),
            Err(halt) => different.push(format!("{choice:?}, tried steps: {halt}")),
        }
    }
    Ok(different)
}

fn together(workload: &Workload, team: &mut Team, stop: &Stop) -> Result<Played, Halt> {
    let results = workload.play(|batch, out| team.playouts(batch, out, stop))?;
    Ok((results, workload.leaves(|leaves, out| team.leaves(leaves, out, stop))?))
}

/// Plays a workload with all methods of this process, and compares them with the plain evaluator:
/// every width, two threads, and the method that the game would choose.
pub fn lanes(game: &CompiledGame, amount: Amount, stop: &Stop) -> Result<Lanes, Halt> {
    let workload = Workload::new(game, amount, stop)?;
    let mut worker = game.worker();
    let plain = workload.play(|batch, out| one_by_one(&mut *worker, batch, out, stop))?;
    let leaves =
        workload.leaves(|leaves, out| leaves_one_by_one(&mut *worker, leaves, out, stop))?;
    let plain = (plain, leaves);
    let mut different = tries_differ(game, &workload, stop)?;
    let mut compare = |name: String, results: Result<Played, Halt>| -> Result<(), Halt> {
        match results {
            Ok(results) if results == plain => {}
            Ok(results) if results.0 == plain.0 => different.push(format!("{name}, leaves")),
            Ok(_) => different.push(name),
            Err(Halt::Stopped) => return Err(Halt::Stopped),
            Err(halt) => different.push(format!("{name}: {halt}")),
        }
        Ok(())
    };
    for &width in Width::ALL {
        let game = game.playing(Playouts::Lanes(width));
        let results = alone(&workload, &mut *game.worker(), stop);
        compare(format!("{width} lanes"), results)?;
        if width == Width::best() {
            let mut team = Team::new(&game, 2);
            let results = together(&workload, &mut team, stop);
            compare("two threads".to_owned(), results)?;
        }
    }
    let game = game.playing(Playouts::Measured);
    let mut team = Team::new(&game, 2);
    let results = together(&workload, &mut team, stop);
    compare("the fastest measured method".to_owned(), results)?;
    Ok(Lanes { signature: signature(&plain.0), different })
}

/// A hash of results: FNV-1a over 64-bit words, byte by byte.
fn signature(results: &[Results]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut write = |word: u64| {
        for byte in word.to_le_bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    };
    for tally in results.iter().flat_map(|results| &results.streams) {
        write(u64::from(tally.finished) << 32 | u64::from(tally.truncated));
        write(tally.steps);
        tally.paid.iter().for_each(|&paid| write(paid.into()));
        tally.sum.iter().chain(&tally.squares).for_each(|sum| write(sum.to_bits()));
        for playout in &tally.playouts {
            write(u64::from(playout.steps) << 1 | u64::from(playout.finished));
        }
        tally.rewards.iter().for_each(|reward| write(reward.map_or(u64::MAX, f64::to_bits)));
        for entry in &tally.moves {
            write(u64::from(entry.choice.0) << 8 | u64::from(entry.role.0));
            write(entry.playouts.into());
            write(entry.sum.to_bits());
        }
    }
    hash
}
