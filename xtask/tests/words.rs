//! The words of the project: documents, comments, messages, help texts and names of functions.
//!
//! The list is short. It contains words that are wrong in every sentence of this project and the
//! field's terms that replace them. The texts of the bundled games (`games/`) are not checked: they
//! are written for players, and a player may well be told something.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// A phrase, the following words that make it correct, and a suggestion.
struct Phrase {
    words: &'static [&'static str],
    unless: &'static [&'static str],
    instead: &'static str,
}

const fn phrase(words: &'static [&'static str], instead: &'static str) -> Phrase {
    Phrase { words, unless: &[], instead }
}

/// The negated noun, as in "what is no move".
const fn negated(words: &'static [&'static str]) -> Phrase {
    let unless = &["longer", "more", "less", "better", "worse", "larger", "smaller", "other"];
    Phrase { words, unless, instead: "`is not a ...`, or name the kind of thing" }
}

const LIST: &[Phrase] = &[
    phrase(&["can", "not"], "cannot"),
    phrase(&["for", "ever"], "forever"),
    phrase(&["told"], "reported, shown, given; distinguished"),
    phrase(&["so", "many"], "the number, or `N`"),
    phrase(&["nobody"], "no player, no role, no one"),
    phrase(&["somebody"], "a person, a reader, a role"),
    phrase(&["anybody"], "any person, any role"),
    phrase(&["everybody"], "everyone, all roles"),
    phrase(&["whoever"], "the player that"),
    phrase(&["for", "who"], "for a caller that, if you"),
    phrase(&["to", "who"], "to a caller that"),
    phrase(&["who", "wants"], "if you want, to"),
    phrase(&["who", "needs"], "if you need"),
    negated(&["what", "is", "no"]),
    negated(&["what", "are", "no"]),
    negated(&["that", "is", "no"]),
    negated(&["that", "are", "no"]),
    negated(&["which", "is", "no"]),
    negated(&["which", "are", "no"]),
    phrase(&["what", "came", "of"], "the result of"),
    phrase(&["what", "comes", "of"], "the result of"),
    phrase(&["what", "became", "of"], "the fate of, the result of"),
    phrase(&["what", "becomes", "of"], "the fate of, the result of"),
    phrase(&["what", "is", "left", "of"], "the rest of, the residual"),
    phrase(&["is", "known", "of"], "is known about"),
    phrase(&["of", "before"], "that was there before, earlier"),
    phrase(&["everything", "random"], "all random draws"),
    phrase(&["the", "sentence", "says"], "the message says, the text says"),
    phrase(&["worth", "being"], "worth searching, worth keeping"),
    phrase(&["held", "against"], "compared with"),
    phrase(&["gets", "to", "know"], "learns"),
    phrase(&["looks", "at", "the", "clock"], "reads the clock"),
    phrase(&["look", "at", "the", "clock"], "read the clock"),
    phrase(&["as", "good", "as", "none"], "almost none"),
    phrase(&["would", "be", "no"], "would not be"),
    phrase(&["a", "course"], "a history"),
    phrase(&["the", "course"], "the history"),
    phrase(&["courses"], "histories"),
    phrase(&["cloud"], "particle filter"),
    phrase(&["clouds"], "particle filters"),
    phrase(&["trouble"], "error"),
    phrase(&["troubles"], "errors"),
    phrase(&["nothing", "is", "hidden"], "with perfect information"),
    phrase(&["rules", "sheet"], "rulesheet"),
    phrase(&["the", "own"], "its own, the role's own, your"),
    phrase(&["an", "own"], "one of its own, one of your"),
    phrase(&["none", "if", "it", "is", "none"], "`None` if it is not one"),
    phrase(&["lived", "it"], "from the point of view of"),
    phrase(&["thereof"], "of it"),
    phrase(&["therein"], "in it"),
    phrase(&["whereby"], "by which"),
    phrase(&["wherein"], "in which"),
    phrase(&["whilst"], "while"),
    phrase(&["amongst"], "among"),
    phrase(&["lest"], "so that not"),
    phrase(&["hitherto"], "so far"),
];

