//! Decomposition search: the value of a game and its best first moves, from its parts.

use std::sync::Arc;

use magister_core::{Budget, Halt, Move, Role, Stop};
use magister_engine::Compiled;
use magister_engine::network::Network;
use magister_solve::{Solution, SolveLimits, Unsolved};

use crate::abstracted::Dynamics;
use crate::decomposition::Decomposition;
use crate::impartial::Impartial;
use crate::product::Product;
use crate::search::Search;
use crate::sum::{Sizes, Sum};

/// How a game was solved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Method {
    /// By nimbers.
    Nimbers,
    /// As a sum: bisimulation classes, with dominated options pruned.
    Sum,
    /// As a product: bisimulation classes under labelled actions.
    Product,
}

impl Method {
    /// Its name in output.
    pub fn name(self) -> &'static str {
        match self {
            Method::Nimbers => "nimbers",
            Method::Sum => "sum",
            Method::Product => "product",
        }
    }
}

/// A game solved by its parts.
#[derive(Clone, Debug)]
pub struct Solved {
    /// The method.
    pub method: Method,
    /// The value for each role.
    pub value: Vec<f64>,
    /// The initial moves of each role that has a choice, with their values for it if known.
    pub first: Vec<(Role, Move, Option<f64>)>,
    /// The best of these moves.
    pub best: Vec<(Role, Move)>,
    /// The number of states of the quotient that were evaluated.
    pub states: usize,
    /// States and classes of the parts.
    pub sizes: Sizes,
    /// The nimbers, if the game was solved by them.
    pub nimbers: Option<Vec<u32>>,
}

/// Why a game was not solved by its parts.
#[derive(Clone, PartialEq, Debug)]
pub enum NotSolved {
    /// The parts are too large, or the work was stopped.
    Halt(Halt),
    /// The product is too large, or has no value.
    Unsolved(Unsolved),
}

impl std::fmt::Display for NotSolved {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NotSolved::Halt(halt) => halt.fmt(f),
            NotSolved::Unsolved(why) => why.fmt(f),
        }
    }
}

impl From<Halt> for NotSolved {
    fn from(halt: Halt) -> Self {
        NotSolved::Halt(halt)
    }
}

/// Solves a game by its parts.
pub fn solve(
    compiled: &Compiled,
    whole: &Decomposition,
    limits: &SolveLimits,
    stop: &Stop,
) -> Result<Solved, NotSolved> {
    let sum = match &whole.sum {
        Some(sum) => Ok(sum.clone()),
        None => Sum::new(compiled, whole, stop),
    };
    match sum {
        Ok(sum) => solve_sum(compiled, whole, sum, limits, stop),
        Err(Halt::Stopped) => Err(Halt::Stopped.into()),
        Err(_) => solve_product(compiled, whole, limits, stop),
    }
}

/// The initial moves of the game as moves of a sum: the part, and the class that the move leads to.
fn first_moves(
    network: &Network,
    whole: &Decomposition,
    sum: &Sum,
) -> Vec<(Role, Move, usize, u32)> {
    let mut values = vec![true; network.graph.len()];
    values[1..].fill(false);
    values[1..=network.fluents()].copy_from_slice(&network.initial);
    let read = |values: &[bool], edge: magister_engine::network::Edge| {
        values[edge.node().index()] != edge.negated()
    };
    for node in network.graph.gate_nodes() {
        values[node.index()] = network.graph.children(node).iter().all(|&e| read(&values, e));
    }
    let mut found = Vec::new();
    for (place, &(role, choice)) in network.moves.iter().enumerate() {
        let [(part, class)] = whole.classes_of_moves[place][..] else { continue };
        if !read(&values, network.legal[place]) {
            continue;
        }
        let local = &sum.locals[part as usize];
        let mut label = vec![0; network.roles()];
        label[role.index()] = class;
        let number = local.labels.iter().position(|other| **other == label[..]);
        let target = number
            .and_then(|number| local.next[0].iter().find(|&&(label, _)| label as usize == number));
        if let Some(&(_, target)) = target {
            found.push((role, choice, part as usize, sum.class_of[part as usize][target as usize]));
        }
    }
    found
}

