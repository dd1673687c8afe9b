//! Which random numbers of a match come from where.
//!
//! Every draw has a seed of its own: it is derived from the seed of the match, from what is drawn
//! and from the turn or step. So a match that is resumed draws what it would have drawn, and
//! nobody's draw depends on how often somebody else drew. All derivations are one-way.

use crate::{Move, Rng, Role, Seed, hex};

/// The generator for the move of chance in a step. Steps are counted from 0, silent ones too.
pub fn chance(seed: &Seed, step: usize) -> Rng {
    seed.derive("chance").derive_index(step as u64).rng()
}

/// The generator for the move that replaces the missing or illegal move of a role. Turns are
/// counted from 0.
pub fn substitute(seed: &Seed, turn: usize, role: Role) -> Rng {
    of(seed, "substitute", turn, role)
}

/// The generator for the random move of a role in an opening. Turns are counted from 0.
pub fn opening(seed: &Seed, turn: usize, role: Role) -> Rng {
    of(seed, "opening", turn, role)
}

/// The generator that the agent of a role is given for its decision. Turns are counted from 0.
pub fn agent(seed: &Seed, role: Role, turn: usize) -> Rng {
    seed.derive("agent").derive_index(u64::from(role.0)).derive_index(turn as u64).rng()
}

/// The generator that the agent of a role is given before the first turn.
pub fn agent_start(seed: &Seed, role: Role) -> Rng {
    seed.derive("agent").derive_index(u64::from(role.0)).derive("start").rng()
}

/// The salt of a match for which nobody gave one. It follows from the seed, so that the same seed
/// gives the same record. Such a salt does not keep a seed secret that can be guessed: who runs
/// matches for others gives fresh entropy for seed and salt.
pub fn default_salt(seed: &Seed) -> Seed {
    seed.derive("salt")
}

/// SHA-256 of the bytes of the salt followed by those of the seed, in hexadecimal digits. It is
/// told when a match starts, so that nobody can choose another seed afterwards.
pub fn seed_hash(seed: &Seed, salt: &Seed) -> String {
    use sha2::{Digest, Sha256};
    let mut hash = Sha256::new();
    hash.update(salt.0);
    hash.update(seed.0);
    hex::encode(&hash.finalize())
}

/// One of the legal moves, all equally likely; idle if there is none.
pub fn pick(legal: &[Move], rng: &mut Rng) -> Move {
    crate::draw(legal, &[], rng).unwrap_or(Move::IDLE)
}

fn of(seed: &Seed, what: &str, turn: usize, role: Role) -> Rng {
    seed.derive(what).derive_index(turn as u64).derive_index(u64::from(role.0)).rng()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Records keep seeds, so what follows from a seed must never change.
    #[test]
    fn draws_are_pinned() {
        let seed = Seed::from(1);
        let numbers = [
            chance(&seed, 0),
            chance(&seed, 1),
            substitute(&seed, 1, Role(0)),
            substitute(&seed, 0, Role(1)),
            opening(&seed, 0, Role(0)),
            agent(&seed, Role(0), 0),
            agent(&seed, Role(0), 1),
            agent_start(&seed, Role(0)),
        ]
        .map(|mut rng| rng.next_u64());
        for (at, number) in numbers.iter().enumerate() {
            assert!(!numbers[..at].contains(number));
        }
        assert_eq!(numbers[0], 14_823_911_454_209_977_947);
        assert_eq!(numbers[2], 3_740_002_865_345_236_810);
        assert_eq!(numbers[4], 4_304_376_742_664_347_825);
        assert_eq!(numbers[6], 2_625_321_936_470_959_601);
        assert_eq!(seed_hash(&seed, &default_salt(&seed)).len(), 64);
    }
}
