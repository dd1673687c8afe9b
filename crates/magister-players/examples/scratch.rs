use magister_core::Seed;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let game = magister::open(&args[1]).unwrap().game;
    let most: u64 = args[2].parse().unwrap();
    let seeds: u64 = args[3].parse().unwrap();
    for by in [true, false] {
        let mut all = Vec::new();
        let begun = std::time::Instant::now();
        for seed in 0..seeds {
            let mut rng = Seed::from(seed).rng();
            let found = magister_players::simulations_to_solve(&game, by, most, &mut rng).unwrap();
            all.push(found.unwrap_or(u64::MAX));
        }
        all.sort();
        println!("{} by_subgames={by}: {:?} {:.1} s", args[1], all, begun.elapsed().as_secs_f64());
    }
}
