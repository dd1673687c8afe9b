// A few small games for work on the client without a server. Development only.

const grid = (columns, rows, values, pieces) => ({
  layout: "grid",
  boards: [""],
  cells: Array.from({ length: columns * rows }, (_, i) => ({
    name: `${(i % columns) + 1} ${rows - Math.floor(i / columns)}`, x: i % columns, y: Math.floor(i / columns), board: 0,
  })),
  values, symbols: {}, neighbours: [], lines: [], fixed: [], pieces,
});

function rows(cells, width, height, length, empty) {
  for (let i = 0; i < cells.length; i++) {
    if (cells[i] === empty) continue;
    const x = i % width, y = Math.floor(i / width);
    for (const [dx, dy] of [[1, 0], [0, 1], [1, 1], [1, -1]]) {
      let n = 0;
      while (n < length) {
        const px = x + dx * n, py = y + dy * n;
        if (px < 0 || py < 0 || px >= width || py >= height || cells[py * width + px] !== cells[i]) break;
        n++;
      }
      if (n === length) return cells[i];
    }
  }
  return null;
}

const alternating = (game) => ({
  hidden: false,
  acting: (s) => [s.turn],
  facts: (s) => [{ name: "control", text: `control(${game.roles[s.turn]})`, label: `${game.roles[s.turn]} to move` }],
  cells: (s) => s.cells,
  ...game,
});

const result = (winner) => (winner === null ? [50, 50] : winner === 0 ? [100, 0] : [0, 100]);

const tictactoe = alternating({
  title: "Tic-Tac-Toe", summary: "Three in a row on nine squares.", tags: ["classic", "connection"], roles: ["x", "o"],
  shape: grid(3, 3, ["b", "x", "o"], { x: { shape: "cross", side: 0, label: "x" }, o: { shape: "ring", side: 1, label: "o" } }),
  start: () => ({ cells: Array(9).fill(0), turn: 0 }),
  legal: (s, r) => (r !== s.turn ? [{ text: "noop", label: "noop", from: null, to: null }]
    : s.cells.flatMap((v, i) => (v ? [] : [{ text: `(mark ${(i % 3) + 1} ${3 - Math.floor(i / 3)})`, label: `mark ${(i % 3) + 1} ${3 - Math.floor(i / 3)}`, from: i, to: i }]))),
  next: (s, joint) => ({ cells: s.cells.map((v, i) => (i === joint[s.turn].to ? s.turn + 1 : v)), turn: 1 - s.turn }),
  scores: (s) => {
    const w = rows(s.cells, 3, 3, 3, 0);
    return w ? result(w - 1) : s.cells.every(Boolean) ? result(null) : null;
  },
});

const connectFour = alternating({
  title: "Connect Four", summary: "Drop discs; four in a line win.", tags: ["classic", "connection"], roles: ["red", "yellow"],
  shape: grid(7, 6, ["empty", "red", "yellow"], { red: { shape: "disc", side: 0, label: "red" }, yellow: { shape: "disc", side: 1, label: "yellow" } }),
  start: () => ({ cells: Array(42).fill(0), turn: 0 }),
  legal: (s, r) => (r !== s.turn ? [{ text: "noop", label: "noop", from: null, to: null }]
    : [0, 1, 2, 3, 4, 5, 6].filter((c) => !s.cells[c]).map((c) => ({ text: `(drop ${c + 1})`, label: `drop ${c + 1}`, from: null, to: null }))),
  next: (s, joint) => {
    const column = Number(/\d+/.exec(joint[s.turn].text)[0]) - 1;
    const cells = [...s.cells];
    for (let y = 5; y >= 0; y--) if (!cells[y * 7 + column]) { cells[y * 7 + column] = s.turn + 1; break; }
    return { cells, turn: 1 - s.turn };
  },
  scores: (s) => {
    const w = rows(s.cells, 7, 6, 4, 0);
    return w ? result(w - 1) : s.cells.every(Boolean) ? result(null) : null;
  },
});

