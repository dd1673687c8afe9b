//! Games with hidden information, for learners: each player learns values of its moves from its
//! information state alone.

use std::sync::Arc;

use magister_core::view::observe;
use magister_core::{Game, Halt, Move, Rng, Role, Step, Stop, Turn, View, ViewObserver, Worker};

use super::actions::slot;
use super::any::{Scale, random_joint};
use crate::cells::CellPlan;
use crate::environment::{CellLayout, Cells, Choice, Environment};

/// The maximum number of steps without a choice of any player.
const FORCED: usize = 100_000;

/// Any game, from the views of its players. Players that decide simultaneously choose one after the
/// other without seeing each other's choice.
pub struct Views {
    game: Arc<dyn Game>,
    reader: ViewReader,
    players: Vec<Role>,
    opposed: bool,
    scale: Scale,
    moves: usize,
    worker: Box<dyn Worker>,
    step: Step,
    joint: Vec<Move>,
    goals: Vec<f64>,
}

/// Reads views of a game as cells.
pub struct ViewReader {
    observer: ViewObserver,
    plan: CellPlan,
    row: Vec<f32>,
}

impl ViewReader {
    /// A reader for a plan; `None` if the plan is for another game.
    pub fn new(game: &Arc<dyn Game>, plan: CellPlan) -> Option<Self> {
        let observer = ViewObserver::new(game);
        let numbers = observer.tensors().len();
        plan.sound(numbers).then(|| ViewReader { observer, plan, row: vec![0.0; numbers] })
    }

    /// Writes the cells of a view.
    pub fn write(&mut self, view: &View, out: &mut Vec<u8>) -> Result<(), Halt> {
        self.observer.write(view, &Stop::never(), &mut self.row)?;
        self.plan.cells(&self.row, out);
        Ok(())
    }
}

impl std::fmt::Debug for ViewReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ViewReader").finish_non_exhaustive()
    }
}

/// A state with the views of all players. Only the driver of the game uses the words; the cells,
/// from which the player learns, come only from the view of the player to decide.
#[derive(Clone, Debug)]
pub struct ViewState {
    words: Vec<u64>,
    views: Arc<Vec<View>>,
    /// The choices of players in this step.
    chosen: Vec<Option<Move>>,
    turn: Option<usize>,
    /// The move that is evaluated: its player and its number.
    action: Option<(usize, u32)>,
    cells: Arc<Vec<u8>>,
    /// The gains of each player so far, or its scaled result if the game is over.
    totals: Vec<f32>,
}

impl Views {
    /// The environment of a game whose views are read by this plan.
    pub fn new(game: &Arc<dyn Game>, plan: CellPlan, opposed: bool) -> Option<Self> {
        let info = game.info();
        Some(Views {
            reader: ViewReader::new(game, plan)?,
            players: info.players().collect(),
            opposed,
            scale: Scale::of(game.as_ref()),
            moves: info.moves? as usize,
            worker: game.worker(),
            game: Arc::clone(game),
            step: Step::new(),
            joint: Vec::new(),
            goals: Vec::new(),
        })
    }

    /// Continues from the worker's state until a player has to choose.
    fn proceed(&mut self, state: &mut ViewState, rng: &mut Rng) -> Result<(), Halt> {
        for _ in 0..FORCED {
            if self.worker.terminal() {
                self.worker.save(&mut state.words);
                (state.turn, state.action) = (None, None);
                if self.scale.bounded() {
                    for (total, &role) in state.totals.iter_mut().zip(&self.players) {
                        self.worker.goals(role, &mut self.goals);
                        let goal = self.goals.first().copied();
                        *total = goal.map_or(-1.0, |goal| self.scale.inwards(goal));
                    }
                }
                return Ok(());
            }
            let open =
                self.players.iter().zip(&state.chosen).position(|(&role, chosen)| {
                    chosen.is_none() && self.worker.legal(role).len() > 1
                });
            if let Some(player) = open {
                self.worker.save(&mut state.words);
                state.turn = Some(player);
                let mut cells = Vec::new();
                self.reader.write(&state.views[player], &mut cells)?;
                state.cells = Arc::new(cells);
                return Ok(());
            }
            random_joint(&*self.worker, rng, &mut self.joint);
            for (&role, chosen) in self.players.iter().zip(&mut state.chosen) {
                if let Some(choice) = chosen.take() {
                    self.joint[role.index()] = choice;
                }
            }
            self.worker.step(&self.joint, &mut self.step, &Stop::never())?;
            if !self.scale.bounded() {
                for (total, role) in state.totals.iter_mut().zip(&self.players) {
                    *total += self.step.gains[role.index()] as f32;
                }
            }
            if self.step.tick {
                let information = self.game.info().information;
                let views = Arc::make_mut(&mut state.views);
                for (view, &role) in views.iter_mut().zip(&self.players) {
                    let seen = observe(information, role, &self.joint, &self.step);
                    view.push(Turn { own: self.joint[role.index()], seen });
                }
            }
        }
        Err(Halt::Limit(format!("{FORCED} steps in which no player has a choice")))
    }
}

impl Environment for Views {
    type State = ViewState;

    fn players(&self) -> usize {
        self.players.len()
    }

