//! The forms of expressions, by the keyword they begin with.

use super::spelling::{EXPRESSIONS, STORES};
use super::{Checker, Elem, Type, Val};
use crate::code::{Code, Diagnostic};
use crate::ir::{
    Arith, Bool, Card, Cards, Coll, Compare, Groups, Int, Origin, Owner, SetOp, Which, Words,
};
use crate::tree::{Node, NodeKind};

impl Checker<'_> {
    pub(super) fn headed(&mut self, node: &Node, head: &str, items: &[Node]) -> Option<Val> {
        let rest = &items[1..];
        let origin = Origin::new(node.span);
        match head {
            "+" | "-" | "*" | "//" | "%" | "^" | "mod" => {
                if head == "mod" {
                    self.older(items[0].span, "mod", "%");
                }
                let [a, b] = self.exactly(node, rest, "two integers")?;
                let (a, b) = (self.int(a), self.int(b));
                let op = match head {
                    "+" => Arith::Add,
                    "-" => Arith::Sub,
                    "*" => Arith::Mul,
                    "//" => Arith::Div,
                    "^" => Arith::Pow,
                    _ => Arith::Rem,
                };
                Some(Val::Int(Int::Arith(op, origin, Box::new(a?), Box::new(b?))))
            }
            "tri" | "fib" => {
                let [n] = self.exactly(node, rest, "an integer")?;
                let n = Box::new(self.int(n)?);
                Some(Val::Int(if head == "tri" { Int::Tri(n) } else { Int::Fib(n) }))
            }
            "random" => self.random(node, rest),
            "size" => {
                let [coll] = self.exactly(node, rest, "a collection")?;
                let (coll, _) = self.coll(coll)?;
                Some(Val::Int(Int::Size(Box::new(coll))))
            }
            "sum" => {
                let (cards, points) = self.using(node, rest)?;
                let cards = self.cards(cards);
                let points = self.asked(points)?;
                Some(Val::Int(Int::Sum(Box::new(cards?), Box::new(points))))
            }
            "score" => {
                let (card, points) = self.using(node, rest)?;
                let card = self.card(card);
                let points = self.asked(points)?;
                Some(Val::Int(Int::Score(Box::new(card?), Box::new(points))))
            }
            "and" | "or" => {
                if rest.is_empty() {
                    self.malformed(node, "at least one test");
                    return None;
                }
                let tests: Vec<Option<Bool>> = rest.iter().map(|test| self.bool(test)).collect();
                let tests: Vec<Bool> = tests.into_iter().collect::<Option<_>>()?;
                Some(Val::Bool(if head == "and" { Bool::And(tests) } else { Bool::Or(tests) }))
            }
            "not" => {
                let [test] = self.exactly(node, rest, "one test")?;
                Some(Val::Bool(Bool::Not(Box::new(self.bool(test)?))))
            }
            "<" | ">" | "<=" | ">=" => {
                let [a, b] = self.exactly(node, rest, "two integers")?;
                let (a, b) = (self.int(a), self.int(b));
                let op = match head {
                    "<" => Compare::Lt,
                    ">" => Compare::Gt,
                    "<=" => Compare::Le,
                    _ => Compare::Ge,
                };
                Some(Val::Bool(Bool::Ints(op, a?, b?)))
            }
            "==" | "!=" => self.equal(node, head == "==", rest),
            "any" | "all" => self.aggregate(node, head == "all", rest),
            "cardatt" => {
                let [name, card] = self.exactly(node, rest, "an attribute and a card")?;
                let name_node = name;
                let name = self.str(name);
                let card = self.card(card)?;
                let name = name?;
                if let crate::ir::Str::Const(id) = name {
                    self.known_attribute(id, name_node.span);
                }
                Some(Val::Str(crate::ir::Str::Att(Box::new(name), Box::new(card))))
            }
            "top" | "bottom" => {
                let which = if head == "top" { Which::Top } else { Which::Bottom };
                match rest {
                    [one] => self.at(which, one),
                    [count, cards] => {
                        let count = self.int(count);
                        let cards = Box::new(self.cards(cards)?);
                        let top = head == "top";
                        Some(Val::Cards(Cards::Some { top, count: Box::new(count?), cards }))
                    }
                    _ => {
                        self.malformed(node, "`(top CARDS)` or `(top NUMBER CARDS)`");
                        None
                    }
                }
            }
            "max" | "min" => {
                let (cards, points) = self.using(node, rest)?;
                let cards = self.cards(cards);
                let points = Box::new(self.asked(points)?);
                let cards = Box::new(cards?);
                Some(Val::Card(Card::Best { most: head == "max", cards, points }))
            }
            "actual" => {
                let [card] = self.exactly(node, rest, "a card")?;
                Some(Val::Card(self.card(card)?))
            }
            "union" | "intersect" | "disjunction" | "intersection" => {
                if head == "intersection" {
                    self.older(items[0].span, "intersection", "intersect");
                }
                let op = match head {
                    "union" => SetOp::Union,
                    "disjunction" => SetOp::Disjunction,
                    _ => SetOp::Intersect,
                };
                let groups = self.operands(node, rest)?;
                Some(Val::Cards(Cards::Set(op, Box::new(groups))))
            }
            "sort" => {
                let (cards, points) = self.using(node, rest)?;
                let cards = self.cards(cards);
                let points = Box::new(self.asked(points)?);
                Some(Val::Cards(Cards::Sort(Box::new(cards?), points)))
            }
            "run" => self.run(node, rest),
            "runs" => self.runs(node, rest),
            "filter" => self.filter(node, rest),
            "tuples" => {
                let (many, points) = self.using_many(node, rest, 2)?;
                let count = self.int(&many[0]);
                let cards = self.cards(&many[1]);
                let points = Box::new(self.asked(points)?);
                let (count, cards) = (Box::new(count?), Box::new(cards?));
                Some(Val::Groups(Groups::Tuples { count, cards, points }))
            }
            "partition" => self.partition(node, rest),
            "subsets" => {
                let [cards] = self.exactly(node, rest, "a collection of cards")?;
                Some(Val::Groups(Groups::Subsets(Box::new(self.cards(cards)?))))
            }
            "range" => {
                let [low, dots, high] = self.exactly(node, rest, "`(range LOW .. HIGH)`")?;
                if dots.mark() != Some("..") {
                    self.malformed(node, "`(range LOW .. HIGH)`");
                    return None;
                }
                let (low, high) = (self.int(low), self.int(high));
                Some(Val::Words(Words::Range(low?, high?), Elem::Number))
            }
            "owner" => {
                let [card] = self.exactly(node, rest, "a card")?;
                Some(Val::Player(Owner::Of(Box::new(self.card(card)?), origin)))
            }
            "team" => {
                let [player] = self.exactly(node, rest, "a player")?;
                let player = self.player(player)?;
                if self.out.teams.is_empty() {
                    self.report(Code::NoSuchOwner, node.span, "the game has no teams");
                    return None;
                }
                Some(Val::Team(Owner::TeamOf(Box::new(player), origin)))
            }
            "indexed" => self.all_indices(node, rest),
            _ if STORES.contains(&head) => {
                let message = "an owner such as `game` is missing";
                let name = Self::shown(rest);
                self.push(
                    Diagnostic::new(Code::Malformed, node.span, message)
                        .help(format!("`(game {head}{name})`")),
                );
                None
            }
            _ => {
                let message = format!("no expression begins with `{head}`");
                self.unknown(&items[0], message, EXPRESSIONS);
                None
            }
        }
    }

    /// Exactly this many parts; otherwise reports what was expected.
    pub(super) fn exactly<'n, const N: usize>(
        &mut self,
        node: &Node,
        rest: &'n [Node],
        expected: &str,
    ) -> Option<[&'n Node; N]> {
        if rest.len() != N {
            self.malformed(node, expected);
            return None;
        }
        Some(std::array::from_fn(|at| &rest[at]))
    }

    /// The names in a list of parts, for an example.
    fn shown(rest: &[Node]) -> String {
        let names = rest.iter().filter_map(|part| match &part.kind {
            NodeKind::Name(name) => Some(format!(" {name}")),
            _ => None,
        });
        let names: String = names.take(1).collect();
        if names.is_empty() { " NAME".to_owned() } else { names }
    }

    /// `X using POINTS`.
    fn using<'n>(&mut self, node: &Node, rest: &'n [Node]) -> Option<(&'n Node, &'n Node)> {
        let (many, points) = self.using_many(node, rest, 1)?;
        Some((&many[0], points))
    }

    pub(super) fn using_many<'n>(
        &mut self,
        node: &Node,
        rest: &'n [Node],
        count: usize,
    ) -> Option<(&'n [Node], &'n Node)> {
        if rest.len() != count + 2 || !rest[count].is("using") {
            self.malformed(node, "`using` and a point map at the end");
            return None;
        }
        Some((&rest[..count], &rest[count + 1]))
    }

    /// A card of a collection, or a group of a collection of groups.
    pub(super) fn at(&mut self, which: Which, node: &Node) -> Option<Val> {
        match self.val(node)? {
            Val::Cards(cards) => Some(Val::Card(Card::At(which, Box::new(cards)))),
            Val::Groups(groups) => Some(Val::Cards(Cards::Pick(which, Box::new(groups)))),
            other => {
                let message = format!("expected cards, found {}", other.describe());
                self.report(Code::WrongType, node.span, message);
                None
            }
        }
    }

    fn random(&mut self, node: &Node, rest: &[Node]) -> Option<Val> {
        let zero = Int::Const(0);
        let (low, high) = match rest {
            [high] => (zero, self.int(high)?),
            [low, dots, high] if dots.mark() == Some("..") => (self.int(low)?, self.int(high)?),
            [low, high] => {
                self.older(node.span, "(random LOW HIGH)", "(random LOW .. HIGH)");
                (self.int(low)?, self.int(high)?)
            }
            _ => {
                self.malformed(node, "`(random HIGH)` or `(random LOW .. HIGH)`");
                return None;
            }
        };
        Some(Val::Int(Int::Random(Box::new(low), Box::new(high), Origin::new(node.span))))
    }

    /// Whether two values of one type are equal.
    fn equal(&mut self, node: &Node, equal: bool, rest: &[Node]) -> Option<Val> {
        let [left, right] = self.exactly(node, rest, "two values")?;
        let (a, b) = (self.val(left), self.val(right));
        let compare = if equal { Compare::Eq } else { Compare::Ne };
        Some(Val::Bool(match (a?, b?) {
            (Val::Int(a), Val::Int(b)) => Bool::Ints(compare, a, b),
            (Val::Str(a), Val::Str(b)) => Bool::Strs(equal, a, b),
            (Val::Card(a), Val::Card(b)) => Bool::Cards(equal, a, b),
            (Val::Player(a), Val::Player(b)) | (Val::Team(a), Val::Team(b)) => {
                Bool::Owners(equal, a, b)
            }
            (a, b) => {
                let message = format!(
                    "only values of one type can be compared, but these are {} and {}",
                    a.describe(),
                    b.describe()
                );
                self.push(
                    Diagnostic::new(Code::WrongType, right.span, message)
                        .label(b.describe())
                        .related(left.span, a.describe()),
                );
                return None;
            }
        }))
    }

    /// `(all COLLECTION 'V BODY)` as an expression.
    fn aggregate(&mut self, node: &Node, all: bool, rest: &[Node]) -> Option<Val> {
        let [coll, var, body] = self.exactly(node, rest, "a collection, a variable and a body")?;
        let (coll, elem) = self.coll(coll)?;
        let ty = Self::element(&coll, elem);
        let (slot, value) =
            self.bind(var, ty, |checker, slot| checker.val(body).map(|value| (slot, value)))??;
        let coll = Box::new(coll);
        match (value, all) {
            (Val::Bool(test), true) => Some(Val::Bool(Bool::All(coll, slot, Box::new(test)))),
            (Val::Bool(test), false) => Some(Val::Bool(Bool::Any(coll, slot, Box::new(test)))),
            (Val::Cards(cards), true) => {
                Some(Val::Groups(Groups::Each(coll, slot, Box::new(cards))))
            }
            (Val::Int(int), true) => Some(Val::Int(Int::Total(coll, slot, Box::new(int)))),
            (other, _) => {
                let message = format!("there is no aggregate over {}", other.describe());
                self.report(Code::WrongType, body.span, message);
                None
            }
        }
    }

    fn filter(&mut self, node: &Node, rest: &[Node]) -> Option<Val> {
        let [coll, var, test] = self.exactly(node, rest, "a collection, a variable and a test")?;
        let (coll, elem) = self.coll(coll)?;
        let ty = Self::element(&coll, elem);
        let (slot, test) =
            self.bind(var, ty, |checker, slot| checker.bool(test).map(|test| (slot, test)))??;
        let test = Box::new(test);
        Some(match coll {
            Coll::Cards(cards) => Val::Cards(Cards::Filter(Box::new(cards), slot, test)),
            Coll::Groups(groups) => Val::Groups(Groups::Filter(Box::new(groups), slot, test)),
            Coll::Words(words) => {
                let elem = elem.unwrap_or(Elem::Name);
                Val::Words(Words::Filter(Box::new(words), slot, test), elem)
            }
        })
    }

    pub(super) fn type_of(value: &Val) -> Option<Type> {
        Some(match value {
            Val::Int(_) => Type::Int,
            Val::Bool(_) => Type::Bool,
            Val::Str(_) => Type::Str,
            Val::Card(_) => Type::Card,
            Val::Cards(_) => Type::Cards,
            Val::Groups(_) => Type::Groups,
            Val::Words(_, elem) => Type::Words(*elem),
            Val::Player(_) => Type::Player,
            Val::Team(_) => Type::Team,
            Val::Table => return None,
        })
    }
}
