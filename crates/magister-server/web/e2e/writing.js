import { check, test } from "./harness.js";

async function write(page, text) {
  await page.locator(".cm-content").click();
  await page.keyboard.press("Control+A");
  await page.keyboard.insertText(text);
}

test("broken-rules-are-fixed-and-played", async (bench) => {
  const page = await bench.page();
  await page.goto("/check?example=race");
  await page.getByText("These rules can be played.").waitFor();
  const text = await page.evaluate(() => document.querySelector(".cm-content").innerText);
  check(text.includes("role left"), "the example is in the editor");
  const rules = `(role left) (role right)\n(init (total 0)) (init (control left))\n(<= (legal ?r (add 1)) (true (control ?r)))\n(<= (legal ?r noop) (role ?r) (not (true (control ?r))))\n(<= (next (total 1)) (true (total 0)))\n(<= (next (control right)) (true (control left)))\n(<= terminal (true (total 1)))\n(<= (goal ?r 50) (role ?r))\n`;
  await write(page, rules.replace("(true (control ?r)))\n(<= (legal ?r noop)", "(true (control ?r))\n(<= (legal ?r noop)"));
  await page.locator(".findings .tag.bad").first().waitFor();
  check(await page.getByRole("button", { name: "Try it" }).isDisabled(), "broken rules cannot be tried");
  await write(page, rules);
  await page.getByText("These rules can be played.").waitFor();
  await page.getByPlaceholder("(add 1)").fill("(add 1)");
  await page.getByRole("button", { name: "Explain" }).click();
  await page.getByText("Legal", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Format" }).click();
  await page.getByRole("button", { name: "Try it" }).click();
  await page.waitForURL(/\/match\//);
  await page.getByRole("button", { name: /add 1/ }).first().click();
  await page.locator('[data-ply="1"]').waitFor();
  check(/end|draw|won/i.test(await page.locator(".status .line").textContent()), "the game is over after one move");
});

test("the-lesson-leads-to-a-game", async (bench) => {
  const page = await bench.page();
  await page.goto("/help/game");
  const rules = page.getByLabel("Your rules");
  const next = page.getByRole("button", { name: /^(Next step|Finish)$/ });
  check(await next.isDisabled(), "the first task is not done yet");
  await rules.fill(`${await rules.inputValue()}\n(role  right)`);
  await page.getByText("Done.", { exact: true }).waitFor();
  await next.click();
  // The lesson is where it was after the page was left.
  await page.reload();
  await page.getByRole("heading", { name: "2. What a position is" }).waitFor();
  for (let step = 2; step <= 7; step++) {
    await page.getByRole("button", { name: "Show me" }).click();
    await next.click();
  }
  await page.getByText("These rules can be played.").waitFor();
  await page.getByRole("button", { name: "Play both roles" }).click();
  await page.waitForURL(/\/match\//);
  await page.getByRole("button", { name: /add 2/ }).first().click();
  await page.locator('[data-ply="1"]').waitFor();
});

test("what-a-role-knows-after-moves", async (bench) => {
  const page = await bench.page();
  await page.goto("/analysis/kuhn-poker");
  await page.getByText("You see the whole position").waitFor();
  const first = page.locator(".actions button, .table [role=group] button").first();
  await first.click();
  await page.getByRole("button", { name: "Undo", disabled: false }).waitFor();
  await page.getByRole("combobox", { name: /^Role/ }).selectOption({ index: 0 });
  await page.getByRole("button", { name: "Show", exact: true }).click();
  const certain = page.locator("section", { has: page.getByRole("heading", { name: "What does a role know?" }) });
  await certain.getByRole("heading", { name: "Certain" }).waitFor();
  await certain.getByText(/positions? (is|are) possible|sample of/).waitFor();
  const line = page.locator("section .line");
  check(/2\. /.test(await line.textContent()), "the deal and a move were made");
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText(/^1\. deal [a-z ]+$/).waitFor();
});

test("style-is-edited-with-a-preview", async (bench) => {
  const page = await bench.page();
  await page.goto("/style/hex-5");
  await page.locator(".samples figure").nth(3).waitFor();
  await page.getByText("layout hexagons").waitFor();
  const editor = page.getByLabel("Text of style.toml");
  await editor.fill("[[board]]\nlayout = ");
  await page.locator("#wrong:not([hidden])").waitFor();
  await editor.fill('[[board]]\nfluents = ["cell"]\nlayout = "grid"\n');
  await page.getByText("layout grid").waitFor();
  await page.locator("#wrong").waitFor({ state: "hidden" });
  await page.getByRole("button", { name: "Reset" }).click();
  await page.getByText("layout hexagons").waitFor();
  // A wrong style is refused, and the browser reports that.
  bench.faults = bench.faults.filter((fault) => !/status of 422/.test(fault));
});

test("scripts-in-names-stay-text", async (bench) => {
  const evil = '<img src="x" onerror="window.hacked=1"><script>window.hacked=1</script>';
  const rules = `(role "${"<i>a</i>"}") (role b) (init (cell 1 1 "<b>hot</b>")) (init (cell 2 2 plain)) (init (says "<img/src=x/onerror=hacked=1>"))
(<= (legal ?r (go "<u>there</u>")) (role ?r)) (<= (legal ?r stay) (role ?r)) (<= (next done) (does b ?m)) (<= terminal (true done)) (<= (goal ?r 50) (role ?r))`;
  const saved = await bench.api("POST", "/api/games", { name: evil.slice(0, 50), text: rules });
  const seats = [{ kind: "person", player: evil }, { kind: "person", player: evil }];
  const match = await bench.api("POST", "/api/matches", { game: saved.name, mode: "match", seats });
  await bench.api("POST", "/api/uploads", { name: evil.slice(0, 50), text: `// ${evil}` });
  const page = await bench.page();
  for (const address of ["/games?search=img", `/games/${saved.name}`, `/match/${match.id}`, "/matches", "/student", `/metagame/${saved.name}`, `/check?game=${saved.name}`, "/admin"]) {
    await page.goto(address);
    await page.waitForFunction(() => document.querySelector("h1") && !document.querySelector('[aria-busy="true"]'));
    const found = await page.evaluate(() => ({ hacked: window.hacked, images: document.querySelectorAll("img").length, scripts: [...document.scripts].filter((one) => one.textContent.includes("hacked")).length, tags: document.querySelectorAll("main u, main b, main img").length }));
    check(found.hacked === undefined && found.images === 0 && found.scripts === 0 && found.tags === 0, `${address}: ${JSON.stringify(found)}`);
  }
  await page.goto(`/games/${saved.name}`);
  await page.getByText('<img src="x"').first().waitFor();
});

test("student-player-wins", async (bench) => {
  const page = await bench.page();
  await page.goto("/student");
  await page.getByLabel("Template").selectOption("Minimax");
  const text = await page.getByLabel("Text of the player").inputValue();
  await page.getByLabel("Text of the player").fill(text.replace("DEPTH = 3", "DEPTH = 2"));
  await page.getByLabel("Seconds").fill("20");
  // The beginner sometimes draws several matches in a row.
  for (let tries = 0; tries < 40; tries++) {
    await page.getByRole("button", { name: "Launch" }).click();
    await page.waitForFunction(() => !document.querySelector("form button.primary")?.disabled, undefined, { timeout: 120_000 });
    if (/won [1-9]/.test(await page.locator("form [aria-live]").textContent())) return;
  }
  throw new Error(`no win: ${await page.locator(".log").textContent()}`);
});

test("student-player-is-sealed", async (bench) => {
  const page = await bench.page();
  await page.goto("/student");
  const tries = `
let results = [];
function start() { return "ready"; }
async function attempt(name, work) { try { await work(); log(name + " worked"); } catch (error) { log(name + " refused"); } }
function ping() {
  attempt("fetch", () => fetch("/api/games"));
  attempt("storage", () => localStorage.length);
  attempt("import", () => importScripts("/theme.js"));
  attempt("socket", () => new Promise((resolve, reject) => { const s = new WebSocket("ws://" + "127.0.0.1:1"); s.onopen = resolve; s.onerror = reject; }));
  return "ready";
}
function play() { for (;;); }
`;
  await page.getByLabel("Text of the player").fill(tries);
  await page.getByLabel("Seconds").fill("1");
  await page.getByRole("button", { name: "Launch" }).click();
  await page.waitForFunction(() => /did not answer play/.test(document.querySelector(".log")?.textContent ?? ""));
  const text = await page.locator(".log").textContent();
  for (const what of ["fetch", "storage", "import", "socket"]) check(text.includes(`${what} refused`) && !text.includes(`${what} worked`), `${what}: ${text}`);
  // The refusals are reported in the console; that is what we want here.
  bench.faults = bench.faults.filter((fault) => !/Content Security Policy|Refused to|WebSocket|ERR_|violates/i.test(fault) && !/another host/.test(fault));
});
