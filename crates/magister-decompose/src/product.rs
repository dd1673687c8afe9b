//! Products: the quotient of any decomposed game, regardless of how its moves act on its parts.
//!
//! A state is a class for each part and a state of the context. Two states of a part are in one
//! class if they have the same concepts and every joint action on the part leads them to the same
//! class. Legal moves, `terminal` and goals are computed from the concepts, so simultaneous moves,
//! compound moves, serial games and cycles need no special treatment.

use std::sync::Arc;

use magister_core::{Game, Halt, Info, Move, Role, Stop};
use magister_engine::Compiled;
use magister_engine::network::Network;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::abstracted::{Abstract, Dynamics};
use crate::decomposition::Decomposition;
use crate::local::{Bounds, Course, Label, Local, project};
use crate::outcomes::Outcomes;
use crate::refine::refine;
use crate::simultaneous;
use crate::sum::Sizes;
use crate::tops::{Tops, read};

/// The maximum number of states of the context.
const LONGEST: usize = 100_000;

/// The classes of one part.
#[derive(Debug)]
struct PartClasses {
    labels: FxHashMap<Label, u32>,
    /// For every class, the class that each label leads to.
    next: Vec<FxHashMap<u32, u32>>,
    concepts: Vec<Box<[bool]>>,
    /// The states of the part, and the class of each.
    local: Local,
    class_of: Vec<u32>,
    /// For every class, the dominated actions: role and action.
    dropped: Vec<FxHashSet<(usize, u32)>>,
}

/// The quotient of a decomposed game.
#[derive(Debug)]
pub struct Product {
    info: Info,
    texts: Vec<String>,
    tops: Tops,
    /// The role and the number of each move, and its classes in the parts that it acts on.
    moves: Vec<(Role, Move)>,
    goals: Vec<(Role, Option<f64>)>,
    missing: Option<f64>,
    acts: Vec<Vec<(u32, u32)>>,
    places: FxHashMap<(Role, Move), usize>,
    roles: usize,
    parts: Vec<PartClasses>,
    course: Course,
    /// Sizes of the parts.
    pub sizes: Sizes,
    /// The number of combinations of states of the parts, and of their classes.
    pub(crate) extent: (f64, f64),
}

impl Product {
    /// The quotient of a game; an error if its parts are too large.
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
            return Err(Halt::Limit(
                "games with chance or with rewards during play have no product search".to_owned(),
            ));
        }
        let tops = Tops::new(network, &whole.split);
        let course = Course::new(network, whole, &tops, LONGEST)?;
        let mut parts = Vec::new();
        let mut sizes = Sizes::default();
        let mut extent = (1.0, 1.0);
        for part in 0..whole.split.parts {
            let local = Local::new(network, whole, &tops, &course, part, bounds, stop)?;
            extent.0 *= local.len() as f64;
            sizes.states += local.len();
            let classes = PartClasses::new(local);
            sizes.classes += classes.next.len();
            extent.1 *= classes.next.len() as f64;
            parts.push(classes);
        }
        sizes.pruned = sizes.classes;
        let places =
            network.moves.iter().enumerate().map(|(place, &choice)| (choice, place)).collect();
        Ok(Product {
            info: compiled.info().clone(),
            texts: compiled.names().moves().to_vec(),
            tops,
            moves: network.moves.clone(),
            goals: network.goals.iter().map(|goal| (goal.role, goal.value)).collect(),
            missing: compiled.missing_goal(),
            acts: whole.classes_of_moves.clone(),
            places,
            roles: network.roles(),
            parts,
            course,
            sizes,
            extent,
        })
    }

    /// The quotient as a game, with the moves of the game that it represents.
    pub fn game(self: &Arc<Self>) -> Arc<dyn Game> {
        Arc::new(Abstract::new(&self.info, "product", Arc::clone(self)))
    }

    /// The class of a state of the whole game, if its parts were enumerated.
    pub(crate) fn place(&self, state: &[u64]) -> Option<Vec<u64>> {
        let time = *self.course.known.get(&project(&self.course.fluents, state))?;
        let mut place = vec![time as u64];
        for part in &self.parts {
            place.push(u64::from(part.class_of[part.local.place(state, time)? as usize]));
        }
        Some(place)
    }

    fn values<'v>(&self, state: &[u64], memory: &'v mut Vec<bool>) -> &'v [bool] {
        let context = self.parts.len();
        let concept = |part: usize, number: usize| {
            if part == context {
                self.course.concepts[state[0] as usize][number]
            } else {
                self.parts[part].concepts[state[part + 1] as usize][number]
            }
        };
        self.tops.evaluate(concept, memory)
    }
}

