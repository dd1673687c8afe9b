//! The description of a game before play.

use magister::Playable;
use magister_games::catalogue::Entry;

use crate::console::About;

/// The markers of a comment line in the languages.
const COMMENT: [&str; 3] = [";", "%", "//"];

/// The description of a game: from the catalogue, or from the comment at the top of its rules.
pub(crate) fn about(playable: &Playable) -> About {
    let name = playable.name.trim_start_matches("rust:");
    if let Some(found) = magister::bundled(name) {
        let Entry { card, .. } = found.entry;
        return About {
            title: card.title.clone(),
            aim: card.summary.clone(),
            rules: card.rules.clone(),
            clues: card.clues.clone(),
        };
    }
    let comment = playable.rules().map(heading).unwrap_or_default();
    // The first line of a heading often contains only the title.
    let (first, rest) = comment.split_once('\n').unwrap_or((comment.as_str(), ""));
    let aim = if rest.trim().is_empty() { first } else { rest.trim_start() };
    let aim = aim.split("\n\n").next().unwrap_or_default();
    About {
        title: name.to_owned(),
        aim: aim.split_whitespace().collect::<Vec<_>>().join(" "),
        rules: comment,
        clues: String::new(),
    }
}

/// The comment at the top of rules, without its markers.
fn heading(rules: &str) -> String {
    let lines = rules.trim_start().lines().map(str::trim);
    let comment = lines.map_while(|line| {
        COMMENT.iter().find_map(|sign| {
            line.strip_prefix(sign).map(|rest| rest.trim_start_matches([';', '%', '/']).trim())
        })
    });
    comment.collect::<Vec<_>>().join("\n").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::heading;

    #[test]
    fn the_comment_at_the_top() {
        assert_eq!(heading(";; Nim.\n;\n; Take stones.\n(role a)\n; more"), "Nim.\n\nTake stones.");
        assert_eq!(heading("% Nim.\nrole(a)"), "Nim.");
        assert_eq!(heading("role(a)"), "");
    }
}
