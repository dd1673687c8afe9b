//! The random choice of a move as a circuit.
//!
//! Bottom up, a tree of adders counts the legal moves of each lane, or adds their weights. A random
//! number below that sum comes from outside. Top down, each node compares the number with the sum
//! of its left half and goes left, or goes right with the difference. A lane is active in one child
//! only, so nothing has to be merged.

use magister_lanes::Operation;

use crate::circuit::{Circuit, Wire};
use crate::network::{Edge, MoveId, Network};

/// A number for every lane: its digits, lowest first, `None` if a digit is always zero.
pub(super) type Digits = Vec<Option<Wire>>;

/// What an entry of the list of moves adds to the sum: 1 if its move is legal, or its weight.
#[derive(Clone, Debug)]
pub(super) struct Leaf {
    digits: Digits,
    /// The largest value.
    most: u64,
}

impl Leaf {
    /// Counts 1 if a move is legal.
    pub(super) fn one(legal: Wire) -> Self {
        Self { digits: vec![Some(legal)], most: 1 }
    }

    /// The weight of a legal move of a network; 1 if its role has no weights. The gates of the
    /// conditions exist already.
    pub(super) fn of(
        circuit: &mut Circuit<'_>,
        network: &Network,
        place: MoveId,
        legal: Wire,
    ) -> Self {
        let first = network.weights.partition_point(|weight| weight.place < place);
        let parts = network.weights[first..].iter().take_while(|weight| weight.place == place);
        let mut sum: Option<Self> = None;
        for part in parts {
            let held = match part.when {
                Edge::TRUE => legal,
                when => {
                    let when = circuit.edge(when);
                    circuit.two(Operation::And, legal, when)
                }
            };
            let digits = (0..u32::BITS - part.weight.leading_zeros())
                .map(|digit| (part.weight >> digit & 1 == 1).then_some(held))
                .collect();
            let part = Self { digits, most: part.weight.into() };
            sum = Some(match sum {
                Some(sum) => {
                    let most = sum.most + part.most;
                    Self { digits: add(circuit, &sum.digits, &part.digits, most), most }
                }
                None => part,
            });
        }
        sum.unwrap_or_else(|| Self::one(legal))
    }

    /// The value of several leaves, at most one of which counts in a lane.
    pub(super) fn any(circuit: &mut Circuit<'_>, leaves: &[Leaf]) -> Option<Self> {
        let longest = leaves.iter().map(|leaf| leaf.digits.len()).max()?;
        let digits = (0..longest).map(|at| {
            let wires: Vec<Wire> =
                leaves.iter().filter_map(|leaf| leaf.digits.get(at).copied().flatten()).collect();
            circuit.any(&wires)
        });
        let digits = digits.collect();
        Some(Self { digits, most: leaves.iter().map(|leaf| leaf.most).max()? })
    }
}

/// The lanes in which a legal move of chance has no weight, which is a defect of the rules.
pub(super) fn weightless(
    circuit: &mut Circuit<'_>,
    network: &Network,
    legal: &[Wire],
) -> Option<Wire> {
    let mut wrong = Vec::new();
    for parts in network.weights.chunk_by(|one, other| one.place == other.place) {
        let never = |when: Edge, weight: u32| when == Edge::TRUE && weight > 0;
        if parts.iter().any(|part| never(part.when, part.weight)) {
            continue;
        }
        let held: Vec<Wire> = parts
            .iter()
            .filter(|part| part.weight > 0)
            .map(|part| circuit.edge(part.when))
            .collect();
        let legal = legal[parts[0].place.index()];
        wrong.push(match circuit.any(&held) {
            Some(held) => circuit.two(Operation::AndNot, legal, held),
            None => legal,
        });
    }
    circuit.any(&wrong)
}

/// A set of moves and the sum over the legal ones.
struct Tree {
    sum: Digits,
    halves: Option<Box<(Tree, Tree)>>,
    /// The largest sum.
    most: u64,
    /// The number of moves.
    size: usize,
}

/// A choice with its sum.
pub(super) struct Counted {
    tree: Tree,
    /// The digits of the sum, all of which are wires.
    digits: Vec<Wire>,
}

impl Counted {
    /// Adds the values of the legal moves.
    pub(super) fn new(circuit: &mut Circuit<'_>, leaves: &[Leaf]) -> Self {
        let tree = sum(circuit, leaves);
        let digits =
            tree.sum.iter().map(|digit| digit.unwrap_or_else(|| circuit.two(Operation::Nor, 0, 0)));
        let digits = digits.collect();
        Self { tree, digits }
    }

    /// The digits of the sum, the lowest first.
    pub(super) fn digits(&self) -> &[Wire] {
        &self.digits
    }

    /// For each move, whether a given number falls into its share of the sum.
    pub(super) fn choose(&self, circuit: &mut Circuit<'_>, number: &[Wire]) -> Vec<Wire> {
        let mut chosen = Vec::with_capacity(self.tree.size);
        descend(circuit, &self.tree, None, number, &mut chosen);
        chosen
    }
}

