//! Whether batches of playouts satisfy their contract.

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
        report.fail("playouts", "", "a batch does not return one result per stream");
        return;
    }
    for (stream, tally) in streams.iter().zip(&together.streams) {
        if let Some(what) = contradiction(game.info(), stream, tally) {
            report.fail("playouts", "", what);
        }
    }

    // In reverse order, so that nothing can remain from an earlier stream.
    let mut apart = Results::default();
    for (index, stream) in streams.iter().enumerate().rev() {
        let alone = Batch { streams: std::slice::from_ref(stream), ..batch };
        if worker.playouts(&alone, &mut apart, &stop).is_err()
            || apart.streams[..] != together.streams[index..=index]
        {
            report.fail("playouts", "", "a stream gives different results alone and in a batch");
        }
    }
    let mut plain = Results::default();
    if playout::one_by_one(&mut *worker, &batch, &mut plain, &stop).is_err() || plain != together {
        report.fail(
            "playouts",
            "",
            "the engine's playouts differ from those of the plain evaluator",
        );
    }
    moves(&mut *worker, game.info(), &batch, &together, report);
    let set = Stop::new();
    set.set();
    if worker.playouts(&batch, &mut plain, &set) != Err(Halt::Stopped) {
        report.fail("playouts", "", "a batch is played although it was stopped before");
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

/// Whether the statistics of moves agree with the plain evaluator and with the sums.
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
        report.fail("playouts", "", "a batch with statistics of moves was not played");
        return;
    }
    if playout::one_by_one(worker, &batch, &mut plain, &stop).is_err() || plain != ours {
        report.fail("playouts", "", "the values of moves differ from the plain evaluator's");
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
            report.fail("playouts", "", "the statistics of moves contradict the sums");
        }
    }
}

/// A contradiction between the numbers of a tally, or with the facts of the game.
fn contradiction(info: &Info, stream: &Stream<'_>, tally: &Tally) -> Option<String> {
    let roles = info.roles.len();
    let count = tally.playouts.len();
    if tally.finished + tally.truncated != stream.quota || count != stream.quota as usize {
        return Some(format!("{count} playouts were made, not {}", stream.quota));
    }
    if tally.rewards.len() != count * roles || tally.sum.len() != roles {
        return Some("there is not one reward per role".to_owned());
    }
    if tally.playouts.iter().map(|playout| u64::from(playout.steps)).sum::<u64>() != tally.steps {
        return Some("the lengths of the playouts do not add up to the steps".to_owned());
    }
    for role in info.all_roles() {
        let rewards = tally.rewards.iter().skip(role.index()).step_by(roles).flatten();
        let paid = rewards.clone().count() as u32;
        if paid != tally.paid[role.index()] {
            return Some(format!("the count of payments to {} is wrong", info.role_name(role)));
        }
    }
    // The range holds for whole games only.
    let (low, high) = info.rewards;
    for (playout, rewards) in tally.playouts.iter().zip(tally.rewards.chunks(roles)) {
        let strange = |reward: &&f64| !(low..=high).contains(*reward);
        if let (true, Some(reward)) = (playout.finished, rewards.iter().flatten().find(strange)) {
            return Some(format!(
                "a playout gave the reward {reward}, which is outside {low} to {high}"
            ));
        }
    }
    None
}
