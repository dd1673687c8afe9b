//! Matches from the store: those that were running when the server ended, and past ones.

use std::sync::Arc;

use magister_core::{Match, PlayerKind, Stop};
use magister_store::{Entry, Status, Store as _, StoredMatch};

use super::{Hub, Live, Meta, Mode, SeatKind, SeatMeta};
use crate::ApiError;
use crate::games::{OpenGame, Wanted};

impl Live {
    /// The match of a log, exactly where it was. A running one goes on.
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
        let remote = meta.seats.iter().any(|seat| seat.kind == SeatKind::Remote);
        let live = Live::assemble(hub, id, open, current, meta)?;
        let mut core = live.lock();
        let core_ref = &mut *core;
        core_ref.current.take_events();
        // What the tree knows ends where it was written; the record has the rest.
        if core_ref.meta.mode == Mode::Standalone {
            live.extend_tree(core_ref);
        }
        let over = !running;
        if over {
            core_ref.closed = true;
            if stored.status != Status::Ended {
                let id = live.id.clone();
                hub.handle.block_on(hub.store.append(vec![Entry::Dismissed { id }]))?;
            }
        } else if remote && core_ref.current.turn() > 0 {
            // A remote player does not recognise the match under its new name.
            let why = "the server was restarted, and a remote player cannot be asked again";
            let _ = core_ref.current.abort(why);
            live.settle(core_ref)?;
        } else {
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

/// What a match from elsewhere is taken for: a tournament of the command line, or an import.
pub fn foreign(stored: &StoredMatch) -> Meta {
    let record = &stored.record;
    let seats = record.players.iter().enumerate().map(|(number, player)| {
        let kind = record.seats.get(number).map(|seat| seat.kind);
        let kind = match kind {
            Some(PlayerKind::Agent) if super::spec(player).is_ok() => SeatKind::Player,
            // The match is over, so this player is not asked again.
            _ => SeatKind::Person,
        };
        SeatMeta { kind, player: player.clone(), token: None }
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
