//! The data about a game for programs that learn or keep records.

use std::sync::Arc;

use magister_core::{Game, Layout, Shape, StateObserver, ViewObserver};
use serde_json::{Value, json};

/// Adds the data of the prepared game: the number of its moves, if the rules fix them, its hashes,
/// and the shapes of its board and of the observations of states and views.
pub(super) fn add(object: &mut Value, game: &Arc<dyn Game>) {
    let info = game.info();
    if object["name"].is_null() {
        object["name"] = json!(info.name);
    }
    object["roles"] = json!(info.roles);
    object["chance"] = json!(info.chance.map(|role| info.role_name(role)));
    object["moves"] = json!(info.moves);
    object["rules_hash"] = json!(info.rules_hash);
    object["text_hash"] = json!(info.text_hash);
    object["board"] = game.board().map_or(Value::Null, |board| shape(board.shape()));
    object["observations"] = json!({
        "state": StateObserver::new(game).tensors(),
        "view": ViewObserver::new(game).tensors(),
    });
}

fn shape(shape: &Shape) -> Value {
    let layout = match shape.layout {
        Layout::Grid => "grid",
        Layout::Hexagons => "hexagons",
        Layout::Graph => "graph",
        _ => "other",
    };
    let mut object = json!({
        "cells": shape.cells.iter().map(|cell| &cell.name).collect::<Vec<_>>(),
        "values": shape.values,
        "layout": layout,
        "boards": shape.boards,
    });
    if shape.layout == Layout::Grid {
        object["columns"] = json!(distinct(shape.cells.iter().map(|cell| cell.x)));
        object["rows"] = json!(distinct(shape.cells.iter().map(|cell| cell.y)));
    }
    object
}

/// The number of distinct coordinates.
fn distinct(places: impl Iterator<Item = f32>) -> usize {
    let mut places: Vec<f32> = places.collect();
    places.sort_by(f32::total_cmp);
    places.dedup();
    places.len()
}
