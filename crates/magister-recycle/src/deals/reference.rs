//! The reference: one deal that is consistent with all observations of the player, extended turn by
//! turn.

use magister_core::{Halt, Move, Rng, Stop, Turn};

use super::replay::{complete, renamed};
use super::{Deals, Known, Shuffle, Tick, Tried};
use crate::machine::{Draw, Event, Machine, Wait};
use crate::percepts::{Key, Percepts};

/// The maximum number of attempts to repair the reference in one turn, and of restarts.
const REPAIRS: usize = 200;
const STARTS: usize = 400;
/// The number of times that a decision is guessed again before an earlier one is reconsidered.
const GUESSES: usize = 50;
/// The number of repairs of a turn in which cards that prevent a decision are looked for.
const UNBLOCKED: usize = 3;
/// The number of searches for exchanges of cards, and of times that the past is changed at random,
/// before the reference is given up.
const CLIMBS: usize = 40;
const SHAKEN: usize = 12;
/// The number of deals that are tried in one repair.
const ROUNDS: usize = 60;
/// The maximum number of options that are tried if several look the same at first.
const MOST_OPTIONS: usize = 64;
/// The number of hands in which a card is tried before it is excluded.
const TRIES: usize = 3;

/// Why a turn fails in the reference.
pub(super) enum Failure {
    /// These cards must be at other positions, each at one of those given.
    Wanted(Vec<(u16, u128)>),
    /// No exchange of cards helps.
    Stuck,
    Halt(Halt),
}

impl Deals {
    /// Extends the reference to all turns.
    pub(super) fn catch_up(
        &mut self,
        turns: &[Turn],
        rng: &mut Rng,
        stop: &Stop,
    ) -> Result<(), Halt> {
        let (mut failures, mut all, mut farthest) = (0, 0, 0);
        (self.climbs, self.shaken) = (CLIMBS, SHAKEN);
        while self.turns.len() < turns.len() {
            stop.check()?;
            let turn = &turns[self.turns.len()];
            match self.take(turn, rng, stop) {
                Ok(()) => self.turns.push(turn.clone()),
                Err(Failure::Halt(halt)) => return Err(halt),
                Err(_) => {
                    if self.turns.len() > farthest {
                        (farthest, failures) = (self.turns.len(), 0);
                    }
                    (failures, all) = (failures + 1, all + 1);
                    if failures > STARTS || all > 10 * STARTS {
                        break;
                    }
                    if self.shaken > 0 {
                        // Another past may suit this turn.
                        self.shaken -= 1;
                        self.shake(rng);
                        continue;
                    }
                    if failures % GUESSES == 0 {
                        // Hints that contradict each other do not help.
                        self.hints.clear();
                    }
                    // A decision was guessed wrong: reconsider the last one first, then earlier
                    // ones.
                    let guess = self.open.len().checked_sub(1 + failures / GUESSES);
                    match self.culprit(turn, rng).or(guess) {
                        Some(number) => self.rewind(number),
                        None => self.restart(),
                    }
                }
            }
        }
        if self.turns.len() == turns.len() {
            return Ok(());
        }
        self.restart();
        Err(Halt::Limit("no deal was found that agrees with what the player saw".to_owned()))
    }

    /// Takes one turn, and exchanges cards of the reference until the turn is consistent.
    fn take(&mut self, turn: &Turn, rng: &mut Rng, stop: &Stop) -> Result<(), Failure> {
        let seen = self.keys(turn);
        for repair in 0..REPAIRS {
            stop.check().map_err(Failure::Halt)?;
            match self.attempt(turn.own, &seen, rng) {
                Ok(tick) => {
                    self.accept(tick, rng);
                    return Ok(());
                }
                Err(Failure::Halt(halt)) => return Err(Failure::Halt(halt)),
                Err(_) if repair < UNBLOCKED && self.unblock(&seen, rng) => {}
                Err(Failure::Wanted(wanted)) => {
                    for (card, positions) in wanted {
                        self.cards[card as usize].may &= positions;
                    }
                    // Occasionally all unseen cards are dealt again, in case exchanging a few of
                    // them always fails.
                    let repaired = self.repair(repair % 8 == 7, rng)
                        || repair < UNBLOCKED && self.climb(turn.own, &seen, rng);
                    if !repaired {
                        return Err(Failure::Stuck);
                    }
                }
                Err(_) if repair < UNBLOCKED && self.climb(turn.own, &seen, rng) => {}
                Err(other) => return Err(other),
            }
        }
        Err(Failure::Stuck)
    }

