use magister_core::Stop;
use magister_learn::connect_four::*;
use std::time::Instant;
fn main() {
    let arg: Vec<String> = std::env::args().collect();
    let mut solver = Solver::new(23);
    for text in &arg[1..] {
        let cols: Vec<u32> =
            if text == "-" { vec![] } else { text.bytes().map(|b| (b - b'1') as u32).collect() };
        let p = Position::of_columns(&cols).unwrap();
        let t = Instant::now();
        let n0 = solver.nodes();
        let c = solver.class(&p, &Stop::never()).unwrap();
        let t1 = t.elapsed();
        let s = solver.score(&p, &Stop::never()).unwrap();
        println!(
            "{text}: class {c} in {t1:?}, score {} in {:?}, {} Mnodes",
            s.0,
            t.elapsed(),
            (solver.nodes() - n0) / 1_000_000
        );
    }
}
