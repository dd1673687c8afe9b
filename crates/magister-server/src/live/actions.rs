//! Actions that viewers request from a match.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use magister_arena::{AgentThread, TimeControl};
use magister_core::{Answer, Match, MatchEnd, Role, Said, Seed, Setup, Stop};
use magister_gdl::nearest_all;
use magister_players::Level;
use magister_store::Entry;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Access, Change, Core, Live, Mode, SeatKind, resolve, spec};
use crate::ApiError;
use crate::scene::line;
use crate::words::{label, tokens};

/// A move, or in a standalone match the moves of several roles.
#[derive(Clone, Debug, Deserialize)]
pub struct MoveOrder {
    /// The number of turns that the sender knows.
    pub ply: usize,
    /// The move of the seat.
    #[serde(rename = "move", default)]
    pub choice: Option<String>,
    /// The moves by role, as its number or its name.
    #[serde(default)]
    pub moves: BTreeMap<String, String>,
}

/// The destination of a jump in a standalone match.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
pub struct JumpTo {
    /// A ply of the current line.
    #[serde(default)]
    pub ply: Option<usize>,
    /// Another continuation.
    #[serde(default)]
    pub node: Option<usize>,
}

impl Live {
    /// Makes a move for a seat, or moves for all roles in a standalone match.
    pub fn play(self: &Arc<Self>, access: Access, order: &MoveOrder) -> Result<(), ApiError> {
        let mut core = self.lock();
        let core = &mut *core;
        unended(core)?;
        if core.current.is_paused() {
            return Err(ApiError::conflict("paused", "the match is paused; resume it first"));
        }
        if order.ply != core.current.turn() {
            let what = format!(
                "this move is for ply {}, but the match is at ply {}; reload the match",
                order.ply,
                core.current.turn()
            );
            return Err(ApiError::conflict("stale", what));
        }
        let wanted = self.wanted(core, access, order)?;
        let mut answers = Vec::new();
        for (role, text) in wanted {
            let pending = core.current.pending().into_iter().find(|one| one.role == role);
            let Some(pending) = pending else {
                return Err(ApiError::conflict("turn", "it is not this role's turn to decide"));
            };
            let choice = core.current.parse(role, &text).or_else(|| self.meant(core, role, &text));
            let choice = choice.ok_or_else(|| self.not_legal(core, role, &text))?;
            answers.push((pending.seat, choice));
        }
        for (seat, choice) in answers {
            let since = core.seats[seat].asked.and_then(|asked| asked.since);
            let time = since.map_or(Duration::ZERO, |since| since.elapsed());
            self.put(core, seat, Answer::choice(choice).after(time));
        }
        // Others see which players are still to move.
        core.unheard.push(Change::Clock);
        self.settle(core)
    }

    /// The roles that a request wants to move, with their moves.
    fn wanted(
        &self,
        core: &Core,
        access: Access,
        order: &MoveOrder,
    ) -> Result<Vec<(Role, String)>, ApiError> {
        let info = self.open.playable.game.info();
        let named = |name: &str| {
            let number = name.parse().ok().and_then(|n: usize| info.all_roles().nth(n));
            info.role(name).or(number)
        };
        match access {
            Access::Spectator => Err(ApiError::new(
                axum::http::StatusCode::UNAUTHORIZED,
                "no-seat",
                "a move needs the token of a seat in the header x-seat",
            )),
            Access::Seat(seat) => {
                let role = core.seats[seat].role;
                let own = order.moves.iter().find(|(name, _)| named(name) == Some(role));
                let text = order.choice.as_ref().or(own.map(|(_, text)| text));
                let text = text.ok_or_else(|| ApiError::bad("the request names no move"))?;
                Ok(vec![(role, text.clone())])
            }
            Access::Owner if core.meta.mode == Mode::Standalone => {
                let mut all = Vec::new();
                for (name, text) in &order.moves {
                    let role = named(name);
                    let role = role.ok_or_else(|| {
                        ApiError::invalid("role", format!("there is no role {}", label(name)))
                    })?;
                    all.push((role, text.clone()));
                }
                if let Some(text) = &order.choice {
                    let pending = core.current.pending();
                    let fits = pending.iter().find(|one| {
                        core.current.parse(one.role, text).is_some()
                            || self.meant(core, one.role, text).is_some()
                    });
                    let role = fits.or(pending.first()).map(|one| one.role);
                    all.extend(role.map(|role| (role, text.clone())));
                }
                if all.is_empty() {
                    return Err(ApiError::bad("the request names no move"));
                }
                Ok(all)
            }
            Access::Owner => Err(ApiError::forbidden("this token has no seat in the match")),
        }
    }

