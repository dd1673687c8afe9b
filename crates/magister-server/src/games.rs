//! The games of a site: the catalogue, games that users saved, and rules that a visitor tries out.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use magister::engine::within;
use magister::{Language, Options, Playable, Source};
use magister_core::{Game, Information, Stop, Style};
use magister_games::catalogue::{self, Entry, Version};
use magister_gdl::{Dialect, Syntax};
use magister_manager::WireGame;
use magister_players::LEVELS;
use magister_store::{Archive as _, SqlStore, Upload};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::{OnceCell, Semaphore};

use crate::accounts::{Accounts, Visitor};
use crate::drawing::Drawing;
use crate::live::{fresh_token, now_ms};
use crate::{ApiError, Limits};

/// The kind of the uploads that contain saved games.
pub(crate) const SAVED: &str = "game";
/// The maximum number of games that are kept prepared.
const PREPARED: usize = 48;

/// A game that can be played on this site.
#[derive(Debug)]
pub struct OpenGame {
    /// Its name in URLs.
    pub name: String,
    /// Its title.
    pub title: String,
    /// The game.
    pub playable: Playable,
    /// How its positions are drawn.
    pub drawing: Drawing,
    /// Its rules, if they are not built into the program.
    pub text: Option<String>,
    wire: OnceLock<Result<Arc<WireGame>, String>>,
}

impl OpenGame {
    /// Whether it has hidden information.
    pub fn is_hidden(&self) -> bool {
        self.playable.game.info().information == Information::Hidden
    }

    /// The hash of its rules, by which learned agents recognise their game.
    pub fn rules_hash(&self) -> &str {
        &self.playable.game.info().rules_hash
    }

    /// The clues of a puzzle that are not part of its position, such as the numbers beside a
    /// nonogram.
    pub fn clues(&self) -> &'static str {
        let base = self.name.split('/').next().unwrap_or_default();
        let entry = catalogue::find(base).filter(|_| self.text.is_none());
        entry.map_or("", |entry| entry.card.clues.trim())
    }

    /// The rules in the form that is sent to remote players.
    pub fn wire(&self) -> Result<Arc<WireGame>, ApiError> {
        let made = self.wire.get_or_init(|| {
            WireGame::of(&self.playable.source).map(Arc::new).map_err(|error| error.to_string())
        });
        made.clone().map_err(|error| ApiError::invalid("no-rules", error))
    }
}

/// A game that a user saved.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Saved {
    /// Its title.
    pub title: String,
    /// Its rules.
    pub text: String,
    /// The number of players, without chance.
    pub players: usize,
    /// Whether it has hidden information.
    pub hidden: bool,
    /// Whether it has chance.
    pub chance: bool,
    /// Its language.
    pub language: String,
    /// The id of the upload that contains it.
    #[serde(skip)]
    pub id: String,
    /// The id of the account that owns it; empty if no one was signed in.
    #[serde(skip)]
    pub owner: String,
}

/// A line in the list of games.
#[derive(Clone, Debug, Serialize)]
pub struct GameLine {
    name: String,
    title: String,
    summary: String,
    tags: Vec<String>,
    players: usize,
    chance: bool,
    hidden: bool,
    language: &'static str,
    popular: bool,
    board: Option<&'static str>,
    #[serde(skip)]
    aliases: Vec<String>,
}

/// A filter for games.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct GameFilter {
    search: Option<String>,
    tag: Option<String>,
    players: Option<usize>,
    hidden: Option<bool>,
    chance: Option<bool>,
    language: Option<String>,
    all: Option<String>,
}

/// The game of a request: by name, or as rules.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Wanted {
    /// A game of the catalogue or a saved one.
    Game(String),
    /// Rules.
    Rules(String),
}

