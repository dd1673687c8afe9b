import { check, test } from "./harness.js";

test("live-match-is-watched", async (bench) => {
  const created = await bench.api("POST", "/api/matches", { game: "connect-four", mode: "match", seats: [{ kind: "level", level: "easy" }, { kind: "level", level: "easy" }], play_ms: 5000 });
  const page = await bench.page();
  await page.goto(`/match/${created.id}`);
  await page.locator(".status .line").waitFor();
  // Moves arrive without a reload, until the end.
  await page.waitForFunction(() => /won|draw/.test(document.querySelector(".status .line")?.textContent ?? ""), undefined, { timeout: 120_000 });
  const plies = await page.locator("li[data-ply]").count();
  check(plies >= 7, `${plies} moves are listed`);
  // Stepping changes the address, and the address shows the ply.
  await page.getByRole("button", { name: "First position" }).click();
  await page.waitForFunction(() => location.hash === "#0");
  await page.locator("body").press("ArrowRight");
  await page.waitForFunction(() => location.hash === "#1");
  const other = await bench.page();
  await other.goto(`/match/${created.id}#3`);
  await other.locator('[data-ply="3"].here').waitFor();
  await other.waitForFunction(() => document.querySelectorAll(".mover").length === 3);
  const [file] = await Promise.all([other.waitForEvent("download"), other.getByRole("button", { name: "Download" }).click()]);
  check(file.suggestedFilename().endsWith(".json"), "the record is a file");
});

test("reconnects-without-loss", async (bench) => {
  const page = await bench.page();
  await page.goto("/standalone/tictactoe");
  await page.waitForURL(/\/match\//);
  await page.locator("[data-cell].target").first().click();
  await page.locator('[data-ply="1"].here').waitFor();
  const id = new URL(page.url()).pathname.split("/").pop();
  const token = Object.values(JSON.parse(await page.evaluate((key) => localStorage.getItem(key), `magister.seat.${id}`)))[0];
  await page.context().setOffline(true);
  const match = await bench.api("GET", `/api/matches/${id}`, undefined, token);
  const moves = Object.fromEntries(match.scene.legal.map((entry) => [match.roles[entry.role], entry.moves[0].text]));
  await bench.api("POST", `/api/matches/${id}/moves`, { ply: 1, moves }, token);
  await page.context().setOffline(false);
  await page.locator('[data-ply="2"]').waitFor();
  bench.faults = bench.faults.filter((fault) => !/ERR_INTERNET_DISCONNECTED|ERR_NETWORK/.test(fault));
});

/** Asks the program that runs the tests to kill the server and to start it again. */
async function restart() {
  process.stdout.write("RESTART\n");
  await new Promise((resolve) => process.stdin.once("data", resolve));
  process.stdin.pause();
}

test("server-is-restarted", async (bench) => {
  const page = await bench.page();
  await page.goto("/play/tictactoe");
  await page.getByRole("button", { name: "Start the match" }).click();
  await page.waitForURL(/\/match\//);
  const mine = () => page.waitForFunction(() => /Your move|won|lost|draw/i.test(document.querySelector(".status .line")?.textContent ?? ""));
  const move = async () => {
    const before = await page.locator("li[data-ply]").count();
    await page.locator("[data-cell].target:not([aria-disabled])").first().click();
    await page.waitForFunction((count) => document.querySelectorAll("li[data-ply]").length > count, before);
    await mine();
  };
  await mine();
  await move();
  const history = await page.locator("li[data-ply]").allTextContents();
  // A second page watches, and a match between programs runs.
  const watcher = await bench.page();
  const other = await bench.api("POST", "/api/matches", { game: "connect-four", mode: "match", seats: [{ kind: "player", player: "uct" }, { kind: "player", player: "uct" }], play_ms: 700 });
  await watcher.goto(`/match/${other.id}`);
  await watcher.locator('[data-ply="2"]').waitFor();
  await restart();
  // The match of the person is where it was, and goes on without a reload.
  const after = await page.locator("li[data-ply]").allTextContents();
  check(after.join() === history.join(), `the history was ${history}, then ${after}`);
  await page.waitForFunction(() => !/Reconnecting/.test(document.body.innerText));
  await move();
  // The watched match goes on by itself.
  const seen = await watcher.locator("li[data-ply]").count();
  await watcher.waitForFunction((count) => document.querySelectorAll("li[data-ply]").length > count, seen);
  bench.faults = bench.faults.filter((fault) => !/ERR_CONNECTION|ERR_INCOMPLETE|ERR_EMPTY|ERR_NETWORK|Failed to load resource/.test(fault));
});

test("tournament-to-its-table", async (bench) => {
  const page = await bench.page();
  await page.goto("/tournaments");
  await page.getByLabel("Seconds per move").fill("0.2");
  await page.getByRole("button", { name: "Start" }).click();
  await page.waitForURL(/\/tournaments\/.+/);
  await page.getByRole("heading", { name: "Cross table" }).waitFor();
  await page.waitForFunction(() => { const bar = document.querySelector("progress"); return bar && bar.value === bar.max; }, undefined, { timeout: 120_000 });
  check((await page.locator("table.cross tbody tr").count()) === 2, "the table has a row for each player");
});

test("manager-runs-a-match", async (bench) => {
  const page = await bench.page();
  await page.goto("/manager?game=tictactoe");
  await page.getByRole("button", { name: "Begin" }).click();
  await page.getByRole("heading", { name: "Transcript" }).waitFor();
  await page.waitForFunction(() => /won|draw/.test(document.querySelector("strong.line")?.textContent ?? ""), undefined, { timeout: 120_000 });
  check((await page.locator(".log li").count()) >= 5, "the transcript lists the moves");
});
