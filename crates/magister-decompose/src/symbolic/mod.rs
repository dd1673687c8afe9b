//! Subgames from the rules alone: the method of Zhao, Schiffel and Thielscher (2009) on partially
//! instantiated fluents and moves. It is the fallback for rules that are too large to be grounded.
//!
//! The result is a guess: arguments are instantiated by heuristics, and the conditions of a rule
//! are followed by name. Nothing is proven, so the result is not used for solving. The ambiguities
//! of the paper are resolved as follows: frame axioms do not decide which arguments are
//! instantiated; an effect of a move depends on the conditions of the rule of that effect and on
//! the move's own legality; and a fluent without a frame axiom is changed by time and not by moves.

mod calls;
mod domain;
mod impartial;
mod shape;

use std::collections::BTreeSet;

use magister_core::{Halt, Stop};
use magister_engine::Program;
use magister_engine::program::{Goal, Literal, Relation, Rule};
use magister_engine::term::{Functor, TermId, Terms};
use magister_gdl::Dialect;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::support::Union;
use calls::{Call, call, graph};
use domain::{Domains, Place};
use shape::Shape;

/// The maximum number of partially instantiated fluents and moves.
const MOST: usize = 5_000;

/// A subgame: fluents and moves, with `?` for arguments that are not instantiated.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SymbolicPart {
    /// Its fluents.
    pub fluents: Vec<String>,
    /// Its moves.
    pub moves: Vec<String>,
}

/// The subgames of a game, from its rules alone.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Symbolic {
    /// The subgames.
    pub subgames: Vec<SymbolicPart>,
    /// Fluents that no move influences.
    pub context: Vec<String>,
    /// Moves without any effect.
    pub dead: Vec<String>,
    /// Whether the rules of the two roles are the same when the roles are exchanged.
    pub impartial: bool,
}

/// The relations that the engine queries.
#[derive(Debug)]
pub(crate) struct Roots {
    legal: Option<Relation>,
    next: Option<Relation>,
    init: Option<Relation>,
    terminal: Option<Relation>,
    goal: Option<Relation>,
}

impl Roots {
    fn new(program: &Program) -> Self {
        let find = |name: &str, arity: Option<u32>| {
            let symbol = program.terms.find_symbol(name)?;
            program.relation(Functor { symbol, arity })
        };
        Roots {
            legal: find("legal", Some(2)),
            next: find("next", Some(1)),
            init: find("init", Some(1)),
            terminal: find("terminal", None),
            goal: find("goal", Some(2)),
        }
    }

    /// Whether a relation derives fluents.
    fn gives_fluent(&self, relation: Relation) -> bool {
        [self.next, self.init].contains(&Some(relation))
    }
}

impl Symbolic {
    /// The subgames of some rules.
    pub fn new(program: &Program, stop: &Stop) -> Result<Self, Halt> {
        if program.dialect == Dialect::Operations {
            return Err(Halt::Limit(
                "rules with operations are split only if they can be grounded".to_owned(),
            ));
        }
        let roots = Roots::new(program);
        if roots.legal.is_none() || roots.next.is_none() {
            return Err(Halt::Limit("the rules have no moves or no next state".to_owned()));
        }
        let large = || Halt::Limit("the rules are too large to be split".to_owned());
        let mut work = Work::new(program, roots).ok_or_else(large)?;
        stop.check()?;
        work.join_legal().ok_or_else(large)?;
        stop.check()?;
        work.join_next().ok_or_else(large)?;
        stop.check()?;
        work.join_concepts().ok_or_else(large)?;
        Ok(work.parts())
    }
}

struct Work<'a> {
    program: &'a Program,
    roots: Roots,
    /// The fluents that no move influences, by name.
    context: FxHashSet<Functor>,
    fluents: Vec<(Functor, Shape)>,
    moves: Vec<(Functor, Shape)>,
    /// For each move, whether a rule of the next state mentions it.
    used: Vec<bool>,
    /// Fluents, followed by moves.
    union: Union,
}

