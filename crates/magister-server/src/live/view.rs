//! A match as a viewer may see it.

use std::sync::Arc;

use magister_core::record::Viewer;
use magister_core::{Information, MatchEnd, Role};
use serde_json::{Value, json};

use super::{Core, Live, Mode, SeatKind, hash};
use crate::ApiError;
use crate::drawing::cards;
use crate::known::{Follow, Knowledge};
use crate::scene::{Made, MoveLine, Percept, Position, RoleMoves, Scene, line, show};
use crate::words::{is_idle, label};

/// The rights that the token of a request gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// No seat.
    Spectator,
    /// One seat.
    Seat(usize),
    /// The creator of the match; in a standalone match the player of all roles.
    Owner,
}

impl Access {
    /// Viewers with the same key see the same.
    pub(super) fn key(self) -> Option<usize> {
        match self {
            Access::Spectator => None,
            Access::Seat(seat) => Some(seat),
            Access::Owner => Some(usize::MAX),
        }
    }
}

impl Live {
    /// The rights that a token gives. A wrong token is an error, so that a typing mistake does not
    /// look like a game without moves.
    pub fn access(&self, token: Option<&str>) -> Result<Access, ApiError> {
        let Some(token) = token.filter(|token| !token.is_empty()) else {
            return Ok(Access::Spectator);
        };
        let hashed = hash(token);
        let core = self.lock();
        if core.meta.owner == hashed {
            return Ok(Access::Owner);
        }
        let seat = core.meta.seats.iter().position(|seat| seat.token.as_ref() == Some(&hashed));
        seat.map(Access::Seat).ok_or_else(|| {
            ApiError::forbidden(
                "this token does not belong to a seat of this match; leave it out to watch",
            )
        })
    }

    /// The match as a viewer may see it.
    pub fn json(&self, access: Access) -> Value {
        let mut core = self.lock();
        self.touch();
        self.whole(&mut core, access, true)
    }

    /// The position at a ply as a viewer may see it.
    pub fn scene_at(&self, access: Access, ply: usize) -> Result<Scene, ApiError> {
        let mut core = self.lock();
        if ply > core.current.turn() {
            return Err(ApiError::missing(format!(
                "the match has only {} plies",
                core.current.turn()
            )));
        }
        Ok(self.scene(&mut core, access, ply))
    }

    /// The part of the match record that a viewer may see.
    pub fn record(&self, access: Access) -> Value {
        let core = self.lock();
        let record = core.current.record();
        if record.end.is_some() || core.meta.mode == Mode::Standalone {
            return json!(record);
        }
        json!(record.seen_by(viewer(&core, access), self.open.playable.game.info()))
    }

    /// A line for a list of matches.
    pub fn summary(&self) -> Value {
        let core = self.lock();
        json!({
            "id": self.id,
            "game": self.open.name,
            "title": self.open.title,
            "mode": core.meta.mode,
            "state": state_name(&core),
            "seats": self.seats(&core, Access::Spectator),
            "plies": core.current.turn(),
            "rated": core.meta.rated,
            "created": core.meta.created,
            "tournament": core.meta.tournament,
        })
    }

    /// The rewards in seat order.
    pub fn rewards(&self) -> Vec<Option<f64>> {
        self.lock().current.record().rewards.clone()
    }

    /// The view of a role so far, if the viewer may know it.
    pub fn view_of(
        &self,
        access: Access,
        ply: Option<usize>,
    ) -> Result<magister_core::View, ApiError> {
        let core = self.lock();
        let Access::Seat(seat) = access else {
            return Err(ApiError::forbidden("this needs the token of a seat in the header x-seat"));
        };
        let mut view = core.current.view(core.seats[seat].role).clone();
        if let Some(ply) = ply {
            view.truncate(ply);
        }
        Ok(view)
    }

    /// The settings of the match, for a rematch.
    pub fn meta(&self) -> super::Meta {
        self.lock().meta.clone()
    }

    /// Whether every viewer sees everything.
    pub(super) fn sees_all(&self, core: &Core) -> bool {
        core.meta.mode == Mode::Standalone
            || core.current.end().is_some()
            || self.open.playable.game.info().information == Information::Perfect
    }

