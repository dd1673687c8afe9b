//! 2048: slide tiles and merge equal ones, against chance.
//!
//! The player slides all tiles in one direction; two equal tiles that meet merge into one of twice
//! the value, which is also the player's gain. After each slide, chance puts a 2 (with probability
//! 9/10) or a 4 on an empty cell. The game begins with two such tiles and ends when no slide
//! changes anything. G. Cirulli, 2014.

use magister_core::text::{list, terms};
use magister_core::{Info, Move, Payment, Role, Rules, Shape, Step, Symmetry};

const PLAYER: Role = Role(0);
const CHANCE: Role = Role(1);
const DIRECTIONS: [&str; 4] = ["left", "up", "right", "down"];

/// Tiles are stored as exponents. The largest possible tile is 2^17: all cells are needed for the
/// chain down to the 4 that completes it.
const LARGEST: u8 = 17;

/// The bound on the score: each 2^k made of twos has paid (k - 1) 2^k, and a full board has at most
/// one of each 2^k from 4 up to 2^17.
const HIGHEST_SCORE: f64 = 3_932_164.0;

/// The bound on the length: the tiles have a sum of at most 4 + 8 + ... + 2^17 = 262,140, and each
/// tile of chance adds at least 2, so there are at most 131,070 of them; two come first, and each
/// other one follows a slide.
const LONGEST: u32 = 262_138;

/// The rules of 2048. Moves 0 to 3 slide, then each cell has two moves of chance, a 2 and a 4.
#[derive(Clone, Copy, Debug)]
pub struct Twenty48;

/// A position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tiles {
    /// The exponent in each cell, row by row; 0 is empty.
    cells: [u8; 16],
    /// Whether it is chance's turn.
    chance: bool,
}

magister_core::pack_struct!(Tiles { cells: [u8; 16], chance: bool });

/// The cell at a distance from the edge that a slide moves to, in one of the four rows or columns.
const fn cell(direction: usize, line: usize, distance: usize) -> usize {
    match direction {
        0 => 4 * line + distance,
        1 => 4 * distance + line,
        2 => 4 * line + 3 - distance,
        _ => 4 * (3 - distance) + line,
    }
}

/// Slides the tiles and returns the gain; `None` if nothing would change.
fn slide(cells: &mut [u8; 16], direction: usize) -> Option<u32> {
    let before = *cells;
    let mut gain = 0;
    for line in 0..4 {
        let mut tiles = [0; 4];
        let mut count = 0;
        // A tile that was merged in this slide does not merge again.
        let mut joinable = false;
        for distance in 0..4 {
            let tile = before[cell(direction, line, distance)];
            if tile == 0 {
                continue;
            }
            if joinable && tiles[count - 1] == tile {
                tiles[count - 1] += 1;
                gain += 1_u32 << (tile + 1);
                joinable = false;
            } else {
                tiles[count] = tile;
                count += 1;
                joinable = true;
            }
        }
        for (distance, tile) in tiles.into_iter().enumerate() {
            cells[cell(direction, line, distance)] = tile;
        }
    }
    (*cells != before).then_some(gain)
}

impl Rules for Twenty48 {
    type State = Tiles;

    fn info(&self) -> Info {
        Info {
            chance: Some(CHANCE),
            moves: Some(4 + 32),
            rewards: (0.0, HIGHEST_SCORE),
            payment: Payment::OnTheWay,
            max_length: Some(LONGEST),
            ..Info::new("2048", &["player", "chance"], "2048 1")
        }
    }

    fn initial(&self) -> Tiles {
        Tiles { cells: [0; 16], chance: true }
    }

    /// If a cell is empty, the tile next to it can slide into it.
    fn terminal(&self, tiles: &Tiles) -> bool {
        let cells = &tiles.cells;
        let joins = |a: usize, b: usize| cells[a] == cells[b];
        let beside = |i: usize| i % 4 < 3 && joins(i, i + 1) || i < 12 && joins(i, i + 4);
        !tiles.chance && !cells.contains(&0) && !(0..16).any(beside)
    }

    fn legal(&self, tiles: &Tiles, role: Role, out: &mut Vec<Move>) {
        if tiles.chance && role == CHANCE {
            for cell in (0..16_u32).filter(|&cell| tiles.cells[cell as usize] == 0) {
                out.extend([Move(4 + 2 * cell), Move(5 + 2 * cell)]);
            }
        } else if !tiles.chance && role == PLAYER {
            let changes =
                |&direction: &u32| slide(&mut tiles.cells.clone(), direction as usize).is_some();
            out.extend((0..4).filter(changes).map(Move));
        }
    }

