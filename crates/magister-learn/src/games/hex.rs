//! Hex for learners, on a board of up to eight by eight cells.

use magister_core::{Halt, Rng};

use crate::environment::{CellLayout, Cells, Choice, Environment};

/// Hex on a rhombus. The cell in a column and a row has the number `row * side + column`. The first
/// player connects the first and the last column, the second player the first and the last row.
#[derive(Clone, Copy, Debug)]
pub struct Hex {
    side: u32,
    /// The first and the last column, the first and the last row.
    edges: [[u64; 2]; 2],
}

/// The stones of the first and of the second player, and whether the last move won.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Stones {
    /// The stones of each player.
    pub stones: [u64; 2],
    /// Whether the player who has just moved has connected its edges.
    pub won: bool,
}

impl Stones {
    /// The player to move.
    pub fn turn(&self) -> usize {
        usize::from(self.stones[0].count_ones() > self.stones[1].count_ones())
    }
}

impl Hex {
    /// The game on a board with this side; `None` if it is not between 2 and 8.
    pub fn new(side: u32) -> Option<Self> {
        if !(2..=8).contains(&side) {
            return None;
        }
        let column = |column: u32| (0..side).map(|row| 1_u64 << (row * side + column)).sum();
        let row = |row: u32| ((1_u64 << side) - 1) << (row * side);
        Some(Hex { side, edges: [[column(0), column(side - 1)], [row(0), row(side - 1)]] })
    }

    /// The number of cells of a row.
    pub fn side(&self) -> u32 {
        self.side
    }

    /// All cells.
    pub fn all(&self) -> u64 {
        u64::MAX >> (64 - self.side * self.side)
    }

    /// The cells beside these cells, and perhaps some of themselves.
    pub fn beside(&self, cells: u64) -> u64 {
        let ([[first, last], _], side) = (self.edges, self.side);
        let right = (cells & !last) << 1;
        let left = (cells & !first) >> 1;
        (right | left | right >> side | left << side | cells << side | cells >> side) & self.all()
    }

    /// Whether stones connect the two edges of a player.
    pub fn joined(&self, stones: u64, player: usize) -> bool {
        let [from, to] = self.edges[player];
        let mut reached = stones & from;
        loop {
            let more = reached | self.beside(reached) & stones;
            if more & to != 0 {
                return true;
            }
            if more == reached {
                return false;
            }
            reached = more;
        }
    }

    /// The position after a move.
    pub fn play(&self, state: &Stones, cell: u32) -> Stones {
        let player = state.turn();
        let mut stones = state.stones;
        stones[player] |= 1 << cell;
        Stones { stones, won: self.joined(stones[player], player) }
    }
}

impl Environment for Hex {
    type State = Stones;

    fn players(&self) -> usize {
        2
    }

    fn opposed(&self) -> bool {
        true
    }

    fn start(&mut self, _rng: &mut Rng) -> Result<Stones, Halt> {
        Ok(Stones::default())
    }

    fn turn(&self, state: &Stones) -> Option<usize> {
        (!state.won).then(|| state.turn())
    }

    fn choices(
        &mut self,
        state: &Stones,
        _rng: &mut Rng,
        out: &mut Vec<Choice<Stones>>,
    ) -> Result<(), Halt> {
        out.clear();
        let mut rest = self.all() & !(state.stones[0] | state.stones[1]);
        while rest != 0 {
            let id = rest.trailing_zeros();
            rest &= rest - 1;
            out.push(Choice { id, after: self.play(state, id), gain: 0.0 });
        }
        Ok(())
    }

    fn random_step(
        &mut self,
        state: &Stones,
        rng: &mut Rng,
        _buffer: &mut Vec<Choice<Stones>>,
    ) -> Result<Stones, Halt> {
        let mut free = self.all() & !(state.stones[0] | state.stones[1]);
        for _ in 0..rng.below(u64::from(free.count_ones())) {
            free &= free - 1;
        }
        Ok(self.play(state, free.trailing_zeros()))
    }

    fn over(&self, after: &Stones) -> bool {
        after.won
    }

    fn settle(&mut self, _after: &mut Stones, _rng: &mut Rng) -> Result<(), Halt> {
        Ok(())
    }

    fn result(&self, end: &Stones, player: usize) -> f32 {
        if end.turn() == player { -1.0 } else { 1.0 }
    }

    fn slot(&self, after: &Stones) -> usize {
        after.turn()
    }
}

