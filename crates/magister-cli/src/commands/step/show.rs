//! Positions for people and for programs.

use std::fmt::Write as _;

use magister_core::{Information, Move, Role};
use magister_engine::board::Painter;
use serde_json::{Map, Value, json};

use crate::commands::wrapped;
use crate::draw::Look;
use crate::session::joint::terms;
use crate::session::{Moment, Session};

/// The maximum number of moves of a role that are listed with a position.
const LISTED: usize = 60;

/// The whole position, drawn.
pub(super) fn position(session: &Session, painter: &Painter, legend: bool) -> String {
    let (look, state) = (Look::whole(session.info()), &session.moment().state);
    let picture = look
        .cards(&*session.game, state, None)
        .unwrap_or_else(|| look.text(&painter.picture(&*session.game, state), None, legend));
    let mut text = format!("step {}\n{picture}", session.at);
    let totals = totals(session);
    let gained = per_role(session, |role| {
        Some(totals[role.index()]).filter(|&t| t != 0.0).map(|t| t.to_string())
    });
    if let Some(gained) = gained {
        let _ = writeln!(text, "gained so far: {gained}");
    }
    let goals = per_role(session, |role| {
        let goals: Vec<String> = goals(session, role).iter().map(f64::to_string).collect();
        (!goals.is_empty()).then(|| goals.join(" and "))
    });
    if let Some(goals) = goals {
        let _ = writeln!(text, "goals: {goals}");
    }
    text.push_str(&legal(session, LISTED));
    text
}

/// The moves that chance drew.
pub(super) fn drawn(session: &Session) -> String {
    let Some(chance) = session.info().chance else { return String::new() };
    // The table shows the dealt cards.
    if session.is_cards() {
        return String::new();
    }
    let (name, words) = (session.info().role_name(chance), session.game.text());
    let line = |&at: &usize| {
        let choice = session.moments.get(at).and_then(|moment| moment.joint.get(chance.index()));
        let choice = choice.map(|&choice| words.move_text(choice)).unwrap_or_default();
        format!("step {at}, {name} drew {choice}\n")
    };
    session.drawn.iter().map(line).collect()
}

/// The fluents of the state.
pub(super) fn state(session: &Session) -> String {
    let text = session.game.text().state_text(&session.moment().state);
    let inner = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    let items = terms(inner.unwrap_or(&text)).into_iter().map(str::to_owned);
    wrapped("  ", items, " ")
}

/// The legal moves of each role, numbered if there is a choice.
pub(super) fn legal(session: &Session, listed: usize) -> String {
    if session.worker.terminal() {
        return "the game is over\n".to_owned();
    }
    let words = session.game.text();
    let mut text = String::new();
    for role in session.info().all_roles() {
        let legal = session.worker.legal(role);
        let numbered = |(place, &choice): (usize, &Move)| {
            let name = words.move_text(choice);
            if legal.len() > 1 { format!("{} {name}", place + 1) } else { name }
        };
        let mut items: Vec<String> = legal.iter().enumerate().take(listed).map(numbered).collect();
        if legal.len() > listed {
            items.push(format!("and {} more, which `legal` lists", legal.len() - listed));
        }
        let name = session.info().role_name(role);
        text.push_str(&wrapped(&format!("{name}: "), items.into_iter(), "   "));
    }
    text
}

/// The percepts of each role in the last step.
pub(super) fn percepts(session: &Session) -> String {
    let moment = session.moment();
    if session.at == 0 {
        return "no steps have been made yet\n".to_owned();
    }
    if session.info().information == Information::Perfect {
        return format!("all roles saw every move: {}\n", joint(session, moment));
    }
    let mut text = String::new();
    for role in session.info().players() {
        let seen = seen(session, moment, role);
        let seen = if seen.is_empty() { "nothing".to_owned() } else { seen.join(", ") };
        let _ = writeln!(text, "{} saw {seen}", session.info().role_name(role));
    }
    text
}

/// All steps, with a mark at the current position.
pub(super) fn history(session: &Session) -> String {
    let mut text = String::new();
    for (number, moment) in session.moments.iter().enumerate() {
        let mark = if number == session.at { '>' } else { ' ' };
        let what = if number == 0 { "start".to_owned() } else { joint(session, moment) };
        let _ = writeln!(text, "{mark} {number:>3}  {what}");
    }
    text
}

/// The position as a JSON object.
pub(super) fn as_json(session: &Session, name: &str, evaluator: &str) -> Value {
    let (info, words, moment) = (session.info(), session.game.text(), session.moment());
    let made = session.at > 0;
    let hidden = info.information == Information::Hidden;
    let legal = |role| {
        let moves = session.worker.legal(role).iter();
        json!(moves.map(|&m| words.move_text(m)).collect::<Vec<_>>())
    };
    let totals = totals(session);
    json!({
        "game": name,
        "evaluator": evaluator,
        "roles": info.roles,
        "step": session.at,
        "state": words.state_text(&moment.state),
        "terminal": session.worker.terminal(),
        "legal": object(session, legal),
        "goals": object(session, |role| json!(goals(session, role))),
        "gained": object(session, |role| json!(totals[role.index()])),
        "moves": made.then(|| object(session, |r| json!(words.move_text(moment.joint[r.index()])))),
        "percepts":
            (made && hidden).then(|| object(session, |role| json!(seen(session, moment, role)))),
    })
}

fn object(session: &Session, value: impl Fn(Role) -> Value) -> Map<String, Value> {
    let info = session.info();
    info.all_roles().map(|role| (info.role_name(role).to_owned(), value(role))).collect()
}

/// `x 100, o 0`, without roles that have no value; `None` if no role has one.
fn per_role(session: &Session, value: impl Fn(Role) -> Option<String>) -> Option<String> {
    let info = session.info();
    let entry = |role| Some(format!("{} {}", info.role_name(role), value(role)?));
    let entries: Vec<String> = info.all_roles().filter_map(entry).collect();
    (!entries.is_empty()).then(|| entries.join(", "))
}

fn joint(session: &Session, moment: &Moment) -> String {
    let words = session.game.text();
    per_role(session, |role| Some(words.move_text(moment.joint[role.index()]))).unwrap_or_default()
}

fn goals(session: &Session, role: Role) -> Vec<f64> {
    let mut goals = Vec::new();
    session.worker.goals(role, &mut goals);
    goals
}

/// The gains of each role so far.
fn totals(session: &Session) -> Vec<f64> {
    let mut totals = vec![0.0; session.info().roles.len()];
    for moment in &session.moments[..=session.at] {
        for (total, gain) in totals.iter_mut().zip(&moment.step.gains) {
            *total += gain;
        }
    }
    totals
}

fn seen(session: &Session, moment: &Moment, role: Role) -> Vec<String> {
    let words = session.game.text();
    moment.step.percepts.of(role).iter().map(|&p| words.percept_text(p)).collect()
}
