//! 2048 on a small board, with a largest tile: weighted chance, rewards during play.

use magister_core::text::{list, terms};
use magister_core::{Board, Game, Info, Move, Native, Payment, Role, Rules, Shape, Step};
use magister_engine::compiled::{Compiled, CompiledBuilder, FluentBoard, FluentId, Wire};

use crate::twins::assert_twins;

const PLAYER: Role = Role(0);
const CHANCE: Role = Role(1);
const DIRECTIONS: [&str; 4] = ["left", "up", "right", "down"];

/// The same game in plain Rust: a square board and the exponent of the largest tile; larger tiles
/// are not merged.
#[derive(Clone, Copy)]
pub(crate) struct Slide {
    pub(crate) side: usize,
    pub(crate) largest: u8,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Tiles {
    cells: [u8; 9],
    chance: bool,
}

magister_core::pack_struct!(Tiles { cells: [u8; 9], chance: bool });

impl Slide {
    /// The cells of a line, starting at the edge that the tiles slide to.
    fn line(&self, direction: usize, line: usize) -> Vec<usize> {
        let side = self.side;
        let cell = |distance: usize| match direction {
            0 => side * line + distance,
            1 => side * distance + line,
            2 => side * line + side - 1 - distance,
            _ => side * (side - 1 - distance) + line,
        };
        (0..side).map(cell).collect()
    }

    /// Slides a line and returns the tiles and the gain.
    fn slide(&self, tiles: &[u8]) -> (Vec<u8>, u32) {
        let (mut after, mut gain, mut joinable) = (Vec::new(), 0, false);
        for &tile in tiles.iter().filter(|&&tile| tile > 0) {
            if joinable && after.last() == Some(&tile) && tile < self.largest {
                after.pop();
                after.push(tile + 1);
                gain += 1 << (tile + 1);
                joinable = false;
            } else {
                after.push(tile);
                joinable = true;
            }
        }
        after.resize(tiles.len(), 0);
        (after, gain)
    }

    fn after(&self, cells: &[u8; 9], direction: usize) -> ([u8; 9], u32) {
        let (mut after, mut gain) = (*cells, 0);
        for line in 0..self.side {
            let places = self.line(direction, line);
            let tiles: Vec<u8> = places.iter().map(|&cell| cells[cell]).collect();
            let (tiles, more) = self.slide(&tiles);
            places.iter().zip(tiles).for_each(|(&cell, tile)| after[cell] = tile);
            gain += more;
        }
        (after, gain)
    }

    fn cells(&self) -> usize {
        self.side * self.side
    }

    fn shape(&self) -> Shape {
        let mut values = vec!["empty".to_owned()];
        values.extend((1..=self.largest).map(|tile| (1_u32 << tile).to_string()));
        let values: Vec<&str> = values.iter().map(String::as_str).collect();
        Shape::grid(self.side as u32, self.side as u32, &values)
    }
}

impl Rules for Slide {
    type State = Tiles;

    fn info(&self) -> Info {
        Info {
            chance: Some(CHANCE),
            moves: Some(4 + 2 * self.cells() as u32),
            rewards: (0.0, f64::INFINITY),
            payment: Payment::OnTheWay,
            ..Info::new("slide", &["player", "chance"], "slide 1")
        }
    }

    fn initial(&self) -> Tiles {
        Tiles { cells: [0; 9], chance: true }
    }

    fn terminal(&self, tiles: &Tiles) -> bool {
        !tiles.chance && (0..4).all(|way| self.after(&tiles.cells, way).0 == tiles.cells)
    }

    fn legal(&self, tiles: &Tiles, role: Role, out: &mut Vec<Move>) {
        if tiles.chance && role == CHANCE {
            for cell in (0..self.cells()).filter(|&cell| tiles.cells[cell] == 0) {
                out.extend([Move(4 + 2 * cell as u32), Move(5 + 2 * cell as u32)]);
            }
        } else if !tiles.chance && role == PLAYER {
            let changes = |&way: &usize| self.after(&tiles.cells, way).0 != tiles.cells;
            out.extend((0..4).filter(changes).map(|way| Move(way as u32)));
        }
    }

    fn weights(&self, tiles: &Tiles, out: &mut Vec<u32>) {
        for _ in tiles.cells[..self.cells()].iter().filter(|&&tile| tile == 0) {
            out.extend([9, 1]);
        }
    }

