import { describe, expect, it } from "vitest";
import { draw, naming, neighbour, type Place } from "../src/board/geometry";
import { click, drop, place, targets, stacked } from "../src/board/gesture";
import { looks } from "../src/board/pieces";
import { advance, standing } from "../src/board/transitions";
import type { Move, Shape } from "../src/lib/types";

function grid(columns: number, rows: number): Shape {
  const cells = Array.from({ length: columns * rows }, (_, i) => ({ name: `${(i % columns) + 1} ${rows - Math.floor(i / columns)}`, x: i % columns, y: Math.floor(i / columns), board: 0 }));
  return { layout: "grid", boards: [""], cells, values: ["", "x", "o"] };
}

const move = (text: string, from: number | null, to: number | null): Move => ({ text, label: text, from, to });

describe("geometry", () => {
  it("places the cells of a grid side by side with names of rows and columns", () => {
    const drawing = draw(grid(3, 2));
    expect(drawing.places[1]!.x - drawing.places[0]!.x).toBe(100);
    expect(drawing.places[3]!.y - drawing.places[0]!.y).toBe(100);
    expect(drawing.frames[0]!.columns.map((label) => label.text)).toEqual(["1", "2", "3"]);
    expect(drawing.frames[0]!.rows.map((label) => label.text)).toEqual(["2", "1"]);
  });

  it("says in which order a cell is named only where rows and columns have the same names", () => {
    expect(draw(grid(3, 3)).frames[0]!.order).toBe("column, row");
    const turned = grid(3, 3);
    turned.cells = turned.cells.map((cell) => ({ ...cell, name: cell.name.split(" ").reverse().join(" ") }));
    expect(draw(turned).frames[0]!.order).toBe("row, column");
    const letters = grid(3, 3);
    letters.cells = letters.cells.map((cell) => ({ ...cell, name: `${"abc"[cell.x]} ${cell.name.split(" ")[1]}` }));
    expect(draw(letters).frames[0]!.order).toBe("");
    const frame = (title: string, order: "column, row" | "row, column" | "") => ({ ...draw(grid(3, 3)).frames[0]!, title, order });
    expect(naming([frame("a", "row, column"), frame("b", "row, column"), frame("c", "")])).toBe("row, column");
    expect(naming([frame("a", "row, column"), frame("b 1", "column, row"), frame("b 2", "column, row")])).toBe("row, column (a); column, row (b)");
  });

  it("keeps boards that the rules arrange together, beside a board of another kind", () => {
    const board = (title: string, number: number, among: [number, number] | null) => ({
      panel: { title, layout: "grid" as const, columns: [], rows: [], row: 0, ...(among ? { among } : {}) },
      cells: Array.from({ length: 4 }, (_, i) => ({ name: `${i % 2} ${Math.floor(i / 2)}`, x: i % 2, y: Math.floor(i / 2), board: number })),
    });
    const boards = [board("small", 0, null), ...[0, 1, 2, 3].map((at) => board(`large ${at % 2} ${at >> 1}`, at + 1, [at % 2, at >> 1]))];
    const shape: Shape = { layout: "grid", boards: boards.map((one) => one.panel.title), panels: boards.map((one) => one.panel), cells: boards.flatMap((one) => one.cells), values: [""] };
    const [small, a, b, c, d] = draw(shape).frames;
    expect(a!.x).toBeGreaterThan(small!.x + small!.width);
    expect([a!.y, c!.y]).toEqual([b!.y, d!.y]);
    expect([a!.x, b!.x]).toEqual([c!.x, d!.x]);
    expect(c!.y).toBeGreaterThan(a!.y + a!.height);
    const whole = draw(shape);
    expect(whole.width).toBeGreaterThan(b!.x + b!.width);
  });

  it("writes the names of points, and of cells without names beside them", () => {
    const long = grid(2, 2);
    long.cells = long.cells.map((cell, index) => ({ ...cell, name: `place-with-a-long-name-${index}` }));
    expect(draw(long).places.every((spot) => spot.named)).toBe(true);
    expect(draw(grid(2, 2)).places.some((spot) => spot.named)).toBe(false);
  });

  it("turns the board by half a turn", () => {
    const [plain, turned] = [draw(grid(3, 3)), draw(grid(3, 3), true, true)];
    expect(turned.places[0]!.x).toBe(plain.places[8]!.x);
    expect(turned.places[0]!.y).toBe(plain.places[8]!.y);
  });

  it("lets hexagons of neighbouring rows touch", () => {
    const shape: Shape = { ...grid(2, 2), layout: "hexagons" };
    shape.cells = [[0, 0], [1, 0], [0.5, 1], [1.5, 1]].map(([x, y], i) => ({ name: String(i), x: x!, y: y!, board: 0 }));
    const [a, b, c] = [0, 1, 2].map((i) => draw(shape).places[i]!) as [Place, Place, Place];
    expect(Math.hypot(a.x - b.x, a.y - b.y)).toBeCloseTo(100);
    expect(Math.hypot(a.x - c.x, a.y - c.y)).toBeCloseTo(100);
  });

  it("keeps joined points of a graph apart", () => {
    const shape: Shape = { ...grid(2, 1), layout: "graph", lines: [[0, 1]] };
    const [a, b] = draw(shape).places;
    expect(Math.abs(a!.x - b!.x)).toBeGreaterThan(100);
    expect(draw(shape).lines).toHaveLength(1);
  });

  it("puts several boards beside each other without overlap", () => {
    const shape = grid(2, 2);
    shape.boards = ["left", "right"];
    shape.cells[2]!.board = 1;
    shape.cells[3]!.board = 1;
    const [first, second] = draw(shape).frames;
    expect(second!.x >= first!.x + first!.width || second!.y >= first!.y + first!.height).toBe(true);
  });

  it("finds the cell in the direction of an arrow key", () => {
    const { places } = draw(grid(3, 3));
    expect(neighbour(places, 4, 1, 0)).toBe(5);
    expect(neighbour(places, 4, 0, -1)).toBe(1);
    expect(neighbour(places, 2, 1, 0)).toBe(2);
  });

  it("draws an empty shape without a fault", () => {
    expect(draw({ layout: "grid", boards: [""], cells: [], values: [""] }).places).toEqual([]);
  });
});

