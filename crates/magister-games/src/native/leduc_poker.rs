//! Leduc poker: six cards, a hidden one for each player, an open one, and two rounds of bets.
//!
//! Both players have put in one chip. A bet is two chips in the first round and four in the second,
//! and it can be raised once. If no player folds, a pair with the open card wins, then the higher
//! card.

use magister_core::text;
use magister_core::{Info, Information, Move, Percept, Role, Rules, Step};

const PLAYERS: [&str; 2] = ["first", "second"];
/// The dealer is chance.
const DEALER: Role = Role(2);
const RANKS: [&str; 3] = ["jack", "queen", "king"];
const SUITS: [&str; 2] = ["hearts", "spades"];
const ACTIONS: [&str; 5] = ["check", "bet", "call", "raise", "fold"];
const CHECK: u32 = 0;
const BET: u32 = 1;
const CALL: u32 = 2;
const RAISE: u32 = 3;
const FOLD: u32 = 4;

/// The first move of each kind: deals of two cards, open cards, actions.
const TURNS: u32 = 30;
const DOES: u32 = 36;

/// No card.
const NONE: u8 = 6;

/// The rules of Leduc poker. Moves 0 to 29 deal two different cards, 30 to 35 turn one up, and the
/// actions follow.
#[derive(Clone, Copy, Debug)]
pub struct LeducPoker;

/// A hand of Leduc poker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leduc {
    /// The card of each player and the open one: its rank and suit, or [`NONE`].
    first: u8,
    second: u8,
    open: u8,
    /// What happens now; see [`STAGES`].
    stage: u8,
    /// The player to act.
    control: u8,
    /// The chips that both players have put in.
    paid: u8,
    /// Whether there is a bet to answer, whether it was raised, and whether a player has checked.
    answering: u8,
    raised: u8,
    checked: u8,
    /// 1 plus the player who has folded; 0 for none.
    folded: u8,
}

magister_core::pack_struct!(Leduc {
    first: u8,
    second: u8,
    open: u8,
    stage: u8,
    control: u8,
    paid: u8,
    answering: u8,
    raised: u8,
    checked: u8,
    folded: u8,
});

const STAGES: [&str; 6] = ["deal", "round-1", "turning", "round-2", "showdown", "folded"];
const DEAL: u8 = 0;
const ROUND_1: u8 = 1;
const TURNING: u8 = 2;
const ROUND_2: u8 = 3;
const SHOWDOWN: u8 = 4;
const FOLDED: u8 = 5;

fn rank(card: u8) -> u8 {
    card / 2
}

fn card_text(card: u8) -> String {
    format!("{} {}", RANKS[usize::from(card / 2)], SUITS[usize::from(card % 2)])
}

fn card(rank: &str, suit: &str) -> Option<u8> {
    let rank = RANKS.iter().position(|&one| one == rank)?;
    let suit = SUITS.iter().position(|&one| one == suit)?;
    Some((2 * rank + suit) as u8)
}

/// The two cards of a deal.
fn dealt(deal: u32) -> [u8; 2] {
    let (first, other) = ((deal / 5) as u8, (deal % 5) as u8);
    [first, other + u8::from(other >= first)]
}

impl Leduc {
    fn betting(&self) -> bool {
        self.stage == ROUND_1 || self.stage == ROUND_2
    }

    /// The player who wins, unless the chips are split.
    fn winner(&self) -> Option<u8> {
        if self.folded > 0 {
            return Some(2 - self.folded);
        }
        let paired = |card: u8| rank(card) == rank(self.open);
        match (paired(self.first), paired(self.second)) {
            (true, false) => Some(0),
            (false, true) => Some(1),
            _ if rank(self.first) > rank(self.second) => Some(0),
            _ if rank(self.first) < rank(self.second) => Some(1),
            _ => None,
        }
    }
}

impl Rules for LeducPoker {
    type State = Leduc;

    fn info(&self) -> Info {
        Info {
            chance: Some(DEALER),
            moves: Some(DOES + 5),
            rewards: (11.0, 89.0),
            constant_sum: Some(100.0),
            max_length: Some(10),
            information: Information::Hidden,
            ..Info::new("leduc-poker", &["first", "second", "random"], "leduc-poker 1")
        }
    }

