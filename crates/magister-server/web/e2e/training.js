import { check, test } from "./harness.js";

test("training-run-and-its-player", async (bench) => {
  const page = await bench.page();
  await page.goto("/training?game=tictactoe");
  await page.getByLabel("Seconds").fill("2");
  await page.getByRole("button", { name: "Start" }).click();
  await page.waitForURL(/\/training\/.+/);
  // The curve grows while the run goes on.
  await page.locator("svg circle").nth(2).waitFor();
  await page.getByText("ended", { exact: true }).waitFor();
  const label = await page.locator("svg[role=img]").getAttribute("aria-label");
  const [, before, after] = /: ([\d.]+) before training, ([\d.]+) after/.exec(label) ?? [];
  check(Number(after) > Number(before), `it learns: ${label}`);
  await page.getByRole("link", { name: "Play against it" }).click();
  const against = page.getByLabel("Trained player", { exact: true });
  await against.waitFor();
  check(/^trained:tictactoe-/.test(await against.inputValue()), "the run's player is chosen");
  await page.getByRole("button", { name: "Start the match" }).click();
  await page.waitForURL(/\/match\//);
  await page.locator("[data-cell].target").first().click();
  await page.locator('[data-ply="2"]').waitFor();
  check((await page.locator(".seat").allTextContents()).some((text) => /trained/.test(text)), "the seat names the trained player");
  await page.goto("/training");
  await page.getByRole("link", { name: /^tictactoe-/ }).click();
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("button", { name: "Delete it for good" }).click();
  await page.getByText("No player has been trained yet").waitFor();
});

test("agents-trained-before", async (bench) => {
  const page = await bench.page();
  await page.goto("/training");
  const row = page.getByRole("row").filter({ hasText: "learned from 12,345 games; 50 % of the points against uct" });
  await row.getByRole("link", { name: "Play" }).click();
  const against = page.getByLabel("Trained player", { exact: true });
  await against.waitFor();
  check((await against.inputValue()) === "trained:tictactoe", "the agent is chosen");
  await page.getByText("50 % of the points against uct").waitFor();
  await page.getByRole("button", { name: "Start the match" }).click();
  await page.waitForURL(/\/match\//);
  await page.locator("[data-cell].target").first().click();
  await page.locator('[data-ply="2"]').waitFor();
  await page.goto("/play/connect-four");
  await page.getByText("A built-in player").waitFor();
  check((await page.getByLabel("Trained player", { exact: true }).count()) === 0, "it is offered in its own game only");
});
