// Answers the API for a few games and serves the built client. Development only: `npm run mock`.

import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { extname, join, normalize } from "node:path";
import { randomUUID } from "node:crypto";
import { games } from "./games.js";

const port = Number(process.env.PORT ?? 8047);
const dist = new URL("../dist", import.meta.url).pathname;
const matches = new Map();

const gameInfo = (name) => {
  const g = games[name];
  return { name, title: g.title, summary: g.summary, tags: g.tags, players: g.roles.length, chance: !!g.chance, hidden: g.hidden,
    language: "gdl", popular: true, board: g.shape.layout };
};
const noop = (m) => m.text === "noop";

function scene(match, ply, viewer) {
  const game = games[match.game], state = match.states[ply];
  const scores = game.scores(state), over = match.state === "ended";
  const acting = scores ? [] : game.acting(state);
  const live = ply === match.states.length - 1 && match.state === "running";
  const may = (r) => match.mode === "standalone" || r === viewer;
  return { ply, terminal: !!scores, viewer, acting, cells: game.cells(state, match.mode === "standalone" ? viewer : viewer, over),
    facts: game.facts(state), scores, percepts: [], chance: null,
    legal: scores ? [] : acting.filter((r) => (live || match.mode === "standalone") && may(r)).map((role) => ({ role, moves: game.legal(state, role).filter((m) => !noop(m) || acting.length > 1) })),
    last: ply === 0 ? [] : match.joints[ply - 1].flatMap((m, role) => (noop(m) ? [] : [{ role, ...m }])),
    waiting: live ? acting.filter((r) => !match.pending.has(r)) : [] };
}

const view = (match, viewer) => ({
  id: match.id, game: match.game, title: games[match.game].title, mode: match.mode, state: match.state,
  seats: match.seats.map((s) => ({ ...s, token: undefined, score: match.state === "ended" ? games[match.game].scores(match.states.at(-1))?.[s.role] ?? null : null })),
  clocks: { start_ms: 30000, play_ms: 60000 }, rated: false, plies: match.states.length - 1,
  history: match.joints.map((joint, i) => ({ ply: i + 1, moves: joint.flatMap((m, role) => (noop(m) ? [] : [{ role, text: m.text, label: m.label }])) })),
  scene: scene(match, match.at ?? match.states.length - 1, viewer), faults: [], queue: null, created: match.created, seed_hash: "mock",
});

function emit(match, kind) {
  for (const { response, viewer } of match.listeners) {
    response.write(`id: ${++match.events}\nevent: ${kind}\ndata: ${JSON.stringify(view(match, viewer))}\n\n`);
  }
}

// Plays random games after each move and takes the best.
function think(game, state, role, tries) {
  const moves = game.legal(state, role);
  let best = moves[0], bestValue = -1;
  const values = [];
  for (const move of moves) {
    let sum = 0;
    for (let i = 0; i < tries; i++) {
      let s = state, first = true, n = 0;
      for (;;) {
        const scores = game.scores(s);
        if (scores || n++ > 200) { sum += scores ? scores[role] : 50; break; }
        const joint = game.roles.map((_, r) => {
          const legal = game.legal(s, r);
          return first && r === role ? move : legal[Math.floor(Math.random() * legal.length)];
        });
        first = false;
        s = game.next(s, joint);
      }
    }
    values.push({ ...move, value: sum / tries, share: 1 / moves.length });
    if (sum > bestValue) { bestValue = sum; best = move; }
  }
  return { best, values: values.sort((a, b) => b.value - a.value) };
}

function advance(match) {
  const game = games[match.game], state = match.states.at(-1);
  for (const r of game.roles.keys()) {
    if (match.pending.has(r)) continue;
    const legal = game.legal(state, r);
    if (legal.length === 1 && noop(legal[0])) match.pending.set(r, legal[0]);
  }
  if (match.pending.size === game.roles.length) {
    match.joints.push(game.roles.map((_, r) => match.pending.get(r)));
    match.states.push(game.next(state, match.joints.at(-1)));
    match.pending.clear();
    match.at = null;
    if (game.scores(match.states.at(-1))) match.state = "ended";
    emit(match, match.state === "ended" ? "end" : "step");
    if (match.state === "running") advance(match);
    return;
  }
  if (match.mode === "standalone") return;
  for (const seat of match.seats) {
    if (seat.kind === "person" || match.pending.has(seat.role)) continue;
    const ply = match.states.length;
    setTimeout(() => {
      if (match.states.length !== ply || match.state !== "running" || match.pending.has(seat.role)) return;
      match.pending.set(seat.role, think(game, match.states.at(-1), seat.role, seat.player === "easy" ? 4 : 60).best);
      advance(match);
    }, 350);
  }
}

function create(body) {
  const game = games[body.game];
  const id = randomUUID().slice(0, 8);
  const match = { id, game: body.game, mode: body.mode, state: "running", states: [game.start()], joints: [], pending: new Map(), at: null,
    created: new Date().toISOString(), listeners: new Set(), events: 0,
    seats: game.roles.map((name, role) => {
      const s = body.seats?.[role] ?? { kind: "person" };
      return { role, name, kind: s.kind, player: s.level ?? s.player ?? s.address ?? "you", clock_ms: 60000, connected: true, faults: 0, token: s.kind === "person" ? randomUUID() : null };
    }) };
  matches.set(id, match);
  advance(match);
  return { id, seats: match.seats.map((s) => ({ role: s.role, token: s.token })) };
}

const fail = (status, error) => Object.assign(new Error(error), { status });

