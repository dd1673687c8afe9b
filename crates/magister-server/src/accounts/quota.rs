//! The quota of an account: games, players, matches, bytes.

use std::collections::BTreeMap;

use magister_store::{Archive as _, SqlStore};
use serde::{Deserialize, Serialize};

use crate::ApiError;

/// The kind of the documents that contain quotas: one under the id of an account, and the default.
const QUOTA: &str = "quota";
/// The name of the document with the default. Ids of accounts have another form.
const DEFAULT: &str = "default";

/// The limits of one account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Quota {
    /// The maximum number of saved games.
    pub games: usize,
    /// The maximum number of uploaded players, and of remote players.
    pub players: usize,
    /// The maximum number of concurrent matches.
    pub matches: usize,
    /// The maximum total size of all games and players, in bytes.
    pub bytes: usize,
}

impl Default for Quota {
    fn default() -> Self {
        Quota { games: 50, players: 50, matches: 20, bytes: 4 << 20 }
    }
}

/// The quotas of a store: the default, and those of single accounts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Quotas {
    default: Quota,
    single: BTreeMap<String, Quota>,
}

impl Quotas {
    pub(crate) async fn open(store: &SqlStore) -> Result<Self, ApiError> {
        let mut quotas = Quotas::default();
        for (name, body) in store.documents(QUOTA).await? {
            let Ok(quota) = serde_json::from_str(&body) else { continue };
            quotas.put(&name, Some(quota));
        }
        Ok(quotas)
    }

    /// The quota of an account, or the default.
    pub(crate) fn of(&self, account: Option<&str>) -> Quota {
        account.and_then(|id| self.single.get(id)).copied().unwrap_or(self.default)
    }

    /// Whether an account has its own quota.
    pub(crate) fn is_single(&self, account: &str) -> bool {
        self.single.contains_key(account)
    }

    fn put(&mut self, name: &str, quota: Option<Quota>) {
        if name == DEFAULT {
            self.default = quota.unwrap_or_default();
        } else if let Some(quota) = quota {
            self.single.insert(name.to_owned(), quota);
        } else {
            self.single.remove(name);
        }
    }
}

impl super::Accounts {
    /// Sets the quota of an account, or the default. `None` restores the default for an account.
    pub(crate) async fn set_quota(
        &self,
        store: &SqlStore,
        account: Option<&str>,
        quota: Option<Quota>,
    ) -> Result<(), ApiError> {
        let name = account.unwrap_or(DEFAULT);
        match quota {
            Some(quota) => {
                let body = serde_json::to_string(&quota).unwrap_or_default();
                store.put_document(QUOTA, name, &body).await?;
            }
            None => store.delete_document(QUOTA, name).await?,
        }
        self.quotas().put(name, quota);
        Ok(())
    }

    /// Refuses an upload of `bytes` that replaces `replaced` bytes, if it exceeds the quota.
    pub(crate) async fn room(
        &self,
        store: &SqlStore,
        owner: &str,
        kind: &str,
        bytes: usize,
        replaced: Option<usize>,
    ) -> Result<(), ApiError> {
        if owner.is_empty() {
            return Ok(());
        }
        let quota = self.quotas().of(Some(owner));
        let own = store.uploads(Some(owner)).await?;
        let count = own.iter().filter(|one| one.kind == kind).count();
        let most = if kind == "game" { quota.games } else { quota.players };
        if replaced.is_none() && count >= most {
            let what = format!("your account may have {most} of these; delete one first");
            return Err(ApiError::conflict("quota", what));
        }
        let used: usize = own.iter().map(|one| one.content.len()).sum();
        if used - replaced.unwrap_or(0).min(used) + bytes > quota.bytes {
            let most = quota.bytes;
            let what = format!("your account may store {most} bytes; delete something first");
            return Err(ApiError::conflict("quota", what));
        }
        Ok(())
    }
}
