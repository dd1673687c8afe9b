//! From a game and a recipe to a learned agent.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;

use magister_core::{Game, Halt, Seed};

use crate::cells::{CellMap, Observe, Survey, has_board, survey};
use crate::driver::{Chain, Plan, Progress, train};
use crate::environment::{CellLayout, Cells};
use crate::file::{AgentFile, FileError, Header, Reading, Strength, VALUES_VERSION};
use crate::games::actions::Actions;
use crate::games::any::AnyGame;
use crate::games::connect_four::ConnectFour;
use crate::games::tictactoe::TicTacToe;
use crate::games::twenty48::Twenty48;
use crate::games::views::{ViewReader, Views, survey_views};
use crate::net::Net;
use crate::nibbles::Nibbles;
use crate::ntuple::{NTuple, Shape};
use crate::recipe::{Kind, Recipe, Rule};
use crate::recognise::recognise;
use crate::sound::{self, slots};
use crate::tuples::entries;
use crate::weights::Adaptive;

/// A value function together with its way of reading states.
pub struct Learner {
    game: Arc<dyn Game>,
    header: Header,
    body: Body,
    map: Option<Arc<CellMap>>,
}

impl fmt::Debug for Learner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Learner").field("header", &self.header).finish_non_exhaustive()
    }
}

#[derive(Debug)]
pub(crate) enum Body {
    Board(NTuple),
    Net(Net),
    Tiles(Nibbles),
}

/// Why a game cannot be learned.
#[derive(Debug)]
#[non_exhaustive]
pub enum TrainError {
    /// The game cannot be played.
    Halt(Halt),
    /// The recipe does not fit the game; the text says why.
    Recipe(String),
    /// The file does not fit.
    File(FileError),
}

