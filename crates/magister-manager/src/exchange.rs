//! Errors of an exchange with a player.

use std::fmt;
use std::net::IpAddr;

use magister_core::{FaultKind, Said};
use magister_protocol::http::HttpError;

/// Why a player gave no reply.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExchangeError {
    /// No reply arrived in time.
    Late,
    /// There was no connection, or it was lost.
    Connection(String),
    /// The reply is not a valid HTTP message.
    Http(HttpError),
    /// The address is not public, and only public addresses are allowed here.
    Forbidden(IpAddr),
}

impl fmt::Display for ExchangeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExchangeError::Late => f.write_str("no reply came in time"),
            ExchangeError::Connection(why) => write!(f, "no connection to the player: {why}"),
            ExchangeError::Http(error) => write!(f, "the reply cannot be read: {error}"),
            ExchangeError::Forbidden(address) => {
                write!(f, "{address} is not a public address, and others are not allowed here")
            }
        }
    }
}

impl std::error::Error for ExchangeError {}

impl ExchangeError {
    /// The kind of the fault that a match records: TO or CE in ggp-base.
    pub fn kind(&self) -> FaultKind {
        match self {
            ExchangeError::Late => FaultKind::Late,
            ExchangeError::Connection(_) | ExchangeError::Http(_) | ExchangeError::Forbidden(_) => {
                FaultKind::Connection
            }
        }
    }
}

impl From<ExchangeError> for Said {
    fn from(error: ExchangeError) -> Self {
        Said::Fault(error.kind(), error.to_string())
    }
}