/// One word with its line; an empty word ends a sentence.
type Word = (String, usize);

/// Splits prose into words. Code between backticks and arguments of formats are not prose.
fn split(text: &str, first_line: usize, words: &mut Vec<Word>) {
    let (mut line, mut word, mut code, mut braces) = (first_line, String::new(), false, 0_u32);
    for c in text.chars().chain(['\0']) {
        if !code && braces == 0 && (c.is_alphanumeric() || c == '\'') {
            word.extend(c.to_lowercase());
            continue;
        }
        if !word.is_empty() {
            words.push((std::mem::take(&mut word), line));
        }
        match c {
            '\n' => line += 1,
            '`' => code = !code,
            '{' if !code => braces += 1,
            '}' if !code => braces = braces.saturating_sub(1),
            _ => {}
        }
        if !c.is_whitespace() && c != ',' && c != '*' {
            words.push((String::new(), line));
        }
    }
}

/// The prose of a Markdown file: everything outside of code blocks, line by line.
fn markdown(text: &str) -> Vec<Word> {
    let (mut words, mut fence) = (Vec::new(), false);
    for (number, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            fence = !fence;
        } else if !fence {
            split(line, number + 1, &mut words);
        }
    }
    words
}

/// The prose of a Rust file: comments, strings of more than one word, and names of functions.
fn rust(text: &str) -> Vec<Word> {
    let mut words = Vec::new();
    let (mut rest, mut line) = (text, 1);
    // Consecutive lines of comments are one text.
    let mut comment = (String::new(), 0);
    while let Some(c) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            let end = rest.find('\n').unwrap_or(rest.len());
            let content = rest[..end].trim_start_matches(['/', '!']);
            if comment.0.is_empty() {
                comment.1 = line;
            }
            comment.0.push_str(if content.trim_start().starts_with("```") { "`" } else { content });
            comment.0.push('\n');
            // The line after the comment continues it if it is a comment too.
            let after = rest[end..].trim_start_matches(['\n', ' ', '\t']);
            let blank = rest[end..].len() - after.len();
            if !after.starts_with("//") || rest[end..end + blank].matches('\n').count() > 1 {
                split(&comment.0, comment.1, &mut words);
                words.push((String::new(), line));
                comment.0.clear();
            }
            end
        } else if let Some((start, end)) = string(rest) {
            let content = &rest[start..end];
            if content.contains(' ') {
                split(content, line, &mut words);
                words.push((String::new(), line));
            }
            // The closing quote; the hash signs of a raw string are harmless.
            end + 1
        } else if let Some(end) = character(rest) {
            end
        } else if c.is_alphabetic() || c == '_' {
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            if &rest[..end] == "fn" {
                let name = rest[end..].trim_start();
                let stop = name.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(0);
                split(&name[..stop].replace('_', " "), line, &mut words);
                words.push((String::new(), line));
            }
            end
        } else {
            c.len_utf8()
        };
        let length = length.min(rest.len());
        line += rest[..length].matches('\n').count();
        rest = &rest[length..];
    }
    words
}

/// The content of a string literal at the start of a text, as its start and end.
fn string(text: &str) -> Option<(usize, usize)> {
    let prefix = ["br", "b", "cr", "c", "r", ""].into_iter().find(|prefix| {
        let after = text.strip_prefix(prefix).map(|after| after.trim_start_matches('#'));
        after.is_some_and(|after| after.starts_with('"'))
    })?;
    let hashes = text[prefix.len()..].chars().take_while(|&c| c == '#').count();
    let start = prefix.len() + hashes + 1;
    if prefix.ends_with('r') {
        let close = format!("\"{}", "#".repeat(hashes));
        return text[start..].find(&close).map(|end| (start, start + end));
    }
    if hashes > 0 {
        return None;
    }
    let mut escaped = false;
    let end = text[start..].find(|c| {
        let closes = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        closes
    })?;
    Some((start, start + end))
}