    /// Makes the next turn in the reference, whose state is `self.state`.
    fn attempt(&mut self, own: Move, seen: &[Key], rng: &mut Rng) -> Result<Tick, Failure> {
        let shared = std::sync::Arc::clone(&self.shared);
        let p = &shared.program;
        self.machine.load(p, &self.state).ok_or(Failure::Stuck)?;
        let player = self.machine.current();
        let wait = self.machine.wait;
        self.machine.log.clear();
        let mut tick = Tick {
            wait,
            player,
            path: Vec::new(),
            drawn: 0,
            events: Vec::new(),
            actions: 0,
            open: false,
            seen: seen.to_vec(),
        };
        match wait {
            Wait::Shuffle { pile, .. } => {
                self.begin_shuffle(pile, rng);
                let order = self.shuffles[self.shuffles.len() - 1].order.clone();
                self.machine.logging = true;
                let done = complete(&mut self.machine, p, pile, &order);
                self.machine.logging = false;
                done.ok_or(Failure::Stuck)?;
                self.compare(&self.machine.log, seen)?;
            }
            Wait::Draw(draw) => {
                let (Draw::Number(count) | Draw::Tie(count)) = draw;
                let mut numbers: Vec<u32> = (0..count).collect();
                rng.shuffle(&mut numbers);
                let mut failure = Failure::Stuck;
                let mut found = false;
                for number in numbers {
                    self.machine.load(p, &self.state).ok_or(Failure::Stuck)?;
                    self.machine.log.clear();
                    self.machine.logging = true;
                    let done = self.machine.drawn(p, number);
                    self.machine.logging = false;
                    match done
                        .map_err(|_| Failure::Stuck)
                        .and_then(|()| self.compare(&self.machine.log, seen))
                    {
                        Ok(()) => {
                            tick.drawn = number;
                            found = true;
                            break;
                        }
                        Err(why) => failure = worse(failure, why),
                    }
                }
                if !found {
                    return Err(failure);
                }
            }
            Wait::Choice(choice) => {
                let mine = player == self.me;
                self.machine.choosing.noting = mine;
                self.machine.choosing.guess(&[]);
                self.machine.logging = true;
                let expanded = self.machine.expand(p, choice);
                self.machine.logging = false;
                expanded.map_err(|_| Failure::Stuck)?;
                let mut options: Vec<usize> = (0..self.machine.choosing.len()).collect();
                if mine {
                    let key = &mut self.scratch.key;
                    let machine = &self.machine;
                    options.retain(|&option| {
                        shared.moves.number(p, machine, choice, option, key) == own
                    });
                } else {
                    options = self.fitting(seen)?;
                    tick.open = options.len() > 1 && self.is_open(&options);
                    self.heed_hints(&mut options);
                }
                rng.shuffle(&mut options);
                let mut failure = Failure::Stuck;
                let mut found = false;
                for option in options.into_iter().take(MOST_OPTIONS) {
                    tick.path = self.machine.choosing.path(option).to_vec();
                    tick.actions = self.machine.choosing.actions(option).len();
                    let actions = self.machine.choosing.actions(option).to_vec();
                    self.machine.load(p, &self.state).ok_or(Failure::Stuck)?;
                    self.machine.log.clear();
                    self.machine.logging = true;
                    let done = self.machine.follow_path(p, &tick.path);
                    self.machine.logging = false;
                    // If an option contains chance, its actions are only those before the draw.
                    let common = actions.iter().zip(&self.machine.log).take_while(|(a, b)| a == b);
                    tick.actions = common.count();
                    match done
                        .map_err(|_| Failure::Stuck)
                        .and_then(|()| self.compare(&self.machine.log, seen))
                    {
                        Ok(()) => {
                            found = true;
                            break;
                        }
                        Err(why) => failure = worse(failure, why),
                    }
                }
                if !found {
                    return Err(failure);
                }
            }
            Wait::End => return Err(Failure::Stuck),
        }
        tick.events.clone_from(&self.machine.log);
        Ok(tick)
    }

