//! Valid and invalid texts of players.

use std::path::Path;

use magister_core::{PlayerKind, PlayerSource as _, SourceError};

use super::{Arguments, Parameter, ParameterKind, Spec};

#[test]
fn settings_belong_to_the_preceding_player() {
    let specs = Spec::parse_list("mcts:c=1.2,steps=40,random, mcts").unwrap();
    let texts: Vec<String> = specs.iter().map(ToString::to_string).collect();
    assert_eq!(texts, ["mcts:c=1.2,steps=40", "random", "mcts"]);
}

#[test]
fn texts_of_players_are_canonical() {
    let spec: Spec = "mcts: steps=50 , c=1.20".parse().unwrap();
    assert_eq!(spec.to_string(), "mcts:c=1.2,steps=50");
    assert_eq!(spec.agent().name(), "mcts:c=1.2,steps=50");
}

#[test]
fn players_can_be_nested() {
    let text = "plies:depth=2,inner=onestep,random,puct: inner = [plies:inner=[mcs:playouts=8],\
                depth=1] , c=2";
    let specs = Spec::parse_list(text).unwrap();
    let texts: Vec<String> = specs.iter().map(ToString::to_string).collect();
    let nested = "puct:c=2,inner=[plies:depth=1,inner=[mcs:playouts=8]]";
    assert_eq!(texts, ["plies:depth=2,inner=onestep", "random", nested]);
    assert_eq!(texts[2].parse::<Spec>().unwrap().to_string(), texts[2]);
    assert_eq!(specs[2].agent().name(), texts[2]);
}

#[test]
fn memory_is_limited_unless_set() {
    let memory = |text: &str| {
        let spec = text.parse::<Spec>().unwrap().with_memory(5);
        (spec.to_string(), spec.arguments.whole("memory").unwrap())
    };
    assert_eq!(memory("mcts"), ("mcts".to_owned(), 5));
    assert_eq!(memory("mcts:c=2,memory=256"), ("mcts:c=2,memory=256".to_owned(), 256));
    assert_eq!("random".parse::<Spec>().unwrap().with_memory(5).to_string(), "random");
}

#[test]
fn nesting_is_limited() {
    let deep = "plies:inner=[".repeat(10_000) + &"]".repeat(10_000);
    let said = |text: &str| text.parse::<Spec>().unwrap_err().to_string();
    assert!(said(&deep).contains("nested at most"));
    assert!(said("plies:inner=human").contains("not a person"));
    assert!(said("council:inner=[plies:inner=council]").contains("not another council"));
    assert!(said("plies:inner=nobody").contains("there is no player `nobody`"));
    assert!(said("plies:inner=[").contains("a bracket is not closed"));
    assert!(said("puct:inner=[mcs:playouts=8").contains("in `puct:inner=[mcs:playouts=8`"));
    assert!(said("puct:inner=mcs]").contains("put a `[` before the inner player"));
}

#[test]
fn mistakes_are_reported() {
    let said = |text: &str| text.parse::<Spec>().unwrap_err().to_string();
    assert!(
        said("mtcs").contains("no player `mtcs`; did you mean mcs or mcts?"),
        "{}",
        said("mtcs")
    );
    assert!(said("mct").contains("did you mean mcts or mcs or uct?"), "{}", said("mct"));
    assert!(said("nobody").starts_with("there is no player `nobody`; `magister players` lists"));
    assert_eq!(
        said("mcts:c=1,c=2"),
        "`c` of the player `mcts` is set twice; leave out one of the two"
    );
    assert_eq!(said("random:c=1"), "the player `random` has no parameters");
    assert!(said("mcts:d=1").contains("no parameter `d`; it has c"));
    assert_eq!(said("mcts:c"), "`c` is not a setting; write it as name=value");
    assert!(said("mcts:steps=0.5").contains("is a whole number from 1 to"));
    assert!(said("mcts:c=NaN").contains("is a number from 0 to"));
}

