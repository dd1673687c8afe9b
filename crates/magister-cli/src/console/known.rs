//! What a person knows of a match: what happened, the position, the own moves.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use magister::known::{Effort, Follower};
use magister_core::{
    Game, Information, Move, Observation, Payment, Role, Step, Stop, Turn, View, Worker,
};
use magister_engine::board::{Painter, Picture};

use super::moves::{Numbers, is_idle, plain};
use super::words;
use crate::commands::{plural, wrapped};
use crate::draw::{Look, UNKNOWN, in_common};

/// How many moves are listed with a position.
const LISTED: usize = 24;
/// How much is done to find out what is known where information is hidden.
const EFFORT: Effort = Effort { patience: Duration::from_secs(5), states: 3_000, particles: 400 };

/// A match as one role sees it. With perfect information a worker follows the turns; with hidden
/// information a belief does.
pub(super) struct Known {
    worker: Box<dyn Worker>,
    role: Role,
    turns: Vec<Turn>,
    /// What happened in each turn, for the history.
    happened: Vec<String>,
    totals: Vec<f64>,
    moves: Vec<(Move, String)>,
    numbers: Numbers,
    /// The state before the last turn.
    before: Option<Vec<u64>>,
    hidden: Hidden,
    /// Whether the symbols were explained.
    explained: bool,
    /// Whether something was shown to the role.
    greeted: bool,
}

/// What a role knows where information is hidden.
struct Hidden {
    follower: Follower,
    before: Option<Picture>,
}

impl Known {
    pub(super) fn new(game: &Arc<dyn Game>, role: Role) -> Self {
        let mut worker = game.worker();
        worker.reset();
        Known {
            worker,
            role,
            turns: Vec::new(),
            happened: Vec::new(),
            totals: vec![0.0; game.info().roles.len()],
            moves: Vec::new(),
            numbers: Numbers::default(),
            before: None,
            hidden: Hidden { follower: Follower::new(game, role, EFFORT), before: None },
            explained: false,
            greeted: false,
        }
    }

    /// The moves that the role has, as far as is known, with their texts.
    pub(super) fn moves(&self) -> &[(Move, String)] {
        &self.moves
    }

    pub(super) fn numbers(&self) -> &Numbers {
        &self.numbers
    }

    /// What happened, turn by turn.
    pub(super) fn history(&self) -> String {
        let mut text = String::new();
        let turns = self.happened.iter().filter(|turn| !turn.is_empty());
        for (at, turn) in turns.enumerate() {
            let _ = writeln!(text, "{:>3}  {turn}", at + 1);
        }
        if text.is_empty() { "No move was made yet.\n".to_owned() } else { text }
    }

    /// Follows the match to where the view is and returns what is new to the role.
    pub(super) fn follow(&mut self, view: &View, look: &Look) -> String {
        let info = view.game().info();
        let hidden = info.information == Information::Hidden;
        let known = self.turns.len();
        let same =
            known <= view.turns().len() && self.turns.iter().zip(view.turns()).all(|(a, b)| a == b);
        let known = if same { known } else { 0 };
        if !same {
            self.worker.reset();
            self.totals.fill(0.0);
            self.happened.clear();
            self.before = None;
            self.hidden.before = None;
        }
        let mut news = String::new();
        for turn in view.turns().iter().skip(known) {
            let (all, new) = if hidden {
                (words::lived(view, turn, look), words::seen(view, turn, look))
            } else {
                self.number(view);
                let all = self.made(view, turn, false);
                let new = self.made(view, turn, true);
                let mut state = Vec::new();
                self.worker.save(&mut state);
                self.before = Some(state);
                self.advance(turn);
                (all, new)
            };
            self.happened.push(all);
            // What was taken back is no news.
            if (same || !self.greeted) && !new.is_empty() {
                let _ = writeln!(news, "{new}");
            }
        }
        self.turns = view.turns().to_vec();
        if hidden {
            self.look(view);
        }
        self.number(view);
        self.greeted = true;
        news
    }

    /// Lists the own moves and gives them numbers.
    fn number(&mut self, view: &View) {
        if view.game().info().information == Information::Perfect {
            let text = view.game().text();
            let legal = self.worker.legal(self.role).iter();
            self.moves = legal.map(|&choice| (choice, text.move_text(choice))).collect();
        }
        if self.moves.len() > 1 {
            self.numbers.assign(&self.moves);
        }
    }

