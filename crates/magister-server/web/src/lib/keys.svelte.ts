// Keyboard shortcuts. A page registers its own; the overlay behind `?` lists what is registered.

import { untrack } from "svelte";

export interface Shortcut {
  keys: string[];
  label: string;
  run: () => void;
}

class Shortcuts {
  groups = $state.raw<{ name: string; list: Shortcut[] }[]>([]);
  open = $state(false);
  #pending = "";
  #timer = 0;

  /** Adds shortcuts until the returned function is called. */
  add(name: string, list: Shortcut[]): () => void {
    const group = { name, list };
    // Callers are effects, which must not depend on the list that they extend.
    untrack(() => (this.groups = [...this.groups, group]));
    return () => untrack(() => (this.groups = this.groups.filter((other) => other !== group)));
  }

  handle(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const target = event.target as HTMLElement | null;
    if (target?.closest("input, textarea, select, [contenteditable], dialog[open]")) return;
    // Buttons and links have their own use of these keys.
    if ((event.key === " " || event.key === "Enter") && target?.closest("button, a, summary")) return;
    const key = this.#pending === "" ? event.key : `${this.#pending} ${event.key}`;
    clearTimeout(this.#timer);
    this.#pending = "";
    for (const group of [...this.groups].reverse()) {
      for (const shortcut of group.list) {
        if (shortcut.keys.includes(key)) {
          event.preventDefault();
          shortcut.run();
          return;
        }
      }
    }
    // `g` begins a sequence such as `g m`.
    if (event.key === "g") {
      this.#pending = "g";
      this.#timer = window.setTimeout(() => (this.#pending = ""), 1200);
    }
  }
}

export const shortcuts = new Shortcuts();

const names: Record<string, string> = { ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", " ": "space", Escape: "Esc" };

export function keyName(key: string): string {
  return key.split(" ").length === 2 && key !== " " ? key.split(" ").map((part) => names[part] ?? part).join(" ") : (names[key] ?? key);
}