impl<'a> Work<'a> {
    fn new(program: &'a Program, roots: Roots) -> Option<Self> {
        let domains = Domains::new(program, &roots);
        let context = context(program, &roots)?;
        let terms = &program.terms;
        let fluents = heads(program, &[roots.init, roots.next], 0);
        let moves = heads(program, &[roots.legal], 1);
        let mut chosen: FxHashMap<Functor, Vec<bool>> = FxHashMap::default();
        for &functor in &fluents {
            chosen.insert(functor, lasting(program, &roots, functor)?);
        }
        let chosen_moves = named(program, &roots, &chosen)?;
        let instances = |functor: &Functor, known: &[bool], is_fluent: bool| {
            let arity = functor.arity.unwrap_or(0) as usize;
            let mut all: Vec<Vec<Shape>> = vec![Vec::new()];
            for at in 0..arity {
                let place =
                    if is_fluent { Place::Fluent(*functor, at) } else { Place::Move(*functor, at) };
                let values = domains.get(place).filter(|_| known.get(at) == Some(&true));
                let values: Vec<Shape> = match values {
                    Some(values) => values.iter().map(|&term| Shape::Ground(term)).collect(),
                    None => vec![Shape::Any],
                };
                if all.len() * values.len() > MOST {
                    return None;
                }
                all = all
                    .iter()
                    .flat_map(|args| {
                        values.iter().map(|v| [&args[..], std::slice::from_ref(v)].concat())
                    })
                    .collect();
            }
            Some(all.into_iter().map(|args| (*functor, term(*functor, args, terms))).collect())
        };
        let all = |functors: &[Functor], known: &FxHashMap<Functor, Vec<bool>>, is_fluent| {
            let mut list: Vec<(Functor, Shape)> = Vec::new();
            for functor in functors {
                let known = known.get(functor).map_or(&[][..], Vec::as_slice);
                let found: Vec<(Functor, Shape)> = instances(functor, known, is_fluent)?;
                list.extend(found);
            }
            (list.len() <= MOST).then_some(list)
        };
        let fluents = all(&fluents, &chosen, true)?;
        let moves = all(&moves, &chosen_moves, false)?;
        let union = Union::new(fluents.len() + moves.len());
        let used = vec![false; moves.len()];
        Some(Work { program, roots, context, fluents, moves, used, union })
    }

