//! Requests that a game manager sends to a player.

use std::error::Error;
use std::fmt;

use crate::term::{Limits, Term, TermError};

/// A request of a manager.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// Asks for the player's name and whether it is available.
    Info,
    /// The older form of [`Request::Info`].
    Ping,
    /// Sends rules in advance; a match may follow.
    Preview {
        /// The rules.
        rules: Vec<Term>,
        /// The number of seconds for the reply.
        clock: u64,
    },
    /// Announces a match.
    Start {
        /// The name of the match.
        id: String,
        /// The role of the player.
        role: Term,
        /// The rules.
        rules: Vec<Term>,
        /// The start clock in seconds.
        start: u64,
        /// The play clock in seconds.
        play: u64,
        /// Additional arguments, which some managers send.
        extra: Vec<Term>,
    },
    /// Requests a move.
    Play {
        /// The name of the match.
        id: String,
        /// The report of the last turn.
        news: News,
    },
    /// Reports the end of the match.
    Stop {
        /// The name of the match.
        id: String,
        /// The report of the last turn.
        news: News,
    },
    /// Reports that the match was aborted.
    Abort {
        /// The name of the match.
        id: String,
    },
}

/// What a player learns about the last turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum News {
    /// There was no turn yet.
    First,
    /// The moves of all roles in role order; in the oldest variant of GDL-II, the percepts.
    Terms(Vec<Term>),
    /// GDL-II: the number of turns, the move that was executed for the player, and its percepts.
    Turn {
        /// The number of turns so far.
        turn: u64,
        /// The player's own move; `None` before the first turn.
        own: Option<Term>,
        /// The player's percepts.
        percepts: Vec<Term>,
    },
}

/// The variants of GDL-II requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Gdl2Variant {
    /// `(PLAY id (percepts))`: no turn and no move. Dresden's controller of about 2011.
    A,
    /// `(play id turn move percepts)`, with `nil` where there are no percepts. The chapter on
    /// GDL-II.
    B,
    /// `(PLAY id turn move (percepts ))`, with `()` where there are no percepts. Dresden's
    /// controller since 2013.
    #[default]
    C,
}

impl Gdl2Variant {
    /// The variant of this letter.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "a" | "A" => Some(Gdl2Variant::A),
            "b" | "B" => Some(Gdl2Variant::B),
            "c" | "C" => Some(Gdl2Variant::C),
            _ => None,
        }
    }
}

/// The style of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Style {
    /// As ggp-base writes it: `( PLAY id (( mark 1 1 ) noop ) )`.
    Gdl,
    /// As a manager of GDL-II games writes it.
    Gdl2 {
        /// The arguments of PLAY and STOP.
        variant: Gdl2Variant,
        /// Whether everything but the name of the match is in upper case, as Dresden's controller
        /// sends it. Otherwise names keep the case of the rulesheet.
        upper: bool,
    },
}

impl Style {
    /// The default style of GDL-II: variant C in the case of the rulesheet.
    pub const GDL2: Style = Style::Gdl2 { variant: Gdl2Variant::C, upper: false };
}

/// Why a text is not a request.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MessageError {
    /// It is not a term.
    Term(TermError),
    /// It is not a list that begins with a word.
    NoCommand,
    /// The first word is not a command.
    UnknownCommand(String),
    /// The command does not have this number of arguments.
    Arguments {
        /// The command.
        command: &'static str,
        /// The number of arguments.
        given: usize,
    },
    /// An argument is malformed.
    Form {
        /// The command.
        command: &'static str,
        /// The expected form of the argument.
        wanted: &'static str,
    },
}

impl fmt::Display for MessageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MessageError::Term(error) => error.fmt(f),
            MessageError::NoCommand => {
                f.write_str("a message is a list that begins with a command")
            }
            MessageError::UnknownCommand(word) => {
                let shown: String = word.chars().take(40).collect();
                write!(f, "`{shown}` is not a command")
            }
            MessageError::Arguments { command, given } => {
                write!(f, "{command} does not take {given} arguments")
            }
            MessageError::Form { command, wanted } => {
                write!(f, "an argument of {command} should be {wanted}")
            }
        }
    }
}

impl Error for MessageError {}

impl From<TermError> for MessageError {
    fn from(error: TermError) -> Self {
        MessageError::Term(error)
    }
}

impl Request {
    /// Reads a request in any variant.
    pub fn read(text: &str) -> Result<Request, MessageError> {
        Request::read_within(text, &Limits::default())
    }

