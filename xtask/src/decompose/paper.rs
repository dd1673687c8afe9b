//! The numbers of Zhao, Schiffel and Thielscher (2009), compared with ours.

use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use magister::Playable;
use magister_core::{Game, Move, Role, Step, Stop, Worker};
use magister_decompose::{Decomposition, Errors, Method, Sequences, Sum, solve};
use magister_engine::Compiled;
use magister_solve::SolveLimits;
use rustc_hash::FxHashMap;

use crate::sheets::oracle;

/// The instances of Nim: the name, the role that wins, the winning first moves.
const NIM: [(&str, usize, &[&str]); 4] = [
    ("nim1", 0, &["(reduce d 0)"]),
    ("nim2", 1, &[]),
    ("nim3", 0, &["(reduce d 8)"]),
    ("nim4", 1, &[]),
];

/// The time of the paper's searches in seconds: decomposition, and normal.
const PAPER: [(f64, f64); 4] = [(0.01, 0.4), (0.01, 3.5), (0.07, 6607.0), (0.06, 10797.0)];

/// The processor time in seconds that short work is repeated for. The system counts this time in
/// ticks of a few milliseconds.
const REPEATED: f64 = 0.2;

/// The processor time of this thread so far.
pub(super) fn processor() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanos = text.split_whitespace().next().and_then(|word| word.parse().ok());
    Duration::from_nanos(nanos.unwrap_or(0))
}

/// The processor time since a reading, in seconds.
fn since(begun: Duration) -> f64 {
    processor().saturating_sub(begun).as_secs_f64()
}

/// The result of some work, and its mean processor time in seconds over several runs.
fn timed<T>(mut work: impl FnMut() -> Result<T>) -> Result<(T, f64)> {
    let begun = processor();
    let mut runs = 0.0;
    loop {
        let result = work()?;
        runs += 1.0;
        let took = since(begun);
        if took >= REPEATED {
            return Ok((result, took / runs));
        }
    }
}

fn open(name: &str) -> Result<Playable> {
    let sheet = oracle().into_iter().find(|sheet| sheet.name.ends_with(&format!("/{name}")));
    let sheet = sheet.with_context(|| format!("the oracle has no {name}"))?;
    Ok(magister::open_text(name, &sheet.text)?)
}

/// The tables: Nim, and the sequences of Double Tic-Tac-Toe.
pub(super) fn run() -> Result<()> {
    let mut wrong = nim()?;
    wrong.extend(boards()?);
    if !wrong.is_empty() {
        bail!("not as expected: {}", wrong.join(", "));
    }
    Ok(())
}

fn nim() -> Result<Vec<String>> {
    let mut out = std::io::stdout();
    let mut wrong = Vec::new();
    writeln!(
        out,
        "{:<6} {:<8} {:<16} {:>12} {:>12} {:>10} {:>8} {:>8}",
        "game",
        "winner",
        "winning moves",
        "by parts",
        "alpha-beta",
        "states",
        "paper DS",
        "paper NS"
    )?;
    for ((name, winner, moves), paper) in NIM.into_iter().zip(PAPER) {
        let playable = open(name)?;
        let compiled: &Compiled = playable.network().context("a network")?.compiled();
        let whole = Decomposition::new(compiled, &Stop::never())
            .map_err(|halt| anyhow::anyhow!("{halt}"))?;
        let (solved, took) = timed(|| {
            solve(compiled, &whole, &SolveLimits::default(), &Stop::never())
                .map_err(|why| anyhow::anyhow!("{why}"))
        })?;
        let wins = usize::from(solved.value[1] > solved.value[0]);
        let good = solved.first.iter().filter(|first| first.2 == Some(100.0));
        let mut best: Vec<String> =
            good.map(|first| compiled.names().moves()[first.1.index()].clone()).collect();
        best.sort();
        let ((value, states), plain) = timed(|| {
            let mut search =
                AlphaBeta { worker: playable.game.worker(), known: FxHashMap::default() };
            Ok((search.root()?, search.known.len()))
        })?;
        let right = wins == winner
            && best == moves
            && solved.method == Method::Nimbers
            && took < 1e-3
            && (value > 50.0) == (winner == 0);
        writeln!(
            out,
            "{name:<6} {:<8} {:<16} {:>9.3} ms {:>10.3} s {:>10} {:>6} s {:>6} s{}",
            compiled.info().roles[wins],
            if best.is_empty() { "none".to_owned() } else { best.join(" ") },
            took * 1e3,
            plain,
            states,
            paper.0,
            paper.1,
            if right { "" } else { "  NOT AS EXPECTED" }
        )?;
        if !right {
            wrong.push(name.to_owned());
        }
    }
    Ok(wrong)
}

