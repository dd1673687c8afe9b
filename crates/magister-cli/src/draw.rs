//! Boards for people: colours for the sides, Unicode pieces, the last move marked.
//!
//! The engine lays out a picture as text. Before that, this module replaces every symbol by a
//! placeholder of the same width; afterwards it replaces the placeholders by coloured symbols.

use std::collections::BTreeMap;
use std::sync::Arc;

use magister_core::{Game, Info, Layout, Percept, Role};
use magister_engine::board::{Line, Picture, Spot};
use magister_recycle::CardGame;

use crate::console::moves::{plain, signs};
use crate::terminal;

/// The engine's symbol for an empty cell.
const EMPTY: &str = ".";
/// The first placeholder, in a private area of Unicode that no game uses.
const PLACEHOLDERS: u32 = 0xF_0000;

const RESET: &str = "\x1b[0m";
/// Colours of the players, in the order of their seats.
const COLOURS: [&str; 6] = ["36", "33", "32", "35", "34", "31"];
/// Colours of players whose names are colours.
const NAMED: [(&str, &str); 6] = [
    ("red", "31"),
    ("green", "32"),
    ("yellow", "33"),
    ("blue", "34"),
    ("magenta", "35"),
    ("cyan", "36"),
];

/// How boards are drawn for people.
#[derive(Clone, Debug)]
pub(crate) struct Look {
    /// Whether characters beyond ASCII can be displayed.
    unicode: bool,
    /// The players, in the order of their seats.
    players: Vec<String>,
    /// Whether the whole position is shown, including the turn and the step number.
    whole: bool,
}

impl Look {
    /// The look of whole positions, for people who study a game.
    pub(crate) fn whole(info: &Info) -> Self {
        let players = info.players().map(|role| info.role_name(role).to_owned());
        Look { whole: true, ..Look::new(players, false) }
    }

    /// Draws for this terminal; `ascii` excludes other characters.
    pub(crate) fn new(players: impl Iterator<Item = String>, ascii: bool) -> Self {
        Look { unicode: terminal::unicode(ascii), players: players.collect(), whole: false }
    }

    /// The picture as text with colour codes, which the output removes if there is no colour. Cells
    /// that differ from the previous picture are marked.
    pub(crate) fn text(&self, picture: &Picture, before: Option<&Picture>, legend: bool) -> String {
        let holes = legend && has_holes(picture);
        let mut picture = picture.clone();
        if !self.whole {
            // The prompt shows whose turn it is, and a step counter is not useful.
            picture.lines.retain(|line| !self.is_turn(line));
            picture.always.clear();
        }
        let capital = self.one_case(&picture);
        let pieces = self.pieces(&picture);
        let mut shown: Vec<String> = Vec::new();
        for (number, panel) in picture.panels.iter_mut().enumerate() {
            let old = before.and_then(|before| before.panels.get(number));
            for spot in &mut panel.spots {
                let was = old.and_then(|old| {
                    old.spots.iter().find(|old| (old.row, old.column) == (spot.row, spot.column))
                });
                let changed = was.is_some_and(|was| was.symbol != spot.symbol);
                spot.symbol = self.symbol(spot, changed, capital, &pieces, &mut shown);
            }
        }
        for (symbol, label) in &mut picture.legend {
            let text = self.plain(symbol, std::slice::from_ref(label), capital, &pieces);
            *symbol = placeholders(&text, &self.style(std::slice::from_ref(label)), &mut shown);
        }
        if !self.whole {
            self.spell_out(&mut picture);
        }
        let mut text = picture.text(terminal::width(), legend);
        if holes && !self.whole {
            text.push_str("a dot is an empty cell, a blank is not part of the board\n");
        }
        let mut out = String::with_capacity(text.len());
        for letter in text.chars() {
            let number = u32::from(letter).wrapping_sub(PLACEHOLDERS) as usize;
            match shown.get(number) {
                Some(symbol) => out.push_str(symbol),
                None => out.push(letter),
            }
        }
        out
    }

    /// Whether symbols beyond ASCII are shown.
    pub(crate) fn unicode(&self) -> bool {
        self.unicode
    }

    /// A move as text for people; in a card game with the symbols of the suits.
    pub(crate) fn choice(&self, game: &Arc<dyn Game>, text: &str) -> String {
        let text = plain(text);
        if self.unicode && has_cards(game) { signs(&text) } else { text }
    }

