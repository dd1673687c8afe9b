//! Checked rules: every expression has a type, and every name has a number.
//!
//! The checker creates this from the syntax tree; the machine runs it. Expressions are trees that
//! the machine evaluates recursively. Statements are in one table and refer to each other by
//! number, because the machine keeps a stack of statements to run, and that stack is part of a
//! state.

use magister_diagnostic::Span;

/// The number of a variable's slot in the machine.
pub(crate) type Slot = u32;

/// The number of a statement.
pub(crate) type StmtId = u32;

/// The number of a string.
pub(crate) type StrId = u32;

/// The offset of an expression in the text, to report where it failed. It is no part of the
/// meaning, so all are equal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin(u32);

impl Origin {
    pub(crate) const UNKNOWN: Origin = Origin(u32::MAX);

    pub(crate) fn new(span: Span) -> Self {
        Origin(span.start)
    }

    pub(crate) fn offset(self) -> Option<usize> {
        (self.0 != u32::MAX).then_some(self.0 as usize)
    }
}

impl PartialEq for Origin {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// The players that can see the cards of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Vis {
    /// Every player.
    Visible,
    /// Only the owner.
    Owner,
    /// No player.
    Hidden,
    /// Every player except the owner.
    Others,
    /// Every player; the cards are only remembered, because they are in another pile.
    Memory,
}

impl Vis {
    pub(crate) const ALL: [Vis; 5] =
        [Vis::Visible, Vis::Owner, Vis::Hidden, Vis::Others, Vis::Memory];

    pub(crate) fn keyword(self) -> &'static str {
        match self {
            Vis::Visible => "vloc",
            Vis::Owner => "iloc",
            Vis::Hidden => "hloc",
            Vis::Others => "oloc",
            Vis::Memory => "mem",
        }
    }

    pub(crate) fn find(word: &str) -> Option<Vis> {
        Vis::ALL.into_iter().find(|vis| vis.keyword() == word)
    }
}

/// An owner: 0 for the table, then the players, then the teams.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Owner {
    Table,
    Current,
    Next,
    Previous,
    CurrentTeam,
    NextTeam,
    PreviousTeam,
    Player(Box<Int>, Origin),
    Team(Box<Int>, Origin),
    /// The player whose place contains a card.
    Of(Box<Card>, Origin),
    /// The team of a player.
    TeamOf(Box<Owner>, Origin),
    Var(Slot),
}

/// The key of an owner's store: a literal name, or a computed one.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Key {
    /// A family: one entry for each owner.
    Family(u32),
    /// The family of a computed name, by the number of a table.
    Named(u32, Box<Str>),
    /// The family of a name and a computed index.
    Indexed(u32, Box<Str>, Box<Int>),
}

/// A place: a pile of cards.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Place {
    pub owner: Owner,
    pub key: Key,
}

