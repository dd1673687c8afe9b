//! A network that loses, delays and garbles messages.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use magister_core::Seed;
use magister_protocol::http::RequestHeaders;
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep, timeout_at};

use super::log::Log;
use crate::crowd::Crowd;
use crate::exchange::ExchangeError;
use crate::network::Network;

/// A network in a simulation, with its players.
pub(super) struct SimNetwork {
    seed: Seed,
    failures: u64,
    count: AtomicU64,
    crowd: Arc<Crowd>,
    log: Log,
}

impl SimNetwork {
    pub(super) fn new(crowd: &Arc<Crowd>, failures: u64, seed: Seed, log: &Log) -> Self {
        let (count, crowd, log) = (AtomicU64::new(0), Arc::clone(crowd), log.clone());
        SimNetwork { seed, failures, count, crowd, log }
    }
}

/// The fate of a message.
#[derive(Clone, Copy, Debug)]
enum Fate {
    Fine,
    /// It does not arrive.
    Lost,
    /// It arrives after its deadline.
    Late,
    /// It arrives, but its reply does not.
    ReplyLost,
    /// Its reply is garbage.
    Garbled,
    /// There is no connection.
    Refused,
    /// The player was restarted and has no memory of its match.
    Restarted,
}

impl Network for SimNetwork {
    async fn exchange(
        &self,
        address: &str,
        headers: RequestHeaders,
        message: String,
        deadline: Instant,
    ) -> Result<String, ExchangeError> {
        let count = self.count.fetch_add(1, Ordering::Relaxed);
        let mut rng = self.seed.derive_index(count).rng();
        let fate = if rng.below(1000) >= self.failures {
            Fate::Fine
        } else {
            match rng.below(6) {
                0 => Fate::Lost,
                1 => Fate::Late,
                2 => Fate::ReplyLost,
                3 => Fate::Garbled,
                4 => Fate::Refused,
                _ => Fate::Restarted,
            }
        };
        let there = match fate {
            Fate::Late => {
                deadline.saturating_duration_since(Instant::now())
                    + Duration::from_millis(1 + rng.below(3_000))
            }
            _ => Duration::from_millis(rng.below(200)),
        };
        let back = Duration::from_millis(rng.below(200));
        self.log.note(|| {
            let shown: String = message.chars().take(120).collect();
            format!("to {address}: {shown} ({fate:?}, {there:?} there, {back:?} back)")
        });
        let (send, reply) = oneshot::channel();
        let step = headers.extra.iter().find(|(name, _)| name == "GGP-Match-Step");
        let step = step.and_then(|(_, value)| value.parse().ok());
        match fate {
            Fate::Refused => {
                sleep(there).await;
                return Err(ExchangeError::Connection("refused".to_owned()));
            }
            Fate::Lost => {}
            _ => {
                // A sent message is delivered even if the sender is gone.
                let (crowd, address) = (Arc::clone(&self.crowd), address.to_owned());
                let lost = matches!(fate, Fate::ReplyLost);
                let log = self.log.clone();
                tokio::spawn(async move {
                    sleep(there).await;
                    if matches!(fate, Fate::Restarted) {
                        crowd.restart(&address);
                    }
                    let reply = crowd.hear(&address, &message, step);
                    log.note(|| format!("{address} replies {reply}"));
                    sleep(back).await;
                    if !lost {
                        let _ = send.send(reply);
                        return;
                    }
                    // The sender waits for a reply that never arrives.
                    sleep(Duration::from_hours(1)).await;
                    drop(send);
                });
            }
        }
        match timeout_at(deadline, reply).await {
            Ok(Ok(_)) if matches!(fate, Fate::Garbled) => Ok("((( what".to_owned()),
            Ok(Ok(reply)) => Ok(reply),
            Ok(Err(_)) if matches!(fate, Fate::Lost) => {
                tokio::time::sleep_until(deadline).await;
                Err(ExchangeError::Late)
            }
            Ok(Err(_)) | Err(_) => Err(ExchangeError::Late),
        }
    }
}
