//! Many matches at once on a real network and a real database. `cargo xtask load` is the long form.

use std::sync::Arc;
use std::time::Duration;

use magister_core::{MatchEnd, Seed};
use magister_manager::address::AddressPolicy;
use magister_manager::crowd::{Crowd, serve_crowd};
use magister_manager::manage::{Manager, Order, SeatOrder, Settings, serve_metrics};
use magister_manager::network::TcpNetwork;
use magister_manager::session::Manner;
use magister_manager::wire;
use magister_store::{SqlStore, Store as _};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn forty_matches_at_once() {
    let folder = std::env::temp_dir().join(format!("magister-load-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let url = format!("sqlite:{}", folder.join("test.db").display());
    let store = SqlStore::open(&url).await.unwrap();
    let source = magister::Options::default().find("tictactoe").unwrap();
    let (playable, wire) = wire::open(&source).unwrap();
    let (game, wire) = (playable.game, Arc::new(wire));
    let crowd = Arc::new(Crowd::new(&game, Seed::from(2)));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let players =
        tokio::spawn(serve_crowd(Arc::clone(&crowd), listener, || Duration::from_millis(20)));
    let network = Arc::new(TcpNetwork { policy: AddressPolicy::Any });
    let manager = Arc::new(Manager::new(network, Arc::new(store.clone()), Settings::default()));
    let mut tasks = tokio::task::JoinSet::new();
    for number in 0..40 {
        let seat = |seat: usize| SeatOrder::Remote {
            name: format!("p{number}-{seat}"),
            address: format!("http://127.0.0.1:{port}"),
            repeats: false,
        };
        let order = Order {
            id: format!("l{number}"),
            game: Arc::clone(&game),
            wire: Arc::clone(&wire),
            rules: None,
            seats: vec![seat(0), seat(1)],
            start: Duration::from_secs(20),
            play: Duration::from_secs(20),
            grace: Duration::ZERO,
            max_steps: 100,
            seed: Seed::from(number),
            salt: None,
            manner: Manner::default(),
            tournament: None,
        };
        let manager = Arc::clone(&manager);
        tasks.spawn(async move { manager.play(order).await.unwrap() });
    }
    while let Some(record) = tasks.join_next().await {
        let record = record.unwrap();
        assert_eq!(record.end, Some(MatchEnd::Terminal));
        assert!(record.errors.is_empty(), "{:?}", record.errors);
        crowd.judge(&record).unwrap();
        let id = record.id.clone().unwrap();
        assert_eq!(store.load(&id).await.unwrap().unwrap().record, record);
    }
    crowd.verdict().unwrap();
    // The page for Prometheus reports the same.
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let page = tokio::spawn(serve_metrics(Arc::clone(&manager), listener));
    let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
    stream.write_all(b"GET /metrics HTTP/1.0\r\n\r\n").await.unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).await.unwrap();
    assert!(text.contains("magister_matches_ended_total{end=\"terminal\"} 40"), "{text}");
    assert!(text.contains("magister_matches_running 0\n"), "{text}");
    assert!(text.contains("magister_commit_seconds_bucket{le=\"+Inf\"}"), "{text}");
    page.abort();
    players.abort();
    drop(manager);
    store.close().await;
    std::fs::remove_dir_all(&folder).unwrap();
}
