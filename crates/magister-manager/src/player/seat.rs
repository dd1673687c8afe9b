//! A match that a player plays.

use std::sync::Arc;
use std::time::{Duration, Instant};

use magister_core::Stop;
use magister_protocol::{News, Term};

use super::SharedSlot;
use super::slot::Slot;
use super::thinker::{Job, Thinker};
use super::track::Reported;

/// The content of START.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Begun {
    pub(super) id: String,
    pub(super) role: String,
    /// The rules as text, in any language.
    pub(super) rules: String,
    /// Whether the rules are written in GDL or GDL-II.
    pub(super) is_ggp: bool,
    /// Whether the rules have percepts.
    pub(super) gdl2: bool,
    pub(super) start: Duration,
    pub(super) play: Duration,
}

impl Begun {
    /// The content of a START message of GGP.
    pub(super) fn ggp(
        id: String,
        role: &Term,
        rules: &[Term],
        (start, play): (Duration, Duration),
    ) -> Self {
        let gdl2 = has_percepts(rules);
        let rules = rules.iter().map(|rule| rule.to_string() + "\n").collect();
        Begun { id, role: role.to_string(), rules, is_ggp: true, gdl2, start, play }
    }
}

fn has_percepts(rules: &[Term]) -> bool {
    let sees = |term: &Term| {
        term.as_list().and_then(<[Term]>::first).is_some_and(|head| head.is_word("sees"))
    };
    rules.iter().any(|rule| {
        let head = rule.as_list().filter(|parts| parts.first().is_some_and(|a| a.is_word("<=")));
        head.and_then(|parts| parts.get(1)).map_or_else(|| sees(rule), sees)
    })
}

/// The content of PLAY or STOP.
pub(super) enum Message {
    /// Of GGP, with the number of turns from a header.
    Ggp(News, Option<u64>),
    /// Of Gamemaster: the number of the message, and the last action.
    Gamemaster(String, Option<String>),
}

/// A match that a player plays.
#[derive(Debug)]
pub(super) struct Seat {
    pub(super) begun: Begun,
    pub(super) thinker: Thinker,
    /// Filled when the player is prepared.
    pub(super) ready: Arc<Slot<()>>,
    /// When the last message arrived.
    pub(super) heard: Instant,
    /// The number of turns that were reported.
    turns: u64,
    last: Option<Reported>,
    /// The last reply to PLAY, with the number of turns before it.
    asked: Option<(u64, SharedSlot)>,
    /// The number of the last message of Gamemaster.
    numbered: Option<String>,
    stop: Stop,
}

/// The classification of a message about a turn.
pub(super) enum Placed {
    /// The player was already asked this.
    Repeated(SharedSlot),
    /// It is new.
    New {
        /// The turn that it reports, if any.
        sent: Option<Reported>,
        /// The slot for the reply.
        slot: SharedSlot,
    },
}

impl Seat {
    pub(super) fn new(begun: Begun, thinker: Thinker, now: Instant) -> Self {
        Seat {
            ready: thinker.ready(),
            begun,
            thinker,
            heard: now,
            turns: 0,
            last: None,
            asked: None,
            numbered: None,
            stop: Stop::new(),
        }
    }

    /// Whether the manager has disappeared without ABORT: there was no message for much longer than
    /// its clocks.
    pub(super) fn is_stale(&self, now: Instant) -> bool {
        let clocks = self.begun.start.max(self.begun.play);
        now.saturating_duration_since(self.heard) > clocks * 3 + Duration::from_mins(1)
    }

    /// Whether a move was requested.
    pub(super) fn has_played(&self) -> bool {
        self.asked.is_some()
    }

    /// A flag that ends the thinking for the next turn and for the turns before it.
    pub(super) fn next_stop(&mut self) -> Stop {
        self.stop.set();
        self.stop = Stop::new();
        self.stop.clone()
    }

    /// Determines whether a message is new, and its content.
    pub(super) fn place(&mut self, message: Message) -> Placed {
        let (sent, turns) = match message {
            Message::Ggp(news, step) => self.place_news(news, step),
            Message::Gamemaster(number, action) => {
                let again = self.numbered.as_ref() == Some(&number);
                self.numbered = Some(number);
                match action {
                    Some(action) if !again => (Some(Reported::Action(action)), self.turns + 1),
                    _ => (None, self.turns),
                }
            }
        };
        if let Some((known, slot)) = &self.asked
            && turns <= *known
        {
            return Placed::Repeated(Arc::clone(slot));
        }
        if turns > self.turns + 1 {
            tracing::warn!(
                id = self.begun.id,
                turns,
                known = self.turns,
                "messages of the match are missing"
            );
        }
        self.turns = turns;
        self.last.clone_from(&sent);
        let slot: SharedSlot = Arc::default();
        self.asked = Some((turns, Arc::clone(&slot)));
        Placed::New { sent, slot }
    }

    /// The content of a message of GGP, and the number of turns so far.
    fn place_news(&self, news: News, step: Option<u64>) -> (Option<Reported>, u64) {
        let gdl2 = self.begun.gdl2;
        match news {
            News::Turn { turn, own, percepts } => {
                let sent = own.map(|own| Reported::Own { own: Some(own), percepts });
                (sent.filter(|_| turn > 0), turn)
            }
            News::Terms(percepts) if gdl2 => {
                (Some(Reported::Own { own: None, percepts }), step.unwrap_or(self.turns + 1))
            }
            News::First if gdl2 && self.asked.is_some() && step.is_none() => {
                let sent = Reported::Own { own: None, percepts: Vec::new() };
                (Some(sent), self.turns + 1)
            }
            News::Terms(joint) => {
                let sent = Reported::Joint(joint);
                // Without a number, the same moves again are a duplicate as long as the first
                // request is not answered.
                let open = self.asked.as_ref().is_some_and(|(_, slot)| slot.get().is_none());
                let again = open && self.last.as_ref() == Some(&sent);
                let turns = if again { self.turns } else { self.turns + 1 };
                (Some(sent), step.unwrap_or(turns))
            }
            News::First => (None, 0),
        }
    }

    /// Ends the match regularly.
    pub(super) fn finish(self, sent: Option<Reported>) {
        self.stop.set();
        self.thinker.put(Job::Finish { sent });
    }

    /// Ends the match at once.
    pub(super) fn give_up(self) {
        self.stop.set();
        self.thinker.give_up();
    }
}
