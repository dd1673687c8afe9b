//! A manager with local and remote players, aborts, and what spectators hear.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use magister_core::{Event, FaultKind, MatchEnd, Seed};
use magister_manager::address::AddressPolicy;
use magister_manager::crowd::{Crowd, serve_crowd};
use magister_manager::manage::{Manager, Order, SeatOrder, Settings};
use magister_manager::network::TcpNetwork;
use magister_manager::session::Manner;
use magister_manager::wire;
use magister_players::Spec;
use magister_store::{MemoryStore, Status, Store as _};

async fn crowd(game: &str, wait: Duration) -> (Arc<Crowd>, String, Order) {
    let source = magister::Options::default().find(game).unwrap();
    let (playable, wire) = wire::open(&source).unwrap();
    let game = playable.game;
    let crowd = Arc::new(Crowd::new(&game, Seed::from(2)));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://127.0.0.1:{}", listener.local_addr().unwrap().port());
    tokio::spawn(serve_crowd(Arc::clone(&crowd), listener, move || wait));
    let remote =
        SeatOrder::Remote { name: "remote".to_owned(), address: address.clone(), repeats: false };
    let local = SeatOrder::Local(Arc::new("random".parse::<Spec>().unwrap()));
    let order = Order {
        id: "m".to_owned(),
        game,
        wire: Arc::new(wire),
        rules: Some("rules".to_owned()),
        seats: vec![remote, local],
        start: Duration::from_secs(10),
        play: Duration::from_secs(10),
        grace: Duration::ZERO,
        max_steps: 100,
        seed: Seed::from(3),
        salt: None,
        manner: Manner::default(),
        tournament: None,
    };
    (crowd, address, order)
}

fn manager(policy: AddressPolicy) -> Manager<TcpNetwork, MemoryStore> {
    let network = Arc::new(TcpNetwork { policy });
    Manager::new(network, Arc::new(MemoryStore::new()), Settings::default())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn local_and_remote_players_meet() {
    for game in ["tictactoe", "blind-tictactoe"] {
        let (crowd, _, order) = crowd(game, Duration::ZERO).await;
        let heard: Arc<Mutex<Vec<Event>>> = Arc::default();
        let log = Arc::clone(&heard);
        let manager = manager(AddressPolicy::Any)
            .observed(Arc::new(move |_, event| log.lock().unwrap().push(event.clone())));
        let record = manager.play(order).await.unwrap();
        assert_eq!(record.end, Some(MatchEnd::Terminal), "{:?}", record.errors);
        crowd.judge(&record).unwrap();
        crowd.verdict().unwrap();
        let heard: Vec<Event> = heard.lock().unwrap().clone();
        assert!(matches!(heard.first(), Some(Event::Started { .. })));
        assert!(matches!(heard.last(), Some(Event::Ended { .. })));
        let stored = manager.store().load("m").await.unwrap().unwrap();
        assert_eq!((stored.status, stored.record), (Status::Ended, record));
        assert!(manager.running_ids().is_empty());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_match_is_aborted_from_outside() {
    let (_, _, order) = crowd("tictactoe", Duration::from_millis(200)).await;
    let manager = Arc::new(manager(AddressPolicy::Any));
    let playing = Arc::clone(&manager);
    let task = tokio::spawn(async move { playing.play(order).await.unwrap() });
    tokio::time::sleep(Duration::from_millis(700)).await;
    assert_eq!(manager.running_ids(), ["m"]);
    assert!(manager.abort("m") && !manager.abort("other"));
    let record = task.await.unwrap();
    assert_eq!(record.end, Some(MatchEnd::Aborted));
    assert!(record.has(FaultKind::Aborted));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn addresses_of_users_must_be_public() {
    let (_, _, order) = crowd("tictactoe", Duration::ZERO).await;
    let record = manager(AddressPolicy::Public).play(order).await.unwrap();
    assert_eq!(record.end, Some(MatchEnd::Terminal));
    let refused = record.errors.iter().all(|fault| fault.what.contains("not a public address"));
    assert!(refused && record.errors.len() > 3, "{:?}", record.errors);
}
