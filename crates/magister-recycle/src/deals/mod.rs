//! Samples of the hidden cards: deals that are consistent with a player's observations.
//!
//! A shuffle puts cards into positions that no player knows. Later events move these positions: to
//! the hands, to the table. There are two questions. Where did each position go? The answer is the
//! same in all consistent deals, so one of them, the *reference*, gives it. Which card is at each
//! position? A player who sees a card learns the card at one position, or that the card is one of
//! those in a hand. The cards that the player has not seen since the shuffle may be at any of the
//! other positions.
//!
//! A decision of another player excludes cards too: a player that discards has no card of the suit
//! led. This is inferred without knowledge of the particular game. A card is put into the hand that
//! the player had at that time; if the decision becomes impossible, the card was not there.
//! [`count`] counts all remaining deals and draws one of them. The whole match is then replayed
//! with that deal. The replay rejects deals that the exclusions did not rule out, and counts the
//! options of the others, which give the weight of the deal.
//!
//! If several decisions of others look the same to the player, such as cards passed face down, the
//! reference fixes which positions were passed. This loses no generality as long as the player
//! knows none of the cards that they chose from. Otherwise the decision is *open*, and the
//! reference is rebuilt from that decision now and then.
//!
//! Some observations restrict several cards together: a player that asks for kings holds one of
//! them. If few draws pass the replay, a Metropolis chain that exchanges two cards at a time
//! replaces them.
//!
//! If no reference is found, [`lenient`] gives states that agree with what the player sees now.

mod chain;
mod climb;
mod count;
mod lenient;
mod open;
mod reference;
mod replay;
mod unblock;

use std::sync::Arc;

use magister_core::{Halt, Move, Observation, Rng, Stop, Turn, Worlds};

use crate::game::Shared;
use crate::machine::{Event, Machine, Wait};
use crate::percepts::Key;
use chain::Chain;
use count::Count;
use lenient::Lenient;
use open::Open;

/// The maximum number of cards; sets of cards and of positions are the bits of a word.
pub(crate) const MOST_CARDS: usize = 128;

/// The sampler of one player.
pub(crate) struct Deals {
    shared: Arc<Shared>,
    me: u32,
    /// The turns taken so far.
    turns: Vec<Turn>,
    /// The events of each turn in the reference.
    ticks: Vec<Tick>,
    shuffles: Vec<Shuffle>,
    /// The decisions of others that the player cannot infer from its observations.
    open: Vec<Open>,
    /// What later turns reveal about open decisions: whether this card moved at this turn.
    hints: Vec<(usize, u32, bool)>,
    /// For each turn, the cards that were tried in the hand of its player, and those that cannot
    /// have been there. A reference that is rebuilt from an open decision uses them again.
    tried: Vec<Tried>,
    /// For each card, its last shuffle, its position in it, and whether the player has seen it
    /// since.
    cards: Vec<Known>,
    /// The machine, which is in the state of the reference after all turns, except while it draws.
    machine: Machine,
    /// The state of the reference after all turns.
    state: Vec<u64>,
    /// The deals to draw from; `None` if turns were added since.
    plan: Option<Plan>,
    /// How often cards may still be exchanged by trial, and the past changed at random, until all
    /// turns are taken.
    climbs: usize,
    shaken: usize,
    /// States without a consistent past, if no reference was found for some turns of this match.
    lenient: Option<Lenient>,
    /// For each card, the pile in which it must be, while those states are played forward.
    places: Vec<Option<u32>>,
    /// The new identity of each card of the reference in the last deal.
    dealt: Vec<u16>,
    /// The identities in a replay: a card gets its new identity at its last shuffle.
    names: Vec<u16>,
    scratch: Scratch,
}

