//! The metrics of a manager, in the text format of Prometheus.

use std::fmt::Write as _;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::routing::get;
use magister_core::{FaultKind, MatchEnd};
use magister_store::{CommitTimes, RequestKind, Store};
use tokio::net::TcpListener;
use tokio::time::Instant;

use super::Manager;
use crate::network::Network;

/// The upper bounds of the histogram of overheads, in seconds.
const BOUNDS: [f64; 10] = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1.0];

/// The number of overheads that are kept individually, for exact percentiles.
const KEPT: usize = 1_000_000;

/// The metrics of a manager.
#[derive(Debug, Default)]
pub struct Metrics {
    started: AtomicU64,
    running: AtomicU64,
    resumed: AtomicU64,
    ended: [AtomicU64; 3],
    requests: [AtomicU64; 2],
    faults: [AtomicU64; 3],
    turns: AtomicU64,
    overhead: Mutex<Overhead>,
}

#[derive(Debug, Default)]
struct Overhead {
    counts: [u64; BOUNDS.len()],
    count: u64,
    sum: f64,
    all: Vec<f32>,
}

impl Metrics {
    pub(super) fn started(&self) {
        self.started.fetch_add(1, Ordering::Relaxed);
    }

    /// Records that a match begins.
    pub(super) fn entered(&self) {
        self.running.fetch_add(1, Ordering::Relaxed);
    }

    /// Records that a match is no longer played.
    pub(super) fn left(&self) {
        self.running.fetch_sub(1, Ordering::Relaxed);
    }

