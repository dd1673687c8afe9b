//! Recovers the matches of a manager that was killed.

use std::sync::Arc;
use std::time::Duration;

use magister_core::{Game, Match, MatchRecord, Seed, Stop};
use magister_store::{Entry, RequestKind, Status, Store, StoredMatch};

use super::running::{RunningMatch, now_ms};
use super::{Manager, ManagerError, Order, Point, SeatOrder};
use crate::network::Network;
use crate::session::Manner;
use crate::wire::WireGame;

/// The fate of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recovery {
    /// It was resumed and played to its end.
    Resumed,
    /// It was over; its players were informed again.
    Dismissed,
    /// It was aborted, because a player may have received a request twice without recognising the
    /// duplicate.
    Aborted,
    /// It was aborted, because it could not be rebuilt.
    Broken,
}

/// A match that was found unfinished.
#[derive(Clone, Debug)]
pub struct Recovered {
    /// Its name.
    pub id: String,
    /// Its fate.
    pub recovery: Recovery,
    /// The reason, as a sentence.
    pub why: String,
    /// Its record.
    pub record: MatchRecord,
}

impl<N: Network, S: Store> Manager<N, S> {
    /// Resumes the unfinished matches of the store. `open` returns the game of a match. A match is
    /// resumed if no request was pending when the manager ended, or if all players with pending
    /// requests recognise duplicates. Otherwise its players get ABORT. The log reports which.
    pub async fn recover(
        &self,
        mut open: impl FnMut(&StoredMatch) -> Option<(Arc<dyn Game>, Arc<WireGame>)>,
        manner: Manner,
    ) -> Result<Vec<Recovered>, ManagerError> {
        let mut all = Vec::new();
        for stored in self.store.unfinished().await? {
            let opened = open(&stored);
            all.push((stored, opened));
        }
        let mut done = Vec::new();
        for (stored, opened) in all {
            done.push(self.recover_one(stored, opened, manner).await?);
        }
        Ok(done)
    }

    /// The unfinished matches, to be [recovered](Manager::recover_one) concurrently.
    pub async fn unfinished(&self) -> Result<Vec<StoredMatch>, ManagerError> {
        Ok(self.store.unfinished().await?)
    }

