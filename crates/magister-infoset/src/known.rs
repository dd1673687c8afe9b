//! The facts that are certain in an information set, and those that are likely.

use std::collections::BTreeMap;

use magister_core::{Game, Halt, Move, Role, Stop};

/// Facts and moves with their probabilities.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Known {
    /// The facts of the states, as text of the game, with their probabilities.
    pub facts: BTreeMap<String, f64>,
    /// The moves of the role, with the probability that each is legal.
    pub moves: BTreeMap<Move, f64>,
    /// The probability that the game is over.
    pub over: f64,
    /// The sum of all probabilities.
    total: f64,
}

/// Probabilities of at least this value count as certain, to allow for rounding.
const CERTAIN: f64 = 1.0 - 1e-9;

impl Known {
    /// Collects the facts of states with their probabilities.
    pub fn of<'a>(
        game: &dyn Game,
        role: Role,
        states: impl Iterator<Item = (&'a [u64], f64)>,
        stop: &Stop,
    ) -> Result<Self, Halt> {
        let mut known = Known::default();
        let mut worker = game.worker();
        for (state, share) in states {
            stop.check()?;
            known.total += share;
            for fact in facts(&game.text().state_text(state)) {
                match known.facts.get_mut(fact) {
                    Some(likely) => *likely += share,
                    None => {
                        known.facts.insert(fact.to_owned(), share);
                    }
                }
            }
            worker.load(state, stop)?;
            if worker.terminal() {
                known.over += share;
            }
            for &choice in worker.legal(role) {
                *known.moves.entry(choice).or_default() += share;
            }
        }
        Ok(known)
    }

    /// The facts that hold in all states.
    pub fn certain(&self) -> impl Iterator<Item = &str> {
        let all = self.total;
        let certain = self.facts.iter().filter(move |(_, share)| **share >= CERTAIN * all);
        certain.map(|(fact, _)| fact.as_str())
    }

    /// The facts that hold in only some states, most likely first.
    pub fn likely(&self) -> Vec<(&str, f64)> {
        let open = self.facts.iter().filter(|(_, share)| **share < CERTAIN * self.total);
        let mut likely: Vec<(&str, f64)> =
            open.map(|(fact, share)| (fact.as_str(), share / self.total)).collect();
        likely.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(b.0)));
        likely
    }

    /// The moves that are legal in all states in which the game is not over.
    pub fn legal(&self) -> Vec<Move> {
        let open = self.total - self.over;
        let sure = self.moves.iter().filter(|(_, share)| **share >= CERTAIN * open);
        sure.map(|(&choice, _)| choice).collect()
    }
}

/// The facts of a state written as a list; any other text is one fact.
pub(crate) fn facts(text: &str) -> Vec<&str> {
    let text = text.trim();
    let Some(inner) = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) else {
        return vec![text];
    };
    let mut facts = Vec::new();
    let (mut depth, mut start) = (0_i32, None);
    for (at, letter) in inner.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        let blank = letter.is_whitespace() && depth == 0;
        match (start, blank) {
            (Some(from), true) => {
                facts.push(&inner[from..at]);
                start = None;
            }
            (None, false) => start = Some(at),
            _ => {}
        }
    }
    facts.extend(start.map(|from| &inner[from..]));
    facts
}

#[cfg(test)]
mod tests {
    use super::facts;

    #[test]
    fn facts_in_either_syntax() {
        assert_eq!(facts("((cell 1 1 x) done)"), ["(cell 1 1 x)", "done"]);
        assert_eq!(facts("(cell(1,1,x) step(2))"), ["cell(1,1,x)", "step(2)"]);
        assert_eq!(facts("(f(g(1), 2) a)"), ["f(g(1), 2)", "a"]);
        assert_eq!(facts("()"), [""; 0]);
        assert_eq!(facts("12 of 13"), ["12 of 13"]);
    }
}
