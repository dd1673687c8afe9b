//! Learned agents as files.
//!
//! A file is a safetensors file: eight bytes with the length of a JSON heading, the heading, and
//! the numbers. Other programs can read the tensors; the metadata entry `magister` of the heading
//! contains a [`Header`], which states the rules and the recipe of the agent.

use std::fmt;
use std::sync::Arc;

use magister_core::Game;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::cells::CellPlan;
use crate::container::{Reader, Writer, finite};
use crate::driver::Chain;
use crate::recipe::Recipe;
use crate::sound;

/// The newest version of the format that this program reads. Version 2 added policy-and-value
/// networks.
pub const VERSION: u32 = 2;
/// The version of files of value functions, which have not changed since.
pub(crate) const VALUES_VERSION: u32 = 1;

/// The description of the agent in a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// The version of the format.
    pub version: u32,
    /// The name of the game.
    pub game: String,
    /// The hash of the canonical rules. The agent plays no other rules.
    pub rules_hash: String,
    /// How states are read.
    pub reading: Reading,
    /// How it was trained.
    pub recipe: Recipe,
    /// The tuples of an n-tuple network.
    pub tuples: Vec<Vec<u16>>,
    /// The number of slots of weights.
    pub slots: usize,
    /// The number of values for each position.
    pub heads: usize,
    /// The number of players.
    pub players: usize,
    /// Whether the game is two-player constant-sum.
    pub opposed: bool,
    /// The number of games that it was trained on; 0 for an untrained agent.
    pub games: u64,
    /// The number of moves in these games.
    pub moves: u64,
    /// The seed of the training.
    pub seed: u64,
    /// The number of weights.
    pub weights: u64,
    /// Its strength, if it was measured after the training.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub strengths: Vec<Strength>,
}

/// The strength of an agent against another player.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Strength {
    /// The other player.
    pub against: String,
    /// The share of the points, from 0 to 1.
    pub points: f64,
    /// The lower end of its 95 % interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// The number of matches.
    pub matches: u64,
    /// The iterations of each player per move.
    pub iterations: u64,
    /// The search that used the agent, with `AGENT` for it; empty if the agent played on its own.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub inside: String,
}

/// How the states of a game are read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reading {
    /// By a map from observations to cells.
    Cells(CellPlan),
    /// By a map from the views of a player to cells.
    Views(CellPlan),
    /// As a board of Connect Four.
    ConnectFour,
    /// As a board of Tic-Tac-Toe.
    Tictactoe,
    /// As a board of 2048.
    #[serde(rename = "2048")]
    Twenty48,
}

/// A file of a learned agent.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentFile {
    /// Its description.
    pub header: Header,
    /// All weights.
    pub weights: Vec<f32>,
    /// The sums for temporal coherence, two for each weight, if training can be resumed.
    pub sums: Option<Vec<f32>>,
}

/// Why bytes are not a learned agent.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileError {
    /// It is another kind of file.
    Foreign,
    /// It was written by a newer program.
    Newer(u32),
    /// It is truncated or damaged; the text says where.
    Damaged(&'static str),
    /// It is a learned agent of this other type.
    OtherType(AgentType),
    /// It was trained for other rules.
    OtherRules {
        /// The game that it was trained for.
        learned: String,
        /// The game that is played.
        played: String,
    },
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FileError::Foreign => {
                f.write_str("this file is not a learned agent; `magister train` writes them")
            }
            FileError::Newer(version) => write!(
                f,
                "this agent has format version {version}, but this program reads versions up to \
                 {VERSION}; update magister"
            ),
            FileError::Damaged(what) => {
                write!(f, "this learned agent is damaged: {what}; copy or train it again")
            }
            FileError::OtherType(AgentType::Values) => f.write_str(
                "this learned agent is a value function; the player td:file=FILE uses it",
            ),
            FileError::OtherType(AgentType::Network) => f.write_str(
                "this learned agent is a policy-and-value network; the player az:file=FILE uses it",
            ),
            FileError::OtherRules { learned, played } if learned == played => write!(
                f,
                "the rules of {played} have changed since this agent learned them: train it again"
            ),
            FileError::OtherRules { learned, played } => write!(
                f,
                "this agent learned {learned} and cannot play {played}, whose rules are different"
            ),
        }
    }
}

impl std::error::Error for FileError {}

impl AgentFile {
    /// The file as bytes. Without `resumable`, the sums for temporal coherence are omitted.
    pub fn to_bytes(&self, resumable: bool) -> Vec<u8> {
        // Most entries of large tables are never visited, so only nonzero entries are stored.
        let sums = self.sums.as_deref().filter(|_| resumable);
        let used =
            |at: usize| self.weights[at] != 0.0 || sums.is_some_and(|sums| sums[2 * at + 1] != 0.0);
        let kept: Vec<usize> = (0..self.weights.len()).filter(|&at| used(at)).collect();
        let mut writer = Writer::default();
        let index = kept.iter().map(|&at| (at as u32).to_le_bytes());
        writer.add("index", "U32", &[kept.len()], index);
        let weights = kept.iter().map(|&at| self.weights[at].to_le_bytes());
        writer.add("weights", "F32", &[kept.len()], weights);
        if let Some(sums) = sums {
            let pairs = kept.iter().flat_map(|&at| [sums[2 * at], sums[2 * at + 1]]);
            writer.add("sums", "F32", &[kept.len(), 2], pairs.map(f32::to_le_bytes));
        }
        writer.finish(&serde_json::to_string(&self.header).unwrap_or_default())
    }

