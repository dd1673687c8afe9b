//! Sums: games in which one role at a time moves in one part, and the other parts do not change.
//!
//! A state is a class for each part and a state of the context. Classes are those of bisimulation:
//! states with the same outcome and, for every role, the same set of classes to move to. Parts that
//! can be exchanged share their classes, so that a state is a multiset.

use std::sync::Arc;

use magister_core::{Game, Halt, Info, Move, Role, Stop};
use magister_engine::Compiled;
use magister_engine::network::{Edge, Network};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::abstracted::{Abstract, Dynamics};
use crate::decomposition::Decomposition;
use crate::impartial::Convention;
use crate::local::{Bits, Bounds, Course, Local, project};
use crate::order;
use crate::outcomes::Outcomes;
use crate::refine::refine;
use crate::split::CONTEXT;
use crate::support::{Support, conjuncts};
use crate::tops::Tops;

/// Stands for a move that acts on no part.
const PASS: Move = Move(u32::MAX - 1);
/// The maximum number of states of the context.
const LONGEST: usize = 100_000;

/// One class of states of a part.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Class {
    /// For every role, the classes that it can move to, ascending.
    pub options: Vec<Vec<u32>>,
    /// The first of the parts that its part can be exchanged with.
    pub(crate) family: usize,
    /// Its kind of outcome, for `terminal` and the goals.
    pub(crate) kind: u32,
}

/// How much smaller the parts have become.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Sizes {
    /// The number of states of all parts together.
    pub states: usize,
    /// The number of bisimulation classes.
    pub classes: usize,
    /// The number of classes after dominated options are pruned.
    pub pruned: usize,
}

/// The quotient of a game that is a sum of its parts.
#[derive(Clone, Debug)]
pub struct Sum {
    info: Info,
    pub(crate) classes: Vec<Class>,
    /// For every part, the first of the parts that it can be exchanged with.
    pub(crate) family: Vec<usize>,
    /// For every part, its kind that corresponds to each kind of the first part of its family.
    exchanged: Vec<Vec<u32>>,
    pub(crate) outcomes: Outcomes,
    context: Context,
    /// The class of each part in the initial state.
    pub(crate) start: Vec<u32>,
    /// For every part, the class of each of its states.
    pub(crate) class_of: Vec<Vec<u32>>,
    pub(crate) locals: Vec<Local>,
    /// The sizes before and after.
    pub sizes: Sizes,
}

#[derive(Clone, Debug)]
struct Context {
    /// The fluents of the context, and the merged state of each of its states.
    fluents: Vec<usize>,
    known: FxHashMap<Bits, usize>,
    /// For every state of the context, its successor and its kind.
    after: Vec<usize>,
    kind: Vec<u32>,
    /// For every state of the context and every role, whether it may move, and whether it may pass.
    turn: Vec<Vec<bool>>,
    pass: Vec<Vec<bool>>,
}

impl Sum {
    /// The sum of the parts of a game; the error says why the game is not a sum, or that it is too
    /// large.
    pub fn new(compiled: &Compiled, whole: &Decomposition, stop: &Stop) -> Result<Self, Halt> {
        Self::within(compiled, whole, Bounds::default(), stop)
    }

