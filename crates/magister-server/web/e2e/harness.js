// A small runner: every test gets a fresh page, and any error in the console fails it.

import { launch } from "./browser.js";

const tests = [];
export const test = (name, run) => tests.push({ name, run });

export function check(condition, message) {
  if (!condition) throw new Error(message);
}

export class Bench {
  constructor(browser, address) {
    this.browser = browser;
    this.address = address;
    this.faults = [];
    this.contexts = [];
  }

  /** A page of a new person. Everything runs without animation, so that no test waits for one. */
  async page(options = {}) {
    const context = await this.browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: "reduce", baseURL: this.address, ...options });
    context.setDefaultTimeout(Number(process.env.MAGISTER_TIMEOUT ?? 60_000));
    this.contexts.push(context);
    const page = await context.newPage();
    page.on("console", (message) => { if (message.type() === "error") this.faults.push(`${page.url()}: ${message.text()}`); });
    page.on("pageerror", (error) => this.faults.push(`${page.url()}: ${error.message}`));
    page.on("request", (request) => {
      const url = new URL(request.url());
      if (!["data:", "blob:"].includes(url.protocol) && url.origin !== this.address) this.faults.push(`a request to another host: ${url.origin}`);
    });
    return page;
  }

  async api(method, path, body, seat) {
    const response = await fetch(this.address + path, { method, headers: { "content-type": "application/json", ...(seat ? { "x-seat": seat } : {}) }, body: body === undefined ? undefined : JSON.stringify(body) });
    const data = await response.json();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${data.error}`);
    return data;
  }

  async close() {
    for (const context of this.contexts) await context.close();
    check(this.faults.length === 0, this.faults.slice(0, 5).join("; "));
  }
}

/** Runs the tests whose names are given, or all. Returns the number of failures. */
export async function run(address, names) {
  const chosen = names.length === 0 ? tests : tests.filter((one) => names.includes(one.name));
  const unknown = names.filter((name) => !tests.some((one) => one.name === name));
  check(unknown.length === 0, `there is no test ${unknown.join(", ")}`);
  const browser = await launch();
  let failures = 0;
  for (const { name, run: body } of chosen) {
    const begun = Date.now();
    const bench = new Bench(browser, address);
    try {
      await body(bench);
      await bench.close();
      process.stdout.write(`ok ${name} (${Date.now() - begun} ms)\n`);
    } catch (error) {
      failures++;
      process.stdout.write(`FAILED ${name}: ${error.stack ?? error}\n`);
      const page = bench.contexts[0]?.pages()[0];
      if (page && process.env.MAGISTER_SHOTS) await page.screenshot({ path: `${process.env.MAGISTER_SHOTS}/${name}.png` }).catch(() => {});
      await Promise.all(bench.contexts.map((context) => context.close().catch(() => {})));
    }
  }
  await browser.close();
  return failures;
}
