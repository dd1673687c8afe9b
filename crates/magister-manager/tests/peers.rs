//! Matches with real programs of others: the server and the players of ggp-base. `cargo xtask peers`
//! is the long form.

mod peer;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use magister_arena::{Contest, TimeControl};
use magister_core::{FaultKind, MatchEnd, PlayerSource, Seed, Stop};
use magister_manager::player::{GgpPlayer, PlayerOptions, ServeOptions, serve};
use magister_manager::{Manner, PlayerAddress, RemoteSource, wire};
use magister_players::Spec;
use magister_store::GgpMatch;
use peer::JavaPlayer;

/// Our player on a port of its own.
fn our_player(agent: &str) -> u16 {
    let options = PlayerOptions {
        name: "ours".to_owned(),
        agent: Some(agent.parse().unwrap()),
        iterations: None,
        seed: Seed::from(1),
    };
    let player = Arc::new(GgpPlayer::new(options));
    let (send, port) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        runtime.block_on(async move {
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
            send.send(listener.local_addr().unwrap().port()).unwrap();
            let never = std::future::pending();
            serve(player, listener, ServeOptions::default(), never).await.unwrap();
        });
    });
    port.recv().unwrap()
}

fn sheet(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games").join(name).join("rules.kif")
}

#[test]
fn the_server_of_ggp_base_runs_our_player() {
    let Some(folder) = peer::folder() else {
        eprintln!("SKIPPED: ggp-base or Java is missing");
        return;
    };
    let (one, two) = (our_player("random"), our_player("uct"));
    let players = [format!("One@127.0.0.1:{one}"), format!("Two@127.0.0.1:{two}")];
    let rules = sheet("tictactoe");
    let playable = magister::open("tictactoe").unwrap();
    let info = playable.game.info();
    for options in [&["--id", "m.1"][..], &["--scramble", "--id", "m.2"], &["--preview", "1"]] {
        let served = peer::serve(&folder, options, &rules, (5, 2), &players).unwrap();
        assert_eq!(served.code, 0, "{options:?}: {}", served.lines);
        let read = GgpMatch::read(&served.json.unwrap()).unwrap();
        let record = read.to_record("tictactoe", &info.rules_hash, &info.roles, None).unwrap();
        assert!(record.errors.is_empty(), "{:?}", record.errors);
        record.replay(&*playable.game, &Stop::never()).unwrap();
    }
    // ABORT in the middle; the players are free again.
    let aborted = peer::serve(&folder, &["--abort-after", "2"], &rules, (5, 2), &players).unwrap();
    assert_eq!(aborted.code, 4, "{}", aborted.lines);
    let again = peer::serve(&folder, &[], &rules, (5, 2), &players).unwrap();
    assert_eq!(again.code, 0, "{}", again.lines);
}

#[test]
fn our_matches_have_players_of_ggp_base() {
    let Some(folder) = peer::folder() else {
        eprintln!("SKIPPED: ggp-base or Java is missing");
        return;
    };
    let limits = TimeControl {
        time: Some(Duration::from_secs(2)),
        start: Some(Duration::from_secs(5)),
        grace: Duration::from_secs(1),
        iterations: None,
    };
    let source = magister::Options::default().find("tictactoe").unwrap();
    let (playable, wire) = wire::open(&source).unwrap();
    let wire = Arc::new(wire);
    let contest = Contest::new(Arc::clone(&playable.game), limits);
    for (class, faulty) in [
        ("RandomGamer", false),
        ("SampleAlphabetGamer", false),
        ("SampleMonteCarloGamer", false),
        ("SampleNoopGamer", true),
    ] {
        let java = JavaPlayer::start(&folder, class).unwrap();
        let address = format!("http://127.0.0.1:{}", java.port).parse().unwrap();
        for scramble in [false, true] {
            let manner = Manner { scramble, ..Manner::default() };
            let remote = RemoteSource::new(PlayerAddress::clone(&address), limits, manner);
            let remote: Arc<dyn PlayerSource> = Arc::new(remote.knowing(&*playable.game, &wire));
            let ours: Arc<dyn PlayerSource> = Arc::new("random".parse::<Spec>().unwrap());
            let record = contest.play(&[remote, ours], Seed::from(3));
            assert_eq!(record.end, Some(MatchEnd::Terminal), "{class}: {:?}", record.errors);
            record.replay(&*playable.game, &Stop::never()).unwrap();
            let kinds: Vec<FaultKind> = record.errors.iter().map(|fault| fault.kind).collect();
            if faulty {
                // It always replies NOOP, which is legal when the other moves.
                assert!(!kinds.is_empty() && kinds.iter().all(|kind| *kind == FaultKind::Illegal));
            } else {
                assert!(kinds.is_empty(), "{class}: {:?}", record.errors);
            }
        }
    }
}