    pub(crate) fn within(
        compiled: &Compiled,
        whole: &Decomposition,
        bounds: Bounds,
        stop: &Stop,
    ) -> Result<Self, Halt> {
        let network: &Network = compiled.network();
        if !network.gains.is_empty() || compiled.info().chance.is_some() {
            return Err(Halt::Limit("games with chance are not sums".to_owned()));
        }
        let not = |why: &str| Halt::Limit(format!("the game is not a sum of its parts: {why}"));
        if network.roles() > 1 && whole.effects.turns.is_none() {
            return Err(not("roles move at the same time"));
        }
        if !whole.split.serial.is_empty() {
            return Err(not("one part begins when another ends"));
        }
        let conditions = Conditions::new(network, whole).map_err(not)?;
        let tops = Tops::outcomes(network, &whole.split);
        let course = Course::new(network, whole, &tops, LONGEST)?;
        let mut locals = Vec::new();
        for part in 0..whole.split.parts {
            let local = Local::new(network, whole, &tops, &course, part, bounds, stop)?;
            if local.timed || !local.keeps {
                return Err(not("a part changes while no role moves in it"));
            }
            locals.push(local);
        }
        let distinct = |all: &mut dyn Iterator<Item = Box<[bool]>>| {
            let mut seen = FxHashSet::default();
            all.filter(|vector| seen.insert(vector.clone())).collect::<Vec<_>>()
        };
        let mut vectors: Vec<Vec<Box<[bool]>>> =
            locals.iter().map(|local| distinct(&mut local.concepts.iter().cloned())).collect();
        vectors.push(distinct(&mut course.concepts.iter().map(|c| c.clone().into_boxed_slice())));
        let outcomes = Outcomes::new(network, &tops, &vectors, compiled.missing_goal())
            .ok_or_else(|| not("the parts have too many different results"))?;
        let context = Context::new(&course, &outcomes, &conditions, whole);
        let (family, exchanged) = families(&outcomes, locals.len());
        let mut sum = Sum {
            info: compiled.info().clone(),
            classes: Vec::new(),
            family,
            exchanged,
            outcomes,
            context,
            start: Vec::new(),
            class_of: Vec::new(),
            sizes: Sizes { states: locals.iter().map(Local::len).sum(), ..Sizes::default() },
            locals,
        };
        sum.quotient(network.roles());
        sum.sizes.classes = sum.classes.len();
        sum.sizes.pruned = sum.classes.len();
        Ok(sum)
    }

    /// Computes the bisimulation classes of all parts.
    fn quotient(&mut self, roles: usize) {
        let mut colours = Vec::new();
        let mut offsets = Vec::new();
        let mut colour_of: FxHashMap<(usize, u32), u32> = FxHashMap::default();
        for (part, local) in self.locals.iter().enumerate() {
            offsets.push(colours.len());
            for vector in &local.concepts {
                let own = self.outcomes.kinds[part][vector];
                let kind = self.exchanged[part].iter().position(|&k| k == own).unwrap_or(0) as u32;
                let fresh = colour_of.len() as u32;
                colours.push(*colour_of.entry((self.family[part], kind)).or_insert(fresh));
            }
        }
        let places: Vec<(usize, usize)> = self
            .locals
            .iter()
            .enumerate()
            .flat_map(|(part, local)| (0..local.len()).map(move |state| (part, state)))
            .collect();
        let options = |at: usize, role: usize, colours: &[u32], out: &mut Vec<u64>| {
            let (part, state) = places[at];
            let local = &self.locals[part];
            let from = out.len();
            for &(label, target) in &local.next[state] {
                if local.labels[label as usize][role] > 0 {
                    out.push(u64::from(colours[offsets[part] + target as usize]));
                }
            }
            out[from..].sort_unstable();
            let mut kept = from;
            for at in from..out.len() {
                if at == from || out[at] != out[kept - 1] {
                    out[kept] = out[at];
                    kept += 1;
                }
            }
            out.truncate(kept);
        };
        let first = colours.clone();
        let colours = refine(colours, |at, colours, out| {
            for role in 0..roles {
                out.push(u64::MAX);
                options(at, role, colours, out);
            }
        });
        let count = colours.iter().max().map_or(0, |&max| max as usize + 1);
        let mut classes = vec![Class::default(); count];
        let mut done = vec![false; count];
        let kinds: FxHashMap<u32, (usize, u32)> =
            colour_of.iter().map(|(&key, &colour)| (colour, key)).collect();
        for (at, &colour) in colours.iter().enumerate() {
            if std::mem::replace(&mut done[colour as usize], true) {
                continue;
            }
            let (family, kind) = kinds[&first[at]];
            let of_role = |role: usize| {
                let mut out = Vec::new();
                options(at, role, &colours, &mut out);
                out.into_iter().map(|class| class as u32).collect()
            };
            classes[colour as usize] =
                Class { options: (0..roles).map(of_role).collect(), family, kind };
        }
        self.classes = classes;
        self.class_of = self
            .locals
            .iter()
            .zip(&offsets)
            .map(|(local, &from)| colours[from..from + local.len()].to_vec())
            .collect();
        self.start = self.class_of.iter().map(|classes| classes[0]).collect();
    }