    fn opposed(&self) -> bool {
        self.opposed
    }

    fn start(&mut self, rng: &mut Rng) -> Result<ViewState, Halt> {
        self.worker.reset();
        let view = |&role: &Role| View::new(Arc::clone(&self.game), role);
        let mut state = ViewState {
            words: Vec::new(),
            views: Arc::new(self.players.iter().map(view).collect()),
            chosen: vec![None; self.players.len()],
            turn: None,
            action: None,
            cells: Arc::default(),
            totals: vec![0.0; self.players.len()],
        };
        self.proceed(&mut state, rng)?;
        Ok(state)
    }

    fn turn(&self, state: &ViewState) -> Option<usize> {
        state.turn
    }

    fn choices(
        &mut self,
        state: &ViewState,
        _rng: &mut Rng,
        out: &mut Vec<Choice<ViewState>>,
    ) -> Result<(), Halt> {
        out.clear();
        let Some(player) = state.turn else { return Ok(()) };
        self.worker.load(&state.words, &Stop::never())?;
        out.extend(self.worker.legal(self.players[player]).iter().map(|choice| {
            let action = Some((player, choice.0));
            Choice { id: choice.0, gain: 0.0, after: ViewState { action, ..state.clone() } }
        }));
        Ok(())
    }

    fn over(&self, _after: &ViewState) -> bool {
        false
    }

    fn settle(&mut self, after: &mut ViewState, rng: &mut Rng) -> Result<(), Halt> {
        let Some((player, choice)) = after.action.take() else { return Ok(()) };
        after.chosen[player] = Some(Move(choice));
        self.worker.load(&after.words, &Stop::never())?;
        self.proceed(after, rng)
    }

    fn result(&self, end: &ViewState, player: usize) -> f32 {
        end.totals.get(player).copied().unwrap_or(0.0)
    }

    fn slot(&self, after: &ViewState) -> usize {
        after.action.map_or(0, |(player, choice)| slot(player, choice, self.moves))
    }

    fn slots(&self) -> usize {
        self.players.len() * self.moves
    }
}

impl Cells for Views {
    fn layout(&self) -> CellLayout {
        self.reader.plan.layout()
    }

    fn write(&self, state: &ViewState, out: &mut [u8]) {
        out.copy_from_slice(&state.cells);
    }
}

impl Clone for Views {
    fn clone(&self) -> Self {
        let numbers = self.reader.row.len();
        Views {
            game: Arc::clone(&self.game),
            reader: ViewReader {
                observer: ViewObserver::new(&self.game),
                plan: self.reader.plan.clone(),
                row: vec![0.0; numbers],
            },
            players: self.players.clone(),
            opposed: self.opposed,
            scale: self.scale,
            moves: self.moves,
            worker: self.game.worker(),
            step: Step::new(),
            joint: Vec::new(),
            goals: Vec::new(),
        }
    }
}

impl std::fmt::Debug for Views {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Views").field("game", &self.game.info().name).finish_non_exhaustive()
    }
}

/// Plays random games to find the cells of the views of a game, and whether the rewards of two
/// players always have the same sum.
pub fn survey_views(game: &Arc<dyn Game>, rng: &mut Rng) -> Result<(CellPlan, bool), Halt> {
    let observer = ViewObserver::new(game);
    let numbers = observer.tensors().len();
    let mut known = vec![false; numbers];
    let mut at = 0;
    for tensor in observer.tensors().list() {
        // The slot identifies the role of the view; entries that are not bits are not used.
        if tensor.name == "role" || tensor.element != magister_core::Element::Bit {
            known[at..at + tensor.len()].fill(true);
        }
        at += tensor.len();
    }
    let blank = CellPlan::blank(numbers);
    let mut env = Views::new(game, blank, false).ok_or_else(|| {
        Halt::Limit("learning from views needs rules with a fixed list of moves".to_owned())
    })?;
    let mut reading = ViewObserver::new(game);
    let mut row = vec![0.0; numbers];
    let mut seen: Vec<Vec<u32>> = Vec::new();
    let (mut sum, mut constant) = (None, true);
    let mut choices = Vec::new();
    for _ in 0..300 {
        let mut state = env.start(rng)?;
        for _ in 0..500 {
            let Some(player) = env.turn(&state) else { break };
            if seen.len() < 6_000 {
                reading.write(&state.views[player], &Stop::never(), &mut row)?;
                let active = (0..).zip(&row).filter(|(_, number)| **number != 0.0);
                seen.push(active.map(|(place, _)| place).collect());
            }
            env.choices(&state, rng, &mut choices)?;
            let at = rng.below(choices.len().max(1) as u64) as usize;
            let Some(choice) = choices.get(at) else { break };
            state = choice.after.clone();
            env.settle(&mut state, rng)?;
        }
        if state.turn.is_none() {
            let total: f32 = state.totals.iter().sum();
            let first: f32 = *sum.get_or_insert(total);
            constant &= (first - total).abs() < 1e-4;
        }
    }
    let mut plan = CellPlan::blank(numbers);
    plan.group(&known, &seen);
    let two = env.players.len() == 2;
    Ok((plan, two && constant && sum.is_some()))
}
