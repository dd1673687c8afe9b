//! Statements: runs the stack until a decision is needed.

use super::{AGAIN, Cycle, Event, FRESH, Fault, Item, Machine, NO_CARD, Res, Trap, Wait};
use crate::ir::{Act, Bound, Card, Cards, Coll, Origin, Place, Stmt, StmtId, Which};
use crate::program::Program;

impl Machine {
    /// Runs until a decision is needed, and stores it in `wait`.
    pub(crate) fn run(&mut self, p: &Program) -> Result<(), Fault> {
        let mut steps = 0u64;
        self.work = 0;
        self.wait = Wait::End;
        loop {
            // The chosen option is complete when its statements have left the stack.
            if !self.path.is_empty() && self.stack.len() <= self.path_base {
                self.path.clear();
                self.path_base = 0;
            }
            let Some(item) = self.stack.pop() else { break };
            steps += 1;
            if steps > p.limits.steps {
                self.stack.push(item);
                let stmt = self.longest_loop(p);
                self.failed = (Some(stmt), Origin::UNKNOWN);
                return Err(Fault::Endless);
            }
            match self.item(p, item) {
                Ok(()) => {
                    if !self.tape.is_empty() {
                        self.tape.clear();
                    }
                    if self.wait != Wait::End {
                        return Ok(());
                    }
                }
                Err(Trap::Chance(draw)) => {
                    self.lists.truncate(self.kept);
                    self.stack.push(item);
                    self.wait = Wait::Draw(draw);
                    return Ok(());
                }
                Err(Trap::Fault(fault)) => {
                    self.failed = (Some(item.stmt), self.spot);
                    return Err(fault);
                }
            }
        }
        self.clean();
        Ok(())
    }

    /// The loop that does not end. While it runs, the stack is never lower than the loop.
    fn longest_loop(&mut self, p: &Program) -> StmtId {
        let (mut height, mut stmt) = (usize::MAX, p.rules.root);
        for _ in 0..=p.limits.steps / 4 {
            let Some(item) = self.stack.pop() else { break };
            if self.stack.len() < height {
                (height, stmt) = (self.stack.len(), item.stmt);
            }
            if self.item(p, item).is_err() || self.wait != Wait::End {
                break;
            }
        }
        stmt
    }

    /// The outermost stage that has not ended, or all rules.
    pub(crate) fn outermost_stage(&self, p: &Program) -> StmtId {
        let stage = |stmt: &StmtId| matches!(p.rules.stmts[*stmt as usize], Stmt::Stage { .. });
        self.stack.iter().map(|item| item.stmt).find(stage).unwrap_or(p.rules.root)
    }

    fn push(&mut self, stmt: StmtId) {
        self.stack.push(Item { stmt, slot: FRESH, a: 0, b: 0 });
    }

