//! The shape of a policy-and-value network: which game it reads and what it computes.

use std::sync::Arc;

use magister_core::{Game, Halt, Information, Payment, Rng, StateObserver, Step, Stop};
use serde::{Deserialize, Serialize};

use super::matrix::Taps;
use crate::constant_sum::ConstantSum;
use crate::games::any::random_joint;

/// The most weights of the policy for each channel that it reads.
const POLICY: usize = 1 << 18;
/// The most channels that the policy reads of a cell.
const POLICY_CHANNELS: usize = 8;
/// The channels that the value reads of a cell.
const VALUE_CHANNELS: usize = 4;
/// The units of the hidden layer of the value.
const VALUE_HIDDEN: usize = 32;
/// The most weights of a network.
const MOST: usize = 1 << 26;

/// The kind of the body of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// Convolutions over the cells of the board; the other observations reach every cell.
    Conv,
    /// Dense layers over all observations.
    Mlp,
}

/// The size of the body of a network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Size {
    /// The kind; `None` takes convolutions if the game has a grid.
    pub form: Option<Form>,
    /// The channels of a cell; with dense layers, the units of a layer.
    pub channels: Option<usize>,
    /// The number of residual blocks.
    pub blocks: Option<usize>,
    /// Whether the usual number of channels is halved: the network answers faster, learns from more
    /// games in the same time, and makes a smaller file.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub small: bool,
}

/// The shape of a network.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Shape {
    /// The kind of its body.
    pub form: Form,
    /// The rows and columns of the grid; 1 and 1 for dense layers.
    pub grid: (usize, usize),
    /// The planes of the grid: values of a cell, for each board.
    pub planes: usize,
    /// The number of observations that are not on the grid.
    pub rest: usize,
    /// The channels of a cell.
    pub channels: usize,
    /// The number of residual blocks.
    pub blocks: usize,
    /// The channels of a cell that the policy reads.
    pub policy_channels: usize,
    /// The number of moves, and of policies: one for all roles, or one for each player if players
    /// may decide at the same time.
    pub moves: usize,
    /// See `moves`.
    pub policies: usize,
    /// The channels of a cell that the value reads.
    pub value_channels: usize,
    /// The units of the hidden layer of the value.
    pub hidden: usize,
    /// The number of values: 1 in two-player constant-sum games, otherwise one for each player.
    pub values: usize,
    /// The number of players.
    pub players: usize,
    /// The unit of unbounded rewards, by which they are divided.
    pub unit: u64,
}

/// What random games say about a game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Survey {
    /// Whether it is a two-player constant-sum game.
    pub(crate) opposed: bool,
    /// Whether several players may decide at the same time.
    pub(crate) simultaneous: bool,
    /// The mean number of decisions of a game.
    pub(crate) length: f64,
    /// The largest total of the gains of a player.
    gains: f64,
}

/// The number of random games, and of steps in one, for a survey.
const GAMES: usize = 40;
const LENGTH: usize = 2_000;

/// Plays random games.
pub(crate) fn survey(game: &Arc<dyn Game>, rng: &mut Rng) -> Result<Survey, Halt> {
    let info = game.info();
    let players: Vec<_> = info.players().collect();
    let mut worker = game.worker();
    let (mut step, mut joint) = (Step::new(), Vec::new());
    let (mut sums, mut simultaneous) = (ConstantSum::default(), false);
    let (mut decisions, mut gains) = (0_usize, 0.0_f64);
    for _ in 0..GAMES {
        worker.reset();
        let mut totals = vec![0.0; players.len()];
        for _ in 0..LENGTH {
            if worker.terminal() {
                break;
            }
            let deciding = players.iter().filter(|&&role| worker.legal(role).len() > 1).count();
            simultaneous |= deciding > 1;
            decisions += usize::from(deciding > 0);
            random_joint(&*worker, rng, &mut joint);
            worker.step(&joint, &mut step, &Stop::never())?;
            for (total, role) in totals.iter_mut().zip(&players) {
                *total += step.gains.get(role.index()).copied().unwrap_or(0.0);
            }
        }
        gains = totals.iter().fold(gains, |most, total| most.max(total.abs()));
        if worker.terminal() {
            sums.note(&*worker, &players);
        }
    }
    let opposed = sums.is_opposed(info);
    let length = decisions as f64 / GAMES as f64;
    Ok(Survey { opposed, simultaneous, length, gains })
}

