//! The layers of `cargo run --profile profiling -p magister-learn --example az -- kernels`, computed
//! by candle on one thread: `RAYON_NUM_THREADS=1 cargo run --profile profiling`.
//!
//! Figures are billions of products and sums per second of processor time. The backward pass
//! computes the gradients of the weights and of the input together.

use std::time::Instant;

use candle_core::{Device, Result, Tensor, Var};

/// The processor time of this process in seconds, or the elapsed time if the system does not report
/// it.
fn processor(start: Instant) -> f64 {
    let report = std::fs::read_to_string("/proc/self/schedstat").ok();
    let nanoseconds = report.and_then(|text| text.split(' ').next()?.parse::<u64>().ok());
    nanoseconds.map_or_else(|| start.elapsed().as_secs_f64(), |n| n as f64 * 1e-9)
}

/// The seconds of one call: the best of five rounds of half a second.
fn measured(mut work: impl FnMut() -> Result<()>) -> Result<f64> {
    work()?;
    let (clock, mut best) = (Instant::now(), f64::INFINITY);
    for _ in 0..5 {
        let (begin, mut calls) = (processor(clock), 0);
        while processor(clock) - begin < 0.5 {
            for _ in 0..10 {
                work()?;
            }
            calls += 10;
        }
        best = best.min((processor(clock) - begin) / f64::from(calls));
    }
    Ok(best)
}

fn main() -> Result<()> {
    let device = Device::Cpu;
    println!("{:28} {:>9} {:>9}", "layer", "forward", "backward");
    for (name, channels, positions, cells) in [
        ("conv 3x3, 32 to 32, 32 x 42", 32, 32, 42),
        ("conv 3x3, 64 to 64, 32 x 42", 64, 32, 42),
        ("dense 128 to 128, 32", 128, 32, 1),
        ("dense 256 to 256, 256", 256, 256, 1),
    ] {
        let grid = cells > 1;
        let (input, weights) = if grid {
            (
                Tensor::rand(-1f32, 1.0, (positions, channels, 6, 7), &device)?,
                Tensor::rand(-1f32, 1.0, (channels, channels, 3, 3), &device)?,
            )
        } else {
            (
                Tensor::rand(-1f32, 1.0, (positions, channels), &device)?,
                Tensor::rand(-1f32, 1.0, (channels, channels), &device)?,
            )
        };
        let layer = |input: &Tensor, weights: &Tensor| {
            if grid { input.conv2d(weights, 1, 1, 1, 1) } else { input.matmul(weights) }
        };
        let taps = if grid { 9 } else { 1 };
        let work = (positions * cells * taps * channels * channels) as f64 * 1e-9;
        let forward = measured(|| layer(&input, &weights).map(drop))?;
        let (x, w) = (Var::from_tensor(&input)?, Var::from_tensor(&weights)?);
        let both = measured(|| layer(&x, &w)?.sum_all()?.backward().map(drop))?;
        let backward = 2.0 * work / (both - forward);
        println!("{name:28} {:>9.1} {backward:>9.1}", work / forward);
    }
    Ok(())
}