    fn step(&self, tiles: &mut Tiles, joint: &[Move], out: &mut Step) {
        if tiles.chance {
            let put = joint[CHANCE.index()].0 - 4;
            tiles.chance = tiles.cells == [0; 9];
            tiles.cells[put as usize / 2] = 1 + (put % 2) as u8;
        } else {
            let (after, gain) = self.after(&tiles.cells, joint[PLAYER.index()].index());
            out.gains[PLAYER.index()] = gain.into();
            *tiles = Tiles { cells: after, chance: true };
        }
    }

    fn reward(&self, _tiles: &Tiles, _role: Role) -> f64 {
        0.0
    }

    fn valid(&self, tiles: &Tiles) -> bool {
        let (own, rest) = tiles.cells.split_at(self.cells());
        let full = !own.contains(&0);
        rest.iter().all(|&tile| tile == 0)
            && own.iter().all(|&tile| tile <= self.largest)
            && if tiles.chance { !full } else { tiles.cells != [0; 9] }
    }

    fn move_text(&self, choice: Move) -> String {
        match choice.index().checked_sub(4) {
            None => DIRECTIONS[choice.index()].to_owned(),
            Some(put) => format!("(put {} {})", put / 2, 2 + 2 * (put % 2)),
        }
    }

    fn state_text(&self, tiles: &Tiles) -> String {
        let control = if tiles.chance { "chance" } else { "player" };
        let cell = |(cell, &tile): (usize, &u8)| {
            (tile > 0).then(|| format!("(cell {cell} {})", 1_u32 << tile))
        };
        let cells = tiles.cells[..self.cells()].iter().enumerate().filter_map(cell);
        list(cells.chain([format!("(control {control})")]))
    }

    fn parse_state(&self, text: &str) -> Option<Tiles> {
        let mut tiles = self.initial();
        for term in terms(text)? {
            match term[..] {
                ["control", who] => tiles.chance = who == "chance",
                ["cell", cell, value] => {
                    let value = value.parse::<u32>().ok()?;
                    let cell = cell.parse::<usize>().ok()?;
                    *tiles.cells.get_mut(cell)? = value.trailing_zeros() as u8;
                }
                _ => return None,
            }
        }
        Some(tiles)
    }

    fn board(&self) -> Option<Shape> {
        Some(self.shape())
    }

    fn cells(&self, tiles: &Tiles, out: &mut [u16]) {
        out.iter_mut().zip(tiles.cells).for_each(|(value, tile)| *value = tile.into());
    }
}

/// The board of the compiled game: fluents are numbered cell by cell.
struct Grid {
    shape: Shape,
    largest: usize,
}

impl FluentBoard for Grid {
    fn place(&self, fluent: usize) -> Option<(u32, u16)> {
        let cell = fluent / self.largest;
        let drawn = cell < self.shape.cells.len();
        drawn.then(|| (cell as u32, (fluent % self.largest + 1) as u16))
    }
}

impl Board for Grid {
    fn shape(&self) -> &Shape {
        &self.shape
    }

    fn cells(&self, state: &[u64], out: &mut [u16]) {
        for (cell, value) in out.iter_mut().enumerate() {
            let holds = |tile: &usize| {
                let fluent = cell * self.largest + tile - 1;
                state[fluent / 64] >> (fluent % 64) & 1 == 1
            };
            *value = (1..=self.largest).find(holds).unwrap_or(0) as u16;
        }
    }

