// Addresses and pages. Links are ordinary links; clicks on them are handled here without a reload.

import { at, within } from "./base";
import type { Component } from "svelte";

type Page = Component<{ params: Record<string, string> }>;

interface Route {
  pattern: RegExp;
  names: string[];
  load: () => Promise<{ default: Page }>;
}

function route(path: string, load: () => Promise<unknown>): Route {
  const names: string[] = [];
  const pattern = path.replace(/:(\w+)/g, (_, name: string) => {
    names.push(name);
    return "([^/]+)";
  });
  return { pattern: new RegExp(`^${pattern}/?$`), names, load: load as Route["load"] };
}

const routes: Route[] = [
  route("/", () => import("../pages/Front.svelte")),
  route("/games", () => import("../pages/Games.svelte")),
  route("/games/:name", () => import("../pages/Game.svelte")),
  route("/play/:name", () => import("../pages/Play.svelte")),
  route("/standalone/:name", () => import("../pages/Standalone.svelte")),
  route("/match/:id", () => import("../pages/MatchPage.svelte")),
  route("/matches", () => import("../pages/Matches.svelte")),
  route("/manager", () => import("../pages/Manager.svelte")),
  route("/players", () => import("../pages/Players.svelte")),
  route("/leaderboard", () => import("../pages/Leaderboard.svelte")),
  route("/tournaments", () => import("../pages/Tournaments.svelte")),
  route("/tournaments/:id", () => import("../pages/Tournament.svelte")),
  route("/check", () => import("../pages/Check.svelte")),
  route("/analysis", () => import("../pages/Analysis.svelte")),
  route("/analysis/:name", () => import("../pages/Analysis.svelte")),
  route("/style/:name", () => import("../pages/Style.svelte")),
  route("/metagame", () => import("../pages/Metagame.svelte")),
  route("/metagame/:name", () => import("../pages/Metagame.svelte")),
  route("/puzzles", () => import("../pages/Puzzles.svelte")),
  route("/puzzles/:id", () => import("../pages/Puzzles.svelte")),
  route("/student", () => import("../pages/Student.svelte")),
  route("/training", () => import("../pages/Training.svelte")),
  route("/training/:id", () => import("../pages/TrainingRun.svelte")),
  route("/help", () => import("../pages/Help.svelte")),
  route("/help/:topic", () => import("../pages/Help.svelte")),
  route("/about", () => import("../pages/About.svelte")),
  route("/signin", () => import("../pages/SignIn.svelte")),
  route("/account", () => import("../pages/Account.svelte")),
  route("/admin", () => import("../pages/Admin.svelte")),
  route("/api", () => import("../pages/Api.svelte")),
];

class Router {
  path = $state(within(location.pathname) ?? "/");
  search = $state(location.search);
  hash = $state(location.hash);
  page = $state.raw<Page | null>(null);
  params = $state.raw<Record<string, string>>({});
  /** The address of the page that is shown; `path` may be ahead of it while a page loads. */
  shown = $state("");
  state = $state<"loading" | "ready" | "missing" | "failed">("loading");
  #wanted = 0;

  begin(): void {
    addEventListener("popstate", () => this.#read());
    document.addEventListener("click", (event) => this.#click(event));
    this.#read();
  }

  /** Goes to an address of this site. */
  go(address: string, replace = false): void {
    if (replace) history.replaceState(null, "", at(address));
    else history.pushState(null, "", at(address));
    const before = this.path;
    this.#read();
    if (before !== this.path) scrollTo(0, 0);
  }

  /** Changes the part after `#` without a new page and without a new entry in the history. */
  mark(hash: string): void {
    history.replaceState(null, "", location.pathname + location.search + hash);
    this.hash = hash;
  }

  #click(event: MouseEvent): void {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = (event.target as Element | null)?.closest?.("a");
    if (!(link instanceof HTMLAnchorElement) || link.target || link.hasAttribute("download")) return;
    if (link.origin !== location.origin || link.dataset.plain !== undefined) return;
    const path = within(link.pathname);
    if (path === null || path.startsWith("/api/") || path.startsWith("/plain")) return;
    if (link.pathname === location.pathname && link.hash !== "") return;
    event.preventDefault();
    this.go(path + link.search + link.hash);
  }

  #read(): void {
    const path = within(location.pathname) ?? location.pathname;
    this.search = location.search;
    this.hash = location.hash;
    const same = path === this.path && this.page !== null;
    this.path = path;
    if (same) return;
    const wanted = ++this.#wanted;
    for (const candidate of routes) {
      const found = candidate.pattern.exec(path);
      if (found === null) continue;
      const params: Record<string, string> = {};
      try {
        candidate.names.forEach((name, index) => (params[name] = decodeURIComponent(found[index + 1] ?? "")));
      } catch {
        break;
      }
      this.state = this.page === null ? "loading" : this.state;
      candidate.load().then(
        (module) => {
          if (wanted !== this.#wanted) return;
          this.params = params;
          this.shown = path;
          this.page = module.default;
          this.state = "ready";
        },
        () => {
          if (wanted === this.#wanted) this.state = "failed";
        },
      );
      return;
    }
    this.page = null;
    this.state = "missing";
    document.title = "Not found · Magister";
  }
}

export const router = new Router();

/** Sets the title of the page as it appears in tabs and in the history. */
export function title(text: string): void {
  document.title = text === "" ? "Magister" : `${text} · Magister`;
}
