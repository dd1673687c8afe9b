//! The random choice of a move as a circuit.
//!
//! Bottom up, a tree of adders counts the legal moves of each lane. Outside, a random number below
//! that count is made. Top down, each node compares the number with the count of its left half and
//! goes left, or goes right with the difference. A lane is active in one child only, so nothing
//! ever has to be merged.

use magister_lanes::Operation;

use crate::circuit::{Circuit, Wire};

/// A set of moves and how many of them are legal.
struct Tree {
    /// The digits of the number of legal moves, the lowest first.
    count: Vec<Wire>,
    halves: Option<Box<(Tree, Tree)>>,
    size: usize,
}

/// A choice whose moves have been counted.
pub(super) struct Counted {
    tree: Tree,
}

impl Counted {
    /// Counts the moves that are legal.
    pub(super) fn new(circuit: &mut Circuit<'_>, legal: &[Wire]) -> Self {
        Self { tree: count(circuit, legal) }
    }

    /// The digits of the number of legal moves, the lowest first.
    pub(super) fn digits(&self) -> &[Wire] {
        &self.tree.count
    }

    /// For each move, whether it is the one with a given number among the legal ones.
    pub(super) fn choose(&self, circuit: &mut Circuit<'_>, number: &[Wire]) -> Vec<Wire> {
        let mut chosen = Vec::with_capacity(self.tree.size);
        descend(circuit, &self.tree, None, number, &mut chosen);
        chosen
    }
}

/// The digits of `floor(U * c / 2^n)`, for the n digits of `U` in `random` and those of `c` in
/// `count`, the lowest first; none where a digit is always zero. And where more digits of `U`
/// below those could make a difference.
pub(super) fn scale(
    circuit: &mut Circuit<'_>,
    random: &[Wire],
    count: &[Wire],
) -> (Vec<Option<Wire>>, Option<Wire>) {
    // Digit by digit of U, the lowest first: add c where the digit is 1, and halve.
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
                // What lies below adds less than c. To carry into the result it needs ones in all
                // places above those that c reaches itself.
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

fn count(circuit: &mut Circuit<'_>, legal: &[Wire]) -> Tree {
    if let [one] = *legal {
        return Tree { count: vec![one], halves: None, size: 1 };
    }
    // The left half is a power of two, so that counts have few digits.
    let half = legal.len().next_power_of_two() / 2;
    let left = count(circuit, &legal[..half]);
    let right = count(circuit, &legal[half..]);
    let sum = add(circuit, &left.count, &right.count, legal.len());
    Tree { count: sum, halves: Some(Box::new((left, right))), size: legal.len() }
}

/// The number of digits that numbers up to `most` need.
fn digits(most: usize) -> usize {
    (usize::BITS - most.leading_zeros()) as usize
}

/// The sum of two numbers, which is at most `most`.
fn add(circuit: &mut Circuit<'_>, a: &[Wire], b: &[Wire], most: usize) -> Vec<Wire> {
    let mut sum = Vec::new();
    let mut carry: Option<Wire> = None;
    for at in 0..digits(most) {
        let parts: Vec<Wire> =
            [a.get(at).copied(), b.get(at).copied(), carry].into_iter().flatten().collect();
        let last = at + 1 == digits(most);
        let (digit, over) = match parts[..] {
            [] => break,
            [one] => (one, None),
            [one, two] => (
                circuit.two(Operation::Xor, one, two),
                (!last).then(|| circuit.two(Operation::And, one, two)),
            ),
            _ => (
                circuit.three(Operation::Sum, parts[0], parts[1], parts[2]),
                (!last).then(|| circuit.three(Operation::Carry, parts[0], parts[1], parts[2])),
            ),
        };
        sum.push(digit);
        carry = over;
    }
    sum
}

/// Goes down to the move with the number, in the lanes that are active; in all if none is given.
fn descend(
    circuit: &mut Circuit<'_>,
    tree: &Tree,
    active: Option<Wire>,
    number: &[Wire],
    chosen: &mut Vec<Wire>,
) {
    let Some(halves) = &tree.halves else {
        chosen.push(active.unwrap_or(tree.count[0]));
        return;
    };
    let (left, right) = &**halves;
    let number = &number[..digits(tree.size - 1).min(number.len())];
    // number - left.count, digit by digit.
    let mut less: Option<Wire> = None;
    let mut rest = Vec::new();
    let needed = if right.size > 1 { digits(right.size - 1) } else { 0 };
    for (at, &digit) in number.iter().enumerate() {
        let other = left.count.get(at).copied();
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
    // The left count may have a digit more than any number.
    for &other in left.count.iter().skip(number.len()) {
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
