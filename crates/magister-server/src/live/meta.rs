//! The data of a match beyond its record: its seats, and their secrets.

use magister_core::{Game, PlayerKind, PlayerSource, Seat};
use magister_manager::PlayerAddress;
use magister_players::{Level, Spec};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::tree::Tree;
use crate::ApiError;
use crate::games::Wanted;
use crate::training::{self, PREFIX, Trainings};

/// The kind of the documents that contain [`Meta`].
pub const MATCH: &str = "match";

/// Whether one player plays all roles or each seat has its own player.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// One person plays all roles, without clocks and hidden information.
    Standalone,
    /// Each seat has its own player.
    #[default]
    Match,
}

/// The kind of player on a seat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SeatKind {
    /// A person with a browser.
    #[default]
    Person,
    /// A difficulty level.
    Level,
    /// A player of the registry.
    Player,
    /// A program at an address.
    Remote,
    /// A player that has learned the game on this site.
    Trained,
}

/// The settings of a match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Meta {
    /// The game.
    pub game: Wanted,
    /// How it is played.
    pub mode: Mode,
    /// The seats.
    pub seats: Vec<SeatMeta>,
    /// SHA-256 of the token of the creator.
    pub owner: String,
    /// The time before the first move.
    pub start_ms: Option<u64>,
    /// The time for a move.
    pub play_ms: Option<u64>,
    /// The iterations per move of players of the registry, in addition to the time.
    #[serde(default)]
    pub iterations: Option<u64>,
    /// Whether the result counts for ratings. Rated matches have no hints and no undo.
    pub rated: bool,
    /// When it was created, in milliseconds since 1970.
    pub created: i64,
    /// Whether it is paused.
    #[serde(default)]
    pub paused: bool,
    /// The tournament that it belongs to.
    #[serde(default)]
    pub tournament: Option<String>,
    /// The continuations that were tried, in standalone matches.
    #[serde(default)]
    pub tree: Tree,
    /// The owner of its searches, for the queue.
    #[serde(default)]
    pub client: String,
}

impl Meta {
    /// Whether a remote player takes part.
    pub(super) fn has_remote(&self) -> bool {
        self.seats.iter().any(|seat| seat.kind == SeatKind::Remote)
    }
}

/// A seat.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SeatMeta {
    /// The kind of player.
    pub kind: SeatKind,
    /// The player: a name for people, otherwise a level, a player or an address.
    pub player: String,
    /// SHA-256 of the token of a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// Whether a remote player recognises duplicate messages.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub repeats: bool,
}

/// A seat in a request.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(from = "SeatWords")]
pub struct SeatOrder {
    /// The kind of player.
    pub kind: SeatKind,
    /// A player of the registry, or the name of a person.
    pub player: Option<String>,
    /// A level.
    pub level: Option<String>,
    /// The address of a remote player.
    pub address: Option<String>,
}

/// The fields of a seat. Without a kind, the other fields determine it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a seat with kind, player, level or address")]
struct SeatWords {
    #[serde(default)]
    kind: Option<SeatKind>,
    #[serde(default)]
    player: Option<String>,
    #[serde(default)]
    level: Option<String>,
    #[serde(default)]
    address: Option<String>,
}

impl From<SeatWords> for SeatOrder {
    fn from(words: SeatWords) -> Self {
        let SeatWords { kind, player, level, address } = words;
        let meant = || match (&level, &address, player.as_deref()) {
            (Some(_), ..) => SeatKind::Level,
            (_, Some(_), _) => SeatKind::Remote,
            (.., Some(name)) if Level::find(name).is_some() => SeatKind::Level,
            (.., Some(name)) if PlayerAddress::is_meant(name) => SeatKind::Remote,
            (.., Some(name)) if name.starts_with(PREFIX) => SeatKind::Trained,
            (.., Some("human" | "person") | None) => SeatKind::Person,
            (.., Some(_)) => SeatKind::Player,
        };
        SeatOrder { kind: kind.unwrap_or_else(meant), player, level, address }
    }
}

