//! Cells as people name them, `b3`, on boards whose columns and rows have numbers.

use magister::Playable;
use magister_core::Move;
use magister_engine::board::Picture;

use super::moves::plain;

/// The maximum number of columns that letters can name.
const LETTERS: usize = 26;

/// The cells of a board: the name with a letter, the words of the game, and column and row.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cells {
    cells: Vec<Cell>,
}

#[derive(Clone, Debug)]
struct Cell {
    name: String,
    words: String,
    column: String,
    row: String,
}

impl Cells {
    /// The cells of a picture with one board of numbered columns and rows; otherwise no cells.
    pub(crate) fn new(picture: &Picture) -> Self {
        let [panel] = &picture.panels[..] else { return Cells::default() };
        let (columns, rows) = (&panel.columns, &panel.rows);
        let numbers = |names: &[String]| {
            names.len() > 1
                && names.iter().all(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
        };
        if !numbers(columns) || !numbers(rows) || columns.len() > LETTERS {
            return Cells::default();
        }
        let cell = |spot: &magister_engine::board::Spot| {
            let (column, row) = (columns.get(spot.column)?, rows.get(spot.row)?);
            let letter = char::from(b'a' + u8::try_from(spot.column).ok()?);
            Some(Cell {
                name: format!("{letter}{row}"),
                words: plain(&spot.name),
                column: column.clone(),
                row: row.clone(),
            })
        };
        Cells { cells: panel.spots.iter().filter_map(cell).collect() }
    }

    /// The cells of the board of a game.
    pub(crate) fn of(playable: &Playable) -> Self {
        Cells::new(&super::first_picture(&*playable.game, &playable.painter()))
    }

    /// Whether a text looks like names of cells only.
    pub(crate) fn are_named(text: &str) -> bool {
        let bytes = text.trim().as_bytes();
        bytes.windows(2).any(|pair| pair[0].is_ascii_alphabetic() && pair[1].is_ascii_digit())
            && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || b"- ".contains(byte))
    }

    /// The words of the game for a text that consists of names of cells: `1 2 1 3` for `a2a3`.
    pub(crate) fn words(&self, text: &str) -> Option<String> {
        let text = text.trim().to_lowercase();
        let mut rest = text.as_str();
        let mut words: Vec<&str> = Vec::new();
        while !rest.is_empty() {
            let digits = rest.get(1..)?.bytes().take_while(u8::is_ascii_digit).count();
            let name = rest.get(..=digits).filter(|_| digits > 0)?;
            let cell = self.cells.iter().find(|cell| cell.name == name)?;
            words.push(&cell.words);
            rest = rest[name.len()..].trim_start_matches(['-', ' ', ',']);
        }
        (!words.is_empty()).then(|| words.join(" "))
    }

    /// The first cell in a text of names of cells that the board does not have.
    pub(crate) fn missing(&self, text: &str) -> Option<String> {
        let text = text.trim().to_lowercase();
        if self.cells.is_empty() || !Cells::are_named(&text) {
            return None;
        }
        let mut rest = text.as_str();
        while !rest.is_empty() {
            let digits = rest.get(1..)?.bytes().take_while(u8::is_ascii_digit).count();
            let name = rest.get(..=digits).filter(|_| digits > 0)?;
            if self.cells.iter().all(|cell| cell.name != name) {
                return Some(name.to_owned());
            }
            rest = rest[name.len()..].trim_start_matches(['-', ' ', ',']);
        }
        None
    }

    /// How the moves of a game name its cells, with an example.
    pub(super) fn reading(&self, moves: &[(Move, String)]) -> Option<String> {
        let length = self.cells.first()?.words.split(' ').count();
        let find = |words: &[&str]| self.cells.iter().find(|cell| cell.words == words.join(" "));
        let mut best = None;
        for (_, text) in moves {
            let text = plain(text);
            let words: Vec<&str> = text.split(' ').collect();
            let places = words.get(1..).unwrap_or_default();
            let read = match places.len() {
                n if n == length => find(places).map(|to| {
                    let Cell { name, column, row, .. } = to;
                    let line = format!("column {column}, row {row}; `{name}` means the same");
                    (column != row, format!("`{text}` is {line}."))
                }),
                n if n == 2 * length => {
                    let cells = find(&places[..length]).zip(find(&places[length..]));
                    cells.map(|(from, to)| {
                        let place =
                            |cell: &Cell| format!("column {}, row {}", cell.column, cell.row);
                        let line = format!(
                            "`{text}` goes from {} to {}; `{}{}` means the same.",
                            place(from),
                            place(to),
                            from.name,
                            to.name
                        );
                        (from.column != from.row, line)
                    })
                }
                _ => None,
            };
            // If column and row are the same number, the example explains nothing.
            match read {
                Some((true, line)) => return Some(line),
                Some((false, line)) => best = best.or(Some(line)),
                None => {}
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use magister_core::Move;

    use super::{Cell, Cells};

    /// A board of three columns and rows; the game names the row first.
    fn cells() -> Cells {
        let cell = |(column, row): (u8, u8)| Cell {
            name: format!("{}{row}", char::from(b'a' + column - 1)),
            words: format!("{row} {column}"),
            column: column.to_string(),
            row: row.to_string(),
        };
        let all = (1..=3).flat_map(|column| (1..=3).map(move |row| (column, row)));
        Cells { cells: all.map(cell).collect() }
    }

    #[test]
    fn cells_in_the_words_of_the_game() {
        let cells = cells();
        assert_eq!(cells.words("b1").as_deref(), Some("1 2"));
        assert_eq!(cells.words("B1-c3").as_deref(), Some("1 2 3 3"));
        for text in ["", "b", "b9", "d1", "b1x", "12", "put b1", "é1", "b1é"] {
            assert_eq!(cells.words(text), None, "{text}");
        }
        assert_eq!(cells.missing("b1d4").as_deref(), Some("d4"));
        for text in ["b1", "b1-c3", "", "hello", "b", "é1", "b1é"] {
            assert_eq!(cells.missing(text), None, "{text}");
        }
        let moves = [(Move(0), "(put 1 1)".to_owned()), (Move(1), "(put 1 2)".to_owned())];
        let line = cells.reading(&moves).expect("an example");
        assert_eq!(line, "`put 1 2` is column 2, row 1; `b1` means the same.");
        let moves = [(Move(0), "(move 1 2 1 3)".to_owned())];
        let line = cells.reading(&moves).expect("an example");
        assert!(line.contains("from column 2, row 1 to column 3, row 1; `b1c1`"), "{line}");
        assert_eq!(cells.reading(&[(Move(0), "(drop 1)".to_owned())]), None);
    }
}