/// All games.
#[derive(Debug)]
pub struct Library {
    limits: Limits,
    store: SqlStore,
    prepared: Mutex<Prepared>,
    preparing: Semaphore,
    saved: Mutex<BTreeMap<String, Arc<Saved>>>,
    lines: OnceLock<Vec<GameLine>>,
    /// Initial positions as JSON, by the name of the game.
    starts: Mutex<BTreeMap<String, Arc<str>>>,
}

/// A game that is prepared once, at its first use.
type Slot = Arc<OnceCell<Arc<OpenGame>>>;

#[derive(Debug, Default)]
struct Prepared {
    games: BTreeMap<String, (u64, Slot)>,
    uses: u64,
}

impl Library {
    /// The games of a store.
    pub(crate) async fn open(store: &SqlStore, limits: &Limits) -> Result<Self, ApiError> {
        let mut saved = BTreeMap::new();
        for upload in store.uploads(None).await?.into_iter().filter(|one| one.kind == SAVED) {
            if let Ok(game) = serde_json::from_str::<Saved>(&upload.content) {
                let game = Saved { id: upload.id, owner: upload.owner, ..game };
                saved.insert(upload.name, Arc::new(game));
            }
        }
        Ok(Library {
            preparing: Semaphore::new(limits.threads.max(1)),
            limits: *limits,
            store: store.clone(),
            prepared: Mutex::default(),
            saved: Mutex::new(saved),
            lines: OnceLock::new(),
            starts: Mutex::default(),
        })
    }

    fn saved(&self) -> MutexGuard<'_, BTreeMap<String, Arc<Saved>>> {
        self.saved.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The games that match a filter, popular ones first.
    pub fn list(&self, filter: &GameFilter) -> Vec<GameLine> {
        let mut all = self.lines.get_or_init(lines).clone();
        all.extend(self.saved().iter().map(|(name, game)| GameLine {
            name: name.clone(),
            title: game.title.clone(),
            summary: "A game that was written on this site.".to_owned(),
            tags: vec!["saved".to_owned()],
            players: game.players,
            chance: game.chance,
            hidden: game.hidden,
            language: language_name(&game.language),
            popular: false,
            board: None,
            aliases: Vec::new(),
        }));
        let bad = filter.all.is_some() || filter.search.is_some() || filter.tag.is_some();
        all.retain(|game| {
            (bad || !game.tags.iter().any(|tag| tag == "badly written")) && filter.fits(game)
        });
        all.sort_by(|a, b| rank(&a.name).cmp(&rank(&b.name)).then_with(|| a.title.cmp(&b.title)));
        all
    }

    /// Opens a game. Preparation has a time limit, and each game is prepared only once.
    pub async fn get(&self, wanted: &Wanted) -> Result<Arc<OpenGame>, ApiError> {
        let (key, order) = self.order(wanted)?;
        let slot = self.slot(&key);
        let made = slot
            .get_or_try_init(|| async {
                let _turn = self.preparing.acquire().await.map_err(|_| closing())?;
                let time = match &order {
                    Order::Bundled(..) => self.limits.prepare_bundled,
                    Order::Text { .. } | Order::Subgame(..) => self.limits.prepare,
                };
                let work = move || prepare(&order, time).map(Arc::new);
                tokio::task::spawn_blocking(work).await.map_err(|_| crashed())?
            })
            .await;
        match made {
            Ok(game) => Ok(Arc::clone(game)),
            Err(error) => {
                self.prepared().games.remove(&key);
                Err(error)
            }
        }
    }

    /// The initial position of a game as JSON, if it was already computed.
    pub(crate) fn known_start(&self, name: &str) -> Option<Arc<str>> {
        self.starts.lock().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
    }

    pub(crate) fn keep_start(&self, name: &str, start: &Arc<str>) {
        let mut starts = self.starts.lock().unwrap_or_else(PoisonError::into_inner);
        if starts.len() > 2 * catalogue::all().len() {
            starts.clear();
        }
        starts.insert(name.to_owned(), Arc::clone(start));
    }

