//! A rule as steps: for each condition, where it finds its matches, its inputs and its outputs.

use magister_core::{Halt, Stop};
use magister_gdl::Use;

use super::code::{Build, BuiltinCall, Link, Match, Mode, Op, Plan, Step};
use super::compiler::Compiler;
use super::order::outputs;
use super::table::NONE;
use crate::program::{Atom, Goal, Literal, Pattern, Rule};
use crate::term::Functor;

pub(super) struct Planner<'c, 'a> {
    pub(super) compiler: &'c mut Compiler<'a>,
    number: u32,
    pub(super) rule: &'a Rule,
    modes: Vec<Mode>,
    pub(super) bound: Vec<bool>,
    /// The number of occurrences of each variable in the rule.
    uses: Vec<u32>,
    /// For each condition, the variables that must be bound before it.
    pub(super) needs: Vec<Vec<u32>>,
    /// For each variable, the number of remaining conditions that could bind it.
    pub(super) givers: Vec<u32>,
    /// Fluents that were matched as a whole. Each has a variable, numbered after those of the rule.
    wholes: Vec<Pattern>,
    steps: Vec<Step>,
    /// For each step that may have several matches, the variables that it binds.
    binds: Vec<Option<Vec<u32>>>,
}

impl<'c, 'a> Planner<'c, 'a> {
    pub(super) fn new(compiler: &'c mut Compiler<'a>, number: u32, modes: &[Mode]) -> Self {
        let program = compiler.program;
        let rule = &program.rules[number as usize];
        let mut uses = vec![0; rule.variables as usize];
        let mut count = |variable: u32| uses[variable as usize] += 1;
        rule.head.args.iter().for_each(|arg| arg.variables(&mut count));
        rule.body.iter().for_each(|literal| literal.goal.variables(&mut count));
        Planner {
            compiler,
            number,
            rule,
            modes: modes.to_vec(),
            bound: vec![false; rule.variables as usize],
            uses,
            needs: Vec::new(),
            givers: vec![0; rule.variables as usize],
            wholes: Vec::new(),
            steps: Vec::new(),
            binds: Vec::new(),
        }
    }

    pub(super) fn plan(mut self, stop: &Stop) -> Result<Plan, Halt> {
        let rule = self.rule;
        let mut inputs = Vec::new();
        for (arg, &mode) in rule.head.args.iter().zip(&self.modes.clone()) {
            if mode == Mode::Input {
                inputs.push(self.matcher(arg));
            }
        }
        self.needs = self.written();
        for literal in &rule.body {
            outputs(literal, &mut |v| self.givers[v as usize] += 1);
        }
        let mut left: Vec<usize> = (0..rule.body.len()).collect();
        while !left.is_empty() {
            stop.check()?;
            let place = self.choose(&left);
            left.retain(|&other| other != place);
            outputs(&rule.body[place], &mut |v| self.givers[v as usize] -= 1);
            self.literal(&rule.body[place]);
        }
        let head = rule.head.args.iter();
        let mut outputs = Vec::new();
        let mut wanted = Vec::new();
        for (arg, &mode) in head.zip(&self.modes.clone()) {
            if mode == Mode::Input {
                continue;
            }
            if !self.is_bound(arg) {
                self.push(Op::Unsafe, &[], None);
            } else if mode == Mode::Output {
                arg.variables(&mut |variable| wanted.push(variable));
                let whole = self.wholes.iter().position(|fluent| fluent == arg);
                outputs.push(match whole {
                    Some(at) => Build::Variable(rule.variables + at as u32),
                    None => self.build(arg),
                });
            }
        }
        let after = self.last_binding(&wanted);
        Ok(Plan {
            rule: self.number,
            variables: rule.variables + self.wholes.len() as u32,
            inputs: inputs.into(),
            steps: self.steps.into(),
            outputs: outputs.into(),
            after,
        })
    }

    /// The modes of a call.
    pub(super) fn modes_of(&self, atom: &Atom) -> Box<[Mode]> {
        let mode = |arg: &Pattern| match arg {
            arg if self.is_bound(arg) => Mode::Input,
            Pattern::Variable(v) if self.uses[*v as usize] == 1 => Mode::Ignored,
            _ => Mode::Output,
        };
        atom.args.iter().map(mode).collect()
    }

