//! Texts that differ from rules in one place, where a diagnostic says that something is wrong.

use magister_gdl::{Code, Options, Span, Syntax, examine, nearest};

use super::{Candidate, Change, line_of};

/// All candidates, the likeliest first.
pub(super) fn candidates(text: &str, options: &Options) -> Vec<Candidate> {
    let found = examine(text, options);
    let mut all = Vec::new();
    for one in found.diagnostics.as_slice() {
        let (start, end) = (one.span.start as usize, one.span.end as usize);
        let Some(marked) = text.get(start..end) else { continue };
        let help = one.help.as_deref().unwrap_or_default();
        if let Some(meant) = between(help, "did you mean `", "`") {
            all.extend(respelt(text, one.span, &one.message, meant));
        }
        match (one.code, marked) {
            (Code::Unexpected, ":") => {
                let effects = line_at(text, start).contains("==>");
                let signs = if effects { ["::", ":-"] } else { [":-", "::"] };
                all.extend(signs.map(|sign| replaced(text, start, end, sign)));
            }
            (Code::Unexpected, "-->" | "===>" | "=>" | "->") => {
                all.extend(["==>", ":-"].map(|sign| replaced(text, start, end, sign)));
            }
            _ => {}
        }
        if one.message.contains("binds") {
            all.extend(variable(text, one.span));
        }
        if one.code == Code::Unexpected && one.message.contains("`)`") {
            all.extend(on_line(text, start));
        }
        if one.message.contains("`&`") || help.contains("`&`") {
            all.push(ampersand(text, start));
        }
    }
    let unclosed = |code| matches!(code, Code::Unclosed | Code::Unopened);
    let all_found = found.diagnostics.as_slice();
    if all_found.iter().any(|one| unclosed(one.code)) && found.rules.syntax == Syntax::Kif {
        all.extend(parentheses(text));
    } else {
        for one in all_found.iter().filter(|one| unclosed(one.code)) {
            all.extend(on_line(text, one.span.start as usize));
        }
    }
    all
}

/// The part of a text between two others.
fn between<'a>(text: &'a str, before: &str, after: &str) -> Option<&'a str> {
    let start = text.find(before)? + before.len();
    let end = text[start..].find(after)?;
    Some(&text[start..start + end])
}

/// The line around a place.
fn line_at(text: &str, at: usize) -> &str {
    let start = text[..at].rfind('\n').map_or(0, |before| before + 1);
    let end = text[at..].find('\n').map_or(text.len(), |after| at + after);
    &text[start..end]
}

fn replaced(text: &str, start: usize, end: usize, with: &str) -> Candidate {
    let what = format!("`{}` is now `{with}`", &text[start..end]);
    let line = line_of(text, start);
    let text = format!("{}{with}{}", &text[..start], &text[end..]);
    Candidate { text, change: Change { line, what } }
}

/// The name in a marked place that the message is about, or that is most like what was meant, spelt
/// as that.
pub(super) fn respelt(text: &str, span: Span, message: &str, meant: &str) -> Option<Candidate> {
    let (start, end) = (span.start as usize, span.end as usize);
    let marked = text.get(start..end)?;
    let name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '?');
    let mut names: Vec<(usize, &str)> = Vec::new();
    let mut at = 0;
    for part in marked.split(|c| !name(c)) {
        if !part.is_empty() {
            names.push((at, part));
        }
        // What separates names is one byte long in every syntax.
        at += part.len() + marked[at + part.len()..].chars().next().map_or(0, char::len_utf8);
    }
    let quoted: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    let others = || names.iter().map(|(_, name)| *name).filter(|name| *name != meant);
    let wrong = others().find(|name| quoted.contains(name)).or_else(|| nearest(meant, others()))?;
    let (offset, wrong) = names.iter().find(|(_, name)| *name == wrong)?;
    let from = start + offset;
    Some(replaced(text, from, from + wrong.len(), meant))
}

/// A variable that nothing binds, spelt as the variable of the same statement that is most like it.
fn variable(text: &str, span: Span) -> Option<Candidate> {
    let (start, end) = (span.start as usize, span.end as usize);
    let marked = text.get(start..end)?;
    // Statements begin at the very left, their other lines do not.
    let margin = |at: &usize| !text[*at + 1..].starts_with([' ', '\t', '\n']);
    let before = text[..start].match_indices('\n').map(|(at, _)| at).rfind(margin);
    let after = text[end..].match_indices('\n').map(|(at, _)| end + at).find(|at| margin(at));
    let statement = &text[before.map_or(0, |at| at + 1)..after.unwrap_or(text.len())];
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '?');
    let is_variable = |name: &&str| {
        name.starts_with('?') == marked.starts_with('?')
            && name.starts_with(|c: char| c == '?' || c.is_uppercase())
            && *name != marked
    };
    let meant = nearest(marked, statement.split(|c| !is_name(c)).filter(is_variable))?;
    Some(replaced(text, start, end, meant))
}

