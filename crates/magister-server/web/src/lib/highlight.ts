// Colours for rules in all three languages: comments, variables, words of the rules, numbers.

export interface Span {
  text: string;
  kind: "comment" | "variable" | "keyword" | "number" | "string" | "mark" | "name";
}

const KEYWORDS = new Set(["role", "init", "true", "next", "legal", "does", "terminal", "goal", "sees", "sees_xml", "base", "input", "action", "control", "not", "or", "distinct", "random", "and"]);

// One alternative per kind: comments of all languages, strings, variables, numbers, names, marks.
const TOKEN = /(;[^\n]*|%[^\n]*|(?<=^|\s)\/\/[^\n]*)|("[^"\n]*")|(\?[\w-]+|\b_?[A-Z]\w*)|(\b\d+(?:\.\d+)?\b)|([\p{L}_][\w+\-*/.]*)|(\s+|[^\s])/gmu;

export function highlight(text: string): Span[] {
  const spans: Span[] = [];
  for (const found of text.matchAll(TOKEN)) {
    const [whole, comment, string, variable, number, name] = found;
    const kind = comment !== undefined ? "comment" : string !== undefined ? "string" : variable !== undefined ? "variable" : number !== undefined ? "number" : name !== undefined ? (KEYWORDS.has(name.toLowerCase()) ? "keyword" : "name") : "mark";
    const last = spans[spans.length - 1];
    if (last && last.kind === kind && (kind === "mark" || kind === "name")) last.text += whole;
    else spans.push({ text: whole, kind });
  }
  return spans;
}
