//! One test suite for both databases and the store in memory.

mod postgres;

use std::sync::Arc;

use magister_core::examples::Countdown;
use magister_core::{
    Answer, Fault, FaultKind, Game, Match, MatchRecord, Native, Seat, Seed, Setup, Stop,
};
use magister_store::{
    Account, AccountRole, AnswerBody, Archive, Entry, Filter, MemoryStore, Origin, Place,
    RatingRow, RequestKey, RequestKind, Session, SqlStore, Status, StepBody, Store, StoreError,
    Tournament, TournamentStatus, Upload,
};
use postgres::PrivatePostgres;

fn game() -> Arc<dyn Game> {
    Arc::new(Native::new(Countdown(5)))
}

fn a_match(id: &str, seed: u64) -> Match {
    let seats = vec![Seat::new("one"), Seat::new("two")];
    let setup = Setup { id: Some(id.to_owned()), ..Setup::new(Seed::from(seed), seats) };
    Match::new(&game(), &setup, &Stop::never()).unwrap()
}

fn key(id: &str, kind: RequestKind, turn: usize, seat: usize) -> RequestKey {
    RequestKey { id: id.to_owned(), kind, turn, seat }
}

fn begun(current: &Match, at_ms: i64) -> Entry {
    Entry::Begun {
        record: Box::new(current.record().clone()),
        places: vec![
            Place { address: Some("http://a:1".into()), repeats: true },
            Place { address: None, repeats: false },
        ],
        rules: Some("the rules".into()),
        tournament: Some("cup".into()),
        manner: Some("loud".into()),
        at_ms,
    }
}

/// Plays a turn and returns its log entries.
fn turn(current: &mut Match, id: &str, fault: bool) -> Vec<Entry> {
    let (turn, from) = (current.turn(), current.record().moves.len());
    let mut entries = Vec::new();
    for pending in current.pending() {
        let request = key(id, RequestKind::Play, turn, pending.seat);
        entries.push(Entry::Requested(request.clone()));
        let before = current.record().errors.len();
        let answer = if fault {
            Answer::fault(FaultKind::Late, "slow")
        } else {
            Answer::choice(current.legal(pending.role)[0])
        };
        current.submit(pending.role, answer).unwrap();
        let choice = current.record().answers.iter().find(|one| one.seat == pending.seat);
        let body = AnswerBody {
            choice: choice.map(|one| one.choice.clone()),
            time_ms: 0.0,
            fault: current.record().errors.get(before).cloned(),
        };
        entries.push(Entry::Answered { key: request, body });
    }
    current.advance(&Stop::never()).unwrap();
    let record = current.record();
    let steps = (from..record.moves.len()).map(|at| StepBody::of(record, at)).collect();
    entries.push(Entry::Stepped { id: id.to_owned(), turn: current.turn(), from, steps });
    entries
}

fn finish(current: &mut Match, id: &str) -> (Vec<Entry>, MatchRecord) {
    let mut entries = Vec::new();
    while current.end().is_none() {
        entries.extend(turn(current, id, false));
    }
    let record = current.record().clone();
    entries.push(Entry::Ended { record: Box::new(record.clone()), at_ms: 9 });
    (entries, record)
}

