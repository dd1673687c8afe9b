//! Parses questions.

use magister_gdl::{
    Dialect, FormulaKind, Name, Options, Span, StatementKind, Syntax, Term, TermKind, nearest,
};

use super::Scene;
use crate::Error;
use crate::ground::Ground;
use crate::program::{Effect, Goal, Literal, Names, Pattern, Program};
use crate::term::{Functor, Symbol};

/// A question.
pub(super) enum Question {
    Literal(Literal, Names),
    /// Whether a fluent holds after the move, in the operations dialect.
    Next(Ground),
}

/// Parses a question in either syntax.
pub(super) fn read(program: &mut Program, text: &str, scene: &Scene) -> Result<Question, Error> {
    let (atom, negated) = parse(text)?;
    check_role(program, &atom)?;
    let operations = program.dialect == Dialect::Operations;
    let name = atom.name().cloned();
    let own = name.as_ref().is_some_and(|name| {
        program.terms.find_symbol(name).is_some_and(|symbol| program.views.contains(&symbol))
    });
    let word = name.as_ref().map(Name::as_str);
    match (word, atom.args()) {
        (Some("true"), [fluent]) if operations && !own => {
            let (literal, names) = program.question(fluent, negated)?;
            return Ok(Question::Literal(literal, names));
        }
        (Some("next"), [fluent]) if operations && !own => {
            let fluent = Ground::from_syntax(fluent);
            let fluent = fluent.filter(|_| !negated).ok_or_else(|| {
                Error::Game(
                    "in this dialect `next` needs a fluent without variables, and is not negated"
                        .to_owned(),
                )
            })?;
            return Ok(Question::Next(fluent));
        }
        _ => {}
    }
    if !operations && is_fluent(program, &atom, scene) {
        let atom = Term::compound("true", vec![atom], Span::default());
        let (literal, names) = program.question(&atom, negated)?;
        return Ok(Question::Literal(literal, names));
    }
    let (literal, names) = program.question(&atom, negated)?;
    Ok(Question::Literal(literal, names))
}

/// The one atom of a text, and whether it is negated.
fn parse(text: &str) -> Result<(Term, bool), Error> {
    let no_atom = || {
        Error::Game(format!(
            "`{text}` is not a single atom, such as (legal x noop), legal(x,noop) or terminal"
        ))
    };
    let text = text.trim();
    closed(text)?;
    let (syntax, rule) = if text.starts_with('(') {
        (Syntax::Kif, format!("(<= question {text})"))
    } else {
        (Syntax::Infix, format!("question :- {text}"))
    };
    // The dialect is given, so that it is not guessed from the text.
    let dialect = if syntax == Syntax::Kif { Dialect::Gdl2 } else { Dialect::Operations };
    let options = Options { syntax: Some(syntax), dialect: Some(dialect), ..Options::default() };
    let sheet = magister_gdl::read(&rule, &options);
    if sheet.diagnostics.has_errors() {
        return Err(no_atom());
    }
    let [statement] = &sheet.rules.statements[..] else { return Err(no_atom()) };
    let StatementKind::Rule(rule) = &statement.kind else { return Err(no_atom()) };
    let [formula] = &rule.body[..] else { return Err(no_atom()) };
    let (mut formula, mut negated) = (formula, false);
    while let FormulaKind::Not(inner) = &formula.kind {
        (formula, negated) = (inner, !negated);
    }
    match &formula.kind {
        FormulaKind::Atom(atom) if atom.name().is_some() => Ok((atom.clone(), negated)),
        _ => Err(no_atom()),
    }
}

/// Whether the parentheses of a question are balanced.
fn closed(text: &str) -> Result<(), Error> {
    let count = |letter: char| text.chars().filter(|&c| c == letter).count();
    let (open, close) = (count('('), count(')'));
    let what = match open.abs_diff(close) {
        0 => return Ok(()),
        1 => "a closing parenthesis".to_owned(),
        more => format!("{more} closing parentheses"),
    };
    let verb = if open > close { "lacks" } else { "has" };
    let end = if open > close { "" } else { " too many" };
    Err(Error::Game(format!("`{text}` {verb} {what}{end}")))
}

