// Initial positions for thumbnails, fetched once and a few at a time.

import { api } from "./api";
import type { Start } from "./types";

const known = new Map<string, Promise<Start>>();
const waiting: (() => void)[] = [];
let running = 0;

async function turn(): Promise<void> {
  if (running >= 4) await new Promise<void>((resolve) => waiting.push(resolve));
  running++;
}

function done(): void {
  running--;
  waiting.shift()?.();
}

export function start(game: string): Promise<Start> {
  let found = known.get(game);
  if (!found) {
    found = turn().then(() => api.start(game)).finally(done);
    found.catch(() => known.delete(game));
    known.set(game, found);
  }
  return found;
}
