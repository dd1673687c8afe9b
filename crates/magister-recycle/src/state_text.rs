//! States as text: the piles from the bottom, the stores, the current player, and the position in
//! the rules, so that the text can be parsed.

use std::fmt::Write as _;

use crate::game::Shared;
use crate::machine::{Cycle, Draw, Item, Machine, Wait};
use crate::percepts::{parse_pile, parse_store, pile_name, store_name};

/// The text of a state; `None` if the words are invalid.
pub(crate) fn write(shared: &Shared, words: &[u64]) -> Option<String> {
    let p = &shared.program;
    let mut machine = Machine::new(p);
    machine.load(p, words)?;
    let mut out = format!("((turn p{})", machine.current());
    for pile in (0..p.piles()).filter(|&pile| machine.lens[pile] > 0) {
        let _ = write!(out, " ({}", pile_name(p, pile as u32));
        for &card in machine.pile(pile) {
            let _ = write!(out, " {}", shared.moves.card(card as usize));
        }
        out.push(')');
    }
    for (address, &value) in machine.ints.iter().enumerate().filter(|(_, value)| **value != 0) {
        let _ = write!(out, " (sto {} {value})", store_name(p, 0, address as u32));
    }
    for (address, &value) in machine.strs.iter().enumerate().filter(|(_, value)| **value != 0) {
        let name = store_name(p, 1, address as u32);
        let _ = write!(out, " (str {name} {})", p.rules.strings[value as usize]);
    }
    for (map, key) in machine.maps.chunks(p.stride).enumerate().filter(|(_, key)| key[0] != 0) {
        let _ = write!(out, " (points {}{})", store_name(p, 2, map as u32), numbers(key));
    }
    let (kind, a, b) = wait_numbers(machine.wait);
    let _ = write!(out, " (wait{})", numbers(&[kind, a, b]));
    for (kind, cycles) in ["players", "teams"].iter().zip(&machine.cycles) {
        let list: Vec<i32> = cycles
            .iter()
            .flat_map(|c| [c.at as i32, c.queued.map_or(-1, |queued| queued as i32)])
            .collect();
        let _ = write!(out, " ({kind}{})", numbers(&list));
    }
    let items: Vec<i32> = machine
        .stack
        .iter()
        .flat_map(|item| [item.stmt as i32, item.slot as i32, item.a, item.b])
        .collect();
    let _ = write!(out, " (next{})", numbers(&items));
    let path: Vec<i32> = machine.path.iter().map(|&pick| pick as i32).collect();
    let tape: Vec<i32> = machine.tape.iter().map(|&drawn| drawn as i32).collect();
    let progress = [machine.path_at as i32, machine.path_base as i32];
    let slots = if machine.slots.iter().all(|&slot| slot == 0) { &[][..] } else { &machine.slots };
    for (name, list) in [
        ("slots", slots),
        ("lists", &machine.lists),
        ("tape", &tape),
        ("path", &path),
        ("progress", if path.is_empty() { &[] } else { &progress }),
    ] {
        if !list.is_empty() {
            let _ = write!(out, " ({name}{})", numbers(list));
        }
    }
    // The values of variables cannot be checked, so a checksum protects them.
    if !slots.is_empty() || !machine.lists.is_empty() {
        let _ = write!(out, " (seal {:x})", words.last()?);
    }
    out.push(')');
    Some(out)
}

fn numbers(list: &[i32]) -> String {
    list.iter().map(|number| format!(" {number}")).collect()
}

fn wait_numbers(wait: Wait) -> (i32, i32, i32) {
    match wait {
        Wait::Choice(stmt) => (0, stmt as i32, 0),
        Wait::Draw(Draw::Number(count)) => (1, count as i32, 0),
        Wait::Draw(Draw::Tie(count)) => (2, count as i32, 0),
        Wait::Shuffle { pile, at } => (3, pile as i32, at as i32),
        Wait::End => (4, 0, 0),
    }
}

