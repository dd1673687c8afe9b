#!/usr/bin/env python3
"""A second judge for Magister: positions of games, judged by answer-set programming.

The judge has its own reader for the rules. It translates them to an answer-set program (`asp.py`),
and clingo computes legal moves, terminal flag, goals, successor and percepts in positions of random
matches. Every answer is compared with that of `magister step --json`. The two programs share
neither code nor method, so only an error in both could stay unnoticed.

Prefix GDL and GDL-II are translated. The only requirement is `pip install clingo`.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import random
import re
import resource
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path

from asp import Answers, Judge, Term, Untranslatable, kif, read, translate

ROOT = Path(__file__).resolve().parent.parent

# ---------------------------------------------------------------------------------------------
# Calls of Magister.


@dataclass
class Position:
    """The answers of Magister about a position."""

    state: set[Term]
    terminal: bool
    legal: dict[Term, set[Term]]
    goals: dict[Term, set[float]]
    moves: dict[Term, Term]  # that led here
    percepts: dict[Term, set[Term]] | None


def one(text: str) -> Term:
    (term,) = read(text)
    return term


def position_of(line: str) -> Position:
    said = json.loads(line)
    percepts = said["percepts"]
    return Position(
        state=set(one(said["state"])),
        terminal=said["terminal"],
        legal={role: set(map(one, moves)) for role, moves in said["legal"].items()},
        goals={role: set(values) for role, values in said["goals"].items()},
        moves={role: one(move) for role, move in (said["moves"] or {}).items()},
        percepts=percepts and {role: set(map(one, seen)) for role, seen in percepts.items()},
    )


class Session:
    """A match in `magister step`, which receives one command at a time."""

    def __init__(self, rules: Path, options: argparse.Namespace) -> None:
        command = [options.magister, "step", "--json", "--seed", str(options.seed)]
        if options.evaluator:
            command += ["--evaluator", options.evaluator]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            [*command, str(rules)], stdin=pipe, stdout=pipe, stderr=pipe, text=True
        )
        assert self.process.stdin and self.process.stdout and self.process.stderr
        self.commands, self.answers = self.process.stdin, self.process.stdout
        self.complaints = self.process.stderr

    def read(self) -> Position:
        line = self.answers.readline()
        if not line:
            complaint = self.complaints.read().strip().splitlines() or ["no answer"]
            raise Untranslatable(complaint[-1])
        return position_of(line)

    def tell(self, command: str) -> Position:
        self.commands.write(command + "\n")
        self.commands.flush()
        return self.read()

    def close(self) -> None:
        self.commands.close()
        self.process.kill()
        self.process.wait()


# The maximal number of steps between two compared positions.
STRIDE = 4


def steps(session: Session, count: int, seed: int) -> Iterator[tuple[Position, Position | None]]:
    """Positions of random matches, each with the one after it if it is not terminal."""
    draw = random.Random(seed)
    here = session.read()
    for _ in range(count):
        if here.terminal:
            yield here, None
            here = session.tell("jump 0")
            if here.terminal:
                return  # The game has no other position.
            here = session.tell(f"random {draw.randint(1, STRIDE)}")
            continue
        after = session.tell("random")
        yield here, after
        here = after
        skipped = draw.randint(0, STRIDE)
        if skipped and not here.terminal:
            here = session.tell(f"random {skipped}")


# ---------------------------------------------------------------------------------------------
# Comparison.


@dataclass
class Verdict:
    """The result of a game."""

    positions: int = 0
    mismatches: list[str] = field(default_factory=list)
    skipped: str | None = None


def listed(items: set[Term] | set[float]) -> str:
    return " ".join(sorted(f"{i:g}" if isinstance(i, float) else kif(i) for i in items))


def difference(
    what: str, clingo_says: set[Term] | set[float], magister_says: set[Term] | set[float]
) -> Iterator[str]:
    if clingo_says != magister_says:
        yield (
            f"{what}: only clingo {{{listed(clingo_says - magister_says)}}}, "
            f"only magister {{{listed(magister_says - clingo_says)}}}"
        )


def numbers(values: set[Term]) -> set[float]:
    return {float(v) for v in values if isinstance(v, str) and re.fullmatch(r"[+-]?\d+", v)}


def differences(answers: Answers, here: Position, after: Position | None) -> Iterator[str]:
    yield from difference("role", answers.terms("role"), set(here.legal))
    if answers.terminal != here.terminal:
        yield f"terminal: clingo {answers.terminal}, magister {here.terminal}"
    for role in here.legal:
        # Magister reports no moves in a terminal state, even if the rules allow some.
        if not here.terminal:
            yield from difference(f"legal {role}", answers.by_role("legal", role), here.legal[role])
        yield from difference(
            f"goal {role}", numbers(answers.by_role("goal", role)), here.goals[role]
        )
    if after is None:
        return
    yield from difference("next", answers.terms("next"), after.state)
    for role, seen in (after.percepts or {}).items():
        yield from difference(f"sees {role}", answers.by_role("sees", role), seen)


def judge(rules: Path, options: argparse.Namespace) -> Verdict:
    verdict = Verdict()
    session = Session(rules, options)
    try:
        clerk = Judge(translate(rules.read_text(encoding="utf-8", errors="replace")))
        for here, after in steps(session, options.positions, options.seed):
            answers = clerk.ask(here.state, after.moves if after else {})
            found = list(differences(answers, here, after))
            if verdict.positions == 0:
                found += difference("init", answers.terms("init"), here.state)
            verdict.positions += 1
            if found:
                place = f"in {kif(tuple(sorted(here.state, key=kif)))}"
                moves = after and " ".join(f"{r} {kif(m)}" for r, m in after.moves.items())
                verdict.mismatches += [f"{text} [{place}, moves {moves}]" for text in found]
    except Untranslatable as reason:
        verdict.skipped = str(reason)
    finally:
        session.close()
    return verdict


def work(rules: Path, options: argparse.Namespace, answer: Connection) -> None:
    limit = options.memory << 30
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    try:
        verdict = judge(rules, options)
    except MemoryError:
        verdict = Verdict(skipped=f"more than {options.memory} GiB")
    answer.send(verdict)


def judge_apart(rules: Path, options: argparse.Namespace) -> Verdict:
    """Judges a game in a separate process, which is killed after the timeout."""
    # A new interpreter, because a fork of a program with threads may inherit held locks.
    fresh = multiprocessing.get_context("spawn")
    here, there = fresh.Pipe(duplex=False)
    process = fresh.Process(target=work, args=(rules, options, there))
    process.start()
    there.close()
    try:
        if here.poll(options.timeout):
            verdict: Verdict = here.recv()
            return verdict
        return Verdict(skipped=f"not done in {options.timeout} s")
    except EOFError:
        return Verdict(skipped="clingo ended without an answer")
    finally:
        process.kill()
        process.join()


# ---------------------------------------------------------------------------------------------


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("rules", nargs="*", type=Path, help="rulesheets in addition to the bundled ones")
    parser.add_argument("--positions", type=int, default=20, help="positions of each game")
    parser.add_argument("--seed", type=int, default=1, help="seed of the matches")
    parser.add_argument("--timeout", type=float, default=60, help="seconds for each game")
    parser.add_argument("--memory", type=int, default=4, help="GiB for each game")
    parser.add_argument("--jobs", type=int, default=2, help="games at a time")
    parser.add_argument("--evaluator", help="the evaluator of Magister")
    parser.add_argument(
        "--magister",
        default=str(ROOT / "target/release/magister"),
        help="the command [target/release/magister]",
    )
    return parser.parse_args()


def main() -> int:
    options = arguments()
    if not Path(options.magister).is_file():
        print(
            f"there is no {options.magister}; build it with `cargo build --release`, or name "
            "it with --magister",
            file=sys.stderr,
        )
        return 2
    files = [*sorted((ROOT / "games").glob("*/rules.kif")), *options.rules]
    games = positions = mismatches = skipped = 0
    with ThreadPoolExecutor(options.jobs) as pool:
        verdicts = pool.map(lambda rules: judge_apart(rules, options), files)
        for rules, verdict in zip(files, verdicts):
            name = rules.parent.name if rules.name == "rules.kif" else rules.stem
            if verdict.skipped and not verdict.mismatches:
                skipped += 1
                print(f"{name}: skipped: {verdict.skipped}", flush=True)
                continue
            games += 1
            positions += verdict.positions
            mismatches += len(verdict.mismatches)
            print(
                f"{name}: positions {verdict.positions}, mismatches {len(verdict.mismatches)}",
                flush=True,
            )
            for text in verdict.mismatches[:3]:
                print(f"  {text}", flush=True)
    print(f"games {games}, positions {positions}, mismatches {mismatches}, skipped {skipped}")
    return 0 if mismatches == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
