//! The cells of any game: those of its board, and groups of fluents that never hold together.

use std::collections::BTreeMap;
use std::sync::Arc;

use magister_core::{Game, Halt, Planes, Rng, StateObserver, Step, Stop};
use serde::{Deserialize, Serialize};

use crate::constant_sum::ConstantSum;
use crate::environment::CellLayout;
use crate::games::any::random_joint;

/// The maximum number of values of a cell.
const VALUES: usize = 250;
/// The maximum number of entries that are grouped.
const GROUPED: usize = 4_096;
/// The maximum number of cells.
const CELLS: usize = 4_000;
/// The maximum number of steps of an examined game.
const LENGTH: usize = 500;
/// The number of random games that are examined, and the maximum number of states.
const GAMES: usize = 200;
const STATES: usize = 4_000;

/// Maps the entries of an observation to values of cells. It is saved with the learned weights.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CellPlan {
    /// For each entry of the observation, its cell and value; value 0 for entries that are not
    /// used.
    places: Vec<(u16, u8)>,
    /// For each cell, the number of its values.
    values: Vec<u8>,
    neighbours: Vec<Vec<u16>>,
    symmetries: Vec<Vec<u16>>,
}

/// Reads states of a game as cells.
#[derive(Clone, Debug)]
pub struct CellMap {
    observer: StateObserver,
    plan: CellPlan,
    layout: CellLayout,
}

/// The results of a survey of a game by random play.
#[derive(Debug)]
pub struct Survey {
    /// How its states are read.
    pub map: CellMap,
    /// Whether the rewards of two players always have the same sum.
    pub opposed: bool,
    /// The mean number of steps of a random game.
    pub length: f64,
}

/// Plays random games to find cells that distinguish the states of a game.
///
/// The cells of a recognised board are used as they are. Other fluents that never held at the same
/// time in these games form one cell together.
pub fn survey(game: &Arc<dyn Game>, part: Observe, rng: &mut Rng) -> Result<Survey, Halt> {
    let observer = StateObserver::new(game);
    let mut seen: Vec<Vec<u32>> = Vec::new();
    let mut sums = ConstantSum::default();
    let (mut steps, mut games) = (0_usize, 0_usize);
    let mut worker = game.worker();
    let (mut step, mut joint, mut words) = (Step::new(), Vec::new(), Vec::new());
    let mut row = vec![0.0; observer.tensors().len()];
    let players: Vec<_> = game.info().players().collect();
    while games < GAMES && (seen.len() < STATES || games < 20) {
        worker.reset();
        games += 1;
        for _ in 0..LENGTH {
            if worker.terminal() {
                break;
            }
            if seen.len() < STATES {
                worker.save(&mut words);
                observer.write(&words, &mut row);
                let active = (0..).zip(&row).filter(|(_, number)| **number != 0.0);
                seen.push(active.map(|(place, _)| place).collect());
            }
            random_joint(&*worker, rng, &mut joint);
            worker.step(&joint, &mut step, &Stop::never())?;
            steps += 1;
        }
        if worker.terminal() {
            sums.note(&*worker, &players);
        }
    }
    let opposed = sums.is_opposed(game.info());
    let plan = CellPlan::find(game, &observer, &seen, part);
    let map = CellMap::new(game, plan).ok_or(Halt::BadState)?;
    Ok(Survey { map, opposed, length: steps as f64 / games as f64 })
}

/// The part of a position that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Observe {
    /// The cells of the board.
    Board,
    /// Facts that exclude each other as one cell each, without the geometry of the board.
    Facts,
    /// The board, and facts that are not on it.
    All,
}

/// Whether a board was recognised whose cells can be read.
pub(crate) fn has_board(game: &Arc<dyn Game>) -> bool {
    usable_board(game, &StateObserver::new(game)).is_some()
}

/// The board, if its planes are in the observation. They come first in every observation that has
/// them.
fn usable_board<'a>(
    game: &'a Arc<dyn Game>,
    observer: &StateObserver,
) -> Option<&'a dyn magister_core::Board> {
    game.board().filter(|board| {
        let shape = board.shape();
        observer.tensors().list().first().is_some_and(|tensor| {
            tensor.name == "board" && tensor.len() == Planes::new(shape).tensor().len()
        }) && shape.values.len() <= VALUES
            && shape.cells.len() <= CELLS
    })
}

