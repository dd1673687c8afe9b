//! Matches with real programs of other projects: the server and the players of ggp-base.
//! `cargo xtask peers` is the long form.

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

/// Our player on its own port.
fn our_player(agent: &str) -> u16 {
    let agent = Some(agent.parse().unwrap());
    let options =
        PlayerOptions { iterations: Some(200), ..PlayerOptions::new("ours", agent, Seed::from(1)) };
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
    // The clocks are long, because the machine may be busy; no one waits for them to run out.
    for options in [&["--id", "m.1"][..], &["--scramble", "--preview", "5"]] {
        let served = peer::serve(&folder, options, &rules, (30, 20), &players).unwrap();
        assert_eq!(served.code, 0, "{options:?}: {}", served.lines);
        let read = GgpMatch::read(&served.json.unwrap()).unwrap();
        let record = read.to_record("tictactoe", &info.rules_hash, &info.roles, None).unwrap();
        assert!(record.errors.is_empty(), "{:?}", record.errors);
        record.replay(&*playable.game, &Stop::never()).unwrap();
    }
    // ABORT in the middle; the players are free again.
    let aborted =
        peer::serve(&folder, &["--abort-after", "2"], &rules, (30, 20), &players).unwrap();
    assert_eq!(aborted.code, 4, "{}", aborted.lines);
    let again = peer::serve(&folder, &[], &rules, (30, 20), &players).unwrap();
    assert_eq!(again.code, 0, "{}", again.lines);
}

#[test]
fn our_matches_have_players_of_ggp_base() {
    let Some(folder) = peer::folder() else {
        eprintln!("SKIPPED: ggp-base or Java is missing");
        return;
    };
    // Players that think use their clock up to the last second, so theirs is short; the grace is
    // long, because the machine may be busy.
    let limits = |clock| TimeControl {
        time: Some(Duration::from_secs(clock)),
        start: Some(Duration::from_secs(20)),
        grace: Duration::from_secs(15),
        iterations: None,
    };
    let source = magister::Options::default().find("tictactoe").unwrap();
    let (playable, wire) = wire::open(&source).unwrap();
    let wire = Arc::new(wire);
    let classes = [
        ("RandomGamer", 5),
        ("SampleAlphabetGamer", 5),
        ("SampleMonteCarloGamer", 1),
        ("SampleSearchLightGamer", 1),
        ("SampleNoopGamer", 5),
    ];
    // All in parallel, because starting Java takes the longest.
    std::thread::scope(|scope| {
        for (class, clock) in classes {
            let (folder, playable, wire) = (&folder, &playable, &wire);
            scope.spawn(move || {
                let java = JavaPlayer::start(folder, class).unwrap();
                let address: PlayerAddress =
                    format!("http://127.0.0.1:{}", java.port).parse().unwrap();
                let limits = limits(clock);
                let contest = Contest::new(Arc::clone(&playable.game), limits);
                let manner = Manner { scramble: class == "RandomGamer", ..Manner::default() };
                let remote = RemoteSource::new(address, limits, manner);
                let remote: Arc<dyn PlayerSource> = Arc::new(remote.knowing(&*playable.game, wire));
                let ours: Arc<dyn PlayerSource> = Arc::new("random".parse::<Spec>().unwrap());
                let record = contest.play(&[remote, ours], Seed::from(3));
                assert_eq!(record.end, Some(MatchEnd::Terminal), "{class}: {:?}", record.errors);
                record.replay(&*playable.game, &Stop::never()).unwrap();
                let kinds: Vec<FaultKind> = record.errors.iter().map(|one| one.kind).collect();
                if class == "SampleNoopGamer" {
                    // It always replies NOOP, which is legal on the other player's turn.
                    assert!(!kinds.is_empty());
                    assert!(kinds.iter().all(|kind| *kind == FaultKind::Illegal), "{kinds:?}");
                } else {
                    assert!(kinds.is_empty(), "{class}: {:?}", record.errors);
                }
            });
        }
    });
}
