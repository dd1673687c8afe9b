//! Limits on the requests of each address: their rate, and their number at the same time.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// A limit on the rate of requests of each address: `burst` at once, and then `per_second`.
///
/// An IPv6 address counts as its 64-bit network, because a single user has all of it.
#[derive(Debug)]
pub struct RateLimit {
    rate: Rate,
    buckets: Mutex<BTreeMap<IpAddr, Bucket>>,
}

/// How many requests are allowed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    /// Requests per second, on average.
    pub per_second: f64,
    /// The maximum number of requests at once.
    pub burst: f64,
}

impl Default for Rate {
    fn default() -> Self {
        Rate { per_second: 100.0, burst: 400.0 }
    }
}

#[derive(Debug)]
struct Bucket {
    left: f64,
    at: Instant,
}

/// The maximum number of addresses to remember.
const MOST: usize = 10_000;

impl RateLimit {
    /// A new limit.
    pub fn new(rate: Rate) -> Self {
        RateLimit { rate, buckets: Mutex::default() }
    }

    /// Whether a request from an address at this time is allowed.
    pub fn allows(&self, from: IpAddr, now: Instant) -> bool {
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= MOST {
            // An address whose bucket is full again is treated like an unknown address.
            buckets.retain(|_, bucket| self.filled(bucket, now) < self.rate.burst);
            if buckets.len() >= MOST {
                buckets.clear();
            }
        }
        let full = Bucket { left: self.rate.burst, at: now };
        let bucket = buckets.entry(network(from)).or_insert(full);
        bucket.left = self.filled(bucket, now);
        bucket.at = now;
        let allowed = bucket.left >= 1.0;
        if allowed {
            bucket.left -= 1.0;
        }
        allowed
    }

    fn filled(&self, bucket: &Bucket, now: Instant) -> f64 {
        let rest = now.saturating_duration_since(bucket.at).as_secs_f64();
        (bucket.left + rest * self.rate.per_second).min(self.rate.burst)
    }
}

/// A limit on the concurrently arriving requests of each address, so that slow senders at one
/// address cannot occupy the places of all others.
#[derive(Debug)]
pub struct ArrivalLimit {
    most: usize,
    arriving: Mutex<BTreeMap<IpAddr, usize>>,
}

/// A request that is arriving, until this is dropped.
#[derive(Debug)]
pub struct Arriving<'a> {
    limit: &'a ArrivalLimit,
    from: IpAddr,
}

impl ArrivalLimit {
    /// A limit with this number of requests for each address.
    pub fn new(most: usize) -> Self {
        ArrivalLimit { most, arriving: Mutex::default() }
    }

    /// Registers a request that begins to arrive. `None` if there are too many of its address.
    pub fn enter(&self, from: IpAddr) -> Option<Arriving<'_>> {
        let from = network(from);
        let mut arriving = self.locked();
        let count = arriving.entry(from).or_default();
        if *count >= self.most {
            return None;
        }
        *count += 1;
        Some(Arriving { limit: self, from })
    }

    fn locked(&self) -> MutexGuard<'_, BTreeMap<IpAddr, usize>> {
        self.arriving.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Arriving<'_> {
    fn drop(&mut self) {
        let mut arriving = self.limit.locked();
        if let Some(count) = arriving.get_mut(&self.from) {
            *count -= 1;
            if *count == 0 {
                arriving.remove(&self.from);
            }
        }
    }
}

fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::V6(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0))
        }
        address @ IpAddr::V4(_) => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_burst_and_then_a_rate() {
        let limit = RateLimit::new(Rate { per_second: 2.0, burst: 3.0 });
        let (one, other) = ("10.0.0.1".parse().unwrap(), "10.0.0.2".parse().unwrap());
        let now = Instant::now();
        let count = |from, now| (0..10).filter(|_| limit.allows(from, now)).count();
        assert_eq!(count(one, now), 3);
        assert_eq!(count(other, now), 3);
        assert_eq!(count(one, now + Duration::from_secs(1)), 2);
        assert_eq!(count(one, now + Duration::from_mins(1)), 3);
    }

    #[test]
    fn a_network_of_ipv6_is_one_address() {
        let limit = RateLimit::new(Rate { per_second: 1.0, burst: 1.0 });
        let now = Instant::now();
        assert!(limit.allows("2001:db8::1".parse().unwrap(), now));
        assert!(!limit.allows("2001:db8::2".parse().unwrap(), now));
        assert!(limit.allows("2001:db8:0:1::1".parse().unwrap(), now));
        assert!(limit.allows("::ffff:10.0.0.1".parse().unwrap(), now));
        assert!(!limit.allows("10.0.0.1".parse().unwrap(), now));
    }

    #[test]
    fn one_address_does_not_take_all_places() {
        let limit = ArrivalLimit::new(2);
        let (one, other) = ("10.0.0.1".parse().unwrap(), "10.0.0.2".parse().unwrap());
        let held = [limit.enter(one), limit.enter(one)];
        assert!(held.iter().all(Option::is_some));
        assert!(limit.enter(one).is_none());
        assert!(limit.enter(other).is_some());
        drop(held);
        assert!(limit.enter(one).is_some());
        assert!(limit.locked().is_empty());
    }

    #[test]
    fn many_addresses_do_not_fill_the_memory() {
        let limit = RateLimit::new(Rate::default());
        let now = Instant::now();
        for number in 0..50_000u32 {
            assert!(limit.allows(IpAddr::V4(number.into()), now));
        }
        assert!(limit.buckets.lock().unwrap().len() <= MOST);
    }
}
