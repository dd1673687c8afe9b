//! Moves as people write them.

use std::fmt::{self, Write as _};

use anyhow::{Result, bail};
use magister_core::text::find_move;
use magister_core::{Move, Role};
use magister_engine::board::fluents;

use super::{Choice, Session};
use crate::commands::plural;
use crate::console::moves::{Meant, is_idle, letters, plain, several, shaped, understood};

/// The placeholder of a move that is drawn.
const DRAWN: &str = "*";
/// The maximum number of legal moves that an error names.
const NAMED: usize = 40;

/// A move that is not legal.
#[derive(Clone, Debug)]
pub(crate) struct Illegal {
    pub(crate) role: String,
    /// The move as typed, and in the syntax of the rules.
    typed: String,
    pub(crate) term: Option<String>,
    legal: String,
}

impl fmt::Display for Illegal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} cannot play {} here; legal moves: {}", self.role, self.typed, self.legal)
    }
}

impl std::error::Error for Illegal {}

impl Illegal {
    fn new(session: &Session, role: Role, typed: &str) -> Self {
        let words = session.game.text();
        let cells = session.cells.words(typed);
        let meant = cells.as_deref().unwrap_or(typed);
        let known = words.parse_move(role, meant).map(|choice| words.move_text(choice));
        let term = known.or_else(|| shaped(meant, &texts(session, role)));
        Illegal {
            role: session.info().role_name(role).to_owned(),
            typed: typed.to_owned(),
            term,
            legal: named(session, role),
        }
    }
}

/// The legal moves of a role with their texts.
fn texts(session: &Session, role: Role) -> Vec<(Move, String)> {
    let words = session.game.text();
    let legal = session.worker.legal(role).iter();
    legal.map(|&choice| (choice, words.move_text(choice))).collect()
}

/// The steps of a text, separated by semicolons. Empty ones are skipped.
pub(crate) fn steps(text: &str) -> impl Iterator<Item = &str> {
    text.split(';').map(str::trim).filter(|step| !step.is_empty())
}

/// The terms of a text, separated by blanks or commas outside of brackets.
pub(crate) fn terms(text: &str) -> Vec<&str> {
    let (mut terms, mut start, mut depth) = (Vec::new(), None, 0_i32);
    for (at, letter) in text.char_indices() {
        if (letter.is_whitespace() || letter == ',') && depth <= 0 {
            terms.extend(start.take().map(|start| &text[start..at]));
            continue;
        }
        // In KIF, a term ends where the next one opens; in infix, a name precedes its bracket.
        let closed = start.is_some_and(|start: usize| text[start..at].ends_with(')'));
        if letter == '(' && depth == 0 && closed {
            terms.extend(start.take().map(|start| &text[start..at]));
        }
        start.get_or_insert(at);
        match letter {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            _ => {}
        }
    }
    terms.extend(start.map(|start| &text[start..]));
    terms
}

/// The choice of each role, given the moves of the players that have a choice, of all roles that
/// have one, or of all roles.
pub(crate) fn read(session: &Session, text: &str) -> Result<Vec<Choice>> {
    if session.worker.terminal() {
        bail!("{text} cannot be played, because the game is over");
    }
    let given = terms(text);
    let info = session.info();
    let all: Vec<Role> = info.all_roles().collect();
    if given == [DRAWN] {
        return Ok(vec![Choice::Drawn; all.len()]);
    }
    let choosing: Vec<Role> = all.iter().copied().filter(|&r| session.chooses(r)).collect();
    let players: Vec<Role> = info.players().filter(|&r| session.chooses(r)).collect();
    let forced = forced(session);
    if let Some(choices) = forced_moves(session, &forced, &given, text) {
        return Ok(choices);
    }
    let ways = [&players, &choosing, &all];
    let mut wrong = None;
    for way in ways.into_iter().filter(|way| way.len() == given.len()) {
        match fit(session, way, &given) {
            Ok(choices) => return Ok(choices),
            Err(error) => wrong = wrong.or(Some(error)),
        }
    }
    if let Some(choices) = typed(session, text, [&players, &choosing, &all])? {
        return Ok(choices);
    }
    if let Some(wrong) = wrong {
        return Err(wrong);
    }
    let who = if players.is_empty() { &choosing } else { &players };
    let parts = parts(text);
    if parts.len() == who.len() && !text.contains('(') {
        let wrong =
            who.iter().zip(&parts).find(|(role, part)| !is_understood(session, **role, part));
        if let Some((&role, part)) = wrong {
            return Err(Illegal::new(session, role, part).into());
        }
    }
    let names = |roles: &[Role]| {
        roles.iter().map(|&role| info.role_name(role)).collect::<Vec<_>>().join(", ")
    };
    let moves = plural(given.len(), "move");
    if choosing.is_empty() {
        bail!(
            "{text} has {moves}, but no role has a choice here; * continues, or give one move for \
             each of {}",
            names(&all)
        );
    }
    let mut legal = String::new();
    for &role in who {
        let _ = write!(legal, "\n{}: {}", info.role_name(role), named(session, role));
    }
    bail!(
        "{text} has {moves}; give one for each role with a choice ({}), or one for each role ({}). \
         Legal moves:{legal}",
        names(who),
        names(&all)
    )
}

/// The players that have only one legal move each, if it is more than waiting and no player has a
/// choice.
fn forced(session: &Session) -> Vec<Role> {
    let info = session.info();
    let moves = |role: Role| {
        let moves = texts(session, role);
        matches!(&moves[..], [(_, text)] if !is_idle(text))
    };
    if info.players().any(|role| session.chooses(role)) {
        return Vec::new();
    }
    info.players().filter(|&role| moves(role)).collect()
}

