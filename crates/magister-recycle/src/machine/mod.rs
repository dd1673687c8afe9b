//! The machine that runs the rules.
//!
//! A state has the piles, the stores, the cycles of players, and a stack of statements to run. The
//! machine runs until chance or a player has to decide; then the state is complete and can be
//! saved. It can stop in the middle of a block, because the rest of the block is on the stack.
//!
//! A statement that needs a number from chance is restarted when the number is available; it
//! changes nothing before it has all its numbers.

mod act;
mod eval;
mod expand;
mod groups;
mod run;
mod save;
mod why;

use magister_core::Rng;

use crate::ir::{Origin, Slot, StmtId};
use crate::program::Program;

pub(crate) use expand::Choosing;
pub(crate) use why::{Thing, Why};

/// The absence of a card.
pub(crate) const NO_CARD: i32 = -1;
/// The bits of a card's number; the bits above may contain a `mem` pile.
pub(crate) const CARD: i32 = 0xffff;

/// Why an evaluation stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trap {
    /// Chance must draw.
    Chance(Draw),
    Fault(Fault),
}

/// The kind of draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Draw {
    /// A number below this bound.
    Number(u32),
    /// One of several cards with the same score.
    Tie(u32),
}

/// A defect of rules at run time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    NoCard,
    NoOwner,
    NoName,
    NotThere,
    IntoMemory,
    NotInMemory,
    Division,
    Exponent,
    EmptyRange,
    WideRange,
    OnTable,
    ScoredByChance,
    NoOption,
    Endless,
    Untried,
    ManyOptions,
    TooMany,
    TooLong,
}

impl Fault {
    pub(crate) fn text(self) -> &'static str {
        match self {
            Fault::NoCard => "a card is needed where there is none",
            Fault::NoOwner => "a player or team does not exist",
            Fault::NoName => "a place or store has a name that no rule mentions",
            Fault::NotThere => "a position is outside of the pile",
            Fault::IntoMemory => "a card is moved into a `mem` place, which only remembers",
            Fault::NotInMemory => "a card is forgotten that no `mem` place remembers",
            Fault::Division => "a number is divided by zero",
            Fault::Exponent => "the exponent of a power is negative",
            Fault::EmptyRange => "chance has no number to draw: the range is empty",
            Fault::WideRange => "chance has more numbers to draw from than the limit of 4096",
            Fault::OnTable => "a card that lies on the table has no owner",
            Fault::ScoredByChance => "the scoring needs a random number, but the game is over",
            Fault::NoOption => "a player must choose and has no option",
            Fault::Endless => "the rules run on without any decision",
            Fault::Untried => "a choice has too many combinations to try",
            Fault::ManyOptions => "a choice has too many options",
            Fault::TooMany => "a collection grows beyond the limits",
            Fault::TooLong => "too much is computed without any decision",
        }
    }

    /// Whether it is an exceeded limit rather than a defect of the rules.
    pub(crate) fn is_limit(self) -> bool {
        use Fault::{Endless, ManyOptions, TooLong, TooMany, Untried, WideRange};
        matches!(self, Endless | Untried | ManyOptions | TooMany | TooLong | WideRange)
    }
}

pub(crate) type Res<T> = Result<T, Trap>;

/// The next decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    /// The current player, at this choice.
    Choice(StmtId),
    Draw(Draw),
    /// Chance, at a shuffle: a card for this position of the pile.
    Shuffle {
        pile: u32,
        at: u32,
    },
    /// There is none: the game is over.
    End,
}

/// A statement to run, with a variable to bind first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Item {
    pub stmt: StmtId,
    pub slot: Slot,
    pub a: i32,
    pub b: i32,
}

/// No variable is bound.
pub(crate) const FRESH: Slot = Slot::MAX;
/// No variable is bound, and the statement has already been started.
pub(crate) const AGAIN: Slot = Slot::MAX - 1;