/// An `&` at the end of what stands before a place.
fn ampersand(text: &str, at: usize) -> Candidate {
    let end = text[..at].trim_end().len();
    let change = Change { line: line_of(text, end), what: "added `&`".to_owned() };
    Candidate { text: format!("{} &{}", &text[..end], &text[end..]), change }
}

/// One parenthesis more or less at the end of a line, in the statement that is not balanced.
fn parentheses(text: &str) -> Vec<Candidate> {
    let mut all = Vec::new();
    let mut statement: Vec<(usize, usize)> = Vec::new();
    let mut depth = 0_i64;
    let mut at = 0;
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    for (number, line) in lines.iter().enumerate() {
        let end = at + code_end(line);
        if line.starts_with('(') && depth != 0 {
            // The statement before this one is not balanced.
            all.extend(edits(text, &statement, depth));
            depth = 0;
        }
        // After an extra parenthesis the rest of a statement stands alone, indented.
        if line.starts_with('(') {
            statement.clear();
        }
        statement.push((at, end));
        for byte in text[at..end].bytes() {
            depth += i64::from(byte == b'(') - i64::from(byte == b')');
        }
        let last = number + 1 == lines.len();
        if depth < 0 || (last && depth != 0) {
            all.extend(edits(text, &statement, depth));
            depth = 0;
        }
        at += line.len();
    }
    all
}

/// The length of a line without its comment and the blanks before that.
fn code_end(line: &str) -> usize {
    line.find(';').map_or(line, |comment| &line[..comment]).trim_end().len()
}

/// The edits of the lines of a statement that has too few or too many parentheses.
fn edits(text: &str, lines: &[(usize, usize)], depth: i64) -> Vec<Candidate> {
    let count = usize::try_from(depth.abs()).unwrap_or(1).min(8);
    let mut all = Vec::new();
    for &(start, end) in lines {
        if start == end {
            continue;
        }
        let line = line_of(text, start);
        if depth > 0 {
            let more = ")".repeat(count);
            let what = format!("added `{more}`");
            let text = format!("{}{more}{}", &text[..end], &text[end..]);
            all.push(Candidate { text, change: Change { line, what } });
        } else if text[start..end].ends_with(')') {
            let less = text[start..end].len() - text[start..end].trim_end_matches(')').len();
            let less = less.min(count);
            let what = format!("removed `{}`", ")".repeat(less));
            let text = format!("{}{}", &text[..end - less], &text[end..]);
            all.push(Candidate { text, change: Change { line, what } });
        }
    }
    // The end of the statement is the likeliest place.
    all.reverse();
    all
}

/// One parenthesis more or less on a line in infix form.
fn on_line(text: &str, at: usize) -> Vec<Candidate> {
    let start = text[..at].rfind('\n').map_or(0, |before| before + 1);
    let line = line_at(text, at);
    let code = line.find('%').map_or(line, |comment| &line[..comment]);
    let opened = code.matches('(').count();
    let closed = code.matches(')').count();
    let number = line_of(text, at);
    let mut all = Vec::new();
    if opened > closed {
        // After every name or argument, a parenthesis may be missing.
        let ends = code.char_indices().filter(|(_, c)| c.is_alphanumeric() || *c == ')');
        for (offset, letter) in ends {
            let place = start + offset + letter.len_utf8();
            let inside = text[place..].chars().next();
            if inside.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '(')) {
                continue;
            }
            let change = Change { line: number, what: "added `)`".to_owned() };
            let text = format!("{}){}", &text[..place], &text[place..]);
            all.push(Candidate { text, change });
        }
        all.reverse();
    } else if closed > opened {
        for (offset, _) in code.char_indices().filter(|(_, c)| *c == ')') {
            let place = start + offset;
            let change = Change { line: number, what: "removed `)`".to_owned() };
            let text = format!("{}{}", &text[..place], &text[place + 1..]);
            all.push(Candidate { text, change });
        }
        all.reverse();
    }
    all
}
