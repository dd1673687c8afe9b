//! The command `magister`: arguments in, text and an exit code out.
#![forbid(unsafe_code)]

mod args;
mod commands;
mod console;
mod draw;
mod game;
mod interrupt;
mod session;
mod terminal;
mod waiting;

use std::io;
use std::process::ExitCode;

use args::Command;

/// Grounding allocates and frees millions of small lists, which is faster with this allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// No defects were found.
const CLEAN: u8 = 0;
/// The rules, or the formatting, have errors.
const FOUND: u8 = 1;
/// Something could not be read, written or understood.
const FAILED: u8 = 2;

fn main() -> ExitCode {
    let args = args::parse();
    let Some(command) = args.command else {
        return finish(commands::start::run());
    };
    let result = match command {
        Command::Check(args) => commands::check::run(&args),
        Command::Fmt(args) => commands::fmt::run(&args),
        Command::Convert(args) => commands::convert::run(&args),
        Command::Step(args) => commands::step::run(&args),
        Command::Explain(args) => commands::explain::run(&args),
        Command::Playable(args) => commands::playable::run(&args),
        Command::Play(args) => commands::play::run(&args),
        Command::Serve(args) => commands::serve::run(&args),
        Command::Backup(args) => commands::backup::run(&args),
        Command::Players(args) => commands::players::run(&args),
        Command::Match(args) => commands::contest::run(&args),
        Command::Answer(args) => commands::answer::run(&args),
        Command::Player(args) => commands::player::run(&args),
        Command::Matches(args) => commands::matches::run(&args),
        Command::Leaderboard(args) => commands::leaderboard::run(&args),
        Command::Export(args) => commands::export::run(&args),
        Command::Import(args) => commands::import::run(&args),
        Command::Inspect(args) => commands::inspect::run(&args),
        Command::Tournament(args) => commands::tournament::run(&args),
        Command::Replay(args) => commands::replay::run(&args),
        Command::Analyze(args) => commands::analyze::run(&args),
        Command::Experiment(args) => commands::experiment::run(&args),
        Command::Solve(args) => commands::solve::run(&args),
        Command::Decompose(args) => commands::decompose::run(&args),
        Command::Audit(args) => commands::audit::run(&args),
        Command::Train(args) => commands::train::run(&args),
        Command::Eval(args) => commands::eval::run(&args),
        Command::Infoset(args) => commands::infoset::run(&args),
        Command::Network(args) => commands::network::run(&args),
        Command::Perft(args) => commands::perft::run(&args),
        Command::Bench(args) => commands::bench::run(&args),
        Command::Conform(args) => commands::conform::run(&args),
        Command::Games(args) => commands::games::run(&args),
        Command::Show(args) => commands::show::run(&args),
        Command::New(args) => commands::new::run(&args),
        Command::Completions(args) => commands::completions::run(&args),
    };
    finish(result)
}

fn finish(result: anyhow::Result<u8>) -> ExitCode {
    match result {
        Ok(code) => ExitCode::from(code),
        // The reader has closed the output, as `head` does.
        Err(error) if is_broken_pipe(&error) => ExitCode::from(CLEAN),
        Err(error) => {
            anstream::eprintln!("magister: {error:#}");
            ExitCode::from(FAILED)
        }
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}