    /// Reads a request within limits.
    pub fn read_within(text: &str, limits: &Limits) -> Result<Request, MessageError> {
        let Term::List(mut arguments) = Term::read_within(text, limits)? else {
            return Err(MessageError::NoCommand);
        };
        if arguments.is_empty() {
            return Err(MessageError::NoCommand);
        }
        let Term::Atom(word) = arguments.remove(0) else {
            return Err(MessageError::NoCommand);
        };
        match word.to_ascii_lowercase().as_str() {
            "info" => Ok(Request::Info),
            "ping" => Ok(Request::Ping),
            "preview" => preview(arguments),
            "start" => start(arguments),
            "play" => {
                let (id, news) = turn("PLAY", arguments)?;
                Ok(Request::Play { id, news })
            }
            "stop" => {
                let (id, news) = turn("STOP", arguments)?;
                Ok(Request::Stop { id, news })
            }
            "abort" => {
                let given = arguments.len();
                let mut arguments = arguments.into_iter();
                let id = arguments.next();
                let id = id.ok_or(MessageError::Arguments { command: "ABORT", given })?;
                Ok(Request::Abort { id: match_id("ABORT", id)? })
            }
            _ => Err(MessageError::UnknownCommand(word)),
        }
    }

    /// The name of the match, if the request belongs to one.
    pub fn match_id(&self) -> Option<&str> {
        match self {
            Request::Info | Request::Ping | Request::Preview { .. } => None,
            Request::Start { id, .. }
            | Request::Play { id, .. }
            | Request::Stop { id, .. }
            | Request::Abort { id } => Some(id),
        }
    }

    /// The command, in upper case.
    pub fn command(&self) -> &'static str {
        match self {
            Request::Info => "INFO",
            Request::Ping => "PING",
            Request::Preview { .. } => "PREVIEW",
            Request::Start { .. } => "START",
            Request::Play { .. } => "PLAY",
            Request::Stop { .. } => "STOP",
            Request::Abort { .. } => "ABORT",
        }
    }

    /// The request as text.
    ///
    /// ```
    /// use magister_protocol::{News, Request, Style, Term};
    ///
    /// let play = Request::Play {
    ///     id: "m23".into(),
    ///     news: News::Turn {
    ///         turn: 1,
    ///         own: Some(Term::read("(mark 1 1)").unwrap()),
    ///         percepts: vec![Term::atom("ok")],
    ///     },
    /// };
    /// assert_eq!(play.write(Style::GDL2), "(PLAY m23 1 (mark 1 1) (ok ))");
    /// assert_eq!(Request::read(&play.write(Style::GDL2)), Ok(play));
    /// ```
    pub fn write(&self, style: Style) -> String {
        let spaced = style == Style::Gdl;
        let mut out = Writer { out: String::new(), spaced, style };
        out.request(self);
        out.out
    }
}

fn preview(arguments: Vec<Term>) -> Result<Request, MessageError> {
    let command = "PREVIEW";
    let given = arguments.len();
    let mut arguments = arguments.into_iter();
    let (Some(rules), Some(clock)) = (arguments.next(), arguments.next()) else {
        return Err(MessageError::Arguments { command, given });
    };
    Ok(Request::Preview { rules: list(command, rules)?, clock: seconds(command, &clock)? })
}

fn start(arguments: Vec<Term>) -> Result<Request, MessageError> {
    let command = "START";
    let given = arguments.len();
    let mut arguments = arguments.into_iter();
    let mut next = || arguments.next().ok_or(MessageError::Arguments { command, given });
    let (id, role, rules) = (next()?, next()?, next()?);
    let (start, play) = (next()?, next()?);
    Ok(Request::Start {
        id: match_id(command, id)?,
        role,
        rules: list(command, rules)?,
        start: seconds(command, &start)?,
        play: seconds(command, &play)?,
        extra: arguments.collect(),
    })
}

fn turn(command: &'static str, arguments: Vec<Term>) -> Result<(String, News), MessageError> {
    let given = arguments.len();
    let mut rest = arguments.into_iter();
    let (Some(id), Some(second)) = (rest.next(), rest.next()) else {
        return Err(MessageError::Arguments { command, given });
    };
    let id = match_id(command, id)?;
    let news = match (rest.next(), rest.next()) {
        (Some(own), Some(percepts)) => News::Turn {
            turn: whole(&second)
                .ok_or(MessageError::Form { command, wanted: "the number of the turn" })?,
            own: Some(own).filter(|own| !own.is_nil()),
            percepts: match percepts {
                Term::List(terms) => terms,
                Term::Atom(text) => {
                    let one = Term::Atom(text);
                    if one.is_nil() { Vec::new() } else { vec![one] }
                }
            },
        },
        (Some(_), None) => return Err(MessageError::Arguments { command, given }),
        (None, _) => match second {
            // Any word in place of the moves means that there are none.
            Term::Atom(_) => News::First,
            Term::List(terms) => News::Terms(terms),
        },
    };
    Ok((id, news))
}

