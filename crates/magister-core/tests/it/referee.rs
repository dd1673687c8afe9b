//! Matches: the referee, its views and its record, with silent steps and without.

use crate::claim;

use std::sync::Arc;

use claim::{Claim, DEALER, HIGH, LOW, claim, countdown};
use magister_core::record::{ChanceProof, ReplayError};
use magister_core::{
    Agent, Budget, Decision, Game, Halt, Info, MatchRecord, Move, Native, Observation, Referee,
    Rng, Role, Seed, Step, Stop, Text, Turn, View, Worker, battery,
};

/// An agent that claims if its own cards are good: a function of its observations.
struct Careful;

impl Agent for Careful {
    fn name(&self) -> String {
        "careful".to_owned()
    }
    fn decide(&mut self, view: &View, _: &mut Budget, _: &mut Rng) -> Result<Decision, Halt> {
        Ok(match &view.turns().last().map(|turn| &turn.seen) {
            Some(Observation::Percepts(cards)) => {
                let sum: u32 = cards.iter().map(|card| card.0).sum();
                Move(if sum > 5 { 7 } else { 6 }).into()
            }
            _ => Move::IDLE.into(),
        })
    }
}

fn play_claim(seed: u64) -> Referee {
    let mut referee = Referee::new(claim(), Seed::from(seed), &Stop::never()).unwrap();
    let mut agent = Careful;
    while !referee.terminal() {
        let mut rng = Seed::from(0).rng();
        let mut decide = |role| {
            let budget = &mut Budget::iterations(0);
            agent.decide(referee.view(role), budget, &mut rng).unwrap().choice
        };
        let moves = [decide(LOW), decide(HIGH), Move::IDLE];
        referee.advance(&moves, &Stop::never()).unwrap();
    }
    referee
}

#[test]
fn the_test_games_are_sound() {
    battery::assert_game(&*claim());
    battery::assert_game(&*countdown());
}

#[test]
fn silent_steps_are_recorded_without_a_turn() {
    let referee = Referee::new(claim(), Seed::from(1), &Stop::never()).unwrap();
    assert_eq!(referee.record().moves.len(), 3);
    assert_eq!(referee.record().silent, [1, 2, 3]);
    assert!(referee.record().percepts.iter().all(Option::is_none));
    assert!([LOW, HIGH, DEALER].iter().all(|&role| referee.view(role).turns().is_empty()));

    let referee = play_claim(1);
    assert_eq!(referee.record().moves.len(), 5);
    assert_eq!(referee.view(LOW).turns().len(), 2);
    assert!(referee.view(DEALER).turns().is_empty());
    assert!(referee.outcome().is_some());
}

#[test]
fn a_view_holds_the_cards_of_its_role_and_no_others() {
    let referee = play_claim(2);
    let hand = |role: Role| match &referee.view(role).turns()[0] {
        Turn { own: Move::IDLE, seen: Observation::Percepts(cards) } => cards.clone(),
        turn => panic!("{turn:?}"),
    };
    assert_eq!((hand(LOW).len(), hand(HIGH).len()), (2, 2));
    assert!(hand(LOW).iter().all(|card| !hand(HIGH).contains(card)));
    let mut worker = referee.game().worker();
    assert_eq!(referee.view(LOW).replay(&mut *worker, &Stop::never()), Err(Halt::Hidden));
}

#[test]
fn the_same_seed_gives_the_same_match_and_others_differ() {
    assert_eq!(play_claim(3).into_record(), play_claim(3).into_record());
    let deals = |seed| play_claim(seed).record().moves.clone();
    let matches: Vec<Vec<Vec<String>>> = (0..10).map(deals).collect();
    assert!(matches.iter().any(|other| *other != matches[0]));
}

