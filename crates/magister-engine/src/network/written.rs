//! A network as rules: its gates, written as GDL without variables.

use std::fmt::Write as _;

use rustc_hash::FxHashSet;

use super::{Edge, GdlNetwork};
use crate::term::TermId;

/// Rules without variables, as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The rules that were written.
    pub text: String,
    /// The number of rules, with those that were left out.
    pub rules: usize,
}

impl GdlNetwork {
    /// The rules that the network computes, in prefix syntax; at most `most` of them are written.
    ///
    /// They are GDL without variables, and they have the same matches as the original rules.
    /// `(all N)` is a gate all of whose conditions must hold; one of those of `(some N)` is enough.
    /// Only fluents and moves are negated.
    pub fn written(&self, roles: &[String], most: usize) -> Written {
        let (out, outputs) = (String::new(), Vec::new());
        let mut writer = Writer { network: self, roles, most, out, rules: 0, outputs };
        for role in roles {
            writer.rule(&format!("(role {role})"), None);
        }
        for (fluent, _) in self.fluents.iter().zip(&self.initial).filter(|&(_, &holds)| holds) {
            writer.rule(&format!("(init {})", self.term(*fluent)), None);
        }
        for (&(role, choice), &edge) in self.network.moves.iter().zip(&self.legal) {
            let term = self.term(self.moves[choice.index()]);
            writer.output(&format!("(legal {} {term})", roles[role.index()]), edge);
        }
        for (&fluent, &edge) in self.fluents.iter().zip(&self.next) {
            writer.output(&format!("(next {})", self.term(fluent)), edge);
        }
        for sight in &self.network.percepts {
            let percept = self.term(self.percepts[sight.percept.0 as usize]);
            writer.output(&format!("(sees {} {percept})", roles[sight.role.index()]), sight.when);
        }
        writer.output("terminal", self.terminal);
        for (goal, &value) in self.network.goals.iter().zip(&self.goals) {
            let head = format!("(goal {} {})", roles[goal.role.index()], self.term(value));
            writer.output(&head, goal.when);
        }
        writer.gates();
        Written { text: writer.out, rules: writer.rules }
    }

    fn term(&self, term: TermId) -> String {
        self.terms.export(term).to_string()
    }
}

struct Writer<'a> {
    network: &'a GdlNetwork,
    roles: &'a [String],
    most: usize,
    out: String,
    rules: usize,
    /// The outputs that were written.
    outputs: Vec<Edge>,
}

