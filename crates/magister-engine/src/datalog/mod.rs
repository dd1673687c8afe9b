//! Compiled Datalog, for rules that cannot be grounded within the limits and therefore have no
//! network.
//!
//! Every relation becomes procedures, one for every mode in which it is queried: which arguments
//! are known, which are requested, which are irrelevant. A rule of a procedure is a plan: steps
//! that look things up in tables, in the fluents of the state or in the answers of other
//! procedures, in an order chosen by the number of matches in sample positions. Only requested
//! answers are computed, so a relation may be infinite if only a finite part is queried. Answers
//! are kept until one of their dependencies changes.
//!
//! | module | holds |
//! |---|---|
//! | `source` | queries and operations as ordinary relations |
//! | `code` | the compiler's output |
//! | `compiler`, `plan` | relations to procedures, rules to steps |
//! | `prepare`, `order`, `estimate` | the best order, from counts in random play |
//! | `statics`, `safety`, `table` | constant relations, computed before play |
//! | `state`, `memo` | fluents with indexes; calls and answers |
//! | `machine`, `run`, `step`, `bind` | the evaluation |
//! | `position`, `stepper`, `game`, `worker` | positions, and the implementation of [`Game`](magister_core::Game) |

mod bind;
mod code;
mod compiler;
mod estimate;
mod game;
mod machine;
mod memo;
mod names;
mod order;
mod plan;
mod position;
mod prepare;
mod run;
mod safety;
mod source;
mod state;
mod statics;
mod step;
mod stepper;
mod table;
mod worker;

#[cfg(test)]
mod tests;

pub(crate) use game::DatalogGame;
