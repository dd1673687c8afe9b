//! Players for hidden information: they find the right moves without seeing the state.

use std::sync::Arc;

use magister_core::{Budget, Game, Halt, Move, PlayerSource as _, Referee, Role, Seed, Stop, View};
use magister_players::{PLAYERS, Spec};

fn game(name: &str) -> Arc<dyn Game> {
    magister::open(name).unwrap().game
}

/// The view of a role after these moves; the others and chance move at random.
fn reach(game: &Arc<dyn Game>, role: Role, own: &[&str], seed: Seed) -> View {
    let mut referee = Referee::new(Arc::clone(game), seed, &Stop::never()).unwrap();
    let mut rng = seed.derive("others").rng();
    for text in own {
        let own = game.text().parse_move(role, text).unwrap();
        let moves: Vec<Move> = game
            .info()
            .all_roles()
            .map(|whose| {
                let legal = referee.legal(whose);
                let drawn = legal[rng.below(legal.len() as u64) as usize];
                if whose == role { own } else { drawn }
            })
            .collect();
        referee.advance(&moves, &Stop::never()).unwrap();
    }
    referee.view(role).clone()
}

/// The percentage of cases in which a player makes a move.
fn share(player: &str, name: &str, role: &str, own: &[&str], wanted: &str, seeds: u64) -> u64 {
    let game = game(name);
    let role = game.info().role(role).unwrap();
    let wanted = game.text().parse_move(role, wanted).unwrap();
    let mut count = 0;
    for seed in 0..seeds {
        let seed = Seed::from(seed);
        let view = reach(&game, role, own, seed);
        let mut agent = player.parse::<Spec>().unwrap().agent();
        let mut rng = seed.derive("agent").rng();
        let decision = agent.decide(&view, &mut Budget::iterations(1_000), &mut rng).unwrap();
        count += u64::from(decision.choice == wanted);
    }
    100 * count / seeds
}

#[test]
fn honest_finds_the_right_move() {
    let honest = |name, role, own: &[&str], wanted| share("honest", name, role, own, wanted, 15);
    assert_eq!(honest("exploding-bomb", "agent", &["noop"], "ask"), 100);
    assert_eq!(honest("exploding-bomb-tell", "agent", &["arm(red)"], "noop"), 100);
    assert_eq!(honest("exploding-bomb-tell-bonus", "agent", &["arm(blue)"], "noop"), 100);
    assert_eq!(honest("exploding-bomb-tell-printed", "agent", &["arm(red)"], "noop"), 100);
    assert_eq!(honest("monty-hall", "candidate", &["(choose 2)", "noop"], "switch"), 100);
}

/// Each method has its known weakness, which shows that it implements what its name says.
#[test]
fn methods_have_their_faults() {
    // `pimc` assumes that it will know the wire anyway.
    assert_eq!(share("pimc:inner=minimax", "exploding-bomb", "agent", &["noop"], "ask", 10), 0);
    // `hyperplay` assumes that no later decision uses what it learns.
    assert_eq!(share("hyperplay", "exploding-bomb", "agent", &["noop"], "ask", 10), 0);
    assert_eq!(share("bayes", "exploding-bomb", "agent", &["noop"], "ask", 10), 100);
    // They assume that the other role knows the wire; a search with a widened root does not.
    let tell = |player| share(player, "exploding-bomb-tell", "agent", &["arm(red)"], "tell", 10);
    assert_eq!(tell("so-ismcts"), 100);
    assert_eq!(tell("mo-ismcts:root=own"), 100);
    assert_eq!(tell("mo-ismcts"), 0);
    assert_eq!(tell("hyperplay2"), 0);
    // One of two states need not have half of the probability.
    let stay = ["(choose 1)", "noop"];
    let switches = |player| share(player, "monty-hall", "candidate", &stay, "switch", 20);
    assert_eq!(switches("thesis-honest"), 100);
    assert_eq!(switches("paired"), 100);
    assert!(switches("thesis-honest:flaws=1") < 100);
}

