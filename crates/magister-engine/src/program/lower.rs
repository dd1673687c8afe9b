//! From syntax trees to programs.

use magister_gdl::{
    self as gdl, Dialect, EffectKind, Formula, Lines, Name, Rulesheet, Span, StatementKind, Term,
    TermKind,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::disjunction::{self, Piece, TooMany};
use super::{
    Atom, Definition, Depends, Effect, Literal, Names, Operation, Pattern, Program, Relation,
    RelationInfo, Rule,
};
use crate::Error;
use crate::term::{Functor, TermId, Terms};

pub(super) fn lower(rules: &Rulesheet, source: &str) -> Result<Program, Error> {
    let mut program = Program {
        dialect: rules.dialect,
        terms: Terms::default(),
        relations: Vec::new(),
        rules: Vec::new(),
        operations: Vec::new(),
        definitions: Vec::new(),
        roles: Vec::new(),
        views: FxHashSet::default(),
        index: FxHashMap::default(),
        lines: Lines::new(source),
        rules_hash: String::new(),
    };
    let mut lowering = Lowering::new(&mut program);
    lowering.views(rules);
    for statement in &rules.statements {
        let span = statement.span;
        lowering
            .statement(&statement.kind, span)
            .map_err(|what| Error::Statement { line: lowering.program.line(span), what })?;
    }
    lowering.roles()?;
    Ok(program)
}

/// The condition of an atom in a program, with the names of its variables.
pub(super) fn question(
    program: &mut Program,
    atom: &Term,
    negated: bool,
) -> Result<(Literal, Names), String> {
    let mut variables = Variables::default();
    let mut occurrences = Occurrences::default();
    count(atom, &mut occurrences);
    let piece = Piece::Atom(atom, negated);
    let literal = Lowering::new(program).literal(piece, &occurrences, &mut variables, atom.span)?;
    let literal = literal.ok_or_else(|| "this always holds".to_owned())?;
    Ok((literal, variables.0.into()))
}

/// The variables of one rule, in the order of their numbers. Wildcards have no name.
#[derive(Default)]
pub(super) struct Variables(Vec<Option<Name>>);

impl Variables {
    fn number(&mut self, name: &Name) -> u32 {
        let known = self.0.iter().position(|v| v.as_ref() == Some(name));
        known.unwrap_or_else(|| {
            self.0.push(Some(name.clone()));
            self.0.len() - 1
        }) as u32
    }

    pub(super) fn fresh(&mut self) -> u32 {
        self.0.push(None);
        self.0.len() as u32 - 1
    }
}

/// The number of occurrences of each variable in a statement, to find those that are local to a
/// part.
pub(super) type Occurrences<'a> = FxHashMap<&'a Name, usize>;

pub(super) fn count<'a>(term: &'a Term, into: &mut Occurrences<'a>) {
    term.variables(&mut |name, _| *into.entry(name).or_default() += 1);
}

pub(super) fn count_all<'a>(formulas: &'a [Formula], into: &mut Occurrences<'a>) {
    for formula in formulas {
        formula.atoms(&mut |atom, _| count(atom, into));
    }
}

/// The variables of a part of a statement that also occur elsewhere in it, in a fixed order.
pub(super) fn shared(part: &Occurrences<'_>, whole: &Occurrences<'_>, span: Span) -> Vec<Term> {
    let elsewhere = |(name, here): (&&Name, &usize)| {
        (whole.get(*name).copied().unwrap_or(0) > *here).then(|| (*name).clone())
    };
    let mut names: Vec<Name> = part.iter().filter_map(elsewhere).collect();
    names.sort();
    names.into_iter().map(|name| Term::variable(name, span)).collect()
}

pub(super) struct Lowering<'a> {
    pub(super) program: &'a mut Program,
    /// Whether the dialect is operations.
    pub(super) operations: bool,
}

impl<'a> Lowering<'a> {
    fn new(program: &'a mut Program) -> Self {
        let operations = program.dialect == Dialect::Operations;
        Lowering { program, operations }
    }

    fn views(&mut self, rules: &Rulesheet) {
        let heads = rules.rules().map(|(rule, _)| &rule.head);
        for head in heads.chain(rules.operations().map(|(operation, _)| &operation.action)) {
            if let Some(name) = head.name() {
                let symbol = self.program.terms.symbol(name);
                self.program.views.insert(symbol);
            }
        }
    }