    /// A card table as a role sees it, or all of it; `None` if the game is not a card game.
    pub(crate) fn cards(
        &self,
        game: &dyn Game,
        state: &[u64],
        role: Option<Role>,
    ) -> Option<String> {
        let cards = game.as_any()?.downcast_ref::<CardGame>()?;
        let table = cards.table_text(state, role, self.unicode)?;
        Some(table.lines().map(|line| terminal::hanging(line, 7) + "\n").collect())
    }

    /// A role's observations in a turn of a card game; `None` if the game is not a card game.
    pub(crate) fn card_news(
        &self,
        game: &dyn Game,
        role: Role,
        seen: &[Percept],
    ) -> Option<String> {
        let cards = game.as_any()?.downcast_ref::<CardGame>()?;
        Some(cards.news(Some(role), seen, self.unicode))
    }

    /// The symbol of a player's pieces, for the greeting; `None` if they have no symbol of their
    /// own.
    pub(crate) fn piece_of(&self, picture: &Picture, seat: usize) -> Option<String> {
        let capital = self.one_case(picture);
        let pieces = self.pieces(picture);
        let own = picture.legend.iter().find(|(_, label)| {
            self.owner(label) == Some(seat) && self.players.get(seat) == Some(label)
        });
        let (symbol, label) = own?;
        let text = self.plain(symbol, std::slice::from_ref(label), capital, &pieces);
        let style = self.style(std::slice::from_ref(label));
        Some(if style.is_empty() { text } else { format!("\x1b[{style}m{text}{RESET}") })
    }

    fn is_turn(&self, line: &Line) -> bool {
        matches!(line, Line::Word { name, value }
            if name == "step"
                || matches!(name.as_str(), "control" | "turn") && self.players.contains(value))
    }

    /// Whether all symbols remain distinct in upper case. Then no side has small letters while the
    /// other has capitals.
    fn one_case(&self, picture: &Picture) -> bool {
        let mut capitals: BTreeMap<String, String> = BTreeMap::new();
        let legend = picture.legend.iter().map(|(symbol, _)| symbol);
        let spots = picture.panels.iter().flat_map(|panel| &panel.spots).map(|spot| &spot.symbol);
        let mut owned = false;
        for symbol in legend.chain(spots) {
            let known = capitals.entry(symbol.to_uppercase()).or_insert_with(|| symbol.clone());
            if known != symbol {
                return false;
            }
        }
        let labels = picture.panels.iter().flat_map(|panel| &panel.spots).flat_map(|s| &s.labels);
        let listed = picture.legend.iter().map(|(_, label)| label);
        for label in labels.chain(listed) {
            owned |= self.owner(label).is_some();
        }
        owned
    }

    /// Writes out the names of chess pieces that the rules abbreviate: `wr` is the white rook.
    fn spell_out(&self, picture: &mut Picture) {
        if !self.has_chessmen(picture) {
            return;
        }
        for (_, label) in &mut picture.legend {
            let (Some(owner), Some(kind)) = (self.owner(label), self.kind(label)) else { continue };
            if let (Some((name, ..)), 2) = (chessman(kind), label.len()) {
                *label = format!("{} {name}", self.players[owner]);
            }
        }
    }

    fn has_chessmen(&self, picture: &Picture) -> bool {
        let kinds = || picture.legend.iter().filter_map(|(_, label)| self.kind(label));
        let has = |names: [&str; 2]| kinds().any(|kind| names.contains(&kind));
        has(["k", "king"]) && has(["n", "knight"])
    }