impl Product {
    fn is_dropped(&self, state: &[u64], role: Role, place: usize) -> bool {
        self.acts[place].iter().any(|&(part, action)| {
            let part = part as usize;
            let dropped = &self.parts[part].dropped[state[part + 1] as usize];
            dropped.contains(&(role.index(), action))
        })
    }

    /// Prunes actions that another action of the role dominates in every context; see
    /// [`simultaneous`](crate::simultaneous). This applies only to two-player
    /// constant-sum games in which each move acts on one part and its legality depends only on that
    /// part. Returns the number of pruned actions.
    ///
    /// States that only pruned actions lead to are no longer part of the game.
    pub fn prune(&mut self, network: &Network) -> usize {
        if self.roles != 2 || self.parts.iter().any(|part| part.local.timed) {
            return 0;
        }
        let context = self.parts.len();
        for (place, acts) in self.acts.iter().enumerate() {
            let below = self.tops.below([self.tops.legal[place]]);
            let own = match acts[..] {
                [] => continue,
                [(part, _)] => part as usize,
                _ => return 0,
            };
            let elsewhere = |part: usize| part != own && below[part].contains(&true);
            if (0..=context).any(elsewhere) {
                return 0;
            }
        }
        // The conditions of goals and `terminal`, and of moves without effect.
        let goals = self.tops.goals.iter().copied().chain([self.tops.terminal]);
        let counts = self.tops.below(goals);
        let idle = (0..self.acts.len()).filter(|&place| self.acts[place].is_empty());
        let shows = self.tops.below(idle.map(|place| self.tops.legal[place]));
        let masked = |mask: &[bool], vector: &[bool]| -> Box<[bool]> {
            vector.iter().zip(mask).map(|(&value, &counts)| value && counts).collect()
        };
        let distinct = |all: &mut dyn Iterator<Item = Box<[bool]>>| {
            let mut seen = FxHashSet::default();
            all.filter(|vector| seen.insert(vector.clone())).collect::<Vec<_>>()
        };
        let mut vectors: Vec<Vec<Box<[bool]>>> = (0..context)
            .map(|at| {
                let own = self.parts[at].concepts.iter();
                distinct(&mut own.map(|vector| masked(&counts[at], vector)))
            })
            .collect();
        let times = self.course.concepts.iter();
        vectors.push(distinct(&mut times.map(|vector| masked(&counts[context], vector))));
        let Some(outcomes) = Outcomes::new(network, &self.tops, &vectors, self.missing) else {
            return 0;
        };
        if !outcomes.opposite() {
            return 0;
        }
        let mut total = 0;
        for at in 0..context {
            let kinds = outcomes.sizes[at];
            let at_most: Vec<bool> = (0..kinds * kinds)
                .map(|pair| outcomes.at_most(at, (pair / kinds) as u32, (pair % kinds) as u32, 0))
                .collect();
            let part = &self.parts[at];
            let kind = |class: usize| {
                let vector = masked(&counts[at], &part.concepts[class]);
                outcomes.kinds[at][&vector] as usize
            };
            let looks: Vec<(usize, Box<[bool]>)> = (0..part.concepts.len())
                .map(|class| (kind(class), masked(&shows[at], &part.concepts[class])))
                .collect();
            let outcome = |s: usize, t: usize| {
                looks[s].1 == looks[t].1 && at_most[looks[s].0 * kinds + looks[t].0]
            };
            let mut pairs = vec![(0, 0); part.labels.len()];
            #[expect(clippy::iter_over_hash_type, reason = "every label has its own place")]
            for (label, &number) in &part.labels {
                pairs[number as usize] = (label[0], label[1]);
            }
            let next: Vec<FxHashMap<(u32, u32), u32>> = part
                .next
                .iter()
                .map(|next| next.iter().map(|(&label, &to)| (pairs[label as usize], to)).collect())
                .collect();
            let dropped = simultaneous::Part::new(next, &outcome).dominated();
            total += dropped.iter().map(FxHashSet::len).sum::<usize>();
            self.parts[at].dropped = dropped;
        }
        total
    }
}

