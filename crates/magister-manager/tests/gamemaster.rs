//! Gamemaster's envelopes over HTTP and WebSocket, for the manager and for the player.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use magister_arena::{Contest, Seating, TimeControl};
use magister_core::{FaultKind, MatchEnd, PlayerSource, Seed, Stop};
use magister_manager::address::AddressPolicy;
use magister_manager::manage::{Manager, Order, SeatOrder, Settings};
use magister_manager::network::{Network as _, TcpNetwork};
use magister_manager::player::{GgpPlayer, PlayerOptions, ServeOptions, serve};
use magister_manager::{Manner, RemoteSource, RemoteTable, wire};
use magister_players::Spec;
use magister_protocol::Status;
use magister_protocol::gamemaster::{Body, Envelope, Form};
use magister_protocol::http::RequestHeaders;
use magister_store::MemoryStore;
use tokio_tungstenite::tungstenite::Message;

/// A player on its own port, until the end of the test.
async fn player(agent: &str) -> SocketAddr {
    let options = PlayerOptions {
        iterations: Some(50),
        ..PlayerOptions::new("indy", Some(agent.parse().unwrap()), Seed::from(1))
    };
    let player = Arc::new(GgpPlayer::new(options));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(serve(player, listener, ServeOptions::default(), std::future::pending()));
    address
}

fn order(id: &str, game: &str, seats: Vec<SeatOrder>) -> Order {
    let (playable, wire) = wire::open(&magister::Options::default().find(game).unwrap()).unwrap();
    Order {
        id: id.to_owned(),
        game: playable.game,
        wire: Arc::new(wire),
        rules: None,
        seats,
        start: Duration::from_secs(20),
        play: Duration::from_secs(20),
        grace: Duration::ZERO,
        max_steps: 100,
        seed: Seed::from(3),
        salt: None,
        manner: Manner::default(),
        tournament: None,
    }
}

fn remote(name: &str, address: &str) -> SeatOrder {
    SeatOrder::Remote { name: name.to_owned(), address: address.to_owned(), repeats: true }
}