    /// Registers a shuffle of the next turn: no player knows the positions of its cards.
    fn begin_shuffle(&mut self, pile: u32, rng: &mut Rng) {
        let turn = self.ticks.len();
        if self.shuffles.last().is_some_and(|last| last.turn == turn) {
            return;
        }
        let mut order = self.machine.pile(pile as usize).to_vec();
        rng.shuffle(&mut order);
        let all = if order.len() >= 128 { u128::MAX } else { (1 << order.len()) - 1 };
        let shuffle = self.shuffles.len() as u32;
        for (position, &card) in order.iter().enumerate() {
            self.cards[card as usize] =
                Known { shuffle, position: position as u8, seen: false, may: all };
        }
        let (never, before) = (vec![0; order.len()], self.state.clone());
        self.shuffles.push(Shuffle { turn, order, never, before });
    }

    /// The options whose actions match the player's observations. If there is none, the changes
    /// that would be necessary.
    pub(super) fn fitting(&self, seen: &[Key]) -> Result<Vec<usize>, Failure> {
        let p = &self.shared.program;
        let choosing = &self.machine.choosing;
        let mut fits = Vec::new();
        let mut wanted: Vec<(u16, u128)> = Vec::new();
        for option in 0..choosing.len() {
            let actions = choosing.actions(option);
            let mut exact = true;
            let mut alike = true;
            let mut changes: Vec<(u16, u128)> = Vec::new();
            let mut keys = seen.iter();
            for (order, event) in actions.iter().enumerate() {
                let Some(says) = Percepts::says(p, order, event, self.me) else { continue };
                match keys.next() {
                    Some(&key) if key == says => {}
                    Some(&key) => {
                        exact = false;
                        match self.change(key, says) {
                            Some(change) => changes.push(change),
                            None => alike = false,
                        }
                    }
                    None => (exact, alike) = (false, false),
                }
                if !alike {
                    break;
                }
            }
            if exact {
                fits.push(option);
            } else if alike {
                for (card, positions) in changes {
                    match wanted.iter_mut().find(|(known, _)| *known == card) {
                        Some((_, all)) => *all |= positions,
                        None => wanted.push((card, positions)),
                    }
                }
            }
        }
        if !fits.is_empty() {
            return Ok(fits);
        }
        if wanted.is_empty() {
            wanted = self.wanted_from_piles(seen);
        }
        if wanted.is_empty() { Err(Failure::Stuck) } else { Err(Failure::Wanted(wanted)) }
    }

    /// Whether options that look the same differ in cards that the player knows.
    fn is_open(&self, options: &[usize]) -> bool {
        let choosing = &self.machine.choosing;
        let first = choosing.actions(options[0]);
        options.iter().any(|&option| {
            let actions = choosing.actions(option);
            actions.len() != first.len()
                || actions.iter().zip(first).any(|(a, b)| match (a, b) {
                    (Event::Move { card: a, .. }, Event::Move { card: b, .. }) => {
                        a != b && (self.cards[*a as usize].seen || self.cards[*b as usize].seen)
                    }
                    (a, b) => a != b,
                })
        })
    }

    /// Keeps the options that agree with the hints of later turns about this one.
    fn heed_hints(&self, options: &mut Vec<usize>) {
        let turn = self.ticks.len();
        for &(_, card, moved) in self.hints.iter().filter(|hint| hint.0 == turn) {
            let moves = |&option: &usize| {
                let actions = self.machine.choosing.actions(option).iter();
                actions.filter(|e| matches!(e, Event::Move { card: c, .. } if *c == card)).count()
            };
            if options.iter().any(|option| (moves(option) > 0) == moved) {
                options.retain(|option| (moves(option) > 0) == moved);
            }
        }
    }

    /// The open decision that put a known card into the wrong pile, if that is why a turn fails. It
    /// gets a hint.
    fn culprit(&mut self, turn: &Turn, rng: &mut Rng) -> Option<usize> {
        let p = &self.shared.program;
        self.machine.load(p, &self.state)?;
        for (_, kind, from, _, card) in self.keys(turn) {
            if kind != 0 || card < 0 || !self.cards[card as usize].seen {
                continue;
            }
            let (card, at) = (card as u32, self.machine.at[card as usize]);
            if at == from {
                continue;
            }
            let moved = self.open.iter().rposition(|open| open.moved.contains(&card));
            let owner = p.pile(at as usize).1;
            let by = |open: &super::Open| self.ticks[open.turn].player + 1 == owner;
            let number = moved.or_else(|| self.open.iter().rposition(by))?;
            let hint = (self.open[number].turn, card, moved.is_none());
            if self.hints.contains(&hint) {
                return None;
            }
            self.hints.retain(|known| (known.0, known.1) != (hint.0, hint.1));
            self.hints.push(hint);
            return Some(number);
        }
        self.crowded(rng)
    }

