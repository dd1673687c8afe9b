//! Heads-up limit Texas hold'em.
//!
//! The small blind puts in one chip and the big blind two. Four rounds of bets follow the deal of two
//! cards for each player, the flop of three open cards, the turn and the river. Bets and raises are
//! two chips in the first two rounds and four in the others, and a round has at most four, where the
//! big blind counts as the first. The best five of seven cards win the chips.

use magister_core::text;
use magister_core::{Info, Information, Move, Percept, Role, Rules, Step};

use super::poker::strength;

const PLAYERS: [&str; 2] = ["small", "big"];
/// The dealer is chance.
const DEALER: Role = Role(2);
const RANKS: &[u8; 13] = b"23456789tjqka";
const SUITS: &[u8; 4] = b"cdhs";
const ACTIONS: [&str; 4] = ["fold", "check", "call", "raise"];
const FOLD: u32 = 0;
const CHECK: u32 = 1;
const CALL: u32 = 2;
const RAISE: u32 = 3;

/// The number of cards, which is also the first move that is an action.
const CARDS: u32 = 52;
/// No card yet.
const NONE: u8 = 52;
/// The number of cards that are dealt before each round of bets, and in all.
const DEALT: [u8; 4] = [4, 7, 8, 9];
const ALL: usize = 9;
/// The most bets and raises of a round.
const BETS: u8 = 4;

/// The rules. Moves 0 to 51 deal a card, and the actions follow. Card `4r + s` has rank `r` and suit
/// `s`.
#[derive(Clone, Copy, Debug)]
pub struct LimitHoldem;

/// A hand of hold'em.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Table {
    /// Two cards of the small blind, two of the big blind, and the open ones.
    cards: [u8; ALL],
    /// The number of cards that were dealt.
    dealt: u8,
    /// The chips that each player has put in.
    paid: [u8; 2],
    /// The player to act.
    control: u8,
    /// The bets and the actions of this round. No actions and too few cards mean a deal.
    bets: u8,
    actions: u8,
    /// The number of rounds that are over.
    rounds: u8,
    /// 1 plus the player who has folded; 0 for none.
    folded: u8,
}

magister_core::pack_struct!(Table {
    cards: [u8; ALL],
    dealt: u8,
    paid: [u8; 2],
    control: u8,
    bets: u8,
    actions: u8,
    rounds: u8,
    folded: u8,
});

fn card_text(card: u8) -> String {
    let (rank, suit) = (usize::from(card / 4) % 13, usize::from(card % 4));
    [RANKS[rank], SUITS[suit]].map(char::from).iter().collect()
}

fn card(text: &str) -> Option<u8> {
    let [rank, suit] = text.as_bytes() else { return None };
    let rank = RANKS.iter().position(|one| one == rank)?;
    let suit = SUITS.iter().position(|one| one == suit)?;
    Some((4 * rank + suit) as u8)
}

impl Table {
    fn over(&self) -> bool {
        self.folded > 0 || self.rounds == 4
    }

    /// Whether cards are dealt before the next action.
    fn dealing(&self) -> bool {
        let wanted = DEALT.get(usize::from(self.rounds));
        !self.over() && wanted.is_some_and(|&wanted| self.dealt < wanted)
    }

    /// The chips of a bet or a raise.
    fn bet(&self) -> u8 {
        if self.rounds < 2 { 2 } else { 4 }
    }

    /// Whether the player to act has put in less than the other.
    fn behind(&self) -> bool {
        let player = usize::from(self.control);
        self.paid[player] < self.paid[1 - player]
    }

    /// The player who wins, unless the chips are split.
    fn winner(&self) -> Option<usize> {
        if self.folded > 0 {
            return Some(usize::from(2 - self.folded));
        }
        let [small, big] = [0, 2].map(|first| {
            let own = self.cards[first..first + 2].iter();
            strength(own.chain(&self.cards[4..]).copied())
        });
        match small.cmp(&big) {
            std::cmp::Ordering::Greater => Some(0),
            std::cmp::Ordering::Less => Some(1),
            std::cmp::Ordering::Equal => None,
        }
    }

    fn act(&mut self, action: u32) {
        let player = usize::from(self.control);
        match action {
            FOLD => self.folded = self.control + 1,
            CALL => self.paid[player] = self.paid[1 - player],
            RAISE => {
                self.paid[player] = self.paid[1 - player] + self.bet();
                self.bets += 1;
            }
            _ => {}
        }
        self.actions += 1;
        // Every player acts at least once, and a call or a check after that ends the round.
        if (action == CALL || action == CHECK) && self.actions >= 2 {
            // The small blind has the first action before the flop, and the big blind after it.
            (self.bets, self.actions, self.control) = (0, 0, 1);
            self.rounds += 1;
        } else {
            self.control = 1 - self.control;
        }
        if self.over() {
            (self.bets, self.actions, self.control) = (0, 0, 0);
        }
    }
}

