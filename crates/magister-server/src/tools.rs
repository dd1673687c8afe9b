//! Tools for authors and students: check, format, convert, explain, analyze, information sets.

use std::sync::Arc;
use std::time::Duration;

use magister::engine::board::fluents;
use magister::engine::explain::{Extent, Scene as Explained};
use magister::engine::{Explainer, Ground, within};
use magister::{Findings, FrontEnd, Input, Language, Reading};
use magister_arena::{AgentThread, Deadline, TimeControl};
use magister_core::{Budget, Information, Observation, Role, Said, Seed, Stop, Turn, View};
use magister_gdl::{Dialect, Options, Syntax};
use magister_infoset::{Belief, InfosetLimits, Known, Settings};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::ApiError;
use crate::games::OpenGame;
use crate::live::spec;
use crate::reached::Reached;
use crate::scene::line;
use crate::words::label;

/// The time limit for an explanation or an information set.
const PATIENCE: Duration = Duration::from_secs(10);
/// The maximum number of optimised rules that are shown.
const WRITTEN: usize = 2_000;
/// The extent of a proof that is useful to a person.
const EXTENT: Extent = Extent { depth: 4, width: 4, history: 0 };

/// Findings in the format of the API: positions are UTF-16 offsets, as editors in browsers count
/// them.
pub fn diagnostics(findings: &Findings) -> Value {
    let text = &findings.input().text;
    let starts: Vec<usize> = {
        let lines = magister_diagnostic::Lines::new(text);
        (0..lines.count()).filter_map(|line| lines.start(line)).collect()
    };
    let before: Vec<usize> = {
        // The UTF-16 offset of each line start.
        let mut sum = 0;
        let mut all = Vec::new();
        for (number, &start) in starts.iter().enumerate() {
            all.push(sum);
            let end = starts.get(number + 1).copied().unwrap_or(text.len());
            sum += text[start..end].chars().map(char::len_utf16).sum::<usize>();
        }
        all
    };
    let offset = |line: &Value, column: &Value| {
        let line = (line.as_u64().unwrap_or(1).max(1) - 1) as usize;
        let column = (column.as_u64().unwrap_or(1).max(1) - 1) as usize;
        let Some(&start) = starts.get(line) else { return before.last().copied().unwrap_or(0) };
        let wide: usize = text[start..].chars().take(column).map(char::len_utf16).sum();
        before[line] + wide
    };
    let all = findings.json().into_iter().filter_map(|one| serde_json::from_str(&one).ok());
    all.map(|mut one: Value| {
        one["start"] = json!(offset(&one["line"], &one["column"]));
        one["end"] = json!(offset(&one["end_line"], &one["end_column"]));
        if let Some(object) = one.as_object_mut() {
            object.remove("file");
        }
        one
    })
    .collect()
}

fn input(text: &str) -> Input {
    Input { name: "rules".to_owned(), text: text.to_owned(), exact: true }
}

/// Checks rules. Whether they are playable is tested only if they have no errors.
pub fn check(text: &str, time: Duration) -> Value {
    let input = input(text);
    let reading = Reading::default();
    let findings = magister::check(&input, &reading);
    let mut found = diagnostics(&findings);
    let options = magister::Options::default();
    let source = options.read_text("rules", text).ok();
    let language = source.as_ref().map(magister::Source::language);
    let mut roles = Vec::new();
    let mut playable = false;
    if !findings.has_errors() {
        let opened = within(time, &Stop::never(), |stop| {
            let options = magister::Options { stop: stop.clone(), ..magister::Options::default() };
            options.open_text("rules", text)
        });
        match opened {
            Ok(game) => {
                playable = true;
                roles.clone_from(&game.game.info().roles);
            }
            Err(error) => {
                let help = "correct the rules so that a match can start";
                let one = json!({
                    "severity": "error", "code": "", "message": error.to_string(), "help": help,
                    "start": 0, "end": 0, "line": 1, "column": 1,
                });
                if let Some(list) = found.as_array_mut() {
                    list.push(one);
                }
            }
        }
    }
    let name = match (language, magister::recognise(&input)) {
        (Some(language), _) => language.name(),
        (None, FrontEnd::Recycle) => Language::Recycle.name(),
        (None, _) => "GDL",
    };
    json!({"language": name, "diagnostics": found, "roles": roles, "playable": playable})
}