    /// The labels that are pieces with their own glyph.
    fn pieces(&self, picture: &Picture) -> BTreeMap<String, &'static str> {
        let mut glyphs = BTreeMap::new();
        if !self.unicode {
            return glyphs;
        }
        let chess = self.has_chessmen(picture);
        for (_, label) in &picture.legend {
            let (Some(owner), Some(kind)) = (self.owner(label), self.kind(label)) else { continue };
            let glyph = match kind {
                "" if self.players.len() == 2 && label.chars().count() > 1 => {
                    Some(disc(label, owner))
                }
                kind if chess => {
                    chessman(kind).map(|(_, white, black)| if owner == 0 { white } else { black })
                }
                _ => None,
            };
            glyphs.extend(glyph.map(|glyph| (label.clone(), glyph)));
        }
        glyphs
    }

    fn symbol(
        &self,
        spot: &Spot,
        changed: bool,
        capital: bool,
        pieces: &BTreeMap<String, &'static str>,
        shown: &mut Vec<String>,
    ) -> String {
        if spot.symbol == EMPTY {
            let dot = if self.unicode { "·" } else { EMPTY };
            // The cell that a piece has left is underlined.
            return placeholders(dot, if changed { "4" } else { "2" }, shown);
        }
        let text = self.plain(&spot.symbol, &spot.labels, capital, pieces);
        let mut style = self.style(&spot.labels);
        if changed {
            style.push_str(if style.is_empty() { "7" } else { ";7" });
        }
        placeholders(&text, &style, shown)
    }

    /// A symbol without its colour.
    fn plain(
        &self,
        symbol: &str,
        labels: &[String],
        capital: bool,
        pieces: &BTreeMap<String, &'static str>,
    ) -> String {
        match labels.iter().find_map(|label| pieces.get(label)) {
            Some(glyph) => (*glyph).to_owned(),
            None if capital && labels.iter().any(|label| self.owner(label).is_some()) => {
                symbol.to_uppercase()
            }
            None => symbol.to_owned(),
        }
    }

    /// The colour of a piece, as the number of an escape sequence.
    fn style(&self, labels: &[String]) -> String {
        let Some(owner) = labels.iter().find_map(|label| self.owner(label)) else {
            return String::new();
        };
        let named = NAMED.iter().find(|(name, _)| *name == self.players[owner]);
        let colour = named.map_or(COLOURS[owner % COLOURS.len()], |(_, colour)| colour);
        format!("1;{colour}")
    }

    /// The seat of the player that owns a piece.
    fn owner(&self, label: &str) -> Option<usize> {
        if self.players.len() < 2 {
            return None;
        }
        let label = label.to_lowercase();
        let words: Vec<&str> = label.split([' ', '_', '-']).collect();
        let named = self.players.iter().position(|player| {
            let player = player.to_lowercase();
            let short = player.strip_suffix("player").filter(|short| !short.is_empty());
            words.iter().any(|word| *word == player || Some(*word) == short)
        });
        if named.is_some() {
            return named;
        }
        // `wp` and `bp` consist of a side and a piece.
        let side = label.chars().next().filter(|_| label.len() == 2 && label.is_ascii())?;
        if !label.chars().all(char::is_alphabetic) {
            return None;
        }
        let mut sides = self.players.iter().enumerate().filter(|(_, name)| name.starts_with(side));
        let (seat, _) = sides.next()?;
        sides.next().is_none().then_some(seat)
    }

    /// The kind of a piece, without its side; empty if the label is only a side.
    fn kind<'a>(&self, label: &'a str) -> Option<&'a str> {
        let owner = self.owner(label)?;
        let player = self.players[owner].as_str();
        if label == player {
            return Some("");
        }
        if label.len() == 2 && label.is_ascii() && !label.contains(' ') {
            return Some(&label[1..]);
        }
        label.split([' ', '_', '-']).find(|word| *word != player)
    }
}

/// Whether the board has a piece whose symbol people must know, and places outside the board.
fn has_holes(picture: &Picture) -> bool {
    let [panel] = &picture.panels[..] else { return false };
    let places = panel.rows.len() * panel.columns.len();
    !picture.legend.is_empty()
        && panel.layout == Layout::Grid
        && panel.spots.len() < places
        && panel.spots.iter().any(|spot| spot.symbol == EMPTY)
}

fn disc(label: &str, owner: usize) -> &'static str {
    match label {
        "white" => "○",
        "black" => "●",
        _ if owner == 0 => "●",
        _ => "○",
    }
}

/// The name of a chess piece, and its glyph for white and for black.
fn chessman(kind: &str) -> Option<(&'static str, &'static str, &'static str)> {
    Some(match kind {
        "k" | "king" => ("king", "♔", "♚"),
        "q" | "queen" => ("queen", "♕", "♛"),
        "r" | "rook" => ("rook", "♖", "♜"),
        "b" | "bishop" => ("bishop", "♗", "♝"),
        "n" | "knight" => ("knight", "♘", "♞"),
        "p" | "pawn" => ("pawn", "♙", "♟"),
        _ => return None,
    })
}

