// The shapes of the HTTP API. `/api/openapi.json` of a running server describes the same.

export type Layout = "grid" | "hexagons" | "graph";

export interface Game {
  name: string;
  title: string;
  summary: string;
  tags: string[];
  players: number;
  chance: boolean;
  hidden: boolean;
  language: string;
  popular: boolean;
  board: Layout | null;
}

export interface GameDetail extends Game {
  description: string;
  author: string | null;
  roles: string[];
  moves: number | null;
  rules_hash: string;
  facts: Record<string, unknown> | null;
  versions: string[];
  chance_role?: number | null;
  rules: Partial<Record<string, string>>;
  shape: Shape | null;
  levels: string[];
  diagnostics: { errors: number; warnings: number };
  /** Whether this visitor may replace or delete it. */
  mine?: boolean;
}

export interface Cell {
  name: string;
  x: number;
  y: number;
  board: number;
}

export interface PieceHint {
  shape: string;
  side: number | null;
  label: string;
  colour?: string;
  /** Other things in the same cell. */
  with?: PieceHint[];
}

export interface Panel {
  title: string;
  layout: Layout;
  columns: string[];
  rows: string[];
  /** What is written at the other end of columns and rows. */
  column_notes?: string[];
  row_notes?: string[];
  row: number;
  /** Its column and its row among the boards of its kind. */
  among?: [number, number];
}

export interface Edge {
  cell: number;
  side: "top" | "right" | "bottom" | "left";
  sign: string | null;
  label: string;
}

export interface Shape {
  layout: Layout;
  boards: string[];
  cells: Cell[];
  values: string[];
  symbols?: Record<string, string>;
  neighbours?: number[][];
  lines?: [number, number][];
  fixed?: number[];
  edges?: Edge[];
  panels?: Panel[];
  pieces?: Record<string, PieceHint>;
}

export interface Move {
  text: string;
  label: string;
  from: number | null;
  to: number | null;
}

export interface RoleMoves {
  role: number;
  moves: Move[];
}

export interface Played extends Move {
  role: number;
}

export interface Fact {
  name: string;
  text: string;
  label: string;
  kind?: "word" | "counters" | "piles" | "list" | "groups" | "stacks" | "flags" | "owner" | "fact";
  /** The role whose things these are. */
  role?: number;
  entries?: [string, string][];
  items?: Item[];
  groups?: Group[];
}

/** A thing beside the board, such as a card. */
export interface Item {
  text: string;
  piece: PieceHint;
}

/** Things that belong together: a hand, a pile, a stack from the bottom. */
export interface Group {
  name: string;
  items: Item[];
  /** The number of things that are not seen. */
  hidden: number;
}

export interface Scene {
  ply: number;
  terminal: boolean;
  viewer: number | null;
  acting: number[];
  cells: (number | null)[] | null;
  facts: Fact[];
  legal: RoleMoves[];
  last: Played[];
  percepts: { role: number; text: string }[];
  chance: string | null;
  scores: (number | null)[] | null;
  values?: Record<string, { name: string; piece: PieceHint }>;
  exact?: boolean;
  positions?: number;
  waiting: number[];
}

export interface Start {
  shape: Shape | null;
  scene: Scene;
  roles?: string[];
}

export type SeatKind = "person" | "level" | "player" | "remote" | "trained" | "chance";

export interface Seat {
  role: number;
  name: string;
  kind: SeatKind;
  player: string;
  clock_ms: number | null;
  connected: boolean;
  faults: number;
  score: number | null;
  thinking?: boolean;
  queue?: number | null;
}

export type MatchState = "waiting" | "running" | "paused" | "ended" | "aborted";

export interface HistoryEntry {
  ply: number;
  moves: { role: number; text: string; label: string }[] | null;
  percepts?: { role: number; text: string }[];
}

