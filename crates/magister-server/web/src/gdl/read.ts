// Readers of both syntaxes: infix as on Gamemaster, and prefix (KIF).
// Forms: rule(head, body...), handler(action, effect), transition(condition, effect), definition(f, t).

import { NIL, Variable, type Term } from "./terms";

export class SyntaxFault extends Error {
  constructor(message: string, readonly line: number, readonly column: number) {
    super(`line ${line}, column ${column}: ${message}`);
  }
}

interface Token {
  text: string;
  kind: "symbol" | "variable" | "mark" | "end";
  at: number;
}

const INFIX = /\s+|%[^\n]*|("[^"]*")|(==>|:-|::|:=)|([A-Za-z0-9./][A-Za-z0-9_./*+-]*)|(_)|([()[\],!#~&|+*-])/gy;

function tokens(text: string, pattern: RegExp, variable: (symbol: string) => boolean): Token[] {
  const list: Token[] = [];
  pattern.lastIndex = 0;
  while (pattern.lastIndex < text.length) {
    const at = pattern.lastIndex;
    const found = pattern.exec(text);
    if (found === null) throw fault(text, at, `"${text[at]}" cannot be read here`);
    const [, string, operator, symbol, blank, mark] = found;
    if (string !== undefined) list.push({ text: string, kind: "symbol", at });
    else if (operator !== undefined) list.push({ text: operator, kind: "mark", at });
    else if (symbol !== undefined) {
      // A lone full stop between statements means nothing.
      if (symbol !== ".") list.push({ text: symbol, kind: variable(symbol) ? "variable" : "symbol", at });
    } else if (blank !== undefined) list.push({ text: "_", kind: "variable", at });
    else if (mark !== undefined) list.push({ text: mark, kind: "mark", at });
  }
  list.push({ text: "", kind: "end", at: text.length });
  return list;
}

function fault(text: string, at: number, message: string): SyntaxFault {
  const before = text.slice(0, at).split("\n");
  return new SyntaxFault(message, before.length, before[before.length - 1]!.length + 1);
}

/** Operators from loose to tight, with what they make. */
const OPERATORS: [string, string][] = [["::", "handler"], [":-", "rule"], [":=", "definition"], ["==>", "transition"], ["|", "or"], ["&", "and"]];
const DEPTH = 500;

class InfixReader {
  private readonly list: Token[];
  private at = 0;
  private variables = new Map<string, Variable>();
  private depth = 0;

  constructor(private readonly text: string) {
    this.list = tokens(text, INFIX, (symbol) => /^[A-Z]/.test(symbol));
  }

  statements(): Term[] {
    const all: Term[] = [];
    while (this.peek().kind !== "end") {
      this.variables = new Map();
      all.push(this.operator(0));
    }
    return all;
  }

  private peek(): Token {
    return this.list[this.at]!;
  }

  private fail(message: string): SyntaxFault {
    return fault(this.text, this.peek().at, message);
  }

  private take(text: string): boolean {
    if (this.peek().kind !== "mark" || this.peek().text !== text) return false;
    this.at++;
    return true;
  }

  private expect(text: string): void {
    if (!this.take(text)) throw this.fail(`expected "${text}"${this.peek().kind === "end" ? " before the end" : `, found "${this.peek().text}"`}`);
  }

  private operator(level: number): Term {
    if (++this.depth > DEPTH) throw this.fail("too many nested parentheses");
    try {
      if (level === OPERATORS.length) return this.pair();
      const [sign, name] = OPERATORS[level]!;
      const first = this.operator(level + 1);
      if (!this.take(sign)) return first;
      if (name === "and" || name === "or") {
        const parts = [first, this.operator(level + 1)];
        while (this.take(sign)) parts.push(this.operator(level + 1));
        return [name, ...parts.flatMap((part) => (Array.isArray(part) && part[0] === name ? part.slice(1) : [part]))];
      }
      const second = this.operator(name === "handler" ? level + 1 : level);
      if (name === "rule") return [name, first, ...(Array.isArray(second) && second[0] === "and" ? second.slice(1) : [second])];
      return [name, first, second];
    } finally {
      this.depth--;
    }
  }

