//! Fairer variants of games: a rule that compensates the weaker side.

use std::sync::Arc;

use magister_core::text::IDLE_TEXT;
use magister_core::{
    Game, Halt, Info, Move, Payment, Percept, Role, Step, Stop, Text, Worker, rules_hash,
};
use serde::{Deserialize, Serialize};

/// A rule that may make a two-player game fairer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Remedy {
    /// The pie rule: after the first player's first choice, the other may swap sides.
    Swap,
    /// Draw odds: a draw counts as a win of this role.
    DrawOdds(Role),
}

impl Remedy {
    /// The change as a sentence.
    pub fn sentence(self, info: &Info) -> String {
        match self {
            Remedy::Swap => "after the first move, the other player may swap sides".to_owned(),
            Remedy::DrawOdds(role) => {
                format!("a draw counts as a win for {}", info.role_name(role))
            }
        }
    }

    /// Whether it applies to a game: two players and perfect information; for draw odds, also
    /// rewards at the end.
    pub fn fits(self, info: &Info) -> bool {
        let two = info.players().count() == 2;
        let open = info.information == magister_core::Information::Perfect;
        let pays = info.payment == Payment::AtEnd && info.rewards.0.is_finite();
        match self {
            Remedy::Swap => two && open,
            Remedy::DrawOdds(_) => two && open && pays && info.rewards.1.is_finite(),
        }
    }
}

/// A game with a remedy.
pub struct Remedied {
    inner: Arc<dyn Game>,
    info: Arc<Info>,
    remedy: Remedy,
    /// The moves that keep or swap sides.
    offer: [Move; 2],
}

impl Remedied {
    /// The game with this remedy; `None` if it does not apply.
    pub fn new(inner: Arc<dyn Game>, remedy: Remedy) -> Option<Self> {
        let old = inner.info();
        if !remedy.fits(old) {
            return None;
        }
        // If moves are not numbered in advance, these numbers are far above all others.
        let first = old.moves.unwrap_or(1 << 30);
        let info = Info {
            name: format!("{} ({})", old.name, remedy.sentence(old)),
            moves: old.moves.map(|moves| moves + 2),
            state_words: old.state_words.map(|words| words + 1),
            max_length: old.max_length.map(|length| length + 1),
            rules_hash: rules_hash(&format!("{} {}", old.rules_hash, remedy.sentence(old))),
            ..old.clone()
        };
        Some(Remedied {
            info: Arc::new(info),
            inner,
            remedy,
            offer: [Move(first), Move(first + 1)],
        })
    }
}

impl std::fmt::Debug for Remedied {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Remedied").field("game", &self.info.name).finish_non_exhaustive()
    }
}

impl Game for Remedied {
    fn info(&self) -> &Info {
        &self.info
    }

    fn worker(&self) -> Box<dyn Worker> {
        let mut players = self.info.players();
        let pair = (players.next().unwrap_or(Role(0)), players.next().unwrap_or(Role(0)));
        Box::new(Side {
            inner: self.inner.worker(),
            info: Arc::clone(&self.info),
            remedy: self.remedy,
            offer: self.offer,
            pair,
            phase: Phase::start(self.remedy),
            joint: Vec::new(),
        })
    }

    fn text(&self) -> &dyn Text {
        self
    }
}

impl Text for Remedied {
    fn move_text(&self, choice: Move) -> String {
        match self.offer.iter().position(|&offered| offered == choice) {
            Some(0) => "keep".to_owned(),
            Some(_) => "swap".to_owned(),
            None if choice == Move::IDLE => IDLE_TEXT.to_owned(),
            None => self.inner.text().move_text(choice),
        }
    }

    fn parse_move(&self, role: Role, text: &str) -> Option<Move> {
        match text {
            "keep" => Some(self.offer[0]),
            "swap" => Some(self.offer[1]),
            IDLE_TEXT => Some(Move::IDLE),
            _ => self.inner.text().parse_move(role, text),
        }
    }

    fn percept_text(&self, percept: Percept) -> String {
        self.inner.text().percept_text(percept)
    }

    fn parse_percept(&self, text: &str) -> Option<Percept> {
        self.inner.text().parse_percept(text)
    }