fn solve_sum(
    compiled: &Compiled,
    whole: &Decomposition,
    mut sum: Sum,
    limits: &SolveLimits,
    stop: &Stop,
) -> Result<Solved, NotSolved> {
    let network: &Network = compiled.network();
    if let Ok(impartial) = Impartial::new(&sum) {
        return Ok(by_nimbers(network, whole, &sum, &impartial));
    }
    sum.prune();
    let first = first_moves(network, whole, &sum);
    let start = Dynamics::start(&sum);
    let mut solved = Solved {
        method: Method::Sum,
        value: Vec::new(),
        first: Vec::new(),
        best: Vec::new(),
        states: 0,
        sizes: sum.sizes,
        nimbers: None,
    };
    let sum = Arc::new(sum);
    if let Some(mut search) = Search::new(&sum, limits.nodes) {
        let value = search.value(&start, stop)?;
        let total = sum.total();
        solved.value = vec![value, total - value];
        for (role, choice, part, class) in first {
            let value = search.value(&sum.after_first(part, class), stop)?;
            let own = if role == Role(0) { value } else { total - value };
            solved.first.push((role, choice, Some(own)));
        }
        solved.states = search.states();
    } else {
        let game = sum.game();
        let solution = solution(&*game, limits, stop)?;
        solved.value = solution.value().to_vec();
        solved.states = solution.positions();
        for (role, choice, part, class) in first {
            let after = sum.after_first(part, class);
            let value = solution.values(&after).map(|values| values[role.index()]);
            solved.first.push((role, choice, value));
        }
    }
    solved.choose();
    Ok(solved)
}

fn by_nimbers(
    network: &Network,
    whole: &Decomposition,
    sum: &Sum,
    impartial: &Impartial,
) -> Solved {
    let winning = impartial.winning(sum);
    let wins = impartial.wins(&impartial.heaps);
    let mover = sum.first_mover();
    let (low, high) = sum.outcomes.bounds().unwrap_or((0.0, 100.0));
    let mut value = vec![low; 2];
    value[if wins { mover } else { 1 - mover }] = high;
    let mut solved = Solved {
        method: Method::Nimbers,
        value,
        first: Vec::new(),
        best: Vec::new(),
        states: sum.sizes.classes,
        sizes: sum.sizes,
        nimbers: Some(impartial.heaps.clone()),
    };
    for (role, choice, part, class) in first_moves(network, whole, sum) {
        let good = winning.iter().any(|one| one.part == part && one.class == class);
        solved.first.push((role, choice, Some(if good { high } else { low })));
    }
    solved.choose();
    solved
}

pub(crate) fn solution(
    game: &dyn magister_core::Game,
    limits: &SolveLimits,
    stop: &Stop,
) -> Result<Solution, NotSolved> {
    let me = game.info().players().next().unwrap_or(Role(0));
    let mut budget = Budget::until(stop.clone());
    Solution::of_game(game, me, limits, &mut budget).map_err(NotSolved::Unsolved)
}

fn solve_product(
    compiled: &Compiled,
    whole: &Decomposition,
    limits: &SolveLimits,
    stop: &Stop,
) -> Result<Solved, NotSolved> {
    let mut product = Product::new(compiled, whole, stop)?;
    product.prune(compiled.network());
    let product = Arc::new(product);
    let game = product.game();
    let solution = solution(&*game, limits, stop)?;
    let start = Dynamics::start(&*product);
    let mut solved = Solved {
        method: Method::Product,
        value: solution.value().to_vec(),
        first: Vec::new(),
        best: Vec::new(),
        states: solution.positions(),
        sizes: product.sizes,
        nimbers: None,
    };
    for role in game.info().players() {
        for one in solution.moves(&start, role).unwrap_or_default() {
            solved.first.push((role, one.choice, one.value));
            if one.value.is_none() && one.likely > 0.0 {
                solved.best.push((role, one.choice));
            }
        }
    }
    solved.choose();
    Ok(solved)
}

impl Solved {
    /// Collects the best of the initial moves whose values are known.
    fn choose(&mut self) {
        let roles: Vec<Role> = self.first.iter().map(|&(role, ..)| role).collect();
        for (at, &role) in roles.iter().enumerate() {
            if roles[..at].contains(&role) {
                continue;
            }
            let own = || self.first.iter().filter(move |one| one.0 == role);
            let best = own().filter_map(|one| one.2).reduce(f64::max);
            let good: Vec<(Role, Move)> = own()
                .filter(|one| one.2.is_some_and(|value| best.is_some_and(|b| value >= b - 1e-9)))
                .map(|one| (one.0, one.1))
                .collect();
            self.best.extend(good);
        }
    }
}
