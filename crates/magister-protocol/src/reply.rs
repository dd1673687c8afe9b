//! The replies of players.

use crate::term::{Limits, Term, TermError};

/// A player's description of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlayerInfo {
    /// Its name, if it has one.
    pub name: Option<String>,
    /// Whether it is available.
    pub status: Status,
    /// Whether it is a program or a person, as it reports.
    pub species: Option<String>,
    /// Whether it recognises duplicate messages. It must declare this.
    pub repeats: bool,
}

/// Whether a player is available.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Status {
    /// It can start a match.
    #[default]
    Available,
    /// It is playing a match.
    Busy,
    /// Another word.
    Other(String),
}

impl Status {
    fn read(word: &str) -> Self {
        match word.to_ascii_lowercase().as_str() {
            "available" | "ready" => Status::Available,
            "busy" => Status::Busy,
            _ => Status::Other(word.to_owned()),
        }
    }

    fn word(&self) -> &str {
        match self {
            Status::Available => "available",
            Status::Busy => "busy",
            Status::Other(word) => word,
        }
    }
}

impl PlayerInfo {
    /// Reads a reply to INFO: a word for the status, or a list of pairs.
    pub fn read(text: &str) -> Result<Self, TermError> {
        match Term::read(text)? {
            Term::Atom(word) => {
                Ok(PlayerInfo { status: Status::read(&word), ..PlayerInfo::default() })
            }
            Term::List(pairs) => {
                let mut info = PlayerInfo::default();
                for pair in &pairs {
                    let Some([key, rest @ ..]) = pair.as_list() else { continue };
                    let value = rest.iter().map(Term::to_string).collect::<Vec<_>>().join(" ");
                    if key.is_word("name") {
                        info.name = Some(value);
                    } else if key.is_word("status") {
                        info.status = Status::read(&value);
                    } else if key.is_word("species") {
                        info.species = Some(value);
                    } else if key.is_word("repeats") {
                        info.repeats = value.eq_ignore_ascii_case("true");
                    }
                }
                Ok(info)
            }
        }
    }

    /// The reply to INFO, as ggp-base's players write it.
    pub fn write(&self) -> String {
        let mut out = String::from("(");
        let mut pair = |key: &str, value: &str| {
            // A value that is not an atom would break the list.
            let value: String =
                value.chars().map(|c| if "();".contains(c) { '_' } else { c }).collect();
            out.push_str(" ( ");
            out.push_str(key);
            out.push(' ');
            out.push_str(&value.split_whitespace().collect::<Vec<_>>().join("_"));
            out.push_str(" )");
        };
        if let Some(name) = &self.name {
            pair("name", name);
        }
        pair("status", self.status.word());
        if let Some(species) = &self.species {
            pair("species", species);
        }
        if self.repeats {
            pair("repeats", "true");
        }
        out.push_str(" )");
        out
    }
}

/// Reads a move: the first term of a reply. Some old players wrap the move in a list together with
/// an explanation, `(move (explanation ...) (taunt ...))`. This is read as the move, and so is
/// `(reply id move)`.
pub fn read_move(text: &str) -> Result<Term, TermError> {
    let limits = Limits { bytes: 1 << 20, nodes: 10_000, ..Limits::default() };
    let term = Term::read_within(text, &limits)?;
    let Some(parts) = term.as_list() else { return Ok(term) };
    let remark = |part: &Term| {
        part.as_list()
            .and_then(<[Term]>::first)
            .is_some_and(|head| head.is_word("explanation") || head.is_word("taunt"))
    };
    match parts {
        [choice, rest @ ..] if !rest.is_empty() && rest.iter().all(remark) => Ok(choice.clone()),
        [word, _, choice] if word.is_word("reply") => Ok(choice.clone()),
        _ => Ok(term),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn info_in_both_forms() {
        let info = PlayerInfo::read("( ( name Random ) ( status busy ) )").unwrap();
        assert_eq!((info.name.as_deref(), info.status), (Some("Random"), Status::Busy));
        assert_eq!(PlayerInfo::read("ready").unwrap().status, Status::Available);
        let info = PlayerInfo { name: Some("uct (fast)".into()), ..PlayerInfo::default() };
        assert_eq!(info.write(), "( ( name uct__fast_ ) ( status available ) )");
        let info = PlayerInfo { repeats: true, ..PlayerInfo::default() };
        assert_eq!(info.write(), "( ( status available ) ( repeats true ) )");
        assert_eq!(PlayerInfo::read(&info.write()), Ok(info));
    }

    #[test]
    fn explanations_are_dropped() {
        let with = read_move("((mark 1 1) (explanation \"why\") (taunt ha))").unwrap();
        assert_eq!(with.to_string(), "(mark 1 1)");
        assert_eq!(read_move("(mark (f 1) 1)").unwrap().to_string(), "(mark (f 1) 1)");
        assert_eq!(read_move(" noop\n").unwrap(), Term::atom("noop"));
        assert!(read_move("").is_err());
    }
}