impl PartClasses {
    fn new(mut local: Local) -> Self {
        let mut known: FxHashMap<&[bool], u32> = FxHashMap::default();
        let mut colours = Vec::with_capacity(local.len());
        for vector in &local.concepts {
            let fresh = known.len() as u32;
            colours.push(*known.entry(vector).or_insert(fresh));
        }
        let colours = refine(colours, |state, colours, out| {
            for &(label, target) in &local.next[state] {
                out.push(u64::from(label) << 32 | u64::from(colours[target as usize]));
            }
        });
        let count = colours.iter().max().map_or(0, |&max| max as usize + 1);
        let mut next = vec![FxHashMap::default(); count];
        let mut concepts: Vec<Box<[bool]>> = vec![Box::default(); count];
        let mut done = vec![false; count];
        for (state, &colour) in colours.iter().enumerate() {
            if !std::mem::replace(&mut done[colour as usize], true) {
                concepts[colour as usize].clone_from(&local.concepts[state]);
                next[colour as usize] = local.next[state]
                    .iter()
                    .map(|&(label, target)| (label, colours[target as usize]))
                    .collect();
            }
        }
        let labels = local.labels.iter().cloned().zip(0..).collect();
        // From here on, successors and concepts are those of the classes.
        (local.next, local.concepts) = (Vec::new(), Vec::new());
        let dropped = vec![FxHashSet::default(); count];
        PartClasses { labels, next, concepts, local, class_of: colours, dropped }
    }
}

impl Dynamics for Product {
    fn start(&self) -> Vec<u64> {
        vec![0; self.parts.len() + 1]
    }

    fn is_state(&self, state: &[u64]) -> bool {
        state.len() == self.parts.len() + 1
            && (state[0] as usize) < self.course.states.len()
            && state[1..]
                .iter()
                .zip(&self.parts)
                .all(|(&class, part)| (class as usize) < part.next.len())
    }

    fn moves(&self, state: &[u64], legal: &mut [Vec<Move>]) -> bool {
        let mut memory = Vec::new();
        let values = self.values(state, &mut memory);
        if read(values, self.tops.terminal) {
            return true;
        }
        for (place, &(role, choice)) in self.moves.iter().enumerate() {
            if read(values, self.tops.legal[place]) && !self.is_dropped(state, role, place) {
                legal[role.index()].push(choice);
            }
        }
        false
    }

    fn make(&self, state: &mut Vec<u64>, joint: &[Move]) {
        let mut label: Vec<u32> = vec![0; self.roles];
        for part in 0..self.parts.len() {
            for (role, &choice) in joint.iter().enumerate() {
                let place = self.places.get(&(Role(role as u8), choice));
                let class = place
                    .and_then(|&place| self.acts[place].iter().find(|&&(p, _)| p as usize == part));
                label[role] = class.map_or(0, |&(_, class)| class);
            }
            let classes = &self.parts[part];
            let number = classes.labels.get(&label[..]);
            let class = state[part + 1] as usize;
            if let Some(&target) = number.and_then(|number| classes.next[class].get(number)) {
                state[part + 1] = u64::from(target);
            } else {
                debug_assert!(false, "every legal joint move has a successor in every part");
            }
        }
        state[0] = self.course.after(state[0] as usize) as u64;
    }

    fn goals(&self, state: &[u64], role: Role, out: &mut Vec<f64>) {
        let mut memory = Vec::new();
        let values = self.values(state, &mut memory);
        for (&(whose, value), &signal) in self.goals.iter().zip(&self.tops.goals) {
            if whose == role && read(values, signal) {
                out.extend(value);
            }
        }
        if out.is_empty() {
            out.extend(self.missing);
        }
        out.sort_by(f64::total_cmp);
        out.dedup();
    }

    fn move_text(&self, choice: Move) -> String {
        if choice == Move::IDLE {
            return magister_core::text::IDLE_TEXT.to_owned();
        }
        self.texts.get(choice.index()).cloned().unwrap_or_else(|| "?".to_owned())
    }
}
