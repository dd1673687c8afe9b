//! `magister infoset`: the information set of a role.

mod dealt;
mod measure;
mod turns;

use std::fmt::Write as _;
use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, bail};
use magister_core::{Game, Halt, Information, Role, Seed, Stop, Turn};
use magister_engine::within;
use magister_infoset::{
    InfosetError, InfosetLimits, Keep, Known, ParticleFilter, Pool, Tracker, Uniform,
};
use serde_json::{Value, json};

use super::fit::{no_players, seat};
use crate::args::Infoset;
use crate::draw::has_cards;
use crate::{CLEAN, FOUND, game};

/// The maximum number of likely facts and states in text output.
const SHOWN: usize = 20;
/// The time limit for enumerating the deals of a card game.
const DEALS: Duration = Duration::from_secs(2);

/// The information set.
struct Found {
    /// States with their probabilities, without duplicates.
    states: Vec<(Vec<u64>, f64)>,
    /// The probability of the percepts; not a number if it is unknown.
    probability: f64,
    /// The number of histories that lead to the states, if all of them were followed.
    histories: Option<f64>,
    /// For a sample, its size and its effective size.
    sample: Option<(usize, f64)>,
}

pub(crate) fn run(args: &Infoset) -> Result<u8> {
    let playable = game::open(&args.game, None, &args.language.options())?;
    let game = &playable.game;
    let role = role(&**game, args.role.as_deref())?;
    if game.info().information == Information::Perfect {
        bail!(
            "{} has perfect information, so every role knows the state; `magister step` shows it",
            playable.name
        );
    }
    // The deals of a card game are sampled by the game itself.
    let cards = has_cards(game);
    if let Some(size) = args.sample.filter(|_| cards) {
        return match dealt::sampled(args, game, role, size as usize)? {
            Ok(found) => report(args, &**game, role, found),
            Err(turn) => {
                anstream::eprintln!("magister: no deal is consistent with turn {turn}");
                Ok(FOUND)
            }
        };
    }
    let limits = InfosetLimits { states: args.limit as usize, ..InfosetLimits::default() };
    // A deck has too many orders, which shows early.
    let patience = if cards { DEALS } else { Duration::MAX };
    let tracker = within(patience, &Stop::never(), |stop| {
        Tracker::with(Arc::clone(game), role, Keep::States, limits, Arc::new(Uniform), stop)
    });
    let mut tracker = match tracker {
        Ok(tracker) => tracker,
        Err(InfosetError::TooLarge | InfosetError::Halt(Halt::Stopped)) => bail!(
            "the game can begin in too many states to enumerate them; draw a sample with --sample \
             1000, or raise --limit {}",
            args.limit
        ),
        Err(error) => return Err(error.into()),
    };
    let mut lived: Vec<Turn> = Vec::new();
    // A sample begins where enumeration reaches its limit, or at the start of the game.
    let mut filter: Option<ParticleFilter> = None;
    let mut rng = Seed::from(args.seed).rng();
    if args.bench {
        let read = |tracker: &mut Tracker, lived: &[Turn], text: &str| {
            let states = turns::states(tracker, None);
            turns::read(&**game, role, Some(tracker), &states, lived.len(), text)
        };
        for text in &args.turn {
            let turn = read(&mut tracker, &lived, text)?;
            tracker.advance(&turn, &Stop::never())?;
            lived.push(turn);
        }
        return measure::run(&playable, role, &lived, args);
    }
    if let Some(size) = args.sample {
        let anchor = tracker.layer().clone();
        let model = Arc::new(Uniform);
        let game = Arc::clone(game);
        filter =
            Some(ParticleFilter::new(game, role, model, anchor, None, size as usize, &mut rng));
    }
    for text in &args.turn {
        let states = turns::states(&tracker, filter.as_ref());
        let turn = turns::read(&**game, role, Some(&tracker), &states, lived.len(), text)?;
        let made = match &mut filter {
            Some(filter) => filter.advance(&turn, &mut rng, &|| true, &Stop::never()),
            None => tracker.advance(&turn, &Stop::never()),
        };
        match made {
            Ok(()) => lived.push(turn),
            Err(InfosetError::Impossible { .. }) => {
                let why = match &filter {
                    Some(_) => "no history is consistent with this turn".to_owned(),
                    None => turns::impossible(&**game, role, &mut tracker, &turn),
                };
                let text = turns::short(text);
                anstream::eprintln!("magister: turn {} (`{text}`): {why}", lived.len() + 1);
                return Ok(FOUND);
            }
            Err(InfosetError::TooLarge) => bail!(
                "turn {} (`{text}`) leads to more states than --limit {}; raise the limit if there \
                 is enough memory, or draw a sample with --sample 10000",
                lived.len() + 1,
                args.limit
            ),
            Err(InfosetError::Halt(halt)) => return Err(halt.into()),
            Err(error) => return Err(error.into()),
        }
    }
    let found = match &filter {
        Some(filter) => sampled(filter),
        None => exact(&tracker),
    };
    report(args, &**game, role, found)
}

