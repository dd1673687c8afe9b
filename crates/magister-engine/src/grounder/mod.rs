//! Grounding: rules to the finite set of their instances that can matter.
//!
//! Static relations are evaluated once, exactly. The rest is grown bottom-up and semi-naively
//! from the initial state: fluents that `next` gives, moves that `legal` gives, and whatever
//! follows. Negations over what changes count as possible, so the result covers every reachable
//! state and perhaps more; every instance found is kept with its dynamic conditions.

mod join;
mod plan;
mod rules;
mod split;
mod table;

use magister_core::{Halt, Stop};
use magister_gdl::Dialect;

use crate::Error;
use crate::program::{Goal, Pattern, Program};
use crate::term::{Functor, TermId, Terms};

use join::{Join, Match, instantiate};
use plan::Plan;
use rules::{Condition, DOES, FLUENTS, NEXT, RuleSet, TableId};
use table::Table;

/// How far grounding may go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GroundLimits {
    /// Instances of rules.
    pub instances: usize,
    /// Memory in bytes, about.
    pub bytes: usize,
    /// Nesting of terms: rules that build ever larger ones end here.
    pub depth: u32,
    /// Rows that joins may look at.
    pub rows: u64,
}

impl Default for GroundLimits {
    fn default() -> Self {
        Self { instances: 8_000_000, bytes: 2 << 30, depth: 60, rows: 2_000_000_000 }
    }
}

/// An atom that may change during play: an index into [`Grounded::atoms`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct AtomId(pub u32);

/// An atom or its negation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Signed(u32);

impl Signed {
    /// The atom, negated or not.
    pub fn new(atom: AtomId, negated: bool) -> Self {
        Signed(atom.0 << 1 | u32::from(negated))
    }

    /// The atom.
    pub fn atom(self) -> AtomId {
        AtomId(self.0 >> 1)
    }

    /// Whether it is negated.
    pub fn negated(self) -> bool {
        self.0 & 1 == 1
    }
}

/// What an atom is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AtomKind {
    /// A fluent in the state.
    Fluent(TermId),
    /// A role, by its number, does a move.
    Does(u32, TermId),
    /// Anything that rules derive.
    Derived,
}

/// The instances of a program's rules.
#[derive(Clone, Debug)]
pub struct Grounded {
    /// All terms.
    pub terms: Terms,
    /// All atoms: first the fluents, then the moves, then what is derived.
    pub atoms: Vec<AtomKind>,
    /// The number of fluents.
    pub fluents: usize,
    /// The number of moves of all roles together.
    pub moves: usize,
    /// A role may have nothing to do, and then makes no move at all: the operations dialect.
    pub idling: bool,
    /// The number of roles.
    pub roles: usize,
    /// The heads of instances.
    heads: Vec<AtomId>,
    /// Where the body of each instance ends in `literals`.
    ends: Vec<u32>,
    literals: Vec<Signed>,
    /// The fluents of the initial state.
    pub initial: Vec<AtomId>,
    /// For every fluent the atom that says whether it is true in the next state.
    pub next: Vec<Option<AtomId>>,
    /// For every move the atoms that make it legal, all of which must hold; none if it never is.
    pub legal: Vec<Option<Vec<AtomId>>>,
    /// Whether the state is terminal; none if it never is.
    pub terminal: Option<Truth>,
    /// Goal values: the role, the value, when.
    pub goals: Vec<(u32, TermId, Truth)>,
    /// Percepts: the role, what is seen, when.
    pub percepts: Vec<(u32, TermId, Truth)>,
}

/// When something holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Truth {
    /// In every state.
    Always,
    /// When an atom does.
    When(AtomId),
}

impl Grounded {
    /// The term of a fluent.
    pub fn fluent(&self, fluent: u32) -> TermId {
        match self.atoms[fluent as usize] {
            AtomKind::Fluent(term) | AtomKind::Does(_, term) => term,
            AtomKind::Derived => unreachable!("fluents come first"),
        }
    }

