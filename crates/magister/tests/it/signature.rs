//! The behaviour of all evaluators matches the recorded signature.

use magister::signature::{self, Changed};

#[test]
fn the_signature_is_the_recorded_one() {
    let found = signature::sign().and_then(|found| signature::compare(&found));
    if let Err(changed) = found {
        panic!("{changed}");
    }
}

#[test]
fn a_change_names_the_game() {
    let lines = signature::RECORDED.lines().skip(1);
    let parts = lines.map(|line| {
        let words: Vec<&str> = line.split(' ').collect();
        let number = u64::from_str_radix(words[1], 16).expect("a number");
        // Names of evaluators are compared as one word here.
        let evaluators = vec![Box::leak(words[2].to_owned().into_boxed_str()) as &str];
        signature::Part { game: words[0].to_owned(), evaluators, number }
    });
    let mut parts: Vec<signature::Part> = parts.collect();
    assert_eq!(signature::compare(&parts), Ok(()));
    parts[3].number ^= 1;
    let changed = signature::compare(&parts);
    let Err(Changed::Different { games, .. }) = &changed else { panic!("{changed:?}") };
    assert_eq!(games, &[parts[3].game.clone()]);
    assert!(changed.unwrap_err().to_string().contains("cargo xtask signature --update"));
}