    pub(super) fn resumed(&self) {
        self.resumed.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn ended(&self, end: MatchEnd) {
        let at = match end {
            MatchEnd::Terminal => 0,
            MatchEnd::Aborted => 1,
            _ => 2,
        };
        self.ended[at].fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn request(&self, kind: RequestKind) {
        self.requests[usize::from(kind == RequestKind::Play)].fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn fault(&self, kind: FaultKind) {
        let at = match kind {
            FaultKind::Late => 0,
            FaultKind::Illegal => 1,
            _ => 2,
        };
        self.faults[at].fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn turn(&self) {
        self.turns.fetch_add(1, Ordering::Relaxed);
    }

    /// Records the time from the last byte of the last answer until now, when the next request is
    /// sent.
    pub(super) fn overhead(&self, since: Instant) {
        let time = since.elapsed().as_secs_f64();
        let mut overhead = self.overhead.lock().unwrap_or_else(PoisonError::into_inner);
        overhead.count += 1;
        overhead.sum += time;
        for (count, bound) in overhead.counts.iter_mut().zip(BOUNDS) {
            *count += u64::from(time <= bound);
        }
        if overhead.all.len() < KEPT {
            overhead.all.push(time as f32);
        }
    }

    /// The quantile of the overhead at this share of all turns.
    pub fn overhead_quantile(&self, share: f64) -> Option<Duration> {
        let mut all = self.overhead.lock().unwrap_or_else(PoisonError::into_inner).all.clone();
        all.sort_by(f32::total_cmp);
        let at = ((all.len() as f64 * share).ceil() as usize).clamp(1, all.len().max(1)) - 1;
        all.get(at).map(|&seconds| Duration::from_secs_f32(seconds))
    }

    /// The number of turns that were made.
    pub fn turns(&self) -> u64 {
        self.turns.load(Ordering::Relaxed)
    }

    /// The number of matches that were started here.
    pub fn matches_started(&self) -> u64 {
        self.started.load(Ordering::Relaxed)
    }

    /// The page for Prometheus, with the commit times of a store if it has any.
    pub fn page(&self, commits: Option<CommitTimes>) -> String {
        let mut out = String::new();
        let mut family = |name: &str, kind: &str, help: &str, rows: &[(String, String)]| {
            let _ = writeln!(out, "# HELP magister_{name} {help}\n# TYPE magister_{name} {kind}");
            for (label, value) in rows {
                let _ = writeln!(out, "magister_{name}{label} {value}");
            }
        };
        let one = |count: &AtomicU64| count.load(Ordering::Relaxed).to_string();
        let rows = |label: &str, names: &[&str], counts: &[AtomicU64]| -> Vec<(String, String)> {
            let row = |(name, count): (&&str, &AtomicU64)| {
                (format!("{{{label}=\"{name}\"}}"), one(count))
            };
            names.iter().zip(counts).map(row).collect()
        };
        let plain = |count: &AtomicU64| vec![(String::new(), one(count))];
        family("matches_started_total", "counter", "Matches started.", &plain(&self.started));
        family("matches_running", "gauge", "Matches that are running.", &plain(&self.running));
        family("matches_resumed_total", "counter", "Matches resumed.", &plain(&self.resumed));
        let ends = rows("end", &["terminal", "aborted", "other"], &self.ended);
        family("matches_ended_total", "counter", "Matches that ended, by the kind of end.", &ends);
        let requests = rows("kind", &["start", "play"], &self.requests);
        family("requests_total", "counter", "Requests to remote players.", &requests);
        let faults = rows("kind", &["late", "illegal", "other"], &self.faults);
        family("faults_total", "counter", "Faults of players.", &faults);
        family("turns_total", "counter", "Turns played.", &plain(&self.turns));
        let overhead = self.overhead.lock().unwrap_or_else(PoisonError::into_inner);
        let rows = histogram(&BOUNDS, &overhead.counts, overhead.count, overhead.sum);
        let help = "Time from the last answer of a turn to the next request, including storage.";
        family("overhead_seconds", "histogram", help, &rows);
        if let Some(times) = commits {
            let CommitTimes { commits, appends, total, counts } = times;
            let sum = total.as_secs_f64();
            let rows = histogram(&CommitTimes::BOUNDS, &counts, commits, sum);
            let help = "Time of commits to the store, mostly fsync.";
            family("commit_seconds", "histogram", help, &rows);
            let rows = [(String::new(), appends.to_string())];
            family("appends_total", "counter", "Appends in all commits.", &rows);
        }
        out
    }
}

/// The lines of a histogram.
fn histogram(bounds: &[f64], counts: &[u64], count: u64, sum: f64) -> Vec<(String, String)> {
    let bucket =
        |(bound, count): (&f64, &u64)| (format!("_bucket{{le=\"{bound}\"}}"), count.to_string());
    let mut rows: Vec<(String, String)> = bounds.iter().zip(counts).map(bucket).collect();
    rows.push(("_bucket{le=\"+Inf\"}".to_owned(), count.to_string()));
    rows.push(("_sum".to_owned(), sum.to_string()));
    rows.push(("_count".to_owned(), count.to_string()));
    rows
}

/// Serves the page `/metrics` until the process ends.
pub async fn serve_metrics<N: Network, S: Store>(
    manager: Arc<Manager<N, S>>,
    listener: TcpListener,
) -> io::Result<()> {
    let page = get(move || {
        let manager = Arc::clone(&manager);
        async move {
            let kind = [("content-type", "text/plain; version=0.0.4; charset=utf-8")];
            (kind, manager.metrics().page(manager.store().commit_times()))
        }
    });
    axum::serve(listener, Router::new().route("/metrics", page)).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_counts() {
        let metrics = Metrics::default();
        metrics.started();
        metrics.entered();
        metrics.ended(MatchEnd::Terminal);
        metrics.fault(FaultKind::Late);
        let commits = CommitTimes { commits: 3, appends: 7, ..CommitTimes::default() };
        let page = metrics.page(Some(commits));
        assert!(page.contains("magister_matches_started_total 1\n"));
        assert!(page.contains("magister_matches_running 1\n"));
        assert!(page.contains("magister_matches_ended_total{end=\"terminal\"} 1\n"));
        assert!(page.contains("magister_faults_total{kind=\"late\"} 1\n"));
        assert!(page.contains("magister_overhead_seconds_count 0\n"));
        assert!(page.contains("magister_commit_seconds_count 3\n"));
        assert!(page.contains("magister_appends_total 7\n"));
        metrics.left();
        let page = metrics.page(None);
        assert!(page.contains("magister_matches_running 0\n"));
        assert!(!page.contains("commit_seconds"));
    }
}
