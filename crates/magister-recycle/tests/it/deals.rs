//! Sampled deals are consistent with all observations of a player.

use std::sync::Arc;

use magister_core::{Game, Move, Role, Seed, Step, Stop, Turn, View, draw, view};

/// A random match up to a number of turns: the views of all roles, and the last state.
pub(crate) fn random_match(game: &Arc<dyn Game>, seed: u64, turns: usize) -> (Vec<View>, Vec<u64>) {
    let info = game.info();
    let mut views: Vec<View> =
        info.players().map(|role| View::new(Arc::clone(game), role)).collect();
    let mut worker = game.worker();
    let mut rng = Seed::from(seed).rng();
    let mut step = Step::new();
    let mut made = 0;
    while !worker.terminal() && made < turns {
        let joint: Vec<Move> = info
            .all_roles()
            .map(|role| draw(worker.legal(role), worker.weights(), &mut rng).unwrap())
            .collect();
        worker.step(&joint, &mut step, &Stop::never()).unwrap();
        if step.tick {
            made += 1;
            for view in &mut views {
                let role = view.role();
                let seen = view::observe(info.information, role, &joint, &step);
                view.push(Turn { own: joint[role.index()], seen });
            }
        }
    }
    let mut state = Vec::new();
    worker.save(&mut state);
    (views, state)
}

/// Replays a history and returns the view of a role, and the state.
fn relive(game: &Arc<dyn Game>, role: Role, joints: &[Move]) -> (View, Vec<u64>) {
    let info = game.info();
    let mut view = View::new(Arc::clone(game), role);
    let mut worker = game.worker();
    let mut step = Step::new();
    for joint in joints.chunks(info.roles.len()) {
        worker.step(joint, &mut step, &Stop::never()).unwrap();
        if step.tick {
            let seen = view::observe(info.information, role, joint, &step);
            view.push(Turn { own: joint[role.index()], seen });
        }
    }
    let mut state = Vec::new();
    worker.save(&mut state);
    (view, state)
}

