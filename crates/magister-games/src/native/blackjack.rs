//! Blackjack: nearer to 21 than the dealer, one of whose cards lies face down.
//!
//! Cards come from a shoe so large that every rank is always equally likely. Chance draws a card at
//! every step, but it counts only if the player or the dealer takes it.

use magister_core::text;
use magister_core::{Info, Information, Move, Percept, Role, Rules, Step};

const PLAYER: Role = Role(0);
/// The shoe is chance.
const SHOE: Role = Role(1);
const RANKS: [&str; 13] =
    ["ace", "2", "3", "4", "5", "6", "7", "8", "9", "10", "jack", "queen", "king"];
const SIDES: [&str; 2] = ["player", "dealer"];
const HIT: u32 = 13;
const STAND: u32 = 14;
/// The stages: four cards are dealt, the player plays, the dealer draws.
const STAGES: [&str; 6] = ["first", "second", "third", "hole", "playing", "dealing"];
const HOLE: u8 = 3;
const PLAYING: u8 = 4;
const DEALING: u8 = 5;
/// The rank of the hidden card before it is dealt.
const NONE: u8 = 13;
/// More than 21.
const BUST: u8 = 22;

/// The rules of blackjack. Moves 0 to 12 draw a rank; then come hit and stand.
#[derive(Clone, Copy, Debug)]
pub struct Blackjack;

/// A hand of blackjack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Totals {
    stage: u8,
    /// The rank of the hidden card.
    hidden: u8,
    /// For the player and the dealer: the sum with aces as one, or [`BUST`]; whether there is an
    /// ace; and whether there are more than two cards.
    player: u8,
    dealer: u8,
    player_ace: u8,
    dealer_ace: u8,
    player_more: u8,
    dealer_more: u8,
}

magister_core::pack_struct!(Totals {
    stage: u8,
    hidden: u8,
    player: u8,
    dealer: u8,
    player_ace: u8,
    dealer_ace: u8,
    player_more: u8,
    dealer_more: u8,
});

/// What a rank counts.
fn count(rank: u8) -> u8 {
    (rank + 1).min(10)
}

impl Totals {
    fn take(&mut self, side: usize, rank: u8) {
        let (sum, ace) = if side == 0 {
            (&mut self.player, &mut self.player_ace)
        } else {
            (&mut self.dealer, &mut self.dealer_ace)
        };
        *sum = (*sum + count(rank)).min(BUST);
        *ace |= u8::from(rank == 0);
    }

    /// The best value of a side, and whether it is a natural.
    fn value(self, side: usize) -> (u8, bool) {
        let (sum, ace, more) = if side == 0 {
            (self.player, self.player_ace, self.player_more)
        } else {
            (self.dealer, self.dealer_ace, self.dealer_more)
        };
        let value = if ace == 1 && sum <= 11 { sum + 10 } else { sum };
        (value, value == 21 && more == 0)
    }
}

impl Rules for Blackjack {
    type State = Totals;

    fn info(&self) -> Info {
        Info {
            chance: Some(SHOE),
            moves: Some(15),
            rewards: (0.0, 100.0),
            // At most 21 cards of the player after two, and as many of the dealer.
            max_length: Some(46),
            information: Information::Hidden,
            ..Info::new("blackjack", &["player", "random"], "blackjack 1")
        }
    }

    fn initial(&self) -> Totals {
        Totals {
            stage: 0,
            hidden: NONE,
            player: 0,
            dealer: 0,
            player_ace: 0,
            dealer_ace: 0,
            player_more: 0,
            dealer_more: 0,
        }
    }

    fn terminal(&self, state: &Totals) -> bool {
        state.player == BUST
            || state.dealer == BUST
            || state.stage == DEALING && state.value(1).0 >= 17
    }

    fn legal(&self, state: &Totals, role: Role, out: &mut Vec<Move>) {
        if role == SHOE {
            out.extend((0..13).map(Move));
        } else if state.stage == PLAYING {
            out.extend([Move(HIT), Move(STAND)]);
        }
    }

