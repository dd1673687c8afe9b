//! Puzzles: positions with exactly one winning move, found in stored matches.
//!
//! A move wins if its role can force the best result against every reply. This is proven by
//! searching to terminal states, so positions near the end of matches are tried. The difficulty of
//! a puzzle is the first level that finds its move.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use magister_arena::{AgentThread, TimeControl};
use magister_core::{
    Game, Halt, Information, Match, MatchRecord, Move, Payment, Role, Said, Seed, Setup, Step,
    Stop, Worker,
};
use magister_players::{LEVELS, Spec};
use magister_store::{Archive as _, Filter, SqlStore, Status, Store as _};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::games::{OpenGame, Wanted};
use crate::live::{Track, now_ms};
use crate::reached::Reached;
use crate::{ApiError, Site};

/// The kind of the documents that contain puzzles.
const PUZZLE: &str = "puzzle";
/// The maximum number of positions in a proof.
const NODES: usize = 60_000;
/// The number of plies before the end of a match that are tried.
const BACK: usize = 14;
/// The minimum number of moves to choose from.
const CHOICES: usize = 3;
/// Games that are played here to find puzzles if no match is stored.
const GAMES: [&str; 4] = ["connect-four", "breakthrough", "hexapawn", "tictactoe"];
/// How long to wait between searches for new puzzles.
const PAUSE: Duration = Duration::from_mins(2);
/// A day in milliseconds.
const DAY: i64 = 24 * 3600 * 1000;
/// The maximum number of puzzles to keep.
const KEPT: usize = 2_000;

/// A puzzle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Puzzle {
    id: String,
    game: String,
    /// The turns before it, each with the moves of all roles.
    history: Vec<Vec<String>>,
    role: usize,
    solution: String,
    /// The number of the weakest level that finds the move, from 0; the number of levels if none
    /// does.
    difficulty: usize,
    created: i64,
}

/// All puzzles of a site.
#[derive(Debug, Default)]
pub struct Puzzles {
    all: Mutex<Vec<Puzzle>>,
    mining: tokio::sync::Mutex<()>,
}