/// The length of a character literal at the start of a text; `None` for lifetimes.
fn character(text: &str) -> Option<usize> {
    let content = text.strip_prefix('\'')?;
    let mut chars = content.char_indices();
    let (_, first) = chars.next()?;
    if first == '\\' {
        chars.next()?;
        return content[2..].find('\'').map(|end| end + 4);
    }
    let (end, second) = chars.next()?;
    (second == '\'').then_some(end + 2)
}

/// The phrases of the list in a text, with their lines.
fn findings(words: &[Word]) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (at, (_, line)) in words.iter().enumerate() {
        for phrase in LIST {
            let end = at + phrase.words.len();
            let matches = end <= words.len()
                && words[at..end].iter().map(|(word, _)| word).eq(phrase.words.iter());
            let next = words.get(end).map_or("", |(word, _)| word.as_str());
            if matches && !phrase.unless.contains(&next) {
                let text = phrase.words.join(" ");
                found.push((*line, format!("`{text}`: write {}", phrase.instead)));
            }
        }
    }
    found
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the folder is readable")
        .map(|entry| entry.expect("the entry is readable").path())
        .collect();
    entries.sort();
    for path in entries {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if path.is_dir() {
            if !name.starts_with('.') && !["target", "node_modules", "dist"].contains(&name) {
                files(&path, found);
            }
        } else {
            found.push(path);
        }
    }
}

fn words_of(path: &Path) -> Option<Vec<Word>> {
    let read = || std::fs::read_to_string(path).expect("the file is text");
    match path.extension()?.to_str()? {
        // This file contains the list itself.
        "rs" if path.ends_with("xtask/tests/words.rs") => None,
        "rs" => Some(rust(&read())),
        "md" => Some(markdown(&read())),
        "py" | "toml" | "yml" => Some(markdown(&read().replace("```", ""))),
        // The web client: code, comments and texts alike.
        "ts" | "svelte" | "html" => Some(markdown(&read().replace('`', "\""))),
        "json" if path.parent().is_some_and(|folder| folder.ends_with("docs")) => {
            Some(markdown(&read()))
        }
        _ => None,
    }
}

#[test]
fn the_project_uses_the_terms_of_the_field() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is in the project");
    let mut all = Vec::new();
    files(root, &mut all);
    all.retain(|path| !path.starts_with(root.join("games")));
    let (mut checked, mut report) = (0, String::new());
    for path in &all {
        let Some(words) = words_of(path) else { continue };
        checked += 1;
        let name = path.strip_prefix(root).expect("the file is in the project").display();
        for (line, what) in findings(&words) {
            let _ = writeln!(report, "{name}:{line}: {what}");
        }
    }
    assert!(checked > 500, "only {checked} files were checked");
    let count = report.lines().count();
    assert!(report.is_empty(), "{count} places:\n{report}");
}

#[test]
fn every_kind_of_text_is_checked() {
    let lines = |words: Vec<Word>| -> Vec<usize> {
        findings(&words).into_iter().map(|(line, _)| line).collect()
    };
    let source = "//! It can\n//! not be.\nfn what_is_no_move() {}\nlet s = \"a {told} is told\";\n\
                  let key = \"told\"; // `told` is code\nlet c = '\"'; // It is told.\n\
                  let t = r#\"so many \"x\" words\"#;\nlet life: &'a str = \"for who\";\n";
    assert_eq!(lines(rust(source)), [1, 3, 4, 6, 7, 8]);
    assert_eq!(lines(markdown("Fine.\n```\ntold\n```\nTold are `told`.\n")), [5]);
    assert_eq!(lines(markdown("Of that is no longer the case; that is no move.")), [1]);
    assert!(lines(markdown("It can. Not so.")).is_empty());
}
