//! From relations to procedures: one for every mode in which a relation is queried.

use std::collections::VecDeque;
use std::sync::Arc;

use magister_core::{Halt, Stop};
use magister_gdl::components;
use rustc_hash::FxHashMap;

use super::code::{
    Build, BuiltinCall, Code, Group, Link, Match, Mode, Op, Plan, Procedure, ProcedureId, Queries,
    Step,
};
use super::estimate::Estimates;
use super::plan::Planner;
use super::statics::Statics;
use super::table::Table;
use crate::program::{Atom, Depends, Pattern, Program, Relation};
use crate::term::{Functor, TermId, Terms};

/// The maximum number of procedures. Published games need a few hundred.
const PROCEDURES: usize = 100_000;

/// The key of a procedure: the relation, the modes of its arguments, and the rules that can answer.
type Key = (Relation, Box<[Mode]>, Box<[u32]>);

/// Creates procedures on demand.
pub(super) struct Compiler<'a> {
    pub(super) program: &'a Arc<Program>,
    pub(super) terms: &'a Terms,
    pub(super) estimates: &'a Estimates,
    pub(super) statics: &'a Statics,
    pub(super) tables: Vec<Table>,
    pub(super) groups: Vec<Group>,
    group_of: FxHashMap<Functor, u32>,
    pub(super) builtins: Vec<BuiltinCall>,
    known: FxHashMap<Key, ProcedureId>,
    procedures: Vec<Procedure>,
    rules: Vec<Box<[u32]>>,
    pending: VecDeque<ProcedureId>,
    distinct: FxHashMap<(u32, Vec<u32>), u32>,
}

impl<'a> Compiler<'a> {
    pub(super) fn new(
        program: &'a Arc<Program>,
        statics: &'a Statics,
        estimates: &'a Estimates,
    ) -> Self {
        Compiler {
            program,
            terms: &statics.terms,
            estimates,
            statics,
            tables: statics.tables.clone(),
            groups: Vec::new(),
            group_of: FxHashMap::default(),
            builtins: Vec::new(),
            known: FxHashMap::default(),
            procedures: Vec::new(),
            rules: Vec::new(),
            pending: VecDeque::new(),
            distinct: FxHashMap::default(),
        }
    }

    /// Compiles all requested procedures.
    pub(super) fn finish(
        mut self,
        queries: Queries<ProcedureId>,
        stop: &Stop,
    ) -> Result<Code, Halt> {
        while let Some(number) = self.pending.pop_front() {
            stop.check()?;
            if self.procedures.len() > PROCEDURES {
                let relation = self.procedures[number as usize].relation;
                return Err(Halt::Limit(format!(
                    "more than {PROCEDURES} modes in which relations are queried, at {}; write fewer \
                     relations, or query them with fewer different constants",
                    self.program.relation_name(relation)
                )));
            }
            self.compile(number, stop)?;
        }
        link(&mut self.procedures);
        depend(&mut self.procedures, self.groups.len());
        Ok(Code {
            program: Arc::clone(self.program),
            terms: self.terms.clone(),
            procedures: self.procedures,
            tables: self.tables,
            groups: self.groups,
            builtins: self.builtins,
            queries,
        })
    }

    /// The procedure for a relation whose first `known` arguments are known and the others
    /// requested.
    pub(super) fn query(&mut self, relation: Relation, known: usize) -> ProcedureId {
        let arity = self.program.relations[relation.index()].functor.arity.unwrap_or(0) as usize;
        let mode = |place| if place < known { Mode::Input } else { Mode::Output };
        let modes: Box<[Mode]> = (0..arity).map(mode).collect();
        let args = (0..arity as u32).map(Pattern::Variable).collect();
        self.procedure(&Atom { relation, args }, modes)
    }

    /// The procedure for an atom with these modes.
    pub(super) fn procedure(&mut self, atom: &Atom, modes: Box<[Mode]>) -> ProcedureId {
        // Only rules whose heads can match the atom can answer. Without the others, a relation
        // depends on its own negation only if it really does.
        let rules = &self.program.relations[atom.relation.index()].rules;
        let meets = |&&rule: &&u32| {
            atom.may_meet(&self.program.rules[rule as usize].head, &self.program.terms)
        };
        let rules: Box<[u32]> = rules.iter().filter(meets).copied().collect();
        let count = |wanted| modes.iter().filter(|&&mode| mode == wanted).count() as u32;
        let (inputs, outputs) = (count(Mode::Input), count(Mode::Output));
        let key = (atom.relation, modes, rules);
        if let Some(&known) = self.known.get(&key) {
            return known;
        }
        let number = self.procedures.len() as ProcedureId;
        self.procedures.push(Procedure {
            relation: key.0,
            modes: key.1.clone(),
            inputs,
            outputs,
            plans: Vec::new(),
            component: None,
            depends: Depends::Nothing,
            groups: Box::default(),
        });
        self.rules.push(key.2.clone());
        self.known.insert(key, number);
        self.pending.push_back(number);
        number
    }

    fn compile(&mut self, number: ProcedureId, stop: &Stop) -> Result<(), Halt> {
        let Procedure { relation, ref modes, .. } = self.procedures[number as usize];
        let modes = modes.clone();
        let mut plans = Vec::new();
        if let Some(table) = self.table_of(relation) {
            plans.extend(self.facts(table, &modes));
        } else {
            if let Some(&table) = self.statics.facts_of.get(&relation) {
                plans.extend(self.facts(table, &modes));
            }
            for rule in self.rules[number as usize].clone() {
                plans.push(Planner::new(self, rule, &modes).plan(stop)?);
            }
        }
        self.procedures[number as usize].plans = plans;
        Ok(())
    }