/// Forced moves that were written down, as in the records of most games. A number alone is the
/// number of a move in the list of the next choice.
fn forced_moves(
    session: &Session,
    roles: &[Role],
    given: &[&str],
    text: &str,
) -> Option<Vec<Choice>> {
    let number = |text: &str| text.trim_start_matches('#').bytes().all(|b| b.is_ascii_digit());
    if roles.is_empty() || number(text) || given.contains(&DRAWN) {
        return None;
    }
    let whole = (roles.len() == given.len()).then(|| fit(session, roles, given).ok()).flatten();
    whole.or_else(|| typed(session, text, [roles, &[], &[]]).ok().flatten())
}

/// Whether a text is a legal move of a player, with all its words.
pub(crate) fn is_legal(session: &Session, text: &str) -> bool {
    let wanted = plain(text);
    session.info().players().any(|role| {
        let mut moves = texts(session, role).into_iter();
        moves.any(|(_, text)| plain(&text).eq_ignore_ascii_case(&wanted))
    })
}

/// Moves as people type them in `magister play`: `put 2 2`, `e2e4`, or a part of a move. Commas
/// separate the moves of several roles.
fn typed(session: &Session, text: &str, ways: [&[Role]; 3]) -> Result<Option<Vec<Choice>>> {
    let parts = parts(text);
    for roles in ways.into_iter().filter(|roles| roles.len() == parts.len()) {
        let mut choices: Vec<Choice> = vec![Choice::Drawn; session.info().roles.len()];
        let mut all = true;
        for (&role, part) in roles.iter().zip(&parts) {
            if *part == DRAWN {
                continue;
            }
            // A term in brackets is a whole move, so a part of one is a mistake.
            let found =
                if part.contains('(') { Meant::Nothing } else { heard(session, role, part) };
            match found {
                Meant::One(choice) => choices[role.index()] = Choice::Given(choice),
                Meant::Several(texts) => bail!("{part} may mean {}", several(texts)),
                Meant::Nothing => all = false,
            }
        }
        if all {
            return Ok(Some(choices));
        }
    }
    Ok(None)
}

/// The meaning of a typed text among the legal moves of a role.
fn heard(session: &Session, role: Role, text: &str) -> Meant {
    let mut state = Vec::new();
    session.worker.save(&mut state);
    let text = letters(text);
    let cells = session.cells.words(&text);
    let text = cells.as_deref().unwrap_or(&text);
    understood(text, &texts(session, role), &fluents(&*session.game, &state))
}

fn is_understood(session: &Session, role: Role, text: &str) -> bool {
    text == DRAWN || matches!(heard(session, role, text), Meant::One(_))
}

/// The parts of a text between commas outside of brackets.
fn parts(text: &str) -> Vec<&str> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0_i32);
    for (at, letter) in text.char_indices() {
        match letter {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ',' if depth <= 0 => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    parts
}

/// The given moves for these roles; the others have no choice, or are chance and drawn.
fn fit(session: &Session, roles: &[Role], given: &[&str]) -> Result<Vec<Choice>> {
    let info = session.info();
    let mut choices: Vec<Choice> = vec![Choice::Drawn; info.roles.len()];
    for (&role, &text) in roles.iter().zip(given) {
        if text == DRAWN {
            continue;
        }
        let Some(choice) = find(session, role, text) else {
            return Err(Illegal::new(session, role, text).into());
        };
        choices[role.index()] = Choice::Given(choice);
    }
    Ok(choices)
}

/// The legal move of this text, or of this number in the list.
fn find(session: &Session, role: Role, text: &str) -> Option<Move> {
    let legal = session.worker.legal(role);
    if let Some(choice) = find_move(&*session.game, &*session.worker, role, text) {
        return Some(choice);
    }
    let digits = text.strip_prefix('#').unwrap_or(text);
    let number: usize = digits.parse().ok()?;
    legal.get(number.checked_sub(1)?).copied()
}

/// The legal moves of a role in a sentence.
fn named(session: &Session, role: Role) -> String {
    let legal = session.worker.legal(role);
    let words = session.game.text();
    let mut text: Vec<String> = legal.iter().take(NAMED).map(|&m| words.move_text(m)).collect();
    if legal.len() > NAMED {
        text.push(format!("and {} more", legal.len() - NAMED));
    }
    text.join(", ")
}

#[cfg(test)]
mod tests {
    use super::{parts, steps, terms};

    #[test]
    fn moves_of_several_roles() {
        assert_eq!(parts("show rock, mark(1,2) ,*"), ["show rock", "mark(1,2)", "*"]);
        assert_eq!(parts("e2e4"), ["e2e4"]);
        assert_eq!(parts(")),("), ["))", "("]);
    }

    #[test]
    fn terms_of_both_syntaxes() {
        assert_eq!(terms(" (put 1 2)  noop "), ["(put 1 2)", "noop"]);
        assert_eq!(terms("(put 1 2)(put (f 1) 3)"), ["(put 1 2)", "(put (f 1) 3)"]);
        assert_eq!(terms("mark(1, 2) noop"), ["mark(1, 2)", "noop"]);
        assert_eq!(terms("3 * #2"), ["3", "*", "#2"]);
        assert_eq!(terms("(put 1 2), noop,x"), ["(put 1 2)", "noop", "x"]);
        assert_eq!(terms("(((a"), ["(((a"]);
        assert_eq!(terms(") b) é"), [")", "b)", "é"]);
        assert!(terms("  ").is_empty());
    }

    #[test]
    fn steps_without_empty_ones() {
        assert_eq!(steps(" a b;; c ;").collect::<Vec<_>>(), ["a b", "c"]);
    }
}
