//! Rules without a network: compiled Datalog, for games that do not ground within the limits.
//!
//! Every relation becomes procedures, one for every way in which it is asked: which arguments are
//! known, which are wanted, which are of no interest. A rule of a procedure is a plan: steps that
//! look things up in tables, in the fluents of the state or in the answers of other procedures,
//! in an order chosen by how many matches were counted in sample positions. Only what is asked is
//! computed, so infinite relations of which only a part matters are no harm; what was computed is
//! kept as long as nothing changes that it depends on.
//!
//! | module | holds |
//! |---|---|
//! | `source` | queries and operations as relations like any other |
//! | `code` | what the compiler makes |
//! | `compiler`, `plan` | relations to procedures, rules to steps |
//! | `prepare`, `order`, `estimate` | which order is best, by what was counted in random play |
//! | `statics`, `safety`, `table` | relations that never change, worked out before play |
//! | `state`, `memo` | fluents with indexes; calls and answers |
//! | `machine`, `run`, `step`, `bind` | the evaluation |
//! | `position`, `stepper`, `game`, `worker` | positions, and the vocabulary around them |

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

pub use game::DatalogGame;
