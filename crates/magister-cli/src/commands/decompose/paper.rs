//! The search of Zhao, Schiffel and Thielscher (2009): the moves that it keeps, and its errors.

use std::fmt::Write as _;

use magister_core::{Halt, Stop};
use magister_decompose::{Decomposition, Errors, Mistake, Sequences};
use magister_engine::Compiled;
use serde_json::{Value, json};

use super::describe::{fluents, list};
use crate::commands::plural;

/// The counts.
pub(super) struct Paper {
    sequences: Vec<Result<Sequences, Halt>>,
    errors: Result<Errors, Halt>,
}

impl Paper {
    pub(super) fn new(compiled: &Compiled, whole: &Decomposition, stop: &Stop) -> Self {
        let count = |number: usize| Sequences::new(compiled, whole, number, stop);
        Paper {
            sequences: (0..whole.subgames.len()).map(count).collect(),
            errors: Errors::new(compiled, whole, stop),
        }
    }

    pub(super) fn json(&self, compiled: &Compiled) -> Value {
        let one = |found: &Result<Sequences, Halt>| match found {
            Ok(found) => json!({
                "all": u64::try_from(found.all).ok(),
                "kept": u64::try_from(found.kept).ok(),
                "lengths": found.lengths.iter().map(|&n| n as u64).collect::<Vec<_>>(),
            }),
            Err(halt) => json!({"reason": halt.to_string()}),
        };
        let mistake = |mistake: &Mistake| {
            json!({
                "state": fluents(compiled, &mistake.fluents),
                "to_move": compiled.info().roles.get(mistake.mover),
                "value": mistake.value,
                "found": mistake.found,
            })
        };
        let errors = match &self.errors {
            Ok(errors) => json!({
                "states": errors.states,
                "wrong": errors.wrong,
                "losing": errors.losing,
                "value": errors.value.0,
                "found": errors.value.1,
                "positions": errors.mistakes.iter().map(mistake).collect::<Vec<_>>(),
            }),
            Err(halt) => json!({"reason": halt.to_string()}),
        };
        let subgames: Vec<Value> = self.sequences.iter().map(one).collect();
        json!({"sound": false, "subgames": subgames, "errors": errors})
    }

    pub(super) fn text(&self, compiled: &Compiled) -> String {
        let mut text = String::from(
            "sequences of the paper's search, whose pruning rule is unsound; do not play by its results\n",
        );
        for (number, found) in self.sequences.iter().enumerate() {
            let _ = match found {
                Ok(found) => writeln!(
                    text,
                    "  subgame {}: {} sequences, {} after pruning",
                    number + 1,
                    found.all,
                    found.kept
                ),
                Err(halt) => writeln!(text, "  subgame {}: {halt}", number + 1),
            };
        }
        let errors = match &self.errors {
            Ok(errors) => errors,
            Err(halt) => {
                let _ = writeln!(text, "its errors were not counted: {halt}");
                return text;
            }
        };
        let _ = writeln!(
            text,
            "with the moves that it keeps, {} of {} have a wrong value, and in {} the move that it \
             chooses loses value (equivalent positions are counted once)",
            errors.wrong,
            plural(errors.states, "position"),
            errors.losing
        );
        let first = compiled.info().roles.first().map_or("the first role", String::as_str);
        for mistake in &errors.mistakes {
            let mover = compiled.info().roles.get(mistake.mover).map_or("", String::as_str);
            let _ = writeln!(
                text,
                "  {mover} to move: the value is {} for {first}, the search finds {}",
                mistake.value, mistake.found
            );
            text += &list("    ", &fluents(compiled, &mistake.fluents), true);
        }
        text
    }
}
