//! Passwords and secrets: argon2id hashes, random tokens, generated passwords.

use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher as _, PasswordVerifier as _};
use argon2::{Algorithm, Argon2, Params, Version};
use sha2::{Digest as _, Sha256};

use crate::ApiError;

/// The minimum length of a password that a person may choose, in characters.
pub const SHORTEST: usize = 8;
/// The maximum length of a password, in bytes. It bounds the work of a sign-in.
pub const LONGEST: usize = 200;

/// The hash of a password as text, `$argon2id$...`. `memory_kib` is the memory of one computation.
pub fn hash(password: &str, memory_kib: u32) -> Result<String, ApiError> {
    let failed = || ApiError::unavailable("the password could not be hashed; try again");
    let params = Params::new(memory_kib, 2, 1, None).map_err(|_| failed())?;
    let hasher = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
    let salt: [u8; 16] = random();
    let hash = hasher.hash_password_with_salt(password.as_bytes(), &salt).map_err(|_| failed())?;
    Ok(hash.to_string())
}

/// Whether a password matches a hash. The parameters are those of the hash.
pub fn verify(password: &str, hash: &str) -> bool {
    let Ok(parsed) = PasswordHash::new(hash) else { return false };
    password.len() <= LONGEST
        && Argon2::default().verify_password(password.as_bytes(), &parsed).is_ok()
}

/// Whether a person may choose this password.
pub fn check(password: &str) -> Result<(), ApiError> {
    if password.chars().count() < SHORTEST || password.len() > LONGEST {
        let what = format!("a password has {SHORTEST} to {LONGEST} characters");
        return Err(ApiError::invalid("password", what));
    }
    Ok(())
}

/// Letters and digits that are not easily confused.
const ALPHABET: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";

/// A password of 12 random letters and digits in three groups, easy to copy from paper.
pub fn generate() -> String {
    let bytes: [u8; 12] = random();
    let letters = bytes.iter().map(|byte| char::from(ALPHABET[usize::from(byte % 32)]));
    let letters: Vec<char> = letters.collect();
    let groups: Vec<String> = letters.chunks(4).map(|group| group.iter().collect()).collect();
    groups.join("-")
}

/// A secret of 256 random bits in hexadecimal.
pub fn token() -> String {
    let bytes: [u8; 32] = random();
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Whether two secrets are equal. The comparison takes constant time.
pub fn same(one: &str, other: &str) -> bool {
    Sha256::digest(one.as_bytes()) == Sha256::digest(other.as_bytes())
}

/// Random bytes of the operating system. Without them no secret is safe, so there is no fallback.
fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).expect("the operating system gives random numbers");
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_fits_its_hash_only() {
        let first = hash("correct horse", 64).unwrap();
        let second = hash("correct horse", 64).unwrap();
        assert!(first.starts_with("$argon2id$v=19$m=64,t=2,p=1$"), "{first}");
        assert_ne!(first, second, "the salt differs");
        assert!(verify("correct horse", &first));
        for wrong in ["", "correct hors", "correct horse ", &"x".repeat(10_000)] {
            assert!(!verify(wrong, &first), "{wrong}");
        }
        for broken in ["", "$argon2id$", "plain text", "$argon2id$v=19$m=4294967295,t=1,p=1$aa$bb"]
        {
            assert!(!verify("correct horse", broken), "{broken}");
        }
    }

    #[test]
    fn generated_secrets_differ_and_pass_the_check() {
        let all: std::collections::BTreeSet<String> = (0..100).map(|_| generate()).collect();
        assert_eq!(all.len(), 100);
        assert!(all.iter().all(|one| one.len() == 14 && check(one).is_ok()));
        assert_ne!(token(), token());
        assert_eq!(token().len(), 64);
        assert!(check("short").is_err() && check(&"x".repeat(201)).is_err());
    }
}