    fn roles(&mut self) -> Result<(), Error> {
        let program = &mut *self.program;
        let symbol = program.terms.symbol("role");
        let facts = program
            .relation(Functor { symbol, arity: Some(1) })
            .map(|relation| program.relations[relation.index()].facts.as_slice());
        let mut seen = FxHashSet::default();
        for &fact in facts.unwrap_or_default() {
            let role = program.terms.args(fact)[0];
            if seen.insert(role) {
                program.roles.push(role);
            }
        }
        match program.roles.len() {
            0 => Err(Error::Game("the rules name no role; write `(role r)` for each".to_owned())),
            1..=255 => Ok(()),
            many => {
                Err(Error::Game(format!("the rules have {many} roles; at most 255 are allowed")))
            }
        }
    }

    fn statement(&mut self, statement: &StatementKind, span: Span) -> Result<(), String> {
        match statement {
            StatementKind::Rule(rule) => match &rule.head.kind {
                TermKind::Constant(_) | TermKind::Compound(..) => {
                    let relation = self.relation(&rule.head);
                    self.rule(relation, rule.head.args(), &rule.body, span)
                }
                // The reader of Gamemaster accepts such a statement and ignores it.
                _ if self.operations => Ok(()),
                _ => Err("the head of a rule is an atom, not a variable or a list".to_owned()),
            },
            StatementKind::Operation(operation) => self.operation(operation, span),
            StatementKind::Definition(head, value) => {
                let mut variables = Variables::default();
                let head = self.pattern(head, &mut variables);
                let value = self.pattern(value, &mut variables);
                let variables = variables.0.len() as u32;
                self.program.definitions.push(Definition { head, value, variables });
                Ok(())
            }
            StatementKind::Stray(_) if self.operations => Ok(()),
            StatementKind::Stray(_) => Err("this formula is neither a rule nor a fact".to_owned()),
        }
    }

    /// Adds the rules of a head and a body.
    fn rule(
        &mut self,
        relation: Relation,
        head: &[Term],
        body: &[Formula],
        span: Span,
    ) -> Result<(), String> {
        let mut occurrences = Occurrences::default();
        head.iter().for_each(|arg| count(arg, &mut occurrences));
        count_all(body, &mut occurrences);
        for case in disjunction::all(body).map_err(|TooMany| TooMany::message())? {
            let mut variables = Variables::default();
            let args: Box<[Pattern]> =
                head.iter().map(|arg| self.pattern(arg, &mut variables)).collect();
            let in_head = variables.0.len() as u32;
            let mut literals = Vec::new();
            for piece in case {
                literals.extend(self.literal(piece, &occurrences, &mut variables, span)?);
            }
            if !self.operations {
                // The query of a hidden relation has already bound the variables of its head.
                let hidden = self.program.relations[relation.index()].hidden;
                drop_unbound(&mut literals, if hidden { in_head } else { 0 });
            }
            let ground: Option<Vec<TermId>> = args
                .iter()
                .map(|arg| if let Pattern::Ground(term) = arg { Some(*term) } else { None })
                .collect();
            if let (Some(args), true) = (ground, literals.is_empty()) {
                let functor = self.program.relations[relation.index()].functor;
                let fact = match functor.arity {
                    None => self.program.terms.constant(functor.symbol),
                    Some(_) => self.program.terms.compound(functor.symbol, &args),
                };
                let info = &mut self.program.relations[relation.index()];
                info.facts.push(fact);
                info.spans.push(span);
                continue;
            }
            let rule = self.program.rules.len() as u32;
            self.program.relations[relation.index()].rules.push(rule);
            let head = Atom { relation, args };
            let (variables, names) = (variables.0.len() as u32, variables.0.into());
            let body = literals;
            self.program.rules.push(Rule { head, body, variables, names, stratum: 0, span });
        }
        Ok(())
    }

    /// A hidden relation for a part of a statement.
    pub(super) fn hidden(
        &mut self,
        purpose: &str,
        head: &[Term],
        body: &[Formula],
        span: Span,
    ) -> Result<Relation, String> {
        // No name of either syntax contains a space.
        let name = format!("{purpose} {}", self.program.relations.len());
        let symbol = self.program.terms.symbol(&name);
        let relation = self.relation_of(Functor { symbol, arity: Some(head.len() as u32) }, true);
        self.rule(relation, head, body, span)?;
        Ok(relation)
    }

    fn operation(&mut self, operation: &gdl::Operation, span: Span) -> Result<(), String> {
        let mut variables = Variables::default();
        let action = self.pattern(&operation.action, &mut variables);
        let mut whole = Occurrences::default();
        count(&operation.action, &mut whole);
        count_effects(&operation.effects, &mut whole);
        let effects = self.effects(&operation.effects, &whole, &mut variables, span)?;
        let (variables, names) = (variables.0.len() as u32, variables.0.into());
        self.program.operations.push(Operation { action, effects, variables, names, span });
        Ok(())
    }

