//! Reading traces: one JSON object per line, plain or compressed with gzip.
//!
//! A line is a whole match (GDL and GDL-II) or one position (Gamemaster). Its fields show which.

use std::collections::BTreeMap;
use std::fmt;
use std::io::Read as _;

use magister_gdl::Syntax;
use serde::Deserialize;

use super::{Goals, Position, Trace};
use crate::ground::Ground;

/// The error for text that is not a trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BadTrace {
    /// The line, from one; 0 if the file as a whole is unreadable.
    pub line: usize,
    /// What is wrong.
    pub what: String,
}

impl fmt::Display for BadTrace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {} is not a trace: {}", self.line, self.what)
    }
}

impl std::error::Error for BadTrace {}

/// The maximum size of a decompressed file in bytes.
const UNPACKED: u64 = 1 << 30;

/// The text of a file, plain or compressed with gzip.
pub fn unpack(bytes: &[u8]) -> Result<String, BadTrace> {
    let bad = |what: String| BadTrace { line: 0, what };
    let mut text = String::new();
    if bytes.starts_with(&[0x1f, 0x8b]) {
        let unpacked =
            flate2::read::MultiGzDecoder::new(bytes).take(UNPACKED).read_to_string(&mut text);
        unpacked.map_err(|error| bad(error.to_string()))?;
    } else {
        std::str::from_utf8(bytes).map_err(|error| bad(error.to_string()))?.clone_into(&mut text);
    }
    Ok(text)
}

/// Reads all matches of a file.
pub fn read(bytes: &[u8]) -> Result<Vec<Trace>, BadTrace> {
    let bad = |line, what: String| BadTrace { line, what };
    let text = unpack(bytes)?;
    let mut traces: Vec<Trace> = Vec::new();
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let line = match serde_json::from_str(line) {
            Ok(Line::Match(line)) => line.trace().map(|trace| traces.push(trace)),
            Ok(Line::Position(line)) => line.add_to(&mut traces),
            Err(_) => Err("it is neither a match nor a position".to_owned()),
        };
        line.map_err(|what| bad(number + 1, what))?;
    }
    Ok(traces)
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Line {
    Match(MatchLine),
    Position(PositionLine),
}

#[derive(Deserialize)]
struct MatchLine {
    #[serde(rename = "match")]
    number: u64,
    roles: Vec<String>,
    steps: Vec<StepLine>,
    #[serde(default)]
    terminal_state: Option<Vec<String>>,
    #[serde(default)]
    last_state: Option<Vec<String>>,
    #[serde(default)]
    goal_values: Option<Vec<Vec<String>>>,
}

#[derive(Deserialize)]
struct StepLine {
    state: Vec<String>,
    legals: Vec<Vec<String>>,
    joint: Vec<String>,
    goal_values: Vec<Vec<String>>,
    #[serde(default)]
    percepts: Option<Vec<Vec<String>>>,
}

#[derive(Deserialize)]
struct PositionLine {
    play: u64,
    #[serde(default)]
    control: Option<String>,
    state: Vec<String>,
    terminal: bool,
    goals: BTreeMap<String, String>,
    legals: Vec<String>,
    #[serde(rename = "move", default)]
    choice: Option<String>,
}

fn terms(texts: &[String], syntax: Syntax) -> Result<Vec<Ground>, String> {
    // Reading all terms at once is much faster than reading them one by one.
    let terms = Ground::read_all(&texts.join("\n"), syntax);
    terms
        .filter(|terms| terms.len() == texts.len())
        .or_else(|| texts.iter().map(|text| Ground::read(text, syntax)).collect())
        .ok_or_else(|| format!("`{}` must all be terms", texts.join(" ")))
}

fn lists(texts: &[Vec<String>], syntax: Syntax) -> Result<Vec<Vec<Ground>>, String> {
    texts.iter().map(|list| terms(list, syntax)).collect()
}

fn all_goals(values: &[Vec<String>]) -> Result<Vec<Goals>, String> {
    Ok(lists(values, Syntax::Kif)?.into_iter().map(Goals::All).collect())
}

impl MatchLine {
    fn trace(self) -> Result<Trace, String> {
        let mut positions = Vec::new();
        for step in &self.steps {
            positions.push(Position {
                state: terms(&step.state, Syntax::Kif)?,
                terminal: false,
                legal: Some(lists(&step.legals, Syntax::Kif)?),
                goals: Some(all_goals(&step.goal_values)?),
                joint: Some(terms(&step.joint, Syntax::Kif)?.into_iter().map(Some).collect()),
                percepts: step.percepts.as_ref().map(|p| lists(p, Syntax::Kif)).transpose()?,
            });
        }
        let end = match (&self.terminal_state, &self.last_state) {
            (Some(state), _) => Some((state, true)),
            (None, Some(state)) => Some((state, false)),
            (None, None) => None,
        };
        if let Some((state, terminal)) = end {
            let goals = if terminal { self.goal_values.as_deref() } else { None };
            positions.push(Position {
                state: terms(state, Syntax::Kif)?,
                terminal,
                goals: goals.map(all_goals).transpose()?,
                ..Position::default()
            });
        }
        Ok(Trace { number: self.number, roles: terms(&self.roles, Syntax::Kif)?, positions })
    }
}

impl PositionLine {
    fn add_to(self, traces: &mut Vec<Trace>) -> Result<(), String> {
        let names: Vec<String> = self.goals.keys().cloned().collect();
        let roles = terms(&names, Syntax::Infix)?;
        let values: Vec<String> = self.goals.into_values().collect();
        let goals = terms(&values, Syntax::Infix)?.into_iter().map(Goals::One).collect();
        let control = self.control.as_deref().and_then(|role| Ground::read(role, Syntax::Infix));
        let moves = terms(&self.legals, Syntax::Infix)?;
        let mover = roles.iter().position(|role| Some(role) == control.as_ref());
        // Gamemaster records an empty list in terminal positions, even if the rules allow moves.
        let legal = mover.filter(|_| !self.terminal).map(|mover| {
            let mut legal = vec![Vec::new(); roles.len()];
            legal[mover] = moves;
            legal
        });
        let joint = match (&self.choice, mover) {
            (Some(choice), Some(mover)) => {
                let choice = Ground::read(choice, Syntax::Infix)
                    .ok_or_else(|| format!("`{choice}` is not a term"))?;
                let mut joint = vec![None; roles.len()];
                joint[mover] = Some(choice);
                Some(joint)
            }
            _ => None,
        };
        let state = terms(&self.state, Syntax::Infix)?;
        let terminal = self.terminal;
        let goals = Some(goals);
        let position = Position { state, terminal, legal, goals, joint, percepts: None };
        match traces.last_mut() {
            Some(trace) if trace.number == self.play => trace.positions.push(position),
            _ => traces.push(Trace { number: self.play, roles, positions: vec![position] }),
        }
        Ok(())
    }
}