    fn prepared(&self) -> MutexGuard<'_, Prepared> {
        self.prepared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn slot(&self, key: &str) -> Slot {
        let mut prepared = self.prepared();
        prepared.uses += 1;
        let now = prepared.uses;
        let entry = prepared.games.entry(key.to_owned()).or_default();
        entry.0 = now;
        let slot = Arc::clone(&entry.1);
        if prepared.games.len() > PREPARED {
            let oldest = prepared.games.iter().min_by_key(|(_, (used, _))| *used);
            if let Some(oldest) = oldest.map(|(key, _)| key.clone()) {
                prepared.games.remove(&oldest);
            }
        }
        slot
    }

    fn order(&self, wanted: &Wanted) -> Result<(String, Order), ApiError> {
        match wanted {
            Wanted::Rules(text) => {
                if text.len() > self.limits.rules {
                    let most = self.limits.rules;
                    return Err(ApiError::new(
                        axum::http::StatusCode::PAYLOAD_TOO_LARGE,
                        "too-large",
                        format!("rules may have at most {most} bytes"),
                    ));
                }
                let hash = magister_core::rules_hash(text);
                let name = format!("rules-{}", &hash[..12]);
                let order =
                    Order::Text { name, title: "Your rules".to_owned(), text: text.clone() };
                Ok((hash, order))
            }
            Wanted::Game(name) => {
                // NAME#2 is the second subgame of a game.
                let part = name.rsplit_once('#').and_then(|(game, number)| {
                    Some((game, number.parse::<usize>().ok().filter(|&number| number < 1_000)?))
                });
                if let Some((game, number)) = part {
                    let (key, order) = self.order(&Wanted::Game(game.to_owned()))?;
                    if matches!(order, Order::Subgame(..)) {
                        let what = "a subgame has no named subgames";
                        return Err(ApiError::invalid("game", what));
                    }
                    return Ok((
                        format!("{key}#{number}"),
                        Order::Subgame(Box::new(order), number),
                    ));
                }
                if let Some(saved) = self.saved().get(name) {
                    let (title, text) = (saved.title.clone(), saved.text.clone());
                    let key = magister_core::rules_hash(&text) + name;
                    return Ok((key, Order::Text { name: name.clone(), title, text }));
                }
                let found = (name.len() <= 100).then(|| catalogue::look_up(name)).flatten();
                let Some(found) = found else {
                    let shown: String = name.chars().take(60).collect();
                    return Err(magister::unknown(&shown).into());
                };
                let full = match found.version {
                    Version::Rust if found.entry.sheet.is_none() => found.entry.name.to_owned(),
                    Version::Rust => format!("{}/rust", found.entry.name),
                    Version::Sheet(_) => {
                        let squeezed = name.rsplit_once('/').map(|(_, version)| version);
                        let twin = squeezed.and_then(|version| {
                            found.entry.twins.iter().find(|t| t.name == version)
                        });
                        let name = found.entry.name;
                        twin.map_or(name.to_owned(), |twin| format!("{name}/{}", twin.name))
                    }
                };
                Ok((full.clone(), Order::Bundled(full, found.entry)))
            }
        }
    }

