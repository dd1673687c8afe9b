//! The tests of the command line.
//!
//! They are one program, because linking each test program takes time. Only `allocations`, which
//! counts for a whole process, is a separate program.

mod analyze;
mod cards;
mod catalogue;
mod cli;
mod contest;
mod explain;
mod faults;
mod folder;
mod help;
mod identity;
mod infoset;
mod interrupts;
mod lanes;
#[cfg(target_os = "linux")]
mod memory;
mod new;
mod person;
mod plain;
mod play;
mod readers;
mod records;
mod repair;
mod snapshots;
mod solve;
mod stumbles;
mod train;