describe("gestures", () => {
  it("plays at once where a cell has one move", () => {
    const places = place([{ role: 0, moves: [move("(mark 1 1)", null, 6), move("(mark 2 2)", 4, 4)] }], grid(3, 3));
    expect(click(places, null, 4)).toMatchObject({ kind: "play", choice: { text: "(mark 2 2)", role: 0 } });
    expect(click(places, null, 0).kind).toBe("nothing");
    expect([...targets(places, null)].sort()).toEqual([4, 6]);
  });

  it("selects a piece, then plays on its target", () => {
    const places = place([{ role: 0, moves: [move("a", 0, 1), move("b", 0, 3), move("c", 2, 1)] }], grid(3, 3));
    expect(click(places, null, 0)).toEqual({ kind: "select", cell: 0 });
    expect(click(places, 0, 3)).toMatchObject({ kind: "play", choice: { text: "b" } });
    expect(click(places, 0, 2)).toEqual({ kind: "select", cell: 2 });
    expect(click(places, 0, 8)).toEqual({ kind: "deselect" });
    expect([...targets(places, 0)]).toEqual([1, 3]);
  });

  it("asks where several moves fit one gesture", () => {
    const places = place([{ role: 0, moves: [move("queen", 0, 1), move("rook", 0, 1)] }], grid(3, 3));
    expect(drop(places, 0, 1)).toMatchObject({ kind: "choose", cell: 1, choices: [{ text: "queen" }, { text: "rook" }] });
    expect(drop(places, 0, 2).kind).toBe("nothing");
    expect(drop(places, 0, null).kind).toBe("nothing");
  });

  it("understands moves that name a column", () => {
    const places = place([{ role: 1, moves: [move("(drop 1)", null, 6), move("(drop 3)", null, null)] }], grid(3, 3));
    expect(places.columns).toBe(true);
    expect(click(places, null, 2)).toMatchObject({ kind: "play", choice: { text: "(drop 3)" } });
    expect(click(places, null, 0)).toMatchObject({ kind: "play", choice: { text: "(drop 1)" } });
    expect(click(places, null, 1).kind).toBe("nothing");
  });

  it("pieces that have fallen stand on each other", () => {
    expect(stacked(grid(2, 2), [0, 0, 0, 0])).toBe(true);
    expect(stacked(grid(2, 2), [0, 1, 2, 1])).toBe(true);
    expect(stacked(grid(2, 2), [1, 0, 0, 2])).toBe(false);
  });

  it("keeps moves without a place as buttons", () => {
    const places = place([{ role: 0, moves: [move("pass", null, null), move("(mark 1 1)", null, 0)] }], grid(3, 3));
    expect(places.off.map((choice) => choice.text)).toEqual(["pass"]);
    expect(place([{ role: 0, moves: [move("pass", null, null)] }], null).off).toHaveLength(1);
  });
});

