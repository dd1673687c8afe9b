//! Rulesheets as plain data, the input of every evaluator.
//!
//! Names, ground terms, relations and rules are small numbers. Every rule is a head and a list of
//! literals: disjunctions are expanded into several rules, and a negated conjunction, a quantifier
//! or an aggregate gets its own relation. Variables are numbered per rule, from zero, those of the
//! head first.

mod condition;
mod disjunction;
mod lower;
mod strata;

use magister_core::rules_hash;
use magister_gdl::{Builtin, Canonical, Dialect, Lines, Name, Rulesheet, Span, Term, canonical};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::Error;
use crate::ground::Ground;
use crate::term::{Functor, Symbol, TermId, Terms};

/// A relation: an index into [`Program::relations`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Relation(pub u32);

impl Relation {
    /// The relation as an index.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A term with variables.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Pattern {
    /// A variable of the rule.
    Variable(u32),
    /// A term without variables.
    Ground(TermId),
    /// A name with arguments, at least one of which has a variable.
    Compound(Symbol, Box<[Pattern]>),
}

impl Pattern {
    /// Calls `visit` on every occurrence of a variable.
    pub fn variables(&self, visit: &mut impl FnMut(u32)) {
        match self {
            Pattern::Variable(variable) => visit(*variable),
            Pattern::Ground(_) => {}
            Pattern::Compound(_, args) => args.iter().for_each(|arg| arg.variables(visit)),
        }
    }

    /// Whether two patterns with distinct variables may have a common instance. Returns true if a
    /// quick check cannot decide.
    pub fn may_meet(&self, other: &Pattern, terms: &Terms) -> bool {
        match (self, other) {
            (Pattern::Variable(_), _) | (_, Pattern::Variable(_)) => true,
            (Pattern::Ground(a), Pattern::Ground(b)) => a == b,
            (Pattern::Compound(a, xs), Pattern::Compound(b, ys)) => {
                a == b
                    && xs.len() == ys.len()
                    && xs.iter().zip(ys).all(|(x, y)| x.may_meet(y, terms))
            }
            (Pattern::Compound(symbol, args), &Pattern::Ground(term))
            | (&Pattern::Ground(term), Pattern::Compound(symbol, args)) => {
                let functor = Functor { symbol: *symbol, arity: Some(args.len() as u32) };
                terms.functor(term) == functor
                    && args
                        .iter()
                        .zip(terms.args(term))
                        .all(|(arg, &part)| arg.may_meet(&Pattern::Ground(part), terms))
            }
        }
    }
}

/// A relation applied to patterns.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Atom {
    /// The relation.
    pub relation: Relation,
    /// Its arguments.
    pub args: Box<[Pattern]>,
}

impl Atom {
    /// Whether two atoms may have a common instance.
    pub fn may_meet(&self, other: &Atom, terms: &Terms) -> bool {
        self.relation == other.relation
            && self.args.iter().zip(&other.args).all(|(a, b)| a.may_meet(b, terms))
    }
}

/// The result of an aggregate.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Collect {
    /// The number of answers.
    Count,
    /// The sorted list of answers.
    List,
}

/// The goal of a literal.
#[derive(Clone, PartialEq, Debug)]
pub enum Goal {
    /// A relation of the rulesheet, or one created for a part of a formula. A relation without
    /// facts and rules is false.
    Relation(Atom),
    /// `(true f)` in GDL, a bare atom that is not a view in the operations dialect.
    Fluent(Pattern),
    /// `(does role move)`.
    Does(Pattern, Pattern),
    /// Two terms are different.
    Distinct(Pattern, Pattern),
    /// A builtin of the operations dialect.
    Builtin(&'static Builtin, Box<[Pattern]>),
    /// `countofall` and `setofall`: the distinct last arguments of all answers of an atom.
    Aggregate(Collect, Atom, Pattern),
}

impl Goal {
    /// Calls `visit` on every pattern in it.
    pub fn patterns<'a>(&'a self, visit: &mut impl FnMut(&'a Pattern)) {
        match self {
            Goal::Relation(atom) => atom.args.iter().for_each(visit),
            Goal::Fluent(fluent) => visit(fluent),
            Goal::Does(a, b) | Goal::Distinct(a, b) => {
                visit(a);
                visit(b);
            }
            Goal::Builtin(_, args) => args.iter().for_each(visit),
            Goal::Aggregate(_, atom, result) => {
                atom.args.iter().for_each(&mut *visit);
                visit(result);
            }
        }
    }