    /// The legal move that matches a text.
    fn meant(&self, core: &Core, role: Role, text: &str) -> Option<magister_core::Move> {
        let words = tokens(text);
        let game = self.open.playable.game.text();
        let mut fit = core.current.legal(role).iter().filter(|&&choice| {
            let own = game.move_text(choice);
            tokens(&own) == words || label(&own) == text
        });
        let found = fit.next().copied();
        found.filter(|_| fit.next().is_none())
    }

    fn not_legal(&self, core: &mut Core, role: Role, text: &str) -> ApiError {
        let shown: String = text.chars().take(100).collect();
        // With hidden information, only what the role knows may be suggested.
        let legal = if self.sees_all(core) {
            core.current.legal(role).to_vec()
        } else {
            self.knowledge(core, role).moves.clone()
        };
        let words = self.open.playable.game.text();
        let texts: Vec<String> = legal.iter().map(|&choice| words.move_text(choice)).collect();
        let near = nearest_all(&shown, texts.iter().map(String::as_str));
        let mut near: Vec<String> = near.into_iter().take(3).map(str::to_owned).collect();
        if near.is_empty() {
            near = texts.into_iter().take(3).collect();
        }
        let what = format!("{shown} is not a legal move here; choose one of the listed moves");
        ApiError::invalid("illegal", what).with("suggestions", json!(near))
    }

    /// Makes a turn of given moves, one for each role that has a choice.
    pub(super) fn make_given(
        self: &Arc<Self>,
        core: &mut Core,
        turn: &[String],
    ) -> Result<(), ApiError> {
        unended(core)?;
        let pending = core.current.pending();
        let info = self.open.playable.game.info();
        for (number, one) in pending.iter().enumerate() {
            let text = match turn.len() {
                all if all == info.roles.len() => turn.get(one.role.index()),
                all if all == core.seats.len() => turn.get(one.seat),
                _ => turn.get(number),
            };
            let text = text.map_or("", String::as_str);
            let choice = core.current.parse(one.role, text);
            let choice = choice.or_else(|| self.meant(core, one.role, text));
            let choice = choice.ok_or_else(|| self.not_legal(core, one.role, text))?;
            self.put(core, one.seat, Answer::choice(choice));
        }
        self.make_turn(core);
        Ok(())
    }

    /// Takes the last choice back.
    pub fn undo(self: &Arc<Self>, access: Access) -> Result<(), ApiError> {
        let mut core = self.lock();
        let core = &mut *core;
        self.may_go_back(core, access)?;
        if core.meta.mode == Mode::Standalone {
            let ply = core.meta.tree.back();
            return self.go(core, ply, "there is nothing to take back");
        }
        let seat = seat_of(access)?;
        let role = core.seats[seat].role;
        let stop = Stop::never();
        let done = magister::engine::within(self.hub.limits.step * 10, &stop, |stop| {
            core.current.take_back(role, 1, stop)
        });
        done.map_err(|_| ApiError::conflict("nothing", "there is nothing to take back"))?;
        self.rewound(core)
    }

    /// Redoes a choice that was taken back.
    pub fn redo(self: &Arc<Self>, access: Access) -> Result<(), ApiError> {
        let mut core = self.lock();
        let core = &mut *core;
        self.may_go_back(core, access)?;
        if core.meta.mode == Mode::Standalone {
            let ply = core.meta.tree.forth();
            return self.go(core, ply, "there is nothing to redo");
        }
        let role = core.seats[seat_of(access)?].role;
        let done = magister::engine::within(self.hub.limits.step * 10, &Stop::never(), |stop| {
            core.current.redo(role, 1, stop)
        });
        done.map_err(|_| ApiError::conflict("nothing", "there is nothing to redo"))?;
        self.rewound(core)
    }

    /// Goes to a ply or to another continuation.
    pub fn jump(self: &Arc<Self>, access: Access, to: JumpTo) -> Result<(), ApiError> {
        let mut core = self.lock();
        let core = &mut *core;
        self.may_go_back(core, access)?;
        if core.meta.mode != Mode::Standalone {
            let what = "only standalone matches can jump; GET plies/N shows an earlier position";
            return Err(ApiError::conflict("mode", what));
        }
        if let Some(node) = to.node {
            let turns = core.meta.tree.switch(node);
            let turns = turns.ok_or_else(|| ApiError::missing("there is no such continuation"))?;
            return self.rebuild(core, &turns);
        }
        self.go(core, to.ply, "the request names no ply")
    }

