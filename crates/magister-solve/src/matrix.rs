//! Matrix games: the value of simultaneous moves.

/// The solution of a zero-sum matrix game.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// The guaranteed value for the row player.
    pub value: f64,
    /// The probability of each row.
    pub rows: Vec<f64>,
}

/// Numbers below this count as zero.
const TINY: f64 = 1e-9;

/// Solves a zero-sum matrix game exactly: `payoff(row, column)` goes from the column player to the
/// row player.
///
/// The linear program maximises, over mixtures of rows, the minimum over columns. The simplex
/// method solves its dual with Bland's rule, which cannot cycle. The payoffs are shifted to be
/// positive, so zero is a feasible start.
pub fn zero_sum(rows: usize, columns: usize, payoff: impl Fn(usize, usize) -> f64) -> Solution {
    let cell = |at: usize| payoff(at / columns, at % columns);
    let (low, high) = (0..rows * columns)
        .map(cell)
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
    // A pure saddle point needs no linear program, and most matrices have one.
    if let Some((row, value)) = saddle(rows, columns, &payoff) {
        let mut strategy = vec![0.0; rows];
        strategy[row] = 1.0;
        return Solution { value, rows: strategy };
    }
    let spread = (high - low).max(TINY);
    // Payoffs from 1 to 2.
    let positive = |row: usize, column: usize| 1.0 + (payoff(row, column) - low) / spread;

    // Maximise the sum of y subject to A y <= 1, y >= 0: the column player's program. The row
    // player's mixture is in the reduced costs of the slack variables.
    let width = columns + rows + 1;
    let mut table = vec![0.0; (rows + 1) * width];
    let mut basis: Vec<usize> = (columns..columns + rows).collect();
    for row in 0..rows {
        for column in 0..columns {
            table[row * width + column] = positive(row, column);
        }
        table[row * width + columns + row] = 1.0;
        table[row * width + width - 1] = 1.0;
    }
    for column in 0..columns {
        table[rows * width + column] = -1.0;
    }
    // Bland's rule ends after finitely many steps; rounding errors might prevent that, so the steps
    // are counted.
    for _ in 0..50 * (rows + columns) + 100 {
        let Some(enter) = (0..width - 1).find(|&at| table[rows * width + at] < -TINY) else {
            break;
        };
        let mut leave: Option<(f64, usize)> = None;
        for row in 0..rows {
            let pivot = table[row * width + enter];
            if pivot > TINY {
                let ratio = table[row * width + width - 1] / pivot;
                let better = leave.is_none_or(|(best, at)| {
                    ratio < best - TINY || (ratio < best + TINY && basis[row] < basis[at])
                });
                if better {
                    leave = Some((ratio, row));
                }
            }
        }
        let Some((_, row)) = leave else { break };
        turn(&mut table, width, row, enter);
        basis[row] = enter;
    }
    let total = table[rows * width + width - 1];
    let mut strategy: Vec<f64> =
        (0..rows).map(|row| (table[rows * width + columns + row] / total).max(0.0)).collect();
    let sum: f64 = strategy.iter().sum();
    strategy.iter_mut().for_each(|share| *share /= sum);
    // The true value of this mixture, independent of rounding errors.
    let gives =
        |column: usize| -> f64 { (0..rows).map(|row| strategy[row] * payoff(row, column)).sum() };
    let value = (0..columns).map(gives).fold(f64::INFINITY, f64::min);
    Solution { value, rows: strategy }
}

/// Pivots: makes a variable basic.
fn turn(table: &mut [f64], width: usize, row: usize, column: usize) {
    let pivot = table[row * width + column];
    let own: Vec<f64> = table[row * width..][..width].iter().map(|x| x / pivot).collect();
    for (at, line) in table.chunks_exact_mut(width).enumerate() {
        let factor = line[column];
        if at == row {
            line.copy_from_slice(&own);
        } else if factor != 0.0 {
            line.iter_mut().zip(&own).for_each(|(x, own)| *x -= factor * own);
        }
    }
}

/// A saddle point: a row and its value, which is both the minimum of the row and the maximum of its
/// column.
fn saddle(
    rows: usize,
    columns: usize,
    payoff: &impl Fn(usize, usize) -> f64,
) -> Option<(usize, f64)> {
    let worst = |row| (0..columns).map(|column| payoff(row, column)).fold(f64::INFINITY, f64::min);
    let best = |column| (0..rows).map(|row| payoff(row, column)).fold(f64::NEG_INFINITY, f64::max);
    let (row, value) =
        (0..rows).map(|row| (row, worst(row))).reduce(|a, b| if b.1 > a.1 { b } else { a })?;
    let allowed = (0..columns).map(best).fold(f64::INFINITY, f64::min);
    (allowed - value <= TINY).then_some((row, value))
}

/// Rounds of regret matching: regrets shrink with the square root of their number.
const ROUNDS: usize = 1000;

