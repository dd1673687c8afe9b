//! Computes large relations on demand.
//!
//! The queries of rules to a relation are collected in guards: relations over the arguments that
//! are known at the query. Every rule of the relation gets the guards as additional conditions, so
//! only requested instances are created. This is the magic-set transformation on the relaxed
//! program: a query may occur in some state, and negations are queried like everything else.
//!
//! Arguments from different conditions of the querying rule may be guarded separately (narrow) or
//! together (wide). Narrow guards are small and fast; wide ones are more precise.

use super::groups::{connected, covering, partition, separate};
use super::lower::refuse;
use super::rules::{Condition, Kind, Rule, RuleSet, TableId, bound, compute, variables_of};
use super::split;
use crate::Error;
use crate::program::Pattern;

/// The precision of a relation's guards.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(super) enum Level {
    /// No guards: the relation is computed as a whole.
    #[default]
    None,
    /// Each condition of the querying rule separately.
    Narrow,
    /// All conditions of the querying rule together.
    Wide,
}

/// Guards the relations that have a level, except those that are never queried with a known
/// argument. Returns the guarded ones. An error if a rule needs a variable that some query does not
/// bind.
pub(super) fn guard(set: &mut RuleSet, levels: &[Level]) -> Result<Vec<Level>, Error> {
    let mut levels = levels.to_vec();
    levels.resize(set.arities.len(), Level::None);
    set.asked.iter().for_each(|asked| levels[asked.index()] = Level::Wide);
    let mut demand = Demand::new(set, levels);
    while !demand.bind() {
        let levels = std::mem::take(&mut demand.levels);
        demand = Demand::new(set, levels);
    }
    while demand.refine() {}
    let Demand { levels, groups, .. } = &demand;
    let guarded = levels.clone();
    let groups = groups.clone();
    let mut guards: Vec<Vec<TableId>> = Vec::new();
    for (table, groups) in groups.iter().enumerate() {
        let count = groups.iter().flatten().max().map_or(0, |m| m + 1);
        let asked = guarded[table] != Level::None;
        guards.push(if asked {
            let size = |g: usize| groups.iter().filter(|&&at| at == Some(g)).count();
            let origin = Some(TableId(table as u32));
            (0..count).map(|g| set.new_table(size(g), Kind::Guard, origin)).collect()
        } else {
            Vec::new()
        });
    }
    let demand = Demand::with(set, guarded.clone(), groups);
    let mut made = Vec::new();
    for rule in &set.rules {
        demand.asks(rule, &guards, &mut made);
    }
    let heads: Vec<Vec<Condition>> =
        set.rules.iter().map(|rule| demand.guards_of(rule, &guards)).collect();
    for (rule, guards) in set.rules.iter_mut().zip(heads) {
        rule.body.extend(guards);
    }
    let first = set.rules.len();
    for rule in made {
        match ground(&rule) {
            Some(tuple) => set.facts.push((rule.head, tuple)),
            None => set.rules.push(rule),
        }
    }
    split::split(set, first);
    for counter in &mut set.counters {
        counter.keys = guards[counter.table.index()].first().copied();
    }
    check(set)?;
    Ok(guarded)
}

/// Whether all required variables are bound.
fn check(set: &RuleSet) -> Result<(), Error> {
    for rule in &set.rules {
        let known = bound(&rule.body, Vec::new());
        if variables_of(&rule.args).iter().any(|v| !known.contains(v)) {
            return Err(refuse(rule.line, "a variable that only the query binds"));
        }
        for counter in rule.body.iter().filter_map(Condition::table) {
            let counter = set.counters.iter().find(|c| c.table == counter);
            let arity = counter.and_then(|c| c.keys).map_or(0, |keys| set.arities[keys.index()]);
            if counter.is_some_and(|c| arity + 1 != set.arities[c.table.index()]) {
                return Err(refuse(rule.line, "a count over a variable that nothing binds"));
            }
        }
    }
    Ok(())
}

/// The tuple of a rule that is a fact.
fn ground(rule: &Rule) -> Option<Vec<crate::term::TermId>> {
    let term = |p: &Pattern| if let Pattern::Ground(term) = p { Some(*term) } else { None };
    if rule.body.is_empty() { rule.args.iter().map(term).collect() } else { None }
}

struct Demand<'a> {
    set: &'a RuleSet,
    levels: Vec<Level>,
    /// For every guarded relation, the group of each argument that is known in all queries.
    groups: Vec<Vec<Option<usize>>>,
}

