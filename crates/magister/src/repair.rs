//! Repairs of simple mistakes in rules.
//!
//! Every repair is tested: candidates come from the diagnostics and from the text, and the one that
//! leaves the fewest errors is kept. The result is offered only if the rules then have no errors
//! and play better in random matches than before.

mod candidates;
mod cards;
mod noop;
mod spelling;

use std::time::Duration;

use magister_core::{Game, Move, Seed, Step, Stop, draw};
use magister_engine::inspect::{Survey, survey};
use magister_engine::within;
use magister_gdl::{Code, Severity, examine, read};

use crate::{FrontEnd, Input, Options, Reading};
use candidates::candidates;

/// The maximum number of repairs of one rulesheet, and of candidates for each of them.
const REPAIRS: usize = 12;
const CANDIDATES: usize = 80;
/// The number of random matches by which rules are compared.
const MATCHES: u32 = 40;
const STEPS: u32 = 300;
/// The number of random matches in which positions without a real move are looked for.
const WALKS: u64 = 8;
/// The time limit for one version of the rules.
const PATIENCE: Duration = Duration::from_secs(20);
/// The number of faults that unplayable rules count as.
const UNPLAYABLE: usize = 1_000;

/// Rules that were repaired.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repair {
    /// The rules after the repair.
    pub text: String,
    /// The changes, in order.
    pub changes: Vec<Change>,
}

/// One change of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The line, from 1.
    pub line: usize,
    /// The change as text.
    pub what: String,
}

/// A text that may be better, and the change that led to it.
struct Candidate {
    text: String,
    change: Change,
}

/// The badness of rules: reading errors, all errors, warnings.
type Badness = (usize, usize, usize);

/// Tries to repair rules. In RECYCLE, only misspelt words are corrected. `None` if nothing is wrong, or if
/// no repair makes the rules free of errors and better to play.
pub fn repair(name: &str, text: &str, reading: &Reading) -> Option<Repair> {
    let input = Input { name: name.to_owned(), text: text.to_owned(), exact: true };
    if reading.front_end_of(&input) == FrontEnd::Recycle {
        return cards::repair(name, text, reading);
    }
    let (mut now, mut changes) = (text.to_owned(), Vec::new());
    let before = badness(text, reading);
    for _ in 0..REPAIRS {
        let current = badness(&now, reading);
        if current.0 == 0 && current.1 == 0 && current.2 == 0 {
            break;
        }
        let tried = candidates(&now, &reading.gdl).into_iter().take(CANDIDATES);
        let scored = tried.map(|candidate| (badness(&candidate.text, reading), candidate));
        // Among equally good candidates, the first is the most likely.
        let best = scored.reduce(|best, other| if other.0 < best.0 { other } else { best });
        match best {
            Some((bad, candidate)) if bad < current => {
                now = candidate.text;
                changes.push(candidate.change);
            }
            _ => break,
        }
    }
    let after = badness(&now, reading);
    if after.1 > 0 || (before.1 == 0 && after.2 > before.2) {
        return None;
    }
    let mut play = played(name, &now, reading);
    if play.faults > 0 {
        // A misspelt name is more likely than a forgotten rule.
        let spelling = spelling::candidates(&now, &reading.gdl).into_iter();
        // If a condition can never be true, that is the reason why a role is stuck.
        let unclear = examine(&now, &reading.gdl).diagnostics;
        let unclear = unclear.as_slice().iter().any(|one| one.code == Code::Undefined);
        let noop = if unclear { Vec::new() } else { noop::candidates(&now, &reading.gdl) };
        let tried = spelling.chain(noop);
        for candidate in tried.take(CANDIDATES).filter(|one| badness(&one.text, reading) <= after) {
            let other = played(name, &candidate.text, reading);
            // If no match ends any more, or if all roles wait for each other, a move was added
            // where another rule is missing.
            let worse = other.endless && !play.endless || other.waiting && !play.waiting;
            if other.faults < play.faults && !worse {
                (now, play) = (candidate.text, other);
                changes.push(candidate.change);
                break;
            }
        }
    }
    // Rules with errors could not be played as their author intended.
    let old = if before.1 > 0 { UNPLAYABLE } else { played(name, text, reading).faults };
    (play.faults < old && !changes.is_empty()).then_some(Repair { text: now, changes })
}

fn badness(text: &str, reading: &Reading) -> Badness {
    let read = read(text, &reading.gdl).diagnostics.count(Severity::Error);
    let found = examine(text, &reading.gdl).diagnostics;
    (read, found.count(Severity::Error), found.count(Severity::Warning))
}