/// Prints an information set.
fn report(args: &Infoset, game: &dyn Game, role: Role, mut found: Found) -> Result<u8> {
    if args.asked && !go_on(game, &mut found)? {
        anstream::eprintln!(
            "magister: the game is over in every state that is consistent with these turns"
        );
        return Ok(FOUND);
    }
    let states = found.states.iter().map(|(state, share)| (&state[..], *share));
    let known = Known::of(game, role, states, &Stop::never())?;
    let mut out = anstream::stdout().lock();
    if args.json {
        let object = as_json(args, game, role, &found, &known);
        writeln!(out, "{object}")?;
    } else {
        out.write_all(as_text(args, game, role, &found, &known).as_bytes())?;
    }
    Ok(CLEAN)
}

/// The requested role.
fn role(game: &dyn Game, name: Option<&str>) -> Result<Role> {
    let info = game.info();
    let players: Vec<Role> = info.players().collect();
    let names: Vec<&str> = players.iter().map(|&role| info.role_name(role)).collect();
    let Some(name) = name else {
        return match players[..] {
            [only] => Ok(only),
            [] => Err(no_players(info)),
            _ => bail!("choose a role with --role: {}", names.join(", ")),
        };
    };
    seat(info, name)
}

fn exact(tracker: &Tracker) -> Found {
    let layer = tracker.layer();
    let states = (0..layer.len()).map(|at| (layer.state(at).to_vec(), layer.share(at))).collect();
    let histories = (0..layer.len()).map(|at| layer.histories(at)).sum();
    let probability = tracker.probability();
    Found { states, probability, histories: Some(histories), sample: None }
}

/// The states of a sample, without duplicates.
fn sampled(filter: &ParticleFilter) -> Found {
    let mut pool = Pool::default();
    let mut shares: Vec<f64> = Vec::new();
    for at in 0..filter.len() {
        let (number, new) = pool.insert(filter.state(at));
        if new {
            shares.push(0.0);
        }
        shares[number] += filter.weight(at);
    }
    let states =
        shares.iter().enumerate().map(|(at, &share)| (pool.get(at).to_vec(), share)).collect();
    let sample = Some((filter.len(), filter.effective()));
    Found { states, probability: filter.log_probability().exp(), histories: None, sample }
}

/// Keeps only the states in which the game is not over; returns false if there are none.
fn go_on(game: &dyn Game, found: &mut Found) -> Result<bool> {
    let mut worker = game.worker();
    let mut open = Vec::new();
    for (state, share) in found.states.drain(..) {
        worker.load(&state, &Stop::never())?;
        if !worker.terminal() {
            open.push((state, share));
        }
    }
    let total: f64 = open.iter().map(|(_, share)| share).sum();
    open.iter_mut().for_each(|(_, share)| *share /= total);
    found.states = open;
    found.probability *= total;
    Ok(!found.states.is_empty())
}

/// The number of distinct boards; `None` if the game has no board.
fn boards(game: &dyn Game, found: &Found) -> Option<usize> {
    let board = game.board()?;
    let mut pool = Pool::default();
    let mut cells = vec![0; board.shape().cells.len()];
    for (state, _) in &found.states {
        board.cells(state, &mut cells);
        let row: Vec<u64> = cells.iter().map(|&cell| u64::from(cell)).collect();
        pool.insert(&row);
    }
    Some(pool.len())
}

/// The states in display order.
fn ordered(game: &dyn Game, found: &Found) -> Vec<(String, f64)> {
    let text = |(state, share): &(Vec<u64>, f64)| (game.text().state_text(state), *share);
    let mut states: Vec<(String, f64)> = found.states.iter().map(text).collect();
    states.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    states
}

fn as_json(args: &Infoset, game: &dyn Game, role: Role, found: &Found, known: &Known) -> Value {
    let likely: Vec<Value> = known
        .likely()
        .iter()
        .map(|(fact, share)| json!({"fact": fact, "probability": share}))
        .collect();
    let legal: Vec<String> =
        known.legal().iter().map(|&choice| game.text().move_text(choice)).collect();
    let mut object = json!({
        "game": args.game,
        "role": game.info().role_name(role),
        "turns": args.turn.len(),
        "exact": found.sample.is_none(),
        "states": found.states.len(),
        "boards": boards(game, found),
        "probability": tidy(found.probability),
        "over": tidy(known.over),
        "legal": legal,
        "certain": known.certain().collect::<Vec<_>>(),
        "likely": likely,
    });
    if let Some(histories) = found.histories {
        object["courses"] = json!(histories);
    }
    if let Some((size, effective)) = found.sample {
        // A fact that holds in every state of a sample may still be false.
        object["in_all_of_sample"] = object["certain"].take();
        object["sample"] = json!(size);
        object["effective"] = json!(effective);
    }
    if args.states {
        let states: Vec<Value> = ordered(game, found)
            .into_iter()
            .map(|(state, share)| json!({"state": state, "probability": share}))
            .collect();
        object["list"] = json!(states);
    }
    object
}