    /// A plan that reads the answers from a table.
    fn facts(&mut self, table: u32, modes: &[Mode]) -> Option<Plan> {
        if self.tables[table as usize].len() == 0 {
            return None;
        }
        let places =
            |wanted: Mode| (0..modes.len() as u32).filter(move |&at| modes[at as usize] == wanted);
        let columns: Vec<u32> = places(Mode::Input).collect();
        let index = self.tables[table as usize].index(&columns);
        let key = columns.iter().map(|&column| Build::Variable(column)).collect();
        let outs = places(Mode::Output).map(|column| (column, Match::Bind(column))).collect();
        let op = Op::Table { table, index, key, outs, negated: false };
        Some(Plan {
            rule: u32::MAX,
            variables: modes.len() as u32,
            inputs: columns.iter().map(|&column| Match::Bind(column)).collect(),
            steps: Box::new([Step { op, back: 0, fail: 0 }]),
            outputs: places(Mode::Output).map(Build::Variable).collect(),
            after: 1,
        })
    }

    /// The table of a relation that does not change during play.
    pub(super) fn table_of(&self, relation: Relation) -> Option<u32> {
        self.statics.table_of.get(&relation).copied()
    }

    /// The group of a functor, which is added if it is new.
    pub(super) fn group(&mut self, functor: Functor) -> u32 {
        let next = self.groups.len() as u32;
        let group = *self.group_of.entry(functor).or_insert(next);
        if group == next {
            self.groups.push(Group { functor, indexes: Vec::new() });
        }
        group
    }

    /// The index of a group by some columns.
    pub(super) fn group_index(&mut self, group: u32, columns: &[u32]) -> u32 {
        let indexes = &mut self.groups[group as usize].indexes;
        let known = indexes.iter().position(|index| **index == *columns);
        known.unwrap_or_else(|| {
            indexes.push(columns.into());
            indexes.len() - 1
        }) as u32
    }

    /// The number of distinct values in some columns of a table.
    pub(super) fn distinct(&mut self, table: u32, columns: Vec<u32>) -> u32 {
        let tables = &self.tables;
        *self
            .distinct
            .entry((table, columns))
            .or_insert_with_key(|(table, columns)| tables[*table as usize].distinct(columns))
    }

    /// The group of the functor of a term.
    pub(super) fn group_of_term(&mut self, term: TermId) -> u32 {
        self.group(self.terms.functor(term))
    }
}

/// Finds the components of recursive procedures, and the calls inside them.
fn link(procedures: &mut [Procedure]) {
    let edges: Vec<Vec<usize>> = procedures.iter().map(callees).collect();
    let component = components(&edges, |&to| to);
    let mut size = vec![0; component.len()];
    component.iter().for_each(|&home| size[home] += 1);
    for (number, procedure) in procedures.iter_mut().enumerate() {
        let home = component[number];
        if size[home] == 1 && !edges[number].contains(&number) {
            continue;
        }
        procedure.component = Some(home as u32);
        for plan in &mut procedure.plans {
            for step in &mut plan.steps {
                if let Op::Call { procedure, link, .. } = &mut step.op
                    && component[*procedure as usize] == home
                {
                    *link = Link::Mutual;
                    // A step that waits for answers must do so with every earlier match.
                    step.fail = step.back;
                }
            }
        }
    }
}

fn callees(procedure: &Procedure) -> Vec<usize> {
    let steps = procedure.plans.iter().flat_map(|plan| &plan.steps);
    steps
        .filter_map(|step| match step.op {
            Op::Call { procedure, .. } | Op::Aggregate { procedure, .. } => {
                Some(procedure as usize)
            }
            _ => None,
        })
        .collect()
}

/// Computes the dependencies of procedures.
fn depend(procedures: &mut [Procedure], groups: usize) {
    let words = groups.div_ceil(64);
    for procedure in &mut *procedures {
        let (mut depends, mut bits) = (Depends::Nothing, vec![0_u64; words]);
        for step in procedure.plans.iter().flat_map(|plan| &plan.steps) {
            match &step.op {
                Op::Fluents { group, .. } | Op::Holds { group: Some(group), .. } => {
                    depends = depends.max(Depends::State);
                    bits[*group as usize / 64] |= 1 << (group % 64);
                }
                Op::Every { .. } | Op::Holds { group: None, .. } => {
                    depends = depends.max(Depends::State);
                    bits.fill(u64::MAX);
                }
                Op::Does { .. } => depends = Depends::Moves,
                _ => {}
            }
        }
        procedure.depends = depends;
        procedure.groups = bits.into();
    }
    // Callers depend on everything that their callees depend on: propagate from the leaves up,
    // repeatedly for recursive procedures.
    let edges: Vec<Vec<usize>> = procedures.iter().map(callees).collect();
    let component = components(&edges, |&to| to);
    let mut order: Vec<usize> = (0..procedures.len()).collect();
    order.sort_by_key(|&number| component[number]);
    let mut changed = true;
    while changed {
        changed = false;
        for &number in &order {
            for &callee in &edges[number] {
                let Procedure { depends, ref groups, .. } = procedures[callee];
                let groups = groups.clone();
                let procedure = &mut procedures[number];
                if depends > procedure.depends {
                    procedure.depends = depends;
                    changed = true;
                }
                for (mine, theirs) in procedure.groups.iter_mut().zip(&groups) {
                    changed |= *mine | theirs != *mine;
                    *mine |= theirs;
                }
            }
        }
    }
}
