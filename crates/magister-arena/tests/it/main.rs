//! Tests of matches, series and audits: one program, because linking many takes longer than running them.

mod audit;
mod cheaters;
mod every_player;
mod levels;
mod matches;
mod perfect;
mod resume;
mod schema;
mod sources;
