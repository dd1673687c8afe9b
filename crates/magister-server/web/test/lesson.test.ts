import { describe, expect, it } from "vitest";
import { race } from "../src/editor/examples";
import { begin, done, solve, statements, steps } from "../src/lib/lesson";

describe("the lesson", () => {
  it("ends with the complete game, and no task is done before it is solved", () => {
    let text = "";
    steps.forEach((_, step) => {
      text = begin(step, text);
      expect(done(step, text)).toBe(false);
      text = solve(step, text);
      expect(done(step, text)).toBe(true);
    });
    expect(new Set(statements(text))).toEqual(new Set(statements(race)));
  });

  it("accepts other names of variables, blanks and comments", () => {
    const text = "; mine\n(<= (legal ?who noop)\n   (role ?who) (not (true (control ?who))))";
    expect(done(2, text)).toBe(true);
    expect(done(2, "(<= (legal ?who noop) (role ?other) (not (true (control ?who))))")).toBe(false);
    expect(statements("(a ?x (b ?y)) c (d")).toEqual(["( a ?1 ( b ?2 ) )", "c", "( d"]);
  });

  it("keeps what the reader wrote when a step begins again", () => {
    const text = solve(0, begin(0, ""));
    expect(begin(0, text)).toBe(text);
  });
});
