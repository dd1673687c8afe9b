//! The facts of a game.

use sha2::{Digest, Sha256};

use crate::{Role, hex};

/// When a game pays its rewards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Payment {
    /// The result of a role is its goal value in the terminal state.
    AtEnd,
    /// The result of a role is the sum of its intermediate rewards (gains) over all steps.
    OnTheWay,
}

/// Whether the game has perfect information.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Information {
    /// Every role observes the whole joint move of every step, including chance.
    Perfect,
    /// A role observes only its own moves and its percepts.
    Hidden,
}

/// The facts of a game that do not change during play.
#[derive(Clone, Debug, PartialEq)]
pub struct Info {
    /// A short name, in kebab case for bundled games.
    pub name: String,
    /// The names of all roles, including chance; [`Role`] is an index into this list.
    pub roles: Vec<String>,
    /// The chance role, if there is one.
    pub chance: Option<Role>,
    /// The number of distinct moves, if the rules fix them: all moves except
    /// [`Move::IDLE`](crate::Move::IDLE) are below it and mean the same everywhere. If it is
    /// `None`, a move is a handle that is valid only in this process; see [`Move`](crate::Move).
    pub moves: Option<u32>,
    /// The number of distinct percepts, if it is known in advance. All percepts are below it.
    pub percepts: Option<u32>,
    /// The number of words of a state; `None` if states vary in length, as under rules with
    /// unbounded terms.
    pub state_words: Option<usize>,
    /// The lowest and the highest reward a role can get; both may be infinite.
    pub rewards: (f64, f64),
    /// Whether the game pays at the end or on the way (intermediate rewards).
    pub payment: Payment,
    /// The sum of all players' rewards, if it is the same in every match.
    pub constant_sum: Option<f64>,
    /// An upper bound on the number of steps from the initial state, if one is known.
    pub max_length: Option<u32>,
    /// Whether the game has perfect information.
    pub information: Information,
    /// SHA-256 of the rules in canonical form, in hexadecimal digits. Two games with the same hash
    /// have the same roles, move ids, legal orders and observations, so records and learned weights
    /// contain it.
    pub rules_hash: String,
    /// SHA-256 of the rules as written, byte for byte.
    pub text_hash: String,
}

impl Info {
    /// The facts of the common case: perfect information, no chance, rewards from 0 to 100 at the
    /// end, nothing else known. `rules` is the text of the rules; a game written in Rust passes its
    /// name and a version number that changes with its rules.
    pub fn new(name: &str, roles: &[&str], rules: &str) -> Self {
        Info {
            name: name.to_owned(),
            roles: roles.iter().map(|&role| role.to_owned()).collect(),
            chance: None,
            moves: None,
            percepts: None,
            state_words: None,
            rewards: (0.0, 100.0),
            payment: Payment::AtEnd,
            constant_sum: None,
            max_length: None,
            information: Information::Perfect,
            rules_hash: rules_hash(rules),
            text_hash: rules_hash(rules),
        }
    }

    /// All roles, including chance.
    pub fn all_roles(&self) -> impl Iterator<Item = Role> + use<> {
        (0..self.roles.len()).map(|index| Role(index as u8))
    }

    /// All roles except chance.
    pub fn players(&self) -> impl Iterator<Item = Role> + use<> {
        let chance = self.chance;
        self.all_roles().filter(move |&role| Some(role) != chance)
    }

    /// The role of this name.
    pub fn role(&self, name: &str) -> Option<Role> {
        self.all_roles().find(|role| self.roles[role.index()] == name)
    }

    /// The name of a role, or a question mark for a role that does not exist.
    pub fn role_name(&self, role: Role) -> &str {
        self.roles.get(role.index()).map_or("?", String::as_str)
    }
}

/// SHA-256 of the text of rules, in hexadecimal digits.
pub fn rules_hash(rules: &str) -> String {
    hex::encode(&Sha256::digest(rules.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_of_rules_is_sha_256() {
        assert_eq!(
            rules_hash("abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }

    #[test]
    fn chance_is_a_role_but_not_a_player() {
        let info = Info { chance: Some(Role(1)), ..Info::new("g", &["a", "random", "b"], "g 1") };
        assert_eq!(info.all_roles().count(), 3);
        assert_eq!(info.players().collect::<Vec<_>>(), [Role(0), Role(2)]);
        assert_eq!(info.role("b"), Some(Role(2)));
        assert_eq!(info.role_name(Role(7)), "?");
    }
}