/// The requirements for every store.
async fn logs_are_kept<S: Store>(store: &S) {
    let mut current = a_match("m1", 1);
    store.append(vec![begun(&current, 5)]).await.unwrap();
    let stored = store.load("m1").await.unwrap().unwrap();
    assert_eq!(stored.record, *current.record());
    assert!(!stored.was_started());
    assert_eq!(stored.tournament.as_deref(), Some("cup"));
    assert_eq!(stored.rules.as_deref(), Some("the rules"));
    assert_eq!(stored.manner.as_deref(), Some("loud"));
    assert!(stored.places[0].repeats && stored.places[1].address.is_none());

    // START with a fault, and a request that is not answered.
    let start = [0, 1].map(|seat| key("m1", RequestKind::Start, 0, seat));
    store.append(start.iter().cloned().map(Entry::Requested).collect()).await.unwrap();
    let stored = store.load("m1").await.unwrap().unwrap();
    assert!(stored.was_started());
    assert_eq!(stored.outstanding.len(), 2);
    current.fault_at_start(
        magister_core::Role(0),
        FaultKind::Connection,
        "no one there",
        std::time::Duration::ZERO,
    );
    let fault: Option<Fault> = current.record().errors.first().cloned();
    let answered = |key: &RequestKey, fault: Option<Fault>| Entry::Answered {
        key: key.clone(),
        body: AnswerBody { choice: None, time_ms: 1.0, fault },
    };
    store.append(vec![answered(&start[0], fault), answered(&start[1], None)]).await.unwrap();
    let stored = store.load("m1").await.unwrap().unwrap();
    assert!(stored.outstanding.is_empty());
    assert_eq!(stored.record.errors, current.record().errors);

    // A turn with a fault; the match continues from the stored data.
    store.append(turn(&mut current, "m1", true)).await.unwrap();
    let stored = store.load("m1").await.unwrap().unwrap();
    assert_eq!(stored.turn, 1);
    assert_eq!(stored.record.moves, current.record().moves);
    assert_eq!(stored.record.errors, current.record().errors);
    let again = Match::from_record(&game(), &stored.record, &Stop::never()).unwrap();
    assert_eq!(again.record().moves, current.record().moves);

    // A request without an answer is outstanding, and an answer without a step is restored.
    let pending = current.pending()[0];
    let request = key("m1", RequestKind::Play, current.turn(), pending.seat);
    store.append(vec![Entry::Requested(request.clone())]).await.unwrap();
    let stored = store.load("m1").await.unwrap().unwrap();
    assert_eq!(stored.outstanding.iter().next(), Some(&request));
    let ids = |all: Vec<magister_store::StoredMatch>| -> Vec<String> {
        all.into_iter().filter_map(|one| one.record.id).collect()
    };
    assert_eq!(ids(store.unfinished().await.unwrap()), ["m1"]);
    current.submit(pending.role, Answer::choice(current.legal(pending.role)[0])).unwrap();
    let choice = current.record().answers.first().map(|one| one.choice.clone());
    let body = AnswerBody { choice, time_ms: 0.0, fault: None };
    store.append(vec![Entry::Answered { key: request, body }]).await.unwrap();
    let stored = store.load("m1").await.unwrap().unwrap();
    assert_eq!(stored.record.answers, current.record().answers);

    // The end.
    current.advance(&Stop::never()).unwrap();
    let from = current.record().moves.len() - 1;
    let steps = vec![StepBody::of(current.record(), from)];
    let stepped = Entry::Stepped { id: "m1".into(), turn: current.turn(), from, steps };
    let (mut entries, record) = finish(&mut current, "m1");
    entries.insert(0, stepped);
    store.append(entries).await.unwrap();
    let stored = store.load("m1").await.unwrap().unwrap();
    assert_eq!((stored.status, &stored.record), (Status::Ending, &record));
    assert_eq!(ids(store.unfinished().await.unwrap()), ["m1"]);
    // A second end, written by a manager that was killed, changes nothing.
    let late = MatchRecord { moves: Vec::new(), ..record.clone() };
    store.append(vec![Entry::Ended { record: Box::new(late), at_ms: 10 }]).await.unwrap();
    assert_eq!(store.load("m1").await.unwrap().unwrap().record, record);
    store.append(vec![Entry::Dismissed { id: "m1".into() }]).await.unwrap();
    assert!(store.unfinished().await.unwrap().is_empty());
    assert_eq!(store.load("m1").await.unwrap().unwrap().status, Status::Ended);
    stored.record.replay(&*game(), &Stop::never()).unwrap();
    assert!(store.load("m2").await.unwrap().is_none());
}

