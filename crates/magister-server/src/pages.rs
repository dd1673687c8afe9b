//! Plain pages, rendered by the server, for a program that was built without the client. They need
//! no script: links, forms and buttons play every game.

use std::fmt::Write as _;
use std::sync::Arc;

use axum::extract::{Form, Path, Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use axum::{Extension, Router};
use magister_games::catalogue;
use magister_players::LEVELS;
use serde::Deserialize;
use serde_json::Value;

use crate::api::{again, listed, on_match};
use crate::games::{GameFilter, OpenGame, Wanted};
use crate::limits::Client;
use crate::live::{Access, JumpTo, Mode, MoveOrder, NewMatch, SeatKind, SeatOrder};
use crate::scene::{MoveLine, Scene};
use crate::words::escape;
use crate::{ApiError, Site, svg, tournaments};

type App = State<Arc<Site>>;
type Page = Result<Response, Failure>;

/// The pages.
pub(crate) fn router() -> Router<Arc<Site>> {
    Router::new()
        .route("/", get(front))
        .route("/games", get(games))
        .route("/games/{name}", get(game))
        .route("/play/{name}", get(game).post(play))
        .route("/standalone/{name}", get(game))
        .route("/match/{id}", get(one_match))
        .route("/match/{id}/move", post(make_move))
        .route("/match/{id}/act", post(act))
        .route("/matches", get(matches))
        .route("/leaderboard", get(leaderboard))
        .fallback(get(|| async { Failure(ApiError::missing("there is no such page")) }))
}

/// What stands before the addresses of these pages.
fn base() -> &'static str {
    if crate::has_client() { "/plain" } else { "" }
}

/// The title of a game of the catalogue, or its name.
pub(crate) fn title(name: &str) -> String {
    let base = name.split('/').next().unwrap_or(name);
    catalogue::find(base).map_or_else(|| name.to_owned(), |entry| entry.card.title.clone())
}

/// An error as a page.
struct Failure(ApiError);

