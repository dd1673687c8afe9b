//! Tournaments: every player meets every other in every seat of every game, as matches of the site.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use magister_arena::Comparisons;
use magister_store::{Archive as _, Filter, SqlStore, Status};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::games::Wanted;
use crate::live::{ENGAGED, Mode, NewMatch, SeatKind, SeatOrder, fresh_token, now_ms, spec};
use crate::training::PREFIX;
use crate::{ApiError, Site};

/// The kind of the documents that contain tournaments.
const TOURNAMENT: &str = "tournament";
/// The waiting time before a remote player that is in another match is tried again.
const ENGAGED_WAIT: std::time::Duration = std::time::Duration::from_millis(300);
/// The maximum number of matches of a tournament.
const MATCHES: usize = 2_000;

/// The settings of a requested tournament.
#[derive(Clone, Debug, Deserialize)]
pub struct TournamentOrder {
    /// Its name.
    #[serde(default)]
    pub name: Option<String>,
    /// The games.
    pub games: Vec<String>,
    /// The players: levels, players of the registry, addresses.
    pub players: Vec<String>,
    /// The number of repetitions.
    #[serde(default)]
    pub rounds: Option<usize>,
    /// The time for a move.
    #[serde(default)]
    pub play_ms: Option<u64>,
    /// The iterations per move of players of the registry; the time is then a bound.
    #[serde(default)]
    pub iterations: Option<u64>,
}

/// A tournament.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Tournament {
    id: String,
    name: String,
    games: Vec<String>,
    players: Vec<String>,
    rounds: usize,
    play_ms: u64,
    #[serde(default)]
    iterations: Option<u64>,
    created: i64,
    state: String,
    /// The matches to play, with the ids of those that have been created.
    pairings: Vec<Pairing>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Pairing {
    game: String,
    /// The players in seat order.
    players: Vec<usize>,
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    rewards: Option<Vec<Option<f64>>>,
}

/// All tournaments of a site.
#[derive(Debug)]
pub struct Tournaments {
    all: Mutex<BTreeMap<String, Tournament>>,
    /// The number of changes.
    changed: watch::Sender<u64>,
}