    /// The change that turns one observation into another: the observed card takes the position of
    /// the card of the reference. Both must be unseen so far.
    fn change(&self, seen: Key, says: Key) -> Option<(u16, u128)> {
        let (order, kind, a, b, card) = seen;
        let same = (order, kind, a, b) == (says.0, says.1, says.2, says.3);
        let moves = matches!(kind, 0 | 4 | 5) && card >= 0 && says.4 >= 0;
        if !same || !moves {
            return None;
        }
        let (wanted, there) = (self.cards[card as usize], self.cards[says.4 as usize]);
        (!wanted.seen && !there.seen && wanted.shuffle == there.shuffle)
            .then(|| (card as u16, 1 << there.position))
    }

    /// The cards that were observed to come from piles where the reference does not have them.
    fn wanted_from_piles(&self, seen: &[Key]) -> Vec<(u16, u128)> {
        let mut wanted = Vec::new();
        for &(_, kind, from, _, card) in seen {
            if kind != 0 || card < 0 || self.cards[card as usize].seen {
                continue;
            }
            let known = self.cards[card as usize];
            if self.machine.at[card as usize] == from {
                continue;
            }
            let positions = self.machine.pile(from as usize).iter().fold(0u128, |all, &there| {
                let there = self.cards[there as usize];
                let free = !there.seen && there.shuffle == known.shuffle;
                if free { all | 1 << there.position } else { all }
            });
            if positions != 0 {
                wanted.push((card as u16, positions));
            }
        }
        wanted
    }

    /// Compares the events of a turn with the player's observations.
    fn compare(&self, events: &[Event], seen: &[Key]) -> Result<(), Failure> {
        let p = &self.shared.program;
        let mut keys = seen.iter();
        let mut wanted = Vec::new();
        for (order, event) in events.iter().enumerate() {
            let Some(says) = Percepts::says(p, order, event, self.me) else { continue };
            match keys.next() {
                Some(&key) if key == says => {}
                Some(&key) => match self.change(key, says) {
                    Some(change) => wanted.push(change),
                    None if wanted.is_empty() => return Err(Failure::Stuck),
                    // The following events may be consequences of the wrong cards before.
                    None => return Err(Failure::Wanted(wanted)),
                },
                None if wanted.is_empty() => return Err(Failure::Stuck),
                None => return Err(Failure::Wanted(wanted)),
            }
        }
        match (wanted.is_empty(), keys.next()) {
            (true, None) => Ok(()),
            (true, Some(_)) => Err(Failure::Stuck),
            (false, _) => Err(Failure::Wanted(wanted)),
        }
    }

    /// Exchanges cards so that each is at a possible position, and replays the reference. Returns
    /// false if no such deal was found.
    fn repair(&mut self, again: bool, rng: &mut Rng) -> bool {
        for round in 0..ROUNDS {
            let old: Vec<Vec<u16>> = self.shuffles.iter().map(|s| s.order.clone()).collect();
            // If exchanging a few cards leads to an impossible deal, all unseen cards are dealt
            // again.
            let all = again || round > 0;
            if !(0..old.len()).all(|number| self.rematch(number, all, rng)) {
                return false;
            }
            let first = (0..old.len()).find(|&number| old[number] != self.shuffles[number].order);
            let Some(first) = first else { return round == 0 };
            self.rename_events(&old, first);
            if self.rerun(first) {
                return true;
            }
        }
        false
    }

    /// Renames the cards in the events from a shuffle on.
    pub(super) fn rename_events(&mut self, old: &[Vec<u16>], first: usize) {
        let mut names: Vec<u16> = (0..self.cards.len() as u16).collect();
        let mut next = first;
        for at in self.shuffles[first].turn..self.ticks.len() {
            if self.shuffles.get(next).is_some_and(|shuffle| shuffle.turn == at) {
                for (&from, &to) in old[next].iter().zip(&self.shuffles[next].order) {
                    names[from as usize] = to;
                }
                next += 1;
            }
            for event in &mut self.ticks[at].events {
                *event = renamed(*event, &names);
            }
        }
    }

