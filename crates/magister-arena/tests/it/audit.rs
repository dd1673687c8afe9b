//! The audit finds every planted cheater and accepts honest players.

use crate::cheaters;

use std::sync::Arc;

use magister_arena::audit::{Audit, Ground, Seeds, Suspect, Verdict, suspect};
use magister_core::{
    Game, Info, Information, Move, Native, Percept, PlayerSource as _, Role, Rules, Seed, Step,
    Stop,
};
use magister_players::{PLAYERS, Spec};

fn game(name: &str) -> Arc<dyn Game> {
    magister::open(name).expect("a bundled game").game
}

/// A quick audit.
fn quick(role: Role) -> Audit {
    Audit { matches: 20, twins: 3, pairs: 2, decisions: 200, sample: 300, ..Audit::new(role) }
}

fn run(audit: &Audit, game: &Arc<dyn Game>, suspect: &Suspect) -> Verdict {
    audit.run(&Ground::new(game, &Stop::never()), suspect, &Stop::never()).expect("an audit")
}

fn tests(verdict: &Verdict) -> Vec<&'static str> {
    verdict.findings.iter().map(|finding| finding.test).collect()
}

/// A coin is hidden, and the player has other legal moves if it shows heads.
struct Lists;

impl Rules for Lists {
    /// The side of the coin, and the number of steps.
    type State = (u8, u8);

    fn info(&self) -> Info {
        Info {
            chance: Some(Role(1)),
            moves: Some(3),
            information: Information::Hidden,
            ..Info::new("lists", &["player", "random"], "lists 1")
        }
    }

    fn initial(&self) -> Self::State {
        (0, 0)
    }

    fn terminal(&self, &(_, steps): &Self::State) -> bool {
        steps == 2
    }

    fn legal(&self, &(coin, steps): &Self::State, role: Role, out: &mut Vec<Move>) {
        match (role.0, steps) {
            (1, 0) => out.extend([Move(0), Move(1)]),
            (0, 1) => out.extend([Move(u32::from(coin)), Move(u32::from(coin) + 1)]),
            _ => {}
        }
    }

    fn step(&self, (coin, steps): &mut Self::State, joint: &[Move], out: &mut Step) {
        if *steps == 0 {
            *coin = joint[1].0 as u8;
            out.percepts.insert(Role(0), Percept(0));
        }
        *steps += 1;
    }

    fn reward(&self, _: &Self::State, _: Role) -> f64 {
        50.0
    }

    fn percepts(&self) -> u32 {
        1
    }

    fn valid(&self, &(coin, steps): &Self::State) -> bool {
        coin < 2 && steps < 3
    }

    fn move_text(&self, choice: Move) -> String {
        format!("(do {})", choice.0)
    }

    fn state_text(&self, (coin, steps): &Self::State) -> String {
        format!("{coin} {steps}")
    }

    fn parse_state(&self, text: &str) -> Option<Self::State> {
        let (coin, steps) = text.split_once(' ')?;
        Some((coin.parse().ok()?, steps.parse().ok()?))
    }
}

#[test]
fn planted_cheaters_are_found() {
    let (monty, kuhn) = (game("rust:monty-hall"), game("rust:kuhn-poker"));
    let lists: Arc<dyn Game> = Arc::new(Native::new(Lists));
    let planted = [
        ("determiniser", cheaters::determiniser(), &monty, 0, "twin"),
        ("seed of chance", cheaters::seed_reader(), &kuhn, 0, "twin"),
        ("legal moves", cheaters::list_reader(), &lists, 0, "twin"),
        ("table of roles", cheaters::shared_between_roles(), &kuhn, 1, "twin"),
        ("table of matches", cheaters::shared_between_matches(), &kuhn, 0, "repeat"),
        ("clock", cheaters::clock_watcher(), &monty, 0, "twin"),
        ("goals", cheaters::goal_reader(), &monty, 0, "twin"),
        ("order", cheaters::listing(), &kuhn, 1, "twin"),
    ];
    for (name, suspect, game, role, test) in planted {
        let verdict = run(&quick(Role(role)), game, &suspect);
        assert!(tests(&verdict).contains(&test), "{name}: {verdict:?}");
    }
}

