//! Equivalent rules are the same game: same hash, ids, legal order and observations.
//!
//! A normal run tests the games of the catalogue, smallest rulesheets first, while the time budget
//! lasts. With `MAGISTER_LONG=1`, it tests all of them.
#![allow(clippy::print_stderr)]

use std::time::{Duration, Instant};

use magister_core::{Rng, Seed, Stop};
use magister_engine::grounder::Progress;
use magister_engine::inspect::{Identity, Walks, identity};
use magister_engine::{Evaluator, prepare, prepare_each};
use magister_games::catalogue;
use magister_gdl::{
    Dialect, Effect, EffectKind, Formula, FormulaKind, Name, Options, Rulesheet, StatementKind,
    Syntax, Term, TermKind, print, read,
};

/// The time limit of each test in a normal run.
const BUDGET: Duration = Duration::from_secs(30);

const WALKS: Walks = Walks { matches: 2, steps: 40 };

fn long() -> bool {
    std::env::var_os("MAGISTER_LONG").is_some_and(|value| value != "0")
}

/// Runs `work` on all rulesheets of the catalogue, shortest first, while there is time.
fn each(mut work: impl FnMut(&str, &str)) {
    let mut sheets: Vec<_> =
        catalogue::all().iter().flat_map(magister_games::catalogue::Entry::gdl_sheets).collect();
    sheets.sort_by_key(|(_, sheet)| sheet.text.len());
    let (begun, all, mut done) = (Instant::now(), sheets.len(), 0);
    for (name, sheet) in sheets {
        if !long() && begun.elapsed() > BUDGET {
            break;
        }
        work(&name, sheet.text);
        done += 1;
    }
    eprintln!("{done} of {all} rulesheets (MAGISTER_LONG=1 takes all)");
}

fn shuffle<T>(list: &mut [T], rng: &mut Rng) {
    for at in (1..list.len()).rev() {
        list.swap(at, rng.below(at as u64 + 1) as usize);
    }
}

/// Whether the order of a statement among others of its kind is significant.
fn is_ordered(kind: &StatementKind) -> bool {
    match kind {
        StatementKind::Rule(rule) => rule.head.is("role", 1),
        StatementKind::Definition(..) => true,
        _ => false,
    }
}

/// The same rules in another order, with renamed variables.
fn disguise(rules: &mut Rulesheet, rng: &mut Rng) {
    let mut places: Vec<usize> = (0..rules.statements.len()).collect();
    shuffle(&mut places, rng);
    // Statements whose order is significant keep their relative order.
    let fixed: Vec<usize> =
        (0..places.len()).filter(|&at| is_ordered(&rules.statements[at].kind)).collect();
    let mut next = fixed.iter();
    for place in &mut places {
        if is_ordered(&rules.statements[*place].kind) {
            *place = *next.next().expect("as many as there are");
        }
    }
    let salt = rng.below(1000);
    let old = rules.statements.clone();
    rules.statements = places.into_iter().map(|at| old[at].clone()).collect();
    rules.comments.clear();
    // In infix a capital makes a variable.
    let rename =
        |name: &Name| Name::new(&format!("V{}_{salt}", name.chars().rev().collect::<String>()));
    for statement in &mut rules.statements {
        match &mut statement.kind {
            StatementKind::Rule(rule) => {
                terms(&mut rule.head, &rename);
                rule.body.iter_mut().for_each(|f| formulas(f, &rename));
            }
            StatementKind::Operation(operation) => {
                terms(&mut operation.action, &rename);
                operation.effects.iter_mut().for_each(|e| effects(e, &rename));
            }
            StatementKind::Definition(head, value) => {
                terms(head, &rename);
                terms(value, &rename);
            }
            StatementKind::Stray(formula) => formulas(formula, &rename),
        }
    }
}

fn terms(term: &mut Term, rename: &impl Fn(&Name) -> Name) {
    match &mut term.kind {
        TermKind::Variable(name) => *name = rename(name),
        TermKind::Wildcard | TermKind::Constant(_) => {}
        TermKind::Compound(_, args) => args.iter_mut().for_each(|arg| terms(arg, rename)),
        TermKind::List(items, tail) => {
            items.iter_mut().chain(tail.as_deref_mut()).for_each(|item| terms(item, rename));
        }
    }
}

fn formulas(formula: &mut Formula, rename: &impl Fn(&Name) -> Name) {
    match &mut formula.kind {
        FormulaKind::Atom(atom) => terms(atom, rename),
        FormulaKind::Not(inner) => formulas(inner, rename),
        FormulaKind::And(parts) | FormulaKind::Or(parts) => {
            parts.iter_mut().for_each(|part| formulas(part, rename));
        }
    }
}

