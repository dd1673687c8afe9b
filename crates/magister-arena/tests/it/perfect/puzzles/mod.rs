//! Puzzles that are too large to be solved position by position, compared with separate solutions:
//! the distance of every arrangement of the tiles, and the longest path of the knight.

mod nim;

use std::collections::VecDeque;
use std::sync::Arc;

use magister_core::{
    Budget, Game, Move, Observation, Rng, Role, Seed, Step, Stop, Turn, View, Worker,
};
use magister_players::Spec;
use rustc_hash::FxHashMap;

const ROBOT: Role = Role(0);

/// A puzzle in progress: the position, and the view of its player.
struct Episode {
    worker: Box<dyn Worker>,
    view: View,
    step: Step,
}

impl Episode {
    fn new(game: &Arc<dyn Game>) -> Self {
        let mut worker = game.worker();
        worker.reset();
        Episode { worker, view: View::new(Arc::clone(game), ROBOT), step: Step::new() }
    }

    fn make(&mut self, choice: Move) {
        self.worker.step(&[choice], &mut self.step, &Stop::never()).expect("legal");
        self.view.push(Turn { own: choice, seen: Observation::Joint([choice].into()) });
    }

    fn random(&mut self, rng: &mut Rng) {
        let legal = self.worker.legal(ROBOT);
        let choice = legal[rng.below(legal.len() as u64) as usize];
        self.make(choice);
    }

    fn reward(&self) -> f64 {
        let mut goals = Vec::new();
        self.worker.goals(ROBOT, &mut goals);
        goals[0]
    }

    /// The reward of the player from here on.
    fn finish(&mut self, player: &str, iterations: u64, rng: &mut Rng) -> f64 {
        let mut agent = player.parse::<Spec>().expect("a player").agent();
        while !self.worker.terminal() {
            let decided = agent.decide(&self.view, &mut Budget::iterations(iterations), rng);
            self.make(decided.expect("a move").choice);
        }
        self.reward()
    }

    /// The arguments of each fluent of this name in the state, in either syntax.
    fn fluents(&self, name: &str, numbers: usize) -> Vec<Vec<usize>> {
        let mut state = Vec::new();
        self.worker.save(&mut state);
        let text = self.view.game().text().state_text(&state);
        let words: Vec<&str> =
            text.split(|c: char| " (),".contains(c)).filter(|word| !word.is_empty()).collect();
        let number = |word: &&str| word.parse().expect("a number");
        (0..words.len())
            .filter(|&at| words[at] == name)
            .map(|at| words[at + 1..=at + numbers].iter().map(number).collect())
            .collect()
    }
}

/// The number of positions to ask in: the default, or `MAGISTER_PUZZLES`.
fn often(usual: usize) -> usize {
    let given = std::env::var("MAGISTER_PUZZLES").ok();
    given.and_then(|given| given.parse().ok()).unwrap_or(usual)
}

/// The tiles of the eight-puzzle, row by row, 0 for the empty cell.
type Tiles = [u8; 9];

const SOLVED: Tiles = [1, 2, 3, 4, 5, 6, 7, 8, 0];

/// The distance of every arrangement from one of them, in moves.
fn distances(goal: Tiles) -> FxHashMap<Tiles, u32> {
    let mut known = FxHashMap::default();
    known.insert(goal, 0);
    let mut queue = VecDeque::from([goal]);
    while let Some(tiles) = queue.pop_front() {
        let (distance, empty) = (known[&tiles], tiles.iter().position(|&t| t == 0).expect("one"));
        for place in (0..9_usize).filter(|&place| {
            let (rows, columns) =
                ((place / 3).abs_diff(empty / 3), (place % 3).abs_diff(empty % 3));
            rows + columns == 1
        }) {
            let mut next = tiles;
            next.swap(place, empty);
            known.entry(next).or_insert_with(|| {
                queue.push_back(next);
                distance + 1
            });
        }
    }
    known
}

/// The distance of the position from the goal.
fn distance(episode: &Episode, distances: &FxHashMap<Tiles, u32>) -> usize {
    let mut tiles: Tiles = [0; 9];
    for tile in episode.fluents("tile", 3) {
        tiles[3 * (tile[0] - 1) + tile[1] - 1] = tile[2] as u8;
    }
    distances[&tiles] as usize
}

/// Moves towards the goal, by the table.
fn approach(episode: &mut Episode, distances: &FxHashMap<Tiles, u32>) {
    let (far, stop) = (distance(episode, distances), Stop::never());
    let mut state = Vec::new();
    episode.worker.save(&mut state);
    for choice in episode.worker.legal(ROBOT).to_vec() {
        episode.worker.step(&[choice], &mut episode.step, &stop).expect("legal");
        let nearer = distance(episode, distances) < far;
        episode.worker.load(&state, &stop).expect("a state");
        if nearer {
            episode.make(choice);
            return;
        }
    }
}

