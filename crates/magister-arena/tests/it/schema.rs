//! Records of many games against the published JSON Schema, `docs/match-record.schema.json`.

use std::sync::Arc;

use magister_arena::{Contest, TimeControl};
use magister_core::{
    Answer, FaultKind, Information, Match, MatchRecord, PlayerSource, Seat, Seed, Setup, Stop,
};
use magister_games::native;
use magister_players::Spec;
use serde_json::{Value, json};

fn schema() -> Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/match-record.schema.json");
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// The errors of a value: supports the part of JSON Schema that the schema uses, and panics on the
/// rest. With `strict`, keys that the schema does not name are errors too.
fn check(root: &Value, schema: &Value, value: &Value, at: &str, strict: bool) -> Vec<String> {
    let mut wrong = Vec::new();
    for (keyword, rule) in schema.as_object().unwrap() {
        match keyword.as_str() {
            "$schema" | "$defs" | "title" | "description" | "additionalProperties" => {}
            "$ref" => {
                let name = rule.as_str().unwrap().strip_prefix("#/$defs/").unwrap();
                wrong.extend(check(root, &root["$defs"][name], value, at, strict));
            }
            "type" => {
                let one = [rule.clone()];
                let kinds = rule.as_array().map_or(&one[..], Vec::as_slice);
                let is = |kind: &Value| match kind.as_str().unwrap() {
                    "null" => value.is_null(),
                    "boolean" => value.is_boolean(),
                    "integer" => value.is_u64() || value.is_i64(),
                    "number" => value.is_number(),
                    "string" => value.is_string(),
                    "array" => value.is_array(),
                    "object" => value.is_object(),
                    kind => panic!("unknown type {kind}"),
                };
                if !kinds.iter().any(is) {
                    wrong.push(format!("{at}: {value} is not {rule}"));
                }
            }
            "const" => wrong.extend((value != rule).then(|| format!("{at}: not {rule}"))),
            "enum" => {
                let known = rule.as_array().unwrap().contains(value);
                wrong.extend((!known).then(|| format!("{at}: {value} is not one of {rule}")));
            }
            "minimum" => {
                let less = value.as_f64().is_some_and(|number| number < rule.as_f64().unwrap());
                wrong.extend(less.then(|| format!("{at}: {value} is less than {rule}")));
            }
            "pattern" => {
                assert_eq!(rule, "^([0-9a-f]{64})?$", "the only supported pattern");
                let text = value.as_str().unwrap_or_default();
                let digits = text.chars().all(|c| matches!(c, '0'..='9' | 'a'..='f'));
                let fits = digits && (text.is_empty() || text.len() == 64);
                wrong.extend((!fits).then(|| format!("{at}: {value} does not match")));
            }
            "required" => {
                for key in rule.as_array().unwrap().iter().filter_map(Value::as_str) {
                    let missing = value.is_object() && value.get(key).is_none();
                    wrong.extend(missing.then(|| format!("{at}: `{key}` is missing")));
                }
            }
            "properties" => {
                for (key, value) in value.as_object().into_iter().flatten() {
                    let at = format!("{at}/{key}");
                    match rule.get(key) {
                        Some(rule) => wrong.extend(check(root, rule, value, &at, strict)),
                        None if strict => wrong.push(format!("{at} is not in the schema")),
                        None => {}
                    }
                }
            }
            "items" => {
                for (number, value) in value.as_array().into_iter().flatten().enumerate() {
                    wrong.extend(check(root, rule, value, &format!("{at}/{number}"), strict));
                }
            }
            keyword => panic!("the test does not support the keyword {keyword}"),
        }
    }
    wrong
}

fn assert_valid(schema: &Value, record: &MatchRecord) {
    let value = serde_json::to_value(record).unwrap();
    let wrong = check(schema, schema, &value, "", true);
    assert!(wrong.is_empty(), "{}: {wrong:?}", record.game);
}

#[test]
fn records_of_all_games_fit_the_schema() {
    let schema = schema();
    let limits = TimeControl { iterations: Some(20), ..TimeControl::default() };
    let mut keys = std::collections::BTreeSet::new();
    for (name, _, game) in native::all() {
        let game = game();
        let hidden = game.info().information == Information::Hidden;
        let player = if hidden { "honest" } else { "uct" };
        let source: Arc<dyn PlayerSource> = Arc::new(player.parse::<Spec>().unwrap());
        let players = vec![source; game.info().players().count()];
        let contest = Contest {
            max_steps: 6,
            opening: 1,
            thoughts: true,
            ..Contest::new(Arc::clone(&game), limits)
        };
        let record = contest.play(&players, Seed::from(1));
        assert_valid(&schema, &record);
        record.replay(&*game, &Stop::never()).unwrap_or_else(|error| panic!("{name}: {error}"));
        let value = serde_json::to_value(&record).unwrap();
        keys.extend(value.as_object().unwrap().keys().cloned());
    }
    // Nearly every field occurs here. The others are in the next test; no game in Rust has silent
    // steps.
    let all = schema["properties"].as_object().unwrap().keys();
    let unseen: Vec<&str> = all.filter(|key| !keys.contains(*key)).map(String::as_str).collect();
    assert_eq!(unseen, ["answers", "clairvoyant", "id", "round", "silent"]);
}

#[test]
fn faults_and_open_turns_fit_the_schema() {
    let schema = schema();
    let game = native::find("rock-paper-scissors").unwrap();
    let seats = vec![Seat::new("a"), Seat { asked_when_forced: true, ..Seat::new("b") }];
    let mut setup = Setup::new(Seed::from(1), seats);
    (setup.id, setup.round) = (Some("one".to_owned()), Some(2));
    let mut current = Match::new(&game, &setup, &Stop::never()).unwrap();
    let pending = current.pending();
    current.submit(pending[0].role, Answer::text("nonsense")).unwrap();
    assert_valid(&schema, current.record());
    assert_eq!(current.record().answers.len(), 1);
    let late = Answer::fault(FaultKind::Late, "it did not come in time");
    current.submit(pending[1].role, late).unwrap();
    current.reveal(pending[0].role);
    assert_valid(&schema, current.record());
    current.abort("enough").unwrap();
    assert_valid(&schema, current.record());
}

/// The check itself detects errors.
#[test]
fn invalid_records_are_found() {
    let schema = schema();
    let game = native::find("tictactoe").unwrap();
    let record = MatchRecord::new(game.info(), Seed::from(1));
    let good = serde_json::to_value(&record).unwrap();
    let wrong = |change: &dyn Fn(&mut Value)| {
        let mut value = good.clone();
        change(&mut value);
        check(&schema, &schema, &value, "", false).len()
    };
    assert_eq!(wrong(&|_| ()), 0);
    assert_eq!(wrong(&|value| value["colour"] = json!("blue")), 0, "readers ignore it");
    assert_eq!(wrong(&|value| value["schema"] = json!(1)), 1);
    assert_eq!(wrong(&|value| value["seed"] = json!("xyz")), 1);
    assert_eq!(wrong(&|value| value["moves"] = json!([["a", 1]])), 1);
    assert_eq!(wrong(&|value| value["end"] = json!("eaten")), 1);
    assert_eq!(wrong(&|value| drop(value.as_object_mut().unwrap().remove("players"))), 1);
    assert_eq!(wrong(&|value| value["errors"] = json!([{"step": -1}])), 4);
}