/// The result of random matches.
struct Play {
    /// The number of kinds of faults.
    faults: usize,
    /// Whether no match ended.
    endless: bool,
    /// Whether a match came to a position in which no role can do anything but wait.
    waiting: bool,
}

fn played(name: &str, text: &str, reading: &Reading) -> Play {
    let options = Options { reading: *reading, ..Options::default() };
    let Ok(playable) = options.open_text(name, text) else {
        return Play { faults: UNPLAYABLE, endless: false, waiting: false };
    };
    let seed = Seed::from(0).derive("repair");
    let survey: Survey = within(PATIENCE, &Stop::never(), |stop| {
        survey(&*playable.game, (0.0, 100.0), MATCHES, STEPS, seed, stop)
    });
    let endless = survey.playouts > 0 && survey.truncated == survey.playouts;
    let at_once = survey.finished > 0 && survey.longest == 0;
    let faults = survey.faults.len() + usize::from(endless) + usize::from(at_once);
    Play { faults, endless, waiting: all_wait(&*playable.game, seed) }
}

/// Whether a random match comes to a position that is not terminal, in which `noop` is the only
/// move of every role.
fn all_wait(game: &dyn Game, seed: Seed) -> bool {
    let mut worker = game.worker();
    let mut step = Step::new();
    let is_noop = |choice: Move| game.text().move_text(choice) == "noop";
    for walk in 0..WALKS {
        worker.reset();
        let mut rng = seed.derive("waiting").derive_index(walk).rng();
        for _ in 0..STEPS {
            let roles = || game.info().all_roles();
            if worker.terminal() {
                break;
            }
            if roles().all(|role| matches!(worker.legal(role), [one] if is_noop(*one))) {
                return true;
            }
            let joint: Option<Vec<Move>> =
                roles().map(|role| draw(worker.legal(role), &[], &mut rng)).collect();
            let Some(joint) = joint else { break };
            if worker.step(&joint, &mut step, &Stop::never()).is_err() {
                break;
            }
        }
    }
    false
}

