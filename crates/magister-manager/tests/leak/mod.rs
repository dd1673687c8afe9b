//! Whether messages reveal more to a role than its information state.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use magister::Playable;
use magister_core::{Game, MatchRecord, Role, Seed};
use magister_manager::WireGame;
use magister_manager::exchange::ExchangeError;
use magister_manager::manage::{Manager, Order, SeatOrder, Settings};
use magister_manager::network::Network;
use magister_manager::session::Manner;
use magister_protocol::http::{RequestHeaders, write_request};
use magister_store::MemoryStore;
use tokio::time::Instant;

/// A network that records every byte that is sent to a role. The player of that role decides only
/// by these messages; the moves of the others are drawn by the manager.
struct Tap {
    /// The name of the player whose messages are recorded.
    listened: String,
    moves: Vec<String>,
    sent: Mutex<Vec<Vec<u8>>>,
}

impl Network for Tap {
    async fn exchange(
        &self,
        _: &str,
        headers: RequestHeaders,
        message: String,
        _: Instant,
    ) -> Result<String, ExchangeError> {
        if headers.receiver != self.listened {
            return Ok("(no move)".to_owned());
        }
        let mut sent = self.sent.lock().expect("no thread panics");
        sent.push(write_request(&headers, &message));
        let all: Vec<u8> = sent.concat();
        let hash = magister_core::rules_hash(&String::from_utf8_lossy(&all));
        let pick = usize::from_str_radix(&hash[..8], 16).unwrap_or(0);
        Ok(match self.moves.len() {
            0 => "(no move)".to_owned(),
            count => self.moves[pick % count].clone(),
        })
    }
}

/// The findings in a game.
#[derive(Clone, Debug, Default)]
pub(crate) struct Found {
    /// The number of matches.
    pub(crate) matches: usize,
    /// The number of information states of a role that occurred in two different matches.
    pub(crate) twins: usize,
    /// The first difference between the bytes of twins.
    pub(crate) leak: Option<String>,
}

/// The information states of a role in a match before each of its messages: own moves and percepts.
fn own_histories(game: &dyn Game, record: &MatchRecord, role: Role) -> Vec<String> {
    let mut histories = vec![String::new()];
    for (at, joint) in record.moves.iter().enumerate() {
        let percepts = record.percepts.get(at).and_then(Option::as_ref);
        let percepts = percepts.map(|all| all[role.index()].clone()).unwrap_or_default();
        let before = histories.last().cloned().unwrap_or_default();
        histories.push(format!("{before};{} {percepts:?}", joint[role.index()]));
    }
    debug_assert!(game.info().roles.len() > role.index());
    histories
}

/// Plays matches of a game and compares the messages to each role.
pub(crate) async fn listen(playable: &Playable, wire: &Arc<WireGame>, matches: u64) -> Found {
    let game = &playable.game;
    let mut found = Found::default();
    for (seat, role) in game.info().players().enumerate() {
        let mut worker = game.worker();
        worker.reset();
        let text = game.text();
        let moves: Vec<String> =
            worker.legal(role).iter().map(|&choice| text.move_text(choice)).collect();
        // By information state: the bytes of the next message, and the histories that led to it.
        let mut known: BTreeMap<String, (Vec<u8>, Vec<String>)> = BTreeMap::new();
        for seed in 0..matches {
            let listened = format!("p{seat}");
            let tap = Arc::new(Tap { listened, moves: moves.clone(), sent: Mutex::default() });
            let settings = Settings { offload: false, ..Settings::default() };
            let manager = Manager::new(Arc::clone(&tap), Arc::new(MemoryStore::new()), settings);
            let seats = game.info().players().enumerate().map(|(seat, _)| SeatOrder::Remote {
                name: format!("p{seat}"),
                address: String::new(),
                repeats: false,
            });
            let order = Order {
                id: "twin".to_owned(),
                game: Arc::clone(game),
                wire: Arc::clone(wire),
                rules: None,
                seats: seats.collect(),
                start: Duration::from_secs(1),
                play: Duration::from_secs(1),
                grace: Duration::ZERO,
                max_steps: 60,
                seed: Seed::from(seed),
                salt: None,
                manner: Manner::default(),
                tournament: None,
            };
            let Ok(record) = manager.play(order).await else { continue };
            found.matches += 1;
            let sent = tap.sent.lock().expect("no thread panics").clone();
            let histories = own_histories(&**game, &record, role);
            // START, then one PLAY before each turn. The last message is STOP or ABORT.
            let plays = sent.len().saturating_sub(1);
            for (turn, bytes) in sent.iter().take(plays).skip(1).enumerate() {
                let Some(history) = histories.get(turn) else { break };
                let course = format!("{:?}", &record.moves[..turn.min(record.moves.len())]);
                match known.get_mut(history) {
                    None => {
                        known.insert(history.clone(), (bytes.clone(), vec![course]));
                    }
                    Some((before, courses)) => {
                        if before != bytes {
                            let show = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
                            found.leak.get_or_insert(format!(
                                "role {seat} after{history}: {} and {}",
                                show(before),
                                show(bytes)
                            ));
                        }
                        if !courses.contains(&course) {
                            courses.push(course);
                            found.twins += 1;
                        }
                    }
                }
            }
        }
    }
    found
}
