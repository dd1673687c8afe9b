//! Classifies relations: parts of a board, counters, lines of text and others.

use magister_core::BoardStyle;

use super::domain::{Kind, common_prefix};
use super::graph;
use super::groups::Things;
use super::marks::words;
use super::material::Material;
use super::relation::Relation;

/// The maximum number of rows or columns of a board, and of boards of one relation.
const SIDE: usize = 60;
const BOARDS: usize = 16;
/// The maximum length of a single row, and the maximum number of values in a row whose cells have
/// names.
const LONG_ROW: usize = 30;
const FEW_VALUES: usize = 6;
/// Names that rules use for the position of a role on a track.
const TRACK: [&str; 6] = ["at", "pos", "position", "location", "place", "square"];
/// The maximum number of rows with names instead of numbers.
const NAMED_ROWS: usize = 8;

/// The source of a coordinate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Axis {
    /// A leaf.
    Leaf(usize),
    /// The first part of a leaf that names a square.
    First(usize),
    /// The second part.
    Second(usize),
    /// There is only one row or column.
    One,
}

/// The geometry of a relation on a board.
#[derive(Clone, Debug)]
pub(super) struct Lie {
    pub(super) column: Axis,
    pub(super) row: Axis,
    /// The leaves that distinguish several boards.
    pub(super) split: Vec<usize>,
    /// The leaves with the contents of a cell.
    pub(super) label: Vec<usize>,
    /// Whether the first row is at the bottom.
    pub(super) up: bool,
    /// The leaves of column and row of a second cell with the same contents, such as the other end
    /// of a ship.
    pub(super) also: Option<(usize, usize)>,
}

impl Lie {
    /// One row of cells, or points.
    pub(super) fn points(leaf: usize, label: Vec<usize>) -> Self {
        let (column, row) = (Axis::Leaf(leaf), Axis::One);
        Lie { column, row, split: Vec::new(), label, up: false, also: None }
    }
}

/// The class of a relation.
#[derive(Clone, Debug)]
pub(super) enum Class {
    /// Something on a board.
    Board(Lie),
    /// Something on the board of another relation; a line of text if there is no such board.
    Guest(Lie),
    /// Points connected by rules: the leaf of the point, and those of its contents.
    Graph(usize, Vec<usize>),
    /// A value for each key, given by one leaf: heaps, scores.
    Counters(usize),
    /// One fluent at a time: the role to move, the step.
    Line,
    /// Things by the role in this leaf.
    Groups(usize),
    /// Things that stand on each other.
    Stacks(Things),
    /// Listed fluents, by the first leaf if there are several.
    List,
    /// A fluent without arguments.
    Fact,
}

