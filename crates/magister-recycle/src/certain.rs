//! Options that need not be tried.
//!
//! To find the options of a choice, the machine runs every path through its alternatives and undoes
//! it, because a path that fails is no option. Most paths end in an `any` whose body cannot fail,
//! such as moving the chosen card to the table: then every element is an option, and the body need
//! not run. This analysis finds such bodies. It admits only expressions that neither fail nor
//! involve chance.

use crate::ir::{
    Act, Arith, Bool, Card, Cards, Checked, Coll, Given, Int, Key, Owner, Place, Slot, Stmt,
    StmtId, Str, Vis, Which, Words,
};

/// What is known about the body of an `any`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Body {
    /// It may fail or involve chance, or do nothing, or contain another `any`.
    Open,
    /// It acts in any case.
    Acts,
    /// It moves the chosen card to a place that does not depend on the card.
    Moves,
}

/// The bodies of all `any` statements, by the number of the statement.
pub(crate) fn bodies(rules: &Checked) -> Vec<Body> {
    let body = |stmt: &Stmt| {
        let Stmt::Any(coll, slot, body) = stmt else { return Body::Open };
        let mut known = Known { rules, cards: Vec::new() };
        known.cards.extend(matches!(coll, Coll::Cards(_)).then_some(*slot));
        match &rules.stmts[*body as usize] {
            _ if known.stmt(*body) != Some(true) => Body::Open,
            Stmt::Act(Act::Move { card: Card::Var(card), .. }) if card == slot => Body::Moves,
            _ => Body::Acts,
        }
    };
    rules.stmts.iter().map(body).collect()
}

/// The rules, and the variables that certainly are cards.
struct Known<'a> {
    rules: &'a Checked,
    cards: Vec<Slot>,
}

impl Known<'_> {
    /// Whether a statement acts in any case; `None` if it may fail.
    fn stmt(&mut self, stmt: StmtId) -> Option<bool> {
        match &self.rules.stmts[stmt as usize] {
            Stmt::Act(act) => self.act(act).then_some(true),
            Stmt::Seq(list) => {
                let mut acts = false;
                for &stmt in list {
                    acts |= self.stmt(stmt)?;
                }
                Some(acts)
            }
            Stmt::If(test, body) => {
                self.stmt(*body)?;
                test_is_safe(test).then_some(false)
            }
            Stmt::All(coll, slot, body) => {
                let cards = self.cards.len();
                // The variable may have been a card of an outer collection.
                if self.cards.contains(slot) || !coll_is_safe(coll) {
                    return None;
                }
                self.cards.extend(matches!(coll, Coll::Cards(_)).then_some(*slot));
                let inner = self.stmt(*body);
                self.cards.truncate(cards);
                inner.map(|_| false)
            }
            _ => None,
        }
    }

    fn act(&self, act: &Act) -> bool {
        match act {
            Act::SetInt(owner, key, value) | Act::Add(_, owner, key, value) => {
                store_is_safe(owner, key) && int_is_safe(value)
            }
            Act::SetStr(owner, key, value) => store_is_safe(owner, key) && str_is_safe(value),
            Act::SetPoints(points, text) => {
                let given = self.rules.texts[*text as usize].given.iter();
                place_is_safe(points)
                    && given.into_iter().all(|given| match given {
                        Given::Str(str) => str_is_safe(str),
                        Given::Int(int) => int_is_safe(int),
                    })
            }
            Act::CycleNext(owner) | Act::CycleCurrent(owner) => owner_is_safe(owner),
            Act::Move { card: Card::Var(card), to, at: Which::Top | Which::Bottom } => {
                let remembers = |family: u32| {
                    self.rules.places.get(family as usize).is_none_or(|p| p.vis == Vis::Memory)
                };
                self.cards.contains(card)
                    && owner_is_safe(&to.owner)
                    && matches!(to.key, Key::Family(family) if !remembers(family))
            }
            Act::Pass => true,
            Act::Move { .. } | Act::Remember { .. } | Act::Forget(_) | Act::Shuffle(_) => false,
        }
    }
}

fn owner_is_safe(owner: &Owner) -> bool {
    matches!(owner, Owner::Table | Owner::Current | Owner::Next | Owner::Previous | Owner::Var(_))
}

fn store_is_safe(owner: &Owner, key: &Key) -> bool {
    owner_is_safe(owner) && matches!(key, Key::Family(_))
}

fn place_is_safe(place: &Place) -> bool {
    store_is_safe(&place.owner, &place.key)
}

fn int_is_safe(int: &Int) -> bool {
    match int {
        Int::Const(_) | Int::Var(_) => true,
        Int::Stored(owner, key) => store_is_safe(owner, key),
        Int::Arith(Arith::Add | Arith::Sub | Arith::Mul, _, a, b) => {
            int_is_safe(a) && int_is_safe(b)
        }
        Int::Size(coll) => coll_is_safe(coll),
        Int::Sum(cards, points) => cards_are_safe(cards) && place_is_safe(points),
        Int::Score(card, points) => card_is_safe(card) && place_is_safe(points),
        _ => false,
    }
}