    /// Calls `visit` on every occurrence of a variable.
    pub fn variables(&self, visit: &mut impl FnMut(u32)) {
        self.patterns(&mut |pattern| pattern.variables(visit));
    }

    /// The atom of a relation or an aggregate, if it has one.
    pub fn atom(&self) -> Option<&Atom> {
        match self {
            Goal::Relation(atom) | Goal::Aggregate(_, atom, _) => Some(atom),
            _ => None,
        }
    }
}

/// A condition of a rule.
#[derive(Clone, PartialEq, Debug)]
pub struct Literal {
    /// Whether it must fail: negation as failure. Variables that are not bound elsewhere are
    /// existentially quantified inside the negation.
    pub negated: bool,
    /// The goal.
    pub goal: Goal,
    /// For negated relations and aggregates: the highest stratum of a rule that can answer. It is
    /// below the stratum of this rule.
    pub stratum: u32,
}

impl Literal {
    /// Whether its relation must be complete before it can be evaluated.
    pub fn needs_completion(&self) -> bool {
        match self.goal {
            Goal::Relation(_) => self.negated,
            Goal::Aggregate(..) => true,
            _ => false,
        }
    }

    /// Whether it enumerates answers that bind its variables.
    pub fn binds(&self) -> bool {
        !self.negated && matches!(self.goal, Goal::Relation(_) | Goal::Fluent(_) | Goal::Does(..))
    }
}

/// The names of a rule's variables, by number. Wildcards have no name.
pub(crate) type Names = Box<[Option<Name>]>;

/// A rule. Ground facts are stored separately, with their relation.
#[derive(Clone, Debug)]
pub struct Rule {
    /// The head.
    pub head: Atom,
    /// The conditions in written order.
    pub body: Vec<Literal>,
    /// The number of variables.
    pub variables: u32,
    /// Their names, for messages.
    pub names: Names,
    /// Its stratum. No rule depends on the negation of a rule of the same or a higher stratum.
    pub stratum: u32,
    /// The statement it comes from.
    pub span: Span,
}

/// The dependencies of a relation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Depends {
    /// It depends on nothing that changes during play.
    Nothing,
    /// It depends on the state.
    State,
    /// It depends on the state and the moves.
    Moves,
}

/// The data of a relation.
#[derive(Clone, Debug)]
pub struct RelationInfo {
    /// Its name and arity.
    pub functor: Functor,
    /// Its ground facts, as terms.
    pub facts: Vec<TermId>,
    /// The statements of the facts, in the same order.
    pub spans: Vec<Span>,
    /// Its rules, as indices into [`Program::rules`].
    pub rules: Vec<u32>,
    /// Its dependencies.
    pub depends: Depends,
    /// Whether it was created for a part of a formula and has no name in the rules.
    pub hidden: bool,
}

/// The effects of an action.
#[derive(Clone, Debug)]
pub struct Operation {
    /// The action, or the name of a helper operation.
    pub action: Pattern,
    /// The effects.
    pub effects: Vec<Effect>,
    /// The number of variables.
    pub variables: u32,
    /// Their names, for messages.
    pub names: Names,
    /// The statement it comes from.
    pub span: Span,
}

/// One effect of an operation.
#[derive(Clone, Debug)]
pub enum Effect {
    /// The atom becomes true, or is performed if it is an operation itself.
    Add(Pattern),
    /// The atom becomes false.
    Delete(Pattern),
    /// The effects happen once for every answer of the atom in the old state. Its relation was
    /// created for the conditions of the effects; its arguments are the variables that the effects
    /// need.
    When(Atom, Vec<Effect>),
}

/// `f(X) := term`, for use inside `evaluate`.
#[derive(Clone, Debug)]
pub struct Definition {
    /// The defined term.
    pub head: Pattern,
    /// Its value.
    pub value: Pattern,
    /// The number of variables.
    pub variables: u32,
}

