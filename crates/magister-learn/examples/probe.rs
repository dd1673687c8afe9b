//! Measures training.
use magister_core::{Rng, Seed, Stop};
use magister_learn::{
    connect_four::*, driver::*, environment::*, games, model::Model, nibbles::*, ntuple::*,
    tuples::*, weights::*,
};
use std::ops::ControlFlow;
use std::time::Instant;
fn cpu() -> f64 {
    let t = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    t.split_whitespace().next().unwrap().parse::<f64>().unwrap() / 1e9
}
fn main() {
    let arg: Vec<String> = std::env::args().collect();
    let get = |n: &str, d: f64| {
        arg.iter()
            .find_map(|a| a.strip_prefix(&format!("{n}=")).map(|v| v.parse().unwrap()))
            .unwrap_or(d)
    };
    let seed = Seed::from(get("seed", 1.0) as u64);
    let games = get("games", 10000.0) as u64;
    let set = Settings {
        alpha: (get("alpha", 1.0) as f32, get("alpha1", get("alpha", 1.0)) as f32),
        epsilon: (get("eps", 0.1) as f32, get("eps1", 0.0) as f32),
        lambda: get("lambda", 0.0) as f32,
        chain: if get("own", 0.0) > 0.0 { Chain::Own } else { Chain::Every },
        final_adaptation: get("farl", 1.0) > 0.0,
        squash: arg[1] != "2048",
        random_start: get("rs", 0.0) as u32,
        replay: get("replay", 0.0) as usize,
        ..Settings::default()
    };
    let steps = if get("tc", 1.0) > 0.0 { Steps::Coherent } else { Steps::Plain };
    let plan = Plan {
        games: Some(games),
        before: 0,
        actors: 1,
        report: get("report", 100000.0) as u64,
        seed,
    };
    let c0 = cpu();
    let show = |p: &Progress| {
        eprintln!(
            "{} games {} moves mean {:.4} error {:.4} cpu {:.1} moves/s {:.0}",
            p.games,
            p.moves,
            p.mean,
            p.error,
            cpu() - c0,
            p.moves as f64 / (cpu() - c0)
        );
        ControlFlow::Continue(0.0)
    };
    match arg[1].as_str() {
        "ttt" => {
            let mut good = 0;
            let mut eps = 0.0;
            for s in 0..get("seeds", 25.0) as u64 {
                let plan = Plan { seed: Seed::from(s), ..plan };
                let env = games::tictactoe::TicTacToe;
                let layout = env.layout();
                let shape = Shape::new(
                    &layout,
                    TupleChoice::Auto
                        .choose(&layout, &mut plan.seed.derive("tuples").rng())
                        .unwrap(),
                    true,
                )
                .unwrap();
                let net = NTuple::new(shape, 2, 1, 0.0, steps);
                let c = cpu();
                train(&env, &net, &set, &plan, &|_: &Progress| ControlFlow::Continue(0.0)).unwrap();
                eps += games as f64 / (cpu() - c);
                let bad = magister_learn::measure::mistakes(&env, &net, set.chain, 2);
                println!("seed {s}: {bad:?}");
                good += (bad == 0) as u32;
            }
            println!("{good} good, {:.0} episodes/s", eps / get("seeds", 25.0));
        }
        "c4" => {
            let env = games::connect_four::ConnectFour;
            let layout = env.layout();
            let t = TupleChoice::Walks {
                count: get("tuples", 70.0) as usize,
                length: get("len", 8.0) as usize,
            };
            let shape = Shape::new(
                &layout,
                t.choose(&layout, &mut seed.derive("tuples").rng()).unwrap(),
                true,
            )
            .unwrap();
            let net = NTuple::new(shape, 2, 1, 0.0, steps);
            train(&env, &net, &set, &plan, &show).unwrap();
            let book = std::fs::read("/tmp/book.c4")
                .ok()
                .and_then(|b| Book::from_bytes(&b).ok())
                .unwrap_or_default();
            let mut solver = Solver::new(21).with_book(book);
            for distant in [false, true] {
                let t = Instant::now();
                let n = get("matches", 50.0) as u32;
                let r = magister_learn::measure::against_perfect(
                    &env,
                    &net,
                    set.chain,
                    &mut solver,
                    distant,
                    n,
                    &mut Seed::from(77).rng(),
                    &Stop::never(),
                )
                .unwrap();
                println!(
                    "distant {distant}: {r:.3} over {n} in {:?} {} Mnodes",
                    t.elapsed(),
                    solver.nodes() / 1_000_000
                );
            }
        }
        "2048" => {
            let env = games::twenty48::Twenty48::default();
            let net = Nibbles::new(
                FOUR_TUPLES.iter().map(|t| t.to_vec()).collect(),
                get("init", 0.0) as f32,
                steps,
            )
            .unwrap();
            train(&env, &net, &set, &plan, &show).unwrap();
        }
        _ => {}
    }
    let _: Option<Rng> = None;
}