impl From<ApiError> for Failure {
    fn from(error: ApiError) -> Self {
        Failure(error)
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let text = escape(self.0.message());
        let at = base();
        let body = format!("<p>{text}</p><p><a href=\"{at}/games\">All games</a></p>");
        (self.0.status(), page("Not possible", &body, false)).into_response()
    }
}

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;margin:0 auto;max-width:60rem;\
padding:0 1rem 3rem;background:#fff;color:#1a1a1a}nav a{margin-right:1rem}a{color:#1a5a96}\
table{border-collapse:collapse}td,th{padding:.2rem .8rem .2rem 0;text-align:left;vertical-align:top}\
.board{position:relative;max-width:100%}.board svg{display:block;width:100%;height:auto}\
.board button,.board a{position:absolute;background:none;border:2px solid transparent;padding:0;\
cursor:pointer}.board button:hover,.board a:hover,.board button:focus,.board a:focus{\
border-color:#1a5a96}.board .on{border-color:#2f7d4f}.moves button{margin:.15rem;padding:.3rem .6rem}\
.hint{color:#555}pre{overflow:auto;background:#f4f1ea;padding:.6rem}\
@media(prefers-color-scheme:dark){body{background:#1c1c1c;color:#e8e8e8}a{color:#8bbbe8}\
pre{background:#2a2a2a}.board svg{background:#f7f3ea}.hint{color:#aaa}}";

/// A whole page.
fn page(title: &str, body: &str, refresh: bool) -> Html<String> {
    let title = escape(title);
    let at = base();
    let again = if refresh { "<meta http-equiv=\"refresh\" content=\"2\">" } else { "" };
    Html(format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">{again}\
         <title>{title} - Magister</title><style>{STYLE}</style></head><body>\
         <nav aria-label=\"Site\"><p><a href=\"{at}/\">Magister</a><a href=\"{at}/games\">Games</a>\
         <a href=\"{at}/matches\">Matches</a><a href=\"{at}/leaderboard\">Leaderboard</a>\
         <a href=\"/api/openapi.json\">API</a></p></nav><main><h1>{title}</h1>{body}</main>\
         <footer><p class=\"hint\">{CLIENT}</p></footer></body></html>",
        CLIENT = if crate::has_client() {
            "These are the plain pages for browsers without scripts."
        } else {
            "These are the plain pages: install Node 20 or later and build Magister again to get \
             the full client."
        }
    ))
}

async fn front() -> Page {
    let mut body = String::from(
        "<p>Magister plays any game whose rules are written as text: against you, against itself, \
         or against other programs.</p>",
    );
    for (heading, names) in catalogue::FEATURED {
        let _ = write!(body, "<h2>{}</h2><ul>", escape(heading));
        for name in *names {
            if let Some(entry) = catalogue::find(name) {
                let _ = write!(
                    body,
                    "<li><a href=\"{}/games/{}\">{}</a>: {}</li>",
                    base(),
                    escape(name),
                    escape(&entry.card.title),
                    escape(&entry.card.summary)
                );
            }
        }
        body.push_str("</ul>");
    }
    let _ = write!(body, "<p><a href=\"{}/games\">All games</a></p>", base());
    Ok(page("Games from rules", &body, false).into_response())
}

async fn games(State(site): App, Query(filter): Query<GameFilter>) -> Page {
    let shared = Arc::clone(&site);
    let list = site.blocking(move || Ok(shared.games.list(&filter))).await?;
    let mut body = String::from(
        "<form><label>Search <input name=\"search\"></label> <button>Find</button></form><table>\
         <tr><th>Game</th><th>Players</th><th></th></tr>",
    );
    for line in &list {
        let line = serde_json::json!(line);
        let get = |key: &str| escape(line[key].as_str().unwrap_or_default());
        let _ = write!(
            body,
            "<tr><td><a href=\"{}/games/{}\">{}</a></td><td>{}</td><td>{}</td></tr>",
            base(),
            get("name"),
            get("title"),
            line["players"],
            get("summary")
        );
    }
    body.push_str("</table>");
    Ok(page("Games", &body, false).into_response())
}

async fn game(State(site): App, Path(name): Path<String>) -> Page {
    let open = site.game(&name).await?;
    let shared = Arc::clone(&site);
    let body = site.blocking(move || Ok(describe(&shared, &open))).await?;
    Ok(page(&body.0, &body.1, false).into_response())
}

fn describe(site: &Site, open: &Arc<OpenGame>) -> (String, String) {
    let details = site.games.details(open);
    let mut body = String::new();
    for part in details["description"].as_str().unwrap_or_default().split("\n\n") {
        let _ = write!(body, "<p>{}</p>", escape(part));
    }
    let clues = details["clues"].as_str().unwrap_or_default();
    if !clues.is_empty() {
        let _ = write!(body, "<pre>{}</pre>", escape(clues));
    }
    if let (Some(shape), Ok(reached)) =
        (open.drawing.shape(), crate::tools::Reached::new(open, &Vec::new()))
    {
        let board = svg::board(shape, &reached.scene());
        let _ = write!(
            body,
            "<div class=\"board\" style=\"width:{:.0}px\">{}</div>",
            board.width, board.svg
        );
    }
    let info = open.playable.game.info();
    let name = escape(&open.name.replace('/', "%2F"));
    let at = base();
    let _ = write!(body, "<h2>Play</h2><form method=\"post\" action=\"{at}/play/{name}\">");
    body.push_str("<p><label>Your role <select name=\"role\">");
    for role in info.players() {
        let text = escape(info.role_name(role));
        let _ = write!(body, "<option value=\"{}\">{text}</option>", role.index());
    }
    body.push_str("<option value=\"all\">all roles</option></select></label> ");
    body.push_str("<label>Opponent <select name=\"level\">");
    for level in &LEVELS {
        let chosen = if level.name == "easy" { " selected" } else { "" };
        let _ = write!(
            body,
            "<option value=\"{0}\"{chosen}>{0}: {1}</option>",
            level.name,
            escape(level.about)
        );
    }
    body.push_str("</select></label> <button>Start</button></p></form>");
    for (syntax, text) in details["rules"].as_object().into_iter().flatten() {
        let _ = write!(
            body,
            "<details><summary>Rules ({})</summary><pre>{}</pre></details>",
            escape(syntax),
            escape(text.as_str().unwrap_or_default())
        );
    }
    (open.title.clone(), body)
}

#[derive(Deserialize)]
struct PlayForm {
    #[serde(default)]
    role: String,
    #[serde(default)]
    level: String,
}

async fn play(
    State(site): App,
    Path(name): Path<String>,
    Extension(client): Extension<Client>,
    Form(form): Form<PlayForm>,
) -> Page {
    let open = site.game(&name).await?;
    let info = open.playable.game.info();
    let own: Option<usize> = form.role.parse().ok();
    let all = form.role == "all" || info.players().count() == 1;
    let seats = info.players().map(|role| {
        if Some(role.index()) == own {
            return SeatOrder::default();
        }
        SeatOrder { kind: SeatKind::Level, level: Some(form.level.clone()), ..Default::default() }
    });
    let order = NewMatch {
        game: Wanted::Game(name),
        mode: if all { Mode::Standalone } else { Mode::Match },
        seats: seats.collect(),
        start_ms: None,
        play_ms: None,
        seed: None,
        rated: false,
        from: Vec::new(),
        tournament: None,
        client: client.0,
    };
    let made = site.create(order).await?;
    let token = made.tokens.iter().find_map(|(_, token)| token.clone()).unwrap_or(made.owner);
    Ok(enter(&made.live.id, &token))
}

/// Goes to a match with the token of a seat in a cookie.
fn enter(id: &str, token: &str) -> Response {
    let cookie = format!("seat-{id}={token}; Path=/; HttpOnly; SameSite=Strict; Max-Age=2592000");
    ([(header::SET_COOKIE, cookie)], Redirect::to(&format!("{}/match/{id}", base())))
        .into_response()
}

/// The token of a match in the cookies.
fn cookie(headers: &HeaderMap, id: &str) -> Option<String> {
    let wanted = format!("seat-{id}");
    headers
        .get_all(header::COOKIE)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .find(|(name, _)| *name == wanted)
        .map(|(_, token)| token.to_owned())
}

#[derive(Default, Deserialize)]
struct MatchQuery {
    #[serde(default)]
    from: Option<usize>,
    #[serde(default)]
    ply: Option<usize>,
}

async fn one_match(
    State(site): App,
    Path(id): Path<String>,
    Query(query): Query<MatchQuery>,
    headers: HeaderMap,
) -> Page {
    let token = cookie(&headers, &id);
    let shown = on_match(&site, &id, token, move |live, access| {
        let whole = live.json(access);
        let turn = whole["plies"].as_u64().unwrap_or(0) as usize;
        let ply = query.ply.unwrap_or(turn).min(turn);
        let scene = live.scene_at(access, ply)?;
        let body = render(&whole, &scene, &live.open, access, &query, ply == turn);
        let waits = whole["state"] == "running" && scene.legal.is_empty() && query.ply.is_none();
        Ok((live.open.title.clone(), body, waits))
    });
    let (title, body, waits) = shown.await?;
    Ok(page(&title, &body, waits).into_response())
}

fn render(
    whole: &Value,
    scene: &Scene,
    open: &OpenGame,
    access: Access,
    query: &MatchQuery,
    now: bool,
) -> String {
    let id = whole["id"].as_str().unwrap_or_default();
    let at = base();
    let info = open.playable.game.info();
    let mut body = String::new();
    let _ =
        write!(body, "<p aria-live=\"polite\"><strong>{}</strong></p>", status(whole, scene, open));
    body.push_str("<table><tr><th>Role</th><th>Player</th><th>Score</th><th>Faults</th></tr>");
    for seat in whole["seats"].as_array().into_iter().flatten() {
        let text = |key: &str| escape(seat[key].as_str().unwrap_or_default());
        let score = seat["score"].as_f64().map(|score| score.to_string()).unwrap_or_default();
        let _ = write!(
            body,
            "<tr><td>{}</td><td>{}</td><td>{score}</td><td>{}</td></tr>",
            text("name"),
            text("player"),
            seat["faults"]
        );
    }
    body.push_str("</table>");
    let several = scene.legal.len() > 1;
    if !scene.facts.is_empty() {
        body.push_str("<ul>");
        for fact in &scene.facts {
            let _ = write!(body, "<li>{}</li>", escape(&fact.label));
        }
        body.push_str("</ul>");
    }
    for percept in &scene.percepts {
        let role = escape(&info.roles[percept.role]);
        let _ = write!(body, "<p>{role} sees {}</p>", escape(&crate::words::label(&percept.text)));
    }
    if let Some(shape) = open.drawing.shape() {
        let board = svg::board(shape, scene);
        let _ = write!(
            body,
            "<form method=\"post\" action=\"{at}/match/{id}/move\"><input type=\"hidden\" name=\"ply\" \
             value=\"{}\"><div class=\"board\" style=\"width:{:.0}px\">{}",
            scene.ply, board.width, board.svg
        );
        if !several && let Some(own) = scene.legal.first() {
            places(&mut body, id, own.role, &own.moves, query.from, &board);
        }
        body.push_str("</div></form>");
    }
    for own in &scene.legal {
        let role = escape(&info.roles[own.role]);
        let _ = write!(
            body,
            "<h2>Moves of {role}</h2><form class=\"moves\" method=\"post\" \
             action=\"{at}/match/{id}/move\"><input type=\"hidden\" name=\"ply\" value=\"{}\">\
             <input type=\"hidden\" name=\"role\" value=\"{}\">",
            scene.ply, own.role
        );
        for one in &own.moves {
            let _ = write!(
                body,
                "<button name=\"move\" value=\"{}\">{}</button>",
                escape(&one.text),
                escape(&one.label)
            );
        }
        body.push_str("</form>");
    }
    if now && access != Access::Spectator {
        let _ = write!(
            body,
            "<form class=\"moves\" method=\"post\" action=\"{at}/match/{id}/act\"><p>"
        );
        for action in ["undo", "redo", "pause", "resume", "resign", "abort"] {
            if whole["may"][action] == true {
                let _ =
                    write!(body, "<button name=\"action\" value=\"{action}\">{action}</button>");
            }
        }
        if whole["state"] == "ended" || whole["state"] == "aborted" {
            body.push_str(
                "<button name=\"action\" value=\"rematch\">play again</button>\
                 <button name=\"action\" value=\"swap\">play again with other roles</button>",
            );
        }
        body.push_str("</p></form>");
    }
    history(&mut body, whole, id, info);
    body
}

/// Buttons and links on the cells of the board.
fn places(
    body: &mut String,
    id: &str,
    role: usize,
    moves: &[MoveLine],
    from: Option<usize>,
    board: &svg::Board,
) {
    let _ = write!(body, "<input type=\"hidden\" name=\"role\" value=\"{role}\">");
    for (cell, [left, top, width, height]) in board.places.iter().enumerate() {
        let style = format!("left:{left:.2}%;top:{top:.2}%;width:{width:.2}%;height:{height:.2}%");
        let here: Vec<&MoveLine> = moves
            .iter()
            .filter(|one| one.to == Some(cell) && (one.from.is_none() || one.from == from))
            .collect();
        let starts = moves.iter().any(|one| one.from == Some(cell));
        if let [only] = here[..] {
            let (text, label) = (escape(&only.text), escape(&only.label));
            let class = if from.is_some() { " class=\"on\"" } else { "" };
            let _ = write!(
                body,
                "<button style=\"{style}\"{class} name=\"move\" value=\"{text}\" \
                 aria-label=\"{label}\" title=\"{label}\"></button>"
            );
        } else if starts {
            let class = if from == Some(cell) { " class=\"on\"" } else { "" };
            let _ = write!(
                body,
                "<a style=\"{style}\"{class} href=\"{}/match/{id}?from={cell}\" \
                 aria-label=\"moves from here\"></a>",
                base()
            );
        }
    }
}

fn history(body: &mut String, whole: &Value, id: &str, info: &magister_core::Info) {
    let entries = whole["history"].as_array().map_or(&[][..], Vec::as_slice);
    if entries.is_empty() {
        return;
    }
    body.push_str("<h2>History</h2><ol>");
    for entry in entries {
        let ply = &entry["ply"];
        let moves: Vec<String> = match entry["moves"].as_array() {
            None => vec!["hidden until the end".to_owned()],
            Some(list) => list
                .iter()
                .map(|one| {
                    let role = one["role"].as_u64().unwrap_or(0) as usize;
                    let name = info.roles.get(role).map_or("", String::as_str);
                    format!("{}: {}", escape(name), escape(one["label"].as_str().unwrap_or("")))
                })
                .collect(),
        };
        let _ = write!(
            body,
            "<li><a href=\"{}/match/{id}?ply={ply}\">{}</a></li>",
            base(),
            if moves.is_empty() { "…".to_owned() } else { moves.join(", ") }
        );
    }
    let _ = write!(
        body,
        "</ol><p><a href=\"{}/match/{id}\">Current position</a> \
         <a href=\"/api/matches/{id}/record\">Record</a></p>",
        base()
    );
}

/// What happens, in words.
fn status(whole: &Value, scene: &Scene, open: &OpenGame) -> String {
    let roles = &open.playable.game.info().roles;
    let names = |list: &[usize]| {
        let names: Vec<String> = list.iter().map(|&role| escape(&roles[role])).collect();
        names.join(", ")
    };
    match whole["state"].as_str() {
        Some("ended") => "The match is over.".to_owned(),
        Some("aborted") => "The match was aborted.".to_owned(),
        Some("paused") => "The match is paused.".to_owned(),
        _ if !scene.legal.is_empty() => {
            let own: Vec<usize> = scene.legal.iter().map(|one| one.role).collect();
            format!("To move: {}.", names(&own))
        }
        _ if scene.waiting.is_empty() => "Waiting.".to_owned(),
        _ => format!("Waiting for {}.", names(&scene.waiting)),
    }
}

#[derive(Deserialize)]
struct MoveForm {
    ply: usize,
    #[serde(rename = "move")]
    choice: String,
    #[serde(default)]
    role: String,
}

async fn make_move(
    State(site): App,
    Path(id): Path<String>,
    headers: HeaderMap,
    Form(form): Form<MoveForm>,
) -> Page {
    let token = cookie(&headers, &id);
    let order = MoveOrder {
        ply: form.ply,
        choice: form.role.is_empty().then(|| form.choice.clone()),
        moves: [(form.role.clone(), form.choice)]
            .into_iter()
            .filter(|(r, _)| !r.is_empty())
            .collect(),
    };
    let played = on_match(&site, &id, token, move |live, access| live.play(access, &order)).await;
    match played {
        // A page that is out of date shows the current position.
        Err(error) if error.status() != StatusCode::CONFLICT => Err(error.into()),
        _ => Ok(Redirect::to(&format!("{}/match/{id}", base())).into_response()),
    }
}

#[derive(Deserialize)]
struct ActForm {
    action: String,
}

async fn act(
    State(site): App,
    Path(id): Path<String>,
    headers: HeaderMap,
    Extension(client): Extension<Client>,
    Form(form): Form<ActForm>,
) -> Page {
    let token = cookie(&headers, &id);
    if matches!(form.action.as_str(), "rematch" | "swap") {
        let swap = form.action == "swap";
        let made = again(&site, &id, token, swap, client.0).await?;
        let seats = made["seats"].as_array().map_or(&[][..], Vec::as_slice);
        let token = seats.iter().find_map(|seat| seat["token"].as_str());
        let token = token.or(made["owner"].as_str()).unwrap_or_default();
        return Ok(enter(made["id"].as_str().unwrap_or_default(), token));
    }
    let done = on_match(&site, &id, token, move |live, access| match form.action.as_str() {
        "undo" => live.undo(access),
        "redo" => live.redo(access),
        "jump" => live.jump(access, JumpTo::default()),
        "pause" => live.pause(access),
        "resume" => live.resume(access),
        "resign" => live.resign(access),
        "abort" => live.abort(access),
        _ => Err(ApiError::bad("there is no such action")),
    });
    done.await?;
    Ok(Redirect::to(&format!("{}/match/{id}", base())).into_response())
}

async fn matches(State(site): App) -> Page {
    let list = listed(&site, crate::api::MatchFilter::default()).await?;
    let mut body =
        String::from("<table><tr><th>Match</th><th>Game</th><th>State</th><th>Players</th></tr>");
    for one in list["matches"].as_array().into_iter().flatten() {
        let text = |key: &str| escape(one[key].as_str().unwrap_or_default());
        let seats = one["seats"].as_array().map_or(&[][..], Vec::as_slice);
        let players: Vec<String> = seats
            .iter()
            .map(|seat| {
                let score = seat["score"].as_f64().map(|score| format!(" {score}"));
                let player = escape(seat["player"].as_str().unwrap_or_default());
                format!("{player}{}", score.unwrap_or_default())
            })
            .collect();
        let _ = write!(
            body,
            "<tr><td><a href=\"{4}/match/{0}\">{0}</a></td><td>{1}</td><td>{2}</td><td>{3}</td></tr>",
            text("id"),
            text("title"),
            text("state"),
            players.join(", "),
            base()
        );
    }
    body.push_str("</table>");
    Ok(page("Matches", &body, false).into_response())
}

async fn leaderboard(State(site): App) -> Page {
    let board = tournaments::leaderboard(&site, None).await?;
    let mut body = String::from("<table><tr><th>Player</th><th>Rating</th><th>Seats</th></tr>");
    for one in board["ratings"].as_array().into_iter().flatten() {
        let _ = write!(
            body,
            "<tr><td>{}</td><td>{:.0}</td><td>{}</td></tr>",
            escape(one["player"].as_str().unwrap_or_default()),
            one["rating"].as_f64().unwrap_or(0.0),
            one["matches"]
        );
    }
    body.push_str("</table>");
    Ok(page("Leaderboard", &body, false).into_response())
}
