//! Playout policies play all kinds of games, and repeat a match with the same seed.

use std::sync::Arc;

use magister_core::{Budget, Game, Information, Seed, View};
use magister_games::native;
use magister_players::Spec;

fn sheet(name: &str) -> Arc<dyn Game> {
    magister::open(name).unwrap().game
}

/// Turns, simultaneous moves, hidden information, three players, and chance with intermediate
/// rewards.
#[test]
fn decisions_can_be_repeated() {
    let games = [
        sheet("connect-four"),
        sheet("tron"),
        sheet("backgammon-small"),
        sheet("chinese-checkers-3"),
        native::find("2048").unwrap(),
    ];
    for game in games {
        let role = game.info().players().next().unwrap();
        let view = View::new(Arc::clone(&game), role);
        for policy in ["uniform", "mast", "nst"] {
            let decide = || {
                let search = format!("uct:batch=1,expand=1,policy={policy}");
                let player = match game.info().information {
                    Information::Perfect => search,
                    Information::Hidden => format!("pimc:worlds=4,inner=[{search}]"),
                };
                let mut agent = player.parse::<Spec>().unwrap().agent();
                let mut rng = Seed::from(9).rng();
                agent.decide(&view, &mut Budget::iterations(200), &mut rng).unwrap()
            };
            assert_eq!(decide(), decide(), "{} with {policy}", game.info().name);
        }
    }
}
