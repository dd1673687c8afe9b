// The functions of Gamemaster's library, for students' players. States are lists of facts.

import { readInfix, readPrefix, readRules, readTerm } from "./read";
import { Prover } from "./prove";
import { RuleSet } from "./rules";
import { grind, key, Variable, type Term } from "./terms";

export { grind, readInfix, readPrefix, readRules, readTerm };

export type Rules = RuleSet;
export type State = Term[];

/** Indexes a list of rules. Further rules are added to those of the second argument. */
export function definemorerules(more: Term[] | Rules, rules: Term[] | Rules = []): Rules {
  const source = (list: Term[] | Rules) => (list instanceof RuleSet ? list.source : list);
  return new RuleSet([...source(rules), ...source(more)]);
}

export function definerules(rules: Term[] | Rules): Rules {
  return rules instanceof RuleSet ? rules : new RuleSet(rules);
}

// Positions are asked many times, so the last prover of a state is kept.
const provers = new WeakMap<State, Prover>();

function prover(state: State, rules: Rules): Prover {
  let found = provers.get(state);
  if (!found || found.rules !== rules) provers.set(state, (found = new Prover(rules, state)));
  return found;
}

const all = (pattern: (x: Variable) => Term, state: State, rules: Rules): Term[] => {
  const x = new Variable("X");
  return prover(state, rules).all(x, pattern(x));
};

const nothing: State = [];

export const findroles = (rules: Rules): Term[] => all((x) => ["role", x], nothing, rules);
export const findbases = (rules: Rules): Term[] => all((x) => ["base", x], nothing, rules);
export const findinits = (rules: Rules): State => all((x) => ["init", x], nothing, rules);

export function findactions(rules: Rules): Term[] {
  const role = new Variable("R");
  return rules.gdl ? all((x) => ["input", role, x], nothing, rules) : all((x) => ["action", x], nothing, rules);
}

/** The role in control. In GDL it is the role of `control(R)`, otherwise the first with a choice. */
export function findcontrol(state: State, rules: Rules): Term | false {
  const x = new Variable("X");
  const found = prover(state, rules).first(x, rules.gdl ? ["true", ["control", x]] : ["control", x]);
  if (found !== null || !rules.gdl) return found ?? false;
  return findroles(rules).find((role) => findlegalsof(role, state, rules).length > 1) ?? false;
}

const findlegalsof = (role: Term, state: State, rules: Rules): Term[] => all((x) => ["legal", role, x], state, rules);

/** `findlegals(state, rules)`, or with the role first as in older players. */
export function findlegals(...args: [State, Rules] | [Term, State, Rules]): Term[] {
  if (args.length === 3) return args[2].gdl ? findlegalsof(args[0], args[1], args[2]) : findlegals(args[1], args[2]);
  const [state, rules] = args;
  if (!rules.gdl) return all((x) => ["legal", x], state, rules);
  const control = findcontrol(state, rules);
  return control === false ? [] : findlegalsof(control, state, rules);
}

export function findlegalx(...args: [State, Rules] | [Term, State, Rules]): Term | false {
  return findlegals(...args)[0] ?? false;
}

export function findlegalp(action: Term, state: State, rules: Rules): boolean {
  const wanted = key(action);
  return findlegals(state, rules).some((move) => key(move) === wanted);
}

/** The first value of `goal` as a symbol, "0" if there is none. */
export function findreward(role: Term, state: State, rules: Rules): string {
  const x = new Variable("X");
  const found = prover(state, rules).first(x, ["goal", role, x]);
  return typeof found === "string" ? found : "0";
}

export const findterminalp = (state: State, rules: Rules): boolean => prover(state, rules).holds("terminal");

/** What a role sees after a joint move (GDL-II). */
export function findpercepts(role: Term, moves: Term[], state: State, rules: Rules): Term[] {
  const x = new Variable("X");
  const does = findroles(rules).map((other, index): Term => ["does", other, moves[index]!]);
  return new Prover(rules, state, does).all(x, ["sees", role, x]);
}

/**
 * The state after an action of the role in control, or in GDL after one move per role. The given
 * state is not changed.
 */
export function simulate(action: Term | Term[], state: State, rules: Rules): State {
  if (rules.gdl) {
    const roles = findroles(rules);
    const legalFor = (role: Term, move: Term) => findlegalsof(role, state, rules).some((other) => key(other) === key(move));
    const joint = Array.isArray(action) && action.length === roles.length && roles.every((role, index) => legalFor(role, action[index]!)) ? action : completed(action, roles, state, rules);
    const x = new Variable("X");
    return new Prover(rules, state, roles.map((role, index): Term => ["does", role, joint[index]!])).all(x, ["next", x]);
  }
  const { add, remove } = prover(state, rules).effects(action);
  const added = new Map(add.map((fact) => [key(fact), fact]));
  const gone = new Set([...added.keys(), ...remove.map((fact) => key(fact))]);
  return [...state.filter((fact) => !gone.has(key(fact))), ...added.values()];
}

/** A joint move from the move of the role in control: the others make their first legal move. */
function completed(action: Term, roles: Term[], state: State, rules: Rules): Term[] {
  const control = findcontrol(state, rules);
  return roles.map((role) => (control !== false && key(role) === key(control) ? action : (findlegalsof(role, state, rules)[0] ?? "noop")));
}

/** All states that one action leads to, in the order of `findlegals`. */
export const findnexts = (state: State, rules: Rules): State[] => findlegals(state, rules).map((action) => simulate(action, state, rules));

export const numberize = (text: Term): number => (text === "infinity" ? Infinity : Number(text));
export const seq = (...parts: Term[]): Term => parts;
export const equalp = (a: Term, b: Term): boolean => key(a) === key(b);
export const symbolp = (term: Term): boolean => typeof term === "string";
export const read = (text: string): Term => readTerm(text);
export const readdata = (text: string): Term[] => readRules(text);

export function shuffle<T>(list: T[]): T[] {
  const copy = [...list];
  for (let i = copy.length - 1; i > 0; i--) {
    const j = Math.floor(Math.random() * (i + 1));
    [copy[i], copy[j]] = [copy[j]!, copy[i]!];
  }
  return copy;
}