    /// A move, by its number among the moves: the role and the term.
    pub fn the_move(&self, number: u32) -> (u32, TermId) {
        match self.atoms[self.fluents + number as usize] {
            AtomKind::Does(role, term) => (role, term),
            _ => unreachable!("moves come after the fluents"),
        }
    }

    /// The role that makes a move.
    pub fn role_of(&self, number: u32) -> u32 {
        self.the_move(number).0
    }

    /// The number of instances.
    pub fn instances(&self) -> usize {
        self.heads.len()
    }

    /// An instance: its head and its conditions.
    pub fn instance(&self, number: usize) -> (AtomId, &[Signed]) {
        let start = if number == 0 { 0 } else { self.ends[number - 1] as usize };
        (self.heads[number], &self.literals[start..self.ends[number] as usize])
    }
}

/// Grounds a program.
///
/// Rules are taken as they are first. If that needs too much, they are split into parts that join
/// less, and tried again: networks are a little better without, badly written rules need it.
pub fn ground(program: &Program, limits: &GroundLimits, stop: &Stop) -> Result<Grounded, Error> {
    let modest = GroundLimits {
        instances: limits.instances.min(1_500_000),
        rows: limits.rows.min(30_000_000),
        ..*limits
    };
    match attempt(program, &modest, stop, false) {
        Err(Error::Halt(Halt::Limit(_))) => attempt(program, limits, stop, true),
        done => done,
    }
}

fn attempt(
    program: &Program,
    limits: &GroundLimits,
    stop: &Stop,
    split_rules: bool,
) -> Result<Grounded, Error> {
    let mut set = rules::prepare(program)?;
    if split_rules {
        split::split(&mut set);
    }
    let mut grounder = Grounder::new(program, set, *limits, stop);
    grounder.static_tables()?;
    grounder.dynamic_tables()?;
    Ok(grounder.finish())
}

/// An instance as it is found; atoms are rows of tables.
struct Raw {
    head: (TableId, u32),
    /// Where its positive conditions begin in `positive`, and its negative ones in `negative`.
    positive: u32,
    negative: u32,
}

struct Grounder<'a> {
    program: &'a Program,
    set: RuleSet,
    limits: GroundLimits,
    stop: &'a Stop,
    terms: Terms,
    tables: Vec<Table>,
    /// For each table the number of old rows, and of rows that count in this round.
    marks: Vec<(u32, u32)>,
    found: Vec<Raw>,
    positive: Vec<(TableId, u32)>,
    /// Tuples of negated conditions, in one tape: table, length, terms.
    negative: Vec<u32>,
    legal: Option<TableId>,
    legal_seen: u32,
    next_seen: u32,
    roles: Vec<TermId>,
    /// Rows that joins have looked at.
    looked: u64,
}

impl<'a> Grounder<'a> {
    fn new(program: &'a Program, set: RuleSet, limits: GroundLimits, stop: &'a Stop) -> Self {
        let tables: Vec<Table> = set.arities.iter().map(|&arity| Table::new(arity)).collect();
        let marks = vec![(0, 0); tables.len()];
        Self {
            program,
            limits,
            stop,
            terms: program.terms.clone(),
            tables,
            marks,
            found: Vec::new(),
            positive: Vec::new(),
            negative: Vec::new(),
            legal: relation_table(
                program,
                "legal",
                if program.dialect == Dialect::Operations { 1 } else { 2 },
            ),
            legal_seen: 0,
            next_seen: 0,
            roles: program.roles.clone(),
            looked: 0,
            set,
        }
    }

