//! One random match as text, for reading and for comparison.

use std::fmt::Write as _;

use magister_core::text::IDLE_TEXT;
use magister_core::{Game, Information, Move, Payment, Role, Seed, Step, Stop, Worker, draw};
use magister_engine::board::Painter;

use magister_recycle::CardGame;

use crate::catalogue::Entry;

/// The width of lines.
const WIDTH: usize = 100;
/// The number of steps after which a match is broken off.
const LONG: usize = 2_000;
/// Moves without effect.
const NOTHING: [&str; 3] = ["noop", "wait", IDLE_TEXT];
/// The maximum number of moves to print, and the number of them at the end.
const TOLD: usize = 60;

/// A random match of a game: the position at the start, in the middle and at the end, the moves
/// and the goals.
pub fn playthrough(entry: &Entry, game: &dyn Game, painter: &Painter) -> String {
    let gains = vec![0.0; game.info().all_roles().count()];
    let (moves, states) = (Vec::new(), Vec::new());
    let mut one = Match { game, worker: game.worker(), moves, states, gains };
    let ended = one.play();
    let mut text = format!("{}: a random match\n\n", entry.card.title);
    let steps = one.moves.len();
    let middle = steps / 2;
    // A card game begins with the deal.
    let cards = game.as_any().and_then(|game| game.downcast_ref::<CardGame>());
    let picture = |state: &[u64], legend: bool| {
        let table = cards.and_then(|cards| cards.table_text(state, None, true));
        table.unwrap_or_else(|| painter.picture(game, state).text(WIDTH, legend))
    };
    let dealt = one.moves.iter().position(|words| !words.is_empty()).unwrap_or(0);
    text.push_str(&picture(&one.states[dealt], true));
    one.tell(0, middle, &mut text);
    if middle > 0 {
        let _ = writeln!(text, "\nafter {middle} of {steps} steps");
        text.push_str(&picture(&one.states[middle], false));
    }
    one.tell(middle, steps, &mut text);
    let how = if ended { "the end" } else { "broken off" };
    let plural = if steps == 1 { "" } else { "s" };
    let _ = writeln!(text, "\nafter {steps} step{plural}: {how}");
    text.push_str(&picture(&one.states[steps], false));
    let mut goals = Vec::new();
    let mut results = Vec::new();
    for role in game.info().players() {
        one.worker.goals(role, &mut goals);
        let values: Vec<String> = goals.iter().map(f64::to_string).collect();
        if !values.is_empty() {
            results.push(format!("{} {}", game.info().role_name(role), values.join(" and ")));
        }
    }
    if !results.is_empty() {
        let _ = writeln!(text, "goals: {}", results.join(", "));
    }
    if game.info().payment == Payment::OnTheWay {
        let gained =
            |role: Role| format!("{} {}", game.info().role_name(role), one.gains[role.index()]);
        let gained: Vec<String> = game.info().players().map(gained).collect();
        let _ = writeln!(text, "gained: {}", gained.join(", "));
    }
    text
}

struct Match<'a> {
    game: &'a dyn Game,
    worker: Box<dyn Worker>,
    /// The text of each step.
    moves: Vec<String>,
    states: Vec<Vec<u64>>,
    /// The gains of each role so far.
    gains: Vec<f64>,
}

impl Match<'_> {
    /// Plays the match; returns whether it ended.
    fn play(&mut self) -> bool {
        let info = self.game.info().clone();
        let cards = self.game.as_any().is_some_and(<dyn std::any::Any>::is::<CardGame>);
        let mut rng = Seed::from(1).rng();
        let (mut step, mut state) = (Step::new(), Vec::new());
        self.worker.reset();
        loop {
            self.worker.save(&mut state);
            self.states.push(state.clone());
            if self.worker.terminal() || self.moves.len() >= LONG {
                return self.worker.terminal();
            }
            let mut joint = Vec::new();
            let (mut words, mut forced) = (Vec::new(), Vec::new());
            for role in info.all_roles() {
                let (legal, weights) = self.sorted(role);
                let weights = if info.chance == Some(role) { &weights[..] } else { &[] };
                let Some(choice) = draw(&legal, weights, &mut rng) else { return false };
                let text = self.game.text().move_text(choice);
                if legal.len() > 1 {
                    words.push(format!("{} {text}", info.role_name(role)));
                } else if !NOTHING.contains(&text.as_str()) {
                    forced.push(format!("{} {text}", info.role_name(role)));
                }
                joint.push(choice);
            }
            // If no role has a choice, the forced moves are printed.
            if words.is_empty() {
                words = forced;
            }
            if self.worker.step(&joint, &mut step, &Stop::never()).is_err() {
                return false;
            }
            for (sum, gain) in self.gains.iter_mut().zip(&step.gains) {
                *sum += gain;
            }
            if cards {
                // The table shows what chance and the moves did.
                let by_chance = |words: &String| {
                    info.chance.is_some_and(|chance| words.starts_with(info.role_name(chance)))
                };
                words.retain(|words| !by_chance(words));
                self.moves.push(words.join(", "));
                continue;
            }
            if info.information == Information::Hidden {
                for role in info.players() {
                    let seen = step.percepts.of(role).iter();
                    let mut seen: Vec<String> =
                        seen.map(|&percept| self.game.text().percept_text(percept)).collect();
                    seen.sort();
                    if !seen.is_empty() {
                        words.push(format!("{} sees {}", info.role_name(role), seen.join(" ")));
                    }
                }
            }
            let words =
                if words.is_empty() { "nothing to do".to_owned() } else { words.join(", ") };
            self.moves.push(words);
        }
    }

    /// Legal moves and their weights sorted by text, independent of the evaluator.
    fn sorted(&self, role: Role) -> (Vec<Move>, Vec<u32>) {
        let weights = self.worker.weights();
        let legal = self.worker.legal(role).iter().enumerate();
        let mut all: Vec<(String, Move, Option<u32>)> = legal
            .map(|(place, &choice)| {
                (self.game.text().move_text(choice), choice, weights.get(place).copied())
            })
            .collect();
        all.sort();
        let weights = all.iter().filter_map(|&(.., weight)| weight).collect();
        (all.into_iter().map(|(_, choice, _)| choice).collect(), weights)
    }

    /// Prints the steps of a part of the match; of a long one, only its beginning and its end.
    fn tell(&self, from: usize, to: usize, text: &mut String) {
        let steps = to - from;
        let cut = |number: usize| steps > TOLD && (TOLD / 2..steps - TOLD / 2).contains(&number);
        let mut line = String::new();
        text.push('\n');
        for number in 0..steps {
            if self.moves[from + number].is_empty() {
                continue;
            }
            if cut(number) {
                if number == TOLD / 2 {
                    line.push_str(" ...");
                }
                continue;
            }
            let words = format!("{}. {}", from + number + 1, self.moves[from + number]);
            if line.chars().count() + 2 + words.chars().count() > WIDTH && !line.is_empty() {
                let _ = writeln!(text, "{line}");
                line.clear();
            }
            if !line.is_empty() {
                line.push_str("  ");
            }
            line.push_str(&words);
        }
        if !line.is_empty() {
            let _ = writeln!(text, "{line}");
        }
    }
}