impl Relation {
    pub(super) fn classify(&self, material: &Material, style: Option<&BoardStyle>) -> Class {
        if let Some(lie) = style.and_then(|style| self.styled(style, material)) {
            return Class::Board(lie);
        }
        let count = self.domains.len();
        let all: Vec<usize> = (0..count).filter(|leaf| !self.spare.contains(leaf)).collect();
        if count == 0 {
            return Class::Fact;
        }
        if let Some(things) = self.stacked() {
            return Class::Stacks(things);
        }
        if let Some(owner) = self.held_by() {
            return Class::Groups(owner);
        }
        // A value that every role has is not a position on a track, unless its name says so.
        if let Some(value) = self.per_role.filter(|&value| !self.is_track(value)) {
            return Class::Counters(value);
        }
        let places = |leaves: &[usize]| -> Vec<usize> {
            leaves.iter().copied().filter(|&leaf| self.is_place(leaf)).collect()
        };
        if self.determined.len() == count {
            return match places(&all)[..] {
                [a, b] => Class::Guest(self.lie(a, b, &[], material)),
                _ => Class::Line,
            };
        }
        let keys: Vec<usize> =
            all.iter().copied().filter(|leaf| !self.determined.contains(leaf)).collect();
        let ordered = places(&keys);
        // Pieces at positions, each of which is numbered or named.
        if let ([_], [a, b]) = (&keys[..], &places(&self.determined)[..])
            && self.determined.len() == 2
        {
            return Class::Board(self.lie(*a, *b, &keys, material));
        }
        // Things of two cells each: all four coordinates are determined by the thing.
        if let (&[key], &[a, b, c, d]) = (&keys[..], &self.determined[..])
            && [a, b, c, d].iter().all(|&leaf| self.is_place(leaf))
            && self.domains[a].names == self.domains[c].names
            && self.domains[b].names == self.domains[d].names
        {
            let lie = self.lie(a, b, &[key], material);
            let also = if lie.column == Axis::Leaf(a) { (c, d) } else { (d, c) };
            return Class::Board(Lie { also: Some(also), ..lie });
        }
        // Points in a rectangle, on several boards.
        if let &[a, b] = &keys[..] {
            let point = |leaf: &&usize| {
                let word = matches!(self.domains[**leaf].kind, Kind::Letters | Kind::Series);
                word && graph::rectangle(&self.domains[**leaf], material).is_some()
            };
            let other = |point: usize| if point == a { b } else { a };
            if let Some(&point) = [a, b].iter().find(point)
                && self.domains[other(point)].names.len() <= BOARDS
                && self.domains[a].names != self.domains[b].names
            {
                let (split, label) = (vec![other(point)], self.determined.clone());
                return Class::Board(Lie { split, ..Lie::points(point, label) });
            }
        }
        if let Some((a, b)) = self.coordinates(&ordered, material) {
            // An undetermined leaf that is not a coordinate distinguishes boards, unless no other
            // leaf gives the contents: then it does.
            let others: Vec<usize> = keys.iter().copied().filter(|&k| k != a && k != b).collect();
            let (split, label) = if self.determined.is_empty() {
                others.into_iter().partition(|&leaf| self.tells_apart(leaf))
            } else {
                (others, self.determined.clone())
            };
            let boards = self.combinations(&split);
            if boards <= BOARDS {
                let mut lie = self.lie(a, b, &label, material);
                lie.split = split;
                return Class::Board(lie);
            }
            return Class::List;
        }
        if let Some(&square) = keys.iter().find(|&&leaf| self.domains[leaf].kind == Kind::Squares) {
            let split: Vec<usize> = keys.iter().copied().filter(|&leaf| leaf != square).collect();
            let boards = self.combinations(&split);
            if boards <= BOARDS {
                return Class::Board(self.on_squares(square, split, self.determined.clone()));
            }
        }
        if let ([place], [_, _]) = (&ordered[..], &keys[..]) {
            let other = if keys[0] == *place { keys[1] } else { keys[0] };
            if self.domains[other].names.len() <= NAMED_ROWS {
                let lie = Lie::points(*place, self.determined.clone());
                return Class::Board(Lie { row: Axis::Leaf(other), ..lie });
            }
            return Class::List;
        }
        let places_of_others = places(&self.determined);
        match (&keys[..], &ordered[..], &self.determined[..], &places_of_others[..]) {
            // Pieces at positions.
            (_, [], _, [a, b]) => {
                let label: Vec<usize> = all.iter().copied().filter(|k| k != a && k != b).collect();
                Class::Board(self.lie(*a, *b, &label, material))
            }
            (_, [], [square], []) if self.domains[*square].kind == Kind::Squares => {
                Class::Board(self.on_squares(*square, Vec::new(), keys))
            }
            ([key], [_], [value], [_]) if self.is_square(*key, *value) => {
                Class::Board(self.lie(*key, *value, &[], material))
            }
            // Marks that come and go, each at its own position.
            ([key], [_], [value], [_]) if self.is_sparse(*key, *value) => {
                Class::Board(self.lie(*key, *value, &[], material))
            }
            ([point], _, values, _) if self.is_point(*point, material) => {
                Class::Graph(*point, values.to_vec())
            }
            ([_], _, [value], _) if self.domains[*value].is_numeric() => Class::Counters(*value),
            ([place], [_], values, _) if self.is_row(*place, values) => {
                Class::Board(Lie::points(*place, values.to_vec()))
            }
            ([_], _, [value], _) => Class::Counters(*value),
            _ => self.owner().filter(|_| count > 1).map_or(Class::List, Class::Groups),
        }
    }

