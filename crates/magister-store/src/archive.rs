//! The data of a server besides the logs of matches: lists, ratings, accounts, uploads,
//! tournaments.

use std::fmt;
use std::future::Future;

use crate::{Filter, MatchLine, RatingRow, Store, StoreError};

/// All data of a server. [`Store`] is the part that a manager of matches needs.
///
/// Times are milliseconds since 1970. The caller passes the current time, so that tests can control
/// the clock.
pub trait Archive: Store {
    /// The matches that match a filter, the oldest first.
    fn list(
        &self,
        filter: &Filter,
    ) -> impl Future<Output = Result<Vec<MatchLine>, StoreError>> + Send;

    /// Stores the rules of a game.
    fn put_game(
        &self,
        hash: &str,
        name: &str,
        rules: &str,
    ) -> impl Future<Output = Result<(), StoreError>> + Send;

    /// The rules of a game, by their hash.
    fn game(&self, hash: &str) -> impl Future<Output = Result<Option<String>, StoreError>> + Send;

    /// Replaces the ratings of a scale.
    fn put_ratings(
        &self,
        scale: &str,
        rows: &[RatingRow],
    ) -> impl Future<Output = Result<(), StoreError>> + Send;

    /// The ratings of a scale, by game and best first.
    fn ratings(
        &self,
        scale: &str,
    ) -> impl Future<Output = Result<Vec<RatingRow>, StoreError>> + Send;

    /// Adds an account. [`StoreError::Taken`] if the id or the name is in use; names that differ
    /// only in case are the same.
    fn add_account(&self, account: &Account)
    -> impl Future<Output = Result<(), StoreError>> + Send;

    /// An account by its id.
    fn account(&self, id: &str)
    -> impl Future<Output = Result<Option<Account>, StoreError>> + Send;

    /// An account by its name, in any case.
    fn account_named(
        &self,
        name: &str,
    ) -> impl Future<Output = Result<Option<Account>, StoreError>> + Send;

    /// All accounts by name.
    fn accounts(&self) -> impl Future<Output = Result<Vec<Account>, StoreError>> + Send;

    /// Replaces the name, the password hash, the role and the state of an account. Returns false if
    /// there is no account with this id; [`StoreError::Taken`] if another account has the name.
    fn change_account(
        &self,
        account: &Account,
    ) -> impl Future<Output = Result<bool, StoreError>> + Send;

    /// Deletes an account with its sessions and uploads. Its matches are kept. Returns false if
    /// there is no such account.
    fn remove_account(&self, id: &str) -> impl Future<Output = Result<bool, StoreError>> + Send;

    /// Adds a session.
    fn add_session(&self, session: &Session)
    -> impl Future<Output = Result<(), StoreError>> + Send;

    /// A session that has not expired, with its account. `None` if the account is disabled.
    fn session(
        &self,
        token_hash: &str,
        now_ms: i64,
    ) -> impl Future<Output = Result<Option<(Session, Account)>, StoreError>> + Send;

    /// Ends a session.
    fn remove_session(
        &self,
        token_hash: &str,
    ) -> impl Future<Output = Result<bool, StoreError>> + Send;

    /// Ends all sessions of an account, for example after a change of the password. Returns their
    /// number.
    fn remove_sessions_of(
        &self,
        account: &str,
    ) -> impl Future<Output = Result<u64, StoreError>> + Send;

    /// Deletes the sessions that have expired. Returns their number.
    fn remove_expired_sessions(
        &self,
        now_ms: i64,
    ) -> impl Future<Output = Result<u64, StoreError>> + Send;

    /// Adds an upload. [`StoreError::Taken`] if the id is in use, or if the owner has an upload of
    /// this kind and name.
    fn add_upload(&self, upload: &Upload) -> impl Future<Output = Result<(), StoreError>> + Send;

    /// An upload by its id.
    fn upload(&self, id: &str) -> impl Future<Output = Result<Option<Upload>, StoreError>> + Send;

    /// The uploads of an owner, or all uploads, the oldest first.
    fn uploads(
        &self,
        owner: Option<&str>,
    ) -> impl Future<Output = Result<Vec<Upload>, StoreError>> + Send;

    /// Deletes an upload. Returns false if it does not exist.
    fn remove_upload(&self, id: &str) -> impl Future<Output = Result<bool, StoreError>> + Send;

