//! Explanations as JSON.

use serde_json::{Map, Value, json};

use super::text::{claim, line};
use super::tree::{Claim, Explanation, ProofId, ProofStep, Reason};
use super::words::Words;
use crate::program::{Depends, Goal, Names};
use crate::reference::bind::UNBOUND;
use crate::term::TermId;

/// The nodes are in a list and refer to each other by index, so that readers can handle any depth.
pub(super) fn json(words: &Words<'_>, explanation: &Explanation) -> Value {
    let nodes: Vec<Value> = explanation.nodes.iter().map(|n| node(words, n)).collect();
    json!({
        "holds": explanation.holds,
        "answers": explanation.answers,
        "roots": numbers(&explanation.roots),
        "nodes": nodes,
        "cut": explanation.cut,
    })
}

fn numbers(ids: &[ProofId]) -> Vec<u32> {
    ids.iter().map(|id| id.0).collect()
}

fn node(words: &Words<'_>, node: &ProofStep) -> Value {
    let mut object = json!({
        "claim": claim(words, &node.claim),
        "holds": node.holds,
        "step": node.step,
        "children": numbers(&node.children),
    });
    let mut set = |key: &str, value: Value| object[key] = value;
    if let Some(line) = line(words, node) {
        set("line", json!(line));
    }
    if node.more > 0 {
        set("more", json!(node.more));
    }
    if let Claim::Literal(literal, _) = &node.claim {
        let fixed = match &literal.goal {
            Goal::Relation(atom) => {
                words.program.relations[atom.relation.index()].depends == Depends::Nothing
            }
            Goal::Distinct(..) => true,
            _ => false,
        };
        if fixed {
            // It does not depend on the position.
            set("fixed", json!(true));
        }
    }
    if let Claim::Instance(rule, bindings) = &node.claim {
        let names = &words.program.rules[*rule as usize].names;
        set("values", values(words, names, bindings));
        set("instance", json!(words.rule(*rule, bindings)));
    }
    let terms = |terms: &[TermId]| json!(terms.iter().map(|&t| words.term(t)).collect::<Vec<_>>());
    let because = match &node.reason {
        Reason::Fact(_) => "fact",
        Reason::Rule(rule, bindings) => {
            let names = &words.program.rules[*rule as usize].names;
            set("rule", json!(words.rule(*rule, &[])));
            set("instance", json!(words.rule(*rule, bindings)));
            set("values", values(words, names, bindings));
            "rule"
        }
        Reason::State(since) => {
            set("since", json!(since));
            "state"
        }
        Reason::Done => "done",
        Reason::Computed => "computed",
        Reason::Counted(count) => {
            set("count", json!(count));
            "counted"
        }
        Reason::Absent => "absent",
        Reason::Operation(operation, action) => {
            set("operation", json!(words.operation(*operation)));
            set("action", json!(words.term(*action)));
            "operation"
        }
        Reason::Kept => "kept",
        Reason::Bare => "bare",
        Reason::NotInState { near, until, hint } => {
            set("near", terms(near));
            set("meant", json!(hint.as_ref().and_then(|hint| hint.name.as_ref())));
            set("until", json!(until));
            "not-in-state"
        }
        Reason::NotDone(made) => {
            set("made", json!(made.map(|made| words.term(made))));
            "not-done"
        }
        Reason::Refuted(value) => {
            set("value", json!(value.map(|value| words.term(value))));
            "refuted"
        }
        Reason::Present => "present",
        Reason::Undefined(hint) | Reason::NoOperation(hint) => {
            set("meant", json!(hint.name));
            set("arities", json!(hint.arities));
            if matches!(node.reason, Reason::Undefined(_)) { "undefined" } else { "no-operation" }
        }
        Reason::NoFact(near) => {
            set("near", terms(near));
            "no-fact"
        }
        Reason::NoHead(rules) => {
            set("heads", json!(rules.iter().map(|&r| words.head(r)).collect::<Vec<_>>()));
            "no-head"
        }
        Reason::Misses(count) => {
            set("rules", json!(count));
            "misses"
        }
        Reason::Miss { hold, open, more, at_least } => {
            set("hold", json!(hold));
            set("open", json!(open));
            set("alike", json!(more));
            set("at_least", json!(at_least));
            "miss"
        }
        Reason::Gives(other) => {
            set("gives", json!(words.term(*other)));
            "gives"
        }
        Reason::NotPerformed => "not-performed",
        Reason::Elsewhere(there) => {
            set("see", json!(there.0));
            "elsewhere"
        }
        Reason::Deeper => "deeper",
        Reason::Limit(what) => {
            set("limit", json!(what));
            "limit"
        }
    };
    object["because"] = json!(because);
    object
}

/// The variables with a name and a value.
fn values(words: &Words<'_>, names: &Names, bindings: &[TermId]) -> Value {
    let pairs = names.iter().zip(bindings).enumerate();
    let known = pairs.filter(|(_, (name, term))| name.is_some() && **term != UNBOUND);
    let object: Map<String, Value> = known
        .map(|(place, (_, &term))| (words.variable(names, place as u32), json!(words.term(term))))
        .collect();
    Value::Object(object)
}
