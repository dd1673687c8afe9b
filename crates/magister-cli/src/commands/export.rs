//! `magister export`: stored matches as files.

use std::fs::File;
use std::io::{BufWriter, Write};

use anyhow::{Context as _, Result};
use magister::Options;
use magister_core::{Game, MatchRecord, Step, Stop};
use magister_store::{Archive as _, GgpMatch, Store as _, StoredMatch};

use super::matches::{existing, filter, with_store};
use crate::CLEAN;
use crate::args::{Export, RecordFormat};

pub(crate) fn run(args: &Export) -> Result<u8> {
    let filter = filter(&args.stored);
    existing(&args.stored.store)?;
    let stored = with_store(&args.stored.store, |store| async move {
        let mut all = Vec::new();
        for line in store.list(&filter).await? {
            all.extend(store.load(&line.id).await?);
        }
        Ok(all)
    })?;
    let mut out: Box<dyn Write> = match &args.output {
        Some(path) => {
            let file = File::create(path).with_context(|| path.display().to_string())?;
            Box::new(BufWriter::new(file))
        }
        None => Box::new(anstream::stdout().lock()),
    };
    for one in &stored {
        match args.format {
            RecordFormat::Magister => {
                writeln!(out, "{}", serde_json::to_string(&one.record)?)?;
            }
            RecordFormat::GgpBase => writeln!(out, "{}", as_ggp(one)?)?,
        }
    }
    out.flush()?;
    Ok(CLEAN)
}

fn as_ggp(stored: &StoredMatch) -> Result<String> {
    let record = &stored.record;
    let options = Options::default();
    let source = match &stored.rules {
        Some(rules) => options.read_text(&record.game, rules),
        None => options.find(&record.game),
    };
    let game = source
        .and_then(|source| source.prepare(None))
        .with_context(|| format!("the game of match {}", record.id.as_deref().unwrap_or("?")))?;
    let states = states(&*game.game, record);
    let made = GgpMatch::from_record(record, states, stored.started_ms);
    let tournament_name_from_host = stored.tournament.clone();
    Ok(serde_json::to_string(&GgpMatch { tournament_name_from_host, ..made })?)
}

/// The states of a match as text, as far as they are reachable.
fn states(game: &dyn Game, record: &MatchRecord) -> Vec<String> {
    let mut worker = game.worker();
    worker.reset();
    let (mut state, mut step) = (Vec::new(), Step::new());
    worker.save(&mut state);
    let mut states = vec![game.text().state_text(&state)];
    for words in &record.moves {
        let joint: Option<Vec<_>> = game
            .info()
            .all_roles()
            .zip(words)
            .map(|(role, text)| magister_core::text::find_move(game, &*worker, role, text))
            .collect();
        let made =
            joint.is_some_and(|joint| worker.step(&joint, &mut step, &Stop::never()).is_ok());
        if !made {
            break;
        }
        worker.save(&mut state);
        states.push(game.text().state_text(&state));
    }
    states
}
