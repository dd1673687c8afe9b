//! The training loop: self-play in groups of games, then steps of learning, again and again.
//!
//! The number of groups and the parts of a batch do not depend on the number of threads, and their
//! results are combined in a fixed order. A run that ends after a number of games therefore gives
//! the same network with any number of threads.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use magister_core::{Game, Rng, Seed};

use super::file::{AzFile, AzHeader};
use super::gumbel::logarithm;
use super::judge::NetEvaluator;
use super::net::{Net, exp};
use super::replay::{Adam, Loss, Replay, Sample, Shard};
use super::search::AzSearch;
use super::selfplay::{Group, Harvest};
use super::settings::AzSettings;
use super::shape::{Shape, survey};
use crate::driver::{Plan, Progress};
use crate::file::{FileError, Strength};
use crate::trainer::TrainError;

/// The number of games of a group, which are evaluated together.
const GROUP: usize = 32;
/// The number of parts of a batch.
const SHARDS: usize = 4;
/// The samples of a group between two rounds of learning.
const SAMPLES: usize = 128;
/// The smallest number of samples to learn from, in batches.
const BATCHES: usize = 4;

/// A policy-and-value network that learns a game.
pub struct AzLearner {
    game: Arc<dyn Game>,
    header: AzHeader,
    net: Arc<Net>,
    adam: Adam,
    /// The games in progress and the replay buffer, which the next call of `train` continues.
    live: Option<Live>,
}

/// The state of the training that is not part of a file.
struct Live {
    groups: Vec<Group>,
    replay: Replay,
    shards: Vec<Shard>,
    rng: Rng,
    /// The number of training steps that the samples so far are worth.
    owed: f64,
}

impl std::fmt::Debug for AzLearner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AzLearner").field("header", &self.header).finish_non_exhaustive()
    }
}

impl AzLearner {
    /// An untrained network.
    pub fn new(game: &Arc<dyn Game>, settings: AzSettings, seed: u64) -> Result<Self, TrainError> {
        settings.check().map_err(TrainError::Recipe)?;
        let mut settings = settings;
        let info = game.info();
        if info.information == magister_core::Information::Hidden {
            return Err(TrainError::Recipe(
                "this agent needs perfect information; other kinds of agents learn from views"
                    .to_owned(),
            ));
        }
        let found = survey(game, &mut Seed::from(seed).derive("survey").rng())?;
        if found.length <= 0.0 {
            return Err(TrainError::Recipe("no player ever has a choice in this game".to_owned()));
        }
        let shape = Shape::new(game, &found, settings.size).map_err(TrainError::Recipe)?;
        settings.random_start.get_or_insert((found.length / 2.0) as u32);
        let net = Net::random(&shape, &mut Seed::from(seed).derive("net").rng());
        let (version, agent) = AzFile::version();
        let header = AzHeader {
            version,
            agent,
            game: info.name.clone(),
            rules_hash: info.rules_hash.clone(),
            shape,
            settings,
            games: 0,
            moves: 0,
            steps: 0,
            seed,
            strengths: Vec::new(),
        };
        let adam = Adam::new(net.weights.len());
        Ok(AzLearner { game: Arc::clone(game), header, net: Arc::new(net), adam, live: None })
    }

    /// The network of a file, for a game with the same rules.
    pub fn open(game: &Arc<dyn Game>, file: AzFile) -> Result<Self, FileError> {
        file.suits(game)?;
        let AzFile { header, weights, moments } = file;
        let count = weights.len();
        let net = Net::of(&header.shape, weights)
            .ok_or(FileError::Damaged("its weights do not fit its shape"))?;
        let adam = match moments {
            Some((first, second)) => Adam { first, second, steps: header.steps },
            None => Adam::new(count),
        };
        Ok(AzLearner { game: Arc::clone(game), header, net: Arc::new(net), adam, live: None })
    }

    /// Its description, as in a file.
    pub fn header(&self) -> &AzHeader {
        &self.header
    }

