//! A match while it is played.

use std::sync::Arc;
use std::time::{Duration, Instant};

use magister_core::{Decision, Halt, Information, Move, Referee, Rng, Role, Seed};
use magister_infoset::Opened;

use crate::contest::{Contest, Sitter};
use crate::history::{History, Taken};
use crate::person::{Asked, Person, Wish};
use crate::report::{GameReport, Mishap};
use crate::seat::{Answer, Seat, Silence};
use crate::watchdog::Watchdog;

/// Why a match ended before its time.
struct End {
    seat: Option<usize>,
    kind: &'static str,
    what: String,
}

impl End {
    /// Nobody can go on.
    fn broken(contest: &Contest, halt: &Halt) -> Self {
        let name = &contest.game.info().name;
        let what = match halt {
            Halt::Rules(_) => format!(
                "the match was broken off: {halt}; `magister playable {name}` looks for faults of \
                 this kind"
            ),
            _ => format!("the match was broken off: {halt}"),
        };
        End { seat: None, kind: "broken-off", what }
    }
}

/// What comes next in a match.
enum Next {
    Turn(Taken),
    /// The turn after so many others, because a person wants to go there.
    Jump(usize),
}

/// Somebody at the table.
enum Chair {
    /// A player, and whether it is shown the state.
    Agent(Seat, bool),
    Person(Arc<dyn Person>),
}

/// A match that is being played.
pub(crate) struct Table {
    referee: Referee,
    seed: Seed,
    seats: Vec<(Role, Chair)>,
    names: Vec<String>,
    opening: Rng,
    substitute: Rng,
    history: History,
    /// What belongs to no turn.
    notes: Vec<Mishap>,
    /// The joint move that led to where the rules know no state.
    last: Option<Vec<String>>,
    dog: Watchdog,
}

impl Table {
    pub(crate) fn new(
        contest: &Contest,
        players: &[(String, Sitter)],
        seed: Seed,
    ) -> Result<Self, String> {
        let dog = Watchdog::new(contest.patience).map_err(|error| error.to_string())?;
        let roles = contest.game.info().players();
        let hidden = contest.game.info().information == Information::Hidden;
        let mut seats = Vec::new();
        for (role, (name, sitter)) in roles.zip(players) {
            let rng = seed.derive("agent").derive_index(u64::from(role.0)).rng();
            let chair = match sitter {
                Sitter::Agent(maker) => Chair::Agent(
                    Seat::new(Arc::clone(maker), rng)
                        .map_err(|error| format!("no thread could be made for {name}: {error}"))?,
                    hidden && maker().clairvoyant(),
                ),
                Sitter::Person => Chair::Person(contest.person.clone().ok_or_else(|| {
                    format!("{name} is a person, and nobody is there to ask people")
                })?),
            };
            seats.push((role, chair));
        }
        let names: Vec<String> = players.iter().map(|(name, _)| name.clone()).collect();
        let referee = begin(contest, &names, seed, &dog).map_err(|halt| halt.to_string())?;
        Ok(Table {
            referee,
            seed,
            seats,
            names,
            opening: seed.derive("opening").rng(),
            substitute: seed.derive("substitute").rng(),
            history: History::default(),
            notes: Vec::new(),
            last: None,
            dog,
        })
    }

    /// What came of the match.
    pub(crate) fn report(self, contest: &Contest) -> GameReport {
        let mut errors = self.notes;
        let mut times = Vec::new();
        for turn in self.history.made() {
            errors.extend(turn.errors.iter().cloned());
            // Silent steps may follow; nobody thinks for them.
            let silent = vec![0.0; turn.times.len()];
            times.extend(
                (0..turn.steps).map(|step| if step == 0 { &turn.times } else { &silent }).cloned(),
            );
        }
        errors.sort_by_key(|error| error.step);
        let mut report = GameReport::new(&*contest.game, self.referee.record(), errors, times);
        report.moves.extend(self.last);
        report
    }

    /// Plays the match to its end, or writes down why it did not come there.
    pub(crate) fn run(&mut self, contest: &Contest) {
        if let Err(End { seat, kind, what }) = self.go_on(contest) {
            let step = self.referee.record().steps.len() + 1;
            self.notes.push(Mishap::new(step, seat, kind, what));
        }
    }