/// A turn in the reference.
#[derive(Debug)]
struct Tick {
    wait: Wait,
    player: u32,
    /// The chosen path of a decision, or the number drawn.
    path: Vec<u32>,
    drawn: u32,
    /// All events, and the number of those that belong to the option.
    events: Vec<Event>,
    actions: usize,
    /// Whether other options looked the same to the player but involved other known cards.
    open: bool,
    /// The player's observations.
    seen: Vec<Key>,
}

impl Tick {
    /// Whether a card moved.
    fn moves(&self, card: u32) -> bool {
        let moved =
            |event: &Event| matches!(event, Event::Move { card: moved, .. } if *moved == card);
        self.events.iter().any(moved)
    }
}

/// Sets of cards that were tried in a hand.
#[derive(Clone, Copy, Debug, Default)]
struct Tried {
    cards: u128,
    excluded: u128,
}

/// A shuffle in the reference.
#[derive(Debug)]
struct Shuffle {
    /// Its turn.
    turn: usize,
    /// The card at each position, from the bottom.
    order: Vec<u16>,
    /// For each position, the cards that cannot be there.
    never: Vec<u128>,
    /// The state before.
    before: Vec<u64>,
}

#[derive(Clone, Copy, Debug)]
struct Known {
    shuffle: u32,
    position: u8,
    seen: bool,
    /// The positions of the shuffle at which the card may be.
    may: u128,
}

/// Marks a card that was not part of any shuffle yet, so that its place is known.
const UNSHUFFLED: u32 = u32::MAX;

/// The deals to draw from.
#[derive(Debug)]
struct Plan {
    /// One part for each shuffle with cards that the player has not seen since.
    parts: Vec<Part>,
    /// The first turn to replay.
    from: usize,
    /// The number of draws, and the number of consistent ones.
    draws: u32,
    good: u32,
    /// The number of draws from earlier references of the same turns, all of which failed.
    failed: u32,
    chain: Option<Chain>,
}

#[derive(Debug)]
struct Part {
    shuffle: usize,
    cards: Vec<u16>,
    /// The positions of each group.
    groups: Vec<Vec<u8>>,
    count: Count,
}

#[derive(Debug, Default)]
struct Scratch {
    groups: Vec<usize>,
    free: Vec<Vec<u8>>,
    key: Vec<i32>,
    order: Vec<u16>,
}

impl Deals {
    pub(crate) fn new(shared: Arc<Shared>, me: u32) -> Self {
        let machine = Machine::new(&shared.program);
        let mut deals = Deals {
            me,
            turns: Vec::new(),
            ticks: Vec::new(),
            shuffles: Vec::new(),
            open: Vec::new(),
            hints: Vec::new(),
            tried: Vec::new(),
            cards: Vec::new(),
            machine,
            state: Vec::new(),
            plan: None,
            climbs: 0,
            shaken: 0,
            lenient: None,
            places: Vec::new(),
            dealt: Vec::new(),
            names: Vec::new(),
            scratch: Scratch::default(),
            shared,
        };
        deals.restart();
        deals
    }

    /// Goes to the start of the match.
    fn restart(&mut self) {
        let p = &self.shared.program;
        let known = Known { shuffle: UNSHUFFLED, position: 0, seen: true, may: 0 };
        self.turns.clear();
        self.ticks.clear();
        self.shuffles.clear();
        self.open.clear();
        // A wrong exclusion must not survive: the next reference is another one.
        self.tried.clear();
        self.cards = vec![known; p.cards];
        self.plan = None;
        self.machine.logging = false;
        self.machine.reset(p);
        if self.machine.run(p).is_err() {
            self.machine.wait = Wait::End;
        }
        self.machine.save(&mut self.state);
    }