fn str_is_safe(str: &Str) -> bool {
    match str {
        Str::Const(_) | Str::Var(_) => true,
        Str::Stored(owner, key) => store_is_safe(owner, key),
        Str::Att(name, card) => str_is_safe(name) && card_is_safe(card),
    }
}

/// A card that may be missing.
fn card_is_safe(card: &Card) -> bool {
    match card {
        Card::Var(_) => true,
        Card::At(Which::Top | Which::Bottom, cards) => cards_are_safe(cards),
        // Chance decides between cards with the same score.
        Card::At(Which::At(_), _) | Card::Best { .. } => false,
    }
}

fn cards_are_safe(cards: &Cards) -> bool {
    match cards {
        Cards::Var(_) => true,
        Cards::Place(place) => place_is_safe(place),
        Cards::Filter(cards, _, test) => cards_are_safe(cards) && test_is_safe(test),
        _ => false,
    }
}

fn coll_is_safe(coll: &Coll) -> bool {
    match coll {
        Coll::Cards(cards) => cards_are_safe(cards),
        Coll::Words(words) => matches!(words, Words::Players | Words::OtherPlayers),
        Coll::Groups(_) => false,
    }
}

fn test_is_safe(test: &Bool) -> bool {
    match test {
        Bool::Var(_) => true,
        Bool::And(tests) | Bool::Or(tests) => tests.iter().all(test_is_safe),
        Bool::Not(test) => test_is_safe(test),
        Bool::Ints(_, a, b) => int_is_safe(a) && int_is_safe(b),
        Bool::Strs(_, a, b) => str_is_safe(a) && str_is_safe(b),
        Bool::Cards(_, a, b) => card_is_safe(a) && card_is_safe(b),
        Bool::Owners(_, a, b) => owner_is_safe(a) && owner_is_safe(b),
        Bool::Any(coll, _, test) | Bool::All(coll, _, test) => {
            coll_is_safe(coll) && test_is_safe(test)
        }
    }
}

#[cfg(test)]
mod tests {
    use magister_core::Seed;

    use super::*;
    use crate::machine::{Event, Machine, Wait};
    use crate::program::Program;

    /// An option: its path, its values and its actions.
    type Found = (Vec<u32>, Vec<i32>, Vec<Event>);

    fn options(machine: &mut Machine, p: &Program, choice: StmtId, logging: bool) -> Vec<Found> {
        machine.logging = logging;
        machine.choosing.noting = true;
        machine.choosing.guess(&[]);
        machine.log.clear();
        let found = machine.expand(p, choice);
        machine.logging = false;
        assert!(found.is_ok() && machine.log.is_empty());
        let choosing = &machine.choosing;
        (0..choosing.len())
            .map(|option| {
                let actions = choosing.actions(option).to_vec();
                (choosing.path(option).to_vec(), choosing.values(option).to_vec(), actions)
            })
            .collect()
    }

    /// In random games of the catalogue, the options are the same as if all of them were tried.
    #[test]
    fn options_are_those_that_would_be_found_by_trying() {
        let games = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games");
        let (mut listed, mut moving) = (0, 0);
        for entry in std::fs::read_dir(games).expect("the catalogue").flatten() {
            let Ok(text) = std::fs::read_to_string(entry.path().join("rules.rcy")) else {
                continue;
            };
            let found = crate::examine("game", &text, &crate::Options::default());
            let game = found.game.expect("the rules are sound");
            let quick = &game.shared.program;
            let mut thorough = Program::new(quick.rules.clone(), quick.compat, quick.limits);
            thorough.bodies.fill(Body::Open);
            listed += quick.bodies.iter().filter(|&&body| body == Body::Acts).count();
            moving += quick.bodies.iter().filter(|&&body| body == Body::Moves).count();
            let mut machine = Machine::new(quick);
            let mut rng = Seed::from(3).rng();
            for _ in 0..5 {
                machine.rng = Some(Seed::from(rng.next_u64()).rng());
                machine.reset(quick);
                machine.run(quick).expect("the game begins");
                for _ in 0..300 {
                    let Wait::Choice(choice) = machine.wait else { break };
                    let name = entry.file_name();
                    for logging in [true, false] {
                        let ours = options(&mut machine, quick, choice, logging);
                        let all = options(&mut machine, &thorough, choice, logging);
                        assert_eq!(ours, all, "{}", name.display());
                    }
                    let chosen = rng.below(machine.choosing.len() as u64) as usize;
                    machine.chosen(quick, chosen).expect("the option is possible");
                }
            }
        }
        assert!(listed > 10 && moving > 10, "{listed} {moving}");
    }
}
