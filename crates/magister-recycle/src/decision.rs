//! A decision, explained by the rules that offer its options.

use magister_core::Role;

use crate::game::CardGame;
use crate::ir::Stmt;
use crate::machine::{Machine, Thing, Wait, Why};

/// A decision of a player with the alternatives of the rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The player that decides.
    pub role: Role,
    /// The line of the choice in the rules, counted from 1.
    pub line: usize,
    /// The alternatives in the order of the rules.
    pub alternatives: Vec<Alternative>,
}

/// An alternative of a choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alternative {
    /// Its line in the rules, counted from 1.
    pub line: usize,
    /// Its text, with single blanks.
    pub source: String,
    /// The options that it offers in this state.
    pub options: Vec<String>,
    /// The condition that rules out what was asked for, if one is found.
    pub reason: Option<String>,
}

impl CardGame {
    /// Whether a text is the name of a card.
    pub fn has_card(&self, name: &str) -> bool {
        self.shared.moves.card_like(name).is_some()
    }

    /// Whether a card is in a pile of a player. `None` if there is no such card or state.
    pub fn holds(&self, state: &[u64], role: Role, name: &str) -> Option<bool> {
        let p = &self.shared.program;
        let card = self.shared.moves.card_like(name)?;
        let mut machine = Machine::new(p);
        machine.load(p, state)?;
        Some(p.pile(machine.at[card as usize] as usize).1 == u32::from(role.0) + 1)
    }

    /// The decision in a state, and why its alternatives do not offer something, such as `play 8C`
    /// or `8C`; `None` if no player decides.
    pub fn decision(&self, state: &[u64], asked: &str) -> Option<Decision> {
        let shared = &self.shared;
        let p = &shared.program;
        let mut machine = Machine::new(p);
        machine.load(p, state)?;
        let Wait::Choice(choice) = machine.wait else { return None };
        let Stmt::Choice(alternatives) = &p.rules.stmts[choice as usize] else { return None };
        machine.choosing.noting = true;
        machine.choosing.guess(&[]);
        let expanded = machine.expand(p, choice).is_ok();
        let line = |stmt: u32| {
            let start = p.rules.spans[stmt as usize].start as usize;
            1 + shared.text.get(..start).map_or(0, |before| before.matches('\n').count())
        };
        let source = |stmt: u32| {
            let span = p.rules.spans[stmt as usize];
            let text = shared.text.get(span.start as usize..span.end as usize).unwrap_or_default();
            text.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        let mut list: Vec<Alternative> = alternatives
            .iter()
            .map(|&stmt| Alternative {
                line: line(stmt),
                source: source(stmt),
                options: Vec::new(),
                reason: None,
            })
            .collect();
        let mut key = Vec::new();
        for option in 0..if expanded { machine.choosing.len() } else { 0 } {
            let made = shared.moves.number(p, &machine, choice, option, &mut key);
            let alternative = machine.choosing.path(option)[0] as usize;
            list[alternative].options.push(shared.moves.text(made));
        }
        let forms = crate::read::read_as(&shared.text, &p.limits, p.compat).forms;
        let things = self.things(asked);
        for (one, &stmt) in list.iter_mut().zip(alternatives) {
            let names = |card: usize| shared.moves.card(card).to_owned();
            let mut why = Why {
                p,
                machine: &mut machine,
                text: &shared.text,
                forms: &forms,
                names: &names,
                asked: things.clone(),
            };
            one.reason = why.reason(stmt);
        }
        Some(Decision {
            role: Role(machine.current() as u8),
            line: line(choice),
            alternatives: list,
        })
    }

    /// The cards, numbers and names of a question.
    fn things(&self, asked: &str) -> Vec<Thing> {
        let strings = &self.shared.program.rules.strings;
        asked
            .split(|letter: char| letter.is_whitespace() || "()[]".contains(letter))
            .filter(|word| !word.is_empty())
            .filter_map(|word| {
                let name = || strings.iter().position(|known| known.eq_ignore_ascii_case(word));
                if let Some(card) = self.shared.moves.card_like(word) {
                    Some(Thing::Card(card))
                } else if let Ok(number) = word.parse() {
                    Some(Thing::Number(number))
                } else {
                    name().map(|at| Thing::Name(at as u32))
                }
            })
            .collect()
    }
}
