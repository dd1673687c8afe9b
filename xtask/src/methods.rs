//! Which methods are right: decisions with known answers in small games with hidden information,
//! for every player that supports them.

mod exploited;

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use clap::Args;
use magister_arena::{AgentThread, TimeControl};
use magister_core::{Game, Move, Referee, Role, Said, Seed, Stop, View};
use magister_players::Spec;

use crate::binary;

#[derive(Args)]
pub(crate) struct Options {
    /// The number of decisions per player
    #[arg(long, default_value_t = 100)]
    seeds: u64,
    /// The time per decision in milliseconds, instead of iterations
    #[arg(long)]
    time: Option<u64>,
    /// The iterations per decision
    #[arg(long, default_value_t = 1_000)]
    iterations: u64,
    /// How often a player is asked in each information set, for its exploitability
    #[arg(long, default_value_t = 5)]
    times: u32,
    /// Only these players
    #[arg(long, value_delimiter = ',')]
    players: Vec<String>,
    /// Print only, and do not write docs/hidden.md; implied by --players
    #[arg(long)]
    print: bool,
}

/// A decision.
struct Case {
    /// Its title in the table.
    title: &'static str,
    game: &'static str,
    role: &'static str,
    /// The earlier moves of this role. The others and chance move at random.
    before: &'static [&'static str],
    /// The right move, and its value.
    right: &'static str,
    worth: &'static str,
}

const CASES: &[Case] = &[
    Case {
        title: "Exploding Bomb",
        game: "exploding-bomb",
        role: "agent",
        before: &["noop"],
        right: "ask",
        worth: "90",
    },
    Case {
        title: "Exploding Bomb, tell",
        game: "exploding-bomb-tell",
        role: "agent",
        before: &["arm(red)"],
        right: "noop",
        worth: "50",
    },
    Case {
        title: "the same, as printed",
        game: "exploding-bomb-tell-printed",
        role: "agent",
        before: &["arm(red)"],
        right: "noop",
        worth: "50",
    },
    Case {
        title: "the same, with a bonus",
        game: "exploding-bomb-tell-bonus",
        role: "agent",
        before: &["arm(red)"],
        right: "noop",
        worth: "45",
    },
    Case {
        title: "Monty Hall",
        game: "monty-hall",
        role: "candidate",
        before: &["(choose 1)", "noop"],
        right: "switch",
        worth: "66.67",
    },
];

const PLAYERS: &[&str] = &[
    "bayes",
    "pimc",
    "hyperplay",
    "thesis-honest",
    "thesis-honest:flaws=1",
    "so-ismcts",
    "mo-ismcts:root=own",
    "mo-ismcts:root=start",
    "mo-ismcts",
    "hyperplay2",
    "honest",
];

/// The answers of a player in a case.
#[derive(Default)]
struct Answers {
    right: u64,
    /// The sums of its values for the right move and for the best other move, if it reported them.
    values: (f64, f64),
    valued: u64,
}

