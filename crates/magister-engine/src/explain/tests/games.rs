//! Explanations of whole games agree with the reference interpreter.

#![allow(clippy::disallowed_methods, reason = "tests may read the clock")]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use magister_core::{Halt, Rng, Seed, Stop};
use magister_gdl::{Dialect, Options, read};
use rustc_hash::FxHashSet;

use super::checker::check;
use crate::explain::{Claim, Explainer, Extent, Scene};
use crate::program::{Goal, Literal, Names, Pattern};
use crate::term::TermId;
use crate::{Ground, Program, QueryLimits, Reference, within};

/// The amount of testing.
#[derive(Clone, Copy)]
struct Effort {
    matches: u64,
    steps: usize,
    /// The number of atoms of each kind in a position.
    atoms: usize,
}

/// Random play of the reference interpreter.
struct Play {
    reference: Reference,
    scene: Scene,
    /// All moves, fluents, percepts and goal values encountered so far, by name.
    met: [FxHashSet<Ground>; 4],
}

const NAMES: [&str; 4] = ["legal", "next", "sees", "goal"];

/// Compares each of the claims with its expected value.
fn explain(
    claims: Vec<(Claim, bool)>,
    explainer: &mut Explainer,
    stop: &Stop,
) -> Result<usize, Halt> {
    let count = claims.len();
    for (claim, holds) in claims {
        explainer.question = claim;
        let explanation = explainer.explain(Extent::default(), stop)?;
        assert_eq!(explanation.holds, holds, "{}", explainer.question());
        assert_eq!(explanation.holds, explanation.node(explanation.roots[0]).holds);
        stop.check()?;
        check(explainer, &explanation);
        // Rendering must not fail either.
        assert!(!explainer.text(&explanation).is_empty());
        assert!(explainer.json(&explanation)["nodes"].is_array());
    }
    Ok(count)
}

/// Asks about all atoms in random positions of a game. Returns the number of questions.
fn ask_about(text: &str, name: &str, effort: Effort, stop: &Stop) -> Result<usize, Halt> {
    let sheet = read(text, &Options::default());
    let Ok(program) = Program::new(&sheet.rules, text) else { return Ok(0) };
    let operations = program.dialect == Dialect::Operations;
    let roles = program.roles.len();
    let reference = Reference::new(Arc::new(program.clone()), QueryLimits::default());
    let mut play = Play { reference, scene: Scene::default(), met: Default::default() };
    let mut rng = Seed::from(1).derive(name).rng();
    let mut asked = 0;
    for _ in 0..effort.matches {
        play.scene = super::beginning(&program);
        for _ in 0..effort.steps {
            let state: Vec<TermId> =
                play.scene.state.iter().map(|f| play.reference.terms_mut().import(f)).collect();
            play.reference.set_state(&state);
            let terminal = play.reference.terminal(stop)?;
            let mut joint = Vec::new();
            let mut legal = Vec::new();
            let mut goals = Vec::new();
            for role in 0..roles {
                let moves = play.reference.legal(role, stop)?;
                joint.push(pick(&moves, &mut rng));
                legal.push(moves);
                goals.push(play.reference.goals(role, stop)?);
            }
            play.reference.set_moves(&joint);
            let next = play.reference.next(stop)?;
            let terms = play.reference.terms();
            let texts = |list: &[TermId]| list.iter().map(|&t| terms.export(t)).collect::<Vec<_>>();
            play.met[0].extend(legal.iter().flat_map(|l| texts(l)));
            play.met[1].extend(texts(&next));
            play.met[3].extend(goals.iter().flat_map(|g| texts(g)));
            let exported: Vec<Option<Ground>> =
                joint.iter().map(|choice| choice.map(|term| terms.export(term))).collect();
            play.scene.joint = Some(exported.clone());
            let next = texts(&next);

            let scene = play.scene.clone();
            let question = if operations { "terminal" } else { "(role none)" };
            let made = Explainer::new(program.clone(), sheet.rules.syntax, question, &scene);
            let mut explainer = made.expect("an explainer");
            let mut claims = Vec::new();
            if let Some(claim) = relation(&explainer, "terminal", Vec::new()) {
                claims.push((claim, terminal));
            }
            for (kind, word) in NAMES.iter().enumerate() {
                let mut met: Vec<Ground> = play.met[kind].iter().cloned().collect();
                met.sort();
                for _ in 0..effort.atoms.min(met.len()) {
                    let term = met.swap_remove(rng.below(met.len() as u64) as usize);
                    let id = explainer.reference.terms_mut().import(&term);
                    if *word == "next" && operations {
                        claims.push((Claim::Next(id), next.contains(&term)));
                        continue;
                    }
                    if *word == "next" {
                        let args = vec![Pattern::Ground(id)];
                        claims.extend(
                            relation(&explainer, word, args)
                                .map(|claim| (claim, next.contains(&term))),
                        );
                        continue;
                    }
                    let role = rng.below(roles as u64) as usize;
                    let answers = match kind {
                        0 => &legal[role],
                        3 => &goals[role],
                        _ => continue,
                    };
                    let own = play.reference.terms_mut().import(&term);
                    let mut holds = answers.contains(&own);
                    let role = Pattern::Ground(explainer.reference.program().roles[role]);
                    let mut args = vec![role, Pattern::Ground(id)];
                    if *word == "legal" && operations {
                        args.remove(0);
                        holds = legal.iter().any(|legal| legal.contains(&own));
                        if legal.iter().all(Vec::is_empty) {
                            continue;
                        }
                    }
                    claims.extend(relation(&explainer, word, args).map(|claim| (claim, holds)));
                }
            }
            for role in 0..roles {
                let seen = play.reference.percepts(role, stop)?;
                let terms = play.reference.terms();
                play.met[2].extend(seen.iter().map(|&p| terms.export(p)));
                for percept in play.met[2].clone().into_iter().take(effort.atoms) {
                    let own = play.reference.terms_mut().import(&percept);
                    let id = explainer.reference.terms_mut().import(&percept);
                    let role = Pattern::Ground(explainer.reference.program().roles[role]);
                    let args = vec![role, Pattern::Ground(id)];
                    let claim = relation(&explainer, "sees", args);
                    claims.extend(claim.map(|claim| (claim, seen.contains(&own))));
                }
            }
            asked += explain(claims, &mut explainer, stop)?;
            if terminal || (!operations && joint.contains(&None)) {
                break;
            }
            let state = std::mem::replace(&mut play.scene.state, next);
            play.scene.past.push((state, exported));
            play.scene.joint = None;
        }
    }
    Ok(asked)
}

