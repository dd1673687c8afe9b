// Which piece of one position is which piece of the next, so that pieces move instead of jumping.

import type { Move } from "../lib/types";

export interface Standing {
  id: number;
  cell: number;
  /** The value of the cell, or null where it is unknown. */
  value: number | null;
}

let counter = 0;

export function standing(cells: (number | null)[] | null): Standing[] {
  return advance([], cells, [], () => 1);
}

/**
 * The pieces of the new position. A piece keeps its id if it stays, if the last move took it along,
 * or if a piece of the same value disappeared elsewhere; of several the nearest.
 */
export function advance(
  before: Standing[],
  cells: (number | null)[] | null,
  last: Move[],
  distance: (a: number, b: number) => number,
): Standing[] {
  if (cells === null) return [];
  const old = new Map(before.map((piece) => [piece.cell, piece]));
  const after: Standing[] = [];
  const free: { cell: number; value: number | null }[] = [];
  cells.forEach((value, cell) => {
    if (value === 0) return;
    const same = old.get(cell);
    if (same && same.value === value) {
      after.push(same);
      old.delete(cell);
    } else {
      free.push({ cell, value });
    }
  });
  const take = (piece: Standing, to: { cell: number; value: number | null }) => {
    old.delete(piece.cell);
    after.push({ id: piece.id, cell: to.cell, value: to.value });
  };
  let rest = free.filter((to) => {
    const move = last.find((played) => played.to === to.cell && played.from !== null && played.from !== played.to);
    const piece = move && old.get(move.from!);
    if (!piece || cells[move.from!] === piece.value) return true;
    take(piece, to);
    return false;
  });
  rest = rest.filter((to) => {
    if (to.value === null) return true;
    let best: Standing | null = null;
    for (const piece of old.values()) {
      if (piece.value !== to.value) continue;
      if (best === null || distance(piece.cell, to.cell) < distance(best.cell, to.cell)) best = piece;
    }
    if (best === null) return true;
    take(best, to);
    return false;
  });
  for (const to of rest) after.push({ id: ++counter, cell: to.cell, value: to.value });
  return after.sort((a, b) => a.id - b.id);
}