/// Plain search with a transposition table for two roles that take turns and win or lose. It stops
/// at the first winning move.
struct AlphaBeta {
    worker: Box<dyn Worker>,
    known: FxHashMap<Vec<u64>, f64>,
}

impl AlphaBeta {
    fn root(&mut self) -> Result<f64> {
        self.worker.reset();
        let mut state = Vec::new();
        self.worker.save(&mut state);
        self.value(state).map_err(|halt| anyhow::anyhow!("{halt}"))
    }

    /// The value of a position for the first role.
    fn value(&mut self, state: Vec<u64>) -> Result<f64, magister_core::Halt> {
        if let Some(&known) = self.known.get(&state) {
            return Ok(known);
        }
        let stop = Stop::never();
        self.worker.load(&state, &stop)?;
        if self.worker.terminal() {
            let mut goals = Vec::new();
            self.worker.goals(Role(0), &mut goals);
            let value = goals.first().copied().unwrap_or(0.0);
            self.known.insert(state, value);
            return Ok(value);
        }
        // If no role has a choice, it does not matter whose turn it is.
        let mover = usize::from(self.worker.legal(Role(1)).len() > 1);
        let role = Role(mover as u8);
        let legal = self.worker.legal(role).to_vec();
        let mut joint: Vec<Move> =
            [Role(0), Role(1)].map(|role| self.worker.legal(role)[0]).to_vec();
        let mut best: Option<f64> = None;
        let (mut step, mut here) = (Step::new(), true);
        for choice in legal {
            if !here && !self.worker.undo() {
                self.worker.load(&state, &stop)?;
            }
            joint[mover] = choice;
            self.worker.step(&joint, &mut step, &stop)?;
            let mut next = Vec::new();
            self.worker.save(&mut next);
            // The search of a new position leaves the worker elsewhere.
            let known = self.known.get(&next).copied();
            here = false;
            let value = if let Some(known) = known {
                known
            } else {
                let value = self.value(next)?;
                self.worker.load(&state, &stop)?;
                here = true;
                value
            };
            let better = |old: f64| if mover == 0 { value.max(old) } else { value.min(old) };
            best = Some(best.map_or(value, better));
            if best == Some(if mover == 0 { 100.0 } else { 0.0 }) {
                break;
            }
        }
        let value = best.unwrap_or(0.0);
        self.known.insert(state, value);
        Ok(value)
    }
}

