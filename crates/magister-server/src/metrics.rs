//! The metrics of the site, in the text format of Prometheus.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use crate::pool::PoolState;

/// Counters of a site.
#[derive(Debug)]
pub struct Metrics {
    started: Instant,
    requests: AtomicU64,
    errors: AtomicU64,
    refused: AtomicU64,
    created: AtomicU64,
    ended: AtomicU64,
    turns: AtomicU64,
    streams: AtomicU64,
}

impl Default for Metrics {
    fn default() -> Self {
        let zero = || AtomicU64::new(0);
        Metrics {
            started: Instant::now(),
            requests: zero(),
            errors: zero(),
            refused: zero(),
            created: zero(),
            ended: zero(),
            turns: zero(),
            streams: zero(),
        }
    }
}

impl Metrics {
    /// Counts a request that was answered with this status.
    pub fn answered(&self, status: u16) {
        self.requests.fetch_add(1, Ordering::Relaxed);
        if status >= 500 {
            self.errors.fetch_add(1, Ordering::Relaxed);
        } else if status == 429 {
            self.refused.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Counts a match that was created.
    pub fn created(&self) {
        self.created.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a match that ended.
    pub fn ended(&self) {
        self.ended.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a turn.
    pub fn turn(&self) {
        self.turns.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts an event stream that is opened. Returns false if there are too many.
    pub fn open_stream(&self, most: u64) -> bool {
        let open = self.streams.fetch_add(1, Ordering::Relaxed);
        if open >= most {
            self.close_stream();
        }
        open < most
    }

    /// Counts an event stream that was closed.
    pub fn close_stream(&self) {
        self.streams.fetch_sub(1, Ordering::Relaxed);
    }

    /// The counters as text.
    pub fn text(&self, live: usize, pool: PoolState) -> String {
        let get = |counter: &AtomicU64| counter.load(Ordering::Relaxed) as f64;
        let mut text = String::new();
        let mut add = |name: &str, kind: &str, help: &str, value: f64| {
            let _ = writeln!(text, "# HELP magister_{name} {help}");
            let _ = writeln!(text, "# TYPE magister_{name} {kind}");
            let _ = writeln!(text, "magister_{name} {value}");
        };
        add(
            "uptime_seconds",
            "gauge",
            "Seconds since the start",
            self.started.elapsed().as_secs_f64(),
        );
        add("requests_total", "counter", "Answered requests", get(&self.requests));
        add("errors_total", "counter", "Requests that failed", get(&self.errors));
        add("refused_total", "counter", "Requests above the rate limit", get(&self.refused));
        add("matches_created_total", "counter", "Matches created", get(&self.created));
        add("matches_ended_total", "counter", "Matches ended", get(&self.ended));
        add("turns_total", "counter", "Turns played", get(&self.turns));
        add("matches_loaded", "gauge", "Matches in memory", live as f64);
        add("event_streams", "gauge", "Open event streams", get(&self.streams));
        add("searches_running", "gauge", "Running searches", pool.running as f64);
        add("searches_waiting", "gauge", "Waiting searches", pool.waiting as f64);
        add("searches_total", "counter", "Finished searches", pool.done as f64);
        text
    }
}