fn manager() -> Manager<TcpNetwork, MemoryStore> {
    let network = Arc::new(TcpNetwork { policy: AddressPolicy::Any });
    Manager::new(network, Arc::new(MemoryStore::new()), Settings::default())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_manager_plays_with_players_of_all_protocols() {
    let (one, two) = (player("uct").await, player("random").await);
    let schemes = [("ws://indy@", "gamemaster+http://lara@"), ("http://", "ws://lara@")];
    for (number, (first, second)) in schemes.into_iter().enumerate() {
        let manager = manager();
        let seats = vec![
            remote("indy", &format!("{first}{one}")),
            remote("lara", &format!("{second}{two}")),
        ];
        for seat in &seats {
            let SeatOrder::Remote { address, .. } = seat else { continue };
            let info = manager.ping(address, Duration::from_secs(20)).await.unwrap();
            assert_eq!(info.status, Status::Available, "{address}");
        }
        let order = order(&format!("g{number}"), "tictactoe/operations", seats);
        let game = Arc::clone(&order.game);
        let record = manager.play(order).await.unwrap();
        assert_eq!(record.end, Some(MatchEnd::Terminal));
        assert!(record.errors.is_empty(), "{first}: {:?}", record.errors);
        record.replay(&*game, &Stop::never()).unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn games_without_operations_are_refused() {
    let seats = vec![remote("a", "ws://127.0.0.1:1"), remote("b", "ws://127.0.0.1:2")];
    let error = manager().play(order("r", "connect-four", seats)).await.unwrap_err().to_string();
    assert!(error.contains("operations"), "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn matches_on_this_machine() {
    let (one, two) = (player("random").await, player("random").await);
    let limits = TimeControl {
        time: Some(Duration::from_secs(20)),
        start: Some(Duration::from_secs(20)),
        grace: Duration::from_secs(1),
        iterations: None,
    };
    let source = magister::Options::default().find("tictactoe/operations").unwrap();
    let (playable, wire) = wire::open(&source).unwrap();
    let wire = Arc::new(wire);
    let remote = |address: String| {
        let remote = RemoteSource::new(address.parse().unwrap(), limits, Manner::default());
        remote.knowing(&*playable.game, &wire)
    };
    let addresses = [format!("ws://{one}"), format!("gamemaster+http://{two}")];
    let table: Arc<dyn Seating> = Arc::new(RemoteTable::new(addresses.clone().map(remote)));
    let contest = Contest { seating: Some(table), ..Contest::new(playable.game.clone(), limits) };
    let ours: Arc<dyn PlayerSource> = Arc::new("random".parse::<Spec>().unwrap());
    let [first, second] =
        addresses.map(|address| -> Arc<dyn PlayerSource> { Arc::new(remote(address)) });
    for players in [[first.clone(), second], [first, ours]] {
        let contest = contest.clone();
        let play = move || contest.play(&players, Seed::from(4));
        let record = tokio::task::spawn_blocking(play).await.unwrap();
        assert_eq!(record.end, Some(MatchEnd::Terminal));
        assert!(record.errors.is_empty(), "{:?}", record.errors);
        assert!(
            record
                .id
                .as_deref()
                .is_some_and(|id| id.starts_with("operations.") || id.starts_with("tictactoe")),
            "{:?}",
            record.id
        );
    }
}

/// Sends the body of one envelope and returns the reply.
async fn say(
    socket: &mut (impl futures_util::Sink<Message> + futures_util::Stream<Item = Heard> + Unpin),
    number: u64,
    body: Body,
) -> Option<Envelope> {
    let envelope = Envelope {
        id: number.to_string(),
        from: "manager".to_owned(),
        to: "indy".to_owned(),
        body,
    };
    assert!(socket.send(Message::text(envelope.write(Form::Site))).await.is_ok());
    let heard = tokio::time::timeout(Duration::from_secs(20), socket.next()).await.ok()?;
    Some(Envelope::read(heard?.ok()?.to_text().ok()?).unwrap())
}

type Heard = Result<Message, tokio_tungstenite::tungstenite::Error>;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_web_socket_for_a_whole_match_without_a_name() {
    let address = player("random").await;
    let url = format!("ws://{address}/");
    let stream = tokio::net::TcpStream::connect(address).await.unwrap();
    let (mut socket, _) = tokio_tungstenite::client_async(&url, stream).await.unwrap();
    let source = magister::Options::default().find("tictactoe/operations").unwrap();
    let (_, wire) = wire::open(&source).unwrap();
    let start = Body::Start {
        id: None,
        role: "o".to_owned(),
        rules: wire.operations().unwrap().to_vec(),
        start: "20".to_owned(),
        play: "Infinity".to_owned(),
    };
    let value = |reply: Option<Envelope>| match reply.unwrap().body {
        Body::Reply(value) => value,
        other => panic!("{other:?}"),
    };
    assert_eq!(value(say(&mut socket, 1, Body::Ping).await), "ready");
    assert_eq!(value(say(&mut socket, 2, start.clone()).await), "ready");
    // x is in control, so there is no reply; the next message is answered.
    let first = Envelope {
        id: "3".to_owned(),
        from: "manager".to_owned(),
        to: "indy".to_owned(),
        body: Body::Play { id: None, action: None },
    };
    socket.send(Message::text(first.write(Form::Site))).await.unwrap();
    let action = Some("put(2,2)".to_owned());
    let play = Body::Play { id: None, action };
    let reply = say(&mut socket, 4, play.clone()).await.unwrap();
    assert_eq!(
        (reply.id.as_str(), reply.from.as_str(), reply.to.as_str()),
        ("4", "indy", "manager")
    );
    let Body::Reply(chosen) = reply.body else { panic!("not a reply") };
    assert!(chosen.starts_with("put(") && chosen != "put(2,2)", "{chosen}");
    assert_eq!(value(say(&mut socket, 4, play).await), chosen, "the same message again");
    assert_eq!(value(say(&mut socket, 5, Body::Ping).await), "busy");
    let stop = Body::Stop { id: None, action: Some(chosen) };
    assert_eq!(value(say(&mut socket, 6, stop).await), "done");
    assert_eq!(value(say(&mut socket, 7, Body::Ping).await), "ready");
    // Garbage gets an error reply and does not end the connection.
    socket.send(Message::text("message(((")).await.unwrap();
    let complaint = socket.next().await.unwrap().unwrap();
    assert!(complaint.to_text().unwrap().contains("brackets"), "{complaint}");
    assert_eq!(value(say(&mut socket, 8, Body::Ping).await), "ready");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_player_that_is_not_there() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("ws://{}", listener.local_addr().unwrap());
    drop(listener);
    let ours = SeatOrder::Local(Arc::new("random".parse::<Spec>().unwrap()));
    let order = order("n", "tictactoe/operations", vec![remote("indy", &address), ours]);
    let record = manager().play(order).await.unwrap();
    assert_eq!(record.end, Some(MatchEnd::Terminal));
    assert!(record.has(FaultKind::Connection), "{:?}", record.errors);
}

/// Each message has its own connection, so one that needs no reply could be overtaken by the next.
/// The manager waits until the player has closed its side.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_message_without_a_reply_arrives_before_the_next_is_sent() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("ws://{}", listener.local_addr().unwrap());
    let taken = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&taken);
    let slow = tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        let mut socket = tokio_tungstenite::accept_async(stream).await.unwrap();
        let text = socket.next().await.unwrap().unwrap();
        tokio::time::sleep(Duration::from_millis(200)).await;
        seen.store(true, Ordering::SeqCst);
        while let Some(Ok(_)) = socket.next().await {}
        text.to_text().unwrap().to_owned()
    });
    let network = TcpNetwork { policy: AddressPolicy::Any };
    let deadline = tokio::time::Instant::now() + Duration::from_secs(20);
    let message = "message(3,manager,indy,play(m,nil))".to_owned();
    network.notify(&address, RequestHeaders::default(), message.clone(), deadline).await;
    assert!(taken.load(Ordering::SeqCst), "the next message could overtake this one");
    assert_eq!(slow.await.unwrap(), message);
}

