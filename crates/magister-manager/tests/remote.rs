//! Remote players that are late, send wrong data, disappear or never stop sending.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use magister_arena::{Contest, TimeControl};
use magister_core::{FaultKind, MatchEnd, MatchRecord, PlayerSource, Seed, Stop};
use magister_manager::address::AddressPolicy;
use magister_manager::client::exchange;
use magister_manager::exchange::ExchangeError;
use magister_manager::{Manner, PlayerAddress, RemoteSource, RemoteTable, wire};
use magister_players::Spec;
use magister_protocol::http::RequestHeaders;

/// A player with a custom handler for each connection.
fn player(mut serve: impl FnMut(TcpStream) + Send + 'static) -> PlayerAddress {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            serve(stream);
        }
    });
    format!("http://127.0.0.1:{port}").parse().unwrap()
}

/// Reads a request and returns its message.
fn request(stream: &mut TcpStream) -> String {
    let mut text = String::new();
    let mut buffer = [0; 4096];
    while let Ok(count) = stream.read(&mut buffer) {
        text.push_str(&String::from_utf8_lossy(&buffer[..count]));
        if count == 0 || text.trim_end().ends_with(')') {
            break;
        }
    }
    text.split_once("\r\n\r\n").map(|(_, body)| body.to_owned()).unwrap_or_default()
}

fn reply(mut stream: TcpStream, body: &str) {
    let length = body.len();
    let _ = write!(stream, "HTTP/1.0 200 OK\r\nContent-length: {length}\r\n\r\n{body}");
}

/// A match of Tic-Tac-Toe between a remote player and one of ours.
fn play(address: PlayerAddress) -> (MatchRecord, Duration) {
    play_after(address, 0)
}

/// The same after a number of random moves.
fn play_after(address: PlayerAddress, opening: u32) -> (MatchRecord, Duration) {
    let limits = TimeControl {
        time: Some(Duration::from_secs(1)),
        start: Some(Duration::from_secs(1)),
        grace: Duration::from_millis(100),
        iterations: None,
    };
    let source = magister::Options::default().find("tictactoe").unwrap();
    let (playable, wire) = wire::open(&source).unwrap();
    let remote = RemoteSource::new(address, limits, Manner::default());
    let remote: Arc<dyn PlayerSource> = Arc::new(remote.knowing(&*playable.game, &Arc::new(wire)));
    let ours: Arc<dyn PlayerSource> = Arc::new("random".parse::<Spec>().unwrap());
    let begun = Instant::now();
    let contest = Contest { opening, ..Contest::new(Arc::clone(&playable.game), limits) };
    let record = contest.play(&[remote, ours], Seed::from(5));
    assert_eq!(record.end, Some(MatchEnd::Terminal));
    record.replay(&*playable.game, &Stop::never()).unwrap();
    (record, begun.elapsed())
}

fn kinds(record: &MatchRecord) -> Vec<FaultKind> {
    let mut kinds: Vec<FaultKind> = record.errors.iter().map(|fault| fault.kind).collect();
    kinds.sort();
    kinds.dedup();
    kinds
}

#[test]
fn no_player_is_there() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let (record, took) = play(format!("http://127.0.0.1:{port}").parse().unwrap());
    assert_eq!(kinds(&record), [FaultKind::Connection]);
    // Every turn of the match, and START.
    assert_eq!(record.errors.len(), record.moves.len() + 1);
    assert!(record.errors[1].played.is_some());
    assert!(took < Duration::from_secs(5));
}

#[test]
fn replies_that_are_not_moves() {
    let (record, _) = play(player(|mut stream| {
        let body = request(&mut stream);
        reply(stream, if body.contains("START") { "ready" } else { "(put 7 7)" });
    }));
    assert_eq!(kinds(&record), [FaultKind::Illegal]);
    assert_eq!(record.errors[0].answer.as_deref(), Some("(put 7 7)"));
    let (record, _) = play(player(|mut stream| {
        let _ = request(&mut stream);
        let _ = stream.write_all(b"this is not HTTP\r\n\r\n");
    }));
    assert_eq!(kinds(&record), [FaultKind::Connection]);
    let (record, _) = play(player(drop));
    assert_eq!(kinds(&record), [FaultKind::Connection]);
}

