//! How the lead develops in a match.

use crate::analysis::StrongPlay;

/// A match with the expected rewards at each position.
pub(crate) struct Played {
    pub(crate) rewards: Vec<f64>,
    /// The expected reward of each seat before each step, if known.
    pub(crate) leads: Vec<Option<Vec<f64>>>,
    pub(crate) spread: f64,
}

impl Played {
    /// The lead of a seat over the best of the others, at each step.
    pub(crate) fn ahead(&self, seat: usize) -> Vec<f64> {
        let ahead = |values: &Vec<f64>| {
            let others = values.iter().enumerate().filter(|&(at, _)| at != seat);
            let best = others.map(|(_, &value)| value).fold(f64::MIN, f64::max);
            (values[seat] - best) / self.spread
        };
        self.leads.iter().flatten().map(ahead).collect()
    }

    /// Adds the drama of the match for its winner.
    pub(crate) fn drama(&self, winner: usize, found: &mut StrongPlay) {
        let ahead = self.ahead(winner);
        let behind: Vec<f64> = ahead.iter().filter(|&&lead| lead < 0.0).map(|lead| -lead).collect();
        found.drama +=
            behind.iter().map(|lead| lead.sqrt()).sum::<f64>() / behind.len().max(1) as f64;
        let last = ahead.iter().rposition(|&lead| lead <= 0.0).map_or(0, |at| at + 1);
        found.decided += 1.0 - last as f64 / ahead.len().max(1) as f64;
    }

    /// The number of lead changes.
    pub(crate) fn changes(&self) -> f64 {
        let leader = |values: &Vec<f64>| {
            let most = values.iter().copied().fold(f64::MIN, f64::max);
            let mut best = (0..values.len()).filter(|&seat| values[seat] >= most);
            best.next().filter(|_| best.next().is_none())
        };
        let leaders: Vec<usize> = self.leads.iter().flatten().filter_map(leader).collect();
        leaders.windows(2).filter(|pair| pair[0] != pair[1]).count() as f64
    }
}
