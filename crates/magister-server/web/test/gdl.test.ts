import { describe, expect, it } from "vitest";
import { race } from "../src/editor/examples";
import { definerules, findcontrol, findinits, findlegalp, findlegals, findnexts, findreward, findroles, findterminalp, grind, readInfix, readPrefix, readTerm, simulate, type State } from "../src/gdl/library";
import { SyntaxFault } from "../src/gdl/read";

const coins = `
% Two roles take one or two coins in turn. The last coin wins.
role(first)  role(second)
base(left(N)) :- number(N)
action(take(1))  action(take(2))
init(left(5))  init(control(first))
number(0) number(1) number(2) number(3) number(4) number(5)
legal(take(K)) :- left(N) & action(take(K)) & leq(K,N)
take(K) :: left(N) & minus(N,K,M) ==> ~left(N) & left(M)
take(_) :: control(first) ==> ~control(first) & control(second)
take(_) :: control(second) ==> ~control(second) & control(first)
terminal :- left(0)
goal(R,100) :- role(R) & left(0) & ~control(R)
goal(R,0) :- role(R) & ~goal(R,100)
`;

describe("readers", () => {
  it("print what they read", () => {
    expect(readInfix("p(X) :- q(X,_) & ~r(a) | s").map(grind)).toHaveLength(1);
    expect(grind(readTerm("mark(1,f(b))"))).toBe("mark(1,f(b))");
    expect(grind(readTerm("(mark 1 (f b))"))).toBe("mark(1,f(b))");
    expect(grind(readTerm("[a,b,c]"))).toBe("[a,b,c]");
    expect(grind(readTerm("[]"))).toBe("[]");
    expect(grind(readTerm("-5"))).toBe("-5");
  });

  it("report where a text is wrong", () => {
    expect(() => readInfix("p(a,\n  b")).toThrow(SyntaxFault);
    expect(() => readInfix("p(a) q)")).toThrow(/line 1, column 7/);
    expect(() => readPrefix("(role x) (init (cell 1)")).toThrow(/closing parenthesis/);
    expect(() => readPrefix(")")).toThrow(/has no opening one/);
    expect(() => readInfix("(".repeat(5000))).toThrow(SyntaxFault);
    expect(() => readPrefix("(a ".repeat(5000))).toThrow(SyntaxFault);
  });
});

describe("operations", () => {
  const rules = definerules(readInfix(coins));

  it("answers about a state", () => {
    const state = findinits(rules);
    expect(findroles(rules)).toEqual(["first", "second"]);
    expect(findcontrol(state, rules)).toBe("first");
    expect(findlegals(state, rules).map(grind)).toEqual(["take(1)", "take(2)"]);
    expect(findlegalp(readTerm("take(2)"), state, rules)).toBe(true);
    expect(findlegalp(readTerm("take(3)"), state, rules)).toBe(false);
    expect(findnexts(state, rules).map((next) => next.map(grind).sort())).toEqual([["control(second)", "left(4)"], ["control(second)", "left(3)"]]);
    expect(state.map(grind).sort()).toEqual(["control(first)", "left(5)"]);
  });

  it("plays to the end", () => {
    let state = findinits(rules);
    for (const action of ["take(2)", "take(1)", "take(2)"]) state = simulate(readTerm(action), state, rules);
    expect(findterminalp(state, rules)).toBe(true);
    expect(findreward("first", state, rules)).toBe("100");
    expect(findreward("second", state, rules)).toBe("0");
  });

  it("adds an action without an operation as a fact, as Gamemaster does", () => {
    expect(simulate("typo", findinits(rules), rules).map(grind)).toContain("typo");
  });
});

describe("GDL", () => {
  const rules = definerules(readPrefix(race));

  it("plays the game of the tutorial", () => {
    let state: State = findinits(rules);
    let steps = 0;
    while (!findterminalp(state, rules)) {
      const legal = findlegals(state, rules);
      expect(legal.length).toBeGreaterThan(0);
      state = simulate(legal[legal.length - 1]!, state, rules);
      steps++;
    }
    expect(steps).toBe(5);
    expect(findreward("left", state, rules)).toBe("100");
  });

  it("takes joint moves too", () => {
    const next = simulate([["add", "2"], "noop"], findinits(rules), rules);
    expect(next.map(grind).sort()).toEqual(["control(right)", "total(2)"]);
  });
});

describe("proofs", () => {
  const ask = (text: string, goal: string, state = "") => {
    const rules = definerules(readInfix(`${text}\nlegal(X) :- ${goal}\ncontrol(r)`));
    return findlegals(state === "" ? [] : readInfix(state), rules).map(grind);
  };

  it("know the builtins", () => {
    expect(ask("", "plus(2,3,X)")).toEqual(["5"]);
    expect(ask("", "evaluate(times(2,plus(1,2)),X)")).toEqual(["6"]);
    expect(ask("p(a) p(b) p(a)", "countofall(Y,p(Y),X)")).toEqual(["2"]);
    expect(ask("", "member(X,[a,b])")).toEqual(["a", "b"]);
    expect(ask("p(a) p(b)", "p(X) & distinct(X,a)")).toEqual(["b"]);
    expect(ask("p(2) p(10)", "p(X) & less(X,3)")).toEqual(["2"]);
  });

  it("end on relations that refer to themselves", () => {
    expect(ask("edge(a,b) edge(b,c) edge(c,a) path(X,Y) :- edge(X,Y) path(X,Y) :- edge(X,Z) & path(Z,Y)", "path(a,X)").sort()).toEqual(["a", "b", "c"]);
  });

  it("ask the state for what the rules do not define", () => {
    expect(ask("", "cell(X,b)", "cell(1,b) cell(2,x) cell(3,b)")).toEqual(["1", "3"]);
  });
});