fn effects(effect: &mut Effect, rename: &impl Fn(&Name) -> Name) {
    match &mut effect.kind {
        EffectKind::Add(atom) | EffectKind::Delete(atom) => terms(atom, rename),
        EffectKind::When(conditions, inner) => {
            conditions.iter_mut().for_each(|f| formulas(f, rename));
            inner.iter_mut().for_each(|e| effects(e, rename));
        }
    }
}

fn look(rules: &Rulesheet, text: &str, name: &str, evaluator: Option<Evaluator>) -> Identity {
    let prepared = prepare(rules, text, name, evaluator, &Stop::never());
    let prepared = prepared.unwrap_or_else(|error| panic!("{name}: {error}"));
    identity(&prepared.game, WALKS, &Stop::never())
}

#[test]
fn equivalent_rules_are_the_same_game() {
    each(|name, text| {
        let rules = read(text, &Options::default()).rules;
        let mut other = rules.clone();
        disguise(&mut other, &mut Seed::from(7).rng());
        // The reordered rules may be written in the other syntax and read again.
        let syntax = match (rules.dialect, rules.syntax) {
            (Dialect::Operations, _) | (_, Syntax::Kif) => Syntax::Infix,
            (_, Syntax::Infix) => Syntax::Kif,
        };
        let printed = print(&other, "", syntax).or_else(|_| print(&other, "", rules.syntax));
        let printed = printed.unwrap_or_else(|_| panic!("{name} cannot be written"));
        let options = Options { dialect: Some(rules.dialect), ..Options::default() };
        let again = read(&printed, &options).rules;
        // Compares state words too, on the same evaluator, which every game supports.
        let by = Some(Evaluator::Datalog);
        let (one, two) = (look(&rules, text, name, by), look(&again, &printed, name, by));
        assert_ne!(one.text_hash, two.text_hash, "{name}");
        assert_eq!(one, Identity { text_hash: one.text_hash.clone(), ..two }, "{name}");
        let one = look(&rules, text, name, None);
        let two = look(&again, &printed, name, None);
        let same = |identity: &Identity| (identity.moves, identity.play.clone());
        assert_eq!(same(&one), same(&two), "{name}");
    });
}

#[test]
fn significant_changes_change_the_hash() {
    each(|name, text| {
        let rules = read(text, &Options::default()).rules;
        let hash = |rules: &Rulesheet| magister_gdl::canonical(rules).text;
        let is_role = |kind: &StatementKind| matches!(kind, StatementKind::Rule(rule) if rule.head.is("role", 1));
        let roles: Vec<usize> =
            (0..rules.statements.len()).filter(|&at| is_role(&rules.statements[at].kind)).collect();
        if let [first, second, ..] = roles[..] {
            let mut other = rules.clone();
            other.statements.swap(first, second);
            assert_ne!(hash(&rules), hash(&other), "{name}: roles");
        }
        let mut other = rules.clone();
        let swapped = other.statements.iter_mut().any(|statement| match &mut statement.kind {
            StatementKind::Rule(rule) if rule.body.len() > 1 => {
                let before = rule.clone();
                rule.body.reverse();
                format!("{:?}", before.body) != format!("{:?}", rule.body)
            }
            _ => false,
        });
        assert!(!swapped || hash(&rules) != hash(&other), "{name}: conditions");
    });
}

/// The short form of `cargo xtask identity`.
#[test]
fn evaluators_and_threads_agree_on_identity() {
    each(|name, text| {
        let rules = read(text, &Options::default()).rules;
        let each = prepare_each(&rules, text, name, &Stop::never(), &Progress::default());
        let all = each.unwrap_or_else(|error| panic!("{name}: {error}")).taken;
        let first = identity(&all[0].game, WALKS, &Stop::never());
        for prepared in &all {
            let found: Vec<Identity> = std::thread::scope(|scope| {
                let look = || identity(&prepared.game, WALKS, &Stop::never());
                let threads: Vec<_> = (0..2).map(|_| scope.spawn(look)).collect();
                threads.into_iter().map(|thread| thread.join().unwrap()).collect()
            });
            assert_eq!(found[0], found[1], "{name} by {}", prepared.evaluator);
            let by = prepared.evaluator;
            assert_eq!((first.moves, &first.play), (found[0].moves, &found[0].play), "{name} {by}");
        }
    });
}