fn refused(text: &str, what: &str) -> ApiError {
    let findings = magister::check(&input(text), &Reading::default());
    ApiError::invalid("rules", what).with("diagnostics", diagnostics(&findings))
}

/// Rules in the standard layout.
pub fn format(text: &str) -> Result<String, ApiError> {
    let unread =
        || refused(text, "rules with syntax errors cannot be formatted; correct them first");
    if magister::recognise(&input(text)) == FrontEnd::Recycle {
        let limits = Reading::default().recycle.limits;
        return magister_recycle::format(text, &limits).ok_or_else(unread);
    }
    let sheet = magister_gdl::read(text, &Options::default());
    if sheet.diagnostics.has_errors() {
        return Err(unread());
    }
    magister_gdl::print(&sheet.rules, text, sheet.rules.syntax).map_err(|_| unread())
}

/// Rules in another syntax or dialect: `prefix`, `infix`, `gdl` or `gdl2`.
pub fn convert(text: &str, to: &str) -> Result<String, ApiError> {
    if magister::recognise(&input(text)) == FrontEnd::Recycle {
        return Err(ApiError::invalid("language", "RECYCLE cannot be converted to GDL"));
    }
    let sheet = magister_gdl::read(text, &Options::default());
    if sheet.diagnostics.has_errors() {
        let what = "rules with syntax errors cannot be converted; correct them first";
        return Err(refused(text, what));
    }
    let rules = &sheet.rules;
    let operations = rules.dialect == Dialect::Operations;
    let (dialect, syntax) = match to {
        "prefix" | "kif" if operations => (Dialect::Gdl, Syntax::Kif),
        "prefix" | "kif" => (rules.dialect, Syntax::Kif),
        "infix" | "hrf" => (rules.dialect, Syntax::Infix),
        "gdl" => (Dialect::Gdl, rules.syntax),
        "gdl2" => (Dialect::Gdl2, rules.syntax),
        _ => return Err(ApiError::bad("`to` is one of prefix, infix, gdl and gdl2")),
    };
    let done = magister_gdl::translate(rules, dialect)
        .map_err(|found| ApiError::invalid("convert", first_problem(&found)))?;
    magister_gdl::print(&done.rules, text, syntax)
        .map_err(|found| ApiError::invalid("convert", first_problem(&found)))
}

fn first_problem(found: &magister_gdl::Diagnostics) -> String {
    let first = found.as_slice().first().map(|one| one.message.clone());
    format!("the rules cannot be converted: {}", first.unwrap_or_default())
}