    /// Prunes options that another option dominates in every context, if the game is two-player
    /// constant-sum; see [`order`](crate::order).
    pub fn prune(&mut self) {
        if self.info.roles.len() != 2 || !self.outcomes.opposite() {
            return;
        }
        let mut better: FxHashSet<(usize, u32, u32)> = FxHashSet::default();
        for &family in &self.family {
            let size = self.outcomes.sizes[family] as u32;
            for low in 0..size {
                for high in 0..size {
                    if self.outcomes.at_most(family, low, high, 0) {
                        better.insert((family, low, high));
                    }
                }
            }
        }
        let merged = order::prune(&mut self.classes, |low, high| {
            low.family == high.family && better.contains(&(low.family, low.kind, high.kind))
        });
        for class in self.start.iter_mut().chain(self.class_of.iter_mut().flatten()) {
            *class = merged[*class as usize];
        }
        // Some of the remaining classes may no longer be reachable.
        let mut reached = vec![false; self.classes.len()];
        let mut open = self.start.clone();
        while let Some(class) = open.pop() {
            if !std::mem::replace(&mut reached[class as usize], true) {
                open.extend(self.classes[class as usize].options.iter().flatten());
            }
        }
        self.sizes.pruned = reached.into_iter().filter(|&reached| reached).count();
    }

    /// The number of combinations of states of the parts, and of their classes.
    pub(crate) fn extent(&self) -> (f64, f64) {
        let classes = |own: &Vec<u32>| own.iter().collect::<FxHashSet<_>>().len() as f64;
        let states = self.locals.iter().map(|local| local.len() as f64).product();
        (states, self.class_of.iter().map(classes).product())
    }

    /// The length of the longest history of the sum, without passes; `None` if positions can
    /// repeat.
    pub(crate) fn height(&self) -> Option<usize> {
        let count = self.classes.len();
        let mut height: Vec<Option<usize>> = vec![None; count];
        let mut open = vec![false; count];
        for root in 0..count {
            let mut stack = vec![(root, false)];
            while let Some((class, ready)) = stack.pop() {
                if height[class].is_some() {
                    continue;
                }
                let options = || self.classes[class].options.iter().flatten().map(|&o| o as usize);
                if ready {
                    let above = options().map(|o| height[o].unwrap_or(0) + 1).max();
                    height[class] = Some(above.unwrap_or(0));
                    open[class] = false;
                    continue;
                }
                if std::mem::replace(&mut open[class], true) || options().any(|o| open[o]) {
                    return None;
                }
                stack.push((class, true));
                stack.extend(options().filter(|&o| height[o].is_none()).map(|o| (o, false)));
            }
        }
        Some(self.start.iter().map(|&class| height[class as usize].unwrap_or(0)).sum())
    }

    /// Whether no role ever passes, and exactly one role has the turn in every state of the
    /// context.
    pub(crate) fn turns_only(&self) -> bool {
        self.context.pass.iter().flatten().all(|&pass| !pass)
            && self.context.turn.iter().all(|turn| turn.iter().filter(|&&may| may).count() == 1)
    }

    /// The sum of the goals of the two roles.
    pub(crate) fn total(&self) -> f64 {
        let ends = self.outcomes.combinations().map(|kinds| self.outcomes.get(kinds));
        let sum = |goals: &[Vec<f64>]| goals.iter().flatten().sum();
        let mut ends = ends.filter(|outcome| outcome.terminal);
        ends.next().map_or(0.0, |outcome| sum(&outcome.goals))
    }

    /// The role that has the first turn.
    pub(crate) fn first_mover(&self) -> usize {
        self.context.turn.first().and_then(|turn| turn.iter().position(|&may| may)).unwrap_or(0)
    }