impl Cells for Hex {
    fn layout(&self) -> CellLayout {
        let cells = (self.side * self.side) as u16;
        let near = |cell: u16| {
            let near = self.beside(1 << cell);
            (0..cells).filter(|other| near >> other & 1 == 1).collect()
        };
        CellLayout {
            values: vec![3; usize::from(cells)],
            neighbours: (0..cells).map(near).collect(),
            symmetries: vec![(0..cells).rev().collect()],
        }
    }

    fn changes(
        &self,
        _cells: &[u8],
        choice: &Choice<Stones>,
        _after: &mut [u8],
        out: &mut Vec<(u16, u8)>,
    ) {
        out.clear();
        out.push((choice.id as u16, 2 - choice.after.turn() as u8));
    }

    fn write(&self, state: &Stones, out: &mut [u8]) {
        let [first, second] = state.stones;
        for (cell, value) in out.iter_mut().enumerate() {
            *value = (first >> cell & 1) as u8 + 2 * (second >> cell & 1) as u8;
        }
    }
}

/// What a solved position is worth: whether the player to move wins, and the empty cells that the
/// winner's strategy needs. Stones of the loser elsewhere do not change the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Verdict {
    wins: bool,
    carrier: u64,
}

/// A solver of Hex. If the opponent's answer to a move wins with some empty cells, then only a move
/// to one of these cells can prevent that.
#[derive(Debug)]
pub struct Solver {
    hex: Hex,
    /// For each cell, the cells at a bridge's distance, each with the two cells between.
    bridges: Vec<Vec<(u32, u64)>>,
    known: rustc_hash::FxHashMap<[u64; 2], Verdict>,
    /// The number of positions that it may still look at.
    left: u64,
}

impl Solver {
    /// A solver for a board.
    pub fn new(hex: Hex) -> Self {
        let cells = hex.side * hex.side;
        let bridges = (0..cells)
            .map(|cell| {
                let near = hex.beside(1 << cell);
                let bridge = |other: u32| {
                    let between = near & hex.beside(1 << other);
                    let apart = other != cell && near >> other & 1 == 0;
                    (apart && between.count_ones() == 2).then_some((other, between))
                };
                (0..cells).filter_map(bridge).collect()
            })
            .collect();
        Solver { hex, bridges, known: rustc_hash::FxHashMap::default(), left: 0 }
    }

    /// The empty cells of a chain from edge to edge, if one is found that the opponent cannot cut
    /// even if it moves next: stones that touch, and bridges over two free cells each that no other
    /// link of the chain needs.
    fn bridged(&self, own: u64, free: u64, player: usize) -> Option<u64> {
        let [from, to] = self.hex.edges[player];
        let pair = |cells: u64, used: u64| cells & free & !used == cells && cells.count_ones() == 2;
        let (mut reached, mut used) = (own & from, 0);
        loop {
            let before = reached;
            // Stones that touch are joined first, because that needs nothing.
            loop {
                let more = reached | self.hex.beside(reached) & own;
                if more == reached {
                    break;
                }
                reached = more;
            }
            if reached & to != 0 {
                return Some(used);
            }
            for cell in (0..64).filter(|cell| own >> cell & 1 == 1) {
                let near = self.hex.beside(1 << cell);
                if reached >> cell & 1 == 1 {
                    if pair(near & to, used) {
                        return Some(used | near & to);
                    }
                    continue;
                }
                let joins = |&&(other, between): &&(u32, u64)| {
                    reached >> other & 1 == 1 && pair(between, used)
                };
                let link = if pair(near & from, used) {
                    Some(near & from)
                } else {
                    self.bridges[cell as usize].iter().find(joins).map(|bridge| bridge.1)
                };
                if let Some(between) = link {
                    (reached, used) = (reached | 1 << cell, used | between);
                    break;
                }
            }
            if reached == before {
                return None;
            }
        }
    }

    /// Whether the player to move wins; `None` if that takes more than `most` positions. The last
    /// move must not have won.
    pub fn wins(&mut self, state: &Stones, most: u64) -> Option<bool> {
        self.left = most;
        self.solve(state).map(|verdict| verdict.wins)
    }