    fn go(
        self: &Arc<Self>,
        core: &mut Core,
        ply: Option<usize>,
        otherwise: &str,
    ) -> Result<(), ApiError> {
        let ply = ply.ok_or_else(|| ApiError::conflict("nothing", otherwise))?;
        let turns = core.meta.tree.go(ply);
        let turns = turns.ok_or_else(|| ApiError::missing(format!("there is no ply {ply}")))?;
        self.rebuild(core, &turns)
    }

    /// Replays a standalone match from its start. Its seed makes chance repeat its moves.
    fn rebuild(self: &Arc<Self>, core: &mut Core, turns: &[Vec<String>]) -> Result<(), ApiError> {
        let record = core.current.record();
        let setup = Setup {
            id: record.id.clone(),
            salt: Seed::parse(&record.salt),
            seats: record.seats.clone(),
            limits: record.limits.clone(),
            ..Setup::new(Seed::parse(&record.seed).unwrap_or(Seed::from(0)), Vec::new())
        };
        let game = &self.open.playable.game;
        let step = self.hub.limits.step;
        let made = magister::engine::within(step * 10, &Stop::never(), |stop| {
            let mut made = Match::new(game, &setup, stop)?;
            for turn in turns {
                for pending in made.pending() {
                    let text = turn.get(pending.seat).map_or("", String::as_str);
                    made.submit(pending.role, Answer::text(text))?;
                }
                made.advance(stop)?;
            }
            Ok::<Match, magister_core::MatchError>(made)
        })?;
        core.current = made;
        self.rewound(core)
    }

    /// Stores and announces that the match continues from another position.
    fn rewound(self: &Arc<Self>, core: &mut Core) -> Result<(), ApiError> {
        core.current.take_events();
        core.epoch += 1;
        core.closed = false;
        self.over.store(false, Ordering::Release);
        core.known.clear();
        core.messages.clear();
        core.track = super::Track::new(&self.open.playable.game);
        core.track.follow(core.current.record());
        let record = core.current.record().clone();
        core.stored = record.moves.len();
        core.unsaved.push(Entry::Rewound { record: Box::new(record) });
        core.unheard.push(Change::State);
        core.seats.iter_mut().for_each(super::Sitting::dismiss);
        if core.meta.mode == Mode::Standalone {
            self.save_meta(core)?;
        }
        self.settle(core)
    }

    /// Whether this viewer may take moves back.
    pub(super) fn may_go_back(&self, core: &Core, access: Access) -> Result<(), ApiError> {
        if core.meta.mode == Mode::Standalone {
            return match access {
                Access::Owner => Ok(()),
                _ => Err(ApiError::forbidden("only the player of this match can do that")),
            };
        }
        let seat = seat_of(access)?;
        if core.meta.rated {
            return Err(ApiError::forbidden("moves of rated matches cannot be taken back"));
        }
        if self.open.is_hidden() {
            let what = "moves cannot be taken back in games with hidden information";
            return Err(ApiError::forbidden(what));
        }
        let others = core.meta.seats.iter().enumerate().filter(|(number, _)| *number != seat);
        for (_, other) in others {
            if matches!(other.kind, SeatKind::Person | SeatKind::Remote) {
                let what = "moves against other people or remote players cannot be taken back";
                return Err(ApiError::forbidden(what));
            }
        }
        match core.current.end() {
            None | Some(MatchEnd::Terminal) => Ok(()),
            Some(_) => Err(ApiError::conflict("ended", "the match has ended")),
        }
    }

    /// Pauses the match.
    pub fn pause(self: &Arc<Self>, access: Access) -> Result<(), ApiError> {
        let mut core = self.lock();
        manages(access)?;
        if core.meta.rated && access != Access::Owner {
            return Err(ApiError::forbidden("rated matches cannot be paused"));
        }
        core.current.pause()?;
        core.meta.paused = true;
        core.seats.iter_mut().for_each(super::Sitting::dismiss);
        core.epoch += 1;
        self.announce(&mut core)
    }

    /// Continues a paused match.
    pub fn resume(self: &Arc<Self>, access: Access) -> Result<(), ApiError> {
        let mut core = self.lock();
        manages(access)?;
        core.current.resume()?;
        core.meta.paused = false;
        self.announce(&mut core)
    }

    /// Ends the match without a result.
    pub fn abort(self: &Arc<Self>, access: Access) -> Result<(), ApiError> {
        let mut core = self.lock();
        manages(access)?;
        if let Access::Seat(seat) = access {
            // A person cannot end a match for others, but may leave it.
            let alone = !core.meta.seats.iter().enumerate().any(|(number, other)| {
                number != seat && matches!(other.kind, SeatKind::Person | SeatKind::Remote)
            });
            if !alone {
                let role = core.seats[seat].role;
                core.current.leave(role)?;
                return self.announce(&mut core);
            }
        }
        core.current.abort("the match was aborted by its player")?;
        self.announce(&mut core)
    }

