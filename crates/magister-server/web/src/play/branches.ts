// The lines that were tried in standalone play: a tree of histories, so that a new move loses nothing.

export interface Node {
  /** The joint move that leads here; empty at the root. */
  moves: { role: number; text: string; label: string }[];
  children: Node[];
}

export const root = (): Node => ({ moves: [], children: [] });

const same = (a: Node["moves"], b: Node["moves"]) => a.length === b.length && a.every((move, i) => move.role === b[i]!.role && move.text === b[i]!.text);

/** Adds a line to the tree; returns the node at its end. */
export function grow(tree: Node, line: Node["moves"][]): Node {
  let node = tree;
  for (const moves of line) {
    let next = node.children.find((child) => same(child.moves, moves));
    if (!next) {
      next = { moves, children: [] };
      node.children.push(next);
    }
    node = next;
  }
  return node;
}

/** All complete lines, each as its joint moves. */
export function lines(tree: Node): Node["moves"][][] {
  const all: Node["moves"][][] = [];
  const walk = (node: Node, line: Node["moves"][]) => {
    if (node.children.length === 0 && line.length > 0) all.push(line);
    for (const child of node.children) walk(child, [...line, child.moves]);
  };
  walk(tree, []);
  return all;
}

/** The number of joint moves that two lines share at their beginning. */
export function common(a: Node["moves"][], b: Node["moves"][]): number {
  let n = 0;
  while (n < a.length && n < b.length && same(a[n]!, b[n]!)) n++;
  return n;
}
