//! The remote players of matches on this machine.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use magister_arena::Seating;
use magister_core::{Game, PlayerSource};

use crate::remote::{RemoteSource, Seated, fresh_id, names_of};
use crate::session::match_name;

/// Remote players that may be invited to matches.
///
/// All players of a match get the same match name, which is also in the record. A GGP player plays
/// one match at a time and replies `busy` to others, so a match waits until its players are free.
/// If one player has several seats of a match, the name differs from the second seat on, because
/// messages do not identify the role.
#[derive(Default)]
pub struct RemoteTable {
    players: BTreeMap<String, RemoteSource>,
    taken: Arc<Occupied>,
}

#[derive(Default)]
struct Occupied {
    names: Mutex<BTreeSet<String>>,
    freed: Condvar,
}

/// Players that are reserved for a match until this is dropped.
pub(crate) struct Taken {
    names: BTreeSet<String>,
    occupied: Arc<Occupied>,
}

impl fmt::Debug for RemoteTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoteTable")
            .field("players", &self.players.keys().collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}

impl RemoteTable {
    /// A table with these players.
    pub fn new(players: impl IntoIterator<Item = RemoteSource>) -> Self {
        let players = players.into_iter().map(|one| (one.name(), one)).collect();
        RemoteTable { players, taken: Arc::default() }
    }

    /// Waits until players are free and reserves them, all at once, so that no two matches wait for
    /// each other.
    fn take(&self, names: BTreeSet<String>) -> Taken {
        let mut held = self.taken.names.lock().unwrap_or_else(PoisonError::into_inner);
        while !held.is_disjoint(&names) {
            held = self.taken.freed.wait(held).unwrap_or_else(PoisonError::into_inner);
        }
        held.extend(names.iter().cloned());
        Taken { names, occupied: Arc::clone(&self.taken) }
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        let mut held = self.occupied.names.lock().unwrap_or_else(PoisonError::into_inner);
        held.retain(|name| !self.names.contains(name));
        drop(held);
        self.occupied.freed.notify_all();
    }
}

impl Seating for RemoteTable {
    fn seat(
        &self,
        game: &dyn Game,
        players: &[Arc<dyn PlayerSource>],
    ) -> (Option<String>, Vec<Arc<dyn PlayerSource>>) {
        let remote = |player: &Arc<dyn PlayerSource>| self.players.get(&player.name());
        let names: BTreeSet<String> =
            players.iter().filter_map(remote).map(PlayerSource::name).collect();
        if names.is_empty() {
            return (None, players.to_vec());
        }
        let taken = Arc::new(self.take(names));
        let id = fresh_id(&game.info().name);
        let names = names_of(&id);
        let mut seats: BTreeMap<String, usize> = BTreeMap::new();
        let seated = players.iter().map(|player| -> Arc<dyn PlayerSource> {
            let Some(source) = remote(player) else { return Arc::clone(player) };
            let before = seats.entry(player.name()).or_default();
            let id = match_name(&id, *before);
            *before += 1;
            Arc::new(source.seated(Seated { id, names, _taken: Some(Arc::clone(&taken)) }))
        });
        let seated = seated.collect();
        (Some(id), seated)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Manner;
    use magister_arena::TimeControl;
    use magister_players::Spec;

    const GRACE: std::time::Duration = std::time::Duration::ZERO;

    fn source(address: &str) -> RemoteSource {
        let limits = TimeControl { time: None, start: None, grace: GRACE, iterations: None };
        RemoteSource::new(address.parse().unwrap(), limits, Manner::default())
    }

    #[test]
    fn a_player_is_in_one_match_at_a_time() {
        let table = Arc::new(RemoteTable::new([source("http://a"), source("http://b")]));
        let game = magister::open("tictactoe").unwrap().game;
        let players: Vec<Arc<dyn PlayerSource>> =
            vec![Arc::new(source("http://a")), Arc::new(source("http://a"))];
        let (id, first) = table.seat(&*game, &players);
        assert!(id.unwrap().starts_with("tictactoe."));
        // Local players need not wait.
        let other: Vec<Arc<dyn PlayerSource>> =
            vec![Arc::new(source("http://b")), Arc::new("random".parse::<Spec>().unwrap())];
        let (second, seated) = table.seat(&*game, &other);
        assert_eq!((second.is_some(), seated[1].name()), (true, "random".to_owned()));
        let (locals, _) = table.seat(&*game, &other[1..]);
        assert_eq!(locals, None);
        let (send, came) = std::sync::mpsc::channel();
        let waiting = Arc::clone(&table);
        let thread = std::thread::spawn(move || {
            let seated = waiting.seat(&*game, &players);
            send.send(()).unwrap();
            drop(seated);
        });
        assert!(came.recv_timeout(std::time::Duration::from_millis(100)).is_err());
        drop(first);
        came.recv().unwrap();
        thread.join().unwrap();
    }
}
