//! The results of the audits as a document.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::{Options, Outcome};

/// The whole of docs/honesty.md.
pub(super) fn document(all: &[Outcome], games: usize, options: &Options) -> String {
    let mut text = format!(
        "# Honesty\n\n\
         `cargo xtask audit --seconds {} --iterations {}` writes this file.\n\n\
         This is the audit of every player that gets only its view, in every game with hidden \
         information: those of the catalogue, and the oracle's if it is present.\n\
         Each game and player has {} s, shared by the roles, and {} iterations per decision. A \
         player that did not answer in five times that long is audited with one iteration \
         per decision, few states, particles and nodes, and a small depth.\n\
         A twin is another history that looks the same to the role; if there is \
         none, only the future of chance differs.\n\
         All answers must be equal to the last digit.\n\
         Its moves must also have the same distribution after a history and after its twin, must not \
         depend on hidden information over many matches, and must not win more than a best \
         response can, if that is known.\n\
         The planted cheaters, which must be found, are in \
         `crates/magister-arena/tests/cheaters/`.\n",
        options.seconds, options.iterations, options.seconds, options.iterations
    );
    let done = names(all, |outcome| &outcome.game).len();
    if done < games {
        let _ = writeln!(text, "\nThe audit was interrupted after {done} of {games} games.");
    }
    let _ = write!(text, "\n## By player\n\n{}", by_player(all));
    let _ = write!(
        text,
        "\n## By game\n\nThe number of answers compared in all roles; ! marks findings, \
         and – players that could not be asked.\n\n{}",
        by_game(all)
    );
    for (title, about, lines) in [
        ("Findings", "", lines(all, |outcome| &outcome.findings)),
        (
            "Remarks",
            "Here a player plays as if the others saw the state, where that is a mistake.\n\
             It is honest, but models opponents that are not. This is a finding only for a player \
             that claims otherwise.\n\n",
            lines(all, |outcome| &outcome.telling),
        ),
        ("Left out", "", lines(all, |outcome| &outcome.left_out)),
    ] {
        let lines = if lines.is_empty() { "Nothing.\n".to_owned() } else { lines };
        let _ = write!(text, "\n## {title}\n\n{about}{lines}");
    }
    text
}

/// One line per player.
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

/// One line per game, one column per player.
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

/// The remarks on players in games, grouped by equal text.
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

/// The distinct names in order of appearance.
fn names(all: &[Outcome], of: fn(&Outcome) -> &str) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for name in all.iter().map(of) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}
