//! A person's knowledge of a match: the events, the position, and the moves of their role.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use magister::known::{Effort, Follower};
use magister_core::{
    Game, Information, Move, Observation, Payment, Role, Seed, Step, Stop, Turn, View, Worker, draw,
};
use magister_engine::board::{Painter, Picture};

use super::moves::{Numbers, is_idle, letters, plain};
use super::words;
use crate::commands::{plural, wrapped};
use crate::draw::{Look, UNKNOWN, has_cards, in_common};
use crate::terminal::{fitted, hanging};

/// The maximum number of percepts that are listed with a position.
const PERCEPTS: usize = 12;
/// The number of random matches from which moves of chance are collected, and their length.
const WALKS: u64 = 8;
const STEPS: usize = 60;
/// The maximum number of moves that are listed with a position.
const LISTED: usize = 24;
/// The effort for determining what is known with hidden information.
const EFFORT: Effort = Effort { patience: Duration::from_secs(5), states: 3_000, particles: 400 };

/// The time limit for examining the earlier turns of a resumed match for the numbers of moves.
const CATCH_UP: Duration = Duration::from_secs(5);

/// A match from the point of view of one role. With perfect information a worker follows the turns;
/// with hidden information a belief does.
pub(super) struct Known {
    game: Arc<dyn Game>,
    worker: Box<dyn Worker>,
    role: Role,
    turns: Vec<Turn>,
    /// The events of each turn, for the history.
    happened: Vec<String>,
    totals: Vec<f64>,
    moves: Vec<(Move, String)>,
    numbers: Numbers,
    /// The state before the last turn.
    before: Option<Vec<u64>>,
    hidden: Hidden,
    /// Whether the symbols have been explained.
    explained: bool,
    /// Whether anything has been shown to the role.
    greeted: bool,
    /// The time spent on the earlier turns of a resumed match.
    caught_up: Duration,
}

/// The knowledge of a role with hidden information.
struct Hidden {
    follower: Follower,
    /// Whether a position was found that is consistent with all observations.
    found: bool,
    /// Whether several positions were possible at some time of the match.
    several: bool,
    /// The percepts, in order.
    percepts: Vec<String>,
    /// Moves of chance that occurred in random play.
    chance: BTreeSet<Move>,
    before: Option<Picture>,
}

impl Known {
    pub(super) fn new(game: &Arc<dyn Game>, role: Role) -> Self {
        let mut worker = game.worker();
        worker.reset();
        Known {
            game: Arc::clone(game),
            worker,
            role,
            turns: Vec::new(),
            happened: Vec::new(),
            totals: vec![0.0; game.info().roles.len()],
            moves: Vec::new(),
            numbers: Numbers::default(),
            before: None,
            hidden: Hidden {
                follower: Follower::new(game, role, EFFORT),
                found: false,
                several: false,
                percepts: Vec::new(),
                chance: moves_of_chance(game),
                before: None,
            },
            explained: false,
            greeted: false,
            caught_up: Duration::ZERO,
        }
    }

    /// The known legal moves of the role, with their texts.
    pub(super) fn moves(&self) -> &[(Move, String)] {
        &self.moves
    }

    pub(super) fn numbers(&self) -> &Numbers {
        &self.numbers
    }

    /// The events, turn by turn.
    pub(super) fn history(&self) -> String {
        let mut text = String::new();
        let turns = self.happened.iter().filter(|turn| !turn.is_empty());
        for (at, turn) in turns.enumerate() {
            let _ = writeln!(text, "{}", hanging(&format!("{:>3}  {turn}", at + 1), 5));
        }
        if text.is_empty() { "No moves have been made yet.\n".to_owned() } else { text }
    }

