//! The event log of a match, as viewers receive it.

use std::sync::Arc;

use serde_json::json;
use tokio::sync::watch;

use super::view::state_name;
use super::{Access, Live};

/// A change that viewers are notified of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// The match as a whole changed.
    State,
    /// A turn was made; the number is that of all turns so far.
    Step(usize),
    /// A player was asked, or answered.
    Clock,
    /// The match ended.
    End,
}

/// An event in the form in which it is sent.
#[derive(Clone, Debug)]
pub struct Message {
    /// Its number.
    pub id: u64,
    /// Its name.
    pub event: &'static str,
    /// Its data, as JSON.
    pub data: Arc<str>,
}

/// The number of messages that are cached, because many viewers get the same ones.
const KEPT: usize = 64;

impl Live {
    /// A receiver that is notified of new events.
    pub fn subscribe(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    /// Records that a viewer opens or closes an event stream.
    pub fn watch(&self, access: Access, opens: bool) {
        let mut core = self.lock();
        if let Access::Seat(seat) = access
            && let Some(sitting) = core.seats.get_mut(seat)
        {
            let count = sitting.watching;
            sitting.watching = if opens { count + 1 } else { count.saturating_sub(1) };
        }
    }

    /// The events after the one with this number, as a viewer may see them. If the number is not
    /// known, or none is given, this is one event with the whole match.
    pub fn since(&self, access: Access, last: Option<u64>) -> Vec<Message> {
        let mut core = self.lock();
        let core = &mut *core;
        self.touch();
        let known = last.filter(|last| {
            let first = core.changes.front().map_or(core.rev + 1, |(rev, _)| *rev);
            (first - 1..=core.rev).contains(last)
        });
        let Some(last) = known else {
            let data = self.whole(core, access, false).to_string();
            return vec![Message { id: core.rev, event: "match", data: data.into() }];
        };
        let new: Vec<(u64, Change)> =
            core.changes.iter().copied().filter(|(rev, _)| *rev > last).collect();
        // After a change of the whole match, the steps before it are obsolete.
        let from = new.iter().rposition(|(_, change)| *change == Change::State).unwrap_or(0);
        let mut messages: Vec<Message> = Vec::new();
        // With hidden information, a player is not notified when others answer.
        let deaf = matches!(access, Access::Seat(_)) && !self.sees_all(core);
        for &(rev, change) in &new[from..] {
            if deaf && change == Change::Clock {
                continue;
            }
            let key = (rev, access.key());
            let known = core.messages.get(&key).map(Arc::clone);
            let data = known.unwrap_or_else(|| {
                let value = match change {
                    Change::State | Change::End => self.whole(core, access, false),
                    Change::Clock => json!(self.seats(core, access)),
                    Change::Step(ply) => json!({
                        "entry": self.entry(core, access, ply - 1),
                        "scene": self.scene(core, access, ply),
                        "seats": self.seats(core, access),
                        "state": state_name(core),
                        "plies": core.current.turn(),
                    }),
                };
                let data: Arc<str> = value.to_string().into();
                if core.messages.len() >= KEPT {
                    core.messages.clear();
                }
                core.messages.insert(key, Arc::clone(&data));
                data
            });
            let event = match change {
                Change::State => "match",
                Change::Step(_) => "step",
                Change::Clock => "clock",
                Change::End => "end",
            };
            messages.push(Message { id: rev, event, data });
        }
        messages
    }
}
