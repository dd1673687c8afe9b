//! Card games that exist in RECYCLE and in GDL-II are the same games, tested by parallel random
//! matches.

use std::sync::Arc;

use magister_core::{Game, Move, Role, Seed, Step, Stop, Worker, draw};
use magister_engine::prepare;
use magister_games::catalogue;
use magister_gdl::read;
use magister_recycle::{CardGame, Options, examine};

fn cards(name: &str, text: &str) -> CardGame {
    examine(name, text, &Options::default()).game.unwrap_or_else(|| panic!("{name} has errors"))
}

/// A random match of one game in parallel with its twin: the same deal, the same options, the same
/// moves, the same rewards.
struct Twins {
    recycle: CardGame,
    gdl: Arc<dyn Game>,
    /// The name of an option in GDL.
    action: fn(&str) -> String,
    /// The moves of chance in GDL, given the state of the card game.
    deal: fn(&str) -> Vec<String>,
}

impl Twins {
    fn of(name: &str, action: fn(&str) -> String, deal: fn(&str) -> Vec<String>) -> Self {
        Self::altered(name, ["", ""], action, deal)
    }

    /// The first text in the rules of the card game is replaced by the second.
    fn altered(
        name: &str,
        [rule, other]: [&str; 2],
        action: fn(&str) -> String,
        deal: fn(&str) -> Vec<String>,
    ) -> Self {
        let entry = catalogue::find(name).unwrap();
        let main = entry.sheet.unwrap();
        let twin = entry.twins.iter().find(|twin| twin.name == "recycle").unwrap();
        let rules = read(main.text, &magister_gdl::Options::default()).rules;
        let gdl = prepare(&rules, main.text, name, None, &Stop::never()).unwrap().game;
        assert!(twin.sheet.text.contains(rule), "{name}: {rule}");
        let recycle = cards(name, &twin.sheet.text.replacen(rule, other, 1));
        Twins { recycle, gdl, action, deal }
    }

    fn play(&self, seed: u64) {
        let mut rng = Seed::from(seed).rng();
        let (mut one, mut other) = (self.recycle.worker(), self.gdl.worker());
        let mut step = Step::new();
        loop {
            // Chance moves in the card game, until a player decides.
            while !one.terminal() && one.legal(Role(2)) != [Move::IDLE] {
                let drawn = draw(one.legal(Role(2)), one.weights(), &mut rng).unwrap();
                one.step(&[Move::IDLE, Move::IDLE, drawn], &mut step, &Stop::never()).unwrap();
            }
            let mut state = Vec::new();
            one.save(&mut state);
            let state = self.recycle.text().state_text(&state);
            while !other.terminal() && other.legal(Role(2)).len() > 1 {
                let text = self.gdl.text();
                let wanted = (self.deal)(&state);
                let legal = other.legal(Role(2)).iter().copied();
                let drawn = legal
                    .map(|choice| (choice, text.move_text(choice)))
                    .find(|(_, text)| wanted.contains(text))
                    .unwrap_or_else(|| panic!("no {wanted:?} for {state}"))
                    .0;
                self.step(&mut *other, Role(2), drawn);
            }
            assert_eq!(one.terminal(), other.terminal(), "{state}");
            if one.terminal() {
                break;
            }
            let player = (0..2).map(Role).find(|&role| one.legal(role) != [Move::IDLE]).unwrap();
            let names = |worker: &dyn Worker, game: &dyn Game| -> Vec<(String, Move)> {
                let named = |&choice: &Move| (game.text().move_text(choice), choice);
                worker.legal(player).iter().map(named).collect()
            };
            let mut left: Vec<(String, Move)> = names(&*one, &self.recycle)
                .into_iter()
                .map(|(text, choice)| ((self.action)(&text), choice))
                .collect();
            let mut right = names(&*other, &*self.gdl);
            // A raise is a bet after a bet.
            for (text, _) in &mut right {
                if text == "raise" && !left.iter().any(|(name, _)| name == "raise") {
                    "bet".clone_into(text);
                }
            }
            left.sort();
            right.sort();
            let texts = |list: &[(String, Move)]| -> Vec<String> {
                list.iter().map(|(text, _)| text.clone()).collect()
            };
            assert_eq!(texts(&left), texts(&right), "{state}");
            let at = rng.below(left.len() as u64) as usize;
            let mut joint = vec![Move::IDLE; 3];
            joint[player.index()] = left[at].1;
            one.step(&joint, &mut step, &Stop::never()).unwrap();
            self.step(&mut *other, player, right[at].1);
        }
        let (mut left, mut right) = (Vec::new(), Vec::new());
        for role in [Role(0), Role(1)] {
            one.goals(role, &mut left);
            other.goals(role, &mut right);
            assert_eq!(left, right);
        }
    }

    /// One role moves, the others have one legal move each.
    fn step(&self, worker: &mut dyn Worker, role: Role, choice: Move) {
        let joint: Vec<Move> = self
            .gdl
            .info()
            .all_roles()
            .map(|other| if other == role { choice } else { worker.legal(other)[0] })
            .collect();
        worker.step(&joint, &mut Step::new(), &Stop::never()).unwrap();
    }
}

/// The cards of a pile in the text of a state, in lower case.
fn pile(state: &str, name: &str) -> Vec<String> {
    let Some((_, rest)) = state.split_once(&format!("({name} ")) else { return Vec::new() };
    let words = rest.split(')').next().unwrap_or_default().split(' ');
    words.map(str::to_lowercase).collect()
}

