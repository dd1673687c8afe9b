// How a value is drawn. The server recognises most; here are colours and what it left as text.

import type { PieceHint, Shape } from "../lib/types";

export interface Look {
  shape: string;
  /** The class of its colours. */
  tone: string;
  /** What is written on it. */
  text: string;
  /** What a screen reader says. */
  label: string;
  /** Other things in the same cell. */
  with?: Look[];
  /** Whether a text needs a ground of its own, because lines are below it. */
  backed?: boolean;
}

const TONES = ["white", "black", "red", "blue", "green", "yellow", "orange", "purple", "pink", "brown", "grey", "teal"];
const ALIASES: Record<string, string> = { gray: "grey", cyan: "teal", magenta: "pink", violet: "purple", gold: "yellow", silver: "grey", lime: "green" };
/** The colours of the sides where no name is a colour. */
const SIDES = ["red", "blue", "green", "yellow", "purple", "orange", "teal", "pink"];
const FIGURES = new Set(["king", "queen", "rook", "bishop", "knight", "pawn"]);

export const parts = (name: string): string[] => name.toLowerCase().split(/[^a-z0-9#?]+/).filter((word) => word !== "");

function named(text: string): string | null {
  for (const word of parts(text)) {
    if (TONES.includes(word)) return word;
    if (ALIASES[word]) return ALIASES[word];
  }
  return null;
}

/** The colour of a role: by its name, otherwise by its number. */
export function roleTone(role: number, roles: string[]): string {
  return named(roles[role] ?? "") ?? SIDES[role % SIDES.length]!;
}

export function look(value: string, hint: PieceHint | undefined, roles: string[]): Look {
  if (hint?.with && hint.with.length > 0) {
    const { with: others, ...first } = hint;
    return { ...look(first.label || value, first, roles), label: value.replace(/[_-]+/g, " "), with: others.map((other) => look(other.label, other, roles)) };
  }
  return single(value, hint, roles);
}

function single(value: string, hint: PieceHint | undefined, roles: string[]): Look {
  const shape = hint?.shape ?? "text";
  const side = hint?.side ?? null;
  const label = hint?.label && hint.label.length > 1 ? hint.label : value;
  const tone =
    hint?.colour && TONES.includes(hint.colour) ? hint.colour
    : named(value) ?? (side !== null ? (named(roles[side] ?? "") ?? (FIGURES.has(shape) ? (side === 0 ? "white" : "black") : SIDES[side % SIDES.length]!)) : "plain");
  const written = ["text", "number", "card", "die", "arrow"].includes(shape);
  const text = written ? hint?.label || value : "";
  if (shape === "arrow") return { shape, tone, text, label: value.replace(/[_-]+/g, " ") };
  if (shape === "card") {
    const plain = /[♥♦♣♠]/.test(text) || !hint?.colour;
    return { shape, tone: plain ? "plain" : tone, text: cardText(text) ?? text, label: text || value.replace(/[_-]+/g, " ") };
  }
  if (shape === "text") {
    const known = recognise(value, text, label, tone);
    if (known !== null) return known;
  }
  const die = /^(die|dice|pips?)\W*([1-6])$/i.exec(value);
  if (die) return { shape: "die", tone: "plain", text: die[2]!, label: value };
  if (shape === "text" && (text === "-" || text === "|" || text === "+")) {
    return { shape: text === "-" ? "across" : text === "|" ? "upright" : "dot", tone, text: "", label: value };
  }
  const arrow = DIRECTION.exec(value);
  if (shape === "text" && arrow) return { shape: "arrow", tone, text: arrow[1]!.toLowerCase(), label: value };
  const line = /^(across|horizontal|up|vertical)$/i.exec(value);
  if (shape === "text" && line) return { shape: /^(across|horizontal)$/i.test(value) ? "across" : "upright", tone, text: "", label: value };
  return { shape: shape === "nought" ? "ring" : shape, tone, text, label };
}

const DIRECTION = /^(up|down|left|right|north|south|east|west)$/i;
const COLOURED = new RegExp(`^(${TONES.join("|")})[-_]?(man|men|king|queen|rook|bishop|knight|pawn|disc|piece|stone|checker|robot|player)$`, "i");

/** Pieces that have no word of their own for their kind: `whiteman`, `@`, `#`. */
function recognise(value: string, text: string, label: string, tone: string): Look | null {
  const coloured = COLOURED.exec(value);
  if (coloured) {
    const [, colour, kind] = coloured as unknown as [string, string, string];
    const word = kind.toLowerCase();
    const shape = word === "man" || word === "men" || word === "piece" || word === "checker" ? "disc" : word === "robot" || word === "player" ? "person" : word;
    return { shape, tone: colour.toLowerCase(), text: "", label: value };
  }
  // The names of the letters X and O.
  if (/^(ecks|oh)$/i.test(value)) return { shape: /^oh$/i.test(value) ? "ring" : "cross", tone: tone !== "plain" ? tone : /^oh$/i.test(value) ? "blue" : "red", text: "", label };
  if (text === "@" || /^(keeper|pusher|walker)$/i.test(value)) return { shape: "person", tone: tone === "plain" ? "blue" : tone, text: "", label };
  if (/^(mark|storage)$/i.test(value)) return { shape: "target", tone, text: "", label };
  if (text === "#") return { shape: "block", tone, text: "", label };
  // A short word says more than its first letter. A long one would be too small to read.
  if (/^[a-z]$/i.test(text) && /^[a-z]{2,6}$/i.test(value) && !DIRECTION.test(value)) return { shape: "text", tone, text: value, label };
  return null;
}

const SUITS: Record<string, string> = { hearts: "♥", heart: "♥", diamonds: "♦", diamond: "♦", clubs: "♣", club: "♣", spades: "♠", spade: "♠" };
const RANKS: Record<string, string> = { ace: "A", king: "K", queen: "Q", jack: "J", ten: "10" };

/** Rank and suit as they are written on a card; null if the label is written so already. */
function cardText(label: string): string | null {
  const found = parts(label);
  const suit = found.map((word) => SUITS[word]).find((sign) => sign !== undefined);
  if (suit === undefined) return null;
  const rank = found.find((word) => SUITS[word] === undefined && word !== "of") ?? "";
  return (RANKS[rank] ?? rank.toUpperCase()) + suit;
}

/** The looks of all values of a shape. */
export function looks(shape: Shape, roles: string[]): Look[] {
  const found = shape.values.map((value) => look(value, shape.pieces?.[value], roles));
  // Among many letters `o` and `x` are letters, not noughts and crosses.
  const letters = shape.values.filter((value) => /^[a-z]$/i.test(value)).length;
  if (letters > 3) found.forEach((one, index) => { if (/^[ox]$/i.test(shape.values[index]!)) found[index] = { ...one, shape: "text", text: shape.values[index]! }; });
  // Kings of draughts are crowned discs.
  const draughts = shape.values.some((value) => /(^|[a-z_-])m[ae]n$/i.test(value));
  // Long words that have a symbol are written as it; the legend tells what it means.
  found.forEach((one, index) => {
    const symbol = shape.symbols?.[shape.values[index]!];
    if (one.shape === "text" && one.text.length > 6 && symbol && symbol.length < 4 && symbol !== ".") found[index] = { ...one, text: symbol };
  });
  return apart(draughts ? found.map((one) => (one.shape === "king" ? { ...one, shape: "crowned" } : one)) : found, shape.values);
}

/** Values that would look the same differ by a letter: of a checker and a disc of one colour, the checker is a disc with a `C`. */
function apart(all: Look[], values: string[]): Look[] {
  const groups = new Map<string, number[]>();
  all.forEach((one, value) => {
    if (value === 0 || one.tone === "plain" || one.text !== "" || one.with) return;
    const key = `${one.shape} ${one.tone}`;
    groups.set(key, [...(groups.get(key) ?? []), value]);
  });
  for (const group of groups.values()) {
    if (group.length < 2) continue;
    const bare = (word: string, tone: string) => (word.startsWith(tone) ? word.slice(tone.length) : word);
    const words = group.map((value) => parts(values[value]!.replace(/([a-z])([A-Z])/g, "$1 $2")).map((word) => bare(word, all[value]!.tone)));
    const rest = words.map((own) => own.filter((word) => !words.every((other) => other.includes(word))).join(" "));
    // The one that is called like its picture, or that has no other name, keeps the picture.
    const kept = Math.max(0, rest.findIndex((word) => word === "" || word === all[group[0]!]!.shape));
    group.forEach((value, index) => {
      const word = rest[index]!;
      if (index === kept || word === "") return;
      const alone = rest.filter((other) => other[0] === word[0]).length === 1;
      all[value] = { ...all[value]!, shape: "text", text: alone ? word[0]!.toUpperCase() : word };
    });
  }
  return all;
}

/** Shapes that show what they are. */
const SHOWN = new Set([...FIGURES, "number", "card", "die", "arrow", "across", "upright"]);
/** Words that people would use for a shape. */
const NAMES: Record<string, string[]> = {
  cross: ["x", "cross"], ring: ["o", "nought", "circle"], wall: ["wall", "walls"], box: ["box", "crate"], ship: ["ship"], flag: ["flag"],
  light: ["lit", "light", "on", "lamp"], peg: ["peg"], dot: ["dot"], unknown: ["unknown", "hidden"],
};

/** Whether a reader sees from a picture alone which value it is. */
function explains(one: Look, value: string): boolean {
  if (one.with) return true;
  if (SHOWN.has(one.shape)) return true;
  const found = parts(value);
  if (one.shape === "text") return parts(one.text).join(" ") === found.join(" ") || (one.tone !== "plain" && /^\d+$/.test(one.text));
  if (one.shape === "disc" || one.shape === "stone" || one.shape === "crowned") return found.includes(one.tone);
  return (NAMES[one.shape] ?? []).some((word) => found.includes(word)) && (one.tone === "plain" || found.includes(one.tone) || found.length === 1);
}

/** The values of a board whose pictures do not say what they are. */
export function legend(shape: Shape, drawn: Look[], cells: (number | null)[] | null): { look: Look; name: string }[] {
  const there = new Set(cells ?? []);
  const all = shape.values.flatMap((name, value) => (value > 0 && drawn[value] && !explains(drawn[value], name) ? [{ look: drawn[value], name: name.replace(/[_-]+/g, " "), value }] : []));
  const few = all.length <= 8 ? all : all.filter(({ value }) => there.has(value));
  return few.slice(0, 24);
}

/** Whether the squares alternate in colour: where chess pieces or draughtsmen walk. */
export function isChequered(shape: Shape): boolean {
  if (shape.layout !== "grid") return false;
  return Object.values(shape.pieces ?? {}).some((piece) => FIGURES.has(piece.shape));
}

/** The size of a text in a box of 100, by its length. */
export function textSize(text: string): number {
  const length = Math.max(1, [...text].length);
  return length === 1 ? 58 : length === 2 ? 46 : length <= 3 ? 36 : Math.max(13, 104 / (length * 0.62));
}
