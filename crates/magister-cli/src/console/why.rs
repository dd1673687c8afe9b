//! Why a move is not legal, explained for players.
//!
//! The explanation comes from the engine. A player reads its final reasons: the missing facts of
//! the position, and the ones in their place.

use std::time::Duration;

use anyhow::{Result, anyhow};
use magister::Source;
use magister_core::Stop;
use magister_engine::explain::{Extent, Scene};
use magister_engine::{Explainer, Ground, Program, within};
use magister_gdl::Dialect;
use serde_json::Value;

use super::moves::plain;
use crate::terminal::fitted;

/// The time limit for finding reasons.
const PATIENCE: Duration = Duration::from_secs(10);
/// One reason for each condition, down to the facts.
const EXTENT: Extent = Extent { depth: 12, width: 1, history: 0 };
/// The maximum number of reasons.
const REASONS: usize = 3;
/// The maximum number of fluents that are named as the reason for a condition that must not hold.
const NAMED: usize = 3;

/// A move that a role cannot make.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Question<'a> {
    pub(crate) role: &'a str,
    /// The move in the syntax of the rules.
    pub(crate) choice: &'a str,
    /// Whether no position allows it.
    pub(crate) never: bool,
}

/// The answer to a question about a move.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    pub(crate) text: String,
    /// Whether the reason never changes during play.
    pub(crate) fixed: bool,
    /// Whether the move has names that the rules never mention, so that there is no more to say.
    pub(crate) unknown: bool,
}

/// The reason why a role cannot make a move in a state.
pub(crate) fn illegal(
    source: &Source,
    state: Vec<Ground>,
    question: &Question<'_>,
) -> Result<Reply> {
    let Question { role, choice, never } = *question;
    let no_rules = || anyhow!("this game is written in Rust, so its rules cannot be explained");
    let rules = source.rulesheet().ok_or_else(no_rules)?;
    let program = source.program().ok_or_else(no_rules)?.map_err(|error| anyhow!("{error}"))?;
    let term = Ground::read_either(choice, rules.syntax);
    let term = term.ok_or_else(|| anyhow!("{choice} cannot be read"))?;
    let unknown = unknown(&program, &term);
    if !unknown.is_empty() {
        let named: Vec<String> = unknown.iter().map(|name| format!("`{name}`")).collect();
        let verb = if named.len() == 1 { "does" } else { "do" };
        let named = named.join(" and ");
        let text =
            format!("{} is never legal: {named} {verb} not occur in the rules.", plain(choice));
        return Ok(Reply { text: fitted(&text), fixed: true, unknown: true });
    }
    let args = match rules.dialect {
        Dialect::Operations => vec![term],
        _ => vec![Ground::constant(role), term],
    };
    let atom = Ground { name: "legal".into(), args: Some(args.into()) };
    let scene = Scene { state, ..Scene::default() };
    let text = atom.text(rules.syntax);
    let tree = within(PATIENCE, &Stop::never(), |stop| {
        let mut explainer = Explainer::new(program, rules.syntax, &text, &scene)?;
        let explanation = explainer.explain(EXTENT, stop).map_err(|halt| anyhow!("{halt}"))?;
        anyhow::Ok(explainer.json(&explanation))
    })?;
    let mut reasons = Vec::new();
    let no_nodes = Vec::new();
    let nodes = tree["nodes"].as_array().unwrap_or(&no_nodes);
    let root = tree["roots"][0].as_u64().unwrap_or(0) as usize;
    collect(nodes, root, never, &mut reasons);
    // Reasons that may change say more than those that never do.
    if reasons.iter().any(|reason| !reason.fixed) {
        reasons.retain(|reason| !reason.fixed);
    }
    let mut seen = std::collections::BTreeSet::new();
    reasons.retain(|reason: &Reason| seen.insert(reason.text.clone()));
    reasons.truncate(REASONS);
    let fixed = never || reasons.iter().any(|reason| reason.fixed);
    let choice = match plain(choice) {
        pass if pass == "pass" => "passing".to_owned(),
        other => other,
    };
    let never = if never { "never" } else { "not" };
    let text = match &reasons[..] {
        [] => format!("{choice} is {never} legal: no rule allows it here.\n"),
        [one] => whole(&fitted(&format!("{choice} is {never} legal: {}.", one.text))),
        several => {
            let lines: String = several.iter().map(|one| format!("- {}\n", one.text)).collect();
            whole(&fitted(&format!("{choice} is {never} legal:\n{lines}")))
        }
    };
    Ok(Reply { text, fixed, unknown: false })
}

/// The names in a term that the rules never mention.
fn unknown(program: &Program, term: &Ground) -> Vec<String> {
    let mut unknown = Vec::new();
    let mut rest = vec![term];
    while let Some(term) = rest.pop() {
        let name = term.name.to_string();
        if program.terms.find_symbol(&name).is_none() && !unknown.contains(&name) {
            unknown.push(name);
        }
        rest.extend(term.args.iter().flat_map(|args| args.iter()).rev());
    }
    unknown
}

/// One reason.
#[derive(Clone, Debug)]
struct Reason {
    text: String,
    /// Whether it never changes during play.
    fixed: bool,
}

impl Reason {
    fn of_state(text: String) -> Self {
        Reason { text, fixed: false }
    }

