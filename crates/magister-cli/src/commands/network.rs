//! `magister network`: a game as gates.

use std::io::Write;
use std::time::Instant;

use anyhow::{Context as _, Result, bail};
use magister_gdl::Syntax;
use serde_json::json;

use super::plural;
use crate::CLEAN;
use crate::args::Network;
use crate::game;
use crate::terminal::hanging;

pub(crate) fn run(args: &Network) -> Result<u8> {
    let source = game::find(&args.game, &args.language.options())?;
    let name = source.name();
    let start = Instant::now();
    let Some(made) = source.network() else {
        let language = source.language();
        bail!("{} is written in {language}, so it has no propositional network", args.game);
    };
    let network = made
        .map_err(|error| anyhow::anyhow!("{error}"))
        .with_context(|| format!("{name} has no propositional network"))?;
    let took = start.elapsed();
    let mut out = anstream::stdout().lock();
    if args.dot {
        out.write_all(network.dot().as_bytes())?;
        return Ok(CLEAN);
    }
    let gates = network.gates();
    let step = gates.legal + gates.next;
    let known = &network.invariants.groups;
    let groups = known.len();
    let exact = known.iter().filter(|group| group.exact).count();
    let members: usize = known.iter().map(|group| group.members.len()).sum();
    let implied = network.invariants.implied.len();
    let sides: Vec<(String, usize)> = network
        .per_player
        .iter()
        .map(|side| {
            let fluent = network.fluents[side.turn.node().index() - 1];
            let text = network.terms.export(fluent).text(Syntax::Kif);
            let turn = if side.turn.negated() { format!("(not {text})") } else { text };
            let gates = side.network.gates();
            (turn, gates.legal + gates.next)
        })
        .collect();
    if args.json {
        let object = json!({
            "game": name,
            "fluents": network.fluents.len(),
            "moves": network.network.moves.len(),
            "gates": step + gates.goals + gates.percepts,
            "gates_by_section": {
                "legal": gates.legal,
                "next": gates.next,
                "goals": gates.goals,
                "percepts": gates.percepts,
            },
            "exclusive": {
                "groups": groups,
                "exactly_one": exact,
                "fluents": members,
            },
            "implied": implied,
            "sides": sides.iter().map(|(turn, gates)| json!({"turn": turn, "gates": gates}))
                .collect::<Vec<_>>(),
            "prepare_ms": took.as_secs_f64() * 1000.0,
        });
        writeln!(out, "{object}")?;
        return Ok(CLEAN);
    }
    let made = took.as_secs_f64() * 1000.0;
    writeln!(out, "{name}: {}, built in {made:.1} ms", plural(step, "gate"))?;
    let row = |what: &str, figure: String| hanging(&format!("{what:<24}{figure}"), 24) + "\n";
    let mut text = row("fluents", network.fluents.len().to_string());
    text += &row("moves", network.network.moves.len().to_string());
    text += &row(
        "mutual exclusion",
        format!(
            "{} with {}; in {exact} exactly one fluent is always true",
            plural(groups, "group"),
            plural(members, "fluent")
        ),
    );
    text += &row("implied fluents", implied.to_string());
    text += &row("gates: legal, terminal", gates.legal.to_string());
    text += &row("gates: next state", gates.next.to_string());
    text += &row("gates: goals", gates.goals.to_string());
    text += &row("gates: percepts", gates.percepts.to_string());
    for (turn, gates) in &sides {
        text += &row("gates of one turn", format!("{gates} when {turn}"));
    }
    write!(out, "{text}")?;
    Ok(CLEAN)
}
