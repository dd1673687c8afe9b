//! Matches from the store: those that were running when the server stopped, and past ones.

use std::sync::Arc;

use magister_core::{Match, PlayerKind, Stop};
use magister_store::{Entry, RequestKind, Status, StoredMatch};

use super::remotes::{Engaged, unsure};
use super::{Hub, Live, Meta, Mode, SeatKind, SeatMeta, now_ms};
use crate::ApiError;
use crate::games::{OpenGame, Wanted};

impl Live {
    /// The match of a log, in exactly the same position. A running match continues.
    pub fn restore(
        hub: &Arc<Hub>,
        open: Arc<OpenGame>,
        stored: &StoredMatch,
        meta: Meta,
    ) -> Result<Arc<Self>, ApiError> {
        let id = stored.record.id.clone().unwrap_or_default();
        let game = &open.playable.game;
        let current = magister::engine::within(hub.limits.step * 10, &Stop::never(), |stop| {
            Match::from_record(game, &stored.record, stop)
        })?;
        let running = current.end().is_none();
        let live = Live::assemble(hub, id, open, current, meta)?;
        let mut core = live.lock();
        let core_ref = &mut *core;
        core_ref.current.take_events();
        for seat in 0..core_ref.seats.len() {
            let remote = core_ref.meta.seats[seat].kind == SeatKind::Remote;
            core_ref.seats[seat].started = remote && stored.was_started();
        }
        if stored.status != Status::Ended {
            core_ref.engaged = Some(Engaged::again(hub, &core_ref.meta));
        }
        // The tree ends where it was last saved; the record contains the rest.
        if core_ref.meta.mode == Mode::Standalone {
            live.extend_tree(core_ref);
        }
        if !running {
            core_ref.closed = true;
            core_ref.dismissed = true;
            if stored.status != Status::Ended {
                if stored.status == Status::Running {
                    let record = Box::new(core_ref.current.record().clone());
                    core_ref.unsaved.push(Entry::Ended { record, at_ms: now_ms() });
                }
                if !core_ref.meta.has_remote() {
                    core_ref.unsaved.push(Entry::Dismissed { id: live.id.clone() });
                }
                live.flush(core_ref)?;
                // Remote players may not have been informed of the end.
                for seat in 0..core_ref.seats.len() {
                    if let Some(farewell) = live.farewell(core_ref, seat) {
                        core_ref.farewells.push((seat, farewell));
                    }
                }
                live.dismiss(core_ref);
            }
        } else if let Some(why) = unsure(stored) {
            tracing::info!(id = live.id, "aborted: {why}");
            let _ = core_ref.current.abort(&why);
            live.settle(core_ref)?;
        } else {
            // Players that recognise duplicates are asked again, first with START if its answer is
            // missing.
            for key in stored.outstanding.iter().filter(|key| key.kind == RequestKind::Start) {
                core_ref.seats[key.seat].started = false;
            }
            let asked = stored.outstanding.len();
            tracing::info!(id = live.id, asked, "resumed");
            if core_ref.meta.paused {
                let _ = core_ref.current.pause();
                core_ref.current.take_events();
            }
            live.settle(core_ref)?;
        }
        drop(core);
        Ok(live)
    }

    fn extend_tree(&self, core: &mut super::Core) {
        let info = self.open.playable.game.info();
        let made = core.track.plies();
        let at = core.meta.tree.at().min(made);
        if core.meta.tree.go(at).is_none() {
            core.meta.tree = super::tree::Tree::default();
        }
        for turn in core.meta.tree.at()..made {
            let Some(step) = core.track.step_of(turn) else { continue };
            let chosen = core.track.choosers(turn).iter().any(|&role| Some(role) != info.chance);
            let moves = &core.current.record().moves[step];
            let moves = info.players().map(|role| moves[role.index()].clone()).collect();
            core.meta.tree.push(moves, chosen);
        }
    }
}

/// The assumed settings of a match from another source: a tournament of the command line, or an
/// import.
pub fn foreign(stored: &StoredMatch) -> Meta {
    let record = &stored.record;
    let seats = record.players.iter().enumerate().map(|(number, player)| {
        let kind = record.seats.get(number).map(|seat| seat.kind);
        let kind = match kind {
            Some(PlayerKind::Agent) if super::spec(player).is_ok() => SeatKind::Player,
            // The match is over, so this player is not asked again.
            _ => SeatKind::Person,
        };
        SeatMeta { kind, player: player.clone(), token: None, repeats: false }
    });
    Meta {
        game: match &stored.rules {
            Some(rules) => Wanted::Rules(rules.clone()),
            None => Wanted::Game(record.game.clone()),
        },
        mode: Mode::Match,
        seats: seats.collect(),
        owner: String::new(),
        start_ms: record.limits.start_ms.map(|ms| ms as u64),
        play_ms: record.limits.time_ms.map(|ms| ms as u64),
        iterations: None,
        rated: true,
        created: stored.started_ms,
        paused: false,
        tournament: stored.tournament.clone(),
        tree: super::tree::Tree::default(),
        client: String::new(),
    }
}
