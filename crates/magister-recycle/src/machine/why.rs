//! Why a choice does not offer an option.
//!
//! The rules and their text are followed side by side: the rules are evaluated, and the text is
//! quoted. Actions are not executed, so the answer ends at the first condition after an action.

use super::{CARD, Machine, NO_CARD};
use crate::fault::shown;
use crate::ir::{Bool, Card, Cards, Coll, Int, Owner, Stmt, StmtId, Str, Words};
use crate::moves::owner_name;
use crate::program::Program;
use crate::tree::Node;

/// A question about an alternative.
pub(crate) struct Why<'a> {
    pub p: &'a Program,
    pub machine: &'a mut Machine,
    pub text: &'a str,
    /// The tree of the text.
    pub forms: &'a [Node],
    /// The name of each card.
    pub names: &'a dyn Fn(usize) -> String,
    /// The cards, numbers and names that are asked for.
    pub asked: Vec<Thing>,
}

/// A part of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Thing {
    Card(u32),
    Number(i32),
    Name(u32),
}

impl Why<'_> {
    /// The first condition that rules the option out; `None` if none is found.
    pub(crate) fn reason(&mut self, alternative: StmtId) -> Option<String> {
        // Chance takes its first outcome, as in the expansion of options.
        self.machine.expanding = true;
        self.machine.choosing.guess(&[]);
        self.machine.work = 0;
        let reason = self.stmt(alternative);
        self.machine.expanding = false;
        reason
    }

    fn stmt(&mut self, stmt: StmtId) -> Option<String> {
        let p = self.p;
        let node = find(self.forms, p.rules.spans[stmt as usize])?;
        let part = |at: usize| node.list().and_then(|list| list.get(at));
        match &p.rules.stmts[stmt as usize] {
            Stmt::If(test, body) => match self.machine.bool(p, test) {
                Ok(true) => self.stmt(*body),
                Ok(false) => Some(self.falsity(test, part(0)?)),
                Err(_) => Some(format!("{} cannot be computed", self.quote(part(0)?))),
            },
            // An option needs one action; a sequence has none if all its parts have none.
            Stmt::Seq(list) => {
                let mut first = None;
                for &stmt in list {
                    let reason = self.stmt(stmt)?;
                    first.get_or_insert(reason);
                }
                first
            }
            Stmt::Any(coll, slot, body) => {
                let (coll_node, mark) = (part(1)?, self.machine.lists.len());
                if let Some(reason) = self.element(coll, *slot, coll_node) {
                    return Some(reason);
                }
                let reason = self.stmt(*body);
                self.machine.lists.truncate(mark);
                reason
            }
            Stmt::Let(bound, slot, body) => {
                let (a, b) = self.machine.bound(p, bound).ok()?;
                self.machine.slots[*slot as usize] = a;
                self.machine.slots[*slot as usize + 1] = b;
                self.stmt(*body)
            }
            Stmt::Act(crate::ir::Act::Move { card, .. }) => match self.machine.card(p, card) {
                Ok(NO_CARD) => Some(format!("there is no card at {}", self.quote(part(1)?))),
                _ => None,
            },
            _ => None,
        }
    }

    /// Binds the variable of an `any` to the element that is asked for, or says why that is none.
    fn element(&mut self, coll: &Coll, slot: u32, node: &Node) -> Option<String> {
        let p = self.p;
        let wanted = self.asked.iter().find_map(|thing| match (coll, thing) {
            (Coll::Cards(_), Thing::Card(card)) => Some(*card as i32),
            (Coll::Words(Words::Names(_)), Thing::Name(name)) => Some(*name as i32),
            (Coll::Words(Words::Range(..)), Thing::Number(number)) => Some(*number),
            _ => None,
        });
        if let (Some(card), Coll::Cards(cards)) = (wanted, coll) {
            let reason = self.missing(cards, node, card);
            self.machine.slots[slot as usize] = card;
            return reason;
        }
        let Ok((start, count, stride)) = self.machine.elements(p, coll) else {
            return Some(format!("{} cannot be computed", self.quote(node)));
        };
        if count == 0 {
            return Some(format!("{} is empty", self.quote(node)));
        }
        let elements: Vec<i32> =
            (0..count).map(|at| self.machine.lists[start + at * stride]).collect();
        let at = match wanted {
            None => 0,
            Some(wanted) => match elements.iter().position(|&one| one == wanted) {
                Some(at) => at,
                None => return Some(format!("it is not in {}", self.quote(node))),
            },
        };
        self.machine.bind(slot, start + at * stride, stride);
        None
    }

    /// Why a card is not in a collection.
    fn missing(&mut self, cards: &Cards, node: &Node, card: i32) -> Option<String> {
        let p = self.p;
        let name = (self.names)((card & CARD) as usize);
        match cards {
            Cards::Filter(inner, slot, test) => {
                let list = node.list()?;
                if let Some(reason) = self.missing(inner, list.get(1)?, card) {
                    return Some(reason);
                }
                self.machine.slots[*slot as usize] = card;
                match self.machine.bool(p, test) {
                    Ok(true) => None,
                    Ok(false) => Some(self.falsity(test, list.get(3)?)),
                    Err(_) => Some(format!("{} cannot be computed", self.quote(list.get(3)?))),
                }
            }
            Cards::Place(place) => {
                let pile = self.machine.pile_of(p, place).ok()?;
                let here = self.machine.pile(pile).iter().any(|&one| i32::from(one) == card);
                if here {
                    return None;
                }
                let (place, owner) = p.pile(pile);
                let place = p.rules.strings[place.name as usize].to_ascii_lowercase();
                let whose = match owner {
                    0 => "on the table in".to_owned(),
                    _ => format!("in {}'s", owner_name(p, owner)),
                };
                Some(format!("{name} is not {whose} {place}"))
            }
            other => {
                let mark = self.machine.lists.len();
                let Ok((start, len)) = self.machine.cards_of(p, other) else {
                    return Some(format!("{} cannot be computed", self.quote(node)));
                };
                let here =
                    self.machine.lists[start..start + len].iter().any(|one| one & CARD == card);
                self.machine.lists.truncate(mark);
                (!here).then(|| format!("{name} is not in {}", self.quote(node)))
            }
        }
    }

    /// Why a test is false: its smallest false part, with the values that it compares.
    fn falsity(&mut self, test: &Bool, node: &Node) -> String {
        let p = self.p;
        let list = node.list().unwrap_or(&[]);
        match test {
            // A declared name stands for the whole test, so the text has no parts.
            Bool::And(tests) if list.len() == tests.len() + 1 => {
                let wrong = tests.iter().zip(&list[1..]);
                for (test, node) in wrong {
                    if let Ok(false) = self.machine.bool(p, test) {
                        return self.falsity(test, node);
                    }
                }
                format!("{} is false", self.quote(node))
            }
            Bool::Or(tests) if list.len() == tests.len() + 1 => {
                let parts: Vec<String> =
                    tests.iter().zip(&list[1..]).map(|(t, node)| self.falsity(t, node)).collect();
                parts.join(", and ")
            }
            Bool::All(coll, slot, inner) if list.len() == 4 => {
                let mark = self.machine.lists.len();
                let Ok((start, count, stride)) = self.machine.elements(p, coll) else {
                    return format!("{} is false", self.quote(node));
                };
                for at in 0..count {
                    self.machine.bind(*slot, start + at * stride, stride);
                    if let Ok(false) = self.machine.bool(p, inner) {
                        let why = self.falsity(inner, &list[3]);
                        self.machine.lists.truncate(mark);
                        return why;
                    }
                }
                self.machine.lists.truncate(mark);
                format!("{} is false", self.quote(node))
            }
            _ => {
                let values = match list {
                    [_, left, right] => self.values(test, left, right),
                    _ => String::new(),
                };
                format!("{} is false{values}", self.quote(node))
            }
        }
    }

    /// The values of both sides of a comparison, unless they are written there.
    fn values(&mut self, test: &Bool, left: &Node, right: &Node) -> String {
        let sides = match test {
            Bool::Ints(_, a, b) => [self.int_value(a), self.int_value(b)],
            Bool::Strs(_, a, b) => [self.str_value(a), self.str_value(b)],
            Bool::Cards(_, a, b) => [self.card_value(a), self.card_value(b)],
            Bool::Owners(_, a, b) => [self.owner_value(a), self.owner_value(b)],
            _ => [None, None],
        };
        let known = sides.into_iter().zip([left, right]);
        let parts: Vec<String> = known
            .filter_map(|(value, node)| Some(format!("{} is {}", self.quote(node), value?)))
            .collect();
        if parts.is_empty() { String::new() } else { format!(": {}", parts.join(", ")) }
    }

    fn int_value(&mut self, int: &Int) -> Option<String> {
        match int {
            Int::Const(_) => None,
            int => self.machine.int(self.p, int).ok().map(|value| value.to_string()),
        }
    }

    fn str_value(&mut self, str: &Str) -> Option<String> {
        if let Str::Const(_) = str {
            return None;
        }
        let id = self.machine.str(self.p, str).ok()?;
        let value = &self.p.rules.strings[id as usize];
        Some(if value.is_empty() { "the empty string".to_owned() } else { value.clone() })
    }

    fn card_value(&mut self, card: &Card) -> Option<String> {
        match self.machine.card(self.p, card).ok()? {
            NO_CARD => Some("no card".to_owned()),
            card => Some((self.names)((card & CARD) as usize)),
        }
    }

    fn owner_value(&mut self, owner: &Owner) -> Option<String> {
        let number = self.machine.owner(self.p, owner).ok()?;
        Some(owner_name(self.p, number))
    }

    fn quote(&self, node: &Node) -> String {
        format!("`{}`", shown(self.text, node.span))
    }
}

/// The node at a position.
fn find(forms: &[Node], span: magister_diagnostic::Span) -> Option<&Node> {
    let node =
        forms.iter().find(|node| node.span.start <= span.start && span.end <= node.span.end)?;
    if node.span == span {
        return Some(node);
    }
    find(node.list()?, span)
}
