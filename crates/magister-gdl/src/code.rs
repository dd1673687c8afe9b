//! The codes of diagnostics: the meaning of each, with a bad and a good example.
//!
//! Codes are stable. A new one takes the next free number of its group; a retired number is not
//! reused. Each has two files in `codes/`: `NNN.bad.*` contains exactly that mistake, and
//! `NNN.good.*` contains none. `magister check --explain` prints them and the tests run them.

use std::fmt;

use magister_diagnostic::Severity;

macro_rules! example {
    ($id:literal $which:literal $ext:literal) => {
        Some(include_str!(concat!("../codes/", $id, ".", $which, ".", $ext)))
    };
    ($id:literal $which:literal) => {
        None
    };
}

macro_rules! codes {
    ($($variant:ident $id:literal $name:literal $severity:ident [$($ext:literal)?] $text:literal)*) => {
        /// The kind of a diagnostic.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Code {
            $(#[doc = $text] $variant,)*
        }

        impl Code {
            /// All codes, in the order of their numbers.
            pub const ALL: &[Code] = &[$(Code::$variant),*];

            /// The stable identifier, such as `G201`.
            pub fn id(self) -> &'static str {
                match self { $(Code::$variant => concat!("G", $id),)* }
            }

            /// A short name, such as `unsafe-head`.
            pub fn name(self) -> &'static str {
                match self { $(Code::$variant => $name,)* }
            }

            /// Its default severity.
            pub fn severity(self) -> Severity {
                match self { $(Code::$variant => Severity::$severity,)* }
            }

            /// Its meaning, and why it matters.
            pub fn explanation(self) -> &'static str {
                match self { $(Code::$variant => $text,)* }
            }

            /// A rulesheet that shows the mistake, and a correct one.
            pub fn examples(self) -> Option<(&'static str, &'static str)> {
                match self {
                    $(Code::$variant => {
                        let bad: Option<&'static str> = example!($id "bad" $($ext)?);
                        let good: Option<&'static str> = example!($id "good" $($ext)?);
                        bad.zip(good)
                    })*
                }
            }
        }
    };
}