fn match_id(command: &'static str, term: Term) -> Result<String, MessageError> {
    match term {
        Term::Atom(id) => Ok(id),
        Term::List(_) => Err(MessageError::Form { command, wanted: "the name of the match" }),
    }
}

fn list(command: &'static str, term: Term) -> Result<Vec<Term>, MessageError> {
    match term {
        Term::List(terms) => Ok(terms),
        Term::Atom(_) => Err(MessageError::Form { command, wanted: "a list of rules" }),
    }
}

fn whole(term: &Term) -> Option<u64> {
    term.as_atom()?.parse().ok()
}

/// A clock in seconds. Managers send integers; a fraction is truncated.
fn seconds(command: &'static str, term: &Term) -> Result<u64, MessageError> {
    let fraction = || {
        let value: f64 = term.as_atom()?.parse().ok()?;
        (value.is_finite() && (0.0..=1e12).contains(&value)).then_some(value as u64)
    };
    whole(term)
        .or_else(fraction)
        .ok_or(MessageError::Form { command, wanted: "a clock in seconds" })
}

struct Writer {
    out: String,
    spaced: bool,
    style: Style,
}

impl Writer {
    fn variant(&self) -> Option<Gdl2Variant> {
        match self.style {
            Style::Gdl => None,
            Style::Gdl2 { variant, .. } => Some(variant),
        }
    }

    fn is_upper(&self) -> bool {
        matches!(self.style, Style::Gdl2 { upper: true, .. })
    }

    fn request(&mut self, request: &Request) {
        self.out.push('(');
        if self.spaced {
            self.out.push(' ');
        }
        let command = request.command();
        if self.variant() == Some(Gdl2Variant::B) && !self.is_upper() {
            self.out.push_str(&command.to_ascii_lowercase());
        } else {
            self.out.push_str(command);
        }
        match request {
            Request::Info | Request::Ping => {}
            Request::Preview { rules, clock } => {
                self.list(rules);
                self.word(&clock.to_string());
            }
            Request::Start { id, role, rules, start, play, extra } => {
                self.word(id);
                self.term(role);
                self.list(rules);
                self.word(&start.to_string());
                self.word(&play.to_string());
                extra.iter().for_each(|term| self.term(term));
                // ggp-base writes no blank here.
                self.out.push(')');
                return;
            }
            Request::Play { id, news } | Request::Stop { id, news } => {
                self.word(id);
                self.news(news);
            }
            Request::Abort { id } => self.word(id),
        }
        if self.spaced {
            self.out.push(' ');
        }
        self.out.push(')');
    }

    fn news(&mut self, news: &News) {
        let variant = self.variant();
        match (news, variant) {
            (News::First, _) | (News::Turn { turn: 0, .. }, None | Some(Gdl2Variant::A)) => {
                self.nil();
            }
            (News::Terms(terms), _)
            | (News::Turn { percepts: terms, .. }, None | Some(Gdl2Variant::A)) => self.list(terms),
            (News::Turn { turn, own, percepts }, Some(variant)) => {
                self.word(&turn.to_string());
                match own {
                    Some(own) => self.term(own),
                    None => self.nil(),
                }
                let first = *turn == 0 && own.is_none();
                if percepts.is_empty() && (first || variant == Gdl2Variant::B) {
                    self.nil();
                } else if variant == Gdl2Variant::B {
                    self.term(&Term::List(percepts.clone()));
                } else {
                    self.list(percepts);
                }
            }
        }
    }

    fn nil(&mut self) {
        let lower = self.variant() == Some(Gdl2Variant::B) && !self.is_upper();
        self.word(if lower { "nil" } else { "NIL" });
    }

    fn word(&mut self, word: &str) {
        self.out.push(' ');
        self.out.push_str(word);
    }

    fn term(&mut self, term: &Term) {
        self.out.push(' ');
        self.bare(term);
    }

    fn bare(&mut self, term: &Term) {
        let from = self.out.len();
        if self.spaced {
            term.write_spaced(&mut self.out);
        } else {
            term.write_compact(&mut self.out);
        }
        if self.is_upper() {
            let upper = self.out.split_off(from).to_uppercase();
            self.out.push_str(&upper);
        }
    }

