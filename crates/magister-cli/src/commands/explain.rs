//! `magister explain`: why something holds in a position, or why it does not.

mod cards;
mod question;

use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, bail};
use magister::Source;
use magister_core::{Game, Halt, Move, Stop};
use magister_engine::explain::{Extent, Scene};
use magister_engine::{
    Error, Explainer, Ground, Program, QueryLimits, Reference, ReferenceGame, within,
};
use magister_gdl::{Rulesheet, Syntax};
use serde_json::Value;

use self::question::Meaning;
use super::plural;
use crate::args::Explain;
use crate::console::cells::Cells;
use crate::console::why;
use crate::game;
use crate::session::{Session, joint};
use crate::terminal::fitted;
use crate::{CLEAN, FOUND};

/// The width at which most explanations are complete.
const WIDER: u32 = 8;

/// Stands for ` = ` while lines are broken.
const KEPT: &str = "\u{1}=\u{1}";

pub(crate) fn run(args: &Explain) -> Result<u8> {
    let source = game::find(&args.game, &args.language.options())?;
    if source.card_game().is_some() {
        return cards::run(args, &source);
    }
    let (Some(input), Some(rules)) = (source.input(), source.rulesheet()) else {
        bail!("{} is written in Rust; only rules can be explained", args.game);
    };
    if args.game == "-" && args.state.as_deref() == Some("-") {
        bail!("standard input cannot hold both the rules and the state");
    }
    let time = Duration::from_secs_f64(args.seconds);
    let asked = Asked { args, source: &source, name: source.name(), text: &input.text, rules };
    within(time, &Stop::never(), |stop| asked.answer(stop))
}

/// The inputs.
struct Asked<'a> {
    args: &'a Explain,
    source: &'a Source,
    name: &'a str,
    text: &'a str,
    rules: &'a Rulesheet,
}