impl Tournaments {
    /// The tournaments of a store.
    pub(crate) async fn open(store: &SqlStore) -> Result<Self, ApiError> {
        let mut all = BTreeMap::new();
        for (id, body) in store.documents(TOURNAMENT).await? {
            if let Ok(tournament) = serde_json::from_str(&body) {
                all.insert(id, tournament);
            }
        }
        Ok(Tournaments { all: Mutex::new(all), changed: watch::channel(0).0 })
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Tournament>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A receiver that is notified of changes.
    pub fn subscribe(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    /// All tournaments, the newest first.
    pub fn list(&self) -> Vec<Value> {
        let all = self.lock();
        let mut list: Vec<&Tournament> = all.values().collect();
        list.sort_by_key(|one| std::cmp::Reverse(one.created));
        list.iter()
            .map(|one| {
                json!({
                    "id": one.id, "name": one.name, "games": one.games, "players": one.players,
                    "state": one.state, "created": one.created, "matches": one.pairings.len(),
                    "done": one.done(),
                })
            })
            .collect()
    }

    /// A tournament with its table.
    pub fn get(&self, id: &str) -> Result<Value, ApiError> {
        let all = self.lock();
        let found = all.get(id).ok_or_else(|| ApiError::missing("there is no such tournament"))?;
        Ok(found.json())
    }
}

impl Tournament {
    fn done(&self) -> usize {
        self.pairings.iter().filter(|pairing| pairing.rewards.is_some()).count()
    }

    fn json(&self) -> Value {
        let count = self.players.len();
        let mut points = vec![vec![0.0; count]; count];
        let mut meetings = vec![vec![0_u32; count]; count];
        let mut comparisons = Comparisons::new();
        let mut totals = vec![(0.0, 0_u32); count];
        let mut curve = Vec::new();
        for pairing in &self.pairings {
            let Some(rewards) = &pairing.rewards else { continue };
            let known: Option<Vec<f64>> = rewards.iter().copied().collect();
            let Some(known) = known else { continue };
            let names: Vec<String> =
                pairing.players.iter().map(|&player| self.players[player].clone()).collect();
            comparisons.add(&names, &known);
            for (seat, &player) in pairing.players.iter().enumerate() {
                totals[player].0 += known[seat];
                totals[player].1 += 1;
                for (other_seat, &other) in pairing.players.iter().enumerate() {
                    if other == player {
                        continue;
                    }
                    meetings[player][other] += 1;
                    points[player][other] += match known[seat].total_cmp(&known[other_seat]) {
                        std::cmp::Ordering::Greater => 1.0,
                        std::cmp::Ordering::Equal => 0.5,
                        std::cmp::Ordering::Less => 0.0,
                    };
                }
            }
            let total: Vec<f64> = totals.iter().map(|(sum, _)| *sum).collect();
            curve.push(total);
        }
        let ratings: Vec<Value> = comparisons
            .ratings()
            .into_iter()
            .map(|one| json!({"player": one.player, "rating": one.elo, "interval": one.interval}))
            .collect();
        let mut order: Vec<usize> = (0..count).collect();
        let score = |player: usize| -> f64 { points[player].iter().sum() };
        order.sort_by(|&a, &b| score(b).total_cmp(&score(a)).then(a.cmp(&b)));
        let standings: Vec<Value> = order
            .iter()
            .map(|&player| {
                let (sum, seats) = totals[player];
                json!({
                    "player": self.players[player], "points": score(player), "matches": seats,
                    "mean_reward": (seats > 0).then(|| sum / f64::from(seats)),
                })
            })
            .collect();
        let table: Vec<Vec<Value>> = (0..count)
            .map(|one| {
                (0..count)
                    .map(|other| match meetings[one][other] {
                        0 => Value::Null,
                        met => json!({"points": points[one][other], "matches": met}),
                    })
                    .collect()
            })
            .collect();
        let matches: Vec<Value> = self
            .pairings
            .iter()
            .map(|one| {
                let players: Vec<&String> =
                    one.players.iter().map(|&player| &self.players[player]).collect();
                json!({
                    "id": one.id, "game": one.game, "players": players, "rewards": one.rewards,
                })
            })
            .collect();
        json!({
            "id": self.id, "name": self.name, "games": self.games, "players": self.players,
            "rounds": self.rounds, "play_ms": self.play_ms,
            "iterations": self.iterations, "created": self.created,
            "state": self.state, "done": self.done(), "total": self.pairings.len(),
            "standings": standings, "table": table, "ratings": ratings, "matches": matches,
            "totals": curve,
        })
    }
}

/// Creates a tournament and starts it.
pub async fn create(site: &Arc<Site>, order: TournamentOrder) -> Result<String, ApiError> {
    let rounds = order.rounds.unwrap_or(1).clamp(1, 100);
    let players: Vec<String> = order
        .players
        .iter()
        .map(|one| one.trim().to_owned())
        .filter(|one| !one.is_empty())
        .collect();
    if players.len() < 2 || players.len() > 32 {
        return Err(ApiError::invalid("players", "a tournament needs 2 to 32 players"));
    }
    if order.games.is_empty() || order.games.len() > 32 {
        return Err(ApiError::invalid("games", "a tournament needs 1 to 32 games"));
    }
    let mut pairings = Vec::new();
    for name in &order.games {
        let open = site.game(name).await?;
        let info = open.playable.game.info();
        let seats = info.players().count();
        for player in &players {
            seat(player)?.check(&*open.playable.game, &site.hub.trainings)?;
        }
        for group in groups(players.len(), seats) {
            pairings.push(Pairing { game: name.clone(), players: group, id: None, rewards: None });
            if pairings.len() * rounds > MATCHES {
                let what = format!("this tournament has more than {MATCHES} matches");
                return Err(ApiError::invalid("size", what));
            }
        }
    }
    let once = pairings.clone();
    for _ in 1..rounds {
        pairings.extend(once.iter().cloned());
    }
    let iterations = order.iterations.map(|iterations| iterations.clamp(1, 100_000_000));
    let id = fresh_token()[..10].to_owned();
    let name: String = order.name.unwrap_or_default().chars().take(80).collect();
    let tournament = Tournament {
        id: id.clone(),
        name: if name.is_empty() { order.games.join(", ") } else { name },
        games: order.games,
        players,
        rounds,
        play_ms: order
            .play_ms
            .unwrap_or(if iterations.is_some() { 60_000 } else { 1_000 })
            .clamp(50, 60_000),
        iterations,
        created: now_ms(),
        state: "running".to_owned(),
        pairings,
    };
    save(site, &tournament).await?;
    site.tournaments.lock().insert(id.clone(), tournament);
    start(site, &id);
    Ok(id)
}

/// The seat of a player, by its name.
fn seat(player: &str) -> Result<SeatOrder, ApiError> {
    if magister_manager::PlayerAddress::is_meant(player) {
        let address = Some(player.to_owned());
        return Ok(SeatOrder { kind: SeatKind::Remote, address, ..SeatOrder::default() });
    }
    if magister_players::Level::find(player).is_some() {
        let level = Some(player.to_owned());
        return Ok(SeatOrder { kind: SeatKind::Level, level, ..SeatOrder::default() });
    }
    if player.starts_with(PREFIX) {
        let player = Some(player.to_owned());
        return Ok(SeatOrder { kind: SeatKind::Trained, player, ..SeatOrder::default() });
    }
    spec(player)?;
    let player = Some(player.to_owned());
    Ok(SeatOrder { kind: SeatKind::Player, player, ..SeatOrder::default() })
}

/// All ways to seat different players, or each player alone. With more than two seats, the groups
/// rotate, because there would be too many permutations.
fn groups(players: usize, seats: usize) -> Vec<Vec<usize>> {
    match seats {
        0 => Vec::new(),
        1 => (0..players).map(|player| vec![player]).collect(),
        2 => (0..players)
            .flat_map(|one| (0..players).filter(move |&o| o != one).map(move |o| vec![one, o]))
            .collect(),
        _ => (0..players)
            .map(|first| (0..seats).map(|seat| (first + seat) % players).collect())
            .collect(),
    }
}

async fn save(site: &Site, tournament: &Tournament) -> Result<(), ApiError> {
    let body = serde_json::to_string(tournament)
        .map_err(|_| ApiError::unavailable("the tournament cannot be written"))?;
    Ok(site.hub.store.put_document(TOURNAMENT, &tournament.id, &body).await?)
}

/// Continues tournaments that were running when the server stopped.
pub(crate) fn resume(site: &Arc<Site>) {
    let running: Vec<String> = {
        let all = site.tournaments.lock();
        all.values().filter(|one| one.state == "running").map(|one| one.id.clone()).collect()
    };
    for id in running {
        start(site, &id);
    }
}

/// Plays the matches of a tournament, several at a time.
fn start(site: &Arc<Site>, id: &str) {
    for first in 0..site.hub.limits.threads.max(1) {
        let (site, id) = (Arc::clone(site), id.to_owned());
        let step = site.hub.limits.threads.max(1);
        tokio::spawn(async move {
            let count = site.tournaments.lock().get(&id).map_or(0, |one| one.pairings.len());
            for number in (first..count).step_by(step) {
                if let Err(error) = play(&site, &id, number).await {
                    tracing::warn!(id, number, %error, "a match of a tournament failed");
                    note(&site, &id, number, |pairing| pairing.rewards = Some(Vec::new())).await;
                }
            }
        });
    }
}

async fn note(site: &Site, id: &str, number: usize, change: impl FnOnce(&mut Pairing)) {
    let changed = {
        let mut all = site.tournaments.lock();
        let Some(tournament) = all.get_mut(id) else { return };
        change(&mut tournament.pairings[number]);
        if tournament.done() == tournament.pairings.len() {
            "ended".clone_into(&mut tournament.state);
        }
        tournament.clone()
    };
    if let Err(error) = save(site, &changed).await {
        tracing::error!(%error, "a tournament could not be stored");
    }
    site.tournaments.changed.send_modify(|count| *count += 1);
}

/// Plays one match, or waits for it if it was already created.
async fn play(site: &Arc<Site>, id: &str, number: usize) -> Result<(), ApiError> {
    let found = site.tournaments.lock().get(id).cloned();
    let Some(tournament) = found else { return Ok(()) };
    let pairing = &tournament.pairings[number];
    if pairing.rewards.is_some() {
        return Ok(());
    }
    let live = if let Some(known) = &pairing.id {
        site.find(known).await?
    } else {
        let seats: Result<Vec<SeatOrder>, ApiError> =
            pairing.players.iter().map(|&player| seat(&tournament.players[player])).collect();
        let order = NewMatch {
            game: Wanted::Game(pairing.game.clone()),
            mode: Mode::Match,
            seats: seats?,
            start_ms: None,
            play_ms: Some(tournament.play_ms),
            iterations: tournament.iterations,
            seed: None,
            rated: true,
            from: Vec::new(),
            tournament: Some(id.to_owned()),
            client: format!("tournament {id}"),
        };
        let created = loop {
            match site.create(order.clone()).await {
                // A remote player plays one match at a time.
                Err(error) if error.code() == ENGAGED => tokio::time::sleep(ENGAGED_WAIT).await,
                made => break made?,
            }
        };
        let known = created.live.id.clone();
        note(site, id, number, |pairing| pairing.id = Some(known)).await;
        created.live
    };
    let mut changes = live.subscribe();
    while !live.is_over() {
        if changes.changed().await.is_err() {
            break;
        }
    }
    let rewards = live.rewards();
    note(site, id, number, |pairing| pairing.rewards = Some(rewards)).await;
    Ok(())
}

/// The ratings of the stored matches.
pub async fn leaderboard(site: &Site, game: Option<String>) -> Result<Value, ApiError> {
    let filter = Filter { status: Some(Status::Ended), game, ..Filter::default() };
    let lines = site.hub.store.list(&filter).await?;
    let mut comparisons = Comparisons::new();
    let mut counts: BTreeMap<String, (u32, f64)> = BTreeMap::new();
    let mut matches = 0;
    for line in &lines {
        let rewards: Option<Vec<f64>> = line.seats.iter().map(|seat| seat.1).collect();
        let Some(rewards) = rewards.filter(|rewards| !rewards.is_empty()) else { continue };
        let players: Vec<String> = line.seats.iter().map(|seat| seat.0.clone()).collect();
        comparisons.add(&players, &rewards);
        matches += 1;
        for (player, reward) in players.into_iter().zip(rewards) {
            let entry = counts.entry(player).or_default();
            entry.0 += 1;
            entry.1 += reward;
        }
    }
    let ratings: Vec<Value> = comparisons
        .ratings()
        .into_iter()
        .map(|one| {
            let (seats, sum) = counts.get(&one.player).copied().unwrap_or_default();
            json!({
                "player": one.player, "rating": one.elo, "interval": one.interval,
                "matches": seats, "mean_reward": sum / f64::from(seats.max(1)),
            })
        })
        .collect();
    Ok(json!({"ratings": ratings, "matches": matches}))
}

#[cfg(test)]
mod tests {
    use super::groups;

    #[test]
    fn everyone_meets_everyone_on_both_sides() {
        assert_eq!(groups(3, 2).len(), 6);
        assert_eq!(groups(2, 1), [[0], [1]]);
        assert_eq!(groups(2, 3), [[0, 1, 0], [1, 0, 1]]);
    }
}