    /// Static relations, stratum by stratum, so that a negation finds what it negates complete.
    fn static_tables(&mut self) -> Result<(), Error> {
        for (table, tuple) in std::mem::take(&mut self.set.facts) {
            if self.set.dynamic[table.index()] {
                let (row, _) = self.tables[table.index()].insert(&tuple);
                self.record((table, row), &[], &[]);
            } else {
                self.tables[table.index()].insert(&tuple);
            }
        }
        let mut strata: Vec<u32> = self
            .set
            .rules
            .iter()
            .filter(|r| !self.set.dynamic[r.head.index()])
            .map(|r| r.stratum)
            .collect();
        strata.sort_unstable();
        strata.dedup();
        for stratum in strata {
            let rules: Vec<usize> = (0..self.set.rules.len())
                .filter(|&r| {
                    let rule = &self.set.rules[r];
                    rule.stratum == stratum && !self.set.dynamic[rule.head.index()]
                })
                .collect();
            // Everything that earlier strata gave is new to these rules.
            let everything = vec![true; self.set.dynamic.len()];
            self.fixpoint(&rules, &everything, false)?;
        }
        Ok(())
    }

    fn dynamic_tables(&mut self) -> Result<(), Error> {
        let initial: Vec<TermId> = self.initial();
        for fluent in initial {
            self.tables[FLUENTS.index()].insert(&[fluent]);
        }
        let relevant = self.relevant();
        let rules: Vec<usize> = (0..self.set.rules.len())
            .filter(|&r| {
                let head = self.set.rules[r].head;
                self.set.dynamic[head.index()] && relevant[head.index()]
            })
            .collect();
        let dynamic = self.set.dynamic.clone();
        self.fixpoint(&rules, &dynamic, true)
    }

    /// The tables on which legal moves, the next state, goals, the end and percepts depend.
    fn relevant(&self) -> Vec<bool> {
        let mut relevant = vec![false; self.tables.len()];
        let roots = [
            Some(NEXT),
            self.legal,
            relation_table(self.program, "goal", 2),
            relation_table(self.program, "terminal", 0),
            relation_table(self.program, "sees", 2),
            relation_table(self.program, "control", 1),
        ];
        let mut queue: Vec<TableId> = roots.into_iter().flatten().collect();
        while let Some(table) = queue.pop() {
            if std::mem::replace(&mut relevant[table.index()], true) {
                continue;
            }
            for rule in self.set.rules.iter().filter(|r| r.head == table) {
                queue.extend(rule.body.iter().filter_map(|c| match c {
                    Condition::In(table, _) | Condition::NotIn(table, _) => Some(*table),
                    Condition::Differ(..) => None,
                }));
            }
        }
        relevant
    }

    fn initial(&self) -> Vec<TermId> {
        let Some(table) = relation_table(self.program, "init", 1) else { return Vec::new() };
        let table = &self.tables[table.index()];
        (0..table.len()).map(|row| table.row(row)[0]).collect()
    }

    /// Runs rules until nothing new is found. `moving` says which tables may grow meanwhile.
    fn fixpoint(&mut self, rules: &[usize], moving: &[bool], keep: bool) -> Result<(), Error> {
        let mut plans: Vec<Vec<Option<Plan>>> = vec![Vec::new(); self.set.rules.len()];
        for mark in &mut self.marks {
            *mark = (0, 0);
        }
        let mut first = true;
        loop {
            if keep {
                self.moves_and_fluents();
            }
            let mut grown = false;
            for (table, mark) in self.marks.iter_mut().enumerate() {
                let now = self.tables[table].len();
                grown |= now > mark.1 && moving[table];
                *mark = (mark.1, now);
            }
            if !grown && !first {
                return Ok(());
            }
            for &rule in rules {
                self.run_rule(rule, moving, first, keep, &mut plans[rule])?;
            }
            first = false;
            self.check_limits()?;
        }
    }

    fn run_rule(
        &mut self,
        number: usize,
        moving: &[bool],
        first: bool,
        keep: bool,
        plans: &mut Vec<Option<Plan>>,
    ) -> Result<(), Error> {
        let rule = self.set.rules[number].clone();
        plans.resize(rule.body.len() + 1, None);
        let changing: Vec<usize> = rule
            .body
            .iter()
            .enumerate()
            .filter(|(_, c)| matches!(c, Condition::In(t, _) if moving[t.index()]))
            .map(|(place, _)| place)
            .collect();
        if changing.is_empty() {
            if first {
                self.run_plan(&rule, None, moving, keep, plans)?;
            }
            return Ok(());
        }
        for place in changing {
            let Condition::In(table, _) = &rule.body[place] else { continue };
            let (old, all) = self.marks[table.index()];
            if old < all {
                self.run_plan(&rule, Some(place), moving, keep, plans)?;
            }
        }
        Ok(())
    }

