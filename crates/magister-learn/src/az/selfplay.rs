//! Many games of self-play at the same time, whose positions the network evaluates together.

use std::sync::Arc;

use magister_core::{Game, Halt, Move, Rng, Role, Seed, Stop, Symmetry};

use super::gumbel;
use super::judge::{Judge, ask};
use super::net::Net;
use super::replay::{Sample, SampleChoice};
use super::settings::AzSettings;
use super::stepper::Stepper;
use super::tree::{Found, Leaf, Tree};

/// A position of a game in progress, to be learned when the result is known.
struct Noted {
    /// The number of joint moves before it.
    moves: usize,
    state: Box<[u64]>,
    choices: Vec<(usize, Vec<Move>, Vec<f32>)>,
    /// The values of all players in the search.
    values: Vec<f32>,
    /// Whether the values are exact.
    exact: bool,
    /// The gains of all players before it.
    gains: Vec<f32>,
}

/// A game in progress.
struct Play {
    /// The search; `None` before the first decision of a game.
    tree: Option<Tree>,
    state: Box<[u64]>,
    /// For each actor at the root, its noise and its schedule.
    plans: Vec<(Vec<f32>, Vec<u32>)>,
    simulation: usize,
    log: Vec<Box<[Move]>>,
    noted: Vec<Noted>,
    gains: Vec<f32>,
    decisions: u32,
    /// The number of random moves that remain at the start of the game.
    random: u32,
    leaf: Option<Pending>,
    /// Whether it waits for a game to begin.
    idle: bool,
}

enum Pending {
    Root,
    Leaf(Leaf),
}

/// What a group has produced.
#[derive(Debug, Default)]
pub(crate) struct Harvest {
    pub(crate) samples: Vec<Sample>,
    pub(crate) games: u64,
    /// The number of decisions.
    pub(crate) moves: u64,
    /// The sum of the results of the first player.
    pub(crate) results: f64,
}

/// Games that one thread plays.
pub(crate) struct Group {
    symmetries: Arc<[Symmetry]>,
    settings: AzSettings,
    random_start: u32,
    stepper: Stepper,
    judge: Judge,
    plays: Vec<Play>,
    /// The number of games that may still begin.
    quota: u64,
    rng: Rng,
}

impl std::fmt::Debug for Group {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Group").field("games", &self.plays.len()).finish_non_exhaustive()
    }
}

impl Play {
    fn new() -> Self {
        Play {
            tree: None,
            state: Box::default(),
            plans: Vec::new(),
            simulation: 0,
            log: Vec::new(),
            noted: Vec::new(),
            gains: Vec::new(),
            decisions: 0,
            random: 0,
            leaf: None,
            idle: true,
        }
    }
}

impl Group {
    pub(crate) fn new(
        game: &Arc<dyn Game>,
        net: &Arc<Net>,
        settings: &AzSettings,
        random_start: u32,
        games: usize,
        seed: &Seed,
    ) -> Self {
        let stepper = Stepper::new(game, net.shape());
        Group {
            symmetries: game.symmetries().into(),
            settings: settings.clone(),
            random_start,
            judge: Judge::new(game, Arc::clone(net), stepper.bounded()),
            stepper,
            plays: (0..games).map(|_| Play::new()).collect(),
            quota: u64::MAX,
            rng: seed.rng(),
        }
    }

    /// The number of games in progress.
    pub(crate) fn open(&self) -> u64 {
        self.plays.iter().filter(|play| !play.idle).count() as u64
    }

    /// Limits the number of games that may begin from now on.
    pub(crate) fn allow(&mut self, quota: u64) {
        self.quota = quota;
    }

    /// Plays until there are this many new samples, all games have ended, or `ended` says so.
    pub(crate) fn run(
        &mut self,
        net: &Arc<Net>,
        samples: usize,
        ended: &(dyn Fn() -> bool + Sync),
    ) -> Result<Harvest, Halt> {
        let stop = &Stop::never();
        self.judge.exchange(Arc::clone(net));
        let mut harvest = Harvest::default();
        while harvest.samples.len() < samples && (self.quota > 0 || self.open() > 0) {
            // One game may take minutes.
            if ended() {
                break;
            }
            self.judge.clear();
            let mut plays = std::mem::take(&mut self.plays);
            for play in &mut plays {
                self.advance(play, &mut harvest, stop)?;
            }
            self.judge.run();
            let asked = plays.iter_mut().filter(|play| play.leaf.is_some());
            for (position, play) in asked.enumerate() {
                self.answer(play, position);
            }
            self.plays = plays;
        }
        Ok(harvest)
    }

