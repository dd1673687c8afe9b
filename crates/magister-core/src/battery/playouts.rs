//! Whether batches of playouts keep their contract.

use super::{Options, Report};
use crate::playout::{self, Batch, Detail, Results, Stream, Tally};
use crate::{Game, Halt, Info, Stop, Worker};

pub(super) fn check(game: &dyn Game, options: &Options, states: &[Vec<u64>], report: &mut Report) {
    let mut worker = game.worker();
    let mut initial = Vec::new();
    worker.save(&mut initial);
    let middle = states.get(states.len() / 2).unwrap_or(&initial);
    let streams = [
        Stream { id: 1, start: &initial, quota: options.playouts },
        Stream { id: u64::MAX, start: middle, quota: options.playouts / 2 },
        Stream { id: 1, start: middle, quota: 1 },
    ];
    let stop = Stop::never();
    let batch = Batch {
        seed: 0x0123_4567_89ab_cdef,
        streams: &streams,
        max_steps: options.max_steps,
        detail: Detail::PerPlayout,
    };
    let mut together = Results::default();
    if let Err(halt) = worker.playouts(&batch, &mut together, &stop) {
        report.fail("playouts", "", format!("a batch was not played: {halt}"));
        return;
    }
    if together.streams.len() != streams.len() {
        report.fail("playouts", "", "a batch does not give one result per stream");
        return;
    }
    for (stream, tally) in streams.iter().zip(&together.streams) {
        if let Some(what) = contradiction(game.info(), stream, tally) {
            report.fail("playouts", "", what);
        }
    }

    // In the reverse order, so that nothing can be left over from an earlier stream.
    let mut apart = Results::default();
    for (index, stream) in streams.iter().enumerate().rev() {
        let alone = Batch { streams: std::slice::from_ref(stream), ..batch };
        if worker.playouts(&alone, &mut apart, &stop).is_err()
            || apart.streams[..] != together.streams[index..=index]
        {
            report.fail("playouts", "", "a stream alone gives other results than among others");
        }
    }
    let mut plain = Results::default();
    if playout::one_by_one(&mut *worker, &batch, &mut plain, &stop).is_err() || plain != together {
        report.fail("playouts", "", "the engine's playouts are not those of the plain evaluator");
    }
    moves(&mut *worker, game.info(), &batch, &together, report);
    let set = Stop::new();
    set.set();
    if worker.playouts(&batch, &mut plain, &set) != Err(Halt::Stopped) {
        report.fail("playouts", "", "a batch is played though it was stopped before");
    }
    let sums = Batch { detail: Detail::Sums, ..batch };
    let same = worker.playouts(&sums, &mut apart, &stop).is_ok()
        && apart.streams.iter().zip(&together.streams).all(|(sums, full)| {
            (sums.finished, sums.truncated, sums.steps)
                == (full.finished, full.truncated, full.steps)
                && (&sums.paid, &sums.sum, &sums.squares) == (&full.paid, &full.sum, &full.squares)
        });
    if !same {
        report.fail("playouts", "", "sums without details differ from sums with details");
    }
}

/// Whether what is told of moves is what the plain evaluator tells, and fits the sums.
fn moves(
    worker: &mut dyn Worker,
    info: &Info,
    batch: &Batch<'_>,
    full: &Results,
    report: &mut Report,
) {
    let stop = Stop::never();
    let batch = Batch { detail: Detail::Moves, ..*batch };
    let (mut ours, mut plain) = (Results::default(), Results::default());
    if worker.playouts(&batch, &mut ours, &stop).is_err() {
        report.fail("playouts", "", "a batch was not played with what comes of its moves");
        return;
    }
    if playout::one_by_one(worker, &batch, &mut plain, &stop).is_err() || plain != ours {
        report.fail("playouts", "", "moves are not worth what the plain evaluator finds");
    }
    let (low, high) = info.rewards;
    for (tally, full) in ours.streams.iter().zip(&full.streams) {
        let sums = (tally.steps, &tally.paid, &tally.sum, &tally.squares);
        let strange = tally.moves.iter().any(|entry| {
            let mean = entry.sum / f64::from(entry.playouts);
            let range = tally.truncated > 0 || (low..=high).contains(&mean);
            entry.playouts == 0 || entry.playouts > tally.paid[entry.role.index()] || !range
        });
        if strange || sums != (full.steps, &full.paid, &full.sum, &full.squares) {
            report.fail("playouts", "", "what is told of moves does not fit the sums");
        }
    }
}

/// Where the numbers of a tally do not fit each other or the facts of the game.
fn contradiction(info: &Info, stream: &Stream<'_>, tally: &Tally) -> Option<String> {
    let roles = info.roles.len();
    let count = tally.playouts.len();
    if tally.finished + tally.truncated != stream.quota || count != stream.quota as usize {
        return Some(format!("{count} playouts were made, not {}", stream.quota));
    }
    if tally.rewards.len() != count * roles || tally.sum.len() != roles {
        return Some("the rewards are not one per role".to_owned());
    }
    if tally.playouts.iter().map(|playout| u64::from(playout.steps)).sum::<u64>() != tally.steps {
        return Some("the lengths of the playouts do not add up to the steps".to_owned());
    }
    for role in info.all_roles() {
        let rewards = tally.rewards.iter().skip(role.index()).step_by(roles).flatten();
        let paid = rewards.clone().count() as u32;
        if paid != tally.paid[role.index()] {
            return Some(format!("{} was not paid as often as it says", info.role_name(role)));
        }
    }
    // The range is promised for whole games only.
    let (low, high) = info.rewards;
    for (playout, rewards) in tally.playouts.iter().zip(tally.rewards.chunks(roles)) {
        let strange = |reward: &&f64| !(low..=high).contains(*reward);
        if let (true, Some(reward)) = (playout.finished, rewards.iter().flatten().find(strange)) {
            return Some(format!("a playout gave the reward {reward}, not in {low} to {high}"));
        }
    }
    None
}
