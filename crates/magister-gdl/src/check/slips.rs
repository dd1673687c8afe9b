//! Mistakes that leave a rulesheet well-formed.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Report;
use super::domain::{Domains, Position, places, positive};
use super::model::{Model, for_each_atom};
use crate::ast::{Formula, Syntax, Term, TermKind};
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::name::Name;
use crate::suggest;
use magister_diagnostic::Span;

pub(super) fn check<'a>(model: &Model<'a>, domains: Option<&Domains<'a>>, report: &mut Report) {
    // The number of occurrences of each variable in the whole sheet: the rarer of two names is the
    // misspelt one.
    let mut sheet: FxHashMap<&str, usize> = FxHashMap::default();
    for clause in &model.clauses {
        let mut count = |term: &'a Term| {
            if let TermKind::Variable(name) = &term.kind {
                *sheet.entry(name.as_str()).or_default() += 1;
            }
        };
        clause.head.walk(&mut count);
        clause.body.iter().for_each(|formula| formula.atoms(&mut |atom, _| atom.walk(&mut count)));
    }
    for clause in &model.clauses {
        single_variables(model, clause.head, clause.body, domains, &sheet, report);
    }
}

/// Reports names without arguments that are written both with and without parentheses: `p` and
/// `(p)` are different names, and no author intends both.
pub(super) fn two_spellings(model: &Model<'_>, report: &mut Report) {
    // Relations and terms are never matched with each other, so each may have its own spelling.
    let mut first: FxHashMap<(bool, &str), [Option<Span>; 2]> = FxHashMap::default();
    let mut order: Vec<(bool, &str)> = Vec::new();
    for_each_atom(model.rules, &mut |atom| {
        atom.walk(&mut |term| {
            let (name, spelling) = match &term.kind {
                TermKind::Constant(name) => (name, 0),
                TermKind::Compound(name, args) if args.is_empty() => (name, 1),
                _ => return,
            };
            let key = (std::ptr::eq(term, atom), name.as_str());
            let seen = first.entry(key).or_default();
            if seen.iter().all(Option::is_none) {
                order.push(key);
            }
            seen[spelling].get_or_insert(term.span);
        });
    });
    for key in order {
        let [Some(plain), Some(parenthesised)] = first[&key] else { continue };
        let name = key.1;
        // One report about the parentheses is enough.
        report.once(Code::NeedlessParentheses, &Name::from(name));
        let (other, help) = match model.rules.syntax {
            Syntax::Kif => (format!("({name})"), format!("write `{name}` everywhere")),
            Syntax::Infix => (format!("{name}()"), format!("write `{name}` everywhere")),
        };
        report.push(
            Diagnostic::new(
                Code::TwoSpellings,
                parenthesised,
                format!("`{other}` is written `{name}` elsewhere, and the two are different names"),
            )
            .related(plain, format!("`{name}` here"))
            .help(help),
        );
    }
}

/// Longer names are not compared.
const LONGEST: usize = 64;

/// The maximum number of variables of an atom to compare in pairs.
const WIDEST: usize = 64;

/// A variable that occurs once in a rule.
struct Single<'a> {
    name: &'a str,
    span: Span,
    /// Its position in a positive condition, and the index of that condition.
    place: Option<(Position<'a>, usize)>,
}

