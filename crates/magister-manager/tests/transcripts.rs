//! The sample matches of the GDL-II chapter and of the Gamemaster lecture, byte for byte.

use std::sync::Arc;

use magister_core::{Answer, Match, Role, Said, Seat, Seed, Setup, Stop};
use magister_manager::gamemaster::{GamemasterSession, statements};
use magister_manager::session::{Clocks, Manner, Session};
use magister_manager::wire;
use magister_protocol::Gdl2Variant;
use magister_protocol::gamemaster::Form;

/// The moves of the chapter's match; in the last turn, white marks (3,3), as the messages say.
const MOVES: [[&str; 2]; 3] =
    [["(mark 1 1)", "(mark 2 3)"], ["(mark 2 2)", "(mark 2 2)"], ["(mark 3 3)", "(mark 1 3)"]];

/// The messages to both players, turn after turn, in a match where the coin decides for white.
fn blind_tictactoe(manner: Manner) -> Vec<String> {
    let source = magister::Options::default().find("blind-tictactoe").unwrap();
    let (playable, wire) = wire::open(&source).unwrap();
    let (game, wire) = (playable.game, Arc::new(wire));
    for seed in 0.. {
        let seats = vec![Seat::new("x"), Seat::new("y")];
        let setup = Setup::new(Seed::from(seed), seats);
        let mut current = Match::new(&game, &setup, &Stop::never()).unwrap();
        let clocks = Clocks { start: 10, play: 10 };
        let session = |role, name| Session::new("m23", &wire, (role, name), clocks, manner, None);
        let sessions = [session(Role(0), "white"), session(Role(1), "black")];
        let mut sent: Vec<String> = sessions.iter().map(Session::start).collect();
        for (turn, joint) in MOVES.into_iter().enumerate() {
            for (session, choice) in sessions.iter().zip(joint) {
                sent.push(session.play(current.view(session.role())));
                let Said::Text(text) = session.answer(choice, turn) else { panic!("not a text") };
                current.submit(session.role(), Answer::text(&text)).unwrap();
            }
            current.advance(&Stop::never()).unwrap();
        }
        if current.record().errors.is_empty() && current.record().rewards[0] == Some(100.0) {
            for session in &sessions {
                sent.push(session.stop(current.view(session.role())));
            }
            return sent;
        }
    }
    unreachable!("the coin decides for white in half of all matches")
}

#[test]
fn the_chapter_in_its_own_words() {
    let sent = blind_tictactoe(Manner { variant: Gdl2Variant::B, upper: false, scramble: false });
    assert!(sent[0].starts_with("(start m23 white ((role white) (role black) (role random) "));
    assert!(sent[1].starts_with("(start m23 black ((role white) "));
    assert!(sent[0].ends_with(" ) 10 10)") && sent[1].ends_with(" ) 10 10)"));
    assert_eq!(
        sent[2..],
        [
            "(play m23 0 nil nil)",
            "(play m23 0 nil nil)",
            "(play m23 1 (mark 1 1) (ok))",
            "(play m23 1 (mark 2 3) (ok))",
            "(play m23 2 (mark 2 2) (ok))",
            "(play m23 2 (mark 2 2) nil)",
            "(stop m23 3 (mark 3 3) (ok))",
            "(stop m23 3 (mark 1 3) (ok))",
        ]
    );
}

#[test]
fn the_chapter_in_the_words_of_dresden() {
    let manner = |upper| Manner { variant: Gdl2Variant::C, upper, scramble: false };
    let expected = [
        "(PLAY m23 0 NIL NIL)",
        "(PLAY m23 0 NIL NIL)",
        "(PLAY m23 1 (mark 1 1) (ok ))",
        "(PLAY m23 1 (mark 2 3) (ok ))",
        "(PLAY m23 2 (mark 2 2) (ok ))",
        "(PLAY m23 2 (mark 2 2) ())",
        "(STOP m23 3 (mark 3 3) (ok ))",
        "(STOP m23 3 (mark 1 3) (ok ))",
    ];
    assert_eq!(blind_tictactoe(manner(false))[2..], expected);
    // In upper case, everything except the name of the match changes, including the words of the
    // rules.
    let loud: Vec<String> =
        expected.iter().map(|text| text.to_uppercase().replace("M23", "m23")).collect();
    assert_eq!(blind_tictactoe(manner(true))[2..], loud);
}

