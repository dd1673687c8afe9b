//! Descriptions of a decomposition.

use std::fmt::Write as _;
use std::time::Duration;

use magister_decompose::{Decomposition, Part, Symbolic};
use magister_engine::Compiled;
use serde_json::{Value, json};

use crate::commands::{plural, wrapped};

/// The maximum number of names shown of each list, unless all are requested.
const SHOWN: usize = 12;

pub(super) fn fluents(compiled: &Compiled, numbers: &[usize]) -> Vec<String> {
    numbers.iter().map(|&fluent| compiled.names().fluents()[fluent].clone()).collect()
}

/// The texts of moves; different roles may have the same text.
pub(super) fn moves(compiled: &Compiled, places: &[usize]) -> Vec<String> {
    let network = compiled.network();
    let text = |&place: &usize| {
        let (role, choice) = network.moves[place];
        (role, compiled.names().moves()[choice.index()].clone())
    };
    let mut all: Vec<String> = places.iter().map(text).map(|(_, text)| text).collect();
    all.sort();
    all.dedup();
    all
}

pub(super) fn description(name: &str, compiled: &Compiled, whole: &Decomposition) -> Value {
    let subgame = |part: &Part| json!({"fluents": fluents(compiled, &part.fluents), "moves": moves(compiled, &part.moves)});
    let kinds: Vec<&str> = whole.kinds.iter().map(|kind| kind.name()).collect();
    let later = whole.later.as_deref().map(|later| {
        let inside: &Compiled = later.game.compiled();
        let part = |part: &Part| json!({"fluents": fluents(inside, &part.fluents), "moves": moves(inside, &part.moves)});
        json!({
            "given": fluents(compiled, &later.given),
            "subgames": later.whole.subgames.iter().map(part).collect::<Vec<_>>(),
            "classes": later.whole.kinds.iter().map(|kind| kind.name()).collect::<Vec<_>>(),
        })
    });
    json!({
        "game": name,
        "later": later,
        "subgames": whole.subgames.iter().map(subgame).collect::<Vec<_>>(),
        "context": fluents(compiled, &whole.context),
        "dead": moves(compiled, &whole.dead),
        "serial": whole.serial(),
        "classes": kinds,
        "useful": whole.worth.useful,
        "why": whole.worth.why,
        "proof": {
            "by_support": whole.proof.by_support,
            "by_sat": whole.proof.by_sat,
            "questions": whole.proof.questions,
            "together": whole.proof.together,
        },
    })
}

pub(super) fn list(start: &str, names: &[String], all: bool) -> String {
    let shown = if all { names.len() } else { names.len().min(SHOWN) };
    let mut items: Vec<String> = names[..shown].to_vec();
    if shown < names.len() {
        items.push(format!("and {} more", names.len() - shown));
    }
    wrapped(start, items.into_iter(), "  ")
}

pub(super) fn text(
    name: &str,
    compiled: &Compiled,
    whole: &Decomposition,
    all: bool,
    took: Duration,
) -> String {
    let mut text = format!(
        "{}: {} in {:.3} s\n",
        name,
        plural(whole.subgames.len(), "subgame"),
        took.as_secs_f64()
    );
    for (number, part) in whole.subgames.iter().enumerate() {
        let _ = writeln!(
            text,
            "subgame {}: {}, {}",
            number + 1,
            plural(part.fluents.len(), "fluent"),
            plural(moves(compiled, &part.moves).len(), "move")
        );
        text += &list("  fluents: ", &fluents(compiled, &part.fluents), all);
        text += &list("  moves:   ", &moves(compiled, &part.moves), all);
    }
    if !whole.context.is_empty() {
        text += &list("no move acts on: ", &fluents(compiled, &whole.context), all);
    }
    if !whole.dead.is_empty() {
        text += &list("moves that act on nothing: ", &moves(compiled, &whole.dead), all);
    }
    for (early, late) in whole.serial() {
        let _ = writeln!(text, "subgame {} begins when subgame {} is over", late + 1, early + 1);
    }
    let kinds: Vec<&str> = whole.kinds.iter().map(|kind| kind.name()).collect();
    if !kinds.is_empty() {
        let _ = writeln!(text, "classes: {}", kinds.join(", "));
    }
    if let Some(later) = &whole.later {
        let given = fluents(compiled, &later.given);
        let parts = plural(later.whole.subgames.len(), "subgame");
        text += &list(&format!("{parts} once these hold for good: "), &given, all);
        let inside = later.game.compiled();
        for (number, part) in later.whole.subgames.iter().enumerate() {
            text +=
                &list(&format!("  subgame {}: ", number + 1), &fluents(inside, &part.fluents), all);
        }
        let kinds: Vec<&str> = later.whole.kinds.iter().map(|kind| kind.name()).collect();
        let _ = writeln!(text, "  classes: {}", kinds.join(", "));
    }
    let useful = if whole.worth.useful { "yes" } else { "no" };
    let _ = writeln!(text, "useful: {useful}, {}", whole.worth.why);
    let proof = &whole.proof;
    let _ = writeln!(
        text,
        "proof: {} by circuit support, {} by SAT in {}",
        plural(proof.by_support, "fluent"),
        proof.by_sat,
        plural(proof.questions as usize, "question")
    );
    if proof.together > 0 {
        let _ = writeln!(text, "  roles act together on {}", plural(proof.together, "fluent"));
    }
    text
}

pub(super) fn move_text(compiled: &Compiled, choice: magister_core::Move) -> String {
    compiled.names().moves().get(choice.index()).cloned().unwrap_or_else(|| "-".to_owned())
}

/// The result from the rules alone, if they are too large to be grounded.
pub(super) fn symbolic(name: &str, found: &Symbolic) -> Value {
    let part = |part: &magister_decompose::SymbolicPart| json!({"fluents": part.fluents, "moves": part.moves});
    let classes: Vec<&str> =
        if found.impartial && found.subgames.len() > 1 { vec!["impartial"] } else { Vec::new() };
    json!({
        "game": name,
        "subgames": found.subgames.iter().map(part).collect::<Vec<_>>(),
        "context": found.context,
        "dead": found.dead,
        "classes": classes,
        "useful": false,
        "why": WITHOUT_PROOF,
        "proof": Value::Null,
    })
}

const WITHOUT_PROOF: &str =
    "the rules are too large to be grounded; the subgames are a guess from the names in the rules";

/// The same as text.
pub(super) fn symbolic_text(name: &str, found: &Symbolic, all: bool) -> String {
    let mut text =
        format!("{name}: {}, a guess from the rules\n", plural(found.subgames.len(), "subgame"));
    for (number, part) in found.subgames.iter().enumerate() {
        let _ = writeln!(text, "subgame {}:", number + 1);
        text += &list("  fluents: ", &part.fluents, all);
        text += &list("  moves:   ", &part.moves, all);
    }
    if !found.context.is_empty() {
        text += &list("no move acts on: ", &found.context, all);
    }
    if !found.dead.is_empty() {
        text += &list("moves that act on nothing: ", &found.dead, all);
    }
    if found.impartial {
        text += "the rules are the same for both roles\n";
    }
    let _ = writeln!(text, "useful: no, {WITHOUT_PROOF}");
    text
}