impl Rules for LimitHoldem {
    type State = Table;

    fn info(&self) -> Info {
        Info {
            chance: Some(DEALER),
            moves: Some(CARDS + 4),
            rewards: (-48.0, 48.0),
            constant_sum: Some(0.0),
            // A check, four bets and a call are the longest round after the flop.
            max_length: Some(9 + 5 + 3 * 6),
            information: Information::Hidden,
            ..Info::new("limit-holdem", &["small", "big", "random"], "limit-holdem 1")
        }
    }

    fn initial(&self) -> Table {
        Table {
            cards: [NONE; ALL],
            dealt: 0,
            paid: [1, 2],
            control: 0,
            bets: 1,
            actions: 0,
            rounds: 0,
            folded: 0,
        }
    }

    fn terminal(&self, table: &Table) -> bool {
        table.over()
    }

    fn legal(&self, table: &Table, role: Role, out: &mut Vec<Move>) {
        if role == DEALER {
            if table.dealing() {
                let gone = table.cards.iter().fold(0_u64, |all, &card| all | 1 << card);
                out.extend((0..CARDS).filter(|card| gone >> card & 1 == 0).map(Move));
            }
        } else if !table.dealing() && !table.over() && role.index() == usize::from(table.control) {
            let first: &[u32] = if table.behind() { &[FOLD, CALL] } else { &[CHECK] };
            let raise = if table.bets < BETS { &[RAISE][..] } else { &[] };
            out.extend(first.iter().chain(raise).map(|action| Move(CARDS + action)));
        }
    }

    /// Percepts 0 to 51 are a card that a player gets, 52 to 103 an open card, 104 to 155 a card
    /// that the opponent shows at the end, and the opponent's actions follow.
    fn step(&self, table: &mut Table, joint: &[Move], out: &mut Step) {
        let see = |out: &mut Step, player: u8, percept: u32| {
            out.percepts.insert(Role(player), Percept(percept));
        };
        if table.dealing() {
            let card = joint[DEALER.index()].0;
            match table.dealt {
                at @ 0..4 => see(out, at / 2, card),
                _ => (0..2).for_each(|player| see(out, player, CARDS + card)),
            }
            table.cards[usize::from(table.dealt)] = card as u8;
            table.dealt += 1;
            return;
        }
        let player = table.control;
        let action = joint[usize::from(player)].0 - CARDS;
        see(out, 1 - player, 3 * CARDS + action);
        table.act(action);
        if table.rounds == 4 {
            for (at, &card) in (0..4).zip(&table.cards) {
                see(out, 1 - at / 2, 2 * CARDS + u32::from(card));
            }
        }
    }

    fn reward(&self, table: &Table, role: Role) -> f64 {
        let other = 1 - role.index();
        match table.winner() {
            None => 0.0,
            Some(winner) if winner == role.index() => f64::from(table.paid[other]),
            Some(_) => -f64::from(table.paid[role.index()]),
        }
    }

    fn valid(&self, table: &Table) -> bool {
        let dealt = usize::from(table.dealt);
        let (Some(known), Some(rest)) = (table.cards.get(..dealt), table.cards.get(dealt..)) else {
            return false;
        };
        let mut seen = 0_u64;
        let apart = known.iter().all(|&card| {
            let fresh = card < NONE && seen >> card & 1 == 0;
            seen |= 1 << (card % 64);
            fresh
        });
        let [small, big] = table.paid;
        let rounds = usize::from(table.rounds);
        let most = [8, 16, 32, 48, 48];
        let enough = match DEALT.get(rounds) {
            // A round ends before its successor's cards are dealt.
            Some(&wanted) => {
                table.dealt <= wanted && (rounds == 0 || table.dealt >= DEALT[rounds - 1])
            }
            None => rounds == 4 && dealt == ALL,
        };
        let acting = !table.dealing() && !table.over();
        apart
            && rest.iter().all(|&card| card == NONE)
            && enough
            && small.max(big) <= most[rounds.min(4)]
            && small.abs_diff(big) <= 4
            && table.control < 2
            && table.folded < 3
            && (table.folded == 0 || table.paid[usize::from(table.folded - 1)] < small.max(big))
            && (table.folded == 0 || DEALT.get(rounds).is_none_or(|&wanted| table.dealt >= wanted))
            && table.bets <= BETS
            && table.actions <= 5
            && (acting || table.actions == 0)
            && (!table.over() || table.bets == 0 && table.control == 0)
            && (table.rounds < 4 || small == big)
            && (table.rounds > 0 || small >= 1 && big >= 2)
            // Without an action of this round, only the blinds differ.
            && (table.actions > 0 || table.over() || if rounds == 0 {
                (table.paid, table.bets, table.control) == ([1, 2], 1, 0)
            } else {
                small == big && table.bets == 0 && table.control == 1
            })
    }

