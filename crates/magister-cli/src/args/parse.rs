//! From the words of a command line to arguments.

use std::num::IntErrorKind;

use clap::error::ContextKind;
use clap::{Arg, CommandFactory as _, FromArgMatches as _};

use super::Args;

/// Reads the arguments of this process.
///
/// A value may begin with a hyphen, so that `--games -1` is answered with what the option takes and
/// not with a complaint about an option `-1`.
pub(crate) fn parse() -> Args {
    let numbers = |arg: Arg| match arg.get_action().takes_values() && !arg.is_positional() {
        true if is_time(&arg) => arg.allow_hyphen_values(true),
        yes => arg.allow_negative_numbers(yes),
    };
    let width = crate::terminal::prose();
    let command = Args::command().term_width(width);
    let command = command.mut_subcommands(|one| one.mut_args(numbers).term_width(width));
    let read =
        command.try_get_matches_from(words()).and_then(|found| Args::from_arg_matches(&found));
    read.unwrap_or_else(|error| in_words(error).exit())
}

/// The words of the command line. `help --help` means `help`.
fn words() -> Vec<std::ffi::OsString> {
    let mut words: Vec<_> = std::env::args_os().collect();
    if let [_, help, flag] = &words[..]
        && help == "help"
        && (flag == "--help" || flag == "-h")
    {
        words.pop();
    }
    words
}

/// An error that says what to write where a number is expected.
fn in_words(error: clap::Error) -> clap::Error {
    let cause = std::error::Error::source(&error).and_then(|cause| cause.downcast_ref());
    let digits = cause.map(std::num::ParseIntError::kind);
    if !matches!(digits, Some(IntErrorKind::InvalidDigit | IntErrorKind::Empty)) {
        return error;
    }
    let part = |kind| error.get(kind).map(ToString::to_string).unwrap_or_default();
    let (value, option) = (part(ContextKind::InvalidValue), part(ContextKind::InvalidArg));
    let text = format!(
        "invalid value '{value}' for '{option}': write a whole number that is not negative\n\nFor \
         more information, try '--help'.\n"
    );
    clap::Error::raw(error.kind(), text)
}

/// Times have units, and so do not look like numbers.
fn is_time(arg: &Arg) -> bool {
    arg.get_value_names().is_some_and(|names| matches!(names, [name] if name == "T"))
}