    /// Replays the reference from a shuffle on, up to the current turn. Returns whether it is
    /// possible.
    pub(super) fn rerun(&mut self, first: usize) -> bool {
        if self.shuffles[first].turn >= self.ticks.len() {
            return true;
        }
        self.dealt.clear();
        self.dealt.extend(0..self.cards.len() as u16);
        if self.replay(self.shuffles[first].turn, None).is_none() {
            return false;
        }
        self.machine.save(&mut self.state);
        self.refresh(first);
        true
    }

    /// Stores the states before later shuffles again.
    fn refresh(&mut self, first: usize) {
        for number in first + 1..self.shuffles.len() {
            let (from, to) = (self.shuffles[first].turn, self.shuffles[number].turn);
            let rest = self.ticks.split_off(to);
            let done = self.replay(from, None).is_some();
            self.ticks.extend(rest);
            if done {
                let mut before = std::mem::take(&mut self.shuffles[number].before);
                self.machine.save(&mut before);
                self.shuffles[number].before = before;
            }
        }
    }

    /// Finds a place for each card of a shuffle by augmenting paths. Returns false if there is none.
    fn rematch(&mut self, number: usize, all: bool, rng: &mut Rng) -> bool {
        let shuffle = &self.shuffles[number];
        let size = shuffle.order.len();
        let current = |card: u16| self.cards[card as usize].shuffle == number as u32;
        let allowed = |card: u16, position: usize| {
            self.cards[card as usize].may >> position & 1 == 1
                && shuffle.never[position] >> card & 1 == 0
        };
        let mut at: Vec<Option<u16>> = shuffle.order.iter().map(|&card| Some(card)).collect();
        let mut homeless = Vec::new();
        for (position, &card) in shuffle.order.iter().enumerate() {
            let known = self.cards[card as usize];
            if current(card) && (!allowed(card, position) || all && !known.seen) {
                at[position] = None;
                homeless.push(card);
            }
        }
        if homeless.is_empty() {
            return true;
        }
        rng.shuffle(&mut homeless);
        let mut positions: Vec<usize> = (0..size).collect();
        rng.shuffle(&mut positions);
        for card in homeless {
            let mut visited = vec![false; size];
            // Cards that were shuffled again later stay where they are.
            let fixed: Vec<bool> = at.iter().map(|c| c.is_some_and(|c| !current(c))).collect();
            if !place(card, &mut at, &positions, &mut visited, &fixed, &allowed) {
                return false;
            }
        }
        let order: Vec<u16> = at.into_iter().flatten().collect();
        if order.len() != size {
            return false;
        }
        for (position, &card) in order.iter().enumerate() {
            if self.cards[card as usize].shuffle == number as u32 {
                self.cards[card as usize].position = position as u8;
            }
        }
        self.shuffles[number].order = order;
        true
    }

    /// Adds a turn to the reference, with the information that it reveals about cards.
    fn accept(&mut self, tick: Tick, rng: &mut Rng) {
        let before = std::mem::take(&mut self.state);
        self.machine.save(&mut self.state);
        if tick.open {
            let hidden = tick.events.iter().enumerate().filter_map(|(order, event)| {
                let Event::Move { card, .. } = *event else { return None };
                let says = Percepts::says(&self.shared.program, order, event, self.me);
                says.is_none_or(|says| says.4 < 0).then_some(card)
            });
            let open = self.open(hidden.collect());
            self.open.push(open);
        }
        for &(_, kind, _, _, card) in &tick.seen {
            if matches!(kind, 0 | 4 | 5) && card >= 0 {
                let known = &mut self.cards[card as usize];
                known.seen = true;
                known.may = 1 << known.position;
            }
        }
        if matches!(tick.wait, Wait::Choice(_)) && tick.player != self.me {
            self.exclude(&tick, &before, rng);
        }
        self.ticks.push(tick);
    }

