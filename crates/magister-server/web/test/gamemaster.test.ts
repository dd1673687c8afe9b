// The interpreter against what Gamemaster's own engine answered. The oracle is not part of the project.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { definerules, findcontrol, findinits, findlegals, findreward, findroles, findterminalp, grind, readInfix, readTerm, simulate } from "../src/gdl/library";
import { key } from "../src/gdl/terms";

const oracle = process.env.MAGISTER_ORACLE ?? join(__dirname, "../../../../../shared/oracle");
const folder = join(oracle, "gamemaster");

interface Position {
  play: number;
  step: number;
  control: string | null;
  state: string[];
  terminal: boolean;
  goals: Record<string, string>;
  legals: string[];
  move?: string;
}

const same = (list: string[]) => list.map((text) => key(readTerm(text))).sort();

if (!existsSync(folder)) {
  process.stdout.write("SKIPPED: the oracle is missing\n");
  it.skip("gamemaster traces", () => {});
} else {
  describe("gamemaster traces", () => {
    for (const file of readdirSync(join(folder, "traces")).sort()) {
      const name = file.replace(".jsonl.gz", "");
      it(name, { timeout: 300_000 }, () => {
        const path = [`${name}.library.hrf`, `${name}.rulesheet.hrf`].map((one) => join(folder, "games", one)).find(existsSync);
        if (path === undefined) return;
        const rules = definerules(readInfix(readFileSync(path, "utf8")));
        const lines = gunzipSync(readFileSync(join(folder, "traces", file))).toString().trim().split("\n").map((line) => JSON.parse(line) as Position);
        expect(findroles(rules).length).toBeGreaterThan(0);
        expect(findinits(rules).map((fact) => key(fact)).sort()).toEqual(same(lines[0]!.state));
        // Positions from the whole trace, as many as fit into the time of a test on a busy machine.
        const until = performance.now() + Number(process.env.MAGISTER_TRACE_MS ?? 250);
        const stride = process.env.MAGISTER_TRACE_MS ? 1 : Math.max(1, Math.floor(lines.length / 12));
        let compared = 0;
        for (let i = 0; i < lines.length && (compared < 2 || performance.now() < until); i += stride) {
          const line = lines[i]!;
          const state = line.state.map((text) => readTerm(text));
          expect(findterminalp(state, rules), `terminal at ${i}`).toBe(line.terminal);
          for (const [role, value] of Object.entries(line.goals)) expect(findreward(role, state, rules), `goal of ${role} at ${i}`).toBe(String(value));
          if (!line.terminal) {
            expect(findlegals(state, rules).map((move) => key(move)).sort(), `legal moves at ${i}`).toEqual(same(line.legals));
            if (line.control) expect(grind(findcontrol(state, rules) || "")).toBe(line.control);
          }
          const next = lines[i + 1];
          if (line.move !== undefined && next !== undefined && next.play === line.play && next.step === line.step + 1) {
            expect(simulate(readTerm(line.move), state, rules).map((fact) => key(fact)).sort(), `state after ${i}`).toEqual(same(next.state));
          }
          compared++;
        }
        expect(compared).toBeGreaterThan(0);
      });
    }
  });
}
