// A rulesheet prepared for proofs: clauses by relation, operations by action, what never changes.

import { head, Variable, type Term } from "./terms";

/** A variable of a clause by its number. */
export class Slot {
  constructor(readonly index: number) {}
}

export type Template = string | Slot | Template[];

export interface Clause {
  head: Template;
  body: Template[];
  slots: number;
}

export interface Operation {
  head: Template;
  effect: Template;
  slots: number;
}

export interface Definition {
  head: Template;
  value: Template;
  slots: number;
}

export class RuleSet {
  readonly clauses = new Map<string, Clause[]>();
  readonly operations = new Map<string, Operation[]>();
  readonly definitions = new Map<string, Definition[]>();
  /** Relations that depend on rules alone. */
  readonly constant = new Set<string>();
  /** GDL with `true`, `does` and `next`; otherwise the dialect with operations. */
  readonly gdl: boolean;
  /** Answers of constant relations, kept as long as the rules. */
  readonly answers = new Map<string, Term[]>();

  constructor(readonly source: Term[]) {
    for (const statement of source) this.add(statement);
    this.gdl = this.clauses.has("next") && this.operations.size === 0;
    this.findConstant();
  }

  private add(statement: Term): void {
    const slots = new Map<Variable, Slot>();
    const compile = (term: Term): Template => {
      if (term instanceof Variable) {
        let slot = slots.get(term);
        if (!slot) slots.set(term, (slot = new Slot(slots.size)));
        return slot;
      }
      return typeof term === "string" ? term : term.map((part, index) => (index === 0 ? part : compile(part))) as Template[];
    };
    const push = <T>(map: Map<string, T[]>, name: string, item: T) => {
      const list = map.get(name);
      if (list) list.push(item);
      else map.set(name, [item]);
    };
    if (Array.isArray(statement) && statement[0] === "handler") {
      const [, action, effect] = statement as [string, Term, Term];
      const compiled = { head: compile(action), effect: compile(effect) };
      push(this.operations, head(action), { ...compiled, slots: slots.size });
    } else if (Array.isArray(statement) && statement[0] === "definition") {
      const compiled = { head: compile(statement[1]!), value: compile(statement[2]!) };
      push(this.definitions, head(statement[1]!), { ...compiled, slots: slots.size });
    } else {
      const rule = Array.isArray(statement) && statement[0] === "rule";
      const top = rule ? (statement as Term[])[1]! : statement;
      if (top === undefined) return;
      const body = rule ? (statement as Term[]).slice(2) : [];
      const compiled = { head: compile(top), body: body.map(compile) };
      push(this.clauses, head(top), { ...compiled, slots: slots.size });
    }
  }

  isView(name: string): boolean {
    return this.clauses.has(name) || this.operations.has(name);
  }

  private findConstant(): void {
    const uses = (template: Template, found: Set<string>): void => {
      if (template instanceof Slot) {
        found.add("true");
        return;
      }
      const name = typeof template === "string" ? template : (template[0] as string);
      if (typeof template !== "string" && ["not", "and", "or"].includes(name)) for (const part of template.slice(1)) uses(part, found);
      else if (["countofall", "setofall", "evaluate", "exists"].includes(name)) found.add("true");
      else found.add(name);
    };
    for (const name of this.clauses.keys()) if (!["next", "legal", "goal", "sees"].includes(name)) this.constant.add(name);
    // A relation is not constant if it depends on one that is not, or on the state.
    let changed = true;
    while (changed) {
      changed = false;
      for (const name of [...this.constant]) {
        const found = new Set<string>();
        for (const clause of this.clauses.get(name)!) for (const part of clause.body) uses(part, found);
        const moves = [...found].some((other) => (this.isView(other) ? !this.constant.has(other) : !FIXED.has(other)));
        if (moves) {
          this.constant.delete(name);
          changed = true;
        }
      }
    }
  }
}

/** Builtins that depend on their arguments alone. */
const FIXED = new Set([
  "distinct", "same", "mutex", "leq", "less", "symleq", "symless", "plus", "minus", "times", "quotient", "remainder", "member", "min", "max", "abs", "false",
]);