/// The digits of `floor(U * c / 2^n)`, for the n digits of `U` in `random` and those of `c` in
/// `count`, lowest first; `None` if a digit is always zero. Also returns the lanes in which
/// further, lower digits of `U` could change the result.
pub(super) fn scale(
    circuit: &mut Circuit<'_>,
    random: &[Wire],
    count: &[Wire],
) -> (Vec<Option<Wire>>, Option<Wire>) {
    // For each digit of U, lowest first: add c if the digit is 1, and halve.
    let mut sum: Vec<Option<Wire>> = vec![None; count.len()];
    let mut ones: Option<Wire> = None;
    for (at, &u) in random.iter().enumerate() {
        let mut carry: Option<Wire> = None;
        for (digit, &c) in count.iter().enumerate() {
            let part = circuit.two(Operation::And, c, u);
            let (total, over) = match (sum[digit], carry) {
                (None, None) => (part, None),
                (Some(one), None) | (None, Some(one)) => (
                    circuit.two(Operation::Xor, one, part),
                    Some(circuit.two(Operation::And, one, part)),
                ),
                (Some(one), Some(two)) => (
                    circuit.three(Operation::Sum, one, part, two),
                    Some(circuit.three(Operation::Carry, one, part, two)),
                ),
            };
            carry = over;
            if digit > 0 {
                sum[digit - 1] = Some(total);
            } else if at >= count.len() {
                // The lower digits add less than c. They can carry into the result only if all
                // digits above those that c itself reaches are ones.
                ones = Some(match ones {
                    Some(ones) => circuit.two(Operation::And, ones, total),
                    None => total,
                });
            }
        }
        if let Some(last) = sum.last_mut() {
            *last = carry;
        }
    }
    (sum, ones)
}

fn sum(circuit: &mut Circuit<'_>, leaves: &[Leaf]) -> Tree {
    match leaves {
        [] => return Tree { sum: Vec::new(), halves: None, most: 0, size: 0 },
        [one] => {
            return Tree { sum: one.digits.clone(), halves: None, most: one.most, size: 1 };
        }
        _ => {}
    }
    // The left half is a power of two, so that counts have few digits.
    let half = leaves.len().next_power_of_two() / 2;
    let left = sum(circuit, &leaves[..half]);
    let right = sum(circuit, &leaves[half..]);
    let most = left.most + right.most;
    let sum = add(circuit, &left.sum, &right.sum, most);
    Tree { sum, halves: Some(Box::new((left, right))), most, size: leaves.len() }
}

/// The number of digits of numbers up to `most`.
fn digits(most: u64) -> usize {
    (u64::BITS - most.leading_zeros()) as usize
}

/// The sum of two numbers; `most` is its upper bound.
fn add(circuit: &mut Circuit<'_>, a: &[Option<Wire>], b: &[Option<Wire>], most: u64) -> Digits {
    let mut sum = Vec::new();
    let mut carry: Option<Wire> = None;
    for at in 0..digits(most) {
        let digit = |number: &[Option<Wire>]| number.get(at).copied().flatten();
        let parts: Vec<Wire> = [digit(a), digit(b), carry].into_iter().flatten().collect();
        let last = at + 1 == digits(most);
        let (digit, over) = match parts[..] {
            [] => (None, None),
            [one] => (Some(one), None),
            [one, two] => (
                Some(circuit.two(Operation::Xor, one, two)),
                (!last).then(|| circuit.two(Operation::And, one, two)),
            ),
            _ => (
                Some(circuit.three(Operation::Sum, parts[0], parts[1], parts[2])),
                (!last).then(|| circuit.three(Operation::Carry, parts[0], parts[1], parts[2])),
            ),
        };
        sum.push(digit);
        carry = over;
    }
    sum
}

/// Descends to the move whose share contains the number, in the active lanes, or in all lanes if
/// none are given.
fn descend(
    circuit: &mut Circuit<'_>,
    tree: &Tree,
    active: Option<Wire>,
    number: &[Wire],
    chosen: &mut Vec<Wire>,
) {
    let Some(halves) = &tree.halves else {
        if tree.size > 0 {
            let held: Vec<Wire> = tree.sum.iter().copied().flatten().collect();
            chosen.push(match active {
                Some(active) => active,
                None => circuit.any(&held).unwrap_or(0),
            });
        }
        return;
    };
    let (left, right) = &**halves;
    let number = &number[..digits(tree.most - 1).min(number.len())];
    // number - left.sum, digit by digit.
    let mut less: Option<Wire> = None;
    let mut rest = Vec::new();
    let needed = if right.most > 1 { digits(right.most - 1) } else { 0 };
    for (at, &digit) in number.iter().enumerate() {
        let other = left.sum.get(at).copied().flatten();
        if at < needed {
            rest.push(match (other, less) {
                (Some(other), Some(less)) => circuit.three(Operation::Sum, digit, other, less),
                (Some(one), None) | (None, Some(one)) => circuit.two(Operation::Xor, digit, one),
                (None, None) => digit,
            });
        }
        less = match (other, less) {
            (Some(other), Some(less)) => Some(circuit.three(Operation::Borrow, digit, other, less)),
            (Some(one), None) | (None, Some(one)) => {
                Some(circuit.two(Operation::AndNot, one, digit))
            }
            (None, None) => None,
        };
    }
    // The left sum may have more digits than the number.
    for other in left.sum.iter().skip(number.len()).copied().flatten() {
        less = Some(match less {
            Some(less) => circuit.two(Operation::Or, less, other),
            None => other,
        });
    }
    let Some(less) = less else { return };
    let to_left = match active {
        Some(active) => circuit.two(Operation::And, active, less),
        None => less,
    };
    let to_right = match active {
        Some(active) => circuit.two(Operation::AndNot, active, less),
        None => circuit.two(Operation::Nor, less, less),
    };
    descend(circuit, left, Some(to_left), number, chosen);
    descend(circuit, right, Some(to_right), &rest, chosen);
}
