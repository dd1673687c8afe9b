//! Values of combinatorial game theory, for games in which the last move wins.

use std::fmt::Write as _;
use std::time::Duration;

use magister_core::{Game, Halt, Move, Role, Stop};
use magister_decompose::cgt::Dyadic;
use magister_decompose::{NormalPlay, Region, within};
use magister_engine::Compiled;
use serde_json::{Value, json};

use super::describe::{fluents, list, move_text, moves};
use crate::commands::plural;

/// The time after which the form of a sum counts as too large to be shown.
const LARGE: Duration = Duration::from_secs(1);

/// A position of a game under normal play.
pub(super) struct Values {
    regions: Vec<(Region, String, String, String)>,
    /// The value of the position, its mean and its temperature; the value is not known if its form
    /// is too large.
    total: (Option<String>, String, Option<String>),
    /// The value for each role, and the best moves of the role to move.
    pub(super) value: Vec<f64>,
    best: Vec<(Role, Move)>,
    /// The number of regions that were evaluated.
    states: usize,
}

/// The values of a position; `None` if the game is not one of normal play.
pub(super) fn find(
    game: &dyn Game,
    state: &[u64],
    limit: usize,
    stop: &Stop,
) -> Result<Option<Values>, Halt> {
    let Some(mut play) = NormalPlay::new(game, stop)? else { return Ok(None) };
    let mut worker = game.worker();
    worker.load(state, stop)?;
    if worker.terminal() {
        return Ok(None);
    }
    let found = play.split(state, limit, stop)?;
    let mut mean = Dyadic::ZERO;
    let mut regions = Vec::new();
    for region in found {
        mean = mean + play.forms().thermograph(region.form).mean();
        let (text, mean, heat) = described(&mut play, region.form);
        regions.push((region, text, mean, heat));
    }
    let total = match within(LARGE, stop, |stop| play.form(state, limit, stop)) {
        Ok(form) => {
            let (text, mean, heat) = described(&mut play, form);
            (Some(text), mean, Some(heat))
        }
        Err(halt) if stop.is_set() => return Err(halt),
        Err(_) => (None, mean.to_string(), None),
    };
    let mover = play.mover(state);
    let value = play.values_of(state, limit, stop)?;
    let best = match play.moves(&mut *worker, mover, limit, stop)? {
        Some(moves) => moves.iter().filter(|m| m.likely > 0.0).map(|m| (mover, m.choice)).collect(),
        None => worker.legal(mover).iter().map(|&choice| (mover, choice)).collect(),
    };
    Ok(Some(Values { regions, total, value, best, states: play.valued() }))
}

fn described(
    play: &mut NormalPlay,
    form: magister_decompose::cgt::Form,
) -> (String, String, String) {
    let forms = play.forms();
    let graph = forms.thermograph(form);
    let text = forms.text(form);
    (text, graph.mean().to_string(), graph.temperature().to_string())
}

impl Values {
    /// Adds the values to a description; with `solution`, also as its solution.
    pub(super) fn add(&self, object: &mut Value, compiled: &Compiled, solution: Option<f64>) {
        let region = |(region, value, mean, temperature): &(Region, String, String, String)| {
            json!({
                "fluents": fluents(compiled, &region.fluents),
                "moves": moves(compiled, &region.moves),
                "value": value,
                "mean": mean,
                "temperature": temperature,
            })
        };
        let (value, mean, temperature) = &self.total;
        object["normal_play"] = json!({
            "regions": self.regions.iter().map(region).collect::<Vec<_>>(),
            "value": value,
            "mean": mean,
            "temperature": temperature,
        });
        let Some(seconds) = solution else { return };
        let info = compiled.info();
        let value: serde_json::Map<String, Value> = info
            .roles
            .iter()
            .zip(&self.value)
            .map(|(role, &value)| (role.clone(), json!(value)))
            .collect();
        object["solved"] = json!(true);
        object["method"] = json!("values of regions");
        object["value"] = Value::Object(value);
        object["best"] = self
            .best
            .iter()
            .map(|&(role, choice)| json!({"role": info.role_name(role), "move": move_text(compiled, choice)}))
            .collect();
        object["states"] = json!(self.states);
        object["seconds"] = json!(seconds);
        if let Some(object) = object.as_object_mut() {
            object.remove("reason");
        }
    }

    /// The values as text; with `solution`, also the winner.
    pub(super) fn text(&self, compiled: &Compiled, solution: bool) -> String {
        let info = compiled.info();
        let (value, mean, temperature) = &self.total;
        let of = |name: &str, known: &Option<String>| {
            known.as_ref().map_or_else(String::new, |known| format!("{name} {known}, "))
        };
        let mut text = format!(
            "normal play (the last move wins): {}mean {mean}, {}{}\n",
            of("value", value),
            of("temperature", temperature),
            plural(self.regions.len(), "region")
        );
        if self.regions.len() > 1 {
            for (region, value, mean, temperature) in &self.regions {
                let _ = writeln!(text, "  {value}, mean {mean}, temperature {temperature}:");
                text += &list("    ", &fluents(compiled, &region.fluents), false);
            }
        }
        if solution {
            let values: Vec<String> = info
                .roles
                .iter()
                .zip(&self.value)
                .map(|(role, value)| format!("{role} {value}"))
                .collect();
            let _ = writeln!(
                text,
                "solved by values of {}: {}",
                plural(self.states, "region"),
                values.join(", ")
            );
            let best: Vec<String> = self
                .best
                .iter()
                .map(|&(role, choice)| {
                    format!("{} {}", info.role_name(role), move_text(compiled, choice))
                })
                .collect();
            text += &list("best: ", &best, true);
        }
        text
    }
}