/// Values of all moves of the roles that have a choice, by a player of the registry.
pub fn analyze(
    reached: &Reached,
    player: &str,
    iterations: u64,
    time: Duration,
) -> Result<Value, ApiError> {
    let game = &reached.open.playable.game;
    let info = game.info();
    if info.information == Information::Hidden {
        let what = "a position of a game with hidden information can be evaluated only from the \
                    view of a role; play a match and ask for a hint there";
        return Err(ApiError::invalid("hidden", what));
    }
    let spec = spec(player)?;
    let mut worker = game.worker();
    worker.load(&reached.state, &Stop::never())?;
    let mut evaluation: Vec<Option<f64>> = vec![None; info.roles.len()];
    if worker.terminal() {
        let mut goals = Vec::new();
        for role in info.players() {
            worker.goals(role, &mut goals);
            evaluation[role.index()] = goals.first().copied();
        }
        return Ok(json!({
            "roles": [], "evaluation": evaluation, "scene": reached.scene(), "state": reached.facts(),
        }));
    }
    let acting: Vec<Role> = info.players().filter(|&role| worker.legal(role).len() > 1).collect();
    let control = TimeControl {
        time: Some(time),
        iterations: Some(iterations.clamp(1, 1_000_000)),
        start: None,
        grace: Duration::from_secs(2),
    };
    let mut roles = Vec::new();
    for role in acting.iter().copied() {
        let mut thread = AgentThread::new(Arc::new(spec.clone()), reached.game(), role)
            .map_err(|_| ApiError::unavailable("no thread could be started"))?;
        let rng = Seed::from(1).derive("analyze").rng();
        let answer = thread.decide(&reached.view(role), rng, &control);
        let Said::Decision(decision) = answer.said else {
            return Err(ApiError::unavailable(
                "the player found no move in time; allow more iterations",
            ));
        };
        let visits: u64 = decision.thoughts.iter().map(|one| one.visits).sum();
        let moves: Vec<Value> = decision
            .thoughts
            .iter()
            .map(|one| {
                let mut object = json!(line(&reached.open, role, one.choice));
                let share = (visits > 0).then(|| one.visits as f64 / visits as f64);
                object["value"] = json!(one.value);
                object["visits"] = json!(one.visits);
                object["share"] = json!(one.probability.or(share));
                object["proven"] = json!(one.proven);
                object
            })
            .collect();
        let best = decision.thoughts.iter().find(|one| one.choice == decision.choice);
        let value = best.and_then(|one| one.value);
        evaluation[role.index()] = value;
        let continuation: Vec<Vec<String>> = decision
            .line
            .iter()
            .map(|joint| joint.iter().map(|&one| game.text().move_text(one)).collect())
            .collect();
        roles.push(json!({
            "role": role.index(), "move": line(&reached.open, role, decision.choice), "value": value,
            "moves": moves, "line": continuation, "iterations": decision.iterations,
            "time_ms": answer.time.as_secs_f64() * 1e3,
        }));
    }
    // If the rewards have a constant sum, the value of one side gives that of the other.
    let players: Vec<Role> = info.players().collect();
    if let (Some(sum), [one, other]) = (info.constant_sum, &players[..]) {
        match (evaluation[one.index()], evaluation[other.index()]) {
            (Some(value), None) => evaluation[other.index()] = Some(sum - value),
            (None, Some(value)) => evaluation[one.index()] = Some(sum - value),
            _ => {}
        }
    }
    Ok(json!({
        "roles": roles, "evaluation": evaluation, "scene": reached.scene(),
        "state": reached.facts(),
    }))
}

/// Why a move is legal or not.
pub fn explain(reached: &Reached, role: Role, choice: &str) -> Result<Value, ApiError> {
    let open = &reached.open;
    let source = &open.playable.source;
    let (Some(rules), Some(program)) = (source.rulesheet(), source.program()) else {
        let what = "only rules in GDL can be explained";
        return Err(ApiError::invalid("language", what));
    };
    let program = program.map_err(|error| ApiError::invalid("rules", error.to_string()))?;
    let term = Ground::read_either(choice, rules.syntax)
        .ok_or_else(|| ApiError::invalid("move", "the move cannot be read; write it as a term"))?;
    let game = &*open.playable.game;
    let name = game.info().role_name(role);
    let args = match rules.dialect {
        Dialect::Operations => vec![term],
        _ => vec![Ground::constant(name), term],
    };
    let atom = Ground { name: "legal".into(), args: Some(args.into()) };
    let scene = Explained { state: fluents(game, &reached.state), ..Explained::default() };
    let question = atom.text(rules.syntax);
    within(PATIENCE, &Stop::never(), |stop| {
        let mut explainer = Explainer::new(program, rules.syntax, &question, &scene)
            .map_err(|error| ApiError::invalid("move", error.to_string()))?;
        let explanation = explainer.explain(EXTENT, stop)?;
        let text = explainer.text(&explanation);
        let reasons: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        Ok(json!({"legal": explanation.holds, "reasons": reasons}))
    })
}

/// A role's move and percepts in a turn.
#[derive(Clone, Debug, Deserialize)]
pub struct Lived {
    /// Its move.
    #[serde(rename = "move")]
    pub own: String,
    /// Its percepts.
    #[serde(default)]
    pub percepts: Vec<String>,
}

/// The view of a role with these moves and percepts.
pub fn view_of(open: &OpenGame, role: Role, lived: &[Lived]) -> Result<View, ApiError> {
    let game = &open.playable.game;
    let mut view = View::new(Arc::clone(game), role);
    for turn in lived {
        let unknown = |what: &str| {
            ApiError::invalid(
                "history",
                format!("{} does not occur in the rules of this game", label(what)),
            )
        };
        let own = game.text().parse_move(role, &turn.own).ok_or_else(|| unknown(&turn.own))?;
        let mut percepts = Vec::new();
        for text in &turn.percepts {
            percepts.push(game.text().parse_percept(text).ok_or_else(|| unknown(text))?);
        }
        percepts.sort_unstable();
        view.push(Turn { own, seen: Observation::Percepts(percepts.into()) });
    }
    Ok(view)
}

