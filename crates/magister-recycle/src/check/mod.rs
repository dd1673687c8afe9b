//! From the syntax tree to checked rules: types, scopes, names.
//!
//! The checker continues after a mistake, so that all mistakes are reported. Invalid parts are
//! omitted; the caller does not run rules with errors.

mod awards;
mod expr;
mod forms;
mod groups;
mod setup;
mod spelling;
mod stmt;
mod used;

use magister_diagnostic::{Severity, Span};
use rustc_hash::FxHashMap;

pub use spelling::Fix;

use crate::code::{Code, Diagnostic, Diagnostics};
use crate::ir::{
    Card, Cards, Checked, Coll, Groups, Int, Key, MapText, Owner, PlaceName, Slot, SlotKind, Stmt,
    StmtId, Str, StrId, Vis, Words,
};
use crate::limits::CardLimits;
use crate::tree::Node;

/// The element type of a collection of words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Elem {
    Name,
    Number,
    Player,
    Team,
}

/// The type of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    Int,
    Bool,
    Str,
    Card,
    Cards,
    Groups,
    Words(Elem),
    Player,
    Team,
}

/// An expression with its type.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Val {
    Int(Int),
    Bool(crate::ir::Bool),
    Str(Str),
    Card(Card),
    Cards(Cards),
    Groups(Groups),
    Words(Words, Elem),
    Player(Owner),
    Team(Owner),
    Table,
}

impl Val {
    fn describe(&self) -> &'static str {
        match self {
            Val::Int(_) => "an integer",
            Val::Bool(_) => "a truth value",
            Val::Str(_) => "a string",
            Val::Card(_) => "a card",
            Val::Cards(Cards::Place(_)) => "a place",
            Val::Cards(_) => "a collection of cards",
            Val::Groups(_) => "a collection of collections",
            Val::Words(_, Elem::Name) => "a collection of names",
            Val::Words(_, Elem::Number) => "a range of integers",
            Val::Words(_, Elem::Player) => "a collection of players",
            Val::Words(_, Elem::Team) => "a collection of teams",
            Val::Player(_) => "a player",
            Val::Team(_) => "a team",
            Val::Table => "the table",
        }
    }
}

/// The binding of a name.
#[derive(Clone, Debug)]
enum Binding {
    /// A declared constant.
    Constant(Val),
    Variable(Type, Slot),
}

struct Scoped {
    name: String,
    binding: Binding,
    span: Span,
}

/// The options of the checker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The limits.
    pub limits: CardLimits,
    /// Whether games may depend on the behaviour of the original program: `any` outside of a choice
    /// means `all`, options after several `any` in a row are ordered as in that program, and ties
    /// have its probabilities.
    pub compat: bool,
}

pub(crate) struct Checker<'a> {
    options: &'a Options,
    diagnostics: Diagnostics,
    strings: Vec<String>,
    string_ids: FxHashMap<String, StrId>,
    scope: Vec<Scoped>,
    slots: u32,
    out: Checked,
    place_ids: FxHashMap<PlaceName, u32>,
    /// Names by kind of store: integers, strings, point maps.
    stores: [FxHashMap<StrId, u32>; 3],
    in_choice: bool,
    /// The variables of the `any` forms of the current choice, and whether the next one may share a
    /// variable.
    shared: Vec<(String, Type, Slot)>,
    sharing: bool,
    /// The slots of variables that `let` binds.
    let_slots: rustc_hash::FxHashSet<Slot>,
    /// Whether a store or a place has a computed name.
    open: [bool; 3],
    open_places: [bool; 5],
    /// The attributes of the cards with their values.
    attributes: std::collections::BTreeSet<(StrId, StrId)>,
    /// The names that the rules use as values, other than in point maps.
    mentioned: rustc_hash::FxHashSet<StrId>,
    /// Attributes and values in point maps that no card has.
    unknown_values: Vec<(StrId, StrId, Span)>,
    /// Words that are probably misspelt.
    fixes: Vec<Fix>,
    /// The point maps and places that were used, and those that were filled or set, for warnings.
    used: used::Uses,
}

