//! Explanations as text.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::tree::{Claim, Explanation, Hint, ProofId, ProofStep, Reason};
use super::words::{Values, Words};
use crate::program::{Goal, Literal, Names};
use crate::term::TermId;

/// A condition with its bindings substituted.
pub(super) fn literal(words: &Words<'_>, literal: &Literal, names: &Names) -> String {
    words.literal(literal, Values { names, bindings: &[] })
}

/// The claim.
pub(super) fn claim(words: &Words<'_>, claim: &Claim) -> String {
    match claim {
        Claim::Literal(condition, names) => literal(words, condition, names),
        Claim::Next(fluent) => words.apply("next", &[words.term(*fluent)]),
        Claim::Performed(atom) => format!("{} is performed", words.term(*atom)),
        Claim::Instance(rule, _) => words.rule(*rule, &[]),
        Claim::Effect(operation, _) => words.operation(*operation),
    }
}

/// The line of the rule or operation of a claim or its reason.
pub(super) fn line(words: &Words<'_>, node: &ProofStep) -> Option<u32> {
    let program = words.program;
    let span = match (&node.reason, &node.claim) {
        (Reason::Fact(line), _) => return Some(*line),
        (Reason::Rule(rule, _), _) | (_, Claim::Instance(rule, _)) => {
            program.rules[*rule as usize].span
        }
        (Reason::Operation(operation, _), _) | (_, Claim::Effect(operation, _)) => {
            program.operations[*operation as usize].span
        }
        _ => return None,
    };
    Some(program.line(span))
}

pub(super) fn text(words: &Words<'_>, explanation: &Explanation) -> String {
    let order = vec![u32::MAX; explanation.nodes.len()];
    let mut writer =
        Writer { words, explanation, out: String::new(), order, used: BTreeMap::new() };
    writer.all();
    writer.out
}

/// A pending line.
enum Item {
    /// A node, its indentation, and its parent.
    ProofStep(ProofId, usize, Option<ProofId>),
    Note(String, usize),
}

struct Writer<'a> {
    words: &'a Words<'a>,
    explanation: &'a Explanation,
    out: String,
    /// The position of each node in the text.
    order: Vec<u32>,
    /// The rules and operations that were mentioned, by line.
    used: BTreeMap<u32, Vec<String>>,
}