/// A player on a slow machine closes connections late. It still gets one message after the other.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn messages_to_a_slow_player_keep_their_order() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("ws://{}", listener.local_addr().unwrap());
    let (open, overtaken) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    let seen = Arc::clone(&overtaken);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let (open, seen) = (Arc::clone(&open), Arc::clone(&seen));
            tokio::spawn(async move {
                let mut socket = tokio_tungstenite::accept_async(stream).await.unwrap();
                if open.swap(true, Ordering::SeqCst) {
                    seen.store(true, Ordering::SeqCst);
                }
                let text = socket.next().await.unwrap().unwrap();
                let envelope = Envelope::read(text.to_text().unwrap()).unwrap();
                // Another role makes the first move, so the player says nothing.
                let silent = matches!(envelope.body, Body::Play { action: None, .. });
                if silent {
                    tokio::time::sleep(Duration::from_millis(1500)).await;
                }
                open.store(false, Ordering::SeqCst);
                if !silent {
                    let reply = envelope.reply("ready").write(Form::Site);
                    socket.send(Message::text(reply)).await.unwrap();
                }
                while let Some(Ok(_)) = socket.next().await {}
            });
        }
    });
    let ours = || SeatOrder::Local(Arc::new("random".parse::<Spec>().unwrap()));
    let order = order("s", "tictactoe/operations", vec![ours(), remote("indy", &address)]);
    let record = manager().play(order).await.unwrap();
    assert_eq!(record.end, Some(MatchEnd::Terminal));
    assert!(!overtaken.load(Ordering::SeqCst), "a message overtook another");
}
