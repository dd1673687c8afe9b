//! Games whose values are known.

use std::sync::Arc;

use magister_core::{Game, Stop};
use magister_solve::matrix::zero_sum;
use magister_solve::{
    Answer, Effort, Equilibrium, ExtensiveForm, Profile, SolveLimits, Unsolved, Variant, solve,
};

fn game(name: &str) -> Arc<dyn Game> {
    magister::open(name).expect("a bundled game").game
}

fn form(name: &str) -> Arc<ExtensiveForm> {
    Arc::new(
        ExtensiveForm::new(&*game(name), &SolveLimits::default(), &Stop::never())
            .expect("a small game"),
    )
}

fn answer(name: &str) -> Answer {
    solve(&*game(name), &SolveLimits::default(), &Effort::default()).expect("a small game")
}

/// The probability of a move in the first information set of a player whose turns end like this.
fn likely(game: &dyn Game, found: &Equilibrium, player: usize, end: &str, choice: &str) -> f64 {
    let form = &found.form;
    for set in 0..form.sets(player) {
        let seen = form.turns(player, set).iter().fold(String::new(), |text, turn| {
            let magister_core::Observation::Percepts(seen) = &turn.seen else { return text };
            let seen: Vec<String> = seen.iter().map(|&p| game.text().percept_text(p)).collect();
            format!("{text}{} {};", game.text().move_text(turn.own), seen.join(" "))
        });
        if seen.ends_with(end) {
            let moves = form.moves(player, set);
            let texts: Vec<String> = moves.iter().map(|&m| game.text().move_text(m)).collect();
            let at = texts.iter().position(|text| text == choice).expect("a move");
            return found.profile.mixture(form, player, set)[at];
        }
    }
    panic!("no information set ends with {end}")
}

#[test]
fn hidden_information() {
    let known: [(&str, &[f64]); 11] = [
        ("exploding-bomb", &[90.0]),
        ("exploding-bomb-tell", &[50.0, 50.0]),
        ("exploding-bomb-tell-printed", &[50.0, 50.0]),
        ("exploding-bomb-tell-bonus", &[45.0, 55.0]),
        ("monty-hall", &[200.0 / 3.0]),
        // A chip counts 25 points.
        ("kuhn-poker", &[50.0 - 25.0 / 18.0, 50.0 + 25.0 / 18.0]),
        // A dollar counts five points.
        ("high-card-round", &[50.0 - 5.0 * 115.0 / 78.0, 50.0 + 5.0 * 115.0 / 78.0]),
        ("mini-poker", &[51.25, 48.75]),
        // OpenSpiel gives -0.085606424078 chips; one counts three points.
        ("leduc-poker", &[50.0 - 3.0 * 0.085_606_424_078, 50.0 + 3.0 * 0.085_606_424_078]),
        ("goofspiel-small", &[50.0, 50.0]),
        ("matching-pennies", &[50.0, 50.0]),
    ];
    for (name, values) in known {
        let found = answer(name);
        let near = |(a, b): (&f64, &f64)| (a - b).abs() < 0.05;
        let got = found.values(&*game(name));
        assert!(got.len() == values.len() && got.iter().zip(values).all(near), "{name}: {got:?}");
        assert!(found.proven(0.05), "{name}");
        if let Answer::Equilibrium(found) = &found {
            assert!(found.share() < 0.005, "{name}: {}", found.share());
        }
    }
}

#[test]
fn optimal_moves_are_played() {
    let bomb = game("exploding-bomb");
    let Answer::Equilibrium(found) = answer("exploding-bomb") else { panic!() };
    assert!(likely(&*bomb, &found, 0, "noop ;", "ask") > 0.999);
    assert!(likely(&*bomb, &found, 0, "ask blue;", "(cut red)") > 0.999);
    let tell = game("exploding-bomb-tell");
    let Answer::Equilibrium(found) = answer("exploding-bomb-tell") else { panic!() };
    assert!(likely(&*tell, &found, 0, "(arm red) ;", "tell") < 1e-3);
    let monty = game("monty-hall");
    let Answer::Equilibrium(found) = answer("monty-hall") else { panic!() };
    for door in ["(open 1);", "(open 2);", "(open 3);"] {
        assert!(likely(&*monty, &found, 0, door, "switch") > 0.999);
    }
    // Bluffing in Kuhn poker: the first player bets the king three times as often as the jack.
    let kuhn = game("kuhn-poker");
    let Answer::Equilibrium(found) = answer("kuhn-poker") else { panic!() };
    let jack = likely(&*kuhn, &found, 0, "noop (card jack);", "bet");
    let king = likely(&*kuhn, &found, 0, "noop (card king);", "bet");
    assert!((king - 3.0 * jack).abs() < 0.02, "{jack} {king}");
    assert!(jack < 1.0 / 3.0 + 0.01);
}