    fn terms(&self) -> &'a Terms {
        &self.program.terms
    }

    /// The fluents, outside of the context, that a shape may stand for.
    fn fluents_of(&self, shape: &Shape) -> Vec<usize> {
        let fits = |(functor, own): &(Functor, Shape)| {
            !self.context.contains(functor) && own.meets(shape, self.terms())
        };
        (0..self.fluents.len()).filter(|&at| fits(&self.fluents[at])).collect()
    }

    fn moves_of(&self, shape: &Shape) -> Vec<usize> {
        let fits = |(_, own): &(Functor, Shape)| own.meets(shape, self.terms());
        (0..self.moves.len()).filter(|&at| fits(&self.moves[at])).collect()
    }

    /// The fluents of a call graph.
    fn fluents_in(&self, calls: &[Call]) -> Vec<usize> {
        let shapes = calls.iter().filter_map(|call| match call {
            Call::Fluent(shape) => Some(shape),
            _ => None,
        });
        shapes.flat_map(|shape| self.fluents_of(shape)).collect()
    }

    /// Joins every move with the fluents that its legality depends on.
    fn join_legal(&mut self) -> Option<()> {
        for at in 0..self.moves.len() {
            let legal = self.roots.legal?;
            let shape = self.moves[at].1.clone();
            let start = [Call::Relation(legal, Box::from([Shape::Any, shape]))];
            let calls = graph(self.program, start, None)?;
            let own = self.fluents.len() + at;
            let mut all = self.fluents_in(&calls);
            all.push(own);
            self.union.join_all(all);
        }
        Some(())
    }

    /// Joins every fluent with the moves that change it and with the fluents that the change
    /// depends on.
    fn join_next(&mut self) -> Option<()> {
        for &number in &self.program.relations[self.roots.next?.index()].rules {
            let rule = &self.program.rules[number as usize];
            let bound = vec![None; rule.variables as usize];
            let body = rule.body.iter().filter_map(|literal| call(literal, &bound));
            for shape in made(&graph(self.program, body, None)?) {
                // A rule for any move mentions no particular one.
                if shape != Shape::Any {
                    self.moves_of(&shape).into_iter().for_each(|at| self.used[at] = true);
                }
            }
        }
        for at in 0..self.fluents.len() {
            if !self.context.contains(&self.fluents[at].0) {
                self.join_fluent(at)?;
            }
        }
        Some(())
    }

    fn join_fluent(&mut self, at: usize) -> Option<()> {
        let (program, shape) = (self.program, self.fluents[at].1.clone());
        // The frame axioms, with the bindings of their variables here.
        let mut frames: Vec<(&Rule, Vec<Option<Shape>>)> = Vec::new();
        for &number in &program.relations[self.roots.next?.index()].rules {
            let rule = &program.rules[number as usize];
            let mut bound = vec![None; rule.variables as usize];
            if !shape.bind(&rule.head.args[0], &mut bound, self.terms()) {
                continue;
            }
            let frame = is_frame(rule);
            let body: Vec<Call> = rule
                .body
                .iter()
                .filter(|literal| !(frame && is_head(literal, rule)))
                .filter_map(|literal| call(literal, &bound))
                .collect();
            let calls = graph(program, body, None)?;
            let mut all = self.fluents_in(&calls);
            all.push(at);
            self.union.join_all(all);
            if frame {
                frames.push((rule, bound));
                continue;
            }
            for choice in made(&calls) {
                for place in self.moves_of(&choice) {
                    if self.used[place] {
                        self.union.join(at, self.fluents.len() + place);
                    }
                }
            }
        }
        // Moves that no frame axiom covers. Time changes a fluent without frame axioms.
        for place in (0..self.moves.len()).filter(|&place| self.used[place]).collect::<Vec<_>>() {
            let mut kept = frames.is_empty();
            for (rule, bound) in &frames {
                kept |= self.fires(rule, bound, place)?;
            }
            if !kept {
                self.union.join(at, self.fluents.len() + place);
            }
        }
        Some(())
    }

    /// Whether a frame axiom applies when a move is made, judging by its conditions on moves.
    fn fires(&self, rule: &Rule, bound: &[Option<Shape>], place: usize) -> Option<bool> {
        let shape = &self.moves[place].1;
        let mut bound = bound.to_vec();
        for literal in &rule.body {
            if let (Goal::Does(_, choice), false) = (&literal.goal, literal.negated)
                && !shape.bind(choice, &mut bound, self.terms())
            {
                return Some(false);
            }
        }
        for literal in &rule.body {
            match &literal.goal {
                Goal::Distinct(a, b) => {
                    let (a, b) = (Shape::of(a, &bound), Shape::of(b, &bound));
                    if matches!(a, Shape::Ground(_)) && a == b {
                        return Some(false);
                    }
                }
                _ if literal.negated => {
                    // The exception names the move.
                    let calls = graph(self.program, call(literal, &bound), None)?;
                    let named =
                        |other: &Shape| *other != Shape::Any && other.meets(shape, self.terms());
                    if made(&calls).iter().any(named) {
                        return Some(false);
                    }
                }
                _ => {}
            }
        }
        Some(true)
    }

    /// Joins the fluents that one named condition of a goal or of `terminal` depends on.
    fn join_concepts(&mut self) -> Option<()> {
        for relation in [self.roots.goal, self.roots.terminal].into_iter().flatten() {
            for &number in &self.program.relations[relation.index()].rules {
                let rule = &self.program.rules[number as usize];
                let bound = vec![None; rule.variables as usize];
                for literal in &rule.body {
                    if let Some(start @ Call::Relation(..)) = call(literal, &bound) {
                        let calls = graph(self.program, [start], None)?;
                        let all = self.fluents_in(&calls);
                        self.union.join_all(all);
                    }
                }
            }
        }
        Some(())
    }

    fn parts(mut self) -> Symbolic {
        let terms = self.terms();
        let mut symbolic = Symbolic {
            impartial: impartial::check(self.program, &self.roots, &self.context),
            ..Symbolic::default()
        };
        let mut numbers: FxHashMap<usize, usize> = FxHashMap::default();
        let mut parts: Vec<SymbolicPart> = Vec::new();
        for at in 0..self.fluents.len() + self.moves.len() {
            let is_fluent = at < self.fluents.len();
            let (functor, shape) =
                if is_fluent { &self.fluents[at] } else { &self.moves[at - self.fluents.len()] };
            let text = shape.text(terms);
            if is_fluent && self.context.contains(functor) {
                symbolic.context.push(text);
                continue;
            }
            if !is_fluent && !self.used[at - self.fluents.len()] {
                symbolic.dead.push(text);
                continue;
            }
            let root = self.union.find(at);
            let number = *numbers.entry(root).or_insert_with(|| {
                parts.push(SymbolicPart::default());
                parts.len() - 1
            });
            let part = &mut parts[number];
            if is_fluent { &mut part.fluents } else { &mut part.moves }.push(text);
        }
        symbolic.subgames = parts.into_iter().filter(|part| !part.moves.is_empty()).collect();
        symbolic
    }
}

