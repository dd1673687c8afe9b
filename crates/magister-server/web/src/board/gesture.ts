// From clicks and drags to moves. The widget knows no rules: everything follows from the legal moves.

import type { Move, RoleMoves, Shape } from "../lib/types";

export interface Choice extends Move {
  role: number;
}

export interface Places {
  /** Moves that one click makes, by cell. */
  at: Map<number, Choice[]>;
  /** Moves from a cell, by the cell that they go to. */
  from: Map<number, Map<number, Choice[]>>;
  /** Moves that have no place on the board. */
  off: Choice[];
  /** Whether moves name whole columns, as in Connect Four. */
  columns: boolean;
}

function add<K>(map: Map<K, Choice[]>, key: K, choice: Choice): void {
  const list = map.get(key);
  if (list) list.push(choice);
  else map.set(key, [choice]);
}

export function choices(legal: RoleMoves[]): Choice[] {
  return legal.flatMap(({ role, moves }) => moves.map((move) => ({ ...move, role })));
}

/** Moves with one argument that names a column: every cell of the column stands for the move. */
function columnMoves(all: Choice[], shape: Shape): Map<number, Choice[]> | null {
  if (shape.layout !== "grid" || shape.boards.length > 1 || all.length === 0) return null;
  const columns = new Map<string, number[]>();
  const xs = [...new Set(shape.cells.map((cell) => cell.x))].sort((a, b) => a - b);
  const names = shape.panels?.[0]?.columns ?? columnNames(shape);
  const rows = new Set(shape.cells.map((cell) => cell.y)).size;
  if (names.length !== xs.length || xs.length < 3 || rows < 3) return null;
  names.forEach((name, i) => columns.set(name, shape.cells.flatMap((cell, index) => (cell.x === xs[i] ? [index] : []))));
  const at = new Map<number, Choice[]>();
  const heads = new Set<string>();
  for (const choice of all) {
    const words = choice.text.split(/[\s(),]+/).filter((word) => word !== "");
    const cells = words.length === 2 ? columns.get(words[1]!) : undefined;
    if (cells === undefined) return null;
    heads.add(words[0]!);
    for (const cell of cells) add(at, cell, choice);
  }
  return heads.size === 1 ? at : null;
}

/** The word of the cells' names that differs from column to column. */
function columnNames(shape: Shape): string[] {
  const xs = [...new Set(shape.cells.map((cell) => cell.x))].sort((a, b) => a - b);
  const first = shape.cells[0]?.name.split(" ").length ?? 0;
  for (let word = 0; word < first; word++) {
    const names = xs.map((x) => new Set(shape.cells.filter((cell) => cell.x === x).map((cell) => cell.name.split(" ")[word])));
    const flat = names.flatMap((set) => [...set]);
    if (names.every((set) => set.size === 1) && new Set(flat).size === xs.length) return flat as string[];
  }
  return [];
}

/** Whether every piece stands on the bottom or on another piece, so that pieces may have fallen. */
export function stacked(shape: Shape, cells: (number | null)[] | null): boolean {
  if (cells === null) return true;
  const columns = new Map<number, number[]>();
  shape.cells.forEach((cell, index) => columns.set(cell.x, [...(columns.get(cell.x) ?? []), index]));
  return [...columns.values()].every((column) => {
    const down = column.sort((a, b) => shape.cells[a]!.y - shape.cells[b]!.y);
    const top = down.findIndex((cell) => cells[cell] !== 0);
    return top < 0 || down.slice(top).every((cell) => cells[cell] !== 0);
  });
}

export function place(legal: RoleMoves[], shape: Shape | null): Places {
  const all = choices(legal);
  const places: Places = { at: new Map(), from: new Map(), off: [], columns: false };
  if (shape === null) return { ...places, off: all };
  if (all.every((choice) => choice.from === null || choice.from === choice.to)) {
    const at = columnMoves(all, shape);
    if (at !== null) return { ...places, at, columns: true };
  }
  for (const choice of all) {
    if (choice.from !== null && choice.to !== null && choice.from !== choice.to) {
      const targets = places.from.get(choice.from) ?? new Map<number, Choice[]>();
      places.from.set(choice.from, targets);
      add(targets, choice.to, choice);
    } else if (choice.to !== null || choice.from !== null) {
      add(places.at, (choice.to ?? choice.from)!, choice);
    } else {
      places.off.push(choice);
    }
  }
  return places;
}

export type Outcome =
  | { kind: "select"; cell: number }
  | { kind: "deselect" }
  | { kind: "play"; choice: Choice }
  | { kind: "choose"; cell: number; choices: Choice[] }
  | { kind: "nothing" };

function decide(cell: number, list: Choice[]): Outcome {
  return list.length === 1 ? { kind: "play", choice: list[0]! } : { kind: "choose", cell, choices: list };
}

/** What a click on a cell means while `selected` is selected. */
export function click(places: Places, selected: number | null, cell: number): Outcome {
  if (selected !== null && selected !== cell) {
    const moves = places.from.get(selected)?.get(cell);
    if (moves) return decide(cell, moves);
  }
  const here = places.at.get(cell) ?? [];
  const starts = places.from.has(cell);
  if (starts && selected !== cell) return { kind: "select", cell };
  if (here.length > 0) return decide(cell, here);
  return selected === null ? { kind: "nothing" } : { kind: "deselect" };
}

/** What dropping a piece means. */
export function drop(places: Places, from: number, cell: number | null): Outcome {
  if (cell === null || cell === from) return { kind: "nothing" };
  const moves = places.from.get(from)?.get(cell);
  return moves ? decide(cell, moves) : { kind: "nothing" };
}

/** The cells that a click would play on, with the given selection. */
export function targets(places: Places, selected: number | null): Set<number> {
  return selected === null ? new Set(places.at.keys()) : new Set([...(places.from.get(selected)?.keys() ?? []), ...(places.at.has(selected) ? [selected] : [])]);
}
