//! The differences between an evaluator and a trace.

use std::collections::BTreeSet;
use std::fmt;

use magister_core::{Halt, Stop};

use super::{Goals, Position, Stepper, Trace};
use crate::ground::Ground;

/// One disagreement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mismatch {
    /// The number of the match in its file.
    pub trace: u64,
    /// The number of the position in the match, from zero.
    pub step: usize,
    /// What differs, and for which role.
    pub what: String,
    /// The items that were recorded but not computed.
    pub expected: String,
    /// The items that were computed but not recorded.
    pub found: String,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Mismatch { trace, step, what, expected, found } = self;
        write!(f, "match {trace}, step {step}: {what}: expected {expected}, found {found}")
    }
}

/// The result of a comparison.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// The number of positions that were compared.
    pub positions: u64,
    /// All disagreements.
    pub mismatches: Vec<Mismatch>,
}

/// Compares an evaluator with traces: initial state, legal moves, goal values, terminal flag,
/// percepts and successor of every position. A failed evaluation is a mismatch; a stopped
/// evaluation ends the comparison.
pub fn conform(stepper: &mut dyn Stepper, traces: &[Trace], stop: &Stop) -> Result<Report, Halt> {
    let mut report = Report::default();
    let roles = stepper.roles();
    for trace in traces {
        let mut compared = Comparison { report: &mut report, trace: trace.number, step: 0 };
        if compared.sets("roles", &trace.roles, &roles) {
            // The roles of the trace as indices into the evaluator's roles.
            let seats: Vec<usize> =
                trace.roles.iter().filter_map(|r| roles.iter().position(|x| x == r)).collect();
            compared.trace(stepper, trace, &seats, stop)?;
        }
    }
    Ok(report)
}

struct Comparison<'a> {
    report: &'a mut Report,
    trace: u64,
    step: usize,
}

impl Comparison<'_> {
    fn mismatch(&mut self, what: &str, expected: String, found: String) {
        let what = what.to_owned();
        let (trace, step) = (self.trace, self.step);
        self.report.mismatches.push(Mismatch { trace, step, what, expected, found });
    }

    /// Compares two lists as sets and reports the elements of only one of them.
    fn sets(&mut self, what: &str, expected: &[Ground], found: &[Ground]) -> bool {
        let (expected, found): (BTreeSet<_>, BTreeSet<_>) =
            (expected.iter().collect(), found.iter().collect());
        if expected == found {
            return true;
        }
        let only = |a: &BTreeSet<&Ground>, b: &BTreeSet<&Ground>| {
            let list: Vec<String> = a.difference(b).map(ToString::to_string).collect();
            if list.is_empty() { "nothing more".to_owned() } else { list.join(" ") }
        };
        self.mismatch(what, only(&expected, &found), only(&found, &expected));
        false
    }

    /// The result of an evaluation, or `None` with a mismatch if it failed.
    fn answer<T>(&mut self, what: &str, answer: Result<T, Halt>) -> Result<Option<T>, Halt> {
        match answer {
            Ok(answer) => Ok(Some(answer)),
            Err(Halt::Stopped) => Err(Halt::Stopped),
            Err(halt) => {
                self.mismatch(what, "an answer".to_owned(), halt.to_string());
                Ok(None)
            }
        }
    }

    fn trace(
        &mut self,
        stepper: &mut dyn Stepper,
        trace: &Trace,
        seats: &[usize],
        stop: &Stop,
    ) -> Result<(), Halt> {
        let initial = stepper.initial(stop);
        if let (Some(initial), Some(first)) =
            (self.answer("initial state", initial)?, trace.positions.first())
        {
            self.sets("initial state", &first.state, &initial);
        }
        for (step, position) in trace.positions.iter().enumerate() {
            self.step = step;
            self.report.positions += 1;
            let loaded = stepper.load(&position.state, stop);
            if self.answer("loading the state", loaded)?.is_none() {
                continue;
            }
            let next = trace.positions.get(step + 1).map(|position| position.state.as_slice());
            self.position(stepper, trace, position, next, seats, stop)?;
        }
        Ok(())
    }

    fn position(
        &mut self,
        stepper: &mut dyn Stepper,
        trace: &Trace,
        position: &Position,
        next: Option<&[Ground]>,
        seats: &[usize],
        stop: &Stop,
    ) -> Result<(), Halt> {
        let terminal = stepper.terminal(stop);
        if let Some(terminal) = self.answer("terminal", terminal)?
            && terminal != position.terminal
        {
            self.mismatch("terminal", position.terminal.to_string(), terminal.to_string());
        }
        for (place, &seat) in seats.iter().enumerate() {
            let role = &trace.roles[place];
            if let Some(expected) = position.legal.as_ref().and_then(|legal| legal.get(place)) {
                let what = format!("legal moves of {role}");
                let legal = stepper.legal(seat, stop);
                if let Some(legal) = self.answer(&what, legal)? {
                    self.sets(&what, expected, &legal);
                }
            }
            if let Some(expected) = position.goals.as_ref().and_then(|goals| goals.get(place)) {
                let what = format!("goal values of {role}");
                let goals = stepper.goals(seat, stop);
                if let Some(goals) = self.answer(&what, goals)? {
                    self.goals(&what, expected, &goals);
                }
            }
        }
        let Some(joint) = &position.joint else { return Ok(()) };
        let mut moves = vec![None; seats.len()];
        for (choice, &seat) in joint.iter().zip(seats) {
            moves[seat].clone_from(choice);
        }
        let successor = stepper.successor(&moves, stop);
        let Some(successor) = self.answer("successor", successor)? else { return Ok(()) };
        if let Some(next) = next {
            self.sets("successor", next, &successor.state);
        }
        for (place, &seat) in seats.iter().enumerate() {
            let expected = position.percepts.as_ref().and_then(|percepts| percepts.get(place));
            if let (Some(expected), Some(found)) = (expected, successor.percepts.get(seat)) {
                self.sets(&format!("percepts of {}", trace.roles[place]), expected, found);
            }
        }
        Ok(())
    }

    fn goals(&mut self, what: &str, expected: &Goals, found: &[Ground]) {
        match expected {
            Goals::All(all) => {
                self.sets(what, all, found);
            }
            Goals::One(one) if found.contains(one) => {}
            Goals::One(one) if found.is_empty() && &*one.name == "0" => {}
            Goals::One(one) => {
                let found: Vec<String> = found.iter().map(ToString::to_string).collect();
                self.mismatch(what, one.to_string(), found.join(" "));
            }
        }
    }
}