    /// Runs one statement, or its first part.
    pub(super) fn item(&mut self, p: &Program, item: Item) -> Res<()> {
        self.tape_at = 0;
        self.kept = self.lists.len();
        self.spot = Origin::UNKNOWN;
        self.spend(p, 1)?;
        if item.slot < AGAIN {
            self.slots[item.slot as usize] = item.a;
            if let Some(second) = self.slots.get_mut(item.slot as usize + 1) {
                *second = item.b;
            }
        }
        match &p.rules.stmts[item.stmt as usize] {
            Stmt::Blocks(blocks) => {
                let at = if item.slot == AGAIN { item.a as usize } else { 0 };
                self.clean();
                if let Some(&block) = blocks.get(at) {
                    if at + 1 < blocks.len() {
                        self.stack.push(Item { slot: AGAIN, a: at as i32 + 1, ..item });
                    }
                    self.push(block);
                }
            }
            Stmt::Seq(list) => list.iter().rev().for_each(|&stmt| self.push(stmt)),
            Stmt::If(test, body) => {
                if self.bool(p, test)? {
                    self.push(*body);
                }
            }
            Stmt::All(coll, slot, body) => {
                let (start, count, stride) = self.elements(p, coll)?;
                let reversed = p.compat && (self.expanding || !self.path.is_empty());
                for at in 0..count {
                    let at = start + stride * if reversed { at } else { count - 1 - at };
                    let (a, b) = (self.lists[at], if stride == 2 { self.lists[at + 1] } else { 0 });
                    self.stack.push(Item { stmt: *body, slot: *slot, a, b });
                }
                self.release(coll);
            }
            Stmt::Any(coll, slot, body) => {
                let (start, count, stride) = self.elements(p, coll)?;
                self.branch(p, item.stmt, (start, count, stride), *slot, *body);
                self.release(coll);
            }
            Stmt::Let(bound, slot, body) => {
                let (a, b) = self.bound(p, bound)?;
                self.stack.push(Item { stmt: *body, slot: *slot, a, b });
            }
            Stmt::Repeat(count, body) => {
                let left = if item.slot == AGAIN { item.a } else { self.int(p, count)? };
                if p.compat
                    && !self.expanding
                    && self.path.is_empty()
                    && left > 1
                    && let Stmt::Act(act) = &p.rules.stmts[*body as usize]
                    && self.copies(p, act, left)?
                {
                    return Ok(());
                }
                if left > 0 {
                    self.stack.push(Item { slot: AGAIN, a: left - 1, ..item });
                    self.push(*body);
                }
            }
            Stmt::RepeatMove { from, top, to, at, fixed } => {
                // The original program makes all copies of the action before it runs them; in a
                // `do`, all of them move the card that is initially on top of a computed
                // collection.
                let same = *fixed && p.compat && !self.expanding && self.path.is_empty();
                self.repeat_move(p, from, *top, to, at, same)?;
            }
            Stmt::RepeatForget(place) => {
                let pile = self.pile_of(p, place)?;
                while self.lens[pile] > 0 {
                    let top = self.lens[pile] as usize - 1;
                    let card = self.word(p, pile, top);
                    self.forget(card)?;
                }
            }
            Stmt::Act(act) => self.act(p, act)?,
            Stmt::Choice(_) => self.wait = Wait::Choice(item.stmt),
            Stmt::Stage { team, end, body } => {
                let kind = usize::from(*team);
                let again = item.slot == AGAIN;
                // On entry, the cycle is a copy without its successor, and the test must see it in
                // this form.
                if !again {
                    let at = self.cycles[kind].last().map_or(0, |cycle| cycle.at);
                    self.cycles[kind].push(Cycle { at, queued: None });
                }
                match self.bool(p, end) {
                    Ok(true) => {
                        // The original program leaves the cycle of a stage that ends at once.
                        if again || !p.compat {
                            self.cycles[kind].pop();
                        }
                    }
                    Ok(false) => {
                        if again {
                            self.advance(p, kind);
                        }
                        self.stack.push(Item { slot: AGAIN, a: 0, ..item });
                        self.push(*body);
                    }
                    Err(trap) => {
                        if !again {
                            self.cycles[kind].pop();
                        }
                        return Err(trap);
                    }
                }
            }
        }
        Ok(())
    }

    /// Removes a collection that its elements do not refer to.
    fn release(&mut self, coll: &Coll) {
        if !matches!(coll, Coll::Groups(_)) && !self.expanding {
            self.lists.truncate(self.kept);
        }
    }

    /// The next player or team takes its turn.
    fn advance(&mut self, p: &Program, kind: usize) {
        let count = if kind == 0 { p.rules.players } else { p.rules.teams.len() as u32 };
        if let Some(cycle) = self.cycles[kind].last_mut() {
            cycle.at = cycle.queued.take().unwrap_or((cycle.at + 1) % count);
            let player = cycle.at;
            if kind == 0 {
                self.log(Event::Turn { player });
            }
        }
    }

    pub(super) fn bound(&mut self, p: &Program, bound: &Bound) -> Res<(i32, i32)> {
        Ok(match bound {
            Bound::Int(int) => (self.int(p, int)?, 0),
            Bound::Bool(bool) => (i32::from(self.bool(p, bool)?), 0),
            Bound::Str(str) => (self.str(p, str)? as i32, 0),
            Bound::Card(card) => (self.card(p, card)?, 0),
            Bound::Owner(owner) => (self.owner(p, owner)? as i32, 0),
            Bound::Coll(coll) => {
                let (start, count, _) = self.elements(p, coll)?;
                (start as i32, count as i32)
            }
        })
    }

    fn repeat_move(
        &mut self,
        p: &Program,
        from: &Cards,
        top: bool,
        to: &Place,
        at: &Which,
        same: bool,
    ) -> Res<()> {
        let (start, len) = self.cards_of(p, from)?;
        for index in 0..len {
            let index = if same { 0 } else { index };
            let card = self.lists[if top { start + len - 1 - index } else { start + index }];
            if card == NO_CARD {
                return Err(Fault::NoCard.into());
            }
            let (pile, position, index) = self.target(p, to, at)?;
            self.move_card((card & super::CARD) as u16, pile, position, index);
        }
        self.lists.truncate(self.kept);
        Ok(())
    }

