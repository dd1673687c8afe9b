//! Lines from the terminal or from a script, until ^C.

use std::io::{self, BufRead as _, IsTerminal as _, Read as _, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use anyhow::Result;

use crate::interrupt;

/// The maximum length of a line.
const LINE: u64 = 1 << 16;
/// How often to check for ^C while waiting for a line.
const POLL: Duration = Duration::from_millis(50);

/// Lines are read on a separate thread, because a blocking read cannot be interrupted.
static LINES: OnceLock<Mutex<Receiver<String>>> = OnceLock::new();

fn lines() -> &'static Mutex<Receiver<String>> {
    LINES.get_or_init(|| {
        let (sender, receiver) = channel();
        let read = move || {
            let mut input = io::stdin().lock();
            loop {
                let mut bytes = Vec::new();
                match input.by_ref().take(LINE).read_until(b'\n', &mut bytes) {
                    Ok(count) if count > 0 => {
                        let line = String::from_utf8_lossy(&bytes).trim().to_owned();
                        if sender.send(line).is_err() {
                            return;
                        }
                    }
                    _ => return,
                }
            }
        };
        // Without the thread, the input ends immediately.
        let _ = std::thread::Builder::new().name("input".to_owned()).spawn(read);
        Mutex::new(receiver)
    })
}

/// The next line; `None` at the end of the input and after ^C. The lines of a script are shown, so
/// that a transcript is readable.
pub(super) fn read(out: &mut impl Write, prompt: &str) -> Result<Option<String>> {
    write!(out, "{prompt}> ")?;
    out.flush()?;
    let lines = lines().lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        if interrupt::pressed() {
            writeln!(out)?;
            return Ok(None);
        }
        match lines.recv_timeout(POLL) {
            Ok(line) => {
                if !io::stdin().is_terminal() {
                    writeln!(out, "{}", short(&line))?;
                }
                return Ok(Some(line));
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                writeln!(out)?;
                return Ok(None);
            }
        }
    }
}

/// A line in a form that can be shown, whatever it contains.
pub(super) fn short(line: &str) -> String {
    const SHOWN: usize = 200;
    let mut text: String = line.chars().take(SHOWN).flat_map(char::escape_debug).collect();
    if line.chars().nth(SHOWN).is_some() {
        text.push_str("...");
    }
    text
}
