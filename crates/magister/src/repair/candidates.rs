//! Texts that differ from the rules in one place, where a diagnostic reports a defect.

use magister_gdl::{Code, Options, Span, Syntax, examine, nearest};

use super::{Candidate, Change, line_of};

/// All candidates, the most likely first.
pub(super) fn candidates(text: &str, options: &Options) -> Vec<Candidate> {
    let found = examine(text, options);
    let mut all = Vec::new();
    // A name that is used but not defined is misspelt; one that is not used may be the intended
    // name.
    let (unused, others): (Vec<_>, Vec<_>) =
        found.diagnostics.as_slice().iter().partition(|one| one.code == Code::Unused);
    for one in others.into_iter().chain(unused) {
        let (start, end) = (one.span.start as usize, one.span.end as usize);
        let Some(marked) = text.get(start..end) else { continue };
        let help = one.help.as_deref().unwrap_or_default();
        if let Some(meant) = between(help, "did you mean `", "`") {
            all.extend(respelt(text, one.span, &one.message, meant));
            all.extend(respelt_everywhere(text, one.span, &one.message, meant));
        }
        if help.starts_with("for the fluent write") {
            let name = between(&one.message, "`", "`").unwrap_or_default();
            all.extend(in_true(text, name, found.rules.syntax));
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
        if one.message.contains("binds") || one.message.contains("no condition") {
            all.extend(variable(text, one.span));
        }
        if one.code == Code::UndeclaredRole && found.rules.syntax == Syntax::Kif {
            all.extend(question_marks(text, one.span));
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

/// The part of a text between two given parts.
fn between<'a>(text: &'a str, before: &str, after: &str) -> Option<&'a str> {
    let start = text.find(before)? + before.len();
    let end = text[start..].find(after)?;
    Some(&text[start..start + end])
}

/// The line that contains an offset.
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

/// Corrects the name in the marked place that the message is about, or that is most similar to the
/// intended one.
pub(super) fn respelt(text: &str, span: Span, message: &str, meant: &str) -> Option<Candidate> {
    let (from, wrong) = misspelt(text, span, message, meant)?;
    Some(replaced(text, from, from + wrong.len(), meant))
}

/// The same for all places of that name, if there are several. For a variable, only its own rule is
/// changed.
fn respelt_everywhere(text: &str, span: Span, message: &str, meant: &str) -> Option<Candidate> {
    let (from, wrong) = misspelt(text, span, message, meant)?;
    let variable = wrong.starts_with(|c: char| c == '?' || c.is_uppercase());
    let (start, end) =
        if variable { statement(text, from, from + wrong.len()) } else { (0, text.len()) };
    let places: Vec<usize> = words(text, wrong).filter(|at| (start..end).contains(at)).collect();
    let (first, true) = (*places.first()?, places.len() > 1) else { return None };
    let mut new = text.to_owned();
    for at in places.iter().rev() {
        new.replace_range(*at..at + wrong.len(), meant);
    }
    let what = format!("`{wrong}` is now `{meant}` in {} places", places.len());
    Some(Candidate { text: new, change: Change { line: line_of(text, first), what } })
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '?')
}

/// The places of a name as a whole word, outside of comments.
fn words<'a>(text: &'a str, name: &'a str) -> impl Iterator<Item = usize> + 'a {
    text.match_indices(name).map(|(at, _)| at).filter(move |&at| {
        let line = text[..at].rfind('\n').map_or(0, |before| before + 1);
        !text[..at].ends_with(is_name)
            && !text[at + name.len()..].starts_with(is_name)
            && !text[line..at].contains([';', '%'])
    })
}

/// Wraps `true` around a fluent wherever it occurs as a condition.
fn in_true(text: &str, name: &str, syntax: Syntax) -> Option<Candidate> {
    if name.is_empty() {
        return None;
    }
    let kif = syntax == Syntax::Kif;
    let mut changed = text.to_owned();
    let mut first = None;
    let mut count = 0;
    let places: Vec<usize> = words(text, name).collect();
    for at in places.into_iter().rev() {
        let open = if kif { at.checked_sub(1)? } else { at };
        let after = if kif { open } else { at + name.len() };
        if !text[after..].starts_with('(') {
            continue;
        }
        // A fluent inside the parentheses of a keyword is not a condition.
        let before = text[..open].trim_end();
        let inside = ["true", "init", "next", "base"].iter().any(|keyword| {
            if kif { before.ends_with(keyword) } else { before.ends_with(&format!("{keyword}(")) }
        });
        if inside {
            continue;
        }
        let end = closing(text, after)?;
        let term = &text[open..end];
        let new = if kif { format!("(true {term})") } else { format!("true({term})") };
        changed.replace_range(open..end, &new);
        first = Some(open);
        count += 1;
    }
    let line = line_of(text, first?);
    let places = if count == 1 { String::new() } else { format!(" in {count} places") };
    let what = format!("wrote `true` around `{name}`{places}");
    Some(Candidate { text: changed, change: Change { line, what } })
}

/// The offset after the parenthesis that closes the one at `open`.
fn closing(text: &str, open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate().skip(open) {
        match byte {
            b'(' => depth += 1,
            b')' if depth == 1 => return Some(at + 1),
            b')' => depth = depth.checked_sub(1)?,
            _ => {}
        }
    }
    None
}

/// The name that `respelt` corrects, and its place.
fn misspelt<'a>(text: &'a str, span: Span, message: &str, meant: &str) -> Option<(usize, &'a str)> {
    let (start, end) = (span.start as usize, span.end as usize);
    let marked = text.get(start..end)?;
    let mut names: Vec<(usize, &str)> = Vec::new();
    let mut at = 0;
    for part in marked.split(|c| !is_name(c)) {
        if !part.is_empty() {
            names.push((at, part));
        }
        // Separators of names are one byte long in every syntax.
        at += part.len() + marked[at + part.len()..].chars().next().map_or(0, char::len_utf8);
    }
    let quoted: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    let others = || names.iter().map(|(_, name)| *name).filter(|name| *name != meant);
    let wrong = others().find(|name| quoted.contains(name)).or_else(|| nearest(meant, others()))?;
    let (offset, wrong) = names.iter().find(|(_, name)| *name == wrong)?;
    Some((start + offset, wrong))
}

