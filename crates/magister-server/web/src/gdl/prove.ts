// Proofs from left to right in the order of the rules. Answers of a relation are computed once per
// position and kept, so that rules that are used often are proved once.

import { apply, isFunction, items, list, number, symbol } from "./builtins";
import { Slot, type Clause, type RuleSet, type Template } from "./rules";
import { head, isGround, key, NIL, resolve, undo, unify, Variable, walk, type Term, type Trail } from "./terms";

/** Returns true to stop at this answer. */
type Found = () => boolean;

export class OutOfDepth extends Error {}

const DEPTH = 4000;

export class Prover {
  private readonly facts = new Map<string, Term[]>();
  private readonly known = new Set<string>();
  private readonly answers = new Map<string, Term[]>();
  private readonly running = new Set<string>();
  private readonly trail: Trail = [];
  private depth = 0;
  /** Set when an answer was sought while it was being computed: such answers are not kept. */
  private circular = 0;

  /** `does` are the moves of a step in GDL. */
  constructor(readonly rules: RuleSet, state: Term[], does: Term[] = []) {
    for (const fact of state) this.addFact(this.rules.gdl ? ["true", fact] : fact);
    for (const move of does) this.addFact(move);
  }

  private addFact(fact: Term): void {
    const name = head(fact);
    const found = this.facts.get(name);
    if (found) found.push(fact);
    else this.facts.set(name, [fact]);
    this.known.add(key(fact));
  }

  /** All different instances of `pattern` for which `goal` holds, in the order of discovery. */
  all(pattern: Term, goal: Term): Term[] {
    const found: Term[] = [];
    const seen = new Set<string>();
    this.prove(goal, () => {
      const answer = resolve(pattern);
      const text = key(answer);
      if (!seen.has(text)) {
        seen.add(text);
        found.push(answer);
      }
      return false;
    });
    return found;
  }

  holds(goal: Term): boolean {
    const mark = this.trail.length;
    const found = this.prove(goal, () => true);
    undo(this.trail, mark);
    return found;
  }

  first(pattern: Term, goal: Term): Term | null {
    let answer: Term | null = null;
    const mark = this.trail.length;
    this.prove(goal, () => {
      answer = resolve(pattern);
      return true;
    });
    undo(this.trail, mark);
    return answer;
  }

  prove(goal: Term, found: Found): boolean {
    if (++this.depth > DEPTH) {
      this.depth = 0;
      throw new OutOfDepth("the rules recurse too deeply here");
    }
    try {
      return this.goal(walk(goal), found);
    } finally {
      this.depth--;
    }
  }

  private conjunction(goals: Term[], at: number, found: Found): boolean {
    if (at === goals.length) return found();
    return this.prove(goals[at]!, () => this.conjunction(goals, at + 1, found));
  }

  private goal(goal: Term, found: Found): boolean {
    if (goal instanceof Variable) return false;
    const name = head(goal);
    const args = Array.isArray(goal) ? goal.slice(1) : [];
    switch (name) {
      case "and": return this.conjunction(args, 0, found);
      case "or": return args.some((part) => this.prove(part, found));
      case "not": return args.length === 1 && !this.holds(args[0]!) && found();
      case "rule": return false;
    }
    if (this.rules.clauses.has(name)) return this.view(goal, name, found);
    if (name === "true" && this.rules.gdl) return this.lookUp(goal, name, found);
    if (!this.facts.has(name)) {
      const builtin = this.builtin(name, args, found);
      if (builtin !== null) return builtin;
    }
    // What the rules do not define is looked up in the state.
    return this.rules.operations.has(name) ? false : this.lookUp(goal, name, found);
  }

  private lookUp(goal: Term, name: string, found: Found): boolean {
    if (isGround(goal)) return this.known.has(key(goal)) && found();
    return this.each(this.facts.get(name) ?? [], goal, found);
  }

