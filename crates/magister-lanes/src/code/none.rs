//! No code on this machine.

use crate::{Tape, Width, Wires};

/// There is no code on this machine.
#[derive(Clone, Debug)]
pub(crate) enum Code {}

impl Code {
    pub(crate) fn possible() -> bool {
        false
    }

    pub(crate) fn new(_: &[(&Tape, &[u32])], _: Width) -> Option<Vec<Self>> {
        None
    }

    pub(crate) fn width(&self) -> Width {
        match *self {}
    }

    pub(crate) fn run(&self, _: &mut Wires) {
        match *self {}
    }
}
