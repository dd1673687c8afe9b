//! From tables to atoms: numbers everything and resolves the decidable negations.

use magister_gdl::Dialect;

use super::grounded::{AtomId, AtomKind, Grounded, Relation, Signed, Truth};
use super::rules::{DOES, FLUENTS, Kind, NEXT, TableId};
use super::run::{Grounder, relation_table};
use crate::term::{Functor, TermId};

/// Atoms with their numbers, and instances over them.
#[derive(Default)]
pub(super) struct Numbered {
    atoms: Vec<AtomKind>,
    /// The relations, each with its first atom.
    relations: Vec<(u32, Relation)>,
    /// The number of the first row of each table.
    base: Vec<u32>,
    /// The position of each row, for sorted tables.
    places: Vec<Vec<u32>>,
    heads: Vec<AtomId>,
    ends: Vec<u32>,
    literals: Vec<Signed>,
}

impl Numbered {
    /// The atom of a row of a table.
    pub(super) fn atom(&self, table: TableId, row: u32) -> AtomId {
        let place = self.places[table.index()].get(row as usize).copied().unwrap_or(row);
        AtomId(self.base[table.index()] + place)
    }

    pub(super) fn new_atom(&mut self, kind: AtomKind) -> AtomId {
        self.atoms.push(kind);
        AtomId(self.atoms.len() as u32 - 1)
    }

    pub(super) fn instance(&mut self, head: AtomId, body: impl IntoIterator<Item = Signed>) {
        self.literals.extend(body);
        self.heads.push(head);
        self.ends.push(self.literals.len() as u32);
    }
}

