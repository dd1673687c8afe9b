//! A drawing of a network, for Graphviz.

use std::fmt::Write as _;

use super::{Edge, GdlNetwork, NodeId};
use crate::term::TermId;

impl GdlNetwork {
    /// The network as a graph in the DOT language: inputs at the top, outputs at the bottom; dashed
    /// lines are negations.
    pub fn dot(&self) -> String {
        let text = |term: TermId| escaped(&self.terms.export(term).to_string());
        let mut out = String::from("digraph network {\n  rankdir=TB;\n  node [fontsize=10];\n");
        let outputs = self.outputs();
        for node in self.graph.reachable(outputs.iter().copied()) {
            let label = if node == NodeId::TRUE {
                "true".to_owned()
            } else if let Some(&fluent) = self.fluents.get(node.fluent().index()) {
                text(fluent)
            } else if let Some(at) = self.inputs.iter().position(|&input| input.node() == node) {
                let (role, choice) = self.network.moves[at];
                format!("{} does {}", role.0, text(self.moves[choice.index()]))
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
        for (&(role, choice), &edge) in self.network.moves.iter().zip(&self.legal) {
            output(format!("{} may {}", role.0, text(self.moves[choice.index()])), edge);
        }
        output("terminal".to_owned(), self.terminal);
        for (&fluent, &edge) in self.fluents.iter().zip(&self.next) {
            output(format!("next {}", text(fluent)), edge);
        }
        for (goal, &value) in self.network.goals.iter().zip(&self.goals) {
            output(format!("{} gets {}", goal.role.0, text(value)), goal.when);
        }
        for sight in &self.network.percepts {
            let percept = text(self.percepts[sight.percept.0 as usize]);
            output(format!("{} sees {percept}", sight.role.0), sight.when);
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