/// The line of an offset in a text, from 1.
fn line_of(text: &str, at: usize) -> usize {
    text.get(..at).unwrap_or(text).matches('\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::repair;
    use crate::Reading;

    #[test]
    fn good_rules_stay() {
        let rules = "(role x)\n(init (p))\n(<= (legal x go) (true (p)))\n(<= (next (q)) (true (p)))\n\
                     (<= terminal (true (q)))\n(goal x 100)\n";
        assert_eq!(repair("good", rules, &Reading::default()), None);
    }

    /// A fluent that is made true under a misspelt name gives no diagnostic, but leaves a role
    /// without a legal move. A new move `noop` would hide the mistake.
    #[test]
    fn a_misspelt_name_is_corrected_before_a_move_is_added() {
        let rules = "(role a)\n(role b)\n(init (control a))\n(init (step 0))\n(succ 0 1)\n(succ 1 2)\n(succ 2 3)\n\
                     (<= (legal ?p go) (true (control ?p)))\n\
                     (<= (legal a noop) (true (control b)))\n\
                     (<= (legal b noop) (true (control a)))\n\
                     (<= (next (contrl a)) (true (control b)))\n\
                     (<= (next (control b)) (true (control a)))\n\
                     (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))\n\
                     (<= terminal (true (step 3)))\n(goal a 50)\n(goal b 50)\n";
        let repaired = repair("misspelt", rules, &Reading::default()).expect("a repair");
        assert_eq!(repaired.text, rules.replace("contrl", "control"), "{:?}", repaired.changes);
    }

    /// Rules for two players who take turns, which query the turn in three places.
    const TURNS: &str = "(role a)\n(role b)\n(init (control a))\n(init (step 0))\n(succ 0 1)\n(succ 1 2)\n\
        (succ 2 3)\n(other a b)\n(other b a)\n\
        (<= (legal ?p go) (true (control ?p)))\n\
        (<= (legal ?p noop) (other ?p ?q) (true (control ?q)))\n\
        (<= (next (control ?q)) (true (control ?p)) (other ?p ?q))\n\
        (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))\n\
        (<= terminal (true (step 3)))\n(goal a 50)\n(goal b 50)\n";

    #[test]
    fn a_name_is_corrected_wherever_it_is_misspelt() {
        let rules = TURNS.replace("(other ?p ?q)", "(othre ?p ?q)");
        let repaired = repair("misspelt", &rules, &Reading::default()).expect("a repair");
        assert_eq!(repaired.text, TURNS, "{:?}", repaired.changes);
    }

    /// A move `noop` would hide that `true` is missing.
    #[test]
    fn a_missing_true_is_inserted() {
        let rules = TURNS.replace("(true (control ?q))", "(control ?q)");
        let repaired = repair("no true", &rules, &Reading::default()).expect("a repair");
        assert_eq!(repaired.text, TURNS, "{:?}", repaired.changes);
        let rules = TURNS.replace("(true (control ?q))", "(control ?q)");
        let rules = rules.replace("(true (control ?p))", "(control ?p)");
        let repaired = repair("no true", &rules, &Reading::default()).expect("a repair");
        assert_eq!(repaired.text, TURNS, "{:?}", repaired.changes);
    }

    /// One mistake at a time in a small game.
    #[test]
    fn slips_are_corrected() {
        let rules = "(role x)\n(init (step 0))\n(after 0 1)\n(after 1 2)\n\
                     (<= (legal x go)\n    (true (step ?n)))\n\
                     (<= (next (step ?m))\n    (true (step ?n))\n    (after ?n ?m))\n\
                     (<= terminal\n    (true (step 2)))\n(goal x 100)\n";
        for (right, wrong) in [
            ("(true (step ?n))\n    (after", "(true (step ?n)))\n    (after"),
            ("(after 1 2)", "(aftre 1 2)"),
            ("(legal x go)\n", "(legal x go\n"),
        ] {
            let broken = rules.replace(right, wrong);
            let repaired = repair("slip", &broken, &Reading::default());
            assert_eq!(repaired.expect(wrong).text, rules, "{wrong}");
        }
    }

    /// Here no fluent marks the turn.
    #[test]
    fn roles_without_a_move_get_one() {
        let rules = "(role a)\n(role b)\n(init (step 0))\n(even 0)\n(even 2)\n\
                     (after 0 1)\n(after 1 2)\n(after 2 3)\n\
                     (<= (legal a go) (true (step ?n)) (even ?n))\n\
                     (<= (legal b go) (true (step ?n)) (not (even ?n)))\n\
                     (<= (next (step ?m)) (true (step ?n)) (after ?n ?m))\n\
                     (<= terminal (true (step 3)))\n(goal a 50)\n(goal b 50)\n";
        let repaired = repair("turns", rules, &Reading::default()).expect("a repair");
        assert!(repaired.text.starts_with(rules), "{}", repaired.text);
        assert!(repaired.text.contains("(legal ?role noop)"), "{}", repaired.text);
        assert_eq!(repair("turns", &repaired.text, &Reading::default()), None);
    }

    /// Without the rule that keeps the piles, a move `noop` would give matches that never end.
    #[test]
    fn a_missing_frame_rule_is_not_hidden_by_a_move() {
        let rules = "(role a)\n(role b)\n(init (control a))\n(init (pile x 1))\n(init (pile y 1))\n\
                     (other a b)\n(other b a)\n\
                     (<= (legal ?p (take ?n)) (true (control ?p)) (true (pile ?n 1)))\n\
                     (<= (legal ?p noop) (other ?p ?q) (true (control ?q)) (true (pile ?n ?m)))\n\
                     (<= (next (control ?q)) (true (control ?p)) (other ?p ?q))\n\
                     (<= (next (pile ?n 0)) (does ?p (take ?n)) (true (control ?p)) (true (pile y 0)))\n\
                     (<= terminal (true (pile x 0)) (true (pile y 0)))\n\
                     (<= (goal ?p 100) (role ?p) (not (true (control ?p))))\n\
                     (<= (goal ?p 0) (true (control ?p)))\n";
        assert_eq!(repair("piles", rules, &Reading::default()), None);
    }

    #[test]
    fn missing_question_marks_are_added() {
        let rules = TURNS.replace("(legal ?p go)", "(legal p go)");
        let repaired = repair("marks", &rules, &Reading::default()).expect("a repair");
        assert_eq!(repaired.text, TURNS, "{:?}", repaired.changes);
    }

    #[test]
    fn garbage_is_left_alone() {
        for text in ["", ")))(((", "hello there", "\u{0}\u{1}", "(((((((((((((((((("] {
            assert_eq!(repair("garbage", text, &Reading::default()), None, "{text:?}");
        }
    }
}