const breakthrough = alternating({
  title: "Breakthrough", summary: "Reach the other side with one pawn.", tags: ["race"], roles: ["white", "black"],
  shape: grid(8, 8, ["empty", "white", "black"], { white: { shape: "pawn", side: 0, label: "white" }, black: { shape: "pawn", side: 1, label: "black" } }),
  start: () => ({ cells: Array.from({ length: 64 }, (_, i) => (i < 16 ? 2 : i >= 48 ? 1 : 0)), turn: 0 }),
  legal: (s, r) => {
    if (r !== s.turn) return [{ text: "noop", label: "noop", from: null, to: null }];
    const step = r === 0 ? -1 : 1, out = [];
    s.cells.forEach((v, i) => {
      if (v !== r + 1) return;
      const x = i % 8, y = Math.floor(i / 8) + step;
      if (y < 0 || y > 7) return;
      for (const d of [-1, 0, 1]) {
        if (x + d < 0 || x + d > 7) continue;
        const to = y * 8 + x + d, there = s.cells[to];
        if (there === r + 1 || (d === 0 && there)) continue;
        const n = (c) => `${(c % 8) + 1} ${8 - Math.floor(c / 8)}`;
        out.push({ text: `(move ${n(i)} ${n(to)})`, label: `move ${n(i)} to ${n(to)}`, from: i, to });
      }
    });
    return out;
  },
  next: (s, joint) => {
    const m = joint[s.turn], cells = [...s.cells];
    cells[m.to] = cells[m.from];
    cells[m.from] = 0;
    return { cells, turn: 1 - s.turn };
  },
  scores: (s) => {
    if (s.cells.slice(0, 8).includes(1) || !s.cells.includes(2)) return [100, 0];
    if (s.cells.slice(56).includes(2) || !s.cells.includes(1)) return [0, 100];
    return null;
  },
});

const hexCells = Array.from({ length: 25 }, (_, i) => ({
  name: `${(i % 5) + 1} ${5 - Math.floor(i / 5)}`, x: (i % 5) + (4 - Math.floor(i / 5)) * -0.5 + 2, y: Math.floor(i / 5), board: 0,
}));
const hex = alternating({
  title: "Hex 5x5", summary: "Connect your two sides.", tags: ["connection"], roles: ["red", "blue"],
  shape: { layout: "hexagons", boards: [""], cells: hexCells, values: ["empty", "red", "blue"], symbols: {}, lines: [], fixed: [],
    neighbours: hexCells.map((_, i) => [[1, 0], [-1, 0], [0, 1], [0, -1], [1, -1], [-1, 1]].map(([dx, dy]) => [(i % 5) + dx, Math.floor(i / 5) + dy])
      .filter(([x, y]) => x >= 0 && y >= 0 && x < 5 && y < 5).map(([x, y]) => y * 5 + x)),
    pieces: { red: { shape: "stone", side: 0, label: "red" }, blue: { shape: "stone", side: 1, label: "blue" } } },
  start: () => ({ cells: Array(25).fill(0), turn: 0 }),
  legal: (s, r) => (r !== s.turn ? [{ text: "noop", label: "noop", from: null, to: null }]
    : s.cells.flatMap((v, i) => (v ? [] : [{ text: `(put ${hexCells[i].name})`, label: `put ${hexCells[i].name}`, from: i, to: i }]))),
  next: (s, joint) => ({ cells: s.cells.map((v, i) => (i === joint[s.turn].to ? s.turn + 1 : v)), turn: 1 - s.turn }),
  scores: (s) => {
    for (const [who, from, to] of [[1, (i) => i < 5, (i) => i >= 20], [2, (i) => i % 5 === 0, (i) => i % 5 === 4]]) {
      const seen = new Set(s.cells.flatMap((v, i) => (v === who && from(i) ? [i] : [])));
      for (const i of seen) {
        if (to(i)) return result(who - 1);
        for (const n of hex.shape.neighbours[i]) if (s.cells[n] === who) seen.add(n);
      }
    }
    return null;
  },
});