    /// The geometry of a style. Arguments are counted from one and refer to the first fluent. The
    /// others may use the same arguments; otherwise they are recognised automatically.
    fn styled(&self, style: &BoardStyle, material: &Material) -> Option<Lie> {
        let found = || match self.classify(material, None) {
            Class::Board(lie) | Class::Guest(lie) => Some(lie),
            _ => None,
        };
        let leaf = |argument: usize| self.places.iter().position(|&place| place + 1 == argument);
        let split: Vec<usize> = style.split.iter().filter_map(|&argument| leaf(argument)).collect();
        let rest = |taken: &[usize]| -> Vec<usize> {
            (0..self.domains.len()).filter(|leaf| !taken.contains(leaf)).collect()
        };
        let asked = (style.column.and_then(leaf), style.row.and_then(leaf));
        let first = style.fluents.first().is_some_and(|first| *first == self.name);
        let place = |leaf: usize| self.domains[leaf].is_ordered();
        let same = first || [asked.0, asked.1].into_iter().flatten().all(place);
        let mut lie = match (asked, if same { None } else { found() }) {
            (_, Some(lie)) => lie,
            ((Some(column), Some(row)), None) => {
                let mut taken = split.clone();
                taken.extend([column, row]);
                let (column, row) = (Axis::Leaf(column), Axis::Leaf(row));
                Lie { column, row, split, label: rest(&taken), up: false, also: None }
            }
            ((Some(only), None) | (None, Some(only)), None) => {
                let mut taken = split.clone();
                taken.push(only);
                if self.domains[only].kind == Kind::Squares && style.places.is_empty() {
                    self.on_squares(only, split, rest(&taken))
                } else {
                    let across = style.column.is_some();
                    let column = if across { Axis::Leaf(only) } else { Axis::One };
                    let row = if across { Axis::One } else { Axis::Leaf(only) };
                    Lie { column, row, split, label: rest(&taken), up: false, also: None }
                }
            }
            ((None, None), None) => found()?,
        };
        if let Some(end) = style.first_row {
            lie.up = end == magister_core::End::Bottom;
        }
        Some(lie)
    }

    /// The two leaves that are the columns and rows: those whose variable names say so, those with
    /// the same values, or the last ones.
    fn coordinates(&self, ordered: &[usize], material: &Material) -> Option<(usize, usize)> {
        let [.., a, b] = *ordered else { return None };
        let two = |found: Vec<usize>| match found[..] {
            [first, second] => Some((first, second)),
            _ => None,
        };
        let called = |leaf: &&usize| self.hint(**leaf, material) != Hint::None;
        let alike = |leaf: &&usize| {
            let same = |other: &&usize| self.domains[**other].names == self.domains[**leaf].names;
            ordered.iter().filter(same).count() == 2
        };
        let called = two(ordered.iter().filter(called).copied().collect());
        let alike = || two(ordered.iter().filter(alike).copied().collect());
        called.or_else(alike).or(Some((a, b)))
    }

    /// The number of combinations of the values of some leaves.
    fn combinations(&self, leaves: &[usize]) -> usize {
        leaves.iter().fold(1, |all, &leaf| all.saturating_mul(self.domains[leaf].names.len()))
    }

    /// Whether a leaf can be a coordinate.
    fn is_place(&self, leaf: usize) -> bool {
        let domain = &self.domains[leaf];
        domain.is_ordered() && domain.is_dense() && domain.names.len() <= SIDE
    }

    /// Whether two leaves, one of which determines the other, are the coordinates of a square, as
    /// with queens, one in each column.
    fn is_square(&self, a: usize, b: usize) -> bool {
        let (a, b) = (&self.domains[a], &self.domains[b]);
        // Heaps with letters have sizes at the start; columns with letters are empty.
        let lettered = a.kind == Kind::Letters && b.is_numeric() && !self.full;
        let alike = a.names == b.names || lettered && a.names.len() == b.names.len();
        let square = alike && a.names.len() > 3;
        square && self.size == a.names.len() * a.names.len() && a.position("0").is_none()
    }

    /// Whether a value of roles is a place on a track.
    fn is_track(&self, value: usize) -> bool {
        let called = words(&self.name).iter().any(|word| TRACK.contains(&word.as_str()));
        called && self.is_place(value) && self.domains[value].names.len() <= LONG_ROW
    }

    /// Whether two numbers, one of which determines the other, are coordinates: most pairs exist,
    /// but not all keys have a value at the start, as those of counters do.
    fn is_sparse(&self, key: usize, value: usize) -> bool {
        let (keys, values) = (self.domains[key].names.len(), self.domains[value].names.len());
        let numeric = self.domains[key].is_numeric() && self.domains[value].is_numeric();
        numeric && !self.full && keys > 3 && values > 2 && self.size * 10 >= keys * values * 6
    }

    /// A board of marks, if the leaves of this relation could be its columns and rows.
    pub(super) fn marks(&self, material: &Material) -> Option<Lie> {
        let both = self.domains.len() == 2 && self.is_place(0) && self.is_place(1);
        both.then(|| self.lie(0, 1, &[], material))
    }

    /// Whether a leaf is a row of cells with these values.
    fn is_row(&self, leaf: usize, values: &[usize]) -> bool {
        let few = values.iter().all(|&value| self.domains[value].names.len() <= FEW_VALUES);
        let (least, kind) = match self.domains[leaf].kind {
            Kind::Numbers => (if values.is_empty() { 6 } else { 3 }, true),
            Kind::Series => (3, !values.is_empty() && few),
            _ => (3, false),
        };
        kind && (least..=LONG_ROW).contains(&self.domains[leaf].names.len())
    }

