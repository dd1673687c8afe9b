//! Collections of collections of cards: runs, partitions, indexed places.

use super::{Checker, Val};
use crate::code::Code;
use crate::ir::{Cards, Groups, Int, Key, Owner, Place, Str, Vis};
use crate::tree::Node;

impl Checker<'_> {
    /// The operands of `union` and similar forms: collections of cards, or one `all`.
    pub(super) fn operands(&mut self, node: &Node, rest: &[Node]) -> Option<Groups> {
        if rest.is_empty() {
            self.malformed(node, "collections of cards");
            return None;
        }
        if let [one] = rest {
            return match self.val(one)? {
                Val::Groups(groups) => Some(groups),
                Val::Cards(cards) => Some(Groups::List(vec![cards])),
                other => {
                    let message = format!("expected cards, found {}", other.describe());
                    self.report(Code::WrongType, one.span, message);
                    None
                }
            };
        }
        let cards: Vec<Option<Cards>> = rest.iter().map(|cards| self.cards(cards)).collect();
        Some(Groups::List(cards.into_iter().collect::<Option<_>>()?))
    }

    pub(super) fn run(&mut self, node: &Node, rest: &[Node]) -> Option<Val> {
        let (many, points) = self.using_many(node, rest, 3)?;
        let top = match many[0].word() {
            Some("top") => true,
            Some("bottom") => false,
            _ => {
                self.malformed(&many[0], "`top` or `bottom`");
                return None;
            }
        };
        let least = self.int(&many[1]);
        let cards = self.cards(&many[2]);
        let points = Box::new(self.asked(points)?);
        let (least, cards) = (Box::new(least?), Box::new(cards?));
        Some(Val::Cards(Cards::Run { top, least, cards, points }))
    }

    pub(super) fn runs(&mut self, node: &Node, rest: &[Node]) -> Option<Val> {
        let (many, points) = self.using_many(node, rest, 3)?;
        let largest = match many[0].word() {
            Some("largest") => true,
            Some("all") => false,
            _ => {
                self.malformed(&many[0], "`largest` or `all`");
                return None;
            }
        };
        let least = self.int(&many[1]);
        let cards = self.cards(&many[2]);
        let points = Box::new(self.asked(points)?);
        let (least, cards) = (Box::new(least?), Box::new(cards?));
        Some(Val::Groups(Groups::Runs { largest, least, cards, points }))
    }

    /// `(partition ATTRIBUTE CARDS ..)`, or the thesis' form without an attribute.
    pub(super) fn partition(&mut self, node: &Node, rest: &[Node]) -> Option<Val> {
        let Some((name, piles)) = rest.split_first() else {
            self.malformed(node, "`(partition ATTRIBUTE CARDS ..)`");
            return None;
        };
        match self.val(name)? {
            Val::Cards(_) | Val::Groups(_) => {
                let new = "(partition ATTRIBUTE CARDS)";
                self.older(node.span, "(partition CARDS)", new);
                let groups = self.operands(node, rest)?;
                Some(Val::Groups(Groups::Partition(None, Box::new(groups))))
            }
            Val::Str(name) => {
                let groups = self.operands(node, piles)?;
                Some(Val::Groups(Groups::Partition(Some(Box::new(name)), Box::new(groups))))
            }
            other => self.mismatch(name, "an attribute", &other),
        }
    }

    /// `(indexed OWNER vloc NAME)`: all places with that name in the rules.
    pub(super) fn all_indices(&mut self, node: &Node, rest: &[Node]) -> Option<Val> {
        let shape = "`(indexed OWNER vloc NAME)`";
        let [owner, vis, name] = self.exactly(node, rest, shape)?;
        let Some(vis) = vis.word().and_then(Vis::find) else {
            self.malformed(node, shape);
            return None;
        };
        let owner = match self.val(owner)? {
            Val::Player(owner) => owner,
            Val::Table => Owner::Table,
            other => {
                let message =
                    format!("places belong to the table or a player, not to {}", other.describe());
                self.report(Code::WrongType, owner.span, message);
                return None;
            }
        };
        let Str::Const(name) = self.str(name)? else {
            self.malformed(name, "a literal name");
            return None;
        };
        self.used.any_place_filled = true;
        let key = |index| {
            Key::Indexed(vis as u32, Box::new(Str::Const(name)), Box::new(Int::Const(index)))
        };
        let places = (0..32).map(|index| {
            self.family(vis, name, index);
            Cards::Place(Box::new(Place { owner: owner.clone(), key: key(index) }))
        });
        Some(Val::Groups(Groups::List(places.collect())))
    }
}
