//! What a person knows of a match: what happened, the position, the own moves.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use magister_core::{
    Budget, Game, Information, Move, Observation, Payment, Rng, Role, Seed, Step, Stop, Turn, View,
    Worker,
};
use magister_engine::board::Painter;
use magister_engine::within;
use magister_players::Possible;

use super::words;
use crate::commands::{WIDTH, wrapped};

/// How many moves are listed with a position.
const LISTED: usize = 60;
/// How long to look for the own moves where information is hidden.
const PATIENCE: Duration = Duration::from_secs(5);

/// A match as far as it was shown to one role. The worker follows the turns where nothing is
/// hidden; where something is, nobody here knows the position.
pub(super) struct Known {
    worker: Box<dyn Worker>,
    role: Option<Role>,
    turns: Vec<Turn>,
    totals: Vec<f64>,
    moves: Vec<Move>,
    possible: Possible,
    rng: Rng,
    /// Whether the symbols were explained.
    explained: bool,
}

impl Known {
    pub(super) fn new(game: &Arc<dyn Game>) -> Self {
        let mut worker = game.worker();
        worker.reset();
        Known {
            worker,
            role: None,
            turns: Vec::new(),
            totals: vec![0.0; game.info().roles.len()],
            moves: Vec::new(),
            possible: Possible::default(),
            rng: Seed::from(0).derive("possible").rng(),
            explained: false,
        }
    }

    /// The moves that the role has, as far as is known.
    pub(super) fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// Goes where a view is; says what is new.
    pub(super) fn follow(&mut self, view: &View) -> String {
        let hidden = view.game().info().information == Information::Hidden;
        // Where nothing is hidden, what one person at the terminal has seen the next one has too.
        let told = self.role == Some(view.role()) || !hidden;
        let known = self.turns.len();
        let same = told
            && known <= view.turns().len()
            && self.turns.iter().zip(view.turns()).all(|(a, b)| a.seen == b.seen);
        let known = if same { known } else { 0 };
        if !same {
            self.worker.reset();
            self.totals.fill(0.0);
            self.role = Some(view.role());
        }
        let mut news = String::new();
        for (at, turn) in view.turns().iter().enumerate().skip(known) {
            let told = if hidden {
                words::seen(view, at)
            } else {
                let told = self.made(view, turn);
                self.advance(turn);
                told
            };
            // What was taken back, or happened before another person looked, is no news.
            if same && !told.is_empty() {
                let _ = writeln!(news, "{told}");
            }
        }
        self.turns = view.turns().to_vec();
        self.moves = if hidden { self.look(view) } else { self.worker.legal(view.role()).to_vec() };
        news
    }

    /// The moves of those who had a choice, before they are made.
    fn made(&self, view: &View, turn: &Turn) -> String {
        let Observation::Joint(joint) = &turn.seen else { return String::new() };
        let (info, text) = (view.game().info(), view.game().text());
        let chose = |role: &Role| self.worker.legal(*role).len() > 1;
        let made: Vec<String> = info
            .all_roles()
            .filter(chose)
            .map(|role| {
                let what = text.move_text(joint[role.index()]);
                format!("{} plays {what}", info.role_name(role))
            })
            .collect();
        made.join(", ")
    }

    fn advance(&mut self, turn: &Turn) {
        let Observation::Joint(joint) = &turn.seen else { return };
        let mut step = Step::new();
        // The referee made the same step.
        if self.worker.step(joint, &mut step, &Stop::never()).is_ok() {
            self.totals.iter_mut().zip(&step.gains).for_each(|(total, gain)| *total += gain);
        }
    }

    /// The own moves in a position that agrees with what was seen; in a sensible game they are the
    /// same in all such positions. None if the match is over or none is found in time.
    fn look(&mut self, view: &View) -> Vec<Move> {
        let Known { possible, rng, .. } = self;
        let found = within(PATIENCE, &Stop::never(), |stop| {
            possible.moves(view, &Budget::until(stop.clone()), rng)
        });
        found.ok().filter(|(_, known)| *known).unwrap_or_default().0
    }

    /// The position as the role knows it.
    pub(super) fn position(&mut self, view: &View, painter: &Painter, legend: bool) -> String {
        let info = view.game().info();
        if info.information == Information::Hidden {
            let legend = if legend { words::history(view) } else { String::new() };
            return legend;
        }
        let mut state = Vec::new();
        self.worker.save(&mut state);
        let picture = painter.picture(&**view.game(), &state);
        let mut text = picture.text(WIDTH, legend || !self.explained);
        self.explained = true;
        if info.payment == Payment::OnTheWay {
            let gained: Vec<String> = info
                .players()
                .map(|role| format!("{} {}", info.role_name(role), self.totals[role.index()]))
                .collect();
            let _ = writeln!(text, "gained so far: {}", gained.join(", "));
        }
        text
    }

    /// The own moves, numbered.
    pub(super) fn list(&self, view: &View, all: bool) -> String {
        if self.moves.is_empty() {
            return "your moves are not known; type one\n".to_owned();
        }
        let text = view.game().text();
        let listed = if all { usize::MAX } else { LISTED };
        let numbered =
            |(at, &choice): (usize, &Move)| format!("{} {}", at + 1, text.move_text(choice));
        let mut items: Vec<String> =
            self.moves.iter().enumerate().take(listed).map(numbered).collect();
        if self.moves.len() > listed {
            items.push(format!("and {} more, which `moves` lists", self.moves.len() - listed));
        }
        wrapped("your moves: ", items.into_iter(), "   ")
    }
}