impl Puzzles {
    /// The puzzles of a store.
    pub(crate) async fn open(store: &SqlStore) -> Result<Self, ApiError> {
        let stored = store.documents(PUZZLE).await?;
        let mut all: Vec<Puzzle> =
            stored.iter().filter_map(|(_, body)| serde_json::from_str(body).ok()).collect();
        all.sort_by_key(|puzzle| puzzle.created);
        Ok(Puzzles { all: Mutex::new(all), mining: tokio::sync::Mutex::default() })
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Puzzle>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// All puzzles, the newest first.
pub fn list(site: &Site) -> Value {
    let all = site.puzzles.lock();
    let list = all.iter().rev().map(|one| {
        json!({
            "id": one.id, "game": one.game, "title": crate::pages::title(&one.game),
            "difficulty": one.difficulty, "created": one.created,
        })
    });
    json!({"puzzles": list.collect::<Vec<_>>()})
}

/// A puzzle by its name, or the puzzle of the day.
pub async fn get(site: &Arc<Site>, id: &str) -> Result<Value, ApiError> {
    if id == "today" && site.puzzles.lock().is_empty() {
        mine_some(site).await?;
    }
    let (puzzle, previous, next) = {
        let all = site.puzzles.lock();
        let at = if id == "today" {
            of_the_day(&all.iter().map(|one| one.created).collect::<Vec<_>>(), now_ms())
        } else {
            all.iter().position(|one| one.id == id)
        };
        let at = at.ok_or_else(|| ApiError::missing("there is no such puzzle"))?;
        let name = |at: usize| all.get(at).map(|one: &Puzzle| one.id.clone());
        (all[at].clone(), at.checked_sub(1).and_then(name), name(at + 1))
    };
    let open = site.game(&puzzle.game).await?;
    site.blocking(move || {
        let info = open.playable.game.info();
        let reached = Reached::new(&open, &puzzle.history)?;
        let mut scene = reached.scene();
        scene.legal.retain(|one| one.role == puzzle.role);
        scene.viewer = Some(puzzle.role);
        let name = info.roles.get(puzzle.role).cloned().unwrap_or_default();
        Ok(json!({
            "id": puzzle.id, "game": puzzle.game, "title": open.title, "role": puzzle.role,
            "roles": info.roles, "shape": open.drawing.shape(), "scene": scene,
            "history": puzzle.history, "difficulty": difficulty(puzzle.difficulty),
            "previous": previous, "next": next,
            "text": format!("Find the one winning move for {name}."),
        }))
    })
    .await
}

/// The index of the puzzle of the day, by the times when puzzles were found, in their order. Those
/// that are found during a day do not change its puzzle.
fn of_the_day(created: &[i64], now: i64) -> Option<usize> {
    let day = now.div_euclid(DAY);
    let before = created.iter().filter(|&&time| time < day * DAY).count();
    match before {
        0 => (!created.is_empty()).then_some(0),
        _ => Some(day.rem_euclid(before as i64) as usize),
    }
}

/// The difficulty as text.
fn difficulty(level: usize) -> &'static str {
    LEVELS.get(level).map_or("master", |level| level.name)
}

/// Whether an answer is right. Only the right answer reveals the solution.
pub async fn answer(site: &Arc<Site>, id: &str, choice: &str) -> Result<Value, ApiError> {
    let found = site.puzzles.lock().iter().find(|one| one.id == id).cloned();
    let puzzle = found.ok_or_else(|| ApiError::missing("there is no such puzzle"))?;
    let open = site.game(&puzzle.game).await?;
    let choice = choice.to_owned();
    site.blocking(move || {
        let reached = Reached::new(&open, &puzzle.history)?;
        let scene = reached.scene();
        let own = scene.legal.iter().find(|one| one.role == puzzle.role);
        let wanted = crate::words::tokens(&choice);
        let known = own.is_some_and(|own| {
            own.moves.iter().any(|one| crate::words::tokens(&one.text) == wanted)
        });
        if !known {
            return Err(ApiError::invalid("illegal", "this is not a legal move here"));
        }
        let right = crate::words::tokens(&puzzle.solution) == wanted;
        let text = if right { "Every reply loses." } else { "The opponent has a defence." };
        Ok(json!({"right": right, "text": text}))
    })
    .await
}

/// Searches for puzzles in stored matches, and plays some matches if there are none.
pub(crate) async fn mine_some(site: &Arc<Site>) -> Result<(), ApiError> {
    let _one = site.puzzles.mining.lock().await;
    if !site.puzzles.lock().is_empty() {
        return Ok(());
    }
    let filter = Filter { status: Some(Status::Ended), limit: Some(60), ..Filter::default() };
    for line in site.hub.store.list(&filter).await?.into_iter().rev() {
        let Some(stored) = site.hub.store.load(&line.id).await? else { continue };
        let Ok(open) = site.games.get(&Wanted::Game(stored.record.game.clone())).await else {
            continue;
        };
        if keep(site, open, stored.record).await? > 0 {
            return Ok(());
        }
    }
    for (number, name) in GAMES.iter().cycle().take(3 * GAMES.len()).enumerate() {
        let open = site.game(name).await?;
        let shared = Arc::clone(&open);
        let record = site.blocking(move || self_play(&shared, number as u64)).await?;
        keep(site, open, record).await?;
        if !site.puzzles.lock().is_empty() {
            break;
        }
    }
    Ok(())
}

/// Stores the puzzles of a record. Returns the number of puzzles on the site.
pub(crate) async fn keep(
    site: &Arc<Site>,
    open: Arc<OpenGame>,
    record: MatchRecord,
) -> Result<usize, ApiError> {
    // Proofs are queued like all searches.
    let (send, receive) = tokio::sync::oneshot::channel();
    site.hub.pool.put("puzzles", move || {
        let _ = send.send(mine(&open, &record));
    });
    let found = receive.await.unwrap_or_default();
    for puzzle in found {
        let known = site.puzzles.lock().iter().any(|one| one.id == puzzle.id);
        if known || site.puzzles.lock().len() >= KEPT {
            continue;
        }
        let body = json!(puzzle).to_string();
        site.hub.store.put_document(PUZZLE, &puzzle.id, &body).await?;
        site.puzzles.lock().push(puzzle);
    }
    Ok(site.puzzles.lock().len())
}

/// Searches for puzzles in new matches from time to time, for as long as the site exists.
pub(crate) async fn tend(site: std::sync::Weak<Site>) {
    let mut seen: BTreeSet<String> = BTreeSet::new();
    loop {
        tokio::time::sleep(PAUSE).await;
        let Some(site) = site.upgrade() else { return };
        let filter = Filter { status: Some(Status::Ended), limit: Some(100), ..Filter::default() };
        let Ok(lines) = site.hub.store.list(&filter).await else { continue };
        let new = lines.into_iter().rev().filter(|line| !seen.contains(&line.id)).take(4);
        for line in new.collect::<Vec<_>>() {
            seen.insert(line.id.clone());
            let Ok(Some(stored)) = site.hub.store.load(&line.id).await else { continue };
            let wanted = Wanted::Game(stored.record.game.clone());
            if let Ok(open) = site.games.get(&wanted).await
                && let Err(error) = keep(&site, open, stored.record).await
            {
                tracing::warn!(%error, "a puzzle could not be stored");
            }
        }
    }
}

/// A short match between weak players, for its mistakes.
fn self_play(open: &OpenGame, number: u64) -> Result<MatchRecord, ApiError> {
    let game = &open.playable.game;
    let spec: Spec =
        "easy".parse().map_err(|_| ApiError::unavailable("the level is not available"))?;
    let seats = game.info().players().map(|_| magister_core::Seat::new("easy")).collect();
    let setup = Setup::new(Seed::from(number).derive("puzzle"), seats);
    let mut current = Match::new(game, &setup, &Stop::never())?;
    let mut agents: Vec<_> = game.info().players().map(|_| spec.agent()).collect();
    while current.end().is_none() && current.turn() < 300 {
        for pending in current.pending() {
            let mut budget = magister_core::Budget::iterations(40);
            let mut rng = current.agent_rng(pending.role);
            let view = current.view(pending.role).clone();
            let decision = agents[pending.seat].decide(&view, &mut budget, &mut rng)?;
            current.submit(pending.role, magister_core::Answer::choice(decision.choice))?;
        }
        current.advance(&Stop::never())?;
    }
    Ok(current.into_record())
}

/// The puzzles of a match.
pub fn mine(open: &OpenGame, record: &MatchRecord) -> Vec<Puzzle> {
    let game = &open.playable.game;
    let info = game.info();
    let fits = info.information == Information::Perfect
        && info.chance.is_none()
        && info.payment == Payment::AtEnd
        && info.players().count() == 2
        && info.name == record.game
        && open.text.is_none();
    if !fits {
        return Vec::new();
    }
    let mut track = Track::new(game);
    track.follow(record);
    let mut found = Vec::new();
    let mut proof = Proof::new(game);
    for ply in (track.plies().saturating_sub(BACK)..track.plies()).rev() {
        let Some((state, _)) = track.at(ply) else { continue };
        let state = state.to_vec();
        proof.nodes = 0;
        let Some((role, choice)) = proof.only_win(&state) else {
            if proof.nodes >= NODES {
                // Earlier positions take even longer.
                break;
            }
            continue;
        };
        let history = record.moves[..ply].to_vec();
        let text = game.text().move_text(choice);
        let key = format!("{} {} {text}", record.game, game.text().state_text(&state));
        let id = magister_core::rules_hash(&key)[..12].to_owned();
        let difficulty = first_level(open, &history, role, choice);
        found.push(Puzzle {
            id,
            game: record.game.clone(),
            history,
            role: role.index(),
            solution: text,
            difficulty,
            created: now_ms(),
        });
    }
    // The hardest positions of a match are its best puzzles.
    found.sort_by_key(|puzzle| std::cmp::Reverse(puzzle.difficulty));
    found.truncate(2);
    found
}

/// The first level that finds a move.
fn first_level(open: &OpenGame, history: &[Vec<String>], role: Role, choice: Move) -> usize {
    let game = &open.playable.game;
    let mut view = magister_core::View::new(Arc::clone(game), role);
    let mut worker = game.worker();
    let mut step = Step::new();
    worker.reset();
    for texts in history {
        let joint: Option<Vec<Move>> = game
            .info()
            .all_roles()
            .zip(texts)
            .map(|(role, text)| crate::live::resolve(&**game, &*worker, role, text))
            .collect();
        let Some(joint) = joint else { return LEVELS.len() };
        if worker.step(&joint, &mut step, &Stop::never()).is_err() {
            return LEVELS.len();
        }
        let own = joint[role.index()];
        let seen = magister_core::Observation::Joint(joint.into());
        view.push(magister_core::Turn { own, seen });
    }
    let control = TimeControl { time: Some(Duration::from_secs(5)), ..TimeControl::default() };
    // The two strongest levels take seconds and find nearly every move.
    let finds = |level: &magister_players::Level| {
        let Ok(spec) = level.name.parse::<Spec>() else { return false };
        let Ok(mut thread) = AgentThread::new(Arc::new(spec), Arc::clone(game), role) else {
            return false;
        };
        let rng = Seed::from(3).derive("puzzle").rng();
        let answer = thread.decide(&view, rng, &control);
        matches!(answer.said, Said::Decision(decision) if decision.choice == choice)
    };
    LEVELS.iter().take(3).position(finds).unwrap_or(3)
}

/// A search for forced wins.
struct Proof {
    game: Arc<dyn Game>,
    worker: Box<dyn Worker>,
    known: FxHashMap<(Vec<u64>, Role), bool>,
    nodes: usize,
}

impl Proof {
    fn new(game: &Arc<dyn Game>) -> Self {
        let worker = game.worker();
        Proof { game: Arc::clone(game), worker, known: FxHashMap::default(), nodes: 0 }
    }

