//! Matches with clocks, series with all seatings, and their results.
//!
//! A [`Contest`] is a game with the thinking time of its players. It drives the state machine of
//! [`magister_core::Match`] with threads and clocks: each player thinks on its own thread
//! ([`AgentThread`]) and gets its view and a budget; nothing that it does can end the match. An
//! illegal, late or missing move is replaced by a random one and recorded. The same contest, seed
//! and number of iterations give the same moves, however many matches run at once.

#![forbid(unsafe_code)]

mod agent_thread;
mod agon;
mod analysis;
pub mod audit;
mod clock;
mod contest;
mod drama;
mod driver;
mod exam;
mod experiment;
mod exploit;
mod log;
mod metrics;
mod online;
mod person;
mod ratings;
mod remedy;
mod series;
mod settings;
mod sprt;
mod summary;
mod svg;
mod swiss;
mod t_test;
mod tournament;
mod watchdog;

pub use agent_thread::AgentThread;
pub use agon::{Agon, Bout};
pub use analysis::{Analysis, Balance, Findings, RandomPlay, StrongPlay, Trial};
pub use clock::{Deadline, TimeControl};
pub use contest::{Asking, Contest, Seating};
pub use exam::{Blunder, Exam, ExamError, Marks};
pub use experiment::{Sample, TableResult, TableTrial, rank_values};
pub use exploit::{Exploited, Questions, exploit};
pub use log::{Log, Mistakes, Pairing};
pub use metrics::{Measured, Metrics};
pub use online::{Meeting, Scale, Standing, rate};
pub use person::{Asked, Ended, Person, Wish};
pub use ratings::{Comparisons, Rating};
pub use remedy::{Remedied, Remedy};
pub use series::{Series, SeriesError, seatings};
pub use settings::{Terms, TournamentSettings};
pub use sprt::{Sprt, SprtVerdict};
pub use summary::{Line, RoleLine, Summary, choices, interval};
pub use svg::{Bar, Page};
pub use t_test::Welch;
pub use tournament::{System, Tournament, TournamentError};
