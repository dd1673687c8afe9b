//! The pairings of a round in a Swiss tournament.

/// The players' results before a round, by player number.
pub(crate) struct Standings {
    /// The points so far, including those for byes.
    pub(crate) points: Vec<f64>,
    /// The number of byes of each player.
    pub(crate) byes: Vec<u32>,
    /// How often each pair met.
    pub(crate) met: Vec<Vec<u32>>,
}

/// The maximum number of attempts to avoid repeated pairings; after that, the first possible
/// pairings are used.
const ATTEMPTS: u32 = 20_000;

/// The groups of a round, best first, and the players with a bye. If there are too few players for
/// a game, all are in one group, in which some have two seats.
pub(crate) fn round(standings: &Standings, seats: usize) -> (Vec<Vec<usize>>, Vec<usize>) {
    let Standings { points, byes, met } = standings;
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by(|&a, &b| points[b].total_cmp(&points[a]).then(a.cmp(&b)));
    if order.len() <= seats {
        return (vec![order], Vec::new());
    }
    // The bye goes to the lowest-ranked among the players with the fewest byes.
    let mut out = Vec::new();
    for _ in 0..order.len() % seats {
        let least = order.iter().map(|&player| byes[player]).min().unwrap_or(0);
        if let Some(at) = order.iter().rposition(|&player| byes[player] == least) {
            out.push(order.remove(at));
        }
    }
    if seats != 2 {
        return (order.chunks(seats).map(<[_]>::to_vec).collect(), out);
    }
    // First without repeated pairings, then with at most one repetition, and so on.
    let most = met.iter().flatten().copied().max().unwrap_or(0);
    for again in 0..=most {
        let mut pairs = Vec::new();
        let may = |a: usize, b: usize| met[a][b] <= again;
        if pair(&mut order.clone(), &may, &mut pairs, &mut ATTEMPTS.clone()) {
            return (pairs, out);
        }
    }
    (order.chunks(2).map(<[_]>::to_vec).collect(), out)
}

/// Pairs the first player with the next possible opponent such that the others can be paired too.
fn pair(
    left: &mut Vec<usize>,
    may: &impl Fn(usize, usize) -> bool,
    pairs: &mut Vec<Vec<usize>>,
    attempts: &mut u32,
) -> bool {
    if left.len() < 2 {
        return true;
    }
    let first = left.remove(0);
    for at in 0..left.len() {
        if !may(first, left[at]) {
            continue;
        }
        *attempts = attempts.saturating_sub(1);
        if *attempts == 0 {
            break;
        }
        let other = left.remove(at);
        pairs.push(vec![first, other]);
        if pair(left, may, pairs, attempts) {
            return true;
        }
        pairs.pop();
        left.insert(at, other);
    }
    left.insert(0, first);
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Plays all rounds; the lower number always wins.
    fn played(players: usize, rounds: usize) -> (Standings, Vec<Vec<Vec<usize>>>) {
        let mut standings = Standings {
            points: vec![0.0; players],
            byes: vec![0; players],
            met: vec![vec![0; players]; players],
        };
        let mut all = Vec::new();
        for _ in 0..rounds {
            let (groups, out) = round(&standings, 2);
            for group in &groups {
                let (a, b) = (group[0], group[1]);
                standings.points[a.min(b)] += 1.0;
                standings.met[a][b] += 1;
                standings.met[b][a] += 1;
            }
            for player in out {
                standings.points[player] += 1.0;
                standings.byes[player] += 1;
            }
            all.push(groups);
        }
        (standings, all)
    }

    #[test]
    fn no_repeated_pairings_and_byes() {
        for players in [2, 3, 5, 6, 7, 8, 11] {
            let rounds = if players % 2 == 0 { players - 1 } else { players };
            let (standings, all) = played(players, rounds);
            assert!(standings.met.iter().flatten().all(|&met| met <= 1), "{players}");
            let byes = u32::from(players % 2 == 1);
            assert!(standings.byes.iter().all(|&count| count == byes), "{players}");
            assert!(all.iter().all(|groups| groups.len() == players / 2));
        }
    }

    #[test]
    fn repetitions_are_spread_evenly() {
        let (standings, _) = played(4, 6);
        for a in 0..4 {
            for b in (0..4).filter(|&b| b != a) {
                assert_eq!(standings.met[a][b], 2);
            }
        }
    }

    #[test]
    fn the_winner_leads() {
        let (standings, _) = played(8, 3);
        let best = (0..8).max_by(|&a, &b| standings.points[a].total_cmp(&standings.points[b]));
        assert_eq!((best, standings.points[0]), (Some(0), 3.0));
    }

    #[test]
    fn games_for_three_have_byes_too() {
        let standings =
            Standings { points: vec![0.0; 5], byes: vec![0; 5], met: vec![vec![0; 5]; 5] };
        let (groups, out) = round(&standings, 3);
        assert_eq!((groups, out), (vec![vec![0, 1, 2]], vec![4, 3]));
        let standings =
            Standings { points: vec![0.0; 2], byes: vec![0; 2], met: vec![vec![0; 2]; 2] };
        assert_eq!(round(&standings, 3), (vec![vec![0, 1]], vec![]));
    }
}