    fn state_text(&self, state: &[u64]) -> String {
        let (word, inner) = state.split_last().map_or((0, state), |(&word, inner)| (word, inner));
        format!("{word} {}", self.inner.text().state_text(inner))
    }

    fn parse_state(&self, text: &str) -> Option<Vec<u64>> {
        let (word, inner) = text.split_once(' ')?;
        let mut state = self.inner.text().parse_state(inner)?;
        state.push(Phase::read(word.parse().ok()?)?.word());
        Some(state)
    }
}

/// The state of the offer to swap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// No choice has been made.
    Before,
    /// The first or the second player may swap.
    First,
    Second,
    Kept,
    Swapped,
}

impl Phase {
    const ALL: [Phase; 5] =
        [Phase::Before, Phase::First, Phase::Second, Phase::Kept, Phase::Swapped];

    fn start(remedy: Remedy) -> Self {
        if remedy == Remedy::Swap { Phase::Before } else { Phase::Kept }
    }

    fn word(self) -> u64 {
        self as u64
    }

    fn read(word: u64) -> Option<Self> {
        Phase::ALL.into_iter().find(|phase| phase.word() == word)
    }
}

/// A worker of the game, and the assignment of sides.
struct Side {
    inner: Box<dyn Worker>,
    info: Arc<Info>,
    remedy: Remedy,
    offer: [Move; 2],
    pair: (Role, Role),
    phase: Phase,
    joint: Vec<Move>,
}

impl Side {
    /// The role of the inner game that a player plays.
    fn plays(&self, role: Role) -> Role {
        match self.phase {
            Phase::Swapped if role == self.pair.0 => self.pair.1,
            Phase::Swapped if role == self.pair.1 => self.pair.0,
            _ => role,
        }
    }

    /// The role that may swap now, if any.
    fn chooser(&self) -> Option<Role> {
        match self.phase {
            Phase::First => Some(self.pair.0),
            Phase::Second => Some(self.pair.1),
            _ => None,
        }
    }

    fn answer(&mut self, chooser: Role, joint: &[Move], out: &mut Step) -> Result<(), Halt> {
        let choice = joint[chooser.index()];
        let idle = |role: &Role| *role == chooser || joint[role.index()] == Move::IDLE;
        if let Some(role) = self.info.all_roles().find(|role| !idle(role)) {
            return Err(Halt::IllegalMove { role, choice: joint[role.index()] });
        }
        self.phase = match self.offer.iter().position(|&offered| offered == choice) {
            Some(0) => Phase::Kept,
            Some(_) => Phase::Swapped,
            None => return Err(Halt::IllegalMove { role: chooser, choice }),
        };
        out.clear(joint.len());
        Ok(())
    }
}

impl Worker for Side {
    fn info(&self) -> &Info {
        &self.info
    }

    fn reset(&mut self) {
        self.inner.reset();
        self.phase = Phase::start(self.remedy);
    }

    fn load(&mut self, state: &[u64], stop: &Stop) -> Result<(), Halt> {
        let (&word, inner) = state.split_last().ok_or(Halt::BadState)?;
        self.phase = Phase::read(word).ok_or(Halt::BadState)?;
        self.inner.load(inner, stop)
    }

    fn save(&self, out: &mut Vec<u64>) {
        self.inner.save(out);
        out.push(self.phase.word());
    }

    fn terminal(&self) -> bool {
        self.chooser().is_none() && self.inner.terminal()
    }

    fn legal(&self, role: Role) -> &[Move] {
        match self.chooser() {
            Some(chooser) if chooser == role => &self.offer,
            Some(_) => &[Move::IDLE],
            None => self.inner.legal(self.plays(role)),
        }
    }

    fn weights(&self) -> &[u32] {
        if self.chooser().is_some() { &[] } else { self.inner.weights() }
    }