/// Regret matching for several players with arbitrary payoffs.
///
/// `counts` are the numbers of moves, `payoff(picks, player)` is the payoff of a player. All
/// players simultaneously adapt their mixtures to their regrets. The empirical distribution of play
/// converges to a coarse correlated equilibrium: no player would have done better on average with a
/// single fixed move. A Nash equilibrium also exists for any number of players and any payoffs, but
/// it is hard to compute, and the others may play a different one.
pub fn regret_matching(
    counts: &[usize],
    payoff: impl Fn(&[usize], usize) -> f64,
) -> (Vec<Vec<f64>>, Vec<f64>) {
    let players = counts.len();
    let cells: usize = counts.iter().product();
    // All payoffs, profile after profile.
    let mut payoffs = vec![0.0; cells * players];
    let mut picks = vec![0; players];
    let mut all_picks = Vec::with_capacity(cells * players);
    for cell in 0..cells {
        for player in 0..players {
            payoffs[cell * players + player] = payoff(&picks, player);
        }
        all_picks.extend_from_slice(&picks);
        for (pick, count) in picks.iter_mut().zip(counts).rev() {
            *pick += 1;
            if *pick < *count {
                break;
            }
            *pick = 0;
        }
    }
    let even = |&count: &usize| vec![1.0 / count as f64; count];
    let mut regrets: Vec<Vec<f64>> = counts.iter().map(|&count| vec![0.0; count]).collect();
    let mut sums = regrets.clone();
    let mut mixtures: Vec<Vec<f64>> = counts.iter().map(even).collect();
    let mut values = vec![0.0; players];
    let rounds = (ROUNDS * 16 / (cells + 15)).clamp(50, ROUNDS);
    for _ in 0..rounds {
        // The payoff that each move of each player would have had.
        let mut gains: Vec<Vec<f64>> = counts.iter().map(|&count| vec![0.0; count]).collect();
        for cell in 0..cells {
            let picks = &all_picks[cell * players..][..players];
            for player in 0..players {
                let others: f64 = (0..players)
                    .filter(|&other| other != player)
                    .map(|other| mixtures[other][picks[other]])
                    .product();
                gains[player][picks[player]] += others * payoffs[cell * players + player];
            }
        }
        for player in 0..players {
            let mixture = &mut mixtures[player];
            let got: f64 = mixture.iter().zip(&gains[player]).map(|(p, gain)| p * gain).sum();
            values[player] += got / rounds as f64;
            for (at, gain) in gains[player].iter().enumerate() {
                regrets[player][at] += gain - got;
                sums[player][at] += mixture[at] / rounds as f64;
            }
            let total: f64 = regrets[player].iter().map(|regret| regret.max(0.0)).sum();
            let count = mixture.len() as f64;
            for (share, regret) in mixture.iter_mut().zip(&regrets[player]) {
                *share = if total > 0.0 { regret.max(0.0) / total } else { 1.0 / count };
            }
        }
    }
    (sums, values)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-6
    }

    #[test]
    fn rock_paper_scissors_is_even() {
        let payoff = |a: usize, b: usize| [0.0, 1.0, -1.0][(3 + a - b) % 3];
        let solution = zero_sum(3, 3, payoff);
        assert!(close(solution.value, 0.0));
        assert!(solution.rows.iter().all(|&share| close(share, 1.0 / 3.0)), "{solution:?}");
    }

    #[test]
    fn known_matrices() {
        // Williams' example, checked by hand: the rows are mixed so that both columns have the same
        // value, 3p - (1 - p) = -p + (1 - p).
        let game = [[3.0, -1.0], [-1.0, 1.0]];
        let solution = zero_sum(2, 2, |row, column| game[row][column]);
        assert!(close(solution.value, 1.0 / 3.0), "{solution:?}");
        assert!(close(solution.rows[0], 1.0 / 3.0), "{solution:?}");
        // A dominated row is not played; the column player has more columns than needed.
        let game = [[2.0, 5.0, 0.0], [1.0, 4.0, -1.0], [4.0, 1.0, 3.0]];
        let solution = zero_sum(3, 3, |row, column| game[row][column]);
        assert!(close(solution.rows[1], 0.0) && close(solution.value, 15.0 / 7.0), "{solution:?}");
    }

    #[test]
    fn a_saddle_point_is_pure() {
        let game = [[4.0, 5.0], [1.0, 9.0]];
        let solution = zero_sum(2, 2, |row, column| game[row][column]);
        assert_eq!(solution, Solution { value: 4.0, rows: vec![1.0, 0.0] });
        assert_eq!(zero_sum(3, 1, |row, _| row as f64).rows, [0.0, 0.0, 1.0]);
        assert!(close(zero_sum(1, 3, |_, column| column as f64).value, 0.0));
    }

    #[test]
    fn random_matrices_satisfy_the_minimax_theorem() {
        let mut rng = magister_core::Seed::from(5).rng();
        for _ in 0..200 {
            let (rows, columns) = (1 + rng.below(6) as usize, 1 + rng.below(6) as usize);
            let game: Vec<f64> = (0..rows * columns).map(|_| rng.below(10) as f64).collect();
            let payoff = |row: usize, column: usize| game[row * columns + column];
            let solution = zero_sum(rows, columns, payoff);
            // By the minimax theorem the column player's program has the same value.
            let other = zero_sum(columns, rows, |column, row| -payoff(row, column));
            assert!(close(solution.value, -other.value), "{game:?} {solution:?} {other:?}");
        }
    }

    #[test]
    fn regrets_vanish() {
        // The prisoner's dilemma: both confess.
        let game = [[(3.0, 3.0), (0.0, 5.0)], [(5.0, 0.0), (1.0, 1.0)]];
        let (mixtures, _) = regret_matching(&[2, 2], |picks, player| {
            let (a, b) = game[picks[0]][picks[1]];
            if player == 0 { a } else { b }
        });
        assert!(mixtures.iter().all(|mixture| mixture[1] > 0.99), "{mixtures:?}");
        // Three players, each of whom wants to be alone: the uniform mixture is an equilibrium.
        let (mixtures, values) = regret_matching(&[2, 2, 2], |picks, player| {
            let same = picks.iter().filter(|&&pick| pick == picks[player]).count();
            if same == 1 { 1.0 } else { 0.0 }
        });
        assert!(values.iter().all(|value| *value > 0.2), "{mixtures:?} {values:?}");
    }
}
