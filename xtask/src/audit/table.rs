//! What came of the audits, as a document.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::{Options, Outcome};

/// The whole of docs/honesty.md.
pub(super) fn document(all: &[Outcome], games: usize, options: &Options) -> String {
    let mut text = format!(
        "# Honesty\n\n\
         `cargo xtask audit --seconds {} --iterations {}` writes this file.\n\n\
         Every player that is given its view and nothing else, audited in every game that hides \
         information: those of the catalogue, and the oracle's where it is there.\n\
         Each game and player has {} s, shared by the roles, and a decision {} iterations; a \
         player of whom nothing was heard in five times that long is asked for one iteration \
         only, with few states, particles and nodes and little depth.\n\
         A twin is another course of the game that looks the same to the role; where there is \
         none, only the future of chance is another.\n\
         All answers must be the same, to the last digit.\n\
         Besides, its moves must be as likely after a course as after its twin, they must not \
         depend on what is hidden over many matches, and it must not win more than can be won \
         where that is known.\n\
         The planted cheaters, which must be found, are in \
         `crates/magister-arena/tests/cheaters/`.\n",
        options.seconds, options.iterations, options.seconds, options.iterations
    );
    let done = names(all, |outcome| &outcome.game).len();
    if done < games {
        let _ = writeln!(text, "\nIt was interrupted: {done} of {games} games are here.");
    }
    let _ = write!(text, "\n## By player\n\n{}", by_player(all));
    let _ = write!(
        text,
        "\n## By game\n\nThe answers that were compared in all roles; ! where something was \
         found, and – where nobody could be asked.\n\n{}",
        by_game(all)
    );
    for (title, about, lines) in [
        ("Findings", "", lines(all, |outcome| &outcome.findings)),
        (
            "Remarks",
            "Here a player plays as if the others saw everything, where that is a mistake.\n\
             It is honest, but imagines others that are not; only a player that says that it does \
             not is found out by this.\n\n",
            lines(all, |outcome| &outcome.telling),
        ),
        ("Left out", "", lines(all, |outcome| &outcome.left_out)),
    ] {
        let lines = if lines.is_empty() { "Nothing.\n".to_owned() } else { lines };
        let _ = write!(text, "\n## {title}\n\n{about}{lines}");
    }
    text
}

/// A line for each player.
pub(super) fn by_player(all: &[Outcome]) -> String {
    let mut text = String::from(
        "| player | games | twins | other futures | answers compared | findings |\n\
         |---|---|---|---|---|---|\n",
    );
    for player in names(all, |outcome| &outcome.player) {
        let of = || all.iter().filter(|outcome| outcome.player == player);
        let sum = |count: fn(&Outcome) -> u64| of().map(count).sum::<u64>();
        let _ = writeln!(
            text,
            "| `{player}` | {} | {} | {} | {} | {} |",
            of().filter(|outcome| outcome.answers > 0).count(),
            sum(|outcome| outcome.twins),
            sum(|outcome| outcome.futures),
            sum(|outcome| outcome.answers),
            sum(|outcome| outcome.findings.len() as u64),
        );
    }
    text
}

/// A line for each game, a column for each player.
fn by_game(all: &[Outcome]) -> String {
    let players = names(all, |outcome| &outcome.player);
    let heads = players.join(" | ");
    let mut text = format!("| game | {heads} |\n|---|{}\n", "---|".repeat(players.len()));
    for game in names(all, |outcome| &outcome.game) {
        let _ = write!(text, "| {game} |");
        for player in &players {
            let outcome = all.iter().find(|one| one.game == game && one.player == *player);
            let cell = match outcome {
                Some(outcome) if !outcome.findings.is_empty() => format!("! {}", outcome.answers),
                Some(outcome) if outcome.answers > 0 => outcome.answers.to_string(),
                _ => "–".to_owned(),
            };
            let _ = write!(text, " {cell} |");
        }
        text.push('\n');
    }
    text
}

/// What there is to say of players in games, those with the same words together.
fn lines(all: &[Outcome], of: fn(&Outcome) -> &Vec<String>) -> String {
    let mut said: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
    for outcome in all {
        for words in of(outcome) {
            said.entry((&outcome.game, words)).or_default().push(&outcome.player);
        }
    }
    let mut text = String::new();
    for ((game, words), players) in said {
        let _ = writeln!(text, "- {game}, {words}: {}.", players.join(", "));
    }
    text
}

/// The different names, in the order in which they come.
fn names(all: &[Outcome], of: fn(&Outcome) -> &str) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for name in all.iter().map(of) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}