#[test]
fn seeing_the_car_wins_too_often() {
    let verdict = run(&quick(Role(0)), &game("rust:monty-hall"), &cheaters::goal_reader());
    for test in ["twin", "permutation", "independence", "ceiling"] {
        assert!(tests(&verdict).contains(&test), "{test}: {verdict:?}");
    }
}

/// An agent that computes chance from its own seed gives the same answers along all histories. Its
/// knowledge shows only if seeds are derived as in play.
#[test]
fn seeds_must_not_reveal_each_other() {
    let (monty, own_seed) = (game("rust:monty-hall"), cheaters::own_seed());
    let leaky = Seeds { chance: |seed| seed.derive("all"), agent: |seed, _| seed.derive("all") };
    let verdict = run(&Audit { seeds: leaky, ..quick(Role(0)) }, &monty, &own_seed);
    assert!(tests(&verdict).contains(&"independence"), "{verdict:?}");
    assert!(tests(&verdict).contains(&"ceiling"), "{verdict:?}");
    // With the real derivation it knows nothing.
    let verdict = run(&quick(Role(0)), &monty, &own_seed);
    assert!(verdict.honest(), "{verdict:?}");
}

/// The others in a simulation must not have the private information of the simulating player. The
/// answers of such a player depend only on its own information state, so twins cannot expose it.
#[test]
fn nested_players_that_see_the_state_are_found() {
    for name in ["exploding-bomb-tell", "exploding-bomb-tell-bonus"] {
        let verdict = run(&quick(Role(0)), &game(name), &cheaters::telling());
        assert_eq!(tests(&verdict), ["secrets"], "{name}: {verdict:?}");
        let secrets = verdict.secrets.expect("decisions that matter");
        assert!(secrets.revealed == secrets.decisions && secrets.decisions >= 300, "{verdict:?}");
    }
}

/// A player without the claim makes the same mistake, and gets a remark.
#[test]
fn assuming_that_the_others_see_the_state_gets_a_remark() {
    let bomb = game("exploding-bomb-tell");
    for player in ["pimc", "so-ismcts"] {
        let spec = player.parse().expect("a player");
        let audit = Audit { iterations: 1_000, matches: 2, pairs: 0, sample: 50, ..quick(Role(0)) };
        let verdict = run(&audit, &bomb, &suspect(&spec));
        assert!(verdict.honest(), "{player}: {verdict:?}");
        let remarked = |remark: &String| remark.contains("as if the others saw");
        assert!(verdict.remarks.iter().any(remarked), "{player}: {verdict:?}");
        // With the claim, it would be found.
        let verdict = run(&audit, &bomb, &cheaters::boasting(&spec));
        assert_eq!(tests(&verdict), ["secrets"], "{player}: {verdict:?}");
    }
}

/// Players whose simulated opponents know only their own information state are accepted, however
/// little they think.
#[test]
fn honest_nested_players_pass() {
    for name in ["exploding-bomb-tell", "exploding-bomb-tell-bonus", "rust:kuhn-poker"] {
        let ground = Ground::new(&game(name), &Stop::never());
        for player in ["hyperplay2", "mo-ismcts", "mo-ismcts:root=start", "cfr+", "oos", "honest"] {
            let spec: Spec = player.parse().expect("a player");
            assert!(spec.agent().nested(), "{player}");
            for iterations in [5, 50] {
                let audit = Audit { iterations, matches: 5, decisions: 50, ..quick(Role(0)) };
                let verdict =
                    audit.run(&ground, &suspect(&spec), &Stop::never()).expect("an audit");
                assert!(verdict.honest(), "{name} {player} {iterations}: {verdict:?}");
            }
        }
    }
}