    /// Whether a leaf is a point that facts connect with others, or one of a rectangle of points.
    fn is_point(&self, leaf: usize, material: &Material) -> bool {
        let points = &self.domains[leaf];
        let many = points.names.len() > 2 && !points.roles && points.kind != Kind::Squares;
        let apart = || graph::links(points, material).is_some() && !points.is_ordered();
        many && (apart()
            || graph::branches(points, material)
            || graph::rectangle(points, material).is_some())
    }

    /// Whether a leaf distinguishes several boards rather than their contents.
    fn tells_apart(&self, leaf: usize) -> bool {
        self.domains[leaf].is_ordered() || self.domains[leaf].roles
    }

    pub(super) fn on_squares(&self, leaf: usize, split: Vec<usize>, label: Vec<usize>) -> Lie {
        let digits = self.domains[leaf].names[0].as_bytes()[0].is_ascii_digit();
        let (first, second) = (Axis::First(leaf), Axis::Second(leaf));
        let (column, row) = if digits { (second, first) } else { (first, second) };
        Lie { column, row, split, label, up: !digits, also: None }
    }

    /// A board over two leaves: which of them is the row, and where the first row is.
    pub(super) fn lie(&self, a: usize, b: usize, label: &[usize], material: &Material) -> Lie {
        let letters = |leaf: usize| self.domains[leaf].kind == Kind::Letters;
        let called = || (self.hint(a, material), self.hint(b, material));
        let (row, column, up) = match self.prefixes(a, b).unwrap_or_else(called) {
            (Hint::Y, Hint::X | Hint::None) | (Hint::None, Hint::X) => (a, b, true),
            // Rules that name the column first mean x and y.
            (Hint::X, Hint::Y | Hint::None)
            | (Hint::None, Hint::Y | Hint::Row)
            | (Hint::Column, Hint::Row | Hint::None) => (b, a, true),
            (Hint::Row, Hint::Column | Hint::None) | (Hint::None, Hint::Column) => {
                (a, b, letters(b) && !letters(a))
            }
            _ if letters(a) && !letters(b) => (b, a, true),
            _ if letters(b) && !letters(a) => (a, b, true),
            _ => (a, b, false),
        };
        Lie {
            column: Axis::Leaf(column),
            row: Axis::Leaf(row),
            split: Vec::new(),
            label: label.to_vec(),
            up,
            also: None,
        }
    }

    /// The directions of two leaves whose values say it, such as `r1` and `c1`.
    fn prefixes(&self, a: usize, b: usize) -> Option<(Hint, Hint)> {
        let hint = |leaf: usize| {
            let names = self.domains[leaf].names.iter().map(|name| &**name);
            match common_prefix(names)?.trim_end_matches(['_', '-']).to_lowercase().as_str() {
                "r" | "row" => Some(Hint::Row),
                "c" | "col" | "column" => Some(Hint::Column),
                "x" => Some(Hint::X),
                "y" => Some(Hint::Y),
                _ => None,
            }
        };
        match (hint(a)?, hint(b)?) {
            (one, other) if one != other => Some((one, other)),
            _ => None,
        }
    }

    /// The direction suggested by the variable name of a leaf.
    fn hint(&self, leaf: usize, material: &Material) -> Hint {
        let Some(&place) = self.places.get(leaf) else { return Hint::None };
        let key = (self.name.clone(), place);
        let names = material.variables.get(&key).map_or(&[][..], Vec::as_slice);
        let mut votes = [0; 4];
        for name in names {
            let stem = name.trim_end_matches(|c: char| c.is_ascii_digit() || "_'".contains(c));
            match stem {
                _ if stem.contains("col") || stem.contains("file") => votes[0] += 1,
                _ if stem.contains("row") || stem.contains("rank") => votes[1] += 1,
                _ if stem.starts_with('x') || stem.ends_with('x') => votes[2] += 1,
                _ if stem.starts_with('y') || stem.ends_with('y') => votes[3] += 1,
                "c" => votes[0] += 1,
                "r" => votes[1] += 1,
                _ => {}
            }
        }
        let hints = [Hint::Column, Hint::Row, Hint::X, Hint::Y];
        let best = (0..4).max_by_key(|&hint| (votes[hint], 4 - hint)).unwrap_or(0);
        if votes[best] == 0 { Hint::None } else { hints[best] }
    }
}

/// The direction suggested by a variable name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hint {
    Column,
    Row,
    X,
    Y,
    None,
}
