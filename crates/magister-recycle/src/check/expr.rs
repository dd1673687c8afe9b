//! Expressions and their types.

use super::{Binding, Checker, Elem, Type, Val};
use crate::code::{Code, Diagnostic};
use crate::ir::{
    Bool, Card, Cards, Coll, Groups, Int, Key, Origin, Owner, Place, Points, Str, Vis, Words,
};
use crate::tree::{Node, NodeKind};

impl Checker<'_> {
    /// An expression of any type. `None` if it is invalid, which has already been reported.
    pub(super) fn val(&mut self, node: &Node) -> Option<Val> {
        match &node.kind {
            NodeKind::Int(number) => Some(Val::Int(Int::Const(*number))),
            NodeKind::Name(name) => {
                let name = self.string(name);
                self.mentioned.insert(name);
                Some(Val::Str(Str::Const(name)))
            }
            NodeKind::Var(name) => self.variable(node, name),
            NodeKind::Word(word) => match word.as_str() {
                "player" => Some(Val::Words(Words::Players, Elem::Player)),
                "team" => {
                    self.teams(node);
                    Some(Val::Words(Words::Teams, Elem::Team))
                }
                "game" => Some(Val::Table),
                _ => {
                    self.report(Code::UnknownForm, node.span, format!("`{word}` is not a value"));
                    None
                }
            },
            NodeKind::Mark(mark) => {
                self.report(Code::Unexpected, node.span, format!("`{mark}` has no meaning here"));
                None
            }
            NodeKind::List(items) => self.form(node, items),
        }
    }

    fn variable(&mut self, node: &Node, name: &str) -> Option<Val> {
        let Some(found) = self.scope.iter().rev().find(|s| s.name == name) else {
            self.push(
                Diagnostic::new(Code::Unbound, node.span, format!("`'{name}` is not bound"))
                    .help("`any`, `all`, `filter`, `let` and `declare` bind variables"),
            );
            return None;
        };
        Some(match &found.binding {
            Binding::Constant(value) => value.clone(),
            Binding::Variable(ty, slot) => match *ty {
                Type::Int => Val::Int(Int::Var(*slot)),
                Type::Bool => Val::Bool(Bool::Var(*slot)),
                Type::Str => Val::Str(Str::Var(*slot)),
                Type::Card => Val::Card(Card::Var(*slot)),
                Type::Cards => Val::Cards(Cards::Var(*slot)),
                Type::Groups => Val::Groups(Groups::Var(*slot)),
                Type::Words(elem) => Val::Words(Words::Var(*slot), elem),
                Type::Player => Val::Player(Owner::Var(*slot)),
                Type::Team => Val::Team(Owner::Var(*slot)),
            },
        })
    }

    /// Reports that a value has the wrong type.
    pub(super) fn mismatch<T>(&mut self, node: &Node, wanted: &str, found: &Val) -> Option<T> {
        let found = found.describe();
        self.push(
            Diagnostic::new(
                Code::WrongType,
                node.span,
                format!("expected {wanted}, found {found}"),
            )
            .label(found),
        );
        None
    }

    pub(super) fn int(&mut self, node: &Node) -> Option<Int> {
        match self.val(node)? {
            Val::Int(int) => Some(int),
            other => self.mismatch(node, "an integer", &other),
        }
    }

    pub(super) fn bool(&mut self, node: &Node) -> Option<Bool> {
        match self.val(node)? {
            Val::Bool(bool) => Some(bool),
            other => self.mismatch(node, "a truth value", &other),
        }
    }

    pub(super) fn str(&mut self, node: &Node) -> Option<Str> {
        match self.val(node)? {
            Val::Str(str) => Some(str),
            other => self.mismatch(node, "a string", &other),
        }
    }

    pub(super) fn card(&mut self, node: &Node) -> Option<Card> {
        match self.val(node)? {
            Val::Card(card) => Some(card),
            other => self.mismatch(node, "a card", &other),
        }
    }

    pub(super) fn cards(&mut self, node: &Node) -> Option<Cards> {
        match self.val(node)? {
            Val::Cards(cards) => Some(cards),
            other => self.mismatch(node, "a collection of cards", &other),
        }
    }

    pub(super) fn coll(&mut self, node: &Node) -> Option<(Coll, Option<Elem>)> {
        match self.val(node)? {
            Val::Cards(cards) => Some((Coll::Cards(cards), None)),
            Val::Groups(groups) => Some((Coll::Groups(groups), None)),
            Val::Words(words, elem) => Some((Coll::Words(words), Some(elem))),
            Val::Team(team) => Some((Coll::Words(Words::Members(team)), Some(Elem::Player))),
            other => self.mismatch(node, "a collection", &other),
        }
    }

    /// A player, a team or the table.
    pub(super) fn owner(&mut self, node: &Node) -> Option<Owner> {
        match self.val(node)? {
            Val::Player(owner) | Val::Team(owner) => Some(owner),
            Val::Table => Some(Owner::Table),
            other => self.mismatch(node, "an owner", &other),
        }
    }

    pub(super) fn player(&mut self, node: &Node) -> Option<Owner> {
        match self.val(node)? {
            Val::Player(owner) => Some(owner),
            other => self.mismatch(node, "a player", &other),
        }
    }

    /// Reports an error if there are no teams.
    fn teams(&mut self, node: &Node) {
        if self.out.teams.is_empty() {
            self.push(
                Diagnostic::new(Code::NoSuchOwner, node.span, "the game has no teams")
                    .help("`(create teams (0, 2) (1, 3))` in the setup makes two"),
            );
        }
    }

    fn form(&mut self, node: &Node, items: &[Node]) -> Option<Val> {
        let Some(first) = items.first() else {
            self.malformed(node, "something between the parentheses");
            return None;
        };
        if let NodeKind::Name(_) = first.kind
            && (items.len() == 1 || items[1].mark() == Some(","))
        {
            return self.names(node, items);
        }
        if let Some(word) = items.get(1).and_then(Node::word) {
            if let Some(vis) = Vis::find(word) {
                return self.place(node, items, vis).map(|p| Val::Cards(Cards::Place(Box::new(p))));
            }
            match word {
                "sto" | "str" => {
                    let kind = usize::from(word == "str");
                    let (owner, key) = self.stored(node, items, kind)?;
                    if let Key::Family(store) = key {
                        self.used.stores[kind].entry(store).or_insert(node.span);
                    }
                    return Some(match kind {
                        0 => Val::Int(Int::Stored(owner, key)),
                        _ => Val::Str(Str::Stored(owner, key)),
                    });
                }
                "points" => {
                    let message = "a point map is not a value; it is used after `using`";
                    self.report(Code::WrongType, node.span, message);
                    return None;
                }
                "player" | "team" if items.len() == 2 => {
                    if let Some(value) = self.seat(node, first, word == "team") {
                        return value;
                    }
                }
                _ if items.len() >= 3 && (first.is("game") || first.is_operand()) => {
                    let message = format!("`{word}` is neither a kind of place nor of storage");
                    self.unknown(&items[1], message, super::spelling::STORES);
                    return None;
                }
                _ => {}
            }
        }
        let head = first.word().or_else(|| first.mark());
        match head {
            Some(head) => self.headed(node, head, items),
            None if items.len() == 2 => {
                let index = self.int(first)?;
                self.at(crate::ir::Which::At(Box::new(index)), &items[1])
            }
            None => {
                self.malformed(node, "a form that begins with a keyword");
                None
            }
        }
    }

    /// `(current player)` and similar forms. `None` if the form is not one of them.
    #[allow(clippy::option_option)]
    fn seat(&mut self, node: &Node, first: &Node, team: bool) -> Option<Option<Val>> {
        let owner = match first.word() {
            Some("current") => [Owner::Current, Owner::CurrentTeam],
            Some("next") => [Owner::Next, Owner::NextTeam],
            Some("previous") => [Owner::Previous, Owner::PreviousTeam],
            Some("other") => {
                let (words, elem) = if team {
                    self.teams(node);
                    (Words::OtherTeams, Elem::Team)
                } else {
                    (Words::OtherPlayers, Elem::Player)
                };
                return Some(Some(Val::Words(words, elem)));
            }
            Some(_) => return None,
            None if first.mark().is_some() => return None,
            None => {
                let Some(index) = self.int(first) else { return Some(None) };
                let count =
                    if team { self.out.teams.len() as i32 } else { self.out.players as i32 };
                if team && count == 0 {
                    self.teams(node);
                    return Some(None);
                }
                // The number of players is missing if it is wrong, which was reported.
                if let Int::Const(number) = index
                    && number >= count
                    && count > 0
                {
                    let what = if team { "team" } else { "player" };
                    let (are, s) = if count == 1 { ("is", "") } else { ("are", "s") };
                    let message = format!("there {are} only {count} {what}{s}, counted from zero");
                    self.report(Code::NoSuchOwner, first.span, message);
                    return Some(None);
                }
                let (index, origin) = (Box::new(index), Origin::new(node.span));
                return Some(Some(if team {
                    Val::Team(Owner::Team(index, origin))
                } else {
                    Val::Player(Owner::Player(index, origin))
                }));
            }
        };
        if team {
            self.teams(node);
        }
        let [player, in_team] = owner;
        Some(Some(if team { Val::Team(in_team) } else { Val::Player(player) }))
    }

    fn names(&mut self, node: &Node, items: &[Node]) -> Option<Val> {
        let mut names = Vec::new();
        for (index, item) in items.iter().enumerate() {
            match (&item.kind, index % 2) {
                (NodeKind::Name(name), 0) => names.push(self.string(name)),
                (NodeKind::Mark(","), 1) => {}
                _ => {
                    self.malformed(node, "names with commas between them");
                    return None;
                }
            }
        }
        Some(Val::Words(Words::Names(names), Elem::Name))
    }

    /// A place: `(OWNER vloc NAME)`, with an index after the name or in its place.
    pub(super) fn place(&mut self, node: &Node, items: &[Node], vis: Vis) -> Option<Place> {
        if !(3..=4).contains(&items.len()) {
            self.malformed(node, &format!("`(OWNER {} NAME)`", vis.keyword()));
            return None;
        }
        let owner = match self.val(&items[0])? {
            Val::Player(owner) => owner,
            Val::Table => Owner::Table,
            other => return self.mismatch(&items[0], "the table or a player", &other),
        };
        if items[2].is("new") {
            self.report(Code::Unsupported, items[2].span, "`new` places are not supported");
            return None;
        }
        let name = match self.val(&items[2])? {
            Val::Str(name) => name,
            Val::Int(Int::Const(number)) => Str::Const(self.string(&number.to_string())),
            Val::Int(index) => {
                let empty = self.string("");
                return Some(Place { owner, key: self.indexed(vis, Str::Const(empty), index) });
            }
            other => return self.mismatch(&items[2], "a name", &other),
        };
        let index = match items.get(3) {
            None => Int::Const(0),
            Some(index) => self.int(index)?,
        };
        let key = match (name, index) {
            (Str::Const(name), Int::Const(index)) => {
                let family = self.family(vis, name, index);
                self.used.places.entry(family).or_insert(node.span);
                Key::Family(family)
            }
            (name, Int::Const(0)) => {
                self.open_places[vis as usize] = true;
                Key::Named(vis as u32, Box::new(name))
            }
            (name, index) => self.indexed(vis, name, index),
        };
        Some(Place { owner, key })
    }

    /// A place with a computed index: each of the first indices gets its own pile.
    fn indexed(&mut self, vis: Vis, name: Str, index: Int) -> Key {
        const INDICES: i32 = 32;
        match &name {
            Str::Const(name) => (0..INDICES).for_each(|at| {
                self.family(vis, *name, at);
            }),
            _ => self.open_places[vis as usize] = true,
        }
        self.used.any_place_filled = true;
        Key::Indexed(vis as u32, Box::new(name), Box::new(index))
    }

    /// `(OWNER sto NAME)` and similar forms: 0 for integers, 1 for strings, 2 for point maps.
    pub(super) fn stored(
        &mut self,
        node: &Node,
        items: &[Node],
        kind: usize,
    ) -> Option<(Owner, Key)> {
        if items.len() != 3 {
            self.malformed(node, &format!("`(OWNER {} NAME)`", ["sto", "str", "points"][kind]));
            return None;
        }
        let owner = self.owner(&items[0]);
        let name = self.str(&items[2])?;
        let key = self.store_key(kind, name);
        Some((owner?, key))
    }

    /// A storage that is written. `None` if the node is not a storage.
    pub(super) fn written(&mut self, node: &Node) -> Option<(usize, Owner, Key)> {
        let items = node.list().unwrap_or(&[]);
        let kind = match items.get(1).and_then(Node::word) {
            Some("sto") => 0,
            Some("str") => 1,
            _ => {
                if let Some(other) = self.val(node) {
                    let message = format!("expected a storage, found {}", other.describe());
                    self.report(Code::WrongType, node.span, message);
                }
                return None;
            }
        };
        let (owner, key) = self.stored(node, items, kind)?;
        match key {
            Key::Family(store) => {
                self.used.stores_written[kind].insert(store);
            }
            _ => self.used.any_store_written[kind] = true,
        }
        Some((kind, owner, key))
    }

    /// A point map.
    pub(super) fn points(&mut self, node: &Node) -> Option<Points> {
        let items = node.list().unwrap_or(&[]);
        if !items.get(1).is_some_and(|word| word.is("points")) {
            self.malformed(node, "a point map: `(OWNER points NAME)`");
            return None;
        }
        let (owner, key) = self.stored(node, items, 2)?;
        Some(Place { owner, key })
    }

    /// A point map that is read.
    pub(super) fn asked(&mut self, node: &Node) -> Option<Points> {
        let points = self.points(node)?;
        if let Key::Family(map) = points.key {
            self.used.maps.entry(map).or_insert(node.span);
        }
        Some(points)
    }
}

/// The value of an integer that does not depend on the state.
pub(super) fn fold(int: &Int) -> Option<i32> {
    match int {
        Int::Const(number) => Some(*number),
        Int::Arith(op, _, a, b) => crate::number::arith(*op, fold(a)?, fold(b)?),
        Int::Tri(n) => Some(crate::number::tri(fold(n)?)),
        Int::Fib(n) => Some(crate::number::fib(fold(n)?)),
        _ => None,
    }
}
