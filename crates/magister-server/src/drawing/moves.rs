//! Which cells a move names.

use std::collections::BTreeMap;

use magister::engine::board::Picture;
use magister_core::{Game, Move, Role};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Drawing, Shape};

/// The maximum number of moves of a game that are listed.
const MOVES: u32 = 50_000;

impl Drawing {
    /// The cells that a move names: its origin and its target.
    pub fn target(
        &self,
        game: &dyn Game,
        role: Role,
        choice: Move,
    ) -> (Option<usize>, Option<usize>) {
        if self.shape.is_none() || choice == Move::IDLE {
            return (None, None);
        }
        let text = game.text().move_text(choice);
        let words = crate::words::tokens(&text);
        let name = words.first().cloned().unwrap_or_default();
        if let Some(lesson) = self.lessons.get(&(role.index(), name.clone(), words.len())) {
            return (None, lesson.cell(&self.named, &words));
        }
        if let Some(map) = &self.board
            && let Some((from, to)) = game.board().and_then(|board| board.target(choice))
        {
            let cell = |at: u32| map.get(at as usize).copied();
            return places(&[cell(from), cell(to)].map(|one| one.unwrap_or(0)));
        }
        if let Some((length, starts)) = self.arguments.get(&(name, words.len())) {
            let cell = |start: &usize| self.words.get(&words[*start..start + length]).copied();
            let named: Option<Vec<usize>> = starts.iter().map(cell).collect();
            if let Some(named) = named {
                return places(&named);
            }
        }
        let mut found = Vec::new();
        let mut at = 1;
        while at < words.len() {
            let named = [3, 2, 1].into_iter().find_map(|length| {
                let part = words.get(at..at + length)?;
                self.words.get(part).map(|&cell| (cell, length))
            });
            match named {
                Some((cell, length)) => {
                    found.push(cell);
                    at += length;
                }
                None => at += 1,
            }
        }
        places(&found)
    }
}

/// Origin and target; a move that names only one place has no origin.
fn places(found: &[usize]) -> (Option<usize>, Option<usize>) {
    match found {
        [] => (None, None),
        [only] => (None, Some(*only)),
        [first, .., last] if first == last => (None, Some(*last)),
        [first, .., last] => (Some(*first), Some(*last)),
    }
}

/// The cells by the words that name them in moves. Of several boards, the cells of the first can be
/// named without its title.
pub(super) fn words(
    shape: &Shape,
    whole: &Picture,
    reversed: bool,
) -> FxHashMap<Vec<String>, usize> {
    let mut all = FxHashMap::default();
    for (number, cell) in shape.cells.iter().enumerate() {
        let mut name: Vec<String> = cell.name.split(' ').map(str::to_owned).collect();
        if reversed {
            name.reverse();
        }
        if whole.panels.len() > 1 {
            let title = &shape.boards[cell.board];
            let mut full: Vec<String> = title.split(' ').map(str::to_owned).collect();
            full.extend(name.clone());
            let tail = full.split_off(full.len().saturating_sub(name.len() + 1));
            all.insert(tail, number);
        }
        all.entry(name).or_insert(number);
    }
    all
}

/// Where moves of each name and length name cells. In `place 3 1 2 across` both `3 1` and `1 2` may
/// be cells; the words that name more distinct cells over all such moves are used.
pub(super) fn arguments(
    game: &dyn Game,
    cells: &FxHashMap<Vec<String>, usize>,
) -> FxHashMap<(String, usize), (usize, Vec<usize>)> {
    let mut groups: BTreeMap<(String, usize), Vec<Vec<String>>> = BTreeMap::new();
    let count = game.info().moves.filter(|&count| count <= MOVES).unwrap_or(0);
    for number in 0..count {
        let words = crate::words::tokens(&game.text().move_text(Move(number)));
        if let Some(name) = words.first().filter(|_| words.len() > 1) {
            groups.entry((name.clone(), words.len())).or_default().push(words);
        }
    }
    let mut all = FxHashMap::default();
    for (key, moves) in groups {
        for length in [2, 1] {
            // For each start, the number of distinct cells; `None` if some words are not a cell.
            let distinct = |start: usize| -> Option<usize> {
                let named = moves.iter().map(|words| cells.get(words.get(start..start + length)?));
                let named: Option<FxHashSet<&usize>> = named.collect();
                named.map(|named| named.len())
            };
            let known: Vec<Option<usize>> = (0..key.1).map(distinct).collect();
            let starts = apart(&known, length);
            if !starts.is_empty() {
                all.insert(key.clone(), (length, starts));
                break;
            }
        }
    }
    all
}

/// The starts that do not overlap: as many as possible, and then those with the most distinct
/// cells.
fn apart(known: &[Option<usize>], length: usize) -> Vec<usize> {
    let mut best: Vec<(usize, usize, Vec<usize>)> = vec![(0, 0, Vec::new()); known.len() + length];
    for start in (1..known.len()).rev() {
        best[start] = best[start + 1].clone();
        if let Some(cells) = known[start] {
            let (count, sum, rest) = &best[start + length];
            if (count + 1, sum + cells) > (best[start].0, best[start].1) {
                let mut starts = vec![start];
                starts.extend(rest);
                best[start] = (count + 1, sum + cells, starts);
            }
        }
    }
    best.get(1).map(|one| one.2.clone()).unwrap_or_default()
}

/// The cells of the game's own board as cells of the shape, if each of them has a place and a name.
pub(super) fn own_board(
    game: &dyn Game,
    shape: &Shape,
    whole: &Picture,
    places: &FxHashMap<(usize, usize, usize), usize>,
) -> Option<Vec<usize>> {
    let own = game.board()?.shape();
    if own.boards.len() != whole.panels.len() {
        return None;
    }
    own.cells
        .iter()
        .map(|cell| {
            let at = (usize::from(cell.board), cell.x as usize, cell.y as usize);
            let found = *places.get(&at)?;
            cell.name.ends_with(&shape.cells[found].name).then_some(found)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::apart;

    #[test]
    fn words_that_name_cells_do_not_overlap() {
        // move x y x y
        assert_eq!(apart(&[None, Some(9), Some(7), Some(9), None], 2), [1, 3]);
        // place size x y direction
        assert_eq!(apart(&[None, Some(6), Some(25), None, None], 2), [2]);
        assert_eq!(apart(&[None, Some(3), None, Some(3)], 1), [1, 3]);
        assert_eq!(apart(&[None], 2), [0; 0]);
    }
}
