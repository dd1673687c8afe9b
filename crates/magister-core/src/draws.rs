//! The seeds of all random numbers of a match.
//!
//! Every draw has its own seed, which is derived from the seed of the match, the purpose and the
//! turn or step. A resumed match therefore makes the same draws as an uninterrupted one, and no
//! draw depends on the number of other draws. All derivations are one-way.

use crate::{Move, Rng, Role, Seed, hex};

/// The generator for the move of chance in a step. Steps are counted from 0, including silent ones.
pub fn chance(seed: &Seed, step: usize) -> Rng {
    seed.derive("chance").derive_index(step as u64).rng()
}

/// The generator for the move that replaces a missing or illegal move of a role. Turns are counted
/// from 0.
pub fn substitute(seed: &Seed, turn: usize, role: Role) -> Rng {
    of(seed, "substitute", turn, role)
}

/// The generator for the random move of a role in an opening. Turns are counted from 0.
pub fn opening(seed: &Seed, turn: usize, role: Role) -> Rng {
    of(seed, "opening", turn, role)
}

/// The generator for an agent's decision. Turns are counted from 0.
pub fn agent(seed: &Seed, role: Role, turn: usize) -> Rng {
    seed.derive("agent").derive_index(u64::from(role.0)).derive_index(turn as u64).rng()
}

/// The generator for an agent before the first turn.
pub fn agent_start(seed: &Seed, role: Role) -> Rng {
    seed.derive("agent").derive_index(u64::from(role.0)).derive("start").rng()
}

/// The salt of a match without an explicit one. It is derived from the seed, so the same seed gives
/// the same record. Such a salt does not protect a seed that can be guessed: a service that runs
/// matches for others uses fresh entropy for seed and salt.
pub fn default_salt(seed: &Seed) -> Seed {
    seed.derive("salt")
}

/// SHA-256 of the bytes of the salt followed by those of the seed, in hexadecimal digits. It is
/// published when a match starts, so the seed cannot be changed afterwards.
pub fn seed_hash(seed: &Seed, salt: &Seed) -> String {
    use sha2::{Digest, Sha256};
    let mut hash = Sha256::new();
    hash.update(salt.0);
    hash.update(seed.0);
    hex::encode(&hash.finalize())
}

/// A uniformly random legal move; idle if there is none.
pub fn pick(legal: &[Move], rng: &mut Rng) -> Move {
    crate::draw(legal, &[], rng).unwrap_or(Move::IDLE)
}

fn of(seed: &Seed, what: &str, turn: usize, role: Role) -> Rng {
    seed.derive(what).derive_index(turn as u64).derive_index(u64::from(role.0)).rng()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Records store seeds, so the derivations must never change.
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
