//! The messages to a player of Stanford's Gamemaster, and the interpretation of its replies.

use magister_core::text::IDLE_TEXT;
use magister_core::{Observation, Role, View};
use magister_gdl::{Options, StatementKind, Syntax, print, read};
use magister_protocol::Term;
use magister_protocol::gamemaster::{Body, Envelope, Form, from_term};

use crate::session::Clocks;

/// A role of a match, as its Gamemaster player knows it.
#[derive(Clone, Debug)]
pub struct GamemasterSession {
    /// The name of the match; the current site does not send it.
    pub id: Option<String>,
    /// The name of the manager.
    pub manager: String,
    /// The name of the player.
    pub player: String,
    /// The role and its name.
    pub role: (Role, String),
    /// The rules, one text each.
    pub rules: Vec<String>,
    /// The clocks.
    pub clocks: Clocks,
    /// The format of message bodies.
    pub form: Form,
}

/// The statements of an infix rulesheet, each on one line and without comments.
pub fn statements(text: &str) -> Vec<String> {
    let options = Options { syntax: Some(Syntax::Infix), ..Options::default() };
    let sheet = read(text, &options).rules;
    let mut lines = Vec::new();
    for statement in &sheet.statements {
        if matches!(statement.kind, StatementKind::Stray(_)) {
            continue;
        }
        let mut alone = sheet.clone();
        alone.statements = vec![statement.clone()];
        alone.comments.clear();
        if let Ok(text) = print(&alone, "", Syntax::Infix) {
            lines.push(text.split_whitespace().collect::<Vec<_>>().join(" "));
        }
    }
    lines
}

impl GamemasterSession {
    fn envelope(&self, number: u64, body: Body) -> String {
        let (from, to) = (self.manager.clone(), self.player.clone());
        Envelope { id: number.to_string(), from, to, body }.write(self.form)
    }

    /// Asks whether the player is there.
    pub fn ping(&self, number: u64) -> String {
        self.envelope(number, Body::Ping)
    }

    /// Announces the start of the match.
    pub fn start(&self, number: u64) -> String {
        let body = Body::Start {
            id: self.id.clone(),
            role: self.role.1.clone(),
            rules: self.rules.clone(),
            start: self.clocks.start.to_string(),
            play: self.clocks.play.to_string(),
        };
        self.envelope(number, body)
    }

    /// Reports the last action, and requests the next one if it is the player's turn.
    pub fn play(&self, number: u64, view: &View) -> String {
        let body = Body::Play { id: self.id.clone(), action: last_action(view) };
        self.envelope(number, body)
    }

    /// Announces the end of the match.
    pub fn stop(&self, number: u64, view: &View) -> String {
        let body = Body::Stop { id: self.id.clone(), action: last_action(view) };
        self.envelope(number, body)
    }

    /// Announces that the match was aborted.
    pub fn abort(&self, number: u64) -> String {
        self.envelope(number, Body::Abort { id: self.id.clone() })
    }

    /// The value of a reply. `None` if it is not a reply of this player to this message: replies to
    /// older messages are dropped.
    pub fn answer(&self, number: u64, text: &str) -> Option<String> {
        let envelope = Envelope::read(text).ok()?;
        let fits = envelope.id == number.to_string()
            && envelope.from == self.player
            && envelope.to == self.manager;
        match envelope.body {
            Body::Reply(value) if fits => Some(value),
            _ => None,
        }
    }
}

/// The action of the role that was in control. The others are idle, or have a `noop` move.
fn last_action(view: &View) -> Option<String> {
    let last = view.turns().last()?;
    let Observation::Joint(joint) = &last.seen else { return None };
    let texts: Vec<String> =
        joint.iter().map(|&choice| infix(&view.game().text().move_text(choice))).collect();
    let acts = |text: &&String| *text != IDLE_TEXT && *text != WAIT;
    texts.iter().find(acts).or_else(|| texts.iter().find(|text| *text != IDLE_TEXT)).cloned()
}

/// The move of roles that are not in control, in games that were translated to GDL.
const WAIT: &str = "noop";

/// A move in infix notation. Games that were translated to GDL print their moves in prefix notation.
fn infix(text: &str) -> String {
    if !text.starts_with('(') {
        return text.to_owned();
    }
    Term::read(text).map_or_else(|_| text.to_owned(), |term| from_term(&term))
}