/// Whether the first argument of an atom about a role is a role.
fn check_role(program: &Program, atom: &Term) -> Result<(), Error> {
    let about = matches!(atom.name().map(Name::as_str), Some("legal" | "does" | "goal" | "sees"));
    let (true, [first, _]) = (about, atom.args()) else { return Ok(()) };
    let Some(given) = Ground::from_syntax(first) else { return Ok(()) };
    let roles: Vec<Ground> = program.roles.iter().map(|&r| program.terms.export(r)).collect();
    if roles.is_empty() || roles.contains(&given) {
        return Ok(());
    }
    let names: Vec<String> = roles.iter().map(|role| role.text(Syntax::Kif)).collect();
    let given = given.text(Syntax::Kif);
    let meant = nearest(&given, names.iter().map(String::as_str));
    let meant = meant.map_or(String::new(), |name| format!("; did you mean `{name}`?"));
    let roles = names.join(", ");
    let are = if names.len() == 1 { "the role is" } else { "the roles are" };
    Err(Error::Game(format!("`{given}` is not a role of this game ({are} {roles}){meant}")))
}

/// Whether an undefined atom has the name of a fluent.
fn is_fluent(program: &Program, atom: &Term, scene: &Scene) -> bool {
    let Some(name) = atom.name() else { return false };
    let arity = match atom.kind {
        TermKind::Compound(..) => Some(atom.args().len() as u32),
        _ => None,
    };
    if matches!(name.as_str(), "true" | "does" | "distinct") {
        return false;
    }
    let symbol = program.terms.find_symbol(name);
    let functor = symbol.map(|symbol| Functor { symbol, arity });
    let relation = functor.and_then(|functor| program.relation(functor));
    let defined = relation.map(|relation| &program.relations[relation.index()]);
    if defined.is_some_and(|info| !info.facts.is_empty() || !info.rules.is_empty()) {
        return false;
    }
    let in_state = |fluent: &Ground| {
        *fluent.name == *name.as_str() && fluent.args.as_ref().map(|a| a.len() as u32) == arity
    };
    scene.state.iter().any(in_state) || functor.is_some_and(|f| fluents(program).contains(&f))
}

/// Names and arities of the fluents in the rules, without duplicates.
pub(super) fn fluents(program: &Program) -> Vec<Functor> {
    let mut found = Vec::new();
    let mut note = |pattern: &Pattern| {
        let functor = match pattern {
            Pattern::Ground(term) => program.terms.functor(*term),
            Pattern::Compound(symbol, args) => {
                Functor { symbol: *symbol, arity: Some(args.len() as u32) }
            }
            Pattern::Variable(_) => return,
        };
        found.push(functor);
    };
    for rule in &program.rules {
        if makes_fluents(program, program.relations[rule.head.relation.index()].functor.symbol) {
            rule.head.args.last().into_iter().for_each(&mut note);
        }
        for literal in &rule.body {
            if let Goal::Fluent(pattern) = &literal.goal {
                note(pattern);
            }
        }
    }
    for operation in &program.operations {
        added(&operation.effects, &mut note);
    }
    for info in &program.relations {
        if makes_fluents(program, info.functor.symbol) {
            let last = info.facts.iter().filter_map(|&fact| program.terms.args(fact).last());
            last.for_each(|&term| note(&Pattern::Ground(term)));
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

fn makes_fluents(program: &Program, symbol: Symbol) -> bool {
    matches!(program.terms.name(symbol), "init" | "next" | "base")
}

fn added(effects: &[Effect], note: &mut impl FnMut(&Pattern)) {
    for effect in effects {
        match effect {
            Effect::Add(atom) | Effect::Delete(atom) => note(atom),
            Effect::When(_, inner) => added(inner, note),
        }
    }
}
