//! Every defect of a game that is built gate by gate gives an error that names the defect and a
//! remedy.

use std::sync::Arc;

use magister_core::{Game, Halt, Role, Step, Stop};
use magister_engine::Evaluator;
use magister_engine::compiled::{BuildError, CompiledBuilder, FluentId, MoveHandle, Wire};
use magister_engine::evaluator::CompiledGame;

/// A lamp that is pressed until chance turns it off.
fn lamp() -> (CompiledBuilder, FluentId, MoveHandle, [MoveHandle; 2]) {
    let mut game = CompiledBuilder::new("lamp", &["you", "chance"], "lamp 1");
    game.chance(Role(1));
    let lit = game.fluent("lit", true);
    let press = game.add_move(Role(0), "press");
    let ends = ["on", "off"].map(|text| game.add_move(Role(1), text));
    let holds = game.holds(lit);
    game.legal(press, holds);
    ends.iter().for_each(|&end| game.legal(end, holds));
    let on = game.does(ends[0]);
    game.next(lit, on);
    game.terminal(!holds);
    game.goal(Role(0), 100.0, !holds);
    (game, lit, press, ends)
}

/// The error after a change to a correct game.
fn broken(
    change: impl FnOnce(&mut CompiledBuilder, FluentId, MoveHandle, [MoveHandle; 2]),
) -> BuildError {
    let (mut game, lit, press, ends) = lamp();
    change(&mut game, lit, press, ends);
    let error = game.build().unwrap_err();
    assert!(!error.to_string().is_empty());
    error
}

#[test]
fn a_correct_game_is_built() {
    let compiled = lamp().0.build().unwrap();
    assert_eq!(compiled.names().moves(), ["press", "on", "off"]);
    let game = CompiledGame::new(Arc::new(compiled), Evaluator::Sweep).unwrap();
    assert!(game.worker().weights().is_empty(), "both are equally likely");
}

#[test]
fn missing_definitions_are_reported() {
    let error = broken(|game, _, _, _| {
        game.fluent("dark", false);
    });
    assert!(matches!(&error, BuildError::Missing { call: "next", .. }), "{error}");
    assert!(error.to_string().contains("`dark`") && error.to_string().contains("`next`"));
    let error = broken(|game, _, _, _| {
        game.add_move(Role(0), "kick");
    });
    assert!(matches!(&error, BuildError::Missing { call: "legal", .. }), "{error}");
    let mut game = CompiledBuilder::new("nothing", &["you"], "nothing 1");
    let wait = game.add_move(Role(0), "wait");
    game.legal(wait, Wire::TRUE);
    assert!(matches!(game.build(), Err(BuildError::Missing { call: "terminal", .. })));
    assert_eq!(
        CompiledBuilder::new("no-roles", &[], "no-roles 1").build().unwrap_err(),
        BuildError::Roles(0)
    );
    let error = broken(|game, _, _, _| game.goal(Role(7), 1.0, Wire::TRUE));
    assert_eq!(error, BuildError::Roles(2));
}

#[test]
fn texts_must_be_distinct_and_parsable() {
    for text in ["lit", "(lit", "two words", "", "(f (g x))", "(lit)"] {
        let error = broken(|game, _, _, _| {
            let fluent = game.fluent(text, false);
            game.next(fluent, Wire::FALSE);
        });
        assert!(matches!(error, BuildError::Name { what: "fluent", .. }), "{text}: {error}");
    }
    for text in ["press", "-", "  "] {
        let error = broken(|game, _, _, _| {
            let choice = game.add_move(Role(0), text);
            game.legal(choice, Wire::TRUE);
        });
        assert!(matches!(error, BuildError::Name { what: "move", .. }), "{text}: {error}");
    }
}

#[test]
fn wires_must_be_defined_without_cycles() {
    let error = broken(|game, lit, _, _| {
        let wire = game.announce();
        game.next(lit, wire);
    });
    assert!(matches!(error, BuildError::Undefined(_)), "{error}");
    let error = broken(|game, lit, _, _| {
        let (wire, holds) = (game.announce(), game.holds(lit));
        let both = game.and([wire, holds]);
        game.define(wire, !both);
        game.next(lit, both);
    });
    assert!(matches!(error, BuildError::Cycle(_)), "{error}");
    let error = broken(|game, lit, _, _| {
        let mut other = CompiledBuilder::new("other", &["you"], "other 1");
        let fluent = other.fluent("here", true);
        let wire = other.holds(fluent);
        game.next(lit, wire);
    });
    assert_eq!(error, BuildError::Foreign);
    // A declared wire equals its later definition.
    let (mut game, lit, ..) = lamp();
    let wire = game.announce();
    let both = game.and([wire, Wire::TRUE]);
    game.terminal(both);
    let holds = game.holds(lit);
    game.define(wire, !holds);
    let game = CompiledGame::new(Arc::new(game.build().unwrap()), Evaluator::Sweep).unwrap();
    assert!(!game.worker().terminal());
}

