// One match as this page sees it: loaded, kept up to date by events, and played.

import { at } from "../lib/base";
import { api, ApiError } from "../lib/api";
import { announcer } from "../lib/announce.svelte";
import { settings } from "../lib/settings.svelte";
import { OWNER, tokensOf, type Tokens } from "../lib/seats";
import type { Hint, HistoryEntry, Match, MoveValue, Scene, Seat, Shape } from "../lib/types";
import type { Choice } from "../board/gesture";
import { tick as click } from "./sound";

interface StepEvent {
  entry?: HistoryEntry;
  history?: HistoryEntry;
  scene: Scene;
  seats: Seat[];
  state?: Match["state"];
  plies?: number;
}

export class LiveMatch {
  match = $state.raw<Match | null>(null);
  shape = $state.raw<Shape | null>(null);
  /** What a puzzle gives besides its position. */
  clues = $state("");
  tokens = $state.raw<Tokens>({});
  /** The role that this page plays or watches as; null for a spectator. */
  seat = $state<number | null>(null);
  /** The ply that is shown, or null for the current one. */
  shown = $state<number | null>(null);
  past = $state.raw<Scene | null>(null);
  connection = $state<"none" | "live" | "reconnecting">("none");
  busy = $state(false);
  /** The request in flight. */
  private request: Promise<unknown> = Promise.resolve();
  hint = $state.raw<Hint | null>(null);
  value = $state<number | null>(null);
  pending = $state<Record<number, Choice>>({});
  fault = $state<ApiError | null>(null);
  /** When the clocks were last heard of. */
  heard = $state(0);
  private readonly owner: string | null;
  #source: EventSource | null = null;
  #closed = false;
  #retry = 0;

  constructor(readonly id: string) {
    const tokens = tokensOf(id);
    this.owner = tokens[OWNER] ?? null;
    delete tokens[OWNER];
    this.tokens = tokens;
    const roles = Object.keys(this.tokens).map(Number);
    this.seat = roles.length > 0 ? Math.min(...roles) : null;
  }

  get token(): string | null {
    return (this.seat === null ? null : this.tokens[this.seat]) ?? this.owner;
  }

  get hidden(): boolean {
    return this.match?.hidden ?? false;
  }

  get roles(): string[] {
    return this.match ? roleNames(this.match) : [];
  }

  get scene(): Scene | null {
    return this.shown !== null && this.past !== null ? this.past : (this.match?.scene ?? null);
  }

  get standalone(): boolean {
    return this.match?.mode === "standalone";
  }

  /** Whether the newest position is shown. */
  get current(): boolean {
    return this.shown === null || this.past === null;
  }

  /** The roles that this page may decide for now. */
  get mine(): number[] {
    const scene = this.match?.scene;
    if (!scene || this.match!.state !== "running") return [];
    return scene.legal.map((entry) => entry.role).filter((role) => scene.legal.find((entry) => entry.role === role)!.moves.length > 0);
  }

  async begin(): Promise<void> {
    await this.reload();
    if (this.match) this.listen();
  }

  async reload(): Promise<void> {
    try {
      this.accept(await api.match(this.id, this.token));
      this.fault = null;
      if (this.shape === null && this.match?.shape === undefined) await this.loadShape();
    } catch (error) {
      this.fault = error instanceof ApiError ? error : new ApiError(0, "client", String(error));
    }
  }

  private async loadShape(): Promise<void> {
    const match = this.match;
    if (!match) return;
    try {
      this.shape = (await api.start(match.game)).shape;
    } catch {
      // Without a shape the position is a list.
    }
  }

