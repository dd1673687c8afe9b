//! Places that have several values at once, because a rule for `next` lacks a condition.
//!
//! A pile has one size, and a cell has one piece. If every place of a fluent has exactly one value
//! initially and the places stay the same, a second value is usually a mistake: the frame rule that
//! preserves the other piles also preserves the one that was changed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use magister::Source;
use magister_core::{Game, Move, Seed, Step, Stop, draw};
use magister_engine::board::fluents;
use magister_engine::explain::{Extent, Scene};
use magister_engine::{Explainer, Ground, QueryLimits, Reference, within};
use magister_gdl::{Dialect, Syntax};

/// The number of random matches, and the maximum number of steps of each.
const WALKS: u64 = 10;
const STEPS: usize = 60;
/// The maximum number of fluents of a position.
const FLUENTS: usize = 5_000;
/// The minimum number of places of a fluent, because a single place may well collect values.
const PLACES: usize = 2;
/// The time limit for finding the rule.
const PATIENCE: Duration = Duration::from_secs(5);

/// A name with the number of its arguments.
type Kind = (String, usize);
/// The values of each place.
type Places = BTreeMap<String, Vec<Ground>>;

/// A place with several values.
struct Doubled {
    kind: Kind,
    step: usize,
    values: Vec<Ground>,
    /// The value that the place had before.
    kept: Option<Ground>,
    before: Vec<Ground>,
    joint: Vec<Move>,
}

/// Notes about fluents that have several values at one place, one for each fluent.
pub(super) fn doubled(source: &Source, game: &dyn Game, seed: Seed) -> Vec<String> {
    let Some(rules) = source.rulesheet() else { return Vec::new() };
    let syntax = rules.syntax;
    let mut worker = game.worker();
    worker.reset();
    let mut state = Vec::new();
    worker.save(&mut state);
    let start = fluents(game, &state);
    if start.len() > FLUENTS {
        return Vec::new();
    }
    let mut kinds: BTreeMap<Kind, Places> = places(&start, syntax);
    kinds.retain(|_, places| places.len() >= PLACES && places.values().all(|v| v.len() == 1));
    let mut found: BTreeMap<Kind, Doubled> = BTreeMap::new();
    let mut moving: BTreeSet<Kind> = BTreeSet::new();
    let mut step = Step::new();
    for walk in 0..WALKS {
        worker.reset();
        let mut before = start.clone();
        let mut rng = seed.derive("values").derive(&walk.to_string()).rng();
        for number in 1..=STEPS {
            if worker.terminal() || moving.len() == kinds.len() {
                break;
            }
            let roles = game.info().all_roles();
            let joint: Option<Vec<Move>> =
                roles.map(|role| draw(worker.legal(role), &[], &mut rng)).collect();
            let Some(joint) = joint else { break };
            if worker.step(&joint, &mut step, &Stop::never()).is_err() {
                break;
            }
            worker.save(&mut state);
            let now = fluents(game, &state);
            if now.len() > FLUENTS {
                break;
            }
            for (kind, places) in places(&now, syntax) {
                let Some(first) = kinds.get(&kind) else { continue };
                // Bodies, trails and sets grow into new places.
                if places.keys().any(|place| !first.contains_key(place)) {
                    moving.insert(kind);
                    continue;
                }
                let Some((_, values)) = places.iter().find(|(_, values)| values.len() > 1) else {
                    continue;
                };
                found.entry(kind.clone()).or_insert_with(|| Doubled {
                    kind,
                    step: number,
                    kept: values.iter().find(|value| before.contains(value)).cloned(),
                    values: values.clone(),
                    before: before.clone(),
                    joint: joint.clone(),
                });
            }
            before = now;
        }
    }
    found.retain(|kind, _| !moving.contains(kind));
    found.into_values().map(|one| one.line(source, game, syntax)).collect()
}

