//! From gates in sections to tapes over rows.

use magister_lanes::{Gate, Tape, TapeForm, Width};

use super::{Wire, depth_first, fuse, in_place, in_runs, rows, wanted};

/// The input of the layout.
pub(crate) struct Layout<'a> {
    /// The form of the tapes.
    pub(crate) form: TapeForm,
    /// The row widths for which code is generated, if any.
    pub(crate) widths: &'a [Width],
    /// The number of wires.
    pub(crate) wires: usize,
    /// The wires below this number have their own rows, in order.
    pub(crate) inputs: u32,
    /// Other wires that are written from outside.
    pub(crate) fixed: &'a [Wire],
    /// Wires that are read from outside.
    pub(crate) kept: Vec<Wire>,
    /// The wires with the next values of the fluents, if the last section is to leave its results
    /// on the wires of the fluents, which follow wire 0.
    pub(crate) after: Option<&'a [Wire]>,
}

/// Tapes, and the row of each wire.
pub(crate) struct Laid {
    pub(crate) tapes: Vec<Tape>,
    pub(crate) row: Vec<u32>,
    pub(crate) rows: usize,
    /// Whether all tapes are code.
    pub(crate) compiled: bool,
}

impl Layout<'_> {
    /// Sections as tapes; they run in order, and some may be skipped.
    pub(crate) fn lay(mut self, mut sections: Vec<Vec<Gate>>) -> Laid {
        let wires = self.wires;
        let form = self.form;
        let widths = if form == TapeForm::Runs { &[] } else { self.widths };
        if let Some(after) = self.after {
            self.kept.extend(after);
        }
        if form == TapeForm::TableCode {
            let wanted = wanted(&sections, wires, &self.kept);
            for (section, wanted) in sections.iter_mut().zip(&wanted) {
                *section = fuse(section, wires, wanted);
            }
        }
        let needed = wanted(&sections, wires, &self.kept);
        for (section, wanted) in sections.iter_mut().zip(&needed) {
            *section = match form {
                TapeForm::Runs => in_runs(section, wires),
                TapeForm::Code | TapeForm::TableCode => depth_first(section, wires, wanted),
            };
        }
        if let (Some(after), Some(last)) = (self.after, sections.last_mut()) {
            *last = in_place(last, wires, after);
            self.kept.truncate(self.kept.len() - after.len());
            self.kept.extend(1..=after.len() as u32);
        }
        let outs: Vec<Vec<Wire>> = wanted(&sections, wires, &self.kept)
            .iter()
            .map(|wanted| (0..wires as u32).filter(|&wire| wanted[wire as usize]).collect())
            .collect();
        let (row, rows) = rows(&mut sections, wires, self.inputs, &self.kept, self.fixed);
        let mut compiled = true;
        let mut tape = |(gates, outs): (&Vec<Gate>, &Vec<Wire>)| {
            let mut tape = Tape::new(gates, rows);
            let outs: Vec<u32> = outs.iter().map(|&wire| row[wire as usize]).collect();
            compiled &=
                widths.iter().fold(form != TapeForm::Runs, |all, &w| tape.compile(w, &outs) && all);
            tape
        };
        let tapes = sections.iter().zip(&outs).map(&mut tape).collect();
        Laid { tapes, row, rows, compiled }
    }
}