/// Checks a tree. Returns rules only if there is no error. The last result are the words that are
/// probably misspelt.
pub(crate) fn check(
    forms: &[Node],
    options: &Options,
    diagnostics: Diagnostics,
) -> (Option<Checked>, Diagnostics, Vec<Fix>) {
    let mut checker = Checker {
        options,
        diagnostics,
        strings: Vec::new(),
        string_ids: FxHashMap::default(),
        scope: Vec::new(),
        slots: 0,
        out: Checked {
            strings: Vec::new(),
            players: 0,
            teams: Vec::new(),
            cards: Vec::new(),
            places: Vec::new(),
            ints: Vec::new(),
            strs: Vec::new(),
            maps: Vec::new(),
            texts: Vec::new(),
            stmts: Vec::new(),
            spans: Vec::new(),
            slots: 0,
            root: 0,
            score: Int::Const(0),
            score_span: Span::default(),
            most: true,
            slot_kinds: Vec::new(),
        },
        place_ids: FxHashMap::default(),
        stores: Default::default(),
        in_choice: false,
        shared: Vec::new(),
        sharing: false,
        let_slots: rustc_hash::FxHashSet::default(),
        open: [false; 3],
        open_places: [false; 5],
        attributes: std::collections::BTreeSet::new(),
        mentioned: rustc_hash::FxHashSet::default(),
        unknown_values: Vec::new(),
        fixes: Vec::new(),
        used: used::Uses::default(),
    };
    // The empty string is the initial value of stores, and the value of a missing attribute.
    checker.string("");
    checker.game(forms);
    checker.close();
    checker.warn_unused();
    checker.warn_unknown_values();
    let Checker { mut out, diagnostics: mut found, strings, slots, fixes, .. } = checker;
    found.sort();
    if found.has_errors() {
        return (None, found, fixes);
    }
    out.strings = strings;
    out.slots = slots;
    (Some(out), found, fixes)
}