    /// Stores a tournament; replaces one with the same name.
    fn put_tournament(
        &self,
        tournament: &Tournament,
    ) -> impl Future<Output = Result<(), StoreError>> + Send;

    /// A tournament by its name.
    fn tournament(
        &self,
        name: &str,
    ) -> impl Future<Output = Result<Option<Tournament>, StoreError>> + Send;

    /// All tournaments, the oldest first.
    fn tournaments(&self) -> impl Future<Output = Result<Vec<Tournament>, StoreError>> + Send;
}

/// A person who can log in.
#[derive(Clone, PartialEq, Eq)]
pub struct Account {
    /// The id, which never changes.
    pub id: String,
    /// The name for login and display.
    pub name: String,
    /// The text of an argon2id hash, `$argon2id$...`. The store does not interpret it.
    pub password_hash: String,
    /// The rights of the person.
    pub role: AccountRole,
    /// Whether login is refused.
    pub is_disabled: bool,
    /// When it was created.
    pub created_ms: i64,
}

impl fmt::Debug for Account {
    /// Omits the password hash, which must not appear in a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Account")
            .field("id", &self.id)
            .field("name", &self.name)
            .field("role", &self.role)
            .field("is_disabled", &self.is_disabled)
            .finish_non_exhaustive()
    }
}

impl Account {
    /// The name in the form in which it is compared: trimmed and in lower case.
    pub fn folded_name(name: &str) -> String {
        name.trim().to_lowercase()
    }
}

/// The rights of the owner of an account.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AccountRole {
    /// All rights.
    Admin,
    /// May play, watch and upload.
    #[default]
    User,
}

impl AccountRole {
    /// Its name in the database.
    pub fn name(self) -> &'static str {
        match self {
            AccountRole::Admin => "admin",
            AccountRole::User => "user",
        }
    }

    /// The role of this name. An unknown name gives no special rights.
    pub fn parse(name: &str) -> Self {
        if name == "admin" { AccountRole::Admin } else { AccountRole::User }
    }
}

/// A login.
#[derive(Clone, PartialEq, Eq)]
pub struct Session {
    /// The hash of the token that the browser has ([`Session::hash_token`]). A copy of the database
    /// is therefore not enough to log in.
    pub token_hash: String,
    /// The id of the account.
    pub account: String,
    /// The token that forms must repeat.
    pub csrf_token: String,
    /// When it began.
    pub created_ms: i64,
    /// When it ends.
    pub expires_ms: i64,
}

impl fmt::Debug for Session {
    /// Omits the hash and the token, which must not appear in a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("account", &self.account)
            .field("expires_ms", &self.expires_ms)
            .finish_non_exhaustive()
    }
}

impl Session {
    /// SHA-256 of a token. Tokens are long and random, so a fast hash is enough.
    pub fn hash_token(token: &str) -> String {
        magister_core::rules_hash(token)
    }
}

/// A file of a user: rules of a game, a program that plays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Upload {
    /// The id, which never changes.
    pub id: String,
    /// The id of the account; empty if the uploader was not logged in.
    pub owner: String,
    /// Its kind as a word, such as `game` or `player`.
    pub kind: String,
    /// Its name. An owner has one upload of each kind and name.
    pub name: String,
    /// The text.
    pub content: String,
    /// When it was added.
    pub created_ms: i64,
}

/// A tournament.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tournament {
    /// Its name, which the matches of the tournament contain ([`Filter::tournament`]).
    pub name: String,
    /// Games, players and clocks, as text in a format of the caller.
    pub settings: String,
    /// Its status.
    pub status: TournamentStatus,
    /// The final table, as text in a format of the caller.
    pub result: Option<String>,
    /// When it was created.
    pub created_ms: i64,
    /// When it ended.
    pub ended_ms: Option<i64>,
}

/// The status of a tournament.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TournamentStatus {
    /// It is being played, or will be resumed after a restart.
    #[default]
    Running,
    /// All matches were played.
    Ended,
    /// It was ended from outside.
    Aborted,
}

impl TournamentStatus {
    /// Its name in the database.
    pub fn name(self) -> &'static str {
        match self {
            TournamentStatus::Running => "running",
            TournamentStatus::Ended => "ended",
            TournamentStatus::Aborted => "aborted",
        }
    }

    pub(crate) fn parse(name: &str) -> Self {
        match name {
            "running" => TournamentStatus::Running,
            "aborted" => TournamentStatus::Aborted,
            _ => TournamentStatus::Ended,
        }
    }
}
