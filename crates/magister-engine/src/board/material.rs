//! The input of board recognition: the fluents of a game, their exclusions, a few states, and the
//! words of the rules.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use magister_core::{Game, Seed, Step, Stop, draw};
use magister_gdl::Syntax;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::network::{GdlNetwork, NodeId};
use crate::program::{Depends, Effect, Goal, Pattern, Program, Relation, RelationInfo, Rule};
use crate::term::Terms;
use crate::{Ground, QueryLimits, Reference};

/// The number of states to examine.
const STATES: usize = 160;
/// The number of random matches for them, and their maximum length.
const MATCHES: usize = 8;
const STEPS: usize = 400;
/// The limit in gates if steps are expensive, and the limit of steps for rules without a network.
/// The result must not depend on the speed of the machine.
const GATES: usize = 300_000_000;
const FEW: usize = 160;
/// The number of relations that are examined for pairs of cells.
const PAIRS: usize = 24;
/// The number of fluents to examine.
const FLUENTS: usize = 200_000;

/// The input of board recognition; see the module.
#[derive(Debug, Default)]
pub(super) struct Material {
    pub(super) fluents: Vec<Ground>,
    /// Groups of fluents, as indexes, of which at most one is true.
    pub(super) groups: Vec<Vec<usize>>,
    /// Some reachable states, beginning with the initial one.
    pub(super) states: Vec<Vec<Ground>>,
    pub(super) roles: Vec<String>,
    /// Constant facts by name.
    pub(super) facts: BTreeMap<String, Vec<Vec<Ground>>>,
    /// Names of the variables that the rules use for the arguments of fluents.
    pub(super) variables: FxHashMap<(String, usize), Vec<String>>,
    /// The fluents on which the rules for legal moves depend directly.
    pub(super) deciding: FxHashSet<String>,
    /// Relations that apply to the cells of fluents.
    pub(super) shared: BTreeSet<Shared>,
}

/// Two arguments of a relation that are also two arguments of a fluent in the same rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Shared {
    pub(super) constant: String,
    pub(super) arguments: (usize, usize),
    pub(super) fluent: String,
    pub(super) of: (usize, usize),
}

impl Material {
    pub(super) fn new(
        game: &dyn Game,
        network: Option<&GdlNetwork>,
        rules: Option<&Program>,
    ) -> Self {
        let mut material = Material { roles: game.info().roles.clone(), ..Material::default() };
        let most = match (network, rules) {
            (Some(network), _) => {
                let gates = network.gates();
                (GATES / (gates.legal + gates.next).max(1)).max(FEW)
            }
            (None, Some(_)) => FEW,
            (None, None) => usize::MAX,
        };
        material.states = states(game, most);
        if let Some(network) = network.filter(|network| network.fluents.len() <= FLUENTS) {
            let fluents: Vec<Ground> =
                network.fluents.iter().map(|&t| network.terms.export(t)).collect();
            let order = as_written(&fluents, &network.initial, rules);
            let mut places = vec![0; fluents.len()];
            order.iter().enumerate().for_each(|(place, &fluent)| places[fluent] = place);
            material.fluents = order.into_iter().map(|fluent| fluents[fluent].clone()).collect();
            let number = |node: &NodeId| places[node.fluent().index()];
            let groups = network.invariants.groups.iter();
            let groups = groups.map(|group| group.members.iter().map(number).collect());
            material.groups = groups.collect();
        } else {
            material.fluents = seen(&material.states, rules);
        }
        if let Some(rules) = rules {
            material.read(rules);
        }
        material
    }

    /// Facts and names of variables.
    fn read(&mut self, rules: &Program) {
        for relation in rules.relations.iter().filter(|relation| !relation.hidden) {
            let name = rules.terms.name(relation.functor.symbol).to_owned();
            let facts: Vec<Vec<Ground>> = relation
                .facts
                .iter()
                .map(|&fact| rules.terms.export(fact).args.map_or(Vec::new(), Vec::from))
                .collect();
            if !facts.is_empty() {
                self.facts.entry(name).or_default().extend(facts);
            }
        }
        for rule in &rules.rules {
            self.relate(rule, rules);
            let mut note = |pattern: &Pattern| self.note(pattern, &rule.names, &rules.terms);
            rule.head.args.iter().for_each(&mut note);
            for literal in &rule.body {
                if let Goal::Fluent(fluent) = &literal.goal {
                    note(fluent);
                }
            }
        }
        for operation in &rules.operations {
            let mut effects: Vec<&Effect> = operation.effects.iter().collect();
            while let Some(effect) = effects.pop() {
                match effect {
                    Effect::Add(fluent) | Effect::Delete(fluent) => {
                        self.note(fluent, &operation.names, &rules.terms);
                    }
                    Effect::When(_, inner) => effects.extend(inner),
                }
            }
        }
    }

