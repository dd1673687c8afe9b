//! The contract of playouts, compared with an independent implementation and with known values.

use std::collections::{BTreeMap, BTreeSet};

use magister_core::philox::philox;
use magister_core::playout::{Playout, Tally};
use magister_core::{
    Batch, Detail, Game, Move, MoveTally, Payment, Results, Role, Step, Stop, Stream, Worker,
};
use magister_games::native;

/// The random number of a lane, assembled bit by bit according to the contract.
fn number(seed: u64, stream: u64, sweep: u64, draw: u64, lane: usize) -> u64 {
    let mut number = 0;
    for k in 0..40 {
        let block = k / 4;
        let counter = [
            sweep % (1 << 32),
            (sweep / (1 << 32)) * (1 << 12) + draw * 16 + block,
            stream % (1 << 32),
            stream / (1 << 32),
        ];
        let key = [seed % (1 << 32), seed / (1 << 32)];
        let words = philox(counter.map(|word| word as u32), key.map(|word| word as u32));
        number |= u64::from(words[(k % 4) as usize] >> lane & 1) << k;
    }
    number
}

/// Plays a stream lane by lane, as simply as possible.
fn second_reading(worker: &mut dyn Worker, batch: &Batch<'_>, stream: &Stream<'_>) -> Tally {
    let info = worker.info().clone();
    let roles = info.roles.len();
    let mut tally = Tally {
        paid: vec![0; roles],
        sum: vec![0.0; roles],
        squares: vec![0.0; roles],
        ..Tally::default()
    };
    let stop = Stop::never();
    let mut moves: BTreeMap<(Role, Move), (u32, f64)> = BTreeMap::new();
    for lane in 0..32 {
        let mut sweep = 0;
        let more = u32::from((lane as u32) < stream.quota % 32);
        for _ in 0..stream.quota / 32 + more {
            worker.load(stream.start, &stop).unwrap();
            let mut steps = 0;
            let mut gains = vec![0.0; roles];
            let mut made: BTreeSet<(Role, Move)> = BTreeSet::new();
            while !worker.terminal() && steps < batch.max_steps {
                let mut draw = 0;
                let joint: Vec<Move> = (0..roles)
                    .map(|role| {
                        let legal = worker.legal(Role(role as u8));
                        let u = number(batch.seed, stream.id, sweep, draw, lane);
                        draw += u64::from(legal.len() > 1);
                        let mut tickets: Vec<Move> = legal.to_vec();
                        if info.chance == Some(Role(role as u8)) && !worker.weights().is_empty() {
                            let weighted = legal.iter().zip(worker.weights());
                            tickets = weighted
                                .flat_map(|(&choice, &weight)| vec![choice; weight as usize])
                                .collect();
                        }
                        tickets[(u128::from(u) * tickets.len() as u128 / (1 << 40)) as usize]
                    })
                    .collect();
                made.extend(info.all_roles().zip(joint.iter().copied()));
                let mut step = Step::new();
                worker.step(&joint, &mut step, &stop).unwrap();
                gains.iter_mut().zip(step.gains).for_each(|(sum, gain)| *sum += gain);
                steps += 1;
                sweep += 1;
            }
            sweep += 1; // The sweep that detects the end.
            sweep += sweep % 2; // The next one begins with an even sweep.
            let finished = worker.terminal();
            tally.playouts.push(Playout { steps, finished });
            tally.steps += u64::from(steps);
            *(if finished { &mut tally.finished } else { &mut tally.truncated }) += 1;
            for (role, gained) in gains.into_iter().enumerate() {
                let mut goals = Vec::new();
                worker.goals(Role(role as u8), &mut goals);
                let reward = match info.payment {
                    _ if info.chance == Some(Role(role as u8)) => None,
                    Payment::OnTheWay => Some(gained),
                    Payment::AtEnd => goals.first().copied().filter(|_| finished),
                };
                tally.rewards.push(reward);
                if let Some(reward) = reward {
                    tally.paid[role] += 1;
                    tally.sum[role] += reward;
                    tally.squares[role] += reward * reward;
                    for &key in made
                        .iter()
                        .filter(|(whose, choice)| whose.index() == role && *choice != Move::IDLE)
                    {
                        let entry = moves.entry(key).or_default();
                        *entry = (entry.0 + 1, entry.1 + reward);
                    }
                }
            }
        }
    }
    match batch.detail {
        Detail::PerPlayout => {}
        Detail::Sums => (tally.playouts, tally.rewards) = Default::default(),
        Detail::Moves => {
            (tally.playouts, tally.rewards) = Default::default();
            tally.moves = moves
                .into_iter()
                .map(|((role, choice), (playouts, sum))| MoveTally { role, choice, playouts, sum })
                .collect();
        }
    }
    tally
}