  close(): void {
    this.#closed = true;
    this.#source?.close();
    clearTimeout(this.#retry);
  }

  listen(): void {
    this.#source?.close();
    if (this.#closed) return;
    const address = `/api/matches/${encodeURIComponent(this.id)}/events${this.token ? `?seat=${encodeURIComponent(this.token)}` : ""}`;
    const source = new EventSource(at(address));
    this.#source = source;
    const read = (handle: (data: unknown) => void) => (event: MessageEvent<string>) => {
      try {
        handle(JSON.parse(event.data));
      } catch (error) {
        console.warn("an event of the match could not be read", error);
      }
    };
    source.onopen = () => (this.connection = "live");
    source.onerror = () => {
      if (this.match?.state === "ended" || this.match?.state === "aborted") {
        source.close();
        return;
      }
      this.connection = "reconnecting";
      // The browser reconnects by itself unless the server refused.
      if (source.readyState === EventSource.CLOSED && !this.#closed) {
        this.#retry = window.setTimeout(() => void this.reload().then(() => this.listen()), 1500);
      }
    };
    source.addEventListener("match", read((data) => this.accept(data as Match)));
    source.addEventListener("end", read((data) => this.accept(data as Match)));
    source.addEventListener("step", read((data) => this.step(data as StepEvent | Match)));
    source.addEventListener("clock", read((data) => this.clocks(data as Seat[] | { seats: Seat[] })));
  }

  private clocks(data: Seat[] | { seats: Seat[] }): void {
    if (this.match === null) return;
    this.match = { ...this.match, seats: Array.isArray(data) ? data : data.seats };
    this.heard = performance.now();
  }

  private step(data: StepEvent | Match): void {
    if ("id" in data) {
      this.accept(data);
      return;
    }
    if (this.match === null) return;
    const entry = data.entry ?? data.history;
    const history = entry === undefined ? this.match.history : [...this.match.history.filter((old) => old.ply < entry.ply), entry];
    this.accept({ ...this.match, history, scene: data.scene, seats: data.seats, state: data.state ?? this.match.state, plies: data.plies ?? data.scene.ply });
  }

  accept(match: Match): void {
    const before = this.match;
    this.match = match;
    this.heard = performance.now();
    // Events leave the shape out.
    if (match.shape !== undefined && this.shape === null) this.shape = match.shape;
    if (match.clues !== undefined) this.clues = match.clues;
    const moved = before === null || before.scene.ply !== match.scene.ply;
    if (moved) {
      this.pending = {};
      this.hint = null;
      if (this.shown !== null && this.standalone) this.shown = null;
    }
    if (before !== null && (moved || before.state !== match.state)) {
      this.announce(before, match);
      if (moved && settings.sound) click(match.state === "ended");
    }
    this.changeSeat();
    if (moved && settings.evaluation) void this.evaluate();
  }

  /** With several people at one device the page follows the role to move, in games with perfect information. */
  private changeSeat(): void {
    const match = this.match;
    if (!match || this.standalone || this.hidden || match.state !== "running") return;
    if (this.mine.length > 0) return;
    const next = match.scene.waiting.find((role) => role !== this.seat && this.tokens[role] !== undefined);
    if (next === undefined) return;
    this.seat = next;
    void this.reload().then(() => this.listen());
  }

  private announce(before: Match, match: Match): void {
    const texts: string[] = [];
    for (const move of match.scene.ply > before.scene.ply ? match.scene.last : []) texts.push(`${this.roles[move.role] ?? "chance"}: ${move.label || move.text}.`);
    texts.push(status(match, this.seat, this.tokens));
    announcer.say(texts.join(" "));
  }

  private async run<T>(work: () => Promise<T>): Promise<T | null> {
    if (this.busy) return null;
    this.busy = true;
    try {
      const request = work();
      this.request = request.catch(() => null);
      return await request;
    } catch (error) {
      announcer.fault(error);
      if (error instanceof ApiError && error.status === 409) await this.reload();
      return null;
    } finally {
      this.busy = false;
    }
  }

  async play(choice: Choice): Promise<void> {
    const match = this.match;
    if (match === null) return;
    if (!this.standalone) {
      this.pending = { [choice.role]: choice };
      const answer = await this.run(() => api.move(this.id, this.tokens[choice.role] ?? this.token, { ply: match.scene.ply, move: choice.text }));
      this.answered(answer);
      return;
    }
    const pending: Record<number, Choice> = { ...this.pending, [choice.role]: choice };
    for (const { role, moves } of match.scene.legal) if (moves.length === 1 && !pending[role]) pending[role] = { ...moves[0]!, role };
    this.pending = pending;
    const missing = match.scene.legal.filter(({ role }) => !pending[role]);
    if (missing.length > 0) {
      announcer.say(`${this.roles[choice.role]}: ${choice.label} chosen. ${this.roles[missing[0]!.role]} chooses next.`);
      return;
    }
    const moves: Record<string, string> = {};
    for (const [role, move] of Object.entries(pending)) moves[this.roles[Number(role)]!] = move.text;
    const answer = await this.run(() => api.move(this.id, this.token, { ply: match.scene.ply, moves }));
    this.answered(answer);
  }

  /** The answer to a move. Events may have been faster: then it is old news. */
  private answered(answer: Match | null): void {
    if (answer === null) this.pending = {};
    else if (answer.scene.ply >= (this.match?.scene.ply ?? 0)) this.accept(answer);
  }

  async act(action: string, body: Record<string, unknown> = {}): Promise<(Match & { seats?: unknown }) | null> {
    // The event of a move may arrive before the answer to its request.
    while (this.busy) await this.request.then(() => new Promise((resolve) => setTimeout(resolve)));
    const answer = await this.run(() => api.act(this.id, action, this.token, body));
    if (answer && "scene" in answer && answer.id === this.id) {
      this.shown = null;
      this.accept(answer);
    }
    return answer;
  }

  async ask(): Promise<void> {
    const hint = await this.run(() => api.hint(this.id, this.token));
    if (hint) {
      // The move that is advised comes first, the others by their values.
      const rank = (one: MoveValue) => (one.text === hint.move ? Infinity : (one.value ?? -1));
      this.hint = { ...hint, values: [...hint.values].sort((a, b) => rank(b) - rank(a)) };
      this.value = hint.value ?? null;
      announcer.say(`Hint: ${hint.label || hint.move}`);
    }
  }

  /** The value of the position for the evaluation bar; silent where the server refuses. */
  async evaluate(): Promise<void> {
    const match = this.match;
    if (!match || match.rated || match.state !== "running" || this.mine.length === 0) return;
    try {
      const hint = await api.hint(this.id, this.token);
      if (this.match?.scene.ply === match.scene.ply) this.value = hint.value;
    } catch {
      this.value = null;
    }
  }

  /** Shows a ply. In standalone the game itself goes there; otherwise only this page looks back. */
  async show(ply: number): Promise<void> {
    const match = this.match;
    if (!match) return;
    if (this.standalone && ply > match.plies) {
      if (match.may?.redo) await this.act("redo");
      return;
    }
    const to = Math.max(0, Math.min(ply, match.plies));
    if (this.standalone) {
      if (to !== match.scene.ply) await this.act("jump", { ply: to });
      return;
    }
    if (to === match.scene.ply) {
      this.shown = null;
      this.past = null;
      return;
    }
    try {
      const scene = await api.ply(this.id, to, this.token);
      this.past = scene;
      this.shown = to;
    } catch (error) {
      announcer.fault(error);
    }
  }

  at(): number {
    return this.scene?.ply ?? 0;
  }

}

/** The name of the match's game in the catalogue; null for rules that have no name. */
export const gameOf = (match: Match): string | null => (match.game === "" || match.game.startsWith("rules-") ? null : match.game);

/** The names of all roles, chance included, by their number. */
export function roleNames(match: Match): string[] {
  if (match.roles) return match.roles;
  const names: string[] = [];
  for (const seat of match.seats) names[seat.role] = seat.name;
  return names;
}

export const seatOf = (match: Match, role: number): Seat | undefined => match.seats.find((seat) => seat.role === role);

/** The state of a match in one sentence. */
export function status(match: Match, seat: number | null, tokens: Tokens): string {
  const names = roleNames(match);
  const name = (role: number) => names[role] ?? "chance";
  const { scene } = match;
  if (match.state === "aborted") return "The match was aborted.";
  if (match.state === "paused") return "The match is paused.";
  if (match.state === "waiting") return match.queue === null ? "Waiting for the players." : `Place ${match.queue} in the queue for a search.`;
  if (match.state === "ended" || scene.terminal) {
    const scores = scene.terminal && scene.scores ? scene.scores : names.map((_, role) => seatOf(match, role)?.score ?? null);
    const list = match.seats.filter((player) => player.kind !== "chance");
    const all = list.map((player) => `${player.name} ${scores[player.role] ?? player.score ?? "–"}`).join(", ");
    if (list.length === 1) return `The end: ${all}.`;
    const best = Math.max(...list.map((player) => scores[player.role] ?? 0));
    const winners = list.filter((player) => (scores[player.role] ?? 0) === best);
    if (match.mode === "match" && seat !== null && tokens[seat] !== undefined && Object.keys(tokens).length === 1) {
      if (winners.length === list.length) return `A draw: ${all}.`;
      return winners.some((player) => player.role === seat) ? `You won: ${all}.` : `You lost: ${all}.`;
    }
    return winners.length === list.length ? `A draw: ${all}.` : `${winners.map((player) => player.name).join(" and ")} won: ${all}.`;
  }
  if (match.mode === "standalone") return `To move: ${scene.acting.map(name).join(", ")}.`;
  const own = scene.legal.filter((entry) => entry.moves.length > 0).map((entry) => entry.role);
  if (own.length > 0) return `Your move as ${own.map(name).join(", ")}.`;
  const waiting = scene.waiting.length > 0 ? scene.waiting : scene.acting;
  return `Waiting for ${waiting.map(name).join(", ") || "the next step"}.`;
}
