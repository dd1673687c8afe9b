//! The player in Gamemaster's protocol.

use std::time::{Duration, Instant};

use magister_core::text::IDLE_TEXT;
use magister_protocol::gamemaster::{Body, Envelope};

use super::seat::{Begun, Message};
use super::{GgpPlayer, LONGEST, seconds};

impl GgpPlayer {
    /// The reply to an envelope that was received at a given time. `None` if no reply is due,
    /// because another role is in control or the envelope is itself a reply. Waits while the player
    /// thinks.
    ///
    /// Envelopes to any name are answered under that name. `taken` is dropped when the turn is
    /// known, before the player decides.
    pub fn reply_to<T>(
        &self,
        envelope: &Envelope,
        received: Instant,
        taken: T,
    ) -> Option<Envelope> {
        // The current site does not send the name of the match; then there is one match for each
        // manager.
        let named = |id: &Option<String>| {
            id.clone().unwrap_or_else(|| format!("gamemaster:{}", envelope.from))
        };
        let number = || envelope.id.clone();
        let value = match &envelope.body {
            Body::Ping => if self.is_busy(received) { "busy" } else { "ready" }.to_owned(),
            Body::Start { id, role, rules, start, play } => {
                let begun = Begun {
                    id: named(id),
                    role: role.clone(),
                    rules: rules.join("\n"),
                    is_ggp: false,
                    gdl2: false,
                    start: clock(start),
                    play: clock(play),
                };
                self.start(begun, received)
            }
            Body::Play { id, action } => {
                let message = Message::Gamemaster(number(), action.clone());
                let choice = self.play(&named(id), message, received, taken);
                if choice == IDLE_TEXT {
                    return None;
                }
                choice
            }
            Body::Stop { id, action } => {
                let message = Message::Gamemaster(number(), action.clone());
                self.stop(&named(id), message, received)
            }
            Body::Abort { id } => self.abort(&named(id)),
            Body::Reply(_) => return None,
        };
        Some(envelope.reply(&value))
    }
}

/// A clock in seconds; `Infinity` and invalid text mean the longest.
fn clock(text: &str) -> Duration {
    let value: f64 = text.trim().parse().unwrap_or(f64::INFINITY);
    if value.is_finite() && value >= 0.0 {
        Duration::from_secs_f64(value.min(LONGEST as f64))
    } else {
        seconds(LONGEST)
    }
}