    fn initial(&self) -> Leduc {
        Leduc {
            first: NONE,
            second: NONE,
            open: NONE,
            stage: DEAL,
            control: 0,
            paid: 1,
            answering: 0,
            raised: 0,
            checked: 0,
            folded: 0,
        }
    }

    fn terminal(&self, hand: &Leduc) -> bool {
        hand.stage >= SHOWDOWN
    }

    fn legal(&self, hand: &Leduc, role: Role, out: &mut Vec<Move>) {
        if role == DEALER {
            match hand.stage {
                DEAL => out.extend((0..TURNS).map(Move)),
                TURNING => {
                    let free = |card: &u32| *card as u8 != hand.first && *card as u8 != hand.second;
                    out.extend((0..6).filter(free).map(|card| Move(TURNS + card)));
                }
                _ => {}
            }
        } else if hand.betting() && role.index() == usize::from(hand.control) {
            let actions: &[u32] = match (hand.answering, hand.raised) {
                (0, _) => &[CHECK, BET],
                (_, 0) => &[CALL, RAISE, FOLD],
                _ => &[CALL, FOLD],
            };
            out.extend(actions.iter().map(|action| Move(DOES + action)));
        }
    }

    /// Percepts 0 to 2 are the card of the player, 3 to 5 the open one, 6 to 8 the opponent's at
    /// the showdown, and the opponent's actions follow.
    fn step(&self, hand: &mut Leduc, joint: &[Move], out: &mut Step) {
        let see = |out: &mut Step, player: u8, percept: u32| {
            out.percepts.insert(Role(player), Percept(percept));
        };
        match hand.stage {
            DEAL => {
                [hand.first, hand.second] = dealt(joint[DEALER.index()].0);
                (hand.stage, hand.control) = (ROUND_1, 0);
                see(out, 0, u32::from(rank(hand.first)));
                see(out, 1, u32::from(rank(hand.second)));
            }
            TURNING => {
                hand.open = (joint[DEALER.index()].0 - TURNS) as u8;
                (hand.stage, hand.control) = (ROUND_2, 0);
                (0..2).for_each(|player| see(out, player, 3 + u32::from(rank(hand.open))));
            }
            _ => {
                let player = hand.control;
                let action = joint[usize::from(player)].0 - DOES;
                see(out, 1 - player, 9 + action);
                let bet = if hand.stage == ROUND_1 { 2 } else { 4 };
                if action == CALL || action == RAISE {
                    hand.paid += bet;
                }
                let ends = action == CALL || action == CHECK && hand.checked == 1;
                hand.checked = u8::from(action == CHECK && hand.checked == 0);
                hand.answering = u8::from(action == BET || action == RAISE);
                hand.raised = u8::from(action == RAISE);
                hand.control = if ends || action == FOLD { 0 } else { 1 - player };
                if action == FOLD {
                    (hand.folded, hand.stage) = (player + 1, FOLDED);
                } else if ends && hand.stage == ROUND_1 {
                    hand.stage = TURNING;
                } else if ends {
                    hand.stage = SHOWDOWN;
                    see(out, 0, 6 + u32::from(rank(hand.second)));
                    see(out, 1, 6 + u32::from(rank(hand.first)));
                }
            }
        }
    }

    fn reward(&self, hand: &Leduc, role: Role) -> f64 {
        let chips = 3.0 * f64::from(hand.paid);
        match hand.winner() {
            None => 50.0,
            Some(winner) if usize::from(winner) == role.index() => 50.0 + chips,
            Some(_) => 50.0 - chips,
        }
    }

    fn valid(&self, hand: &Leduc) -> bool {
        let dealt = hand.first < NONE && hand.second < NONE && hand.first != hand.second;
        let open = hand.open < NONE && hand.open != hand.first && hand.open != hand.second;
        let none = [hand.first, hand.second, hand.open] == [NONE; 3];
        let flags = [hand.control, hand.answering, hand.raised, hand.checked];
        if flags.iter().any(|&flag| flag > 1) {
            return false;
        }
        let (cards, chips) = match hand.stage {
            DEAL => (none, hand.paid == 1),
            ROUND_1 => (dealt && hand.open == NONE, hand.paid == 1 + 2 * hand.raised),
            TURNING => (dealt && hand.open == NONE, hand.paid <= 5),
            ROUND_2 => (dealt && open, (1..=5).contains(&hand.paid.wrapping_sub(4 * hand.raised))),
            SHOWDOWN => (dealt && open, hand.paid <= 13),
            FOLDED => (dealt && (open || hand.open == NONE), hand.paid <= 9),
            _ => (false, false),
        };
        cards
            && chips
            && hand.paid % 2 == 1
            && (hand.folded > 0) == (hand.stage == FOLDED)
            && hand.folded < 3
            && (hand.betting() || flags == [0; 4])
            && if hand.answering == 1 {
                hand.checked == 0
            } else {
                hand.raised == 0 && hand.checked == hand.control
            }
    }

