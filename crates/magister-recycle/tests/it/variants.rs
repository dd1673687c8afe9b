//! The variants of the thesis' games differ from the games of its table in the rule that their
//! description names: the same scripted position has another result.

use std::collections::BTreeMap;

use magister_core::{Game as _, Move, Role, Seed, Step, Stop, Worker, draw};
use magister_recycle::{CardGame, Options, examine};

pub(crate) fn game(name: &str) -> CardGame {
    let folder = format!("{}/../../games", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(format!("{folder}/{name}/rules.rcy")).unwrap();
    examine(name, &text, &Options::default()).game.unwrap()
}

/// A match whose moves a test chooses.
struct Table {
    game: CardGame,
    worker: Box<dyn Worker>,
    rng: magister_core::Rng,
}

impl Table {
    /// The position after the deal.
    fn new(name: &str, seed: u64) -> Self {
        let game = game(name);
        let worker = game.worker();
        let mut table = Table { game, worker, rng: Seed::from(seed).rng() };
        table.chance();
        table
    }

    /// Chance moves until a player decides.
    fn chance(&mut self) {
        let random = Role(self.game.info().players().count() as u8);
        while !self.worker.terminal() && self.worker.legal(random) != [Move::IDLE] {
            let drawn =
                draw(self.worker.legal(random), self.worker.weights(), &mut self.rng).unwrap();
            self.step(random, drawn);
        }
    }

    fn step(&mut self, role: Role, choice: Move) {
        let roles = self.game.info().all_roles();
        let joint: Vec<Move> =
            roles.map(|other| if other == role { choice } else { Move::IDLE }).collect();
        self.worker.step(&joint, &mut Step::new(), &Stop::never()).unwrap();
    }

    fn state(&self) -> String {
        let mut words = Vec::new();
        self.worker.save(&mut words);
        self.game.text().state_text(&words)
    }

    /// Replaces the position by an edited one.
    fn edit(&mut self, edit: impl Fn(&str) -> String) {
        let text = edit(&self.state());
        let state = self.game.text().parse_state(&text).unwrap_or_else(|| panic!("{text}"));
        self.worker.load(&state, &Stop::never()).unwrap();
    }

    /// Sets numbers, which must be 0 before.
    fn set(&mut self, numbers: &[(&str, i32)]) {
        let facts: String =
            numbers.iter().map(|(name, value)| format!(" (sto table.{name} {value})")).collect();
        self.edit(|text| format!("{}{facts})", text.strip_suffix(')').unwrap()));
    }

    /// The player that decides, and the texts of its options.
    fn options(&self) -> (usize, Vec<String>) {
        let decides = |role: &Role| self.worker.legal(*role) != [Move::IDLE];
        let role = self.game.info().players().find(decides).unwrap();
        let text = |&choice: &Move| self.game.text().move_text(choice);
        (role.index(), self.worker.legal(role).iter().map(text).collect())
    }

    /// Makes the first move whose text passes a test.
    fn play(&mut self, wanted: impl Fn(&str) -> bool) {
        let (player, texts) = self.options();
        let role = Role(player as u8);
        let at = texts.iter().position(|text| wanted(text)).unwrap_or_else(|| panic!("{texts:?}"));
        self.step(role, self.worker.legal(role)[at]);
        self.chance();
    }

    fn play_any(&mut self) {
        let count = self.options().1.len() as u64;
        let at = self.rng.below(count) as usize;
        let wanted = self.options().1[at].clone();
        self.play(|text| text == wanted);
    }

    fn goals(&self) -> Vec<f64> {
        assert!(self.worker.terminal(), "{}", self.state());
        let mut goals = Vec::new();
        let mut all = Vec::new();
        for role in self.game.info().players() {
            self.worker.goals(role, &mut goals);
            all.extend_from_slice(&goals);
        }
        all
    }

    /// The cards of a pile.
    fn pile(&self, name: &str) -> Vec<String> {
        let state = self.state();
        let Some((_, rest)) = state.split_once(&format!("({name} ")) else { return Vec::new() };
        rest.split(')').next().unwrap_or_default().split(' ').map(str::to_owned).collect()
    }
}

/// Whether a move plays a card that adds its number in Ninety-Eight.
fn adds(text: &str) -> bool {
    ["A", "2", "3", "4", "5", "6", "7", "8", "9"]
        .iter()
        .any(|rank| text.starts_with(&format!("(play {rank}")))
        && !text.starts_with("(play 10")
}

/// A seed whose deal gives the first two players a card that adds its number.
const NUMBERS: u64 = 1;

#[test]
fn the_mover_of_turn_30_loses_ninety_eight() {
    let mut table = Table::new("ninety-eight-measured", NUMBERS);
    table.set(&[("TURN", 28)]);
    table.play(adds);
    assert!(!table.worker.terminal());
    table.play(adds);
    while !table.worker.terminal() {
        assert_eq!(table.options().1, ["(pass)"]);
        table.play_any();
    }
    assert_eq!(table.goals(), [0.0, -1.0, 0.0, 0.0]);
    // In the table's game nothing has happened after two low cards.
    let mut table = Table::new("ninety-eight", NUMBERS);
    table.play(adds);
    table.play(adds);
    assert!(!table.worker.terminal());
}

#[test]
fn turn_30_makes_a_second_loser_even_if_its_mover_only_passes() {
    let mut table = Table::new("ninety-eight-measured", NUMBERS);
    table.set(&[("TURN", 27), ("TOTAL", 98)]);
    table.play(adds);
    while !table.worker.terminal() {
        table.play_any();
    }
    assert_eq!(table.goals(), [-2.0, 0.0, -1.0, 0.0]);
    let mut table = Table::new("ninety-eight", NUMBERS);
    table.set(&[("TOTAL", 98)]);
    table.play(adds);
    assert_eq!(table.goals(), [-1.0, 0.0, 0.0, 0.0]);
}

#[test]
fn the_deck_of_ninety_eight_comes_back() {
    let spent = |text: &str| text.replace("(table.iloc.STOCK ", "(table.vloc.PLAYED ");
    let hands = |name: &str| {
        let mut table = Table::new(name, NUMBERS);
        table.edit(spent);
        table.play_any();
        (table.pile("p0.iloc.HAND").len(), table.pile("table.iloc.STOCK").len())
    };
    // Nine cards of each of thirteen ranks, sixteen of them in hands.
    assert_eq!(hands("ninety-eight-released"), (4, 9 * 13 - 16));
    assert_eq!(hands("ninety-eight"), (3, 0));
}

#[test]
fn every_second_turn_of_golf_finds_no_card() {
    let movers = |name: &str| {
        let mut table = Table::new(name, 1);
        let mut movers = Vec::new();
        while !table.worker.terminal() {
            let (player, texts) = table.options();
            if texts[0].starts_with("(discard ") {
                movers.push(player);
            }
            table.play_any();
        }
        (movers, table.pile("table.iloc.STOCK").len())
    };
    let (measured, left) = movers("golf-measured");
    // Turns 1, 2, 4, 6, ..., 40 of three players.
    let turns = std::iter::once(1).chain((2..=40).step_by(2));
    assert_eq!(measured, turns.map(|turn| (turn - 1) % 3).collect::<Vec<usize>>());
    assert_eq!(left, 40 - 21);
    let (usual, left) = movers("golf");
    assert_eq!((usual.len(), left), (40, 0));
}

#[test]
fn coins_are_the_score_of_the_released_bottle_imp() {
    let suits: [[u8; 12]; 3] = [
        [1, 2, 3, 5, 7, 9, 12, 15, 18, 22, 25, 28],
        [4, 6, 8, 10, 13, 17, 20, 24, 27, 30, 32, 34],
        [11, 14, 16, 21, 23, 26, 29, 31, 33, 35, 36, 37],
    ];
    let mut coins = BTreeMap::new();
    for suit in suits {
        coins.extend(suit.iter().enumerate().map(|(at, number)| (*number, at as i32 / 2 + 1)));
    }
    let value = |card: &String| {
        let digits: String = card.chars().filter(char::is_ascii_digit).collect();
        coins[&digits.parse::<u8>().unwrap()]
    };
    for seed in 0..20 {
        let mut released = Table::new("bottle-imp-released", seed);
        let mut usual = Table::new("bottle-imp", seed);
        while !released.worker.terminal() {
            let (_, texts) = released.options();
            let wanted = &texts[seed as usize % texts.len()];
            released.play(|text| text == wanted);
            usual.play(|text| text == wanted);
        }
        let won = |player: usize| released.pile(&format!("p{player}.vloc.WON"));
        let expected: Vec<f64> =
            (0..4).map(|player| f64::from(won(player).iter().map(value).sum::<i32>())).collect();
        assert_eq!(released.goals(), expected);
        // The same tricks, but cards are counted and the bottle costs eighteen.
        let cards: Vec<f64> = (0..4).map(|player| won(player).len() as f64).collect();
        let lost: Vec<f64> =
            cards.iter().zip(usual.goals()).map(|(cards, goal)| cards - goal).collect();
        assert_eq!(lost.iter().filter(|lost| **lost == 0.0).count(), 3, "{lost:?}");
        assert!(lost.contains(&18.0), "{lost:?}");
    }
}

#[test]
fn the_lowest_card_wins_agram_in_prose() {
    let last = |name: &str| {
        let mut table = Table::new(name, 1);
        let hands = ["3C", "10C", "AC", "7H"];
        table.edit(|text| {
            // Everything but these four cards has been won.
            let piles = ["table.iloc.STOCK", "p0.iloc.HAND", "p1.iloc.HAND", "p2.iloc.HAND"];
            let mut rest = text.to_owned();
            let mut all = Vec::new();
            for name in piles.into_iter().chain(["p3.iloc.HAND"]) {
                let (before, after) = rest.split_once(&format!("({name} ")).unwrap();
                let (cards, after) = after.split_once(')').unwrap();
                all.extend(cards.split(' ').map(str::to_owned));
                rest = format!("{before}{after}");
            }
            all.retain(|card| !hands.contains(&card.as_str()));
            let mut facts = format!(" (table.vloc.WON {})", all.join(" "));
            for (player, card) in hands.iter().enumerate() {
                facts = format!(" (p{player}.iloc.HAND {card}){facts}");
            }
            format!("{}{facts})", rest.strip_suffix(')').unwrap())
        });
        while !table.worker.terminal() {
            table.play_any();
        }
        table.goals()
    };
    assert_eq!(last("thesis-agram-prose"), [-2.0, -9.0, -1.0, -10.0]);
    assert_eq!(last("thesis-agram"), [2.0, 9.0, 1.0, 0.0]);
}

#[test]
fn hearts_break_in_one_variant_only() {
    for (name, breaks) in [("thesis-hearts", false), ("thesis-hearts-broken", true)] {
        let mut early = 0;
        for seed in 0..20 {
            let mut table = Table::new(name, seed);
            (0..12).for_each(|_| table.play_any());
            let mut played = Vec::new();
            while !table.worker.terminal() {
                let (player, texts) = table.options();
                let hearts = texts.iter().filter(|text| text.ends_with("H)")).count();
                let hand = table.pile(&format!("p{player}.iloc.HAND"));
                let held = hand.iter().filter(|card| card.ends_with('H')).count();
                if played.len() % 4 == 0 && held < hand.len() {
                    let broken = played.iter().any(|text: &String| text.ends_with("H)"));
                    assert_eq!(hearts, if breaks && broken { held } else { 0 }, "{name}, {seed}");
                    early += hearts;
                }
                let at = table.rng.below(texts.len() as u64) as usize;
                table.play(|text| text == texts[at]);
                played.push(texts[at].clone());
            }
        }
        assert_eq!(early > 0, breaks, "{name}");
    }
}
