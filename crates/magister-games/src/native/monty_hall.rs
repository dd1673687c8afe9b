//! The Monty Hall problem as in GDL-II.
//!
//! Chance hides a car behind one of three doors while the candidate chooses a door. Then chance, in
//! the role of the host, opens a door that is neither chosen nor has the car. The candidate sees
//! which one, and may stay or switch to the other closed door. The car is worth 100.
//!
//! M. Thielscher, "A general game description language for incomplete information games", 2010.

use magister_core::text::terms;
use magister_core::{Info, Information, Move, Percept, Role, Rules, Step};

/// The guessing player.
const CANDIDATE: Role = Role(0);
/// Chance, which hides the car and opens a door.
const RANDOM: Role = Role(1);

const HIDE: u32 = 0;
const CHOOSE: u32 = 3;
const OPEN: u32 = 6;
const SWITCH: u32 = 9;
const STAY: u32 = 10;

/// The rules. Moves are numbered: hide, choose and open with three doors each, switch, stay.
#[derive(Clone, Copy, Debug)]
pub struct MontyHall;

/// The stage. Doors are counted from 1; 0 is an unknown door.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stage {
    car: u8,
    chosen: u8,
    open: u8,
    over: bool,
}

magister_core::pack_struct!(Stage { car: u8, chosen: u8, open: u8, over: bool });

impl Rules for MontyHall {
    type State = Stage;

    fn info(&self) -> Info {
        Info {
            chance: Some(RANDOM),
            moves: Some(11),
            max_length: Some(3),
            information: Information::Hidden,
            ..Info::new("monty-hall", &["candidate", "random"], "monty-hall 1")
        }
    }

    fn initial(&self) -> Stage {
        Stage { car: 0, chosen: 0, open: 0, over: false }
    }

    fn terminal(&self, stage: &Stage) -> bool {
        stage.over
    }

    fn legal(&self, stage: &Stage, role: Role, out: &mut Vec<Move>) {
        if stage.car == 0 {
            let first = if role == RANDOM { HIDE } else { CHOOSE };
            out.extend((first..first + 3).map(Move));
        } else if stage.open == 0 {
            if role == RANDOM {
                let closed = |&door: &u8| door != stage.car && door != stage.chosen;
                out.extend((1..4).filter(closed).map(|door| Move(OPEN + u32::from(door) - 1)));
            }
        } else if role == CANDIDATE {
            out.extend([Move(SWITCH), Move(STAY)]);
        }
    }

    fn step(&self, stage: &mut Stage, joint: &[Move], out: &mut Step) {
        let [own, other] = [joint[CANDIDATE.index()].0, joint[RANDOM.index()].0];
        if stage.car == 0 {
            stage.car = (other - HIDE) as u8 + 1;
            stage.chosen = (own - CHOOSE) as u8 + 1;
        } else if stage.open == 0 {
            stage.open = (other - OPEN) as u8 + 1;
            out.percepts.insert(CANDIDATE, Percept(other - OPEN));
        } else {
            if own == SWITCH {
                // The numbers of the three doors add up to 6.
                stage.chosen = 6 - stage.chosen - stage.open;
            }
            stage.over = true;
        }
    }

    fn reward(&self, stage: &Stage, _role: Role) -> f64 {
        if stage.chosen == stage.car { 100.0 } else { 0.0 }
    }

    fn valid(&self, stage: &Stage) -> bool {
        let known = |door: u8| (1..=3).contains(&door);
        if stage.car == 0 {
            *stage == self.initial()
        } else if stage.open == 0 {
            known(stage.car) && known(stage.chosen) && !stage.over
        } else {
            let apart = stage.open != stage.car && stage.open != stage.chosen;
            known(stage.car) && known(stage.chosen) && known(stage.open) && apart
        }
    }

    fn move_text(&self, choice: Move) -> String {
        match choice.0 {
            door @ HIDE..CHOOSE => format!("(hide-car {})", door - HIDE + 1),
            door @ CHOOSE..OPEN => format!("(choose-door {})", door - CHOOSE + 1),
            door @ OPEN..SWITCH => format!("(open-door {})", door - OPEN + 1),
            SWITCH => "switch".to_owned(),
            _ => "stay".to_owned(),
        }
    }

    fn percepts(&self) -> u32 {
        3
    }

    fn percept_text(&self, percept: Percept) -> String {
        format!("(open-door {})", percept.0 + 1)
    }

    fn state_text(&self, stage: &Stage) -> String {
        let over = if stage.over { " over" } else { "" };
        format!("((car {}) (chosen {}) (open {}){over})", stage.car, stage.chosen, stage.open)
    }

    fn parse_state(&self, text: &str) -> Option<Stage> {
        let mut stage = self.initial();
        for term in terms(text)? {
            match term[..] {
                ["car", door] => stage.car = door.parse().ok()?,
                ["chosen", door] => stage.chosen = door.parse().ok()?,
                ["open", door] => stage.open = door.parse().ok()?,
                ["over"] => stage.over = true,
                _ => return None,
            }
        }
        Some(stage)
    }
}
