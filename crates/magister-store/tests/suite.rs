//! One suite over both databases and the store in memory.

mod postgres;

use std::sync::Arc;

use magister_core::examples::Countdown;
use magister_core::{
    Answer, Fault, FaultKind, Game, Match, MatchRecord, Native, Seat, Seed, Setup, Stop,
};
use magister_store::{
    AnswerBody, Entry, Filter, MemoryStore, Place, RatingRow, RequestKey, RequestKind, SqlStore,
    Status, StepBody, Store,
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
        at_ms,
    }
}

/// Plays a turn and gives the entries of its log.
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

/// What must hold for every store.
async fn logs_are_kept<S: Store>(store: &S) {
    let mut current = a_match("m1", 1);
    store.append(vec![begun(&current, 5)]).await.unwrap();
    let stored = store.load("m1").await.unwrap().unwrap();
    assert_eq!(stored.record, *current.record());
    assert!(!stored.was_started());
    assert_eq!(stored.tournament.as_deref(), Some("cup"));
    assert_eq!(stored.rules.as_deref(), Some("the rules"));
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

    // A turn with a fault; the match goes on from what is stored.
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
    store.append(vec![Entry::Dismissed { id: "m1".into() }]).await.unwrap();
    assert!(store.unfinished().await.unwrap().is_empty());
    assert_eq!(store.load("m1").await.unwrap().unwrap().status, Status::Ended);
    stored.record.replay(&*game(), &Stop::never()).unwrap();
    assert!(store.load("m2").await.unwrap().is_none());
}

/// What must hold for databases.
async fn queries_answer(store: &SqlStore, url: &str) {
    // Entries that come twice change nothing.
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
    assert_eq!(store.import(&records, None).await.unwrap(), 2);
    assert_eq!(store.import(&records, None).await.unwrap(), 0);
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
    store.put_ratings("elo", &[row("gone", 1.0)]).await.unwrap();
    let rows = [row("one", 12.5), row("two", -12.5)];
    store.put_ratings("elo", &rows).await.unwrap();
    assert_eq!(store.ratings("elo").await.unwrap(), rows);

    // Many matches at once share transactions.
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
    let times = store.commit_times();
    assert!(times.appends >= 200 && times.commits < times.appends, "{times:?}");

    // Another connection to the same database sees the same.
    let again = SqlStore::open(url).await.unwrap();
    assert_eq!(again.load("m3").await.unwrap().unwrap().record, record);
    assert_eq!(again.unfinished().await.unwrap().len(), 100);
    again.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn memory() {
    logs_are_kept(&MemoryStore::new()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite() {
    let folder = std::env::temp_dir().join(format!("magister-store-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let url = format!("sqlite:{}", folder.join("test.db").display());
    let store = SqlStore::open(&url).await.unwrap();
    logs_are_kept(&store).await;
    queries_answer(&store, &url).await;
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
    queries_answer(&store, &server.url()).await;
    store.close().await;
}

#[tokio::test]
async fn an_address_that_is_not_one_is_refused() {
    for url in ["", "mysql://secret@host/db", "file.db"] {
        let error = SqlStore::open(url).await.unwrap_err().to_string();
        assert!(error.contains("sqlite:FILE") && !error.contains("secret"), "{error}");
    }
}
