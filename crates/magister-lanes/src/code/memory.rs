//! Executable memory.

use std::fmt;

use memmap2::{Mmap, MmapMut};

/// Executable code that can no longer be changed.
pub(super) struct Memory {
    map: Mmap,
}

impl Memory {
    /// Copies code into writable memory, which then becomes executable and read-only. `None` if the
    /// system does not provide such memory.
    pub(super) fn new(code: &[u8]) -> Option<Self> {
        let mut map = MmapMut::map_anon(code.len().max(1)).ok()?;
        map.get_mut(..code.len())?.copy_from_slice(code);
        Some(Self { map: map.make_exec().ok()? })
    }

    /// The start of the code.
    pub(super) fn start(&self) -> *const u8 {
        self.map.as_ptr()
    }
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Memory").field("bytes", &self.map.len()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn nothing_is_writable_and_executable() {
        let Some(memory) = Memory::new(&[0xc3; 5000]) else {
            println!("skipped: this system gives no executable memory");
            return;
        };
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        let start = memory.start() as usize;
        let mut found = false;
        for line in maps.lines() {
            let mut fields = line.split_whitespace();
            let (range, rights) = (fields.next().unwrap(), fields.next().unwrap());
            assert!(!(rights.contains('w') && rights.contains('x')), "{line}");
            let (from, to) = range.split_once('-').unwrap();
            let parse = |text: &str| usize::from_str_radix(text, 16).unwrap();
            if (parse(from)..parse(to)).contains(&start) {
                assert!(rights.starts_with("r-x"), "{line}");
                found = true;
            }
        }
        assert!(found);
    }
}
