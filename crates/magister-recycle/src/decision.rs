//! A decision, explained by the rules that offer its options.

use magister_core::Role;

use crate::game::CardGame;
use crate::ir::Stmt;
use crate::machine::{Machine, Wait};

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
}

impl CardGame {
    /// The decision in a state; `None` if no player decides.
    pub fn decision(&self, state: &[u64]) -> Option<Decision> {
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
            })
            .collect();
        let mut key = Vec::new();
        for option in 0..if expanded { machine.choosing.len() } else { 0 } {
            let made = shared.moves.number(p, &machine, choice, option, &mut key);
            let alternative = machine.choosing.path(option)[0] as usize;
            list[alternative].options.push(shared.moves.text(made));
        }
        Some(Decision {
            role: Role(machine.current() as u8),
            line: line(choice),
            alternatives: list,
        })
    }
}
