//! The style checker: previews of a game with a `style.toml`, on sample positions.

use magister_games::catalogue;
use serde_json::{Value, json};

use crate::ApiError;
use crate::drawing::Drawing;
use crate::games::OpenGame;
use crate::scene::{Scene, show};

/// The maximum size of a style, in bytes.
const LARGEST: usize = 64 << 10;
/// The number of sample positions.
const POSITIONS: usize = 6;

/// The style of a game of the catalogue as text; empty if it has none.
pub fn of(open: &OpenGame) -> &'static str {
    let base = open.name.split('/').next().unwrap_or_default();
    catalogue::find(base).filter(|_| open.text.is_none()).map_or("", |entry| entry.style_text)
}

/// The shape and sample positions of a game under a style. The same seed gives the same positions,
/// so that an author sees the effect of an edit.
pub fn preview(open: &OpenGame, text: &str, seed: u64) -> Result<Value, ApiError> {
    if text.len() > LARGEST {
        let what = format!("a style may have at most {LARGEST} bytes");
        return Err(ApiError::new(axum::http::StatusCode::PAYLOAD_TOO_LARGE, "too-large", what));
    }
    let style = catalogue::parse_style(text).map_err(|what| ApiError::invalid("style", what))?;
    let game = &*open.playable.game;
    let drawing = Drawing::styled(&open.playable, &style);
    let states = crate::drawing::sample(game, seed);
    let every = (states.len() / POSITIONS).max(1);
    let scenes: Vec<Value> = states
        .iter()
        .enumerate()
        .step_by(every)
        .take(POSITIONS)
        .map(|(number, state)| {
            let painted = drawing.paint(game, state);
            let mut scene = Scene { ply: number, exact: true, ..Scene::default() };
            let cells = painted.cells.into_iter().map(Some).collect();
            show(&mut scene, &drawing, cells, painted.facts);
            json!(scene)
        })
        .collect();
    Ok(json!({"shape": drawing.shape(), "scenes": scenes, "roles": game.info().roles}))
}