    pub(super) fn whole(&self, core: &mut Core, access: Access, with_shape: bool) -> Value {
        let info = self.open.playable.game.info();
        let turn = core.current.turn();
        let scene = self.scene(core, access, turn);
        let history: Vec<Value> = (0..turn).map(|at| self.entry(core, access, at)).collect();
        let record = core.current.record();
        let seen = record.seen_by(viewer(core, access), info);
        let faults = if core.meta.mode == Mode::Standalone { vec![] } else { seen.errors };
        let seats = self.seats(core, access);
        let mine = matches!(access, Access::Seat(_))
            || access == Access::Owner && core.meta.mode == Mode::Standalone;
        let running = core.current.end().is_none();
        let paused = core.current.is_paused();
        let back = self.may_go_back(core, access).is_ok();
        let reach = if let Access::Seat(seat) = access {
            core.current.reach(core.seats[seat].role)
        } else {
            let tree = &core.meta.tree;
            (usize::from(tree.back().is_some()), usize::from(tree.forth().is_some()))
        };
        let manages = access != Access::Spectator;
        let mut object = json!({
            "id": self.id,
            "game": self.open.name,
            "title": self.open.title,
            "mode": core.meta.mode,
            "state": state_name(core),
            "end": record.end,
            "seats": seats,
            "clocks": {"start_ms": core.meta.start_ms, "play_ms": core.meta.play_ms},
            "rated": core.meta.rated,
            "hidden": self.open.is_hidden(),
            "roles": info.roles,
            "chance_role": info.chance.map(Role::index),
            "viewer": scene.viewer,
            "plies": turn,
            "line": if core.meta.mode == Mode::Standalone { core.meta.tree.len() } else { turn },
            "history": history,
            "scene": scene,
            "faults": faults,
            "queue": self.queue(core),
            "created": core.meta.created,
            "seed_hash": record.seed_hash,
            "tournament": core.meta.tournament,
            "record": !running || core.meta.mode == Mode::Standalone || !self.open.is_hidden(),
            "may": {
                "move": mine && running && !paused,
                "undo": back && reach.0 > 0,
                "redo": back && reach.1 > 0,
                "jump": back && core.meta.mode == Mode::Standalone,
                "pause": manages && running && !paused
                    && (!core.meta.rated || access == Access::Owner),
                "resume": manages && running && paused,
                "abort": manages && running,
                "resign": mine && running,
                "hint": mine && running && !core.meta.rated,
            },
        });
        if core.meta.mode == Mode::Standalone {
            object["branches"] = branches(core);
        }
        if with_shape {
            object["shape"] = json!(self.open.drawing.shape());
            object["clues"] = json!(self.open.clues());
        }
        object
    }

    /// The place of the first waiting search of this match in the queue.
    fn queue(&self, core: &Core) -> Option<usize> {
        let tickets = core.seats.iter().filter_map(|seat| seat.asked?.ticket);
        tickets.filter_map(|ticket| self.hub.pool.place(ticket)).min()
    }

    pub(super) fn seats(&self, core: &Core, access: Access) -> Vec<Value> {
        let info = self.open.playable.game.info();
        let record = core.current.record();
        let seen = record.seen_by(viewer(core, access), info);
        let hides = !self.sees_all(core);
        let seats = core.seats.iter().zip(&core.meta.seats).enumerate();
        seats
            .map(|(number, (sitting, meta))| {
                let mistakes = seen.errors.iter().filter(|fault| fault.seat == Some(number));
                let faults = mistakes.filter(|fault| fault.kind.is_mistake()).count();
                let own = access == Access::Seat(number);
                // With hidden information, the thinking time of others could reveal what they know.
                let asked = sitting.asked.filter(|_| !hides || own || access == Access::Spectator);
                let left = core.meta.play_ms.map(|time| match asked.and_then(|one| one.since) {
                    Some(since) => time.saturating_sub(since.elapsed().as_millis() as u64),
                    None => time,
                });
                let queue = asked.and_then(|asked| self.hub.pool.place(asked.ticket?));
                let program = meta.kind != SeatKind::Person;
                json!({
                    "role": sitting.role.index(),
                    "name": info.role_name(sitting.role),
                    "kind": meta.kind,
                    "player": meta.player,
                    "clock_ms": left,
                    "connected": program || sitting.watching > 0
                        || core.meta.mode == Mode::Standalone,
                    "faults": faults,
                    "score": record.end.and(record.rewards.get(number).copied().flatten()),
                    "thinking": asked.is_some_and(|asked| asked.since.is_some()) && program,
                    "queue": queue,
                })
            })
            .collect()
    }

    /// The part of a turn that a viewer may see.
    pub(super) fn entry(&self, core: &mut Core, access: Access, turn: usize) -> Value {
        let moves = self.made(core, access, turn).map(|made| {
            let one = |made: &Made| {
                json!({"role": made.role, "text": made.line.text, "label": made.line.label})
            };
            made.iter().map(one).collect::<Vec<Value>>()
        });
        let mut entry = json!({"ply": turn + 1, "moves": moves});
        let percepts = self.percepts(core, access, turn);
        if !percepts.is_empty() {
            entry["percepts"] = json!(percepts);
        }
        entry
    }

