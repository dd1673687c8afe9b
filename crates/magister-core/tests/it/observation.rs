//! States and views as tensors.

use std::sync::Arc;

use magister_core::examples::Countdown;
use magister_core::{
    Element, Game, Halt, Info, Information, Move, Native, Observation, Percept, Role, Rules, Shape,
    StateObserver, Step, Stop, Tensor, Tensors, Turn, View, ViewObserver,
};

/// Chance hides a coin and shows it to one player; the other guesses until it is right or has
/// guessed three times.
#[derive(Clone, Copy)]
struct Coin {
    /// Whether the numbers of moves and percepts are known.
    known: bool,
    length: Option<u32>,
}

impl Rules for Coin {
    /// The side of the coin, 2 before it is thrown, and the guesses so far.
    type State = (u8, u8);

    fn info(&self) -> Info {
        Info {
            moves: self.known.then_some(2),
            max_length: self.length,
            chance: Some(Role(0)),
            information: Information::Hidden,
            ..Info::new("coin", &["random", "guesser", "witness"], "coin 1")
        }
    }
    fn initial(&self) -> Self::State {
        (2, 0)
    }
    fn terminal(&self, &(_, guesses): &Self::State) -> bool {
        guesses == 3
    }
    fn legal(&self, &(side, _): &Self::State, role: Role, out: &mut Vec<Move>) {
        if role.0 == u8::from(side < 2) {
            out.extend([Move(0), Move(1)]);
        }
    }
    fn step(&self, (side, guesses): &mut Self::State, joint: &[Move], out: &mut Step) {
        if *side == 2 {
            *side = joint[0].0 as u8;
            out.percepts.insert(Role(2), Percept(u32::from(*side)));
        } else {
            *guesses += 1;
            if joint[1].0 as u8 == *side {
                *guesses = 3;
            }
            out.percepts.insert(Role(1), Percept(u32::from(*guesses == 3)));
        }
    }
    fn reward(&self, _: &Self::State, _: Role) -> f64 {
        0.0
    }
    fn percepts(&self) -> u32 {
        2
    }
    fn move_text(&self, choice: Move) -> String {
        format!("(say {})", choice.0)
    }
    fn state_text(&self, &(side, guesses): &Self::State) -> String {
        format!("{side} {guesses}")
    }
    fn parse_state(&self, text: &str) -> Option<Self::State> {
        let (side, guesses) = text.split_once(' ')?;
        Some((side.parse().ok()?, guesses.parse().ok()?))
    }
}

fn coin(known: bool, length: Option<u32>) -> Arc<dyn Game> {
    Arc::new(Native::new(Coin { known, length }))
}

fn turn(own: Move, percepts: &[u32]) -> Turn {
    let seen = percepts.iter().map(|&percept| Percept(percept)).collect();
    Turn { own, seen: Observation::Percepts(seen) }
}

fn view(game: &Arc<dyn Game>, role: u8, turns: &[Turn]) -> View {
    let mut view = View::new(Arc::clone(game), Role(role));
    turns.iter().for_each(|turn| view.push(turn.clone()));
    view
}

fn written(observer: &mut ViewObserver, view: &View) -> Vec<f32> {
    let mut out = vec![f32::NAN; observer.tensors().len()];
    observer.write(view, &Stop::never(), &mut out).unwrap();
    out
}