    fn solve(&mut self, state: &Stones) -> Option<Verdict> {
        if let Some(&known) = self.known.get(&state.stones) {
            return Some(known);
        }
        self.left = self.left.checked_sub(1)?;
        let free = self.hex.all() & !(state.stones[0] | state.stones[1]);
        if let Some(carrier) = self.bridged(state.stones[1 - state.turn()], free, 1 - state.turn())
        {
            let verdict = Verdict { wins: false, carrier };
            self.known.insert(state.stones, verdict);
            return Some(verdict);
        }
        let (mut needed, mut lost) = (free, 0);
        let order = self.order(state, free);
        let mut verdict = None;
        for cell in order {
            if needed >> cell & 1 == 0 {
                continue;
            }
            let next = self.hex.play(state, cell);
            let bit = 1 << cell;
            if next.won {
                verdict = Some(Verdict { wins: true, carrier: bit });
                break;
            }
            let answer = self.solve(&next)?;
            if !answer.wins {
                verdict = Some(Verdict { wins: true, carrier: bit | answer.carrier });
                break;
            }
            needed &= answer.carrier;
            lost |= answer.carrier;
            if needed == 0 {
                break;
            }
        }
        let verdict = verdict.unwrap_or(Verdict { wins: false, carrier: lost });
        self.known.insert(state.stones, verdict);
        Some(verdict)
    }

    /// The free cells, those first that leave the opponent the longest way and the player the
    /// shortest.
    fn order(&self, state: &Stones, free: u64) -> Vec<u32> {
        let player = state.turn();
        let mut ranked: Vec<(i32, u32)> = (0..64)
            .filter(|cell| free >> cell & 1 == 1)
            .map(|cell| {
                let mut own = state.stones[player];
                own |= 1 << cell;
                let other = state.stones[1 - player];
                let (mine, ways) = self.distance(own, other, player);
                let (theirs, their_ways) = self.distance(other, own, 1 - player);
                (100 * (mine - theirs) + their_ways - ways, cell)
            })
            .collect();
        ranked.sort_unstable();
        ranked.into_iter().map(|one| one.1).collect()
    }

    /// The number of stones that a player lacks for a connection if the opponent passes, and the
    /// number of cells on shortest connections.
    fn distance(&self, own: u64, other: u64, player: usize) -> (i32, i32) {
        let [from, to] = self.hex.edges[player];
        // The free cells by their distance from an edge; own stones cost nothing.
        let spread = |edge: u64| {
            let (mut levels, mut seen, mut front) = (Vec::new(), 0, edge & !other);
            loop {
                let mut joined = front & own & !seen;
                loop {
                    let more = joined | self.hex.beside(joined) & own;
                    if more == joined {
                        break;
                    }
                    joined = more;
                }
                let level = (front | self.hex.beside(joined)) & !(own | other | seen);
                seen |= level | joined;
                if level == 0 {
                    return levels;
                }
                levels.push(level);
                front = self.hex.beside(level) & !(other | seen);
            }
        };
        let (there, back) = (spread(from), spread(to));
        let mut best = (i32::from(i16::MAX), 0);
        for (i, cells) in (0..).zip(&there) {
            for (j, others) in (0..).zip(&back) {
                let both: u64 = cells & others;
                let count = both.count_ones().cast_signed();
                if count > 0 && i + j < best.0 {
                    best = (i + j, count);
                } else if i + j == best.0 {
                    best.1 += count;
                }
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stones_touch_along_one_diagonal() {
        let hex = Hex::new(5).unwrap();
        let cell = |column: u32, row: u32| 1_u64 << (row * 5 + column);
        assert!(hex.joined(cell(0, 2) | cell(1, 1) | cell(2, 0) | cell(3, 0) | cell(4, 0), 0));
        assert!(!hex.joined((0..5).map(|at| cell(at, at)).sum(), 0));
        assert!(hex.joined((0..5).map(|row| cell(1, row)).sum(), 1));
        assert!(Hex::new(9).is_none());
    }

    /// The solver against plain search on every opening of a small board.
    #[test]
    fn the_solver_agrees_with_plain_search() {
        fn plain(hex: &Hex, state: &Stones) -> bool {
            let free = hex.all() & !(state.stones[0] | state.stones[1]);
            (0..64).filter(|cell| free >> cell & 1 == 1).any(|cell| {
                let next = hex.play(state, cell);
                next.won || !plain(hex, &next)
            })
        }
        let hex = Hex::new(3).unwrap();
        let mut solver = Solver::new(hex);
        for cell in 0..9 {
            let one = hex.play(&Stones::default(), cell);
            assert_eq!(solver.wins(&one, 1 << 20), Some(plain(&hex, &one)), "{cell}");
            for other in (0..9).filter(|&other| other != cell) {
                let two = hex.play(&one, other);
                assert_eq!(solver.wins(&two, 1 << 20), Some(plain(&hex, &two)), "{cell} {other}");
            }
        }
        let mut solver = Solver::new(Hex::new(4).unwrap());
        assert_eq!(solver.wins(&Stones::default(), 3), None);
        assert_eq!(solver.wins(&Stones::default(), 1 << 20), Some(true));
    }
}