/// A point map.
pub(crate) type Points = Place;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arith {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Pow,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Compare {
    Lt,
    Gt,
    Le,
    Ge,
    Eq,
    Ne,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Int {
    Const(i32),
    Var(Slot),
    Stored(Owner, Key),
    Arith(Arith, Origin, Box<Int>, Box<Int>),
    Tri(Box<Int>),
    Fib(Box<Int>),
    Random(Box<Int>, Box<Int>, Origin),
    Size(Box<Coll>),
    Sum(Box<Cards>, Box<Points>),
    Score(Box<Card>, Box<Points>),
    /// The sum of an integer over a collection.
    Total(Box<Coll>, Slot, Box<Int>),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Bool {
    Var(Slot),
    And(Vec<Bool>),
    Or(Vec<Bool>),
    Not(Box<Bool>),
    Ints(Compare, Int, Int),
    Strs(bool, Str, Str),
    Cards(bool, Card, Card),
    Owners(bool, Owner, Owner),
    Any(Box<Coll>, Slot, Box<Bool>),
    All(Box<Coll>, Slot, Box<Bool>),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Str {
    Const(StrId),
    Var(Slot),
    Stored(Owner, Key),
    Att(Box<Str>, Box<Card>),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Which {
    Top,
    Bottom,
    At(Box<Int>),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Card {
    Var(Slot),
    At(Which, Box<Cards>),
    Best { most: bool, cards: Box<Cards>, points: Box<Points> },
}

/// Set operations on collections of cards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SetOp {
    Union,
    Intersect,
    Disjunction,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Cards {
    /// A variable's two slots: the start of its cards in the machine's memory, and their number.
    Var(Slot),
    Place(Box<Place>),
    Filter(Box<Cards>, Slot, Box<Bool>),
    Set(SetOp, Box<Groups>),
    Sort(Box<Cards>, Box<Points>),
    /// A number of cards from the top, or from the bottom.
    Some {
        top: bool,
        count: Box<Int>,
        cards: Box<Cards>,
    },
    /// The longest run among the cards at the top, or at the bottom.
    Run {
        top: bool,
        least: Box<Int>,
        cards: Box<Cards>,
        points: Box<Points>,
    },
    Pick(Which, Box<Groups>),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Groups {
    Var(Slot),
    List(Vec<Cards>),
    Each(Box<Coll>, Slot, Box<Cards>),
    Tuples {
        count: Box<Int>,
        cards: Box<Cards>,
        points: Box<Points>,
    },
    /// By the values of an attribute; without one, cards with the same values are together.
    Partition(Option<Box<Str>>, Box<Groups>),
    Subsets(Box<Cards>),
    Runs {
        largest: bool,
        least: Box<Int>,
        cards: Box<Cards>,
        points: Box<Points>,
    },
    Filter(Box<Groups>, Slot, Box<Bool>),
}

/// Values of one word each: names, numbers, owners.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Words {
    Var(Slot),
    Names(Vec<StrId>),
    Range(Int, Int),
    Players,
    Teams,
    OtherPlayers,
    OtherTeams,
    Members(Owner),
    Filter(Box<Words>, Slot, Box<Bool>),
}

/// The collection of an aggregate.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Coll {
    Cards(Cards),
    Groups(Groups),
    Words(Words),
}

/// An award of a point map: points for the cards that have all these values.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Award {
    /// Pairs of attribute and value; both are indexes into the arguments of the map.
    pub pairs: Vec<(Arg, Arg)>,
    pub points: Arg,
}

/// A part of an award: known at compile time, or computed when the map is set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Arg {
    Const(i32),
    /// The number of an argument.
    Given(u32),
}

/// The expression of a point map's argument.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Given {
    Str(Str),
    Int(Int),
}

/// The text of a point map: its awards, and the arguments to compute.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MapText {
    pub awards: Vec<Award>,
    pub given: Vec<Given>,
}

/// Actions.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Act {
    SetInt(Owner, Key, Int),
    /// Adds, or subtracts.
    Add(bool, Owner, Key, Int),
    SetStr(Owner, Key, Str),
    SetPoints(Points, u32),
    CycleNext(Owner),
    CycleCurrent(Owner),
    Move {
        card: Card,
        to: Place,
        at: Which,
    },
    Remember {
        card: Card,
        to: Place,
        at: Which,
    },
    Forget(Card),
    Shuffle(Place),
    Pass,
}

/// The value bound to a variable.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Bound {
    Int(Int),
    Bool(Bool),
    Str(Str),
    Card(Card),
    Owner(Owner),
    Coll(Coll),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Stmt {
    /// The whole game, or the body of a stage: a sequence without variables that outlive a block.
    Blocks(Vec<StmtId>),
    Seq(Vec<StmtId>),
    If(Bool, StmtId),
    All(Coll, Slot, StmtId),
    Any(Coll, Slot, StmtId),
    Let(Bound, Slot, StmtId),
    Repeat(Int, StmtId),
    /// Moves all cards of a collection one by one. The collection is `fixed` if it is computed and
    /// not a group; the machine describes what this means in compatible games.
    RepeatMove {
        from: Cards,
        top: bool,
        to: Place,
        at: Which,
        fixed: bool,
    },
    RepeatForget(Place),
    Act(Act),
    Choice(Vec<StmtId>),
    Stage {
        team: bool,
        end: Bool,
        body: StmtId,
    },
}

/// A card of the rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CardText {
    /// Its attributes and their values, in the order of the deck.
    pub values: Vec<(StrId, StrId)>,
    /// The name of the deck, which everyone sees on its back.
    pub deck: StrId,
    /// Its number in the deck.
    pub number: u32,
    /// The pile it starts in.
    pub pile: u32,
}

/// A family of piles: one for each owner, table first.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct PlaceName {
    pub vis: Vis,
    pub name: StrId,
    pub index: i32,
}

/// The meaning of a word in a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SlotKind {
    Card,
    Cards,
    Str,
    Owner,
    Int,
}

/// The checked rules of a game.
#[derive(Clone, Debug)]
pub(crate) struct Checked {
    pub strings: Vec<String>,
    pub players: u32,
    /// The members of each team.
    pub teams: Vec<Vec<u32>>,
    pub cards: Vec<CardText>,
    pub places: Vec<PlaceName>,
    pub ints: Vec<StrId>,
    pub strs: Vec<StrId>,
    pub maps: Vec<StrId>,
    pub texts: Vec<MapText>,
    pub stmts: Vec<Stmt>,
    pub spans: Vec<Span>,
    pub slots: u32,
    pub root: StmtId,
    pub score: Int,
    pub score_span: Span,
    /// Whether the highest score wins.
    pub most: bool,
    /// The meaning of the words in the slots, for texts of options.
    pub slot_kinds: Vec<SlotKind>,
}
