//! Constant relations, computed before play if they are finite.

use std::sync::Arc;

use magister_core::{Halt, Stop};
use rustc_hash::FxHashMap;

use super::code::Queries;
use super::compiler::Compiler;
use super::estimate::Estimates;
use super::machine::Machine;
use super::safety;
use super::table::Table;
use crate::program::{Depends, Program, Relation};
use crate::reference::QueryLimits;
use crate::term::{TermId, Terms};

/// The maximum steps per relation. Larger relations are computed on demand, which suits relations
/// that are infinite or mostly unneeded.
const STEPS: u64 = 4_000_000;
/// The maximum steps for all relations together.
const ALL_STEPS: u64 = 20_000_000;
/// The maximum number of answers of a relation.
const ANSWERS: usize = 400_000;

/// The constant data of a game.
#[derive(Debug)]
pub(super) struct Statics {
    pub(super) terms: Terms,
    pub(super) tables: Vec<Table>,
    /// The table with all answers of a relation.
    pub(super) table_of: FxHashMap<Relation, u32>,
    /// The table with the facts of a relation that also has rules.
    pub(super) facts_of: FxHashMap<Relation, u32>,
    /// For each relation, whether it may be queried without known arguments.
    pub(super) finite: Vec<bool>,
}

impl Statics {
    /// Computes the constant relations of a program.
    pub(super) fn new(
        program: &Arc<Program>,
        limits: &QueryLimits,
        stop: &Stop,
    ) -> Result<Self, Halt> {
        let enumerable = safety::enumerable(program);
        let mut statics = Statics {
            terms: program.terms.clone(),
            tables: Vec::new(),
            table_of: FxHashMap::default(),
            facts_of: FxHashMap::default(),
            finite: safety::finite(program, &enumerable),
        };
        let mut derived = Vec::new();
        for (number, relation) in program.relations.iter().enumerate() {
            let mut facts = relation.facts.clone();
            facts.sort_unstable();
            facts.dedup();
            let cells = facts.iter().flat_map(|&fact| program.terms.args(fact)).copied().collect();
            let this = Relation(number as u32);
            let table = statics.add(this, cells, facts.len() as u32, program);
            if relation.rules.is_empty() {
                statics.table_of.insert(this, table);
                continue;
            }
            statics.facts_of.insert(this, table);
            if relation.depends == Depends::Nothing && enumerable[number] {
                derived.push(this);
            }
        }
        if derived.is_empty() {
            return Ok(statics);
        }
        let limits = QueryLimits { steps: STEPS, answers: ANSWERS, ..*limits };
        let estimates = Estimates::default();
        let mut compiler = Compiler::new(program, &statics, &estimates);
        let procedures: Vec<u32> =
            derived.iter().map(|&relation| compiler.query(relation, 0)).collect();
        let code = compiler.finish(Queries::all(procedures[0]), stop)?;
        let mut machine = Machine::new(Arc::new(code), limits);
        for (relation, procedure) in derived.into_iter().zip(procedures) {
            if machine.total > ALL_STEPS {
                break;
            }
            match machine.solve(procedure, &[], stop) {
                Ok(call) => {
                    let mut cells: Vec<TermId> = Vec::new();
                    let count = machine.memos[procedure as usize].copy(call, &mut cells);
                    let table = statics.add(relation, cells, count, program);
                    statics.table_of.insert(relation, table);
                }
                Err(Halt::Stopped) => return Err(Halt::Stopped),
                Err(_) => {}
            }
        }
        statics.terms = machine.terms;
        Ok(statics)
    }

    fn add(
        &mut self,
        relation: Relation,
        cells: Vec<TermId>,
        count: u32,
        program: &Program,
    ) -> u32 {
        let arity = program.relations[relation.index()].functor.arity.unwrap_or(0) as usize;
        self.tables.push(Table::new(arity, cells, count));
        self.tables.len() as u32 - 1
    }
}