impl Writer<'_> {
    /// A fact, or a rule with a body.
    fn rule(&mut self, head: &str, body: Option<&str>) {
        self.rules += 1;
        if self.rules > self.most {
            return;
        }
        let _ = match body {
            Some(body) => writeln!(self.out, "(<= {head} {body})"),
            None => writeln!(self.out, "{head}"),
        };
    }

    /// The rules for an output: one if its gate must hold, one for each input if it must not.
    fn output(&mut self, head: &str, edge: Edge) {
        match edge {
            Edge::TRUE => self.rule(head, None),
            Edge::FALSE => {}
            _ => {
                self.outputs.push(edge);
                self.define(head, edge);
            }
        }
    }

    fn define(&mut self, head: &str, edge: Edge) {
        let children = self.network.graph.children(edge.node());
        if children.is_empty() {
            let body = self.literal(edge);
            self.rule(head, Some(&body));
        } else if edge.negated() {
            for &child in children {
                let body = self.literal(!child);
                self.rule(head, Some(&body));
            }
        } else {
            let body: Vec<String> = children.iter().map(|&child| self.literal(child)).collect();
            self.rule(head, Some(&body.join(" ")));
        }
    }

    /// The rules of the gates, in the forms in which others use them.
    fn gates(&mut self) {
        let graph = &self.network.graph;
        let mut used: FxHashSet<Edge> = FxHashSet::default();
        let mut open = self.outputs.clone();
        while let Some(edge) = open.pop() {
            for &child in graph.children(edge.node()) {
                let child = if edge.negated() { !child } else { child };
                if !graph.is_input(child.node()) && used.insert(child) {
                    open.push(child);
                }
            }
        }
        let mut used: Vec<Edge> = used.into_iter().collect();
        used.sort_unstable();
        for edge in used {
            let head = self.literal(edge);
            self.define(&head, edge);
        }
    }

    fn literal(&self, edge: Edge) -> String {
        let network = self.network;
        let node = edge.node();
        if !network.graph.is_input(node) {
            return format!("({} {node})", if edge.negated() { "some" } else { "all" });
        }
        let text = if let Some(&fluent) = network.fluents.get(node.fluent().index()) {
            format!("(true {})", network.term(fluent))
        } else if let Some(at) = network.inputs.iter().position(|&input| input.node() == node) {
            let (role, choice) = network.network.moves[at];
            let term = network.term(network.moves[choice.index()]);
            format!("(does {} {term})", self.roles[role.index()])
        } else {
            let idle =
                network.idle.iter().position(|&idle| idle.map(super::InputId::node) == Some(node));
            format!("(does {} noop)", self.roles[idle.unwrap_or(0)])
        };
        if edge.negated() { format!("(not {text})") } else { text }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use magister_core::{Game as _, Step, Stop};
    use magister_gdl::{Options, read};

    use crate::evaluator::NetworkGame;
    use crate::grounder::{GroundLimits, ground};
    use crate::network::{GdlNetwork, NetworkLimits};
    use crate::{Evaluator, Program};

    const ROW: &str = "(role x) (role o) (init (control x)) (init (cell 1 b)) (init (cell 2 b))
        (init (cell 3 b)) (init (cell 4 b)) (succ 1 2) (succ 2 3) (succ 3 4) (other x o) (other o x)
        (<= (legal ?p (put ?n)) (true (control ?p)) (true (cell ?n b)))
        (<= (legal ?p pass) (true (control ?q)) (other ?p ?q))
        (<= (next (cell ?n ?p)) (does ?p (put ?n)))
        (<= (next (cell ?n ?c)) (true (cell ?n ?c)) (not (put ?n)))
        (<= (put ?n) (does ?p (put ?n)))
        (<= (next (control ?p)) (true (control ?q)) (other ?p ?q))
        (<= (line ?p) (role ?p) (succ ?m ?n) (true (cell ?m ?p)) (true (cell ?n ?p)))
        (<= open (true (cell ?n b)))
        (<= terminal (line ?p)) (<= terminal (not open))
        (<= (goal ?p 100) (line ?p)) (<= (goal ?p 0) (role ?p) (not (line ?p)))";

    fn game(text: &str) -> NetworkGame {
        let rules = read(text, &Options::default()).rules;
        let program = Arc::new(Program::new(&rules, text).expect("a game"));
        let grounded = ground(&program, &GroundLimits::default(), &Stop::never()).expect("grounds");
        let network = GdlNetwork::new(&grounded, &NetworkLimits::default(), &Stop::never());
        let network = Arc::new(network.expect("fits"));
        NetworkGame::new(&program, network, Evaluator::Sweep, text, "row").expect("starts")
    }

    #[test]
    fn written_rules_have_the_same_matches() {
        let original = game(ROW);
        let roles = &original.info().roles;
        let written = original.network().written(roles, usize::MAX);
        assert_eq!(written.rules, written.text.lines().count());
        assert!(!written.text.contains('?') && !written.text.contains("(not (all"));
        let again = game(&written.text);
        for seed in 0..20usize {
            let (mut one, mut two) = (original.worker(), again.worker());
            let mut step = Step::new();
            for turn in 0.. {
                assert_eq!(one.terminal(), two.terminal());
                let mut joints = [Vec::new(), Vec::new()];
                for role in original.info().all_roles() {
                    let text = |game: &NetworkGame, choice| game.text().move_text(choice);
                    let mut first: Vec<_> = one.legal(role).to_vec();
                    let mut second: Vec<_> = two.legal(role).to_vec();
                    first.sort_by_key(|&choice| text(&original, choice));
                    second.sort_by_key(|&choice| text(&again, choice));
                    let texts = |game: &NetworkGame, list: &[_]| -> Vec<String> {
                        list.iter().map(|&choice| text(game, choice)).collect()
                    };
                    assert_eq!(texts(&original, &first), texts(&again, &second));
                    let (mut goals, mut others) = (Vec::new(), Vec::new());
                    one.goals(role, &mut goals);
                    two.goals(role, &mut others);
                    assert_eq!(goals, others);
                    if let Some(at) = (seed * 7 + turn * 3).checked_rem(first.len()) {
                        joints[0].push(first[at]);
                        joints[1].push(second[at]);
                    }
                }
                if one.terminal() {
                    break;
                }
                one.step(&joints[0], &mut step, &Stop::never()).expect("legal");
                two.step(&joints[1], &mut step, &Stop::never()).expect("legal");
            }
        }
    }

    #[test]
    fn the_number_of_written_rules_is_limited() {
        let original = game(ROW);
        let few = original.network().written(&original.info().roles, 5);
        assert_eq!(few.text.lines().count(), 5);
        assert!(few.rules > 20);
    }
}
