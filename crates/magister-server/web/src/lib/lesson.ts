// The guided lesson "Write your first game": steps with a task each, and what must stand in the rules afterwards.

export interface Step {
  title: string;
  /** What the step is about; words between ` are code. */
  text: string;
  /** Statements that the lesson writes before the task. */
  given: string;
  task: string;
  /** The statements that the reader adds. */
  wanted: string;
}

export const steps: Step[] = [
  {
    title: "Who plays",
    text: "We write Race to ten: two players add 1 or 2 to a total in turn, and the player who reaches ten wins. Rules are facts and conditions in parentheses. A semicolon begins a comment. First, the roles.",
    given: "; Race to ten: two players add 1 or 2 in turn. The player who reaches ten wins.\n(role left)",
    task: "Add a second role with the name `right`, in the same way.",
    wanted: "(role right)",
  },
  {
    title: "What a position is",
    text: "A position is a set of facts, called fluents. Here they are the total and whose turn it is. `base` lists every fluent that may ever occur, `input` every move, and `init` the initial position. Words that begin with a question mark are variables.",
    given: "(base (total 0))\n(<= (base (total ?n)) (succ ?m ?n))\n(base (control left))\n(base (control right))\n(<= (input ?r (add 1)) (role ?r))\n(<= (input ?r (add 2)) (role ?r))\n(<= (input ?r noop) (role ?r))\n(init (total 0))",
    task: "The role `left` begins: write that `(control left)` is part of the initial position.",
    wanted: "(init (control left))",
  },
  {
    title: "What is legal",
    text: "`(<= head condition...)` reads: the head holds if all conditions hold. `true` tests whether a fluent holds in the position. In every step every role moves; a role that waits has the move `noop`.",
    given: "; The role in control adds; the other waits.\n(<= (legal ?r (add ?k)) (true (control ?r)) (true (total ?n)) (sum ?n ?k ?m))",
    task: "Write the rule for waiting: `noop` is legal for `?r` if `?r` is a role and it is not true that `?r` is in control. `not` goes around the condition.",
    wanted: "(<= (legal ?r noop) (role ?r) (not (true (control ?r))))",
  },
  {
    title: "What happens",
    text: "`next` says which fluents hold in the next position. A fluent that no `next` rule derives becomes false. `does` tests which move a role makes.",
    given: "(<= (next (total ?m)) (does ?r (add ?k)) (true (total ?n)) (sum ?n ?k ?m))\n(<= (next (control right)) (true (control left)))",
    task: "After `right` it is the turn of `left` again. Write that rule.",
    wanted: "(<= (next (control left)) (true (control right)))",
  },
  {
    title: "The end",
    text: "The game ends in positions in which `terminal` holds.",
    given: "",
    task: "Write a rule with the head `terminal`: the total is 10.",
    wanted: "(<= terminal (true (total 10)))",
  },
  {
    title: "The score",
    text: "Goals are numbers from 0 to 100. When the game ends, every role has exactly one. The player who made the last move is no longer in control.",
    given: "(<= (goal ?r 100) (true (total 10)) (role ?r) (not (true (control ?r))))",
    task: "The role that is in control when the total is 10 has lost: write the rule for goal 0, with the condition about the total first.",
    wanted: "(<= (goal ?r 0) (true (total 10)) (true (control ?r)))",
  },
  {
    title: "Arithmetic is facts too",
    text: "GDL has no numbers built in. Facts list which number follows which, and rules derive sums from them.",
    given: "(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)\n(succ 5 6) (succ 6 7) (succ 7 8) (succ 8 9) (succ 9 10)\n(<= (sum ?n 1 ?m) (succ ?n ?m))",
    task: "Adding 2 is two steps: `?n` plus 2 is `?m` if `?k` follows `?n`, and `?m` follows `?k`.",
    wanted: "(<= (sum ?n 2 ?m) (succ ?n ?k) (succ ?k ?m))",
  },
];

/** The statements of rules in prefix form, in one spelling: blanks and names of variables do not matter. */
export function statements(text: string): string[] {
  const found: string[] = [];
  let depth = 0, now = "";
  for (const token of text.replace(/;.*$/gm, "").match(/[()]|[^\s()]+/g) ?? []) {
    if (token === "(") depth++;
    now += ` ${token.toLowerCase()}`;
    if (token === ")") depth--;
    if (depth <= 0) {
      found.push(now.trim());
      now = "";
      depth = 0;
    }
  }
  if (now !== "") found.push(now.trim());
  return found.map((one) => {
    const names = new Map<string, string>();
    return one.replace(/\?\S+/g, (name) => names.get(name) ?? (names.set(name, `?${names.size + 1}`), names.get(name)!));
  });
}

/** The rules at the beginning of a step, with what the reader has written before. */
export function begin(step: number, before: string): string {
  const known = new Set(statements(before));
  const given = steps[step]!.given;
  const missing = statements(given).some((one) => !known.has(one));
  return missing ? `${before.trimEnd()}${before.trim() === "" ? "" : "\n\n"}${given}\n` : before;
}

/** Whether the task of a step is done. */
export function done(step: number, text: string): boolean {
  const known = new Set(statements(text));
  return statements(steps[step]!.wanted).every((one) => known.has(one));
}

/** The rules with the statements of a step at the end. */
export const solve = (step: number, text: string): string => (done(step, text) ? text : `${text.trimEnd()}\n${steps[step]!.wanted}\n`);
