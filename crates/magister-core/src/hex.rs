//! Bytes as hexadecimal digits, for hashes and seeds.

/// Two lower-case digits per byte.
pub(crate) fn encode(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        text.push(DIGITS[usize::from(byte >> 4)] as char);
        text.push(DIGITS[usize::from(byte & 15)] as char);
    }
    text
}

/// The bytes of a text of hexadecimal digits with exactly the right length, otherwise `None`.
pub(crate) fn decode<const N: usize>(text: &str) -> Option<[u8; N]> {
    let digits = text.as_bytes();
    if digits.len() != 2 * N {
        return None;
    }
    let mut bytes = [0; N];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        let high = (pair[0] as char).to_digit(16)?;
        let low = (pair[1] as char).to_digit(16)?;
        *byte = (high << 4 | low) as u8;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_and_back() {
        assert_eq!(encode(&[0x00, 0x9f, 0xa5]), "009fa5");
        assert_eq!(decode::<3>("009FA5"), Some([0x00, 0x9f, 0xa5]));
        assert_eq!(decode::<3>("009fa"), None);
        assert_eq!(decode::<1>("+1"), None);
        assert_eq!(decode::<1>("é"), None);
    }
}