/// All pure strategies of a player: a move for each information set.
fn plans(form: &ExtensiveForm, player: usize) -> Vec<Vec<usize>> {
    let mut plans = vec![Vec::new()];
    for set in 0..form.sets(player) {
        let moves = 0..form.moves(player, set).len();
        let longer = |plan: &Vec<usize>| -> Vec<Vec<usize>> {
            moves.clone().map(|choice| [&plan[..], &[choice]].concat()).collect()
        };
        plans = plans.iter().flat_map(longer).collect();
    }
    plans
}

fn play(form: &ExtensiveForm, profile: &mut Profile, player: usize, plan: &[usize]) {
    for (set, &choice) in plan.iter().enumerate() {
        let mut shares = vec![0.0; form.moves(player, set).len()];
        shares[choice] = 1.0;
        profile.set(form, player, set, &shares);
    }
}

/// The same values by another method: the normal form and a linear program.
#[test]
fn normal_form() {
    for name in ["kuhn-poker", "mini-poker", "exploding-bomb-tell", "exploding-bomb-tell-bonus"] {
        let form = form(name);
        let (ours, theirs) = (plans(&form, 0), plans(&form, 1));
        let mut profile = Profile::even(&form);
        let mut cells = Vec::new();
        for plan in &ours {
            play(&form, &mut profile, 0, plan);
            for other in &theirs {
                play(&form, &mut profile, 1, other);
                cells.push(form.values(&profile)[0]);
            }
        }
        let value =
            zero_sum(ours.len(), theirs.len(), |row, column| cells[row * theirs.len() + column]);
        let effort = Effort { target: 1e-6, ..Effort::default() };
        let bounds = Equilibrium::find(form, &effort).bounds().unwrap()[0];
        assert!(bounds.0 - 1e-6 <= value.value && value.value <= bounds.1 + 1e-6, "{name}");
        assert!(bounds.1 - bounds.0 < 1e-3, "{name}: {bounds:?}");
    }
}

#[test]
fn both_variants_agree() {
    let form = form("kuhn-poker");
    let plain = Effort { variant: Variant::Plain, target: 1e-3, ..Effort::default() };
    for effort in [plain, Effort::default()] {
        let found = Equilibrium::find(Arc::clone(&form), &effort);
        let (low, high) = found.bounds().unwrap()[0];
        let value = 50.0 - 25.0 / 18.0;
        assert!(low <= value + 1e-9 && value <= high + 1e-9 && high - low < 0.2, "{low} {high}");
    }
}

#[test]
fn perfect_information() {
    let known: [(&str, &[f64]); 6] = [
        ("tictactoe", &[50.0, 50.0]),
        ("nim-1-5-4-2", &[100.0, 0.0]),
        ("nim-2-2-10-10", &[0.0, 100.0]),
        ("rock-paper-scissors", &[50.0, 50.0]),
        ("hexapawn", &[0.0, 100.0]),
        ("hanoi", &[100.0]),
    ];
    for (name, values) in known {
        let found = answer(name);
        let got = found.values(&*game(name));
        let near = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-6;
        assert!(got.len() == values.len() && got.iter().zip(values).all(near), "{name}: {got:?}");
        assert!(found.proven(1e-6), "{name}");
    }
    let Answer::Puzzle(solution) = answer("hanoi") else { panic!() };
    assert_eq!(solution.line.len(), 31);
}

#[test]
fn too_large_games_are_reported() {
    let limits = SolveLimits { nodes: 20_000, ..SolveLimits::default() };
    for name in ["blind-tictactoe", "connect-four", "eightpuzzle"] {
        match solve(&*game(name), &limits, &Effort::default()) {
            Err(Unsolved::TooLarge(size)) => assert!(size.nodes > 1000, "{name}: {size:?}"),
            other => panic!("{name}: {other:?}"),
        }
    }
    // The time may be up.
    let stop = Stop::new();
    stop.set();
    let effort = Effort { stop, ..Effort::default() };
    for name in ["kuhn-poker", "tictactoe", "hanoi"] {
        let found = solve(&*game(name), &SolveLimits::default(), &effort);
        assert!(matches!(found, Err(Unsolved::Late(_) | Unsolved::Halt(_))), "{name}: {found:?}");
    }
}
