//! `cargo xtask`: tests and measurements that take too long for every test run.
#![forbid(unsafe_code)]

mod agree;
mod audit;
mod batch;
mod binary;
mod cards;
mod clocks;
mod compare;
mod corpus;
mod decompose;
mod deny;
mod faults;
mod fuzz;
mod hard;
mod identity;
mod instructions;
mod lanes;
mod leaks;
mod learn;
mod ledger;
mod levels;
mod load;
mod methods;
mod mutate;
mod peers;
mod perfect;
mod picture;
mod prover;
mod sheets;
mod signature;
mod site;
mod speed;
mod twins;
mod walks;
mod yardsticks;

use anyhow::Result;
use clap::{Parser, Subcommand};

/// Long-running tasks of the project
#[derive(Parser)]
#[command(name = "cargo xtask")]
struct Args {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// All commands below at full length; continues after an interruption
    Long {
        /// Discard earlier results
        #[arg(long)]
        fresh: bool,
    },
    /// Run random and mutated inputs through every reader
    Fuzz {
        /// Inputs per reader
        #[arg(long, default_value_t = 10_000_000)]
        inputs: u64,
        /// Seed of the first input
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Only this reader: kif, infix, gamemaster or recycle
        #[arg(long)]
        reader: Option<String>,
    },
    /// Walk randomly through every game written in Rust
    Walks {
        /// Playouts per game
        #[arg(long, default_value_t = 200)]
        walks: u32,
    },
    /// Compare games in several languages: the same numbers of paths, six moves deep
    Twins,
    /// Compare every evaluator with the others on random walks, in every game
    Agree(agree::Options),
    /// Compare ids, hashes and observations on every evaluator, thread and process, under load
    Identity(identity::Options),
    /// Ask players in solved positions of Connect Four, half of them hard
    Hard(hard::Options),
    /// Measure the targets of learning: training rates, and strength after training
    Learn(learn::Options),
    /// Compare all batch methods with each other, in every game with a network
    Lanes(lanes::Options),
    /// Measure how much faster batches are than single states; writes docs/batch.md
    Batch(batch::Options),
    /// Run every player on every game at 100 ms per move, and report illegal and late moves
    Clocks(clocks::Options),
    /// Check that each difficulty level beats the one below it
    Levels(levels::Options),
    /// Ask a player in every position of solvable games
    Perfect(perfect::Options),
    /// Measure the time to read and check the oracle's GDL rulesheets, and to refuse hostile files
    Speed,
    /// Compare our speed with the published speed of ggp-base's prover, on the oracle's GDL games
    Prover(prover::Options),
    /// Compare speed and distributions of the oracle's card games with CardStock
    Cards(cards::Options),
    /// Compare our speed with hand-written games and OpenSpiel; writes the table of docs/speed.md
    Yardsticks(yardsticks::Options),
    /// Compare methods for hidden information; writes docs/hidden.md
    Methods(methods::Options),
    /// Audit every honest player in every game with hidden information; writes docs/honesty.md
    Audit(audit::Options),
    /// Compute one number for the behaviour of all evaluators, and compare it with the recorded one
    Signature(signature::Options),
    /// Find the subgames of every game, and compare them with the expected ones and the values
    /// without them
    Decompose(decompose::Options),
    /// Check licences, sources and duplicates of dependencies against deny.toml
    Deny,
    /// Compare an old build with a new one: random play, single games and searches, in pairs
    Compare(compare::Options),
    /// Count the instructions of the hot paths with valgrind and compare with the recorded counts
    Instructions(instructions::Options),
    /// Play matches with the real server and players of ggp-base
    Peers(peers::Options),
    /// Run many concurrent matches with remote players, and measure losses, overhead and memory
    Load(load::Options),
    /// Simulate matches with faults, and kill a real manager repeatedly
    Faults(faults::Options),
    /// Check that messages reveal no more to a role than its information state
    Leaks(leaks::Options),
    /// Draw boards of all games and of 100 oracle games in a browser, with questions about each
    /// picture
    Sheet(site::SheetOptions),
    /// Measure the first page of the site and the cost of spectators
    Site(site::FiguresOptions),
    /// The process that `faults` kills
    #[command(hide = true)]
    Victim {
        /// Its task
        words: String,
    },
    /// Draw the picture of the README again
    Picture,
}

fn main() -> Result<()> {
    match Args::parse().task {
        Task::Long { fresh } => {
            let mut ledger = ledger::Ledger::open(fresh)?;
            fuzz::run(10_000_000, 1, None, &mut ledger)?;
            walks::run(2_000, &mut ledger)?;
            twins::run(&mut ledger)?;
            agree::run(&agree::Options::default(), &mut ledger)?;
            lanes::run(&lanes::Options::default(), &mut ledger)?;
            speed::run(&mut ledger)?;
            ledger.print();
        }
        Task::Fuzz { inputs, seed, reader } => {
            let mut ledger = ledger::Ledger::in_memory();
            fuzz::run(inputs, seed, reader.as_deref(), &mut ledger)?;
            ledger.print();
        }
        Task::Walks { walks } => {
            let mut ledger = ledger::Ledger::in_memory();
            walks::run(walks, &mut ledger)?;
            ledger.print();
        }
        Task::Twins => {
            let mut ledger = ledger::Ledger::in_memory();
            twins::run(&mut ledger)?;
            ledger.print();
        }
        Task::Agree(options) => agree::run(&options, &mut ledger::Ledger::in_memory())?,
        Task::Identity(options) => identity::run(&options)?,
        Task::Hard(options) => hard::run(&options)?,
        Task::Learn(options) => learn::run(&options)?,
        Task::Lanes(options) => lanes::run(&options, &mut ledger::Ledger::in_memory())?,
        Task::Batch(options) => batch::run(&options)?,
        Task::Prover(options) => prover::run(&options)?,
        Task::Cards(options) => cards::run(&options)?,
        Task::Yardsticks(options) => yardsticks::run(&options)?,
        Task::Clocks(options) => clocks::run(&options)?,
        Task::Methods(options) => methods::run(&options)?,
        Task::Audit(options) => audit::run(&options)?,
        Task::Levels(options) => levels::run(&options)?,
        Task::Perfect(options) => perfect::run(&options)?,
        Task::Signature(options) => signature::run(&options)?,
        Task::Decompose(options) => decompose::run(&options)?,
        Task::Deny => deny::run()?,
        Task::Compare(options) => compare::run(&options)?,
        Task::Instructions(options) => instructions::run(&options)?,
        Task::Peers(options) => peers::run(&options)?,
        Task::Load(options) => load::run(&options)?,
        Task::Faults(options) => faults::run(&options)?,
        Task::Leaks(options) => leaks::run(&options)?,
        Task::Sheet(options) => site::sheet(&options)?,
        Task::Site(options) => site::figures(&options)?,
        Task::Victim { words } => faults::victim(&words)?,
        Task::Picture => picture::run()?,
        Task::Speed => {
            let mut ledger = ledger::Ledger::in_memory();
            speed::run(&mut ledger)?;
            ledger.print();
        }
    }
    Ok(())
}