    /// The role to move and its only winning move, if it has several moves and exactly one of them
    /// wins.
    fn only_win(&mut self, state: &[u64]) -> Option<(Role, Move)> {
        let (role, legal) = self.turn(state)?;
        if legal.len() < CHOICES {
            return None;
        }
        let mut only = None;
        for choice in legal {
            let next = self.after(state, role, choice).ok()?;
            if self.wins(&next, role)? {
                if only.is_some() {
                    return None;
                }
                only = Some(choice);
            }
        }
        only.map(|choice| (role, choice))
    }

    /// The only role that has a choice in a state, with its moves.
    fn turn(&mut self, state: &[u64]) -> Option<(Role, Vec<Move>)> {
        self.worker.load(state, &Stop::never()).ok()?;
        if self.worker.terminal() {
            return None;
        }
        let roles = self.game.info().players();
        let mut acting = roles.filter(|&role| self.worker.legal(role).len() > 1);
        let role = acting.next()?;
        if acting.next().is_some() {
            return None;
        }
        Some((role, self.worker.legal(role).to_vec()))
    }

    fn after(&mut self, state: &[u64], role: Role, choice: Move) -> Result<Vec<u64>, Halt> {
        self.worker.load(state, &Stop::never())?;
        let mut joint: Vec<Move> = self
            .game
            .info()
            .all_roles()
            .map(|one| self.worker.legal(one).first().copied().unwrap_or(Move::IDLE))
            .collect();
        joint[role.index()] = choice;
        let mut step = Step::new();
        self.worker.step(&joint, &mut step, &Stop::never())?;
        let mut next = Vec::new();
        self.worker.save(&mut next);
        Ok(next)
    }