#[test]
fn only_steps_may_depend_on_moves() {
    let depends = |error: BuildError| assert!(matches!(error, BuildError::DependsOnMove(_)));
    depends(broken(|game, _, press, _| game.terminal(game.does(press))));
    depends(broken(|game, _, press, ends| game.legal(ends[0], game.does(press))));
    depends(broken(|game, _, press, _| game.goal(Role(0), 1.0, game.does(press))));
    depends(broken(|game, _, press, _| game.silent(game.does(press))));
    depends(broken(|game, _, press, ends| {
        game.weight(ends[0], 1, game.does(press));
        game.weight(ends[1], 1, Wire::TRUE);
    }));
}

#[test]
fn only_chance_has_weights() {
    let weights = |error: BuildError| assert!(matches!(error, BuildError::Weights(_)), "{error}");
    weights(broken(|game, _, press, _| game.weight(press, 1, Wire::TRUE)));
    weights(broken(|game, _, _, ends| game.weight(ends[0], 1, Wire::TRUE)));
    weights(broken(|game, _, _, ends| {
        ends.into_iter().for_each(|end| game.weight(end, 0, Wire::TRUE));
    }));
    let error = broken(|game, _, _, ends| {
        ends.into_iter().for_each(|end| game.weight(end, u32::MAX, Wire::TRUE));
    });
    assert_eq!(error, BuildError::TotalWeight(2 * u64::from(u32::MAX)));
}

#[test]
fn the_initial_state_has_a_move() {
    let error = broken(|game, _, press, ends| {
        game.legal(press, Wire::FALSE);
        ends.into_iter().for_each(|end| game.legal(end, Wire::FALSE));
    });
    assert_eq!(error, BuildError::Stuck);
}

/// A legal chance move with weight zero is a fault of the rules. It is found when play reaches it,
/// by single steps and in lanes.
#[test]
fn a_legal_move_without_weight_is_a_fault() {
    let build = |first: bool| {
        let mut game = CompiledBuilder::new("faulty", &["you", "chance"], "faulty 1");
        game.chance(Role(1));
        let good = game.fluent("good", first);
        let holds = game.holds(good);
        let wait = game.add_move(Role(0), "wait");
        game.legal(wait, Wire::TRUE);
        for text in ["one", "two"] {
            let choice = game.add_move(Role(1), text);
            game.legal(choice, Wire::TRUE);
            game.weight(choice, 3, holds);
        }
        game.next(good, Wire::FALSE);
        game.terminal(Wire::FALSE);
        game.build()
    };
    let compiled = Arc::new(build(false).unwrap());
    assert!(
        CompiledGame::new(compiled, Evaluator::Sweep).is_err(),
        "the initial state has no move"
    );
    let compiled = Arc::new(build(true).unwrap());
    for evaluator in [Evaluator::Incremental, Evaluator::Sweep, Evaluator::Code, Evaluator::Batch] {
        let game = CompiledGame::new(Arc::clone(&compiled), evaluator).unwrap();
        let mut worker = game.worker();
        let mut start = Vec::new();
        worker.save(&mut start);
        let joint = [worker.legal(Role(0))[0], worker.legal(Role(1))[0]];
        let halt = worker.step(&joint, &mut Step::new(), &Stop::never());
        assert!(matches!(&halt, Err(Halt::Rules(what)) if what.contains("weight 0")), "{halt:?}");
        let streams = [magister_core::Stream { id: 0, start: &start, quota: 9 }];
        let batch = magister_core::Batch {
            seed: 1,
            streams: &streams,
            max_steps: 9,
            detail: magister_core::Detail::Sums,
        };
        let halt = worker.playouts(&batch, &mut magister_core::Results::default(), &Stop::never());
        assert!(matches!(&halt, Err(Halt::Rules(what)) if what.contains("weight 0")), "{halt:?}");
    }
}