impl CellPlan {
    fn find(
        game: &Arc<dyn Game>,
        observer: &StateObserver,
        seen: &[Vec<u32>],
        part: Observe,
    ) -> Self {
        let mut plan = CellPlan {
            places: vec![(0, 0); observer.tensors().len()],
            values: Vec::new(),
            neighbours: Vec::new(),
            symmetries: Vec::new(),
        };
        let mut known = vec![false; plan.places.len()];
        let tensors = observer.tensors().list();
        // For a game in Rust, the bits of the packed state add nothing to the board.
        let packed = tensors.get(1).is_some_and(|tensor| tensor.name == "state");
        let board = usable_board(game, observer);
        if board.is_some() && (packed || part == Observe::Board) {
            known.fill(true);
        }
        if let (Observe::Facts, Some(board)) = (part, &board) {
            // The planes are facts like all others.
            known[..Planes::new(board.shape()).tensor().len()].fill(false);
        }
        let board = board.filter(|_| part != Observe::Facts);
        if let Some(board) = board {
            let shape = board.shape();
            let planes = Planes::new(shape);
            let first = planes.tensor().len();
            for cell in 0..shape.cells.len() {
                for value in 1..shape.values.len() {
                    plan.places[planes.place(cell, value)] = (cell as u16, value as u8);
                }
                plan.values.push(shape.values.len().max(1) as u8);
                plan.neighbours.push(near(shape, cell));
            }
            known[..first].fill(true);
            let plain = |symmetry: &&magister_core::Symmetry| {
                let same = |at: (usize, usize)| at.0 == at.1;
                symmetry.values.iter().map(|&v| usize::from(v)).enumerate().all(same)
                    && symmetry.roles.iter().map(|&r| usize::from(r)).enumerate().all(same)
            };
            plan.symmetries = game
                .symmetries()
                .iter()
                .filter(plain)
                .map(|symmetry| symmetry.cells.iter().map(|&cell| cell as u16).collect())
                .collect();
        }
        plan.group(&known, seen);
        // A game of one simultaneous decision has no fact that distinguishes its states. Its one cell
        // never changes.
        if plan.values.is_empty() {
            plan.values.push(1);
            plan.neighbours.push(Vec::new());
        }
        // Symmetries found from rules fix everything that is not on the board.
        let cells = plan.values.len() as u16;
        for symmetry in &mut plan.symmetries {
            symmetry.extend(symmetry.len() as u16..cells);
        }
        plan
    }

    /// A plan for this number of entries that uses none of them. It has one cell with one value, so
    /// that it is valid.
    pub(crate) fn blank(numbers: usize) -> Self {
        CellPlan {
            places: vec![(0, 0); numbers],
            values: vec![1],
            neighbours: vec![Vec::new()],
            symmetries: Vec::new(),
        }
    }

    /// Adds cells for the entries that are not assigned yet: each is a group of entries that were
    /// never set together.
    pub(crate) fn group(&mut self, known: &[bool], seen: &[Vec<u32>]) {
        // Dense numbers for the entries that occurred, because an observation may have thousands of
        // entries.
        let mut dense: BTreeMap<u32, usize> = BTreeMap::new();
        for active in seen {
            for &place in active.iter().filter(|&&place| !known[place as usize]) {
                let next = dense.len();
                dense.entry(place).or_insert(next);
            }
        }
        let mut together = vec![vec![false; dense.len()]; dense.len().min(GROUPED)];
        for active in seen {
            let ids: Vec<usize> =
                active.iter().filter_map(|place| dense.get(place).copied()).collect();
            for &id in &ids {
                if let Some(with) = together.get_mut(id) {
                    ids.iter().for_each(|&other| with[other] = true);
                }
            }
        }
        let mut groups: Vec<Vec<(u32, usize)>> = Vec::new();
        for (&place, &id) in &dense {
            // Beyond the limit, every entry is a separate cell.
            let fits = |group: &&mut Vec<(u32, usize)>| {
                group.len() + 1 < VALUES
                    && group
                        .iter()
                        .all(|&(_, other)| together.get(other).is_some_and(|with| !with[id]))
            };
            match groups.iter_mut().find(fits) {
                Some(group) => group.push((place, id)),
                None => groups.push(vec![(place, id)]),
            }
        }
        for group in groups {
            if self.values.len() >= CELLS {
                break;
            }
            let cell = self.values.len() as u16;
            for (value, &(place, _)) in (1..).zip(&group) {
                self.places[place as usize] = (cell, value);
            }
            self.values.push(group.len() as u8 + 1);
            self.neighbours.push(Vec::new());
        }
        self.forget_constants(seen);
    }