    /// Extends the reference to all turns. If there is no consistent one, finds states that agree
    /// with the present.
    fn reach(&mut self, turns: &[Turn], rng: &mut Rng, stop: &Stop) -> Result<(), Halt> {
        // If no deal was found for some of the turns, a search for all of them has no better chance,
        // and it takes long.
        if let Some(earlier) = self.lenient.take() {
            self.lenient = self.lenient(earlier, turns, rng);
            if self.lenient.is_some() {
                return Ok(());
            }
        }
        match self.catch_up(turns, rng, stop) {
            Err(Halt::Limit(why)) => {
                let start = Lenient::at_start(&self.state, self.cards.len());
                self.lenient = self.lenient(start, turns, rng);
                if self.lenient.is_some() { Ok(()) } else { Err(Halt::Limit(why)) }
            }
            done => done,
        }
    }

    /// The keys of a player's observations in a turn, in the order of the events.
    fn keys(&self, turn: &Turn) -> Vec<Key> {
        let Observation::Percepts(percepts) = &turn.seen else { return Vec::new() };
        let mut keys: Vec<Key> =
            percepts.iter().filter_map(|&percept| self.shared.percepts.key(percept)).collect();
        keys.sort_unstable();
        keys
    }

    /// The deals that are consistent with all turns: groups of positions with the same exclusions.
    fn plan(&self) -> Plan {
        let mut parts = Vec::new();
        for (number, shuffle) in self.shuffles.iter().enumerate() {
            let unseen = |card: u16| {
                let known = self.cards[card as usize];
                known.shuffle == number as u32 && !known.seen
            };
            let cards: Vec<u16> = shuffle.order.iter().copied().filter(|&c| unseen(c)).collect();
            if cards.len() < 2 {
                continue;
            }
            let mask = cards.iter().fold(0u128, |mask, &card| mask | 1 << card);
            let mut kinds: Vec<u128> = Vec::new();
            let mut groups: Vec<Vec<u8>> = Vec::new();
            for &card in &cards {
                let position = self.cards[card as usize].position;
                let never = shuffle.never[position as usize] & mask;
                let group = kinds.iter().position(|&kind| kind == never).unwrap_or_else(|| {
                    kinds.push(never);
                    groups.push(Vec::new());
                    kinds.len() - 1
                });
                groups[group].push(position);
            }
            let allowed = |card: u16| {
                let may =
                    |(group, never): (usize, &u128)| u64::from(never >> card & 1 == 0) << group;
                kinds.iter().enumerate().map(may).sum::<u64>()
            };
            let sizes: Vec<usize> = groups.iter().map(Vec::len).collect();
            let many: Vec<u64> = cards.iter().map(|&card| allowed(card)).collect();
            let counted = if groups.len() <= 64 { Count::new(&sizes, &many) } else { None };
            let part = match counted {
                Some(count) => Some(Part { shuffle: number, cards, groups, count }),
                // The exclusions are left to the replay.
                None => Count::new(&[cards.len()], &vec![1; cards.len()]).map(|count| Part {
                    shuffle: number,
                    groups: vec![groups.concat()],
                    cards,
                    count,
                }),
            };
            parts.extend(part);
        }
        let first = parts.iter().map(|part| self.shuffles[part.shuffle].turn).min();
        let from = first.unwrap_or(self.ticks.len());
        Plan { parts, from, draws: 0, good: 0, failed: 0, chain: None }
    }

    /// Draws a deal: the new identity of each card of the reference.
    fn rename(&mut self, plan: &Plan, rng: &mut Rng) {
        self.dealt.clear();
        self.dealt.extend(0..self.cards.len() as u16);
        let Scratch { groups, free, .. } = &mut self.scratch;
        for part in &plan.parts {
            part.count.draw(rng, groups);
            free.clear();
            free.extend(part.groups.iter().cloned());
            free.iter_mut().for_each(|positions| rng.shuffle(positions));
            let order = &self.shuffles[part.shuffle].order;
            for (&card, &group) in part.cards.iter().zip(&*groups) {
                if let Some(position) = free[group].pop() {
                    self.dealt[order[position as usize] as usize] = card;
                }
            }
        }
    }