    fn literal(&mut self, literal: &Literal) {
        let negated = literal.negated;
        // A negation must not bind variables.
        let before = self.bound.clone();
        let mut reads = Vec::new();
        literal.goal.variables(&mut |v| reads.extend(before[v as usize].then_some(v)));
        let op = match &literal.goal {
            Goal::Relation(atom) => self.relation(atom, negated),
            Goal::Fluent(pattern) => self.fluent(pattern, negated),
            Goal::Does(role, choice) => {
                Op::Does { role: self.matcher(role), choice: self.matcher(choice), negated }
            }
            Goal::Distinct(left, right) => {
                Op::Distinct { left: self.build(left), right: self.build(right), negated }
            }
            Goal::Builtin(builtin, args) => self.builtin(builtin.name, args, negated),
            Goal::Aggregate(collect, atom, value) => {
                let mut modes = self.modes_of(atom);
                let last = modes.len().saturating_sub(1);
                for (at, mode) in modes.iter_mut().enumerate() {
                    // Unbound variables are local to the aggregate.
                    if at == last {
                        *mode = Mode::Output;
                    } else if *mode == Mode::Output {
                        *mode = Mode::Ignored;
                    }
                }
                let key = self.inputs(atom, &modes);
                let procedure = self.compiler.procedure(atom, modes);
                let value = self.matcher(value);
                Op::Aggregate { procedure, key, collect: *collect, value, negated }
            }
        };
        let mut new = Vec::new();
        literal.goal.variables(&mut |v| {
            new.extend((self.bound[v as usize] && !before[v as usize]).then_some(v));
        });
        if negated {
            self.bound = before;
            self.push(op, &reads, None);
            return;
        }
        let several = match &op {
            Op::Holds { .. } | Op::Distinct { .. } | Op::Unsafe => false,
            // If no variable is to be bound, one match suffices.
            _ => !new.is_empty(),
        };
        self.push(op, &reads, several.then_some(new));
    }

    fn relation(&mut self, atom: &Atom, negated: bool) -> Op {
        let modes = self.modes_of(atom);
        let key = self.inputs(atom, &modes);
        let columns: Vec<u32> =
            (0..modes.len() as u32).filter(|&at| modes[at as usize] == Mode::Input).collect();
        if let Some(table) = self.compiler.table_of(atom.relation) {
            let index = self.compiler.tables[table as usize].index(&columns);
            let outs = (0..modes.len())
                .filter(|&at| modes[at] == Mode::Output)
                .map(|at| (at as u32, self.matcher(&atom.args[at])))
                .collect();
            return Op::Table { table, index, key, outs, negated };
        }
        let procedure = self.compiler.procedure(atom, modes.clone());
        let outs = (0..modes.len())
            .filter(|&at| modes[at] == Mode::Output)
            .enumerate()
            .map(|(column, at)| (column as u32, self.matcher(&atom.args[at])))
            .filter(|(_, matcher)| *matcher != Match::Any)
            .collect();
        Op::Call { procedure, link: Link::Nested, key, outs, negated }
    }

    fn inputs(&mut self, atom: &Atom, modes: &[Mode]) -> Box<[Build]> {
        let known = atom.args.iter().zip(modes).filter(|&(_, &mode)| mode == Mode::Input);
        known.map(|(arg, _)| self.build(arg)).collect()
    }