  private pair(): Term {
    const first = this.primary();
    return this.take("!") ? ["cons", first, this.pair()] : first;
  }

  private primary(): Term {
    const token = this.peek();
    if (token.kind === "end") throw this.fail("the text ends too early");
    if (token.kind === "mark") {
      if (this.take("(")) {
        const inner = this.operator(0);
        this.expect(")");
        return inner;
      }
      if (this.take("~")) return ["not", this.primary()];
      if (this.take("-")) {
        const inner = this.primary();
        return typeof inner === "string" && /^\d/.test(inner) ? `-${inner}` : ["delete", inner];
      }
      if (this.take("+")) return ["insert", this.primary()];
      if (this.take("*")) return ["enqueue", this.primary()];
      if (this.take("[")) {
        const items = this.items("]");
        return items.reduceRight<Term>((rest, item) => ["cons", item, rest], NIL);
      }
      throw this.fail(`"${token.text}" cannot begin a term`);
    }
    this.at++;
    if (token.kind === "variable") {
      if (token.text === "_") return new Variable("_");
      let variable = this.variables.get(token.text);
      if (!variable) this.variables.set(token.text, (variable = new Variable(token.text)));
      return variable;
    }
    // Arguments follow without a blank or with one; a parenthesis after a symbol always belongs to it.
    if (this.take("(")) return [token.text, ...this.items(")")];
    return token.text === "[]" ? NIL : token.text;
  }

  private items(end: string): Term[] {
    const items: Term[] = [];
    if (this.take(end)) return items;
    do items.push(this.operator(0));
    while (this.take(","));
    this.expect(end);
    return items;
  }
}

/** Reads a rulesheet in infix form. */
export function readInfix(text: string): Term[] {
  return new InfixReader(text).statements();
}

const PREFIX = /\s+|;[^\n]*|("[^"]*")|(<=)(?=[\s(])|([^\s()";]+)|(\u0000)|([()])/gy;

/** Reads a rulesheet in prefix form. */
export function readPrefix(text: string): Term[] {
  const list = tokens(text, PREFIX, (symbol) => symbol.startsWith("?"));
  let at = 0;
  let variables = new Map<string, Variable>();
  const term = (depth: number): Term => {
    const token = list[at]!;
    if (depth > DEPTH) throw fault(text, token.at, "too many nested parentheses");
    if (token.kind === "end") throw fault(text, token.at, "a closing parenthesis is missing");
    at++;
    if (token.kind === "variable") {
      let variable = variables.get(token.text);
      if (!variable) variables.set(token.text, (variable = new Variable(token.text.slice(1).toUpperCase())));
      return variable;
    }
    if (token.text === ")") throw fault(text, token.at, "this parenthesis has no opening one");
    if (token.text !== "(") return token.text.toLowerCase();
    const parts: Term[] = [];
    while (list[at]!.text !== ")" || list[at]!.kind !== "mark") parts.push(term(depth + 1));
    at++;
    if (parts[0] === "<=") return ["rule", ...parts.slice(1)];
    if (parts.length === 1 && typeof parts[0] === "string") return parts[0];
    return parts;
  };
  const all: Term[] = [];
  while (list[at]!.kind !== "end") {
    variables = new Map();
    all.push(term(0));
  }
  return all;
}

/** Reads either form: a text that begins with a parenthesis or a semicolon is prefix. */
export function readRules(text: string): Term[] {
  return /^\s*(;|\()/.test(text) ? readPrefix(text) : readInfix(text);
}

/** Reads one term in either form, such as a move of a match. */
export function readTerm(text: string): Term {
  const found = /^\s*\(/.test(text) ? readPrefix(text) : readInfix(text);
  if (found.length !== 1) throw new SyntaxFault("expected exactly one term", 1, 1);
  return found[0]!;
}