#[test]
fn players_follow_a_random_opening() {
    let heard: Arc<Mutex<Vec<String>>> = Arc::default();
    let list = Arc::clone(&heard);
    let address = player(move |mut stream| {
        let body = request(&mut stream);
        // It never knows a legal move, so that every move it was asked for is a fault.
        reply(stream, if body.contains("START") { "ready" } else { "nothing" });
        list.lock().unwrap().push(body);
    });
    let (record, _) = play_after(address, 3);
    let heard = heard.lock().unwrap();
    let plays: Vec<&String> = heard.iter().filter(|body| body.contains("PLAY")).collect();
    // One PLAY for every turn, each with the moves of the turn before.
    assert_eq!(plays.len(), record.moves.len());
    assert!(plays[0].to_lowercase().contains("nil"), "{}", plays[0]);
    for (play, step) in plays[1..].iter().zip(&record.moves) {
        let moves = step.join(" ");
        let plain = |text: &str| text.to_lowercase().split_whitespace().collect::<String>();
        assert!(plain(play).contains(&plain(&moves)), "{play} lacks {moves}");
    }
    // Answers during the opening do not count.
    assert_eq!(record.errors.len(), record.moves.len() - 3);
}

#[test]
fn silence_drops_and_floods_end_with_the_clock() {
    let address = player(|stream| {
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_mins(1));
            drop(stream);
        });
    });
    let headers = RequestHeaders::default();
    let ask = |address: &PlayerAddress| {
        let begun = Instant::now();
        let deadline = begun + Duration::from_millis(600);
        let reply = exchange(address, AddressPolicy::Any, &headers, "( INFO )", deadline);
        assert!(begun.elapsed() < Duration::from_millis(1500), "{:?}", begun.elapsed());
        reply
    };
    assert_eq!(ask(&address), Err(ExchangeError::Late));
    // One byte at a time, forever.
    let address = player(|mut stream| {
        std::thread::spawn(move || {
            while stream.write_all(b"H").is_ok() {
                std::thread::sleep(Duration::from_millis(50));
            }
        });
    });
    assert_eq!(ask(&address), Err(ExchangeError::Late));
    // As many bytes as the connection accepts, forever.
    let address = player(|mut stream| {
        std::thread::spawn(move || {
            let _ = stream.write_all(b"HTTP/1.0 200 OK\r\n\r\n");
            while stream.write_all(&[b'x'; 8192]).is_ok() {}
        });
    });
    assert!(matches!(ask(&address), Err(ExchangeError::Http(_))));
}

#[test]
fn private_addresses_are_refused_at_the_connection() {
    let address = player(|mut stream| {
        let _ = request(&mut stream);
        reply(stream, "ready");
    });
    let named: PlayerAddress = format!("http://localhost:{}", address.port).parse().unwrap();
    for address in [address, named] {
        let deadline = Instant::now() + Duration::from_secs(2);
        let headers = RequestHeaders::default();
        let any = exchange(&address, AddressPolicy::Any, &headers, "(INFO)", deadline);
        assert_eq!(any.as_deref(), Ok("ready"));
        let public = exchange(&address, AddressPolicy::Public, &headers, "(INFO)", deadline);
        assert!(matches!(public, Err(ExchangeError::Forbidden(_))), "{public:?}");
    }
}

#[test]
fn a_redirection_is_not_followed() {
    let (send, seen) = std::sync::mpsc::channel();
    let other = player(move |mut stream| {
        let _ = send.send(request(&mut stream));
        reply(stream, "noop");
    });
    let address = player(move |mut stream| {
        let _ = request(&mut stream);
        let _ = write!(
            stream,
            "HTTP/1.0 302 Found\r\nLocation: http://127.0.0.1:{}/\r\nContent-length: 0\r\n\r\n",
            other.port
        );
    });
    let deadline = Instant::now() + Duration::from_secs(20);
    let headers = RequestHeaders::default();
    let heard = exchange(&address, AddressPolicy::Any, &headers, "(INFO)", deadline);
    assert_eq!(heard.as_deref(), Ok(""));
    assert!(seen.try_recv().is_err());
}

