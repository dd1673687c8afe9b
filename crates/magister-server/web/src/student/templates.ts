// Players to begin with. Our own.

const common = `// Called once: your role, the rules, and the clocks in seconds.
let role, library, state, playclock;

function start(r, rules, startclock, pc) {
  role = r;
  library = definemorerules([], rules);
  state = findinits(library);
  playclock = pc;
  return "ready";
}

// Called before every turn with the last move, or nil at the start.
function play(move) {
  if (move !== nil) state = simulate(move, state, library);
  if (findcontrol(state, library) !== role) return false;
  return choose(state);
}
`;

export const templates = [
  {
    name: "First legal move",
    text: `// The simplest player: it plays the first legal move.

${common}
function choose(state) {
  return findlegalx(state, library);
}
`,
  },
  {
    name: "Random",
    text: `// Plays a random legal move.

${common}
function choose(state) {
  return shuffle(findlegals(state, library))[0];
}
`,
  },
  {
    name: "Minimax",
    text: `// Looks ahead a fixed number of moves. Change DEPTH and see what happens.

const DEPTH = 3;

${common}
function choose(state) {
  let best = false, score = -1;
  for (const action of shuffle(findlegals(state, library))) {
    const value = evaluate(simulate(action, state, library), DEPTH - 1);
    if (value > score) { best = action; score = value; }
    if (score === 100) break;
  }
  log("best move", grind(best), "worth", score);
  return best;
}

function evaluate(state, depth) {
  if (findterminalp(state, library)) return Number(findreward(role, state, library));
  if (depth === 0) return 50;
  const mine = findcontrol(state, library) === role;
  let value = mine ? 0 : 100;
  for (const action of findlegals(state, library)) {
    const next = evaluate(simulate(action, state, library), depth - 1);
    value = mine ? Math.max(value, next) : Math.min(value, next);
    if (value === (mine ? 100 : 0)) break;
  }
  return value;
}
`,
  },
  {
    name: "Monte Carlo",
    text: `// Plays random games after each legal move until half of the clock is used, and plays the move with the best mean.

${common}
function choose(state) {
  const actions = shuffle(findlegals(state, library));
  if (actions.length === 1) return actions[0];
  const nexts = actions.map((action) => simulate(action, state, library));
  const sums = actions.map(() => 0), counts = actions.map(() => 0);
  const until = Date.now() + playclock * 500;
  for (let i = 0; Date.now() < until || i < actions.length; i = i + 1) {
    const k = i % actions.length;
    sums[k] += charge(nexts[k]);
    counts[k] += 1;
  }
  let best = 0;
  for (let k = 1; k < actions.length; k++) if (sums[k] / counts[k] > sums[best] / counts[best]) best = k;
  log(grind(actions[best]), "mean", (sums[best] / counts[best]).toFixed(1), "of", counts[best], "playouts");
  return actions[best];
}

function charge(state) {
  while (!findterminalp(state, library)) {
    const actions = findlegals(state, library);
    state = simulate(actions[Math.floor(Math.random() * actions.length)], state, library);
  }
  return Number(findreward(role, state, library));
}
`,
  },
];
