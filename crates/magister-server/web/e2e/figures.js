// Figures of a site: `node e2e/figures.js ADDRESS SPECTATORS MOVES PID`. Fails if a figure is too large.
//
// How long the first page takes until its board can be clicked, and what a match at one move per
// second costs with spectators: the processor time of the server process with this id.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import http from "node:http";
import { launch } from "./browser.js";

const [address, spectators, moves, pid] = process.argv.slice(2);
const say = (text) => process.stdout.write(`${text}\n`);
const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];

async function call(method, path, body, seat) {
  const response = await fetch(address + path, { method, headers: { "content-type": "application/json", ...(seat ? { "x-seat": seat } : {}) }, body: body && JSON.stringify(body) });
  const data = await response.json();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${data.error}`);
  return data;
}

/** The time until a column of the board on the first page can be clicked, with an empty cache. */
async function firstPage() {
  const browser = await launch();
  const times = [];
  for (let round = 0; round < 7; round++) {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.addInitScript(() => {
      const look = () => {
        if (document.querySelector("[data-cell].target")) window.ready = performance.now();
        else requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    });
    await page.goto(address);
    await page.waitForFunction(() => window.ready);
    times.push(await page.evaluate(() => window.ready));
    await context.close();
  }
  await browser.close();
  return times;
}

/** The processor time that the server has used, in seconds. */
function used() {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) / Number(execFileSync("getconf", ["CLK_TCK"]));
}

async function watched() {
  const made = await call("POST", "/api/matches", { game: "connect-four", mode: "match", seats: [{ kind: "person" }, { kind: "person" }] });
  const path = `/api/matches/${made.id}`;
  let events = 0;
  const open = Array.from({ length: Number(spectators) }, () => new Promise((resolve, reject) => {
    const request = http.get(`${address}${path}/events`, { agent: false }, (response) => {
      response.setEncoding("utf8");
      response.on("data", (text) => (events += text.split("event: step").length - 1));
      resolve(request);
    });
    request.on("error", (error) => (request.destroyed ? null : reject(error)));
  }));
  const requests = await Promise.all(open);
  await new Promise((resolve) => setTimeout(resolve, 1000));
  const [cpu, begun] = [used(), performance.now()];
  let match = await call("GET", path, undefined, made.seats[0].token);
  let played = 0;
  for (let ply = 0; ply < Number(moves); ply++) {
    const token = made.seats[match.scene.acting[0]]?.token;
    const own = await call("GET", path, undefined, token);
    if (own.state !== "running") break;
    const choices = own.scene.legal[0].moves;
    match = await call("POST", `${path}/moves`, { ply, move: choices[(ply * 3) % choices.length].text }, token);
    played++;
    if (match.state !== "running") break;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, begun + (ply + 1) * 1000 - performance.now())));
  }
  const seconds = (performance.now() - begun) / 1000;
  const share = ((used() - cpu) / seconds) * 100;
  for (const request of requests) request.destroy();
  return { share, events, moves: played, seconds };
}

const times = await firstPage();
say(`first page: its board can be clicked after ${median(times).toFixed(0)} ms (median of ${times.length}; ${times.map((one) => one.toFixed(0)).join(", ")})`);
const { share, events, moves: count, seconds } = await watched();
say(`${spectators} spectators: ${count} moves in ${seconds.toFixed(1)} s, ${events} step events received, ${share.toFixed(2)} % of one core`);
const complete = events === count * Number(spectators);
say(complete ? "every spectator received every move" : `events are missing: ${count * Number(spectators)} were expected`);
process.exit(median(times) < 1000 && share < 5 && complete ? 0 : 1);
