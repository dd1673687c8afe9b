//! Where players meet: matches with clocks, series with all seatings, and what came of them.
//!
//! A [`Contest`] is a game, who plays it and how long they may think. Each player sits on a
//! thread of its own ([`Seat`]), gets its view and a budget, and nothing that it does can end the
//! match: a move that is illegal, late or missing is replaced by a random one and written down.
//! The same contest, seed and number of iterations give the same moves, however many matches are
//! played at the same time.

#![forbid(unsafe_code)]

mod analysis;
pub mod audit;
mod clock;
mod contest;
mod drama;
mod exam;
mod exploit;
mod history;
mod log;
mod online;
mod person;
mod ratings;
mod remedy;
mod replay;
mod report;
mod seat;
mod series;
mod settings;
mod sprt;
mod summary;
mod svg;
mod swiss;
mod table;
mod tournament;
mod watchdog;

pub use analysis::{Analysis, Balance, Findings, RandomPlay, StrongPlay, Trial};
pub use clock::{Deadline, Limits};
pub use contest::{Contest, Sitter};
pub use exam::{Blunder, Exam, ExamError, Marks};
pub use exploit::{Exploited, Questions, exploit};
pub use log::{Log, Pairing, Played};
pub use online::{Meeting, Scale, Standing, rate};
pub use person::{Asked, Person, Wish};
pub use ratings::{Comparisons, Rating};
pub use remedy::{Remedied, Remedy};
pub use replay::ReplayError;
pub use report::{GameReport, Mishap};
pub use seat::{Answer, Maker, Seat};
pub use series::{Series, SeriesError, seatings};
pub use settings::{Settings, Terms};
pub use sprt::{Sprt, SprtVerdict};
pub use summary::{Line, RoleLine, Summary};
pub use svg::{Bar, Page};
pub use tournament::{System, Tournament, TournamentError};