const morrisPoints = [0, 1, 2].flatMap((y) => [0, 1, 2].map((x) => ({ name: `${x + 1} ${3 - y}`, x: x * 2, y: y * 2, board: 0 })));
const morrisLines = [[0, 1], [1, 2], [3, 4], [4, 5], [6, 7], [7, 8], [0, 3], [3, 6], [1, 4], [4, 7], [2, 5], [5, 8], [0, 4], [4, 8], [2, 4], [4, 6]];
const morris = alternating({
  title: "Three Men's Morris", summary: "Place three stones, then slide them into a line.", tags: ["classic"], roles: ["white", "black"],
  shape: { layout: "graph", boards: [""], cells: morrisPoints, values: ["empty", "white", "black"], symbols: {}, fixed: [], lines: morrisLines,
    neighbours: morrisPoints.map((_, i) => morrisLines.flatMap(([a, b]) => (a === i ? [b] : b === i ? [a] : []))),
    pieces: { white: { shape: "stone", side: 0, label: "white" }, black: { shape: "stone", side: 1, label: "black" } } },
  start: () => ({ cells: Array(9).fill(0), turn: 0, hand: [3, 3] }),
  facts: (s) => [{ name: "hand", text: "hand", label: `in hand: white ${s.hand[0]}, black ${s.hand[1]}` }],
  legal: (s, r) => {
    if (r !== s.turn) return [{ text: "noop", label: "noop", from: null, to: null }];
    if (s.hand[r]) return s.cells.flatMap((v, i) => (v ? [] : [{ text: `(put ${morrisPoints[i].name})`, label: `put ${morrisPoints[i].name}`, from: i, to: i }]));
    const out = s.cells.flatMap((v, i) => (v !== r + 1 ? [] : morris.shape.neighbours[i].filter((n) => !s.cells[n])
      .map((n) => ({ text: `(move ${morrisPoints[i].name} ${morrisPoints[n].name})`, label: `move ${morrisPoints[i].name} to ${morrisPoints[n].name}`, from: i, to: n }))));
    return out.length ? out : [{ text: "pass", label: "pass", from: null, to: null }];
  },
  next: (s, joint) => {
    const m = joint[s.turn], cells = [...s.cells], hand = [...s.hand];
    if (m.to !== null) {
      if (m.from === m.to) hand[s.turn]--; else cells[m.from] = 0;
      cells[m.to] = s.turn + 1;
    }
    return { cells, hand, turn: 1 - s.turn };
  },
  scores: (s) => {
    const w = rows(s.cells, 3, 3, 3, 0);
    return w ? result(w - 1) : null;
  },
});

const cards = ["7-hearts", "9-spades", "jack-hearts", "queen-clubs", "king-spades", "ace-diamonds"];
const highCard = {
  title: "High Card", summary: "Two hidden hands of three cards; the higher card takes the trick.", tags: ["cards"], roles: ["north", "south"],
  hidden: true, chance: true,
  shape: { layout: "grid", boards: ["north's hand", "south's hand", "table"], symbols: {}, neighbours: [], lines: [], fixed: [],
    cells: [...[0, 1].flatMap((b) => [0, 1, 2].map((x) => ({ name: `${["north", "south"][b]} ${x + 1}`, x, y: 0, board: b }))),
      { name: "table north", x: 0, y: 0, board: 2 }, { name: "table south", x: 1, y: 0, board: 2 }],
    values: ["empty", ...cards], pieces: Object.fromEntries(cards.map((c) => [c, { shape: "card", side: null, label: c }])) },
  start: () => {
    const deck = [1, 2, 3, 4, 5, 6];
    for (let i = 5; i > 0; i--) { const j = Math.floor(Math.random() * (i + 1)); [deck[i], deck[j]] = [deck[j], deck[i]]; }
    return { hands: [deck.slice(0, 3), deck.slice(3)], table: [0, 0], won: [0, 0] };
  },
  acting: () => [0, 1],
  legal: (s, r) => s.hands[r].flatMap((c, i) => (c ? [{ text: `(play ${cards[c - 1]})`, label: `play ${cards[c - 1]}`, from: r * 3 + i, to: r * 3 + i }] : [])),
  next: (s, joint) => {
    const played = joint.map((m, r) => s.hands[r][m.to - r * 3]);
    return { hands: s.hands.map((h, r) => h.map((c) => (c === played[r] ? 0 : c))), table: played,
      won: s.won.map((w, r) => w + (played[r] > played[1 - r] ? 1 : 0)) };
  },
  cells: (s, viewer, over) => [...s.hands.flatMap((h, r) => h.map((c) => (c && viewer !== r && !over ? null : c))), ...s.table],
  facts: (s) => [{ name: "won", text: "won", label: `tricks: north ${s.won[0]}, south ${s.won[1]}` }],
  scores: (s) => (s.hands.flat().some(Boolean) ? null : s.won[0] > s.won[1] ? [100, 0] : [0, 100]),
};

export const games = {
  "connect-four": connectFour, tictactoe, breakthrough, "hex-5": hex, "three-mens-morris": morris, "high-card": highCard,
};