    /// The moves of a turn that a viewer may see; `None` if it may see none.
    fn made(&self, core: &mut Core, access: Access, turn: usize) -> Option<Vec<Made>> {
        let info = self.open.playable.game.info();
        let all = self.sees_all(core);
        let own = match access {
            Access::Seat(seat) => Some(core.seats[seat].role),
            _ => None,
        };
        if !all && own.is_none() {
            return None;
        }
        let step = core.track.step_of(turn)?;
        let record = core.current.record();
        let texts = record.moves.get(step)?;
        let several = texts.iter().filter(|text| !is_idle(text)).count() > 0;
        let mut made = Vec::new();
        for (role, text) in info.all_roles().zip(texts) {
            let seen = all || own == Some(role);
            if seen && !(several && is_idle(text)) {
                made.push(Made { role: role.index(), line: self.line_of(role, text) });
            }
        }
        Some(made)
    }

    fn line_of(&self, role: Role, text: &str) -> MoveLine {
        let game = &*self.open.playable.game;
        match game.text().parse_move(role, text) {
            Some(choice) => line(&self.open, role, choice),
            None => MoveLine { text: text.to_owned(), label: label(text), from: None, to: None },
        }
    }

    /// The position at a ply as a viewer may see it.
    pub(super) fn scene(&self, core: &mut Core, access: Access, ply: usize) -> Scene {
        let info = self.open.playable.game.info();
        let now = ply == core.current.turn() && core.current.end().is_none();
        let pending: Vec<Role> = core.current.pending().iter().map(|one| one.role).collect();
        let own: Vec<Role> = match access {
            Access::Seat(seat) => vec![core.seats[seat].role],
            Access::Owner if core.meta.mode == Mode::Standalone => info.players().collect(),
            _ => Vec::new(),
        };
        let moving: Vec<Role> =
            own.iter().copied().filter(|role| now && pending.contains(role)).collect();
        let viewer = match access {
            Access::Seat(_) => own.first().map(|role| role.index()),
            _ => None,
        };
        let all = self.sees_all(core);
        let mut scene = if all {
            self.open_scene(core, &moving, ply)
        } else if let Access::Seat(_) = access {
            self.own_scene(core, own[0], &moving, ply)
        } else {
            Scene { acting: info.players().map(Role::index).collect(), ..Scene::default() }
        };
        scene.ply = ply;
        scene.viewer = viewer;
        let waits = |role: &&Role| all || own.contains(role) || access == Access::Spectator;
        scene.waiting = if now {
            pending.iter().filter(waits).map(|role| role.index()).collect()
        } else {
            Vec::new()
        };
        if ply > 0 {
            scene.last = self.made(core, access, ply - 1).unwrap_or_default();
            let chance = info.chance.map(Role::index);
            let drawn = scene.last.iter().find(|made| Some(made.role) == chance);
            scene.chance = drawn.map(|made| made.line.label.clone());
            scene.percepts = self.percepts(core, access, ply - 1);
            if let Some(place) = last_place(core, self, ply, &scene)
                && let Some(made) = scene.last.iter_mut().find(|made| made.line.to.is_none())
            {
                made.line.to = Some(place);
            }
        }
        scene
    }

    /// A position that may be shown completely.
    fn open_scene(&self, core: &mut Core, moving: &[Role], ply: usize) -> Scene {
        let totals = core.track.totals(ply).map(<[f64]>::to_vec);
        let over = core.current.end().is_some() && ply == core.current.turn();
        let rewards = core.current.record().rewards.clone();
        let Some((state, worker)) = core.track.at(ply) else { return Scene::default() };
        let state = state.to_vec();
        let mut position = Position { open: &self.open, worker, state: &state };
        let mut scene = position.scene(moving);
        let info = self.open.playable.game.info();
        scene.scores = match totals {
            Some(totals) => Some(totals.into_iter().map(Some).collect()),
            None if over => {
                let mut scores = vec![None; info.roles.len()];
                for (role, reward) in info.players().zip(rewards) {
                    scores[role.index()] = reward;
                }
                Some(scores)
            }
            None => None,
        };
        scene
    }

    /// The position as a role knows it.
    fn own_scene(&self, core: &mut Core, role: Role, moving: &[Role], ply: usize) -> Scene {
        let info = self.open.playable.game.info();
        let known = if ply == core.current.turn() {
            self.knowledge(core, role)
        } else {
            let mut view = core.current.view(role).clone();
            view.truncate(ply);
            let mut follow = Follow::new(&self.open.playable.game, role);
            Arc::new(follow.look(&self.open, &view))
        };
        let mut scene = Scene {
            acting: info.players().map(Role::index).collect(),
            exact: known.exact,
            positions: Some(known.positions),
            ..Scene::default()
        };
        if moving.contains(&role) {
            let moves = known.moves.iter().map(|&choice| line(&self.open, role, choice)).collect();
            scene.legal.push(RoleMoves { role: role.index(), moves });
        }
        show(&mut scene, &self.open.drawing, known.cells.clone(), known.facts.clone());
        scene
    }

