//! The card games of the catalogue: each ends with sane scores and satisfies the contract of `Game`.

use magister_core::{Seed, battery};
use magister_recycle::{CardGame, Options, examine};

/// The number of random games of each.
const GAMES: u64 = 200;

/// All card games of the catalogue, including twins of games in other languages.
pub(crate) fn all() -> Vec<(String, CardGame)> {
    let folder = format!("{}/../../games", env!("CARGO_MANIFEST_DIR"));
    let mut all = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        for (file, twin) in [("rules.rcy", ""), ("recycle.rcy", "/recycle")] {
            let Ok(text) = std::fs::read_to_string(path.join(file)) else { continue };
            let name = format!("{}{twin}", path.file_name().unwrap().to_string_lossy());
            let found = examine(&name, &text, &Options::default());
            let diagnostics = found.diagnostics.as_slice();
            assert!(diagnostics.is_empty(), "{name}: {diagnostics:?}");
            all.push((name, found.game.unwrap()));
        }
    }
    all.sort_by(|a, b| a.0.cmp(&b.0));
    all
}

#[test]
fn there_are_enough_card_games() {
    assert!(all().len() >= 31, "{}", all().len());
}

/// The sum of all scores, if it is the same in every game, and the possible scores of a player.
#[expect(clippy::match_same_arms, reason = "one line per game, in order")]
fn bounds(name: &str) -> (Option<i32>, (i32, i32)) {
    match name {
        "agram" => (Some(1), (0, 1)),
        "bottle-imp" => (Some(18), (-18, 36)),
        "bottle-imp-released" => (Some(126), (0, 126)),
        "casino-blackjack" => (None, (-4, 5)),
        "crazy-eights" => (None, (0, 300)),
        "cribbage" => (None, (0, 80)),
        "cuckoo" => (None, (0, 1)),
        "euchre" => (None, (0, 2)),
        "go-fish" => (None, (0, 13)),
        "golf" => (None, (0, 40)),
        "golf-measured" => (None, (0, 40)),
        "golf-six" => (None, (-8, 60)),
        "goofspiel" => (None, (0, 91)),
        "hearts" => (None, (0, 26)),
        "high-card/recycle" => (Some(100), (0, 100)),
        "high-card-stakes/recycle" => (Some(100), (0, 100)),
        "klaverjassen" => (None, (0, 700)),
        "kuhn-poker/recycle" => (Some(100), (0, 100)),
        "lama" => (None, (0, 31)),
        "leduc-poker/recycle" => (Some(100), (11, 89)),
        "ninety-eight" => (None, (0, 1)),
        "ninety-eight-measured" => (None, (0, 2)),
        "ninety-eight-released" => (Some(1), (0, 1)),
        "pitch" => (None, (-4, 4)),
        "president" => (Some(10), (0, 4)),
        "rummy" => (None, (0, 120)),
        "scarto" => (Some(0), (-77, 154)),
        "schwimmen" => (None, (14, 66)),
        "scopa" => (None, (0, 30)),
        "skat" => (None, (-600, 300)),
        "skitgubbe" => (None, (0, 2)),
        "spades" => (None, (-560, 460)),
        "sueca" => (Some(240), (0, 120)),
        "thesis-agram" => (None, (0, 9)),
        "thesis-agram-prose" => (None, (1, 10)),
        "thesis-hearts" => (None, (-26, 26)),
        "thesis-hearts-broken" => (None, (-26, 26)),
        "three-tricks/recycle" => (Some(100), (0, 100)),
        "whist" => (Some(26), (0, 13)),
        other => panic!("{other} has no bounds; add them"),
    }
}

#[test]
fn every_random_game_ends_with_sane_scores() {
    for (name, game) in all() {
        let (sum, (low, high)) = bounds(&name);
        let mut played = 0;
        game.sample(GAMES, Seed::from(1), 20_000, |sample| {
            assert_eq!(sample.fault, None, "{name}");
            assert!(!sample.scores.is_empty(), "{name} does not end");
            let fine = |score: &i32| (low..=high).contains(score);
            assert!(sample.scores.iter().all(fine), "{name}: {:?}", sample.scores);
            if let Some(sum) = sum {
                assert_eq!(sample.scores.iter().sum::<i32>(), sum, "{name}");
            }
            played += 1;
        });
        assert_eq!(played, GAMES, "{name}");
    }
}

/// The tests that every game must pass, over all card games.
#[test]
fn every_card_game_passes_the_battery() {
    let options = battery::Options {
        walks: 1,
        max_steps: 80,
        garbage: 20,
        playouts: 2,
        ..battery::Options::default()
    };
    for (name, game) in all() {
        let report = battery::check(&game, &options);
        assert!(report.passed(), "{name}\n{report}");
    }
}

#[test]
fn hearts_give_26_points_or_78() {
    let hearts = all().into_iter().find(|(name, _)| name == "hearts").unwrap().1;
    hearts.sample(GAMES, Seed::from(2), 1_000, |sample| {
        assert!([26, 78].contains(&sample.scores.iter().sum::<i32>()), "{:?}", sample.scores);
    });
}