    /// Reads the output of [`AgentFile::to_bytes`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, FileError> {
        let reader = Reader::open(bytes)?;
        if kind(&reader.header) != AgentType::Values {
            return Err(FileError::OtherType(AgentType::Network));
        }
        let header: Header = serde_json::from_value(reader.header.clone())
            .map_err(|_| FileError::Damaged("its heading"))?;
        sound::check(&header)?;
        let index = reader.tensor("index").ok_or(FileError::Damaged("it has no index"))?;
        let kept = reader.tensor("weights").ok_or(FileError::Damaged("it has no weights"))?;
        let count = header.weights as usize;
        let sums = reader.tensor("sums");
        if index.len() != kept.len() || sums.as_ref().is_some_and(|s| s.len() != 2 * kept.len()) {
            return Err(FileError::Damaged("its tensors have different lengths"));
        }
        let mut weights = vec![0.0; count];
        let mut all_sums = sums.as_ref().map(|_| vec![0.0; 2 * count]);
        for (number, (at, weight)) in index.iter().zip(&kept).enumerate() {
            let at = u32::from_le_bytes(*at) as usize;
            let place = weights.get_mut(at).ok_or(FileError::Damaged("an index is too large"))?;
            *place = finite(*weight)?;
            if let (Some(sums), Some(all)) = (&sums, &mut all_sums) {
                all[2 * at] = finite(sums[2 * number])?;
                all[2 * at + 1] = finite(sums[2 * number + 1])?;
            }
        }
        Ok(AgentFile { header, weights, sums: all_sums })
    }

    /// Whether the agent can play this game; the error says why not.
    pub fn suits(&self, game: &Arc<dyn Game>) -> Result<(), FileError> {
        sound::suits(&self.header, game)
    }
}

/// The type of a learned agent, which determines its player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentType {
    /// A value function, for the player `td`.
    Values,
    /// A policy-and-value network, for the player `az`.
    Network,
}

impl AgentType {
    /// The type of the agent in a file.
    pub fn of(bytes: &[u8]) -> Result<Self, FileError> {
        Ok(kind(&Reader::open(bytes)?.header))
    }

    /// The name of its player.
    pub fn player(self) -> &'static str {
        match self {
            AgentType::Values => "td",
            AgentType::Network => "az",
        }
    }
}

pub(crate) fn kind(header: &Value) -> AgentType {
    if header["agent"] == "az" { AgentType::Network } else { AgentType::Values }
}

/// Whether the values of a file are those of the player who has just moved.
pub(crate) fn own(header: &Header) -> bool {
    header.recipe.settings.chain == Chain::Own
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::container::OPENING;

    fn some() -> AgentFile {
        AgentFile {
            header: Header {
                version: VALUES_VERSION,
                game: "tictactoe".to_owned(),
                rules_hash: "abc".to_owned(),
                reading: Reading::Tictactoe,
                recipe: Recipe::default(),
                tuples: vec![vec![0, 1]],
                slots: 2,
                heads: 1,
                players: 2,
                opposed: true,
                games: 7,
                moves: 50,
                seed: 3,
                weights: 18,
                strengths: Vec::new(),
            },
            weights: (0..18).map(|at| if at % 3 == 0 { 0.0 } else { at as f32 }).collect(),
            sums: Some((0..36).map(|at| at as f32).collect()),
        }
    }

    #[test]
    fn a_file_is_read_back_as_it_was_written() {
        let file = some();
        assert_eq!(AgentFile::from_bytes(&file.to_bytes(true)), Ok(file.clone()));
        let slim = AgentFile::from_bytes(&file.to_bytes(false)).unwrap();
        assert_eq!((slim.weights, slim.sums), (file.weights, None));
    }

    #[test]
    fn broken_foreign_and_newer_files_are_refused() {
        let bytes = some().to_bytes(true);
        assert_eq!(AgentFile::from_bytes(b""), Err(FileError::Foreign));
        assert_eq!(AgentFile::from_bytes(b"(role x) (role o)"), Err(FileError::Foreign));
        assert_eq!(AgentFile::from_bytes(&[0xff; 64]), Err(FileError::Foreign));
        for cut in 0..bytes.len() {
            let error = AgentFile::from_bytes(&bytes[..cut]).unwrap_err();
            // Once the beginning is there, a truncated download is not called a foreign file.
            assert_eq!(
                matches!(error, FileError::Damaged(_)),
                cut >= 8 + OPENING.len(),
                "{cut}: {error}"
            );
        }
        // Whichever bit is changed, nothing panics, and changed numbers are detected.
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 4;
            if let Ok(read) = AgentFile::from_bytes(&changed) {
                assert_eq!(read.weights, some().weights, "{at}");
            }
        }
        let mut newer = some();
        newer.header.version = 99;
        let error = AgentFile::from_bytes(&newer.to_bytes(true)).unwrap_err();
        assert_eq!(error, FileError::Newer(99));
        assert!(error.to_string().contains("update magister"));
    }
}