/// The cycle of turns in a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cycle {
    pub at: u32,
    /// The next player out of turn.
    pub queued: Option<u32>,
}

/// An event, for records and percepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    Move { card: u32, from: u32, to: u32, at: Position },
    Int { address: u32, value: i32 },
    Str { address: u32, value: u32 },
    Points { address: u32 },
    Remember { card: u32, pile: u32 },
    Forget { card: u32, pile: u32 },
    Shuffle { pile: u32 },
    Next { player: u32 },
    Current { player: u32 },
    Turn { player: u32 },
    Pass,
}

/// The target position of a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Position {
    Top,
    Bottom,
    At(u32),
}

/// A change by an action, so that it can be undone.
#[derive(Clone, Copy, Debug)]
enum Undo {
    Int { address: u32, old: i32 },
    Str { address: u32, old: i32 },
    Map { address: u32, old: i32 },
    Move { card: u16, from: u32, from_at: u32, to: u32, to_at: u32 },
    Remembered { pile: u32, at: u32 },
    Forgotten { pile: u32, at: u32, card: u16 },
    Cycle { old: Cycle },
}

/// A state and the memory to compute with it.
#[derive(Debug)]
pub(crate) struct Machine {
    // The state.
    pub lens: Vec<u16>,
    /// The cards of all piles; each pile has room for all cards.
    pub cards: Vec<u16>,
    /// The pile of each card.
    pub at: Vec<u32>,
    pub ints: Vec<i32>,
    pub strs: Vec<i32>,
    /// Point maps: the number of the text plus one, and its arguments.
    pub maps: Vec<i32>,
    /// The cycles of players, and those of teams, innermost last.
    pub cycles: [Vec<Cycle>; 2],
    pub stack: Vec<Item>,
    pub slots: Vec<i32>,
    /// Collections bound to variables; above them, temporary ones.
    pub lists: Vec<i32>,
    /// The numbers drawn by chance for the statement on top of the stack.
    pub tape: Vec<u32>,
    /// The running option: its alternative and its elements.
    pub path: Vec<u32>,
    pub path_at: usize,
    /// The height of the stack at which the option is complete.
    pub path_base: usize,
    pub wait: Wait,

    // Memory.
    tape_at: usize,
    /// If set, the machine draws itself instead of waiting for chance.
    pub rng: Option<Rng>,
    room: usize,
    tables: Vec<i32>,
    table_keys: Vec<i32>,
    pairs: Vec<(i32, i32)>,
    journal: Vec<Undo>,
    expanding: bool,
    acted: bool,
    pub logging: bool,
    pub log: Vec<Event>,
    pub choosing: Choosing,
    counts: Vec<u32>,
    /// The elements and terms evaluated since the last decision.
    work: u64,
    /// Everything below this index in `lists` belongs to variables.
    kept: usize,
    /// The expression that failed in the current statement, if it is known.
    spot: Origin,
    /// The statement and the expression of the last fault; no statement for the scoring.
    pub failed: (Option<StmtId>, Origin),
}

impl Machine {
    pub(crate) fn new(program: &Program) -> Self {
        let room = program.cards.max(1);
        let piles = program.piles();
        let owners = program.owners as usize;
        let maps = program.rules.maps.len() * owners;
        Machine {
            lens: vec![0; piles],
            cards: vec![0; piles * room],
            at: vec![0; program.cards],
            ints: vec![0; program.rules.ints.len() * owners],
            strs: vec![0; program.rules.strs.len() * owners],
            maps: vec![0; maps * program.stride],
            cycles: [Vec::new(), Vec::new()],
            stack: Vec::new(),
            slots: vec![0; program.rules.slots as usize],
            lists: Vec::new(),
            tape: Vec::new(),
            path: Vec::new(),
            path_at: 0,
            path_base: 0,
            wait: Wait::End,
            tape_at: 0,
            rng: None,
            room,
            tables: vec![0; maps * program.cards],
            table_keys: vec![0; maps * program.stride],
            pairs: Vec::new(),
            journal: Vec::new(),
            expanding: false,
            acted: false,
            logging: false,
            log: Vec::new(),
            choosing: Choosing::default(),
            counts: Vec::new(),
            work: 0,
            kept: 0,
            spot: Origin::UNKNOWN,
            failed: (None, Origin::UNKNOWN),
        }
    }

