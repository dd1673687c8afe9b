//! The codes of diagnostics: the meaning of each, with a bad and a good example.
//!
//! Codes are stable. A new one takes the next free number of its group; a retired number is not
//! reused. Most have two files in `codes/`: `NNN.bad.rcy` contains exactly that mistake, and
//! `NNN.good.rcy` contains none.

use std::fmt;

use magister_diagnostic::Severity;

/// One defect of a game, with its position.
pub type Diagnostic = magister_diagnostic::Diagnostic<Code>;

/// A bounded list of diagnostics.
pub type Diagnostics = magister_diagnostic::Diagnostics<Code>;

macro_rules! example {
    ($id:literal $which:literal yes) => {
        Some(include_str!(concat!("../codes/", $id, ".", $which, ".rcy")))
    };
    ($id:literal $which:literal no) => {
        None
    };
}

macro_rules! codes {
    ($($variant:ident $id:literal $name:literal $severity:ident $example:ident $text:literal)*) => {
        /// The kind of a diagnostic.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Code {
            $(#[doc = $text] $variant,)*
        }

        impl Code {
            /// All codes, in the order of their numbers.
            pub const ALL: &[Code] = &[$(Code::$variant),*];

            /// The stable identifier, such as `R201`.
            pub fn id(self) -> &'static str {
                match self { $(Code::$variant => concat!("R", $id),)* }
            }

            /// A short name, such as `wrong-type`.
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

            /// A game that shows the mistake, and a correct one.
            pub fn examples(self) -> Option<(&'static str, &'static str)> {
                match self {
                    $(Code::$variant => {
                        let bad: Option<&'static str> = example!($id "bad" $example);
                        let good: Option<&'static str> = example!($id "good" $example);
                        bad.zip(good)
                    })*
                }
            }
        }
    };
}

codes! {
    TooLarge "001" "too-large" Error no
        "The text, or the game it describes, is larger than the limits allow. Games may come from untrusted sources, so every reader has limits; a program that needs more can raise them."
    TooDeep "002" "too-deep" Error no
        "Lists are nested deeper than the reader accepts. Usually a closing parenthesis was forgotten."
    Unclosed "003" "unclosed" Error yes
        "A parenthesis is opened and never closed. The reader points at the last opening one."
    Unopened "004" "unopened" Warning yes
        "A closing parenthesis has no opening one. After the end of the game it is ignored."
    Unexpected "005" "unexpected" Error yes
        "The grammar does not allow this character or word here."
    BadName "006" "bad-name" Error yes
        "Keywords are in lower case; names and variables consist of capitals, digits and underscores and begin with a letter. A mixture is neither."
    BadNumber "007" "bad-number" Error yes
        "Numbers are 32-bit integers."

    NoGame "101" "no-game" Error yes
        "A text describes one game: `(game DECLARATIONS SETUP BLOCKS SCORING)`."
    Malformed "102" "malformed" Error yes
        "A form has the wrong shape: too few parts, too many, or a part of the wrong kind in the wrong place."
    UnknownForm "103" "unknown-form" Error yes
        "No form that is allowed here begins with this keyword."
    OlderSpelling "104" "older-spelling" Note yes
        "The word is from an older version of the language. It is read as its modern equivalent."
    IgnoredText "105" "ignored-text" Warning yes
        "Something follows the end of the game. It is ignored."
    Unsupported "106" "unsupported" Error yes
        "The form is part of the language, but no program has ever implemented it."

    WrongType "201" "wrong-type" Error yes
        "An expression has the wrong type. The types are integer, truth value, string, card, place, collection and owner."
    Unbound "202" "unbound" Error yes
        "A variable is used outside the form that binds it, or is never bound."
    Shadowed "203" "shadowed" Warning yes
        "A variable is bound inside a form that binds the same name. The inner one hides the outer one. Some programs then lose the outer one, so choose another name."
    NotConstant "204" "not-constant" Error yes
        "A declaration, a number of players or a number of decks must be known before the game begins."

    UnknownAttribute "301" "unknown-attribute" Warning yes
        "No card has this attribute, so its value is always the empty string."
    NoSuchOwner "302" "no-such-owner" Error yes
        "The game has fewer players or teams than the number says. They are counted from zero."
    NeverSet "303" "never-set" Warning yes
        "A point map is used but never set, so every card scores 0. Often its name is misspelt."
    NeverFilled "304" "never-filled" Warning yes
        "The rules use cards of a place that no card is ever put into. Often its name or its visibility differs from that of the place with the cards."
    NeverWritten "305" "never-written" Warning yes
        "An integer or string storage is read but never written, and the name of another one differs by one letter. A storage that is never written is always 0 or the empty string, so the name is probably misspelt."
    UnknownValue "306" "unknown-value" Warning yes
        "A point map gives points for a value that no card has, so nothing gets them. Often the value is misspelt."

    AnyOutsideChoice "401" "any-outside-choice" Error yes
        "`any` with actions offers options, so it belongs in a `choice`. Elsewhere there is no choosing player."
    ChoiceInside "402" "choice-inside" Error yes
        "A `choice` or a `stage` stands where only actions are allowed. Write two decisions as two choices, one after the other."
    NoCards "403" "no-cards" Warning yes
        "The game has no cards."
    FailsAtStart "404" "fails-at-start" Error yes
        "The rules fail before the first decision of a player, in every beginning that was tried, so no match can be played. They take a card from an empty pile, divide by zero, have a stage that never ends or a choice without options, or build a collection beyond the limits."
}

impl Code {
    /// Whether the text exceeds a limit of the reader, which then reads no further.
    pub(crate) fn is_limit(self) -> bool {
        matches!(self, Code::TooLarge | Code::TooDeep)
    }

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
