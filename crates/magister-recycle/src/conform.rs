//! Replays games that the original program recorded.
//!
//! A record has the result of every shuffle, every option of every decision as the list of its
//! actions, the chosen option, all moves of cards and writes to stores, and the scores. Ties are
//! not recorded, so the replay tries their outcomes in turn until the rest of the record agrees.

use std::fmt::Write as _;

use crate::game::CardGame;
use crate::machine::{Draw, Event, Machine, Position, Wait};
use crate::program::Program;

/// The result of replaying a record.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The number of games in the record.
    pub games: usize,
    /// The number of decisions that agreed.
    pub decisions: usize,
    /// The first difference of each game that did not agree.
    pub differences: Vec<String>,
}

/// One significant line of a record.
#[derive(Debug)]
enum Line<'a> {
    /// A card is moved or a store is set, in the notation of the record.
    Event(&'a str),
    /// The order of a pile after a shuffle.
    Order(Vec<&'a str>),
    Choice {
        player: u32,
        pick: usize,
        options: Vec<&'a str>,
    },
    Score(&'a str),
    /// The record was cut off.
    Cut,
}

/// Replays a record.
pub fn replay(game: &CardGame, record: &str) -> Report {
    let mut report = Report::default();
    for (seed, lines) in parse(record) {
        report.games += 1;
        let mut replayer = Replayer::new(&game.shared.program);
        match replayer.play(&lines) {
            Ok(()) => {}
            Err(difference) => report.differences.push(format!("seed {seed}: {difference}")),
        }
        report.decisions += replayer.decisions;
    }
    report
}

fn parse(record: &str) -> Vec<(&str, Vec<Line<'_>>)> {
    let mut games: Vec<(&str, Vec<Line<'_>>)> = Vec::new();
    for line in record.lines() {
        if let Some(seed) = line.strip_prefix("== seed ") {
            games.push((seed, Vec::new()));
            continue;
        }
        let Some((_, lines)) = games.last_mut() else { continue };
        if let Some(option) = line.strip_prefix("  [") {
            let text = option.split_once("] ").map_or("", |(_, text)| text);
            if let Some(Line::Choice { options, .. }) = lines.last_mut() {
                options.push(text);
            }
        } else if let Some(choice) = line.strip_prefix("@ choice ") {
            let words: Vec<&str> = choice.split(' ').collect();
            let number = |at: usize| words.get(at).and_then(|w| w.parse().ok()).unwrap_or(0usize);
            lines.push(Line::Choice {
                player: number(2) as u32,
                pick: number(6),
                options: Vec::new(),
            });
        } else if let Some(order) = line.strip_prefix("O:") {
            let cards = order.split(" | ").skip(1).map(str::trim).filter(|c| !c.is_empty());
            lines.push(Line::Order(cards.collect()));
        } else if line.starts_with("M:") || (line.starts_with("S:") && !line.ends_with("PointMap"))
        {
            lines.push(Line::Event(line));
        } else if let Some(score) = line.strip_prefix("s:") {
            lines.push(Line::Score(score));
        } else if line.starts_with("seed ") && line.contains(" LIMIT ") {
            lines.push(Line::Cut);
        }
    }
    games
}

/// A backtracking point: the state, the line, and the next outcome of the tie.
struct Tie {
    state: Vec<u64>,
    line: usize,
    decisions: usize,
    next: u32,
    count: u32,
}

/// The maximum number of ways to resolve the ties inside options.
const GUESSES: usize = 2000;

struct Replayer<'a> {
    p: &'a Program,
    machine: Machine,
    line: usize,
    decisions: usize,
    ties: Vec<Tie>,
    /// The remaining number of tie outcomes to try.
    tries: u32,
    cards: Vec<String>,
}

impl<'a> Replayer<'a> {
    fn new(p: &'a Program) -> Self {
        let mut machine = Machine::new(p);
        machine.reset(p);
        machine.logging = true;
        let cards = (0..p.cards).map(|card| card_text(p, card)).collect();
        Replayer { p, machine, line: 0, decisions: 0, ties: Vec::new(), tries: 20_000, cards }
    }

    fn play(&mut self, lines: &[Line<'_>]) -> Result<(), String> {
        let mut first = None;
        let mut ran = self.machine.run(self.p).map_err(|fault| fault.text().to_owned());
        loop {
            let went = ran.and_then(|()| self.go(lines));
            let Err(difference) = went else { return Ok(()) };
            first.get_or_insert(difference);
            // An earlier tie may have had another outcome.
            let Some(tie) = self.ties.last_mut() else { break };
            if self.tries == 0 {
                break;
            }
            self.tries -= 1;
            let outcome = tie.next;
            tie.next += 1;
            (self.line, self.decisions) = (tie.line, tie.decisions);
            let _ = self.machine.load(self.p, &tie.state);
            if tie.next >= tie.count {
                self.ties.pop();
            }
            ran = self.machine.drawn(self.p, outcome).map_err(|fault| fault.text().to_owned());
        }
        Err(first.unwrap_or_default())
    }

    /// Continues from the current state to the end of the record.
    fn go(&mut self, lines: &[Line<'_>]) -> Result<(), String> {
        loop {
            self.events(lines)?;
            match self.machine.wait {
                Wait::Shuffle { pile, at } => self.shuffle(lines, pile as usize, at as usize)?,
                Wait::Draw(draw) => {
                    let (Draw::Number(count) | Draw::Tie(count)) = draw;
                    let mut state = Vec::new();
                    self.machine.save(&mut state);
                    let (line, decisions) = (self.line, self.decisions);
                    self.ties.push(Tie { state, line, decisions, next: 1, count });
                    self.machine.drawn(self.p, 0).map_err(|fault| fault.text().to_owned())?;
                }
                Wait::Choice(choice) => {
                    if matches!(lines.get(self.line), Some(Line::Cut) | None) {
                        return Ok(());
                    }
                    self.choose(lines, choice)?;
                }
                Wait::End => return self.scores(lines),
            }
        }
    }

    /// Compares the events with the record.
    fn events(&mut self, lines: &[Line<'_>]) -> Result<(), String> {
        let events = std::mem::take(&mut self.machine.log);
        for event in &events {
            let text = match event {
                Event::Move { .. } => {
                    let action = self.action(event);
                    let text = action.strip_prefix("move ").unwrap_or(&action);
                    let text = text.rsplit_once('@').map_or(text, |(text, _)| text);
                    format!("M:{text}")
                }
                Event::Int { address, value } => {
                    format!("S:{} {value}", self.store(0, *address))
                }
                Event::Str { address, value } => {
                    let value = &self.p.rules.strings[*value as usize];
                    format!("S:{} {value}", self.store(1, *address))
                }
                // The shuffle of a pile with at most one card is recorded too.
                Event::Shuffle { .. } => {
                    if matches!(lines.get(self.line), Some(Line::Order(cards)) if cards.len() < 2) {
                        self.line += 1;
                    }
                    continue;
                }
                _ => continue,
            };
            match lines.get(self.line) {
                Some(Line::Event(recorded)) => {
                    let arrow = text.replace(" -> ", " ");
                    if recorded.replace(" -> ", " ") != arrow {
                        return Err(format!(
                            "after decision {}: here `{text}`, recorded `{recorded}`",
                            self.decisions
                        ));
                    }
                    self.line += 1;
                }
                other => {
                    return Err(format!(
                        "after decision {}: here `{text}`, recorded {}",
                        self.decisions,
                        shown(other)
                    ));
                }
            }
        }
        self.machine.log = events;
        self.machine.log.clear();
        Ok(())
    }

    fn shuffle(&mut self, lines: &[Line<'_>], pile: usize, at: usize) -> Result<(), String> {
        let Some(Line::Order(order)) = lines.get(self.line) else {
            return Err(format!("here a shuffle, recorded {}", shown(lines.get(self.line))));
        };
        let len = self.machine.pile(pile).len();
        if order.len() != len {
            return Err(format!("a shuffle of {len} cards, recorded with {}", order.len()));
        }
        if at == 1 {
            self.line += 1;
        }
        let cards = self.machine.pile(pile);
        let from = cards[..=at].iter().position(|&card| self.cards[card as usize] == order[at]);
        let Some(from) = from else {
            return Err(format!("the shuffled pile has no card {}", order[at]));
        };
        self.machine.drawn(self.p, from as u32).map_err(|fault| fault.text().to_owned())
    }

    fn choose(&mut self, lines: &[Line<'_>], choice: u32) -> Result<(), String> {
        let Some(Line::Choice { player, pick, options }) = lines.get(self.line) else {
            return Err(format!(
                "decision {}: here a choice, recorded {}",
                self.decisions,
                shown(lines.get(self.line))
            ));
        };
        let at = self.decisions;
        if *player != self.machine.current() {
            return Err(format!(
                "decision {at}: player {} decides here, recorded {player}",
                self.machine.current()
            ));
        }
        // Ties in options were resolved before the options were recorded.
        let mut guesses: Vec<u32> = Vec::new();
        let mut first = None;
        let mut ours = Vec::new();
        for _ in 0..GUESSES {
            self.machine.choosing.guess(&guesses);
            self.machine
                .expand(self.p, choice)
                .map_err(|fault| format!("decision {at}: {}", fault.text()))?;
            ours = (0..self.machine.choosing.len()).map(|option| self.option(option)).collect();
            let Some(difference) = different(&ours, options) else {
                first = None;
                break;
            };
            first.get_or_insert(format!("decision {at}: {difference}"));
            if !another(&mut guesses, self.machine.choosing.guessed()) {
                break;
            }
        }
        if let Some(difference) = first {
            return Err(difference);
        }
        let Some(option) = ours.iter().position(|ours| Some(&ours.as_str()) == options.get(*pick))
        else {
            return Err(format!("decision {at}: the chosen option is missing"));
        };
        self.line += 1;
        self.decisions += 1;
        self.machine.log.clear();
        self.machine
            .chosen(self.p, option)
            .map_err(|fault| format!("decision {at}: {}", fault.text()))
    }

    fn scores(&mut self, lines: &[Line<'_>]) -> Result<(), String> {
        for player in 0..self.p.rules.players {
            let score = self
                .machine
                .score(self.p, player)
                .map_err(|fault| format!("scores: {}", fault.text()))?;
            let ours = format!("{score} {player}");
            match lines.get(self.line) {
                Some(Line::Score(recorded)) if *recorded == ours => self.line += 1,
                other => return Err(format!("here the score `{ours}`, recorded {}", shown(other))),
            }
        }
        Ok(())
    }

    /// An option in the notation of the record.
    fn option(&self, option: usize) -> String {
        let actions = self.machine.choosing.actions(option);
        let texts: Vec<String> = actions.iter().map(|event| self.action(event)).collect();
        texts.join("; ")
    }

    fn action(&self, event: &Event) -> String {
        match event {
            Event::Move { card, from, to, at } => {
                let at = match at {
                    Position::Top => "top".to_owned(),
                    Position::Bottom => "bottom".to_owned(),
                    Position::At(index) => index.to_string(),
                };
                let (from, to) = (self.pile(*from), self.pile(*to));
                format!("move {} {from} -> {to}@{at}", self.cards[*card as usize])
            }
            Event::Int { address, value } => format!("set {} {value}", self.store(0, *address)),
            Event::Str { address, value } => {
                let value = &self.p.rules.strings[*value as usize];
                format!("setstr {} {value}", self.store(1, *address))
            }
            Event::Points { address } => {
                let name = self.p.rules.maps[*address as usize / self.p.owners as usize];
                format!("points {}", self.p.rules.strings[name as usize])
            }
            Event::Remember { .. } => "CardRememberAction".to_owned(),
            Event::Forget { .. } => "CardForgetAction".to_owned(),
            Event::Next { player } => format!("next {player}"),
            Event::Current { player } => format!("current {player}"),
            Event::Turn { player } => format!("turn {player}"),
            Event::Shuffle { .. } => "shuffle".to_owned(),
            Event::Pass => "pass".to_owned(),
        }
    }

    fn owner(&self, owner: u32) -> String {
        let players = self.p.rules.players;
        match owner {
            0 => "table".to_owned(),
            owner if owner <= players => format!("p{}", owner - 1),
            owner => (owner - 1 - players).to_string(),
        }
    }

    fn store(&self, kind: usize, address: u32) -> String {
        let names = if kind == 0 { &self.p.rules.ints } else { &self.p.rules.strs };
        let name = &self.p.rules.strings[names[(address / self.p.owners) as usize] as usize];
        format!("{} {name}", self.owner(address % self.p.owners))
    }

    fn pile(&self, pile: u32) -> String {
        let (place, owner) = self.p.pile(pile as usize);
        let vis = match place.vis.keyword() {
            "vloc" => "VISIBLE",
            "iloc" => "INVISIBLE",
            "hloc" => "HIDDEN",
            "oloc" => "OTHERS",
            _ => "MEMORY",
        };
        format!("{}:{vis}:{}", self.owner(owner), self.p.rules.strings[place.name as usize])
    }
}

/// The differences between two sets of options.
fn different(ours: &[String], recorded: &[&str]) -> Option<String> {
    let mut sorted: Vec<&str> = ours.iter().map(String::as_str).collect();
    let mut recorded = recorded.to_vec();
    sorted.sort_unstable();
    recorded.sort_unstable();
    if sorted == recorded {
        return None;
    }
    let more = sorted.iter().find(|o| !recorded.contains(o));
    let less = recorded.iter().find(|o| !sorted.contains(o));
    Some(format!(
        "{} options here, {} recorded; only here: {more:?}; only recorded: {less:?}",
        sorted.len(),
        recorded.len()
    ))
}

/// The next combination of outcomes, given the number of outcomes of each tie; false after the
/// last.
fn another(guesses: &mut Vec<u32>, counts: &[u32]) -> bool {
    guesses.resize(counts.len(), 0);
    for at in (0..counts.len()).rev() {
        if guesses[at] + 1 < counts[at] {
            guesses[at] += 1;
            guesses.truncate(at + 1);
            return true;
        }
    }
    false
}

fn shown(line: Option<&Line<'_>>) -> String {
    match line {
        None => "nothing more".to_owned(),
        Some(Line::Event(text)) => format!("`{text}`"),
        Some(Line::Order(order)) => format!("a shuffle of {} cards", order.len()),
        Some(Line::Choice { player, .. }) => format!("a choice of player {player}"),
        Some(Line::Score(score)) => format!("the score `{score}`"),
        Some(Line::Cut) => "the limit".to_owned(),
    }
}

fn card_text(p: &Program, card: usize) -> String {
    let text = &p.rules.cards[card];
    let string = |id: u32| &p.rules.strings[id as usize];
    let mut out = format!("{}!", text.number);
    for (at, &(name, value)) in text.values.iter().enumerate() {
        let separator = if at == 0 { "" } else { ";" };
        let _ = write!(out, "{separator}{}={}", string(name), string(value));
    }
    let _ = write!(out, ":{}", string(text.deck));
    out
}

/// One statistic of random games, here and recorded.
#[derive(Clone, Debug)]
pub struct Quantity {
    /// The name of the statistic.
    pub what: String,
    /// Mean, variance and number of the games here.
    pub here: (f64, f64, usize),
    /// Mean, variance and number of the recorded games.
    pub recorded: (f64, f64, usize),
}

impl Quantity {
    /// The difference of the means in standard errors. The variance is that of the larger sample,
    /// because the smaller one may miss rare events.
    pub fn errors(&self) -> f64 {
        let variance = self.here.1.max(self.recorded.1);
        let error = (variance / self.here.2.max(1) as f64
            + variance / self.recorded.2.max(1) as f64)
            .sqrt();
        let difference = (self.here.0 - self.recorded.0).abs();
        if difference < 1e-9 { 0.0 } else { difference / error.max(1e-9) }
    }
}

impl std::fmt::Display for Quantity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{}: {:.3} here in {} games, {:.3} recorded in {}, ",
            self.what, self.here.0, self.here.2, self.recorded.0, self.recorded.2,
        )?;
        // Without any deviation, a difference has no size in standard errors.
        match self.errors() {
            errors if self.here.1.max(self.recorded.1) > 0.0 || errors <= 0.0 => {
                write!(f, "{errors:.1} standard errors")
            }
            _ => f.write_str("a difference, though no game deviates from its mean"),
        }
    }
}

/// Compares random games with a summary of recorded ones: the number of decisions, the mean number
/// of options, and the score of each player. Recorded games that were cut off or failed are
/// excluded, and so are our own games of that length.
pub fn compare(
    game: &CardGame,
    trace: &str,
    games: u64,
    seed: magister_core::Seed,
) -> Vec<Quantity> {
    const MOST: u32 = 2000;
    let players = game.shared.program.rules.players as usize;
    let mut recorded: Vec<Vec<f64>> = vec![Vec::new(); 2 + players];
    for line in trace.lines().filter(|line| line.starts_with("seed ")) {
        let words: Vec<&str> = line.split(' ').collect();
        let after =
            |word: &str| words.iter().position(|w| *w == word).and_then(|at| words.get(at + 1));
        let (Some(scores), Some(moves)) =
            (after("scores"), words.iter().position(|w| *w == "moves"))
        else {
            continue;
        };
        let options: Vec<f64> = words[moves + 1..]
            .iter()
            .filter_map(|word| word.rsplit_once('/')?.1.parse().ok())
            .collect();
        recorded[0].push(options.len() as f64);
        recorded[1].push(options.iter().sum::<f64>() / options.len().max(1) as f64);
        for (player, score) in scores.split(',').enumerate().take(players) {
            recorded[2 + player].extend(score.parse::<f64>());
        }
    }
    let mut here: Vec<Vec<f64>> = vec![Vec::new(); 2 + players];
    game.sample(games, seed, MOST, |sample| {
        if sample.scores.len() == players {
            let count = sample.options.len();
            here[0].push(count as f64);
            let sum: u64 = sample.options.iter().map(|&o| u64::from(o)).sum();
            here[1].push(sum as f64 / count.max(1) as f64);
            for (player, &score) in sample.scores.iter().enumerate() {
                here[2 + player].push(f64::from(score));
            }
        }
    });
    let names = ["decisions".to_owned(), "options".to_owned()]
        .into_iter()
        .chain((0..players).map(|player| format!("score of p{player}")));
    names
        .zip(here.iter().zip(&recorded))
        .map(|(what, (here, recorded))| Quantity {
            what,
            here: moments(here),
            recorded: moments(recorded),
        })
        .collect()
}

fn moments(values: &[f64]) -> (f64, f64, usize) {
    let count = values.len().max(1) as f64;
    let mean = values.iter().sum::<f64>() / count;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count;
    (mean, variance, values.len())
}