    /// The number of entries of the observations that it reads.
    pub(crate) fn entries(&self) -> usize {
        self.places.len()
    }

    /// The layout of the cells.
    pub(crate) fn layout(&self) -> CellLayout {
        CellLayout {
            values: self.values.clone(),
            neighbours: self.neighbours.clone(),
            symmetries: self.symmetries.clone(),
        }
    }

    /// Writes the cells of an observation.
    pub(crate) fn cells(&self, row: &[f32], out: &mut Vec<u8>) {
        out.clear();
        out.resize(self.values.len(), 0);
        for (number, &(cell, value)) in row.iter().zip(&self.places) {
            if *number != 0.0 && value > 0 {
                out[usize::from(cell)] = value;
            }
        }
    }

    /// Removes cells whose value never changed, because they carry no information.
    fn forget_constants(&mut self, seen: &[Vec<u32>]) {
        let mut values: Vec<Option<u8>> = vec![None; self.values.len()];
        let mut varies = vec![false; self.values.len()];
        let mut now = vec![0; self.values.len()];
        for active in seen {
            now.fill(0);
            for &place in active {
                let (cell, value) = self.places[place as usize];
                if value > 0 {
                    now[usize::from(cell)] = value;
                }
            }
            for (cell, &value) in now.iter().enumerate() {
                varies[cell] |= values[cell].is_some_and(|before| before != value);
                values[cell] = Some(value);
            }
        }
        for place in &mut self.places {
            if place.1 > 0 && !varies[usize::from(place.0)] {
                *place = (0, 0);
            }
        }
        for (values, varies) in self.values.iter_mut().zip(varies) {
            if !varies {
                *values = 1;
            }
        }
    }

    /// Whether the numbers are consistent, for plans that were read from a file.
    pub(crate) fn sound(&self, numbers: usize) -> bool {
        let cells = self.values.len();
        let inside = |cell: &u16| usize::from(*cell) < cells;
        self.places.len() == numbers
            && cells > 0
            && self.values.iter().all(|&values| values > 0)
            && self.neighbours.len() == cells
            && self.neighbours.iter().flatten().all(inside)
            && self.symmetries.iter().all(|one| one.len() == cells && one.iter().all(inside))
            && self.places.iter().all(|(cell, value)| {
                *value == 0 || inside(cell) && *value < self.values[usize::from(*cell)]
            })
    }
}

/// The cells adjacent to a cell: its neighbours, and on a grid also those that share a corner.
fn near(shape: &magister_core::Shape, cell: usize) -> Vec<u16> {
    let here = &shape.cells[cell];
    let mut near: Vec<u16> = shape.neighbours[cell].iter().map(|&other| other as u16).collect();
    if shape.layout == magister_core::Layout::Grid {
        let touches = |other: &&magister_core::Cell| {
            other.board == here.board
                && (other.x - here.x).abs() <= 1.0
                && (other.y - here.y).abs() <= 1.0
        };
        let cells = (0..).zip(&shape.cells);
        near.extend(cells.filter(|(_, other)| touches(other)).map(|(number, _): (u16, _)| number));
    }
    near.sort_unstable();
    near.dedup();
    near.retain(|&other| usize::from(other) != cell);
    near
}

impl CellMap {
    /// Reads the states of a game by a plan; `None` if the plan is for another game.
    pub fn new(game: &Arc<dyn Game>, plan: CellPlan) -> Option<Self> {
        let observer = StateObserver::new(game);
        if !plan.sound(observer.tensors().len()) {
            return None;
        }
        let layout = plan.layout();
        Some(CellMap { observer, plan, layout })
    }

    /// The plan.
    pub fn plan(&self) -> &CellPlan {
        &self.plan
    }

    /// The layout of the cells.
    pub fn layout(&self) -> &CellLayout {
        &self.layout
    }

    /// Writes the cells of a state; `row` is a buffer for the observation.
    pub fn write(&self, words: &[u64], row: &mut Vec<f32>, out: &mut Vec<u8>) {
        row.resize(self.plan.places.len(), 0.0);
        self.observer.write(words, row);
        self.plan.cells(row, out);
    }
}