    /// Collects the fluents that decide which moves are legal, and the relations that apply to
    /// their cells.
    fn relate(&mut self, rule: &Rule, rules: &Program) {
        let name = |relation: Relation| {
            rules.terms.name(rules.relations[relation.index()].functor.symbol).to_owned()
        };
        let fluents: Vec<(&str, &[Pattern])> = rule
            .body
            .iter()
            .filter_map(|literal| match &literal.goal {
                Goal::Fluent(Pattern::Compound(symbol, args)) => {
                    Some((rules.terms.name(*symbol), &args[..]))
                }
                _ => None,
            })
            .collect();
        if name(rule.head.relation) == "legal" {
            self.deciding.extend(fluents.iter().map(|(name, _)| (*name).to_owned()));
        }
        let places = |args: &[Pattern]| -> Vec<(usize, u32)> {
            let variable = |(place, arg): (usize, &Pattern)| match arg {
                Pattern::Variable(variable) => Some((place, *variable)),
                _ => None,
            };
            args.iter().enumerate().filter_map(variable).collect()
        };
        for literal in &rule.body {
            let (constant, args) = match &literal.goal {
                Goal::Relation(atom) => (name(atom.relation), places(&atom.args)),
                Goal::Fluent(Pattern::Compound(symbol, args)) => {
                    (rules.terms.name(*symbol).to_owned(), places(args))
                }
                _ => continue,
            };
            for (fluent, patterns) in &fluents {
                let of = places(patterns);
                let place = |variable: u32| of.iter().find(|(_, other)| *other == variable);
                for &(a, first) in &args {
                    for &(b, second) in args.iter().filter(|(b, _)| *b != a) {
                        if let (Some(&(x, _)), Some(&(y, _))) = (place(first), place(second))
                            && x != y
                            && constant != *fluent
                        {
                            self.shared.insert(Shared {
                                constant: constant.clone(),
                                arguments: (a, b),
                                fluent: (*fluent).to_owned(),
                                of: (x, y),
                            });
                        }
                    }
                }
            }
        }
    }

    /// The tuples of relations that a style names, which may be rules or facts. They are queried in
    /// the initial state, because they never change.
    pub(super) fn derive(&mut self, rules: &Program, names: &[&String], limits: QueryLimits) {
        let mut reference = Reference::new(Arc::new(rules.clone()), limits);
        for name in names {
            let of = |symbol| rules.terms.name(symbol) == name.as_str();
            let relation = rules.relations.iter().find(|relation| of(relation.functor.symbol));
            let Some(arity) = relation.and_then(|relation| relation.functor.arity) else {
                continue;
            };
            let args = (0..arity).map(Pattern::Variable).collect();
            let Ok(answers) = reference.ask(name, args, &Stop::never()) else { continue };
            let export =
                |&answer: &_| reference.terms().export(answer).args.map_or(Vec::new(), Vec::from);
            let mut facts: Vec<Vec<Ground>> = answers.iter().map(export).collect();
            facts.sort();
            self.facts.insert((*name).clone(), facts);
        }
    }

    /// Adds relations between cells that rules derive from facts, if they are small.
    pub(super) fn derive_pairs(&mut self, rules: &Program) {
        let wanted = |relation: &&RelationInfo| {
            !relation.hidden
                && relation.depends == Depends::Nothing
                && !relation.rules.is_empty()
                && relation.functor.arity.is_some_and(|arity| (2..=6).contains(&arity))
        };
        let names = rules.relations.iter().filter(wanted);
        let names: Vec<String> =
            names.map(|r| rules.terms.name(r.functor.symbol).to_owned()).take(PAIRS).collect();
        let limits = QueryLimits { steps: 300_000, answers: 30_000, ..QueryLimits::default() };
        self.derive(rules, &names.iter().collect::<Vec<_>>(), limits);
    }

    /// The limits for relations that a style names.
    pub(super) fn limits() -> QueryLimits {
        QueryLimits { answers: FLUENTS, ..QueryLimits::default() }
    }

    fn note(&mut self, pattern: &Pattern, names: &[Option<magister_gdl::Name>], terms: &Terms) {
        let Pattern::Compound(symbol, args) = pattern else { return };
        for (place, arg) in args.iter().enumerate() {
            let Pattern::Variable(variable) = arg else { continue };
            let Some(Some(name)) = names.get(*variable as usize) else { continue };
            let key = (terms.name(*symbol).to_owned(), place);
            self.variables.entry(key).or_default().push(name.to_lowercase());
        }
    }
}