/// The words of a state; `None` if the text is invalid.
pub(crate) fn parse(shared: &Shared, text: &str) -> Option<Vec<u64>> {
    let p = &shared.program;
    let mut machine = Machine::new(p);
    machine.wait = Wait::End;
    let mut placed = vec![false; p.cards];
    let mut seal = None;
    for term in magister_core::text::terms(text)? {
        let (&head, rest) = term.split_first()?;
        let list =
            || rest.iter().map(|word| word.parse::<i32>().ok()).collect::<Option<Vec<i32>>>();
        match head {
            "turn" => {}
            "sto" => {
                let address = parse_store(p, 0, rest.first()?)? as usize;
                machine.ints[address] = rest.get(1)?.parse().ok()?;
            }
            "str" => {
                let address = parse_store(p, 1, rest.first()?)? as usize;
                let value = rest.get(1)?;
                let value = p.rules.strings.iter().position(|string| string == value)?;
                machine.strs[address] = value as i32;
            }
            "points" => {
                let (name, key) = rest.split_first()?;
                let map = parse_store(p, 2, name)? as usize;
                if key.len() != p.stride {
                    return None;
                }
                for (at, word) in key.iter().enumerate() {
                    machine.maps[map * p.stride + at] = word.parse().ok()?;
                }
                let text = machine.maps[map * p.stride];
                if text < 0 || text as usize > p.rules.texts.len() {
                    return None;
                }
            }
            "wait" => {
                let list = list()?;
                let [kind, a, b] = list[..] else { return None };
                machine.wait = match kind {
                    0 => Wait::Choice(u32::try_from(a).ok()?),
                    1 => Wait::Draw(Draw::Number(u32::try_from(a).ok()?)),
                    2 => Wait::Draw(Draw::Tie(u32::try_from(a).ok()?)),
                    3 => Wait::Shuffle { pile: u32::try_from(a).ok()?, at: u32::try_from(b).ok()? },
                    _ => Wait::End,
                };
            }
            "players" | "teams" => {
                let cycles = &mut machine.cycles[usize::from(head == "teams")];
                let count = if head == "teams" {
                    p.rules.teams.len().max(1)
                } else {
                    p.rules.players as usize
                };
                for pair in list()?.chunks(2) {
                    let [at, queued] = *pair else { return None };
                    let (at, queued) = (u32::try_from(at).ok()?, u32::try_from(queued).ok());
                    if at as usize >= count || queued.is_some_and(|q| q as usize >= count) {
                        return None;
                    }
                    cycles.push(Cycle { at, queued });
                }
            }
            "next" => {
                for item in list()?.chunks(4) {
                    let [stmt, slot, a, b] = *item else { return None };
                    let stmt = u32::try_from(stmt).ok()?;
                    machine.stack.push(Item { stmt, slot: slot as u32, a, b });
                }
            }
            "slots" => {
                let list = list()?;
                if list.len() != machine.slots.len() {
                    return None;
                }
                machine.slots = list;
            }
            "seal" => seal = Some(u64::from_str_radix(rest.first()?, 16).ok()?),
            "lists" => machine.lists = list()?,
            "tape" => machine.tape = list()?.into_iter().map(|n| n as u32).collect(),
            "path" => machine.path = list()?.into_iter().map(|n| n as u32).collect(),
            "progress" => {
                let list = list()?;
                let [at, base] = list[..] else { return None };
                machine.path_at = usize::try_from(at).ok()?;
                machine.path_base = usize::try_from(base).ok()?;
            }
            pile => {
                let pile = parse_pile(p, pile)? as usize;
                for name in rest {
                    let card = shared.moves.card_of(name)? as usize;
                    if !p.is_memory(pile) && std::mem::replace(&mut placed[card], true) {
                        return None;
                    }
                    machine.put(pile, card as u16)?;
                }
            }
        }
    }
    if placed.contains(&false) || machine.cycles.iter().any(Vec::is_empty) {
        return None;
    }
    let mut words = Vec::new();
    machine.save(&mut words);
    let free = machine.lists.is_empty() && machine.slots.iter().all(|&slot| slot == 0);
    if !free && seal != words.last().copied() {
        return None;
    }
    machine.load(p, &words)?;
    Some(words)
}