/// In every game, at several times, for every role: sampled histories are histories of the game,
/// end in the sampled state, and are in the information set of the role.
#[test]
fn sampled_deals_look_the_same_to_the_player() {
    let mut failed = Vec::new();
    for (name, game) in crate::catalogue::all() {
        let game: Arc<dyn Game> = Arc::new(game);
        for (seed, turns) in [(2, 9), (3, 30)] {
            let (views, truth) = random_match(&game, seed, turns);
            let mut worker = game.worker();
            for view in &views {
                worker.load(&truth, &Stop::never()).unwrap();
                let legal = worker.legal(view.role()).to_vec();
                let mut rng = Seed::from(seed).rng();
                let mut worlds = game.worlds(view.role()).unwrap();
                if let Err(halt) = worlds.follow(view.turns(), &mut rng, &Stop::never()) {
                    failed.push(format!("{name}, {turns} turns, {:?}: {halt}", view.role()));
                    continue;
                }
                let (mut state, mut joints) = (Vec::new(), Vec::new());
                let mut good = 0;
                for _ in 0..80 {
                    if good == 2 {
                        break;
                    }
                    let weight = worlds.draw(&mut rng, &mut state, &Stop::never()).unwrap();
                    if weight.is_none() {
                        continue;
                    }
                    good += 1;
                    worlds.history(&mut joints);
                    let (again, end) = relive(&game, view.role(), &joints);
                    assert_eq!(again.turns(), view.turns(), "{name}, {turns} turns");
                    assert_eq!(end, state, "{name}, {turns} turns");
                    // The legal moves of a player must not depend on hidden information.
                    worker.load(&state, &Stop::never()).unwrap();
                    assert_eq!(worker.legal(view.role()), legal, "{name}, {turns} turns");
                }
                if good == 0 {
                    failed.push(format!("{name}, {turns} turns, {:?}: none good", view.role()));
                }
            }
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// A card passed on may be passed on again, so its owner must be inferred from later tricks.
#[test]
fn cards_passed_on_are_tracked_to_the_end_of_the_match() {
    let games = crate::catalogue::all();
    let (_, game) = games.into_iter().find(|(name, _)| name == "thesis-hearts").expect("bundled");
    let game: Arc<dyn Game> = Arc::new(game);
    for seed in 0..3 {
        let (views, _) = random_match(&game, seed, usize::MAX);
        for view in &views {
            let mut worlds = game.worlds(view.role()).unwrap();
            let mut rng = Seed::from(seed).rng();
            let mut state = Vec::new();
            for turns in (16..view.turns().len()).step_by(4) {
                let followed = worlds.follow(&view.turns()[..turns], &mut rng, &Stop::never());
                assert!(
                    followed.is_ok(),
                    "seed {seed}, {:?}, {turns} turns: {followed:?}",
                    view.role()
                );
                let drawn = (0..200)
                    .any(|_| worlds.draw(&mut rng, &mut state, &Stop::never()).unwrap().is_some());
                assert!(drawn, "seed {seed}, {:?}, {turns} turns", view.role());
            }
        }
    }
}

/// A player that asks for a rank holds a card of it, and the one who gives none holds none. A
/// player keeps track of that, and knows its legal moves at every turn.
#[test]
fn decisions_that_depend_on_several_cards_are_followed() {
    let games = crate::catalogue::all();
    let (_, game) = games.into_iter().find(|(name, _)| name == "go-fish").expect("bundled");
    let game: Arc<dyn Game> = Arc::new(game);
    let mut worker = game.worker();
    let (mut asked, mut with_history) = (0, 0);
    for seed in 0..2 {
        for turns in [12, 24, 36, 48] {
            let (views, truth) = random_match(&game, seed, turns);
            for view in &views {
                let role = view.role();
                worker.load(&truth, &Stop::never()).unwrap();
                let legal = worker.legal(role).to_vec();
                let mut worlds = game.worlds(role).unwrap();
                let mut rng = Seed::from(seed).rng();
                let followed = worlds.follow(view.turns(), &mut rng, &Stop::never());
                assert!(followed.is_ok(), "seed {seed}, {role:?}, {turns} turns: {followed:?}");
                let (mut state, mut joints) = (Vec::new(), Vec::new());
                let drawn = (0..200)
                    .any(|_| worlds.draw(&mut rng, &mut state, &Stop::never()).unwrap().is_some());
                assert!(drawn, "seed {seed}, {role:?}, {turns} turns");
                worker.load(&state, &Stop::never()).unwrap();
                assert_eq!(worker.legal(role), legal, "seed {seed}, {role:?}, {turns} turns");
                worlds.history(&mut joints);
                asked += 1;
                with_history += u32::from(!joints.is_empty());
            }
        }
    }
    assert!(2 * with_history > asked, "{with_history} of {asked} deals have a history");
}

/// A sampler that has found no consistent deal goes on from its last state when the match continues,
/// and forgets it when another match begins. Its legal moves are right in both cases.
#[test]
fn a_match_is_followed_without_a_consistent_deal() {
    let games = crate::catalogue::all();
    let (_, game) = games.into_iter().find(|(name, _)| name == "go-fish").expect("bundled");
    let game: Arc<dyn Game> = Arc::new(game);
    let (mut worker, mut rng) = (game.worker(), Seed::from(3).rng());
    let role = Role(0);
    let mut worlds = game.worlds(role).unwrap();
    let mut check = |seed: u64, turns: usize| {
        let (views, truth) = random_match(&game, seed, turns);
        worker.load(&truth, &Stop::never()).unwrap();
        let legal = worker.legal(role).to_vec();
        worlds.follow(views[0].turns(), &mut rng, &Stop::never()).unwrap();
        let (mut state, mut joints) = (Vec::new(), Vec::new());
        let drawn =
            (0..200).any(|_| worlds.draw(&mut rng, &mut state, &Stop::never()).unwrap().is_some());
        assert!(drawn, "seed {seed}, {turns} turns");
        worker.load(&state, &Stop::never()).unwrap();
        assert_eq!(worker.legal(role), legal, "seed {seed}, {turns} turns");
        worlds.history(&mut joints);
        joints.is_empty() && turns > 0
    };
    let mut lost = 0;
    for seed in 0..3 {
        let mut before = false;
        for turns in (0..60).step_by(3) {
            let now = check(seed, turns);
            assert!(now || !before, "seed {seed}, {turns} turns: the search was repeated");
            lost += u32::from(now);
            before = now;
        }
        assert!(!check(seed + 1, 6), "the next match starts afresh");
    }
    assert!(lost > 0, "the state without a past was never needed");
}