    fn move_text(&self, choice: Move) -> String {
        match choice.0 {
            deal @ 0..TURNS => {
                let [first, second] = dealt(deal).map(card_text);
                format!("(deal {first} {second})")
            }
            turn @ TURNS..DOES => format!("(turn {})", card_text((turn - TURNS) as u8)),
            action => ACTIONS[(action - DOES) as usize % 5].to_owned(),
        }
    }

    fn percepts(&self) -> u32 {
        14
    }

    fn percept_text(&self, percept: Percept) -> String {
        let number = percept.0 as usize;
        match number {
            0..3 => format!("(card {})", RANKS[number]),
            3..6 => format!("(turned {})", RANKS[number - 3]),
            6..9 => format!("(shown {})", RANKS[number - 6]),
            _ => format!("(did {})", ACTIONS[(number - 9) % 5]),
        }
    }

    fn state_text(&self, hand: &Leduc) -> String {
        let mut terms = vec![format!("(now {})", STAGES[usize::from(hand.stage)])];
        for (player, held) in PLAYERS.iter().zip([hand.first, hand.second]) {
            if held < NONE {
                terms.push(format!("(hand {player} {})", card_text(held)));
            }
        }
        if hand.open < NONE {
            terms.push(format!("(board {})", card_text(hand.open)));
        }
        terms.push(format!("(paid {})", hand.paid));
        if hand.betting() {
            terms.push(format!("(control {})", PLAYERS[usize::from(hand.control)]));
        }
        for (flag, name) in
            [(hand.answering, "answering"), (hand.raised, "raised"), (hand.checked, "checked")]
        {
            if flag == 1 {
                terms.push(format!("(is {name})"));
            }
        }
        if hand.folded > 0 {
            terms.push(format!("(folded {})", PLAYERS[usize::from(hand.folded) - 1]));
        }
        text::list(terms)
    }

    fn parse_state(&self, text: &str) -> Option<Leduc> {
        let mut hand = self.initial();
        let player = |name: &str| PLAYERS.iter().position(|&one| one == name);
        for term in text::terms(text)? {
            match term[..] {
                ["now", stage] => {
                    hand.stage = STAGES.iter().position(|&one| one == stage)? as u8;
                }
                ["hand", name, rank, suit] => match player(name)? {
                    0 => hand.first = card(rank, suit)?,
                    _ => hand.second = card(rank, suit)?,
                },
                ["board", rank, suit] => hand.open = card(rank, suit)?,
                ["paid", chips] => hand.paid = chips.parse().ok()?,
                ["control", name] => hand.control = player(name)? as u8,
                ["is", "answering"] => hand.answering = 1,
                ["is", "raised"] => hand.raised = 1,
                ["is", "checked"] => hand.checked = 1,
                ["folded", name] => hand.folded = player(name)? as u8 + 1,
                _ => return None,
            }
        }
        Some(hand).filter(|hand| self.valid(hand) && self.state_text(hand) == text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_deal_has_two_different_cards() {
        let mut all: Vec<[u8; 2]> = (0..TURNS).map(dealt).collect();
        assert!(all.iter().all(|[a, b]| a != b && *a < NONE && *b < NONE));
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 30);
    }

    #[test]
    fn a_pair_beats_a_higher_card() {
        let hand = Leduc { first: 0, second: 4, open: 1, ..LeducPoker.initial() };
        assert_eq!(hand.winner(), Some(0));
        assert_eq!(Leduc { open: 2, ..hand }.winner(), Some(1));
        assert_eq!(Leduc { second: 1, open: 2, ..hand }.winner(), None);
        assert_eq!(Leduc { folded: 1, ..hand }.winner(), Some(1));
    }
}