  private each(candidates: Term[], goal: Term, found: Found): boolean {
    for (const candidate of candidates) {
      const mark = this.trail.length;
      if (unify(goal, candidate, this.trail) && found()) return true;
      undo(this.trail, mark);
    }
    return false;
  }

  private view(goal: Term, name: string, found: Found): boolean {
    const text = key(goal, new Map());
    const store = this.rules.constant.has(name) ? this.rules.answers : this.answers;
    const ready = store.get(text);
    if (ready !== undefined) return this.each(ready, goal, found);
    if (this.running.has(text)) {
      this.circular++;
      return false;
    }
    // Answers are terms, so that the bindings of this proof do not matter to the next.
    this.running.add(text);
    const before = this.circular;
    const list: Term[] = [];
    const seen = new Set<string>();
    const ground = isGround(goal);
    try {
      for (const clause of this.rules.clauses.get(name)!) {
        const stop = this.clause(clause, goal, () => {
          const answer = resolve(goal);
          const id = key(answer, new Map());
          if (!seen.has(id)) {
            seen.add(id);
            list.push(answer);
          }
          return ground;
        });
        if (stop) break;
      }
    } finally {
      this.running.delete(text);
    }
    // What was cut short because of itself is complete only at the outermost call.
    if (this.circular === before || this.running.size === 0) {
      if (this.circular === before) store.set(text, list);
      if (this.running.size === 0) this.circular = 0;
    }
    return this.each(list.map(fresh), goal, found);
  }

  private clause(clause: Clause, goal: Term, found: Found): boolean {
    const mark = this.trail.length;
    const slots = new Array<Term | undefined>(clause.slots);
    const stop = this.match(clause.head, slots, goal) && this.conjunction(clause.body.map((part) => instance(part, slots)), 0, found);
    undo(this.trail, mark);
    return stop;
  }

  private match(template: Template, slots: (Term | undefined)[], term: Term): boolean {
    if (template instanceof Slot) {
      const known = slots[template.index];
      if (known === undefined) {
        slots[template.index] = term;
        return true;
      }
      return unify(known, term, this.trail);
    }
    const now = walk(term);
    if (now instanceof Variable) return unify(now, instance(template, slots), this.trail);
    if (typeof template === "string") return template === now;
    if (typeof now === "string" || now.length !== template.length || now[0] !== template[0]) return false;
    for (let i = 1; i < now.length; i++) if (!this.match(template[i]!, slots, now[i]!)) return false;
    return true;
  }

  /** The effects of performing a ground action. */
  effects(action: Term, depth = 0): { add: Term[]; remove: Term[] } {
    const add: Term[] = [], remove: Term[] = [];
    const operations = this.rules.operations.get(head(action)) ?? [];
    const apply1 = (effect: Term): void => {
      const now = walk(effect);
      const name = head(now);
      if (Array.isArray(now) && name === "and") {
        for (const part of now.slice(1)) apply1(part);
      } else if (Array.isArray(now) && name === "transition") {
        this.prove(now[1]!, () => {
          apply1(now[2]!);
          return false;
        });
      } else if (Array.isArray(now) && name === "not") {
        remove.push(resolve(now[1]!));
      } else if (this.rules.operations.has(name) && depth < 100) {
        const inner = this.effects(resolve(now), depth + 1);
        add.push(...inner.add);
        remove.push(...inner.remove);
      } else {
        add.push(resolve(now));
      }
    };
    let matched = false;
    for (const operation of operations) {
      const mark = this.trail.length;
      const slots = new Array<Term | undefined>(operation.slots);
      if (this.match(operation.head, slots, action)) {
        matched = true;
        apply1(instance(operation.effect, slots));
      }
      undo(this.trail, mark);
    }
    if (!matched) add.push(action);
    return { add, remove };
  }