/// The requirements for the other data of a server.
async fn the_rest_is_kept<A: Archive>(store: &A) {
    accounts_are_kept(store).await;
    // Uploads: an owner has one of each kind and name.
    let upload = |id: &str, owner: &str, kind: &str, created_ms: i64| Upload {
        id: id.into(),
        owner: owner.into(),
        kind: kind.into(),
        name: "chess".into(),
        content: "(role 'white')".into(),
        created_ms,
    };
    store.add_upload(&upload("u1", "b", "game", 1)).await.unwrap();
    store.add_upload(&upload("u2", "b", "player", 2)).await.unwrap();
    store.add_upload(&upload("u3", "", "game", 3)).await.unwrap();
    for taken in [upload("u1", "x", "game", 4), upload("u4", "b", "game", 4)] {
        assert_eq!(store.add_upload(&taken).await, Err(StoreError::Taken));
    }
    let ids = |all: Vec<Upload>| all.into_iter().map(|one| one.id).collect::<Vec<_>>();
    assert_eq!(ids(store.uploads(Some("b")).await.unwrap()), ["u1", "u2"]);
    assert_eq!(ids(store.uploads(Some("")).await.unwrap()), ["u3"]);
    assert_eq!(ids(store.uploads(None).await.unwrap()), ["u1", "u2", "u3"]);
    assert_eq!(store.upload("u1").await.unwrap(), Some(upload("u1", "b", "game", 1)));
    assert!(store.remove_upload("u1").await.unwrap());
    assert!(!store.remove_upload("u1").await.unwrap());
    // An account is deleted with its uploads; uploads without an owner are kept.
    assert!(store.remove_account("b").await.unwrap());
    assert_eq!(ids(store.uploads(None).await.unwrap()), ["u3"]);

    // A tournament keeps the time of its creation.
    let mut cup = Tournament {
        name: "cup".into(),
        settings: "{}".into(),
        status: TournamentStatus::Running,
        result: None,
        created_ms: 5,
        ended_ms: None,
    };
    store.put_tournament(&cup).await.unwrap();
    assert_eq!(store.tournament("cup").await.unwrap(), Some(cup.clone()));
    cup.status = TournamentStatus::Ended;
    cup.result = Some("table".into());
    cup.ended_ms = Some(9);
    store.put_tournament(&Tournament { created_ms: 77, ..cup.clone() }).await.unwrap();
    assert_eq!(store.tournaments().await.unwrap(), [cup]);
    assert_eq!(store.tournament("bowl").await.unwrap(), None);

    store.put_game("hash", "name", "(role x)").await.unwrap();
    store.put_game("hash", "name", "changed").await.unwrap();
    assert_eq!(store.game("hash").await.unwrap().as_deref(), Some("(role x)"));
    assert_eq!(store.game("other").await.unwrap(), None);
}

async fn accounts_are_kept<A: Archive>(store: &A) {
    let account = |id: &str, name: &str| Account {
        id: id.into(),
        name: name.into(),
        password_hash: "$argon2id$v=19$secret".into(),
        role: AccountRole::User,
        is_disabled: false,
        created_ms: 1,
    };
    let mut ada = account("a", "Ada");
    ada.role = AccountRole::Admin;
    store.add_account(&ada).await.unwrap();
    store.add_account(&account("b", "bob'; DROP TABLE accounts")).await.unwrap();
    for taken in [account("a", "new"), account("c", " aDA ")] {
        assert_eq!(store.add_account(&taken).await, Err(StoreError::Taken));
    }
    assert_eq!(store.account_named("ADA").await.unwrap(), Some(ada.clone()));
    assert_eq!(store.account("a").await.unwrap(), Some(ada.clone()));
    assert_eq!(store.account("c").await.unwrap(), None);
    assert_eq!(store.accounts().await.unwrap().len(), 2);
    let renamed = Account { name: "Ada L".into(), ..ada.clone() };
    assert!(store.change_account(&renamed).await.unwrap());
    assert!(!store.change_account(&account("c", "c")).await.unwrap());
    let taken = Account { name: "ada l".into(), ..account("b", "") };
    assert_eq!(store.change_account(&taken).await, Err(StoreError::Taken));
    assert!(!format!("{ada:?}").contains("argon2id"), "a secret in a log");

    let session = |token: &str, account: &str, expires_ms| Session {
        token_hash: Session::hash_token(token),
        account: account.into(),
        csrf_token: "csrf".into(),
        created_ms: 1,
        expires_ms,
    };
    store.add_session(&session("t1", "a", 100)).await.unwrap();
    store.add_session(&session("t2", "a", 50)).await.unwrap();
    store.add_session(&session("t3", "b", 100)).await.unwrap();
    assert_eq!(store.add_session(&session("t1", "b", 9)).await, Err(StoreError::Taken));
    let hash = Session::hash_token;
    let found = store.session(&hash("t1"), 99).await.unwrap().unwrap();
    assert_eq!(found, (session("t1", "a", 100), renamed.clone()));
    assert_eq!(store.session(&hash("t1"), 100).await.unwrap(), None);
    assert_eq!(store.session("t1", 1).await.unwrap(), None);
    // A disabled account is logged out at once.
    let disabled = Account { is_disabled: true, ..renamed.clone() };
    assert!(store.change_account(&disabled).await.unwrap());
    assert_eq!(store.session(&hash("t1"), 1).await.unwrap(), None);
    assert!(store.change_account(&renamed).await.unwrap());
    assert_eq!(store.remove_expired_sessions(50).await.unwrap(), 1);
    assert!(store.remove_session(&hash("t1")).await.unwrap());
    assert!(!store.remove_session(&hash("t1")).await.unwrap());
    assert_eq!(store.remove_sessions_of("b").await.unwrap(), 1);
    store.add_session(&session("t4", "a", 100)).await.unwrap();
    assert!(store.remove_account("a").await.unwrap());
    assert!(!store.remove_account("a").await.unwrap());
    assert_eq!(store.session(&hash("t4"), 1).await.unwrap(), None);
}