    /// The result for the role that cannot move, if the game ends exactly when no part has a move
    /// and the goals depend only on whose turn it is; otherwise the reason why not.
    pub(crate) fn last_mover(&self) -> Result<Convention, &'static str> {
        if !self.turns_only() {
            return Err("the roles do not simply take turns");
        }
        // Whether the classes of each kind have options: all of them or none of them.
        let mut moving: FxHashMap<(usize, u32), bool> = FxHashMap::default();
        for class in &self.classes {
            let has = class.options.iter().any(|options| !options.is_empty());
            if *moving.entry((class.family, class.kind)).or_insert(has) != has {
                return Err("the end does not depend on the moves that are left");
            }
        }
        let parts = self.family.len();
        let mut convention = None;
        for kinds in self.outcomes.combinations() {
            // Kinds of parts, as those of the first part of their family.
            let moves = (0..parts).any(|part| {
                let own = kinds[part];
                let kind = self.exchanged[part].iter().position(|&k| k == own).unwrap_or(0) as u32;
                moving.get(&(self.family[part], kind)).copied().unwrap_or(false)
            });
            let context = kinds[parts];
            let outcome = self.outcomes.get(kinds);
            if outcome.terminal == moves {
                return Err("the game does not end exactly when no part has a move");
            }
            if moves {
                continue;
            }
            let times = (0..self.context.kind.len()).filter(|&t| self.context.kind[t] == context);
            for time in times {
                let mover = usize::from(!self.context.turn[time][0]);
                let (own, other) = (&outcome.goals[mover], &outcome.goals[1 - mover]);
                let found = match (&own[..], &other[..]) {
                    ([own], [other]) if own < other => Convention::Normal,
                    ([own], [other]) if own > other => Convention::Misere,
                    _ => return Err("the last move does not decide who wins"),
                };
                if *convention.get_or_insert(found) != found {
                    return Err("the last move does not always decide in the same way");
                }
            }
        }
        convention.ok_or("the game has no end")
    }

    /// The quotient as a game.
    pub fn game(self: &Arc<Self>) -> Arc<dyn Game> {
        Arc::new(Abstract::new(&self.info, "sum", Arc::clone(self)))
    }

    /// The class of a state of the whole game, if its parts were enumerated.
    pub(crate) fn place(&self, state: &[u64]) -> Option<Vec<u64>> {
        let time = *self.context.known.get(&project(&self.context.fluents, state))?;
        let mut place = vec![time as u64];
        for (local, classes) in self.locals.iter().zip(&self.class_of) {
            place.push(u64::from(classes[local.place(state, 0)? as usize]));
        }
        self.sort(&mut place);
        Some(place)
    }

    /// The value for the first role if a combination of states of the parts is terminal.
    pub(crate) fn end_of(&self, states: &[u32], time: usize) -> Option<f64> {
        let kinds = states.iter().enumerate().map(|(part, &state)| {
            self.outcomes.kinds[part][&self.locals[part].concepts[state as usize]]
        });
        let outcome = self.outcomes.get(kinds.chain([self.context.kind[time]]));
        outcome.terminal.then(|| outcome.goals.first().and_then(|own| own.first()).copied())?
    }

    /// Whether no part has a move for any role, and the context does not end the game either.
    pub(crate) fn is_stuck(&self, state: &[u64]) -> bool {
        let moves = |&class: &u64| {
            let options = &self.classes[class as usize].options;
            options.iter().any(|own| !own.is_empty())
        };
        let mut later = state.to_vec();
        let ends = (0..self.context.after.len()).any(|_| {
            later[0] = self.context.after[later[0] as usize] as u64;
            self.outcome(&later).terminal
        });
        !ends && !state[1..].iter().any(moves)
    }

    /// The state of the context after a state of the context.
    pub(crate) fn after_time(&self, time: usize) -> usize {
        self.context.after[time]
    }

    /// The fluents that hold in a state of the context.
    pub(crate) fn context_fluents(&self, time: usize) -> Vec<usize> {
        let found = self.context.known.iter().filter(|&(_, &at)| at == time).map(|(bits, _)| bits);
        let bits = found.min();
        let holds =
            |place: usize| bits.is_some_and(|bits| bits[place / 64] >> (place % 64) & 1 == 1);
        let fluents = self.context.fluents.iter().enumerate();
        fluents.filter(|&(place, _)| holds(place)).map(|(_, &fluent)| fluent).collect()
    }

    /// The role to move in a class of states.
    pub(crate) fn mover(&self, place: &[u64]) -> Option<usize> {
        self.context.turn[place[0] as usize].iter().position(|&may| may)
    }

    /// The state after an initial move in a part that leads to this class.
    pub(crate) fn after_first(&self, part: usize, class: u32) -> Vec<u64> {
        // In a sorted state, a class may stand in the place of another part.
        let classes = self.start.iter().map(|&class| u64::from(class));
        let mut next: Vec<u64> =
            [self.context.after[0] as u64].into_iter().chain(classes).collect();
        next[part + 1] = u64::from(class);
        self.sort(&mut next);
        next
    }

    /// Sorts the parts of each family.
    fn sort(&self, state: &mut [u64]) {
        for first in 0..self.family.len() {
            if self.family[first] != first {
                continue;
            }
            let slots: Vec<usize> =
                (first..self.family.len()).filter(|&part| self.family[part] == first).collect();
            if slots.len() > 1 {
                let mut classes: Vec<u64> = slots.iter().map(|&part| state[part + 1]).collect();
                classes.sort_unstable();
                slots.iter().zip(classes).for_each(|(&part, class)| state[part + 1] = class);
            }
        }
    }

    fn outcome(&self, state: &[u64]) -> &crate::outcomes::Outcome {
        let parts = self.family.len();
        let kind = |part: usize| {
            let class = &self.classes[state[part + 1] as usize];
            self.exchanged[part][class.kind as usize]
        };
        let context = self.context.kind[state[0] as usize];
        self.outcomes.get((0..parts).map(kind).chain([context]))
    }
}

