//! Deterministic simulation: manager, store and players on a virtual clock and network.
//!
//! A world is determined by its seed: delays, lost and late messages, garbage, players that restart
//! without memory of their match, crashes and restarts of the manager. It runs on one thread with a
//! clock that jumps to the next event, so a second of the world takes microseconds, and every
//! failure can be replayed from its seed.

mod log;
mod net;
mod store;

use std::sync::Arc;
use std::time::Duration;

use magister_core::{Game, Rng, Seed};
use magister_store::{Status, Store as _};
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::crowd::Crowd;
use crate::manage::{Manager, Order, Recovery, SeatOrder, Settings};
use crate::session::Manner;
use crate::wire::WireGame;
use log::Log;
use net::SimNetwork;
use store::SimStore;

/// A world in which matches are played.
#[derive(Clone)]
pub struct World {
    /// The seed of all random events.
    pub seed: u64,
    /// The number of matches.
    pub matches: usize,
    /// How many of 1000 messages are lost, late or garbled.
    pub failures: u64,
    /// The maximum number of crashes of the manager.
    pub crashes: u64,
    /// The game.
    pub game: Arc<dyn Game>,
    /// Its rules in the form that is sent to players.
    pub wire: Arc<WireGame>,
}

impl std::fmt::Debug for World {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("World").field("seed", &self.seed).finish_non_exhaustive()
    }
}

/// The statistics of a world.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// The number of matches that were played.
    pub matches: u64,
    /// The number of matches that reached a terminal state.
    pub terminal: u64,
    /// The number of matches that were aborted after a restart.
    pub aborted: u64,
    /// The number of matches that were resumed after a restart.
    pub resumed: u64,
    /// The number of crashes of the manager.
    pub crashes: u64,
    /// The number of faults of players.
    pub faults: u64,
    /// A hash that is the same whenever the same world is run.
    pub fingerprint: u64,
}

impl Verdict {
    /// The sums of two statistics.
    #[must_use]
    pub fn and(self, other: Verdict) -> Verdict {
        Verdict {
            matches: self.matches + other.matches,
            terminal: self.terminal + other.terminal,
            aborted: self.aborted + other.aborted,
            resumed: self.resumed + other.resumed,
            crashes: self.crashes + other.crashes,
            faults: self.faults + other.faults,
            fingerprint: self.fingerprint.rotate_left(7) ^ other.fingerprint,
        }
    }
}

impl World {
    /// Runs the world to its end. The error says which invariant was violated.
    pub fn run(&self) -> Result<Verdict, String> {
        self.run_with(&Log::default())
    }

    /// Runs the world to its end and logs all events: messages and their fate, crashes, restarts.
    /// The same world gives the same log.
    pub fn run_logged(&self) -> (Result<Verdict, String>, Vec<String>) {
        let log = Log::new();
        let verdict = self.run_with(&log);
        (verdict, log.lines())
    }

