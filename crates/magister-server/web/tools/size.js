// Measures the built client: `npm run size`. Fails above the limit.

import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const LIMIT = 300_000;
const folder = new URL("../dist", import.meta.url).pathname;
let client = 0, editor = 0, fonts = 0;
for (const file of readdirSync(folder, { recursive: true })) {
  const path = join(folder, file);
  if (!statSync(path).isFile() || file.endsWith(".gz")) continue;
  const bytes = file.endsWith(".woff2") ? readFileSync(path).length : gzipSync(readFileSync(path), { level: 9 }).length;
  if (/assets\/editor-/.test(file)) editor += bytes;
  else if (file.endsWith(".woff2") && !/-latin-wght-normal/.test(file)) fonts += bytes;
  else client += bytes;
}
process.stdout.write(`client ${client} bytes compressed, editor ${editor}, fonts for other scripts ${fonts} (loaded where needed)\n`);
if (client > LIMIT) {
  process.stderr.write(`the client is larger than ${LIMIT} bytes\n`);
  process.exit(1);
}