/// The moves of a call graph that are made.
fn made(calls: &[Call]) -> Vec<Shape> {
    let choice = |call: &Call| match call {
        Call::Does(_, choice) => Some(choice.clone()),
        _ => None,
    };
    calls.iter().filter_map(choice).collect()
}

fn term(functor: Functor, args: Vec<Shape>, terms: &Terms) -> Shape {
    if functor.arity.is_none() {
        return terms.find_constant(functor.symbol).map_or(Shape::Any, Shape::Ground);
    }
    let ground: Option<Vec<TermId>> = args
        .iter()
        .map(|arg| match arg {
            Shape::Ground(term) => Some(*term),
            _ => None,
        })
        .collect();
    match ground.and_then(|args| terms.find_compound(functor.symbol, &args)) {
        Some(term) => Shape::Ground(term),
        None => Shape::Compound(functor.symbol, args.into()),
    }
}

/// The names of the fluents or moves that some relations derive in one of their arguments.
fn heads(program: &Program, relations: &[Option<Relation>], argument: usize) -> Vec<Functor> {
    let mut found: BTreeSet<Functor> = BTreeSet::new();
    for relation in relations.iter().flatten() {
        let info = &program.relations[relation.index()];
        for &fact in &info.facts {
            if let Some(&term) = program.terms.args(fact).get(argument) {
                found.insert(program.terms.functor(term));
            }
        }
        for &rule in &info.rules {
            let head = &program.rules[rule as usize].head.args[argument];
            if let Some((functor, _)) =
                Shape::of(head, &nothing(program, rule)).parts(&program.terms)
            {
                found.insert(functor);
            }
        }
    }
    found.into_iter().collect()
}

fn nothing(program: &Program, rule: u32) -> Vec<Option<Shape>> {
    vec![None; program.rules[rule as usize].variables as usize]
}

/// Each variable of a rule, bound to itself.
fn itself(rule: &Rule) -> Vec<Option<Shape>> {
    (0..rule.variables).map(|variable| Some(Shape::Variable(variable))).collect()
}

/// Whether a literal queries the fluent in the head of its rule.
fn is_head(literal: &Literal, rule: &Rule) -> bool {
    !literal.negated
        && matches!(&literal.goal, Goal::Fluent(fluent) if *fluent == rule.head.args[0])
}