/// Replaces a variable that nothing binds by the most similar variable of the same statement.
fn variable(text: &str, span: Span) -> Option<Candidate> {
    let (start, end) = (span.start as usize, span.end as usize);
    let marked = text.get(start..end)?;
    let (from, to) = statement(text, start, end);
    let statement = &text[from..to];
    let is_variable = |name: &&str| {
        name.starts_with('?') == marked.starts_with('?')
            && name.starts_with(|c: char| c == '?' || c.is_uppercase())
            && *name != marked
    };
    let meant = nearest(marked, statement.split(|c| !is_name(c)).filter(is_variable))?;
    Some(replaced(text, start, end, meant))
}

/// Writes the names of a statement that also occur in it as variables as variables: `?p` for `p`.
fn question_marks(text: &str, span: Span) -> Option<Candidate> {
    let (from, to) = statement(text, span.start as usize, span.end as usize);
    let rule = &text[from..to];
    let names = rule.split(|c| !is_name(c)).filter(|name| !name.is_empty());
    let mut names: Vec<&str> = names
        .filter(|name| !name.starts_with('?') && words(rule, &format!("?{name}")).next().is_some())
        .collect();
    names.sort_unstable();
    names.dedup();
    let mut places: Vec<usize> = names.iter().flat_map(|name| words(rule, name)).collect();
    places.sort_unstable();
    let mut new = text.to_owned();
    for at in places.iter().rev() {
        new.insert(from + at, '?');
    }
    let line = line_of(text, from + *places.first()?);
    let variables: Vec<String> = names.iter().map(|name| format!("`?{name}`")).collect();
    let written: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    let are = if names.len() == 1 { "is" } else { "are" };
    let what = format!("{} {are} now {}", written.join(", "), variables.join(", "));
    Some(Candidate { text: new, change: Change { line, what } })
}

/// The start and the end of the statement around an offset.
fn statement(text: &str, start: usize, end: usize) -> (usize, usize) {
    // Statements begin in the first column; their other lines are indented.
    let margin = |at: &usize| !text[*at + 1..].starts_with([' ', '\t', '\n']);
    let before = text[..start].match_indices('\n').map(|(at, _)| at).rfind(margin);
    let after = text[end..].match_indices('\n').map(|(at, _)| end + at).find(|at| margin(at));
    (before.map_or(0, |at| at + 1), after.unwrap_or(text.len()))
}

/// Adds an `&` at the end of the text before an offset.
fn ampersand(text: &str, at: usize) -> Candidate {
    let end = text[..at].trim_end().len();
    let change = Change { line: line_of(text, end), what: "added `&`".to_owned() };
    Candidate { text: format!("{} &{}", &text[..end], &text[end..]), change }
}

/// Adds or removes one parenthesis at the end of a line, in the statement that is not balanced.
fn parentheses(text: &str) -> Vec<Candidate> {
    let mut all = Vec::new();
    let mut statement: Vec<(usize, usize)> = Vec::new();
    let mut depth = 0_i64;
    let mut at = 0;
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    for (number, line) in lines.iter().enumerate() {
        let end = at + code_end(line);
        if line.starts_with('(') && depth != 0 {
            // The previous statement is not balanced.
            all.extend(edits(text, &statement, depth));
            depth = 0;
        }
        // After an extra parenthesis, the rest of a statement stands alone and is indented.
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

/// The length of a line without its comment and the blanks before it.
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
    // The end of the statement is the most likely place.
    all.reverse();
    all
}

/// Adds or removes one parenthesis on a line in infix form.
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
