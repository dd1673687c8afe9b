// A contact sheet: pictures of games through the real pages, each with five questions that a reader
// of the picture alone should be able to answer.
//
//   node e2e/sheet.js OUT ADDRESS [GAME|FILE...]
//
// Without names it draws every game of the catalogue. A name with a slash or a dot is a file of rules.
// OUT gets a picture per game, `index.html`, `sheet.json` and contact pages `sheet-01.png`, ...

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { basename } from "node:path";
import { launch } from "./browser.js";

const [out, address, ...names] = process.argv.slice(2);
const PLIES = Number(process.env.PLIES ?? 8);
await mkdir(out, { recursive: true });

async function call(method, path, body, seat) {
  const response = await fetch(address + path, { method, headers: { "content-type": "application/json", ...(seat ? { "x-seat": seat } : {}) }, body: body && JSON.stringify(body) });
  const data = await response.json();
  if (!response.ok) throw new Error(`${response.status} ${data.error}`);
  return data;
}

/** Random numbers that are the same in every run. */
function generator(text) {
  let state = 2166136261;
  for (const letter of text) state = Math.imul(state ^ letter.charCodeAt(0), 16777619);
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const series = (list) => (list.length === 0 ? "none" : list.join(", "));

/** Five questions with answers: what stands where, who moves, which cells are neighbours. */
function questions(match, random) {
  const { scene, shape, roles } = match;
  const list = [];
  const ask = (question, answer) => list.push({ question, answer });
  const acting = scene.acting.map((role) => roles[role]);
  const mover = ["Who is to move?", scene.terminal ? "no one: the game is over" : series(acting)];
  if (!shape || !scene.cells) {
    ask(...mover);
    for (const fact of scene.facts) {
      if (fact.kind !== "owner") ask(`What does the picture say about ${fact.name || "the position"}?`, fact.text || fact.label);
      for (const group of fact.kind === "owner" ? fact.groups ?? [] : []) {
        const whose = `the ${group.name} of ${fact.name}`;
        if (group.hidden > 0) ask(`How many cards are in ${whose}?`, group.hidden + group.items.length);
        else ask(`Which cards are in ${whose}?`, series(group.items.map((item) => item.piece.label)));
      }
      for (const [key, value] of fact.kind === "owner" ? fact.entries ?? [] : []) ask(`What is the ${key} of ${fact.name}?`, value);
    }
    while (list.length > 5) list.splice(1 + random(list.length - 1), 1);
    return list;
  }
  const several = shape.boards.length > 1;
  const cellName = (index) => `${shape.cells[index].name}${several ? ` of ${shape.boards[shape.cells[index].board] || `board ${shape.cells[index].board + 1}`}` : ""}`;
  const value = (index) => scene.values?.[scene.cells[index]]?.name ?? shape.values[scene.cells[index]] ?? "";
  const all = shape.cells.map((_, index) => index);
  const pick = (from) => from[random(from.length)];
  const full = all.filter((index) => scene.cells[index] !== 0 && scene.cells[index] !== null);
  const empty = all.filter((index) => scene.cells[index] === 0);
  const stands = (index) => ask(`What stands at ${cellName(index)}?`, value(index) || "nothing");
  if (full.length > 0) stands(pick(full));
  if (full.length > 1) stands(pick(full));
  if (empty.length > 0) stands(pick(empty));
  const counts = new Map();
  for (const index of full) counts.set(value(index), [...(counts.get(value(index)) ?? []), index]);
  const rare = [...counts].filter(([, cells]) => cells.length <= 3);
  if (rare.length > 0) {
    const [name, cells] = pick(rare);
    ask(`Where does ${name} stand?`, series(cells.map(cellName)));
  }
  ask(...mover);
  const beside = pick(all);
  ask(`Which cells are next to ${cellName(beside)}?`, series((shape.neighbours?.[beside] ?? []).map(cellName)));
  return list.slice(-5);
}

async function position(entry) {
  const random = generator(entry.name);
  const order = entry.rules ? { rules: entry.rules } : { game: entry.name };
  const made = await call("POST", "/api/matches", { ...order, mode: "standalone", seats: [], seed: 7 });
  const token = made.owner;
  let match = await call("GET", `/api/matches/${made.id}`, undefined, token);
  const shape = match.shape;
  for (let ply = 0; ply < PLIES && match.scene.legal.length > 0; ply++) {
    const moves = Object.fromEntries(match.scene.legal.map(({ role, moves }) => [match.roles[role], moves[random(moves.length)].text]));
    match = await call("POST", `/api/matches/${made.id}/moves`, { ply: match.plies, moves }, token);
  }
  if (match.scene.terminal && match.plies > 1) match = await call("POST", `/api/matches/${made.id}/undo`, {}, token);
  return { id: made.id, token, match: { ...match, shape }, random };
}

const CSS = `header, footer, .crumbs, section[aria-label="Moves"], .status .row, details.list, .actions, .seat { display: none !important; } .page { padding: 0.5rem !important; } .table { --board-height: 30rem !important; } .match { grid-template-columns: minmax(0, 1fr) 17rem !important; }`;

const entries = [];
if (names.length === 0) for (const game of (await call("GET", "/api/games?all=1")).games) entries.push({ name: game.name, title: game.title });
for (const name of names) {
  if (/[/.]/.test(name)) entries.push({ name: basename(name).replace(/\.\w+$/, ""), title: basename(name), rules: await readFile(name, "utf8") });
  else entries.push({ name, title: name });
}

const browser = await launch();
const page = await browser.newPage({ viewport: { width: 900, height: 720 }, reducedMotion: "reduce" });
const done = [];
for (const entry of entries) {
  const one = { name: entry.name, title: entry.title };
  try {
    const { id, token, match, random } = await position(entry);
    one.board = match.shape && match.scene.cells ? match.shape.layout : null;
    one.cells = match.shape?.cells.length ?? 0;
    one.panels = match.shape?.boards.length ?? 0;
    one.facts = match.scene.facts.map((fact) => `${fact.kind ?? ""} ${fact.name}`.trim());
    one.questions = questions(match, random);
    await page.goto(`${address}/about`);
    await page.evaluate(([key, value]) => localStorage.setItem(key, value), [`magister.seat.${id}`, JSON.stringify({ 0: token, owner: token })]);
    await page.goto(`${address}/match/${id}`);
    await page.addStyleTag({ content: CSS });
    await page.locator(".status .line").waitFor({ timeout: 20_000 });
    await page.waitForTimeout(80);
    await page.locator(".match").screenshot({ path: `${out}/${entry.name.replace(/[^\w.-]/g, "_")}.png` });
    // Matches that run count against the quota of this address.
    await call("POST", `/api/matches/${id}/abort`, {}, token).catch(() => {});
    one.picture = `${entry.name.replace(/[^\w.-]/g, "_")}.png`;
  } catch (error) {
    one.fault = String(error.message ?? error).split("\n")[0];
  }
  done.push(one);
  process.stdout.write(`${one.name}: ${one.fault ?? one.board ?? "list only"}\n`);
}
await writeFile(`${out}/sheet.json`, JSON.stringify(done, null, 1));

const escape = (text) => String(text).replace(/[&<>"]/g, (letter) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[letter]);
const figure = (one) => `<figure><figcaption><b>${escape(one.title)}</b> ${escape(one.fault ?? `${one.board ?? "list only"}, ${one.cells} cells${one.panels > 1 ? `, ${one.panels} boards` : ""}`)}</figcaption>${one.picture ? `<img src="${one.picture}" alt="">` : ""}<ol>${(one.questions ?? []).map(({ question, answer }) => `<li>${escape(question)} <i>${escape(answer)}</i></li>`).join("")}</ol></figure>`;
const style = `<meta charset="utf-8"><style>body{font:13px/1.35 sans-serif;margin:8px;display:grid;grid-template-columns:repeat(4,1fr);gap:10px;align-items:start}figure{margin:0;border:1px solid #bbb;padding:6px;overflow-wrap:anywhere}img{width:100%;max-height:330px;object-fit:contain;object-position:left top}ol{margin:4px 0 0;padding-left:18px}i{color:#17624a}</style>`;
await writeFile(`${out}/index.html`, `<!doctype html><title>Contact sheet</title>${style}${done.map(figure).join("\n")}`);
const sheet = await browser.newPage({ viewport: { width: 1600, height: 1000 } });
const PER = 12;
for (let at = 0; at < done.length; at += PER) {
  await writeFile(`${out}/part.html`, `<!doctype html>${style}${done.slice(at, at + PER).map(figure).join("\n")}`);
  await sheet.goto(new URL(`${out}/part.html`, `file://${process.cwd()}/`).href);
  await sheet.screenshot({ path: `${out}/sheet-${String(at / PER + 1).padStart(2, "0")}.png`, fullPage: true });
}
await browser.close();
const count = (test) => done.filter(test).length;
process.stdout.write(`${done.length} games: ${count((one) => one.board)} with a board, ${count((one) => !one.fault && !one.board)} as a list, ${count((one) => one.fault)} with a fault\n`);