    /// In a `do`, the original program makes all copies of a repeated action before it runs them,
    /// so amounts and computed cards are the same in all copies. Returns false if that makes no
    /// difference.
    fn copies(&mut self, p: &Program, act: &Act, count: i32) -> Res<bool> {
        self.spend(p, count as usize)?;
        match act {
            Act::Add(add, owner, key, amount) => {
                let address = self.address(p, 0, owner, key)?;
                let amount = self.int(p, amount)?;
                let old = self.ints[address];
                let value = if *add { old.wrapping_add(amount) } else { old.wrapping_sub(amount) };
                (0..count).for_each(|_| self.set_int(address, value));
            }
            Act::SetInt(owner, key, value) => {
                let address = self.address(p, 0, owner, key)?;
                let value = self.int(p, value)?;
                (0..count).for_each(|_| self.set_int(address, value));
            }
            Act::Move { card, to, at } if !matches!(card, Card::At(_, cards) if matches!(**cards, Cards::Place(_))) =>
            {
                let card = self.card(p, card)?;
                if card == NO_CARD {
                    return Err(Fault::NoCard.into());
                }
                for _ in 0..count {
                    let (pile, position, index) = self.target(p, to, at)?;
                    self.move_card((card & super::CARD) as u16, pile, position, index);
                }
            }
            _ => return Ok(false),
        }
        self.acted = true;
        Ok(true)
    }

    /// Continues after a draw of chance.
    pub(crate) fn drawn(&mut self, p: &Program, number: u32) -> Result<(), Fault> {
        if let Wait::Shuffle { pile, at } = self.wait {
            if self.shuffled(pile as usize, at as usize, number as usize) {
                return self.run(p);
            }
            Ok(())
        } else {
            self.tape.push(number);
            self.run(p)
        }
    }

    /// Continues after a player's choice.
    pub(crate) fn chosen(&mut self, p: &Program, option: usize) -> Result<(), Fault> {
        self.path.clear();
        self.path.extend_from_slice(self.choosing.path(option));
        self.take_path(p)
    }

    /// Continues with an option that is given by its path.
    pub(crate) fn follow_path(&mut self, p: &Program, path: &[u32]) -> Result<(), Fault> {
        self.path.clear();
        self.path.extend_from_slice(path);
        self.take_path(p)
    }

    fn take_path(&mut self, p: &Program) -> Result<(), Fault> {
        let Wait::Choice(choice) = self.wait else { return Ok(()) };
        let Stmt::Choice(alternatives) = &p.rules.stmts[choice as usize] else { return Ok(()) };
        self.path_at = 1;
        self.path_base = self.stack.len();
        self.push(alternatives[self.path[0] as usize]);
        self.run(p)
    }

    /// Takes the element of the chosen option.
    pub(super) fn follow(
        &mut self,
        p: &Program,
        (start, count, stride): (usize, usize, usize),
        slot: u32,
        body: StmtId,
    ) {
        if count == 0 {
            return;
        }
        let pick = self.path.get(self.path_at).map_or(0, |&pick| pick as usize).min(count - 1);
        self.path_at += 1;
        let at = start + pick * stride;
        let (a, b) = (self.lists[at], if stride == 2 { self.lists[at + 1] } else { 0 });
        self.take(p, Item { stmt: body, slot, a, b }, pick);
    }

    /// Pushes the body of an `any` for one element. The original program copies the stack upside
    /// down for all elements except the first, so the statements after the `any` run before it.
    pub(super) fn take(&mut self, p: &Program, item: Item, pick: usize) {
        if !p.compat {
            self.stack.push(item);
            return;
        }
        // It also binds the variable now instead of when the body runs.
        self.slots[item.slot as usize] = item.a;
        self.slots[item.slot as usize + 1] = item.b;
        self.stack.push(Item { slot: FRESH, ..item });
        if pick > 0 {
            self.stack[self.path_base..].reverse();
        }
    }
}

impl Machine {
    /// The score of a player at the end.
    pub(crate) fn score(&mut self, p: &Program, player: u32) -> Result<i32, Fault> {
        let before = self.cycles[0].last().copied();
        if let Some(cycle) = self.cycles[0].last_mut() {
            cycle.at = player;
        }
        self.tape_at = 0;
        self.work = 0;
        self.kept = self.lists.len();
        self.spot = Origin::UNKNOWN;
        let score = self.int(p, &p.rules.score);
        self.lists.truncate(self.kept);
        self.slots.fill(0);
        if let (Some(cycle), Some(before)) = (self.cycles[0].last_mut(), before) {
            *cycle = before;
        }
        score.map_err(|trap| {
            self.failed = (None, self.spot);
            match trap {
                Trap::Fault(fault) => fault,
                Trap::Chance(_) => Fault::ScoredByChance,
            }
        })
    }
}