impl Writer<'_> {
    fn all(&mut self) {
        let Explanation { answers, roots, .. } = self.explanation;
        if *answers > 1 {
            let shown = roots.len();
            let shown =
                if shown < *answers { format!("; the first {shown}") } else { String::new() };
            let _ = writeln!(self.out, "{answers} answers{shown}:");
        }
        self.number();
        let mut rest: Vec<Item> =
            roots.iter().rev().map(|&root| Item::ProofStep(root, 0, None)).collect();
        while let Some(item) = rest.pop() {
            match item {
                Item::Note(note, indent) => self.write(indent, &note),
                Item::ProofStep(id, indent, parent) => {
                    let node = self.explanation.node(id);
                    let inner = if self.is_transparent(node) {
                        indent
                    } else {
                        let said = self.said(id, parent);
                        self.write(indent, &said);
                        indent + 1
                    };
                    if let Some(note) = note(node) {
                        rest.push(Item::Note(note, inner));
                    }
                    let children = node.children.iter().rev();
                    rest.extend(children.map(|&child| Item::ProofStep(child, inner, Some(id))));
                }
            }
        }
        for (line, texts) in std::mem::take(&mut self.used) {
            for text in texts {
                let _ = writeln!(self.out, "line {line}: {text}");
            }
        }
        if self.explanation.cut {
            self.out.push_str("… marks deeper parts; --depth N shows more\n");
        }
    }

    fn number(&mut self) {
        let mut rest: Vec<ProofId> = self.explanation.roots.iter().rev().copied().collect();
        let mut next = 0;
        while let Some(id) = rest.pop() {
            self.order[id.0 as usize] = next;
            next += 1;
            rest.extend(self.explanation.node(id).children.iter().rev());
        }
    }

    fn write(&mut self, indent: usize, text: &str) {
        let _ = writeln!(self.out, "{}{text}", "  ".repeat(indent));
    }

    /// Whether the relation was created for a part of a rule, so that its contents replace it in
    /// the text.
    fn is_transparent(&self, node: &ProofStep) -> bool {
        let relation = match &node.claim {
            Claim::Literal(Literal { negated: false, goal: Goal::Relation(atom), .. }, _) => {
                atom.relation
            }
            Claim::Instance(rule, _) => self.words.program.rules[*rule as usize].head.relation,
            _ => return false,
        };
        let info = &self.words.program.relations[relation.index()];
        let shown = match &node.reason {
            Reason::Rule(..) => true,
            Reason::Misses(_) | Reason::Miss { .. } => info.rules.len() == 1,
            _ => false,
        };
        info.hidden && shown
    }

    fn said(&mut self, id: ProofId, parent: Option<ProofId>) -> String {
        let node = self.explanation.node(id);
        let line = line(self.words, node);
        let reason = self.reason(id, line);
        let claimed = match &node.claim {
            Claim::Instance(rule, bindings) => {
                let names = &self.words.program.rules[*rule as usize].names;
                let values = self.words.bindings(Values { names, bindings });
                let values = if values.is_empty() { values } else { format!(", {values}") };
                format!("line {}{values}", line.unwrap_or(0))
            }
            Claim::Effect(operation, action) => {
                let names = &self.words.program.operations[*operation as usize].names;
                let action = self.words.written(action, names);
                format!("line {}, {action}", line.unwrap_or(0))
            }
            other => claim(self.words, other),
        };
        self.use_rule(node, line);
        let Some(parent) = parent else {
            let verb = if node.holds { "holds" } else { "does not hold" };
            return format!("{claimed} {verb}: {reason}");
        };
        let above = &self.explanation.node(parent).reason;
        match above {
            Reason::State(Some(step @ 1..)) => format!("step {step}: {claimed}: {reason}"),
            Reason::NotInState { .. } => format!("step {}: {claimed}: {reason}", node.step + 1),
            _ => format!("{claimed}: {reason}"),
        }
    }

    /// Records the rule or operation of a node.
    fn use_rule(&mut self, node: &ProofStep, line: Option<u32>) {
        let text = match (&node.reason, &node.claim) {
            (Reason::Rule(rule, _), _) | (_, Claim::Instance(rule, _)) => {
                let head = self.words.program.rules[*rule as usize].head.relation;
                if self.words.program.relations[head.index()].hidden {
                    return;
                }
                self.words.rule(*rule, &[])
            }
            (Reason::Operation(operation, _), _) | (_, Claim::Effect(operation, _)) => {
                self.words.operation(*operation)
            }
            _ => return,
        };
        if let Some(line) = line {
            let texts = self.used.entry(line).or_default();
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
    }

    fn reason(&self, id: ProofId, line: Option<u32>) -> String {
        let node = self.explanation.node(id);
        let line = line.unwrap_or(0);
        let term = |term: &TermId| self.words.term(*term);
        let list = |terms: &[TermId]| terms.iter().map(term).collect::<Vec<_>>().join(", ");
        let goal = match &node.claim {
            Claim::Literal(literal, _) => Some(&literal.goal),
            _ => None,
        };
        match &node.reason {
            Reason::Fact(_) => format!("fact in line {line}"),
            Reason::Rule(..) => format!("by the rule in line {line}"),
            Reason::State(None) => "in the state".to_owned(),
            Reason::State(Some(0)) => "in the state from the start".to_owned(),
            Reason::State(Some(step)) => format!("in the state since step {step}"),
            Reason::Done => "done".to_owned(),
            Reason::Computed if matches!(goal, Some(Goal::Distinct(..))) => "different".to_owned(),
            Reason::Computed => "computed".to_owned(),
            Reason::Counted(1) => "by 1 answer".to_owned(),
            Reason::Counted(count) => format!("by {count} answers"),
            Reason::Absent => match goal {
                Some(Goal::Fluent(_)) => "not in the state".to_owned(),
                Some(Goal::Does(..)) => "not done".to_owned(),
                Some(Goal::Relation(_)) => format!("{} does not hold", self.inner(node)),
                _ => "computed".to_owned(),
            },
            Reason::Operation(_, action) if node.holds => {
                format!("by {} in line {line}", term(action))
            }
            Reason::Operation(_, action) => format!("deleted by {} in line {line}", term(action)),
            Reason::Kept => "it was in the state, and nothing deletes it".to_owned(),
            Reason::Bare => "done, but no operation describes it".to_owned(),
            Reason::NotInState { near, until, hint } => {
                let mut text = "not in the state".to_owned();
                if !near.is_empty() {
                    let _ = write!(text, ", which has {}", list(near));
                }
                if let Some(until) = until {
                    let _ = write!(text, "; it was there until step {}", until + 1);
                }
                if let Some(hint) = hint {
                    let _ = write!(text, "; the rules have no such fluent{}", hinted(hint));
                }
                text
            }
            Reason::NotDone(None) => "not done".to_owned(),
            Reason::NotDone(Some(made)) => format!("not done; the role does {}", term(made)),
            Reason::Refuted(Some(value)) => format!("it would be {}", term(value)),
            Reason::Refuted(None) if matches!(goal, Some(Goal::Distinct(..))) => "equal".to_owned(),
            Reason::Refuted(None) => "it is false".to_owned(),
            Reason::Present => format!("{} holds", self.inner(node)),
            Reason::Undefined(hint) => {
                let relation = goal.and_then(Goal::atom).map(|atom| atom.relation);
                let name =
                    relation.map_or_else(String::new, |r| self.words.program.relation_name(r));
                format!("nothing defines {name}{}", hinted(hint))
            }
            Reason::NoOperation(hint) => format!("no operation adds it{}", hinted(hint)),
            Reason::NoFact(near) if near.is_empty() => "not among the facts".to_owned(),
            Reason::NoFact(near) => format!("not among the facts, such as {}", list(near)),
            Reason::NoHead(rules) => {
                let head = |rule: &u32| {
                    let span = self.words.program.rules[*rule as usize].span;
                    format!("{} in line {}", self.words.head(*rule), self.words.program.line(span))
                };
                let heads: Vec<String> = rules.iter().map(head).collect();
                let more = match node.more {
                    0 => String::new(),
                    more => format!(", and {more} more"),
                };
                format!("no rule can derive it; the rules derive {}{more}", heads.join(", "))
            }
            Reason::Misses(1) if matches!(node.claim, Claim::Next(_)) => {
                "the only effect that could add it does not happen".to_owned()
            }
            Reason::Misses(count) if matches!(node.claim, Claim::Next(_)) => {
                format!("none of the {count} effects that could add it happens")
            }
            Reason::Misses(2) => "both rules that could derive it fail".to_owned(),
            Reason::Misses(1) => "the only rule that could derive it fails".to_owned(),
            Reason::Misses(count) => format!("all {count} rules that could derive it fail"),
            Reason::Miss { .. } if matches!(node.claim, Claim::Effect(..)) => {
                "a condition fails".to_owned()
            }
            Reason::Miss { hold, open, .. } => {
                let failing = node.children.len();
                let all = failing + (hold + open) as usize;
                let verb = if failing == 1 { "fails" } else { "fail" };
                let open = match open {
                    0 => String::new(),
                    open => format!(", {open} cannot be evaluated"),
                };
                match all {
                    1 => format!("the condition fails{open}"),
                    2 if failing == 2 => "both conditions fail".to_owned(),
                    all if all == failing => format!("all {all} conditions fail"),
                    all => format!("{failing} of {all} conditions {verb}{open}"),
                }
            }
            Reason::Gives(other) => {
                let functor = self.words.terms.functor(*other);
                let args = self.words.terms.args(*other).iter().map(|&arg| self.words.term(arg));
                let name = self.words.terms.name(functor.symbol);
                let other = self.words.apply(name, &args.collect::<Vec<_>>());
                format!("it derives {other} instead")
            }
            Reason::NotPerformed => "not performed".to_owned(),
            Reason::Elsewhere(there) => {
                let below = self.order[there.0 as usize] > self.order[id.0 as usize];
                if below { "see below".to_owned() } else { "see above".to_owned() }
            }
            Reason::Deeper => "…".to_owned(),
            Reason::Limit(what) => format!("unknown: {what}"),
        }
    }

    /// The atom of a negated condition.
    fn inner(&self, node: &ProofStep) -> String {
        match &node.claim {
            Claim::Literal(condition, names) => {
                let inner = Literal { negated: false, ..condition.clone() };
                literal(self.words, &inner, names)
            }
            other => claim(self.words, other),
        }
    }
}

