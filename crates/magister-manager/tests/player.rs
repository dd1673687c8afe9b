//! Our player over HTTP: every kind of request that servers and strangers send.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

use magister_core::Seed;
use magister_manager::limit::Rate;
use magister_manager::player::{GgpPlayer, PlayerOptions, ServeOptions, serve};
use magister_manager::wire;

/// A player on its own port, until the end of the test.
fn player(agent: &str) -> SocketAddr {
    let agent = Some(agent.parse().unwrap());
    let serving = ServeOptions { patience: Duration::from_secs(2), ..ServeOptions::default() };
    player_with(PlayerOptions::new("tested", agent, Seed::from(1)), serving)
}

/// A player with other options.
fn player_with(options: PlayerOptions, serving: ServeOptions) -> SocketAddr {
    let player = Arc::new(GgpPlayer::new(options));
    let (send, address) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        runtime.block_on(async move {
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
            send.send(listener.local_addr().unwrap()).unwrap();
            serve(player, listener, serving, std::future::pending()).await.unwrap();
        });
    });
    address.recv().unwrap()
}

/// The reply to some bytes.
fn raw(address: SocketAddr, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream.write_all(bytes).unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    text
}

/// The body of the reply to a message.
fn say(address: SocketAddr, message: &str) -> String {
    with_step(address, message, None)
}

fn with_step(address: SocketAddr, message: &str, step: Option<usize>) -> String {
    let step = step.map_or(String::new(), |step| format!("GGP-Match-Step: {step}\r\n"));
    let length = message.len();
    let request = format!("POST / HTTP/1.0\r\n{step}Content-Length: {length}\r\n\r\n{message}");
    let reply = raw(address, request.as_bytes());
    reply.split_once("\r\n\r\n").unwrap().1.to_owned()
}

