// The live region for screen readers, and short messages that everyone sees.

class Announcer {
  polite = $state("");
  notice = $state<{ text: string; bad: boolean; signIn: boolean } | null>(null);
  #timer = 0;

  /** Read aloud, not shown. */
  say(text: string): void {
    this.polite = "";
    queueMicrotask(() => (this.polite = text));
  }

  /** Shown for some seconds and read aloud. */
  show(text: string, bad = false, signIn = false): void {
    this.notice = { text, bad, signIn };
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => (this.notice = null), bad ? 9000 : 5000);
  }

  fault(error: unknown): void {
    const signIn = (error as { code?: string } | null)?.code === "sign-in";
    this.show(error instanceof Error ? error.message : String(error), true, signIn);
  }
}

export const announcer = new Announcer();