/// Fluents in the order in which the rules first mention their names, because people expect that
/// order: initial state, next state, operations. Initially true ones precede others of their name,
/// so that they have the first choice of symbols.
fn as_written(fluents: &[Ground], initial: &[bool], rules: Option<&Program>) -> Vec<usize> {
    let mut names: FxHashMap<&str, usize> = FxHashMap::default();
    let mut mention = |name| {
        let next = names.len();
        names.entry(name).or_insert(next);
    };
    if let Some(rules) = rules {
        let terms = &rules.terms;
        let named = |relation: &RelationInfo, name: &str| {
            terms.name(relation.functor.symbol) == name && relation.functor.arity == Some(1)
        };
        for when in ["init", "next"] {
            for relation in rules.relations.iter().filter(|relation| named(relation, when)) {
                for &fact in &relation.facts {
                    mention(terms.name(terms.functor(terms.args(fact)[0]).symbol));
                }
                for &rule in &relation.rules {
                    top(&rules.rules[rule as usize].head.args[0], terms, &mut mention);
                }
            }
        }
        for operation in &rules.operations {
            let mut effects: Vec<&Effect> = operation.effects.iter().rev().collect();
            while let Some(effect) = effects.pop() {
                match effect {
                    Effect::Add(fluent) | Effect::Delete(fluent) => {
                        top(fluent, terms, &mut mention);
                    }
                    Effect::When(_, inner) => effects.extend(inner.iter().rev()),
                }
            }
        }
    }
    let mut order: Vec<usize> = (0..fluents.len()).collect();
    let rank = |at: usize| names.get(&*fluents[at].name).copied().unwrap_or(usize::MAX);
    order.sort_by_key(|&at| (rank(at), !initial[at]));
    order
}

/// Reports the top-level name of a pattern, if it has one.
fn top<'a>(pattern: &Pattern, terms: &'a Terms, mention: &mut impl FnMut(&'a str)) {
    match pattern {
        Pattern::Ground(term) => mention(terms.name(terms.functor(*term).symbol)),
        Pattern::Compound(symbol, _) => mention(terms.name(*symbol)),
        Pattern::Variable(_) => {}
    }
}

/// The fluents of a state, parsed from its text.
pub fn fluents(game: &dyn Game, state: &[u64]) -> Vec<Ground> {
    let text = game.text().state_text(state);
    let inner = text.trim().strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    let inner = inner.unwrap_or(&text);
    // A text of infix terms parses as a list of names and lists in KIF, but not vice versa.
    let infix = inner.contains('(') && !inner.trim_start().starts_with('(');
    let first = if infix { Syntax::Infix } else { Syntax::Kif };
    let second = if infix { Syntax::Kif } else { Syntax::Infix };
    let read = |syntax| Ground::read_all(inner, syntax);
    read(first).or_else(|| read(second)).unwrap_or_default()
}

/// Some states of random matches, at most `most`.
fn states(game: &dyn Game, most: usize) -> Vec<Vec<Ground>> {
    let mut worker = game.worker();
    let mut words: Vec<Vec<u64>> = Vec::new();
    let (mut step, mut state) = (Step::new(), Vec::new());
    let info = game.info();
    for number in 0..MATCHES {
        let mut rng = Seed::from(5).derive_index(number as u64).rng();
        worker.reset();
        for _ in 0..STEPS {
            if words.len() >= most {
                break;
            }
            worker.save(&mut state);
            words.push(state.clone());
            let choose = |role| {
                let weights = if info.chance == Some(role) { worker.weights() } else { &[] };
                draw(worker.legal(role), weights, &mut rng)
            };
            let joint: Option<Vec<_>> = info.all_roles().map(choose).collect();
            let Some(joint) = joint.filter(|_| !worker.terminal()) else { break };
            if worker.step(&joint, &mut step, &Stop::never()).is_err() {
                break;
            }
        }
    }
    let every = words.len().div_ceil(STATES).max(1);
    words.iter().step_by(every).map(|state| fluents(game, state)).collect()
}

/// The fluents of `base` in the rules, together with those of some states.
fn seen(states: &[Vec<Ground>], rules: Option<&Program>) -> Vec<Ground> {
    let mut seen: FxHashSet<&Ground> = FxHashSet::default();
    let mut all: Vec<Ground> = Vec::new();
    for fluent in states.iter().flatten() {
        if seen.insert(fluent) {
            all.push(fluent.clone());
        }
    }
    let Some(rules) = rules else { return all };
    let limits = QueryLimits { answers: FLUENTS, ..QueryLimits::default() };
    let mut reference = Reference::new(Arc::new(rules.clone()), limits);
    let stop = Stop::never();
    let Ok(listed) = reference.ask("base", vec![Pattern::Variable(0)], &stop) else { return all };
    for term in listed {
        let fluent = reference.terms().export(reference.terms().args(term)[0]);
        if !seen.contains(&&fluent) {
            all.push(fluent);
        }
    }
    all
}