    fn move_text(&self, choice: Move) -> String {
        match choice.0.checked_sub(CARDS) {
            None => format!("(deal {})", card_text(choice.0 as u8)),
            Some(action) => ACTIONS[action as usize % 4].to_owned(),
        }
    }

    fn percepts(&self) -> u32 {
        3 * CARDS + 4
    }

    fn percept_text(&self, percept: Percept) -> String {
        let card = card_text((percept.0 % CARDS) as u8);
        match percept.0 / CARDS {
            0 => format!("(card {card})"),
            1 => format!("(open {card})"),
            2 => format!("(shown {card})"),
            _ => format!("(did {})", ACTIONS[(percept.0 % CARDS) as usize % 4]),
        }
    }

    fn state_text(&self, table: &Table) -> String {
        let cards = |from: usize, to: usize| {
            let known = table.cards[from..to].iter().filter(|&&card| card < NONE);
            known.fold(String::new(), |all, &card| all + " " + &card_text(card))
        };
        let mut terms = vec![
            format!("(hand small{})", cards(0, 2)),
            format!("(hand big{})", cards(2, 4)),
            format!("(board{})", cards(4, ALL)),
            format!("(paid small {})", table.paid[0]),
            format!("(paid big {})", table.paid[1]),
            format!("(round {})", table.rounds + 1),
            format!("(bets {})", table.bets),
            format!("(actions {})", table.actions),
        ];
        if table.folded > 0 {
            terms.push(format!("(folded {})", PLAYERS[usize::from(table.folded) - 1]));
        } else if !table.over() {
            terms.push(format!("(control {})", PLAYERS[usize::from(table.control)]));
        }
        text::list(terms)
    }

    fn parse_state(&self, text: &str) -> Option<Table> {
        let mut table = Table { control: 0, bets: 0, ..self.initial() };
        let player = |name: &str| PLAYERS.iter().position(|&one| one == name);
        for term in text::terms(text)? {
            match term[..] {
                ["hand" | "board", ref cards @ ..] => {
                    for text in cards.iter().filter(|word| player(word).is_none()) {
                        *table.cards.get_mut(usize::from(table.dealt))? = card(text)?;
                        table.dealt += 1;
                    }
                }
                ["paid", name, chips] => table.paid[player(name)?] = chips.parse().ok()?,
                ["round", round] => table.rounds = round.parse::<u8>().ok()?.checked_sub(1)?,
                ["bets", bets] => table.bets = bets.parse().ok()?,
                ["actions", actions] => table.actions = actions.parse().ok()?,
                ["folded", name] => table.folded = player(name)? as u8 + 1,
                ["control", name] => table.control = player(name)? as u8,
                _ => return None,
            }
        }
        Some(table).filter(|table| self.valid(table) && self.state_text(table) == text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cards_have_names() {
        assert!((0..52).all(|number| card(&card_text(number)) == Some(number)));
        assert_eq!(card_text(51), "as");
        assert_eq!(card("1c"), None);
    }

    #[test]
    fn rounds_end_after_a_call_or_two_checks() {
        let mut table = Table { dealt: 4, ..LimitHoldem.initial() };
        table.act(CALL);
        // The big blind may still raise.
        assert_eq!((table.rounds, table.control, table.paid), (0, 1, [2, 2]));
        table.act(RAISE);
        assert!(table.behind());
        table.act(CALL);
        assert_eq!((table.rounds, table.control, table.paid), (1, 1, [4, 4]));
        table.act(CHECK);
        table.act(CHECK);
        assert_eq!((table.rounds, table.bet()), (2, 4));
        (0..4).for_each(|_| table.act(RAISE));
        assert_eq!((table.bets, table.paid), (4, [20, 16]));
        table.act(FOLD);
        assert_eq!(table.winner(), Some(0));
    }
}
