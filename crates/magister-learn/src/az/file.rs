//! Policy-and-value networks as files, in the form of all learned agents (see [`crate::file`]).

use std::sync::Arc;

use magister_core::Game;
use serde::{Deserialize, Serialize};

use super::settings::AzSettings;
use super::shape::Shape;
use crate::container::{Reader, Writer, finite};
use crate::file::{AgentType, FileError, Strength, VERSION, kind};
use crate::sound::suits_network;

/// The description of the network in a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AzHeader {
    /// The version of the format.
    pub version: u32,
    /// The type of agent: `az`.
    pub agent: String,
    /// The name of the game.
    pub game: String,
    /// The hash of the canonical rules. The agent plays no other rules.
    pub rules_hash: String,
    /// The shape of the network.
    pub shape: Shape,
    /// How it was trained.
    pub settings: AzSettings,
    /// The number of games that it was trained on; 0 for an untrained agent.
    pub games: u64,
    /// The number of decisions in these games.
    pub moves: u64,
    /// The number of training steps.
    pub steps: u64,
    /// The seed of the training.
    pub seed: u64,
    /// Its strength, if it was measured after the training.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub strengths: Vec<Strength>,
}

/// A file of a policy-and-value network.
#[derive(Clone, Debug, PartialEq)]
pub struct AzFile {
    /// Its description.
    pub header: AzHeader,
    /// All weights.
    pub weights: Vec<f32>,
    /// The first and second moments of Adam, if training can be resumed.
    pub moments: Option<(Vec<f32>, Vec<f32>)>,
}

impl AzFile {
    /// The file as bytes. Without `resumable`, the moments are omitted.
    pub fn to_bytes(&self, resumable: bool) -> Vec<u8> {
        let mut writer = Writer::default();
        let bytes = |numbers: &[f32]| numbers.iter().map(|x| x.to_le_bytes()).collect::<Vec<_>>();
        for part in self.header.shape.parts() {
            let numbers = &self.weights[part.at..part.at + part.len];
            writer.add(&part.name, "F32", &part.shape, bytes(numbers));
        }
        if let Some((first, second)) = self.moments.as_ref().filter(|_| resumable) {
            writer.add("adam.first", "F32", &[first.len()], bytes(first));
            writer.add("adam.second", "F32", &[second.len()], bytes(second));
        }
        writer.finish(&serde_json::to_string(&self.header).unwrap_or_default())
    }

    /// Reads the output of [`AzFile::to_bytes`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, FileError> {
        let reader = Reader::open(bytes)?;
        if kind(&reader.header) != AgentType::Network {
            return Err(FileError::OtherType(AgentType::Values));
        }
        let header: AzHeader = serde_json::from_value(reader.header.clone())
            .map_err(|_| FileError::Damaged("its heading"))?;
        if !header.shape.sound() || header.settings.check().is_err() {
            return Err(FileError::Damaged("its parameters are impossible"));
        }
        let mut weights = Vec::new();
        for part in header.shape.parts() {
            let numbers =
                reader.tensor(&part.name).ok_or(FileError::Damaged("a tensor is missing"))?;
            if numbers.len() != part.len {
                return Err(FileError::Damaged("a tensor has another length than its shape"));
            }
            for number in numbers {
                weights.push(finite(number)?);
            }
        }
        let moments = |name: &str| -> Result<Option<Vec<f32>>, FileError> {
            let Some(numbers) = reader.tensor(name) else { return Ok(None) };
            if numbers.len() != weights.len() {
                return Err(FileError::Damaged("its moments do not fit its weights"));
            }
            numbers.into_iter().map(finite).collect::<Result<Vec<_>, _>>().map(Some)
        };
        let moments = moments("adam.first")?.zip(moments("adam.second")?);
        Ok(AzFile { header, weights, moments })
    }

    /// Whether the agent can play this game; the error says why not.
    pub fn suits(&self, game: &Arc<dyn Game>) -> Result<(), FileError> {
        suits_network(&self.header, game)
    }

    /// A file with the current version and type.
    pub(crate) fn version() -> (u32, String) {
        (VERSION, "az".to_owned())
    }
}