/// The wire that was named is not cut.
#[test]
fn answers_are_used() {
    let game = game("exploding-bomb");
    let agent = game.info().role("agent").unwrap();
    for player in ["honest", "bayes", "pimc", "hyperplay", "hyperplay2", "ao-tree", "mo-ismcts"] {
        for seed in 0..4 {
            let seed = Seed::from(seed);
            let view = reach(&game, agent, &["noop", "ask"], seed);
            let seen = format!("{:?}", view.turns()[1].seen);
            let red = game.text().parse_percept("red").unwrap();
            let armed = if seen.contains(&format!("{red:?}")) { "red" } else { "blue" };
            let mut rng = seed.derive("agent").rng();
            let mut player = player.parse::<Spec>().unwrap().agent();
            let decision = player.decide(&view, &mut Budget::iterations(200), &mut rng).unwrap();
            let text = game.text().move_text(decision.choice);
            assert!(!text.contains(armed), "{text} although {armed} is armed");
        }
    }
}

#[test]
fn every_player_for_perfect_information_can_be_lifted() {
    let game = game("krieg-tictactoe");
    let role = game.info().players().next().unwrap();
    let view = View::new(Arc::clone(&game), role);
    for inner in PLAYERS.iter().filter(|entry| !entry.hidden).map(|entry| entry.name) {
        let spec: Spec = format!("pimc:inner={inner},worlds=2").parse().unwrap();
        let mut rng = Seed::from(1).rng();
        let decision = spec.agent().decide(&view, &mut Budget::iterations(60), &mut rng).unwrap();
        let mut worker = game.worker();
        worker.reset();
        assert!(worker.legal(role).contains(&decision.choice), "{inner}");
    }
}

#[test]
fn the_clairvoyant_sees_the_state_or_does_not_play() {
    let game = game("monty-hall");
    let role = game.info().role("candidate").unwrap();
    let spec = "clairvoyant".parse::<Spec>().unwrap();
    assert!(spec.capabilities().clairvoyant);
    let mut agent = spec.agent();
    let view = View::new(game, role);
    let mut rng = Seed::from(1).rng();
    let decision = agent.decide(&view, &mut Budget::iterations(10), &mut rng);
    assert_eq!(decision.err(), Some(Halt::Hidden));
    for entry in PLAYERS.iter().filter(|entry| entry.name != "clairvoyant") {
        let spec = entry.name.parse::<Spec>().unwrap();
        assert!(!spec.capabilities().clairvoyant, "{}", entry.name);
    }
}

/// The same view, seed and iterations give the same decision.
#[test]
fn decisions_can_be_repeated() {
    let game = game("blind-tictactoe");
    let role = game.info().role("white").unwrap();
    let view = reach(&game, role, &["mark(2,2)"], Seed::from(3));
    for entry in PLAYERS.iter().filter(|entry| entry.hidden && entry.name != "clairvoyant") {
        let decide = || {
            let mut agent = entry.name.parse::<Spec>().unwrap().agent();
            let mut rng = Seed::from(9).rng();
            agent.decide(&view, &mut Budget::iterations(100), &mut rng).unwrap()
        };
        assert_eq!(decide(), decide(), "{}", entry.name);
    }
}

/// `honest` analyzes the game when it prepares, before any clock runs: its first decision is that of
/// the method that it chose, with the same random numbers.
#[test]
fn honest_prepares_before_its_first_move() {
    let game = game("krieg-tictactoe");
    let role = game.info().players().next().unwrap();
    let view = View::new(Arc::clone(&game), role);
    let decide = |name: &str| {
        let mut agent = name.parse::<Spec>().unwrap().make(&game, role).unwrap();
        agent.prepare(&view, &Stop::never()).unwrap();
        let mut rng = Seed::from(5).derive("agent").rng();
        agent.decide(&view, &mut Budget::iterations(200), &mut rng).unwrap()
    };
    assert_eq!(decide("honest"), decide("mo-ismcts"));
}
