//! Positions in a text: byte spans, and lines and columns for people.

use serde::Serialize;

/// A half-open range of bytes in one source text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The span from `start` to `end`, in bytes.
    pub fn new(start: usize, end: usize) -> Self {
        Self { start: start as u32, end: end as u32 }
    }

    /// The smallest span that covers both.
    #[must_use]
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// The empty span right after this one.
    #[must_use]
    pub fn after(self) -> Span {
        Span { start: self.end, end: self.end }
    }

    /// The span as an index into the text it belongs to.
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// A line and a column, both counted from one; columns count characters, not bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
pub struct Place {
    /// Line number, from one.
    pub line: u32,
    /// Column in characters, from one.
    pub column: u32,
}

/// The line starts of a text, so that a byte offset is converted in logarithmic time.
#[derive(Clone, Debug)]
pub struct Lines {
    starts: Vec<u32>,
}

impl Lines {
    /// Finds the line starts of `text`. Lines end at `\n`, `\r` or `\r\n`.
    pub fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut starts = vec![0];
        for (i, &b) in bytes.iter().enumerate() {
            let ends = b == b'\n' || (b == b'\r' && bytes.get(i + 1) != Some(&b'\n'));
            if ends {
                starts.push(i as u32 + 1);
            }
        }
        Self { starts }
    }

    /// The zero-based index of the line that contains `offset`.
    pub fn line_of(&self, offset: u32) -> usize {
        self.starts.partition_point(|&s| s <= offset) - 1
    }

    /// The byte offset at which a line (zero-based) begins.
    pub fn start(&self, line: usize) -> Option<usize> {
        self.starts.get(line).map(|&s| s as usize)
    }

    /// The number of lines.
    pub fn count(&self) -> usize {
        self.starts.len()
    }

    /// The line and column of a byte offset.
    pub fn place(&self, text: &str, offset: u32) -> Place {
        let line = self.line_of(offset);
        let start = self.starts[line] as usize;
        let upto = text.floor_char_boundary(offset as usize);
        let column = text[start.min(upto)..upto].chars().count() + 1;
        Place { line: line as u32 + 1, column: column as u32 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_characters_and_know_all_line_ends() {
        let text = "aé\r\nb\rc\nd";
        let lines = Lines::new(text);
        assert_eq!(lines.count(), 4);
        let place = |at: usize| {
            let p = lines.place(text, at as u32);
            (p.line, p.column)
        };
        assert_eq!(place(0), (1, 1));
        assert_eq!(place(3), (1, 3), "the two bytes of é are one column");
        assert_eq!(place(5), (2, 1));
        assert_eq!(place(7), (3, 1));
        assert_eq!(place(text.len()), (4, 2));
    }
}