    /// Finds the cards that the player of a decision cannot have held, because the decision would
    /// then have been impossible. Each card is tried in the hand of that player.
    fn exclude(&mut self, tick: &Tick, before: &[u64], rng: &mut Rng) {
        let shared = std::sync::Arc::clone(&self.shared);
        let p = &shared.program;
        let Wait::Choice(choice) = tick.wait else { return };
        let Some(()) = self.machine.load(p, before) else { return };
        let (own, mine) = (1u64 << tick.player, 1u64 << self.me);
        let held = |machine: &Machine, card: usize| {
            let seen = p.seen[machine.at[card] as usize];
            seen & own != 0 && seen & mine == 0
        };
        // Cards that moved in this turn are part of the decision.
        let moved: Vec<u32> = tick
            .events
            .iter()
            .filter_map(|event| match *event {
                Event::Move { card, .. } => Some(card),
                _ => None,
            })
            .collect();
        let unseen: Vec<usize> = (0..self.cards.len())
            .filter(|&card| !self.cards[card].seen && !moved.contains(&(card as u32)))
            .collect();
        let hand: Vec<usize> =
            unseen.iter().copied().filter(|&card| held(&self.machine, card)).collect();
        if hand.is_empty() {
            return;
        }
        // The positions of all unseen cards of the hand, by shuffle.
        let all_held: Vec<usize> = (0..self.cards.len())
            .filter(|&card| !self.cards[card].seen && held(&self.machine, card))
            .collect();
        let actions = &tick.events[..tick.actions];
        let mut out: Vec<usize> = Vec::new();
        let turn = self.ticks.len();
        if self.tried.len() <= turn {
            self.tried.resize(turn + 1, Tried::default());
        }
        let mut tried = self.tried[turn];
        for &card in unseen.iter().filter(|card| !all_held.contains(card)) {
            let shuffle = self.cards[card].shuffle;
            let mut others: Vec<usize> =
                hand.iter().copied().filter(|&h| self.cards[h].shuffle == shuffle).collect();
            if others.is_empty() {
                continue;
            }
            let bit = 1u128 << card;
            if tried.cards & bit != 0 {
                out.extend((tried.excluded & bit != 0).then_some(card));
                continue;
            }
            let known = others.iter().all(|&h| {
                let position = self.cards[h].position as usize;
                self.shuffles[shuffle as usize].never[position] >> card & 1 == 1
            });
            if known {
                continue;
            }
            let mut possible = false;
            // Different cards, because one of them may be the card that the decision needs.
            rng.shuffle(&mut others);
            for &other in others.iter().take(TRIES) {
                self.machine.exchange(card as u16, other as u16);
                self.machine.log.clear();
                self.machine.logging = true;
                self.machine.choosing.noting = false;
                self.machine.choosing.guess(&[]);
                let expanded = self.machine.expand(p, choice).is_ok();
                self.machine.logging = false;
                let choosing = &self.machine.choosing;
                possible = expanded
                    && (0..choosing.len()).any(|option| choosing.actions(option) == actions);
                self.machine.exchange(card as u16, other as u16);
                if possible {
                    break;
                }
            }
            tried.cards |= bit;
            if !possible {
                tried.excluded |= bit;
                out.push(card);
            }
        }
        self.tried[turn] = tried;
        for card in out {
            let shuffle = self.cards[card].shuffle;
            for &held in all_held.iter().filter(|&&held| self.cards[held].shuffle == shuffle) {
                let position = self.cards[held].position as usize;
                self.shuffles[shuffle as usize].never[position] |= 1 << card;
            }
        }
    }
}

/// Returns the more informative of two failures.
fn worse(one: Failure, other: Failure) -> Failure {
    if matches!(one, Failure::Stuck) { other } else { one }
}

/// Finds a position for a card; a card that is in the way may be moved to another one.
fn place(
    card: u16,
    at: &mut [Option<u16>],
    positions: &[usize],
    visited: &mut [bool],
    fixed: &[bool],
    allowed: &dyn Fn(u16, usize) -> bool,
) -> bool {
    for &position in positions {
        if visited[position] || fixed[position] || !allowed(card, position) {
            continue;
        }
        visited[position] = true;
        let free = match at[position] {
            None => true,
            Some(other) => place(other, at, positions, visited, fixed, allowed),
        };
        if free {
            at[position] = Some(card);
            return true;
        }
    }
    false
}