impl Asked<'_> {
    fn answer(&self, stop: &Stop) -> Result<u8> {
        let program = Program::new(self.rules, self.text).map_err(|error| self.no_game(&error))?;
        let scene = self.scene(&Arc::new(program.clone()), stop)?;
        let question =
            question::Asker { asked: self, program: &program, scene: &scene, stop }.read()?;
        let (atom, never) = match question {
            Meaning::Atom { atom, never } => (atom, never),
            Meaning::NoMoves(text) => {
                write!(anstream::stdout(), "{text}")?;
                return Ok(FOUND);
            }
        };
        let mut explainer = Explainer::new(program, self.rules.syntax, &atom, &scene)?;
        if explainer.needs_moves() {
            bail!(
                "{} depends on the moves of this step; give them with --does \"MOVES\", written as for \
                 --moves",
                explainer.question()
            );
        }
        let Explain { depth, width, history, .. } = *self.args;
        let extent = Extent { depth, width, history };
        let explanation = explainer.explain(extent, stop).map_err(|halt| self.halted(&halt))?;
        let mut out = anstream::stdout().lock();
        if self.args.json {
            let mut object = explainer.json(&explanation);
            object["game"] = Value::from(self.name);
            object["question"] = Value::from(explainer.question());
            writeln!(out, "{object}")?;
        } else {
            if !explanation.holds
                && let Some(reply) = self.in_short(&explainer.question(), &scene, never)
            {
                write!(out, "{}", reply.text)?;
                // A proof that the rules do not know a name would only repeat the rules.
                if reply.unknown {
                    return Ok(FOUND);
                }
                writeln!(out)?;
            }
            // A variable stays on one line with its value.
            let text = explainer.text(&explanation).replace(" = ", KEPT);
            write!(out, "{}", fitted(&text).replace(KEPT, " = "))?;
            if text.contains(" more rule") || text.contains(" more like this") {
                writeln!(out, "(--width {} shows more)", (width + 1).max(WIDER))?;
            }
        }
        Ok(if explanation.holds { CLEAN } else { FOUND })
    }

    /// The cells of the board, if a text may name them.
    fn cells(&self, text: &str) -> Cells {
        let named = joint::steps(text).flat_map(|step| step.split(',')).any(Cells::are_named);
        let playable = named.then(|| self.source.prepare(None).ok()).flatten();
        playable.map(|playable| Cells::of(&playable)).unwrap_or_default()
    }

    /// The short answer, if the question is whether a move is legal.
    fn in_short(&self, question: &str, scene: &Scene, never: bool) -> Option<why::Reply> {
        let atom = Ground::read_either(question, self.rules.syntax)?;
        let args = atom.args.filter(|_| &*atom.name == "legal")?;
        let (role, choice) = match &args[..] {
            [choice] => (String::new(), choice),
            [role, choice] => (role.name.to_string(), choice),
            _ => return None,
        };
        let choice = choice.text(self.rules.syntax);
        let asked = why::Question { role: &role, choice: &choice, never };
        why::illegal(self.source, scene.state.clone(), &asked).ok()
    }

    fn no_game(&self, error: &Error) -> anyhow::Error {
        anyhow!("{} cannot be played: {error}", self.name)
    }

    fn halted(&self, halt: &Halt) -> anyhow::Error {
        match halt {
            Halt::Stopped => {
                anyhow!("no answer within {} s; --seconds allows more time", self.args.seconds)
            }
            halt => anyhow!("{halt}"),
        }
    }

    /// The position of the question, and how it was reached.
    ///
    /// People also ask about positions from which the game cannot continue, so a position need not
    /// satisfy more than the question requires.
    fn scene(&self, program: &Arc<Program>, stop: &Stop) -> Result<Scene> {
        let limits = QueryLimits::default();
        let mut scene = Scene::default();
        let mut session = None;
        // Sessions compute all legal moves of a position; without moves, this is not needed.
        let moved = self.args.moves.is_some() || self.args.does.is_some();
        let game = || {
            ReferenceGame::with_limits(
                Arc::clone(program),
                None,
                limits,
                self.text,
                self.name,
                stop,
            )
        };
        let game = if moved { Some(game()) } else { None };
        match (&self.args.state, game) {
            (Some(file), game) => {
                scene.state = state(file)?;
                if let Some(Ok(game)) = game {
                    session = session_in(game, &scene.state, self.args.seed, stop);
                }
            }
            (None, Some(Ok(game))) => {
                let game = Arc::new(game);
                let mut playing = Session::new(game.clone(), self.args.seed);
                playing.cells = self.cells(self.args.moves.as_deref().unwrap_or_default());
                let whole = self.play(&mut playing)?;
                scene = scene_of(&game, &playing);
                if whole {
                    session = Some((game, playing));
                } else if let Some(joint) = playing.refused.take() {
                    let joint = moves(&game, &joint);
                    let state = std::mem::take(&mut scene.state);
                    let successor = successor(program, &state, &joint, stop);
                    scene.state = successor.map_err(|halt| self.halted(&halt))?;
                    scene.past.push((state, joint));
                }
            }
            (None, Some(Err(error))) if self.args.moves.is_some() => {
                return Err(self.no_game(&error));
            }
            (None, _) => {
                let mut reference = Reference::new(Arc::clone(program), limits);
                let state = reference.initial(stop).map_err(|halt| self.halted(&halt))?;
                scene.state = state.iter().map(|&f| reference.terms().export(f)).collect();
            }
        }
        if let Some(text) = &self.args.does {
            scene.joint = Some(self.joint(text, program, session)?);
        }
        Ok(scene)
    }

    /// Makes the moves. Returns false if the game cannot continue after the last one.
    fn play(&self, session: &mut Session) -> Result<bool> {
        let text = self.args.moves.as_deref().unwrap_or_default();
        let steps: Vec<&str> = joint::steps(text).collect();
        for (place, step) in steps.iter().enumerate() {
            let Err(error) = session.play(step) else { continue };
            let stuck = matches!(error.downcast_ref::<Halt>(), Some(Halt::Rules(_)));
            if stuck && place + 1 == steps.len() {
                return Ok(false);
            }
            return Err(error.context(format!("after step {}", session.at)));
        }
        Ok(true)
    }

    /// The moves of the roles: legal moves if they are known, otherwise one move for each role.
    fn joint(
        &self,
        text: &str,
        program: &Program,
        session: Option<(Arc<ReferenceGame>, Session)>,
    ) -> Result<Vec<Option<Ground>>> {
        if let Some((game, mut session)) = session
            && !session.worker.terminal()
        {
            let choices = joint::read(&session, text).context("--does")?;
            let joint = session.joint_of(&choices)?;
            return Ok(moves(&game, &joint));
        }
        let given = joint::terms(text);
        if given.len() != program.roles.len() {
            bail!(
                "--does needs one move for each role here: {}",
                plural(program.roles.len(), "role")
            );
        }
        let read = |text: &&str| match *text {
            "_" => Ok(None),
            text => {
                let term = Ground::read_either(text, self.rules.syntax);
                term.map(Some).ok_or_else(|| anyhow!("--does: {text} is not a move"))
            }
        };
        given.iter().map(read).collect()
    }
}