fn boards() -> Result<Vec<String>> {
    let mut out = std::io::stdout();
    let playable = open("double_tictactoe_dengji")?;
    let compiled: &Compiled = playable.network().context("a network")?.compiled();
    let stop = Stop::never();
    let halt = |halt: magister_core::Halt| anyhow::anyhow!("{halt}");
    let begun = processor();
    let whole = Decomposition::new(compiled, &stop).map_err(halt)?;
    let found = processor();
    let solved = solve(compiled, &whole, &SolveLimits::default(), &stop)
        .map_err(|why| anyhow::anyhow!("{why}"))?;
    let took = processor();
    writeln!(
        out,
        "double_tictactoe_dengji: value {:?}, {} of {} first moves are best, {} product states, \
         {} classes of {} states, {} after pruning; detected in {:.3} s, solved in {:.3} s",
        solved.value,
        solved.best.len(),
        solved.first.len(),
        solved.states,
        solved.sizes.classes,
        solved.sizes.states,
        solved.sizes.pruned,
        found.saturating_sub(begun).as_secs_f64(),
        took.saturating_sub(found).as_secs_f64()
    )?;
    let sound = solved.value == [50.0, 50.0]
        && solved.best.len() == 18
        && solved.states <= 71_684
        && took.saturating_sub(begun) < Duration::from_secs(1);
    let begun = processor();
    let counts = Sequences::new(compiled, &whole, 0, &stop).map_err(halt)?;
    writeln!(
        out,
        "paper mode: {} sequences of one board, {} after pruning, in {:.3} s",
        counts.all,
        counts.kept,
        since(begun)
    )?;
    let errors = Errors::new(compiled, &whole, &stop).map_err(halt)?;
    writeln!(
        out,
        "paper mode is unsound: {} of {} classes of positions have a wrong value, in {} the chosen \
         move loses value",
        errors.wrong, errors.states, errors.losing
    )?;
    let mut wrong = Vec::new();
    if !sound {
        wrong.push("Double Tic-Tac-Toe".to_owned());
    }
    if (counts.all, counts.kept) != (58_242_432, 912) {
        wrong.push("sequences".to_owned());
    }
    Ok(wrong)
}

/// One curve: a name, a colour, and seconds by depth.
type Curve = (&'static str, &'static str, Vec<(usize, f64)>);

/// Draws the time by depth for Double Tic-Tac-Toe, as in figure 4 of the paper.
pub(super) fn curves(file: &str, seconds: f64) -> Result<()> {
    let playable = open("double_tictactoe_dengji")?;
    let compiled: &Compiled = playable.network().context("a network")?.compiled();
    let stop = Stop::never();
    let halt = |halt: magister_core::Halt| anyhow::anyhow!("{halt}");
    let mut normal = Vec::new();
    for depth in 1..=18 {
        let ((), took) = timed(|| to_depth(&*playable.game, depth).map_err(halt))?;
        normal.push((depth, took));
        if took > seconds {
            break;
        }
    }
    let mut sequences = Vec::new();
    for depth in 1..=9 {
        let (_, took) = timed(|| {
            let whole = Decomposition::new(compiled, &stop).map_err(halt)?;
            Sequences::to_depth(compiled, &whole, 0, Some(depth), &stop).map_err(halt)
        })?;
        sequences.push((depth, took));
        if took > seconds {
            break;
        }
    }
    let mut parts = Vec::new();
    for depth in 1..=18 {
        let ((), took) = timed(|| {
            let whole = Decomposition::new(compiled, &stop).map_err(halt)?;
            let mut sum = Sum::new(compiled, &whole, &stop).map_err(halt)?;
            sum.prune();
            to_depth(&*Arc::new(sum).game(), depth).map_err(halt)
        })?;
        parts.push((depth, took));
    }
    let curves: [Curve; 3] = [
        ("normal search with a table", "#b03030", normal),
        ("sequences of one board (the paper's method)", "#a07000", sequences),
        ("ours: classes of both boards, with detection", "#2050a0", parts),
    ];
    for (name, _, points) in &curves {
        let list: Vec<String> =
            points.iter().map(|(depth, took)| format!("{depth}: {took:.4}")).collect();
        writeln!(std::io::stdout(), "{name}: {}", list.join(", "))?;
    }
    std::fs::write(file, svg(&curves)).with_context(|| format!("cannot write {file}"))
}

/// A minimax search to a depth, with a transposition table. Positions at the horizon count as
/// draws.
fn to_depth(game: &dyn Game, depth: usize) -> Result<(), magister_core::Halt> {
    let mut worker = game.worker();
    worker.reset();
    let mut state = Vec::new();
    worker.save(&mut state);
    minimax(&mut *worker, state, depth, &mut FxHashMap::default())?;
    Ok(())
}

