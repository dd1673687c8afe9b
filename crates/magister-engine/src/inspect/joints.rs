//! All joint moves of a position.

use magister_core::Move;

/// All joint moves; the last role changes fastest.
pub(super) struct Joints<'a> {
    legal: &'a [Vec<Move>],
    places: Vec<usize>,
    joint: Vec<Move>,
    begun: bool,
}

impl<'a> Joints<'a> {
    pub(super) fn new(legal: &'a [Vec<Move>]) -> Self {
        Joints { legal, places: vec![0; legal.len()], joint: Vec::new(), begun: false }
    }

    pub(super) fn next(&mut self) -> Option<&[Move]> {
        if !self.begun {
            self.begun = true;
            self.joint =
                self.legal.iter().map(|moves| moves.first().copied()).collect::<Option<_>>()?;
            return Some(&self.joint);
        }
        for role in (0..self.legal.len()).rev() {
            self.places[role] += 1;
            if let Some(&choice) = self.legal[role].get(self.places[role]) {
                self.joint[role] = choice;
                return Some(&self.joint);
            }
            self.places[role] = 0;
            self.joint[role] = self.legal[role][0];
        }
        None
    }
}
