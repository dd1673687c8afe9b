//! Tests of RECYCLE: one program, because linking many takes longer than running them.

mod battery;
mod catalogue;
mod codes;
mod deals;
mod faults;
mod hostile;
mod misspelt;
mod names;
mod odds;
mod oracle;
mod oracle_games;
mod posterior;
mod quiet;
mod skat;
mod variants;
