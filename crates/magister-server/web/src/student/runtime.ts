// What a student's player finds in its worker: the library as global functions, and the protocol.
// Runs before the player's own text; that text defines ping, start, play, stop and abort.

import * as library from "../gdl/library";
import { NIL, type Term } from "../gdl/terms";

interface Call {
  kind: "call";
  id: number;
  name: "ping" | "start" | "play" | "stop" | "abort";
  role?: string;
  rules?: string;
  start?: number;
  play?: number;
  move?: string | string[] | null;
}

type Handlers = Record<string, ((...args: unknown[]) => unknown) | undefined>;

const scope = self as unknown as Handlers & { magisterReady: () => void; log: (...parts: unknown[]) => void };
const send = (message: unknown) => (self as unknown as { postMessage: (data: unknown) => void }).postMessage(message);

Object.assign(self, library, {
  nil: NIL,
  log: (...parts: unknown[]) => send({ kind: "log", text: parts.map((part) => (typeof part === "string" ? part : safe(part))).join(" ") }),
});
(self as unknown as { console: unknown }).console = { log: scope.log, warn: scope.log, error: scope.log, info: scope.log, debug: scope.log };

function safe(value: unknown): string {
  try {
    return library.grind(value as Term);
  } catch {
    try {
      return JSON.stringify(value);
    } catch {
      return String(value);
    }
  }
}

const read = (move: string): Term => library.read(move);

function answer(call: Call): unknown {
  const handler = scope[call.name];
  if (typeof handler !== "function") {
    if (call.name === "play") throw new Error("The player has no function play(move).");
    return "ready";
  }
  switch (call.name) {
    case "start": return handler(call.role, library.readRules(call.rules ?? ""), call.start, call.play);
    case "play": case "stop": {
      const move = call.move === null || call.move === undefined ? NIL : Array.isArray(call.move) ? call.move.map(read) : read(call.move);
      return handler(move);
    }
    default: return handler();
  }
}

// Players define these names themselves; the protocol keeps its own listener.
self.addEventListener("message", (event: MessageEvent<Call>) => {
  const call = event.data;
  if (call?.kind !== "call") return;
  try {
    const value = answer(call);
    const nothing = value === undefined || value === null || value === false || value === NIL;
    send({ kind: "answer", id: call.id, value: nothing ? null : library.grind(value as Term) });
  } catch (error) {
    send({ kind: "answer", id: call.id, fault: error instanceof Error ? error.message : String(error) });
  }
});
scope.magisterReady = () => send({ kind: "loaded" });