impl Dynamics for Sum {
    fn start(&self) -> Vec<u64> {
        let mut state: Vec<u64> =
            [0].into_iter().chain(self.start.iter().map(|&class| u64::from(class))).collect();
        self.sort(&mut state);
        state
    }

    fn is_state(&self, state: &[u64]) -> bool {
        let parts = self.family.len();
        let fits = |part: usize| {
            let class = self.classes.get(state[part + 1] as usize);
            class.is_some_and(|class| class.family == self.family[part])
        };
        state.len() == parts + 1
            && (state[0] as usize) < self.context.after.len()
            && (0..parts).all(fits)
    }

    fn moves(&self, state: &[u64], legal: &mut [Vec<Move>]) -> bool {
        if self.outcome(state).terminal {
            return true;
        }
        let time = state[0] as usize;
        let many = self.classes.len() as u32;
        for (role, legal) in legal.iter_mut().enumerate() {
            if self.context.turn[time][role] {
                for part in 0..self.family.len() {
                    // Parts of one family in the same class have the same options.
                    let same = |&before: &usize| {
                        self.family[before] == self.family[part]
                            && state[before + 1] == state[part + 1]
                    };
                    if (0..part).any(|before| same(&before)) {
                        continue;
                    }
                    let class = &self.classes[state[part + 1] as usize];
                    let code = |&target: &u32| Move(part as u32 * many + target);
                    legal.extend(class.options[role].iter().map(code));
                }
            }
            if self.context.pass[time][role] {
                legal.push(PASS);
            }
        }
        false
    }

    fn make(&self, state: &mut Vec<u64>, joint: &[Move]) {
        let many = self.classes.len() as u32;
        let time = self.context.after[state[0] as usize] as u64;
        for &choice in joint {
            if choice != PASS && choice != Move::IDLE {
                state[(choice.0 / many) as usize + 1] = u64::from(choice.0 % many);
            }
        }
        state[0] = time;
        self.sort(state);
    }

    fn goals(&self, state: &[u64], role: Role, out: &mut Vec<f64>) {
        out.extend(self.outcome(state).goals.get(role.index()).into_iter().flatten());
    }

    fn move_text(&self, choice: Move) -> String {
        let many = self.classes.len() as u32;
        match choice {
            PASS => "pass".to_owned(),
            Move::IDLE => magister_core::text::IDLE_TEXT.to_owned(),
            Move(code) => format!("(part {} to {})", code / many + 1, code % many),
        }
    }
}

/// The parts that can be exchanged with each other: for every part, the first of its family, and
/// how its kinds correspond to those of the first.
fn families(outcomes: &Outcomes, parts: usize) -> (Vec<usize>, Vec<Vec<u32>>) {
    let mut family = Vec::new();
    let mut exchanged = Vec::new();
    for part in 0..parts {
        let firsts: Vec<usize> = (0..part).filter(|&first| family[first] == first).collect();
        let found =
            firsts.into_iter().find_map(|first| Some((first, outcomes.exchange(first, part)?)));
        let (first, kinds) =
            found.unwrap_or_else(|| (part, (0..outcomes.sizes[part] as u32).collect()));
        family.push(first);
        exchanged.push(kinds);
    }
    (family, exchanged)
}

/// The conditions in the context that determine the turn.
struct Conditions {
    /// For every role, the conditions of all its moves that depend only on the context; `None` if
    /// it has no moves.
    turn: Vec<Option<Vec<Edge>>>,
    /// For every role, the conditions of each of its moves without effect.
    pass: Vec<Vec<Vec<Edge>>>,
}

