//! The messages to one role of one match, and the interpretation of its replies.

use std::sync::Arc;
use std::time::Duration;

use magister_core::{Game, Observation, Role, Said, View};
use magister_protocol::gamemaster::{Form, to_term};
use magister_protocol::http::RequestHeaders;
use magister_protocol::{Gdl2Variant, News, Request, Style, Term, reply};

use crate::address::PlayerAddress;
use crate::gamemaster::GamemasterSession;
use crate::wire::{Scramble, WireGame};

/// How messages to players are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Manner {
    /// The form of PLAY and STOP in games with hidden information.
    pub variant: Gdl2Variant,
    /// Whether GDL-II messages are in upper case.
    pub upper: bool,
    /// Whether names in the rules are scrambled.
    pub scramble: bool,
}

impl Manner {
    /// The manner as text, for the store.
    pub fn to_text(self) -> String {
        let variant = match self.variant {
            Gdl2Variant::A => "a",
            Gdl2Variant::B => "b",
            Gdl2Variant::C => "c",
        };
        let (upper, scramble) = (self.upper, self.scramble);
        format!("variant={variant} upper={upper} scramble={scramble}")
    }

    /// Parses the output of [`Manner::to_text`].
    pub fn parse(text: &str) -> Option<Self> {
        let mut manner = Manner::default();
        for part in text.split_whitespace() {
            match part.split_once('=')? {
                ("variant", letter) => manner.variant = Gdl2Variant::parse(letter)?,
                ("upper", value) => manner.upper = value.parse().ok()?,
                ("scramble", value) => manner.scramble = value.parse().ok()?,
                _ => return None,
            }
        }
        Some(manner)
    }
}

/// The name of a match in the messages to one seat of a player. Messages do not identify the role,
/// so a player with several seats gets a different name from its second seat on.
pub fn match_name(id: &str, seats_before: usize) -> String {
    match seats_before {
        0 => id.to_owned(),
        before => format!("{id}.{}", before + 1),
    }
}

/// The clocks of a match in messages, in whole seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clocks {
    /// The start clock.
    pub start: u64,
    /// The play clock.
    pub play: u64,
}

impl Clocks {
    /// The clocks for these times. Fractions of seconds are rounded up.
    pub fn new(start: Option<Duration>, play: Option<Duration>) -> Self {
        let seconds = |time: Duration| time.as_millis().div_ceil(1000) as u64;
        Clocks { start: start.map_or(0, seconds), play: play.map_or(u64::from(u32::MAX), seconds) }
    }
}

/// A role of a match, as its player knows it. It converts views to messages and replies to moves.
/// It sees only the view of its role, so no message can reveal more than that.
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
    /// For players that use Gamemaster's envelopes.
    gamemaster: Option<GamemasterSession>,
}

/// The number of the first PLAY among Gamemaster's messages: 1 is a ping, 2 is the start, and then
/// there is one message for each turn.
const FIRST_PLAY: u64 = 3;

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
            gamemaster: None,
        }
    }

    /// The same session for a player at this address, in the protocol of that address. The error
    /// says why the game cannot be played in that protocol.
    pub fn at(self, address: &PlayerAddress) -> Result<Self, String> {
        if !address.protocol.is_gamemaster() {
            return Ok(self);
        }
        let Some(rules) = self.game.operations() else {
            return Err(
                "players of Gamemaster need rules that are written as operations, such as \
                        tictactoe/operations"
                    .to_owned(),
            );
        };
        if self.scramble.is_some() {
            return Err("names cannot be scrambled for players of Gamemaster".to_owned());
        }
        let gamemaster = GamemasterSession {
            id: Some(self.id.clone()),
            manager: "manager".to_owned(),
            player: address.name.clone().unwrap_or_else(|| "player".to_owned()),
            role: (self.role, self.role_name.clone()),
            rules: rules.to_vec(),
            clocks: self.clocks,
            form: Form::Site,
        };
        Ok(Session { gamemaster: Some(gamemaster), ..self })
    }

    /// Whether the player need not reply if it has only one legal move: players of Gamemaster do
    /// not reply while another role is in control.
    pub fn may_be_silent(&self) -> bool {
        self.gamemaster.is_some()
    }

    /// The same session for a player of this name, which is sent in the headers.
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
        // Tiltyard sends these headers; players that support them recognise duplicate messages.
        let mut extra = vec![("GGP-Match-ID".to_owned(), self.id.clone())];
        extra.extend(step.map(|step| ("GGP-Match-Step".to_owned(), step.to_string())));
        RequestHeaders { host: host.to_owned(), receiver: self.receiver.clone(), extra }
    }

    /// The START message.
    pub fn start(&self) -> String {
        if let Some(gamemaster) = &self.gamemaster {
            return gamemaster.start(FIRST_PLAY - 1);
        }
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

    /// The PLAY message, with the latest observation of the role.
    pub fn play(&self, view: &View) -> String {
        if let Some(gamemaster) = &self.gamemaster {
            return gamemaster.play(FIRST_PLAY + view.turns().len() as u64, view);
        }
        Request::Play { id: self.id.clone(), news: self.news(view) }.write(self.style)
    }

    /// The STOP message, with the latest observation of the role.
    pub fn stop(&self, view: &View) -> String {
        if let Some(gamemaster) = &self.gamemaster {
            return gamemaster.stop(FIRST_PLAY + view.turns().len() as u64, view);
        }
        Request::Stop { id: self.id.clone(), news: self.news(view) }.write(self.style)
    }

    /// The ABORT message.
    pub fn abort(&self) -> String {
        if let Some(gamemaster) = &self.gamemaster {
            return gamemaster.abort(FIRST_PLAY);
        }
        Request::Abort { id: self.id.clone() }.write(self.style)
    }

    /// Whether a reply to START means that the player is in another match.
    pub fn is_busy(&self, reply: &str) -> bool {
        let value = match &self.gamemaster {
            Some(gamemaster) => gamemaster.answer(FIRST_PLAY - 1, reply),
            None => Some(reply.to_owned()),
        };
        let busy = |value: String| Term::read(&value).is_ok_and(|term| term.is_word("busy"));
        value.is_some_and(busy)
    }

    /// The content of a reply to PLAY after this number of turns.
    pub fn answer(&self, reply: &str, turns: usize) -> Said {
        if let Some(gamemaster) = &self.gamemaster {
            let value = gamemaster.answer(FIRST_PLAY + turns as u64, reply);
            let term = value.as_deref().and_then(to_term);
            let text = term.map(|term| self.game.resolve(&term).to_string());
            return Said::Text(text.unwrap_or_else(|| reply.to_owned()));
        }
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
                // A set has no order; a fixed one reveals nothing.
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

/// Whether a game can be sent in this form: all of its moves and percepts are terms of GDL.
pub fn is_sendable(game: &dyn Game) -> bool {
    let worker = game.worker();
    let text = game.text();
    let fits = |text: String| Term::read(&text).is_ok();
    game.info()
        .all_roles()
        .all(|role| worker.legal(role).iter().all(|&choice| fits(text.move_text(choice))))
}
