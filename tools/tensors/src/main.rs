//! The layers of the policy-and-value networks in candle, with one thread, in billions of products
//! and sums per second.
//!
//! `cargo run --release --manifest-path tools/tensors/Cargo.toml`; our kernels:
//! `cargo run --profile profiling -p magister-learn --example az -- kernels`.

use std::time::{Duration, Instant};

use candle_core::{Device, Result, Tensor, Var};

/// How long each layer is measured.
const SECONDS: f64 = 2.0;

fn main() -> Result<()> {
    // SAFETY: no other thread exists yet.
    unsafe { std::env::set_var("RAYON_NUM_THREADS", "1") };
    println!("{:64} {:>8} {:>20}", "layer", "forward", "forward and gradients");
    for channels in [32, 64] {
        convolution(channels, 32)?;
    }
    for (rows, units) in [(32, 128), (256, 256)] {
        dense(rows, units)?;
    }
    Ok(())
}

fn convolution(channels: usize, boards: usize) -> Result<()> {
    let device = Device::Cpu;
    let input = Var::randn(0_f32, 1.0, (boards, channels, 6, 7), &device)?;
    let weights = Var::randn(0_f32, 0.1, (channels, channels, 3, 3), &device)?;
    let layer = || input.as_tensor().conv2d(weights.as_tensor(), 1, 1, 1, 1);
    // Each cell of each board: nine neighbours of each channel.
    let products = (boards * 42 * 9 * channels * channels) as f64;
    let name = format!("3x3 convolution, {channels} to {channels} channels, {boards} boards of 6x7");
    report(&name, products, &layer)
}

fn dense(rows: usize, units: usize) -> Result<()> {
    let device = Device::Cpu;
    let input = Var::randn(0_f32, 1.0, (rows, units), &device)?;
    let weights = Var::randn(0_f32, 0.1, (units, units), &device)?;
    let layer = || input.as_tensor().matmul(weights.as_tensor());
    report(&format!("dense, {units} to {units}, {rows} rows"), (rows * units * units) as f64, &layer)
}

/// Measures a layer alone, and with the gradients of its weights and input, which take twice as many
/// products.
fn report(name: &str, products: f64, layer: &dyn Fn() -> Result<Tensor>) -> Result<()> {
    let forward = rate(&|| layer().map(drop))?;
    let both = rate(&|| layer()?.sum_all()?.backward().map(drop))?;
    let billions = |rate: f64, factor: f64| 2.0 * products * factor * rate / 1e9;
    println!("{name:64} {:>8.1} {:>20.1}", billions(forward, 1.0), billions(both, 3.0));
    Ok(())
}

/// The number of runs per second.
fn rate(run: &dyn Fn() -> Result<()>) -> Result<f64> {
    run()?;
    let (start, mut count) = (Instant::now(), 0_u32);
    while start.elapsed() < Duration::from_secs_f64(SECONDS) {
        run()?;
        count += 1;
    }
    Ok(f64::from(count) / start.elapsed().as_secs_f64())
}
