//! Errors of a store.

use std::fmt;

/// Why an operation of a store failed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StoreError {
    /// The address of the store is invalid.
    Address(String),
    /// The database reports an error.
    Database(String),
    /// The stored data cannot be read.
    Content(String),
    /// A name or an id is already in use.
    Taken,
    /// The store cannot be copied.
    Backup(String),
    /// The store was closed.
    Closed,
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StoreError::Address(what) => {
                write!(f, "{what}; write sqlite:FILE or postgres://user@host/database")
            }
            StoreError::Database(what) => write!(f, "the database reports: {what}"),
            StoreError::Content(what) => write!(f, "the stored data cannot be read: {what}"),
            StoreError::Backup(what) => f.write_str(what),
            StoreError::Taken => f.write_str("the name is in use"),
            StoreError::Closed => f.write_str("the store is closed"),
        }
    }
}

impl std::error::Error for StoreError {}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        StoreError::Database(error.to_string())
    }
}

impl From<serde_json::Error> for StoreError {
    fn from(error: serde_json::Error) -> Self {
        StoreError::Content(error.to_string())
    }
}
