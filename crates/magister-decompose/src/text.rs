//! The rules of a compiled game as GDL, so that a subgame can be used wherever rules are accepted.

use std::fmt::Write as _;

use magister_core::Halt;
use magister_engine::Compiled;
use magister_engine::network::{Edge, InputId, Network, NodeId};

/// The rules of a game in prefix GDL. It is an error if they cannot be written: chance, hidden
/// information, intermediate rewards, and goals that are not integers.
pub fn rules_text(compiled: &Compiled, heading: &str) -> Result<String, Halt> {
    let network: &Network = compiled.network();
    let info = compiled.info();
    let cannot = |what: &str| Err(Halt::Limit(format!("{what} cannot be written as rules")));
    if info.chance.is_some() || !network.gains.is_empty() || !network.percepts.is_empty() {
        return cannot("chance, percepts and rewards during play");
    }
    let whole = |value: Option<f64>| value.is_some_and(|value| value.fract() == 0.0);
    if !network.goals.iter().all(|goal| whole(goal.value))
        || !compiled.missing_goal().is_none_or(|value| whole(Some(value)))
    {
        return cannot("goals that are not whole numbers");
    }
    let mut writer = Writer { compiled, network, text: String::new(), idle: Vec::new() };
    for line in heading.lines() {
        let _ = writeln!(writer.text, "; {line}");
    }
    writer.write();
    Ok(writer.text)
}

struct Writer<'a> {
    compiled: &'a Compiled,
    network: &'a Network,
    text: String,
    /// The move of each role that has nothing to do.
    idle: Vec<String>,
}

impl Writer<'_> {
    fn write(&mut self) {
        let (compiled, network) = (self.compiled, self.network);
        let names = compiled.names();
        let roles = &compiled.info().roles;
        for (role, name) in roles.iter().enumerate() {
            let taken = |text: &str| {
                let own = network.moves.iter().filter(|(whose, _)| whose.index() == role);
                own.into_iter().any(|&(_, choice)| names.moves()[choice.index()] == text)
            };
            let free = ["noop", "idle", "nothing-to-do"].into_iter().find(|text| !taken(text));
            self.idle.push(free.unwrap_or("no-move-left").to_owned());
            let _ = writeln!(self.text, "(role {name})");
        }
        self.text.push('\n');
        for (fluent, name) in names.fluents().iter().enumerate() {
            let _ = writeln!(self.text, "(base {name})");
            if network.initial[fluent] {
                let _ = writeln!(self.text, "(init {name})");
            }
        }
        self.text.push('\n');
        for (place, &(role, choice)) in network.moves.iter().enumerate() {
            let head = format!("{} {}", roles[role.index()], names.moves()[choice.index()]);
            let _ = writeln!(self.text, "(input {head})");
            self.rules(&format!("(legal {head})"), network.legal[place]);
        }
        for (role, name) in roles.iter().enumerate() {
            if network.idle[role].is_none() {
                continue;
            }
            // A role without a move is idle.
            let idle = self.idle[role].clone();
            let _ = writeln!(self.text, "(input {name} {idle})");
            let _ = writeln!(self.text, "(<= (legal {name} {idle}) (not can-move-{role}))");
            for (place, &(whose, _)) in network.moves.iter().enumerate() {
                if whose.index() == role {
                    self.rules(&format!("can-move-{role}"), network.legal[place]);
                }
            }
        }
        self.text.push('\n');
        for (fluent, name) in names.fluents().iter().enumerate() {
            self.rules(&format!("(next {name})"), network.next[fluent]);
        }
        self.text.push('\n');
        self.rules("terminal", network.terminal);
        for goal in &network.goals {
            let value = goal.value.unwrap_or(0.0) as i64;
            let name = &roles[goal.role.index()];
            self.rules(&format!("(goal {name} {value})"), goal.when);
            if compiled.missing_goal().is_some() {
                self.rules(&format!("has-goal-{}", goal.role.index()), goal.when);
            }
        }
        if let Some(value) = compiled.missing_goal() {
            for (role, name) in roles.iter().enumerate() {
                let value = value as i64;
                let _ = writeln!(self.text, "(<= (goal {name} {value}) (not has-goal-{role}))");
            }
        }
        self.text.push('\n');
        self.gates();
    }

    /// The rules for a head that holds when a wire is true.
    fn rules(&mut self, head: &str, edge: Edge) {
        match edge {
            Edge::TRUE => {
                let _ = writeln!(self.text, "{head}");
            }
            Edge::FALSE => {}
            edge if edge.negated() && self.is_gate(edge.node()) => {
                for &child in self.network.graph.children(edge.node()) {
                    let _ = writeln!(self.text, "(<= {head} {})", self.literal(!child));
                }
            }
            edge => {
                let body = if self.is_gate(edge.node()) {
                    self.body(edge.node())
                } else {
                    self.literal(edge)
                };
                let _ = writeln!(self.text, "(<= {head} {body})");
            }
        }
    }

    fn is_gate(&self, node: NodeId) -> bool {
        node.index() > 0 && !self.network.graph.is_input(node)
    }

    fn body(&self, node: NodeId) -> String {
        let children = self.network.graph.children(node).iter();
        children.map(|&child| self.literal(child)).collect::<Vec<_>>().join(" ")
    }

    fn literal(&self, edge: Edge) -> String {
        let atom = self.atom(edge.node());
        if edge.negated() { format!("(not {atom})") } else { atom }
    }

    fn atom(&self, node: NodeId) -> String {
        let (network, names) = (self.network, self.compiled.names());
        let roles = &self.compiled.info().roles;
        let input = node.index().wrapping_sub(1);
        if input < network.fluents() {
            return format!("(true {})", names.fluents()[input]);
        }
        if let Some(place) = network.inputs.iter().position(|input| input.node() == node) {
            let (role, choice) = network.moves[place];
            return format!("(does {} {})", roles[role.index()], names.moves()[choice.index()]);
        }
        let idles = |input: &Option<InputId>| input.is_some_and(|input| input.node() == node);
        if let Some(role) = network.idle.iter().position(idles) {
            return format!("(does {} {})", roles[role], self.idle[role]);
        }
        format!("gate-{}", node.index())
    }

    /// The rules of all gates that others use.
    fn gates(&mut self) {
        let network = self.network;
        let outputs: Vec<Edge> = network
            .legal
            .iter()
            .chain(&network.next)
            .copied()
            .chain([network.terminal])
            .chain(network.goals.iter().map(|goal| goal.when))
            .collect();
        // The outermost gates are written inline.
        let inner: Vec<Edge> = outputs
            .iter()
            .filter(|edge| self.is_gate(edge.node()))
            .flat_map(|edge| network.graph.children(edge.node()).iter().copied())
            .collect();
        for node in network.graph.reachable(inner) {
            if self.is_gate(node) {
                let _ = writeln!(self.text, "(<= gate-{} {})", node.index(), self.body(node));
            }
        }
    }
}
