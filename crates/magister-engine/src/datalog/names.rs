//! A worker's cache of the numbers that all workers of a game share.

use std::sync::Mutex;

use super::table::NONE;
use crate::reference::locked;
use crate::reference::numbering::{Numbered, Numbering};
use crate::term::{TermId, Terms};

/// A move that this worker has encountered.
#[derive(Clone, Copy, Debug)]
struct Seen {
    number: u32,
    term: TermId,
    /// Its rank among all known moves, in term order.
    rank: u32,
}

/// The numbers of terms, cached.
#[derive(Clone, Debug, Default)]
struct Numbers {
    /// By term.
    number_of: Vec<u32>,
}

impl Numbers {
    fn get(
        &mut self,
        term: TermId,
        terms: &Terms,
        numbering: &Mutex<Numbering>,
        which: fn(&mut Numbering) -> &mut Numbered,
    ) -> u32 {
        let place = term.0 as usize;
        if place >= self.number_of.len() {
            self.number_of.resize(terms.len(), NONE);
        }
        if self.number_of[place] == NONE {
            let mut numbering = locked(numbering);
            let there = numbering.terms.copy(terms, term);
            self.number_of[place] = which(&mut numbering).number(there);
        }
        self.number_of[place]
    }
}

/// The numbers of moves, percepts and fluents that this worker has encountered.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    moves: Numbers,
    percepts: Numbers,
    fluents: Numbers,
    /// The terms of fluents, by number.
    fluent_terms: Vec<u32>,
    seen: Vec<Seen>,
    /// By term, its place in `seen`.
    place_of: Vec<u32>,
    /// The places in `seen`, in term order.
    order: Vec<u32>,
}

impl Names {
    /// The number of a percept.
    pub(super) fn percept(
        &mut self,
        term: TermId,
        terms: &Terms,
        numbering: &Mutex<Numbering>,
    ) -> u32 {
        self.percepts.get(term, terms, numbering, |n| &mut n.percepts)
    }

    /// The number of a fluent.
    pub(super) fn fluent(
        &mut self,
        term: TermId,
        terms: &Terms,
        numbering: &Mutex<Numbering>,
    ) -> u32 {
        self.fluents.get(term, terms, numbering, |n| &mut n.fluents)
    }

    /// The fluent with a number, if there is one.
    pub(super) fn fluent_term(
        &mut self,
        number: u64,
        terms: &mut Terms,
        numbering: &Mutex<Numbering>,
    ) -> Option<TermId> {
        let place = usize::try_from(number).ok()?;
        if let Some(&term) = self.fluent_terms.get(place)
            && term != NONE
        {
            return Some(TermId(term));
        }
        let numbering = locked(numbering);
        let there = numbering.fluents.get(u32::try_from(number).ok()?)?;
        let term = terms.copy(&numbering.terms, there);
        if place >= self.fluent_terms.len() {
            self.fluent_terms.resize(place + 1, NONE);
        }
        self.fluent_terms[place] = term.0;
        Some(term)
    }

    /// Replaces terms by the places of these moves, in term order.
    pub(super) fn sort_moves(
        &mut self,
        moves: &mut [u32],
        terms: &Terms,
        numbering: &Mutex<Numbering>,
    ) {
        let known = self.seen.len();
        for entry in &mut *moves {
            let place = *entry as usize;
            if place >= self.place_of.len() {
                self.place_of.resize(terms.len(), NONE);
            }
            if self.place_of[place] == NONE {
                let term = TermId(*entry);
                let number = self.moves.get(term, terms, numbering, |n| &mut n.moves);
                self.place_of[place] = self.seen.len() as u32;
                self.seen.push(Seen { number, term, rank: 0 });
            }
            *entry = self.place_of[place];
        }
        if self.seen.len() > known {
            self.rank(known, terms);
        }
        for entry in &mut *moves {
            *entry = self.seen[*entry as usize].rank;
        }
        moves.sort_unstable();
        for entry in moves {
            *entry = self.order[*entry as usize];
        }
    }

    /// Recomputes the ranks when there are new moves.
    fn rank(&mut self, known: usize, terms: &Terms) {
        self.order.extend(known as u32..self.seen.len() as u32);
        let seen = &self.seen;
        let term = |place: u32| seen[place as usize].term;
        // Most are already in order, and this sort benefits from that.
        self.order.sort_by(|&a, &b| terms.compare(term(a), term(b)));
        for (rank, &place) in self.order.iter().enumerate() {
            self.seen[place as usize].rank = rank as u32;
        }
    }

    /// The number and the term of a move at a place.
    pub(super) fn choice(&self, place: u32) -> (u32, TermId) {
        let seen = &self.seen[place as usize];
        (seen.number, seen.term)
    }
}
