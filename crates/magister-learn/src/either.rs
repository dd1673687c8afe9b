//! A learned agent of either type, for programs that read files without knowing what is in them.

use std::sync::Arc;

use magister_core::Game;

use crate::az::AzFile;
use crate::file::{AgentFile, AgentType, FileError, Reading, Strength};

/// A learned agent of either type.
#[derive(Clone, Debug)]
pub enum LearnedAgent {
    /// A value function.
    Values(Arc<AgentFile>),
    /// A policy-and-value network.
    Network(Arc<AzFile>),
}

impl LearnedAgent {
    /// Reads a file. What only a training needs is left out.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, FileError> {
        Ok(match AgentType::of(bytes)? {
            AgentType::Values => {
                let file = AgentFile::from_bytes(bytes)?;
                LearnedAgent::Values(Arc::new(AgentFile { sums: None, ..file }))
            }
            AgentType::Network => {
                let file = AzFile::from_bytes(bytes)?;
                LearnedAgent::Network(Arc::new(AzFile { moments: None, ..file }))
            }
        })
    }

    /// The type, which determines the player.
    pub fn kind(&self) -> AgentType {
        match self {
            LearnedAgent::Values(_) => AgentType::Values,
            LearnedAgent::Network(_) => AgentType::Network,
        }
    }

    /// Whether it can play this game; the error says why not.
    pub fn suits(&self, game: &Arc<dyn Game>) -> Result<(), FileError> {
        match self {
            LearnedAgent::Values(file) => file.suits(game),
            LearnedAgent::Network(file) => file.suits(game),
        }
    }

    /// The name of the game.
    pub fn game(&self) -> &str {
        match self {
            LearnedAgent::Values(file) => &file.header.game,
            LearnedAgent::Network(file) => &file.header.game,
        }
    }

    /// The hash of the rules. The agent plays no other rules.
    pub fn rules_hash(&self) -> &str {
        match self {
            LearnedAgent::Values(file) => &file.header.rules_hash,
            LearnedAgent::Network(file) => &file.header.rules_hash,
        }
    }

    /// Whether it sees what a role sees, so that it can play games with hidden information.
    pub fn reads_views(&self) -> bool {
        matches!(self, LearnedAgent::Values(file) if matches!(file.header.reading, Reading::Views(_)))
    }

    /// The number of games that it was trained on.
    pub fn games(&self) -> u64 {
        match self {
            LearnedAgent::Values(file) => file.header.games,
            LearnedAgent::Network(file) => file.header.games,
        }
    }

    /// Its strength, if it was measured after the training.
    pub fn strengths(&self) -> &[Strength] {
        match self {
            LearnedAgent::Values(file) => &file.header.strengths,
            LearnedAgent::Network(file) => &file.header.strengths,
        }
    }
}