/// What a role knows: its information set, with the certain and the likely facts.
pub fn infoset(open: &OpenGame, view: &View) -> Result<Value, ApiError> {
    let game = &open.playable.game;
    let role = view.role();
    if game.info().information == Information::Perfect {
        let what = "this game has perfect information, so every role knows the state";
        return Err(ApiError::invalid("perfect", what));
    }
    within(PATIENCE, &Stop::never(), |stop| {
        let clock = Arc::new(Deadline::within(PATIENCE));
        let budget = Budget::until(stop.clone()).with_clock(clock);
        let limits = InfosetLimits { states: 5_000, steps: 400_000 };
        let settings = Settings { limits, particles: 500, ..Settings::default() };
        let mut belief = Belief::new(Arc::clone(game), role, settings, stop)?;
        let mut rng = Seed::from(1).derive("infoset").rng();
        belief.follow(view.turns(), &budget, &mut rng)?;
        let states = (0..belief.len()).map(|number| (belief.state(number), belief.share(number)));
        let known = Known::of(&**game, role, states, stop)?;
        let certain: Vec<Value> =
            known.certain().map(|fact| json!({"text": fact, "label": label(fact)})).collect();
        let likely: Vec<Value> = known
            .likely()
            .into_iter()
            .take(200)
            .map(|(fact, share)| json!({"text": fact, "label": label(fact), "share": share}))
            .collect();
        let moves: Vec<Value> =
            known.legal().into_iter().map(|choice| json!(line(open, role, choice))).collect();
        Ok(json!({
            "role": role.index(), "states": belief.len(), "exact": belief.is_exact(),
            "certain": certain, "likely": likely, "moves": moves,
        }))
    })
}

/// The network of a game, its translations and its subgames.
pub fn metagame(open: &OpenGame, time: Duration) -> Value {
    let playable = &open.playable;
    let network = playable.network().map(|network| {
        let inner = network.network();
        let gates = inner.gates();
        json!({
            "fluents": inner.fluents.len(), "moves": inner.network.moves.len(),
            "gates": {
                "legal": gates.legal, "next": gates.next, "goals": gates.goals,
                "percepts": gates.percepts,
            },
            "exclusive": inner.invariants.groups.len(),
            "implied": inner.invariants.implied.len(),
            "sides": inner.per_player.len(),
        })
    });
    let written = playable.network().map(|network| {
        let info = playable.game.info();
        let roles: Vec<String> =
            info.all_roles().map(|role| info.role_name(role).to_owned()).collect();
        let written = network.network().written(&roles, WRITTEN);
        json!({"text": written.text, "rules": written.rules, "shown": written.rules.min(WRITTEN)})
    });
    let subgames = playable.network().map(|network| {
        let compiled = network.compiled();
        let names = compiled.names().fluents();
        let listed = |numbers: &[usize]| -> Vec<String> {
            numbers.iter().filter_map(|&one| names.get(one).cloned()).take(60).collect()
        };
        let found = within(time, &Stop::never(), |stop| {
            magister_decompose::Decomposition::new(compiled, stop)
        });
        match found {
            Ok(whole) => json!({
                "decomposes": whole.decomposes(),
                "subgames": whole.subgames.iter()
                    .map(|part| json!({"fluents": listed(&part.fluents), "size": part.fluents.len(),
                        "moves": part.moves.len()}))
                    .collect::<Vec<_>>(),
                "context": listed(&whole.context),
                "classes": whole.kinds.iter().map(|kind| kind.name()).collect::<Vec<_>>(),
                "useful": whole.worth.useful,
                "why": whole.worth.why,
            }),
            Err(_) => json!({"why": "the subgames were not found in time"}),
        }
    });
    let text = playable.rules();
    let translations = text.map(|text| {
        let mut all = serde_json::Map::new();
        for to in ["prefix", "infix", "gdl", "gdl2"] {
            if let Ok(done) = convert(text, to) {
                all.insert(to.to_owned(), json!(done));
            }
        }
        Value::Object(all)
    });
    json!({
        "game": open.name, "evaluator": playable.evaluator, "network": network,
        "decomposition": subgames, "translations": translations, "optimised": written,
        "prepare_ms": playable.took.as_secs_f64() * 1e3,
    })
}