    /// A condition that no position can meet.
    fn fixed(claim: &str) -> Self {
        let variables: Vec<&str> = claim.split(' ').filter(|word| word.starts_with('?')).collect();
        let text = match (
            claim.strip_prefix("distinct ").map(|rest| rest.split_once(' ')),
            &variables[..],
        ) {
            (Some(Some((one, other))), []) => {
                format!("{} must differ from {}", quoted(one), quoted(other))
            }
            (_, []) => format!("it needs {}, which is never true", quoted(claim)),
            (_, several) => {
                let mut several = several.to_vec();
                several.dedup();
                format!(
                    "it needs {}, and there is no such {}",
                    quoted(claim),
                    several.join(" and ")
                )
            }
        };
        Reason { text, fixed: true }
    }
}

/// Replaces a blank at which no line may end.
const KEPT: &str = "\u{1}";

/// A condition in quotes, which stays on one line.
fn quoted(claim: &str) -> String {
    format!("`{}`", claim.replace(' ', KEPT))
}

fn whole(text: &str) -> String {
    text.replace(KEPT, " ")
}

/// The final reasons below a node that does not hold.
fn collect(nodes: &[Value], root: usize, never: bool, reasons: &mut Vec<Reason>) {
    let mut rest = vec![root];
    // Nodes form a tree, except for references to nodes that were explained before.
    let mut left = nodes.len();
    while let Some((id, node)) = rest.pop().and_then(|id| Some((id, nodes.get(id)?))) {
        if left == 0 {
            return;
        }
        left -= 1;
        let because = node["because"].as_str().unwrap_or_default();
        let claim = words(node["claim"].as_str().unwrap_or_default());
        let below = children(node);
        match because {
            "elsewhere" => rest.extend(node["see"].as_u64().map(|id| id as usize)),
            "misses" | "miss" if node["fixed"] != true && !below.is_empty() => {
                rest.extend(below.into_iter().rev());
            }
            "not-in-state" => reasons.push(Reason::of_state(missing(&claim, node, never))),
            "present" => {
                let inner = claim.strip_prefix("not ").unwrap_or(&claim).to_owned();
                let there = there(nodes, &below);
                let there = if there.is_empty() { inner.clone() } else { there.join(" and ") };
                reasons.push(Reason::of_state(if there == inner {
                    format!("the position has {}", quoted(&there))
                } else {
                    let (inner, there) = (quoted(&inner), quoted(&there));
                    format!("{inner} must not hold, but the position has {there}")
                }));
            }
            _ if node["fixed"] == true && claim.starts_with("not ") => {
                let text = format!("{} is always true", quoted(claim.trim_start_matches("not ")));
                reasons.push(Reason { text, fixed: true });
            }
            _ if node["fixed"] == true => {
                reasons.push(Reason::fixed(&last_fixed(nodes, id, claim)));
            }
            "no-fact" | "refuted" | "no-head" | "undefined" => reasons.push(Reason::fixed(&claim)),
            _ => reasons.push(Reason::of_state(format!("{} does not hold", quoted(&claim)))),
        }
    }
}

/// The last condition that fails below one that never changes, if it is unique and has no
/// variables: `floor 2 3` for `way up 3 3 ?row ?column`. Otherwise the condition itself, because
/// its name means more to a player than its parts.
fn last_fixed(nodes: &[Value], from: usize, claim: String) -> String {
    let mut at = from;
    for _ in 0..nodes.len() {
        match &children(&nodes[at])[..] {
            [] => break,
            [only] if *only < nodes.len() => at = *only,
            _ => return claim,
        }
    }
    let last = words(nodes[at]["claim"].as_str().unwrap_or_default());
    let negated = last.starts_with("not ") || nodes[at]["because"] == "elsewhere";
    if at == from || negated || last.contains('?') || !claim.contains('?') { claim } else { last }
}

/// The missing fact of a position, and the fact in its place.
fn missing(claim: &str, node: &Value, never: bool) -> String {
    if never {
        return format!("it needs {}, which no position has", quoted(claim));
    }
    let near = node["near"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let near: Vec<String> = near.map(words).collect();
    // The last word of a fluent is usually its value; the others are its place.
    let place = |text: &str| text.rsplit_once(' ').map(|(place, _)| place.to_owned());
    match &near[..] {
        [one] if place(one).is_some() && place(one) == place(claim) => {
            format!("it needs {}, but the position has {}", quoted(claim), quoted(one))
        }
        _ => format!("it needs {}, which the position does not have", quoted(claim)),
    }
}

/// The fluents in the proof of a condition that holds.
fn there(nodes: &[Value], roots: &[usize]) -> Vec<String> {
    let mut rest: Vec<usize> = roots.to_vec();
    let mut found = Vec::new();
    let mut left = nodes.len();
    while let Some(node) = rest.pop().and_then(|id| nodes.get(id)) {
        if left == 0 || found.len() >= NAMED {
            break;
        }
        left -= 1;
        if node["because"] == "state" {
            found.push(words(node["claim"].as_str().unwrap_or_default()));
        }
        rest.extend(children(node).into_iter().rev());
    }
    found
}

fn children(node: &Value) -> Vec<usize> {
    let children = node["children"].as_array().into_iter().flatten();
    children.filter_map(Value::as_u64).map(|id| id as usize).collect()
}

/// A condition as text for people: `cell 1 1 b` for `(true (cell 1 1 b))`.
fn words(claim: &str) -> String {
    let (negated, inner) = match claim.strip_prefix("(not ").or_else(|| claim.strip_prefix('~')) {
        Some(inner) => (true, inner),
        None => (false, claim),
    };
    let text = plain(inner);
    let text = text.strip_prefix("true ").unwrap_or(&text).to_owned();
    if negated { format!("not {text}") } else { text }
}
