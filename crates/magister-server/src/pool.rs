//! Searches in a fair pool of threads.
//!
//! There is one thread per processor. Waiting searches are served by owner in turn, so that a user
//! with many searches does not delay the others. The clock of a player starts when its search
//! starts.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// Work for the pool.
type Work = Box<dyn FnOnce() + Send>;

/// A pool of threads. Copies share it.
#[derive(Clone)]
pub struct Pool(Arc<Inner>);

struct Inner {
    queue: Mutex<Queue>,
    wake: Condvar,
}

#[derive(Default)]
struct Queue {
    waiting: BTreeMap<String, VecDeque<(u64, Work)>>,
    /// The owners with waiting work, in turn.
    turns: VecDeque<String>,
    next: u64,
    running: usize,
    done: u64,
    closed: bool,
}

impl Queue {
    /// The next work: the oldest work of the owner whose turn it is.
    fn take(&mut self) -> Option<Work> {
        let owner = self.turns.pop_front()?;
        let list = self.waiting.get_mut(&owner)?;
        let (_, work) = list.pop_front()?;
        if list.is_empty() {
            self.waiting.remove(&owner);
        } else {
            self.turns.push_back(owner);
        }
        Some(work)
    }
}

/// The state of a pool, for people and metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolState {
    /// The number of running searches.
    pub running: usize,
    /// The number of waiting searches.
    pub waiting: usize,
    /// The number of completed searches.
    pub done: u64,
}

impl Pool {
    /// A pool with this many threads.
    pub fn new(threads: usize) -> Self {
        let inner = Arc::new(Inner { queue: Mutex::default(), wake: Condvar::new() });
        for _ in 0..threads.max(1) {
            let inner = Arc::clone(&inner);
            let made = thread::Builder::new().name("search".to_owned()).spawn(move || inner.run());
            if let Err(error) = made {
                tracing::error!(%error, "a search thread cannot be started");
            }
        }
        Pool(inner)
    }

    /// Puts work into the queue. Returns its ticket, for [`Pool::place`].
    pub fn put(&self, owner: &str, work: impl FnOnce() + Send + 'static) -> u64 {
        let mut queue = self.0.lock();
        let ticket = queue.next;
        queue.next += 1;
        if !queue.waiting.contains_key(owner) {
            queue.turns.push_back(owner.to_owned());
        }
        queue.waiting.entry(owner.to_owned()).or_default().push_back((ticket, Box::new(work)));
        drop(queue);
        self.0.wake.notify_one();
        ticket
    }

    /// The number of searches that start before this one; `None` if it is not waiting.
    pub fn place(&self, ticket: u64) -> Option<usize> {
        let queue = self.0.lock();
        let (owner, depth) = queue.waiting.iter().find_map(|(owner, list)| {
            let depth = list.iter().position(|(one, _)| *one == ticket)?;
            Some((owner, depth))
        })?;
        let turn = queue.turns.iter().position(|one| one == owner)?;
        // In each round, all owners before this one get one turn; in earlier rounds, all owners do.
        let before: usize = queue
            .turns
            .iter()
            .enumerate()
            .map(|(at, other)| {
                let length = queue.waiting.get(other).map_or(0, VecDeque::len);
                if other == owner { depth } else { length.min(depth + usize::from(at < turn)) }
            })
            .sum();
        Some(before)
    }

    /// Its current state.
    pub fn state(&self) -> PoolState {
        let queue = self.0.lock();
        let waiting = queue.waiting.values().map(VecDeque::len).sum();
        PoolState { running: queue.running, waiting, done: queue.done }
    }

    /// Ends the threads after their current work. Waiting work is dropped.
    pub fn close(&self) {
        let mut queue = self.0.lock();
        queue.closed = true;
        queue.waiting.clear();
        queue.turns.clear();
        drop(queue);
        self.0.wake.notify_all();
    }
}

impl std::fmt::Debug for Pool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.state().fmt(f)
    }
}

impl Inner {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self) {
        loop {
            let mut queue = self.lock();
            let work = loop {
                if queue.closed {
                    return;
                }
                if let Some(work) = queue.take() {
                    break work;
                }
                queue = self.wake.wait(queue).unwrap_or_else(PoisonError::into_inner);
            };
            queue.running += 1;
            drop(queue);
            if std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).is_err() {
                tracing::error!("a search crashed");
            }
            let mut queue = self.lock();
            queue.running -= 1;
            queue.done += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn owners_take_turns() {
        let pool = Pool::new(1);
        let (send, receive) = mpsc::channel();
        let (open, gate) = mpsc::channel::<()>();
        // The only thread is busy until the gate opens.
        pool.put("gate", move || gate.recv().unwrap());
        let mut tickets = Vec::new();
        for (owner, count) in [("many", 4), ("few", 1), ("two", 2)] {
            for number in 0..count {
                let send = send.clone();
                tickets.push(pool.put(owner, move || send.send((owner, number)).unwrap()));
            }
        }
        while pool.state().running == 0 {
            thread::yield_now();
        }
        let places: Vec<_> = tickets.iter().map(|&ticket| pool.place(ticket)).collect();
        open.send(()).unwrap();
        let order: Vec<_> = (0..7).map(|_| receive.recv().unwrap()).collect();
        let expected = [
            ("many", 0),
            ("few", 0),
            ("two", 0),
            ("many", 1),
            ("two", 1),
            ("many", 2),
            ("many", 3),
        ];
        assert_eq!(order, expected);
        let all: Vec<(&str, i32)> = [("many", 4), ("few", 1), ("two", 2)]
            .iter()
            .flat_map(|&(owner, count)| (0..count).map(move |number| (owner, number)))
            .collect();
        for (ticket, place) in all.iter().zip(places) {
            let at = expected.iter().position(|one| one == ticket);
            assert_eq!(place, at, "{ticket:?}");
        }
        pool.close();
    }
}