    fn run_plan(
        &mut self,
        rule: &rules::Rule,
        newest: Option<usize>,
        moving: &[bool],
        keep: bool,
        plans: &mut [Option<Plan>],
    ) -> Result<(), Error> {
        let slot = newest.map_or(rule.body.len(), |place| place);
        let stale = plans[slot].as_ref().is_none_or(|p| p.is_stale(rule, &self.tables));
        if stale {
            plans[slot] = Some(Plan::new(rule, newest, moving, &mut self.tables, &self.terms));
        }
        let Some(plan) = &plans[slot] else { return Ok(()) };
        for step in &plan.steps {
            if let plan::Step::Scan { condition, index: Some(index), .. } = step
                && let Condition::In(table, _) = &rule.body[*condition]
            {
                self.tables[table.index()].refresh(*index, &self.terms);
            }
        }
        // What is found goes to a list first: tables must not change under a join.
        let mut heads: Vec<TermId> = Vec::new();
        let mut count = 0;
        let mut rows: Vec<u32> = Vec::new();
        let mut negated: Vec<u32> = Vec::new();
        let mut fresh = Table::new(rule.args.len());
        let depth = self.limits.depth;
        let bytes = self.limits.bytes;
        let room = self.limits.instances.saturating_sub(self.found.len());
        let dynamic = &self.set.dynamic;
        let mut join = Join {
            rule,
            plan,
            tables: &self.tables,
            marks: &self.marks,
            dynamic,
            terms: &mut self.terms,
            stop: self.stop,
            bindings: vec![None; rule.variables as usize],
            rows: vec![0; rule.body.len()],
            trail: Vec::new(),
            looked: 0,
            most: self.limits.rows.saturating_sub(self.looked),
        };
        join.run(&mut |terms: &mut Terms, matched: Match<'_>| {
            let start = heads.len();
            for arg in &rule.args {
                let term = instantiate(arg, matched.bindings, terms)
                    .ok_or_else(|| Halt::Rules("a variable is not bound".to_owned()))?;
                if terms.depth(term) > depth {
                    return Err(Halt::Limit(format!(
                        "the rule in line {} builds terms more than {depth} deep",
                        rule.line
                    )));
                }
                heads.push(term);
            }
            if !keep {
                // Of what does not change only the set matters, and it may be found many times.
                let known = self.tables[rule.head.index()].find(&heads[start..]).is_some();
                if known || !fresh.insert(&heads[start..]).1 {
                    heads.truncate(start);
                    return Ok(());
                }
            }
            count += 1;
            if keep {
                for (place, condition) in rule.body.iter().enumerate() {
                    match condition {
                        Condition::In(table, _) if dynamic[table.index()] => {
                            rows.push(matched.rows[place]);
                        }
                        Condition::NotIn(table, args) if dynamic[table.index()] => {
                            negated.push(table.0);
                            for arg in args {
                                let term = instantiate(arg, matched.bindings, terms)
                                    .ok_or_else(|| Halt::Rules("a variable is not bound".to_owned()))?;
                                negated.push(term.0);
                            }
                        }
                        _ => {}
                    }
                }
                if (heads.len() + rows.len() + negated.len()) * 4 > bytes {
                    return Err(Halt::Limit(format!(
                        "grounding needs more than {} MiB, most recently for the rule in line {}",
                        bytes >> 20,
                        rule.line
                    )));
                }
                if count > room {
                    return Err(Halt::Limit(format!(
                        "there are more than {room} instances, most recently of the rule in line {}",
                        rule.line
                    )));
                }
            }
            Ok(())
        })?;
        self.looked += join.looked;
        self.keep(rule, count, &heads, &rows, &negated, keep);
        Ok(())
    }

    /// Puts what a join found into the tables and the list of instances.
    fn keep(
        &mut self,
        rule: &rules::Rule,
        count: usize,
        heads: &[TermId],
        rows: &[u32],
        negated: &[u32],
        keep: bool,
    ) {
        let arity = rule.args.len();
        let positive: Vec<TableId> = rule
            .body
            .iter()
            .filter_map(|c| match c {
                Condition::In(table, _) if self.set.dynamic[table.index()] => Some(*table),
                _ => None,
            })
            .collect();
        let negative: usize = rule
            .body
            .iter()
            .map(|c| match c {
                Condition::NotIn(table, args) if self.set.dynamic[table.index()] => args.len() + 1,
                _ => 0,
            })
            .sum();
        for number in 0..count {
            let tuple = &heads[number * arity..(number + 1) * arity];
            let (row, _) = self.tables[rule.head.index()].insert(tuple);
            if keep {
                let rows = &rows[number * positive.len()..(number + 1) * positive.len()];
                let atoms: Vec<(TableId, u32)> =
                    positive.iter().copied().zip(rows.iter().copied()).collect();
                let negated = &negated[number * negative..(number + 1) * negative];
                self.record((rule.head, row), &atoms, negated);
            }
        }
    }

    fn record(&mut self, head: (TableId, u32), positive: &[(TableId, u32)], negative: &[u32]) {
        self.found.push(Raw {
            head,
            positive: self.positive.len() as u32,
            negative: self.negative.len() as u32,
        });
        self.positive.extend_from_slice(positive);
        self.negative.extend_from_slice(negative);
    }

    /// New legal moves may be made, and what is true next is true some time.
    fn moves_and_fluents(&mut self) {
        if let Some(legal) = self.legal {
            let table = &self.tables[legal.index()];
            let operations = self.program.dialect == Dialect::Operations;
            let mut new: Vec<[TermId; 2]> = Vec::new();
            for row in self.legal_seen..table.len() {
                let tuple = table.row(row);
                if operations {
                    new.extend(self.roles.iter().map(|&role| [role, tuple[0]]));
                } else if self.roles.contains(&tuple[0]) {
                    new.push([tuple[0], tuple[1]]);
                }
            }
            self.legal_seen = table.len();
            for tuple in new {
                let (row, fresh) = self.tables[DOES.index()].insert(&tuple);
                if operations && fresh && !self.is_operation(tuple[1]) {
                    let (added, _) = self.tables[rules::ADDED.index()].insert(&[tuple[1]]);
                    self.record((rules::ADDED, added), &[(DOES, row)], &[]);
                }
            }
        }
        let next: Vec<TermId> = (self.next_seen..self.tables[NEXT.index()].len())
            .map(|row| self.tables[NEXT.index()].row(row)[0])
            .collect();
        self.next_seen = self.tables[NEXT.index()].len();
        for fluent in next {
            self.tables[FLUENTS.index()].insert(&[fluent]);
        }
    }

    /// Whether an action has an operation; without one it becomes a fact itself.
    fn is_operation(&self, action: TermId) -> bool {
        let wanted = Pattern::Ground(action);
        self.program.operations.iter().any(|o| o.action.may_meet(&wanted, &self.terms))
    }

    fn check_limits(&self) -> Result<(), Error> {
        self.stop.check()?;
        let tables: usize = self.tables.iter().map(Table::bytes).sum();
        let bytes =
            tables + self.positive.len() * 8 + self.negative.len() * 4 + self.found.len() * 16;
        if bytes > self.limits.bytes {
            return Err(Error::Halt(Halt::Limit(format!(
                "grounding needs more than {} MiB",
                self.limits.bytes >> 20
            ))));
        }
        Ok(())
    }

    /// Numbers the atoms and decides the negations that can be decided.
    fn finish(self) -> Grounded {
        let mut base = vec![0u32; self.tables.len()];
        let mut atoms: Vec<AtomKind> = Vec::new();
        let role_number =
            |role: TermId| self.roles.iter().position(|&r| r == role).unwrap_or(0) as u32;
        // Fluents and moves first, in that order; then everything else that changes.
        let order = (0..self.tables.len()).filter(|&t| self.set.dynamic[t]);
        for table in order {
            base[table] = atoms.len() as u32;
            let rows = &self.tables[table];
            for row in 0..rows.len() {
                atoms.push(match TableId(table as u32) {
                    FLUENTS => AtomKind::Fluent(rows.row(row)[0]),
                    DOES => AtomKind::Does(role_number(rows.row(row)[0]), rows.row(row)[1]),
                    _ => AtomKind::Derived,
                });
            }
        }
        let atom = |(table, row): (TableId, u32)| AtomId(base[table.index()] + row);
        let mut heads = Vec::with_capacity(self.found.len());
        let mut ends = Vec::with_capacity(self.found.len());
        let mut literals: Vec<Signed> = Vec::with_capacity(self.positive.len());
        for (number, raw) in self.found.iter().enumerate() {
            let next = self.found.get(number + 1);
            let positive_end = next.map_or(self.positive.len(), |r| r.positive as usize);
            let negative_end = next.map_or(self.negative.len(), |r| r.negative as usize);
            for &row in &self.positive[raw.positive as usize..positive_end] {
                literals.push(Signed::new(atom(row), false));
            }
            let mut tape = &self.negative[raw.negative as usize..negative_end];
            while let Some((&table, rest)) = tape.split_first() {
                let arity = self.set.arities[table as usize];
                let tuple: Vec<TermId> = rest[..arity].iter().map(|&n| TermId(n)).collect();
                tape = &rest[arity..];
                // What can never be true is not worth a condition.
                if let Some(row) = self.tables[table as usize].find(&tuple) {
                    literals.push(Signed::new(atom((TableId(table), row)), true));
                }
            }
            heads.push(atom(raw.head));
            ends.push(literals.len() as u32);
        }
        let fluents = self.tables[FLUENTS.index()].len() as usize;
        let moves = self.tables[DOES.index()].len() as usize;
        let initial = (0..self.initial().len() as u32).map(AtomId).collect();
        let next = (0..fluents as u32)
            .map(|row| {
                let fluent = self.tables[FLUENTS.index()].row(row);
                self.tables[NEXT.index()].find(fluent).map(|row| atom((NEXT, row)))
            })
            .collect();
        let legal = self.legal_atoms(&atom);
        let truth = |table: TableId, row: u32| {
            if self.set.dynamic[table.index()] {
                Truth::When(atom((table, row)))
            } else {
                Truth::Always
            }
        };
        let terminal = relation_table(self.program, "terminal", 0)
            .and_then(|t| self.tables[t.index()].find(&[]).map(|row| truth(t, row)));
        let listed = |name: &str| {
            let Some(table) = relation_table(self.program, name, 2) else { return Vec::new() };
            let rows = &self.tables[table.index()];
            (0..rows.len())
                .filter_map(|row| {
                    let tuple = rows.row(row);
                    let role = self.roles.iter().position(|&r| r == tuple[0])?;
                    Some((role as u32, tuple[1], truth(table, row)))
                })
                .collect()
        };
        let goals = listed("goal");
        let percepts =
            if self.program.dialect == Dialect::Gdl2 { listed("sees") } else { Vec::new() };
        Grounded {
            atoms,
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

    /// What makes each move legal.
    fn legal_atoms(&self, atom: &impl Fn((TableId, u32)) -> AtomId) -> Vec<Option<Vec<AtomId>>> {
        let moves = &self.tables[DOES.index()];
        // A row of a table that does not change is no condition.
        let needed = |(table, row): (TableId, u32)| {
            self.set.dynamic[table.index()].then(|| atom((table, row)))
        };
        (0..moves.len())
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

    /// The row that says that a role is in control, if it ever can be.
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

/// The table of a relation of the rulesheet.
fn relation_table(program: &Program, name: &str, arity: usize) -> Option<TableId> {
    let args = vec![Pattern::Variable(0); arity];
    match program.goal(name, args)? {
        Goal::Relation(atom) => Some(rules::table(atom.relation)),
        _ => None,
    }
}