    /// Follows a whole match from its beginning, for counting. An error if no consistent deal is
    /// found, or if another player may have moved a card face down whose place the player knew.
    pub(crate) fn reach_all(
        &mut self,
        turns: &[Turn],
        rng: &mut Rng,
        stop: &Stop,
    ) -> Result<(), Halt> {
        self.follow(turns, rng, stop)?;
        if self.lenient.is_some() {
            return Err(Halt::Limit("no deal was found that agrees with all turns".to_owned()));
        }
        if !self.open.is_empty() {
            let why = "a card that the player knew may have been moved face down";
            return Err(Halt::Limit(why.to_owned()));
        }
        Ok(())
    }

    /// The pile of each card in the state of the reference.
    pub(crate) fn places(&mut self) -> &[u32] {
        let _ = self.machine.load(&self.shared.program, &self.state);
        &self.machine.at
    }

    /// The cards that the player has not seen, with the probability of each pile, by exact
    /// counting: deals that are consistent with the observations and the exclusions are equally
    /// likely.
    pub(crate) fn odds(&mut self) -> Vec<(u16, Vec<(u32, f64)>)> {
        let plan = self.plan();
        let p = &self.shared.program;
        let mut all = Vec::new();
        if self.machine.load(p, &self.state).is_none() {
            return all;
        }
        for part in &plan.parts {
            let order = &self.shuffles[part.shuffle].order;
            for (&card, odds) in part.cards.iter().zip(part.count.odds()) {
                let mut piles: Vec<(u32, f64)> = Vec::new();
                for (positions, odds) in part.groups.iter().zip(odds) {
                    // The positions of a group are equally likely.
                    let share = odds / positions.len() as f64;
                    for &position in positions {
                        let pile = self.machine.at[order[position as usize] as usize];
                        match piles.iter_mut().find(|(known, _)| *known == pile) {
                            Some((_, sum)) => *sum += share,
                            None => piles.push((pile, share)),
                        }
                    }
                }
                piles.retain(|&(_, share)| share > 0.0);
                piles.sort_unstable_by_key(|&(pile, _)| pile);
                all.push((card, piles));
            }
        }
        all.sort_by_key(|(card, _)| *card);
        all
    }
}

impl Worlds for Deals {
    fn follow(&mut self, turns: &[Turn], rng: &mut Rng, stop: &Stop) -> Result<(), Halt> {
        // The sampler may have followed a continuation that was taken back.
        if !turns.starts_with(&self.turns) {
            self.restart();
            self.hints.clear();
        }
        self.lenient.take_if(|earlier| !earlier.precedes(turns));
        if self.turns.len() == turns.len() {
            return Ok(());
        }
        self.plan = None;
        self.reach(turns, rng, stop)
    }

    fn draw(
        &mut self,
        rng: &mut Rng,
        state: &mut Vec<u64>,
        stop: &Stop,
    ) -> Result<Option<f64>, Halt> {
        stop.check()?;
        let failed = self.plan.as_ref().filter(|plan| plan.good == 0 && plan.chain.is_none());
        let failed = failed.map_or(0, |plan| plan.draws + plan.failed);
        self.reopen(rng, stop)?;
        if let Some(lenient) = self.lenient.take() {
            let weight = self.draw_leniently(&lenient, rng, state);
            self.lenient = Some(lenient);
            return Ok(weight);
        }
        let mut plan = self.plan.take().unwrap_or_else(|| Plan { failed, ..self.plan() });
        let weight = if plan.is_hard() {
            self.walk(&mut plan, rng, state, stop)?;
            Some(0.0)
        } else {
            self.rename(&plan, rng);
            let weight = self.replay(plan.from, None);
            plan.draws += 1;
            plan.good += u32::from(weight.is_some());
            if weight.is_some() {
                self.machine.save(state);
            }
            weight
        };
        self.plan = Some(plan);
        Ok(weight)
    }

    fn history(&mut self, joints: &mut Vec<Move>) {
        joints.clear();
        if self.lenient.is_none() {
            self.replay(0, Some(joints));
        }
    }
}