#[test]
fn a_hidden_view_is_its_turns() {
    let game = coin(true, Some(4));
    let mut observer = ViewObserver::new(&game);
    let shapes: Vec<_> =
        observer.tensors().list().iter().map(|t| (t.name.as_str(), &t.shape[..])).collect();
    let expected: [(&str, &[usize]); 4] =
        [("role", &[3]), ("turns", &[1]), ("own", &[4, 3]), ("percepts", &[4, 2])];
    assert_eq!(shapes, expected);
    let turns = [turn(Move::IDLE, &[]), turn(Move(1), &[0])];
    let row = written(&mut observer, &view(&game, 1, &turns));
    assert_eq!(row[..4], [0.0, 1.0, 0.0, 0.5]);
    assert_eq!(row[4..16], [0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    assert_eq!(row[16..], [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    let no_state = observer.write_state(Role(1), &[0], &mut vec![0.0; row.len()]);
    assert_eq!(no_state, Err(Halt::Hidden));
}

#[test]
fn a_long_history_loses_its_oldest_turns() {
    let game = coin(true, Some(2));
    let mut observer = ViewObserver::new(&game);
    let turns = [turn(Move::IDLE, &[]), turn(Move(1), &[0]), turn(Move(0), &[1])];
    let row = written(&mut observer, &view(&game, 1, &turns));
    let range = |name| observer.tensors().range(name).unwrap();
    assert_eq!(row[range("turns")], [1.5]);
    assert_eq!(row[range("own")], [0.0, 1.0, 0.0, 1.0, 0.0, 0.0]);
    assert_eq!(row[range("percepts")], [1.0, 0.0, 0.0, 1.0]);
}

#[test]
fn turns_without_a_vocabulary_are_hashed() {
    let game = coin(false, None);
    let mut observer = ViewObserver::new(&game);
    assert_eq!(observer.tensors().list()[2], Tensor::new("history", Element::Bit, &[64, 256]));
    let turns = [turn(Move(1), &[0])];
    let first = written(&mut observer, &view(&game, 1, &turns));
    assert_eq!(first, written(&mut observer, &view(&game, 1, &turns)));
    for other in [turn(Move(0), &[0]), turn(Move(1), &[1]), turn(Move(1), &[])] {
        assert_ne!(first, written(&mut observer, &view(&game, 1, &[other])));
    }
    assert!(first.iter().all(|number| number.is_finite()));
}

#[test]
fn a_view_with_perfect_information_is_the_current_state() {
    let game: Arc<dyn Game> = Arc::new(Native::new(Countdown(5)));
    let states = StateObserver::new(&game);
    let mut observer = ViewObserver::new(&game);
    let joints = [[Move(1), Move::IDLE], [Move::IDLE, Move(0)], [Move(0), Move::IDLE]];
    let mut views = Vec::new();
    for (length, first) in [(0, 0), (1, 0), (3, 0), (2, 0), (1, 2)] {
        let mut view = View::new(Arc::clone(&game), Role(1));
        for joint in &joints[first..first + length] {
            let seen = Observation::Joint((*joint).into());
            view.push(Turn { own: joint[1], seen });
        }
        views.push(view);
    }
    let mut row = vec![0.0; observer.tensors().len()];
    for view in &views {
        let mut worker = game.worker();
        view.replay(&mut *worker, &Stop::never()).unwrap();
        let mut state = Vec::new();
        worker.save(&mut state);
        let mut expected = vec![0.0; states.tensors().len()];
        states.write(&state, &mut expected);
        let got = written(&mut observer, view);
        assert_eq!(got[..2], [0.0, 1.0]);
        assert_eq!(got[2..], expected);
        observer.write_state(Role(1), &state, &mut row).unwrap();
        assert_eq!(row, got);
    }
    // An illegal history is an error, after which the observer still works.
    let mut wrong = views[1].clone();
    wrong.push(Turn { own: Move(7), seen: Observation::Joint([Move(0), Move(7)].into()) });
    assert!(observer.write(&wrong, &Stop::never(), &mut row).is_err());
    let after = written(&mut observer, &views[2]);
    assert_eq!(after, written(&mut ViewObserver::new(&game), &views[2]));
}

#[test]
fn a_batch_has_one_row_per_state() {
    let game: Arc<dyn Game> = Arc::new(Native::new(Countdown(9)));
    let observer = StateObserver::new(&game);
    let states: Vec<Vec<u64>> =
        (0..10).map(|n| game.text().parse_state(&format!("{n} {}", n % 2)).unwrap()).collect();
    let row = observer.tensors().len();
    let mut batch = vec![f32::NAN; 10 * row];
    observer.write_batch(states.iter().map(Vec::as_slice), &mut batch);
    for (state, written) in states.iter().zip(batch.chunks_exact(row)) {
        let mut alone = vec![f32::NAN; row];
        observer.write(state, &mut alone);
        assert_eq!(alone, written);
    }
}

/// A game with its own tensors, and one with a board.
struct Strip {
    own: bool,
}

impl Rules for Strip {
    type State = [bool; 3];

    fn info(&self) -> Info {
        Info { moves: Some(3), ..Info::new("strip", &["you"], "strip 1") }
    }
    fn initial(&self) -> Self::State {
        [false; 3]
    }
    fn terminal(&self, state: &Self::State) -> bool {
        *state == [true; 3]
    }
    fn legal(&self, state: &Self::State, _: Role, out: &mut Vec<Move>) {
        out.extend((0..3).filter(|&at| !state[at as usize]).map(Move));
    }
    fn step(&self, state: &mut Self::State, joint: &[Move], _: &mut Step) {
        state[joint[0].index()] = true;
    }
    fn reward(&self, _: &Self::State, _: Role) -> f64 {
        100.0
    }
    fn move_text(&self, choice: Move) -> String {
        choice.0.to_string()
    }
    fn state_text(&self, state: &Self::State) -> String {
        state.map(|set| if set { "x" } else { "b" }).concat()
    }
    fn parse_state(&self, text: &str) -> Option<Self::State> {
        let cells = text.bytes().map(|cell| match cell {
            b'x' => Some(true),
            b'b' => Some(false),
            _ => None,
        });
        cells.collect::<Option<Vec<bool>>>()?.try_into().ok()
    }
    fn board(&self) -> Option<Shape> {
        Some(Shape::grid(3, 1, &["b", "x"]))
    }
    fn cells(&self, state: &Self::State, out: &mut [u16]) {
        state.iter().zip(out).for_each(|(&set, cell)| *cell = u16::from(set));
    }
    fn tensors(&self) -> Option<Tensors> {
        self.own.then(|| Tensors::new([Tensor::new("share", Element::Real, &[1])]))
    }
    fn write_tensors(&self, state: &Self::State, out: &mut [f32]) {
        out[0] = state.iter().filter(|&&set| set).count() as f32 / 3.0;
    }
}

#[test]
fn a_board_is_planes_and_the_rest_is_bits() {
    let game: Arc<dyn Game> = Arc::new(Native::new(Strip { own: false }));
    let observer = StateObserver::new(&game);
    assert_eq!(observer.tensors().list()[0], Tensor::new("board", Element::Bit, &[2, 1, 3]));
    assert_eq!(observer.tensors().list()[1], Tensor::new("state", Element::Bit, &[3]));
    let mut row = vec![f32::NAN; 9];
    observer.write(&game.text().parse_state("bxx").unwrap(), &mut row);
    assert_eq!(row, [1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0]);
    magister_core::battery::assert_game(&*game);
}

#[test]
fn rules_may_have_tensors_of_their_own() {
    let game: Arc<dyn Game> = Arc::new(Native::new(Strip { own: true }));
    let observer = StateObserver::new(&game);
    let mut row = vec![f32::NAN; 1];
    observer.write(&game.text().parse_state("bxx").unwrap(), &mut row);
    assert_eq!(row, [2.0 / 3.0]);
}

#[test]
#[should_panic(expected = "a buffer for another observation")]
fn a_buffer_of_the_wrong_length_panics() {
    let game: Arc<dyn Game> = Arc::new(Native::new(Countdown(5)));
    StateObserver::new(&game).write(&[0], &mut [0.0; 3]);
}