describe("transitions", () => {
  const distance = (a: number, b: number) => Math.abs(a - b);

  it("lets a piece keep its identity when it moves", () => {
    const before = standing([1, 0, 2]);
    const after = advance(before, [0, 1, 2], [move("m", 0, 1)], distance);
    expect(after.find((piece) => piece.cell === 1)!.id).toBe(before.find((piece) => piece.cell === 0)!.id);
  });

  it("takes a promoted piece along, and removes a captured one", () => {
    const before = standing([1, 2, 0]);
    const after = advance(before, [0, 3, 0], [move("m", 0, 1)], distance);
    expect(after).toHaveLength(1);
    expect(after[0]).toMatchObject({ id: before.find((piece) => piece.cell === 0)!.id, value: 3 });
  });

  it("gives new pieces new identities", () => {
    const before = standing([1, 0, 0]);
    const after = advance(before, [1, 1, 0], [move("m", null, 1)], distance);
    expect(new Set(after.map((piece) => piece.id)).size).toBe(2);
  });

  it("shows unknown cells as pieces of their own", () => {
    expect(standing([null, 0, 1]).map((piece) => piece.value)).toEqual([null, 1]);
    expect(standing(null)).toEqual([]);
  });
});

describe("names and signs", () => {
  const shape = (values: string[], pieces: Record<string, { shape: string; side: null; label: string }>) => ({ layout: "grid" as const, boards: [""], cells: [], values, pieces });
  it("signs of lines win over directions, and directions over letters", () => {
    const text = (label: string) => ({ shape: "text", side: null, label });
    const drawn = looks(shape(["", "up", "across", "down"], { up: text("|"), across: text("-"), down: text("v") }), []);
    expect(drawn.slice(1).map((one) => one.shape)).toEqual(["upright", "across", "arrow"]);
  });
  it("among many letters o is a letter", () => {
    const hint = (label: string, kind = "text") => ({ shape: kind, side: null, label });
    const letters = { d: hint("d"), m: hint("m"), n: hint("n"), o: hint("o", "nought") };
    expect(looks(shape(["", "d", "m", "n", "o"], letters), [])[4]).toMatchObject({ shape: "text", text: "o" });
    expect(looks(shape(["", "o", "x"], { o: hint("o", "nought"), x: hint("x", "cross") }), [])[1]!.shape).toBe("ring");
  });
  it("a checker and a disc of one colour differ by a letter", () => {
    const disc = (label: string, colour: string) => ({ shape: "disc", side: null, label, colour });
    const discs = { redChecker: disc("redChecker", "red"), redDisc: disc("redDisc", "red"), blueDisc: disc("blueDisc", "blue") };
    const drawn = looks(shape(["", "redChecker", "redDisc", "blueDisc"], discs), []);
    expect(drawn.map((one) => `${one.shape} ${one.text}`.trim()).slice(1)).toEqual(["text C", "disc", "disc"]);
  });
  it("a board of one row has the names of its columns, and words stand beside rows", () => {
    const cell = (name: string, x: number, y: number) => ({ name, x, y, board: 0 });
    const row = draw({ layout: "grid", boards: [""], cells: [cell("0", 0, 0), cell("1", 1, 0)], values: [""] });
    expect(row.frames[0]!.columns.map((one) => one.text)).toEqual(["0", "1"]);
    const two = draw({ layout: "grid", boards: [""], cells: [cell("1 left", 0, 0), cell("2 left", 1, 0), cell("1 right", 0, 1), cell("2 right", 1, 1)], values: [""] });
    expect(two.frames[0]!.rows.map((one) => one.text)).toEqual(["left", "right"]);
    const boards = draw({ layout: "grid", boards: ["a", "b"], cells: [0, 1].flatMap((board) => Array.from({ length: 9 }, (_, i) => ({ name: `${i % 3} ${Math.floor(i / 3)}`, x: i % 3, y: Math.floor(i / 3), board }))), values: [""] });
    expect(boards.frames[0]!.y).toBe(boards.frames[1]!.y);
  });
});
