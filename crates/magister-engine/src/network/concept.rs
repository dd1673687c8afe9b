//! Concepts: the named conditions that `terminal` and `goal` depend on.
//!
//! Gates do not preserve the named relations of the rules: the gates of two conditions of one rule,
//! or those of a rule and of a condition that it uses, are merged. These lists keep the structure
//! of the rules where it matters. Relations that the grounder made to split a rule are not in the
//! rules, so their conditions count as those of the rule.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::grounder::{AtomId, Grounded, Relation, Truth};

/// The maximum number of literals of all concepts together; a game that exceeds it has no concepts.
const MOST: usize = 200_000;

/// A condition with a name. It holds if all literals of one of its bodies do. Signs are omitted.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Concept {
    /// The literals of each rule: a number below the number of fluents is a fluent; other numbers
    /// are concepts, counted from there.
    pub bodies: Vec<Vec<u32>>,
    /// The number of its relation in the rules; conditions of the same relation have the same one.
    pub relation: u32,
    /// Whether it is `terminal` or a goal itself.
    pub outermost: bool,
}

/// All concepts that `terminal` and the goals depend on.
pub(super) fn concepts(ground: &Grounded) -> Vec<Concept> {
    let mut instances: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
    for number in 0..ground.instances() {
        instances.entry(ground.instance(number).0.0).or_default().push(number);
    }
    let ends = ground.terminal.into_iter().chain(ground.goals.iter().map(|goal| goal.2));
    let roots: Vec<u32> = ends
        .filter_map(|truth| match truth {
            Truth::Always => None,
            Truth::When(atom) => Some(atom.0),
        })
        .collect();
    let fluents = ground.fluents as u32;
    let mut numbers: FxHashMap<u32, u32> = FxHashMap::default();
    let mut order: Vec<u32> = Vec::new();
    let mut number = |atom: u32, order: &mut Vec<u32>| -> u32 {
        *numbers.entry(atom).or_insert_with(|| {
            order.push(atom);
            order.len() as u32 - 1 + fluents
        })
    };
    for &root in roots.iter().filter(|&&root| root >= fluents) {
        number(root, &mut order);
    }
    let outermost = order.len();
    let mut all: Vec<Concept> = Vec::new();
    let mut size = 0;
    let mut seen: FxHashSet<u32> = FxHashSet::default();
    while let Some(&atom) = order.get(all.len()) {
        let relation = match ground.relation(AtomId(atom)) {
            Relation::Written(relation) => relation,
            Relation::Made => u32::MAX,
        };
        let outermost = all.len() < outermost;
        let mut concept = Concept { bodies: Vec::new(), relation, outermost };
        for &instance in instances.get(&atom).map_or(&[][..], Vec::as_slice) {
            let mut body: Vec<u32> = Vec::new();
            let mut open = vec![instance];
            seen.clear();
            while let Some(instance) = open.pop() {
                for literal in ground.instance(instance).1 {
                    size += 1;
                    let atom = literal.atom();
                    if atom.0 < fluents {
                        body.push(atom.0);
                    } else if ground.relation(atom) != Relation::Made {
                        body.push(number(atom.0, &mut order));
                    } else if seen.insert(atom.0) {
                        open.extend(instances.get(&atom.0).into_iter().flatten());
                    }
                }
                if size > MOST {
                    return Vec::new();
                }
            }
            concept.bodies.push(body);
        }
        all.push(concept);
    }
    all
}
