//! Log entries of matches as statements.

use magister_core::MatchRecord;

use crate::batch::{Batch, Rows, Value};
use crate::sql::now_ms;
use crate::{Entry, Place, RequestKey, Status, StoreError};

/// The statements that write the entries of many matches, after a first one. Entries of one kind
/// share a statement, because separate statements would take more time than everything else.
///
/// Each match has at most one append among them, so the order between matches does not matter;
/// within an append, the beginning of a match precedes all inserts, and its end follows them.
pub(crate) fn statements<'a>(
    first: &str,
    entries: impl Iterator<Item = &'a Entry> + Clone,
) -> Result<Batch, StoreError> {
    let mut batch = Batch::default();
    batch.add(first, Vec::new());
    begin(&mut batch, entries.clone())?;
    let mut requests = Rows::new("requests (match_id, kind, turn, seat)");
    let mut answers = Rows::new("answers (match_id, kind, turn, seat, body)");
    let mut steps = Rows::new("steps (match_id, step, turn, body)");
    for entry in entries.clone() {
        match entry {
            Entry::Requested(key) => requests.add(key_values(key)),
            Entry::Answered { key, body } => {
                let body = Value::from(serde_json::to_string(body)?);
                answers.add(key_values(key).into_iter().chain([body]));
            }
            Entry::Stepped { id, turn, from, steps: made } => {
                for (number, step) in made.iter().enumerate() {
                    let body = serde_json::to_string(step)?;
                    steps.add([
                        id.as_str().into(),
                        (from + number).into(),
                        (*turn).into(),
                        body.into(),
                    ]);
                }
            }
            Entry::Rewound { record } => {
                for rows in [&mut requests, &mut answers, &mut steps] {
                    batch.insert(rows);
                }
                rewind(&mut batch, entry.id(), record)?;
            }
            Entry::Begun { .. } | Entry::Ended { .. } | Entry::Dismissed { .. } => {}
        }
    }
    for rows in [&mut requests, &mut answers, &mut steps] {
        batch.insert(rows);
    }
    for entry in entries.clone() {
        if let Entry::Ended { record, at_ms } = entry {
            end(&mut batch, entry.id(), record, *at_ms)?;
        }
    }
    for entry in entries {
        if let Entry::Dismissed { id } = entry {
            let values = vec![Status::Ended.name().into(), id.as_str().into()];
            batch.add("UPDATE matches SET status = ? WHERE id = ?", values);
        }
    }
    Ok(batch)
}

fn key_values(key: &RequestKey) -> [Value; 4] {
    [key.id.as_str().into(), key.kind.name().into(), key.turn.into(), key.seat.into()]
}

/// Writes the beginnings of matches.
fn begin<'a>(
    batch: &mut Batch,
    entries: impl Iterator<Item = &'a Entry>,
) -> Result<(), StoreError> {
    let mut games = Rows::new("games (rules_hash, name, rules, added_ms)");
    let mut matches =
        Rows::new("matches (id, game, rules_hash, status, started_ms, tournament, head, manner)");
    let mut seats = Rows::new("seats (match_id, seat, role, player, address, repeats, faults)");
    for entry in entries {
        let Entry::Begun { record, places, rules, tournament, manner, at_ms } = entry else {
            continue;
        };
        let id = entry.id();
        if let Some(rules) = rules {
            games.add([
                record.rules_hash.as_str().into(),
                record.game.as_str().into(),
                rules.as_str().into(),
                now_ms().into(),
            ]);
        }
        matches.add([
            id.into(),
            record.game.as_str().into(),
            record.rules_hash.as_str().into(),
            Status::Running.name().into(),
            (*at_ms).into(),
            tournament.clone().into(),
            serde_json::to_string(record)?.into(),
            manner.clone().into(),
        ]);
        for (seat, player) in record.players.iter().enumerate() {
            let Place { address, repeats } = places.get(seat).cloned().unwrap_or_default();
            let role = record.seats.get(seat).map(|seat| seat.role.clone());
            seats.add([
                id.into(),
                seat.into(),
                role.unwrap_or_default().into(),
                player.as_str().into(),
                address.into(),
                i64::from(repeats).into(),
                Value::Number(0),
            ]);
        }
    }
    for rows in [&mut games, &mut matches, &mut seats] {
        batch.insert(rows);
    }
    Ok(())
}

/// Replaces the steps of a match by a shorter record, because moves were taken back.
fn rewind(batch: &mut Batch, id: &str, record: &MatchRecord) -> Result<(), StoreError> {
    for table in ["steps", "requests", "answers"] {
        batch.add(&format!("DELETE FROM {table} WHERE match_id = ?"), vec![id.into()]);
    }
    batch.add(
        "UPDATE matches SET head = ?, record = NULL, ended_ms = NULL, status = ? WHERE id = ?",
        vec![serde_json::to_string(record)?.into(), Status::Running.name().into(), id.into()],
    );
    Ok(())
}

/// Writes the end of a match. A match that has already ended is not changed.
fn end(batch: &mut Batch, id: &str, record: &MatchRecord, at_ms: i64) -> Result<(), StoreError> {
    for (seat, reward) in record.rewards.iter().enumerate() {
        let mistakes = record.errors.iter().filter(|fault| fault.seat == Some(seat));
        let faults = mistakes.filter(|fault| fault.kind.is_mistake()).count();
        batch.add(
            "UPDATE seats SET reward = ?, faults = ? WHERE match_id = ? AND seat = ?
             AND EXISTS (SELECT 1 FROM matches WHERE id = ? AND status = ?)",
            vec![
                Value::Real(*reward),
                faults.into(),
                id.into(),
                seat.into(),
                id.into(),
                Status::Running.name().into(),
            ],
        );
    }
    batch.add(
        "UPDATE matches SET status = ?, ended_ms = ?, record = ? WHERE id = ? AND status = ?",
        vec![
            Status::Ending.name().into(),
            at_ms.into(),
            serde_json::to_string(record)?.into(),
            id.into(),
            Status::Running.name().into(),
        ],
    );
    Ok(())
}
