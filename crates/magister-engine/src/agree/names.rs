//! Texts and their numbers, shared by all evaluators.

use rustc_hash::FxHashMap;

#[derive(Debug, Default)]
pub(super) struct Names {
    texts: Vec<String>,
    numbers: FxHashMap<String, u32>,
}

impl Names {
    pub(super) fn number(&mut self, text: &str) -> u32 {
        if let Some(&number) = self.numbers.get(text) {
            return number;
        }
        let number = self.texts.len() as u32;
        self.texts.push(text.to_owned());
        self.numbers.insert(text.to_owned(), number);
        number
    }

    pub(super) fn text(&self, number: u32) -> &str {
        self.texts.get(number as usize).map_or("?", String::as_str)
    }
}

/// The terms of a state's text, which is a list in parentheses.
pub(super) fn split(text: &str) -> Vec<&str> {
    let text = text.trim();
    let inner = text.strip_prefix('(').and_then(|t| t.strip_suffix(')')).unwrap_or(text);
    let (mut terms, mut depth, mut start) = (Vec::new(), 0_i32, None);
    for (at, character) in inner.char_indices() {
        match character {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if character.is_whitespace() && depth == 0 {
            terms.extend(start.take().map(|start| &inner[start..at]));
        } else if start.is_none() {
            start = Some(at);
        }
    }
    terms.extend(start.map(|start| &inner[start..]));
    terms
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn states_are_split_into_terms() {
        assert!(split("()").is_empty());
        assert_eq!(split("((cell 1 (f x)) done)"), ["(cell 1 (f x))", "done"]);
        assert_eq!(split("(cell(1, 1, x) done)"), ["cell(1, 1, x)", "done"]);
    }
}