    /// Saves rules as a game of this site.
    pub async fn save(
        &self,
        name: &str,
        text: &str,
        visitor: &Visitor,
        accounts: &Accounts,
    ) -> Result<Arc<OpenGame>, ApiError> {
        let slug = slug(name).ok_or_else(|| {
            ApiError::invalid(
                "name",
                "the name needs at least one letter and at most 60 characters",
            )
        })?;
        if catalogue::look_up(&slug).is_some() {
            let what = format!("{slug} is a game of the catalogue; choose another name");
            return Err(ApiError::conflict("name", what));
        }
        let before = self.saved().get(&slug).cloned();
        // When an administrator saves a new version, the owner stays the same.
        let owner = before.as_ref().map_or(visitor.owner(), |game| &game.owner).to_owned();
        if owner != visitor.owner() && visitor.may_change(&owner).is_err() {
            let what = format!("someone else has a game called {slug}; choose another name");
            return Err(ApiError::conflict("name", what));
        }
        if self.saved().len() >= self.limits.saved && before.is_none() {
            return Err(ApiError::conflict("quota", "this site cannot save any more games"));
        }
        let game = self.get(&Wanted::Rules(text.to_owned())).await?;
        let info = game.playable.game.info();
        let saved = Saved {
            title: name.trim().to_owned(),
            text: text.to_owned(),
            players: info.players().count(),
            hidden: game.is_hidden(),
            chance: info.chance.is_some(),
            language: game.playable.language().name().to_owned(),
            id: before.as_ref().map_or_else(fresh_token, |game| game.id.clone()),
            owner,
        };
        let content = serde_json::to_string(&saved).map_err(|_| crashed())?;
        let replaced = before.map(|game| serde_json::to_string(&*game).map_or(0, |old| old.len()));
        accounts.room(&self.store, &saved.owner, SAVED, content.len(), replaced).await?;
        let upload = Upload {
            id: saved.id.clone(),
            owner: saved.owner.clone(),
            kind: SAVED.to_owned(),
            name: slug.clone(),
            content,
            created_ms: now_ms(),
        };
        self.store.put_upload(&upload).await?;
        self.saved().insert(slug.clone(), Arc::new(saved));
        self.starts.lock().unwrap_or_else(PoisonError::into_inner).remove(&slug);
        self.get(&Wanted::Game(slug)).await
    }

    /// The rules of a saved game.
    pub(crate) fn saved_text(&self, name: &str) -> Option<String> {
        self.saved().get(name).map(|game| game.text.clone())
    }

    /// Deletes a saved game. Its matches keep its rules.
    pub async fn delete(&self, name: &str, visitor: &Visitor) -> Result<(), ApiError> {
        let Some(game) = self.saved().get(name).cloned() else {
            return Err(ApiError::missing("there is no saved game of this name"));
        };
        visitor.may_change(&game.owner)?;
        self.store.remove_upload(&game.id).await?;
        self.forget(|one| one.id == game.id);
        Ok(())
    }

    /// Removes saved games from memory.
    pub(crate) fn forget(&self, gone: impl Fn(&Saved) -> bool) {
        let mut saved = self.saved();
        let names: Vec<String> =
            saved.iter().filter(|(_, game)| gone(game)).map(|(name, _)| name.clone()).collect();
        for name in names {
            saved.remove(&name);
            self.starts.lock().unwrap_or_else(PoisonError::into_inner).remove(&name);
        }
    }

    /// The owner of a saved game.
    pub(crate) fn owner(&self, name: &str) -> Option<String> {
        self.saved().get(name).map(|game| game.owner.clone())
    }

    /// Everything about a game.
    pub fn details(&self, game: &OpenGame) -> Value {
        let info = game.playable.game.info();
        let line = self.list(&GameFilter { all: Some(String::new()), ..GameFilter::default() });
        let base = game.name.split('/').next().unwrap_or_default();
        let line = line.into_iter().find(|line| line.name == base);
        let entry = catalogue::find(base).filter(|_| game.text.is_none());
        let mut object = match line {
            Some(line) => json!(line),
            None => json!({
                "name": game.name, "title": game.title, "summary": "", "tags": [],
                "popular": false,
            }),
        };
        let facts = entry.map(|entry| {
            let facts = &entry.card.facts;
            json!({
                "perft": facts.perft, "positions": facts.positions, "length": facts.length,
                "value": facts.value,
            })
        });
        let versions: Vec<String> = entry
            .map(|entry| {
                let rust = entry.native.then(|| format!("{}/rust", entry.name));
                entry.sheets().map(|(name, _)| name).chain(rust).collect()
            })
            .unwrap_or_default();
        let shape = game.drawing.shape();
        let more = json!({
            "name": game.name,
            "players": info.players().count(),
            "chance": info.chance.is_some(),
            "hidden": game.is_hidden(),
            "language": language_name(game.playable.language().name()),
            "board": shape.map(|shape| shape.layout),
            "description": entry.map_or("", |entry| entry.card.rules.trim()),
            "clues": game.clues(),
            "author": entry.and_then(|entry| entry.card.author.clone()),
            "roles": info.roles,
            "chance_role": info.chance.map(magister_core::Role::index),
            "moves": info.moves,
            "rules_hash": info.rules_hash,
            "evaluator": game.playable.evaluator,
            "facts": facts,
            "versions": versions,
            "rules": sheets(game),
            "shape": shape,
            "levels": LEVELS.iter().map(|level| level.name).collect::<Vec<_>>(),
            "diagnostics": diagnostics(game),
        });
        if let (Some(object), Value::Object(more)) = (object.as_object_mut(), more) {
            object.extend(more);
        }
        object
    }
}

