// From a shape to a drawing: where every cell, board, line and label lies, in units of the SVG.

import type { Layout, Shape } from "../lib/types";

/** The side of a square cell. */
export const UNIT = 100;

export interface Place {
  x: number;
  y: number;
  /** The side of the square that a piece may fill. */
  size: number;
  /** The outline of the cell; none for points of a graph. */
  outline: string;
  /** Whether its name is written on it, because no names of rows and columns tell it. */
  named: boolean;
}

export interface Frame {
  title: string;
  layout: Layout;
  x: number;
  y: number;
  width: number;
  height: number;
  columns: { text: string; x: number }[];
  rows: { text: string; y: number }[];
  /** Notes above the columns, one number below the other, and to the right of the rows. */
  above: { words: string[]; x: number }[];
  right: { text: string; y: number }[];
  /** Whether cells are named by column and row, or by row and column, where a reader cannot tell. */
  order: "column, row" | "row, column" | "";
}

export interface Drawing {
  width: number;
  height: number;
  places: Place[];
  frames: Frame[];
  lines: { x1: number; y1: number; x2: number; y2: number }[];
  /** Walls, and signs between cells. */
  walls: { x1: number; y1: number; x2: number; y2: number; label: string }[];
  signs: { x: number; y: number; text: string; label: string }[];
}

const MARGIN = 14;
const LABEL = 42;
const TITLE = 54;
const GAP = 60;
/** The height of a line of notes. */
export const NOTE = 34;
/** The longest names beside columns and rows, in letters. */
const LONGEST_COLUMN = 10;
const LONGEST_ROW = 14;

/** The size of the letters of a name below a column. */
export const letters = (text: string): number => Math.min(25, (1.6 * UNIT) / Math.max(1, text.length));

/** The smallest distance between different values, 1 if there is only one. */
function step(values: number[]): number {
  const sorted = [...new Set(values.map((value) => Math.round(value * 1000) / 1000))].sort((a, b) => a - b);
  let least = Infinity;
  for (let i = 1; i < sorted.length; i++) least = Math.min(least, sorted[i]! - sorted[i - 1]!);
  return Number.isFinite(least) ? least : 1;
}

interface Local {
  cells: number[];
  x: number[];
  y: number[];
  size: number;
  outline: (x: number, y: number) => string;
  half: { x: number; y: number };
}

function square(x: number, y: number): string {
  const h = UNIT / 2;
  return `M${x - h} ${y - h}h${UNIT}v${UNIT}h${-UNIT}z`;
}

function hexagon(flat: boolean): (x: number, y: number) => string {
  const radius = UNIT / Math.sqrt(3);
  return (x, y) => {
    const corners = [0, 1, 2, 3, 4, 5].map((k) => {
      const angle = (Math.PI / 3) * k + (flat ? 0 : Math.PI / 6);
      return `${(x + radius * Math.cos(angle)).toFixed(1)} ${(y + radius * Math.sin(angle)).toFixed(1)}`;
    });
    return `M${corners.join("L")}z`;
  };
}