fn pick(moves: &[TermId], rng: &mut Rng) -> Option<TermId> {
    if moves.is_empty() { None } else { Some(moves[rng.below(moves.len() as u64) as usize]) }
}

/// The claim that an atom of a relation holds; `None` if the rules lack the relation.
fn relation(explainer: &Explainer, name: &str, args: Vec<Pattern>) -> Option<Claim> {
    let goal = explainer.reference.program().goal(name, args)?;
    matches!(goal, Goal::Relation(_))
        .then(|| Claim::Literal(Literal { negated: false, goal, stratum: 0 }, Names::default()))
}

#[test]
fn explanations_of_bundled_games_are_true() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games");
    let effort = Effort { matches: 3, steps: 12, atoms: 6 };
    let mut games = 0;
    for entry in std::fs::read_dir(folder).expect("the games are there").flatten() {
        for file in ["rules.kif", "rules.hrf"] {
            let path = entry.path().join(file);
            let Ok(text) = std::fs::read_to_string(&path) else { continue };
            let name = path.display().to_string();
            let asked = ask_about(&text, &name, effort, &Stop::never()).expect("answers");
            assert!(asked > 30, "{name}: {asked}");
            games += 1;
        }
    }
    assert!(games >= 5);
}

/// A normal run takes a few seconds on the smaller rulesheets; `MAGISTER_LONG=1` runs all of them.
#[test]
fn explanations_of_the_oracle_are_true() {
    let oracle = std::env::var_os("MAGISTER_ORACLE").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/oracle"),
        PathBuf::from,
    );
    if !oracle.is_dir() {
        eprintln!("SKIPPED: no oracle at {} (set MAGISTER_ORACLE)", oracle.display());
        return;
    }
    let long = std::env::var_os("MAGISTER_LONG").is_some_and(|value| value != "0");
    let only = std::env::var("MAGISTER_GAME").unwrap_or_default();
    let (bytes, each, all) = if long { (u64::MAX, 8, 36_000) } else { (6_000, 1, 20) };
    let effort = Effort { matches: 2, steps: 4, atoms: if long { 4 } else { 2 } };
    let begin = Instant::now();
    let (mut games, mut asked, mut slow) = (0, 0, Vec::new());
    for (folder, ending) in [
        ("gdl2/games", ".kif"),
        ("gamemaster/games", ".rulesheet.hrf"),
        ("gdl/test_cases", ".kif"),
        ("gdl/games", ".kif"),
    ] {
        let mut files: Vec<PathBuf> = std::fs::read_dir(oracle.join(folder))
            .expect("the oracle has this folder")
            .map(|entry| entry.expect("readable").path())
            .filter(|path| path.to_string_lossy().ends_with(ending))
            .collect();
        files.sort();
        for path in files {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let size = std::fs::metadata(&path).map_or(0, |metadata| metadata.len());
            let over = begin.elapsed() > Duration::from_secs(all);
            if size > bytes || over || !name.contains(&only) {
                continue;
            }
            let text =
                String::from_utf8_lossy(&std::fs::read(&path).expect("readable")).into_owned();
            let time = Duration::from_secs(each);
            let start = Instant::now();
            match within(time, &Stop::never(), |stop| ask_about(&text, &name, effort, stop)) {
                Ok(count) => {
                    games += 1;
                    asked += count;
                }
                Err(halt) => slow.push(format!("{name} ({halt})")),
            }
            if long {
                eprintln!("{name} {:.2?}", start.elapsed());
            }
        }
    }
    eprintln!("explained: {games} games, {asked} questions; not to the end: {slow:?}");
    assert!(games > 10 || !only.is_empty());
}