impl GameFilter {
    fn fits(&self, game: &GameLine) -> bool {
        let search = self.search.as_deref().unwrap_or_default().to_lowercase();
        let in_text = |text: &str| text.to_lowercase().contains(&search);
        (search.is_empty()
            || in_text(&game.name)
            || in_text(&game.title)
            || in_text(&game.summary)
            || game.aliases.iter().any(|alias| in_text(alias)))
            && self.tag.as_ref().is_none_or(|tag| tag.is_empty() || game.tags.contains(tag))
            && self.players.is_none_or(|players| game.players == players)
            && self.hidden.is_none_or(|hidden| game.hidden == hidden)
            && self.chance.is_none_or(|chance| game.chance == chance)
            && self.language.as_ref().is_none_or(|wanted| {
                wanted.is_empty() || wanted.eq_ignore_ascii_case(game.language)
            })
    }
}

/// A game to be prepared.
#[derive(Clone, Debug)]
enum Order {
    Bundled(String, &'static Entry),
    Text {
        name: String,
        title: String,
        text: String,
    },
    /// A subgame of a game, by its number from 1.
    Subgame(Box<Order>, usize),
}

fn prepare(order: &Order, time: Duration) -> Result<OpenGame, ApiError> {
    let (name, title, text) = match order {
        Order::Bundled(name, entry) => (name.clone(), entry.card.title.clone(), None),
        Order::Text { name, title, text } => (name.clone(), title.clone(), Some(text.clone())),
        Order::Subgame(whole, number) => {
            let whole = prepare(whole, time)?;
            let text = whole.playable.subgame(*number, &Stop::never())?.text;
            let (name, title) = (&whole.name, &whole.title);
            let name = format!("{name}#{number}");
            let title = format!("{title}, subgame {number}");
            return prepare(&Order::Text { name, title, text }, time);
        }
    };
    let playable = within(time, &Stop::never(), |stop| {
        let options = Options { stop: stop.clone(), ..Options::default() };
        match &text {
            None => options.open(&name),
            Some(text) => options.open_text(&name, text),
        }
    })?;
    let mut probe = playable.game.worker();
    probe.reset();
    let drawing = Drawing::new(&playable);
    Ok(OpenGame { name, title, playable, drawing, text, wire: OnceLock::new() })
}

fn closing() -> ApiError {
    ApiError::unavailable("the server is being shut down")
}

fn crashed() -> ApiError {
    ApiError::new(
        axum::http::StatusCode::INTERNAL_SERVER_ERROR,
        "crash",
        "this game could not be prepared because of an error in the program; please report it",
    )
}

/// A name as part of a URL.
fn slug(name: &str) -> Option<String> {
    let name = name.trim();
    if name.chars().count() > 60 {
        return None;
    }
    let kept = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let all: String = name.chars().map(kept).collect();
    let words: Vec<&str> = all.split('-').filter(|word| !word.is_empty()).collect();
    let slug = words.join("-");
    slug.chars().any(|c| c.is_ascii_alphabetic()).then_some(slug)
}

/// The rank of a game among the popular ones.
fn rank(name: &str) -> usize {
    let featured = catalogue::FEATURED.iter().flat_map(|(_, names)| names.iter());
    featured.into_iter().position(|one| *one == name).unwrap_or(usize::MAX)
}

fn language_name(name: &str) -> &'static str {
    match name {
        "RECYCLE" => "RECYCLE",
        "Rust" => "Rust",
        other => [Dialect::Gdl, Dialect::Gdl2, Dialect::Operations]
            .into_iter()
            .map(Dialect::name)
            .find(|known| *known == other)
            .unwrap_or("GDL"),
    }
}