impl Conditions {
    /// Finds the conditions, or the reason why moves depend on more than one part.
    fn new(network: &Network, whole: &Decomposition) -> Result<Self, &'static str> {
        let roles = network.roles();
        let mut conditions = Conditions { turn: vec![None; roles], pass: vec![Vec::new(); roles] };
        let mut support = Support::new();
        for (place, classes) in whole.classes_of_moves.iter().enumerate() {
            if whole.effects.turns.as_ref().is_some_and(|active| !active[place]) {
                continue;
            }
            let role = network.moves[place].0.index();
            let mut context = Vec::new();
            for edge in conjuncts(&network.graph, network.legal[place]) {
                let (mut outer, mut inner) = (false, false);
                support.each(&network.graph, [edge], |input| {
                    let part = whole.split.part_of[input];
                    outer |= part == CONTEXT;
                    inner |= part != CONTEXT;
                });
                match (outer, inner) {
                    (true, true) => return Err("a condition mixes a part with the context"),
                    (_, false) => context.push(edge),
                    (false, true) => {}
                }
                let own = classes.first().map(|&(part, _)| part);
                let mut wrong = false;
                support.each(&network.graph, [edge], |input| {
                    let part = whole.split.part_of[input];
                    wrong |= part != CONTEXT && Some(part) != own;
                });
                if wrong {
                    return Err("a move depends on a part that it does not act on");
                }
            }
            match classes.len() {
                0 => conditions.pass[role].push(context),
                1 => {
                    let turn = conditions.turn[role].get_or_insert_with(|| context.clone());
                    if *turn != context {
                        return Err("moves of one role depend on the context in different ways");
                    }
                }
                _ => return Err("a move acts on several parts"),
            }
        }
        Ok(conditions)
    }
}

impl Context {
    fn new(
        course: &Course,
        outcomes: &Outcomes,
        conditions: &Conditions,
        whole: &Decomposition,
    ) -> Self {
        let holds = |all: &[Edge], time: usize| course.holds(whole, all, time);
        let times = course.states.len();
        let kinds = outcomes.kinds.last();
        let kind = |time: usize| {
            let vector = course.concepts[time].clone().into_boxed_slice();
            kinds.and_then(|kinds| kinds.get(&vector)).copied().unwrap_or(0)
        };
        let turn = |time: usize| {
            let may = |all: &Option<Vec<Edge>>| all.as_ref().is_some_and(|all| holds(all, time));
            conditions.turn.iter().map(may).collect::<Vec<bool>>()
        };
        let pass = |time: usize| {
            let may = |each: &Vec<Vec<Edge>>| each.iter().any(|all| holds(all, time));
            conditions.pass.iter().map(may).collect::<Vec<bool>>()
        };
        let context = Context {
            fluents: course.fluents.clone(),
            known: course.known.clone(),
            after: (0..times).map(|time| course.after(time)).collect(),
            kind: (0..times).map(kind).collect(),
            turn: (0..times).map(turn).collect(),
            pass: (0..times).map(pass).collect(),
        };
        context.merged()
    }

    /// The same context with indistinguishable states merged.
    fn merged(self) -> Self {
        let mut known: FxHashMap<(u32, &[bool], &[bool]), u32> = FxHashMap::default();
        let mut colours = Vec::new();
        for time in 0..self.after.len() {
            let fresh = known.len() as u32;
            let key = (self.kind[time], &self.turn[time][..], &self.pass[time][..]);
            colours.push(*known.entry(key).or_insert(fresh));
        }
        let colours =
            refine(colours, |time, colours, out| out.push(u64::from(colours[self.after[time]])));
        let count = colours.iter().max().map_or(0, |&max| max as usize + 1);
        let first: Vec<usize> = (0..count)
            .filter_map(|colour| colours.iter().position(|&c| c as usize == colour))
            .collect();
        let merged = |(bits, time): (Bits, usize)| (bits, colours[time] as usize);
        Context {
            fluents: self.fluents,
            known: self.known.into_iter().map(merged).collect(),
            after: first.iter().map(|&time| colours[self.after[time]] as usize).collect(),
            kind: first.iter().map(|&time| self.kind[time]).collect(),
            turn: first.iter().map(|&time| self.turn[time].clone()).collect(),
            pass: first.iter().map(|&time| self.pass[time].clone()).collect(),
        }
    }
}
