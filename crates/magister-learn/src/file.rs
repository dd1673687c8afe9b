//! Learned agents as files.
//!
//! A file is a safetensors file: eight bytes with the length of a JSON heading, the heading, and
//! the numbers. Other programs can read the tensors; the metadata entry `magister` of the heading
//! contains a [`Header`], which states the rules and the recipe of the agent.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use crate::cells::CellPlan;
use crate::driver::Chain;
use crate::recipe::Recipe;

/// The version of the format that this program writes; it reads all versions up to this one.
pub const VERSION: u32 = 1;
/// The maximum length of a heading.
const LONGEST: u64 = 1 << 26;
/// The maximum number of weights.
const MOST: u64 = 1 << 28;

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
        let mut data: Vec<u8> = Vec::with_capacity(kept.len() * 16);
        let mut tensors = Map::new();
        let mut add = |name: &str, dtype: &str, shape: Vec<usize>, bytes: Vec<u8>| {
            let begin = data.len();
            data.extend(bytes);
            let offsets = [begin, data.len()];
            let entry = json!({"dtype": dtype, "shape": shape, "data_offsets": offsets});
            tensors.insert(name.to_owned(), entry);
        };
        let index = kept.iter().flat_map(|&at| (at as u32).to_le_bytes()).collect();
        add("index", "U32", vec![kept.len()], index);
        let weights = kept.iter().flat_map(|&at| self.weights[at].to_le_bytes()).collect();
        add("weights", "F32", vec![kept.len()], weights);
        if let Some(sums) = sums {
            let pairs = kept.iter().flat_map(|&at| [sums[2 * at], sums[2 * at + 1]]);
            let bytes = pairs.flat_map(f32::to_le_bytes).collect();
            add("sums", "F32", vec![kept.len(), 2], bytes);
        }
        let header = serde_json::to_string(&self.header).unwrap_or_default();
        let digest = digest(&header, &tensors, &data);
        tensors.insert(
            "__metadata__".to_owned(),
            json!({"format": "magister-agent", "magister": header, "sha256": digest}),
        );
        let mut heading = Value::Object(tensors).to_string().into_bytes();
        // The tensors of safetensors begin at a multiple of eight bytes.
        while !heading.len().is_multiple_of(8) {
            heading.push(b' ');
        }
        let mut out = (heading.len() as u64).to_le_bytes().to_vec();
        out.extend(heading);
        out.extend(data);
        out
    }

    /// Reads the output of [`AgentFile::to_bytes`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, FileError> {
        let (length, rest) = bytes.split_first_chunk::<8>().ok_or(FileError::Foreign)?;
        let length = u64::from_le_bytes(*length);
        if length > LONGEST {
            return Err(FileError::Foreign);
        }
        let (heading, data) = rest.split_at_checked(length as usize).ok_or(FileError::Foreign)?;
        let mut heading: Map<String, Value> =
            serde_json::from_slice(heading).map_err(|_| FileError::Foreign)?;
        let meta = heading.remove("__metadata__").ok_or(FileError::Foreign)?;
        if meta["format"] != "magister-agent" {
            return Err(FileError::Foreign);
        }
        let text = meta["magister"].as_str().ok_or(FileError::Damaged("it has no heading"))?;
        // The version is read first, because a newer heading may have unknown fields.
        let loose: Value =
            serde_json::from_str(text).map_err(|_| FileError::Damaged("its heading"))?;
        let version = loose["version"].as_u64().ok_or(FileError::Damaged("it has no version"))?;
        if version > u64::from(VERSION) {
            return Err(FileError::Newer(u32::try_from(version).unwrap_or(u32::MAX)));
        }
        let header: Header =
            serde_json::from_value(loose).map_err(|_| FileError::Damaged("its heading"))?;
        if meta["sha256"] != digest(text, &heading, data) {
            return Err(FileError::Damaged("it does not have the recorded checksum"));
        }
        if header.weights > MOST {
            return Err(FileError::Damaged("it claims too many weights"));
        }
        let tensor = |name: &str| -> Option<Vec<[u8; 4]>> {
            let offsets = heading.get(name)?["data_offsets"].as_array()?;
            let at = |which: usize| usize::try_from(offsets.get(which)?.as_u64()?).ok();
            let part = data.get(at(0)?..at(1)?)?;
            Some(part.chunks_exact(4).map(|four| [four[0], four[1], four[2], four[3]]).collect())
        };
        let index = tensor("index").ok_or(FileError::Damaged("it has no index"))?;
        let kept = tensor("weights").ok_or(FileError::Damaged("it has no weights"))?;
        let count = header.weights as usize;
        let mut weights = vec![0.0; count];
        let sums = tensor("sums");
        let mut all_sums = sums.as_ref().map(|_| vec![0.0; 2 * count]);
        if index.len() != kept.len() || sums.as_ref().is_some_and(|s| s.len() != 2 * kept.len()) {
            return Err(FileError::Damaged("its tensors have different lengths"));
        }
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
}

/// SHA-256 of the heading, the description of the tensors and the numbers.
fn digest(header: &str, tensors: &Map<String, Value>, data: &[u8]) -> String {
    let mut hash = Sha256::new();
    hash.update(header.as_bytes());
    for (name, tensor) in tensors {
        hash.update(format!("{name} {tensor}").as_bytes());
    }
    hash.update(data);
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn finite(bytes: [u8; 4]) -> Result<f32, FileError> {
    let number = f32::from_le_bytes(bytes);
    if number.is_finite() {
        Ok(number)
    } else {
        Err(FileError::Damaged("a weight is not a finite number"))
    }
}

/// Whether the values of a file are those of the player who has just moved.
pub(crate) fn own(header: &Header) -> bool {
    header.recipe.settings.chain == Chain::Own
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some() -> AgentFile {
        AgentFile {
            header: Header {
                version: VERSION,
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
            assert!(AgentFile::from_bytes(&bytes[..cut]).is_err(), "{cut}");
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
