// Relations and functions that rules may use without defining them.

import { NIL, walk, type Term } from "./terms";

export function number(term: Term): number {
  const now = walk(term);
  if (typeof now !== "string") return NaN;
  if (now === "infinity") return Infinity;
  if (now === "neginfinity") return -Infinity;
  return /^-?(\d+\.?\d*|\.\d+)([eE]-?\d+)?$/.test(now) ? Number(now) : NaN;
}

export const symbol = (value: number): string => String(value);

/** The items of a list, or null if the term is not one. */
export function items(term: Term): Term[] | null {
  const all: Term[] = [];
  let now = walk(term);
  while (Array.isArray(now) && now[0] === "cons" && now.length === 3) {
    all.push(walk(now[1]!));
    now = walk(now[2]!);
    if (all.length > 1_000_000) return null;
  }
  return now === NIL ? all : null;
}

export const list = (all: Term[]): Term => all.reduceRight<Term>((rest, item) => ["cons", item, rest], NIL);

const fold = (values: number[], step: (a: number, b: number) => number): number | null =>
  values.length === 0 || values.some(Number.isNaN) ? null : values.slice(1).reduce(step, values[0]!);

const MATHS = new Set([
  "abs", "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "clz32", "cos", "cosh", "exp", "expm1", "floor", "fround", "hypot", "imul",
  "log", "log10", "log1p", "log2", "max", "min", "pow", "round", "sign", "sin", "sinh", "sqrt", "tan", "tanh", "trunc",
]);

/** The value of a function of ground arguments, or null where it has none. */
export function apply(name: string, args: Term[]): Term | null {
  const numeric = (step: (a: number, b: number) => number) => {
    const value = fold(args.map(number), step);
    return value === null || Number.isNaN(value) ? null : symbol(value);
  };
  switch (name) {
    case "plus": return numeric((a, b) => a + b);
    case "minus": return args.length === 1 ? numeric((a) => -a) : numeric((a, b) => a - b);
    case "times": return numeric((a, b) => a * b);
    case "quotient": return numeric((a, b) => a / b);
    case "remainder": return numeric((a, b) => a % b);
    case "length": { const all = items(args[0] ?? ""); return all && symbol(all.length); }
    case "first": { const all = items(args[0] ?? ""); return all?.[0] ?? null; }
    case "last": { const all = items(args[0] ?? ""); return all?.[all.length - 1] ?? null; }
    case "rest": { const all = items(args[0] ?? ""); return all && all.length > 0 ? list(all.slice(1)) : null; }
    case "reverse": { const all = items(args[0] ?? ""); return all && list([...all].reverse()); }
    case "append": {
      const all = args.map(items);
      return all.every((one) => one !== null) ? list(all.flat()) : null;
    }
    case "sum": case "maximum": case "minimum": case "mean": {
      const values = items(args[0] ?? "")?.map(number) ?? [];
      if (values.length === 0 || values.some(Number.isNaN)) return name === "sum" && values.length === 0 ? "0" : null;
      const total = values.reduce((a, b) => a + b, 0);
      return symbol(name === "sum" ? total : name === "mean" ? total / values.length : name === "maximum" ? Math.max(...values) : Math.min(...values));
    }
  }
  if (!MATHS.has(name)) return null;
  const values = args.map(number);
  if (values.length === 0 || values.some(Number.isNaN)) return null;
  const value = (Math[name as keyof Math] as (...all: number[]) => number)(...values);
  return Number.isNaN(value) ? null : symbol(value);
}

const FUNCTIONS = new Set(["plus", "minus", "times", "quotient", "remainder", "length", "first", "last", "rest", "reverse", "append", "sum", "maximum", "minimum", "mean", ...MATHS]);

export const isFunction = (name: string): boolean => FUNCTIONS.has(name);
