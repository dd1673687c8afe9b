//! One match on one line.

use magister_core::{Game, MatchRecord};
use serde::{Deserialize, Serialize};

/// What came of a match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameReport {
    /// The name of the game.
    pub game: String,
    /// The seed of the match.
    pub seed: String,
    /// The players in the order of their seats.
    pub players: Vec<String>,
    /// The joint moves: of all roles, chance included.
    pub moves: Vec<Vec<String>>,
    /// The rewards in the order of the seats; none if the match did not come to its end or the
    /// rules gave no value or several.
    pub rewards: Vec<Option<f64>>,
    /// The roles whose players were shown the state.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clairvoyant: Vec<String>,
    /// What went wrong.
    pub errors: Vec<Mishap>,
    /// For every joint move how long each seat thought.
    pub times_ms: Vec<Vec<f64>>,
}

/// Something that went wrong in a match, and was put right.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mishap {
    /// The joint move it happened at, from 1; 0 is before the first.
    pub step: usize,
    /// Whose fault it was; none if it was nobody's.
    pub seat: Option<usize>,
    /// `illegal`, `late`, `crash`, `refused` or `broken-off`.
    pub kind: String,
    /// What happened, as a sentence.
    pub what: String,
}

impl Mishap {
    pub(crate) fn new(step: usize, seat: Option<usize>, kind: &str, what: String) -> Self {
        Mishap { step, seat, kind: kind.to_owned(), what }
    }
}

impl GameReport {
    /// The report of a match that was recorded.
    pub(crate) fn new(
        game: &dyn Game,
        record: &MatchRecord,
        errors: Vec<Mishap>,
        times_ms: Vec<Vec<f64>>,
    ) -> Self {
        let info = game.info();
        let of_seats = |role: magister_core::Role| record.players[role.index()].clone();
        let result = |role: magister_core::Role| record.result.as_ref()?[role.index()];
        GameReport {
            game: record.game.clone(),
            seed: record.seed.clone(),
            players: info.players().map(|role| of_seats(role).unwrap_or_default()).collect(),
            moves: record.steps.iter().map(|step| step.joint.clone()).collect(),
            rewards: info.players().map(result).collect(),
            clairvoyant: record.clairvoyant.clone(),
            errors,
            times_ms,
        }
    }

    /// Whether two matches went the same way, whatever time they took.
    pub fn same_course(&self, other: &GameReport) -> bool {
        let timeless = |report: &GameReport| GameReport { times_ms: Vec::new(), ..report.clone() };
        timeless(self) == timeless(other)
    }
}
