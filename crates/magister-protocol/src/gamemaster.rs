//! The messages of Stanford's Gamemaster: `message(id,from,to,body)`.
//!
//! Rules and actions are kept as text in infix notation. The bodies differ between versions of the
//! site: with or without the name of the match, with `nil` or `[]` before the first action, and
//! with `reply(id,value)` or the bare value. All of them are read; [`Form`] selects the one that is
//! written.

use std::error::Error;
use std::fmt;

use crate::term::Term;

/// A message with its sender and receiver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Envelope {
    /// The number of the message. A reply repeats the number of its request.
    pub id: String,
    /// The sender.
    pub from: String,
    /// The receiver.
    pub to: String,
    /// The content.
    pub body: Body,
}

/// The content of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    /// Asks whether the player is there.
    Ping,
    /// Announces a match.
    Start {
        /// The name of the match, in versions that send it.
        id: Option<String>,
        /// The role of the player.
        role: String,
        /// The rules, one text each.
        rules: Vec<String>,
        /// The start clock, in seconds or `Infinity`.
        start: String,
        /// The play clock, in seconds or `Infinity`.
        play: String,
    },
    /// Requests an action, if it is the player's turn.
    Play {
        /// The name of the match, in versions that send it.
        id: Option<String>,
        /// The last action; `None` before the first.
        action: Option<String>,
    },
    /// Reports the end of the match.
    Stop {
        /// The name of the match, in versions that send it.
        id: Option<String>,
        /// The last action.
        action: Option<String>,
    },
    /// Reports that the match was aborted.
    Abort {
        /// The name of the match, in versions that send it.
        id: Option<String>,
    },
    /// A reply: `ready`, `busy`, `done` or an action.
    Reply(String),
}

/// The format of message bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// As in the lecture's transcript and the running site: `play([])`, and bare values as replies.
    #[default]
    Site,
    /// As on the lecture's slides: `play(n,nil)` and `reply(n,value)`.
    Slides,
}

/// Why a text is not a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EnvelopeError {
    /// It is not `message(id,from,to,body)`.
    NotAnEnvelope,
    /// Brackets or quotes do not match.
    Unbalanced,
    /// The body does not have the arguments of its kind.
    Arguments,
    /// The text is longer than 16 MiB.
    TooLong,
}

impl fmt::Display for EnvelopeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            EnvelopeError::NotAnEnvelope => "a message has the form message(id,from,to,body)",
            EnvelopeError::Unbalanced => "brackets or quotes do not match",
            EnvelopeError::Arguments => "the body does not have the arguments of its kind",
            EnvelopeError::TooLong => "the message is too long",
        })
    }
}

impl Error for EnvelopeError {}

const LONGEST: usize = 16 << 20;

impl Envelope {
    /// Reads a message in any of its forms.
    pub fn read(text: &str) -> Result<Self, EnvelopeError> {
        if text.len() > LONGEST {
            return Err(EnvelopeError::TooLong);
        }
        let (name, arguments) = call(text)?.ok_or(EnvelopeError::NotAnEnvelope)?;
        let ("message", [id, from, to, body]) = (name, &arguments[..]) else {
            return Err(EnvelopeError::NotAnEnvelope);
        };
        let word = |text: &&str| Some((*text).to_owned()).filter(|text| is_word(text));
        let (Some(id), Some(from), Some(to)) = (word(id), word(from), word(to)) else {
            return Err(EnvelopeError::NotAnEnvelope);
        };
        Ok(Envelope { id, from, to, body: Body::read(body)? })
    }

    /// The message as text.
    ///
    /// ```
    /// use magister_protocol::gamemaster::{Body, Envelope, Form};
    ///
    /// let text = "message(3,manager,indy,play(m01,[]))";
    /// let envelope = Envelope::read(text)?;
    /// assert_eq!(envelope.body, Body::Play { id: Some("m01".into()), action: None });
    /// assert_eq!(envelope.write(Form::Site), text);
    /// # Ok::<(), magister_protocol::gamemaster::EnvelopeError>(())
    /// ```
    pub fn write(&self, form: Form) -> String {
        let body = self.body.write(form, &self.id);
        format!("message({},{},{},{body})", self.id, self.from, self.to)
    }

    /// The reply to this message.
    #[must_use]
    pub fn reply(&self, value: &str) -> Envelope {
        Envelope {
            id: self.id.clone(),
            from: self.to.clone(),
            to: self.from.clone(),
            body: Body::Reply(value.to_owned()),
        }
    }
}