fn as_text(args: &Infoset, game: &dyn Game, role: Role, found: &Found, known: &Known) -> String {
    let mut text = String::new();
    let name = game.info().role_name(role);
    let turns = super::plural(args.turn.len(), "turn");
    let states = super::plural(found.states.len(), "state");
    let _ = match found.sample {
        None => writeln!(text, "{name} after {turns}: {states}"),
        Some((size, effective)) => writeln!(
            text,
            "{name} after {turns}: {states} in a sample of {size} (effective size {effective:.0})"
        ),
    };
    if let Some(boards) = boards(game, found) {
        let _ = writeln!(text, "boards:      {boards}");
    }
    let sampled = found.sample.is_some();
    // The sampler of a card game does not estimate it.
    if found.probability.is_finite() {
        let _ = writeln!(text, "probability: {}", probability(found.probability, sampled));
    }
    if let Some(histories) = found.histories {
        let _ = writeln!(text, "histories:   {histories}");
    }
    if known.over > 0.0 {
        let _ = writeln!(text, "over:        {}", probability(known.over, sampled));
    }
    let legal: Vec<String> =
        known.legal().iter().map(|&choice| game.text().move_text(choice)).collect();
    let _ = writeln!(text, "legal:       {}", shortened(legal.iter().map(String::as_str)));
    let certain = if sampled { "in all of the sample:" } else { "certain:    " };
    let _ = writeln!(text, "{certain} {}", shortened(known.certain()));
    let likely = known.likely();
    for (number, (fact, share)) in likely.iter().take(SHOWN).enumerate() {
        let head = if number == 0 { "likely:" } else { "" };
        let _ = writeln!(text, "{head:13}{:<10}  {fact}", short(*share));
    }
    if likely.len() > SHOWN {
        let _ = writeln!(text, "{:13}and {} more; --json lists all", "", likely.len() - SHOWN);
    }
    if args.states {
        for (state, share) in ordered(game, found) {
            let _ = writeln!(text, "{:<10}  {state}", short(share));
        }
    }
    text
}

/// Words separated by commas, up to a readable number.
fn shortened<'a>(words: impl Iterator<Item = &'a str>) -> String {
    let all: Vec<&str> = words.collect();
    match all.len() {
        0 => "nothing".to_owned(),
        many if many > 2 * SHOWN => {
            format!("{}, and {} more", all[..SHOWN].join(", "), many - SHOWN)
        }
        _ => all.join(", "),
    }
}

fn short(share: f64) -> String {
    if share < 1e-4 { format!("{share:.2e}") } else { format!("{share:.5}") }
}

/// Rounds a probability that differs from 1 only by rounding errors.
fn tidy(share: f64) -> f64 {
    if (share - 1.0).abs() <= 1e-12 { 1.0 } else { share }
}

/// A probability, with its fraction if it is a simple one. A sample gives an estimate, without a
/// fraction.
fn probability(share: f64, sampled: bool) -> String {
    let share = tidy(share);
    if sampled {
        return if share > 0.0 && share < 1e-3 {
            format!("about {share:.1e}")
        } else {
            let text = format!("{share:.3}");
            format!("about {}", text.trim_end_matches('0').trim_end_matches('.'))
        };
    }
    match fraction(share) {
        Some((over, under)) if under > 1 => format!("{share:.6} ({over}/{under})"),
        Some((whole, _)) => format!("{whole}"),
        None if share < 1e-4 => format!("{share:.4e}"),
        None => format!("{share:.6}"),
    }
}

/// The simplest fraction that equals a number up to rounding.
fn fraction(number: f64) -> Option<(u64, u64)> {
    let (mut before, mut now) = ((0_u64, 1_u64), (1_u64, 0_u64));
    let mut rest = number;
    for _ in 0..20 {
        let whole = rest.floor();
        if !(0.0..1e9).contains(&whole) {
            return None;
        }
        let whole = whole as u64;
        let next = (whole * now.0 + before.0, whole * now.1 + before.1);
        (before, now) = (now, next);
        if now.1 > 1_000_000 {
            return None;
        }
        if (now.0 as f64 / now.1 as f64 - number).abs() <= number * 1e-13 {
            return Some(now);
        }
        rest = 1.0 / (rest - whole as f64);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{fraction, probability};

    #[test]
    fn fractions_are_found_where_there_are_any() {
        assert_eq!(fraction(5.0 / 96.0), Some((5, 96)));
        assert_eq!(fraction(1.0), Some((1, 1)));
        assert_eq!(fraction(std::f64::consts::FRAC_1_PI), None);
        assert_eq!(fraction(0.0), Some((0, 1)));
        assert_eq!(fraction(f64::NAN), None);
        assert_eq!(probability(47.0 / 288.0, false), "0.163194 (47/288)");
        assert_eq!(probability(0.999_999_999_999_999_7, false), "1");
    }

    #[test]
    fn estimates_are_marked() {
        assert_eq!(probability(1.0, true), "about 1");
        assert_eq!(probability(17.0 / 18.0, true), "about 0.944");
        assert_eq!(probability(1.0 / 18_432.0, true), "about 5.4e-5");
        assert_eq!(probability(0.0, true), "about 0");
    }
}