fn minimax(
    worker: &mut dyn Worker,
    state: Vec<u64>,
    depth: usize,
    known: &mut FxHashMap<Vec<u64>, f64>,
) -> Result<f64, magister_core::Halt> {
    if let Some(&value) = known.get(&state) {
        return Ok(value);
    }
    let stop = Stop::never();
    worker.load(&state, &stop)?;
    let value = if worker.terminal() {
        let mut goals = Vec::new();
        worker.goals(Role(0), &mut goals);
        goals.first().copied().unwrap_or(0.0)
    } else if depth == 0 {
        50.0
    } else {
        let mover = usize::from(worker.legal(Role(1)).len() > 1);
        let legal = worker.legal(Role(mover as u8)).to_vec();
        let mut joint: Vec<Move> = [Role(0), Role(1)].map(|role| worker.legal(role)[0]).to_vec();
        let mut best: Option<f64> = None;
        for choice in legal {
            worker.load(&state, &stop)?;
            joint[mover] = choice;
            worker.step(&joint, &mut Step::new(), &stop)?;
            let mut next = Vec::new();
            worker.save(&mut next);
            let value = minimax(worker, next, depth - 1, known)?;
            let better = |old: f64| if mover == 0 { value.max(old) } else { value.min(old) };
            best = Some(best.map_or(value, better));
        }
        best.unwrap_or(50.0)
    };
    // In this game, each state occurs at only one depth.
    known.insert(state, value);
    Ok(value)
}

fn svg(curves: &[Curve]) -> String {
    let (width, height, left, top) = (640.0, 400.0, 60.0, 70.0);
    // Decades from 0.1 ms to 1000 s.
    let y = |took: f64| {
        let level = (took.max(1e-4).log10() + 4.0) / 7.0;
        top + (height - top - 50.0) * (1.0 - level.min(1.0))
    };
    let x = |depth: usize| left + (width - left - 20.0) * depth as f64 / 18.0;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n\
         <text x=\"{left}\" y=\"18\" font-size=\"14\">Double Tic-Tac-Toe: seconds of one core by \
         search depth</text>\n"
    );
    for (decade, label) in [
        (1e-3, "1 ms"),
        (1e-2, "10 ms"),
        (1e-1, "0.1 s"),
        (1.0, "1 s"),
        (10.0, "10 s"),
        (100.0, "100 s"),
    ] {
        let at = y(decade);
        let _ = writeln!(
            text,
            "<line x1=\"{left}\" x2=\"{}\" y1=\"{at:.1}\" y2=\"{at:.1}\" stroke=\"#ddd\"/>\
             <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>",
            width - 20.0,
            left - 6.0,
            at + 4.0
        );
    }
    for depth in (0..=18).step_by(2) {
        let _ = writeln!(
            text,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{depth}</text>",
            x(depth),
            height - 32.0
        );
    }
    for (number, (name, colour, points)) in curves.iter().enumerate() {
        let path: Vec<String> =
            points.iter().map(|&(depth, took)| format!("{:.1},{:.1}", x(depth), y(took))).collect();
        let _ = writeln!(
            text,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
            path.join(" ")
        );
        for point in &path {
            let (cx, cy) = point.split_once(',').unwrap_or(("0", "0"));
            let _ = writeln!(text, "<circle cx=\"{cx}\" cy=\"{cy}\" r=\"2.5\" fill=\"{colour}\"/>");
        }
        let _ = writeln!(
            text,
            "<text x=\"{left}\" y=\"{:.1}\" fill=\"{colour}\">{name}</text>",
            34.0 + 14.0 * number as f64
        );
    }
    let _ = writeln!(
        text,
        "<text x=\"{left}\" y=\"{:.1}\" fill=\"#555\">The paper's figure 4 shows its curves without \
         numbers; its text gives 912 of 58242432 sequences at depth 9.</text>\n</svg>",
        height - 12.0
    );
    text
}
