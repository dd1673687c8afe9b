//! Which rules random play uses.

use std::sync::Arc;

use magister_core::{Halt, Rng, Seed, Stop};
use magister_gdl::{Dialect, Syntax};

use crate::explain::words::Words;
use crate::program::{Goal, Program, Relation};
use crate::term::TermId;
use crate::{QueryLimits, Reference};

/// Relations that declare or initialise, which play does not query.
const DECLARING: &[&str] = &["role", "init", "base", "input", "percept", "action"];

/// The relations, rules and operations that the reference interpreter has used so far.
#[derive(Clone, Debug)]
pub(crate) struct Used {
    /// For each relation, whether it was queried.
    pub(crate) relations: Vec<bool>,
    /// For each rule, whether its conditions held for some bindings.
    pub(crate) rules: Vec<bool>,
    /// For each operation, whether it had an effect.
    pub(crate) operations: Vec<bool>,
}

impl Used {
    pub(crate) fn nothing(program: &Program) -> Self {
        Used {
            relations: vec![false; program.relations.len()],
            rules: vec![false; program.rules.len()],
            operations: vec![false; program.operations.len()],
        }
    }
}

/// A rule, an operation or a relation, as it appears in the rulesheet.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Unused {
    /// The line on which it begins; for a relation, that of its first rule or fact.
    pub line: u32,
    /// The head of the rule, the operation, or the name of the relation.
    pub what: String,
}

/// The rules and relations that random play has not used.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Coverage {
    /// The number of positions.
    pub positions: u64,
    /// The number of matches.
    pub matches: u32,
    /// Rules whose conditions never held when queried, and operations that never had an effect,
    /// although their relations were queried.
    pub rules: Vec<Unused>,
    /// Relations that were never queried.
    pub relations: Vec<Unused>,
}

/// Plays random matches until there are enough or the flag is set, and returns the rules that never
/// applied. Facts, and rules that only declare or initialise, are ignored. A match in which the
/// rules fail ends there.
pub fn coverage(
    program: &Arc<Program>,
    syntax: Syntax,
    matches: u32,
    max_steps: u32,
    seed: Seed,
    stop: &Stop,
) -> Coverage {
    let mut play = Play {
        reference: Reference::new(Arc::clone(program), QueryLimits::default()),
        coverage: Coverage::default(),
    };
    play.reference.note_use();
    for number in 0..matches {
        let mut rng = seed.derive_index(u64::from(number)).rng();
        play.coverage.matches += 1;
        if play.one(max_steps, &mut rng, stop) == Err(Halt::Stopped) {
            break;
        }
    }
    play.report(syntax)
}

struct Play {
    reference: Reference,
    coverage: Coverage,
}

impl Play {
    fn one(&mut self, max_steps: u32, rng: &mut Rng, stop: &Stop) -> Result<(), Halt> {
        let roles = self.reference.program().roles.len();
        let operations = self.reference.program().dialect == Dialect::Operations;
        let mut state = self.reference.initial(stop)?;
        for _ in 0..=max_steps {
            self.reference.set_state(&state);
            let terminal = self.reference.terminal(stop)?;
            let mut joint: Vec<Option<TermId>> = Vec::with_capacity(roles);
            for role in 0..roles {
                self.reference.goals(role, stop)?;
                let legal = if terminal { Vec::new() } else { self.reference.legal(role, stop)? };
                let choice = rng.below(legal.len().max(1) as u64) as usize;
                joint.push(legal.get(choice).copied());
            }
            self.coverage.positions += 1;
            let moving = joint.iter().flatten().count();
            if terminal || moving == 0 || (!operations && moving < roles) {
                return Ok(());
            }
            self.reference.set_moves(&joint);
            state = self.reference.next(stop)?;
            for role in 0..roles {
                self.reference.percepts(role, stop)?;
            }
        }
        Ok(())
    }

    fn report(mut self, syntax: Syntax) -> Coverage {
        let Some(used) = self.reference.used() else { return self.coverage };
        let program = self.reference.program();
        let words = Words { program, terms: self.reference.terms(), syntax };
        let declaring = declaring(program);
        for (number, rule) in program.rules.iter().enumerate() {
            let relation = rule.head.relation.index();
            let looked_at = used.relations[relation] && !program.relations[relation].hidden;
            let aside = DECLARING.contains(&name(program, rule.head.relation));
            if looked_at && !aside && !used.rules[number] {
                let (line, what) = (program.line(rule.span), words.head(number as u32));
                self.coverage.rules.push(Unused { line, what });
            }
        }
        for (number, operation) in program.operations.iter().enumerate() {
            if !used.operations[number] {
                let (line, what) = (program.line(operation.span), words.operation(number as u32));
                self.coverage.rules.push(Unused { line, what });
            }
        }
        for (number, info) in program.relations.iter().enumerate() {
            let first = info.rules.first().map(|&rule| program.rules[rule as usize].span);
            let span = first.into_iter().chain(info.spans.first().copied()).min();
            let Some(span) = span.filter(|_| !info.hidden) else { continue };
            if !used.relations[number] && !declaring[number] {
                let what = program.relation_name(Relation(number as u32));
                self.coverage.relations.push(Unused { line: program.line(span), what });
            }
        }
        self.coverage.rules.sort();
        self.coverage.rules.dedup();
        self.coverage.relations.sort();
        self.coverage
    }
}

