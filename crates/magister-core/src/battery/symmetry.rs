//! Whether declared symmetries hold: plays a game and its image together.

use super::snapshot::Snapshot;
use super::{Options, Report, shown};
use crate::{Game, Move, Rng, Step, Stop, Symmetry};

/// The number of walks per symmetry. Groups can be large, and a wrong symmetry shows quickly.
const WALKS: u64 = 4;

pub(super) fn check(game: &dyn Game, options: &Options, report: &mut Report) {
    let info = game.info();
    let (cells, values) = game
        .board()
        .map_or((0, 0), |board| (board.shape().cells.len(), board.shape().values.len()));
    if info.moves.is_none() && !game.symmetries().is_empty() {
        report.fail("symmetry", "", "symmetries need a number of moves that is known in advance");
        return;
    }
    let moves = info.moves.unwrap_or(0) as usize;
    for (number, symmetry) in game.symmetries().iter().enumerate() {
        if !symmetry.is_permutation(cells, values, moves, info.roles.len()) {
            let what =
                format!("symmetry {number} is not a permutation of cells, values, moves and roles");
            report.fail("symmetry", "", what);
            continue;
        }
        for walk in 0..WALKS.min(u64::from(options.walks)) {
            let seed = options.seed.derive("symmetry").derive_index(number as u64);
            let mut rng = seed.derive_index(walk).rng();
            if let Some((what, position)) = side_by_side(game, symmetry, options, &mut rng) {
                report.fail("symmetry", &position, format!("symmetry {number}: {what}"));
                break;
            }
        }
    }
}

/// Plays a random game and its image up to the first difference, and reports the difference and the
/// position.
fn side_by_side(
    game: &dyn Game,
    symmetry: &Symmetry,
    options: &Options,
    rng: &mut Rng,
) -> Option<(&'static str, String)> {
    let (mut worker, mut image) = (game.worker(), game.worker());
    let (mut out, mut image_out) = (Step::new(), Step::new());
    for _ in 0..options.max_steps {
        let here = Snapshot::take(&*worker);
        let there = Snapshot::take(&*image);
        if let Some(what) = difference(game, symmetry, &here, &there) {
            return Some((what, shown(game, &here.words)));
        }
        if here.terminal || here.legal.iter().any(Vec::is_empty) {
            return None;
        }
        let joint: Vec<Move> =
            here.legal.iter().map(|list| list[rng.below(list.len() as u64) as usize]).collect();
        let mut image_joint = joint.clone();
        for (role, &choice) in game.info().all_roles().zip(&joint) {
            image_joint[symmetry.of_role(role).index()] = symmetry.of_move(choice);
        }
        let stop = Stop::never();
        if worker.step(&joint, &mut out, &stop).is_err() {
            return None; // The random walks have found and reported this.
        }
        if image.step(&image_joint, &mut image_out, &stop).is_err() {
            return Some(("the image of a joint move is illegal", shown(game, &here.words)));
        }
        let image_gain = |role| image_out.gains[symmetry.of_role(role).index()];
        if !game.info().all_roles().map(image_gain).eq(out.gains.iter().copied()) {
            return Some(("the image of a step pays differently", shown(game, &here.words)));
        }
    }
    None
}

fn difference(
    game: &dyn Game,
    symmetry: &Symmetry,
    here: &Snapshot,
    there: &Snapshot,
) -> Option<&'static str> {
    if here.terminal != there.terminal {
        return Some("only one of a state and its image is terminal");
    }
    for role in game.info().all_roles() {
        let (own, other) = (role.index(), symmetry.of_role(role).index());
        // Chance is compared together with its weights.
        let weighted = |snapshot: &Snapshot, role: usize, map: &dyn Fn(Move) -> Move| {
            let chance = game.info().chance.is_some_and(|chance| chance.index() == role);
            let mut list: Vec<(Move, u32)> = snapshot.legal[role]
                .iter()
                .enumerate()
                .map(|(index, &choice)| {
                    let weight = if chance { snapshot.weights.get(index) } else { None };
                    (map(choice), weight.copied().unwrap_or(1))
                })
                .collect();
            list.sort_unstable();
            list
        };
        let image = weighted(here, own, &|choice| symmetry.of_move(choice));
        if image != weighted(there, other, &|choice| choice) {
            return Some("the image of the legal moves differs from the legal moves of the image");
        }
        if here.goals[own] != there.goals[other] {
            return Some("the image of a state pays differently");
        }
    }
    if let Some(board) = game.board() {
        let count = board.shape().cells.len();
        let (mut cells, mut image) = (vec![0; count], vec![0; count]);
        board.cells(&here.words, &mut cells);
        board.cells(&there.words, &mut image);
        let agree = cells.iter().zip(&symmetry.cells).all(|(&value, &cell)| {
            symmetry.values.get(usize::from(value)) == Some(&image[cell as usize])
        });
        if !agree {
            return Some("the image of the board is not the board of the image");
        }
    }
    None
}
