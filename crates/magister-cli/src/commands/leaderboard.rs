//! `magister leaderboard`: the ratings of stored matches.

use std::io::Write;

use anyhow::Result;
use magister_arena::{Agon, Bout, Comparisons, Meeting, Scale, rate};
use magister_store::{Archive as _, Filter, MatchLine, Status};
use serde_json::{Value, json};

use super::matches::{existing, filter, with_store};
use crate::CLEAN;
use crate::args::{BoardScale, Leaderboard};

/// A player with its rating and interval.
type Rated = (String, f64, Option<(f64, f64)>);

/// All data of a leaderboard: players with rating and interval, and Agon's difficulty of roles.
struct Board {
    players: Vec<Rated>,
    roles: Vec<(String, f64)>,
}

pub(crate) fn run(args: &Leaderboard) -> Result<u8> {
    let wanted = Filter { status: Some(Status::Ended), ..filter(&args.stored) };
    existing(&args.stored.store)?;
    let lines = with_store(&args.stored.store, |store| async move { store.list(&wanted).await })?;
    let mut out = anstream::stdout().lock();
    if args.json {
        let all: serde_json::Map<String, Value> = [
            ("bradley-terry", BoardScale::BradleyTerry),
            ("elo", BoardScale::Elo),
            ("glicko-2", BoardScale::Glicko2),
            ("weng-lin", BoardScale::WengLin),
            ("agon", BoardScale::Agon),
        ]
        .into_iter()
        .map(|(name, scale)| (name.to_owned(), as_json(&board(&lines, scale))))
        .collect();
        writeln!(out, "{}", json!({"matches": lines.len(), "ratings": all}))?;
        return Ok(CLEAN);
    }
    let board = board(&lines, args.rating);
    if board.players.is_empty() {
        writeln!(out, "no stored match has a result, so there are no ratings")?;
        return Ok(CLEAN);
    }
    let width = board.players.iter().map(|(name, ..)| name.len()).max().unwrap_or(0).max(6);
    writeln!(out, "{:width$}   rating  95 % interval", "player")?;
    for (player, rating, interval) in &board.players {
        let interval = interval.map(|(low, high)| format!("{low:.1} to {high:.1}"));
        // No rating is printed as -0.
        let rating = if rating.abs() < 0.05 { 0.0 } else { *rating };
        writeln!(out, "{player:width$}  {rating:7.1}  {}", interval.unwrap_or("-".to_owned()))?;
    }
    if !board.roles.is_empty() {
        writeln!(out, "\ndifficulty of roles")?;
        for (role, rating) in &board.roles {
            writeln!(out, "{rating:7.1}  {role}")?;
        }
    }
    Ok(CLEAN)
}

fn board(lines: &[MatchLine], scale: BoardScale) -> Board {
    // Only matches with a result for all seats count.
    let decided = lines.iter().filter_map(|line| {
        let rewards: Option<Vec<f64>> = line.seats.iter().map(|seat| seat.1).collect();
        let players: Vec<String> = line.seats.iter().map(|seat| seat.0.clone()).collect();
        rewards.filter(|rewards| !rewards.is_empty()).map(|rewards| (line, players, rewards))
    });
    let online = match scale {
        BoardScale::BradleyTerry => None,
        BoardScale::Elo => Some(Scale::Elo),
        BoardScale::Glicko2 => Some(Scale::Glicko2),
        BoardScale::WengLin => Some(Scale::WengLin),
        BoardScale::Agon => {
            let clean = decided.filter(|(line, ..)| line.seats.iter().all(|seat| seat.2 == 0));
            let bouts: Vec<Bout> = clean
                .map(|(line, players, scores)| Bout { game: line.game.clone(), players, scores })
                .collect();
            let agon = Agon::rate(&bouts);
            let standings = agon.standings().into_iter();
            let players = standings.map(|(name, rating)| (name.to_owned(), rating, None));
            let mut roles: Vec<(String, f64)> = agon.roles.clone().into_iter().collect();
            roles.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
            return Board { players: players.collect(), roles };
        }
    };
    let players = match online {
        None => {
            let mut comparisons = Comparisons::new();
            decided.for_each(|(_, players, rewards)| comparisons.add(&players, &rewards));
            let ratings = comparisons.ratings().into_iter();
            ratings.map(|one| (one.player, one.elo, Some(one.interval))).collect()
        }
        Some(scale) => {
            let meetings: Vec<Meeting> = decided
                .map(|(_, players, rewards)| Meeting { round: 0, players, rewards })
                .map(once)
                .collect();
            let standings = rate(&meetings, scale).into_iter();
            standings.map(|one| (one.player, one.rating, Some(one.interval))).collect()
        }
    };
    Board { players, roles: Vec::new() }
}

/// A player in two seats is compared with the others once.
fn once(meeting: Meeting) -> Meeting {
    let mut single = Meeting { round: meeting.round, players: Vec::new(), rewards: Vec::new() };
    for (player, reward) in meeting.players.into_iter().zip(meeting.rewards) {
        if !single.players.contains(&player) {
            single.players.push(player);
            single.rewards.push(reward);
        }
    }
    single
}

fn as_json(board: &Board) -> Value {
    let players: Vec<Value> = board
        .players
        .iter()
        .map(|(player, rating, interval)| {
            json!({"player": player, "rating": rating, "interval": interval})
        })
        .collect();
    let roles: Vec<Value> =
        board.roles.iter().map(|(role, rating)| json!({"role": role, "rating": rating})).collect();
    json!({"players": players, "roles": roles})
}
