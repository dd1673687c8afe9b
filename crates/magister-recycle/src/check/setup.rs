//! The game as a whole: its players, teams and decks.

use magister_diagnostic::Span;

use super::Checker;
use crate::code::{Code, Diagnostic};
use crate::ir::{CardText, Cards, Int, Key, Owner, StrId};
use crate::tree::{Node, NodeKind};

/// A deck: its name, its initial pile, its cards, and the number of copies.
struct Deck {
    name: StrId,
    pile: (u32, u32),
    cards: Vec<Vec<(StrId, StrId)>>,
    times: i32,
    repeated: bool,
}

const MISSING: [&str; 2] = ["the game has no setup", "the game has no scoring"];

/// Whether a form begins with a word that is probably this one, misspelt.
fn is_nearly(form: &Node, word: &'static str) -> bool {
    let head = form.list().and_then(|list| list.first()).and_then(Node::word);
    head.is_some_and(|head| super::spelling::nearest(head, &[word]).is_some())
}

impl Checker<'_> {
    pub(super) fn game(&mut self, forms: &[Node]) {
        let Some(game) = forms.iter().find(|form| form.head() == Some("game")) else {
            let span = forms.first().map_or(Span::default(), |form| form.span);
            if !self.diagnostics.has_errors() {
                self.push(
                    Diagnostic::new(Code::NoGame, span, "the text does not describe a game")
                        .help("expected `(game (setup ..) .. (scoring ..))`"),
                );
            }
            return;
        };
        for form in forms {
            if !std::ptr::eq(form, game) {
                self.report(Code::IgnoredText, form.span, "this is not part of the game");
            }
        }
        let items = &game.list().unwrap_or(&[])[1..];
        let mut rest = items;
        while let Some((first, after)) = rest.split_first() {
            if first.head() != Some("declare") {
                break;
            }
            self.declare(first, first.list().unwrap_or(&[]));
            rest = after;
        }
        match rest.split_first() {
            Some((setup, after)) if setup.head() == Some("setup") => {
                self.setup(setup);
                rest = after;
            }
            Some((first, after)) if is_nearly(first, "setup") => {
                self.unknown(&first.list().unwrap_or(&[])[0], MISSING[0].to_owned(), &["setup"]);
                rest = after;
                self.out.players = 1;
            }
            _ => {
                self.push(
                    Diagnostic::new(Code::NoGame, game.span, MISSING[0])
                        .help("`(setup (create players 2) ..)` comes before the first block"),
                );
                self.out.players = 1;
            }
        }
        match rest.split_last() {
            Some((scoring, before)) if scoring.head() == Some("scoring") => {
                self.out.root = self.blocks(game, before);
                self.scoring(scoring);
            }
            Some((last, before)) if is_nearly(last, "scoring") => {
                self.blocks(game, before);
                self.unknown(&last.list().unwrap_or(&[])[0], MISSING[1].to_owned(), &["scoring"]);
            }
            _ => {
                self.push(
                    Diagnostic::new(Code::NoGame, game.span, MISSING[1])
                        .help("`(scoring max INTEGER)` comes after the last block"),
                );
                self.blocks(game, rest);
            }
        }
    }

    fn scoring(&mut self, node: &Node) {
        let items = node.list().unwrap_or(&[]);
        let [_, goal, score] = items else {
            self.malformed(node, "`(scoring max INTEGER)` or `(scoring min INTEGER)`");
            return;
        };
        match goal.word() {
            Some("max") => self.out.most = true,
            Some("min") => self.out.most = false,
            _ => self.malformed(goal, "`max` or `min`"),
        }
        self.out.score_span = score.span;
        if let Some(score) = self.int(score) {
            self.out.score = score;
        }
    }

    fn setup(&mut self, node: &Node) {
        let items = &node.list().unwrap_or(&[])[1..];
        let mut decks = Vec::new();
        for item in items {
            let parts = item.list().unwrap_or(&[]);
            match (item.head(), parts.get(1).and_then(Node::word)) {
                (Some("create"), Some("players")) => self.players(item, parts),
                (Some("create"), Some("teams")) => self.create_teams(item, &parts[2..]),
                (Some("create"), Some("deck")) => decks.extend(self.deck(item, parts, 1, false)),
                (Some("repeat"), _) => match parts {
                    [_, count, deck] if deck.head() == Some("create") => {
                        if let Some(times) = self.constant(count) {
                            let parts = deck.list().unwrap_or(&[]);
                            decks.extend(self.deck(deck, parts, times, true));
                        }
                    }
                    _ => self.malformed(item, "`(repeat NUMBER (create deck ..))`"),
                },
                (Some("create"), Some(word)) => {
                    let message = format!("`{word}` cannot be created");
                    self.unknown(&parts[1], message, &["players", "teams", "deck"]);
                }
                (Some(word), _) if parts[0].word().is_some() && word != "create" => {
                    let message = format!("no part of a setup begins with `{word}`");
                    self.unknown(&parts[0], message, &["create", "repeat"]);
                }
                _ => self.malformed(item, "`(create players ..)`, `.. teams ..` or `.. deck ..`"),
            }
        }
        if self.out.players == 0 && !self.diagnostics.has_errors() {
            self.push(
                Diagnostic::new(Code::NoGame, node.span, "the game has no players")
                    .help("`(create players 2)` makes two"),
            );
        }
        self.make(node, &decks);
    }

    /// A number that is known before the game starts.
    fn constant(&mut self, node: &Node) -> Option<i32> {
        let int = self.int(node)?;
        let number = super::expr::fold(&int);
        if number.is_none() {
            self.report(Code::NotConstant, node.span, "this is not known before the game");
        }
        number
    }

    fn players(&mut self, node: &Node, parts: &[Node]) {
        let [_, _, count] = parts else {
            self.malformed(node, "`(create players NUMBER)`");
            return;
        };
        let Some(number) = self.constant(count) else { return };
        if number < 1 || number as usize > self.options.limits.players {
            let most = self.options.limits.players;
            let message = format!("a game has 1 to {most} players, not {number}");
            self.report(Code::TooLarge, count.span, message);
            return;
        }
        self.out.players = number as u32;
    }

    fn create_teams(&mut self, node: &Node, teams: &[Node]) {
        if self.out.players == 0 {
            self.malformed(node, "`(create players NUMBER)` before the teams");
            return;
        }
        // The thesis lists integers: each is the seat of a team of its own.
        let plain = !teams.is_empty() && teams.iter().all(|t| matches!(t.kind, NodeKind::Int(_)));
        if plain {
            self.older(node.span, "(create teams 0 1)", "(create teams (0) (1))");
            for team in teams {
                let members = self.members(team, std::slice::from_ref(team));
                self.out.teams.push(members);
            }
            return;
        }
        for team in teams {
            let Some(items) = team.list() else {
                self.malformed(node, "teams of seats: `(0, 2) (1, 3)`");
                return;
            };
            let members = self.members(team, items);
            self.out.teams.push(members);
        }
    }

    /// The seats of a team.
    fn members(&mut self, team: &Node, items: &[Node]) -> Vec<u32> {
        let mut members = Vec::new();
        for item in items {
            match &item.kind {
                NodeKind::Int(seat) if *seat >= 0 && (*seat as u32) < self.out.players => {
                    members.push(*seat as u32);
                }
                NodeKind::Int(_) => {
                    let (are, s) = if self.out.players == 1 { ("is", "") } else { ("are", "s") };
                    let message = format!("there {are} only {} player{s}", self.out.players);
                    self.report(Code::NoSuchOwner, item.span, message);
                }
                NodeKind::Mark(",") | NodeKind::List(_) => {}
                _ => self.malformed(team, "seats with commas between them"),
            }
        }
        members
    }

    fn deck(&mut self, node: &Node, parts: &[Node], times: i32, repeated: bool) -> Option<Deck> {
        let shape = "`(create deck PLACE (deck (ATTRIBUTE (VALUE, ..)) ..))`";
        if parts.get(1).is_none_or(|word| !word.is("deck")) {
            self.malformed(node, shape);
            return None;
        }
        let (name, place, deck) = match &parts[2..] {
            [place, deck] => (self.string("DEFAULT"), place, deck),
            [name, place, deck] => {
                if let NodeKind::Name(text) = &name.kind {
                    (self.string(text), place, deck)
                } else {
                    self.malformed(node, shape);
                    return None;
                }
            }
            _ => {
                self.malformed(node, shape);
                return None;
            }
        };
        let Cards::Place(found) = self.cards(place)? else {
            self.report(Code::WrongType, place.span, "a deck must be in a place");
            return None;
        };
        let owner = match &found.owner {
            Owner::Table => 0,
            Owner::Player(seat, _) => match **seat {
                Int::Const(seat) if seat >= 0 => seat as u32 + 1,
                _ => return self.unknown_place(place),
            },
            _ => return self.unknown_place(place),
        };
        let Key::Family(family) = found.key else { return self.unknown_place(place) };
        self.used.places_filled.insert(family);
        if deck.head() != Some("deck") {
            self.malformed(deck, "`(deck (ATTRIBUTE (VALUE, ..)) ..)`");
            return None;
        }
        let mut cards: Vec<Vec<(StrId, StrId)>> = vec![Vec::new()];
        for attribute in &deck.list().unwrap_or(&[])[1..] {
            let values = self.attribute(attribute)?;
            if cards.len() * values.len() > self.options.limits.cards {
                return self.too_many_cards(deck);
            }
            cards = cards
                .iter()
                .flat_map(|card| values.iter().map(move |value| [&card[..], &value[..]].concat()))
                .collect();
        }
        Some(Deck { name, pile: (family, owner), cards, times: times.max(0), repeated })
    }

    fn unknown_place<T>(&mut self, node: &Node) -> Option<T> {
        self.report(Code::NotConstant, node.span, "the place of a deck must be known in advance");
        None
    }

    fn too_many_cards<T>(&mut self, node: &Node) -> Option<T> {
        let message = format!("the game has more than {} cards", self.options.limits.cards);
        self.report(Code::TooLarge, node.span, message);
        None
    }

    /// The values that an attribute gives to cards: `(NAME (VALUE, ..) ..)`; a value may have its
    /// own attributes.
    fn attribute(&mut self, node: &Node) -> Option<Vec<Vec<(StrId, StrId)>>> {
        let shape = "an attribute: `(NAME (VALUE, ..))`";
        let Some((name, groups)) = node.list().and_then(|l| l.split_first()) else {
            self.malformed(node, shape);
            return None;
        };
        let NodeKind::Name(name) = &name.kind else {
            self.malformed(node, shape);
            return None;
        };
        let name = self.string(name);
        let mut out = Vec::new();
        for group in groups {
            let Some(items) = group.list() else {
                self.malformed(group, "values in parentheses");
                return None;
            };
            let mut values = Vec::new();
            let mut nested = Vec::new();
            for item in items {
                match &item.kind {
                    NodeKind::Name(value) => values.push(self.string(value)),
                    NodeKind::Int(value) => values.push(self.string(&value.to_string())),
                    NodeKind::Mark(",") => {}
                    NodeKind::List(_) => nested.extend(self.attribute(item)?),
                    _ => {
                        self.malformed(item, "a value");
                        return None;
                    }
                }
            }
            for value in values {
                if nested.is_empty() {
                    out.push(vec![(name, value)]);
                }
                out.extend(nested.iter().map(|more| [&[(name, value)][..], more].concat()));
                if out.len() > self.options.limits.cards {
                    return self.too_many_cards(node);
                }
            }
        }
        if out.is_empty() {
            self.malformed(node, shape);
            return None;
        }
        Some(out)
    }

    /// Creates the cards: plain decks first, then repeated ones.
    fn make(&mut self, node: &Node, decks: &[Deck]) {
        let owners = self.out.players + 1;
        let mut numbers: Vec<(StrId, u32)> = Vec::new();
        let order = decks.iter().filter(|d| !d.repeated).chain(decks.iter().filter(|d| d.repeated));
        for deck in order {
            if deck.pile.1 >= owners {
                self.report(
                    Code::NoSuchOwner,
                    node.span,
                    "a deck is at a seat that does not exist",
                );
                continue;
            }
            for _ in 0..deck.times {
                if self.out.cards.len() + deck.cards.len() > self.options.limits.cards {
                    self.too_many_cards::<()>(node);
                    return;
                }
                for values in &deck.cards {
                    let at = numbers.iter().position(|n| n.0 == deck.name).unwrap_or_else(|| {
                        numbers.push((deck.name, 0));
                        numbers.len() - 1
                    });
                    let number = numbers[at].1;
                    numbers[at].1 += 1;
                    self.out.cards.push(CardText {
                        values: values.clone(),
                        deck: deck.name,
                        number,
                        pile: deck.pile.0 * owners + deck.pile.1,
                    });
                }
            }
        }
        for card in &self.out.cards {
            self.attributes.extend(card.values.iter().copied());
        }
        if self.out.cards.is_empty() && !self.diagnostics.has_errors() {
            self.report(Code::NoCards, node.span, "the game has no cards");
        }
    }
}