    /// Whether a role can force the best result; `None` if this takes too long.
    fn wins(&mut self, state: &[u64], hero: Role) -> Option<bool> {
        if let Some(&known) = self.known.get(&(state.to_vec(), hero)) {
            return Some(known);
        }
        self.nodes += 1;
        if self.nodes >= NODES {
            return None;
        }
        self.worker.load(state, &Stop::never()).ok()?;
        let wins = if self.worker.terminal() {
            let mut goals = Vec::new();
            self.worker.goals(hero, &mut goals);
            let best = self.game.info().rewards.1;
            goals.first().is_some_and(|&goal| goal >= best)
        } else {
            let roles = self.game.info().players();
            let acting: Vec<Role> =
                roles.filter(|&role| self.worker.legal(role).len() > 1).collect();
            match acting[..] {
                // No role has a choice, so the step is made.
                [] => {
                    let legal = self.worker.legal(hero).first().copied();
                    let next = self.after(state, hero, legal.unwrap_or(Move::IDLE)).ok()?;
                    self.wins(&next, hero)?
                }
                [role] => {
                    let legal = self.worker.legal(role).to_vec();
                    let mut result = role != hero;
                    for choice in legal {
                        let next = self.after(state, role, choice).ok()?;
                        if self.wins(&next, hero)? == (role == hero) {
                            result = role == hero;
                            break;
                        }
                    }
                    result
                }
                // Simultaneous moves need mixed strategies.
                _ => return None,
            }
        };
        if self.known.len() < 4 * NODES {
            self.known.insert((state.to_vec(), hero), wins);
        }
        Some(wins)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_puzzle_of_the_day_stays_the_same_for_a_day() {
        let noon = 20_000 * DAY + DAY / 2;
        assert_eq!(of_the_day(&[], noon), None);
        let first = of_the_day(&[noon - 5], noon);
        assert_eq!(first, Some(0));
        assert_eq!(of_the_day(&[noon - 5, noon + 1, noon + 2], noon + 3), first);
        let old = [1, 2, 3];
        let today = of_the_day(&old, noon);
        assert_eq!(of_the_day(&[1, 2, 3, noon], noon + 1), today);
        assert_ne!(of_the_day(&old, noon + DAY), today, "another one tomorrow");
    }
}
