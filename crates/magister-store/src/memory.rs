//! A store in memory.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::archive::{Account, Archive, Session, Tournament, Upload};
use crate::{Entry, Filter, MatchLine, RatingRow, Status, Store, StoreError, StoredMatch};

/// A store that keeps everything in memory. Entries from [`append`](Store::append) are kept until
/// the store is dropped, so in a simulation it represents the disk.
#[derive(Debug, Default)]
pub struct MemoryStore {
    matches: Mutex<BTreeMap<String, StoredMatch>>,
    rest: Mutex<Rest>,
}

/// All data except the matches.
#[derive(Debug, Default)]
struct Rest {
    ended_ms: BTreeMap<String, i64>,
    games: BTreeMap<String, String>,
    ratings: BTreeMap<String, Vec<RatingRow>>,
    accounts: BTreeMap<String, Account>,
    sessions: BTreeMap<String, Session>,
    uploads: BTreeMap<String, Upload>,
    tournaments: BTreeMap<String, Tournament>,
}

impl MemoryStore {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds entries at once.
    pub fn put(&self, entries: &[Entry]) {
        let mut matches = self.locked();
        for entry in entries {
            if let Entry::Begun { record, places, rules, tournament, manner, at_ms } = entry {
                let (places, rules) = (places.clone(), rules.clone());
                let tournament = tournament.clone();
                let mut begun =
                    StoredMatch::begun((**record).clone(), places, rules, tournament, *at_ms);
                begun.manner.clone_from(manner);
                matches.entry(entry.id().to_owned()).or_insert(begun);
            } else if let Some(stored) = matches.get_mut(entry.id()) {
                stored.apply(entry);
            }
            if let Entry::Ended { at_ms, .. } = entry {
                self.rest().ended_ms.insert(entry.id().to_owned(), *at_ms);
            }
        }
    }

    /// All matches, by name.
    pub fn all(&self) -> Vec<StoredMatch> {
        self.locked().values().cloned().collect()
    }

    fn locked(&self) -> MutexGuard<'_, BTreeMap<String, StoredMatch>> {
        self.matches.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn rest(&self) -> MutexGuard<'_, Rest> {
        self.rest.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for MemoryStore {
    async fn append(&self, entries: Vec<Entry>) -> Result<(), StoreError> {
        self.put(&entries);
        Ok(())
    }

    async fn unfinished(&self) -> Result<Vec<StoredMatch>, StoreError> {
        let matches = self.locked();
        Ok(matches.values().filter(|one| one.status != Status::Ended).cloned().collect())
    }

    async fn load(&self, id: &str) -> Result<Option<StoredMatch>, StoreError> {
        Ok(self.locked().get(id).cloned())
    }
}

impl Archive for MemoryStore {
    async fn list(&self, filter: &Filter) -> Result<Vec<MatchLine>, StoreError> {
        let rest = self.rest();
        let fits = |wanted: &Option<String>, given: &str| {
            wanted.as_ref().is_none_or(|wanted| wanted == given)
        };
        let mut lines: Vec<MatchLine> = self
            .locked()
            .iter()
            .filter(|(_, one)| {
                let player = |wanted: &String| one.record.players.contains(wanted);
                fits(&filter.game, &one.record.game)
                    && filter.player.as_ref().is_none_or(player)
                    && filter.status.is_none_or(|status| status == one.status)
                    && fits(&filter.tournament, one.tournament.as_deref().unwrap_or_default())
            })
            .map(|(id, one)| MatchLine {
                id: id.clone(),
                game: one.record.game.clone(),
                rules_hash: one.record.rules_hash.clone(),
                status: one.status,
                started_ms: one.started_ms,
                ended_ms: rest.ended_ms.get(id).copied(),
                tournament: one.tournament.clone(),
                seats: seats(one),
            })
            .collect();
        lines.sort_by(|a, b| (a.started_ms, &a.id).cmp(&(b.started_ms, &b.id)));
        let most = filter.limit.map_or(lines.len(), |most| most as usize);
        Ok(lines.split_off(lines.len().saturating_sub(most)))
    }

    async fn put_game(&self, hash: &str, _: &str, rules: &str) -> Result<(), StoreError> {
        self.rest().games.entry(hash.to_owned()).or_insert_with(|| rules.to_owned());
        Ok(())
    }

    async fn game(&self, hash: &str) -> Result<Option<String>, StoreError> {
        Ok(self.rest().games.get(hash).cloned())
    }

    async fn put_ratings(&self, scale: &str, rows: &[RatingRow]) -> Result<(), StoreError> {
        let mut rows = rows.to_vec();
        rows.sort_by(|a, b| a.game.cmp(&b.game).then(b.rating.total_cmp(&a.rating)));
        self.rest().ratings.insert(scale.to_owned(), rows);
        Ok(())
    }

    async fn ratings(&self, scale: &str) -> Result<Vec<RatingRow>, StoreError> {
        Ok(self.rest().ratings.get(scale).cloned().unwrap_or_default())
    }

    async fn add_account(&self, account: &Account) -> Result<(), StoreError> {
        let mut rest = self.rest();
        if rest.accounts.contains_key(&account.id) || rest.has_name(account) {
            return Err(StoreError::Taken);
        }
        rest.accounts.insert(account.id.clone(), account.clone());
        Ok(())
    }

    async fn account(&self, id: &str) -> Result<Option<Account>, StoreError> {
        Ok(self.rest().accounts.get(id).cloned())
    }

    async fn account_named(&self, name: &str) -> Result<Option<Account>, StoreError> {
        let wanted = Account::folded_name(name);
        let rest = self.rest();
        let found = rest.accounts.values().find(|one| Account::folded_name(&one.name) == wanted);
        Ok(found.cloned())
    }

