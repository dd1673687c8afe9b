//! A long run of the battery: every game written in Rust, many walks.

use anyhow::{Result, bail};
use magister_core::battery;
use magister_games::native;

use crate::ledger::Ledger;

pub(crate) fn run(walks: u32, ledger: &mut Ledger) -> Result<()> {
    for (name, _, make) in native::all() {
        let part = format!("battery {name}, {walks} walks");
        if ledger.has(&part) {
            continue;
        }
        let options = battery::Options { walks, ..battery::Options::default() };
        let report = battery::check(make().as_ref(), &options);
        if !report.failures.is_empty() {
            bail!("{name}: {:?}", report.failures);
        }
        ledger.note(&part, format!("no failure, {} warnings", report.warnings.len()))?;
    }
    Ok(())
}