    /// A list that is part of the message: a blank after each term and none before the first.
    fn list(&mut self, terms: &[Term]) {
        self.out.push_str(" (");
        for term in terms {
            self.bare(term);
            self.out.push(' ');
        }
        self.out.push(')');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn term(text: &str) -> Term {
        Term::read(text).unwrap()
    }

    fn play(news: News) -> Request {
        Request::Play { id: "m1".into(), news }
    }

    #[test]
    fn gdl_is_written_as_ggp_base_writes_it() {
        let rules = vec![term("(role left)"), term("(<= terminal (true (round 3)))")];
        let start = Request::Start {
            id: "m1".into(),
            role: Term::atom("left"),
            rules: rules.clone(),
            start: 3,
            play: 2,
            extra: Vec::new(),
        };
        assert_eq!(
            start.write(Style::Gdl),
            "( START m1 left (( role left ) ( <= terminal ( true ( round 3 ) ) ) ) 3 2)"
        );
        assert_eq!(play(News::First).write(Style::Gdl), "( PLAY m1 NIL )");
        let moves = vec![term("(show heads)"), Term::atom("noop")];
        let stop = Request::Stop { id: "m1".into(), news: News::Terms(moves) };
        assert_eq!(stop.write(Style::Gdl), "( STOP m1 (( show heads ) noop ) )");
        assert_eq!(Request::Abort { id: "m1".into() }.write(Style::Gdl), "( ABORT m1 )");
        assert_eq!(Request::Info.write(Style::Gdl), "( INFO )");
        let preview = Request::Preview { rules, clock: 1 };
        assert_eq!(
            preview.write(Style::Gdl),
            "( PREVIEW (( role left ) ( <= terminal ( true ( round 3 ) ) ) ) 1 )"
        );
    }

    #[test]
    fn the_three_variants_of_gdl2() {
        let news = |turn, percepts: &[&str]| News::Turn {
            turn,
            own: (turn > 0).then(|| term("(mark 2 2)")),
            percepts: percepts.iter().map(|text| term(text)).collect(),
        };
        let style = |variant, upper| Style::Gdl2 { variant, upper };
        let cases = [
            (Gdl2Variant::A, 0, "(PLAY m1 NIL)"),
            (Gdl2Variant::A, 2, "(PLAY m1 (ok ))"),
            (Gdl2Variant::B, 0, "(play m1 0 nil nil)"),
            (Gdl2Variant::B, 2, "(play m1 2 (mark 2 2) (ok))"),
            (Gdl2Variant::B, 3, "(play m1 3 (mark 2 2) nil)"),
            (Gdl2Variant::C, 0, "(PLAY m1 0 NIL NIL)"),
            (Gdl2Variant::C, 2, "(PLAY m1 2 (mark 2 2) (ok ))"),
            (Gdl2Variant::C, 3, "(PLAY m1 3 (mark 2 2) ())"),
        ];
        for (variant, turn, text) in cases {
            let percepts: &[&str] = if turn == 2 { &["ok"] } else { &[] };
            assert_eq!(play(news(turn, percepts)).write(style(variant, false)), text);
        }
        let loud = play(news(2, &["ok"])).write(style(Gdl2Variant::C, true));
        assert_eq!(loud, "(PLAY m1 2 (MARK 2 2) (OK ))");
    }

    #[test]
    fn every_spelling_of_nothing_is_read() {
        for nothing in ["nil", "NIL", "Nil", "()", "( )"] {
            let text = format!("(play m1 4 (mark 1 1) {nothing})");
            let own = Some(term("(mark 1 1)"));
            let news = News::Turn { turn: 4, own, percepts: Vec::new() };
            assert_eq!(Request::read(&text), Ok(play(news)), "{text}");
        }
        assert_eq!(Request::read("(PLAY m1 nothing)"), Ok(play(News::First)));
    }

    #[test]
    fn broken_requests_are_errors() {
        for text in [
            "",
            "info",
            "(",
            "((info))",
            "(dance m1)",
            "(play m1)",
            "(play (m1) nil)",
            "(play m1 x nil nil)",
            "(play m1 1 nil)",
            "(start m1 x)",
            "(start m1 x y 1 1)",
            "(start m1 x () a 1)",
            "(start m1 x () -1 1)",
            "(abort)",
            "(stop m1)",
            "(preview ())",
        ] {
            assert!(Request::read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn odd_requests_are_understood() {
        let Ok(Request::Start { start, play, extra, .. }) =
            Request::read("(Start m1 x ((role x)) 5.0 2 true 7) and more")
        else {
            panic!("not read");
        };
        assert_eq!((start, play, extra.len()), (5, 2, 2));
    }
}
