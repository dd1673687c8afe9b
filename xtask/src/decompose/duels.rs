//! The player `uct` with and without decomposition, at equal time.

use std::io::Write as _;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, bail};
use magister::Playable;
use magister_arena::{Contest, Sprt, SprtVerdict, Summary, TimeControl};
use magister_core::{PlayerSource, Seed};
use magister_players::Spec;

use super::sums;

/// The players: with decomposition, and without.
const WITH: &str = "uct";
const WITHOUT: &str = "uct:decompose=0";

/// Games that do not decompose.
const WHOLE: [&str; 10] = [
    "connect-four",
    "breakthrough",
    "hex-5",
    "othello-6x6",
    "amazons-6x6",
    "knightthrough",
    "pentago",
    "hexapawn",
    "quarto",
    "three-mens-morris",
];

/// The thinking time of players, and the number of matches.
#[derive(Clone, Copy)]
pub(super) struct Match {
    pub(super) time: Duration,
    pub(super) start: Duration,
    pub(super) games: u64,
}

/// The won, drawn and lost matches of the player with decomposition.
#[derive(Clone, Copy, Default)]
struct Score {
    wins: u64,
    draws: u64,
    losses: u64,
}

/// Plays two matches with exchanged seats from the same random opening, so that a won opening
/// favours neither player.
fn pair(
    playable: &Playable,
    limits: Match,
    (opening, number): (u32, u64),
    summary: &mut Summary,
) -> Result<()> {
    let source =
        |name: &str| -> Result<Arc<dyn PlayerSource>> { Ok(Arc::new(name.parse::<Spec>()?)) };
    let time = TimeControl {
        time: Some(limits.time),
        start: Some(limits.start),
        grace: Duration::from_secs(5),
        ..TimeControl::default()
    };
    let contest = Contest { opening, ..Contest::new(Arc::clone(&playable.game), time) };
    for names in [[WITH, WITHOUT], [WITHOUT, WITH]] {
        let players = [source(names[0])?, source(names[1])?];
        summary.add(&contest.play(&players, Seed::from(1).derive_index(number)));
    }
    Ok(())
}

fn score(summary: &Summary) -> Score {
    let line = summary.players.iter().find(|line| line.player == WITH);
    line.map_or_else(Score::default, |line| Score {
        wins: line.wins.unwrap_or(0),
        draws: line.draws.unwrap_or(0),
        losses: line.losses.unwrap_or(0),
    })
}

/// Checks that the player with decomposition beats the one without on each of five sums.
pub(super) fn sums(limits: Match) -> Result<()> {
    let mut out = std::io::stdout();
    let test = Sprt::new(0.0, 50.0);
    writeln!(out, "{:<32} wins draws losses  ratio  verdict (0 against 50 Elo)", "sum")?;
    let mut open = Vec::new();
    for sums::Sum { name, rules, opening } in sums::all() {
        let playable = magister::open_text(name, &rules)?;
        playable.warm_up();
        let mut summary = Summary::new(playable.game.info());
        for number in 0..limits.games.div_ceil(2) {
            pair(&playable, limits, (opening, number), &mut summary)?;
            let Score { wins, draws, losses } = score(&summary);
            if test.verdict(wins, draws, losses) != SprtVerdict::Open {
                break;
            }
        }
        let Score { wins, draws, losses } = score(&summary);
        let verdict = test.verdict(wins, draws, losses);
        let ratio = test.ratio(wins, draws, losses);
        writeln!(out, "{name:<32} {wins:>4} {draws:>5} {losses:>6}  {ratio:>5.2}  {verdict:?}")?;
        if verdict != SprtVerdict::Greater {
            open.push(name);
        }
    }
    if !open.is_empty() {
        bail!("not above on {}", open.join(", "));
    }
    Ok(())
}

/// Checks that the player with decomposition does not lose 20 Elo on games that do not decompose,
/// all ten taken together.
pub(super) fn whole(limits: Match) -> Result<()> {
    let mut out = std::io::stdout();
    let test = Sprt::new(-20.0, 0.0);
    let mut games = Vec::new();
    for name in WHOLE {
        let playable = magister::open(name)?;
        playable.warm_up();
        games.push((name, playable, Score::default()));
    }
    let mut total = Score::default();
    let mut verdict = SprtVerdict::Open;
    for round in 0..limits.games.div_ceil(2) {
        for (_, playable, own) in &mut games {
            let mut summary = Summary::new(playable.game.info());
            // A random move of each role makes the matches differ.
            pair(playable, limits, (2, round), &mut summary)?;
            let found = score(&summary);
            for score in [own, &mut total] {
                score.wins += found.wins;
                score.draws += found.draws;
                score.losses += found.losses;
            }
        }
        verdict = test.verdict(total.wins, total.draws, total.losses);
        if verdict != SprtVerdict::Open {
            break;
        }
        // An interrupted run still says how far it came.
        if round % 10 == 9 {
            let Score { wins, draws, losses } = total;
            let ratio = test.ratio(wins, draws, losses);
            writeln!(out, "so far: {wins} {draws} {losses}, ratio {ratio:.2}")?;
            out.flush()?;
        }
    }
    writeln!(out, "{:<28} wins draws losses", "game")?;
    for (name, _, Score { wins, draws, losses }) in &games {
        writeln!(out, "{name:<28} {wins:>4} {draws:>5} {losses:>6}")?;
    }
    let Score { wins, draws, losses } = total;
    let ratio = test.ratio(wins, draws, losses);
    let all = (wins + draws + losses).max(1) as f64;
    let share = (wins as f64 + draws as f64 / 2.0) / all;
    // A draw deviates less from the mean than a win or a loss.
    let square = (wins as f64 + draws as f64 / 4.0) / all - share * share;
    let error = 1.96 * (square / all).sqrt();
    let elo = |share: f64| -400.0 * (1.0 / share.clamp(1e-6, 1.0 - 1e-6) - 1.0).log10();
    writeln!(
        out,
        "all: {wins} {draws} {losses}, score {share:.3} ± {error:.3}, {:+.0} Elo ({:+.0} to {:+.0}), \
         ratio {ratio:.2}, {verdict:?} (-20 against 0 Elo)",
        elo(share),
        elo(share - error),
        elo(share + error)
    )?;
    if verdict != SprtVerdict::Greater {
        bail!("a loss of 20 Elo was not rejected");
    }
    Ok(())
}