/// A rulesheet, ready for an evaluator.
#[derive(Clone, Debug)]
pub struct Program {
    /// The dialect.
    pub dialect: Dialect,
    /// All names and ground terms of the rules.
    pub terms: Terms,
    /// All relations that are defined or used.
    pub relations: Vec<RelationInfo>,
    /// All rules that are not ground facts.
    pub rules: Vec<Rule>,
    /// The operations, in order.
    pub operations: Vec<Operation>,
    /// Function definitions, in order.
    pub definitions: Vec<Definition>,
    /// The roles, in the order of their facts.
    pub roles: Vec<TermId>,
    /// In the operations dialect, the names that the rulesheet defines: they are derived by the
    /// rules and never looked up in the state.
    pub views: FxHashSet<Symbol>,
    /// The relations by name and arity.
    index: FxHashMap<Functor, Relation>,
    lines: Lines,
    /// SHA-256 of the rules in canonical form.
    pub rules_hash: String,
}

impl Program {
    /// Lowers a rulesheet, with its rules in written order and with the names of its variables, for
    /// messages. `source` is its text; lines in messages refer to it.
    pub fn new(rules: &Rulesheet, source: &str) -> Result<Program, Error> {
        Self::lowered(rules, source, rules_hash(&canonical(rules).text))
    }

    /// Lowers the canonical form of a rulesheet. Every game that is played has such a program.
    /// Equal hashes of the rules mean equal programs, except for the lines in messages.
    pub fn canonical(rules: &Rulesheet, source: &str) -> Result<Program, Error> {
        let Canonical { rules, text } = canonical(rules);
        Self::lowered(&rules, source, rules_hash(&text))
    }

    fn lowered(rules: &Rulesheet, source: &str, rules_hash: String) -> Result<Program, Error> {
        let mut program = lower::lower(rules, source)?;
        program.rules_hash = rules_hash;
        strata::stratify(&mut program)?;
        strata::dependencies(&mut program);
        Ok(program)
    }

    /// The condition of an atom, as in a rule, with the names of its variables. Missing relations
    /// are added to the program: undefined ones, and those of an aggregate.
    pub fn question(&mut self, atom: &Term, negated: bool) -> Result<(Literal, Names), Error> {
        let question = lower::question(self, atom, negated).map_err(Error::Game)?;
        strata::stratify(self)?;
        strata::dependencies(self);
        Ok(question)
    }

    /// Whether the rules contain the names in a fluent. In GDL, the fluents of all reachable states
    /// consist of names in the rules, so other fluents are nonsense. Operations can compute new
    /// numbers and names.
    pub fn has_words(&self, fluent: &Ground) -> bool {
        self.dialect == Dialect::Operations
            || self.terms.find_symbol(&fluent.name).is_some()
                && fluent.args.iter().flatten().all(|arg| self.has_words(arg))
    }

    /// The relation of a functor, if it is defined or used.
    pub fn relation(&self, functor: Functor) -> Option<Relation> {
        self.index.get(&functor).copied()
    }

    /// The goal of a name with arguments, at least one of them a variable, or of a name without
    /// arguments. `None` if nothing can make it true.
    pub fn goal(&self, name: &str, args: Vec<Pattern>) -> Option<Goal> {
        let symbol = self.terms.find_symbol(name)?;
        let arity = if args.is_empty() { None } else { Some(args.len() as u32) };
        if self.dialect == Dialect::Operations && !self.views.contains(&symbol) {
            return Some(Goal::Fluent(match arity {
                None => Pattern::Ground(self.terms.find_constant(symbol)?),
                Some(_) => Pattern::Compound(symbol, args.into()),
            }));
        }
        let relation = self.relation(Functor { symbol, arity })?;
        Some(Goal::Relation(Atom { relation, args: args.into() }))
    }

    /// The line where a statement begins, from one.
    pub fn line(&self, span: Span) -> u32 {
        self.lines.line_of(span.start) as u32 + 1
    }

    /// The name and arity of a relation, for messages.
    pub fn relation_name(&self, relation: Relation) -> String {
        let info = &self.relations[relation.index()];
        let name = self.terms.name(info.functor.symbol);
        match info.functor.arity {
            _ if info.hidden => name.to_owned(),
            None => format!("`{name}`"),
            Some(1) => format!("`{name}` with 1 argument"),
            Some(arity) => format!("`{name}` with {arity} arguments"),
        }
    }

    /// A rule for messages: its relation and its line.
    pub fn rule_name(&self, rule: u32) -> String {
        let rule = &self.rules[rule as usize];
        format!(
            "the rule for {} in line {}",
            self.relation_name(rule.head.relation),
            self.line(rule.span)
        )
    }
}