/// The requirements for databases.
async fn queries_answer(store: &SqlStore, url: &str) {
    // Duplicate entries change nothing.
    let current = a_match("m1", 1);
    store.append(vec![begun(&current, 7)]).await.unwrap();
    assert_eq!(store.load("m1").await.unwrap().unwrap().status, Status::Ended);

    // Records of matches that were played elsewhere.
    let mut other = a_match("m3", 3);
    let (_, mut record) = finish(&mut other, "m3");
    record.players = vec!["one".into(), "three".into()];
    record.seats[1].player = "three".into();
    let mut nameless = record.clone();
    nameless.id = None;
    let records = [record.clone(), nameless];
    let origin = Origin { started_ms: Some(3), tournament: Some("league"), ..Origin::default() };
    assert_eq!(store.import(&records, &origin).await.unwrap(), 2);
    assert_eq!(store.import(&records, &origin).await.unwrap(), 0);
    assert_eq!(store.load("m3").await.unwrap().unwrap().record, record);

    let list = |filter: Filter| async move { store.list(&filter).await.unwrap() };
    assert_eq!(list(Filter::default()).await.len(), 3);
    let three = Filter { player: Some("three".into()), ..Filter::default() };
    let three = list(three).await;
    assert_eq!(three.len(), 2);
    assert_eq!(three[0].seats[1].0, "three");
    assert_eq!(three[0].seats[0].1, record.rewards[0]);
    let cup = Filter { tournament: Some("cup".into()), ..Filter::default() };
    let cup = list(cup).await;
    assert_eq!((cup.len(), cup[0].seats[0].2), (1, 2));
    let league = Filter { tournament: Some("league".into()), ..Filter::default() };
    let league = list(league).await;
    assert_eq!((league.len(), league[0].started_ms), (2, 3));
    let few = Filter { limit: Some(1), ..Filter::default() };
    assert_eq!(list(few).await.len(), 1);
    let none = Filter { game: Some("chess' OR '1'='1".into()), ..Filter::default() };
    assert!(list(none).await.is_empty());
    let running = Filter { status: Some(Status::Running), ..Filter::default() };
    assert!(list(running).await.is_empty());

    let row = |player: &str, rating| RatingRow {
        scale: "elo".into(),
        game: String::new(),
        player: player.into(),
        rating,
        interval: (rating > 0.0).then_some((rating - 1.0, rating + 1.0)),
    };
    // Some have an interval, and some do not.
    store.put_ratings("elo", &[row("low", -1.0), row("gone", 1.0)]).await.unwrap();
    let rows = [row("one", 12.5), row("two", -12.5)];
    store.put_ratings("elo", &rows).await.unwrap();
    assert_eq!(store.ratings("elo").await.unwrap(), rows);

    // Concurrent appends of many matches share transactions.
    let appends = (0..100).map(|number| {
        let store = store.clone();
        tokio::spawn(async move {
            let id = format!("many{number}");
            let mut current = a_match(&id, number);
            store.append(vec![begun(&current, 100 + number as i64)]).await.unwrap();
            let (entries, record) = finish(&mut current, &id);
            store.append(entries).await.unwrap();
            assert_eq!(store.load(&id).await.unwrap().unwrap().record, record);
        })
    });
    for append in appends.collect::<Vec<_>>() {
        append.await.unwrap();
    }
    let times = store.commit_times().unwrap();
    assert!(times.appends >= 200 && times.commits < times.appends, "{times:?}");

    // An append that the database refuses fails alone. PostgreSQL does not accept texts with a NUL
    // byte.
    let begin = |id: String| {
        let (store, current) = (store.clone(), a_match(&id, 1));
        tokio::spawn(async move { store.append(vec![begun(&current, 500)]).await })
    };
    let good: Vec<_> = (0..20).map(|number| begin(format!("good{number}"))).collect();
    let bad = begin("bad\0".to_owned());
    let more: Vec<_> = (20..40).map(|number| begin(format!("good{number}"))).collect();
    for append in good.into_iter().chain(more) {
        append.await.unwrap().unwrap();
    }
    assert_eq!(bad.await.unwrap().is_err(), url.starts_with("postgres:"));
    let ends = (0..40).map(|number| Entry::Dismissed { id: format!("good{number}") });
    store.append(ends.collect()).await.unwrap();
    let _ = store.append(vec![Entry::Dismissed { id: "bad\0".into() }]).await;

    // Another connection to the same database sees the same.
    let again = SqlStore::open(url).await.unwrap();
    assert_eq!(again.load("m3").await.unwrap().unwrap().record, record);
    assert_eq!(again.unfinished().await.unwrap().len(), 100);
    // On a new connection, a match without rewards is stored before one with rewards.
    let mut aborted = a_match("m4", 4);
    aborted.abort("the manager was restarted").unwrap();
    let mut ended = a_match("m5", 5);
    let first = begun(&ended, 8);
    let (rest, whole) = finish(&mut ended, "m5");
    let end = Entry::Ended { record: Box::new(aborted.record().clone()), at_ms: 9 };
    again.append(vec![begun(&aborted, 8), end]).await.unwrap();
    again.append(std::iter::once(first).chain(rest).collect()).await.unwrap();
    let stored = again.load("m4").await.unwrap().unwrap();
    assert!(stored.is_aborted() && stored.record.rewards.iter().all(Option::is_none));
    assert_eq!(again.load("m5").await.unwrap().unwrap().record, whole);
    for id in ["m4", "m5"] {
        again.append(vec![Entry::Dismissed { id: id.into() }]).await.unwrap();
    }
    again.close().await;

    // An upload replaces only the owner's own upload of this name.
    let upload = |id: &str, owner: &str, content: &str| Upload {
        id: id.to_owned(),
        owner: owner.to_owned(),
        kind: "player".to_owned(),
        name: "mine".to_owned(),
        content: content.to_owned(),
        created_ms: 5,
    };
    for (id, owner, content) in [("r1", "ra", "old"), ("r2", "rb", "other"), ("r3", "ra", "new")] {
        store.put_upload(&upload(id, owner, content)).await.unwrap();
    }
    assert_eq!(store.uploads(Some("ra")).await.unwrap(), [upload("r1", "ra", "new")]);
    assert_eq!(store.uploads(Some("rb")).await.unwrap(), [upload("r2", "rb", "other")]);
}