fn name(program: &Program, relation: Relation) -> &str {
    program.terms.name(program.relations[relation.index()].functor.symbol)
}

/// For each relation, whether it declares or initialises, or is used by one that does.
fn declaring(program: &Program) -> Vec<bool> {
    let relations = program.relations.len() as u32;
    let mut rest: Vec<Relation> =
        (0..relations).map(Relation).filter(|&r| DECLARING.contains(&name(program, r))).collect();
    let mut found = vec![false; relations as usize];
    while let Some(relation) = rest.pop() {
        if std::mem::replace(&mut found[relation.index()], true) {
            continue;
        }
        for &rule in &program.relations[relation.index()].rules {
            let goals = program.rules[rule as usize].body.iter().map(|literal| &literal.goal);
            rest.extend(goals.filter_map(Goal::atom).map(|atom| atom.relation));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use magister_gdl::{Options, read};

    use super::*;

    fn covered(text: &str, matches: u32) -> Coverage {
        let sheet = read(text, &Options::default());
        assert!(!sheet.diagnostics.has_errors(), "{:?}", sheet.diagnostics.as_slice());
        let program = Arc::new(Program::new(&sheet.rules, text).expect("a program"));
        coverage(&program, sheet.rules.syntax, matches, 100, Seed::from(1), &Stop::never())
    }

    #[test]
    fn rules_that_never_apply_are_reported() {
        let text = "(role a) (kind 1) (kind 2) (unit 1)
(<= (base (at ?x)) (kind ?x))
(init (at 1))
(<= (legal a go) (true (at 1)))
(<= (legal a stop) (true (at 3)))
(<= (next (at 2)) (does a go))
(<= terminal (true (at 2)))
(<= terminal (true (at 2)) (kind 1))
(<= (goal a 100) (true (at 2)) (helper 2))
(<= (goal a 0) (true (at 1)))
(<= (helper ?x) (kind ?x))
(<= (helper ?x) (unit ?x) (never ?x))
(<= (lonely ?x) (kind ?x))
(never 7)
(forgotten 1)";
        let found = covered(text, 3);
        assert_eq!((found.positions, found.matches), (6, 3));
        let line = |line, what: &str| Unused { line, what: what.to_owned() };
        // Line 8 applies too, although line 7 already succeeded. `(unit 2)` does not hold, so line
        // 12 never applies, and `never` is never queried.
        let rules = [line(5, "(legal a stop)"), line(12, "(helper ?x)")];
        assert_eq!(found.rules, rules);
        let relations = [
            line(13, "`lonely` with 1 argument"),
            line(14, "`never` with 1 argument"),
            line(15, "`forgotten` with 1 argument"),
        ];
        assert_eq!(found.relations, relations);
    }

    #[test]
    fn operations_without_effect_are_reported() {
        let text = "role(robot)
init(step(1))
control(robot)
legal(a) :- step(1)
legal(b) :- step(9)
a :: step(1) ==> ~step(1) & step(2)
a :: step(5) ==> step(6)
b :: step(9)
terminal :- step(2)
goal(robot,100) :- step(2)";
        let found = covered(text, 2);
        let lines: Vec<u32> = found.rules.iter().map(|rule| rule.line).collect();
        assert_eq!(lines, [5, 7, 8]);
        assert_eq!(found.rules[1].what, "a :: step(5) ==> step(6)");
    }

    #[test]
    fn a_failing_game_is_examined_as_far_as_possible() {
        let stuck = "(role a) (init here) (<= (legal a go) (true there)) (<= terminal (true there))
                     (goal a 0)";
        let found = covered(stuck, 2);
        assert_eq!(found.positions, 2);
        assert_eq!(found.rules.len(), 2);
        let endless = "(role a) (init (n 0)) (<= (legal a ?x) (n ?x)) (n 0) (<= (n (s ?x)) (n ?x))";
        assert_eq!(covered(endless, 2).positions, 0);
    }
}