    fn fluent(&mut self, pattern: &Pattern, negated: bool) -> Op {
        if self.is_bound(pattern) {
            let group = match pattern {
                Pattern::Ground(term) => Some(self.compiler.group_of_term(*term)),
                Pattern::Compound(symbol, args) => {
                    let arity = Some(args.len() as u32);
                    Some(self.compiler.group(Functor { symbol: *symbol, arity }))
                }
                Pattern::Variable(_) => None,
            };
            return Op::Holds { fluent: self.build(pattern), group, negated };
        }
        let Pattern::Compound(symbol, args) = pattern else {
            return Op::Every { fluent: self.matcher(pattern), negated };
        };
        let functor = Functor { symbol: *symbol, arity: Some(args.len() as u32) };
        let group = self.compiler.group(functor);
        let known: Vec<bool> = args.iter().map(|arg| self.is_bound(arg)).collect();
        let columns: Vec<u32> = (0..args.len() as u32).filter(|&at| known[at as usize]).collect();
        let index = match columns.as_slice() {
            [] => NONE,
            columns => self.compiler.group_index(group, columns),
        };
        let key = columns.iter().map(|&at| self.build(&args[at as usize])).collect();
        let outs = (0..args.len())
            .filter(|&at| !known[at])
            .map(|at| (at as u32, self.matcher(&args[at])))
            .filter(|(_, matcher)| *matcher != Match::Any)
            .collect();
        // A fluent that does not change need not be built again.
        let stays = !negated && self.rule.head.args.contains(pattern);
        let whole = stays.then_some(self.rule.variables + self.wholes.len() as u32);
        if stays {
            self.wholes.push(pattern.clone());
        }
        Op::Fluents { group, index, key, outs, whole, negated }
    }

    fn builtin(&mut self, name: &'static str, args: &[Pattern], negated: bool) -> Op {
        let mut reads = Vec::new();
        let mut variables = 0;
        for arg in args {
            arg.variables(&mut |v| {
                variables = variables.max(v + 1);
                if self.bound[v as usize] && !reads.contains(&v) {
                    reads.push(v);
                }
            });
        }
        let value = match (name, args) {
            ("same", [left, right]) => {
                let right = if self.is_bound(left) { right } else { left };
                self.matcher(right)
            }
            ("member", [item, _]) => self.matcher(item),
            _ if gives_value(name) => args.last().map_or(Match::Any, |last| self.matcher(last)),
            _ => Match::Any,
        };
        let builtin = self.compiler.builtins.len() as u32;
        self.compiler.builtins.push(BuiltinCall { name, args: args.into(), variables });
        Op::Builtin { builtin, reads: reads.into(), value, negated }
    }

    /// Adds a step that reads some variables and, if it may have several matches, the variables
    /// that it binds.
    fn push(&mut self, op: Op, reads: &[u32], binds: Option<Vec<u32>>) {
        let back = self.binds.iter().rposition(Option::is_some).map_or(0, |at| at as u32 + 1);
        let fail = self.last_binding(reads);
        self.steps.push(Step { op, back, fail });
        self.binds.push(binds);
    }

    /// The last step, counted from one, that bound one of these variables and may bind it
    /// differently.
    fn last_binding(&self, variables: &[u32]) -> u32 {
        let gives = |binds: &Option<Vec<u32>>| {
            binds.as_ref().is_some_and(|new| new.iter().any(|v| variables.contains(v)))
        };
        self.binds.iter().rposition(gives).map_or(0, |at| at as u32 + 1)
    }

    pub(super) fn is_bound(&self, pattern: &Pattern) -> bool {
        let mut all = true;
        pattern.variables(&mut |v| all &= self.bound[v as usize]);
        all
    }

    fn build(&self, pattern: &Pattern) -> Build {
        match pattern {
            Pattern::Ground(term) => Build::Known(*term),
            Pattern::Variable(v) if self.bound[*v as usize] => Build::Variable(*v),
            Pattern::Variable(_) => Build::Any,
            Pattern::Compound(symbol, args) => {
                Build::Compound(*symbol, args.iter().map(|arg| self.build(arg)).collect())
            }
        }
    }

    /// Decomposes a term and records the new bindings.
    fn matcher(&mut self, pattern: &Pattern) -> Match {
        match pattern {
            Pattern::Ground(term) => Match::Known(*term),
            Pattern::Variable(v) if self.bound[*v as usize] => Match::Same(*v),
            Pattern::Variable(v) if self.uses[*v as usize] == 1 => Match::Any,
            Pattern::Variable(v) => {
                self.bound[*v as usize] = true;
                Match::Bind(*v)
            }
            Pattern::Compound(symbol, args) => {
                Match::Compound(*symbol, args.iter().map(|arg| self.matcher(arg)).collect())
            }
        }
    }
}

/// Whether a builtin binds its last argument.
fn gives_value(name: &str) -> bool {
    magister_gdl::Builtin::find(name).is_some_and(|builtin| builtin.usage == Use::Value)
}