    /// Notes its strength, until it learns more.
    pub fn note(&mut self, strengths: Vec<Strength>) {
        self.header.strengths = strengths;
    }

    /// The network as a file.
    pub fn file(&self) -> AzFile {
        AzFile {
            header: self.header.clone(),
            weights: self.net.weights.clone(),
            moments: Some((self.adam.first.clone(), self.adam.second.clone())),
        }
    }

    /// The network as the evaluator of a search.
    pub fn evaluator(&self) -> NetEvaluator {
        NetEvaluator::new(&self.game, Arc::clone(&self.net))
    }

    /// A search with the network: the exploration constant, the number of positions that are
    /// evaluated together (0 for the usual number), and the memory in bytes.
    pub fn search(&self, c: f32, batch: usize, memory: usize) -> AzSearch {
        AzSearch::new(&self.game, Arc::clone(&self.net), c, batch, memory)
    }

    /// Trains by self-play. `share` receives the progress and returns the completed share of the
    /// training, which determines the step size, or ends the training.
    pub fn train(
        &mut self,
        plan: &Plan,
        share: &(dyn Fn(&Progress) -> ControlFlow<(), f64> + Sync),
    ) -> Result<Progress, TrainError> {
        let settings = self.header.settings.clone();
        let before = self.header.games;
        self.header.strengths.clear();
        let mut live = match self.live.take() {
            Some(live) => live,
            None => self.begin(&plan.seed.derive("az").derive_index(before)),
        };
        let mut progress = Progress { games: before, error: f64::NAN, ..Progress::default() };
        let mut done = plan.done;
        distribute(&mut live.groups, plan.games.map(|target| target.saturating_sub(before)));
        let ended = AtomicBool::new(false);
        loop {
            let net = Arc::clone(&self.net);
            let now = Progress { fresh: 0, ..progress };
            let over = || {
                let over = ended.load(Ordering::Relaxed) || share(&now).is_break();
                ended.fetch_or(over, Ordering::Relaxed) || over
            };
            let harvests =
                each(&mut live.groups, plan.actors, |group| group.run(&net, SAMPLES, &over));
            drop(net);
            let (mut results, mut games) = (0.0, 0_u64);
            for harvest in harvests {
                let Harvest { samples, games: played, moves, results: sum } = harvest?;
                live.owed +=
                    samples.len() as f64 * f64::from(settings.repeats) / settings.batch as f64;
                samples.into_iter().for_each(|sample| live.replay.push(sample));
                (results, games) = (results + sum, games + played);
                progress.moves += moves;
                self.header.moves += moves;
            }
            progress.games += games;
            self.header.games = progress.games;
            let mut loss = Loss::default();
            let all = plan.games.is_some_and(|target| progress.games >= target);
            // At the end of a short training, a few samples are better than none.
            let enough = (BATCHES * settings.batch).min(settings.replay);
            if live.replay.len() < if all { 1 } else { enough } {
                live.owed = 0.0;
            }
            let (first, last) = settings.alpha;
            let decay = logarithm(f64::from(last.max(1e-9)) / f64::from(first.max(1e-9)));
            let alpha = first * exp((done.clamp(0.0, 1.0) * decay) as f32);
            while live.owed >= 1.0 && !over() {
                live.owed -= 1.0;
                let Live { replay, shards, rng, .. } = &mut live;
                let batch: Vec<&Sample> = (0..settings.batch).map(|_| replay.draw(rng)).collect();
                let step = self.step(shards, &batch, plan.actors, alpha);
                loss.value += step.value;
                loss.policy += step.policy;
                loss.samples += step.samples;
            }
            progress.fresh = games;
            if games > 0 {
                progress.mean = results / games as f64;
            }
            if loss.samples > 0 {
                progress.error = (loss.value + loss.policy) / loss.samples as f64;
            }
            if let Some(target) = plan.games {
                done = (progress.games - before) as f64
                    / (target.saturating_sub(before)).max(1) as f64;
            }
            match share(&progress) {
                ControlFlow::Continue(share) if !all && !ended.load(Ordering::Relaxed) => {
                    if plan.games.is_none() {
                        done = share;
                    }
                }
                _ => {
                    self.live = Some(live);
                    return Ok(progress);
                }
            }
        }
    }

