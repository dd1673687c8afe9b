//! "Did you mean": the known name that is nearest to a misspelt one.

/// The maximum number of names to compare: a suggestion must not cost more than the check.
const CANDIDATES: usize = 2000;

/// The candidate nearest to `wrong`, if one is near enough.
pub fn nearest<'a>(wrong: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    near(wrong, candidates).min().map(|(_, c)| c)
}

/// All candidates that are near enough to `wrong`, nearest first.
pub fn nearest_all<'a>(wrong: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let mut near: Vec<(usize, &str)> = near(wrong, candidates).collect();
    near.sort_unstable();
    near.into_iter().map(|(_, c)| c).collect()
}

/// The candidates that are near enough, each with its distance.
fn near<'a>(
    wrong: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> impl Iterator<Item = (usize, &'a str)> {
    let length = wrong.chars().count();
    let allowed = if length <= 2 { 1 } else { (length / 3).clamp(1, 3) };
    let most = if length > 64 { 0 } else { CANDIDATES };
    candidates
        .into_iter()
        .take(most)
        .filter(move |c| *c != wrong && c.chars().count().abs_diff(length) <= allowed)
        .map(move |c| (distance(wrong, c), c))
        .filter(move |&(d, _)| d <= allowed && d < length)
}

/// The edit distance with insertions, deletions, replacements and transpositions.
pub(crate) fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().flat_map(char::to_lowercase).collect();
    let b: Vec<char> = b.chars().flat_map(char::to_lowercase).collect();
    let mut before = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 0..a.len() {
        let mut row = vec![i + 1];
        for j in 0..b.len() {
            let replace = last[j] + usize::from(a[i] != b[j]);
            let mut best = replace.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j] {
                best = best.min(before[j - 1] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_misspellings_only() {
        let names = ["cell", "control", "opposite_score", "line"];
        let near = |wrong| nearest(wrong, names);
        assert_eq!(near("cel"), Some("cell"));
        assert_eq!(near("contorl"), Some("control"));
        assert_eq!(near("opposite"), None);
        assert_eq!(near("opositescore"), Some("opposite_score"));
        assert_eq!(near("x"), None);
        assert_eq!(near("Cell"), Some("cell"));
        assert_eq!(nearest_all("lime", ["time", "lines", "line", "cell"]), ["line", "time"]);
    }

    #[test]
    fn distance_counts_edits() {
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("abc", "abc"), 0);
        assert_eq!(distance("abcd", "abdc"), 1);
        assert_eq!(distance("kitten", "sitting"), 3);
    }
}
