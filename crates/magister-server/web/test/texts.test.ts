import { describe, expect, it } from "vitest";
import { look, looks, roleTone, textSize } from "../src/board/pieces";
import { clock, plural, series, words } from "../src/lib/format";
import { highlight } from "../src/lib/highlight";
import type { Shape } from "../src/lib/types";

describe("pieces", () => {
  it("take the colour of their name, of their owner, or of their side", () => {
    expect(look("black_king", { shape: "king", side: 1, label: "black_king" }, ["white", "black"]).tone).toBe("black");
    expect(look("wp", { shape: "pawn", side: 0, label: "wp" }, ["white", "black"]).tone).toBe("white");
    expect(look("x", { shape: "cross", side: 0, label: "x" }, ["xplayer", "oplayer"]).tone).toBe("red");
    expect(roleTone(1, ["left", "right"])).toBe("blue");
  });

  it("are text where nothing is recognised", () => {
    expect(look("zorg", undefined, [])).toEqual({ shape: "text", tone: "plain", text: "zorg", label: "zorg" });
    expect(textSize("long-name")).toBeLessThan(textSize("ab"));
  });

  it("are recognised by their words and signs", () => {
    const text = (value: string, label: string) => look(value, { shape: "text", side: null, label }, ["white", "black"]);
    expect(text("whiteman", "M")).toMatchObject({ shape: "disc", tone: "white" });
    expect(text("keeper", "@").shape).toBe("person");
    expect(text("square", "#").shape).toBe("block");
    expect(text("wumpus", "w").text).toBe("wumpus");
    const shape: Shape = { layout: "grid", boards: [""], cells: [], values: ["", "blackman", "blackking"], pieces: {} };
    expect(looks(shape, []).map((one) => one.shape)).toEqual(["text", "disc", "crowned"]);
  });

  it("write cards with rank and suit", () => {
    expect(look("queen-hearts", { shape: "card", side: null, label: "queen-hearts" }, []).text).toBe("Q♥");
    expect(look("10 spades", { shape: "card", side: null, label: "10♠" }, []).text).toBe("10♠");
  });
});

describe("texts", () => {
  it("counts and lists in words", () => {
    expect(plural(1, "match", "matches")).toBe("1 match");
    expect(plural(1200, "game")).toBe("1,200 games");
    expect(series(["a", "b", "c"])).toBe("a, b and c");
    expect(words("dots-and_boxes")).toBe("dots and boxes");
  });

  it("shows clocks with tenths at the end", () => {
    expect(clock(65_000)).toBe("1:05");
    expect(clock(9_940)).toBe("9.9");
    expect(clock(-5)).toBe("0.0");
  });

  it("keeps every character of highlighted rules", () => {
    const text = "; heading\n(<= (legal ?r (mark ?x 1)) (true (cell ?x \"b\")))\n% infix\nlegal(X) :- ~p(X)\n";
    const spans = highlight(text);
    expect(spans.map((span) => span.text).join("")).toBe(text);
    expect(spans.find((span) => span.text === "?r")?.kind).toBe("variable");
    expect(spans.find((span) => span.text === "legal")?.kind).toBe("keyword");
    expect(spans[0]!.kind).toBe("comment");
  });
});
