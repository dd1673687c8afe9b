// Starts Debian's chromium. The path can be set by MAGISTER_CHROMIUM.

import { chromium } from "playwright-core";

export const executablePath = process.env.MAGISTER_CHROMIUM ?? "/usr/bin/chromium";

export function launch() {
  return chromium.launch({
    executablePath,
    // A busy machine may take long to start it.
    timeout: 180_000,
    args: ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"],
  });
}