/// The lines of the catalogue, from its cards and from the rules that have been read.
fn lines() -> Vec<GameLine> {
    catalogue::all().iter().map(line).collect()
}

fn line(entry: &Entry) -> GameLine {
    let tag = |tag: &str| entry.card.tags.iter().any(|one| one == tag);
    let read =
        entry.sheet.and_then(|sheet| Options::default().read_text(entry.name, sheet.text).ok());
    let cards = read.as_ref().and_then(Source::card_game);
    let players = match (read.as_ref().and_then(Source::program), entry.native()) {
        _ if cards.is_some() => cards.map_or(2, |game| game.info().players().count()),
        (Some(Ok(program)), _) => {
            let name = |role| program.terms.export(role).name;
            program.roles.iter().filter(|&&role| &*name(role) != "random").count()
        }
        (_, Some(game)) => game.info().players().count(),
        _ if tag("one player") => 1,
        _ if tag("three players") => 3,
        _ => 2,
    };
    let language = read.map_or(Language::Rust, |source| source.language());
    GameLine {
        name: entry.name.to_owned(),
        title: entry.card.title.clone(),
        summary: entry.card.summary.clone(),
        tags: entry.card.tags.clone(),
        players,
        chance: tag("chance") || tag("dice"),
        hidden: tag("hidden information"),
        language: language_name(language.name()),
        popular: rank(entry.name) < usize::MAX,
        board: board_of(&entry.style, tag("board") || tag("puzzle") || tag("maze")),
        aliases: entry.card.aliases.clone(),
    }
}

fn board_of(style: &Style, has: bool) -> Option<&'static str> {
    let styled = style.boards.first().and_then(|board| board.layout);
    styled.map(crate::drawing::layout).or(has.then_some("grid"))
}

/// The rules in both syntaxes of GDL, or as written.
fn sheets(game: &OpenGame) -> Value {
    let Some(text) = game.playable.rules() else { return json!({}) };
    let Some(sheet) = game.playable.source.rulesheet() else { return json!({"recycle": text}) };
    let own = |syntax: Syntax| if syntax == Syntax::Kif { "prefix" } else { "infix" };
    let mut rules = serde_json::Map::new();
    rules.insert(own(sheet.syntax).to_owned(), json!(text));
    let other = if sheet.syntax == Syntax::Kif { Syntax::Infix } else { Syntax::Kif };
    if let Ok(printed) = magister_gdl::print(sheet, text, other) {
        rules.insert(own(other).to_owned(), json!(printed));
    }
    Value::Object(rules)
}

fn diagnostics(game: &OpenGame) -> Value {
    use magister_diagnostic::Severity;
    let found = game.playable.source.check();
    let count = |severity| found.as_ref().map_or(0, |found| found.count(severity));
    json!({"errors": count(Severity::Error), "warnings": count(Severity::Warning)})
}

#[cfg(test)]
mod tests {
    use super::slug;

    #[test]
    fn names_become_addresses() {
        assert_eq!(slug("My Game!").as_deref(), Some("my-game"));
        assert_eq!(slug("../../etc/passwd").as_deref(), Some("etc-passwd"));
        assert_eq!(slug("<script>").as_deref(), Some("script"));
        assert_eq!(slug("  "), None);
        assert_eq!(slug("123"), None);
        assert_eq!(slug(&"x".repeat(61)), None);
    }
}