#[test]
fn a_refused_move_changes_nothing_and_draws_nothing() {
    let stop = Stop::never();
    let idle = [Move::IDLE; 3];
    let mut plain = Referee::new(claim(), Seed::from(4), &stop).unwrap();
    let mut tried = Referee::new(claim(), Seed::from(4), &stop).unwrap();
    let refused = tried.advance(&[Move(7), Move::IDLE, Move::IDLE], &stop);
    assert_eq!(refused, Err(Halt::IllegalMove { role: LOW, choice: Move(7) }));
    let short = tried.advance(&idle[..2], &stop);
    assert_eq!(short, Err(Halt::JointLength { expected: 3, given: 2 }));
    plain.advance(&idle, &stop).unwrap();
    tried.advance(&idle, &stop).unwrap();
    assert_eq!(plain.record(), tried.record());
}

#[test]
fn a_stopped_deal_continues() {
    /// A worker whose steps check the flag.
    struct Patient(Native<Claim>);
    struct PatientWorker(Box<dyn Worker>);
    impl Game for Patient {
        fn info(&self) -> &Info {
            self.0.info()
        }
        fn worker(&self) -> Box<dyn Worker> {
            Box::new(PatientWorker(self.0.worker()))
        }
        fn text(&self) -> &dyn Text {
            self.0.text()
        }
    }
    impl Worker for PatientWorker {
        fn info(&self) -> &Info {
            self.0.info()
        }
        fn reset(&mut self) {
            self.0.reset();
        }
        fn load(&mut self, state: &[u64], stop: &Stop) -> Result<(), Halt> {
            self.0.load(state, stop)
        }
        fn save(&self, out: &mut Vec<u64>) {
            self.0.save(out);
        }
        fn terminal(&self) -> bool {
            self.0.terminal()
        }
        fn legal(&self, role: Role) -> &[Move] {
            self.0.legal(role)
        }
        fn weights(&self) -> &[u32] {
            self.0.weights()
        }
        fn silent(&self) -> bool {
            self.0.silent()
        }
        fn step(&mut self, joint: &[Move], out: &mut Step, stop: &Stop) -> Result<(), Halt> {
            stop.check()?;
            self.0.step(joint, out, stop)
        }
        fn goals(&self, role: Role, out: &mut Vec<f64>) {
            self.0.goals(role, out);
        }
    }
    let stop = Stop::new();
    let game: Arc<dyn Game> = Arc::new(Patient(Native::new(Claim)));
    let mut stopped = Referee::new(Arc::clone(&game), Seed::from(9), &stop).unwrap();
    let mut plain = Referee::new(game, Seed::from(9), &stop).unwrap();
    stop.set();
    let idle = [Move::IDLE; 3];
    assert_eq!(stopped.advance(&idle, &stop), Err(Halt::Stopped));
    // The card was drawn before the step was stopped, and must not be drawn again.
    stopped.advance(&idle, &Stop::never()).unwrap();
    plain.advance(&idle, &Stop::never()).unwrap();
    assert_eq!(stopped.record(), plain.record());
}

#[test]
fn perfect_information_lets_a_view_rebuild_the_state() {
    let stop = Stop::never();
    let mut referee = Referee::new(countdown(), Seed::from(5), &stop).unwrap();
    referee.advance(&[Move(1), Move::IDLE], &stop).unwrap();
    referee.advance(&[Move::IDLE, Move(0)], &stop).unwrap();
    let mut worker = referee.game().worker();
    referee.view(HIGH).replay(&mut *worker, &stop).unwrap();
    let mut rebuilt = Vec::new();
    worker.save(&mut rebuilt);
    assert_eq!(referee.reveal(LOW), rebuilt);
}

#[test]
fn revealing_the_state_is_recorded() {
    let mut referee = Referee::new(claim(), Seed::from(6), &Stop::never()).unwrap();
    assert!(referee.record().clairvoyant.is_empty());
    referee.reveal(HIGH);
    referee.reveal(HIGH);
    assert_eq!(referee.record().clairvoyant, ["high"]);
}