fn initial(game: &dyn Game) -> Vec<u64> {
    let mut start = Vec::new();
    game.worker().save(&mut start);
    start
}

#[test]
fn an_independent_implementation_gives_the_same_bits() {
    for (name, _, game) in native::all() {
        let game = game();
        let start = initial(&*game);
        let mut worker = game.worker();
        // This truncates most games of 2048, and uses more than one window of sweeps.
        for (quota, max_steps) in [(1, 1_000), (33, 300), (100, 150)] {
            let streams = [Stream { id: 0xfedc_ba98_7654_3210, start: &start, quota }];
            for detail in [Detail::Sums, Detail::PerPlayout, Detail::Moves] {
                let seed = 0x0f1e_2d3c_4b5a_6978;
                let batch = Batch { seed, streams: &streams, max_steps, detail };
                let mut results = Results::default();
                worker.playouts(&batch, &mut results, &Stop::never()).unwrap();
                let second = second_reading(&mut *worker, &batch, &streams[0]);
                assert_eq!(results.streams[0], second, "{name}, {quota} playouts, {detail:?}");
            }
        }
    }
}

#[test]
fn a_terminal_start_is_a_playout_of_no_steps() {
    let game = native::find("rock-paper-scissors").unwrap();
    let start = game.text().parse_state("((showed left rock) (showed right paper))").unwrap();
    let streams = [Stream { id: 1, start: &start, quota: 40 }];
    let batch = Batch { seed: 1, streams: &streams, max_steps: 0, detail: Detail::Sums };
    let mut results = Results::default();
    game.worker().playouts(&batch, &mut results, &Stop::never()).unwrap();
    let tally = &results.streams[0];
    assert_eq!((tally.finished, tally.truncated, tally.steps), (40, 0, 0));
    assert_eq!(tally.sum, [0.0, 4_000.0]);
}

#[test]
fn truncated_playouts_pay_only_their_gains() {
    for (name, paid) in [("tictactoe", 0), ("2048", 10)] {
        let game = native::find(name).unwrap();
        let start = initial(&*game);
        let streams = [Stream { id: 1, start: &start, quota: 10 }];
        let batch = Batch { seed: 1, streams: &streams, max_steps: 4, detail: Detail::Sums };
        let mut results = Results::default();
        game.worker().playouts(&batch, &mut results, &Stop::never()).unwrap();
        let tally = &results.streams[0];
        assert_eq!((tally.truncated, tally.steps), (10, 40), "{name}");
        assert_eq!(tally.paid[0], paid, "{name}");
        assert_eq!(tally.mean(Role(0)).is_some(), paid > 0, "{name}");
    }
}

#[test]
fn random_tic_tac_toe_is_won_by_x_in_585_of_1000_games() {
    let game = native::find("tictactoe").unwrap();
    let mut worker = game.worker();
    let start = initial(&*game);
    let streams = [Stream { id: 0, start: &start, quota: 20_000 }];
    let batch = Batch { seed: 5, streams: &streams, max_steps: 100, detail: Detail::PerPlayout };
    let mut results = Results::default();
    worker.playouts(&batch, &mut results, &Stop::never()).unwrap();
    let tally = &results.streams[0];
    assert_eq!((tally.finished, tally.truncated), (20_000, 0));
    let share = |reward: f64| {
        let games = tally.rewards.iter().step_by(2).filter(|&&r| r == Some(reward)).count();
        games as f64 / 20_000.0
    };
    assert!((share(100.0) - 0.585).abs() < 0.01, "x {}", share(100.0));
    assert!((share(0.0) - 0.288).abs() < 0.01, "o {}", share(0.0));
    assert!((share(50.0) - 0.127).abs() < 0.01, "draw {}", share(50.0));
    let mean_length = tally.steps as f64 / 20_000.0;
    assert!((mean_length - 7.626).abs() < 0.03, "{mean_length}");
    assert!(
        (tally.mean(Role(0)).unwrap() - 100.0 * (share(100.0) + share(50.0) / 2.0)).abs() < 1e-9
    );
}

/// The exact values, so that a change of the contract of playouts does not go unnoticed.
#[test]
fn playouts_are_pinned() {
    let expected = [("tictactoe", 737, 6_500.0), ("2048", 23_670, 109_412.0)];
    for (name, steps, sum) in expected {
        let game = native::find(name).unwrap();
        let mut worker = game.worker();
        let start = initial(&*game);
        let streams = [Stream { id: 7, start: &start, quota: 100 }];
        let batch = Batch { seed: 1, streams: &streams, max_steps: 1_000, detail: Detail::Sums };
        let mut results = Results::default();
        worker.playouts(&batch, &mut results, &Stop::never()).unwrap();
        let tally = &results.streams[0];
        assert_eq!((tally.steps, tally.sum[0]), (steps, sum), "{name}");
    }
}