impl Grounder<'_> {
    /// Numbers the atoms and turns the results into instances over them.
    fn numbered(&mut self) -> Numbered {
        let mut numbered = Numbered {
            base: vec![0; self.tables.len()],
            places: vec![Vec::new(); self.tables.len()],
            ..Numbered::default()
        };
        let role_number =
            |role: TermId| self.roles.iter().position(|&r| r == role).unwrap_or(0) as u32;
        // Fluents and moves first, in that order; then all other dynamic tables.
        let order = (0..self.tables.len()).filter(|&t| self.set.kinds[t] == Kind::Dynamic);
        for table in order {
            numbered.base[table] = numbered.atoms.len() as u32;
            let written = self.set.origins[table].index() == table;
            let relation = if written { Relation::Written(table as u32) } else { Relation::Made };
            numbered.relations.push((numbered.base[table], relation));
            let rows = &self.tables[table];
            let sorted = self.sorted(TableId(table as u32));
            let mut places = vec![0; sorted.len()];
            sorted.iter().enumerate().for_each(|(at, &row)| places[row as usize] = at as u32);
            numbered.places[table] = places;
            for at in 0..rows.len() {
                let row = sorted.get(at as usize).copied().unwrap_or(at);
                numbered.new_atom(match TableId(table as u32) {
                    FLUENTS => AtomKind::Fluent(rows.row(row)[0]),
                    DOES => AtomKind::Does(role_number(rows.row(row)[0]), rows.row(row)[1]),
                    _ => AtomKind::Derived,
                });
            }
        }
        numbered.relations.push((numbered.atoms.len() as u32, Relation::Made));
        let mut body: Vec<Signed> = Vec::new();
        for (number, raw) in self.found.iter().enumerate() {
            let next = self.found.get(number + 1);
            let positive_end = next.map_or(self.positive.len(), |r| r.positive as usize);
            let negative_end = next.map_or(self.negative.len(), |r| r.negative as usize);
            for &(table, row) in &self.positive[raw.positive as usize..positive_end] {
                body.push(Signed::new(numbered.atom(table, row), false));
            }
            let mut tape = &self.negative[raw.negative as usize..negative_end];
            while let Some((&table, rest)) = tape.split_first() {
                let arity = self.set.arities[table as usize];
                let tuple: Vec<TermId> = rest[..arity].iter().map(|&n| TermId(n)).collect();
                tape = &rest[arity..];
                // A condition that can never be true is dropped.
                if let Some(row) = self.tables[table as usize].find(&tuple) {
                    body.push(Signed::new(numbered.atom(TableId(table), row), true));
                }
            }
            numbered.instance(numbered.atom(raw.head.0, raw.head.1), body.drain(..));
        }
        self.count_instances(&mut numbered);
        numbered
    }

    /// The rows of a table in the order of their numbers, where that differs from the order of
    /// discovery: fluents by term, and moves by role and term. State words, move ids and
    /// observations follow this order, so it must depend only on the terms.
    fn sorted(&self, table: TableId) -> Vec<u32> {
        let rows = &self.tables[table.index()];
        let mut sorted: Vec<u32> = (0..rows.len()).collect();
        match table {
            FLUENTS => sorted.sort_by(|&a, &b| self.terms.compare(rows.row(a)[0], rows.row(b)[0])),
            DOES => {
                let role = |row: u32| self.roles.iter().position(|&r| r == rows.row(row)[0]);
                sorted.sort_by(|&a, &b| {
                    let terms = || self.terms.compare(rows.row(a)[1], rows.row(b)[1]);
                    role(a).cmp(&role(b)).then_with(terms)
                });
            }
            _ => sorted.clear(),
        }
        sorted
    }

    /// The result of grounding.
    pub(super) fn finish(mut self) -> Grounded {
        let numbered = self.numbered();
        let atom = |(table, row): (TableId, u32)| numbered.atom(table, row);
        let fluents = self.tables[FLUENTS.index()].len() as usize;
        let moves = self.tables[DOES.index()].len() as usize;
        // The fluents that were found first are those of the initial state.
        let mut initial: Vec<AtomId> =
            (0..self.initial().len() as u32).map(|row| atom((FLUENTS, row))).collect();
        initial.sort_unstable();
        let next = self
            .sorted(FLUENTS)
            .into_iter()
            .map(|row| {
                let fluent = self.tables[FLUENTS.index()].row(row);
                self.tables[NEXT.index()].find(fluent).map(|row| atom((NEXT, row)))
            })
            .collect();
        let legal = self.legal_atoms(&atom);
        let truth = |table: TableId, row: u32| {
            if self.set.is_dynamic(table) { Truth::When(atom((table, row))) } else { Truth::Always }
        };
        let terminal = relation_table(self.program, "terminal", 0)
            .and_then(|t| self.tables[t.index()].find(&[]).map(|row| truth(t, row)));
        let listed = |name: &str| {
            let Some(table) = relation_table(self.program, name, 2) else { return Vec::new() };
            let rows = &self.tables[table.index()];
            let mut listed: Vec<(u32, TermId, Truth)> = (0..rows.len())
                .filter_map(|row| {
                    let tuple = rows.row(row);
                    let role = self.roles.iter().position(|&r| r == tuple[0])?;
                    Some((role as u32, tuple[1], truth(table, row)))
                })
                .collect();
            listed.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| self.terms.compare(a.1, b.1)));
            listed
        };
        let goals = listed("goal");
        let percepts =
            if self.program.dialect == Dialect::Gdl2 { listed("sees") } else { Vec::new() };
        let Numbered { atoms, relations, heads, ends, literals, .. } = numbered;
        Grounded {
            atoms,
            relations,
            fluents,
            moves,
            idling: self.program.dialect == Dialect::Operations,
            roles: self.roles.len(),
            heads,
            ends,
            literals,
            initial,
            next,
            legal,
            terminal,
            goals,
            percepts,
            terms: self.terms,
        }
    }

    /// The conditions of each legal move.
    fn legal_atoms(&self, atom: &impl Fn((TableId, u32)) -> AtomId) -> Vec<Option<Vec<AtomId>>> {
        let moves = &self.tables[DOES.index()];
        // A row of a static table is always true and needs no condition.
        let needed =
            |(table, row): (TableId, u32)| self.set.is_dynamic(table).then(|| atom((table, row)));
        self.sorted(DOES)
            .into_iter()
            .map(|row| {
                let legal = self.legal?;
                let tuple = moves.row(row);
                let operations = self.program.dialect == Dialect::Operations;
                let wanted = if operations { &tuple[1..] } else { tuple };
                let row = self.tables[legal.index()].find(wanted)?;
                let mut all: Vec<AtomId> = needed((legal, row)).into_iter().collect();
                if operations {
                    all.extend(needed(self.control(tuple[0])?));
                }
                Some(all)
            })
            .collect()
    }

    /// The row that says that a role is in control, if it can be.
    fn control(&self, role: TermId) -> Option<(TableId, u32)> {
        let symbol = self.terms.find_symbol("control")?;
        if let Some(view) = relation_table(self.program, "control", 1)
            && self.program.views.contains(&symbol)
        {
            return self.tables[view.index()].find(&[role]).map(|row| (view, row));
        }
        let functor = Functor { symbol, arity: Some(1) };
        let fluents = &self.tables[FLUENTS.index()];
        (0..fluents.len())
            .find(|&row| {
                let fluent = fluents.row(row)[0];
                self.terms.functor(fluent) == functor && self.terms.args(fluent) == [role]
            })
            .map(|row| (FLUENTS, row))
    }
}