fn rules(game: &str) -> String {
    let source = magister::Options::default().find(game).unwrap();
    let (_, wire) = wire::open(&source).unwrap();
    wire.rules().iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

#[test]
fn odd_requests_are_answered() {
    let address = player("random");
    let free = "( ( name tested ) ( status available ) ( species computer ) ( repeats true ) )";
    for request in [
        "POST / HTTP/1.0\r\nContent-Length: 8\r\n\r\n( INFO )",
        "post / http/1.1\ncontent-LENGTH : 6\n\n(info)",
        "POST / HTTP/1.0\r\n\r\n( INFO )",
        "GET /%28INFO%29 HTTP/1.1\r\nHost: x\r\n\r\n",
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n(inf\r\n2\r\no)\r\n0\r\n\r\n",
    ] {
        let reply = raw(address, request.as_bytes());
        let (head, body) = reply.split_once("\r\n\r\n").unwrap();
        assert_eq!(body, free, "{request}");
        assert!(head.starts_with("HTTP/1.0 200 OK\r\nContent-type: text/acl\r\n"));
        assert!(head.contains("Access-Control-Allow-Origin: *") && !head.contains("chunked"));
    }
    assert!(raw(address, b"OPTIONS / HTTP/1.1\r\n\r\n").ends_with("\r\n\r\n"));
    assert_eq!(say(address, "(ping)"), "ready");
}

#[test]
fn malformed_requests_are_harmless() {
    let address = player("random");
    for request in [
        &b"\r\n\r\n"[..],
        b"GET\r\n\r\n",
        b"POST / HTTP/1.0\r\nContent-Length: x\r\n\r\n",
        b"POST / HTTP/1.0\r\nContent-Length: 99999999999\r\n\r\n",
        b"POST / HTTP/1.0\r\nContent-Length: 7\r\n\r\n(dance)",
        b"POST / HTTP/1.0\r\nContent-Length: 3\r\n\r\n(((",
        b"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"POST / HTTP/1.0\r\nContent-Length: 9\r\n\r\n(start x)",
        b"\x00\xff\xfe\r\n\r\n",
    ] {
        let reply = raw(address, request);
        assert!(reply.starts_with("HTTP/1.0 400 "), "{reply}");
    }
    // Connections that send nothing, or too little, do not block others.
    let silent: Vec<TcpStream> = (0..20).map(|_| TcpStream::connect(address).unwrap()).collect();
    let mut slow = TcpStream::connect(address).unwrap();
    slow.write_all(b"POST / HT").unwrap();
    assert_eq!(say(address, "(ping)"), "ready");
    let mut text = String::new();
    slow.read_to_string(&mut text).unwrap();
    assert!(text.starts_with("HTTP/1.0 408 "), "{text}");
    drop(silent);
}

#[test]
fn a_match_from_start_to_stop() {
    let address = player("uct");
    let start = |id: &str, role: &str| format!("(START {id} {role} ({}) 5 2)", rules("tictactoe"));
    assert_eq!(say(address, &start("m1", "x")), "ready");
    assert_eq!(say(address, &start("m1", "x")), "ready", "the same START again");
    assert_eq!(say(address, &start("m2", "x")), "busy");
    assert!(say(address, "(info)").contains("( status busy )"));
    assert_eq!(say(address, "(play m2 nil)"), "busy");
    let begun = Instant::now();
    let first = say(address, "(PLAY m1 NIL)");
    assert!(first.starts_with("(put "), "{first}");
    assert!(begun.elapsed() < Duration::from_secs(2));
    // A duplicate message gets the same reply.
    assert_eq!(say(address, "(PLAY m1 NIL)"), first);
    assert_eq!(with_step(address, "(PLAY m1 NIL)", Some(0)), first);
    // The manager drew another move: the player continues from that move and not from its own
    // choice.
    let other = if first == "(put 1 1)" { "(put 3 3)" } else { "(put 1 1)" };
    let played = format!("( PLAY m1 (( {} ) noop ) )", &other[1..other.len() - 1]);
    assert_eq!(with_step(address, &played, Some(1)), "noop");
    assert_eq!(with_step(address, &played, Some(1)), "noop", "the same PLAY again");
    let next = with_step(address, "(PLAY m1 (noop (put 2 1)))", Some(2));
    assert!(next.starts_with("(put ") && next != other && next != "(put 2 1)", "{next}");
    assert_eq!(say(address, "(STOP m1 ((put 3 1) noop))"), "done");
    assert_eq!(say(address, "(STOP m1 ((put 3 1) noop))"), "done", "the same STOP again");
    assert!(say(address, "(info)").contains("( status available )"));
    // Match after match.
    assert_eq!(say(address, &start("m2", "o")), "ready");
    assert_eq!(say(address, "(PLAY m2 NIL)"), "noop");
    assert_eq!(say(address, "(ABORT m2)"), "aborted");
    assert_eq!(say(address, "(ABORT m7)"), "busy");
}

#[test]
fn rules_in_upper_case_and_moves_in_their_case() {
    let address = player("random");
    let loud = rules("tictactoe").to_uppercase();
    assert_eq!(say(address, &format!("(START Match.1 X ({loud}) 5 2)")), "ready");
    let first = say(address, "(PLAY Match.1 NIL)");
    assert!(first.starts_with("(PUT "), "{first}");
    // Moves in a different case from the rules are understood.
    let sent = format!("(PLAY Match.1 ({} noop))", first.to_lowercase());
    assert_eq!(say(address, &sent), "NOOP");
    assert_eq!(say(address, "(STOP Match.1 (NOOP (PUT 9 9)))"), "done");
}

#[test]
fn hidden_information_in_all_variants() {
    let address = player("random");
    let start = |id: &str| format!("(START {id} white ({}) 5 2)", rules("blind-tictactoe"));
    // B and C.
    for (id, empty) in [("b", "nil"), ("c", "()")] {
        assert_eq!(say(address, &start(id)), "ready");
        let first = say(address, &format!("(play {id} 0 nil nil)"));
        assert!(first.starts_with("(mark "), "{first}");
        assert_eq!(say(address, &format!("(play {id} 0 nil nil)")), first);
        let sent = format!("(play {id} 1 (mark 2 2) {empty})");
        let second = say(address, &sent);
        assert!(second.starts_with("(mark ") && second != "(mark 2 2)", "{second}");
        assert_eq!(say(address, &sent), second, "the same turn again");
        let third = say(address, &format!("(PLAY {id} 2 {second} (ok ))"));
        assert!(third.starts_with("(mark ") && third != second, "{third}");
        assert_eq!(say(address, &format!("(stop {id} 3 {third} (ok))")), "done");
    }
    // A: no turn, no move.
    assert_eq!(say(address, &start("a")), "ready");
    let first = say(address, "(PLAY a NIL)");
    let second = say(address, "(PLAY a (ok))");
    assert!(second.starts_with("(mark ") && second != first, "{first} {second}");
    assert_eq!(say(address, "(STOP a (ok))"), "done");
}

/// A die is rolled, and the player takes the number that it shows.
const DIE: &str =
    "(role random) (role p) (init fresh) (init (side 1)) (init (side 2)) (init (side 3))
    (<= (next (side ?n)) (true (side ?n)))
    (<= (legal random (roll ?n)) (true fresh) (true (side ?n))) (<= (legal p wait) (true fresh))
    (<= (next (shown ?n)) (does random (roll ?n)))
    (<= (legal random rest) (true (shown ?n))) (<= (legal p (take ?n)) (true (shown ?n)))
    (<= (next done) (does p (take ?n))) (<= terminal (true done)) (<= (goal p 100) (true done))";

#[test]
fn chance_without_percepts_in_both_languages() {
    let address = player("uct");
    // ggp-base sends the moves of all roles, including those of chance.
    for roll in [2, 3] {
        assert_eq!(say(address, &format!("(START g p ({DIE}) 5 2)")), "ready");
        assert_eq!(say(address, "(PLAY g NIL)"), "wait");
        assert_eq!(
            say(address, &format!("(PLAY g ((roll {roll}) wait))")),
            format!("(take {roll})")
        );
        assert_eq!(say(address, &format!("(STOP g (rest (take {roll})))")), "done");
    }
    // In GDL-II, no player sees the die.
    assert_eq!(say(address, &format!("(START h p ({DIE}) 5 2)")), "ready");
    assert_eq!(say(address, "(PLAY h 0 NIL NIL)"), "wait");
    let taken = say(address, "(PLAY h 1 wait ())");
    assert!(taken.starts_with("(take "), "{taken}");
    assert_eq!(say(address, &format!("(STOP h 2 {taken} ())")), "done");
}

#[test]
fn nonsense_in_a_match_does_not_end_the_player() {
    let address = player("random");
    let sheet = rules("tictactoe");
    // A role that the game does not have, invalid rules, illegal moves.
    assert_eq!(say(address, &format!("(START a stranger ({sheet}) 1 1)")), "ready");
    assert_eq!(say(address, "(PLAY a NIL)"), "nil");
    assert_eq!(say(address, "(ABORT a)"), "aborted");
    assert_eq!(say(address, "(START b x ((role x) (<= (p ?x) (not (q ?y)))) 1 1)"), "ready");
    assert_eq!(say(address, "(PLAY b NIL)"), "nil");
    assert_eq!(say(address, "(STOP b NIL)"), "done");
    assert_eq!(say(address, &format!("(START c x ({sheet}) 3 1)")), "ready");
    let first = say(address, "(PLAY c NIL)");
    assert!(first.starts_with("(put "), "{first}");
    let lost = say(address, "(PLAY c ((put 9 9) noop))");
    assert!(lost.starts_with("(put "), "{lost}");
    let lost = say(address, "(PLAY c (noop))");
    assert!(lost.starts_with("(put "), "{lost}");
    assert_eq!(say(address, "(STOP c NIL)"), "done");
}

#[test]
fn abort_while_the_player_thinks() {
    let address = player("uct");
    assert_eq!(say(address, &format!("(START m x ({}) 2 20)", rules("connect-four"))), "ready");
    let thinking = std::thread::spawn(move || {
        let begun = Instant::now();
        let reply = say(address, "(PLAY m NIL)");
        (begun.elapsed(), reply)
    });
    std::thread::sleep(Duration::from_millis(700));
    let begun = Instant::now();
    assert!(say(address, "(info)").contains("busy"));
    assert_eq!(say(address, "(ABORT m)"), "aborted");
    assert!(begun.elapsed() < Duration::from_secs(5));
    assert!(say(address, "(info)").contains("available"));
    let (took, _) = thinking.join().unwrap();
    assert!(took < Duration::from_secs(10), "thinking continued for {took:?}");
}

#[test]
fn a_game_too_large_for_the_start_clock() {
    // The circuit of Amazons takes far longer than the clock; slower rules play until it is ready.
    let address = player("random");
    let start = format!("(START large white ({}) 2 10)", rules("amazons-10x10"));
    assert_eq!(say(address, &start), "ready");
    let first = say(address, "(PLAY large NIL)");
    assert!(first.starts_with('('), "{first}");
    assert_eq!(say(address, "(ABORT large)"), "aborted");
    assert!(say(address, "(info)").contains("available"));
}

#[test]
fn several_matches_at_once_if_that_is_allowed() {
    let agent = Some("random".parse().unwrap());
    let options =
        PlayerOptions { at_once: 2, ..PlayerOptions::new("tested", agent, Seed::from(1)) };
    let address = player_with(options, ServeOptions::default());
    let start = |id: &str, role: &str| format!("(START {id} {role} ({}) 5 2)", rules("tictactoe"));
    assert_eq!(say(address, &start("m", "x")), "ready");
    assert!(say(address, "(info)").contains("available"));
    assert_eq!(say(address, &start("m.2", "o")), "ready");
    assert!(say(address, "(info)").contains("busy"));
    assert_eq!(say(address, &start("m.3", "x")), "busy");
    assert!(say(address, "(PLAY m NIL)").starts_with("(put "));
    assert_eq!(say(address, "(PLAY m.2 NIL)"), "noop");
    assert_eq!(say(address, "(STOP m NIL)"), "done");
    assert_eq!(say(address, "(PLAY m NIL)"), "busy");
    assert_eq!(say(address, &start("m.3", "x")), "ready");
    assert_eq!(say(address, "(ABORT m.2)"), "aborted");
    assert_eq!(say(address, "(STOP m NIL)"), "done", "the same STOP again");
}

#[test]
fn an_address_that_sends_too_much_is_refused() {
    let agent = Some("random".parse().unwrap());
    let rate = Rate { per_second: 0.001, burst: 3.0 };
    let serving = ServeOptions { rate, ..ServeOptions::default() };
    let address = player_with(PlayerOptions::new("tested", agent, Seed::from(1)), serving);
    for _ in 0..3 {
        assert_eq!(say(address, "(ping)"), "ready");
    }
    let reply = raw(address, b"POST / HTTP/1.0\r\nContent-Length: 6\r\n\r\n(ping)");
    assert!(reply.starts_with("HTTP/1.0 429 "), "{reply}");
}

#[test]
fn slow_senders_do_not_take_all_places() {
    let agent = Some("random".parse().unwrap());
    let serving = ServeOptions {
        patience: Duration::from_secs(3),
        connections: 6,
        arriving: 4,
        ..ServeOptions::default()
    };
    let address = player_with(PlayerOptions::new("tested", agent, Seed::from(1)), serving);
    let slow = || {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(b"P").unwrap();
        stream
    };
    let held: Vec<TcpStream> = (0..20).map(|_| slow()).collect();
    let begun = Instant::now();
    let replies: Vec<usize> = held
        .into_iter()
        .map(|mut stream| {
            stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
            let mut text = Vec::new();
            let _ = stream.read_to_end(&mut text);
            usize::from(text.starts_with(b"HTTP/1.0 408 "))
        })
        .collect();
    // At most four were accepted; all others were refused immediately.
    assert!(replies.iter().sum::<usize>() <= 4, "{replies:?}");
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    assert_eq!(say(address, "(ping)"), "ready");
}

/// The first bytes of a WebSocket frame with this opcode and length, unmasked or masked by 0.
fn frame(opcode: u8, masked: bool, length: u64) -> Vec<u8> {
    let mut bytes = vec![0x80 | opcode, if masked { 0xff } else { 0x7f }];
    bytes.extend(length.to_be_bytes());
    if masked {
        bytes.extend([0; 4]);
    }
    bytes
}

#[test]
fn hostile_web_sockets_are_closed() {
    let address = player("random");
    let connect = || {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let hello = "GET / HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: WebSocket\r\n\
                     Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n";
        stream.write_all(hello.as_bytes()).unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte).unwrap();
            head.extend(byte);
        }
        assert!(head.starts_with(b"HTTP/1.1 101 "));
        stream
    };
    let text = |body: &str| {
        let mut bytes = frame(1, true, body.len() as u64);
        bytes.extend(body.as_bytes());
        bytes
    };
    let flood: Vec<u8> = (0..2000).flat_map(|_| text("message(1,a,b,ping())")).collect();
    for bytes in [
        // Unmasked, although clients must mask; unknown opcodes; endless texts; invalid UTF-8;
        // garbage.
        frame(1, false, 4),
        frame(0xb, true, 0),
        frame(1, true, u64::MAX),
        frame(1, true, 1 << 40),
        [frame(1, true, 2), vec![0xff, 0xfe]].concat(),
        vec![0xff; 300],
        b"GET / HTTP/1.1\r\n\r\n".to_vec(),
        flood,
    ] {
        let mut stream = connect();
        let _ = stream.write_all(&bytes);
        let mut rest = Vec::new();
        // The player closes the connection, cleanly or not.
        let _ = stream.read_to_end(&mut rest);
        assert_eq!(say(address, "(ping)"), "ready", "after {:?}", &bytes[..bytes.len().min(20)]);
    }
    // Binary frames, pings and empty texts do not end a connection.
    let mut stream = connect();
    for bytes in [[frame(2, true, 3), b"abc".to_vec()].concat(), frame(9, true, 0), text("")] {
        stream.write_all(&bytes).unwrap();
    }
    stream.write_all(&text("message(7,manager,indy,ping())")).unwrap();
    let mut heard = Vec::new();
    while !String::from_utf8_lossy(&heard).contains("message(7,indy,manager,ready)") {
        let mut part = [0; 512];
        let count = stream.read(&mut part).unwrap();
        assert!(count > 0, "{}", String::from_utf8_lossy(&heard));
        heard.extend(&part[..count]);
    }
}

#[test]
fn a_client_that_waits_for_a_word() {
    let address = player("random");
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let head = "POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 6\r\n\r\n";
    stream.write_all(head.as_bytes()).unwrap();
    let mut word = [0; 25];
    stream.read_exact(&mut word).unwrap();
    assert_eq!(&word, b"HTTP/1.1 100 Continue\r\n\r\n");
    stream.write_all(b"(ping)").unwrap();
    let mut rest = String::new();
    stream.read_to_string(&mut rest).unwrap();
    assert!(rest.ends_with("\r\n\r\nready"), "{rest}");
}