/// A note about a fluent that has no value at some place after a step, although every place has one
/// initially: a frame rule may be missing.
pub(super) fn vanished(source: &Source, game: &dyn Game, seed: Seed) -> Option<String> {
    let syntax = source.rulesheet()?.syntax;
    let mut worker = game.worker();
    worker.reset();
    let mut state = Vec::new();
    worker.save(&mut state);
    let start = fluents(game, &state);
    let mut kinds: BTreeMap<Kind, Places> = places(&start, syntax);
    kinds.retain(|_, places| places.len() >= PLACES && places.values().all(|v| v.len() == 1));
    let named = |state: &[Ground]| -> BTreeSet<Kind> {
        let args = |fluent: &Ground| fluent.args.as_ref().map_or(0, |args| args.len());
        let kind = |fluent: &Ground| (fluent.name.to_string(), args(fluent));
        state.iter().map(kind).filter(|(_, args)| *args > 0).collect()
    };
    let mut rng = seed.derive("vanished").rng();
    let roles = game.info().all_roles();
    let joint: Option<Vec<Move>> =
        roles.map(|role| draw(worker.legal(role), &[], &mut rng)).collect();
    let (joint, mut step) = (joint?, Step::new());
    let after = match worker.step(&joint, &mut step, &Stop::never()) {
        Ok(()) => {
            worker.save(&mut state);
            fluents(game, &state)
        }
        // A worker makes no step that leaves a role without a legal move.
        Err(_) => successor(source, game, &start, &joint)?,
    };
    let now = places(&after, syntax);
    let part = kinds.into_iter().find_map(|(kind, first)| {
        let left = now.get(&kind);
        let is_gone = |place: &&String| left.is_none_or(|left| !left.contains_key(*place));
        let place = first.keys().find(is_gone)?;
        Some(format!(
            "note: every `{name}` has one value at the start, but after step 1 no `{name} {place}` \
             is left. Does a rule for `next` keep what does not change?",
            name = kind.0
        ))
    });
    // A fluent that has disappeared altogether, such as the turn.
    part.or_else(|| {
        let left = named(&after);
        let (name, _) = named(&start).into_iter().find(|kind| !left.contains(kind))?;
        Some(format!(
            "note: after step 1 no `{name}` is left. Does a rule for `next` keep or set it?"
        ))
    })
}

/// The position after a joint move, whatever is possible in it.
fn successor(
    source: &Source,
    game: &dyn Game,
    state: &[Ground],
    joint: &[Move],
) -> Option<Vec<Ground>> {
    let syntax = source.rulesheet()?.syntax;
    let program = Arc::new(source.program()?.ok()?);
    let mut reference = Reference::new(program, QueryLimits::default());
    let terms = reference.terms_mut();
    let state: Vec<_> = state.iter().map(|fluent| terms.import(fluent)).collect();
    let read = |&choice: &Move| Ground::read_either(&game.text().move_text(choice), syntax);
    let joint: Vec<_> =
        joint.iter().map(|choice| read(choice).map(|term| terms.import(&term))).collect();
    reference.set_state(&state);
    reference.set_moves(&joint);
    let next = within(PATIENCE, &Stop::never(), |stop| reference.next(stop)).ok()?;
    Some(next.iter().map(|&fluent| reference.terms().export(fluent)).collect())
}

/// The fluents of a position by name and by place, which consists of all arguments except the last.
fn places(state: &[Ground], syntax: Syntax) -> BTreeMap<Kind, Places> {
    let mut kinds: BTreeMap<Kind, Places> = BTreeMap::new();
    for fluent in state {
        let args = fluent.args.as_deref().unwrap_or_default();
        if args.len() < 2 {
            continue;
        }
        let place = args[..args.len() - 1].iter().map(|arg| arg.text(syntax));
        let place = place.collect::<Vec<_>>().join(" ");
        let kind = (fluent.name.to_string(), args.len());
        kinds.entry(kind).or_default().entry(place).or_default().push(fluent.clone());
    }
    kinds
}

impl Doubled {
    fn line(&self, source: &Source, game: &dyn Game, syntax: Syntax) -> String {
        let values: Vec<String> = self.values.iter().take(3).map(|v| v.text(syntax)).collect();
        let rule = match self.rule(source, game, syntax) {
            Some(line) => format!("the rule in line {line}"),
            None => "a rule for `next`".to_owned(),
        };
        format!(
            "note: every `{}` has one value at the start, but after step {} there are {} at once: {}. \
             Is a condition missing in {rule}?",
            self.kind.0,
            self.step,
            self.values.len(),
            values.join(", "),
        )
    }

    /// The line of the rule that kept the old value.
    fn rule(&self, source: &Source, game: &dyn Game, syntax: Syntax) -> Option<u64> {
        let rules = source.rulesheet().filter(|rules| rules.dialect != Dialect::Operations)?;
        let program = source.program()?.ok()?;
        let kept = self.kept.as_ref().or(self.values.first())?.text(rules.syntax);
        let question = match syntax {
            Syntax::Kif => format!("(next {kept})"),
            Syntax::Infix => format!("next({kept})"),
        };
        let text = game.text();
        let joint =
            self.joint.iter().map(|&choice| Ground::read_either(&text.move_text(choice), syntax));
        let scene =
            Scene { state: self.before.clone(), joint: Some(joint.collect()), ..Scene::default() };
        let tree = within(PATIENCE, &Stop::never(), |stop| {
            let mut explainer = Explainer::new(program, syntax, &question, &scene).ok()?;
            let extent = Extent { depth: 1, width: 1, history: 0 };
            let explanation = explainer.explain(extent, stop).ok()?;
            Some(explainer.json(&explanation))
        })?;
        let root = tree["roots"][0].as_u64()? as usize;
        tree["nodes"][root]["line"].as_u64()
    }
}