/// The text after the children of a node.
fn note(node: &ProofStep) -> Option<String> {
    match (&node.reason, node.more) {
        (Reason::Miss { more: more @ 1.., at_least, .. }, _) => {
            let at_least = if *at_least { "at least " } else { "" };
            Some(format!("and {at_least}{more} more like this"))
        }
        (_, 0) | (Reason::NoHead(_), _) => None,
        (Reason::Present, more) => Some(format!("and in {more} more ways")),
        (_, more) => {
            let what = if matches!(node.claim, Claim::Next(_)) { "effect" } else { "rule" };
            let plural = if more == 1 { "" } else { "s" };
            Some(format!("and {more} more {what}{plural}"))
        }
    }
}

fn hinted(hint: &Hint) -> String {
    let arities: Vec<String> = hint.arities.iter().map(u32::to_string).collect();
    let what = if hint.fluent { "; a fluent of this name" } else { "; this name" };
    match (&hint.name, &arities[..]) {
        (Some(name), _) => format!("; did you mean `{name}`?"),
        (None, []) => String::new(),
        (None, [one]) if one == "1" => format!("{what} has 1 argument"),
        (None, [none]) if none == "0" => format!("{what} has no argument"),
        (None, many) => format!("{what} has {} arguments", many.join(" or ")),
    }
}