impl Body {
    /// Reads a body. Everything that is not a request is a reply.
    pub fn read(text: &str) -> Result<Self, EnvelopeError> {
        let Some((name, arguments)) = call(text)? else {
            return Ok(Body::Reply(squeeze(text)));
        };
        let own = |text: &str| squeeze(text);
        let action = |text: &str| Some(squeeze(text)).filter(|text| text != "[]" && text != "nil");
        Ok(match (name, &arguments[..]) {
            ("ping", [] | [_]) => Body::Ping,
            ("start", [id, role, rules, start, play]) => Body::Start {
                id: Some(own(id)),
                role: own(role),
                rules: ruleset(rules)?,
                start: own(start),
                play: own(play),
            },
            ("start", [role, rules, start, play]) => Body::Start {
                id: None,
                role: own(role),
                rules: ruleset(rules)?,
                start: own(start),
                play: own(play),
            },
            ("play", [id, last]) => Body::Play { id: Some(own(id)), action: action(last) },
            ("play", [last]) => Body::Play { id: None, action: action(last) },
            ("stop", [id, last]) => Body::Stop { id: Some(own(id)), action: action(last) },
            ("stop", [last]) => Body::Stop { id: None, action: action(last) },
            ("abort", [id]) => Body::Abort { id: Some(own(id)) },
            ("abort", []) => Body::Abort { id: None },
            ("reply", [_, value]) => Body::Reply(own(value)),
            ("ping" | "start" | "play" | "stop" | "abort" | "reply", _) => {
                return Err(EnvelopeError::Arguments);
            }
            _ => Body::Reply(squeeze(text)),
        })
    }

    fn write(&self, form: Form, message: &str) -> String {
        let nothing = if form == Form::Site { "[]" } else { "nil" };
        let last = |action: &Option<String>| action.clone().unwrap_or_else(|| nothing.to_owned());
        let with = |id: &Option<String>| id.as_ref().map_or(String::new(), |id| format!("{id},"));
        match self {
            Body::Ping if form == Form::Slides => format!("ping({message})"),
            Body::Ping => "ping()".to_owned(),
            Body::Start { id, role, rules, start, play } => {
                format!("start({}{role},ruleset({}),{start},{play})", with(id), rules.join(","))
            }
            Body::Play { id, action } => format!("play({}{})", with(id), last(action)),
            Body::Stop { id, action } => format!("stop({}{})", with(id), last(action)),
            Body::Abort { id } => format!("abort({})", id.clone().unwrap_or_default()),
            Body::Reply(value) if form == Form::Slides => format!("reply({message},{value})"),
            Body::Reply(value) => value.clone(),
        }
    }
}

/// An action in infix notation, `mark(1,f(a))`, as a term. `None` if it does not have that form.
pub fn to_term(text: &str) -> Option<Term> {
    to_term_within(text, 100)
}

fn to_term_within(text: &str, depth: usize) -> Option<Term> {
    let depth = depth.checked_sub(1)?;
    let text = text.trim();
    match call(text).ok()? {
        Some((name, arguments)) => {
            let arguments = arguments.into_iter().map(|part| to_term_within(part, depth));
            let whole: Option<Vec<Term>> =
                std::iter::once(Some(Term::atom(name))).chain(arguments).collect();
            // `f()` is the action `f`.
            whole
                .map(|mut terms| if terms.len() == 1 { terms.remove(0) } else { Term::List(terms) })
        }
        None => (is_word(text) && Term::is_atom_text(text)).then(|| Term::atom(text)),
    }
}

/// A term in infix notation.
pub fn from_term(term: &Term) -> String {
    match term {
        Term::Atom(text) => text.clone(),
        Term::List(terms) => match terms.split_first() {
            None => "[]".to_owned(),
            Some((head, rest)) => {
                let rest: Vec<String> = rest.iter().map(from_term).collect();
                format!("{}({})", from_term(head), rest.join(","))
            }
        },
    }
}

fn ruleset(text: &str) -> Result<Vec<String>, EnvelopeError> {
    match call(text)? {
        Some(("ruleset", rules)) => Ok(rules.iter().map(|rule| rule.trim().to_owned()).collect()),
        _ => Err(EnvelopeError::Arguments),
    }
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || "_-.".contains(c))
}

/// A term without blanks, as the site prints it. Blanks inside quotes are kept.
fn squeeze(text: &str) -> String {
    let mut quoted = false;
    text.chars()
        .filter(|&c| {
            quoted ^= c == '"';
            quoted || !c.is_whitespace()
        })
        .collect()
}