impl<'a> Demand<'a> {
    fn new(set: &'a RuleSet, mut levels: Vec<Level>) -> Self {
        levels.resize(set.arities.len(), Level::None);
        let mut groups: Vec<Vec<Option<usize>>> =
            set.arities.iter().map(|&arity| vec![Some(0); arity]).collect();
        for counter in &set.counters {
            // A count is an output, even if a query asks for a particular count.
            if let Some(count) = groups[counter.table.index()].last_mut() {
                *count = None;
            }
        }
        Self { set, levels, groups }
    }

    fn with(set: &'a RuleSet, levels: Vec<Level>, groups: Vec<Vec<Option<usize>>>) -> Self {
        let mut demand = Self { set, levels, groups };
        demand.levels.resize(set.arities.len(), Level::None);
        demand
    }

    fn is_guarded(&self, table: TableId) -> bool {
        self.levels[table.index()] != Level::None
    }

    /// The arguments of a group.
    fn group(&self, table: TableId, group: usize, args: &[Pattern]) -> Box<[Pattern]> {
        let groups = &self.groups[table.index()];
        let member =
            |(at, arg): (usize, &Pattern)| (groups[at] == Some(group)).then(|| arg.clone());
        args.iter().enumerate().filter_map(member).collect()
    }

    fn group_count(&self, table: TableId) -> usize {
        self.groups[table.index()].iter().flatten().max().map_or(0, |m| m + 1)
    }

    /// The guards of a rule's head, as conditions.
    fn guards_of(&self, rule: &Rule, guards: &[Vec<TableId>]) -> Vec<Condition> {
        let Some(guards) = guards.get(rule.head.index()) else { return Vec::new() };
        let condition = |(g, &guard)| Condition::In(guard, self.group(rule.head, g, &rule.args));
        guards.iter().enumerate().map(condition).collect()
    }

    /// Which arguments are known when all these variables are.
    fn known(args: &[Pattern], variables: &[u32]) -> Vec<bool> {
        let known = |arg: &Pattern| {
            let mut all = true;
            arg.variables(&mut |v| all &= variables.contains(&v));
            all
        };
        args.iter().map(known).collect()
    }

    /// The variables that are bound before any guarded relation is queried.
    fn given(&self, rule: &Rule) -> Vec<u32> {
        let mut given = Vec::new();
        if self.is_guarded(rule.head) {
            for (at, arg) in rule.args.iter().enumerate() {
                if self.groups[rule.head.index()][at].is_some() {
                    arg.variables(&mut |v| given.push(v));
                }
            }
        }
        for condition in &rule.body {
            if let Condition::In(table, args) = condition
                && !self.is_guarded(*table)
            {
                given.extend(variables_of(args));
            }
        }
        compute(&rule.body, &mut given);
        given
    }

    /// The conditions on guarded relations in query order: each may use the bindings of the earlier
    /// ones. Negations come last.
    fn order(&self, rule: &Rule) -> Vec<usize> {
        let guarded =
            |place: &usize| rule.body[*place].table().is_some_and(|table| self.is_guarded(table));
        let places: Vec<usize> = (0..rule.body.len()).filter(guarded).collect();
        let (mut left, last): (Vec<usize>, Vec<usize>) =
            places.into_iter().partition(|&place| rule.body[place].is_positive());
        let mut known = self.given(rule);
        let mut order = Vec::new();
        while !left.is_empty() {
            let open = |place: usize| match &rule.body[place] {
                Condition::In(table, args) => {
                    let wanted = &self.groups[table.index()];
                    let known = Self::known(args, &known);
                    (0..args.len()).filter(|&at| wanted[at].is_some() && !known[at]).count()
                }
                _ => 0,
            };
            let best = (0..left.len()).min_by_key(|&at| open(left[at])).unwrap_or(0);
            let place = left.remove(best);
            known.extend(rule.body[place].variables());
            compute(&rule.body, &mut known);
            order.push(place);
        }
        order.extend(last);
        order
    }