export interface Match {
  id: string;
  game: string;
  title: string;
  mode: "standalone" | "match";
  state: MatchState;
  seats: Seat[];
  roles?: string[];
  clocks: { start_ms: number | null; play_ms: number | null };
  rated: boolean;
  plies: number;
  history: HistoryEntry[];
  scene: Scene;
  faults: unknown[];
  queue: number | null;
  created: string | number;
  seed_hash: string | null;
  hidden?: boolean;
  chance_role?: number | null;
  shape?: Shape | null;
  clues?: string;
  viewer?: number | null;
  may?: Partial<Record<"move" | "undo" | "redo" | "jump" | "pause" | "resume" | "abort" | "resign" | "hint", boolean>>;
  branches?: { ply: number; node: number; moves: { role: number; text: string; label: string }[] }[];
  tournament?: string | null;
}

export interface MatchSummary {
  id: string;
  game: string;
  title: string;
  state: MatchState;
  mode?: string;
  seats: Seat[];
  plies: number | null;
  created: string | number;
}

export interface NewSeat {
  kind: SeatKind;
  player?: string;
  level?: string;
  address?: string;
}

export interface NewMatch {
  game?: string;
  rules?: string;
  mode: "standalone" | "match";
  seats: NewSeat[];
  start_ms?: number;
  play_ms?: number;
  seed?: number;
  rated?: boolean;
  from?: string[][];
}

export interface CreatedMatch {
  id: string;
  seats: { role: number; token: string | null }[];
  owner?: string | null;
}

export interface MoveValue {
  text: string;
  label: string;
  value: number | null;
  share?: number | null;
  visits?: number;
  proven?: unknown;
  from: number | null;
  to: number | null;
}

export interface Hint {
  move: string;
  label: string;
  value: number | null;
  values: MoveValue[];
}

export interface Level {
  name: string;
  summary: string;
  iterations?: number;
}

export interface PlayerInfo {
  name: string;
  summary: string;
  honest?: boolean;
  parameters?: unknown;
}

export interface RemotePlayer {
  address: string;
  status: string;
  name: string;
  mine?: boolean;
}

/** The share of the points of a trained player, from 0 to 1, against another player. */
export interface Strength {
  against: string;
  points: number;
  low: number;
  high: number;
  matches: number;
  iterations: number;
}

/** A player that learned a game, on this site or before. */
export interface TrainedPlayer {
  name: string;
  id: string;
  game: string;
  title: string;
  rules_hash: string;
  games: number;
  reward: number | null;
  strengths: Strength[];
  /** Whether it learned on this site. */
  here: boolean;
}

export interface Players {
  players: PlayerInfo[];
  levels: Level[];
  remote: RemotePlayer[];
  trained: TrainedPlayer[];
}

/** A test of a learner against random players. */
export interface TrainingPoint {
  seconds: number;
  games: number;
  reward: number;
  others: number | null;
  matches: number;
  error: number;
}

export interface Training {
  id: string;
  game: string;
  title: string;
  rules_hash: string;
  kind: "ntuple" | "linear" | "net";
  seconds: number;
  created: number;
  state: "waiting" | "running" | "ended" | "stopped" | "failed";
  why: string | null;
  games: number;
  moves: number;
  spent: number;
  weights: number;
  bytes: number;
  curve: TrainingPoint[];
  /** Whether this visitor may stop and delete it; events do not tell. */
  mine?: boolean;
}

export interface Diagnostic {
  severity: "error" | "warning" | "note" | "info";
  code: string;
  message: string;
  help: string | null;
  start: number;
  end: number;
  line: number;
  column: number;
}

export interface CheckResult {
  language: string;
  diagnostics: Diagnostic[];
  roles: string[];
  playable: boolean;
}

export interface Quota {
  games: number;
  players: number;
  matches: number;
  bytes: number;
}

export interface AccountDetail {
  account: { id: string; name: string; role: "admin" | "user" };
  quota: Quota;
  used: Quota;
}

export interface AdminAccount {
  id: string;
  name: string;
  role: "admin" | "user";
  disabled: boolean;
  created: number;
  quota: Quota;
  used: Quota;
  own_quota: boolean;
}

export interface Upload {
  id: string;
  kind: "game" | "player";
  name: string;
  owner: string;
  bytes: number;
  created: number;
}
