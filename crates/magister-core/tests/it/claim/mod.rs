//! Games for tests: one with silent steps and hidden cards, and one without either.
#![allow(dead_code, reason = "not every test uses everything")]

use std::sync::Arc;

use magister_core::examples::Countdown;
use magister_core::{Game, Info, Information, Move, Native, Percept, Role, Rules, Step};

pub(crate) const LOW: Role = Role(0);
pub(crate) const HIGH: Role = Role(1);
pub(crate) const DEALER: Role = Role(2);

/// A deck of six cards is dealt silently, two cards to each player; with the last card every player
/// sees its hand. Then both declare simultaneously whether they claim the higher sum; a right claim
/// wins a point and a wrong one loses it.
pub(crate) struct Claim;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hands {
    /// The owner of each card: 0 is the deck.
    owner: [u8; 6],
    dealt: u8,
    claims: [u8; 2],
}

magister_core::pack_struct!(Hands { owner: [u8; 6], dealt: u8, claims: [u8; 2] });

impl Claim {
    fn sum(table: &Hands, role: Role) -> usize {
        (0..6).filter(|&card| table.owner[card] == role.0 + 1).sum()
    }
}

impl Rules for Claim {
    type State = Hands;
    fn info(&self) -> Info {
        Info {
            chance: Some(DEALER),
            moves: Some(8),
            rewards: (-1.0, 1.0),
            max_length: Some(5),
            information: Information::Hidden,
            ..Info::new("claim", &["low", "high", "dealer"], "claim 1")
        }
    }
    fn initial(&self) -> Hands {
        Hands { owner: [0; 6], dealt: 0, claims: [0; 2] }
    }
    fn terminal(&self, table: &Hands) -> bool {
        table.claims[0] != 0
    }
    fn legal(&self, table: &Hands, role: Role, out: &mut Vec<Move>) {
        if table.dealt == 4 && role != DEALER {
            out.extend([Move(6), Move(7)]);
        } else if table.dealt < 4 && role == DEALER {
            out.extend((0..6).filter(|&card| table.owner[card as usize] == 0).map(Move));
        }
    }
    fn silent(&self, table: &Hands) -> bool {
        table.dealt < 3
    }
    fn step(&self, table: &mut Hands, joint: &[Move], out: &mut Step) {
        if table.dealt == 4 {
            table.claims = [joint[0].0 as u8 - 5, joint[1].0 as u8 - 5];
            return;
        }
        table.owner[joint[DEALER.index()].index()] = 1 + table.dealt % 2;
        table.dealt += 1;
        if table.dealt == 4 {
            for (card, &owner) in table.owner.iter().enumerate().filter(|&(_, &owner)| owner > 0) {
                out.percepts.insert(Role(owner - 1), Percept(card as u32));
            }
        }
    }
    fn reward(&self, table: &Hands, role: Role) -> f64 {
        let higher = Self::sum(table, role) > Self::sum(table, Role(1 - role.0));
        match table.claims[role.index()] {
            2 if higher => 1.0,
            2 => -1.0,
            _ => 0.0,
        }
    }
    fn valid(&self, table: &Hands) -> bool {
        let mut owned = [0; 3];
        for &owner in &table.owner {
            match owned.get_mut(usize::from(owner)) {
                Some(count) => *count += 1,
                None => return false,
            }
        }
        let (dealt, claims) = (table.dealt, table.claims);
        dealt <= 4
            && owned == [6 - dealt, dealt.div_ceil(2), dealt / 2]
            && (claims == [0; 2] || dealt == 4 && claims.iter().all(|claim| [1, 2].contains(claim)))
    }
    fn move_text(&self, choice: Move) -> String {
        match choice.0 {
            6 => "pass".into(),
            7 => "claim".into(),
            card => format!("(deal {card})"),
        }
    }
    fn percepts(&self) -> u32 {
        6
    }
    fn state_text(&self, table: &Hands) -> String {
        format!("{:?} {} {:?}", table.owner, table.dealt, table.claims)
    }
    fn parse_state(&self, text: &str) -> Option<Hands> {
        let digits: Vec<u8> =
            text.chars().filter_map(|c| c.to_digit(10)).map(|digit| digit as u8).collect();
        Some(Hands {
            owner: digits.get(..6)?.try_into().ok()?,
            dealt: *digits.get(6)?,
            claims: digits.get(7..9)?.try_into().ok()?,
        })
    }
}

pub(crate) fn claim() -> Arc<dyn Game> {
    Arc::new(Native::new(Claim))
}

pub(crate) fn countdown() -> Arc<dyn Game> {
    Arc::new(Native::new(Countdown(9)))
}
