//! The file of `play --record`. A match is in it as soon as it has ended.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context as _, Result};
use magister_core::MatchRecord;

/// Writes matches to the end of a file. The record of the current match is replaced if moves were
/// taken back after its end.
pub(crate) struct Recorder {
    path: PathBuf,
    /// Whether a record can be replaced: pipes and devices keep what was written.
    regular: bool,
    inner: Mutex<Inner>,
}

struct Inner {
    file: File,
    /// The offset and the text of the current match in the file.
    current: Option<(u64, String)>,
}

impl Recorder {
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let file = OpenOptions::new().create(true).write(true).truncate(false).open(path);
        let file = file.with_context(|| format!("{} cannot be written", path.display()))?;
        let regular = file.metadata().is_ok_and(|meta| meta.is_file());
        let inner = Mutex::new(Inner { file, current: None });
        Ok(Recorder { path: path.to_owned(), regular, inner })
    }

    /// Records a match that has ended, but that may continue if moves are taken back. Returns a
    /// sentence if the file has changed.
    pub(crate) fn ended(&self, record: &MatchRecord) -> Result<Option<String>> {
        if self.regular { self.write(record) } else { Ok(None) }
    }

    /// Records a match that does not continue. Returns a sentence if the file has changed.
    pub(crate) fn closed(&self, record: &MatchRecord) -> Result<Option<String>> {
        let told = self.write(record);
        self.inner.lock().unwrap_or_else(PoisonError::into_inner).current = None;
        told
    }

    fn write(&self, record: &MatchRecord) -> Result<Option<String>> {
        let text = serde_json::to_string(record)? + "\n";
        let shown = self.path.display();
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        if inner.current.as_ref().is_some_and(|(_, written)| *written == text) {
            return Ok(None);
        }
        let written = inner.put(text, self.regular);
        written.with_context(|| format!("{shown} cannot be written"))?;
        Ok(Some(format!("The match is recorded in {shown}.\n")))
    }
}

impl Inner {
    /// Replaces the current match, or appends it if there is none. If another program has written
    /// to the file since, nothing is replaced.
    fn put(&mut self, text: String, regular: bool) -> io::Result<()> {
        if !regular {
            self.file.write_all(text.as_bytes())?;
            self.current = Some((0, text));
            return Ok(());
        }
        let end = self.file.seek(SeekFrom::End(0))?;
        let last = self.current.take();
        let last = last.filter(|(begin, written)| begin + written.len() as u64 == end);
        let begin = last.map_or(end, |(begin, _)| begin);
        self.file.seek(SeekFrom::Start(begin))?;
        self.file.write_all(text.as_bytes())?;
        // The file is shortened last, so that it always contains the match.
        self.file.set_len(begin + text.len() as u64)?;
        self.current = Some((begin, text));
        Ok(())
    }
}