async function answer(method, path, url, body, token, request, response) {
  const parts = path.split("/").slice(2);
  if (parts[0] === "games") {
    if (!parts[1]) return { games: Object.keys(games).map(gameInfo) };
    if (!games[parts[1]]) throw fail(404, `There is no game ${parts[1]}.`);
    if (parts[2] === "start") {
      const game = games[parts[1]];
      const m = { game: parts[1], mode: "standalone", state: "running", states: [game.start()], joints: [], pending: new Map() };
      return { shape: game.shape, scene: scene(m, 0, null), roles: game.roles };
    }
    return { ...gameInfo(parts[1]), description: games[parts[1]].summary, author: null, roles: games[parts[1]].roles, moves: null, rules_hash: "mock",
      facts: { length: 20 }, versions: [], rules: { prefix: "; rules\n(role x)", infix: "% rules\nrole(x)" }, shape: games[parts[1]].shape,
      levels: ["easy", "medium"], diagnostics: { errors: 0, warnings: 0 } };
  }
  if (parts[0] === "players") {
    return { players: [{ name: "uct", summary: "tree search", honest: true, parameters: {} }], remote: [],
      levels: [{ name: "easy", summary: "plays a little", iterations: 4 }, { name: "medium", summary: "plays well", iterations: 60 }] };
  }
  if (parts[0] === "matches" && !parts[1]) {
    if (method === "POST") return create(body);
    const live = url.searchParams.get("state") === "live";
    return { matches: [...matches.values()].filter((m) => (m.state === "running") === live).map((m) => view(m, null)), pages: 1 };
  }
  if (parts[0] === "matches") {
    const match = matches.get(parts[1]);
    if (!match) throw fail(404, "There is no such match.");
    const viewer = match.seats.find((s) => s.token && s.token === token)?.role ?? null;
    const game = games[match.game];
    switch (parts[2]) {
      case undefined: return view(match, viewer);
      case "plies": return { scene: scene(match, Number(parts[3]), viewer) };
      case "events": {
        response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
        const seat = match.seats.find((s) => s.token && s.token === url.searchParams.get("seat"))?.role ?? null;
        const listener = { response, viewer: seat };
        match.listeners.add(listener);
        request.on("close", () => match.listeners.delete(listener));
        response.write(`id: ${++match.events}\nevent: match\ndata: ${JSON.stringify(view(match, seat))}\n\n`);
        return undefined;
      }
      case "moves": {
        if (match.at !== null) { match.states.length = match.at + 1; match.joints.length = match.at; match.at = null; match.state = "running"; }
        if (body.ply !== match.states.length - 1) throw fail(409, "The match has moved on.");
        const moves = body.moves ?? { [viewer]: body.move };
        for (const [key, text] of Object.entries(moves)) {
          const role = game.roles.includes(key) ? game.roles.indexOf(key) : Number(key);
          const move = game.legal(match.states.at(-1), role).find((m) => m.text === text);
          if (!move) throw fail(422, `${text} is not legal.`);
          match.pending.set(role, move);
        }
        advance(match);
        return view(match, viewer);
      }
      case "undo": case "redo": case "jump": {
        const at = match.at ?? match.states.length - 1;
        if (match.mode === "match") {
          const n = Math.max(0, match.states.length - 3);
          match.states.length = n + 1; match.joints.length = n; match.state = "running";
        } else match.at = Math.max(0, Math.min(match.states.length - 1, parts[2] === "jump" ? body.ply : at + (parts[2] === "undo" ? -1 : 1)));
        emit(match, "match");
        return view(match, viewer);
      }
      case "resign": match.state = "ended"; emit(match, "end"); return view(match, viewer);
      case "abort": match.state = "aborted"; emit(match, "end"); return view(match, viewer);
      case "pause": match.state = "paused"; emit(match, "match"); return view(match, viewer);
      case "resume": match.state = "running"; emit(match, "match"); advance(match); return view(match, viewer);
      case "rematch": case "swap": {
        const seats = match.seats.map((s) => ({ kind: s.kind, level: s.player }));
        return create({ game: match.game, mode: match.mode, seats: parts[2] === "swap" ? seats.reverse() : seats });
      }
      case "hint": {
        const { best, values } = think(game, match.states.at(-1), viewer ?? 0, 40);
        return { move: best.text, label: best.label, values, value: values[0].value };
      }
      case "record": return { format: "mock", match: view(match, viewer) };
    }
  }
  if (parts[0] === "check") {
    const errors = (body.text.match(/\(/g) ?? []).length !== (body.text.match(/\)/g) ?? []).length;
    return { language: "gdl", roles: [], playable: !errors, diagnostics: errors ? [{ severity: "error", code: "unclosed", message: "This parenthesis is never closed.", help: "Add a closing parenthesis.", start: 0, end: 1, line: 1, column: 1 }] : [] };
  }
  if (parts[0] === "about") return { version: "mock", games: Object.keys(games).length };
  throw fail(404, "The mock has no such call.");
}

const types = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".woff2": "font/woff2" };

createServer(async (request, response) => {
  const url = new URL(request.url, "http://localhost");
  try {
    if (url.pathname.startsWith("/api/")) {
      let text = "";
      for await (const chunk of request) text += chunk;
      const data = await answer(request.method, url.pathname, url, text ? JSON.parse(text) : {}, request.headers["x-seat"], request, response);
      if (data === undefined) return;
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(data));
      return;
    }
    const file = join(dist, normalize(url.pathname));
    const real = extname(file) ? file : join(dist, "index.html");
    response.writeHead(200, { "content-type": types[extname(real)] ?? "application/octet-stream" }).end(await readFile(real));
  } catch (error) {
    response.writeHead(error.status ?? (error.code === "ENOENT" ? 404 : 500), { "content-type": "application/json" }).end(JSON.stringify({ error: error.message, code: "mock" }));
  }
}).listen(port, "127.0.0.1", () => process.stdout.write(`http://127.0.0.1:${port}\n`));
