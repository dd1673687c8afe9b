//! Inputs for the fuzzer: garbage, random tokens, and mutated texts.

use magister_core::{Rng, Seed};

/// Words that are significant to some reader.
const WORDS: &[&str] = &[
    "(",
    ")",
    "[",
    "]",
    "<=",
    ":-",
    "::",
    "==>",
    ":=",
    "&",
    "|",
    "~",
    "!",
    ",",
    ".",
    "not ",
    "or ",
    "and ",
    "distinct ",
    "role",
    "init",
    "true",
    "next",
    "legal",
    "does",
    "goal",
    "terminal",
    "sees",
    "percept",
    "random",
    "base",
    "input",
    "action",
    "control",
    "plus",
    "evaluate",
    "countofall",
    "?x",
    "?",
    "X",
    "_",
    "_X",
    "'",
    "\"",
    ";",
    "%",
    "\n",
    "\r",
    "\t",
    " ",
    "-",
    "+",
    "*",
    "\\+",
    "\\=",
    "!=",
    "100",
    "-5",
    "3.14",
    "é",
    "\u{202e}",
    "\0",
    "\u{feff}",
    "(<= ",
    "))",
    "((",
    "f(",
    "X,",
    "nil",
    "cons",
    "()",
    "a.b",
    "a.",
    "==",
    ":",
    "=",
];

/// The input with this number: it depends only on seed and corpus.
pub(crate) fn input(seed: u64, number: u64, corpus: &[Vec<u8>]) -> Vec<u8> {
    let mut rng = Seed::from(seed).derive_index(number).rng();
    match rng.below(8) {
        0 => garbage(&mut rng),
        1 | 2 => soup(&mut rng),
        _ => spoilt(&mut rng, corpus),
    }
}

fn garbage(rng: &mut Rng) -> Vec<u8> {
    let length = rng.below(120);
    let ascii = rng.below(2) == 0;
    (0..length)
        .map(|_| {
            let byte = rng.next_u64() as u8;
            if ascii { 32 + byte % 95 } else { byte }
        })
        .collect()
}

fn soup(rng: &mut Rng) -> Vec<u8> {
    let mut out = Vec::new();
    for _ in 0..rng.below(60) {
        out.extend_from_slice(word(rng));
        if rng.below(3) > 0 {
            out.push(b' ');
        }
    }
    out
}

fn word(rng: &mut Rng) -> &'static [u8] {
    WORDS[rng.below(WORDS.len() as u64) as usize].as_bytes()
}

/// A random position, including the end.
fn place(rng: &mut Rng, length: usize) -> usize {
    rng.below(length as u64 + 1) as usize
}

/// A piece of a text of the corpus with a few changes.
fn spoilt(rng: &mut Rng, corpus: &[Vec<u8>]) -> Vec<u8> {
    let pick = |rng: &mut Rng| &corpus[rng.below(corpus.len() as u64) as usize];
    let text = pick(rng);
    let start = place(rng, text.len());
    let length = 20 + rng.below(400) as usize;
    let mut out = text[start..(start + length).min(text.len())].to_vec();
    for _ in 0..rng.below(6) {
        let at = place(rng, out.len());
        let end = (at + rng.below(20) as usize).min(out.len());
        match rng.below(7) {
            0 => drop(out.drain(at..end)),
            1 => {
                let copy = out[at..end].to_vec();
                let to = place(rng, out.len());
                out.splice(to..to, copy);
            }
            2 => {
                let other = pick(rng);
                let from = place(rng, other.len());
                let piece = other[from..(from + 30).min(other.len())].to_vec();
                out.splice(at..end, piece);
            }
            3 => {
                if let Some(byte) = out.get_mut(at) {
                    *byte ^= 1 << rng.below(8);
                }
            }
            4 => {
                let times = 1 + rng.below(40) as usize;
                let word = word(rng).repeat(times);
                out.splice(at..at, word);
            }
            _ => {
                let word = word(rng).to_vec();
                out.splice(at..end, word);
            }
        }
    }
    out
}