    /// The current knowledge of a role.
    pub(super) fn knowledge(&self, core: &mut Core, role: Role) -> Arc<Knowledge> {
        let (epoch, turn) = (core.epoch, core.current.turn());
        if let Some((e, t, known)) = core.known.get(&role.index())
            && (*e, *t) == (epoch, turn)
        {
            return Arc::clone(known);
        }
        let game = &self.open.playable.game;
        let follow = core.follows.entry(role.index());
        let follow = follow.or_insert_with(|| Follow::new(game, role));
        let known = Arc::new(follow.look(&self.open, core.current.view(role)));
        core.known.insert(role.index(), (epoch, turn, Arc::clone(&known)));
        known
    }

    fn percepts(&self, core: &Core, access: Access, turn: usize) -> Vec<Percept> {
        let info = self.open.playable.game.info();
        let Some(step) = core.track.step_of(turn) else { return Vec::new() };
        let record = core.current.record();
        let Some(Some(percepts)) = record.percepts.get(step) else { return Vec::new() };
        let sees = |role: Role| match access {
            _ if self.sees_all(core) => true,
            Access::Seat(seat) => core.seats[seat].role == role,
            _ => false,
        };
        let game = &*self.open.playable.game;
        let own = match access {
            Access::Seat(seat) => Some(core.seats[seat].role),
            _ => None,
        };
        if cards::card_game(game).is_some() {
            // All players at the table see nearly the same; the one who moved sees the most.
            let idle = |role: &Role| {
                let made = record.moves.get(step).and_then(|texts| texts.get(role.index()));
                made.is_none_or(|text| is_idle(text))
            };
            let seeing = || info.players().filter(|role| sees(*role));
            let role = own.or_else(|| seeing().find(|role| !idle(role))).or(seeing().next());
            let texts = role.and_then(|role| percepts.get(role.index()));
            let text = texts.and_then(|texts| cards::news(game, own, texts));
            let text = text.filter(|text| !text.is_empty());
            let one = text.zip(role).map(|(text, role)| Percept { role: role.index(), text });
            return one.into_iter().collect();
        }
        let mut all = Vec::new();
        for (role, texts) in info.all_roles().zip(percepts).filter(|(role, _)| sees(*role)) {
            all.extend(texts.iter().map(|text| Percept { role: role.index(), text: text.clone() }));
        }
        all
    }
}

/// The only cell that the last turn filled, for a move that names none.
fn last_place(core: &mut Core, live: &Live, ply: usize, scene: &Scene) -> Option<usize> {
    if !live.sees_all(core) || scene.last.iter().all(|made| made.line.to.is_some()) {
        return None;
    }
    let after = scene.cells.as_ref()?;
    let (state, _) = core.track.at(ply - 1)?;
    let before = live.open.drawing.paint(&*live.open.playable.game, state).cells;
    let filled = |&cell: &usize| after[cell].is_some_and(|now| now != 0 && now != before[cell]);
    let mut cells = (0..after.len().min(before.len())).filter(filled);
    let found = cells.next();
    found.filter(|_| cells.next().is_none())
}

/// The name of the state of a match.
pub(super) fn state_name(core: &Core) -> &'static str {
    match core.current.end() {
        Some(MatchEnd::Aborted | MatchEnd::Left) => "aborted",
        Some(_) => "ended",
        None if core.current.is_paused() => "paused",
        None => "running",
    }
}

/// The continuations that branch off from the current line of a standalone match.
fn branches(core: &Core) -> Value {
    let branches = core.meta.tree.branches();
    let one = |branch: &super::tree::Branch<'_>| {
        let roles = core.seats.iter().map(|seat| seat.role);
        let moves: Vec<Value> = roles
            .zip(branch.moves)
            .filter(|(_, text)| !is_idle(text))
            .map(|(role, text)| json!({"role": role.index(), "text": text, "label": label(text)}))
            .collect();
        json!({"ply": branch.ply, "node": branch.node, "moves": moves})
    };
    branches.iter().map(one).collect()
}

fn viewer(core: &Core, access: Access) -> Viewer {
    match access {
        Access::Seat(seat) => Viewer::Role(core.seats[seat].role),
        Access::Owner if core.meta.mode == Mode::Standalone => Viewer::Referee,
        _ => Viewer::Spectator,
    }
}