codes! {
    TooLarge "001" "too-large" Error []
        "The text, or the tree it describes, is larger than the reader accepts. Rules may come from untrusted sources, so every reader has limits; a program that needs more can raise them."
    TooDeep "002" "too-deep" Error []
        "Parentheses are nested deeper than the reader accepts. The limit is far beyond any sensible rule; usually a closing parenthesis is missing."
    Unclosed "003" "unclosed" Error ["kif"]
        "A parenthesis or bracket is opened and never closed. The reader points at the opening one and guesses from the line starts which rule it belongs to."
    Unopened "004" "unopened" Error ["kif"]
        "A closing parenthesis or bracket has no opening one."
    Unexpected "005" "unexpected" Error ["hrf"]
        "The grammar does not allow this here. The reader reports it, continues with the next statement, and reports further errors."
    Unterminated "006" "unterminated" Error ["hrf"]
        "A quoted name or string does not end on the line it begins on."
    Malformed "007" "malformed" Error ["kif"]
        "A list has the wrong shape: an empty `()`, an arrow without a head, a `not` without exactly one argument."
    TooMany "008" "too-many" Note []
        "There are too many errors to list. Fix those that are shown and check again."

    KeywordArity "101" "keyword-arity" Error ["kif"]
        "A keyword of the language has the wrong number of arguments: role, init, true, next, base 1; legal, does, goal, input, sees, percept 2; terminal 0; distinct 2. In Gamemaster's dialect legal, action and control take 1."
    KeywordAsFunction "102" "keyword-as-function" Error ["kif"]
        "A keyword is used as a function inside a term, as in `(true (init (cell 1)))`. Keywords are relations, so they cannot be functions inside a term."
    ConnectiveAsName "103" "connective-as-name" Error ["kif"]
        "`not`, `or`, `and`, `distinct` and `<=` build formulas. They cannot be names of constants or functions, or be defined by a rule."
    KeywordInHead "104" "keyword-in-head" Error ["kif"]
        "The head of a rule defines a relation, and some cannot be defined: `true` and `does` come from the match, roles must be ground facts."
    KeywordInBody "105" "keyword-in-body" Error ["kif"]
        "`init`, `next`, `base`, `input`, `sees` and `percept` describe the game as a whole. Rules may define them but not use them as conditions."
    NotAnAtom "106" "not-an-atom" Error ["kif"]
        "A condition or a head must be a relation with its arguments. A variable or a list is neither true nor false."
    NegatedFormula "107" "negated-formula" Error ["kif"]
        "Negation applies to one relation. Negating a disjunction, a `distinct` or another negation is not GDL, and programs disagree about what it means."
    WrongDialect "108" "wrong-dialect" Error ["hrf"]
        "The rulesheet mixes two languages: Gamemaster's operations (`::`, `==>`, bare fluents) and GDL (`next`, `does`, `true`). Each has its own way to describe the next state."
    ImpureBuiltin "109" "impure-builtin" Error ["hrf"]
        "The value of a builtin depends on chance or on the clock. A position must always have the same legal moves."
    BuiltinArity "110" "builtin-arity" Error ["hrf"]
        "A builtin has the wrong number of arguments, so it never holds. As a condition, a builtin with a value takes its result as an additional last argument: `plus(2,3,X)`."

    UnsafeHead "201" "unsafe-head" Error ["kif"]
        "A variable of the head occurs in no positive condition of the body, so its values are undefined."
    UnsafeNegation "202" "unsafe-negation" Error ["kif"]
        "A variable under a negation occurs in no positive condition. \"There is no ?x with p(?x)\" needs its own rule, to which the negation then applies."
    UnsafeDistinct "203" "unsafe-distinct" Error ["kif"]
        "A variable in `distinct` occurs in no positive condition. `distinct` compares two values; it cannot generate one."
    VariableInFact "204" "variable-in-fact" Error ["hrf"]
        "A fact must not contain variables. In infix every name that begins with a capital is one: `tiebreak(X)` is not `tiebreak(x)`."
    UnsafeEffect "205" "unsafe-effect" Warning ["hrf"]
        "A variable of an effect occurs neither in the action nor in a positive condition, so it is undefined which facts change."
    UnboundInput "206" "unbound-input" Warning ["hrf"]
        "An input of a builtin is a variable that nothing binds. The condition never holds."

    Unstratified "301" "unstratified" Error ["kif"]
        "A relation depends on its own negation. Such rules have no agreed meaning: p if not q, q if not p."
    UnboundedRecursion "302" "unbounded-recursion" Error ["kif"]
        "A recursive rule may build ever larger terms. If a condition is in a cycle with the head, every argument of it must be ground, or occur in the head too, or occur in a condition outside the cycle."
    StaticDependsOnState "303" "static-depends-on-state" Error ["kif"]
        "`init`, `base`, `input`, `action` and `percept` are fixed before the first move: they must not depend on `true` or `does`."
    DependsOnMoves "304" "depends-on-moves" Error ["kif"]
        "`legal`, `goal` and `terminal` describe a state, in which no move has been made yet: they must not depend on `does`, not even through other relations. Store the move in a fluent with `next`, and use that."

    NoRole "401" "no-role" Error ["kif"]
        "A game needs roles: state every role as a fact, in seat order."
    NoTerminal "402" "no-terminal" Error ["kif"]
        "No rule says when the game is over."
    NoGoal "403" "no-goal" Error ["kif"]
        "No rule gives a player a goal value."
    NoLegal "404" "no-legal" Error ["kif"]
        "No rule says which moves are legal."
    UndeclaredRole "405" "undeclared-role" Error ["hrf"]
        "The rules mention a role that is not declared. `random` must be declared too."
    RoleWithoutLegal "406" "role-without-legal" Warning ["kif"]
        "No rule can ever give this role a legal move. Every role needs one in every non-terminal state."
    RoleWithoutGoal "407" "role-without-goal" Warning ["kif"]
        "No rule can ever give this role a goal value. (The role random needs none.)"
    NoControl "408" "no-control" Error ["hrf"]
        "No fact or rule says whose turn it is. In Gamemaster's dialect, the role in control moves, and with two roles or more `control(r)` must be a fluent or a view."

    TwoArities "501" "two-arities" Warning ["kif"]
        "One name is used with different numbers of arguments. Every program treats them as different names, which is rarely intended."
    RelationAndFunction "502" "relation-and-function" Warning ["kif"]
        "One name is both a relation and a function. Often a `true` was forgotten: `(cell 1 1 x)` is not `(true (cell 1 1 x))`."
    Undefined "503" "undefined" Warning ["kif"]
        "A condition uses a relation that no rule or fact defines. It is always false."
    Unused "504" "unused" Warning ["kif"]
        "A relation is defined, but no rule uses it."
    UnusualCharacters "505" "unusual-characters" Warning ["kif"]
        "A name contains characters that other programs may not accept. Letters, digits, `_` and `-` are safe."
    Capitals "506" "capitals" Error ["kif"]
        "One name is written with different capitalisation. Some programs treat the two as equal, others do not."
    KeywordAsConstant "507" "keyword-as-constant" Warning ["kif"]
        "A keyword is used as a constant. This is legal but confusing."
    NeedlessParentheses "508" "needless-parentheses" Warning ["kif"]
        "`(p)` is written with parentheses although it has no arguments. Some programs treat it as different from `p`."
    EmptyBody "509" "empty-body" Warning ["kif"]
        "A rule without conditions is a fact and should be written as one."
    OddDisjunction "510" "odd-disjunction" Warning ["kif"]
        "A disjunction with fewer than two members, or inside another. Programs treat it differently."
    Conjunction "511" "conjunction" Warning ["kif"]
        "`and` is not part of GDL in prefix form: other programs read it as the name of a relation. A body is a conjunction already; inside `or`, use a separate rule."
    GoalValue "512" "goal-value" Warning ["kif"]
        "A goal value is a whole number from 0 to 100."
    NeverTrue "513" "never-true" Warning ["kif"]
        "A condition uses a fluent that neither `init` nor `next` (in Gamemaster's dialect: no effect) ever makes true."
    NeverLegal "514" "never-legal" Warning ["kif"]
        "A condition uses a move that no rule makes legal."
    Stray "515" "stray-formula" Error ["hrf"]
        "A formula stands where a fact or rule is expected. Usually the line before it has an error."
    NoOperation "516" "action-without-operation" Warning ["hrf"]
        "An action has no operation. Performing it adds the action itself to the state as a fact, which is never intended."
    ReservedName "517" "reserved-name" Error ["hrf"]
        "The name belongs to a builtin. A fact, rule or fluent with this name is never used."
    TwoSpellings "518" "two-spellings" Error ["kif"]
        "One name is written both as `p` and as `(p)`. The two are different names, so a rule for one does not define the other. Only `terminal` means the same in both spellings."
    UndeclaredAction "519" "undeclared-action" Warning ["hrf"]
        "An operation describes an action that neither `action` nor `legal` names, and that no other operation performs. It can never be made."
    SingleVariable "520" "single-variable" Warning ["kif"]
        "A rule uses a variable once, and another variable of the rule has nearly the same name. Probably one of the two is misspelt. A variable that is meant to match anything should have a distinct name."
    OutsideDomain "521" "outside-domain" Warning ["kif"]
        "A name occurs in an argument that never has this value. A condition with it never holds; a fluent or move with it is not allowed by `base` or `input`."
    DisjointDomains "522" "disjoint-domains" Warning ["kif"]
        "Two conditions of a rule share a variable, and no value can satisfy both. The rule never applies."

    CannotWrite "601" "cannot-write" Error []
        "A name cannot be written in the other syntax. Prefix rules have no quotes, so a name with blanks or parentheses cannot be written there."
    NoCounterpart "602" "no-counterpart" Error []
        "Gamemaster's builtins compute values; GDL has only rules and facts. A table of facts can replace them for a finite range of numbers."
    NotExpressible "603" "not-expressible" Error []
        "The rules use something that the other language does not have, such as `sees` in GDL, or an operation that GDL cannot express."
}

impl Code {
    /// The code with this identifier or short name.
    pub fn find(text: &str) -> Option<Code> {
        Code::ALL
            .iter()
            .copied()
            .find(|c| c.id().eq_ignore_ascii_case(text) || c.name().eq_ignore_ascii_case(text))
    }
}

impl magister_diagnostic::Code for Code {
    fn id(self) -> &'static str {
        self.id()
    }

    fn severity(self) -> Severity {
        self.severity()
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.id())
    }
}

impl serde::Serialize for Code {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.id())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_found_by_number_and_by_name() {
        assert_eq!(Code::find("g201"), Some(Code::UnsafeHead));
        assert_eq!(Code::find("unsafe-head"), Some(Code::UnsafeHead));
        assert_eq!(Code::find("G999"), None);
    }

    #[test]
    fn numbers_rise_and_names_differ() {
        for pair in Code::ALL.windows(2) {
            assert!(pair[0].id() < pair[1].id());
            assert_ne!(pair[0].name(), pair[1].name());
        }
    }
}