    fn target(&self, _choice: Move) -> Option<(u32, u32)> {
        None
    }
}

/// All lines of `length` tiles up to the largest.
fn lines(length: usize, largest: u8) -> Vec<Vec<u8>> {
    (0..length).fold(vec![Vec::new()], |lines, _| {
        let longer = |line: Vec<u8>| (0..=largest).map(move |tile| [&line[..], &[tile]].concat());
        lines.into_iter().flat_map(longer).collect()
    })
}

pub(crate) fn build(rules: Slide) -> Compiled {
    let mut game = CompiledBuilder::new("slide", &["player", "chance"], "slide 1");
    game.info_mut().rewards = (0.0, f64::INFINITY);
    game.chance(CHANCE);
    let largest = usize::from(rules.largest);
    let mut fluents: Vec<Vec<FluentId>> = Vec::new();
    for cell in 0..rules.cells() {
        let tiles = (1..=largest)
            .map(|tile| game.fluent(&format!("(cell {cell} {})", 1_u32 << tile), false))
            .collect();
        fluents.push(tiles);
    }
    let control = [("player", false), ("chance", true)]
        .map(|(who, first)| game.fluent(&format!("(control {who})"), first));
    fluents.iter().for_each(|tiles| game.exclusive(tiles));
    game.exclusive(&control);
    // For every cell and tile (the empty one first): whether the cell contains it, now and next.
    let mut held: Vec<Vec<Wire>> = Vec::new();
    for tiles in &fluents {
        let tiles: Vec<Wire> = tiles.iter().map(|&fluent| game.holds(fluent)).collect();
        let some = game.or(tiles.iter().copied());
        held.push([&[!some][..], &tiles].concat());
    }
    let mut next = vec![vec![Vec::new(); largest + 1]; rules.cells()];
    let [player, chance] = control.map(|fluent| game.holds(fluent));

    let mut open = Vec::new();
    let mut gains = vec![vec![Vec::new(); largest + 1]; 2 * rules.side];
    for direction in 0..4 {
        let choice = game.add_move(PLAYER, DIRECTIONS[direction]);
        let does = game.does(choice);
        let mut changes = Vec::new();
        for line in 0..rules.side {
            let places = rules.line(direction, line);
            for before in lines(rules.side, rules.largest) {
                let (after, gain) = rules.slide(&before);
                let parts = places.iter().zip(&before);
                let parts: Vec<Wire> =
                    parts.map(|(&cell, &tile)| held[cell][usize::from(tile)]).collect();
                let here = game.and(parts);
                let made = game.and([here, does]);
                for (&cell, &tile) in places.iter().zip(&after) {
                    next[cell][usize::from(tile)].push(made);
                }
                if after != before {
                    changes.push(here);
                }
                // Rows and columns pay separately, each with its own number.
                for digit in (0..=largest).filter(|digit| gain >> digit & 1 == 1) {
                    gains[direction % 2 * rules.side + line][digit].push(made);
                }
            }
        }
        let changes = game.or(changes);
        let legal = game.and([player, changes]);
        game.legal(choice, legal);
        open.push(changes);
    }
    for number in gains {
        let digits: Vec<Wire> = number.into_iter().map(|ways| game.or(ways)).collect();
        game.gain_number(PLAYER, 1.0, &digits);
    }
    for cell in 0..rules.cells() {
        let mut put = Vec::new();
        for (tile, weight) in [(1, 9), (2, 1)] {
            let choice = game.add_move(CHANCE, &format!("(put {cell} {})", 1 << tile));
            let legal = game.and([chance, held[cell][0]]);
            game.legal(choice, legal);
            game.weight(choice, weight, Wire::TRUE);
            let done = game.does(choice);
            next[cell][tile].push(done);
            put.push(done);
        }
        for tile in 1..=largest {
            let stays = game.and([chance, held[cell][tile]]);
            next[cell][tile].push(stays);
        }
    }
    for (cell, tiles) in fluents.iter().enumerate() {
        for (tile, &fluent) in tiles.iter().enumerate() {
            let wire = game.or(std::mem::take(&mut next[cell][tile + 1]));
            game.next(fluent, wire);
        }
    }
    let empty = game.and(held.iter().map(|tiles| tiles[0]).collect::<Vec<_>>());
    let first = game.and([chance, empty]);
    let again = game.or([player, first]);
    game.next(control[1], again);
    game.next(control[0], !again);
    let any = game.or(open);
    let over = game.and([player, !any]);
    game.terminal(over);
    let shape = rules.shape();
    game.board(move |_: &dyn Game| Some(Box::new(Grid { shape: shape.clone(), largest })));
    game.build().unwrap()
}

#[test]
fn two_by_two_equals_plain_2048() {
    let rules = Slide { side: 2, largest: 5 };
    assert_twins(&Native::new(rules), build(rules), 200);
}

#[test]
fn three_by_three_with_a_largest_tile_equals_plain_2048() {
    let rules = Slide { side: 3, largest: 3 };
    assert_twins(&Native::new(rules), build(rules), 300);
}
