import { check, test } from "./harness.js";

const cell = (page, name) => page.locator(`[data-cell][aria-label^="${name}:"]`);
const line = (page) => page.locator(".status .line");

async function begin(page, game, level = "") {
  await page.goto(`/play/${game}`);
  if (level) await page.getByText(level, { exact: true }).first().click();
  await page.getByRole("button", { name: "Start the match" }).click();
  await page.waitForURL(/\/match\//);
  await line(page).waitFor();
}

/** Clicks targets until the match is over. */
async function finish(page, turns) {
  for (let turn = 0; turn < turns; turn++) {
    await page.waitForFunction(() => /Your move|won|lost|draw|end/i.test(document.querySelector(".status .line")?.textContent ?? ""));
    if (!/Your move/.test(await line(page).textContent())) return;
    const before = await page.locator("li[data-ply]").count();
    await page.locator("[data-cell].target:not([aria-disabled])").first().click();
    await page.waitForFunction((count) => document.querySelectorAll("li[data-ply]").length > count, before);
  }
}

test("tictactoe-by-clicking", async (bench) => {
  const page = await bench.page();
  await begin(page, "tictactoe");
  await finish(page, 9);
  const text = await line(page).textContent();
  check(/You won|You lost|draw/.test(text), `the end says: ${text}`);
  const old = new URL(page.url()).pathname;
  await page.getByRole("button", { name: "Rematch" }).click();
  await page.waitForFunction((path) => location.pathname !== path, old);
  await line(page).waitFor();
});

test("connect-four-on-the-front-page", async (bench) => {
  const page = await bench.page();
  await page.goto("/");
  await page.locator("[data-cell].target").first().waitFor();
  await page.locator("[data-cell].target").nth(3).click();
  await page.locator("a", { hasText: "Open the match" }).waitFor();
  // The own disc and the answer of the machine.
  await page.waitForFunction(() => document.querySelectorAll(".hero .mover").length >= 2);
  await page.locator("[data-cell].target").first().click();
  await page.waitForFunction(() => document.querySelectorAll(".hero .mover").length >= 4);
});

test("connect-four-to-the-end", async (bench) => {
  const page = await bench.page();
  await begin(page, "connect-four");
  await finish(page, 42);
  check(/You won|You lost|draw/.test(await line(page).textContent()), "the match ends");
});

test("breakthrough-by-dragging", async (bench) => {
  const page = await bench.page();
  await page.goto("/standalone/breakthrough");
  await page.waitForURL(/\/match\//);
  const source = page.locator("[data-cell].source").first();
  await source.waitFor();
  const from = await source.boundingBox();
  await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2);
  await page.mouse.down();
  await page.mouse.move(from.x + from.width / 2 + 3, from.y + from.height / 2 + 3);
  check((await page.locator(".carried").count()) === 0, "a small movement is not a drag");
  await page.mouse.move(from.x + from.width / 2 + 20, from.y + from.height / 2 - 20, { steps: 4 });
  await page.locator(".carried").waitFor();
  const target = await page.locator("[data-cell].target").first().boundingBox();
  await page.mouse.move(target.x + target.width / 2, target.y + target.height / 2, { steps: 6 });
  await page.mouse.up();
  await page.locator('[data-ply="1"]').waitFor();
  check((await page.locator(".last").count()) >= 2, "both ends of the move are marked");
  // Dropping a piece where it cannot go changes nothing.
  const next = page.locator("[data-cell].source").first();
  const piece = await next.boundingBox();
  await page.mouse.move(piece.x + 20, piece.y + 20);
  await page.mouse.down();
  await page.mouse.move(piece.x + 60, piece.y + 40, { steps: 4 });
  await page.mouse.move(piece.x + 20, piece.y - 4, { steps: 2 });
  await page.mouse.move(5, 400, { steps: 2 });
  await page.mouse.up();
  check((await page.locator('[data-ply="2"]').count()) === 0, "an illegal drop is not a move");
});

test("one-player-game", async (bench) => {
  const page = await bench.page();
  await begin(page, "lights-out");
  for (let i = 0; i < 3; i++) {
    await page.waitForFunction((ply) => document.querySelectorAll("[data-ply]").length === ply, i);
    await page.locator("[data-cell].target").nth(i).click();
  }
  await page.locator('[data-ply="3"]').waitFor();
});

test("keyboard-only", async (bench) => {
  const page = await bench.page();
  await page.goto("/standalone/tictactoe");
  await page.waitForURL(/\/match\//);
  await page.locator("[data-cell]").first().waitFor();
  for (let i = 0; i < 40; i++) {
    await page.keyboard.press("Tab");
    if (await page.evaluate(() => document.activeElement?.hasAttribute("data-cell"))) break;
  }
  check(await page.evaluate(() => document.activeElement?.hasAttribute("data-cell")), "the board is reached by Tab");
  await page.keyboard.press("Enter");
  await page.locator('[data-ply="1"]').waitFor();
  await page.locator('[data-cell][tabindex="0"]').focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelector(".here")?.getAttribute("data-ply") === "2");
  await page.keyboard.press("Escape");
  await page.keyboard.press("u");
  await page.waitForFunction(() => document.querySelector(".here")?.getAttribute("data-ply") === "1");
  await page.keyboard.press("?");
  await page.getByRole("heading", { name: "Keyboard shortcuts" }).waitFor();
  await page.keyboard.press("Escape");
  check(!(await page.locator("dialog[open]").count()), "Escape closes the list");
});

test("typed-moves", async (bench) => {
  const page = await bench.page();
  await page.goto("/standalone/tictactoe");
  await page.waitForURL(/\/match\//);
  // The board moves the list down when it is drawn: a click before that may miss it.
  await page.locator("[data-cell]").first().waitFor();
  await page.evaluate(() => document.fonts.ready);
  await page.getByText("All legal moves").click();
  const input = page.getByPlaceholder("Type a part of a move");
  await input.fill("2 2");
  await input.press("Enter");
  await page.locator('[data-ply="1"]').waitFor();
});

test("undo-redo-jump", async (bench) => {
  const page = await bench.page();
  await page.goto("/standalone/tictactoe");
  await page.waitForURL(/\/match\//);
  for (let ply = 1; ply <= 4; ply++) {
    await page.locator("[data-cell].target").first().click();
    await page.locator(`[data-ply="${ply}"].here`).waitFor();
  }
  await page.getByRole("button", { name: "Undo", exact: true }).click();
  await page.locator('[data-ply="3"].here').waitFor();
  await page.getByRole("button", { name: "Redo", exact: true }).click();
  await page.locator('[data-ply="4"].here').waitFor();
  await page.locator('[data-ply="1"] button').click();
  await page.locator('[data-ply="1"].here').waitFor();
  check((await page.locator(".mover").count()) === 1, "one piece is on the board after a jump to the first ply");
  // Another move from here begins a new line; the old one is kept.
  await page.locator("[data-cell].target").last().click();
  await page.locator('[data-ply="2"].here').waitFor();
  await page.getByRole("heading", { name: "Other lines" }).waitFor();
  await page.locator("ul.branches button").first().click();
  await page.waitForFunction(() => document.querySelectorAll("li[data-ply]").length >= 2);
});

test("hint-and-evaluation", async (bench) => {
  const page = await bench.page();
  await begin(page, "tictactoe");
  await page.waitForFunction(() => /Your move/.test(document.querySelector(".status .line")?.textContent ?? ""));
  await page.getByRole("button", { name: "Hint" }).click();
  await page.locator(".hint").waitFor();
  check((await page.locator(".badge").count()) > 0, "values are on the board");
  await page.getByRole("button", { name: "Evaluation" }).click();
  await page.getByRole("meter").waitFor();
});

test("narrow-screen", async (bench) => {
  const page = await bench.page({ viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
  await begin(page, "tictactoe");
  await finish(page, 9);
  check(/You won|You lost|draw/.test(await line(page).textContent()), "the match ends");
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  check(wide <= 0, `the page is ${wide} pixels too wide`);
  await page.getByRole("button", { name: "Menu" }).click();
  await page.getByRole("navigation", { name: "All pages" }).getByRole("link", { name: "Games" }).click();
  await page.getByRole("heading", { name: "Games", exact: true }).waitFor();
  await page.goBack();
  await line(page).waitFor();
});

test("hidden-game-in-two-browsers", async (bench) => {
  const game = "high-card";
  const created = await bench.api("POST", "/api/matches", { game, mode: "match", seats: (await bench.api("GET", `/api/games/${game}`)).roles.filter((role) => role !== "random").map(() => ({ kind: "person" })) });
  const people = created.seats.filter((seat) => seat.token);
  check(people.length >= 2, "two people take part");
  const views = [];
  for (const seat of people.slice(0, 2)) {
    const page = await bench.page();
    let traffic = "";
    page.on("response", async (response) => { if (response.url().includes("/api/matches")) traffic += await response.text().catch(() => ""); });
    await page.addInitScript(([id, role, token]) => localStorage.setItem(`magister.seat.${id}`, JSON.stringify({ [role]: token })), [created.id, seat.role, seat.token]);
    await page.goto(`/match/${created.id}`);
    await line(page).waitFor();
    views.push({ page, seat, scene: await bench.api("GET", `/api/matches/${created.id}`, undefined, seat.token), traffic: () => traffic });
  }
  // What only one of them perceives must not reach the other.
  const secrets = views.map((view) => (view.scene.scene.percepts ?? []).map((percept) => percept.text));
  for (const [index, view] of views.entries()) {
    const other = secrets[1 - index].filter((secret) => !secrets[index].includes(secret));
    check(other.length > 0, "the other role knows something that this one does not");
    const text = (await view.page.content()) + view.traffic();
    for (const secret of other) check(!text.includes(secret), `${view.seat.role} can read ${secret}`);
    check(!view.traffic().includes(views[1 - index].seat.token), "no token of the other seat is sent");
  }
  // A spectator sees no moves of hidden games before the end.
  const watcher = await bench.page();
  await watcher.goto(`/match/${created.id}`);
  await line(watcher).waitFor();
  const shown = await watcher.content();
  for (const secret of secrets.flat()) check(!shown.includes(secret), `a spectator can read ${secret}`);
});

test("card-game-by-clicking", async (bench) => {
  const page = await bench.page();
  await begin(page, "agram", "Beginner");
  const hand = page.locator(".owner.own .hand");
  const cards = hand.locator("button");
  let played = 0;
  for (let turn = 0; turn < 12; turn++) {
    await page.waitForFunction(() => /Your move|won|lost|draw|end/i.test(document.querySelector(".status .line")?.textContent ?? ""));
    if (!/Your move/.test(await line(page).textContent())) break;
    await cards.first().waitFor();
    if (turn === 0) {
      check((await hand.locator("svg").count()) >= 5, "the own hand is drawn as cards");
      check((await page.locator(".owner:not(.own) .stock").count()) > 0, "the cards of the others lie face down");
    }
    const before = await page.locator("li[data-ply]").count();
    await cards.first().click();
    played++;
    await page.waitForFunction((count) => document.querySelectorAll("li[data-ply]").length > count, before);
  }
  check(played > 1, `${played} cards were played`);
  check(/won|lost|draw|end/i.test(await line(page).textContent()), "the match ends");
});

test("puzzle-of-the-day", async (bench) => {
  const page = await bench.page();
  await page.goto("/puzzles");
  await page.locator(".card .line").waitFor();
  await page.getByText("All legal moves").click();
  const moves = page.locator("details.list li button");
  const count = await moves.count();
  check(count > 1, "a puzzle leaves a choice");
  for (let i = 0; i < count; i++) {
    const answered = page.waitForResponse((response) => response.url().endsWith("/answer"));
    await moves.nth(i).click();
    const { right } = await (await answered).json();
    await page.locator(right ? ".verdict.right" : ".verdict").waitFor();
    if (right) return;
  }
  throw new Error("no move is right");
});