    fn effects(
        &mut self,
        effects: &[gdl::Effect],
        whole: &Occurrences<'_>,
        variables: &mut Variables,
        span: Span,
    ) -> Result<Vec<Effect>, String> {
        let mut lowered = Vec::new();
        for effect in effects {
            lowered.push(match &effect.kind {
                EffectKind::Add(atom) => Effect::Add(self.pattern(atom, variables)),
                EffectKind::Delete(atom) => Effect::Delete(self.pattern(atom, variables)),
                EffectKind::When(conditions, inner) => {
                    let mut inside = Occurrences::default();
                    count_all(conditions, &mut inside);
                    let head = shared(&inside, whole, span);
                    let relation = self.hidden("the condition", &head, conditions, span)?;
                    let args = head.iter().map(|arg| self.pattern(arg, variables)).collect();
                    let inner = self.effects(inner, whole, variables, span)?;
                    Effect::When(Atom { relation, args }, inner)
                }
            });
        }
        Ok(lowered)
    }

    pub(super) fn relation(&mut self, atom: &Term) -> Relation {
        let name = atom.name().map_or("", Name::as_str);
        let symbol = self.program.terms.symbol(name);
        let arity = match atom.kind {
            TermKind::Compound(..) => Some(atom.args().len() as u32),
            _ => None,
        };
        self.relation_of(Functor { symbol, arity }, false)
    }

    pub(super) fn relation_of(&mut self, functor: Functor, hidden: bool) -> Relation {
        let next = Relation(self.program.relations.len() as u32);
        let relation = *self.program.index.entry(functor).or_insert(next);
        if relation == next {
            self.program.relations.push(RelationInfo {
                functor,
                facts: Vec::new(),
                spans: Vec::new(),
                rules: Vec::new(),
                depends: Depends::Nothing,
                hidden,
            });
        }
        relation
    }

    pub(super) fn pattern(&mut self, term: &Term, variables: &mut Variables) -> Pattern {
        match &term.kind {
            TermKind::Variable(name) => Pattern::Variable(variables.number(name)),
            TermKind::Wildcard => Pattern::Variable(variables.fresh()),
            TermKind::Constant(name) => Pattern::Ground(self.program.terms.constant_named(name)),
            TermKind::Compound(name, args) => {
                let args = args.iter().map(|arg| self.pattern(arg, variables)).collect();
                self.compound(name, args)
            }
            TermKind::List(items, tail) => {
                let items: Vec<Pattern> =
                    items.iter().map(|item| self.pattern(item, variables)).collect();
                let end = match tail {
                    Some(tail) => self.pattern(tail, variables),
                    None => Pattern::Ground(self.program.terms.constant_named("nil")),
                };
                items
                    .into_iter()
                    .rev()
                    .fold(end, |rest, item| self.compound("cons", vec![item, rest]))
            }
        }
    }

    fn compound(&mut self, name: &str, args: Vec<Pattern>) -> Pattern {
        let symbol = self.program.terms.symbol(name);
        let ground: Option<Vec<TermId>> = args
            .iter()
            .map(|arg| if let Pattern::Ground(term) = arg { Some(*term) } else { None })
            .collect();
        match ground {
            Some(args) => Pattern::Ground(self.program.terms.compound(symbol, &args)),
            None => Pattern::Compound(symbol, args.into()),
        }
    }
}

/// In GDL, a negation or `distinct` with a variable that no positive condition binds is dropped, as
/// in the reference prover. The checks call such rules unsafe; no published game has one. Variables
/// below `known` are bound by the head.
fn drop_unbound(literals: &mut Vec<Literal>, known: u32) {
    let mut bound: FxHashSet<u32> = (0..known).collect();
    for literal in literals.iter().filter(|literal| literal.binds()) {
        literal.goal.variables(&mut |variable| {
            bound.insert(variable);
        });
    }
    literals.retain(|literal| {
        let mut safe = true;
        literal.goal.variables(&mut |variable| safe &= bound.contains(&variable));
        safe
    });
}

fn count_effects<'a>(effects: &'a [gdl::Effect], into: &mut Occurrences<'a>) {
    for effect in effects {
        match &effect.kind {
            EffectKind::Add(atom) | EffectKind::Delete(atom) => count(atom, into),
            EffectKind::When(conditions, inner) => {
                count_all(conditions, into);
                count_effects(inner, into);
            }
        }
    }
}