/// Whether a rule for the next state preserves the fluent in its head.
fn is_frame(rule: &Rule) -> bool {
    rule.body.iter().any(|literal| is_head(literal, rule))
}

/// The fluents, by name, that no move influences, even indirectly.
fn context(program: &Program, roots: &Roots) -> Option<FxHashSet<Functor>> {
    let mut free: FxHashSet<Functor> =
        heads(program, &[roots.init, roots.next], 0).into_iter().collect();
    let mut needs: Vec<(Functor, Vec<Call>)> = Vec::new();
    for &number in &program.relations[roots.next?.index()].rules {
        let rule = &program.rules[number as usize];
        let bound = nothing(program, number);
        let head = Shape::of(&rule.head.args[0], &bound);
        let (functor, _) = head.parts(&program.terms)?;
        let body = rule.body.iter().filter_map(|literal| call(literal, &bound));
        needs.push((functor, graph(program, body, None)?));
    }
    loop {
        let before = free.len();
        for (functor, calls) in &needs {
            let fits = |call: &Call| match call {
                Call::Does(..) => false,
                Call::Fluent(shape) => match shape.parts(&program.terms) {
                    Some((other, _)) => free.contains(&other),
                    None => false,
                },
                Call::Relation(..) => true,
            };
            if !calls.iter().all(fits) {
                free.remove(functor);
            }
        }
        if free.len() == before {
            return Some(free);
        }
    }
}

/// The arguments of a fluent that are instantiated: those whose value every rule for the next
/// state, other than a frame axiom, inherits unchanged from fluents with the same value in that
/// argument.
fn lasting(program: &Program, roots: &Roots, functor: Functor) -> Option<Vec<bool>> {
    let arity = functor.arity.unwrap_or(0) as usize;
    let mut chosen = vec![true; arity];
    for &number in &program.relations[roots.next?.index()].rules {
        let rule = &program.rules[number as usize];
        let bound = itself(rule);
        let head = Shape::of(&rule.head.args[0], &bound);
        let Some((other, args)) = head.parts(&program.terms) else { continue };
        if other != functor || is_frame(rule) {
            continue;
        }
        let body = rule.body.iter().filter_map(|literal| call(literal, &bound));
        let calls = graph(program, body, roots.legal)?;
        let mut asked = false;
        for call in &calls {
            let Call::Fluent(shape) = call else { continue };
            let Some((other, own)) = shape.parts(&program.terms) else {
                chosen.fill(false);
                continue;
            };
            if other == functor {
                asked = true;
                for at in 0..arity {
                    chosen[at] &= own[at] == args[at] && own[at] != Shape::Any;
                }
            }
        }
        if !asked {
            chosen.fill(false);
        }
    }
    Some(chosen)
}

/// The arguments of moves that are instantiated: those that refer to an instantiated argument of a
/// fluent that the move changes.
fn named(
    program: &Program,
    roots: &Roots,
    chosen: &FxHashMap<Functor, Vec<bool>>,
) -> Option<FxHashMap<Functor, Vec<bool>>> {
    let mut found: FxHashMap<Functor, Vec<bool>> = FxHashMap::default();
    for &number in &program.relations[roots.next?.index()].rules {
        let rule = &program.rules[number as usize];
        if is_frame(rule) {
            continue;
        }
        let bound = itself(rule);
        let head = Shape::of(&rule.head.args[0], &bound);
        let Some((functor, args)) = head.parts(&program.terms) else { continue };
        let Some(known) = chosen.get(&functor) else { continue };
        let body = rule.body.iter().filter_map(|literal| call(literal, &bound));
        for choice in made(&graph(program, body, None)?) {
            let Some((name, own)) = choice.parts(&program.terms) else { continue };
            let list = found.entry(name).or_insert_with(|| vec![false; own.len()]);
            for (at, value) in own.iter().enumerate() {
                list[at] |= args.iter().zip(known).any(|(arg, &known)| known && arg == value);
            }
        }
    }
    Some(found)
}