    /// Percepts 0 to 12 are cards of the player, 13 to 25 cards of the dealer.
    fn step(&self, state: &mut Totals, joint: &[Move], out: &mut Step) {
        let rank = joint[SHOE.index()].0 as u8;
        let mut see = |side: usize, rank: u8| {
            out.percepts.insert(PLAYER, Percept(13 * side as u32 + u32::from(rank)));
        };
        match state.stage {
            PLAYING if joint[PLAYER.index()].0 == HIT => {
                state.take(0, rank);
                state.player_more = 1;
                see(0, rank);
            }
            PLAYING => {
                state.stage = DEALING;
                see(1, state.hidden);
            }
            DEALING => {
                state.take(1, rank);
                state.dealer_more = 1;
                see(1, rank);
            }
            stage => {
                let side = usize::from(stage % 2);
                state.take(side, rank);
                if stage == HOLE {
                    state.hidden = rank;
                } else {
                    see(side, rank);
                }
                state.stage += 1;
            }
        }
    }

    fn reward(&self, state: &Totals, _role: Role) -> f64 {
        let (own, natural) = state.value(0);
        let (other, others) = state.value(1);
        if state.player == BUST || state.dealer != BUST && (others && !natural || other > own) {
            0.0
        } else if state.dealer == BUST || natural && !others || own > other {
            if natural { 100.0 } else { 80.0 }
        } else {
            40.0
        }
    }

    fn valid(&self, state: &Totals) -> bool {
        let flags = [state.player_ace, state.dealer_ace, state.player_more, state.dealer_more];
        let early = state.stage <= HOLE;
        let seen = count(state.hidden.min(12)) <= state.dealer;
        state.stage <= DEALING
            && state.player <= BUST
            && state.dealer <= BUST
            && flags.iter().all(|&flag| flag < 2)
            && (state.player_ace == 0 || state.player > 0)
            && (state.dealer_ace == 0 || state.dealer > 0)
            && if early {
                state.hidden == NONE && state.player_more == 0 && state.dealer_more == 0
            } else {
                state.hidden < NONE && seen && (state.stage == DEALING || state.dealer_more == 0)
            }
    }

    fn move_text(&self, choice: Move) -> String {
        match choice.0 {
            HIT => "hit".to_owned(),
            STAND => "stand".to_owned(),
            rank => format!("(draw {})", RANKS[rank as usize % 13]),
        }
    }

    fn percepts(&self) -> u32 {
        26
    }

    fn percept_text(&self, percept: Percept) -> String {
        let (side, rank) = (percept.0 as usize / 13 % 2, percept.0 as usize % 13);
        format!("(card {} {})", SIDES[side], RANKS[rank])
    }

    fn state_text(&self, state: &Totals) -> String {
        let mut terms = vec![format!("(now {})", STAGES[usize::from(state.stage)])];
        if state.hidden < NONE {
            terms.push(format!("(hidden {})", RANKS[usize::from(state.hidden)]));
        }
        let sides = [
            (state.player, state.player_ace, state.player_more),
            (state.dealer, state.dealer_ace, state.dealer_more),
        ];
        for (side, (sum, ace, more)) in SIDES.iter().zip(sides) {
            terms.push(match sum {
                BUST => format!("(bust {side})"),
                sum => format!("(sum {side} {sum})"),
            });
            if ace == 1 {
                terms.push(format!("(ace {side})"));
            }
            if more == 1 {
                terms.push(format!("(more {side})"));
            }
        }
        text::list(terms)
    }

    fn parse_state(&self, text: &str) -> Option<Totals> {
        let mut state = self.initial();
        for term in text::terms(text)? {
            match term[..] {
                ["now", stage] => {
                    state.stage = STAGES.iter().position(|&one| one == stage)? as u8;
                }
                ["hidden", rank] => {
                    state.hidden = RANKS.iter().position(|&one| one == rank)? as u8;
                }
                ["sum", "player", sum] => state.player = sum.parse().ok()?,
                ["sum", "dealer", sum] => state.dealer = sum.parse().ok()?,
                ["bust", "player"] => state.player = BUST,
                ["bust", "dealer"] => state.dealer = BUST,
                ["ace", "player"] => state.player_ace = 1,
                ["ace", "dealer"] => state.dealer_ace = 1,
                ["more", "player"] => state.player_more = 1,
                ["more", "dealer"] => state.dealer_more = 1,
                _ => return None,
            }
        }
        Some(state).filter(|state| self.valid(state) && self.state_text(state) == text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ace_counts_eleven_where_that_is_not_too_much() {
        let mut state = Blackjack.initial();
        state.take(0, 0);
        state.take(0, 12);
        assert_eq!(state.value(0), (21, true));
        state.take(0, 0);
        assert_eq!(state.value(0).0, 12);
        (0..3).for_each(|_| state.take(0, 8));
        assert_eq!(state.player, BUST);
    }
}