    fn weights(&self, tiles: &Tiles, out: &mut Vec<u32>) {
        for _ in tiles.cells.iter().filter(|&&tile| tile == 0) {
            out.extend([9, 1]);
        }
    }

    fn step(&self, tiles: &mut Tiles, joint: &[Move], out: &mut Step) {
        if tiles.chance {
            let put = joint[CHANCE.index()].0 - 4;
            // The board is empty only before the first tile, so a second one follows.
            tiles.chance = tiles.cells == [0; 16];
            tiles.cells[put as usize / 2] = 1 + (put % 2) as u8;
        } else {
            let gain = slide(&mut tiles.cells, joint[PLAYER.index()].index()).unwrap_or(0);
            out.gains[PLAYER.index()] = f64::from(gain);
            tiles.chance = true;
        }
    }

    /// All rewards were paid during the game.
    fn reward(&self, _tiles: &Tiles, _role: Role) -> f64 {
        0.0
    }

    /// Two tiles of the largest value are unreachable, and could be merged into a larger one.
    fn valid(&self, tiles: &Tiles) -> bool {
        let mut largest = tiles.cells.iter().filter(|&&tile| tile >= LARGEST);
        let first = largest.next().unwrap_or(&LARGEST);
        let possible = *first == LARGEST && largest.next().is_none();
        let (empty, full) = (tiles.cells == [0; 16], !tiles.cells.contains(&0));
        possible && if tiles.chance { !full } else { !empty }
    }

    fn move_text(&self, choice: Move) -> String {
        match choice.0 {
            direction @ 0..4 => DIRECTIONS[direction as usize].to_owned(),
            put => {
                let (cell, tile) = ((put - 4) / 2, 2 + 2 * (put % 2));
                format!("(put {} {} {tile})", cell / 4 + 1, cell % 4 + 1)
            }
        }
    }

    fn state_text(&self, tiles: &Tiles) -> String {
        let control = if tiles.chance { "chance" } else { "player" };
        let cell = |(cell, &tile): (usize, &u8)| {
            let (row, column, value) = (cell / 4 + 1, cell % 4 + 1, 1_u32 << tile);
            (tile > 0).then(|| format!("(cell {row} {column} {value})"))
        };
        let cells = tiles.cells.iter().enumerate().filter_map(cell);
        list(cells.chain([format!("(control {control})")]))
    }

    fn parse_state(&self, text: &str) -> Option<Tiles> {
        let mut tiles = Tiles { cells: [0; 16], chance: false };
        let place = |word: &str| word.parse::<usize>().ok()?.checked_sub(1).filter(|&n| n < 4);
        for term in terms(text)? {
            match term[..] {
                ["control", "chance"] => tiles.chance = true,
                ["control", "player"] => tiles.chance = false,
                ["cell", row, column, value] => {
                    let value =
                        value.parse::<u32>().ok().filter(|value| value.is_power_of_two())?;
                    tiles.cells[4 * place(row)? + place(column)?] = value.trailing_zeros() as u8;
                }
                _ => return None,
            }
        }
        Some(tiles)
    }

    fn board(&self) -> Option<Shape> {
        let mut values = vec![String::from("empty")];
        values.extend((1..=LARGEST).map(|tile| (1_u32 << tile).to_string()));
        let names: Vec<&str> = values.iter().map(String::as_str).collect();
        Some(Shape::grid(4, 4, &names))
    }

    fn cells(&self, tiles: &Tiles, out: &mut [u16]) {
        for (value, &tile) in out.iter_mut().zip(&tiles.cells) {
            *value = u16::from(tile);
        }
    }

    fn target(&self, choice: Move) -> Option<(u32, u32)> {
        let cell = choice.0.checked_sub(4)? / 2;
        (cell < 16).then_some((cell, cell))
    }

    /// The symmetries of the square; directions rotate with the board.
    fn symmetries(&self) -> Vec<Symmetry> {
        let of = |cells: [u32; 16], directions: [u32; 4]| {
            let puts = cells.iter().flat_map(|cell| [4 + 2 * cell, 5 + 2 * cell]);
            Symmetry {
                moves: directions.into_iter().chain(puts).collect(),
                cells: cells.to_vec(),
                ..Symmetry::identity(16, u16::from(LARGEST) + 1, 36, 2)
            }
        };
        let quarter = std::array::from_fn(|i| (4 * (i % 4) + 3 - i / 4) as u32);
        let mirror = std::array::from_fn(|i| (4 * (i / 4) + 3 - i % 4) as u32);
        Symmetry::close(&[of(quarter, [1, 2, 3, 0]), of(mirror, [2, 1, 0, 3])])
    }
}
