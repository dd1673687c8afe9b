//! The dependency graph of a decomposed game as Graphviz text and as SVG.

use std::fmt::Write as _;

use magister_engine::Compiled;

use crate::decomposition::{Decomposition, Part};

/// The maximum number of names of fluents or moves in a box.
const SHOWN: usize = 6;

/// A box of the drawing: a subgame or the context.
struct Node {
    title: String,
    lines: Vec<String>,
}

impl Decomposition {
    fn nodes(&self, compiled: &Compiled) -> Vec<Node> {
        let names = compiled.names();
        let network = compiled.network();
        let few = |all: Vec<String>, what: &str| -> Vec<String> {
            let mut lines: Vec<String> = all.iter().take(SHOWN).cloned().collect();
            if all.len() > SHOWN {
                lines.push(format!("and {} more {what}", all.len() - SHOWN));
            }
            lines
        };
        let fluent = |&fluent: &usize| names.fluents()[fluent].clone();
        let choice = |&place: &usize| {
            let (role, choice) = network.moves[place];
            format!("{}: {}", compiled.info().role_name(role), names.moves()[choice.index()])
        };
        let node = |number: usize, part: &Part| {
            let mut lines = few(part.fluents.iter().map(fluent).collect(), "fluents");
            lines.push(String::new());
            lines.extend(few(part.moves.iter().map(choice).collect(), "moves"));
            let count = |count: usize, what: &str| {
                format!("{count} {what}{}", if count == 1 { "" } else { "s" })
            };
            let title = format!(
                "subgame {}: {}, {}",
                number + 1,
                count(part.fluents.len(), "fluent"),
                count(part.moves.len(), "move")
            );
            Node { title, lines }
        };
        let mut nodes: Vec<Node> =
            self.subgames.iter().enumerate().map(|(number, part)| node(number, part)).collect();
        if !self.context.is_empty() {
            nodes.push(Node {
                title: format!("context: {} fluents", self.context.len()),
                lines: few(self.context.iter().map(fluent).collect(), "fluents"),
            });
        }
        nodes
    }

    /// The graph as text for Graphviz: a box for each subgame and for the context, an arrow from
    /// each earlier subgame to the later one, and from each scored subgame to the goals.
    pub fn dot(&self, compiled: &Compiled) -> String {
        let mut text = String::from("digraph decomposition {\n  node [shape=box];\n");
        for (number, node) in self.nodes(compiled).iter().enumerate() {
            let mut label = node.title.clone();
            for line in &node.lines {
                label += "\\l";
                label += line;
            }
            let _ = writeln!(text, "  n{number} [label=\"{}\\l\"];", label.replace('"', "\\\""));
        }
        text += "  goals [shape=ellipse];\n";
        for (early, late) in self.serial() {
            let _ = writeln!(text, "  n{early} -> n{late} [label=\"before\"];");
        }
        for scored in self.scored(compiled) {
            let _ = writeln!(text, "  n{scored} -> goals;");
        }
        text + "}\n"
    }

    /// The graph as SVG.
    pub fn svg(&self, compiled: &Compiled) -> String {
        const WIDE: usize = 260;
        const LINE: usize = 16;
        const GAP: usize = 30;
        let nodes = self.nodes(compiled);
        let columns = nodes.len().clamp(1, 4);
        let tall = nodes.iter().map(|node| node.lines.len()).max().unwrap_or(0) * LINE + 40;
        let rows = nodes.len().div_ceil(columns);
        let width = columns * (WIDE + GAP) + GAP;
        let height = rows * (tall + GAP) + GAP + 60;
        let place = |number: usize| {
            (GAP + number % columns * (WIDE + GAP), GAP + number / columns * (tall + GAP))
        };
        let mut text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
             font-family=\"sans-serif\" font-size=\"12\">\n<defs><marker id=\"tip\" \
             viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" \
             orient=\"auto\"><path d=\"M0 0L8 4L0 8z\"/></marker></defs>\n"
        );
        let (goal_x, goal_y) = (width / 2, height - 30);
        for scored in self.scored(compiled) {
            let (x, y) = place(scored);
            let _ = writeln!(
                text,
                "<line x1=\"{}\" y1=\"{}\" x2=\"{goal_x}\" y2=\"{}\" stroke=\"#888\" \
                 marker-end=\"url(#tip)\"/>",
                x + WIDE / 2,
                y + tall,
                goal_y - 16
            );
        }
        for (early, late) in self.serial() {
            let ((x1, y1), (x2, y2)) = (place(early), place(late));
            let _ = writeln!(
                text,
                "<line x1=\"{}\" y1=\"{}\" x2=\"{x2}\" y2=\"{}\" stroke=\"#b40\" \
                 stroke-width=\"2\" marker-end=\"url(#tip)\"/>",
                x1 + WIDE,
                y1 + tall / 2,
                y2 + tall / 2
            );
        }
        for (number, node) in nodes.iter().enumerate() {
            let (x, y) = place(number);
            let _ = writeln!(
                text,
                "<rect x=\"{x}\" y=\"{y}\" width=\"{WIDE}\" height=\"{tall}\" rx=\"6\" \
                 fill=\"#f6f6f2\" stroke=\"#444\"/>\n<text x=\"{}\" y=\"{}\" \
                 font-weight=\"bold\">{}</text>",
                x + 10,
                y + 20,
                escaped(&node.title)
            );
            for (line, words) in node.lines.iter().enumerate() {
                let _ = writeln!(
                    text,
                    "<text x=\"{}\" y=\"{}\">{}</text>",
                    x + 10,
                    y + 40 + line * LINE,
                    escaped(words)
                );
            }
        }
        let _ = writeln!(
            text,
            "<ellipse cx=\"{goal_x}\" cy=\"{goal_y}\" rx=\"40\" ry=\"16\" fill=\"#eee\" \
             stroke=\"#444\"/>\n<text x=\"{goal_x}\" y=\"{}\" text-anchor=\"middle\">goals</text>",
            goal_y + 4
        );
        text + "</svg>\n"
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
