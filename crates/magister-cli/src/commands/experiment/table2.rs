//! Table 2 of the thesis: an honest player, a clairvoyant one and random ones in the same matches.

use std::fmt::Write as _;
use std::io::Write;

use anyhow::Result;
use magister_arena::{Bar, Page, Sample};

use super::{measured, report_faults, table, wanted, write_files};
use crate::args::Experiment;

/// The games of the thesis, with the published values of Honest, Clairvoyant and Random.
const GAMES: [(&str, [f64; 3]); 5] = [
    ("thesis-agram", [0.49, 0.69, 0.41]),
    ("golf", [0.74, 0.72, 0.04]),
    ("ninety-eight", [0.59, 0.66, 0.41]),
    ("thesis-hearts", [0.71, 0.78, 0.29]),
    ("bottle-imp", [0.72, 0.80, 0.25]),
];

/// Our honest player, the repaired agent of the thesis, and the original agent.
const HONEST: [&str; 3] = ["honest", "thesis-honest", "thesis-honest:flaws=1"];

pub(super) fn run(args: &Experiment) -> Result<u8> {
    let mut out = anstream::stdout().lock();
    let mut csv = "game,table,player,value,margin,matches,printed\n".to_owned();
    let mut page = Page::new("Honest, clairvoyant and random players at one table");
    let players = measured(args, &HONEST)?;
    for name in wanted(args, &GAMES.map(|(name, _)| name))? {
        let Some((_, printed)) = GAMES.iter().find(|(known, _)| *known == name) else { continue };
        let mut bars = Vec::new();
        for honest in &players {
            // The same deals for every honest player.
            let result = table(args, name, &[honest, &args.clairvoyant], "table 2")?;
            let samples = &result.samples;
            // All random seats together.
            let random: Vec<f64> = samples[2..].iter().flat_map(|s| s.values.clone()).collect();
            let honest = honest.to_string();
            let rows = [
                (honest.clone(), samples[0].clone(), printed[0]),
                (args.clairvoyant.to_string(), samples[1].clone(), printed[1]),
                ("random".to_owned(), Sample { values: random }, printed[2]),
            ];
            let (matches, seats) = (samples[0].values.len(), samples.len());
            let sum: f64 = samples.iter().map(Sample::mean).sum();
            let must = seats as f64 / 2.0;
            writeln!(
                out,
                "{name}: {matches} matches, sum of the seats {sum:.3} (must be {must:.1})"
            )?;
            for (player, sample, printed) in rows {
                let (mean, margin) = (sample.mean(), sample.margin());
                writeln!(out, "  {player:<24} {mean:.3} +- {margin:.3}   thesis {printed:.2}")?;
                let _ = writeln!(
                    csv,
                    "{name},{honest},{player},{mean:.4},{margin:.4},{matches},{printed}"
                );
                bars.push(Bar {
                    name: player,
                    value: mean,
                    interval: Some((mean - margin, mean + margin)),
                });
            }
            report_faults(&mut out, &result)?;
        }
        page.heading(name);
        page.bars(&bars, 0.0);
    }
    write_files(args, &csv, &page, true)
}