#[expect(clippy::print_stdout, reason = "printing is the purpose of the command")]
pub(crate) fn run(options: &Options) -> Result<()> {
    let players: Vec<&str> = match &options.players[..] {
        [] => PLAYERS.to_vec(),
        given => given.iter().map(String::as_str).collect(),
    };
    let budget = match options.time {
        Some(time) => format!("{time} ms"),
        None => format!("{} iterations", options.iterations),
    };
    let mut table = String::new();
    let heads: Vec<String> = CASES.iter().map(|case| format!(" {} |", case.title)).collect();
    let _ = writeln!(table, "| player |{}", heads.concat());
    let _ = writeln!(table, "|---|{}", "---|".repeat(CASES.len()));
    let exact: Vec<String> =
        CASES.iter().map(|case| format!(" {}, {} |", case.right, case.worth)).collect();
    let _ = writeln!(table, "| exact |{}", exact.concat());
    for player in players {
        let mut line = format!("| `{player}` |");
        for case in CASES {
            let answers = ask(case, player, options)?;
            let _ = write!(line, " {} of {}", answers.right, options.seeds);
            if answers.valued > 0 {
                let all = answers.valued as f64;
                let (right, other) = (answers.values.0 / all, answers.values.1 / all);
                let _ = write!(line, " ({right:.0} : {other:.0})");
            }
            line.push_str(" |");
        }
        println!("{line}");
        let _ = writeln!(table, "{line}");
    }
    let exploited = if options.players.is_empty() {
        exploited::table(options.iterations, options.times)?
    } else {
        String::new()
    };
    if options.print || !options.players.is_empty() {
        return Ok(());
    }
    let text = format!(
        "# Methods for hidden information\n\n\
         Each column is a decision with a known answer in a small game with hidden \
         information.\n\
         Each player decides {} times with {budget}. The table shows how often it was right, and in \
         parentheses its values of the right move and of the best other one, if it reports them.\n\
         `cargo xtask methods` writes this file.\n\n{table}\n\
         ## Exploitability\n\n\
         If optimal play is mixed, no single decision shows whether a player is \
         right.\n\
         So every player is asked in every information set, {} times with {} iterations, and the exact \
         best responses to its strategy are computed.\n\
         The table shows their mean gain over the roles, in percent of the range of payoffs: the \
         exploitability.\n\
         The strategy of a player that does not report probabilities is estimated from its answers, so \
         the player seems worse than it is.\n\
         `magister solve GAME --player PLAYER` computes the same for any game that is small \
         enough.\n\n{exploited}",
        options.seeds, options.times, options.iterations
    );
    std::fs::write(binary::root().join("docs/hidden.md"), text)?;
    Ok(())
}

/// Asks a player for a decision with every seed.
fn ask(case: &Case, player: &str, options: &Options) -> Result<Answers> {
    let game = magister::open(case.game)?.game;
    let role = game.info().role(case.role).context("no such role")?;
    let right = game.text().parse_move(role, case.right).context("no such move")?;
    let spec: Spec = player.parse()?;
    let time = options.time.map(Duration::from_millis);
    let iterations = options.time.is_none().then_some(options.iterations);
    let limits = TimeControl { time, iterations, ..TimeControl::default() };
    let mut answers = Answers::default();
    for seed in 0..options.seeds {
        let seed = Seed::from(seed);
        let view = reach(&game, role, case, seed)?;
        let mut thread = AgentThread::new(Arc::new(spec.clone()), Arc::clone(&game), role)?;
        let said = thread.decide(&view, seed.derive("agent").rng(), &limits).said;
        let Said::Decision(decision) = said else {
            anyhow::bail!("{player} in {}: {said:?}", case.title)
        };
        answers.right += u64::from(decision.choice == right);
        let value = |wanted: bool| {
            let of = decision.thoughts.iter().filter(|t| (t.choice == right) == wanted);
            of.filter_map(|thought| thought.value).reduce(f64::max)
        };
        if let (Some(good), Some(other)) = (value(true), value(false)) {
            answers.values.0 += good;
            answers.values.1 += other;
            answers.valued += 1;
        }
    }
    Ok(answers)
}

/// The view of a role at its decision.
fn reach(game: &Arc<dyn Game>, role: Role, case: &Case, seed: Seed) -> Result<View> {
    let mut referee = Referee::new(Arc::clone(game), seed, &Stop::never())?;
    let mut rng = seed.derive("others").rng();
    for text in case.before {
        let own = game.text().parse_move(role, text).context("no such move")?;
        let mut moves: Vec<Move> = Vec::new();
        for whose in game.info().all_roles() {
            let legal = referee.legal(whose);
            ensure!(whose != role || legal.contains(&own), "{text} is not legal");
            let drawn = legal[rng.below(legal.len() as u64) as usize];
            moves.push(if whose == role { own } else { drawn });
        }
        referee.advance(&moves, &Stop::never())?;
    }
    Ok(referee.view(role).clone())
}
