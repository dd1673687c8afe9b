//! Solutions by parts.

use std::fmt::Write as _;
use std::time::Duration;

use magister_decompose::{NotSolved, Solved};
use magister_engine::Compiled;
use serde_json::{Value, json};

use super::describe::{list, move_text};

pub(super) fn add(
    object: &mut Value,
    compiled: &Compiled,
    solved: &Result<Solved, NotSolved>,
    took: Duration,
) {
    let solved = match solved {
        Ok(solved) => solved,
        Err(why) => {
            object["solved"] = json!(false);
            object["reason"] = json!(why.to_string());
            return;
        }
    };
    let info = compiled.info();
    let value: serde_json::Map<String, Value> = info
        .roles
        .iter()
        .zip(&solved.value)
        .map(|(role, &value)| (role.clone(), json!(value)))
        .collect();
    object["solved"] = json!(true);
    object["method"] = json!(solved.method.name());
    object["value"] = Value::Object(value);
    let one = |role: magister_core::Role, choice| json!({"role": info.role_name(role), "move": move_text(compiled, choice)});
    object["best"] = solved.best.iter().map(|&(role, choice)| one(role, choice)).collect();
    object["first"] = solved
        .first
        .iter()
        .map(|&(role, choice, value)| {
            let mut object = one(role, choice);
            object["value"] = json!(value);
            object
        })
        .collect();
    object["states"] = json!(solved.states);
    object["seconds"] = json!(took.as_secs_f64());
    object["sizes"] = json!({
        "states": solved.sizes.states,
        "classes": solved.sizes.classes,
        "pruned": solved.sizes.pruned,
    });
    if let Some(nimbers) = &solved.nimbers {
        object["nimbers"] = json!(nimbers);
    }
}

pub(super) fn text(
    compiled: &Compiled,
    solved: &Result<Solved, NotSolved>,
    took: Duration,
) -> String {
    let solved = match solved {
        Ok(solved) => solved,
        Err(why) => return format!("not solved: {why}\n"),
    };
    let info = compiled.info();
    let values: Vec<String> = info
        .roles
        .iter()
        .zip(&solved.value)
        .map(|(role, value)| format!("{role} {value}"))
        .collect();
    let mut text = format!(
        "solved by {} in {:.6} s: {}\n",
        solved.method.name(),
        took.as_secs_f64(),
        values.join(", ")
    );
    let sizes = solved.sizes;
    let _ = writeln!(
        text,
        "states of the parts: {}, classes: {}, after pruning: {}, states searched: {}",
        sizes.states, sizes.classes, sizes.pruned, solved.states
    );
    if let Some(nimbers) = &solved.nimbers {
        let nimbers: Vec<String> = nimbers.iter().map(u32::to_string).collect();
        let _ = writeln!(text, "nimbers: {}", nimbers.join(", "));
    }
    let best: Vec<String> = solved
        .best
        .iter()
        .map(|&(role, choice)| format!("{} {}", info.role_name(role), move_text(compiled, choice)))
        .collect();
    text + &list("best: ", &best, true)
}
