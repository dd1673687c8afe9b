// Calls of the HTTP API. Every failure is an ApiError with a sentence that can be shown as it is.

import { at } from "./base";
import type {
  CheckResult, CreatedMatch, Game, GameDetail, Hint, Match, MatchSummary, NewMatch, Players, Scene, Start, Training, Upload,
} from "./types";

export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly body: Record<string, unknown> = {},
  ) {
    super(message);
  }
}

let csrf: string | null = null;

/** The token that requests of this session repeat. */
export function setCsrf(token: string | null): void {
  csrf = token;
}

export async function request<T>(method: string, path: string, body?: unknown, seat?: string | null): Promise<T> {
  const headers: Record<string, string> = { accept: "application/json" };
  if (body !== undefined) headers["content-type"] = "application/json";
  if (seat) headers["x-seat"] = seat;
  if (csrf !== null && method !== "GET") headers["x-csrf-token"] = csrf;
  let response: Response;
  try {
    response = await fetch(at(path), { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
  } catch {
    throw new ApiError(0, "offline", "The server cannot be reached. Check that it is running, then try again.");
  }
  const text = await response.text();
  let data: unknown = null;
  try {
    data = text === "" ? null : JSON.parse(text);
  } catch {
    // An answer that is not JSON comes from something between us and the server.
  }
  if (!response.ok) {
    const fault = (data ?? {}) as { error?: string; code?: string };
    const message = fault.error ?? `The server answered ${response.status} ${response.statusText}.`;
    throw new ApiError(response.status, fault.code ?? "http", message, fault as Record<string, unknown>);
  }
  return data as T;
}

const name = encodeURIComponent;

function query(values: Record<string, string | number | boolean | undefined | null>): string {
  const parts = Object.entries(values)
    .filter(([, value]) => value !== undefined && value !== null && value !== "")
    .map(([key, value]) => `${key}=${encodeURIComponent(String(value))}`);
  return parts.length === 0 ? "" : `?${parts.join("&")}`;
}

export const api = {
  games: (filter: Record<string, string | undefined> = {}) =>
    request<{ games: Game[] }>("GET", `/api/games${query(filter)}`).then((answer) => answer.games),
  game: (game: string) => request<GameDetail>("GET", `/api/games/${name(game)}`),
  saveGame: (game: string, text: string) => request<{ name: string }>("POST", "/api/games", { name: game, text }),
  start: (game: string) => request<Start>("GET", `/api/games/${name(game)}/start`),
  players: () => request<Players>("GET", "/api/players"),
  addPlayer: (address: string) => request<unknown>("POST", "/api/players", { address }),
  deletePlayer: (address: string) => request<unknown>("DELETE", `/api/players${query({ address })}`),
  deleteGame: (game: string) => request<unknown>("DELETE", `/api/games/${name(game)}`),
  uploads: (kind?: string) => request<{ uploads: Upload[] }>("GET", `/api/uploads${query({ kind })}`).then((answer) => answer.uploads),
  upload: (id: string) => request<Upload & { text: string }>("GET", `/api/uploads/${name(id)}`),
  savePlayer: (player: string, text: string) => request<Upload>("POST", "/api/uploads", { name: player, text }),
  pingPlayers: (address?: string) => request<Partial<Players>>("POST", "/api/players/ping", { address }),
  // Chance has no seat.
  createMatch: (match: NewMatch) => request<CreatedMatch>("POST", "/api/matches", { ...match, seats: match.seats.filter((seat) => seat.kind !== "chance") }),
  matches: (filter: Record<string, string | number | undefined>) =>
    request<{ matches: MatchSummary[]; pages: number }>("GET", `/api/matches${query(filter)}`),
  match: (id: string, seat: string | null) => request<Match>("GET", `/api/matches/${name(id)}`, undefined, seat),
  ply: (id: string, ply: number, seat: string | null) =>
    request<{ scene: Scene }>("GET", `/api/matches/${name(id)}/plies/${ply}`, undefined, seat).then((a) => a.scene),
  move: (id: string, seat: string | null, body: { ply: number; move?: string; moves?: Record<string, string> }) =>
    request<Match>("POST", `/api/matches/${name(id)}/moves`, body, seat),
  act: (id: string, action: string, seat: string | null, body: Record<string, unknown> = {}) =>
    request<Match & Partial<CreatedMatch>>("POST", `/api/matches/${name(id)}/${action}`, body, seat),
  hint: (id: string, seat: string | null) => request<Hint>("POST", `/api/matches/${name(id)}/hint`, {}, seat),
  check: (text: string) => request<CheckResult>("POST", "/api/check", { text }),
  format: (text: string) => request<{ text: string }>("POST", "/api/format", { text }),
  convert: (text: string, to: string) => request<{ text: string }>("POST", "/api/convert", { text, to }),
  explain: (body: Record<string, unknown>) =>
    request<{ legal: boolean; reasons: string[] }>("POST", "/api/explain", body),
  analyze: (body: Record<string, unknown>) => request<Record<string, unknown>>("POST", "/api/analyze", body),
  infoset: (body: Record<string, unknown>) => request<Record<string, unknown>>("POST", "/api/infoset", body),
  leaderboard: (game?: string) =>
    request<{ ratings: Record<string, unknown>[] }>("GET", `/api/leaderboard${query({ game })}`),
  tournaments: () => request<{ tournaments: Record<string, unknown>[] }>("GET", "/api/tournaments"),
  tournament: (id: string) => request<Record<string, unknown>>("GET", `/api/tournaments/${name(id)}`),
  createTournament: (body: Record<string, unknown>) => request<{ id: string }>("POST", "/api/tournaments", body),
  trainings: () => request<{ trainings: Training[]; longest: number }>("GET", "/api/trainings"),
  training: (id: string) => request<Training>("GET", `/api/trainings/${name(id)}`),
  train: (body: { game: string; seconds: number; kind: string }) => request<Training>("POST", "/api/trainings", body),
  stopTraining: (id: string) => request<Training>("POST", `/api/trainings/${name(id)}/stop`, {}),
  deleteTraining: (id: string) => request<unknown>("DELETE", `/api/trainings/${name(id)}`),
  metagame: (game: string) => request<Record<string, unknown>>("GET", `/api/metagame/${name(game)}`),
  puzzle: (id: string) => request<Record<string, unknown>>("GET", `/api/puzzles/${name(id)}`),
  answerPuzzle: (id: string, move: string) =>
    request<Record<string, unknown>>("POST", `/api/puzzles/${name(id)}/answer`, { move }),
  about: () => request<Record<string, unknown>>("GET", "/api/about"),
};
