//! What one role of one match is sent, and what its replies mean.

use std::sync::Arc;
use std::time::Duration;

use magister_core::{Game, Observation, Role, Said, View};
use magister_protocol::http::RequestHeaders;
use magister_protocol::{Gdl2Variant, News, Request, Style, Term, reply};

use crate::wire::{Scramble, WireGame};

/// How messages to players are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Manner {
    /// The form of PLAY and STOP in games with hidden information.
    pub variant: Gdl2Variant,
    /// Whether GDL-II messages are in upper case.
    pub upper: bool,
    /// Whether players see made-up names instead of those of the rules.
    pub scramble: bool,
}

/// The clocks of a match as messages carry them, in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clocks {
    /// Before the first turn.
    pub start: u64,
    /// For each turn.
    pub play: u64,
}

impl Clocks {
    /// The clocks for these times. Messages carry whole seconds, so fractions are rounded up.
    pub fn new(start: Option<Duration>, play: Option<Duration>) -> Self {
        let seconds = |time: Duration| time.as_millis().div_ceil(1000) as u64;
        Clocks { start: start.map_or(0, seconds), play: play.map_or(u64::from(u32::MAX), seconds) }
    }
}

/// A role of a match, as its player knows it. It turns views into messages and replies into moves.
/// It sees nothing but the view of its role, so no message can hold more than that.
#[derive(Debug)]
pub struct Session {
    id: String,
    game: Arc<WireGame>,
    role: Role,
    role_name: String,
    clocks: Clocks,
    style: Style,
    scramble: Option<Scramble>,
    receiver: String,
}

impl Session {
    /// The session of a role in a match.
    pub fn new(
        id: &str,
        game: &Arc<WireGame>,
        (role, role_name): (Role, &str),
        clocks: Clocks,
        manner: Manner,
        scramble: Option<Scramble>,
    ) -> Self {
        let style = if game.is_gdl2() {
            Style::Gdl2 { variant: manner.variant, upper: manner.upper }
        } else {
            Style::Gdl
        };
        Session {
            id: id.to_owned(),
            game: Arc::clone(game),
            role,
            role_name: role_name.to_owned(),
            clocks,
            style,
            scramble,
            receiver: String::new(),
        }
    }

    /// The same session with a player of this name, which stands in the headers.
    #[must_use]
    pub fn to(self, receiver: &str) -> Self {
        Session { receiver: receiver.to_owned(), ..self }
    }

    /// The name of the match.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The headers of a message in this step.
    pub fn headers(&self, host: &str, step: Option<usize>) -> RequestHeaders {
        // Tiltyard sends these; players that know them recognise repeated messages.
        let mut extra = vec![("GGP-Match-ID".to_owned(), self.id.clone())];
        extra.extend(step.map(|step| ("GGP-Match-Step".to_owned(), step.to_string())));
        RequestHeaders { host: host.to_owned(), receiver: self.receiver.clone(), extra }
    }

    /// START.
    pub fn start(&self) -> String {
        let role = Term::atom(&self.role_name);
        let request = Request::Start {
            id: self.id.clone(),
            role: self.sent(&role),
            rules: self.game.rules().iter().map(|rule| self.sent(rule)).collect(),
            start: self.clocks.start,
            play: self.clocks.play,
            extra: Vec::new(),
        };
        request.write(self.style)
    }

    /// PLAY with what the role learnt last.
    pub fn play(&self, view: &View) -> String {
        Request::Play { id: self.id.clone(), news: self.news(view) }.write(self.style)
    }

    /// STOP with what the role learnt last.
    pub fn stop(&self, view: &View) -> String {
        Request::Stop { id: self.id.clone(), news: self.news(view) }.write(self.style)
    }

    /// ABORT.
    pub fn abort(&self) -> String {
        Request::Abort { id: self.id.clone() }.write(self.style)
    }

    /// What a reply to PLAY says.
    pub fn answer(&self, reply: &str) -> Said {
        let Ok(term) = reply::read_move(reply) else {
            return Said::Text(reply.to_owned());
        };
        let term = self.scramble.as_ref().map_or_else(|| term.clone(), |one| one.undo(&term));
        Said::Text(self.game.resolve(&term).to_string())
    }

    fn news(&self, view: &View) -> News {
        let text = view.game().text();
        let Some(last) = view.turns().last() else {
            return if self.style == Style::Gdl {
                News::First
            } else {
                News::Turn { turn: 0, own: None, percepts: Vec::new() }
            };
        };
        match &last.seen {
            Observation::Joint(joint) => {
                News::Terms(joint.iter().map(|&one| self.word(&text.move_text(one))).collect())
            }
            Observation::Percepts(percepts) => {
                // A set has no order of its own; a fixed one tells nothing.
                let mut texts: Vec<String> =
                    percepts.iter().map(|&one| text.percept_text(one)).collect();
                texts.sort();
                News::Turn {
                    turn: view.turns().len() as u64,
                    own: Some(self.word(&text.move_text(last.own))),
                    percepts: texts.iter().map(|text| self.word(text)).collect(),
                }
            }
        }
    }

    fn word(&self, text: &str) -> Term {
        let term = Term::read(text).unwrap_or_else(|_| Term::atom("nil"));
        self.sent(&term)
    }

    fn sent(&self, term: &Term) -> Term {
        self.scramble.as_ref().map_or_else(|| term.clone(), |scramble| scramble.apply(term))
    }

    /// The role.
    pub fn role(&self) -> Role {
        self.role
    }
}

/// Whether a game can be sent in these words: all of its moves and percepts are terms of GDL.
pub fn is_sendable(game: &dyn Game) -> bool {
    let worker = game.worker();
    let text = game.text();
    let fits = |text: String| Term::read(&text).is_ok();
    game.info()
        .all_roles()
        .all(|role| worker.legal(role).iter().all(|&choice| fits(text.move_text(choice))))
}
