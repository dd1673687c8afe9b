//! `magister network`: a game as gates.

use std::io::Write;
use std::time::Instant;

use anyhow::{Context as _, Result, bail};
use magister_gdl::Syntax;
use serde_json::json;

use crate::CLEAN;
use crate::args::Network;
use crate::game;

pub(crate) fn run(args: &Network) -> Result<u8> {
    let source = game::find(&args.game, &args.language.options())?;
    let name = source.name();
    let start = Instant::now();
    let Some(made) = source.network() else {
        bail!("{} is written in Rust and has no network", args.game);
    };
    let network = made
        .map_err(|error| anyhow::anyhow!("{error}"))
        .with_context(|| format!("{name} does not become a network"))?;
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
    writeln!(out, "{name}: {step} gates a step, made in {:.1} ms", took.as_secs_f64() * 1000.0)?;
    writeln!(out, "fluents:   {}", network.fluents.len())?;
    writeln!(
        out,
        "exclusive: {groups} groups of {members} fluents, in {exact} of them one always true"
    )?;
    writeln!(out, "implied:   {implied} fluents by others")?;
    writeln!(out, "moves:     {}", network.network.moves.len())?;
    writeln!(out, "legal, terminal:  {} gates", gates.legal)?;
    writeln!(out, "next state:       {} gates", gates.next)?;
    writeln!(out, "goals:            {} gates", gates.goals)?;
    writeln!(out, "percepts:         {} gates", gates.percepts)?;
    for (turn, gates) in &sides {
        writeln!(out, "when {turn}: {gates} gates a step")?;
    }
    Ok(CLEAN)
}