impl fmt::Display for TrainError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TrainError::Halt(halt) => write!(f, "{halt}"),
            TrainError::Recipe(why) => f.write_str(why),
            TrainError::File(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for TrainError {}

impl From<Halt> for TrainError {
    fn from(halt: Halt) -> Self {
        TrainError::Halt(halt)
    }
}

/// How the states of a game are best read, determined before a recipe is chosen.
#[derive(Debug)]
pub struct Sight {
    reading: Reading,
    map: Option<Arc<CellMap>>,
    opposed: bool,
}

impl Sight {
    /// Determines how to read a game. With `fast`, the game may be recognised as one that has a
    /// fast environment.
    pub fn new(game: &Arc<dyn Game>, fast: bool, seed: u64) -> Result<Self, TrainError> {
        let mut rng = Seed::from(seed).derive("survey").rng();
        if game.info().information == magister_core::Information::Hidden {
            let (plan, opposed) = survey_views(game, &mut rng)?;
            return Ok(Sight { reading: Reading::Views(plan), map: None, opposed });
        }
        if fast && let Some((reading, _)) = recognise(game) {
            let opposed = reading != Reading::Twenty48;
            return Ok(Sight { reading, map: None, opposed });
        }
        Ok(Sight::found(survey(game, Observe::All, &mut rng)?))
    }

    /// Reads only this part of the positions of a game with perfect information.
    pub fn observing(game: &Arc<dyn Game>, part: Observe, seed: u64) -> Result<Self, TrainError> {
        if game.info().information == magister_core::Information::Hidden {
            return Err(TrainError::Recipe(
                "the game hides information, and a view has no board: leave out --observe"
                    .to_owned(),
            ));
        }
        if part == Observe::Board && !has_board(game) {
            return Err(TrainError::Recipe(
                "no board was recognised in this game: choose --observe facts".to_owned(),
            ));
        }
        Ok(Sight::found(survey(game, part, &mut Seed::from(seed).derive("survey").rng())?))
    }

    fn found(found: Survey) -> Self {
        let map = Arc::new(found.map);
        let reading = Reading::Cells(map.plan().clone());
        Sight { reading, map: Some(map), opposed: found.opposed }
    }

    /// How states are read.
    pub fn reading(&self) -> &Reading {
        &self.reading
    }

    /// The layout of the cells.
    pub fn layout(&self) -> CellLayout {
        sound::layout(&self.reading)
    }
}

impl Learner {
    /// The number of weights that [`Learner::new`] would allocate, at most. Tables that symmetries
    /// share are counted once for each tuple.
    pub fn most_weights(
        game: &dyn Game,
        sight: &Sight,
        recipe: &Recipe,
        seed: u64,
    ) -> Result<u64, TrainError> {
        let players = game.info().players().count();
        let layout = sight.layout();
        let slots = slots(game, &sight.reading, recipe);
        let heads = players.max(1);
        if recipe.kind == Kind::Net {
            return Ok(Net::size(&layout, slots, heads, recipe.hidden) as u64);
        }
        let mut rng = Seed::from(seed).derive("tuples").rng();
        let tuples = recipe.tuples.choose(&layout, &mut rng).map_err(TrainError::Recipe)?;
        let one: u64 = tuples.iter().map(|tuple| entries(&layout, tuple)).sum();
        let heads = if sight.opposed || recipe.settings.chain == Chain::Own { 1 } else { heads };
        Ok(one.saturating_mul((slots * heads) as u64))
    }

    /// An untrained value function.
    pub fn new(
        game: &Arc<dyn Game>,
        sight: Sight,
        recipe: Recipe,
        seed: u64,
    ) -> Result<Self, TrainError> {
        let players = game.info().players().count();
        recipe.check(players, sight.opposed).map_err(TrainError::Recipe)?;
        let layout = sight.layout();
        let mut rng = Seed::from(seed).derive("tuples").rng();
        let tuples = if recipe.kind == Kind::Net {
            Vec::new()
        } else {
            recipe.tuples.choose(&layout, &mut rng).map_err(TrainError::Recipe)?
        };
        if matches!(sight.reading, Reading::Views(_)) && recipe.rule == Rule::Td {
            return Err(TrainError::Recipe(
                "the game hides information, so moves are learned: choose SARSA or Q-learning"
                    .to_owned(),
            ));
        }
        let moves = game.info().moves.unwrap_or(0) as usize;
        if recipe.rule != Rule::Td && moves == 0 {
            return Err(TrainError::Recipe(
                "SARSA and Q-learning need rules with a fixed list of moves".to_owned(),
            ));
        }
        let slots = slots(game.as_ref(), &sight.reading, &recipe);
        let mut header = Header {
            version: VALUES_VERSION,
            game: game.info().name.clone(),
            rules_hash: game.info().rules_hash.clone(),
            reading: sight.reading,
            tuples,
            slots,
            heads: 1,
            players,
            opposed: sight.opposed,
            games: 0,
            moves: 0,
            seed,
            weights: 0,
            strengths: Vec::new(),
            recipe,
        };
        header.heads = sound::heads(&header);
        let body = Body::new(&header, &layout, None)?;
        header.weights = body.len() as u64;
        Ok(Learner { game: Arc::clone(game), header, body, map: sight.map })
    }

    /// The value function of a file, for a game with the same rules.
    pub fn open(game: &Arc<dyn Game>, file: AgentFile) -> Result<Self, FileError> {
        file.suits(game)?;
        let AgentFile { header, weights, sums } = file;
        let map = match &header.reading {
            Reading::Cells(plan) => {
                let map = CellMap::new(game, plan.clone());
                Some(Arc::new(map.ok_or(FileError::Damaged("its map of cells"))?))
            }
            _ => None,
        };
        let layout = sound::layout(&header.reading);
        if let Reading::Views(plan) = &header.reading
            && ViewReader::new(game, plan.clone()).is_none()
        {
            return Err(FileError::Damaged("its map of views"));
        }
        let body = Body::new(&header, &layout, Some((&weights, sums.as_deref())))
            .map_err(|_| FileError::Damaged("its tuples or weights do not fit its board"))?;
        Ok(Learner { game: Arc::clone(game), header, body, map })
    }

    /// Its description, as in a file.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Notes its strength, until it learns more.
    pub fn note(&mut self, strengths: Vec<Strength>) {
        self.header.strengths = strengths;
    }

    pub(crate) fn body(&self) -> &Body {
        &self.body
    }

    pub(crate) fn map(&self) -> Option<&Arc<CellMap>> {
        self.map.as_ref()
    }

    /// The value function as a file.
    pub fn file(&self) -> AgentFile {
        let (weights, sums) = self.body.values();
        AgentFile { header: self.header.clone(), weights, sums }
    }

    /// Trains it by self-play. `share` receives the progress; see [`train`].
    pub fn train(
        &mut self,
        plan: &Plan,
        share: &(dyn Fn(&Progress) -> ControlFlow<(), f64> + Sync),
    ) -> Result<Progress, TrainError> {
        let plan_of = Plan { before: self.header.games, ..*plan };
        let recipe = &self.header.recipe;
        let settings = &recipe.settings;
        let moves = self.game.info().moves.filter(|_| recipe.rule != Rule::Td);
        let done = match (&self.header.reading, &self.body) {
            (Reading::Twenty48, Body::Tiles(tiles)) => {
                let env = Twenty48::default();
                train(&|| env.clone(), tiles, settings, &plan_of, share)?
            }
            (Reading::Twenty48, _) => {
                let env = Twenty48::default();
                run(&|| env.clone(), &self.body, settings, moves, &plan_of, share)?
            }
            (Reading::ConnectFour, _) => {
                run(&|| ConnectFour, &self.body, settings, moves, &plan_of, share)?
            }
            (Reading::Tictactoe, _) => {
                run(&|| TicTacToe, &self.body, settings, moves, &plan_of, share)?
            }
            (Reading::Views(plan), _) => {
                let first = Views::new(&self.game, plan.clone(), self.header.opposed);
                let source = std::sync::Mutex::new(first.ok_or(Halt::BadState)?);
                let make = || match source.lock() {
                    Ok(first) => first.clone(),
                    Err(poisoned) => poisoned.into_inner().clone(),
                };
                // Its afterstates already are pairs of a view and a move.
                run(&make, &self.body, settings, None, &plan_of, share)?
            }
            (Reading::Cells(_), _) => {
                let Some(map) = &self.map else { return Err(Halt::BadState.into()) };
                // Created once here, so that a game that cannot be played gives an error and not a
                // panic.
                let first = AnyGame::new(&self.game, map, self.header.opposed)?;
                let first = first.sampling(settings.sampled);
                let source = std::sync::Mutex::new(first);
                let make = || match source.lock() {
                    Ok(first) => first.clone(),
                    Err(poisoned) => poisoned.into_inner().clone(),
                };
                run(&make, &self.body, settings, moves, &plan_of, share)?
            }
        };
        self.header.strengths.clear();
        self.header.games = done.games;
        self.header.moves += done.moves;
        Ok(done)
    }
}

fn run<E: Cells>(
    environment: &(dyn Fn() -> E + Sync),
    body: &Body,
    settings: &crate::driver::Settings,
    moves: Option<u32>,
    plan: &Plan,
    share: &(dyn Fn(&Progress) -> ControlFlow<(), f64> + Sync),
) -> Result<Progress, Halt> {
    let actions = || Actions::new(environment(), moves.unwrap_or(1));
    match (body, moves) {
        (Body::Board(network), None) => train(environment, network, settings, plan, share),
        (Body::Board(network), Some(_)) => train(&actions, network, settings, plan, share),
        (Body::Net(net), None) => train(environment, net, settings, plan, share),
        (Body::Net(net), Some(_)) => train(&actions, net, settings, plan, share),
        (Body::Tiles(_), _) => Err(Halt::BadState),
    }
}

impl Body {
    /// The value function that a header describes, untrained or with these weights.
    fn new(
        header: &Header,
        layout: &CellLayout,
        values: Option<(&[f32], Option<&[f32]>)>,
    ) -> Result<Self, TrainError> {
        let Recipe { kind, steps, symmetric, initial, hidden, .. } = &header.recipe;
        let (slots, heads) = (header.slots, header.heads);
        let unfit = || TrainError::Recipe("the weights do not fit".to_owned());
        if *kind == Kind::Net {
            let net = match values {
                None => {
                    let mut rng = Seed::from(header.seed).derive("net").rng();
                    Net::random(layout, slots, heads, *hidden, &mut rng)
                }
                Some((weights, _)) => {
                    if weights.len() != Net::size(layout, slots, heads, *hidden) {
                        return Err(unfit());
                    }
                    Net::of(layout, slots, *hidden, weights)
                }
            };
            return Ok(Body::Net(net));
        }
        let mut body = if header.reading == Reading::Twenty48 && *symmetric {
            let tiles = Nibbles::new(header.tuples.clone(), *initial, *steps);
            Body::Tiles(tiles.map_err(TrainError::Recipe)?)
        } else {
            let shape = Shape::new(layout, header.tuples.clone(), *symmetric)
                .map_err(TrainError::Recipe)?;
            let size = (shape.size as u64).saturating_mul((slots * heads) as u64);
            if size > crate::tuples::LARGEST_NETWORK {
                return Err(TrainError::Recipe(format!(
                    "the network needs {size} weights for {slots} slots of {heads} values; use \
                     fewer or shorter tuples"
                )));
            }
            Body::Board(NTuple::new(shape, slots, heads, *initial, *steps))
        };
        if let Some((weights, sums)) = values {
            if body.len() != weights.len() {
                return Err(unfit());
            }
            let loaded = if let Body::Tiles(tiles) = &body {
                let sums = sums.map(|sums| tiles.by_place(sums, 2));
                Adaptive::of(&tiles.by_place(weights, 1), sums.as_deref(), *steps)
            } else {
                Adaptive::of(weights, sums, *steps)
            };
            let loaded = loaded.ok_or_else(unfit)?;
            match &mut body {
                Body::Board(network) => network.weights = loaded,
                Body::Tiles(tiles) => tiles.weights = loaded,
                Body::Net(_) => {}
            }
        }
        Ok(body)
    }

    fn len(&self) -> usize {
        match self {
            Body::Board(network) => network.weights.len(),
            Body::Tiles(tiles) => tiles.weights.len(),
            Body::Net(net) => net.weights.len(),
        }
    }

    fn values(&self) -> (Vec<f32>, Option<Vec<f32>>) {
        match self {
            Body::Board(network) => (network.weights.values(), network.weights.sums()),
            Body::Tiles(tiles) => {
                let sums = tiles.weights.sums().map(|sums| tiles.by_digits(&sums, 2));
                (tiles.by_digits(&tiles.weights.values(), 1), sums)
            }
            Body::Net(net) => (net.weights.values(), None),
        }
    }
}