    async fn accounts(&self) -> Result<Vec<Account>, StoreError> {
        let mut all: Vec<Account> = self.rest().accounts.values().cloned().collect();
        all.sort_by_key(|one| Account::folded_name(&one.name));
        Ok(all)
    }

    async fn change_account(&self, account: &Account) -> Result<bool, StoreError> {
        let mut rest = self.rest();
        if !rest.accounts.contains_key(&account.id) {
            return Ok(false);
        }
        if rest.has_name(account) {
            return Err(StoreError::Taken);
        }
        rest.accounts.insert(account.id.clone(), account.clone());
        Ok(true)
    }

    async fn remove_account(&self, id: &str) -> Result<bool, StoreError> {
        let mut rest = self.rest();
        let done = rest.accounts.remove(id).is_some();
        rest.sessions.retain(|_, session| session.account != id);
        rest.uploads.retain(|_, upload| !done || upload.owner != id);
        Ok(done)
    }

    async fn add_session(&self, session: &Session) -> Result<(), StoreError> {
        let mut rest = self.rest();
        if rest.sessions.contains_key(&session.token_hash) {
            return Err(StoreError::Taken);
        }
        rest.sessions.insert(session.token_hash.clone(), session.clone());
        Ok(())
    }

    async fn session(
        &self,
        token_hash: &str,
        now_ms: i64,
    ) -> Result<Option<(Session, Account)>, StoreError> {
        let rest = self.rest();
        let session = rest.sessions.get(token_hash).filter(|one| one.expires_ms > now_ms);
        Ok(session.and_then(|session| {
            let account = rest.accounts.get(&session.account).filter(|one| !one.is_disabled)?;
            Some((session.clone(), account.clone()))
        }))
    }

    async fn remove_session(&self, token_hash: &str) -> Result<bool, StoreError> {
        Ok(self.rest().sessions.remove(token_hash).is_some())
    }

    async fn remove_sessions_of(&self, account: &str) -> Result<u64, StoreError> {
        Ok(self.rest().drop_sessions(|session| session.account == account))
    }

    async fn remove_expired_sessions(&self, now_ms: i64) -> Result<u64, StoreError> {
        Ok(self.rest().drop_sessions(|session| session.expires_ms <= now_ms))
    }

    async fn add_upload(&self, upload: &Upload) -> Result<(), StoreError> {
        let mut rest = self.rest();
        let same = |one: &Upload| {
            (&one.owner, &one.kind, &one.name) == (&upload.owner, &upload.kind, &upload.name)
        };
        if rest.uploads.contains_key(&upload.id) || rest.uploads.values().any(same) {
            return Err(StoreError::Taken);
        }
        rest.uploads.insert(upload.id.clone(), upload.clone());
        Ok(())
    }

    async fn upload(&self, id: &str) -> Result<Option<Upload>, StoreError> {
        Ok(self.rest().uploads.get(id).cloned())
    }

    async fn uploads(&self, owner: Option<&str>) -> Result<Vec<Upload>, StoreError> {
        let rest = self.rest();
        let of = rest.uploads.values().filter(|one| owner.is_none_or(|owner| one.owner == owner));
        let mut all: Vec<Upload> = of.cloned().collect();
        all.sort_by(|a, b| (a.created_ms, &a.id).cmp(&(b.created_ms, &b.id)));
        Ok(all)
    }

    async fn remove_upload(&self, id: &str) -> Result<bool, StoreError> {
        Ok(self.rest().uploads.remove(id).is_some())
    }

    async fn put_tournament(&self, tournament: &Tournament) -> Result<(), StoreError> {
        let mut rest = self.rest();
        let name = tournament.name.clone();
        let created = rest.tournaments.get(&name).map(|one| one.created_ms);
        let created_ms = created.unwrap_or(tournament.created_ms);
        rest.tournaments.insert(name, Tournament { created_ms, ..tournament.clone() });
        Ok(())
    }

    async fn tournament(&self, name: &str) -> Result<Option<Tournament>, StoreError> {
        Ok(self.rest().tournaments.get(name).cloned())
    }

    async fn tournaments(&self) -> Result<Vec<Tournament>, StoreError> {
        let mut all: Vec<Tournament> = self.rest().tournaments.values().cloned().collect();
        all.sort_by(|a, b| (a.created_ms, &a.name).cmp(&(b.created_ms, &b.name)));
        Ok(all)
    }
}

impl Rest {
    /// Whether another account has this name.
    fn has_name(&self, account: &Account) -> bool {
        let name = Account::folded_name(&account.name);
        let same = |one: &&Account| one.id != account.id && Account::folded_name(&one.name) == name;
        self.accounts.values().any(|one| same(&one))
    }

    fn drop_sessions(&mut self, ends: impl Fn(&Session) -> bool) -> u64 {
        let before = self.sessions.len();
        self.sessions.retain(|_, session| !ends(session));
        (before - self.sessions.len()) as u64
    }
}

/// The players, with the reward and the number of faults of each, which are known at the end.
fn seats(stored: &StoredMatch) -> Vec<(String, Option<f64>, i64)> {
    let record = &stored.record;
    let over = stored.status != Status::Running;
    let seat = |(seat, player): (usize, &String)| {
        let reward = record.rewards.get(seat).copied().flatten().filter(|_| over);
        let mistakes = record.errors.iter().filter(|fault| fault.seat == Some(seat));
        let faults = mistakes.filter(|fault| over && fault.kind.is_mistake()).count();
        (player.clone(), reward, faults as i64)
    };
    record.players.iter().enumerate().map(seat).collect()
}