    /// Goes to the state before the first block.
    pub(crate) fn reset(&mut self, program: &Program) {
        self.lens.fill(0);
        for (pile, cards) in program.start.iter().enumerate() {
            if cards.is_empty() {
                continue;
            }
            self.lens[pile] = cards.len() as u16;
            self.cards[pile * self.room..][..cards.len()].copy_from_slice(cards);
            for &card in cards {
                self.at[card as usize] = pile as u32;
            }
        }
        self.ints.fill(0);
        self.strs.fill(0);
        self.maps.fill(0);
        for cycle in &mut self.cycles {
            cycle.clear();
            cycle.push(Cycle { at: 0, queued: None });
        }
        self.stack.clear();
        self.stack.push(Item { stmt: program.rules.root, slot: FRESH, a: 0, b: 0 });
        self.clean();
        self.tape.clear();
        self.path.clear();
        self.path_at = 0;
        self.path_base = 0;
        self.log.clear();
    }

    /// Removes variables that no statement can use any more.
    fn clean(&mut self) {
        self.lists.clear();
        self.slots.fill(0);
    }

    /// The cards of a pile, from the bottom.
    #[inline]
    pub(crate) fn pile(&self, pile: usize) -> &[u16] {
        &self.cards[pile * self.room..][..self.lens[pile] as usize]
    }

    /// Puts a card on top of a pile while a state is built; `None` if there is no room.
    pub(crate) fn put(&mut self, pile: usize, card: u16) -> Option<()> {
        let len = self.lens[pile] as usize;
        *self.cards.get_mut(pile * self.room..)?.get_mut(..self.room)?.get_mut(len)? = card;
        self.lens[pile] += 1;
        self.at[card as usize] = pile as u32;
        Some(())
    }

    /// Puts the cards of a pile into another order.
    pub(crate) fn arrange(&mut self, pile: usize, order: &[u16]) {
        let len = self.lens[pile] as usize;
        self.cards[pile * self.room..][..len].copy_from_slice(order);
        for &card in order {
            self.at[card as usize] = pile as u32;
        }
    }

    /// Exchanges two cards, wherever they are.
    pub(crate) fn exchange(&mut self, one: u16, other: u16) {
        let place = |machine: &Machine, card: u16| {
            let pile = machine.at[card as usize] as usize;
            let at = machine.pile(pile).iter().position(|&known| known == card);
            at.map(|at| pile * machine.room + at)
        };
        if let (Some(a), Some(b)) = (place(self, one), place(self, other)) {
            self.cards.swap(a, b);
            self.at.swap(one as usize, other as usize);
        }
    }

    /// The kind of the next decision, for comparison.
    pub(crate) fn wait_kind(&self) -> (u8, u32) {
        Self::kind(self.wait)
    }

    /// The kind of a decision, with its statement or pile.
    pub(crate) fn kind(wait: Wait) -> (u8, u32) {
        match wait {
            Wait::Choice(stmt) => (0, stmt),
            Wait::Draw(_) => (1, 0),
            Wait::Shuffle { pile, .. } => (2, pile),
            Wait::End => (3, 0),
        }
    }

    /// The current player.
    #[inline]
    pub(crate) fn current(&self) -> u32 {
        self.cycles[0].last().map_or(0, |cycle| cycle.at)
    }

    fn log(&mut self, event: Event) {
        if self.logging {
            self.log.push(event);
        }
    }
}

impl From<Fault> for Trap {
    fn from(fault: Fault) -> Self {
        Trap::Fault(fault)
    }
}
