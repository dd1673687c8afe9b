// The page's side of a sealed frame with a student's player.

import { at } from "../lib/base";
import runtimeAddress from "./runtime?worker&url";

export interface Call {
  name: "ping" | "start" | "play" | "stop" | "abort";
  role?: string;
  rules?: string;
  start?: number;
  play?: number;
  move?: string | string[] | null;
}

export class TimeOut extends Error {}

let runtime: Promise<string> | null = null;

export class Sandbox {
  private readonly frame: HTMLIFrameElement;
  private readonly calls = new Map<number, { resolve: (value: string | null) => void; reject: (error: Error) => void; timer: number }>();
  private counter = 0;
  private ready: { resolve: () => void; reject: (error: Error) => void } | null = null;
  private framed: (() => void) | null = null;

  constructor(parent: HTMLElement, private readonly log: (text: string) => void) {
    this.frame = document.createElement("iframe");
    this.frame.setAttribute("sandbox", "allow-scripts");
    this.frame.title = "The sealed frame of the player";
    this.frame.hidden = true;
    addEventListener("message", this.hear);
    this.frame.src = at("/sandbox.html");
    parent.append(this.frame);
  }

  private readonly hear = (event: MessageEvent<{ kind: string; id?: number; value?: string | null; fault?: string; text?: string; message?: string; line?: number }>): void => {
    if (event.source !== this.frame.contentWindow) return;
    const data = event.data;
    if (data.kind === "frame") this.framed?.();
    else if (data.kind === "loaded") this.ready?.resolve();
    else if (data.kind === "log") this.log(String(data.text).slice(0, 2000));
    else if (data.kind === "fault") {
      const error = new Error(`${data.message}`);
      this.ready?.reject(error);
      for (const call of this.calls.values()) call.reject(error);
      this.log(error.message);
    } else if (data.kind === "answer") {
      const call = this.calls.get(data.id ?? -1);
      if (!call) return;
      clearTimeout(call.timer);
      this.calls.delete(data.id!);
      if (data.fault !== undefined) call.reject(new Error(data.fault));
      else call.resolve(data.value ?? null);
    }
  };

  /** Starts the player's text in a new worker. */
  async load(player: string): Promise<void> {
    runtime ??= fetch(runtimeAddress).then((answer) => answer.text());
    const text = await runtime;
    if (!this.frame.contentWindow) throw new Error("The sealed frame could not be created.");
    await new Promise<void>((resolve, reject) => {
      const timer = window.setTimeout(() => reject(new TimeOut("The player did not start within ten seconds.")), 10_000);
      this.ready = { resolve: () => (clearTimeout(timer), resolve()), reject: (error) => (clearTimeout(timer), reject(error)) };
      const post = () => this.frame.contentWindow!.postMessage({ kind: "load", runtime: text, player }, "*");
      // The frame reports when it listens; if it has done so already, it hears us at once.
      this.framed = post;
      post();
    });
    this.framed = null;
  }

  /** Asks the player. After `ms` milliseconds its worker is ended. */
  call(call: Call, ms: number): Promise<string | null> {
    return new Promise((resolve, reject) => {
      const id = ++this.counter;
      const timer = window.setTimeout(() => {
        this.calls.delete(id);
        this.frame.contentWindow?.postMessage({ kind: "end" }, "*");
        reject(new TimeOut(`The player did not answer ${call.name} within ${(ms / 1000).toFixed(1)} s and was stopped.`));
      }, ms);
      this.calls.set(id, { resolve, reject, timer });
      this.frame.contentWindow?.postMessage({ kind: "call", id, ...call }, "*");
    });
  }

  close(): void {
    removeEventListener("message", this.hear);
    for (const call of this.calls.values()) clearTimeout(call.timer);
    this.frame.remove();
  }
}