    fn go_on(&mut self, contest: &Contest) -> Result<(), End> {
        if contest.limits.start.is_some() {
            for (index, (role, chair)) in self.seats.iter_mut().enumerate() {
                let Chair::Agent(seat, _) = chair else { continue };
                let answer = seat.ready(self.referee.view(*role), &contest.limits);
                if let Err(silence) = answer.said {
                    let (kind, what) = silence.told();
                    self.notes.push(Mishap::new(0, Some(index), kind, what));
                }
            }
        }
        loop {
            let next = if self.referee.terminal() {
                match self.over() {
                    Some(at) => Next::Jump(at),
                    None => return Ok(()),
                }
            } else if self.history.len() >= contest.max_steps as usize {
                let turns = self.history.len();
                let what = format!("the match was broken off after {turns} turns");
                return Err(End { seat: None, kind: "broken-off", what });
            } else if self.history.len() < contest.opening as usize {
                Next::Turn(self.random())
            } else {
                self.ask(contest)?
            };
            match next {
                Next::Turn(mut turn) => {
                    let (steps, made) = self.make(&turn);
                    turn.steps = steps;
                    self.history.push(turn);
                    made.map_err(|halt| End::broken(contest, &halt))?;
                }
                Next::Jump(at) => {
                    self.jump(contest, at).map_err(|halt| End::broken(contest, &halt))?;
                }
            }
        }
    }

    /// Makes a turn; gives the number of its steps, and whether it could be made to its end. A
    /// step that leads to where the rules know no state is one of them.
    fn make(&mut self, turn: &Taken) -> (usize, Result<(), Halt>) {
        let Table { referee, dog, .. } = self;
        let before = referee.record().steps.len();
        for error in &turn.errors {
            if let Some((role, _)) = error.seat.and_then(|seat| self.seats.get(seat)) {
                referee.fault(*role, &error.what);
            }
        }
        // Silent steps that were stopped are gone on with, or named as the reason.
        let made = dog
            .watch(|stop| referee.advance(&turn.moves, stop).and_then(|()| referee.settle(stop)));
        let mut steps = referee.record().steps.len() - before;
        if let (Err(Halt::Rules(_) | Halt::Limit(_)), Some(joint)) = (&made, referee.stuck()) {
            let text = referee.game().text();
            self.last = Some(joint.iter().map(|&choice| text.move_text(choice)).collect());
            steps += 1;
        }
        (steps, made)
    }

    /// Goes to where so many turns are made. The match is played again from its seed, so that
    /// chance does what it did.
    fn jump(&mut self, contest: &Contest, at: usize) -> Result<(), Halt> {
        self.referee = begin(contest, &self.names, self.seed, &self.dog)?;
        self.history.go(at);
        let made = self.history.made().to_vec();
        for turn in &made {
            self.make(turn).1?;
        }
        Ok(())
    }

    /// Random moves for all, from the seed of openings.
    fn random(&mut self) -> Taken {
        let roles = self.referee.game().info().all_roles();
        let moves = roles.map(|role| pick(self.referee.legal(role), &mut self.opening)).collect();
        Taken { moves, times: vec![0.0; self.seats.len()], ..Taken::default() }
    }

    /// Asks every player that has a choice, one after the other, so that they do not take
    /// processor time from each other. In games that hide information all are asked, since not
    /// being asked would tell something.
    fn ask(&mut self, contest: &Contest) -> Result<Next, End> {
        let info = contest.game.info();
        let only = |role| self.referee.legal(role).first().copied().unwrap_or(Move::IDLE);
        let mut turn = Taken {
            moves: info.all_roles().map(only).collect(),
            times: vec![0.0; self.seats.len()],
            ..Taken::default()
        };
        for index in 0..self.seats.len() {
            let role = self.seats[index].0;
            let choices = self.referee.legal(role).len();
            if choices == 1 && info.information == Information::Perfect {
                continue;
            }
            match &mut self.seats[index].1 {
                Chair::Person(person) => {
                    let person = Arc::clone(person);
                    match self.wish(&*person, index)? {
                        Ok((choice, took)) => {
                            turn.moves[role.index()] = choice;
                            turn.times[index] = took.as_secs_f64() * 1e3;
                            turn.people.extend((choices > 1).then_some(index));
                        }
                        Err(at) => return Ok(Next::Jump(at)),
                    }
                }
                Chair::Agent(seat, clairvoyant) => {
                    let shown = clairvoyant
                        .then(|| Opened::view(&contest.game, self.referee.reveal(role), role));
                    let view = shown.as_ref().unwrap_or_else(|| self.referee.view(role));
                    let Answer { said, took } = seat.decide(view, &contest.limits);
                    turn.times[index] = took.as_secs_f64() * 1e3;
                    turn.moves[role.index()] = match self.legal(contest, role, said) {
                        Ok(choice) => choice,
                        Err((kind, what)) => {
                            let step = self.referee.record().steps.len() + 1;
                            turn.errors.push(Mishap::new(step, Some(index), kind, what));
                            pick(self.referee.legal(role), &mut self.substitute)
                        }
                    };
                }
            }
        }
        Ok(Next::Turn(turn))
    }