/// Placeholders for a text in a style, one for each character.
fn placeholders(text: &str, style: &str, shown: &mut Vec<String>) -> String {
    let mut out = String::new();
    for letter in text.chars() {
        let styled = if style.is_empty() {
            letter.to_string()
        } else {
            format!("\x1b[{style}m{letter}{RESET}")
        };
        let number = shown.iter().position(|known| *known == styled).unwrap_or_else(|| {
            shown.push(styled);
            shown.len() - 1
        });
        let code = u32::try_from(number).ok().and_then(|n| char::from_u32(PLACEHOLDERS + n));
        out.push(code.unwrap_or(letter));
    }
    out
}

/// Whether a game is a card game, whose table shows a player's observations.
pub(crate) fn has_cards(game: &Arc<dyn Game>) -> bool {
    game.as_any().is_some_and(<dyn std::any::Any>::is::<CardGame>)
}

/// The common parts of several positions. Cells and values in which they differ are unknown.
pub(crate) fn in_common(pictures: &mut dyn Iterator<Item = Picture>) -> Option<Picture> {
    let mut known = pictures.next()?;
    for other in pictures {
        known.panels.truncate(other.panels.len());
        for (panel, other) in known.panels.iter_mut().zip(&other.panels) {
            for spot in &mut panel.spots {
                let same =
                    other.spots.iter().find(|o| (o.row, o.column) == (spot.row, spot.column));
                if same.is_none_or(|same| same.symbol != spot.symbol) {
                    UNKNOWN.clone_into(&mut spot.symbol);
                    spot.labels.clear();
                }
            }
        }
        known.lines = known.lines.into_iter().filter_map(|line| shared(line, &other)).collect();
        known.facts.retain(|fact| other.facts.contains(fact));
    }
    Some(known)
}

/// The symbol of a cell whose contents the role does not know.
pub(crate) const UNKNOWN: &str = "?";

/// The part of a line that is the same in another picture.
fn shared(line: Line, other: &Picture) -> Option<Line> {
    match line {
        Line::Word { .. } => other.lines.contains(&line).then_some(line),
        Line::Counters { name, mut entries, piles } => {
            let there = other.lines.iter().find_map(|line| match line {
                Line::Counters { name: of, entries, .. } if *of == name => Some(entries),
                _ => None,
            })?;
            entries.retain(|entry| there.contains(entry));
            (!entries.is_empty()).then_some(Line::Counters { name, entries, piles })
        }
        Line::List { name, mut items } => {
            let there = other.lines.iter().find_map(|line| match line {
                Line::List { name: of, items } if *of == name => Some(items),
                _ => None,
            })?;
            items.retain(|item| there.contains(item));
            (!items.is_empty()).then_some(Line::List { name, items })
        }
        Line::Groups { name, groups, stacked } => {
            let there = other.lines.iter().find_map(|line| match line {
                Line::Groups { name: of, groups, .. } if *of == name => Some(groups),
                _ => None,
            })?;
            let same = |(group, mut things): (String, Vec<String>)| {
                let (_, others) = there.iter().find(|(other, _)| *other == group)?;
                things.retain(|thing| others.contains(thing));
                (!things.is_empty()).then_some((group, things))
            };
            let groups: Vec<_> = groups.into_iter().filter_map(same).collect();
            (!groups.is_empty()).then_some(Line::Groups { name, groups, stacked })
        }
        Line::Flags { mut entries } => {
            let there = other.lines.iter().find_map(|line| match line {
                Line::Flags { entries } => Some(entries),
                _ => None,
            })?;
            entries.retain(|entry| there.contains(entry));
            (!entries.is_empty()).then_some(Line::Flags { entries })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Look;

    fn look(players: [&str; 2]) -> Look {
        Look { unicode: true, players: players.map(str::to_owned).to_vec(), whole: false }
    }

    #[test]
    fn whose_piece_a_label_is() {
        let chess = look(["white", "black"]);
        assert_eq!(chess.owner("wp"), Some(0));
        assert_eq!(chess.owner("bk"), Some(1));
        assert_eq!(chess.owner("black king"), Some(1));
        assert_eq!(chess.owner("wall"), None);
        assert_eq!(chess.kind("wn"), Some("n"));
        assert_eq!(chess.kind("black king"), Some("king"));
        assert_eq!(chess.kind("white"), Some(""));
        let cross = look(["xplayer", "oplayer"]);
        assert_eq!(cross.owner("o"), Some(1));
        assert_eq!(cross.owner("b"), None);
    }
}