/// The fluents of a file.
fn state(file: &str) -> Result<Vec<Ground>> {
    let input = game::file(file)?;
    let object: Option<Value> = serde_json::from_str(&input.text).ok();
    let state = object.as_ref().and_then(|object| object["state"].as_str());
    let text = state.unwrap_or(&input.text).trim();
    fluents(text)
        .ok_or_else(|| anyhow!("{file} is not a list of fluents, such as (cell 1 1 b) (step 1)"))
}

/// Fluents in sequence, or as a list, each with or without `true` around it.
fn fluents(text: &str) -> Option<Vec<Ground>> {
    // In infix, a name directly precedes its bracket; in KIF, a blank or another bracket does.
    let name = |before: u8| !before.is_ascii_whitespace() && !b"()".contains(&before);
    let infix = text.as_bytes().windows(2).any(|pair| pair[1] == b'(' && name(pair[0]));
    let syntax = if infix { Syntax::Infix } else { Syntax::Kif };
    let plain = |fluent: Ground| match fluent.args {
        Some(args) if &*fluent.name == "true" && args.len() == 1 => args[0].clone(),
        args => Ground { args, ..fluent },
    };
    let inner = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    let listed = inner.filter(|inner| balanced(inner));
    let fluents = [listed, Some(text)]
        .into_iter()
        .flatten()
        .find_map(|text| Ground::read_all(text, syntax))?;
    Some(fluents.into_iter().map(plain).collect())
}

/// Whether the text is a list without its outer brackets: it contains brackets, and they are
/// balanced.
fn balanced(text: &str) -> bool {
    let mut depth = 0_i64;
    let fits = text.chars().all(|letter| {
        depth += i64::from(letter == '(') - i64::from(letter == ')');
        depth >= 0
    });
    fits && depth == 0 && text.contains('(')
}

fn session_in(
    game: ReferenceGame,
    state: &[Ground],
    seed: u64,
    stop: &Stop,
) -> Option<(Arc<ReferenceGame>, Session)> {
    let game = Arc::new(game);
    let mut worker = game.worker();
    worker.load(&game.words_of(state), stop).ok()?;
    let session = Session::from(game.clone(), worker, seed);
    Some((game, session))
}

/// A session in the form that the explainer expects.
fn scene_of(game: &ReferenceGame, session: &Session) -> Scene {
    let states = session.moments.iter().map(|moment| game.fluents_of(&moment.state));
    let mut states: Vec<Vec<Ground>> = states.collect();
    let state = states.pop().unwrap_or_default();
    let joints = session.moments.iter().skip(1).map(|moment| moves(game, &moment.joint));
    Scene { past: states.into_iter().zip(joints).collect(), state, joint: None }
}

fn moves(game: &ReferenceGame, joint: &[Move]) -> Vec<Option<Ground>> {
    joint.iter().map(|&choice| game.term_of(choice)).collect()
}

/// The position after a joint move, whatever is possible in it.
fn successor(
    program: &Arc<Program>,
    state: &[Ground],
    joint: &[Option<Ground>],
    stop: &Stop,
) -> Result<Vec<Ground>, Halt> {
    let mut reference = Reference::new(Arc::clone(program), QueryLimits::default());
    let terms = reference.terms_mut();
    let state: Vec<_> = state.iter().map(|fluent| terms.import(fluent)).collect();
    let joint: Vec<_> = joint.iter().map(|c| c.as_ref().map(|c| terms.import(c))).collect();
    reference.set_state(&state);
    reference.set_moves(&joint);
    let next = reference.next(stop)?;
    Ok(next.iter().map(|&fluent| reference.terms().export(fluent)).collect())
}
