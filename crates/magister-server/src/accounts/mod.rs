//! Accounts: visitors of the site, and their rights.
//!
//! A site is open or has accounts. An open site has no sign-in; on loopback, every visitor has all
//! rights. A site with accounts lets guests watch, and requires a sign-in before it does any work.
//! The browser holds a session in a cookie that scripts cannot read, and repeats a second token,
//! the CSRF token, in a header or in a field of a form. Programs send their own token in the header
//! `Authorization`.

mod bulk;
pub mod password;
mod quota;
mod visitor;

use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use axum::http::StatusCode;
use magister_store::{Account, AccountRole, Archive as _, Session, SqlStore, StoreError};
use tokio::sync::Semaphore;

pub(crate) use bulk::{List, NewAccount, parse_list};
pub use quota::Quota;
use quota::Quotas;
pub use visitor::Visitor;
pub(crate) use visitor::{cookie, describe};

use crate::limits::Rates;
use crate::live::now_ms;
use crate::{ApiError, Limits};

/// The duration of a session, in milliseconds.
const SESSION_MS: i64 = 14 * 24 * 3600 * 1000;
/// The duration of a program's token, in milliseconds.
const TOKEN_MS: i64 = 365 * 24 * 3600 * 1000;
/// The maximum length of a name, in characters.
const NAME: usize = 40;

/// The accounts of a site.
#[derive(Debug)]
pub struct Accounts {
    /// Whether people sign in.
    pub required: bool,
    /// Whether every visitor has the rights of an administrator: an open site on loopback.
    trusting: bool,
    memory_kib: u32,
    tries: f64,
    by_address: Rates<IpAddr>,
    by_name: Rates<String>,
    /// One hash takes megabytes, so only a few are computed at the same time.
    hashing: Semaphore,
    quotas: Mutex<Quotas>,
    /// The hash that is compared if there is no account, so that names cannot be probed by response
    /// times.
    decoy: String,
}

/// A new session, with the secret for the visitor.
#[derive(Debug)]
pub(crate) struct SignedIn {
    pub(crate) token: String,
    pub(crate) csrf: String,
    pub(crate) account: Account,
}

impl Accounts {
    pub(crate) async fn open(
        store: &SqlStore,
        required: bool,
        loopback_only: bool,
        limits: &Limits,
    ) -> Result<Self, ApiError> {
        store.remove_expired_sessions(now_ms()).await?;
        Ok(Accounts {
            required,
            trusting: !required && loopback_only,
            memory_kib: limits.password_kib,
            tries: limits.sign_in_tries,
            by_address: Rates::default(),
            by_name: Rates::default(),
            hashing: Semaphore::new(2),
            quotas: Mutex::new(Quotas::open(store).await?),
            decoy: password::hash("no one has this password", limits.password_kib)?,
        })
    }

    pub(crate) fn quotas(&self) -> MutexGuard<'_, Quotas> {
        self.quotas.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Computes hashes on a thread that may block, a few at a time.
    async fn hashed<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, ApiError> {
        let closing = || ApiError::unavailable("the server is being shut down");
        let _turn = self.hashing.acquire().await.map_err(|_| closing())?;
        tokio::task::spawn_blocking(work).await.map_err(|_| closing())
    }

    /// Signs a person in. Wrong names and wrong passwords give the same error.
    pub(crate) async fn sign_in(
        &self,
        store: &SqlStore,
        name: &str,
        given: String,
        address: IpAddr,
    ) -> Result<SignedIn, ApiError> {
        let folded = Account::folded_name(name);
        self.try_once(address, &folded)?;
        let account = store.account_named(name).await?.filter(|account| !account.is_disabled);
        let hash = account.as_ref().map_or(&self.decoy, |account| &account.password_hash).clone();
        let right = self.hashed(move || password::verify(&given, &hash)).await?;
        let Some(account) = account.filter(|_| right) else {
            tracing::info!(%address, "a sign-in was refused");
            let what = "the name or the password is wrong";
            return Err(ApiError::new(StatusCode::UNAUTHORIZED, "sign-in", what));
        };
        self.begin_session(store, account, SESSION_MS, true).await
    }

    /// Counts an attempt, and refuses it if there were too many from this address or for this name.
    fn try_once(&self, address: IpAddr, folded: &str) -> Result<(), ApiError> {
        let from_here = self.by_address.allow(address, self.tries / 200.0, self.tries);
        // Many addresses together may attempt one name. More attempts are allowed than from one
        // address, so that a stranger cannot easily lock out the owner.
        let key: String = folded.chars().take(NAME).collect();
        let for_name = self.by_name.allow(key, self.tries / 100.0, self.tries * 3.0);
        if from_here && for_name {
            return Ok(());
        }
        let what = "too many attempts to sign in; wait a few minutes";
        Err(ApiError::new(StatusCode::TOO_MANY_REQUESTS, "tries", what))
    }