/// The name and the arguments of `name(a,b)`, if the text is of that form.
fn call(text: &str) -> Result<Option<(&str, Vec<&str>)>, EnvelopeError> {
    let text = text.trim();
    let parts = split(text)?;
    let Some(open) = text.find('(') else { return Ok(None) };
    let name = text[..open].trim();
    // `a(b) :- c` and `a(b) & c(d)` are not calls: more follows their first bracket.
    if !is_word(name) || parts.len() != 1 || closes_at(text, open) != Some(text.len() - 1) {
        return Ok(None);
    }
    let inside = &text[open + 1..text.len() - 1];
    if inside.trim().is_empty() {
        return Ok(Some((name, Vec::new())));
    }
    Ok(Some((name, split(inside)?.into_iter().map(str::trim).collect())))
}

/// Where the bracket that opens at `open` is closed.
fn closes_at(text: &str, open: usize) -> Option<usize> {
    let (mut depth, mut quoted) = (0usize, false);
    for (at, c) in text.char_indices().skip_while(|(at, _)| *at < open) {
        match c {
            '"' => quoted = !quoted,
            _ if quoted => {}
            '(' | '[' => depth += 1,
            ')' | ']' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

/// Splits at the commas outside of brackets.
fn split(text: &str) -> Result<Vec<&str>, EnvelopeError> {
    let (mut open, mut quoted, mut from) = (Vec::new(), false, 0);
    let mut parts = Vec::new();
    for (at, c) in text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            _ if quoted => {}
            '(' => open.push(')'),
            '[' => open.push(']'),
            ')' | ']' if open.pop() != Some(c) => return Err(EnvelopeError::Unbalanced),
            ',' if open.is_empty() => {
                parts.push(&text[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    if quoted || !open.is_empty() {
        return Err(EnvelopeError::Unbalanced);
    }
    parts.push(&text[from..]);
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_with_and_without_ids() {
        let read = |text| Body::read(text).unwrap();
        assert_eq!(read("ping()"), Body::Ping);
        assert_eq!(read("ping(7)"), Body::Ping);
        assert_eq!(read("play([])"), Body::Play { id: None, action: None });
        assert_eq!(
            read("play(m01, mark(1, 1))"),
            Body::Play { id: Some("m01".into()), action: Some("mark(1,1)".into()) }
        );
        assert_eq!(read("stop(nil)"), Body::Stop { id: None, action: None });
        assert_eq!(read("abort()"), Body::Abort { id: None });
        assert_eq!(read("reply(3,mark(1,1))"), Body::Reply("mark(1,1)".into()));
        assert_eq!(read("mark(1, 1)"), Body::Reply("mark(1,1)".into()));
        assert_eq!(read("ready"), Body::Reply("ready".into()));
    }

    #[test]
    fn actions_in_both_notations() {
        for (infix, prefix) in
            [("noop", "noop"), ("mark(1,1)", "(mark 1 1)"), ("f(g(a),b_1)", "(f (g a) b_1)")]
        {
            let term = to_term(infix).unwrap();
            assert_eq!(term.to_string(), prefix);
            assert_eq!(from_term(&term), infix);
        }
        assert_eq!(to_term(" f( a , b ) ").unwrap().to_string(), "(f a b)");
        assert_eq!(to_term("noop()").unwrap().to_string(), "noop");
        let deep = "f(".repeat(1000) + "x" + &")".repeat(1000);
        for wrong in ["", "f(", "f(a", "a b", "f(,)", "[a]", "f(a) & b", deep.as_str()] {
            assert_eq!(to_term(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn rules_are_cut_at_the_right_commas() {
        let text = "start(m01,x,ruleset(role(x),legal(mark(M,N)) :- cell(M,N,b) & control(x),\
                    mark(M,N) :: control(x) ==> cell(M,N,x) & ~cell(M,N,b)),10,10)";
        let Body::Start { rules, .. } = Body::read(text).unwrap() else { panic!("not read") };
        assert_eq!(rules.len(), 3);
        assert_eq!(rules[1], "legal(mark(M,N)) :- cell(M,N,b) & control(x)");
    }

    #[test]
    fn broken_messages_are_errors() {
        for text in [
            "",
            "message",
            "message()",
            "message(1,a,b)",
            "message(1,a,b,play(",
            "x(1,a,b,ping())",
            "message(1,a,b,start(x))",
            "message(1,a,b,f([1)])",
            "message(1,a,b,\"x)",
            "message(1,a(b),c,ping())",
        ] {
            assert!(Envelope::read(text).is_err(), "{text}");
        }
    }
}