/// A copy of a store has the same matches, and never overwrites another file.
async fn a_copy_is_complete(store: &SqlStore, folder: &std::path::Path) {
    let file = folder.join("it's a copy.db");
    store.backup(&file).await.unwrap();
    assert!(matches!(store.backup(&file).await, Err(StoreError::Backup(_))));
    let copy = SqlStore::open(&format!("sqlite:{}", file.display())).await.unwrap();
    assert_eq!(copy.load("m3").await.unwrap(), store.load("m3").await.unwrap());
    let all = Filter::default();
    assert_eq!(copy.list(&all).await.unwrap().len(), store.list(&all).await.unwrap().len());
    copy.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn memory() {
    let store = MemoryStore::new();
    logs_are_kept(&store).await;
    the_rest_is_kept(&store).await;
    let all = store.list(&Filter::default()).await.unwrap();
    assert_eq!((all.len(), all[0].seats.len(), all[0].seats[0].2), (1, 2, 2));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite() {
    let folder = std::env::temp_dir().join(format!("magister-store-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let url = format!("sqlite:{}", folder.join("test.db").display());
    let store = SqlStore::open(&url).await.unwrap();
    logs_are_kept(&store).await;
    the_rest_is_kept(&store).await;
    queries_answer(&store, &url).await;
    a_copy_is_complete(&store, &folder).await;
    store.close().await;
    std::fs::remove_dir_all(&folder).unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgresql() {
    let Some(server) = tokio::task::spawn_blocking(PrivatePostgres::start).await.unwrap() else {
        eprintln!("SKIPPED: PostgreSQL is not installed");
        return;
    };
    let store = SqlStore::open(&server.url()).await.unwrap();
    logs_are_kept(&store).await;
    the_rest_is_kept(&store).await;
    queries_answer(&store, &server.url()).await;
    store.close().await;
}

#[tokio::test]
async fn an_address_that_is_not_one_is_refused() {
    for url in ["", "mysql://secret@host/db", "postgres:secret"] {
        let error = SqlStore::open(url).await.unwrap_err().to_string();
        assert!(error.contains("sqlite:FILE") && !error.contains("secret"), "{error}");
    }
}

#[tokio::test]
async fn a_path_without_a_scheme_is_a_file() {
    let path = std::env::temp_dir().join(format!("magister-plain-{}.db", std::process::id()));
    SqlStore::open(path.to_str().unwrap()).await.unwrap().close().await;
    assert!(path.exists());
    std::fs::remove_file(path).unwrap();
}