    /// The move that a player decided on, or what is wrong with it.
    fn legal(
        &self,
        contest: &Contest,
        role: Role,
        said: Result<Decision, Silence>,
    ) -> Result<Move, (&'static str, String)> {
        let choice = said.map_err(Silence::told)?.choice;
        if self.referee.legal(role).contains(&choice) {
            return Ok(choice);
        }
        let text = contest.game.text().move_text(choice);
        Err(("illegal", format!("`{text}` is not legal here")))
    }

    /// Asks a person until there is a legal move and how long it took, or a turn to go to.
    fn wish(
        &mut self,
        person: &dyn Person,
        index: usize,
    ) -> Result<Result<(Move, Duration), usize>, End> {
        let role = self.seats[index].0;
        let begun = Instant::now();
        loop {
            let (back, forth) = self.history.reach(index);
            let legal = self.referee.legal(role);
            let asked = Asked { view: self.referee.view(role), back, forth, legal };
            let end = |kind, what: &str| {
                let what = format!("{} {what}", self.names[index]);
                Err(End { seat: Some(index), kind, what })
            };
            match person.choose(&asked) {
                Wish::Play(choice) if asked.is_legal(choice) => {
                    return Ok(Ok((choice, begun.elapsed())));
                }
                Wish::Play(_) => {}
                Wish::Resign => return end("resigned", "resigned"),
                Wish::Leave => return end("left", "left the table"),
                wish @ (Wish::Back(_) | Wish::Forth(_)) => {
                    if let Some(at) = self.go(index, wish) {
                        return Ok(Err(at));
                    }
                }
            }
        }
    }

    /// The turn that a person wants to go to, if there is one; noted if it is an earlier one.
    fn go(&mut self, index: usize, wish: Wish) -> Option<usize> {
        match wish {
            Wish::Forth(count) => self.history.forth(index, count),
            Wish::Back(count) => {
                let at = self.history.back(index, count)?;
                let steps: usize = self.history.made()[..at].iter().map(|turn| turn.steps).sum();
                let turns = self.history.len() - at;
                let ending = if turns == 1 { "" } else { "s" };
                let what = format!("{} took back {turns} turn{ending}", self.names[index]);
                self.notes.push(Mishap::new(steps + 1, None, "taken-back", what));
                Some(at)
            }
            _ => None,
        }
    }

    /// Tells the people that the match is over. The turn to go to, if somebody takes something
    /// back.
    fn over(&mut self) -> Option<usize> {
        for index in 0..self.seats.len() {
            let (role, chair) = &self.seats[index];
            let Chair::Person(person) = chair else { continue };
            let person = Arc::clone(person);
            let (back, forth) = self.history.reach(index);
            let asked = Asked { view: self.referee.view(*role), back, forth, legal: &[] };
            let wish = person.over(&asked, self.referee.outcome().unwrap_or_default());
            if let Some(at) = self.go(index, wish) {
                return Some(at);
            }
        }
        None
    }
}

/// The match before its first turn.
fn begin(contest: &Contest, names: &[String], seed: Seed, dog: &Watchdog) -> Result<Referee, Halt> {
    let game = Arc::clone(&contest.game);
    let mut referee = dog.watch(|stop| Referee::new(game, seed, stop))?;
    for (role, name) in contest.game.info().players().zip(names) {
        referee.set_player(role, name);
    }
    Ok(referee)
}

impl Silence {
    /// The kind of the fault, and a sentence.
    fn told(self) -> (&'static str, String) {
        match self {
            Silence::Halt(Halt::Stopped) => {
                ("late", "no move was known when the time was over".to_owned())
            }
            Silence::Halt(halt) => ("refused", format!("the player gave no move: {halt}")),
            Silence::Crash(how) => ("crash", format!("the player crashed: {how}")),
            Silence::Late => ("late", "the answer did not come in time".to_owned()),
        }
    }
}

/// One of several moves; nothing to do if there is none.
fn pick(legal: &[Move], rng: &mut Rng) -> Move {
    match legal {
        [] => Move::IDLE,
        [only] => *only,
        _ => legal[rng.below(legal.len() as u64) as usize],
    }
}