/// Reports variables that occur once in a rule and look like a misspelling of another one.
///
/// Prefix rules have no wildcard, so most variables that occur once are intended. A long name that
/// differs from another by one letter is a misspelling. Of two short names, each of which occurs
/// once in its own condition, one is probably a misspelling of the other if both can have the same
/// values and the letters are adjacent on a keyboard.
fn single_variables<'a>(
    model: &Model<'a>,
    head: &'a Term,
    body: &'a [Formula],
    domains: Option<&Domains<'a>>,
    sheet: &FxHashMap<&str, usize>,
    report: &mut Report,
) {
    let mut uses: FxHashMap<&str, (usize, Span)> = FxHashMap::default();
    let mut together: FxHashSet<(&str, &str)> = FxHashSet::default();
    let mut count = |term: &'a Term| {
        let mut here: Vec<&str> = Vec::new();
        term.walk(&mut |term| {
            if let TermKind::Variable(name) = &term.kind {
                uses.entry(name.as_str()).or_insert((0, term.span)).0 += 1;
                here.push(name.as_str());
            }
        });
        if here.len() <= WIDEST {
            together.extend(here.iter().flat_map(|&a| here.iter().map(move |&b| (a, b))));
        }
    };
    count(head);
    body.iter().for_each(|formula| formula.atoms(&mut |atom, _| count(atom)));
    if uses.len() < 2 {
        return;
    }
    let mut found: FxHashMap<&str, (Position<'a>, usize)> = FxHashMap::default();
    let mut number = 0;
    positive(body, &mut |atom| {
        number += 1;
        places(atom, &mut |position, term| {
            if let TermKind::Variable(name) = &term.kind {
                found.insert(name.as_str(), (position, number));
            }
        });
    });
    let mut alone: FxHashSet<&str> = FxHashSet::default();
    positive(body, &mut |atom| {
        let (mut here, mut open): (Vec<&str>, bool) = (Vec::new(), true);
        places(atom, &mut |_, term| match &term.kind {
            TermKind::Variable(name) => here.push(name.as_str()),
            TermKind::Constant(_) => open = false,
            _ => {}
        });
        // `(role ?r)` alone only says that there is a role.
        let players = atom.is("role", 1);
        if open && !players && here.iter().all(|name| uses[name].0 == 1) {
            alone.extend(here);
        }
    });
    let mut singles: Vec<Single<'a>> = uses
        .iter()
        .filter(|(_, (count, _))| *count == 1)
        .map(|(&name, &(_, span))| Single { name, span, place: found.get(name).copied() })
        .collect();
    singles.sort_by_key(|single| single.span);
    let mut said = FxHashSet::default();
    for single in &singles {
        // Two names in one atom are two intended values.
        let apart = |other: &&str| !together.contains(&(single.name, *other));
        let others = uses.keys().copied().filter(|other| is_slip(single.name, other));
        let others = others.filter(apart);
        let mut near: Vec<&str> = others.collect();
        near.sort_unstable();
        let meant = near.into_iter().find(|other| {
            let twin = singles.iter().find(|twin| twin.name == *other);
            let long = single.name.len() > 2;
            match twin {
                _ if long => true,
                Some(twin) => domains.is_some_and(|domains| may_meet(single, twin, domains)),
                // A condition that shares no variable with the rest of its rule.
                None => {
                    let place = found.get(*other).copied();
                    let other = Single { name: other, span: single.span, place };
                    alone.contains(single.name)
                        && domains.is_some_and(|domains| may_meet(single, &other, domains))
                }
            }
        });
        let Some(meant) = meant else { continue };
        if said.contains(single.name) {
            continue;
        }
        said.insert(meant);
        let mark = if model.rules.syntax == Syntax::Kif { "?" } else { "" };
        let often = |name: &str| sheet.get(name).copied().unwrap_or_default();
        if often(meant) < often(single.name) {
            let (wrong, right) = (meant, single.name);
            report.push(
                Diagnostic::new(
                    Code::SingleVariable,
                    uses[wrong].1,
                    format!("the variable `{mark}{wrong}` occurs in this rule only"),
                )
                .related(single.span, format!("`{mark}{right}` is used once here"))
                .help(format!("did you mean `{mark}{right}`?")),
            );
            continue;
        }
        report.push(
            Diagnostic::new(
                Code::SingleVariable,
                single.span,
                format!("the variable `{mark}{}` is used only once in this rule", single.name),
            )
            .related(uses[meant].1, format!("`{mark}{meant}` is used here"))
            .help(format!("did you mean `{mark}{meant}`?")),
        );
    }
}

/// Whether two variables occur in different conditions and the values of one are among those of the
/// other.
fn may_meet<'a>(one: &Single<'a>, two: &Single<'a>, domains: &Domains<'a>) -> bool {
    let (Some((a, first)), Some((b, second))) = (one.place, two.place) else { return false };
    // Two players, two cells: two conditions on the same position mean two different values.
    if first == second || a == b {
        return false;
    }
    match (domains.of(&a), domains.of(&b)) {
        (Some(a), Some(b)) => a.is_subset(b) || b.is_subset(a),
        _ => false,
    }
}

/// Whether two names differ by one letter inside. Numbers at the end, and an additional letter at
/// the front or the end, are intended distinctions: `?x1` and `?y1`, `?type` and `?ptype`. Names of
/// one letter always differ by one letter, so their letters must be adjacent on a keyboard.
fn is_slip(one: &str, other: &str) -> bool {
    let numbered = stem(one) < one.len() || stem(other) < other.len();
    let extended = |a: &str, b: &str| a.len() > 1 && (b.starts_with(a) || b.ends_with(a));
    !numbered
        && one != other
        && one.len() <= LONGEST
        && !extended(one, other)
        && !extended(other, one)
        && match (one.as_bytes(), other.as_bytes()) {
            (&[a], &[b]) => are_neighbours(a, b),
            _ => suggest::distance(one, other) <= 1,
        }
}

/// Whether two letters are adjacent on a keyboard.
fn are_neighbours(one: u8, other: u8) -> bool {
    // Each row is shifted to the right of the one above it, in quarters of a key.
    let rows = [(0, "qwertyuiop"), (1, "asdfghjkl"), (3, "zxcvbnm")];
    let place = |letter: u8| -> Option<(i32, i32)> {
        let letter = char::from(letter.to_ascii_lowercase());
        let mut all = (0..).zip(rows);
        all.find_map(|(row, (shift, keys))| Some((row, shift + 4 * keys.find(letter)? as i32)))
    };
    let (Some((row, at)), Some((below, next))) = (place(one), place(other)) else { return false };
    (row - below).abs() <= 1 && (at - next).abs() <= 4
}

/// The length of a name without the digits at its end.
fn stem(name: &str) -> usize {
    name.trim_end_matches(|c: char| c.is_ascii_digit()).len()
}