    async fn begin_session(
        &self,
        store: &SqlStore,
        account: Account,
        lasts_ms: i64,
        browser: bool,
    ) -> Result<SignedIn, ApiError> {
        let token = password::token();
        let csrf = if browser { password::token() } else { String::new() };
        let now = now_ms();
        let session = Session {
            token_hash: Session::hash_token(&token),
            account: account.id.clone(),
            csrf_token: csrf.clone(),
            created_ms: now,
            expires_ms: now + lasts_ms,
        };
        store.add_session(&session).await?;
        Ok(SignedIn { token, csrf, account })
    }

    /// A token for programs of an account. It is shown only once.
    pub(crate) async fn program_token(
        &self,
        store: &SqlStore,
        account: &Account,
    ) -> Result<String, ApiError> {
        Ok(self.begin_session(store, account.clone(), TOKEN_MS, false).await?.token)
    }

    /// Changes a password after checking the old one, and ends all sessions of the account.
    pub(crate) async fn change_password(
        &self,
        store: &SqlStore,
        account: &Account,
        old: String,
        new: String,
        address: IpAddr,
    ) -> Result<SignedIn, ApiError> {
        password::check(&new)?;
        self.confirm(account, old, address).await?;
        let memory = self.memory_kib;
        let hash = self.hashed(move || password::hash(&new, memory)).await??;
        let changed = Account { password_hash: hash, ..account.clone() };
        store.change_account(&changed).await?;
        store.remove_sessions_of(&account.id).await?;
        self.begin_session(store, changed, SESSION_MS, true).await
    }

    /// Checks the password of a visitor who is signed in.
    pub(crate) async fn confirm(
        &self,
        account: &Account,
        given: String,
        address: IpAddr,
    ) -> Result<(), ApiError> {
        self.try_once(address, &Account::folded_name(&account.name))?;
        let hash = account.password_hash.clone();
        if self.hashed(move || password::verify(&given, &hash)).await? {
            return Ok(());
        }
        Err(ApiError::forbidden("the password is wrong"))
    }

    /// Adds an account. Without a password, one is generated. Returns the account and the password.
    pub(crate) async fn add(
        &self,
        store: &SqlStore,
        new: NewAccount,
    ) -> Result<(Account, String), ApiError> {
        let name = check_name(&new.name)?;
        let given = new.password.filter(|password| !password.is_empty());
        if let Some(given) = &given {
            password::check(given)?;
        }
        let chosen = given.unwrap_or_else(password::generate);
        let (text, memory) = (chosen.clone(), self.memory_kib);
        let account = Account {
            id: password::token()[..16].to_owned(),
            name: name.clone(),
            password_hash: self.hashed(move || password::hash(&text, memory)).await??,
            role: new.role,
            is_disabled: false,
            created_ms: now_ms(),
        };
        match store.add_account(&account).await {
            Ok(()) => Ok((account, chosen)),
            Err(StoreError::Taken) => {
                Err(ApiError::conflict("taken", format!("there is already an account {name}")))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Gives an account a generated password and ends its sessions.
    pub(crate) async fn reset_password(
        &self,
        store: &SqlStore,
        account: &Account,
    ) -> Result<String, ApiError> {
        let chosen = password::generate();
        let (text, memory) = (chosen.clone(), self.memory_kib);
        let password_hash = self.hashed(move || password::hash(&text, memory)).await??;
        store.change_account(&Account { password_hash, ..account.clone() }).await?;
        store.remove_sessions_of(&account.id).await?;
        Ok(chosen)
    }

    /// Creates an administrator of this name with a generated password, which is returned. An
    /// existing account gets the role and a new password.
    pub async fn make_admin(&self, store: &SqlStore, name: &str) -> Result<String, ApiError> {
        if let Some(account) = store.account_named(name).await? {
            let account = Account { role: AccountRole::Admin, is_disabled: false, ..account };
            return self.reset_password(store, &account).await;
        }
        let role = AccountRole::Admin;
        let new = NewAccount { name: name.to_owned(), password: None, role };
        Ok(self.add(store, new).await?.1)
    }

    /// Whether any account can administer the site.
    pub async fn has_admin(&self, store: &SqlStore) -> Result<bool, ApiError> {
        let all = store.accounts().await?;
        Ok(all.iter().any(|one| one.role == AccountRole::Admin && !one.is_disabled))
    }

    /// The account and the session of a token.
    pub(crate) async fn session(
        &self,
        store: &SqlStore,
        token: &str,
    ) -> Result<Option<(Session, Account)>, ApiError> {
        // Tokens of another form are forged and need no query.
        if token.len() != 64 || !token.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Ok(None);
        }
        Ok(store.session(&Session::hash_token(token), now_ms()).await?)
    }
}

/// A valid name, in the form in which it is stored.
pub(crate) fn check_name(name: &str) -> Result<String, ApiError> {
    let name = name.trim();
    let fits = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '.' | '_' | '-' | '@' | '\'');
    let count = name.chars().count();
    if count == 0 || count > NAME || !name.chars().all(fits) {
        let what = format!(
            "a name has 1 to {NAME} letters, digits, spaces and the characters . _ - @ ' and no others"
        );
        return Err(ApiError::invalid("name", what));
    }
    Ok(name.to_owned())
}