    /// Ends the match on behalf of the server.
    pub fn end(self: &Arc<Self>, why: &str) -> Result<(), ApiError> {
        let mut core = self.lock();
        core.current.abort(why)?;
        self.announce(&mut core)
    }

    /// Resigns.
    pub fn resign(self: &Arc<Self>, access: Access) -> Result<(), ApiError> {
        let mut core = self.lock();
        match access {
            Access::Seat(seat) => {
                let role = core.seats[seat].role;
                core.current.resign(role)?;
            }
            Access::Owner => core.current.abort("the match was aborted by its player")?,
            Access::Spectator => return Err(no_seat()),
        }
        self.announce(&mut core)
    }

    fn announce(self: &Arc<Self>, core: &mut Core) -> Result<(), ApiError> {
        core.current.take_events();
        core.unheard.push(Change::State);
        self.save_meta(core)?;
        self.settle(core)
    }

    /// The move that a strong player would make for a role, based on what the role knows.
    pub fn hint(self: &Arc<Self>, access: Access) -> Result<Value, ApiError> {
        let (view, role, rng, hidden) = {
            let core = self.lock();
            if core.meta.rated {
                return Err(ApiError::forbidden("there are no hints in rated matches"));
            }
            unended(&core)?;
            let pending = core.current.pending();
            let one = match access {
                Access::Seat(seat) => pending.iter().find(|one| one.seat == seat),
                Access::Owner if core.meta.mode == Mode::Standalone => {
                    pending.iter().find(|one| !one.forced).or(pending.first())
                }
                _ => return Err(no_seat()),
            };
            let Some(one) = one else {
                return Err(ApiError::conflict("turn", "it is not your turn, so there is no hint"));
            };
            let rng = Seed::from(core.current.turn() as u64).derive("hint").rng();
            (core.current.view(one.role).clone(), one.role, rng, self.open.is_hidden())
        };
        let strongest = Level::find("hard");
        let name = strongest.map_or("uct", |level| level.name);
        let source = Arc::new(spec(name)?);
        let game = Arc::clone(&self.open.playable.game);
        let control = TimeControl {
            time: Some(self.hub.limits.hint_time),
            iterations: None,
            start: None,
            grace: Duration::from_secs(2),
        };
        let mut thread = AgentThread::new(source, game, role)
            .map_err(|_| ApiError::unavailable("no thread could be started for a hint"))?;
        let answer = thread.decide(&view, rng, &control);
        let Said::Decision(decision) = answer.said else {
            return Err(ApiError::unavailable("no move was found in time; ask again"));
        };
        let mut values = Vec::new();
        let visits: u64 = decision.thoughts.iter().map(|one| one.visits).sum();
        for thought in &decision.thoughts {
            let mut object = json!(line(&self.open, role, thought.choice));
            let share = (visits > 0).then(|| thought.visits as f64 / visits as f64);
            object["value"] = json!(thought.value);
            object["share"] = json!(thought.probability.or(share));
            object["proven"] = json!(thought.proven);
            values.push(object);
        }
        let best = decision.thoughts.iter().find(|one| one.choice == decision.choice);
        let mut object = json!(line(&self.open, role, decision.choice));
        object["move"] = object["text"].clone();
        object["role"] = json!(role.index());
        object["value"] = json!(best.and_then(|one| one.value));
        object["values"] = json!(values);
        object["hidden"] = json!(hidden);
        Ok(object)
    }

    /// The move of a role with this text in the current position, for explanations.
    pub fn find_move(&self, role: Role, text: &str) -> Option<magister_core::Move> {
        let mut core = self.lock();
        let turn = core.current.turn();
        let (state, worker) = core.track.at(turn)?;
        let state = state.to_vec();
        worker.load(&state, &Stop::never()).ok()?;
        resolve(&*self.open.playable.game, &*worker, role, text)
    }
}

fn unended(core: &Core) -> Result<(), ApiError> {
    match core.current.end() {
        None => Ok(()),
        Some(_) => Err(ApiError::conflict("ended", "the match has ended; start a rematch")),
    }
}

fn seat_of(access: Access) -> Result<usize, ApiError> {
    match access {
        Access::Seat(seat) => Ok(seat),
        _ => Err(no_seat()),
    }
}

fn manages(access: Access) -> Result<(), ApiError> {
    if access == Access::Spectator { Err(no_seat()) } else { Ok(()) }
}

fn no_seat() -> ApiError {
    ApiError::new(
        axum::http::StatusCode::UNAUTHORIZED,
        "no-seat",
        "this needs the token of a seat in the header x-seat",
    )
}
