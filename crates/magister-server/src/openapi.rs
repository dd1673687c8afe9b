//! The description of the API.

use serde_json::{Map, Value, json};

/// A call: method, path, summary, query parameters, fields of the body.
struct Call(&'static str, &'static str, &'static str, &'static [&'static str], &'static [Field]);

/// A field of a body: its name, its type, and whether it is required.
struct Field(&'static str, &'static str, bool);

const GAME: Field = Field("game", "string", false);
const RULES: Field = Field("rules", "string", false);
const STATE: Field = Field("state", "string", false);
const HISTORY: Field = Field("history", "array", false);
const TEXT: Field = Field("text", "string", true);

const CALLS: &[Call] = &[
    Call(
        "get",
        "/api/games",
        "The games, popular ones first",
        &["search", "tag", "players", "hidden", "chance", "language", "all"],
        &[],
    ),
    Call(
        "post",
        "/api/games",
        "Saves rules as a game of this site",
        &[],
        &[Field("name", "string", true), TEXT],
    ),
    Call("get", "/api/games/{name}", "Everything about a game", &[], &[]),
    Call(
        "delete",
        "/api/games/{name}",
        "Deletes one of your saved games; its matches stay",
        &[],
        &[],
    ),
    Call("get", "/api/games/{name}/start", "The shape and the initial position", &[], &[]),
    Call("get", "/api/players", "Players, levels and remote players", &[], &[]),
    Call(
        "post",
        "/api/players",
        "Registers a remote player",
        &[],
        &[Field("address", "string", true), Field("name", "string", false)],
    ),
    Call("delete", "/api/players", "Deletes one of your remote players", &["address"], &[]),
    Call(
        "post",
        "/api/players/ping",
        "Asks remote players for their status",
        &[],
        &[Field("address", "string", false)],
    ),
    Call("get", "/api/matches", "Matches", &["state", "game", "player", "page"], &[]),
    Call(
        "post",
        "/api/matches",
        "Creates a match and starts it",
        &[],
        &[
            GAME,
            RULES,
            Field("mode", "string", false),
            Field("seats", "array", false),
            Field("start_ms", "integer", false),
            Field("play_ms", "integer", false),
            Field("iterations", "integer", false),
            Field("seed", "integer", false),
            Field("rated", "boolean", false),
            Field("from", "array", false),
        ],
    ),
    Call("get", "/api/matches/{id}", "A match as this viewer may see it", &[], &[]),
    Call("get", "/api/matches/{id}/plies/{ply}", "An earlier position", &[], &[]),
    Call(
        "get",
        "/api/matches/{id}/events",
        "Server-sent events: match, step, clock, end; the header Last-Event-ID resumes",
        &["seat"],
        &[],
    ),
    Call(
        "post",
        "/api/matches/{id}/moves",
        "Makes a move",
        &[],
        &[
            Field("ply", "integer", true),
            Field("move", "string", false),
            Field("moves", "object", false),
        ],
    ),
    Call("post", "/api/matches/{id}/hint", "What a strong player would do", &[], &[]),
    Call("get", "/api/matches/{id}/record", "The match record", &[], &[]),
    Call("post", "/api/matches/{id}/undo", "Takes back the last move", &[], &[]),
    Call("post", "/api/matches/{id}/redo", "Redoes a move that was taken back", &[], &[]),
    Call(
        "post",
        "/api/matches/{id}/jump",
        "Goes to a ply or another continuation of a standalone match",
        &[],
        &[Field("ply", "integer", false), Field("node", "integer", false)],
    ),
    Call("post", "/api/matches/{id}/pause", "Pauses the match", &[], &[]),
    Call("post", "/api/matches/{id}/resume", "Resumes a paused match", &[], &[]),
    Call("post", "/api/matches/{id}/abort", "Ends the match without a result", &[], &[]),
    Call("post", "/api/matches/{id}/resign", "Resigns the match", &[], &[]),
    Call("post", "/api/matches/{id}/rematch", "Starts the same match again", &[], &[]),
    Call(
        "post",
        "/api/matches/{id}/swap",
        "Starts the same match again with the roles exchanged",
        &[],
        &[],
    ),
    Call(
        "post",
        "/api/analyze",
        "Values of all moves of a position: after moves from the initial state, or from given facts",
        &[],
        &[
            GAME,
            RULES,
            STATE,
            HISTORY,
            Field("player", "string", false),
            Field("iterations", "integer", false),
        ],
    ),
    Call(
        "post",
        "/api/infoset",
        "What a role knows, in a match or after given moves and percepts",
        &[],
        &[
            Field("match", "string", false),
            Field("ply", "integer", false),
            GAME,
            RULES,
            Field("role", "string", false),
            HISTORY,
        ],
    ),
    Call("post", "/api/check", "Checks rules", &[], &[TEXT]),
    Call("post", "/api/format", "Formats rules", &[], &[TEXT]),
    Call(
        "post",
        "/api/convert",
        "Converts rules to prefix, infix, gdl or gdl2",
        &[],
        &[TEXT, Field("to", "string", true)],
    ),
    Call(
        "post",
        "/api/explain",
        "Why a move is legal or not",
        &[],
        &[
            GAME,
            RULES,
            STATE,
            HISTORY,
            Field("role", "string", false),
            Field("move", "string", true),
        ],
    ),
    Call(
        "post",
        "/api/trainings",
        "Trains an agent by self-play; it then plays as trained:ID",
        &[],
        &[
            Field("game", "string", true),
            Field("seconds", "number", false),
            Field("kind", "string", false),
        ],
    ),
    Call("get", "/api/trainings", "Training runs with their curves", &[], &[]),
    Call("get", "/api/trainings/{id}", "A training run", &[], &[]),
    Call("get", "/api/trainings/{id}/events", "Server-sent events: training", &[], &[]),
    Call("post", "/api/trainings/{id}/stop", "Stops a run; its agent is kept", &[], &[]),
    Call("get", "/api/trainings/{id}/file", "The agent as a file for `magister`", &[], &[]),
    Call("delete", "/api/trainings/{id}", "Deletes a run and its agent", &[], &[]),
    Call("get", "/api/leaderboard", "Ratings of the stored matches", &["game"], &[]),
    Call("get", "/api/tournaments", "Tournaments", &[], &[]),
    Call(
        "post",
        "/api/tournaments",
        "Creates a tournament and starts it",
        &[],
        &[
            Field("name", "string", false),
            Field("games", "array", true),
            Field("players", "array", true),
            Field("rounds", "integer", false),
            Field("play_ms", "integer", false),
            Field("iterations", "integer", false),
        ],
    ),
    Call("get", "/api/tournaments/{id}", "A tournament with its table", &[], &[]),
    Call("get", "/api/tournaments/{id}/events", "Server-sent events: tournament", &[], &[]),
    Call(
        "post",
        "/api/style",
        "Previews a style.toml: the shape of the board and sample positions",
        &[],
        &[GAME, RULES, Field("style", "string", true), Field("seed", "integer", false)],
    ),
    Call("get", "/api/games/{name}/style", "The style.toml of a game", &[], &[]),
    Call("get", "/api/metagame/{name}", "Network, translations and subgames", &[], &[]),
    Call("get", "/api/puzzles", "Positions with exactly one winning move", &[], &[]),
    Call("get", "/api/puzzles/{id}", "A puzzle; `today` is the puzzle of the day", &[], &[]),
    Call(
        "post",
        "/api/puzzles/{id}/answer",
        "Whether a move solves the puzzle",
        &[],
        &[Field("move", "string", true)],
    ),
    Call("get", "/api/uploads", "Your games and players", &["kind", "all"], &[]),
    Call(
        "post",
        "/api/uploads",
        "Stores a student's player; it replaces your player of this name",
        &[],
        &[Field("name", "string", true), TEXT],
    ),
    Call("get", "/api/uploads/{id}", "One of your uploads, with its text", &[], &[]),
    Call("delete", "/api/uploads/{id}", "Deletes one of your uploads", &[], &[]),
    Call("get", "/api/session", "Who is signed in, with the CSRF token", &[], &[]),
    Call(
        "post",
        "/api/session",
        "Signs in; the session is a cookie",
        &[],
        &[Field("name", "string", true), Field("password", "string", true)],
    ),
    Call("delete", "/api/session", "Signs out", &[], &[]),
    Call("get", "/api/account", "Your account with its quota", &[], &[]),
    Call(
        "delete",
        "/api/account",
        "Deletes your account with its games and players",
        &[],
        &[Field("password", "string", true)],
    ),
    Call(
        "post",
        "/api/account/password",
        "Changes the password and ends all other sessions",
        &[],
        &[Field("old", "string", true), Field("new", "string", true)],
    ),
    Call(
        "post",
        "/api/account/token",
        "A token for programs, which send it as `Authorization: Bearer TOKEN`",
        &[],
        &[],
    ),
    Call("get", "/api/admin/accounts", "All accounts with quotas (administrators)", &[], &[]),
    Call(
        "post",
        "/api/admin/accounts",
        "Creates accounts from a list, one per line: name, password, role (administrators)",
        &[],
        &[Field("list", "string", true)],
    ),
    Call(
        "put",
        "/api/admin/accounts/{id}",
        "Changes an account (administrators)",
        &[],
        &[
            Field("name", "string", false),
            Field("role", "string", false),
            Field("disabled", "boolean", false),
            Field("new_password", "boolean", false),
            Field("quota", "object", false),
            Field("default_quota", "boolean", false),
        ],
    ),
    Call(
        "delete",
        "/api/admin/accounts/{id}",
        "Deletes an account with its games and players (administrators)",
        &[],
        &[],
    ),
    Call(
        "put",
        "/api/admin/quota",
        "Sets the default quota (administrators)",
        &[],
        &[
            Field("games", "integer", false),
            Field("players", "integer", false),
            Field("matches", "integer", false),
            Field("bytes", "integer", false),
        ],
    ),
    Call("get", "/api/admin/backup", "A copy of the store (administrators)", &[], &[]),
    Call("get", "/api/about", "Version and limits", &[], &[]),
    Call("get", "/api/openapi.json", "This description", &[], &[]),
    Call("get", "/metrics", "Counters in the text format of Prometheus", &[], &[]),
];

/// The schema of a field of a request.
fn schema(name: &str, kind: &str) -> Value {
    match name {
        "seats" => json!({
            "type": kind,
            "description": "one for each role; if `kind` is missing, the other fields determine it",
            "items": {
                "type": "object",
                "additionalProperties": false,
                "properties": {
                    "kind": {"enum": ["person", "level", "player", "remote", "trained"]},
                    "player": {"type": "string", "description": "a player, or a person's name"},
                    "level": {"type": "string"},
                    "address": {"type": "string"},
                },
            },
            "examples": [[
                {"kind": "person"},
                {"kind": "level", "level": "beginner"},
            ]],
        }),
        "kind" => json!({"enum": ["ntuple", "linear", "net"]}),
        _ => json!({"type": kind}),
    }
}

/// The API in the format of `OpenAPI` 3.1.
pub(crate) fn description() -> Value {
    let mut paths: Map<String, Value> = Map::new();
    for Call(method, path, summary, query, body) in CALLS {
        let mut parameters: Vec<Value> = path
            .split('/')
            .filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
            .map(|name| {
                json!({"name": name, "in": "path", "required": true, "schema": {"type": "string"}})
            })
            .collect();
        parameters.extend(
            query
                .iter()
                .map(|name| json!({"name": name, "in": "query", "schema": {"type": "string"}})),
        );
        if path.starts_with("/api/matches/{id}") {
            parameters.push(json!({
                "name": "x-seat", "in": "header", "schema": {"type": "string"},
                "description": "the token of a seat, from POST /api/matches",
            }));
        }
        let errors = json!({"$ref": "#/components/responses/Error"});
        let mut call = json!({
            "summary": summary, "parameters": parameters,
            "responses": {"200": {"description": "done"}, "default": errors},
        });
        if !body.is_empty() {
            let properties: Map<String, Value> = body
                .iter()
                .map(|&Field(name, kind, _)| (name.to_owned(), schema(name, kind)))
                .collect();
            let required: Vec<&str> =
                body.iter().filter(|field| field.2).map(|field| field.0).collect();
            call["requestBody"] = json!({"required": true, "content": {"application/json": {
                "schema": {"type": "object", "properties": properties, "required": required},
            }}});
        }
        let entry = paths.entry((*path).to_owned()).or_insert_with(|| json!({}));
        entry[*method] = call;
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Magister",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Games, matches and tools of a Magister site. Bodies are JSON.",
        },
        "paths": paths,
        // Sites without accounts require none of these.
        "security": [{}, {"session": [], "csrf": []}, {"token": []}],
        "components": {"securitySchemes": {
            "session": {"type": "apiKey", "in": "cookie", "name": "magister-session"},
            "csrf": {"type": "apiKey", "in": "header", "name": "x-csrf-token"},
            "token": {"type": "http", "scheme": "bearer"},
        }, "responses": {"Error": {
            "description": "what is wrong and what to do next",
            "content": {"application/json": {"schema": {
                "type": "object",
                "properties": {"error": {"type": "string"}, "code": {"type": "string"}},
                "required": ["error", "code"],
            }}},
        }}},
    })
}
