// Terms as students' players see them: a symbol is a string, a compound is an array that begins with
// its name. Variables occur only inside rules and while they are proved.

export class Variable {
  value: Term | undefined = undefined;
  constructor(readonly name: string) {}
}

export type Term = string | Variable | Term[];

export const NIL = "nil";

/** Follows bindings to the end. */
export function walk(term: Term): Term {
  let now = term;
  while (now instanceof Variable && now.value !== undefined) now = now.value;
  return now;
}

/** A copy without bound variables. */
export function resolve(term: Term): Term {
  const now = walk(term);
  if (!Array.isArray(now)) return now;
  return now.map((part, index) => (index === 0 ? part : resolve(part)));
}

export function isGround(term: Term): boolean {
  const now = walk(term);
  if (now instanceof Variable) return false;
  return typeof now === "string" || now.every((part, index) => index === 0 || isGround(part));
}

/** The name of a relation or operation. */
export function head(term: Term): string {
  const now = walk(term);
  return typeof now === "string" ? now : Array.isArray(now) ? (now[0] as string) : "";
}

/** A text that is equal for equal terms; variables are numbered in order of appearance. */
export function key(term: Term, names?: Map<Variable, number>): string {
  const now = walk(term);
  if (typeof now === "string") return now;
  if (now instanceof Variable) {
    if (names === undefined) return `?${now.name}`;
    let number = names.get(now);
    if (number === undefined) names.set(now, (number = names.size));
    return `?${number}`;
  }
  let text = `${now[0] as string}(`;
  for (let i = 1; i < now.length; i++) text += (i > 1 ? "," : "") + key(now[i]!, names);
  return `${text})`;
}

export type Trail = Variable[];

export function bind(variable: Variable, value: Term, trail: Trail): void {
  variable.value = value;
  trail.push(variable);
}

export function undo(trail: Trail, mark: number): void {
  while (trail.length > mark) trail.pop()!.value = undefined;
}

export function unify(a: Term, b: Term, trail: Trail): boolean {
  const x = walk(a), y = walk(b);
  if (x === y) return true;
  if (x instanceof Variable) {
    bind(x, y, trail);
    return true;
  }
  if (y instanceof Variable) {
    bind(y, x, trail);
    return true;
  }
  if (typeof x === "string" || typeof y === "string" || x.length !== y.length || x[0] !== y[0]) return false;
  for (let i = 1; i < x.length; i++) if (!unify(x[i]!, y[i]!, trail)) return false;
  return true;
}

/** A term in Gamemaster's infix form, without blanks. */
export function grind(term: Term): string {
  const now = walk(term);
  if (now instanceof Variable) return now.name;
  if (typeof now === "string") return now === NIL ? "[]" : now;
  const [name, ...rest] = now as [string, ...Term[]];
  if (name === "cons" && rest.length === 2) {
    const items: string[] = [];
    let list: Term = now;
    while (Array.isArray(list) && list[0] === "cons" && list.length === 3) {
      items.push(grind(list[1]!));
      list = walk(list[2]!);
    }
    return list === NIL ? `[${items.join(",")}]` : `${items.join("!")}!${grind(list)}`;
  }
  if (name === "not" && rest.length === 1) return `~${grind(rest[0]!)}`;
  if ((name === "and" || name === "or") && rest.length > 0) return rest.map(grind).join(name === "and" ? " & " : " | ");
  if (name === "rule") return rest.length === 1 ? grind(rest[0]!) : `${grind(rest[0]!)} :- ${rest.slice(1).map(grind).join(" & ")}`;
  if (name === "transition") return `${grind(rest[0]!)} ==> ${grind(rest[1]!)}`;
  if (name === "handler") return `${grind(rest[0]!)} :: ${grind(rest[1]!)}`;
  return `${name}(${rest.map(grind).join(",")})`;
}
