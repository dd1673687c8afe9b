//! The outer form of files of learned agents: safetensors with a described and checked content.

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use crate::file::{FileError, VERSION};

/// The maximum length of a heading.
const LONGEST: u64 = 1 << 26;

/// How the headings of all learned agents begin. A truncated heading is not valid JSON, so this is
/// what distinguishes a damaged agent from another kind of file.
pub(crate) const OPENING: &[u8] = br#"{"__metadata__":{"format":"magister-agent""#;

/// The tensors of a file that is being written.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    tensors: Map<String, Value>,
    data: Vec<u8>,
}

impl Writer {
    /// Adds a tensor of numbers with four bytes each.
    pub(crate) fn add(
        &mut self,
        name: &str,
        dtype: &str,
        shape: &[usize],
        numbers: impl IntoIterator<Item = [u8; 4]>,
    ) {
        let begin = self.data.len();
        self.data.extend(numbers.into_iter().flatten());
        let offsets = [begin, self.data.len()];
        let entry = json!({"dtype": dtype, "shape": shape, "data_offsets": offsets});
        self.tensors.insert(name.to_owned(), entry);
    }

    /// The file, with this description of the agent.
    pub(crate) fn finish(mut self, header: &str) -> Vec<u8> {
        let digest = digest(header, &self.tensors, &self.data);
        self.tensors.insert(
            "__metadata__".to_owned(),
            json!({"format": "magister-agent", "magister": header, "sha256": digest}),
        );
        let mut heading = Value::Object(self.tensors).to_string().into_bytes();
        // The tensors of safetensors begin at a multiple of eight bytes.
        while !heading.len().is_multiple_of(8) {
            heading.push(b' ');
        }
        let mut out = (heading.len() as u64).to_le_bytes().to_vec();
        out.extend(heading);
        out.extend(self.data);
        out
    }
}

/// A file that was opened and checked.
#[derive(Debug)]
pub(crate) struct Reader<'a> {
    /// The description of the agent.
    pub(crate) header: Value,
    tensors: Map<String, Value>,
    data: &'a [u8],
}

impl<'a> Reader<'a> {
    /// Checks the form, the version and the checksum of a file.
    pub(crate) fn open(bytes: &'a [u8]) -> Result<Self, FileError> {
        let (length, rest) = bytes.split_first_chunk::<8>().ok_or(FileError::Foreign)?;
        let length = u64::from_le_bytes(*length);
        if length > LONGEST {
            return Err(FileError::Foreign);
        }
        let ours = rest.starts_with(OPENING);
        let unreadable = |what| if ours { FileError::Damaged(what) } else { FileError::Foreign };
        let (heading, data) = rest
            .split_at_checked(length as usize)
            .ok_or_else(|| unreadable("it ends within its heading"))?;
        let mut tensors: Map<String, Value> =
            serde_json::from_slice(heading).map_err(|_| unreadable("its heading"))?;
        let meta = tensors.remove("__metadata__").ok_or(FileError::Foreign)?;
        if meta["format"] != "magister-agent" {
            return Err(FileError::Foreign);
        }
        let text = meta["magister"].as_str().ok_or(FileError::Damaged("it has no heading"))?;
        // The version is read first, because a newer heading may have unknown fields.
        let header: Value =
            serde_json::from_str(text).map_err(|_| FileError::Damaged("its heading"))?;
        let version = header["version"].as_u64().ok_or(FileError::Damaged("it has no version"))?;
        if version == 0 {
            return Err(FileError::Damaged("it has version 0, which never existed"));
        }
        if version > u64::from(VERSION) {
            return Err(FileError::Newer(u32::try_from(version).unwrap_or(u32::MAX)));
        }
        if meta["sha256"] != digest(text, &tensors, data) {
            return Err(FileError::Damaged("it does not have the recorded checksum"));
        }
        Ok(Reader { header, tensors, data })
    }

    /// The numbers of a tensor, four bytes each.
    pub(crate) fn tensor(&self, name: &str) -> Option<Vec<[u8; 4]>> {
        let offsets = self.tensors.get(name)?["data_offsets"].as_array()?;
        let at = |which: usize| usize::try_from(offsets.get(which)?.as_u64()?).ok();
        let part = self.data.get(at(0)?..at(1)?)?;
        Some(part.chunks_exact(4).map(|four| [four[0], four[1], four[2], four[3]]).collect())
    }
}

/// SHA-256 of the heading, the description of the tensors and the numbers.
fn digest(header: &str, tensors: &Map<String, Value>, data: &[u8]) -> String {
    let mut hash = Sha256::new();
    hash.update(header.as_bytes());
    for (name, tensor) in tensors {
        hash.update(format!("{name} {tensor}").as_bytes());
    }
    hash.update(data);
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A weight, which is a finite number.
pub(crate) fn finite(bytes: [u8; 4]) -> Result<f32, FileError> {
    let number = f32::from_le_bytes(bytes);
    if number.is_finite() {
        Ok(number)
    } else {
        Err(FileError::Damaged("a weight is not a finite number"))
    }
}
