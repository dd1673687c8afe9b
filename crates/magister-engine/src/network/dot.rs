//! A drawing of a network, for Graphviz.

use std::fmt::Write as _;

use super::{Edge, Network};
use crate::term::TermId;

impl Network {
    /// The network as a graph in the DOT language: inputs at the top, outputs at the bottom,
    /// dashed lines negate.
    pub fn dot(&self) -> String {
        let text = |term: TermId| escaped(&self.terms.export(term).to_string());
        let mut out = String::from("digraph network {\n  rankdir=TB;\n  node [fontsize=10];\n");
        let outputs = self.outputs();
        for node in self.graph.reachable(outputs.iter().copied()) {
            let label = if node == 0 {
                "true".to_owned()
            } else if let Some(&fluent) = self.fluents.get(node as usize - 1) {
                text(fluent)
            } else if let Some(at) = self.inputs.iter().position(|&i| i + 1 == node) {
                let (role, term) = self.moves[at];
                format!("{role} does {}", text(term))
            } else if !self.graph.children(node).is_empty() {
                "and".to_owned()
            } else {
                "idle".to_owned()
            };
            let shape = if self.graph.children(node).is_empty() { "box" } else { "circle" };
            let _ = writeln!(out, "  n{node} [label=\"{label}\", shape={shape}];");
            for edge in self.graph.children(node) {
                let _ = writeln!(out, "  n{} -> n{node}{};", edge.node(), style(*edge));
            }
        }
        let mut number = 0;
        let mut output = |label: String, edge: Edge| {
            number += 1;
            let _ = writeln!(out, "  o{number} [label=\"{label}\", shape=house];");
            let _ = writeln!(out, "  n{} -> o{number}{};", edge.node(), style(edge));
        };
        for (&(role, term), &edge) in self.moves.iter().zip(&self.legal) {
            output(format!("{role} may {}", text(term)), edge);
        }
        output("terminal".to_owned(), self.terminal);
        for (&fluent, &edge) in self.fluents.iter().zip(&self.next) {
            output(format!("next {}", text(fluent)), edge);
        }
        for &(role, value, edge) in &self.goals {
            output(format!("{role} gets {}", text(value)), edge);
        }
        for &(role, percept, edge) in &self.percepts {
            output(format!("{role} sees {}", text(percept)), edge);
        }
        out.push_str("}\n");
        out
    }
}

fn style(edge: Edge) -> &'static str {
    if edge.negated() { " [style=dashed]" } else { "" }
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