fn hands(state: &str) -> [String; 2] {
    [0, 1].map(|player| pile(state, &format!("p{player}.iloc.HAND")).concat())
}

/// An option without its parentheses.
fn bare(text: &str) -> String {
    text.trim_matches(['(', ')']).to_owned()
}

/// The full rank and suit of a card in short form, such as `qh`.
fn in_full(card: &str) -> String {
    let ranks = [('j', "jack"), ('q', "queen"), ('k', "king"), ('a', "ace")];
    let suits = [('h', "hearts"), ('s', "spades")];
    let word = |list: &[(char, &str)], letter: Option<char>| {
        let found = list.iter().find(|(known, _)| Some(*known) == letter);
        found.map(|(_, word)| (*word).to_owned()).unwrap_or_default()
    };
    let mut letters = card.chars();
    let (rank, suit) = (letters.next(), letters.next());
    format!("{} {}", word(&ranks, rank), word(&suits, suit))
}

fn number(rank: &str) -> String {
    let names = ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
    let at = names.iter().position(|name| *name == rank);
    at.map_or_else(|| rank.to_owned(), |at| (at + 2).to_string())
}

#[test]
fn kuhn_poker_is_the_same_in_both_languages() {
    let action = bare;
    let deal = |state: &str| {
        let [one, other] = hands(state);
        vec![format!("(deal {one} {other})")]
    };
    let twins = Twins::of("kuhn-poker", action, deal);
    (0..500).for_each(|seed| twins.play(seed));
}

#[test]
fn leduc_poker_is_the_same_in_both_languages() {
    // A raise is a bet after a bet.
    let action = |text: &str| bare(text).replace("raise", "bet");
    let deal = |state: &str| {
        let [one, other] = hands(state).map(|card| in_full(&card));
        let board = in_full(&pile(state, "table.vloc.BOARD").concat());
        vec![format!("(deal {one} {other})"), format!("(turn {board})")]
    };
    let twins = Twins::of("leduc-poker", action, deal);
    (0..500).for_each(|seed| twins.play(seed));
}

#[test]
fn the_exercise_is_the_same_in_both_languages() {
    let action = bare;
    let deal = |state: &str| {
        let [one, other] = hands(state).map(|card| number(&card));
        vec![format!("(deal {one} {other})")]
    };
    let twins = Twins::of("high-card", action, deal);
    (0..300).for_each(|seed| twins.play(seed));
}

/// The deal of High Card with stakes in GDL.
fn stakes_deal(state: &str) -> Vec<String> {
    let [one, other] = hands(state).map(|card| number(&card));
    vec![format!("(deal {one} {other})")]
}

/// A number is part of the option, as in GDL.
fn stakes_action(text: &str) -> String {
    if text.contains(' ') { text.to_owned() } else { bare(text) }
}

/// The deals of Three Tricks in GDL.
fn tricks_deal(state: &str) -> Vec<String> {
    let mut deals = Vec::new();
    for (player, name) in ["alice", "bob"].iter().enumerate() {
        let cards = pile(state, &format!("p{player}.iloc.HAND"));
        deals.extend(cards.iter().map(|card| format!("(deal {name} {})", in_full(card))));
    }
    deals
}

fn tricks_action(text: &str) -> String {
    let text = bare(text);
    let card = text.split(' ').nth(1).unwrap_or_default();
    format!("(play {})", in_full(&card.to_lowercase()))
}

#[test]
fn the_exercise_with_stakes_is_the_same_in_both_languages() {
    let twins = Twins::of("high-card-stakes", stakes_action, stakes_deal);
    (0..500).for_each(|seed| twins.play(seed));
}

#[test]
fn tricks_are_the_same_in_both_languages() {
    let twins = Twins::of("three-tricks", tricks_action, tricks_deal);
    (0..500).for_each(|seed| twins.play(seed));
}

/// The comparison finds a single changed rule.
#[test]
fn a_changed_rule_is_found() {
    let stakes = |rules| Twins::altered("high-card-stakes", rules, stakes_action, stakes_deal);
    let tricks = |rules| Twins::altered("three-tricks", rules, tricks_action, tricks_deal);
    let altered = [
        // A fold after a raise costs one unit instead of the stake.
        stakes(["(set (game sto PAID) (game sto STAKE))", "(set (game sto PAID) 1)"]),
        // A player can raise by all that it has, even by what it must put in first.
        stakes([
            "(- ((current player) sto MONEY) (game sto STAKE))",
            "((current player) sto MONEY)",
        ]),
        // A player that goes all in pays what it does not have.
        stakes(["(> (game sto PAID) ((current player) sto MONEY))", "(> (game sto PAID) 40)"]),
        // No player must follow suit.
        tricks(["(or (== (size 'FOLLOW) 0)", "(or (>= (size 'FOLLOW) 0)"]),
        // Off-suit cards can take a trick.
        tricks(["((SUIT : (game str LED)) 10)", "((SUIT : (game str LED)) 1)"]),
        // Three tricks are worth as much as two.
        tricks(["(> ('P sto TRICKS) 1) (inc", "(== ('P sto TRICKS) 2) (inc"]),
    ];
    for (number, twins) in altered.iter().enumerate() {
        let play = || (0..500).for_each(|seed| twins.play(seed));
        let found = std::panic::catch_unwind(std::panic::AssertUnwindSafe(play));
        assert!(found.is_err(), "rule {number}");
    }
}
