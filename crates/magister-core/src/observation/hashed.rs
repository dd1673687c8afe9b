//! Feature hashing of text, for rules that do not fix their vocabulary.

/// The length of the tensor of a state whose fluents are not known in advance.
pub const HASHED: usize = 2048;

/// The number of entries per text. Two texts look equal only if both entries collide.
const ENTRIES: u64 = 2;

/// Sets the entries of a text.
pub(super) fn set(text: &str, out: &mut [f32]) {
    if out.is_empty() {
        return;
    }
    let hash = fnv(text);
    for entry in 0..ENTRIES {
        let place = mix(hash ^ mix(entry)) % out.len() as u64;
        out[place as usize] = 1.0;
    }
}

/// Sets the entries of all terms of the text of a state.
pub(super) fn set_terms(text: &str, out: &mut [f32]) {
    let text = text.trim();
    let inner = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).unwrap_or(text);
    let (mut depth, mut start) = (0_usize, 0);
    for (at, c) in inner.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            c if c.is_whitespace() && depth == 0 => {
                set_term(&inner[start..at], out);
                start = at;
            }
            _ => {}
        }
    }
    set_term(&inner[start..], out);
}

fn set_term(term: &str, out: &mut [f32]) {
    let term = term.trim();
    if !term.is_empty() {
        set(term, out);
    }
}

/// FNV-1a with 64 bits: the same in every version of every library.
fn fnv(text: &str) -> u64 {
    let step = |hash: u64, &byte: &u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    text.as_bytes().iter().fold(0xcbf2_9ce4_8422_2325, step)
}

/// The finalizer of `SplitMix64`, because the low bits of FNV alone are poor.
fn mix(mut hash: u64) -> u64 {
    hash = hash.wrapping_add(0x9e37_79b9_7f4a_7c15);
    hash = (hash ^ hash >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ hash >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ hash >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(text: &str) -> Vec<f32> {
        let mut out = vec![0.0; 256];
        set_terms(text, &mut out);
        out
    }

    #[test]
    fn the_hash_is_the_published_one() {
        assert_eq!(fnv(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv("a"), 0xaf63_dc4c_8601_ec8c);
    }

    #[test]
    fn a_state_is_the_set_of_its_terms() {
        assert_eq!(terms("((cell 1 (f x)) done)"), terms("(done  (cell 1 (f x)))"));
        assert_eq!(terms("(a b)"), terms("a b"));
        assert_ne!(terms("((cell 1 x))"), terms("((cell 1 o))"));
        assert_eq!(terms("()"), vec![0.0; 256]);
        assert!((1.0..=4.0).contains(&terms("((cell 1 x) done)").iter().sum::<f32>()));
    }
}
