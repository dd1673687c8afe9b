//! Computes the value of a position from the values of its successors.

use magister_core::{Move, Rng, Role};

use crate::choices::Choices;
use crate::matrix::{regret_matching, zero_sum};

/// What a player assumes about the goals of the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outlook {
    /// Every role maximises its own reward (max-n). An indifferent role chooses the move that is
    /// worst for the searching player. Simultaneous moves of two roles whose payoffs have a
    /// constant sum are a zero-sum matrix game, which is solved exactly; all others use regret
    /// matching.
    Selfish,
    /// All others minimise the reward of the searching player (paranoid; minimax in two-player
    /// constant-sum games). Simultaneous moves are a zero-sum matrix game against all others
    /// together, which is solved exactly.
    Hostile,
    /// All others maximise the reward of the searching player.
    Kind,
}

/// The value of a position, and how to play it.
#[derive(Clone, Debug, Default)]
pub struct Verdict {
    /// The value for each role.
    pub values: Vec<f64>,
    /// For each actor, the probability of each of its moves.
    pub mixtures: Vec<Vec<f64>>,
}

/// Differences below this count as zero.
const TINY: f64 = 1e-9;

/// The value of a position, given the values of each profile of its actors.
pub fn combine(choices: &Choices, cells: &[Vec<f64>], outlook: Outlook, me: Role) -> Verdict {
    let own = |cell: &Vec<f64>| cell[me.index()];
    match (outlook, choices.actors()) {
        (_, []) => Verdict { values: cells.first().cloned().unwrap_or_default(), mixtures: vec![] },
        (Outlook::Kind, _) => pure(choices, cells, best(cells, own)),
        (Outlook::Hostile, [actor]) if *actor == me => pure(choices, cells, best(cells, own)),
        (Outlook::Hostile, actors) if !actors.contains(&me) => {
            pure(choices, cells, best(cells, |cell| -own(cell)))
        }
        (Outlook::Hostile, _) => against_all(choices, cells, me),
        (Outlook::Selfish, [actor]) => {
            let most = cells.iter().map(|cell| cell[actor.index()]).fold(f64::MIN, f64::max);
            let worst_for_me = |cell: &Vec<f64>| {
                if cell[actor.index()] < most - TINY { f64::NEG_INFINITY } else { -own(cell) }
            };
            pure(choices, cells, best(cells, worst_for_me))
        }
        (Outlook::Selfish, [one, two]) if opposed(cells, *one, *two) => {
            let (rows, columns) = (choices.moves(*one).len(), choices.moves(*two).len());
            let cell = |row: usize, column: usize| cells[row * columns + column][one.index()];
            let first = zero_sum(rows, columns, cell).rows;
            let second = zero_sum(columns, rows, |column, row| -cell(row, column)).rows;
            mixed(choices, cells, vec![first, second])
        }
        (Outlook::Selfish, actors) => {
            let counts: Vec<usize> =
                actors.iter().map(|&actor| choices.moves(actor).len()).collect();
            let (mixtures, _) = regret_matching(&counts, |picks, player| {
                cells[choices.profile(picks)][actors[player].index()]
            });
            mixed(choices, cells, mixtures)
        }
    }
}

/// Whether the payoffs of two roles always add up to the same sum.
pub(crate) fn opposed(cells: &[Vec<f64>], one: Role, two: Role) -> bool {
    let sum = |cell: &Vec<f64>| cell[one.index()] + cell[two.index()];
    let first = cells.first().map_or(0.0, sum);
    cells.iter().all(|cell| (sum(cell) - first).abs() < TINY)
}

/// The first of the best cells.
fn best(cells: &[Vec<f64>], value: impl Fn(&Vec<f64>) -> f64) -> usize {
    let better = |best: (usize, f64), (at, cell): (usize, &Vec<f64>)| {
        let value = value(cell);
        if value > best.1 { (at, value) } else { best }
    };
    cells.iter().enumerate().fold((0, f64::NEG_INFINITY), better).0
}

/// All roles play the moves of one profile.
fn pure(choices: &Choices, cells: &[Vec<f64>], profile: usize) -> Verdict {
    let one = |(&role, pick): (&Role, usize)| {
        let mut mixture = vec![0.0; choices.moves(role).len()];
        mixture[pick] = 1.0;
        mixture
    };
    let picks = choices.picks(profile);
    let mixtures = choices.actors().iter().zip(picks).map(one).collect();
    Verdict { values: cells[profile].clone(), mixtures }
}

/// All roles mix independently.
fn mixed(choices: &Choices, cells: &[Vec<f64>], mixtures: Vec<Vec<f64>>) -> Verdict {
    let mut values = vec![0.0; cells.first().map_or(0, Vec::len)];
    for (profile, cell) in cells.iter().enumerate() {
        let picks = choices.picks(profile);
        let likely: f64 = mixtures.iter().zip(picks).map(|(mixture, pick)| mixture[pick]).product();
        values.iter_mut().zip(cell).for_each(|(value, cell)| *value += likely * cell);
    }
    Verdict { values, mixtures }
}

/// One role against all others, which act as one player.
fn against_all(choices: &Choices, cells: &[Vec<f64>], me: Role) -> Verdict {
    let rows = choices.moves(me).len();
    let columns = cells.len() / rows.max(1);
    let place = choices.actors().iter().position(|&actor| actor == me).unwrap_or(0);
    // For each of my moves, the profiles that contain it.
    let mut profiles = vec![Vec::with_capacity(columns); rows];
    for profile in 0..cells.len() {
        profiles[choices.picks(profile)[place]].push(profile);
    }
    let payoff = |row: usize, column: usize| cells[profiles[row][column]][me.index()];
    let solution = zero_sum(rows, columns, payoff);
    let mut values = vec![0.0; cells.first().map_or(0, Vec::len)];
    values[me.index()] = solution.value;
    let mut mixtures: Vec<Vec<f64>> = choices
        .actors()
        .iter()
        .map(|&role| vec![1.0 / choices.moves(role).len() as f64; choices.moves(role).len()])
        .collect();
    mixtures[place] = solution.rows;
    Verdict { values, mixtures }
}

/// Draws one of several moves by probability.
pub fn draw(moves: &[Move], mixture: &[f64], rng: &mut Rng) -> Move {
    let mut rest = rng.f64() * mixture.iter().sum::<f64>();
    for (&choice, &share) in moves.iter().zip(mixture) {
        rest -= share;
        if rest < 0.0 {
            return choice;
        }
    }
    // The rounding error belongs to the last move with positive probability.
    let last = mixture.iter().rposition(|&share| share > 0.0).unwrap_or(0);
    moves.get(last).copied().unwrap_or(Move::IDLE)
}