/// The lecture's Tic-Tac-Toe: our rules in operations, with its name for the action.
fn gamemaster_rules() -> String {
    let source = magister::Options::default().find("tictactoe/operations").unwrap();
    let text = source.input().unwrap().text.clone();
    text.replace("mark(", "symbol(").replace("put(", "mark(")
}

#[test]
fn the_lecture_in_its_own_words() {
    let rules = gamemaster_rules();
    let playable = magister::open_text("tictactoe", &rules).unwrap();
    let seats = vec![Seat::new("indy"), Seat::new("lara")];
    let setup = Setup::new(Seed::from(1), seats);
    let mut current = Match::new(&playable.game, &setup, &Stop::never()).unwrap();
    let session = |role, name: &str, player: &str| GamemasterSession {
        id: Some("m01".to_owned()),
        manager: "manager".to_owned(),
        player: player.to_owned(),
        role: (role, name.to_owned()),
        rules: statements(&rules),
        clocks: Clocks { start: 10, play: 10 },
        form: Form::Site,
    };
    // The lecture mistakenly starts lara as x; she plays o.
    let sessions = [session(Role(0), "x", "indy"), session(Role(1), "o", "lara")];
    let mut log: Vec<String> = Vec::new();
    for session in &sessions {
        log.push(session.ping(1));
    }
    for session in &sessions {
        let start = session.start(2);
        let (head, tail) = start.split_once("ruleset(").unwrap();
        assert!(tail.starts_with("role(x),role(o),base(cell(Row,Column,Mark)) :- "));
        assert!(tail.ends_with("),10,10))"), "{tail}");
        log.push(format!("{head}ruleset(...),10,10))"));
        assert_eq!(
            session.answer(2, &format!("message(2,{},manager,ready)", session.player)),
            Some("ready".into())
        );
    }
    let script =
        [(0, "mark(1,1)"), (1, "mark(1,2)"), (0, "mark(2,2)"), (1, "mark(1,3)"), (0, "mark(3,3)")];
    for (number, (seat, action)) in (3u64..).zip(script) {
        for session in &sessions {
            log.push(session.play(number, current.view(session.role.0)));
        }
        let session = &sessions[seat];
        let reply = format!("message({number},{},manager,{action})", session.player);
        log.push(reply.clone());
        let value = session.answer(number, &reply).unwrap();
        assert_eq!(session.answer(number + 1, &reply), None, "an old reply is dropped");
        let pending = current.pending();
        assert_eq!(pending.len(), 1);
        current.submit(pending[0].role, Answer::text(&value)).unwrap();
        current.advance(&Stop::never()).unwrap();
    }
    for session in &sessions {
        log.push(session.stop(8, current.view(session.role.0)));
    }
    assert_eq!(current.record().rewards, [Some(100.0), Some(0.0)]);
    let expected = "message(1,manager,indy,ping())
message(1,manager,lara,ping())
message(2,manager,indy,start(m01,x,ruleset(...),10,10))
message(2,manager,lara,start(m01,o,ruleset(...),10,10))
message(3,manager,indy,play(m01,[]))
message(3,manager,lara,play(m01,[]))
message(3,indy,manager,mark(1,1))
message(4,manager,indy,play(m01,mark(1,1)))
message(4,manager,lara,play(m01,mark(1,1)))
message(4,lara,manager,mark(1,2))
message(5,manager,indy,play(m01,mark(1,2)))
message(5,manager,lara,play(m01,mark(1,2)))
message(5,indy,manager,mark(2,2))
message(6,manager,indy,play(m01,mark(2,2)))
message(6,manager,lara,play(m01,mark(2,2)))
message(6,lara,manager,mark(1,3))
message(7,manager,indy,play(m01,mark(1,3)))
message(7,manager,lara,play(m01,mark(1,3)))
message(7,indy,manager,mark(3,3))
message(8,manager,indy,stop(m01,mark(3,3)))
message(8,manager,lara,stop(m01,mark(3,3)))";
    assert_eq!(log.join("\n"), expected);
}
