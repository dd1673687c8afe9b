// Small texts.

import type { Strength, TrainedPlayer } from "./types";

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}

/** A clock: minutes and seconds, with tenths below ten seconds. */
export function clock(ms: number): string {
  if (!Number.isFinite(ms)) return "∞";
  const rest = Math.max(0, ms);
  if (rest < 10_000) return (Math.floor(rest / 100) / 10).toFixed(1);
  const seconds = Math.floor(rest / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

export function when(time: string | number | null | undefined): string {
  if (time === null || time === undefined || time === "") return "";
  const date = typeof time === "number" ? new Date(time < 1e12 ? time * 1000 : time) : new Date(time);
  if (Number.isNaN(date.getTime())) return String(time);
  const minutes = (Date.now() - date.getTime()) / 60_000;
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${plural(Math.floor(minutes), "minute")} ago`;
  if (minutes < 24 * 60) return `${plural(Math.floor(minutes / 60), "hour")} ago`;
  return date.toLocaleDateString("en", { day: "numeric", month: "short", year: "numeric" });
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A list in words: "a, b and c". */
export function series(items: string[]): string {
  if (items.length < 2) return items.join("");
  return `${items.slice(0, -1).join(", ")} and ${items[items.length - 1]}`;
}

/** A name of the rules for reading: `dots-and-boxes` or `knight_king` without its marks. */
export function words(name: string): string {
  return name.replace(/[_-]+/g, " ").trim();
}

/** A size in bytes for reading. */
export function bytes(count: number): string {
  if (count < 1000) return plural(count, "byte");
  return count < 1e6 ? `${(count / 1000).toFixed(1)} kB` : `${(count / 1e6).toFixed(1)} MB`;
}

/** What a trained player has learned, and its strength as far as it was measured. */
export function learned(one: TrainedPlayer | undefined): string {
  if (!one) return "";
  const share = (part: Strength) => `${Math.round(100 * part.points)} % of the points against ${part.against}`;
  const games = `learned from ${plural(one.games, "game")}`;
  return one.strengths.length > 0 ? `${games}; ${series(one.strengths.map(share))}` : games;
}

/** Hands a text to the person as a file. */
export function download(file: string, text: string, type = "application/json"): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = file;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