    /// The moves of a turn, before they are made. A role that had no choice and did nothing is left
    /// out. Where only news is asked for, so is the own move, unless it was forced: no player was
    /// asked for it.
    fn made(&self, view: &View, turn: &Turn, news: bool) -> String {
        let Observation::Joint(joint) = &turn.seen else { return String::new() };
        let (info, text) = (view.game().info(), view.game().text());
        let mut made = Vec::new();
        for role in info.all_roles() {
            let forced = self.worker.legal(role).len() <= 1;
            let what = text.move_text(joint[role.index()]);
            let own = role == self.role;
            if forced && is_idle(&what) || news && own && !forced {
                continue;
            }
            let why = if forced && own { " (your only move)" } else { "" };
            made.push(format!("{}: {}{why}", words::name(info, role), plain(&what)));
        }
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

    /// Finds the positions that agree with what the role saw, and its moves in them.
    fn look(&mut self, view: &View) {
        let known = self.hidden.follower.follow(view);
        let moves = if known.agrees { known.moves } else { Vec::new() };
        let text = view.game().text();
        self.moves = moves.into_iter().map(|choice| (choice, text.move_text(choice))).collect();
    }

    /// The state of the position, with perfect information.
    pub(super) fn state(&self) -> Vec<u64> {
        let mut state = Vec::new();
        self.worker.save(&mut state);
        state
    }

    /// The position as the role knows it.
    pub(super) fn position(
        &mut self,
        view: &View,
        painter: &Painter,
        look: &Look,
        legend: bool,
    ) -> String {
        let info = view.game().info();
        let legend = legend || !self.explained;
        self.explained = true;
        if info.information == Information::Hidden {
            return self.common(view, painter, look, legend);
        }
        let game = &**view.game();
        let picture = painter.picture(game, &self.state());
        let before = self.before.as_ref().map(|state| painter.picture(game, state));
        let mut text = look.text(&picture, before.as_ref(), legend);
        if info.payment == Payment::OnTheWay {
            let gained: Vec<String> = info
                .players()
                .map(|role| format!("{} {}", info.role_name(role), self.totals[role.index()]))
                .collect();
            let _ = writeln!(text, "Points so far: {}", gained.join(", "));
        }
        text
    }

    /// What all positions have in common that agree with what the role saw.
    fn common(&mut self, view: &View, painter: &Painter, look: &Look, legend: bool) -> String {
        let Some(belief) = self.hidden.follower.belief() else {
            return "What you know about the position could not be worked out in time.\n"
                .to_owned();
        };
        let game = &**view.game();
        if let Some(table) = look.cards(game, belief.state(0), Some(self.role)) {
            return table;
        }
        let states = (0..belief.len()).map(|number| belief.state(number));
        let Some(picture) = in_common(&mut states.map(|state| painter.picture(game, state))) else {
            return String::new();
        };
        let mut text = look.text(&picture, self.hidden.before.as_ref(), legend);
        let mut spots = picture.panels.iter().flat_map(|panel| &panel.spots);
        if legend && spots.any(|spot| spot.symbol == UNKNOWN) {
            text.push_str("? marks a cell whose contents you do not know\n");
        }
        if !belief.is_exact() {
            let _ = writeln!(
                text,
                "(There are too many possible positions to enumerate; this is what {} have in common.)",
                plural(belief.len(), "sample")
            );
        }
        self.hidden.before = Some(picture);
        text
    }

    /// The own moves, numbered; all of them, or those that contain a text.
    pub(super) fn list(&self, all: bool, filter: &str) -> String {
        if self.moves.is_empty() {
            return "Your legal moves could not be worked out; type a move.\n".to_owned();
        }
        let wanted = filter.to_lowercase();
        let mut numbered: Vec<(usize, String)> = self
            .moves
            .iter()
            .map(|(choice, text)| (self.numbers.of(*choice), plain(text)))
            .filter(|(_, text)| text.to_lowercase().contains(&wanted))
            .collect();
        numbered.sort_unstable();
        if numbered.is_empty() {
            return format!("No legal move contains {filter}.\n");
        }
        let listed = if all { usize::MAX } else { LISTED };
        let more = numbered.len().saturating_sub(listed);
        let item = |(number, text): &(usize, String)| {
            // A number that is the move itself is not written twice.
            let own = text.rsplit_once(' ').is_some_and(|(_, last)| last == number.to_string());
            if own && text.split(' ').count() == 2 {
                text.clone()
            } else {
                format!("{number} {text}")
            }
        };
        let mut items: Vec<String> = numbered.iter().take(listed).map(item).collect();
        if more > 0 {
            items.push(format!("and {more} more (`moves` lists all)"));
        }
        wrapped("Your moves: ", items.into_iter(), "   ")
    }
}