    /// New games and an empty replay buffer.
    fn begin(&self, seed: &Seed) -> Live {
        let settings = &self.header.settings;
        let bounded = self.game.info().payment == magister_core::Payment::AtEnd;
        let start = settings.random_start.unwrap_or(0);
        let group = |number: usize| {
            let games = (settings.games - number * GROUP).min(GROUP);
            let seed = seed.derive("group").derive_index(number as u64);
            Group::new(&self.game, &self.net, settings, start, games, &seed)
        };
        Live {
            groups: (0..settings.games.div_ceil(GROUP)).map(group).collect(),
            replay: Replay::new(settings.replay),
            shards: (0..SHARDS).map(|_| Shard::new(&self.game, bounded)).collect(),
            rng: seed.derive("samples").rng(),
            owed: 0.0,
        }
    }

    /// One step of learning from a batch.
    fn step(
        &mut self,
        shards: &mut [Shard],
        batch: &[&Sample],
        threads: usize,
        alpha: f32,
    ) -> Loss {
        let net = Arc::clone(&self.net);
        let size = batch.len().div_ceil(shards.len());
        let mut parts: Vec<(&mut Shard, &[&Sample])> =
            shards.iter_mut().zip(batch.chunks(size)).collect();
        let settings = &self.header.settings;
        let losses = each(&mut parts, threads, |(shard, samples)| {
            shard.learn(&net, samples, batch.len(), settings.value_weight);
            shard.loss
        });
        drop(net);
        let used = parts.len();
        let (first, rest) = shards[..used].split_at_mut(1);
        let gradient = &mut first[0].gradient;
        for shard in rest {
            gradient.iter_mut().zip(&shard.gradient).for_each(|(sum, part)| *sum += part);
        }
        let net = Arc::make_mut(&mut self.net);
        self.adam.step(&mut net.weights, gradient, alpha, settings.decay);
        self.header.steps = self.adam.steps;
        losses.iter().fold(Loss::default(), |sum, loss| Loss {
            value: sum.value + loss.value,
            policy: sum.policy + loss.policy,
            samples: sum.samples + loss.samples,
        })
    }
}

/// Lets the groups begin as many games as are missing, or any number. The share of a group does not
/// depend on threads.
fn distribute(groups: &mut [Group], missing: Option<u64>) {
    let Some(missing) = missing else {
        groups.iter_mut().for_each(|group| group.allow(u64::MAX));
        return;
    };
    let open: u64 = groups.iter().map(Group::open).sum();
    let (fresh, count) = (missing.saturating_sub(open), groups.len() as u64);
    for (number, group) in (0..).zip(groups) {
        group.allow(fresh / count + u64::from(number < fresh % count));
    }
}

/// Applies a function to every item, on some threads, and returns the results in order.
fn each<T: Send, R: Send>(
    items: &mut [T],
    threads: usize,
    work: impl Fn(&mut T) -> R + Sync,
) -> Vec<R> {
    if threads < 2 || items.len() < 2 {
        return items.iter_mut().map(work).collect();
    }
    let slots: Vec<Mutex<(&mut T, Option<R>)>> =
        items.iter_mut().map(|item| Mutex::new((item, None))).collect();
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..threads.min(slots.len()) {
            scope.spawn(|| {
                while let Some(slot) = slots.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
                    let result = work(slot.0);
                    slot.1 = Some(result);
                }
            });
        }
    });
    let result = |slot: Mutex<(&mut T, Option<R>)>| {
        slot.into_inner().unwrap_or_else(PoisonError::into_inner).1
    };
    slots.into_iter().filter_map(result).collect()
}
