//! The conditions that rules name below the end and the goals.
//!
//! Gates do not show what rules call by a name: the gates of two conditions of one rule, and those
//! of a rule and of a condition that it uses, become one. Where the structure of the rules matters,
//! these lists have it.

use rustc_hash::FxHashMap;

use crate::grounder::{Grounded, Truth};

/// The most literals of all concepts together; a game with more has none.
const MOST: usize = 200_000;

/// A condition with a name: it holds if all literals of one of its bodies do. Signs are left out.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Concept {
    /// The literals of each rule: a number below that of the fluents is a fluent, any other one a
    /// concept, counted from there.
    pub bodies: Vec<Vec<u32>>,
    /// Whether it is the end or a goal itself.
    pub outermost: bool,
}

/// All concepts below the end and the goals.
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
    while let Some(&atom) = order.get(all.len()) {
        let mut concept = Concept { bodies: Vec::new(), outermost: all.len() < outermost };
        for &instance in instances.get(&atom).map_or(&[][..], Vec::as_slice) {
            let literals = ground.instance(instance).1.iter().map(|literal| literal.atom().0);
            let body: Vec<u32> = literals
                .map(|atom| if atom < fluents { atom } else { number(atom, &mut order) })
                .collect();
            size += body.len();
            concept.bodies.push(body);
        }
        if size > MOST {
            return Vec::new();
        }
        all.push(concept);
    }
    all
}
