//! From a program to code: compiled without statistics, tried in random play, and compiled again
//! with the counts.

use std::sync::Arc;

use magister_core::{Halt, Seed, Stop};
use rustc_hash::FxHashMap;

use super::code::{Code, Queries};
use super::compiler::Compiler;
use super::estimate::{Estimates, Fluents};
use super::position::Position;
use super::source;
use super::statics::Statics;
use crate::program::{Program, Relation};
use crate::reference::QueryLimits;
use crate::term::{Functor, TermId};

/// The number of steps of random play for the estimates.
const STEPS: u32 = 60;
/// The number of compilations and trials. One order may query relations that another never does.
/// The code with the least work is used.
const ROUNDS: u32 = 4;
/// The number of rounds in which relations are queried with no fewer known arguments than in the
/// written order.
const CAREFUL: u32 = 2;
/// The maximum work for these steps.
const WORK: u64 = 2_000_000;

/// A compiled program.
pub(super) struct Compiled {
    pub(super) code: Arc<Code>,
    /// The fluents of the initial state.
    pub(super) initial: Vec<TermId>,
    /// The counted work of a step of random play; infinite if the game could not be played.
    pub(super) work: f64,
}

/// The code of a program.
pub(super) fn compile(
    program: &Program,
    limits: QueryLimits,
    stop: &Stop,
) -> Result<Compiled, Halt> {
    let mut program = program.clone();
    let queries = source::extend(&mut program);
    let program = Arc::new(program);
    let mut statics = Statics::new(&program, &limits, stop)?;
    let mut estimates = Estimates::default();
    let code = build(&program, &statics, &queries, &estimates, stop)?;
    let mut position = Position::new(Arc::new(code), limits);
    let initial = position.initial(stop)?;
    let mut best: Option<(f64, Code)> = None;
    for round in 1..=ROUNDS {
        let work = sample(&mut position, &initial, &mut estimates, stop)?;
        // The terms encountered here are available to all later users.
        statics.terms = position.machine.terms;
        if best.as_ref().is_none_or(|(least, _)| work < *least) {
            best = Some((work, Arc::unwrap_or_clone(position.machine.code)));
        }
        estimates.free = round >= CAREFUL;
        let code = build(&program, &statics, &queries, &estimates, stop)?;
        position = Position::new(Arc::new(code), limits);
    }
    let (work, mut code) = match best {
        Some(best) => best,
        None => (f64::INFINITY, Arc::unwrap_or_clone(position.machine.code)),
    };
    code.terms = statics.terms;
    Ok(Compiled { code: Arc::new(code), initial, work })
}

fn build(
    program: &Arc<Program>,
    statics: &Statics,
    queries: &Queries<Relation>,
    estimates: &Estimates,
    stop: &Stop,
) -> Result<Code, Halt> {
    let mut compiler = Compiler::new(program, statics, estimates);
    let operations = program.dialect == magister_gdl::Dialect::Operations;
    let queries = Queries {
        init: compiler.query(queries.init, 0),
        terminal: compiler.query(queries.terminal, 0),
        legal: compiler.query(queries.legal, usize::from(!operations)),
        goal: compiler.query(queries.goal, 1),
        next: compiler.query(queries.next, 0),
        sees: compiler.query(queries.sees, 1),
        control: compiler.query(queries.control, 0),
        operation: compiler.query(queries.operation, 1),
        adds: compiler.query(queries.adds, 1),
        deletes: compiler.query(queries.deletes, 1),
    };
    compiler.finish(queries, stop)
}

#[derive(Default)]
struct Counts {
    states: f64,
    fluents: FxHashMap<Functor, Fluents>,
    /// The answers and calls of each procedure.
    calls: Vec<(f64, f64)>,
}

/// Plays at random and counts; returns the work of a step. An error only ends the count; it is
/// reported when it occurs in play.
fn sample(
    position: &mut Position,
    initial: &[TermId],
    estimates: &mut Estimates,
    stop: &Stop,
) -> Result<f64, Halt> {
    let limits = position.machine.limits;
    position.machine.limits.steps = WORK;
    let mut counts = Counts::default();
    let work = match walk(position, initial, &mut counts, stop) {
        Err(Halt::Stopped) => return Err(Halt::Stopped),
        Ok(work) => work as f64 / counts.states,
        Err(_) => f64::INFINITY,
    };
    position.machine.limits = limits;
    let states = counts.states;
    estimates.fluents.extend(counts.fluents.into_iter().map(|(functor, mut fluents)| {
        fluents.size /= states;
        fluents.values.iter_mut().flat_map(|v| v.values_mut()).for_each(|n| *n /= states);
        (functor, fluents)
    }));
    for (procedure, (answers, calls)) in position.machine.code.procedures.iter().zip(&counts.calls)
    {
        if *calls > 0.0 {
            let key = (procedure.relation, procedure.modes.clone());
            estimates.answers.insert(key, answers / calls);
        }
    }
    Ok(work)
}

fn walk(
    position: &mut Position,
    initial: &[TermId],
    counts: &mut Counts,
    stop: &Stop,
) -> Result<u64, Halt> {
    let roles = position.machine.code.program.roles.clone();
    let mut rng = Seed::from(1).rng();
    let mut next = Vec::new();
    position.set_state(initial);
    for _ in 0..STEPS {
        counts.states += 1.0;
        for &fluent in position.state() {
            let terms = position.terms();
            let args = terms.args(fluent);
            let entry = counts.fluents.entry(terms.functor(fluent)).or_default();
            entry.size += 1.0;
            entry.values.resize(args.len(), FxHashMap::default());
            for (values, &arg) in entry.values.iter_mut().zip(args) {
                *values.entry(arg).or_default() += 1.0;
            }
        }
        let terminal = position.terminal(stop)?;
        let mut joint = Vec::new();
        for (role, &term) in roles.iter().enumerate() {
            if terminal {
                position.goals(role, stop)?;
            } else if position.is_operations() && position.control(stop)?.first() != Some(&term) {
                joint.push(None);
            } else {
                // Sorted, so that play does not depend on the code.
                let mut legal = position.legal(role, stop)?.to_vec();
                position.terms().sort(&mut legal);
                let pick = rng.below(legal.len().max(1) as u64) as usize;
                joint.push(legal.get(pick).copied());
            }
        }
        next.clear();
        if terminal {
            next.extend_from_slice(initial);
        } else {
            position.set_moves(&joint);
            position.next(&mut next, stop)?;
        }
        count(position, counts);
        position.set_state(&next);
        if position.machine.total > WORK {
            break;
        }
    }
    Ok(position.machine.total)
}

fn count(position: &Position, counts: &mut Counts) {
    counts.calls.resize(position.machine.memos.len(), (0.0, 0.0));
    for (memo, count) in position.machine.memos.iter().zip(&mut counts.calls) {
        let calls = memo.calls.len();
        count.0 += (memo.len() - calls) as f64;
        count.1 += calls as f64;
    }
}
