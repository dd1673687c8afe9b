//! Replays the match with another deal: the same positions move, with other cards.

use magister_core::Move;

use super::{Deals, Tick};
use crate::machine::{Draw, Event, Machine, Wait};
use crate::program::Program;

/// An event with renamed cards.
pub(super) fn renamed(event: Event, names: &[u16]) -> Event {
    let name = |card: u32| u32::from(names[card as usize]);
    match event {
        Event::Move { card, from, to, at } => Event::Move { card: name(card), from, to, at },
        Event::Remember { card, pile } => Event::Remember { card: name(card), pile },
        Event::Forget { card, pile } => Event::Forget { card: name(card), pile },
        other => other,
    }
}

fn same(events: &[Event], expected: &[Event], names: &[u16]) -> bool {
    events.len() == expected.len()
        && events.iter().zip(expected).all(|(&event, &other)| event == renamed(other, names))
}

/// Completes a shuffle so that the cards are in this order.
pub(super) fn complete(machine: &mut Machine, p: &Program, pile: u32, order: &[u16]) -> Option<()> {
    if machine.pile(pile as usize).len() != order.len() {
        return None;
    }
    machine.arrange(pile as usize, order);
    machine.wait = Wait::Shuffle { pile, at: 1 };
    machine.drawn(p, 1).ok()
}

impl Deals {
    /// Replays the match from a turn on with the renamed cards. Returns the logarithm of the
    /// probability of the others' decisions and of chance, or `None` if it is impossible. Writes
    /// the joint moves into `joints`, which requires a replay from the start.
    pub(super) fn replay(&mut self, from: usize, joints: Option<&mut Vec<Move>>) -> Option<f64> {
        let shared = std::sync::Arc::clone(&self.shared);
        let p = &shared.program;
        let begin = self.shuffles.iter().find(|shuffle| shuffle.turn == from);
        match begin {
            Some(shuffle) => self.machine.load(p, &shuffle.before)?,
            None if from == self.ticks.len() => self.machine.load(p, &self.state)?,
            None => {
                self.machine.logging = false;
                self.machine.reset(p);
                self.machine.run(p).ok()?;
            }
        }
        let mut weight = 0.0;
        let mut recorder = Recorder { joints, roles: shared.info.roles.len() };
        let mut shuffles =
            self.shuffles.iter().enumerate().filter(|(_, shuffle)| shuffle.turn >= from);
        self.names.clear();
        self.names.extend(0..self.cards.len() as u16);
        for tick in &self.ticks[from..] {
            let machine = &mut self.machine;
            if machine.wait_kind() != Machine::kind(tick.wait) {
                return None;
            }
            machine.log.clear();
            let done = match machine.wait {
                Wait::Shuffle { pile, .. } => {
                    let (number, shuffle) = shuffles.next()?;
                    for (card, known) in self.cards.iter().enumerate() {
                        if known.shuffle == number as u32 {
                            self.names[card] = self.dealt[card];
                        }
                    }
                    let order = &mut self.scratch.order;
                    order.clear();
                    order.extend(shuffle.order.iter().map(|&c| self.names[c as usize]));
                    recorder.shuffle(machine.pile(pile as usize), order);
                    machine.logging = true;
                    complete(machine, p, pile, order)
                }
                Wait::Draw(draw) => {
                    let (Draw::Number(count) | Draw::Tie(count)) = draw;
                    if tick.drawn >= count {
                        return None;
                    }
                    weight -= f64::from(count).ln();
                    recorder.chance(tick.drawn);
                    machine.logging = true;
                    machine.drawn(p, tick.drawn).ok()
                }
                Wait::Choice(choice) => {
                    if machine.current() != tick.player {
                        return None;
                    }
                    let own = tick.player == self.me;
                    if own && recorder.joints.is_none() {
                        machine.logging = true;
                        machine.follow_path(p, &tick.path).ok()
                    } else {
                        machine.choosing.noting = recorder.joints.is_some();
                        machine.logging = true;
                        machine.choosing.guess(&[]);
                        machine.expand(p, choice).ok()?;
                        let choosing = &machine.choosing;
                        let option = if own {
                            // The player's own options may have the same actions, but the player
                            // knows which one it chose.
                            (0..choosing.len()).find(|&at| choosing.path(at) == tick.path)?
                        } else {
                            find(machine, tick, &self.names)?
                        };
                        if !own {
                            weight -= (machine.choosing.len() as f64).ln();
                        }
                        if recorder.joints.is_some() {
                            let key = &mut self.scratch.key;
                            let made = shared.moves.number(p, machine, choice, option, key);
                            recorder.choice(tick.player, made);
                        }
                        machine.log.clear();
                        machine.chosen(p, option).ok()
                    }
                }
                Wait::End => None,
            };
            machine.logging = false;
            done?;
            if !same(&machine.log, &tick.events, &self.names) {
                return None;
            }
        }
        Some(weight)
    }
}

/// The option with the same actions on renamed cards.
fn find(machine: &Machine, tick: &Tick, names: &[u16]) -> Option<usize> {
    let actions = &tick.events[..tick.actions];
    let choosing = &machine.choosing;
    (0..choosing.len()).find(|&option| same(choosing.actions(option), actions, names))
}

/// Writes joint moves.
struct Recorder<'a> {
    joints: Option<&'a mut Vec<Move>>,
    roles: usize,
}

impl Recorder<'_> {
    /// Only one role decides at a time; chance is the last role.
    fn choice(&mut self, role: u32, made: Move) {
        let roles = self.roles as u32;
        if let Some(joints) = &mut self.joints {
            joints.extend((0..roles).map(|r| if r == role { made } else { Move::IDLE }));
        }
    }

    fn chance(&mut self, drawn: u32) {
        self.choice(self.roles as u32 - 1, Move(drawn));
    }

    /// The positions of a shuffle are filled from the top.
    fn shuffle(&mut self, from: &[u16], to: &[u16]) {
        if self.joints.is_none() || from.len() != to.len() {
            return;
        }
        let mut cards = from.to_vec();
        for at in (1..cards.len()).rev() {
            let drawn = cards.iter().position(|&card| card == to[at]).unwrap_or(0).min(at);
            cards.swap(at, drawn);
            self.chance(drawn as u32);
        }
    }
}
