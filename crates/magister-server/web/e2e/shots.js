// Takes pictures of pages: `node e2e/shots.js OUT ADDRESS PATH...`, wide and narrow, light and dark.
// A path may be followed by `=>` and a script for the page, which runs before the picture.

import { mkdir } from "node:fs/promises";
import { launch } from "./browser.js";

const [out, address, ...paths] = process.argv.slice(2);
const only = process.env.SHOTS?.split(",");
await mkdir(out, { recursive: true });
const browser = await launch();
for (const [size, width, height] of [["wide", 1280, 860], ["narrow", 360, 740]]) {
  for (const colorScheme of ["light", "dark"]) {
    if (only && !only.includes(`${size}-${colorScheme}`)) continue;
    const page = await browser.newPage({ viewport: { width, height }, colorScheme, reducedMotion: "reduce" });
    page.on("console", (message) => { if (message.type() === "error") process.stdout.write(`console: ${message.text()}\n`); });
    page.on("pageerror", (error) => process.stdout.write(`error: ${error.message}\n`));
    for (const entry of paths) {
      const [path, script] = entry.split("=>");
      await page.goto(address + path.trim());
      await page.waitForTimeout(Number(process.env.WAIT ?? 900));
      if (script) { await page.evaluate(script); await page.waitForTimeout(700); }
      const overflow = await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
      if (overflow > 0) process.stdout.write(`${size} ${path}: ${overflow} pixels too wide\n`);
      const name = path.trim().replace(/[^a-z0-9]+/gi, "_").replace(/^_|_$/g, "") || "front";
      await page.screenshot({ path: `${out}/${name}-${size}-${colorScheme}.png`, fullPage: process.env.FULL === "1" });
    }
    await page.close();
  }
}
await browser.close();