#[test]
fn a_record_is_read_and_replayed() {
    let game = claim();
    for seed in 0..20 {
        let record = play_claim(seed).into_record();
        let line = serde_json::to_string(&record).unwrap();
        let read: MatchRecord = serde_json::from_str(&line).unwrap();
        assert_eq!(read, record);
        let again = read.replay(&*game, &Stop::never()).unwrap();
        assert_eq!((again.states.len(), again.chance), (6, ChanceProof::Proven));
    }
}

#[test]
fn a_forged_record_is_detected() {
    let game = claim();
    let record = play_claim(8).into_record();
    let forged = |forge: &dyn Fn(&mut MatchRecord)| {
        let mut forgery = record.clone();
        forge(&mut forgery);
        forgery.replay(&*game, &Stop::never()).unwrap_err()
    };
    let differs = |step, what| ReplayError::Differs { step, what };
    assert_eq!(forged(&|r| r.schema = 99), ReplayError::Schema(99));
    assert_eq!(forged(&|r| r.rules_hash = "00".into()), ReplayError::OtherRules);
    assert_eq!(forged(&|r| r.percepts[3] = None), differs(4, "percepts"));
    assert_eq!(forged(&|r| r.gains = vec![vec![1.0, 0.0, 0.0]]), differs(1, "gains"));
    assert_eq!(forged(&|r| r.silent[0] = 4), differs(1, "silent steps"));
    assert_eq!(forged(&|r| r.end = None), differs(5, "end"));
    let rewards = forged(&|r| r.rewards = vec![Some(7.0), Some(7.0)]);
    assert!(matches!(rewards, ReplayError::Rewards { .. }));
    assert_eq!(forged(&|r| drop(r.moves.pop())), ReplayError::Open { step: 4 });
    assert_eq!(forged(&|r| r.moves.push(r.moves[4].clone())), ReplayError::Over { step: 5 });
    assert_eq!(forged(&|r| drop(r.moves[2].pop())), ReplayError::Length { step: 3 });
    assert_eq!(
        forged(&|r| drop(r.players.pop())),
        ReplayError::Seats { seats: 2, players: 1, rewards: 2 }
    );
    let unknown = forged(&|r| r.moves[4][0] = "cheat".into());
    assert_eq!(unknown.to_string(), "step 5: the game has no move `cheat`");
    let illegal = forged(&|r| r.moves[1] = r.moves[0].clone());
    assert!(matches!(illegal, ReplayError::Illegal { step: 2, .. }));
}

/// A deal that does not follow from the seed, or a seed that was changed afterwards, is detected.
#[test]
fn chance_is_proven_to_be_fair() {
    let game = claim();
    let record = play_claim(8).into_record();
    let forged = |forge: &dyn Fn(&mut MatchRecord)| {
        let mut forgery = record.clone();
        forge(&mut forgery);
        forgery.replay(&*game, &Stop::never())
    };
    let other = |r: &mut MatchRecord| {
        let cards = ["(deal 0)", "(deal 1)"];
        let card = cards.iter().find(|card| **card != r.moves[0][2]).unwrap();
        r.moves[0][2] = (*card).to_owned();
    };
    assert!(matches!(forged(&other), Err(ReplayError::Drawn { step: 1, .. })));
    let seed = |r: &mut MatchRecord| r.seed = Seed::from(9).to_string();
    assert_eq!(forged(&seed), Err(ReplayError::Promise));
    let salt = |r: &mut MatchRecord| r.salt = Seed::from(9).to_string();
    assert_eq!(forged(&salt), Err(ReplayError::Promise));
    // Another seed with its own hash does not lead to the same deal.
    let both = |r: &mut MatchRecord| {
        let other = play_claim(9).into_record();
        (r.seed, r.salt, r.seed_hash) = (other.seed, other.salt, other.seed_hash);
    };
    assert!(matches!(forged(&both), Err(ReplayError::Drawn { .. })));
    // A record without a seed is replayed, but proves nothing.
    let silent = |r: &mut MatchRecord| {
        r.seed.clear();
        r.salt.clear();
    };
    assert_eq!(forged(&silent).unwrap().chance, ChanceProof::Unknown);
}
