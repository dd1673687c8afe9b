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
  const against = page.getByLabel("Trained player");
  await against.waitFor();
  check(/^trained:tictactoe-/.test(await against.inputValue()), "the run's player is chosen");
  await page.getByRole("button", { name: "Start the match" }).click();
  await page.waitForURL(/\/match\//);
  await page.locator("[data-cell].target").first().click();
  await page.locator('[data-ply="2"]').waitFor();
  check((await page.locator(".seat").allTextContents()).some((text) => /trained here/.test(text)), "the seat names the trained player");
  await page.goto("/training");
  await page.getByRole("link", { name: /^tictactoe-/ }).click();
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("button", { name: "Delete it for good" }).click();
  await page.getByText("No player has been trained yet").waitFor();
});
