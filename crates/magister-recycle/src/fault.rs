//! Where rules fail at run time, for people.
//!
//! The machine only remembers the statement that failed, and sometimes the expression. The rest
//! is found in the text when a caller asks, so a fault costs nothing while options are tried.

use magister_core::{Rng, Seed};
use magister_diagnostic::Span;

use crate::code::{Code, Diagnostic};
use crate::ir::{Act, Origin, Stmt};
use crate::limits::CardLimits;
use crate::machine::{Draw, Fault, Machine, Wait};
use crate::program::Program;
use crate::tree::Node;

/// Longer expressions are cut.
const SHOWN: usize = 80;

/// The expression that failed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spot {
    pub span: Span,
}

impl Spot {
    /// The place of the machine's last fault in the text of the rules.
    pub(crate) fn of(p: &Program, text: &str, machine: &Machine, fault: Fault) -> Spot {
        let (stmt, origin) = machine.failed;
        if let Some(start) = origin.offset() {
            return Spot { span: expression(text, start) };
        }
        let Some(stmt) = stmt else { return Spot { span: p.rules.score_span } };
        let span = p.rules.spans[stmt as usize];
        let whole =
            matches!(fault, Fault::Endless | Fault::NoOption | Fault::Untried | Fault::ManyOptions);
        let part = if whole { None } else { part(&p.rules.stmts[stmt as usize], fault) };
        let inner = part.and_then(|part| child(text, span, part));
        Spot { span: inner.unwrap_or(span) }
    }

    /// The fault with its line and its expression.
    pub(crate) fn describe(self, text: &str, fault: Fault) -> String {
        let start = self.span.start as usize;
        let line = 1 + text.get(..start).map_or(0, |before| before.matches('\n').count());
        format!("{}, in line {line}: `{}`", fault.text(), shown(text, self.span))
    }
}

/// The part of a statement that it evaluates, by its index in the list.
fn part(stmt: &Stmt, fault: Fault) -> Option<usize> {
    Some(match (stmt, fault) {
        (Stmt::If(..), _) => 0,
        (Stmt::Stage { .. }, _)
        | (Stmt::Act(Act::Move { .. }), Fault::NotThere | Fault::IntoMemory)
        | (Stmt::Act(Act::Remember { .. }), Fault::NotThere | Fault::NotInMemory) => 2,
        (Stmt::All(..) | Stmt::Any(..) | Stmt::Let(..) | Stmt::Repeat(..), _)
        | (
            Stmt::Act(Act::Move { .. } | Act::Remember { .. } | Act::Forget(_)),
            Fault::NoCard | Fault::NotInMemory,
        ) => 1,
        _ => return None,
    })
}

fn child(text: &str, span: Span, part: usize) -> Option<Span> {
    let (start, end) = (span.start as usize, span.end as usize);
    let read = crate::read::read(text.get(start..end)?, &CardLimits::DEFAULT);
    let list = read.forms.first().and_then(Node::list)?;
    let inner = list.get(part)?.span;
    Some(Span::new(start + inner.start as usize, start + inner.end as usize))
}

/// The list that begins at an offset.
fn expression(text: &str, start: usize) -> Span {
    let mut depth = 0usize;
    for (at, byte) in text.bytes().enumerate().skip(start) {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return Span::new(start, at + 1);
        }
    }
    Span::new(start, text.len())
}

/// A part of the text in one line.
pub(crate) fn shown(text: &str, span: Span) -> String {
    let text = text.get(span.start as usize..span.end as usize).unwrap_or_default();
    let lines = text.lines().map(|line| line.split(';').next().unwrap_or_default());
    let words: Vec<&str> = lines.flat_map(str::split_whitespace).collect();
    let line = words.join(" ");
    match line.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{} ..", line[..end].trim_end()),
        None => line,
    }
}

/// The number of random beginnings, and the number of draws of chance in each of them. Without a
/// decision after that number of draws, only chance plays.
const BEGINNINGS: u64 = 3;
const DRAWS: u32 = 100_000;

/// The fault before the first decision of a player, if every beginning that is tried has one.
pub(crate) fn at_start(p: &Program, text: &str) -> Option<Diagnostic> {
    let mut machine = Machine::new(p);
    let mut first = None;
    for number in 0..BEGINNINGS {
        let (drawn, fault) = begin(p, &mut machine, &mut Seed::from(number).rng());
        let fault = fault?;
        let spot = Spot::of(p, text, &machine, fault);
        first.get_or_insert((fault, spot));
        // Without chance, all matches begin in the same way.
        if !drawn {
            break;
        }
    }
    let (fault, spot) = first?;
    let message = format!("no match can begin: {}: `{}`", fault.text(), shown(text, spot.span));
    Some(Diagnostic::new(Code::FailsAtStart, spot.span, message))
}

/// Goes to the first decision of a player. Returns whether chance took part, and the fault.
fn begin(p: &Program, machine: &mut Machine, rng: &mut Rng) -> (bool, Option<Fault>) {
    machine.reset(p);
    let mut went = machine.run(p);
    let mut drawn = 0;
    while went.is_ok() {
        let outcomes = match machine.wait {
            Wait::Choice(choice) => {
                went = machine.expand(p, choice);
                break;
            }
            Wait::End => {
                let mut players = 0..p.rules.players;
                went = players.try_for_each(|player| machine.score(p, player).map(drop));
                break;
            }
            Wait::Draw(Draw::Number(count) | Draw::Tie(count)) => count,
            Wait::Shuffle { at, .. } => at + 1,
        };
        drawn += 1;
        if drawn > DRAWS {
            machine.failed = (Some(machine.outermost_stage(p)), Origin::UNKNOWN);
            went = Err(Fault::Endless);
            break;
        }
        went = machine.drawn(p, rng.below(u64::from(outcomes)) as u32);
    }
    (drawn > 0, went.err())
}