/** The cells of one board in its own coordinates. */
function local(shape: Shape, cells: number[], layout: Layout): Local {
  const at = cells.map((cell) => shape.cells[cell]!);
  const xs = at.map((cell) => cell.x);
  const ys = at.map((cell) => cell.y);
  if (layout === "hexagons") {
    // Rows are shifted against each other, or columns are: then the hexagons stand on a side.
    const inRow = (a: number[], b: number[]) => {
      const groups = new Map<number, number[]>();
      a.forEach((value, i) => groups.set(Math.round(value * 1000), [...(groups.get(Math.round(value * 1000)) ?? []), b[i]!]));
      return Math.min(...[...groups.values()].map((list) => (list.length > 1 ? step(list) : Infinity)));
    };
    const across = inRow(ys, xs);
    const down = inRow(xs, ys);
    const flat = !(Number.isFinite(across) && across <= (Number.isFinite(down) ? down : Infinity));
    const root = Math.sqrt(3) / 2;
    const sx = flat ? (UNIT * root) / step(xs) : UNIT / (Number.isFinite(across) ? across : 1);
    const sy = flat ? UNIT / (Number.isFinite(down) ? down : 1) : (UNIT * root) / step(ys);
    const radius = UNIT / Math.sqrt(3);
    return {
      cells, x: xs.map((x) => x * sx), y: ys.map((y) => y * sy), size: 78, outline: hexagon(flat),
      half: flat ? { x: radius, y: UNIT / 2 } : { x: UNIT / 2, y: radius },
    };
  }
  if (layout === "graph") {
    // Points that are joined must leave room for two pieces.
    const inside = new Map(cells.map((cell, i) => [cell, i]));
    let least = Infinity;
    for (let i = 0; i < cells.length; i++) {
      for (let j = 0; j < i; j++) least = Math.min(least, Math.hypot(xs[i]! - xs[j]!, ys[i]! - ys[j]!) || Infinity);
    }
    for (const [a, b] of shape.lines ?? []) {
      const i = inside.get(a), j = inside.get(b);
      if (i === undefined || j === undefined) continue;
      least = Math.min(least, Math.hypot(xs[i]! - xs[j]!, ys[i]! - ys[j]!) || Infinity);
    }
    const scale = (1.25 * UNIT) / (Number.isFinite(least) ? least : 1);
    return { cells, x: xs.map((x) => x * scale), y: ys.map((y) => y * scale), size: 82, outline: () => "", half: { x: UNIT / 2, y: UNIT / 2 } };
  }
  const sx = UNIT / Math.min(1, step(xs));
  const sy = UNIT / Math.min(1, step(ys));
  return { cells, x: xs.map((x) => x * sx), y: ys.map((y) => y * sy), size: UNIT, outline: square, half: { x: UNIT / 2, y: UNIT / 2 } };
}

interface Part {
  frame: Frame;
  members: Local;
  dx: number;
  dy: number;
  named: boolean;
  /** Where the board stands among others, if the rules tell. */
  among: { column: number; row: number } | null;
}

/** Boards of one kind that the rules arrange have titles that differ in the last two words. */
const kindOf = (part: Part): string => (part.among === null ? "" : `# ${part.frame.title.split(" ").slice(0, -2).join(" ")}`);

/** Puts the boards beside and below each other, those of one kind together. Returns the width of the whole. */
function arrange(parts: Part[], places: Place[]): number {
  const kinds = [...new Set(parts.map(kindOf))];
  let left = 0;
  for (const kind of kinds) {
    const width = together(parts.filter((part) => kindOf(part) === kind), places, left);
    left = width + GAP - 2 * MARGIN;
  }
  return left - GAP + 2 * MARGIN;
}

