//! Checked rules with the tables for the machine.

use rustc_hash::FxHashMap;

use crate::certain::{self, Body};
use crate::ir::{Arg, Award, Checked, Given, PlaceName, StrId, Vis};

/// Marks a name without a family.
pub(crate) const NONE: u32 = u32::MAX;

/// Rules that are ready to run.
#[derive(Debug)]
pub(crate) struct Program {
    pub rules: Checked,
    /// Whether to reproduce the behaviour of the original program.
    pub compat: bool,
    pub limits: crate::CardLimits,
    /// The number of owners of piles: the table and the players.
    pub seats: u32,
    /// The number of owners of stores: the table, the players, the teams.
    pub owners: u32,
    pub cards: usize,
    /// For each visibility and string, the family of piles.
    pub places: [Vec<u32>; 5],
    pub indexed: FxHashMap<(u32, StrId, i32), u32>,
    /// For each kind of store and string, the family.
    pub stores: [Vec<u32>; 3],
    /// For each string, the row of the attribute with that name.
    pub rows: Vec<u32>,
    /// Rows of values, one for each card.
    pub values: Vec<StrId>,
    /// For each text of a point map, the scores of the constant awards.
    pub fixed: Vec<Vec<i32>>,
    /// For each text, the awards that must be computed.
    pub open: Vec<Vec<Award>>,
    /// The number of words of a point map in a state: its text and its arguments.
    pub stride: usize,
    /// For each pile, the players who see its cards, as bits.
    pub seen: Vec<u64>,
    /// For each player, the team.
    pub team_of: Vec<Option<u32>>,
    /// The initial piles.
    pub start: Vec<Vec<u16>>,
    /// For each pile, whether it only remembers cards.
    memory: Vec<bool>,
    /// For each statement that is an `any`, what is known about its body.
    pub bodies: Vec<Body>,
}

impl Program {
    pub(crate) fn new(rules: Checked, compat: bool, limits: crate::CardLimits) -> Self {
        let cards = rules.cards.len();
        let seats = rules.players + 1;
        let owners = seats + rules.teams.len() as u32;
        let strings = rules.strings.len();
        let mut places: [Vec<u32>; 5] = std::array::from_fn(|_| vec![NONE; strings]);
        let mut indexed = FxHashMap::default();
        for (family, place) in rules.places.iter().enumerate() {
            let vis = place.vis as usize;
            if place.index == 0 {
                places[vis][place.name as usize] = family as u32;
            }
            indexed.insert((vis as u32, place.name, place.index), family as u32);
        }
        let stores = [&rules.ints, &rules.strs, &rules.maps].map(|names| {
            let mut table = vec![NONE; strings];
            for (family, &name) in names.iter().enumerate() {
                table[name as usize] = family as u32;
            }
            table
        });
        let mut rows = vec![NONE; strings];
        let mut values: Vec<StrId> = Vec::new();
        for (card, text) in rules.cards.iter().enumerate() {
            for &(name, value) in &text.values {
                let row = &mut rows[name as usize];
                if *row == NONE {
                    *row = (values.len() / cards) as u32;
                    values.resize(values.len() + cards, 0);
                }
                values[*row as usize * cards + card] = value;
            }
        }
        let seen = seen(&rules, seats);
        let mut team_of = vec![None; rules.players as usize];
        for (team, members) in rules.teams.iter().enumerate() {
            for &member in members {
                team_of[member as usize] = Some(team as u32);
            }
        }
        let mut start = vec![Vec::new(); rules.places.len() * seats as usize];
        for (card, text) in rules.cards.iter().enumerate() {
            start[text.pile as usize].push(card as u16);
        }
        let memory = |place: &PlaceName| vec![place.vis == Vis::Memory; seats as usize];
        let memory = rules.places.iter().flat_map(memory).collect();
        let stride = 1 + rules.texts.iter().map(|text| text.given.len()).max().unwrap_or(0);
        let mut program = Program {
            compat,
            limits,
            seats,
            owners,
            cards,
            places,
            indexed,
            stores,
            rows,
            values,
            fixed: Vec::new(),
            open: Vec::new(),
            stride,
            seen,
            team_of,
            start,
            memory,
            bodies: certain::bodies(&rules),
            rules,
        };
        program.split_awards();
        program
    }

    /// Adds up the constant awards.
    fn split_awards(&mut self) {
        for text in &self.rules.texts {
            let mut fixed = vec![0; self.cards];
            let mut open = Vec::new();
            for award in &text.awards {
                let known = matches!(award.points, Arg::Const(_))
                    && award
                        .pairs
                        .iter()
                        .all(|pair| matches!(pair, (Arg::Const(_), Arg::Const(_))));
                if known {
                    self.award(award, &[], &mut fixed);
                } else {
                    open.push(award.clone());
                }
            }
            self.fixed.push(fixed);
            self.open.push(open);
        }
    }

    /// Adds the points of an award to each card.
    pub(crate) fn award(&self, award: &Award, given: &[i32], table: &mut [i32]) {
        let arg = |arg: Arg| match arg {
            Arg::Const(value) => value,
            Arg::Given(at) => given[at as usize],
        };
        let points = arg(award.points);
        if let [(name, value)] = award.pairs[..] {
            let value = arg(value) as StrId;
            let row = self.rows[arg(name) as usize];
            if row != NONE {
                let row = &self.values[row as usize * self.cards..][..self.cards];
                for (&has, score) in row.iter().zip(table) {
                    if has == value {
                        *score = score.wrapping_add(points);
                    }
                }
            } else if value == 0 {
                table.iter_mut().for_each(|score| *score = score.wrapping_add(points));
            }
            return;
        }
        for (card, score) in table.iter_mut().enumerate() {
            let matches = award
                .pairs
                .iter()
                .all(|&(name, value)| self.value(arg(name) as StrId, card) == arg(value) as StrId);
            if matches {
                *score = score.wrapping_add(points);
            }
        }
    }

    /// The value of an attribute of a card; the empty string if it has none.
    #[inline]
    pub(crate) fn value(&self, name: StrId, card: usize) -> StrId {
        match self.rows[name as usize] {
            NONE => 0,
            row => self.values[row as usize * self.cards + card],
        }
    }

    pub(crate) fn given(&self, text: u32) -> &[Given] {
        &self.rules.texts[text as usize].given
    }

    pub(crate) fn piles(&self) -> usize {
        self.start.len()
    }

    /// The family of a pile, and its owner.
    pub(crate) fn pile(&self, pile: usize) -> (&PlaceName, u32) {
        let seats = self.seats as usize;
        (&self.rules.places[pile / seats], (pile % seats) as u32)
    }

    #[inline]
    pub(crate) fn is_memory(&self, pile: usize) -> bool {
        self.memory[pile]
    }
}

fn seen(rules: &Checked, seats: u32) -> Vec<u64> {
    let everybody = u64::MAX >> (64 - rules.players.min(64));
    let mut seen = Vec::new();
    for place in &rules.places {
        for owner in 0..seats {
            let own = if owner == 0 { 0 } else { 1u64 << (owner - 1) };
            seen.push(match place.vis {
                Vis::Visible | Vis::Memory => everybody,
                Vis::Owner => own,
                Vis::Hidden => 0,
                Vis::Others => everybody & !own,
            });
        }
    }
    seen
}
