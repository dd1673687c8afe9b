//! Texts of players, good and bad.

use super::Spec;

#[test]
fn settings_belong_to_the_player_before_them() {
    let specs = Spec::parse_list("mcts:c=1.2,steps=40,random, mcts").unwrap();
    let texts: Vec<String> = specs.iter().map(ToString::to_string).collect();
    assert_eq!(texts, ["mcts:c=1.2,steps=40", "random", "mcts"]);
}

#[test]
fn there_is_one_way_to_write_a_player() {
    let spec: Spec = "mcts: steps=50 , c=1.20".parse().unwrap();
    assert_eq!(spec.to_string(), "mcts:c=1.2,steps=50");
    assert_eq!(spec.make().name(), "mcts:c=1.2,steps=50");
}

#[test]
fn players_stand_inside_of_players() {
    let text = "plies:depth=2,inner=onestep,random,puct: inner = [plies:inner=[mcs:playouts=8],\
                depth=1] , c=2";
    let specs = Spec::parse_list(text).unwrap();
    let texts: Vec<String> = specs.iter().map(ToString::to_string).collect();
    let nested = "puct:c=2,inner=[plies:depth=1,inner=[mcs:playouts=8]]";
    assert_eq!(texts, ["plies:depth=2,inner=onestep", "random", nested]);
    assert_eq!(texts[2].parse::<Spec>().unwrap().to_string(), texts[2]);
    assert_eq!(specs[2].make().name(), texts[2]);
}

#[test]
fn memory_is_limited_where_nothing_else_was_said() {
    let memory = |text: &str| {
        let spec = text.parse::<Spec>().unwrap().with_memory(5);
        (spec.to_string(), spec.settings.real("memory"))
    };
    assert_eq!(memory("mcts"), ("mcts".to_owned(), 5.0));
    assert_eq!(memory("mcts:c=2,memory=256"), ("mcts:c=2,memory=256".to_owned(), 256.0));
    assert_eq!("random".parse::<Spec>().unwrap().with_memory(5).to_string(), "random");
}

#[test]
fn nesting_has_an_end() {
    let deep = "plies:inner=[".repeat(10_000) + &"]".repeat(10_000);
    let said = |text: &str| text.parse::<Spec>().unwrap_err().to_string();
    assert!(said(&deep).contains("not deeper"));
    assert!(said("plies:inner=human").contains("no person"));
    assert!(said("council:inner=[plies:inner=council]").contains("no council"));
    assert!(said("plies:inner=nobody").contains("there is no player `nobody`"));
    assert!(said("plies:inner=[").contains("a bracket is opened and not closed"));
    assert!(said("puct:inner=[mcs:playouts=8").contains("in `puct:inner=[mcs:playouts=8`"));
    assert!(said("puct:inner=mcs]").contains("put a `[` before the inner player"));
}

#[test]
fn mistakes_are_named() {
    let said = |text: &str| text.parse::<Spec>().unwrap_err().to_string();
    assert!(
        said("mtcs").contains("no player `mtcs`; did you mean mcs or mcts?"),
        "{}",
        said("mtcs")
    );
    assert!(
        said("mct").contains("did you mean mcts or mcs or uct? Otherwise there are legal"),
        "{}",
        said("mct")
    );
    assert!(said("nobody").starts_with("there is no player `nobody`; there are legal"));
    assert_eq!(
        said("mcts:c=1,c=2"),
        "`c` of the player `mcts` is set twice; leave out one of the two"
    );
    assert_eq!(said("random:c=1"), "the player `random` has no parameters");
    assert!(said("mcts:d=1").contains("no parameter `d`; it has c"));
    assert_eq!(said("mcts:c"), "`c` is no setting; write it as name=value");
    assert!(said("mcts:steps=0.5").contains("is a whole number from 1 to"));
    assert!(said("mcts:c=NaN").contains("is a number from 0 to"));
}

#[test]
fn every_player_can_be_made_and_says_its_name() {
    for entry in crate::PLAYERS {
        let agent = entry.name.parse::<Spec>().unwrap().make();
        assert_eq!(agent.name(), entry.name);
        for parameter in entry.parameters {
            if let Some(player) = parameter.player {
                assert!(player.parse::<Spec>().is_ok(), "{parameter:?}");
            }
            let (low, high) = parameter.range;
            assert!(low <= parameter.default && parameter.default <= high, "{parameter:?}");
        }
    }
}
