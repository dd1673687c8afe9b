//! Statements: blocks, stages, choices, actions.

use super::spelling::STATEMENTS;
use super::{Checker, Val};
use crate::code::{Code, Diagnostic};
use crate::ir::{Act, Bound, Card, Cards, Coll, Int, Key, Owner, Place, Stmt, StmtId, Str, Which};
use crate::tree::Node;

/// The context of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum At {
    /// In the game or in a stage, where a decision is allowed.
    Block,
    /// In a `do` or in an alternative of a `choice`.
    Inside,
}

impl Checker<'_> {
    /// A sequence of blocks.
    pub(super) fn blocks(&mut self, node: &Node, blocks: &[Node]) -> StmtId {
        let ids: Vec<StmtId> =
            blocks.iter().filter_map(|block| self.statement(block, At::Block)).collect();
        self.stmt(Stmt::Blocks(ids), node.span)
    }

    /// A block, a condition or an action.
    pub(super) fn statement(&mut self, node: &Node, at: At) -> Option<StmtId> {
        let Some(items) = node.list() else {
            self.malformed(node, "a block or an action in parentheses");
            return None;
        };
        let head = node.head();
        match head {
            Some("do") => self.sequence(node, items),
            Some("choice" | "stage") if at == At::Inside => {
                self.push(
                    Diagnostic::new(Code::ChoiceInside, node.span, "only actions are allowed here")
                        .help("a decision or a stage is a block of the game or of a stage"),
                );
                None
            }
            Some("choice") => self.choice(node, items),
            Some("stage") => self.stage(node, items),
            Some(word @ ("any" | "all")) => self.aggregate_stmt(node, word == "all", items),
            Some("let") => self.let_stmt(node, items, at),
            Some(
                "set" | "inc" | "dec" | "move" | "remember" | "forget" | "shuffle" | "turn"
                | "repeat" | "cycle" | "create",
            ) => self.action(node, items),
            _ if items.len() == 2 && items[0].list().is_some() && items[1].list().is_some() => {
                let test = self.bool(&items[0]);
                let body = self.statement(&items[1], At::Inside);
                Some(self.stmt(Stmt::If(test?, body?), node.span))
            }
            Some("put") => {
                self.push(
                    Diagnostic::new(
                        Code::UnknownForm,
                        items[0].span,
                        "`put` is no longer a keyword",
                    )
                    .help("a point map is set: `(set (game points NAME) (AWARD ..))`"),
                );
                None
            }
            Some(word @ ("setup" | "scoring" | "declare")) => {
                let message = match word {
                    "setup" => "a second setup: a game has one, before its first block",
                    "scoring" => "the scoring is the last form of a game, and there is only one",
                    _ => "declarations come before the setup",
                };
                self.report(Code::Malformed, node.span, message);
                None
            }
            Some(word) if items[0].list().is_none() => {
                let message = format!("no block and no action begins with `{word}`");
                self.unknown(&items[0], message, STATEMENTS);
                None
            }
            _ => {
                self.malformed(node, "an action, or a test and an action");
                None
            }
        }
    }

    fn sequence(&mut self, node: &Node, items: &[Node]) -> Option<StmtId> {
        let conditions = match items {
            [_, list] if list.list().is_some() => list.list().unwrap_or(&[]),
            _ => {
                self.malformed(node, "`(do (ACTION ..))`");
                return None;
            }
        };
        let ids: Vec<Option<StmtId>> =
            conditions.iter().map(|c| self.statement(c, At::Inside)).collect();
        let ids: Vec<StmtId> = ids.into_iter().collect::<Option<_>>()?;
        Some(self.stmt(Stmt::Seq(ids), node.span))
    }

    fn choice(&mut self, node: &Node, items: &[Node]) -> Option<StmtId> {
        let conditions = match items {
            [_, list] if list.list().is_some() => list.list().unwrap_or(&[]),
            _ => {
                self.malformed(node, "`(choice (OPTION ..))`");
                return None;
            }
        };
        if conditions.is_empty() {
            self.malformed(node, "at least one option");
            return None;
        }
        self.in_choice = true;
        self.shared.clear();
        let ids: Vec<Option<StmtId>> =
            conditions.iter().map(|c| self.statement(c, At::Inside)).collect();
        self.in_choice = false;
        let ids: Vec<StmtId> = ids.into_iter().collect::<Option<_>>()?;
        Some(self.stmt(Stmt::Choice(ids), node.span))
    }

    fn stage(&mut self, node: &Node, items: &[Node]) -> Option<StmtId> {
        if items.len() < 4 {
            self.malformed(node, "`(stage player (end TEST) BLOCK ..)`");
            return None;
        }
        let team = match items[1].word() {
            Some("player") => false,
            Some("team") => {
                if self.out.teams.is_empty() {
                    self.report(Code::NoSuchOwner, items[1].span, "the game has no teams");
                }
                true
            }
            _ => {
                self.malformed(&items[1], "`player` or `team`");
                return None;
            }
        };
        let end = match items[2].list() {
            Some([word, test]) if word.is("end") => self.bool(test),
            _ => {
                self.older(items[2].span, "(stage player TEST ..)", "(stage player (end TEST) ..)");
                self.bool(&items[2])
            }
        };
        let body = self.blocks(node, &items[3..]);
        Some(self.stmt(Stmt::Stage { team, end: end?, body }, node.span))
    }

    fn aggregate_stmt(&mut self, node: &Node, all: bool, items: &[Node]) -> Option<StmtId> {
        let [coll, var, body] =
            self.exactly(node, &items[1..], "a collection, a variable, a body")?;
        if !all && !self.in_choice {
            let severity = self.compat_severity();
            self.push(
                Diagnostic::new(
                    Code::AnyOutsideChoice,
                    items[0].span,
                    "`any` offers options, but this is not a choice",
                )
                .severity(severity)
                .help("`all` does it for every element"),
            );
        }
        let (coll, elem) = self.coll(coll)?;
        let ty = Self::element(&coll, elem);
        self.sharing = !all && self.in_choice;
        let (slot, body) = self.bind(var, ty, |checker, slot| {
            checker.statement(body, At::Inside).map(|body| (slot, body))
        })??;
        let stmt = if all || !self.in_choice {
            Stmt::All(coll, slot, body)
        } else {
            Stmt::Any(coll, slot, body)
        };
        Some(self.stmt(stmt, node.span))
    }

    fn let_stmt(&mut self, node: &Node, items: &[Node], at: At) -> Option<StmtId> {
        let [value, var, body] = self.exactly(node, &items[1..], "a value, a variable, a body")?;
        let value_node = value;
        let value = self.val(value)?;
        let Some(ty) = Self::type_of(&value) else {
            self.report(Code::WrongType, value_node.span, "the table cannot be a value");
            return None;
        };
        let bound = match value {
            Val::Int(int) => Bound::Int(int),
            Val::Bool(bool) => Bound::Bool(bool),
            Val::Str(str) => Bound::Str(str),
            Val::Card(card) => Bound::Card(card),
            Val::Player(owner) | Val::Team(owner) => Bound::Owner(owner),
            Val::Cards(cards) => Bound::Coll(Coll::Cards(cards)),
            Val::Groups(groups) => Bound::Coll(Coll::Groups(groups)),
            Val::Words(words, _) => Bound::Coll(Coll::Words(words)),
            Val::Table => return None,
        };
        let (slot, body) = self.bind(var, ty, |checker, slot| {
            checker.let_slots.insert(slot);
            checker.statement(body, at).map(|body| (slot, body))
        })??;
        Some(self.stmt(Stmt::Let(bound, slot, body), node.span))
    }

    fn action(&mut self, node: &Node, items: &[Node]) -> Option<StmtId> {
        let rest = &items[1..];
        let act = match node.head()? {
            "set" => self.set(node, rest)?,
            word @ ("inc" | "dec") => {
                let (store, amount) = match rest {
                    [store] => (store, None),
                    [store, amount] => (store, Some(amount)),
                    _ => {
                        self.malformed(node, "an integer storage and an amount");
                        return None;
                    }
                };
                let (owner, key) = self.int_store(store)?;
                let amount = match amount {
                    Some(amount) => self.int(amount)?,
                    None => Int::Const(1),
                };
                Act::Add(word == "inc", owner, key, amount)
            }
            word @ ("move" | "remember") => {
                let [card, to] = self.exactly(node, rest, "a card and a position")?;
                let card = self.card(card);
                let (to, at) = self.position(to)?;
                let card = card?;
                if word == "move" {
                    Act::Move { card, to, at }
                } else {
                    Act::Remember { card, to, at }
                }
            }
            "forget" => {
                let [card] = self.exactly(node, rest, "a card")?;
                Act::Forget(self.card(card)?)
            }
            "shuffle" => {
                if rest.first().is_some_and(|word| word.is("faro")) {
                    self.report(Code::Unsupported, node.span, "a faro shuffle is not supported");
                    return None;
                }
                let [cards] = self.exactly(node, rest, "a place")?;
                let Cards::Place(place) = self.cards(cards)? else {
                    self.report(Code::WrongType, cards.span, "only a place can be shuffled");
                    return None;
                };
                Act::Shuffle(*place)
            }
            "turn" => {
                let [pass] = self.exactly(node, rest, "`(turn pass)`")?;
                if !pass.is("pass") {
                    self.malformed(node, "`(turn pass)`");
                    return None;
                }
                Act::Pass
            }
            "cycle" => self.cycle(node, rest)?,
            "repeat" => return self.repeat(node, rest),
            _ => {
                self.report(
                    Code::ChoiceInside,
                    node.span,
                    "players, teams and decks are created in the setup",
                );
                return None;
            }
        };
        Some(self.stmt(Stmt::Act(act), node.span))
    }

    fn int_store(&mut self, node: &Node) -> Option<(Owner, Key)> {
        let (kind, owner, key) = self.written(node)?;
        if kind == 0 {
            return Some((owner, key));
        }
        let message = "expected an integer storage, found a string";
        self.report(Code::WrongType, node.span, message);
        None
    }

    fn set(&mut self, node: &Node, rest: &[Node]) -> Option<Act> {
        let [store, value] = self.exactly(node, rest, "a storage and a value")?;
        if store.list().and_then(|l| l.get(1)).is_some_and(|word| word.is("points")) {
            let points = self.points(store)?;
            match points.key {
                Key::Family(map) => {
                    self.used.maps_set.insert(map);
                }
                _ => self.used.any_map_set = true,
            }
            let text = self.awards(value)?;
            let text = self.map_text(text);
            return Some(Act::SetPoints(points, text));
        }
        match self.written(store)? {
            (0, owner, key) => Some(Act::SetInt(owner, key, self.int(value)?)),
            (_, owner, key) => Some(Act::SetStr(owner, key, self.str(value)?)),
        }
    }

    fn cycle(&mut self, node: &Node, rest: &[Node]) -> Option<Act> {
        let shape = "`(cycle next PLAYER)` or `(cycle current PLAYER)`";
        let [which, who] = self.exactly(node, rest, shape)?;
        let owner = match who.word() {
            Some("current") => Owner::Current,
            Some("next") => Owner::Next,
            Some("previous") => Owner::Previous,
            _ => self.player(who)?,
        };
        match which.word() {
            Some("next") => Some(Act::CycleNext(owner)),
            Some("current") => Some(Act::CycleCurrent(owner)),
            _ => {
                self.malformed(which, shape);
                None
            }
        }
    }

    /// The target position of a card in a place.
    fn position(&mut self, node: &Node) -> Option<(Place, Which)> {
        match self.val(node)? {
            Val::Card(Card::At(which, cards)) => {
                if let Cards::Place(place) = *cards {
                    match &place.key {
                        Key::Family(family) => {
                            self.used.places_filled.insert(*family);
                        }
                        _ => self.used.any_place_filled = true,
                    }
                    return Some((*place, which));
                }
                self.report(Code::WrongType, node.span, "cards can only be put into a place");
                None
            }
            other => {
                let message = format!("expected a position in a place, found {}", other.describe());
                self.push(
                    Diagnostic::new(Code::WrongType, node.span, message)
                        .help("`(top PLACE)`, `(bottom PLACE)` or `(NUMBER PLACE)`"),
                );
                None
            }
        }
    }

    fn repeat(&mut self, node: &Node, rest: &[Node]) -> Option<StmtId> {
        let [count, body] = self.exactly(node, rest, "a number and an action")?;
        if !count.is("all") {
            let count = self.int(count);
            let body = self.statement(body, At::Inside);
            return Some(self.stmt(Stmt::Repeat(count?, body?), node.span));
        }
        let items = body.list().unwrap_or(&[]);
        match (body.head(), items) {
            (Some("move"), [_, card, to]) => {
                let card = self.card(card);
                let (to, at) = self.position(to)?;
                if let Card::At(which, from) = card? {
                    let top = match which {
                        Which::Top => true,
                        Which::Bottom => false,
                        Which::At(_) => {
                            self.malformed(node, "`top` or `bottom` of the moved cards");
                            return None;
                        }
                    };
                    let fixed = match &*from {
                        Cards::Place(_) => false,
                        Cards::Var(slot) => self.let_slots.contains(slot),
                        _ => true,
                    };
                    let stmt = Stmt::RepeatMove { from: *from, top, to, at, fixed };
                    Some(self.stmt(stmt, node.span))
                } else {
                    self.malformed(body, "a card at the top or bottom of a collection");
                    None
                }
            }
            (Some("forget"), [_, card]) => {
                if let Card::At(_, from) = self.card(card)? {
                    if let Cards::Place(place) = *from {
                        Some(self.stmt(Stmt::RepeatForget(*place), node.span))
                    } else {
                        self.malformed(body, "a card of a `mem` place");
                        None
                    }
                } else {
                    self.malformed(body, "a card of a `mem` place");
                    None
                }
            }
            _ => {
                self.malformed(node, "`(repeat all (move ..))` or `(repeat all (forget ..))`");
                None
            }
        }
    }

    /// Binds a declared constant.
    pub(super) fn declare(&mut self, node: &Node, items: &[Node]) {
        let Some([value, var]) = self.exactly(node, &items[1..], "a value and a variable") else {
            return;
        };
        let value_node = value;
        let Some(value) = self.val(value) else { return };
        let constant = match value {
            Val::Int(int) => super::expr::fold(&int).map(|n| Val::Int(Int::Const(n))),
            Val::Str(Str::Const(_)) | Val::Words(crate::ir::Words::Names(_), _) => Some(value),
            // A place of the table stays a place; its cards are read when it is used.
            Val::Cards(Cards::Place(ref place)) if place.owner == Owner::Table => Some(value),
            Val::Words(crate::ir::Words::Range(low, high), elem) => {
                match (super::expr::fold(&low), super::expr::fold(&high)) {
                    (Some(low), Some(high)) => Some(Val::Words(
                        crate::ir::Words::Range(Int::Const(low), Int::Const(high)),
                        elem,
                    )),
                    _ => None,
                }
            }
            _ => None,
        };
        let Some(constant) = constant else {
            self.report(Code::NotConstant, value_node.span, "this is not known before the game");
            return;
        };
        let Some(name) = var.var() else {
            self.malformed(var, "a variable, such as `'N`");
            return;
        };
        let binding = super::Binding::Constant(constant);
        self.scope.push(super::Scoped { name: name.to_owned(), binding, span: var.span });
    }
}