    /// Follows the match to the end of the view and returns what is new to the role. Its own moves
    /// are new only if they were redone.
    pub(super) fn follow(&mut self, view: &View, look: &Look, redone: bool) -> String {
        let info = view.game().info();
        let hidden = info.information == Information::Hidden;
        let known = self.turns.len();
        let same =
            known <= view.turns().len() && self.turns.iter().zip(view.turns()).all(|(a, b)| a == b);
        let known = if same { known } else { 0 };
        let mut news = String::new();
        if !same {
            let kept = self.turns.iter().zip(view.turns()).take_while(|(a, b)| a == b).count();
            let gone = self.happened.iter().skip(kept).filter(|turn| !turn.is_empty());
            let gone: Vec<&str> = gone.map(String::as_str).collect();
            if !gone.is_empty() {
                news = fitted(&format!("Taken back: {}.", gone.join("; ")));
            }
            self.worker.reset();
            self.totals.fill(0.0);
            self.happened.clear();
            self.before = None;
            self.hidden.before = None;
            self.hidden.percepts.clear();
        }
        for (at, turn) in view.turns().iter().enumerate().skip(known) {
            let (all, new) = if hidden {
                let maker = |turn: &Turn, text: &str| self.maker(view, turn, text);
                let texts =
                    (words::lived(view, turn, look, &maker), words::seen(view, turn, look, &maker));
                // The table of a card game shows the observations.
                if !has_cards(view.game()) {
                    let percepts = words::percepts(view, turn, &maker);
                    self.hidden.percepts.extend(percepts);
                }
                if same && !self.greeted {
                    self.number_before(view, at);
                }
                texts
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
            // Moves that were taken back are not new.
            let new = if redone { &all } else { &new };
            if (same || !self.greeted) && !new.is_empty() {
                news.push_str(&fitted(new));
            }
            self.happened.push(all);
        }
        self.turns = view.turns().to_vec();
        if hidden {
            self.look(view);
        }
        self.number(view);
        self.greeted = true;
        news
    }

    /// Numbers the moves that the role had before a turn, if it had a choice. A resumed match keeps
    /// its numbers.
    fn number_before(&mut self, view: &View, turn: usize) {
        let own = view.game().text().move_text(view.turns()[turn].own);
        if is_idle(&own) || self.caught_up > CATCH_UP {
            return;
        }
        let begun = Instant::now();
        let mut earlier = view.clone();
        earlier.truncate(turn);
        self.look(&earlier);
        self.number(&earlier);
        self.caught_up += begun.elapsed();
    }

    /// Lists the role's moves and gives them numbers.
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

    /// The moves of a turn, before they are made. A role that had no choice and did nothing is
    /// omitted. If only news is requested, the role's own move is omitted too, unless it was
    /// forced, because the player was not asked for it.
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

    /// Finds the positions that are consistent with the role's observations, and its moves in them.
    fn look(&mut self, view: &View) {
        let known = self.hidden.follower.follow(view);
        let belief = self.hidden.follower.belief();
        self.hidden.found = belief.is_some();
        self.hidden.several |= belief.is_some_and(|belief| {
            (1..belief.len()).any(|number| belief.state(number) != belief.state(0))
        });
        let moves = if known.agrees { known.moves } else { Vec::new() };
        let text = view.game().text();
        self.moves = moves.into_iter().map(|choice| (choice, text.move_text(choice))).collect();
    }

    /// Whether anything was hidden from the role at some time of the match.
    pub(super) fn was_hidden(&self) -> bool {
        self.hidden.several || !self.hidden.found
    }

    /// The player that made a move that a percept reports. It is known if the role made it, or if
    /// the role did nothing and there is only one other player.
    fn maker(&self, view: &View, turn: &Turn, text: &str) -> Option<String> {
        let info = view.game().info();
        let words = view.game().text();
        let made = words.parse_move(self.role, text)?;
        if made == turn.own {
            return Some(String::new());
        }
        let mut others = info.players().filter(|&role| role != self.role);
        let (other, more) = (others.next()?, others.next());
        let idle = is_idle(&words.move_text(turn.own));
        let certain = more.is_none() && idle && !self.hidden.chance.contains(&made);
        certain.then(|| words::name(info, other).to_owned())
    }

    /// All percepts of the role, for games that do not show them on a board.
    pub(super) fn seen_so_far(&self) -> String {
        let all = &self.hidden.percepts;
        if all.is_empty() {
            return String::new();
        }
        let earlier = all.len().saturating_sub(PERCEPTS);
        let mut text = format!("Seen so far: {}", all[earlier..].join(", "));
        if earlier > 0 {
            let _ = write!(text, " (`history` lists what was before)");
        }
        fitted(&text)
    }

    /// The state of the position if the role knows it for certain.
    pub(super) fn certain_state(&self) -> Option<Vec<u64>> {
        if self.game.info().information == Information::Perfect {
            return Some(self.state());
        }
        let belief = self.hidden.follower.belief().filter(|belief| belief.is_exact())?;
        let all = belief.state(0);
        (1..belief.len()).all(|number| belief.state(number) == all).then(|| all.to_vec())
    }

    /// A state that is consistent with what the role knows, if one was found.
    pub(super) fn possible_state(&self) -> Option<Vec<u64>> {
        if self.game.info().information == Information::Perfect {
            return Some(self.state());
        }
        let belief = self.hidden.follower.belief().filter(|belief| !belief.is_empty())?;
        Some(belief.state(0).to_vec())
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

    /// The common properties of the positions that are consistent with the role's observations.
    fn common(&mut self, view: &View, painter: &Painter, look: &Look, legend: bool) -> String {
        let Some(belief) = self.hidden.follower.belief() else {
            return "What you know about the position could not be worked out in time.\n"
                .to_owned()
                + &self.seen_so_far();
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
            text.push_str(
                "? marks a cell whose contents you do not know, a dot one that is empty\n",
            );
        }
        if legend || picture.panels.is_empty() {
            text.push_str(&self.seen_so_far());
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

    /// The role's moves, numbered; all of them, or those that contain a text.
    pub(super) fn list(&self, look: &Look, all: bool, filter: &str) -> String {
        if self.moves.is_empty() {
            return "Your legal moves could not be worked out; type a move.\n".to_owned();
        }
        let wanted = letters(filter).to_lowercase();
        // `e2` matches `move e 2 e 4`.
        let joined = wanted.replace(' ', "");
        let mut numbered: Vec<(usize, String)> = self
            .moves
            .iter()
            .map(|(choice, text)| (self.numbers.of(*choice), plain(text)))
            .filter(|(_, text)| {
                let text = text.to_lowercase();
                text.contains(&wanted) || text.replace(' ', "").contains(&joined)
            })
            .collect();
        numbered.sort_unstable();
        if numbered.is_empty() {
            return format!("No legal move contains {filter}.\n");
        }
        let listed = if all { usize::MAX } else { LISTED };
        let more = numbered.len().saturating_sub(listed);
        let item = |(number, text): &(usize, String)| {
            // A number that equals the move is not written twice.
            let own = text.rsplit_once(' ').is_some_and(|(_, last)| last == number.to_string());
            if own && text.split(' ').count() == 2 {
                text.clone()
            } else {
                format!("{number} {}", look.choice(&self.game, text))
            }
        };
        let mut items: Vec<String> = numbered.iter().take(listed).map(item).collect();
        if more > 0 {
            items.push(format!("and {more} more (`moves` lists all)"));
        }
        wrapped("Your moves: ", items.into_iter(), "   ")
    }
}

/// The moves of chance in a few random matches of a game with hidden information.
fn moves_of_chance(game: &Arc<dyn Game>) -> BTreeSet<Move> {
    let info = game.info();
    let mut found = BTreeSet::new();
    let (Some(chance), Information::Hidden) = (info.chance, info.information) else {
        return found;
    };
    let mut worker = game.worker();
    let mut step = Step::new();
    for walk in 0..WALKS {
        worker.reset();
        let mut rng = Seed::from(walk).derive("moves of chance").rng();
        for _ in 0..STEPS {
            if worker.terminal() {
                break;
            }
            found.extend(worker.legal(chance).iter().copied());
            let joint: Option<Vec<Move>> =
                info.all_roles().map(|role| draw(worker.legal(role), &[], &mut rng)).collect();
            let Some(joint) = joint else { break };
            if worker.step(&joint, &mut step, &Stop::never()).is_err() {
                break;
            }
        }
    }
    found
}