function together(parts: Part[], places: Place[], left: number): number {
  const title = (part: Part) => (part.frame.title === "" ? 0 : TITLE) + NOTE * Math.max(0, ...part.frame.above.map((note) => note.words.length));
  const foot = (part: Part) => (part.frame.columns.length > 0 ? LABEL : 0);
  const side = (part: Part) => {
    const longest = Math.max(0, ...part.frame.rows.map((label) => label.text.length));
    return longest === 0 ? 0 : Math.max(LABEL, 12 * longest + 16);
  };
  // Boards stand where the rules put them, or in rows of about the same length.
  const many = parts.length > 3 && parts.every((part) => part.members.cells.length === parts[0]!.members.cells.length);
  const inRow = many ? Math.ceil(Math.sqrt(parts.length)) : parts.length;
  const placed = parts.length > 1 && parts.every((part) => part.among !== null);
  const widest = Math.max(...parts.map((part) => part.frame.width + side(part)), 1);
  const area = parts.reduce((sum, part) => sum + (part.frame.width + GAP) * (part.frame.height + TITLE + GAP), 0);
  const limit = Math.max(widest, Math.sqrt(area * 2.4));
  let column = 0, row = 0, used = 0;
  const slots = parts.map((part, index) => {
    if (placed) return part.among!;
    if (many) return { column: index % inRow, row: Math.floor(index / inRow) };
    const whole = part.frame.width + side(part);
    if (column > 0 && used + whole > limit + 1) {
      column = 0;
      used = 0;
      row++;
    }
    used += whole + GAP;
    return { column: column++, row };
  });
  const gap = placed ? GAP / 2 : GAP;
  const aligned = placed || many;
  const columns = new Map<number, number>();
  const rows = new Map<number, number>();
  parts.forEach((part, index) => {
    const slot = slots[index]!;
    columns.set(slot.column, Math.max(columns.get(slot.column) ?? 0, part.frame.width + side(part)));
    rows.set(slot.row, Math.max(rows.get(slot.row) ?? 0, title(part) + part.frame.height + foot(part)));
  });
  const before = (sizes: Map<number, number>, end: number) => [...sizes].filter(([at]) => at < end).reduce((sum, [, size]) => sum + size + gap, 0);
  let x = 0, last = -1, width = 0;
  parts.forEach((part, index) => {
    const slot = slots[index]!;
    if (slot.row !== last) x = 0;
    last = slot.row;
    part.frame.x = left + MARGIN + (aligned ? before(columns, slot.column) : x) + side(part);
    part.frame.y = MARGIN + before(rows, slot.row) + title(part);
    x += part.frame.width + side(part) + gap;
    const notes = Math.max(0, ...part.frame.right.map((note) => note.text.length));
    width = Math.max(width, part.frame.x + part.frame.width + (notes > 0 ? 20 + 17 * notes : 0));
    part.frame.above = part.frame.above.map((note) => ({ ...note, x: note.x + part.frame.x }));
    part.frame.right = part.frame.right.map((note) => ({ ...note, y: note.y + part.frame.y }));
    part.members.cells.forEach((cell, i) => {
      const px = part.frame.x + part.members.x[i]! + part.dx;
      const py = part.frame.y + part.members.y[i]! + part.dy;
      places[cell] = { x: px, y: py, size: part.members.size, outline: part.members.outline(px, py), named: part.named };
    });
    part.frame.columns = part.frame.columns.map((label) => ({ ...label, x: label.x + part.frame.x }));
    part.frame.rows = part.frame.rows.map((label) => ({ ...label, y: label.y + part.frame.y }));
  });
  return width + MARGIN;
}

/** Draws a shape. With `flip` the board is turned by half a turn. */
export function draw(shape: Shape, labels = true, flip = false): Drawing {
  const boards = Math.max(1, shape.boards.length);
  const places: Place[] = new Array<Place>(shape.cells.length);
  const parts: Part[] = [];
  for (let board = 0; board < boards; board++) {
    const cells = shape.cells.flatMap((cell, index) => (cell.board === board ? [index] : []));
    if (cells.length === 0) continue;
    const panel = shape.panels?.[board];
    const layout = panel?.layout ?? shape.layout;
    const members = local(shape, cells, layout);
    if (flip) {
      const mx = Math.max(...members.x) + Math.min(...members.x);
      const my = Math.max(...members.y) + Math.min(...members.y);
      members.x = members.x.map((x) => mx - x);
      members.y = members.y.map((y) => my - y);
    }
    const left = Math.min(...members.x) - members.half.x;
    const top = Math.min(...members.y) - members.half.y;
    const width = Math.max(...members.x) + members.half.x - left;
    const height = Math.max(...members.y) + members.half.y - top;
    const named = labels && layout !== "graph" ? axes(shape, members) : { columns: [], rows: [], order: "" as const };
    const title = shape.boards[board] ?? "";
    const frame: Frame = {
      title, layout, x: 0, y: 0, width, height, order: layout === "grid" ? named.order : "",
      columns: named.columns.map(({ text, at }) => ({ text, x: at - left })),
      rows: named.rows.map(({ text, at }) => ({ text, y: at - top })),
      above: (panel?.column_notes ?? []).map((text, index) => ({ words: text.split(" "), x: (flip ? width - (index + 0.5) * UNIT : (index + 0.5) * UNIT) })),
      right: (panel?.row_notes ?? []).map((text, index) => ({ text, y: (flip ? height - (index + 0.5) * UNIT : (index + 0.5) * UNIT) })),
    };
    const bare = layout !== "grid" || (named.columns.length === 0 && named.rows.length === 0 && cells.length > 1);
    parts.push({ frame, members, dx: -left, dy: -top, named: labels && bare, among: panel?.among ? { column: panel.among[0], row: panel.among[1] } : null });
  }
  const width = arrange(parts, places);
  const height = Math.max(0, ...parts.map((part) => part.frame.y + part.frame.height + (part.frame.columns.length > 0 ? LABEL : 0))) + MARGIN;
  const lines = (shape.lines ?? []).flatMap(([a, b]) => {
    const p = places[a], q = places[b];
    return p && q ? [{ x1: p.x, y1: p.y, x2: q.x, y2: q.y }] : [];
  });
  const { walls, signs } = borders(shape, places, flip);
  return { width, height, places, frames: parts.map((part) => part.frame), lines, walls, signs };
}