    /// Finds the arguments that are always known in queries to a relation. Returns false if some
    /// relations have none and are therefore not guarded.
    fn bind(&mut self) -> bool {
        loop {
            let mut changed = false;
            for rule in &self.set.rules {
                let mut known = self.given(rule);
                for place in self.order(rule) {
                    let Some(table) = rule.body[place].table() else { continue };
                    let (Condition::In(_, args) | Condition::NotIn(_, args)) = &rule.body[place]
                    else {
                        continue;
                    };
                    for (at, known) in Self::known(args, &known).into_iter().enumerate() {
                        let group = &mut self.groups[table.index()][at];
                        if !known && group.is_some() {
                            *group = None;
                            changed = true;
                        }
                    }
                    known.extend(rule.body[place].variables());
                    compute(&rule.body, &mut known);
                }
            }
            if !changed {
                break;
            }
        }
        let mut sound = true;
        for (level, groups) in self.levels.iter_mut().zip(&self.groups) {
            if *level != Level::None && groups.iter().all(Option::is_none) {
                *level = Level::None;
                sound = false;
            }
        }
        sound
    }

    /// The conditions known before the condition at `place`, those of the head first.
    fn context(&self, rule: &Rule, before: &[usize], guards: &[Vec<TableId>]) -> Vec<Condition> {
        let mut context = self.guards_of(rule, guards);
        let known = |place: &usize| match &rule.body[*place] {
            Condition::In(table, _) => !self.is_guarded(*table) || before.contains(place),
            _ => false,
        };
        context.extend((0..rule.body.len()).filter(known).map(|place| rule.body[place].clone()));
        let mut bound: Vec<u32> = context.iter().flat_map(Condition::variables).collect();
        compute(&rule.body, &mut bound);
        for condition in &rule.body {
            let ready = |(needs, _): (Vec<u32>, _)| needs.iter().all(|v| bound.contains(v));
            if condition.computes().is_some_and(ready) {
                context.push(condition.clone());
            }
        }
        context
    }

    /// Puts arguments from different conditions into different groups, for narrow guards. Returns
    /// whether anything changed.
    fn refine(&mut self) -> bool {
        let mut refined = self.groups.clone();
        // Only the variables of the guards matter here, not their tables.
        let fake: Vec<Vec<TableId>> = (0..self.groups.len())
            .map(|t| {
                let table = TableId(t as u32);
                if self.is_guarded(table) { vec![table; self.group_count(table)] } else { vec![] }
            })
            .collect();
        for rule in &self.set.rules {
            let order = self.order(rule);
            for (at, &place) in order.iter().enumerate() {
                let (Condition::In(table, args) | Condition::NotIn(table, args)) =
                    &rule.body[place]
                else {
                    continue;
                };
                if self.levels[table.index()] == Level::Narrow {
                    let sources: Vec<Vec<u32>> = self
                        .context(rule, &order[..at], &fake)
                        .iter()
                        .filter(|c| c.is_positive())
                        .map(Condition::variables)
                        .collect();
                    separate(&mut refined[table.index()], &partition(args, &sources));
                }
            }
        }
        std::mem::replace(&mut self.groups, refined) != self.groups
    }

    /// The rules for the queries of a rule.
    fn asks(&self, rule: &Rule, guards: &[Vec<TableId>], into: &mut Vec<Rule>) {
        let order = self.order(rule);
        for (at, &place) in order.iter().enumerate() {
            let (Condition::In(table, args) | Condition::NotIn(table, args)) = &rule.body[place]
            else {
                continue;
            };
            let context = self.context(rule, &order[..at], guards);
            let own = self.guards_of(rule, guards).len();
            for (group, &head) in guards[table.index()].iter().enumerate() {
                let args = self.group(*table, group, args);
                let wanted = variables_of(&args);
                // A computed value needs all its inputs.
                let whole = self.levels[table.index()] == Level::Wide
                    || !context.iter().all(Condition::is_positive);
                let mut body = if whole {
                    connected(&wanted, &context)
                } else {
                    covering(&wanted, &context, own)
                };
                self.tests(rule, &mut body);
                into.push(Rule { head, args, body, ..*rule });
            }
        }
    }

    /// Adds the conditions of a rule that are cheap to test and constant.
    fn tests(&self, rule: &Rule, body: &mut Vec<Condition>) {
        let known: Vec<u32> = body.iter().flat_map(Condition::variables).collect();
        for condition in &rule.body {
            let variables = condition.variables();
            if self.set.is_static(condition)
                && !matches!(condition, Condition::Builtin(..))
                && !variables.is_empty()
                && variables.iter().all(|v| known.contains(v))
                && !body.contains(condition)
            {
                body.push(condition.clone());
            }
        }
    }
}
