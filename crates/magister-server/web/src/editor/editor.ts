// The rules editor: CodeMirror with our languages and the server's diagnostics. Loaded when it is needed.

import { autocompletion, closeBrackets, closeBracketsKeymap, completeAnyWord } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { bracketMatching, HighlightStyle, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { forceLinting, lintGutter, lintKeymap, linter } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import type { CheckResult } from "../lib/types";

const KEYWORDS = /^(role|init|true|next|legal|does|terminal|goal|sees|base|input|action|control|not|or|distinct|random)$/i;

const rules = StreamLanguage.define<null>({
  name: "rules",
  startState: () => null,
  token(stream) {
    if (stream.eatSpace()) return null;
    if (stream.match(/^[;%].*/)) return "comment";
    if (stream.match(/^"[^"]*"?/)) return "string";
    if (stream.match(/^\?[\w-]*/) || stream.match(/^_?[A-Z]\w*/)) return "variableName";
    if (stream.match(/^(<=|:-|==>|::|&|\||~)/)) return "operator";
    if (stream.match(/^\d+(\.\d+)?/)) return "number";
    const word = stream.match(/^[A-Za-z_][\w+\-*/.]*/);
    if (word && word !== true) return KEYWORDS.test(word[0]) ? "keyword" : null;
    stream.next();
    return null;
  },
  languageData: { commentTokens: { line: ";" }, closeBrackets: { brackets: ["(", "[", '"'] } },
});

const colours = HighlightStyle.define([
  { tag: tags.comment, color: "var(--ink-3)", fontStyle: "italic" },
  { tag: tags.keyword, color: "var(--accent)", fontWeight: "650" },
  { tag: tags.variableName, color: "var(--warm-text)" },
  { tag: tags.number, color: "var(--focus)" },
  { tag: tags.string, color: "var(--accent)" },
  { tag: tags.operator, color: "var(--accent)" },
]);

const theme = EditorView.theme({
  "&": { backgroundColor: "var(--surface)", color: "var(--ink)", fontSize: "0.95rem", height: "100%" },
  ".cm-content": { fontFamily: "var(--mono)", caretColor: "var(--ink)", paddingBlock: "0.6rem" },
  ".cm-scroller": { lineHeight: "1.55", overflow: "auto" },
  ".cm-gutters": { backgroundColor: "var(--sunk)", color: "var(--ink-3)", border: "none", fontFamily: "var(--mono)" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "color-mix(in oklab, var(--accent) 9%, transparent)" },
  "&.cm-focused": { outline: "3px solid var(--focus)", outlineOffset: "1px" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "var(--accent-soft) !important" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-tooltip": { backgroundColor: "var(--surface)", color: "var(--ink)", border: "1px solid var(--line-2)", borderRadius: "8px", overflow: "hidden" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--accent-ink)" },
  ".cm-diagnostic": { padding: "0.4rem 0.7rem", fontFamily: "var(--sans)", whiteSpace: "pre-wrap", maxWidth: "34rem" },
  ".cm-matchingBracket": { backgroundColor: "var(--warm-soft) !important", outline: "1px solid var(--warm)" },
});

export interface Editor {
  text(): string;
  set(text: string): void;
  show(offset: number): void;
  recheck(): void;
  destroy(): void;
}

/** Makes an editor. `check` is called some moments after each change; its answer marks the text. */
export function makeEditor(parent: HTMLElement, text: string, check: (text: string) => Promise<CheckResult | null>, change: (text: string) => void): Editor {
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        lineNumbers(), history(), drawSelection(), bracketMatching(), closeBrackets(), highlightActiveLine(), rules, syntaxHighlighting(colours), theme, lintGutter(),
        autocompletion({ override: [completeAnyWord], activateOnTyping: false }),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ "aria-label": "Rules", spellcheck: "false", tabindex: "0" }),
        keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, ...lintKeymap]),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) change(update.state.doc.toString());
        }),
        linter(
          async (editor) => {
            const result = await check(editor.state.doc.toString());
            const length = editor.state.doc.length;
            return (result?.diagnostics ?? []).map((one) => {
              const from = Math.min(Math.max(0, one.start), length);
              const to = Math.min(Math.max(from, one.end), length);
              return { from, to, severity: one.severity === "error" ? ("error" as const) : one.severity === "warning" ? ("warning" as const) : ("info" as const), message: one.help ? `${one.message}\n${one.help}` : one.message };
            });
          },
          { delay: 350 },
        ),
      ],
    }),
  });
  return {
    text: () => view.state.doc.toString(),
    set: (next) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next } }),
    show: (offset) => {
      const at = Math.min(offset, view.state.doc.length);
      view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: "center" }) });
      view.focus();
    },
    recheck: () => forceLinting(view),
    destroy: () => view.destroy(),
  };
}
