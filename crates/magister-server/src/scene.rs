//! One position as a viewer may see it.

use std::collections::BTreeMap;

use magister_core::{Game, Move, Role, Step, Stop, Worker};
use serde::Serialize;

use crate::drawing::{Drawing, Fact, Painted};
use crate::games::OpenGame;
use crate::pieces::Piece;
use crate::words::label;

/// The maximum number of moves whose effect is computed to find their target cell.
const EFFECTS: usize = 80;

/// One position as a viewer may see it.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Scene {
    /// The number of turns made.
    pub ply: usize,
    /// Whether the position is terminal.
    pub terminal: bool,
    /// The role of the viewer; `None` for spectators.
    pub viewer: Option<usize>,
    /// The roles that have a choice.
    pub acting: Vec<usize>,
    /// The value of each cell; `null` if the viewer does not know it.
    pub cells: Option<Vec<Option<u16>>>,
    /// Values that the shape does not list.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub values: BTreeMap<u16, Named>,
    /// The facts that are not on the board.
    pub facts: Vec<Fact>,
    /// The legal moves of the roles that the viewer may play.
    pub legal: Vec<RoleMoves>,
    /// The moves of the last turn.
    pub last: Vec<Made>,
    /// The percepts of the viewer in the last turn.
    pub percepts: Vec<Percept>,
    /// The move of chance in the last turn.
    pub chance: Option<String>,
    /// The scores by role: at the end, or so far in games with intermediate rewards.
    pub scores: Option<Vec<Option<f64>>>,
    /// The roles whose decision is missing.
    pub waiting: Vec<usize>,
    /// Whether the position is certain; false if it contains the common properties of a sample of
    /// the possible positions.
    pub exact: bool,
    /// The number of positions that the viewer considers possible, with hidden information.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub positions: Option<usize>,
}

/// A value with its drawing.
#[derive(Clone, Debug, Serialize)]
pub struct Named {
    /// Its name.
    pub name: String,
    /// Its drawing.
    pub piece: Piece,
}

/// The moves of a role.
#[derive(Clone, Debug, Serialize)]
pub struct RoleMoves {
    /// The role.
    pub role: usize,
    /// Its moves.
    pub moves: Vec<MoveLine>,
}

/// A move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MoveLine {
    /// In the syntax of the rules.
    pub text: String,
    /// The text for people.
    pub label: String,
    /// Its origin cell.
    pub from: Option<usize>,
    /// Its target cell.
    pub to: Option<usize>,
}

/// A move that was made.
#[derive(Clone, Debug, Serialize)]
pub struct Made {
    /// The role.
    pub role: usize,
    /// The move.
    #[serde(flatten)]
    pub line: MoveLine,
}

/// A percept of a role.
#[derive(Clone, Debug, Serialize)]
pub struct Percept {
    /// The role.
    pub role: usize,
    /// In the syntax of the rules.
    pub text: String,
}

/// A state with a worker in it.
pub struct Position<'a> {
    /// The game.
    pub open: &'a OpenGame,
    /// A worker, which is left in another state.
    pub worker: &'a mut dyn Worker,
    /// The state.
    pub state: &'a [u64],
}

impl std::fmt::Debug for Position<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Position").field("game", &self.open.name).finish_non_exhaustive()
    }
}

impl Position<'_> {
    /// The whole state as a scene, with the legal moves of these roles.
    pub fn scene(&mut self, roles: &[Role]) -> Scene {
        let game = &*self.open.playable.game;
        let painted = self.open.drawing.paint(game, self.state);
        let mut scene = Scene { exact: true, ..Scene::default() };
        if self.worker.load(self.state, &Stop::never()).is_err() {
            return scene;
        }
        let info = game.info();
        scene.terminal = self.worker.terminal();
        if !scene.terminal {
            let acts = |role: &Role| self.worker.legal(*role).len() > 1;
            scene.acting = info.players().filter(acts).map(Role::index).collect();
            for &role in roles {
                let legal = self.worker.legal(role).to_vec();
                if legal.len() > 1 || legal.iter().any(|&choice| !idle(game, choice)) {
                    let moves = self.moves(role, &legal, &painted);
                    scene.legal.push(RoleMoves { role: role.index(), moves });
                }
            }
        }
        show(
            &mut scene,
            &self.open.drawing,
            painted.cells.into_iter().map(Some).collect(),
            painted.facts,
        );
        scene
    }

    /// Moves with the cells that they name. If a move names none, its effect may be on one cell.
    fn moves(&mut self, role: Role, legal: &[Move], before: &Painted) -> Vec<MoveLine> {
        let mut lines: Vec<MoveLine> =
            legal.iter().map(|&choice| line(self.open, role, choice)).collect();
        let placeless = lines.iter().filter(|line| line.to.is_none()).count();
        if before.cells.is_empty() || placeless == 0 || placeless > EFFECTS {
            return lines;
        }
        let info = self.open.playable.game.info();
        let joint: Option<Vec<Move>> = info
            .all_roles()
            .map(|one| match self.worker.legal(one) {
                [only] => Some(*only),
                _ if one == role => Some(Move::IDLE),
                _ => None,
            })
            .collect();
        let Some(mut joint) = joint else { return lines };
        let mut step = Step::new();
        let mut after = Vec::new();
        for (line, &choice) in lines.iter_mut().zip(legal).filter(|(line, _)| line.to.is_none()) {
            joint[role.index()] = choice;
            if self.worker.load(self.state, &Stop::never()).is_err()
                || self.worker.step(&joint, &mut step, &Stop::never()).is_err()
            {
                continue;
            }
            self.worker.save(&mut after);
            let painted = self.open.drawing.paint(&*self.open.playable.game, &after);
            (line.from, line.to) = effect(&before.cells, &painted.cells);
        }
        let _ = self.worker.load(self.state, &Stop::never());
        lines
    }
}

/// Puts cells and facts into a scene.
pub fn show(scene: &mut Scene, drawing: &Drawing, cells: Vec<Option<u16>>, facts: Vec<Fact>) {
    scene.facts = facts;
    if drawing.shape().is_some() {
        let later = drawing.later(&cells).into_iter();
        scene.values =
            later.map(|(number, (name, piece))| (number, Named { name, piece })).collect();
        scene.cells = Some(cells);
    }
}

/// A move of a role with the cells that it names.
pub fn line(open: &OpenGame, role: Role, choice: Move) -> MoveLine {
    let game = &*open.playable.game;
    let text = game.text().move_text(choice);
    let (from, to) = open.drawing.target(game, role, choice);
    MoveLine { label: label(&text), text, from, to }
}

/// Whether a move does nothing.
pub fn idle(game: &dyn Game, choice: Move) -> bool {
    choice == Move::IDLE || crate::words::is_idle(&game.text().move_text(choice))
}

/// The origin and target of a move, if they can be inferred from the cells that it changes.
fn effect(before: &[u16], after: &[u16]) -> (Option<usize>, Option<usize>) {
    let changed = || (0..before.len().min(after.len())).filter(|&cell| before[cell] != after[cell]);
    let filled: Vec<usize> = changed().filter(|&cell| after[cell] != 0).collect();
    let emptied: Vec<usize> = changed().filter(|&cell| after[cell] == 0).collect();
    match (&filled[..], &emptied[..]) {
        ([to], [from]) => (Some(*from), Some(*to)),
        ([to], _) | ([], [to]) => (None, Some(*to)),
        _ => (None, None),
    }
}