    /// Continues a game until the network must evaluate a position.
    fn advance(&mut self, play: &mut Play, harvest: &mut Harvest, stop: &Stop) -> Result<(), Halt> {
        // A game in which nothing needs the network must not hold up the others.
        for _ in 0..64 {
            let Some(tree) = &mut play.tree else {
                if self.quota == 0 {
                    play.idle = true;
                    return Ok(());
                }
                self.begin(play, harvest, stop)?;
                if play.leaf.is_some() {
                    return Ok(());
                }
                continue;
            };
            if tree.nodes[0].exact.is_some() || play.simulation >= self.settings.simulations {
                self.decide(play, harvest, stop)?;
                if play.leaf.is_some() {
                    return Ok(());
                }
                continue;
            }
            let picks: Vec<u16> = tree.nodes[0]
                .actors
                .iter()
                .zip(&play.plans)
                .map(|(actor, (noise, plan))| {
                    gumbel::next(tree, actor, noise, plan[play.simulation])
                })
                .collect();
            play.simulation += 1;
            match tree.descend(Some(&picks), &mut self.stepper, &mut self.rng, stop)? {
                Found::Done | Found::Waits => {}
                Found::Leaf(leaf) => {
                    ask(&mut self.judge, tree, leaf.node);
                    play.leaf = Some(Pending::Leaf(leaf));
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Starts a game.
    fn begin(&mut self, play: &mut Play, harvest: &mut Harvest, stop: &Stop) -> Result<(), Halt> {
        *play = Play { idle: false, ..Play::new() };
        self.quota = self.quota.saturating_sub(1);
        if f64::from(self.settings.random_games) > self.rng.f64() {
            play.random = self.rng.below(u64::from(self.random_start) + 1) as u32;
        }
        self.stepper.reset();
        if !self.stepper.settled() {
            self.stepper.play(&[], &mut self.rng, &mut play.gains, Some(&mut play.log), stop)?;
        }
        self.enter(play, harvest, stop)
    }

    /// Continues from the stepper's position.
    fn enter(&mut self, play: &mut Play, harvest: &mut Harvest, stop: &Stop) -> Result<(), Halt> {
        while play.random > 0 && !self.stepper.worker().terminal() {
            play.random -= 1;
            self.stepper.play(&[], &mut self.rng, &mut play.gains, Some(&mut play.log), stop)?;
        }
        let over = self.stepper.results();
        let cut = play.decisions >= self.settings.longest;
        if over.is_some() || cut {
            let rest = match (over, play.noted.last()) {
                (Some(results), _) => results.to_vec(),
                // The search's value of the last position stands for the rest of the game. The
                // gains since then are part of it already.
                (None, Some(last)) => {
                    let before = last.gains.iter().chain(std::iter::repeat(&0.0));
                    let now = play.gains.iter().chain(std::iter::repeat(&0.0));
                    let passed = now.zip(before).map(|(now, before)| now - before);
                    last.values.iter().zip(passed).map(|(value, passed)| value - passed).collect()
                }
                (None, None) => vec![0.0; self.stepper.players().len()],
            };
            self.end(play, &rest, harvest, stop)?;
            play.tree = None;
            return Ok(());
        }
        play.state = self.stepper.state();
        let tree = Tree::new(&mut self.stepper, self.settings.c, &mut self.rng, stop)?;
        play.simulation = 0;
        play.plans.clear();
        for actor in &tree.nodes[0].actors {
            let noise = gumbel::noise(actor.arms.len(), &mut self.rng);
            let schedule = gumbel::schedule(actor.arms.len(), self.settings.simulations);
            play.plans.push((noise, schedule));
        }
        if tree.nodes[0].exact.is_none() {
            ask(&mut self.judge, &tree, 0);
            play.leaf = Some(Pending::Root);
        }
        play.tree = Some(tree);
        Ok(())
    }

    /// Makes the move that the search found.
    fn decide(&mut self, play: &mut Play, harvest: &mut Harvest, stop: &Stop) -> Result<(), Halt> {
        let Some(tree) = play.tree.take() else { return Ok(()) };
        let root = &tree.nodes[0];
        let mut moves: Vec<(Role, Move)> = Vec::new();
        let mut choices = Vec::new();
        for (actor, (noise, _)) in root.actors.iter().zip(&play.plans) {
            let pick = gumbel::choose(&tree, actor, noise);
            moves.push((actor.role, actor.arms[usize::from(pick)].choice));
            let legal = actor.arms.iter().map(|arm| arm.choice).collect();
            choices.push((actor.player, legal, gumbel::improved(&tree, actor)));
        }
        let players = self.stepper.players().len();
        play.noted.push(Noted {
            moves: play.log.len(),
            state: play.state.clone(),
            choices,
            values: (0..players).map(|player| root.mean(player)).collect(),
            exact: root.exact.is_some(),
            gains: play.gains.clone(),
        });
        play.decisions += 1;
        harvest.moves += 1;
        self.stepper.load(&play.state, stop)?;
        self.stepper.play(&moves, &mut self.rng, &mut play.gains, Some(&mut play.log), stop)?;
        self.enter(play, harvest, stop)
    }

    /// Stores the answers of the network.
    fn answer(&mut self, play: &mut Play, position: usize) {
        let (Some(pending), Some(tree)) = (play.leaf.take(), &mut play.tree) else { return };
        let node = match &pending {
            Pending::Root => 0,
            Pending::Leaf(leaf) => leaf.node,
        };
        let values = self.judge.values(position).to_vec();
        tree.settle(node, &values, &mut |choice| self.judge.logits(position, choice).to_vec());
        if let Pending::Leaf(leaf) = pending {
            tree.finish(leaf);
        }
    }

    /// Turns a finished game into samples, some of them as images under symmetries.
    fn end(
        &mut self,
        play: &mut Play,
        rest: &[f32],
        harvest: &mut Harvest,
        stop: &Stop,
    ) -> Result<(), Halt> {
        let at = |numbers: &[f32], player: usize| numbers.get(player).copied().unwrap_or(0.0);
        harvest.games += 1;
        harvest.results += f64::from(rest[0] + at(&play.gains, 0));
        let mix = self.settings.result;
        let mut samples = Vec::with_capacity(play.noted.len());
        for noted in play.noted.drain(..) {
            let value = |player: usize| {
                let result = rest[player] + at(&play.gains, player) - at(&noted.gains, player);
                let found = noted.values[player];
                if noted.exact { found } else { mix * result + (1.0 - mix) * found }
            };
            let values = (0..rest.len()).map(value).collect();
            let choices = noted
                .choices
                .into_iter()
                .map(|(player, moves, policy)| SampleChoice {
                    player: player as u8,
                    moves: moves.into(),
                    policy: policy.into(),
                })
                .collect();
            samples.push((noted.moves, Sample { state: noted.state, choices, values }));
        }
        // Images of the whole game are games, too: a symmetry maps the initial state to itself.
        let symmetries = Arc::clone(&self.symmetries);
        let images = self.settings.images.saturating_sub(1).min(symmetries.len());
        let mut order: Vec<usize> = (0..symmetries.len()).collect();
        self.rng.shuffle(&mut order);
        for &number in &order[..images] {
            self.image(&symmetries[number], &play.log, &samples, harvest, stop)?;
        }
        harvest.samples.extend(samples.into_iter().map(|(_, sample)| sample));
        play.log.clear();
        Ok(())
    }

    fn image(
        &mut self,
        symmetry: &Symmetry,
        log: &[Box<[Move]>],
        samples: &[(usize, Sample)],
        harvest: &mut Harvest,
        stop: &Stop,
    ) -> Result<(), Halt> {
        let roles = self.stepper.players().to_vec();
        let player = |player: usize| {
            let image = symmetry.of_role(roles[player]);
            roles.iter().position(|&role| role == image).unwrap_or(player)
        };
        self.stepper.reset();
        let mut made = 0;
        for (moves, sample) in samples {
            for joint in &log[made..*moves] {
                let mut image = vec![Move::IDLE; joint.len()];
                for (role, &choice) in joint.iter().enumerate() {
                    let to = symmetry.of_role(Role(role as u8)).index();
                    image[to] = symmetry.of_move(choice);
                }
                self.stepper.make(&image, stop)?;
            }
            made = *moves;
            let mut values = sample.values.clone();
            for (from, &value) in sample.values.iter().enumerate() {
                values[player(from)] = value;
            }
            let choices = sample
                .choices
                .iter()
                .map(|choice| SampleChoice {
                    player: player(usize::from(choice.player)) as u8,
                    moves: choice.moves.iter().map(|&one| symmetry.of_move(one)).collect(),
                    policy: choice.policy.clone(),
                })
                .collect();
            harvest.samples.push(Sample { state: self.stepper.state(), choices, values });
        }
        Ok(())
    }
}
