//! Kuhn poker: three cards and one bet, which is enough for bluffing.
//!
//! H. W. Kuhn, "A simplified two-person poker", 1950. Each player antes one chip and is dealt one
//! of three cards. The first may check or bet one chip; a bet is called or folded; after a check
//! the second may bet in turn. The higher card wins the chips. In equilibrium, the second player
//! wins 1/18 of a chip per game.

use magister_core::text::terms;
use magister_core::{Info, Information, Move, Percept, Role, Rules, Step};

/// The dealer is chance.
const DEALER: Role = Role(2);

/// The cards that each deal gives to the first and to the second player.
const DEALS: [[u8; 2]; 6] = [[0, 1], [0, 2], [1, 0], [1, 2], [2, 0], [2, 1]];
const CARDS: [&str; 3] = ["jack", "queen", "king"];
const ACTIONS: [&str; 4] = ["check", "bet", "fold", "call"];

/// The value of [`Hand::deal`] before the deal.
const UNDEALT: u8 = 6;

/// The public betting lines, as a small state machine.
struct Line {
    /// Its name in the text of a state.
    name: &'static str,
    then: Then,
}

/// The continuation of a line.
enum Then {
    /// A player has two actions, each of which leads to another line.
    Turn(Role, [(u8, u8); 2]),
    /// The other player has folded, so this player wins the other's chip.
    Wins(Role),
    /// The higher card wins this many chips.
    Showdown(f64),
}

const fn line(name: &'static str, then: Then) -> Line {
    Line { name, then }
}

const FIRST: Role = Role(0);
const SECOND: Role = Role(1);
const LINES: [Line; 9] = [
    line("start", Then::Turn(FIRST, [(0, 1), (1, 2)])),
    line("check", Then::Turn(SECOND, [(0, 4), (1, 3)])),
    line("bet", Then::Turn(SECOND, [(2, 5), (3, 6)])),
    line("check-bet", Then::Turn(FIRST, [(2, 7), (3, 8)])),
    line("check-check", Then::Showdown(1.0)),
    line("bet-fold", Then::Wins(FIRST)),
    line("bet-call", Then::Showdown(2.0)),
    line("check-bet-fold", Then::Wins(SECOND)),
    line("check-bet-call", Then::Showdown(2.0)),
];

/// The rules of Kuhn poker. Moves 0 to 5 are the deals, followed by the actions.
#[derive(Clone, Copy, Debug)]
pub struct KuhnPoker;

/// A hand of Kuhn poker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hand {
    deal: u8,
    line: u8,
}

magister_core::pack_struct!(Hand { deal: u8, line: u8 });

impl Hand {
    fn line(self) -> &'static Line {
        &LINES[usize::from(self.line)]
    }
}

impl Rules for KuhnPoker {
    type State = Hand;

    fn info(&self) -> Info {
        Info {
            chance: Some(DEALER),
            moves: Some(10),
            rewards: (-2.0, 2.0),
            constant_sum: Some(0.0),
            max_length: Some(4),
            information: Information::Hidden,
            ..Info::new("kuhn-poker", &["first", "second", "dealer"], "kuhn-poker 1")
        }
    }

    fn initial(&self) -> Hand {
        Hand { deal: UNDEALT, line: 0 }
    }

    fn terminal(&self, hand: &Hand) -> bool {
        !matches!(hand.line().then, Then::Turn(..))
    }

    fn legal(&self, hand: &Hand, role: Role, out: &mut Vec<Move>) {
        if hand.deal == UNDEALT {
            if role == DEALER {
                out.extend((0..6).map(Move));
            }
        } else if let Then::Turn(turn, actions) = hand.line().then
            && role == turn
        {
            out.extend(actions.map(|(action, _)| Move(6 + u32::from(action))));
        }
    }

    /// A player perceives its card, and every player perceives the actions. Percepts 0 to 2 are the
    /// cards, followed by the actions.
    fn step(&self, hand: &mut Hand, joint: &[Move], out: &mut Step) {
        if hand.deal == UNDEALT {
            let deal = joint[DEALER.index()].0;
            hand.deal = deal as u8;
            for (role, card) in [FIRST, SECOND].into_iter().zip(DEALS[deal as usize]) {
                out.percepts.insert(role, Percept(u32::from(card)));
            }
        } else if let Then::Turn(turn, actions) = hand.line().then {
            let done = joint[turn.index()].0 - 6;
            for (action, next) in actions {
                if u32::from(action) == done {
                    hand.line = next;
                }
            }
            for role in [FIRST, SECOND] {
                out.percepts.insert(role, Percept(3 + done));
            }
        }
    }

    fn reward(&self, hand: &Hand, role: Role) -> f64 {
        let (winner, chips) = match hand.line().then {
            Then::Turn(..) => return 0.0,
            Then::Wins(winner) => (winner, 1.0),
            Then::Showdown(chips) => {
                let [first, second] = DEALS[usize::from(hand.deal)];
                (if first > second { FIRST } else { SECOND }, chips)
            }
        };
        if role == winner { chips } else { -chips }
    }

    fn valid(&self, hand: &Hand) -> bool {
        hand.line < 9 && (hand.deal < UNDEALT || hand.deal == UNDEALT && hand.line == 0)
    }

    fn move_text(&self, choice: Move) -> String {
        match choice.0 {
            deal @ 0..6 => {
                let [first, second] = DEALS[deal as usize].map(|card| CARDS[usize::from(card)]);
                format!("(deal {first} {second})")
            }
            action => ACTIONS[action as usize - 6].to_owned(),
        }
    }

    fn percepts(&self) -> u32 {
        7
    }

    fn percept_text(&self, percept: Percept) -> String {
        match percept.0 {
            card @ 0..3 => format!("(card {})", CARDS[card as usize]),
            action => format!("(did {})", ACTIONS[action as usize - 3]),
        }
    }

    fn state_text(&self, hand: &Hand) -> String {
        if hand.deal == UNDEALT {
            return "()".to_owned();
        }
        let [first, second] = DEALS[usize::from(hand.deal)].map(|card| CARDS[usize::from(card)]);
        format!("((dealt {first} {second}) (line {}))", hand.line().name)
    }

    fn parse_state(&self, text: &str) -> Option<Hand> {
        match terms(text)?.iter().map(Vec::as_slice).collect::<Vec<_>>()[..] {
            [] => Some(self.initial()),
            [["dealt", first, second], ["line", name]] => {
                let dealt = |&[a, b]: &[u8; 2]| {
                    CARDS[usize::from(a)] == *first && CARDS[usize::from(b)] == *second
                };
                Some(Hand {
                    deal: DEALS.iter().position(dealt)? as u8,
                    line: LINES.iter().position(|line| line.name == *name)? as u8,
                })
            }
            _ => None,
        }
    }
}
