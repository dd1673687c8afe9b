//! Why a move is not legal, in the words of the rules.

use std::time::Duration;

use anyhow::{Result, anyhow};
use magister::Source;
use magister_core::{Game, Stop};
use magister_engine::board::fluents;
use magister_engine::explain::{Extent, Scene};
use magister_engine::{Explainer, Ground, within};
use magister_gdl::Dialect;

/// How long to look for reasons.
const PATIENCE: Duration = Duration::from_secs(10);
/// Enough of a proof for a person.
const EXTENT: Extent = Extent { depth: 3, width: 3, history: 0 };

/// The reason why a role cannot make a move in a state.
pub(super) fn illegal(
    source: &Source,
    game: &dyn Game,
    state: &[u64],
    role: &str,
    choice: &str,
) -> Result<String> {
    let no_rules = || anyhow!("this game is written in Rust; only rules can give reasons");
    let rules = source.rulesheet().ok_or_else(no_rules)?;
    let program = source.program().ok_or_else(no_rules)?.map_err(|error| anyhow!("{error}"))?;
    let term = Ground::read_either(choice, rules.syntax);
    let term = term.ok_or_else(|| anyhow!("{choice} cannot be read"))?;
    let args = match rules.dialect {
        Dialect::Operations => vec![term],
        _ => vec![Ground::constant(role), term],
    };
    let atom = Ground { name: "legal".into(), args: Some(args.into()) };
    let scene = Scene { state: fluents(game, state), ..Scene::default() };
    let question = atom.text(rules.syntax);
    within(PATIENCE, &Stop::never(), |stop| {
        let mut explainer = Explainer::new(program, rules.syntax, &question, &scene)?;
        let explanation = explainer.explain(EXTENT, stop).map_err(|halt| anyhow!("{halt}"))?;
        Ok(explainer.text(&explanation))
    })
}