    /// Recovers one match.
    pub async fn recover_one(
        &self,
        stored: StoredMatch,
        opened: Option<(Arc<dyn Game>, Arc<WireGame>)>,
        manner: Manner,
    ) -> Result<Recovered, ManagerError> {
        let id = stored.record.id.clone().unwrap_or_default();
        // The match continues in the format in which it began; the argument is for matches that did
        // not store it.
        let manner = stored.manner.as_deref().and_then(Manner::parse).unwrap_or(manner);
        let listed = self.list(&id);
        self.pass(Point::DuringRecovery);
        let rebuilt = opened.and_then(|(game, wire)| {
            let current = Match::from_record(&game, &stored.record, &Stop::never()).ok()?;
            Some((order(&stored, game, wire, manner)?, current))
        });
        let Some((order, mut current)) = rebuilt else {
            let why = "the match cannot be rebuilt from the store".to_owned();
            return self.close(stored, Recovery::Broken, why).await;
        };
        let _taken = self.occupied.take(&order).await;
        if stored.status == Status::Ending || current.end().is_some() {
            let record = current.record().clone();
            let mut entries = Vec::new();
            if stored.status == Status::Running {
                entries.push(Entry::Ended { record: Box::new(record.clone()), at_ms: now_ms() });
            }
            let mut running =
                RunningMatch::resume(self, order, current, Vec::new(), listed.abort())?;
            self.store.append(entries).await?;
            running.dismiss().await;
            self.store.append(vec![Entry::Dismissed { id: id.clone() }]).await?;
            let why = "the match was over; its players were informed again".to_owned();
            tracing::info!(id, "dismissed: {why}");
            return Ok(Recovered { id, recovery: Recovery::Dismissed, why, record });
        }
        let unsure = stored
            .outstanding
            .iter()
            .find(|key| !stored.places.get(key.seat).is_some_and(|place| place.repeats));
        if let Some(key) = unsure {
            let why = format!(
                "seat {} may have received {} of turn {} and does not recognise repetition",
                key.seat,
                key.kind.name(),
                key.turn
            );
            tracing::info!(id, "aborted: {why}");
            let _ = current.abort(&format!("the manager was restarted: {why}"));
            let record = current.record().clone();
            self.store
                .append(vec![Entry::Ended { record: Box::new(record.clone()), at_ms: now_ms() }])
                .await?;
            let mut running =
                RunningMatch::resume(self, order, current, Vec::new(), listed.abort())?;
            running.dismiss().await;
            self.store.append(vec![Entry::Dismissed { id: id.clone() }]).await?;
            return Ok(Recovered { id, recovery: Recovery::Aborted, why, record });
        }
        let unstarted: Vec<usize> = if stored.was_started() {
            let starts = stored.outstanding.iter().filter(|key| key.kind == RequestKind::Start);
            starts.map(|key| key.seat).collect()
        } else {
            (0..order.seats.len()).collect()
        };
        let why = match stored.outstanding.len() {
            0 => "no request was outstanding".to_owned(),
            count => format!("{count} requests are repeated to players that recognise it"),
        };
        tracing::info!(id, "resumed: {why}");
        self.metrics.resumed();
        let running = RunningMatch::resume(self, order, current, unstarted, listed.abort())?;
        let record = running.run().await?;
        Ok(Recovered { id, recovery: Recovery::Resumed, why, record })
    }

    /// Closes a match that cannot be rebuilt.
    async fn close(
        &self,
        stored: StoredMatch,
        recovery: Recovery,
        why: String,
    ) -> Result<Recovered, ManagerError> {
        let mut record = stored.record;
        let id = record.id.clone().unwrap_or_default();
        tracing::warn!(id, "closed: {why}");
        let mut entries = Vec::new();
        // The result of a match that was over is kept.
        if stored.status == Status::Running {
            record.end = Some(magister_core::MatchEnd::Aborted);
            record.answers.clear();
            entries.push(Entry::Ended { record: Box::new(record.clone()), at_ms: now_ms() });
        }
        entries.push(Entry::Dismissed { id: id.clone() });
        self.store.append(entries).await?;
        Ok(Recovered { id, recovery, why, record })
    }
}

/// The order of a match, as far as the store contains it.
fn order(
    stored: &StoredMatch,
    game: Arc<dyn Game>,
    wire: Arc<WireGame>,
    manner: Manner,
) -> Option<Order> {
    let record = &stored.record;
    let ms = |time: Option<f64>| Duration::from_secs_f64(time.unwrap_or(0.0).max(0.0) / 1e3);
    let seats = record.players.iter().zip(&stored.places);
    let seats: Option<Vec<SeatOrder>> = seats
        .map(|(name, place)| {
            // Players of the old process are gone, unless the registry can create them again.
            let Some(address) = place.address.clone() else {
                let spec: magister_players::Spec = name.parse().ok()?;
                return Some(SeatOrder::Local(Arc::new(spec)));
            };
            Some(SeatOrder::Remote { name: name.clone(), address, repeats: place.repeats })
        })
        .collect();
    Some(Order {
        id: record.id.clone()?,
        game,
        wire,
        rules: stored.rules.clone(),
        seats: seats?,
        start: ms(record.limits.start_ms),
        play: ms(record.limits.time_ms),
        grace: ms(Some(record.limits.grace_ms)),
        max_steps: record.limits.max_steps,
        seed: Seed::parse(&record.seed)?,
        salt: Seed::parse(&record.salt),
        manner,
        tournament: stored.tournament.clone(),
    })
}