/// The maximum length of a person's name.
const NAME: usize = 40;

impl SeatOrder {
    /// The seat, if the player exists and supports the game.
    pub fn check(&self, game: &dyn Game, trainings: &Trainings) -> Result<SeatMeta, ApiError> {
        let hidden = game.info().information == magister_core::Information::Hidden;
        let player = match self.kind {
            SeatKind::Person => {
                let name = self.player.as_deref().unwrap_or("person").trim();
                let name: String = name.chars().filter(|c| !c.is_control()).take(NAME).collect();
                if name.is_empty() { "person".to_owned() } else { name }
            }
            SeatKind::Level => {
                let wanted = self.level.as_ref().or(self.player.as_ref());
                let name = wanted.map_or("medium", String::as_str);
                let found = Level::find(name).ok_or_else(|| {
                    let what =
                        format!("there is no level called {}; GET /api/players", short(name));
                    ApiError::invalid("player", what)
                })?;
                found.name.to_owned()
            }
            SeatKind::Player => {
                let name = self.player.as_deref().unwrap_or("uct");
                let spec = spec(name)?;
                if hidden && !spec.capabilities().hidden {
                    let what =
                        format!("{name} does not play games with hidden information; try `honest`");
                    return Err(ApiError::invalid("player", what));
                }
                name.to_owned()
            }
            SeatKind::Trained => {
                let name = self.player.as_deref().unwrap_or_default();
                trainings.check(name, game)?;
                format!("{PREFIX}{}", name.strip_prefix(PREFIX).unwrap_or(name))
            }
            SeatKind::Remote => {
                let address = self.address.as_ref().or(self.player.as_ref());
                let address = address.map_or("", String::as_str);
                let parsed: Result<PlayerAddress, String> = address.parse();
                parsed.map_err(|what| ApiError::invalid("address", what))?.to_string()
            }
        };
        Ok(SeatMeta { kind: self.kind, player, token: None, repeats: false })
    }
}

impl SeatMeta {
    /// The seat in the record of the match.
    pub fn seat(&self) -> Result<Seat, ApiError> {
        Ok(match self.kind {
            SeatKind::Person => Seat {
                kind: PlayerKind::Person,
                source: "site".to_owned(),
                ..Seat::new(&self.player)
            },
            SeatKind::Level | SeatKind::Player => spec(&self.player)?.seat(),
            SeatKind::Trained => training::seat(&self.player),
            SeatKind::Remote => Seat {
                kind: PlayerKind::Remote,
                source: "ggp".to_owned(),
                asked_when_forced: true,
                ..Seat::new(&self.player)
            },
        })
    }
}

/// A player of the registry that a user of the site may choose: not a person, not one that uses a
/// file of this machine, and not one that sees the state.
pub fn spec(name: &str) -> Result<Spec, ApiError> {
    let taken = RESERVED.iter().find(|&&word| name.contains(word));
    if name.len() > 200 || taken.is_some() {
        let what =
            "players on this site cannot read files, and the site sets their memory and threads";
        return Err(ApiError::invalid("player", what));
    }
    let spec: Spec =
        name.parse().map_err(|error| ApiError::invalid("player", format!("{error}")))?;
    if spec.is_human() || spec.capabilities().clairvoyant {
        let what = format!("{} is not available on this site; GET /api/players", short(name));
        return Err(ApiError::invalid("player", what));
    }
    Ok(spec.with_memory(MEMORY))
}

/// Settings that are reserved for the operator of the site.
const RESERVED: [&str; 7] = ["/", "\\", "file=", "book=", "memory=", "threads=", "bits="];

/// The memory limit of one player, in MiB.
const MEMORY: u32 = 128;

fn short(name: &str) -> String {
    name.chars().take(40).collect()
}

/// A new secret.
pub fn fresh_token() -> String {
    crate::accounts::password::token()[..32].to_owned()
}

/// The stored hash of a secret.
pub fn hash(token: &str) -> String {
    let digest = Sha256::digest(token.as_bytes());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}