    fn run_with(&self, log: &Log) -> Result<Verdict, String> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .map_err(|error| error.to_string())?;
        runtime.block_on(self.live(log))
    }

    async fn live(&self, log: &Log) -> Result<Verdict, String> {
        log.begin();
        let seed = Seed::from(self.seed);
        let crowd = Arc::new(Crowd::new(&self.game, seed.derive("players")));
        let network = SimNetwork::new(&crowd, self.failures, seed.derive("network"), log);
        let network = Arc::new(network);
        let store = Arc::new(SimStore::new(seed.derive("store")));
        let mut rng = seed.derive("world").rng();
        let orders: Vec<Order> = (0..self.matches).map(|n| self.order(n, &mut rng)).collect();
        let crashes = if self.crashes == 0 { 0 } else { rng.below(self.crashes + 1) };
        let mut verdict = Verdict::default();
        for life in 0..=crashes {
            let settings = Settings { offload: false, ..Settings::default() };
            let manager =
                Arc::new(Manager::new(Arc::clone(&network), Arc::clone(&store), settings));
            log.note(|| format!("the manager starts, life {}", life + 1));
            let mut tasks = self.launch(&manager, &orders, &mut rng).await?;
            let lifetime = Duration::from_millis(1 + rng.below(4_000));
            let done = async {
                let mut resumed = 0;
                while let Some(task) = tasks.join_next().await {
                    resumed += task.map_err(|error| error.to_string())??;
                }
                Ok::<u64, String>(resumed)
            };
            if life == crashes {
                verdict.resumed += done.await?;
                break;
            }
            // The manager dies in the middle of its work. Messages on the network are still
            // delivered, and the players live on.
            tokio::select! {
                finished = done => {
                    verdict.resumed += finished?;
                    break;
                }
                () = sleep(lifetime) => verdict.crashes += 1,
            }
            log.note(|| "the manager crashes".to_owned());
            tasks.abort_all();
            while tasks.join_next().await.is_some() {}
            sleep(Duration::from_millis(rng.below(3_000))).await;
        }
        // Late messages arrive before the final checks.
        sleep(Duration::from_mins(1)).await;
        self.judge(&orders, &store, &crowd, verdict)
    }

    /// Starts the matches that the store does not contain, and resumes the others.
    async fn launch(
        &self,
        manager: &Arc<Manager<SimNetwork, SimStore>>,
        orders: &[Order],
        rng: &mut Rng,
    ) -> Result<JoinSet<Result<u64, String>>, String> {
        let mut tasks = JoinSet::new();
        for stored in manager.unfinished().await.map_err(|error| error.to_string())? {
            let (manager, game, wire) =
                (Arc::clone(manager), Arc::clone(&self.game), Arc::clone(&self.wire));
            tasks.spawn(async move {
                let recovered =
                    manager.recover_one(stored, Some((game, wire)), Manner::default()).await;
                match recovered.map_err(|error| error.to_string())?.recovery {
                    Recovery::Resumed => Ok(1),
                    Recovery::Broken => Err("a match could not be rebuilt".to_owned()),
                    Recovery::Dismissed | Recovery::Aborted => Ok(0),
                }
            });
        }
        for order in orders {
            let known = manager.store().load(&order.id).await.map_err(|error| error.to_string())?;
            if known.is_none() {
                let (manager, order) = (Arc::clone(manager), order.clone());
                let wait = Duration::from_millis(rng.below(2_000));
                tasks.spawn(async move {
                    sleep(wait).await;
                    manager.play(order).await.map_err(|error| error.to_string())?;
                    Ok(0)
                });
            }
        }
        Ok(tasks)
    }

    fn order(&self, number: usize, rng: &mut Rng) -> Order {
        let id = format!("w{}-m{number}", self.seed);
        let seats = self.game.info().players().enumerate().map(|(seat, _)| {
            let repeats = rng.below(3) > 0;
            let end = if repeats { "-repeats" } else { "" };
            let name = format!("p{number}-{seat}{end}");
            SeatOrder::Remote { address: name.clone(), name, repeats }
        });
        Order {
            id,
            game: Arc::clone(&self.game),
            wire: Arc::clone(&self.wire),
            rules: None,
            seats: seats.collect(),
            start: Duration::from_secs(2),
            play: Duration::from_secs(1),
            grace: Duration::from_millis(100),
            max_steps: 200,
            seed: Seed::from(self.seed).derive_index(number as u64),
            salt: None,
            manner: Manner::default(),
            tournament: None,
        }
    }

    fn judge(
        &self,
        orders: &[Order],
        store: &SimStore,
        crowd: &Crowd,
        mut verdict: Verdict,
    ) -> Result<Verdict, String> {
        crowd.verdict()?;
        let stored = store.durable();
        if stored.len() != orders.len() {
            return Err(format!("{} of {} matches are stored", stored.len(), orders.len()));
        }
        for one in stored {
            let id = one.record.id.clone().unwrap_or_default();
            let broken = |what: String| format!("match {id}: {what}");
            if one.status != Status::Ended {
                return Err(broken(format!("is left {}", one.status.name())));
            }
            crowd.judge(&one.record).map_err(broken)?;
            verdict.matches += 1;
            verdict.faults +=
                one.record.errors.iter().filter(|fault| fault.kind.is_mistake()).count() as u64;
            if one.is_aborted() {
                verdict.aborted += 1;
                if verdict.crashes == 0 {
                    return Err(broken("was aborted although nothing crashed".to_owned()));
                }
            } else {
                verdict.terminal += 1;
            }
            let text = format!("{:?}{:?}", one.record.moves, one.record.errors);
            let hash = magister_core::rules_hash(&text);
            let word = u64::from_str_radix(&hash[..16], 16).unwrap_or(0);
            verdict.fingerprint = verdict.fingerprint.rotate_left(5) ^ word;
        }
        if self.failures == 0 && verdict.crashes == 0 && verdict.faults > 0 {
            return Err(format!("{} faults although nothing went wrong", verdict.faults));
        }
        Ok(verdict)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn world(game: &str, seed: u64, failures: u64, crashes: u64) -> World {
        let options = magister::Options::default();
        let (playable, wire) = crate::wire::open(&options.find(game).unwrap()).unwrap();
        let (game, wire) = (playable.game, Arc::new(wire));
        World { seed, matches: 10, failures, crashes, game, wire }
    }

    #[test]
    fn a_peaceful_world_has_no_faults() {
        for game in ["tictactoe", "blind-tictactoe"] {
            let verdict = world(game, 1, 0, 0).run().unwrap();
            assert_eq!((verdict.terminal, verdict.faults), (10, 0));
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_world() {
        let world = world("tictactoe", 5, 50, 3);
        assert_eq!(world.run().unwrap(), world.run().unwrap());
        let (first, second) = (world.run_logged(), world.run_logged());
        assert_eq!(first, second);
        assert_eq!(first.0, world.run());
        assert!(first.1.iter().any(|line| line.contains("PLAY")), "{:?}", first.1);
    }

    #[test]
    fn nothing_is_lost_in_worlds_with_faults_and_crashes() {
        for game in ["tictactoe", "blind-tictactoe"] {
            let first = world(game, 0, 40, 3);
            let mut sum = Verdict::default();
            for seed in 0..60 {
                let world = World { seed, ..first.clone() };
                match world.run() {
                    Ok(verdict) => sum = sum.and(verdict),
                    Err(broken) => panic!("{game}, seed {seed}: {broken}"),
                }
            }
            assert_eq!(sum.matches, 600);
            // The worlds are harsh enough to find defects.
            assert!(sum.crashes > 30 && sum.resumed > 20 && sum.aborted > 20, "{sum:?}");
            assert!(sum.faults > 100, "{sum:?}");
        }
    }
}
