//! The answers of a player, and their differences.

use magister_core::{Decision, Move, Text, Thought};

/// The number of steps of a line to print.
const STEPS: usize = 8;

/// An answer.
#[derive(Clone, Debug)]
pub(super) struct Said {
    /// The whole answer: the move, the thoughts, the line, the iterations; or why there is none.
    pub(super) answer: Result<Decision, String>,
    /// Whether the move is legal.
    pub(super) legal: bool,
}

/// The first question with different answers.
pub(super) fn differ(one: &[Said], other: &[Said]) -> Option<usize> {
    if one.len() != other.len() {
        return Some(one.len().min(other.len()));
    }
    one.iter().zip(other).position(|(one, other)| !one.same(other))
}

impl Said {
    /// The move, if there is one.
    pub(super) fn choice(&self) -> Option<Move> {
        self.answer.as_ref().ok().map(|decision| decision.choice)
    }

    /// Whether two answers are equal to the last digit. Their texts are compared, so that NaN
    /// equals itself.
    fn same(&self, other: &Said) -> bool {
        self.legal == other.legal && format!("{:?}", self.answer) == format!("{:?}", other.answer)
    }

    /// The difference from another answer, as the end of a sentence about the player.
    pub(super) fn instead_of(&self, other: &Said, text: &dyn Text) -> String {
        let (here, there) = match (&self.answer, &other.answer) {
            (Ok(here), Ok(there)) => (here, there),
            (Ok(here), Err(why)) => {
                let name = text.move_text(here.choice);
                return format!("played {name}, where it gave no answer before ({why})");
            }
            (Err(why), Ok(there)) => {
                let name = text.move_text(there.choice);
                return format!("gave no answer ({why}) instead of {name}");
            }
            (Err(here), Err(there)) => {
                return format!("gave no answer for another reason: {here} instead of {there}");
            }
        };
        let name = text.move_text(here.choice);
        let mut parts = Vec::new();
        if here.choice != there.choice {
            parts.push(format!("chose {name} instead of {}", text.move_text(there.choice)));
        } else if self.legal != other.legal {
            let legal = if self.legal { "is legal there" } else { "is not legal there" };
            parts.push(format!("played {name}, which {legal}"));
        }
        parts.extend(opinions(here, there, text));
        // One difference is enough.
        if parts.is_empty() && here.line != there.line {
            let line = |decision: &Decision| line_text(decision, text);
            parts.push(format!("expected the line {} instead of {}", line(here), line(there)));
        }
        if parts.is_empty() && here.iterations != there.iterations {
            let (here, there) = (here.iterations, there.iterations);
            parts.push(format!("made {here} iterations instead of {there}"));
        }
        if parts.is_empty() {
            parts.push("gave a different answer".to_owned());
        }
        parts.join(", and ")
    }
}

/// The different thought on a move: on the played one if it differs, otherwise on the first that
/// does.
fn opinions(here: &Decision, there: &Decision, text: &dyn Text) -> Option<String> {
    let of = |decision: &Decision, choice: Move| {
        decision.thoughts.iter().find(|thought| thought.choice == choice).map(opinion)
    };
    let choices = here.thoughts.iter().chain(&there.thoughts).map(|thought| thought.choice);
    let mut choices = std::iter::once(here.choice).chain(choices);
    choices.find_map(|choice| {
        let (new, old) = (of(here, choice), of(there, choice));
        if new == old {
            return None;
        }
        let shown = |said: Option<String>| said.unwrap_or_else(|| "nothing".to_owned());
        let name = text.move_text(choice);
        Some(format!("reported for {name}: {} instead of {}", shown(new), shown(old)))
    })
}

/// A thought as text.
fn opinion(thought: &Thought) -> String {
    let mut words = Vec::new();
    words.extend(thought.value.map(|value| format!("value {value:.3}")));
    words.extend(thought.probability.map(|likely| format!("probability {likely}")));
    let visits = if thought.visits == 1 { "visit" } else { "visits" };
    words.push(format!("{} {visits}", thought.visits));
    words.extend(thought.proven.then(|| "proven".to_owned()));
    words.join(", ")
}

fn line_text(decision: &Decision, text: &dyn Text) -> String {
    let joint = |joint: &[Move]| {
        let moves = joint.iter().filter(|&&choice| choice != Move::IDLE);
        moves.map(|&choice| text.move_text(choice)).collect::<Vec<_>>().join(" ")
    };
    decision.line.iter().take(STEPS).map(|moves| joint(moves)).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use magister_core::{Percept, Role};

    use super::*;

    /// Moves as letters.
    struct Letters;

    impl Text for Letters {
        fn move_text(&self, choice: Move) -> String {
            char::from(b'a' + choice.0 as u8).to_string()
        }

        fn parse_move(&self, _: Role, _: &str) -> Option<Move> {
            None
        }

        fn percept_text(&self, _: Percept) -> String {
            String::new()
        }

        fn parse_percept(&self, _: &str) -> Option<Percept> {
            None
        }

        fn state_text(&self, _: &[u64]) -> String {
            String::new()
        }

        fn parse_state(&self, _: &str) -> Option<Vec<u64>> {
            None
        }
    }

    fn said(choice: u32, value: f64) -> Said {
        let thought = Thought {
            choice: Move(0),
            value: Some(value),
            visits: 3,
            proven: false,
            probability: None,
        };
        let decision = Decision {
            choice: Move(choice),
            thoughts: vec![thought],
            line: Vec::new(),
            iterations: 3,
        };
        Said { answer: Ok(decision), legal: true }
    }

    #[test]
    fn differences_are_described() {
        let one = said(0, 50.0);
        assert_eq!(differ(std::slice::from_ref(&one), &[said(0, 50.0)]), None);
        assert_eq!(differ(&[said(0, f64::NAN)], &[said(0, f64::NAN)]), None);
        assert_eq!(differ(std::slice::from_ref(&one), &[said(1, 50.0)]), Some(0));
        assert_eq!(said(1, 50.0).instead_of(&one, &Letters), "chose b instead of a");
        assert_eq!(
            said(1, 75.0).instead_of(&one, &Letters),
            "chose b instead of a, and reported for a: value 75.000, 3 visits instead of value 50.000, 3 visits"
        );
        let none = Said { answer: Err("stopped".to_owned()), legal: false };
        assert_eq!(none.instead_of(&one, &Letters), "gave no answer (stopped) instead of a");
    }
}