impl Checker<'_> {
    fn string(&mut self, text: &str) -> StrId {
        if let Some(&id) = self.string_ids.get(text) {
            return id;
        }
        let id = self.strings.len() as StrId;
        self.strings.push(text.to_owned());
        self.string_ids.insert(text.to_owned(), id);
        id
    }

    fn report(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.diagnostics.push(Diagnostic::new(code, span, message));
    }

    fn push(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    fn malformed(&mut self, node: &Node, expected: &str) {
        self.push(
            Diagnostic::new(Code::Malformed, node.span, "this form has the wrong shape")
                .help(format!("expected {expected}")),
        );
    }

    fn older(&mut self, span: Span, old: &str, new: &str) {
        let message = format!("`{old}` is an older spelling of `{new}`");
        self.push(Diagnostic::new(Code::OlderSpelling, span, message));
    }

    fn stmt(&mut self, stmt: Stmt, span: Span) -> StmtId {
        self.out.stmts.push(stmt);
        self.out.spans.push(span);
        (self.out.stmts.len() - 1) as StmtId
    }

    /// Binds a variable while `inside` runs. A list takes two slots.
    fn bind<T>(
        &mut self,
        var: &Node,
        ty: Type,
        inside: impl FnOnce(&mut Self, Slot) -> T,
    ) -> Option<T> {
        let Some(name) = var.var() else {
            self.malformed(var, "a variable, such as `'C`");
            return None;
        };
        if let Some(outer) = self.scope.iter().find(|s| s.name == name) {
            let related = outer.span;
            self.push(
                Diagnostic::new(
                    Code::Shadowed,
                    var.span,
                    format!("`'{name}` is already bound by an enclosing form"),
                )
                .related(related, "bound here"),
            );
        }
        let slot = self.new_slot(name, ty);
        let binding = Binding::Variable(ty, slot);
        self.scope.push(Scoped { name: name.to_owned(), binding, span: var.span });
        let result = inside(self, slot);
        self.scope.pop();
        Some(result)
    }

    /// Two slots for a variable. In the original program an option has one variable per name, and
    /// several `any` forms of an option with the same name share it.
    fn new_slot(&mut self, name: &str, ty: Type) -> Slot {
        let shares = self.options.compat && self.sharing;
        self.sharing = false;
        if shares {
            let known = self.shared.iter().find(|(n, t, _)| n == name && *t == ty);
            if let Some(&(_, _, slot)) = known {
                return slot;
            }
            self.shared.push((name.to_owned(), ty, self.slots));
        }
        let slot = self.slots;
        self.slots += 2;
        let kind = match ty {
            Type::Card => SlotKind::Card,
            Type::Cards => SlotKind::Cards,
            Type::Str => SlotKind::Str,
            Type::Player | Type::Team => SlotKind::Owner,
            _ => SlotKind::Int,
        };
        self.out.slot_kinds.extend([kind, SlotKind::Int]);
        slot
    }

    /// The element type of a collection.
    fn element(coll: &Coll, elem: Option<Elem>) -> Type {
        match (coll, elem) {
            (Coll::Cards(_), _) => Type::Card,
            (Coll::Groups(_), _) => Type::Cards,
            (Coll::Words(_), Some(Elem::Name) | None) => Type::Str,
            (Coll::Words(_), Some(Elem::Number)) => Type::Int,
            (Coll::Words(_), Some(Elem::Player)) => Type::Player,
            (Coll::Words(_), Some(Elem::Team)) => Type::Team,
        }
    }

    fn family(&mut self, vis: Vis, name: StrId, index: i32) -> u32 {
        let key = PlaceName { vis, name, index };
        if let Some(&id) = self.place_ids.get(&key) {
            return id;
        }
        let id = self.out.places.len() as u32;
        self.out.places.push(key.clone());
        self.place_ids.insert(key, id);
        id
    }

    /// The family of a store: 0 for integers, 1 for strings, 2 for point maps.
    fn store(&mut self, kind: usize, name: StrId) -> u32 {
        let list = match kind {
            0 => &mut self.out.ints,
            1 => &mut self.out.strs,
            _ => &mut self.out.maps,
        };
        *self.stores[kind].entry(name).or_insert_with(|| {
            list.push(name);
            (list.len() - 1) as u32
        })
    }

    /// The key of a name in a store.
    fn store_key(&mut self, kind: usize, name: Str) -> Key {
        match name {
            Str::Const(name) => Key::Family(self.store(kind, name)),
            name => {
                self.open[kind] = true;
                Key::Named(kind as u32, Box::new(name))
            }
        }
    }

    /// If names are computed, any string may be a name.
    fn close(&mut self) {
        let names: Vec<StrId> = (0..self.strings.len() as StrId).collect();
        for kind in 0..3 {
            if self.open[kind] {
                for &name in &names {
                    self.store(kind, name);
                }
            }
        }
        for vis in Vis::ALL {
            if self.open_places[vis as usize] {
                for &name in &names {
                    self.family(vis, name, 0);
                }
            }
        }
        let owners = self.out.players as usize + 1;
        if self.out.places.len() * owners > self.options.limits.piles {
            let message = format!(
                "the game has {} piles; the limit is {}",
                self.out.places.len() * owners,
                self.options.limits.piles
            );
            self.report(Code::TooLarge, Span::default(), message);
        }
        let owners = owners + self.out.teams.len();
        let given = self.out.texts.iter().map(|text| text.given.len()).max().unwrap_or(0);
        let map = 1 + given + self.out.cards.len();
        let stores = self.out.ints.len() + self.out.strs.len() + self.out.maps.len() * map;
        if stores * owners > self.options.limits.stores {
            let message = format!(
                "the stores and point maps of the game have {} numbers; the limit is {}",
                stores * owners,
                self.options.limits.stores
            );
            self.report(Code::TooLarge, Span::default(), message);
        }
    }

    fn map_text(&mut self, text: MapText) -> u32 {
        self.out.texts.push(text);
        (self.out.texts.len() - 1) as u32
    }

    fn compat_severity(&self) -> Severity {
        if self.options.compat { Severity::Warning } else { Severity::Error }
    }
}