/// Every player reads all parameters that it declares and no others: an undeclared one is an error
/// of `try_agent` in every build.
#[test]
fn every_player_reads_what_it_declares() {
    for entry in crate::PLAYERS {
        let spec: Spec = entry.name.parse().unwrap();
        let agent = spec.try_agent().unwrap_or_else(|error| panic!("{}: {error}", entry.name));
        assert_eq!(agent.name(), entry.name);
        assert_eq!(spec.arguments.unread(), [""; 0], "{}", entry.name);
        assert!(entry.parameters.len() < 64, "reads are tracked for 64 parameters");
        for parameter in entry.parameters {
            match parameter.kind {
                ParameterKind::Number { default, range: (low, high) } => {
                    assert!((low..=high).contains(&default), "{parameter:?}");
                }
                ParameterKind::Whole { default, range: (low, high) } => {
                    assert!((low..=high).contains(&default), "{parameter:?}");
                }
                ParameterKind::Choice { names } => assert!(!names.is_empty(), "{parameter:?}"),
                ParameterKind::Player { default } => {
                    assert!(default.parse::<Spec>().is_ok(), "{parameter:?}");
                }
                ParameterKind::Text { .. } | ParameterKind::File { .. } => {}
            }
        }
    }
}

const KINDS: &[Parameter] = &[
    Parameter::real("share", 0.5, (0.0, 1.0), "a number"),
    Parameter::whole("count", 3, (0, 9), "a whole number"),
    Parameter::choice("way", &["left", "right"], "a choice"),
    Parameter::text("note", "none", "a text"),
    Parameter::file("weights", None, "a file"),
];

/// The values of these parameters, given as text.
fn arguments(texts: [&str; 5]) -> Arguments {
    let values = KINDS.iter().zip(texts).map(|(one, text)| match text {
        "" => one.default().unwrap(),
        _ => one.value(text).unwrap(),
    });
    Arguments::new("test".to_owned(), KINDS, values.collect())
}

#[test]
fn parameters_are_typed() {
    let given = arguments(["0.25", "7", "right", "[a, b]", "models/a.bin"]);
    assert_eq!((given.real("share"), given.whole("count")), (Ok(0.25), Ok(7)));
    assert_eq!((given.choice("way"), given.string("note")), (Ok(1), Ok("a, b")));
    assert_eq!(given.file("weights"), Ok(Some(Path::new("models/a.bin"))));
    let texts = given.texts();
    assert_eq!((texts["way"].as_str(), texts["note"].as_str()), ("right", "[a, b]"));
    let plain = arguments([""; 5]);
    assert_eq!((plain.string("note"), plain.file("weights")), (Ok("none"), Ok(None)));
    assert!(KINDS[1].value("0.5").is_none() && KINDS[1].value("10").is_none());
    assert!(KINDS[2].value("up").is_none() && KINDS[4].value("[]").is_none());
}

#[test]
fn a_misspelt_or_mistyped_name_is_an_error() {
    let given = arguments([""; 5]);
    let said = |error: SourceError| error.to_string();
    assert!(said(given.real("shaer").unwrap_err()).contains("does not declare"));
    assert!(said(given.player("inner").err().unwrap()).contains("does not declare"));
    assert!(said(given.whole("share").unwrap_err()).contains("a whole number, which it is not"));
    assert!(said(given.real("count").unwrap_err()).contains("a number, which it is not"));
    assert_eq!(given.unread(), ["way", "note", "weights"]);
}

#[test]
fn capabilities_are_known_before_creation() {
    let of = |text: &str| text.parse::<Spec>().unwrap().capabilities();
    assert!(of("clairvoyant").clairvoyant && of("honest").hidden && !of("uct").hidden);
    assert_eq!(of("human").kind, PlayerKind::Person);
    assert_eq!(of("uct:threads=3").threads, 3);
    assert_eq!(of("council:threads=2,inner=[uct:threads=3]").threads, 6);
    let spec: Spec = "mcts:c=1.2".parse().unwrap();
    assert_eq!(spec.parameters()["c"], "1.2");
    assert_eq!((spec.name().as_str(), spec.origin()), ("mcts:c=1.2", "registry"));
}
