// Browser tests: `node e2e/run.js ADDRESS [TEST...]` against a running server.

import { run } from "./harness.js";
import "./accounts.js";
import "./playing.js";
import "./training.js";
import "./watching.js";
import "./writing.js";
import "./pages.js";

const [address, ...names] = process.argv.slice(2);
const failures = await run(address.replace(/\/$/, ""), names);
process.exit(failures === 0 ? 0 : 1);