/** In which order cells are named, as words; boards of different kinds may differ. */
export function naming(frames: Frame[]): string {
  const orders = new Map<string, Set<string>>();
  for (const { order, title } of frames) if (order !== "") orders.set(order, (orders.get(order) ?? new Set()).add(title.split(" ")[0]!));
  if (orders.size === 1) return [...orders.keys()][0]!;
  return [...orders].map(([order, titles]) => `${order} (${[...titles].join(", ")})`).join("; ");
}

const AROUND = { top: [0, -1], right: [1, 0], bottom: [0, 1], left: [-1, 0] } as const;
/** Signs point the other way on a board that is turned. */
const TURNED: Record<string, string> = { "<": ">", ">": "<", "^": "v", v: "^" };

function borders(shape: Shape, places: Place[], flip: boolean): Pick<Drawing, "walls" | "signs"> {
  const walls: Drawing["walls"] = [];
  const signs: Drawing["signs"] = [];
  for (const { cell, side, sign, label } of shape.edges ?? []) {
    const at = places[cell];
    if (!at) continue;
    const half = (flip ? -1 : 1) * (UNIT / 2);
    const [dx, dy] = AROUND[side];
    const x = at.x + dx * half, y = at.y + dy * half;
    if (sign === null) walls.push({ x1: x - dy * half, y1: y - dx * half, x2: x + dy * half, y2: y + dx * half, label });
    else signs.push({ x, y, text: flip ? (TURNED[sign] ?? sign) : sign, label });
  }
  return { walls, signs };
}

type Named = { text: string; at: number }[];

/** The names beside rows and columns: the word of a cell's name that all cells of a column share. */
function axes(shape: Shape, members: Local): { columns: Named; rows: Named; order: Frame["order"] } {
  const words = members.cells.map((cell) => shape.cells[cell]!.name.split(" "));
  const none = { word: 0, list: [] as Named };
  const shared = (values: number[]): { word: number; list: Named } => {
    const length = Math.min(...words.map((list) => list.length));
    const distinct = new Set(values.map(Math.round)).size;
    if (distinct < 2) return none;
    for (let word = 0; word < length; word++) {
      const names = new Map<number, string>();
      const fits = words.every((list, i) => {
        const key = Math.round(values[i]!);
        const known = names.get(key);
        if (known === undefined) names.set(key, list[word]!);
        return known === undefined || known === list[word];
      });
      if (fits && new Set(names.values()).size === names.size) return { word, list: [...names].map(([at, text]) => ({ text, at })) };
    }
    return none;
  };
  const columns = shared(members.x);
  const rows = shared(members.y);
  const fits = (list: Named, most: number) => list.every((label) => label.text.length <= most);
  const beside = new Set(rows.list.map((label) => label.text));
  const alike = columns.list.some((label) => beside.has(label.text));
  return {
    columns: fits(columns.list, LONGEST_COLUMN) ? columns.list : [], rows: fits(rows.list, LONGEST_ROW) ? rows.list : [],
    order: !alike || columns.word === rows.word ? "" : columns.word < rows.word ? "column, row" : "row, column",
  };
}

/** The nearest cell from `cell` in a direction, for the arrow keys. */
export function neighbour(places: Place[], cell: number, dx: number, dy: number): number {
  const from = places[cell];
  if (!from) return cell;
  let best = cell, least = Infinity;
  places.forEach((place, index) => {
    if (index === cell) return;
    const along = (place.x - from.x) * dx + (place.y - from.y) * dy;
    const aside = Math.abs((place.x - from.x) * dy) + Math.abs((place.y - from.y) * dx);
    if (along < UNIT * 0.2 || aside > along * 1.8 + 1) return;
    const cost = along + aside * 2.2;
    if (cost < least) {
      least = cost;
      best = index;
    }
  });
  return best;
}
