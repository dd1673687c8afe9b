//! A manager with local and remote players, aborts, and the events that spectators see.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use magister_core::{Event, FaultKind, MatchEnd, Seed};
use magister_manager::address::AddressPolicy;
use magister_manager::crowd::{Crowd, serve_crowd};
use magister_manager::manage::{Manager, Order, SeatOrder, Settings, serve_metrics};
use magister_manager::network::TcpNetwork;
use magister_manager::session::Manner;
use magister_manager::wire;
use magister_players::Spec;
use magister_store::{MemoryStore, Status, Store as _};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

async fn crowd(game: &str, wait: Duration) -> (Arc<Crowd>, String, Order) {
    let source = magister::Options::default().find(game).unwrap();
    let (playable, wire) = wire::open(&source).unwrap();
    let game = playable.game;
    let crowd = Arc::new(Crowd::new(&game, Seed::from(2)));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
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

/// More than any header may contain.
static FLOOD: [u8; 65536] = [b'x'; 65536];

/// A player that answers every connection with the same bytes, repeatedly and with pauses.
async fn hostile(bytes: &'static [u8], pause: Duration) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                while stream.write_all(bytes).await.is_ok() {
                    tokio::time::sleep(pause).await;
                }
            });
        }
    });
    address
}

/// Players that send garbage, endless data, nothing, or one byte at a time lose their own matches
/// and delay no one else.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bad_players_harm_no_one_else() {
    let (_, _, first) = crowd("tictactoe", Duration::from_millis(5)).await;
    let moment = Duration::from_millis(20);
    let bad = [
        hostile(b"\x00\xff garbage ((( ", moment).await,
        hostile(&FLOOD, Duration::ZERO).await,
        hostile(b"HTTP/1.0 200 OK\r\nContent-Length: 999999999999\r\n\r\n(((", moment).await,
        hostile(b"HTTP/1.0 200 OK\r\nX: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\r\n", Duration::ZERO).await,
        hostile(b"", Duration::from_mins(5)).await,
        hostile(b"H", Duration::from_secs(1)).await,
    ];
    let manager = Arc::new(manager(AddressPolicy::Any));
    let mut tasks = tokio::task::JoinSet::new();
    for (number, address) in bad.into_iter().enumerate() {
        let mut order = first.clone();
        order.id = format!("bad{number}");
        order.seats[0] = SeatOrder::Remote { name: "bad".to_owned(), address, repeats: false };
        (order.start, order.play) = (Duration::from_millis(500), Duration::from_millis(500));
        let manager = Arc::clone(&manager);
        tasks.spawn(async move { manager.play(order).await.unwrap() });
    }
    for number in 0..20 {
        let mut order = first.clone();
        order.id = format!("good{number}");
        let SeatOrder::Remote { name, .. } = &mut order.seats[0] else { panic!("not remote") };
        *name = format!("good{number}");
        let manager = Arc::clone(&manager);
        tasks.spawn(async move { manager.play(order).await.unwrap() });
    }
    let mut ids = Vec::new();
    while let Some(record) = tasks.join_next().await {
        let record = record.unwrap();
        assert_eq!(record.end, Some(MatchEnd::Terminal));
        let id = record.id.unwrap();
        assert_eq!(record.errors.is_empty(), id.starts_with("good"), "{id}: {:?}", record.errors);
        ids.push(id);
    }
    assert_eq!(ids.len(), 26);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_page_of_counters_survives_strangers() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(serve_metrics(Arc::new(manager(AddressPolicy::Any)), listener));
    let ask = async |bytes: Vec<u8>| {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let _ = stream.write_all(&bytes).await;
        // A whole request is answered before the connection ends; a broken one ends here.
        if !bytes.ends_with(b"close\r\n\r\n") {
            let _ = stream.shutdown().await;
        }
        let mut reply = Vec::new();
        let _ = stream.read_to_end(&mut reply).await;
        String::from_utf8_lossy(&reply).into_owned()
    };
    let good = b"GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    let long = format!("GET /{} HTTP/1.1\r\nHost: x\r\n\r\n", "a".repeat(1 << 20));
    for (bytes, wanted) in [
        (b"\x00\xff\xfe\r\n\r\n".to_vec(), "400"),
        (b"GET /../../etc/passwd HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".to_vec(), "404"),
        (b"POST /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".to_vec(), "405"),
        (long.into_bytes(), "4"),
        (b"GET /metrics HTTP/1.1".to_vec(), ""),
    ] {
        let reply = ask(bytes).await;
        let status = reply.split(' ').nth(1).unwrap_or_default();
        assert!(status.starts_with(wanted), "{wanted}: {reply}");
        assert!(ask(good.to_vec()).await.contains("magister_matches_started_total 0"));
    }
}