#[test]
fn the_players_of_a_match_share_its_name() {
    let limits = TimeControl {
        time: Some(Duration::from_secs(20)),
        start: Some(Duration::from_secs(20)),
        grace: Duration::from_secs(1),
        iterations: None,
    };
    let source = magister::Options::default().find("tictactoe").unwrap();
    let (playable, wire) = wire::open(&source).unwrap();
    let wire = Arc::new(wire);
    let (send, seen) = std::sync::mpsc::channel();
    let remote = |send: std::sync::mpsc::Sender<String>| {
        let address = player(move |mut stream| {
            let body = request(&mut stream);
            reply(stream, if body.contains("START") { "ready" } else { "noop" });
            let _ = send.send(body);
        });
        let manner = Manner { scramble: true, ..Manner::default() };
        RemoteSource::new(address, limits, manner).knowing(&*playable.game, &wire)
    };
    let (one, two) = (remote(send.clone()), remote(send));
    let again = |source: &RemoteSource| -> Arc<dyn PlayerSource> {
        let manner = Manner { scramble: true, ..Manner::default() };
        let other = RemoteSource::new(source.address().clone(), limits, manner);
        Arc::new(other.knowing(&*playable.game, &wire))
    };
    let different = [again(&one), again(&two)];
    let same = [again(&one), again(&one)];
    let seating: Arc<dyn magister_arena::Seating> = Arc::new(RemoteTable::new([one, two]));
    let contest = Contest { seating: Some(seating), ..Contest::new(playable.game.clone(), limits) };
    let starts = |players: &[Arc<dyn PlayerSource>]| {
        let record = contest.play(players, Seed::from(1));
        let starts: Vec<String> = seen.try_iter().filter(|body| body.contains("START")).collect();
        let id = |text: &String| text.split(' ').nth(2).unwrap().to_owned();
        let mut ids: Vec<String> = starts.iter().map(id).collect();
        ids.sort();
        let rules = |text: &String| text.split_once("((").unwrap().1.to_owned();
        assert_eq!(rules(&starts[0]), rules(&starts[1]), "the scrambled names are the same");
        (record.id.unwrap(), ids)
    };
    let (id, ids) = starts(&different);
    assert_eq!(ids, [id.clone(), id]);
    // One player in two seats: messages do not identify the role, so the match names differ.
    let (id, ids) = starts(&same);
    assert_eq!(ids, [id.clone(), format!("{id}.2")]);
}

#[test]
fn every_message_has_a_connection_of_its_own() {
    let (send, seen) = std::sync::mpsc::channel();
    let (record, _) = play(player(move |mut stream| {
        let body = request(&mut stream);
        let answer = if body.contains("START") { "ready" } else { "noop" };
        let last = stream.try_clone().unwrap();
        reply(stream, answer);
        // The other side closes, because connections are not kept.
        let mut rest = Vec::new();
        let closed = { last }.read_to_end(&mut rest).is_ok();
        send.send((body, closed)).unwrap();
    }));
    // The player notices the end of its last connection a little after the match.
    let next = |_| seen.recv_timeout(Duration::from_secs(10)).ok();
    let wanted = record.moves.len() + 2;
    let messages: Vec<(String, bool)> = (0..wanted).map_while(next).collect();
    assert_eq!(messages.len(), wanted);
    assert!(seen.try_recv().is_err());
    let seen = messages;
    assert!(seen.iter().all(|(_, closed)| *closed));
    assert!(seen[1].0.starts_with("( PLAY tictactoe."), "{}", seen[1].0);
    assert!(seen[1].0.ends_with(" NIL )"));
    assert!(seen.last().unwrap().0.starts_with("( STOP tictactoe."));
}