    fn step(&mut self, joint: &[Move], out: &mut Step, stop: &Stop) -> Result<(), Halt> {
        let roles = self.info.roles.len();
        if joint.len() != roles {
            return Err(Halt::JointLength { expected: roles, given: joint.len() });
        }
        if let Some(chooser) = self.chooser() {
            return self.answer(chooser, joint, out);
        }
        let chose = |role: Role| self.inner.legal(role).len() > 1;
        let chose = (chose(self.pair.0), chose(self.pair.1));
        self.joint.clear();
        self.joint.extend_from_slice(joint);
        if self.phase == Phase::Swapped {
            self.joint.swap(self.pair.0.index(), self.pair.1.index());
        }
        self.inner.step(&self.joint, out, stop)?;
        if self.phase == Phase::Swapped {
            out.gains.swap(self.pair.0.index(), self.pair.1.index());
        }
        if self.phase == Phase::Before && !self.inner.terminal() {
            self.phase = match chose {
                (false, false) => Phase::Before,
                (true, false) => Phase::Second,
                (false, true) => Phase::First,
                (true, true) => Phase::Kept,
            };
        }
        Ok(())
    }

    fn goals(&self, role: Role, out: &mut Vec<f64>) {
        self.inner.goals(self.plays(role), out);
        let Remedy::DrawOdds(favoured) = self.remedy else { return };
        if !self.inner.terminal() || Some(role) == self.info.chance {
            return;
        }
        let other = if role == self.pair.0 { self.pair.1 } else { self.pair.0 };
        let mut its = Vec::new();
        self.inner.goals(other, &mut its);
        if let ([own], [its]) = (&mut out[..], &its[..])
            && own.total_cmp(its).is_eq()
        {
            let (low, high) = self.info.rewards;
            *own = if role == favoured { high } else { low };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use magister_core::battery;
    use magister_games::native;

    #[test]
    fn a_game_with_a_remedy_is_a_game() {
        for remedy in [Remedy::Swap, Remedy::DrawOdds(Role(1))] {
            let game = native::find("tictactoe").unwrap();
            battery::assert_game(&Remedied::new(game, remedy).unwrap());
        }
        let alone = native::find("2048").unwrap();
        assert!(Remedied::new(alone, Remedy::Swap).is_none());
    }

    #[test]
    fn swapping_exchanges_the_sides() {
        let game = native::find("tictactoe").unwrap();
        let game = Remedied::new(game, Remedy::Swap).unwrap();
        let mut worker = game.worker();
        let mut step = Step::new();
        let stop = Stop::never();
        let mut play = |worker: &mut Box<dyn Worker>, x: &str, o: &str| {
            let read = |role, text| game.parse_move(role, text).unwrap();
            worker.step(&[read(Role(0), x), read(Role(1), o)], &mut step, &stop)
        };
        let own = worker.legal(Role(0))[0];
        let own = game.move_text(own);
        let idle = game.move_text(worker.legal(Role(1))[0]);
        play(&mut worker, &own, &idle).unwrap();
        assert_eq!(worker.legal(Role(1)).len(), 2);
        assert!(play(&mut worker, "swap", "keep").is_err());
        play(&mut worker, "-", "swap").unwrap();
        // The first player now replies to its own move.
        assert_eq!(worker.legal(Role(0)).len(), 8);
        assert_eq!(worker.legal(Role(1)).len(), 1);
    }

    #[test]
    fn draw_odds_turn_a_draw_into_a_win() {
        let game = native::find("tictactoe").unwrap();
        let game = Remedied::new(game, Remedy::DrawOdds(Role(1))).unwrap();
        let mut worker = game.worker();
        let (mut step, mut goals) = (Step::new(), Vec::new());
        // Cells in an order that leads to a draw.
        for cell in [0, 1, 2, 4, 3, 5, 7, 6, 8] {
            let turn = usize::from(worker.legal(Role(1)).len() > 1);
            let texts: Vec<Move> = worker.legal(Role(turn as u8)).to_vec();
            let mut joint = [worker.legal(Role(0))[0], worker.legal(Role(1))[0]];
            joint[turn] = *texts.iter().find(|choice| choice.0 == cell).unwrap();
            worker.step(&joint, &mut step, &Stop::never()).unwrap();
        }
        assert!(worker.terminal());
        worker.goals(Role(1), &mut goals);
        assert_eq!(goals, [game.info().rewards.1]);
    }
}
