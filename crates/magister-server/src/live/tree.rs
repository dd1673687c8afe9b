//! The continuations that were tried in a standalone match.

use serde::{Deserialize, Serialize};

/// The turns of a standalone match as a tree, with the current line.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tree {
    nodes: Vec<Node>,
    /// The turns of the current line, including those that can be redone.
    line: Vec<usize>,
    /// The number of them that have been made.
    at: usize,
}

/// A turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Node {
    parent: Option<usize>,
    /// The moves in seat order.
    moves: Vec<String>,
    /// Whether a role had a choice.
    chosen: bool,
}

/// Another continuation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch<'a> {
    /// The ply at which it branches off from the line.
    pub ply: usize,
    /// Its number, for a jump to it.
    pub node: usize,
    /// The moves of its first turn, in seat order.
    pub moves: &'a [String],
}

/// The maximum number of turns in the tree.
const NODES: usize = 5_000;

impl Tree {
    /// The number of turns that have been made.
    pub fn at(&self) -> usize {
        self.at
    }

    /// Records a turn. A turn that was made before is not recorded twice.
    pub fn push(&mut self, moves: Vec<String>, chosen: bool) {
        if let Some(&next) = self.line.get(self.at)
            && self.nodes[next].moves == moves
        {
            self.at += 1;
            return;
        }
        self.line.truncate(self.at);
        let parent = self.line.last().copied();
        let known = self.nodes.iter().position(|node| node.parent == parent && node.moves == moves);
        let node = known.unwrap_or_else(|| {
            self.nodes.push(Node { parent, moves, chosen });
            self.nodes.len() - 1
        });
        self.line.push(node);
        self.at += 1;
        if self.nodes.len() > NODES {
            self.forget();
        }
    }

    /// Keeps only the current line.
    fn forget(&mut self) {
        let kept: Vec<Node> = self.line.iter().map(|&node| self.nodes[node].clone()).collect();
        self.line = (0..kept.len()).collect();
        self.nodes = kept;
        for (number, node) in self.nodes.iter_mut().enumerate() {
            node.parent = number.checked_sub(1);
        }
    }

    /// Where an undo leads: before the last turn in which a role had a choice.
    pub fn back(&self) -> Option<usize> {
        (0..self.at).rev().find(|&at| self.nodes[self.line[at]].chosen)
    }

    /// Where a redo leads: to the next turn in which a role has a choice, or to the end.
    pub fn forth(&self) -> Option<usize> {
        if self.at >= self.line.len() {
            return None;
        }
        let next = (self.at + 1..self.line.len()).find(|&at| self.nodes[self.line[at]].chosen);
        Some(next.unwrap_or(self.line.len()))
    }

    /// Goes to a ply of the line and returns the turns up to there.
    pub fn go(&mut self, ply: usize) -> Option<Vec<Vec<String>>> {
        if ply > self.line.len() {
            return None;
        }
        self.at = ply;
        Some(self.line[..ply].iter().map(|&node| self.nodes[node].moves.clone()).collect())
    }

    /// Makes the line of a node the current one and goes to it.
    pub fn switch(&mut self, node: usize) -> Option<Vec<Vec<String>>> {
        if node >= self.nodes.len() {
            return None;
        }
        let mut line = vec![node];
        while let Some(parent) = self.nodes[line[line.len() - 1]].parent {
            line.push(parent);
        }
        line.reverse();
        let ply = line.len();
        // The line continues as it did when the branch was left.
        while let Some(next) = self.nodes.iter().rposition(|one| one.parent == line.last().copied())
        {
            line.push(next);
        }
        self.line = line;
        self.go(ply)
    }

    /// The length of the line, including turns that can be redone.
    pub fn len(&self) -> usize {
        self.line.len()
    }

    /// The continuations that branch off from the current line.
    pub fn branches(&self) -> Vec<Branch<'_>> {
        let mut found = Vec::new();
        for (number, node) in self.nodes.iter().enumerate() {
            let ply = match node.parent {
                None => Some(0),
                Some(parent) => self.line.iter().position(|&one| one == parent).map(|at| at + 1),
            };
            if let Some(ply) = ply
                && self.line.get(ply) != Some(&number)
            {
                found.push(Branch { ply, node: number, moves: &node.moves });
            }
        }
        found.sort_by_key(|branch| (branch.ply, branch.node));
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(text: &str) -> Vec<String> {
        vec![text.to_owned()]
    }

    #[test]
    fn lines_and_branches() {
        let mut tree = Tree::default();
        for text in ["a", "b", "c"] {
            tree.push(turn(text), true);
        }
        assert_eq!((tree.back(), tree.forth()), (Some(2), None));
        assert_eq!(tree.go(1), Some(vec![turn("a")]));
        assert_eq!((tree.back(), tree.forth()), (Some(0), Some(2)));
        // The same move again stays on the line, another one leaves it.
        tree.push(turn("b"), true);
        assert_eq!((tree.at(), tree.len()), (2, 3));
        tree.go(1);
        tree.push(turn("x"), true);
        assert_eq!((tree.at(), tree.len()), (2, 2));
        let branches = tree.branches();
        assert_eq!(branches, [Branch { ply: 1, node: 1, moves: &turn("b") }]);
        assert_eq!(tree.switch(1), Some(vec![turn("a"), turn("b")]));
        assert_eq!((tree.at(), tree.len()), (2, 3));
        assert_eq!(tree.branches()[0].moves, turn("x"));
        assert_eq!((tree.go(9), tree.switch(9)), (None, None));
    }

    #[test]
    fn turns_without_a_choice_are_passed_over() {
        let mut tree = Tree::default();
        tree.push(turn("a"), true);
        tree.push(turn("dice 1"), false);
        assert_eq!(tree.back(), Some(0));
        tree.go(0);
        assert_eq!(tree.forth(), Some(2));
    }
}