#[test]
fn the_eight_puzzle_is_solved_if_possible() {
    let game = super::game("eightpuzzle");
    let distances = distances(SOLVED);
    assert_eq!((distances.len(), distances.values().max()), (181_440, Some(&31)));
    let mut rng = Seed::from(5).rng();
    // The start is thirty moves away; nearer positions take less time. Positions with only just
    // enough moves left allow no mistake.
    for (near, tight) in [(17, false), (14, true), (12, true), (9, false), (6, true), (2, true)] {
        let mut episode = Episode::new(&game);
        while distance(&episode, &distances) > near && !episode.worker.terminal() {
            approach(&mut episode, &distances);
            if rng.below(4) == 0 && !episode.worker.terminal() {
                episode.random(&mut rng);
            }
        }
        // Every move changes the distance by one.
        while tight
            && !episode.worker.terminal()
            && episode.view.turns().len() + distance(&episode, &distances) < 60
        {
            episode.random(&mut rng);
            while distance(&episode, &distances) > near && !episode.worker.terminal() {
                approach(&mut episode, &distances);
            }
        }
        let far = distance(&episode, &distances);
        if episode.worker.terminal() || episode.view.turns().len() + far > 60 {
            continue;
        }
        let reward = episode.finish("uct", 30_000, &mut rng);
        assert!(reward > 99.0, "{far} away after {} steps", episode.view.turns().len());
    }
}

/// Any arrangement at any step, as long as it can be solved: with a budget for every arrangement,
/// none stays unsolved. Each has a new player.
#[test]
fn the_eight_puzzle_is_solved_from_anywhere() {
    let game = super::game("eightpuzzle");
    let solved = distances(SOLVED);
    let mut all: Vec<Tiles> = solved.keys().copied().collect();
    all.sort_unstable();
    let mut rng = Seed::from(8).rng();
    let (mut asked, mut tight, mut farthest) = (0, 0, 0);
    while asked < often(20) {
        let goal = all[rng.below(all.len() as u64) as usize];
        let there = distances(goal);
        let mut episode = Episode::new(&game);
        let detours = rng.below(6);
        while distance(&episode, &there) > 0 && !episode.worker.terminal() {
            approach(&mut episode, &there);
            if rng.below(8) < detours && !episode.worker.terminal() {
                episode.random(&mut rng);
            }
        }
        let (far, made) = (solved[&goal] as usize, episode.view.turns().len());
        if episode.worker.terminal() || made + far > 60 {
            continue;
        }
        asked += 1;
        tight += usize::from(made + far >= 59);
        farthest = farthest.max(far);
        let reward = episode.finish("uct", 1_200_000, &mut rng);
        assert!(reward > 99.0, "{far} away after {made} steps");
    }
    eprintln!("{asked} positions, {tight} without a spare move, maximum distance {farthest}");
}

/// The maximum number of moves of a knight, the last one into a hole; bounded by the number of
/// cells.
fn longest(at: usize, holes: u32, known: &mut FxHashMap<(usize, u32), usize>) -> usize {
    if let Some(&moves) = known.get(&(at, holes)) {
        return moves;
    }
    let left = holes | 1 << at;
    let mut best = 0;
    for next in leaps(at) {
        let moves = if left >> next & 1 == 1 { 1 } else { 1 + longest(next, left, known) };
        best = best.max(moves);
        if best == 30 - left.count_ones() as usize + 1 {
            break;
        }
    }
    known.insert((at, holes), best);
    best
}

fn leaps(at: usize) -> impl Iterator<Item = usize> {
    let (x, y) = (at % 6, at / 6);
    (0..30_usize).filter(move |other| {
        let (across, up) = ((other % 6).abs_diff(x), (other / 6).abs_diff(y));
        (across, up) == (1, 2) || (across, up) == (2, 1)
    })
}

#[test]
fn the_knight_finds_longest_tours() {
    let game = super::game("knightstour");
    let mut rng = Seed::from(5).rng();
    assert!((Episode::new(&game).finish("uct", 20_000, &mut rng) - 100.0).abs() < 1e-9);
    let (mut asked, mut known) = (0, FxHashMap::default());
    while asked < often(60) {
        // A walk over fresh cells, long enough that the rest can be enumerated.
        let mut episode = Episode::new(&game);
        let place = |at: &Vec<usize>| 6 * (at[1] - 1) + at[0] - 1;
        for _ in 0..12 + asked % 8 {
            if !episode.worker.terminal() {
                episode.random(&mut rng);
            }
        }
        if episode.worker.terminal() {
            continue;
        }
        asked += 1;
        let knight = episode.fluents("knight", 2).first().map(place).expect("a knight");
        let holes = episode.fluents("hole", 2);
        let holes = holes.iter().map(place).fold(0_u32, |all, at| all | 1 << at);
        let moves = episode.view.turns().len() + longest(knight, holes, &mut known);
        let best = worth(moves);
        let reward = episode.finish("uct", 20_000, &mut rng);
        assert!((reward - best).abs() < 1e-9, "{reward}, not {best}, from {knight} with {holes:b}");
    }
}

/// The reward for a number of moves.
fn worth(moves: usize) -> f64 {
    const LAST: [f64; 5] = [80.0, 85.0, 90.0, 96.0, 100.0];
    moves.checked_sub(26).map_or(3.0 * moves as f64, |at| LAST[at])
}