impl Shape {
    /// The shape for a game, or why there is none.
    pub(crate) fn new(game: &Arc<dyn Game>, survey: &Survey, size: Size) -> Result<Self, String> {
        let info = game.info();
        if info.information == Information::Hidden {
            return Err(
                "this agent needs perfect information; train another kind of agent, which \
                        learns from views"
                    .to_owned(),
            );
        }
        let players = info.players().count();
        if players == 0 {
            return Err("the game has no players".to_owned());
        }
        let Some(moves) = info.moves else {
            return Err("this agent needs rules with a fixed list of moves".to_owned());
        };
        let observer = StateObserver::new(game);
        let inputs = observer.tensors().len();
        let board = observer.tensors().list().first().filter(|tensor| tensor.name == "board");
        let grid = board.and_then(|tensor| match tensor.shape[..] {
            [planes, rows, columns] if rows > 1 && columns > 1 => Some((planes, rows, columns)),
            _ => None,
        });
        let form = size.form.unwrap_or(if grid.is_some() { Form::Conv } else { Form::Mlp });
        let (planes, rows, columns) = match (form, grid) {
            (Form::Conv, Some(grid)) => grid,
            (Form::Conv, None) => {
                return Err(
                    "the game has no grid for convolutions; use a net of dense layers".to_owned()
                );
            }
            (Form::Mlp, _) => (0, 1, 1),
        };
        let cells = rows * columns;
        let usual = if form == Form::Conv { 32 } else { 128 };
        let channels = size.channels.unwrap_or(if size.small { usual / 2 } else { usual });
        let blocks = size.blocks.unwrap_or(2);
        if !(1..=1024).contains(&channels) || blocks > 64 {
            return Err("a net has from 1 to 1024 channels and up to 64 blocks".to_owned());
        }
        let policies = if survey.simultaneous { players } else { 1 };
        let outputs = (moves as usize).max(1) * policies;
        let (policy_channels, value_channels) = match form {
            Form::Conv => {
                let most = POLICY / (cells * outputs).max(1);
                (most.clamp(1, POLICY_CHANNELS), VALUE_CHANNELS)
            }
            Form::Mlp => (channels, channels.min(64)),
        };
        let shape = Shape {
            form,
            grid: (rows, columns),
            planes,
            rest: inputs - planes * cells,
            channels,
            blocks,
            policy_channels,
            moves: moves as usize,
            policies,
            value_channels,
            hidden: VALUE_HIDDEN,
            values: if survey.opposed { 1 } else { players },
            players,
            unit: if info.payment == Payment::OnTheWay {
                survey.gains.ceil().max(1.0) as u64
            } else {
                1
            },
        };
        if !shape.sound() {
            return Err("the game has too many observations or moves for a net".to_owned());
        }
        Ok(shape)
    }

    /// Whether the numbers are possible; for shapes that were read from a file.
    pub(crate) fn sound(&self) -> bool {
        let small = |number: usize| number <= 1 << 20;
        let all = [
            self.grid.0,
            self.grid.1,
            self.planes,
            self.rest,
            self.channels,
            self.blocks,
            self.policy_channels,
            self.moves,
            self.policies,
            self.value_channels,
            self.hidden,
            self.values,
            self.players,
        ];
        all.into_iter().all(small)
            && self.cells() > 0
            && small(self.cells())
            && self.channels > 0
            && self.policy_channels > 0
            && self.value_channels > 0
            && self.hidden > 0
            && self.unit > 0
            && self.blocks <= 64
            && self.policies > 0
            && (self.values == 1 && self.players == 2 || self.values == self.players)
            && self.parts().iter().map(|part| part.len as u128).sum::<u128>() <= MOST as u128
    }

    /// The number of cells of the grid.
    pub fn cells(&self) -> usize {
        self.grid.0.saturating_mul(self.grid.1)
    }

    /// The number of observations.
    pub fn inputs(&self) -> usize {
        self.planes * self.cells() + self.rest
    }

    /// The neighbours in the body.
    pub(crate) fn taps(&self) -> Taps {
        match self.form {
            Form::Conv => Taps::grid(self.grid.0, self.grid.1),
            Form::Mlp => Taps::single(1),
        }
    }

    /// All tensors of weights, in order.
    pub(crate) fn parts(&self) -> Vec<Part> {
        let mut parts = Vec::new();
        let mut at = 0_usize;
        let mut add = |name: String, shape: Vec<usize>, reach: usize| {
            let len = shape.iter().fold(1_usize, |all, &axis| all.saturating_mul(axis));
            parts.push(Part { name, shape, at, len, reach });
            at = at.saturating_add(len);
        };
        let taps = if self.form == Form::Conv { 9 } else { 1 };
        let (cells, c) = (self.cells(), self.channels);
        if self.planes > 0 {
            add("input.board".to_owned(), vec![taps, self.planes, c], taps);
        }
        // Few of these observations are set at a time.
        add("input.rest".to_owned(), vec![self.rest, c], 1 + self.rest.min(32));
        add("input.bias".to_owned(), vec![c], 0);
        for block in 0..self.blocks {
            for layer in ["first", "second"] {
                // The second layer begins with zeros, so that a block begins as the identity.
                let reach = if layer == "first" { taps * c } else { 0 };
                add(format!("block{block}.{layer}"), vec![taps, c, c], reach);
                add(format!("block{block}.{layer}.bias"), vec![c], 0);
            }
        }
        add("policy.cells".to_owned(), vec![c, self.policy_channels], c);
        add("policy.cells.bias".to_owned(), vec![self.policy_channels], 0);
        let flat = cells * self.policy_channels;
        // The policy begins as uniform.
        add("policy.moves".to_owned(), vec![self.policies * self.moves, flat], 0);
        add("policy.moves.bias".to_owned(), vec![self.policies * self.moves], 0);
        add("value.cells".to_owned(), vec![c, self.value_channels], c);
        add("value.cells.bias".to_owned(), vec![self.value_channels], 0);
        let flat = cells * self.value_channels;
        add("value.hidden".to_owned(), vec![flat, self.hidden], flat);
        add("value.hidden.bias".to_owned(), vec![self.hidden], 0);
        add("value.out".to_owned(), vec![self.hidden, self.values], self.hidden * 4);
        add("value.out.bias".to_owned(), vec![self.values], 0);
        parts
    }
}

/// A tensor of weights.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) name: String,
    pub(crate) shape: Vec<usize>,
    /// Where it begins among all weights.
    pub(crate) at: usize,
    /// The number of its weights.
    pub(crate) len: usize,
    /// The number of inputs of one of its outputs, which determines the size of random weights; 0
    /// for weights that begin as zero.
    pub(crate) reach: usize,
}
