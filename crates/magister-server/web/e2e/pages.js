import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { check, test } from "./harness.js";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export const addresses = [
  "/", "/games", "/games/tictactoe", "/play/tictactoe", "/matches", "/manager", "/players", "/leaderboard", "/tournaments", "/check", "/analysis/tictactoe",
  "/style/tictactoe", "/metagame/tictactoe", "/puzzles", "/student", "/training", "/help", "/help/game", "/help/player", "/help/class", "/help/board", "/about", "/api", "/signin", "/account", "/admin",
];

const settled = (page) => page.waitForFunction(() => document.querySelector("h1") && !document.querySelector('[aria-busy="true"]'));

// In several parts, so that no test takes long.
export const PARTS = 4;
for (const [colorScheme, part] of ["light", "dark"].flatMap((scheme) => Array.from({ length: PARTS }, (_, index) => [scheme, index]))) {
  test(`pages-${colorScheme}-${part + 1}`, async (bench) => {
    const page = await bench.page({ colorScheme });
    const found = [];
    for (const address of addresses.filter((_, index) => index % PARTS === part)) {
      await page.goto(address);
      await settled(page);
      if (colorScheme === "light") {
        await page.setViewportSize({ width: 360, height: 740 });
        const excess = () => document.documentElement.scrollWidth - document.documentElement.clientWidth;
        // The editor measures itself again some frames after the window has changed.
        await page.waitForFunction(`(${excess})() <= 0`, null, { timeout: 3000 }).catch(() => {});
        const wide = await page.evaluate(excess);
        if (wide > 0) found.push(`${address}: ${wide} pixels too wide at 360`);
        await page.setViewportSize({ width: 1280, height: 900 });
      }
      await page.evaluate(axe);
      const result = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
      for (const one of result.violations) found.push(`${address}: ${one.id}: ${one.nodes.slice(0, 2).map((node) => node.html.slice(0, 160)).join(" | ")}`);
    }
    // A page may ask for something that does not exist yet, such as the puzzle of the day.
    bench.faults = bench.faults.filter((fault) => !/\/puzzles: Failed to load resource/.test(fault));
    check(found.length === 0, found.join("\n"));
  });
}

test("match-pages-are-accessible", async (bench) => {
  const page = await bench.page();
  const found = [];
  for (const game of ["tictactoe", "hex-5", "three-mens-morris", "chess"]) {
    await page.goto(`/standalone/${game}`);
    await page.waitForURL(/\/match\//);
    await page.locator("[data-cell]").first().waitFor();
    await page.evaluate(axe);
    const result = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
    for (const one of result.violations) found.push(`${game}: ${one.id}: ${one.nodes.slice(0, 2).map((node) => node.html.slice(0, 160)).join(" | ")}`);
  }
  check(found.length === 0, found.join("\n"));
});

test("addresses-and-back-button", async (bench) => {
  const page = await bench.page();
  await page.goto("/");
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Games" }).click();
  await page.getByRole("heading", { name: "Games", exact: true }).waitFor();
  await page.getByPlaceholder("Name, idea or tag").fill("breakthrough");
  await page.waitForFunction(() => location.search.includes("breakthrough"));
  await page.locator("ul.grid a").first().click();
  await page.waitForURL(/\/games\/.+/);
  await page.goBack();
  await page.waitForFunction(() => document.querySelector('input[type="search"]')?.value === "breakthrough");
  await page.goto("/nowhere");
  await page.getByRole("heading", { name: "This page does not exist" }).waitFor();
  // Browsers report the status 404 in the console; that is right here.
  bench.faults = bench.faults.filter((fault) => !/\/nowhere: Failed to load resource/.test(fault));
  await page.keyboard.press("t");
  check(["dark", "light"].includes(await page.evaluate(() => document.documentElement.dataset.theme)), "t changes the theme");
});
