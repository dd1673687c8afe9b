//! Names: short shared strings, cheap to copy and to compare.

use std::borrow::Borrow;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use rustc_hash::FxHashSet;

/// The name of a relation, function, constant or variable.
///
/// A reader creates each distinct name once and shares it, so a rulesheet of a million atoms has a
/// few hundred strings.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(Arc<str>);

impl Name {
    /// A new name that is not shared with a reader.
    pub fn new(text: &str) -> Self {
        Name(Arc::from(text))
    }

    /// The text of the name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Deref for Name {
    type Target = str;
    fn deref(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for Name {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl PartialEq<str> for Name {
    fn eq(&self, other: &str) -> bool {
        &*self.0 == other
    }
}

impl PartialEq<&str> for Name {
    fn eq(&self, other: &&str) -> bool {
        &*self.0 == *other
    }
}

impl From<&str> for Name {
    fn from(text: &str) -> Self {
        Name::new(text)
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", &self.0)
    }
}

/// Creates names and stores each distinct one once.
#[derive(Debug, Default)]
pub(crate) struct Names {
    known: FxHashSet<Name>,
}

impl Names {
    pub(crate) fn get(&mut self, text: &str) -> Name {
        if let Some(name) = self.known.get(text) {
            return name.clone();
        }
        let name = Name::new(text);
        self.known.insert(name.clone());
        name
    }
}