/// A player that cheats in one of twenty cases: by its seed, or by random numbers outside of the
/// audit.
#[test]
fn rare_cheating_is_found_statistically() {
    let usual = Audit { pairs: 0, sample: 0, ..Audit::new(Role(0)) };
    let verdict = run(&usual, &game("rust:monty-hall"), &cheaters::seldom(true));
    assert_eq!(tests(&verdict), ["twin"], "{verdict:?}");
    let audit = Audit { matches: 0, pairs: 2, decisions: 20_000, sample: 0, ..quick(Role(0)) };
    let monty = game("rust:monty-hall");
    let verdict = run(&audit, &monty, &cheaters::seldom(false));
    assert_eq!(tests(&verdict), ["permutation"], "{verdict:?}");
    let verdict = run(&audit, &monty, &cheaters::innocent());
    assert!(verdict.honest(), "{verdict:?}");
}

#[test]
fn honest_players_pass() {
    for (name, role) in [
        ("rust:monty-hall", 0),
        ("rust:kuhn-poker", 0),
        ("rust:kuhn-poker", 1),
        ("exploding-bomb-tell", 1),
        ("exploding-bomb", 0),
    ] {
        let game = game(name);
        let role = game.info().players().nth(role).expect("a player");
        for (number, player) in ["random", "legal"].into_iter().enumerate() {
            let seed = Seed::from(number as u64);
            let spec = player.parse().expect("a player");
            let verdict = run(&Audit { seed, ..quick(role) }, &game, &suspect(&spec));
            assert!(verdict.honest(), "{name} {player}: {verdict:?}");
            assert_eq!(verdict.illegal, 0, "{name} {player}");
            assert!(verdict.answers > 0 && verdict.twins + verdict.futures == 60, "{verdict:?}");
        }
        let verdict = run(&quick(role), &game, &cheaters::innocent());
        assert!(verdict.honest(), "{name}: {verdict:?}");
    }
}

/// All players of the registry that get only their view.
#[test]
fn no_registered_player_is_found() {
    let names = ["rust:monty-hall", "rust:kuhn-poker", "exploding-bomb-tell"];
    for ground in names.map(|name| Ground::new(&game(name), &Stop::never())) {
        for entry in PLAYERS.iter().filter(|entry| entry.hidden) {
            let spec: Spec = entry.name.parse().expect("a player");
            if spec.capabilities().clairvoyant {
                continue;
            }
            for role in ground.game().info().players() {
                let few = Audit { matches: 4, decisions: 40, sample: 120, ..quick(role) };
                let audit = Audit { iterations: 20, ..few };
                let verdict =
                    audit.run(&ground, &suspect(&spec), &Stop::never()).expect("an audit");
                assert!(verdict.honest(), "{} {ground:?} {role:?}: {verdict:?}", entry.name);
                assert!(verdict.answers > 0 && verdict.illegal == 0, "{}: {verdict:?}", entry.name);
            }
        }
    }
}

/// The clairvoyant player declares itself, and is found all the same.
#[test]
fn the_clairvoyant_is_found() {
    let spec = "clairvoyant".parse().expect("a player");
    let verdict = run(&quick(Role(0)), &game("rust:monty-hall"), &suspect(&spec));
    assert!(tests(&verdict).contains(&"twin"), "{verdict:?}");
}

/// In a card game with a full deck, twins come from the game's own sampler.
#[test]
fn card_games_are_audited_with_twins() {
    let agram = game("agram");
    let few = Audit { matches: 3, decisions: 20, sample: 40, iterations: 5, ..quick(Role(1)) };
    for (player, honest) in
        [("pipmc", true), ("so-ismcts", true), ("paired", true), ("clairvoyant", false)]
    {
        let spec = player.parse().expect("a player");
        let verdict = run(&few, &agram, &suspect(&spec));
        assert!(verdict.twins > 0 && verdict.answers > 0, "{player}: {verdict:?}");
        assert_eq!(verdict.honest(), honest, "{player}: {verdict:?}");
    }
}