  /** Null if the name is not a builtin. */
  private builtin(name: string, args: Term[], found: Found): boolean | null {
    switch (name) {
      case "true": return args.length === 0 ? found() : null;
      case "false": return args.length === 0 ? false : null;
      case "same": case "distinct": {
        const mark = this.trail.length;
        const equal = unify(args[0] ?? NIL, args[1] ?? NIL, this.trail);
        if (name === "same") {
          if (equal && found()) return true;
          undo(this.trail, mark);
          return false;
        }
        undo(this.trail, mark);
        return !equal && found();
      }
      case "mutex": return new Set(args.map((part) => key(part))).size === args.length && found();
      case "leq": case "less": {
        const [a, b] = [number(args[0] ?? NIL), number(args[1] ?? NIL)];
        return (name === "leq" ? a <= b : a < b) && found();
      }
      case "symleq": case "symless": {
        const [a, b] = [key(args[0] ?? NIL), key(args[1] ?? NIL)];
        return (name === "symleq" ? a <= b : a < b) && found();
      }
      case "evaluate": return this.result(this.evaluate(args[0] ?? NIL), args[1], found);
      case "countofall": return this.result(symbol(this.all(args[0] ?? NIL, args[1] ?? NIL).length), args[2], found);
      case "setofall": return this.result(list(this.all(args[0] ?? NIL, args[1] ?? NIL)), args[2], found);
      case "exists": return this.holds(args[1] ?? NIL) && found();
      case "member": return this.each(items(args[1] ?? NIL) ?? [], args[0] ?? NIL, found);
    }
    if (!isFunction(name) || args.length < 2) return null;
    const inputs = args.slice(0, -1);
    return inputs.every(isGround) ? this.result(apply(name, inputs.map(resolve)), args[args.length - 1], found) : false;
  }

  private result(value: Term | null, target: Term | undefined, found: Found): boolean {
    return value !== null && target !== undefined && this.each([value], target, found);
  }

  private evaluate(term: Term): Term | null {
    const now = walk(term);
    if (now instanceof Variable) return null;
    if (typeof now === "string") return now;
    const name = now[0] as string;
    if (name === "if") {
      for (let i = 1; i + 1 < now.length; i += 2) if (this.holds(now[i]!)) return this.evaluate(now[i + 1]!);
      return now.length % 2 === 0 ? this.evaluate(now[now.length - 1]!) : null;
    }
    if (name === "countofall") return symbol(this.all(now[1]!, now[2]!).length);
    if (name === "setofall") return list(this.all(now[1]!, now[2]!));
    const args: Term[] = [];
    for (const part of now.slice(1)) {
      const value = this.evaluate(part);
      if (value === null) return null;
      args.push(value);
    }
    for (const definition of this.rules.definitions.get(name) ?? []) {
      const mark = this.trail.length;
      const slots = new Array<Term | undefined>(definition.slots);
      if (this.match(definition.head, slots, [name, ...args])) return this.evaluate(instance(definition.value, slots));
      undo(this.trail, mark);
    }
    return apply(name, args) ?? (isFunction(name) ? null : [name, ...args]);
  }
}

/** A term of a clause with new variables where nothing is bound yet. */
function instance(template: Template, slots: (Term | undefined)[]): Term {
  if (typeof template === "string") return template;
  if (template instanceof Slot) return (slots[template.index] ??= new Variable("V"));
  const term = new Array<Term>(template.length);
  term[0] = template[0] as string;
  for (let i = 1; i < template.length; i++) term[i] = instance(template[i]!, slots);
  return term;
}

/** An answer that still has variables gets new ones for each use. */
function fresh(answer: Term): Term {
  if (isGround(answer)) return answer;
  const names = new Map<Variable, Variable>();
  const copy = (term: Term): Term => {
    const now = walk(term);
    if (now instanceof Variable) {
      let other = names.get(now);
      if (!other) names.set(now, (other = new Variable(now.name)));
      return other;
    }
    return typeof now === "string" ? now : now.map((part, index) => (index === 0 ? part : copy(part)));
  };
  return copy(answer);
}
