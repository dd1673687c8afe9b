#!/usr/bin/env python3
"""Compares the speed and strength of Magister's search with OpenSpiel's C++ search, or of two players.

`versus.py speed` prints simulations per second of both for each game, in the same position and in
turn. `versus.py match` plays matches: random openings, each from both seats, until a sequential
test ends. `versus.py duel` does the same with two players of Magister, in any two-player game in
which one role at a time has a choice. Both players have the same processor time per move on one
core, so the load of the machine does not matter. OpenSpiel's bot counts simulations instead of
time; its number of simulations is set from the time that its last move took.

Magister plays through `magister answer`, which reads moves as lines and keeps its tree.
"""

import argparse
import importlib.metadata
import json
import math
import random
import subprocess
import sys
import time

# More memory than any move needs.
MEGABYTES = 2000


def letters(text):
    """`d3` as column and row, from 1."""
    return ord(text[0]) - ord("a") + 1, int(text[1:])


def connect_four(state, action):
    return f"(drop {action + 1})"


def breakthrough(state, action):
    # The first side moves down in OpenSpiel and up in Magister.
    text = state.action_to_string(action).rstrip("*")
    x, y = letters(text[:2])
    to_x, to_y = letters(text[2:4])
    return f"(move {x} {9 - y} {to_x} {9 - to_y})"


def othello(state, action):
    text = state.action_to_string(action)
    if "pass" in text.lower():
        return None
    x, y = letters(text[:2])
    return f"(put {x} {y})"


def hex_board(state, action):
    size = math.isqrt(state.num_distinct_actions())
    return f"(put {action % size + 1} {action // size + 1})"


# The name in Magister, the name in OpenSpiel, and the conversion of moves.
GAMES = {
    "connect-four": ("connect_four", connect_four),
    "breakthrough": ("breakthrough", breakthrough),
    "othello": ("othello", othello),
    "hex-11": ("hex(board_size=11)", hex_board),
}


class Magister:
    """A process that plays one game after the other."""

    def __init__(self, options, game, player=None):
        command = [options.magister, "answer", game, "--player", player or options.player]
        command += ["--time", f"{round(options.time * 1000)}ms", "--cpu"]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)
        self.position = self.read()
        self.roles = self.position["roles"]
        self.spent, self.moves = 0.0, 0

    def begin(self, seed):
        self.position = self.ask(f"new {seed}")
        self.spent, self.moves = 0.0, 0

    def read(self):
        line = self.process.stdout.readline()
        if not line:
            sys.exit("versus.py: magister exited; check that --magister names a working binary")
        answer = json.loads(line)
        if "error" in answer:
            sys.exit(f"versus.py: magister reports: {answer['error']}")
        return answer

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.read()

    def play(self, text):
        # Without a choice there is exactly one joint move.
        if not self.position["choosing"]:
            self.position = self.ask("random")
        elif text is not None:
            self.position = self.ask(f"play {text}")

    def think(self):
        while not self.position["choosing"]:
            self.position = self.ask("random")
        found = self.ask("go")
        self.spent += found["cpu_ms"] / 1000
        self.moves += 1
        return found

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class OpenSpiel:
    """A bot with a time budget per move."""

    def __init__(self, pyspiel, game, options):
        self.pyspiel, self.game, self.options = pyspiel, game, options
        self.rate = None

    def search(self, state, simulations, seed):
        """The action, and the seconds it took."""
        evaluator = self.pyspiel.RandomRolloutEvaluator(1, seed)
        solve = not self.options.no_solver
        bot = self.pyspiel.MCTSBot(
            self.game, evaluator, self.options.uct, simulations, MEGABYTES, solve, seed, False
        )
        before = time.thread_time()
        action = bot.step(state)
        return action, time.thread_time() - before

    def think(self, state, seed):
        if self.rate is None:
            simulations = 500
            _, took = self.search(state, simulations, seed)
            self.rate = simulations / took
        simulations = max(10, int(self.rate * self.options.time))
        action, took = self.search(state, simulations, seed)
        # A position that is solved at once does not measure speed.
        if took > self.options.time / 10:
            self.rate = simulations / took
        return action, took, simulations


def speed(pyspiel, options):
    version = importlib.metadata.version("open_spiel")
    print(f"Simulations per second of processor time; OpenSpiel {version}.\n")
    print("| game | Magister | OpenSpiel | ratio |\n|---|---|---|---|")
    for name in options.games:
        there, write = GAMES[name]
        game = pyspiel.load_game(there)
        ours, theirs = [], []
        for number in range(options.rounds):
            magister = Magister(options, name)
            bot = OpenSpiel(pyspiel, game, options)
            state = game.new_initial_state()
            rng = random.Random(number)
            # The first move includes the preparation of the game and the attempt to solve it.
            magister.think()
            for _ in range(2):
                action = rng.choice(state.legal_actions())
                magister.play(write(state, action))
                state.apply_action(action)
            found = magister.think()
            ours.append(found["iterations"] / found["cpu_ms"] * 1000)
            bot.think(state, number)
            _, took, simulations = bot.think(state, number)
            theirs.append(simulations / took)
            magister.close()
        mine, other = max(ours), max(theirs)
        print(f"| {name} | {mine:,.0f} | {other:,.0f} | {mine / other:.1f} |", flush=True)


def opening(game, plies, rng):
    """Random actions that do not end the game."""
    while True:
        state, actions = game.new_initial_state(), []
        for _ in range(plies):
            if state.is_terminal():
                break
            actions.append(rng.choice(state.legal_actions()))
            state.apply_action(actions[-1])
        if not state.is_terminal():
            return actions


def play(magister, bot, write, actions, seat, seed):
    """Plays one game; returns the score of Magister, from 0 to 1, and the mean seconds of both."""
    game = bot.game
    magister.begin(seed)
    state = game.new_initial_state()
    spent, moves = 0.0, 0
    for number in range(10_000):
        if state.is_terminal():
            break
        legal = state.legal_actions()
        if number < len(actions):
            action = actions[number]
        elif len(legal) == 1:
            action = legal[0]
        elif state.current_player() == seat:
            found = magister.think()
            texts = {write(state, action): action for action in legal}
            if found["move"] not in texts:
                sys.exit(f"versus.py: {found['move']} is not one of {sorted(map(str, texts))}")
            action = texts[found["move"]]
        else:
            action, took, _ = bot.think(state, seed * 1000 + number)
            spent += took
            moves += 1
        if not magister.position["over"]:
            magister.play(write(state, action))
        state.apply_action(action)
    score = (state.returns()[seat] + 1) / 2
    return score, [magister.spent / max(magister.moves, 1), spent / max(moves, 1)]


def duel(name, options, sides, seat, seed):
    """Plays one game between two players of Magister from a random opening; returns the same as
    `play`, or None if the opening ends the game."""
    for side in sides:
        side.begin(seed)
    # The same seed gives the same random moves.
    for _ in range(options.opening):
        if not sides[0].position["over"]:
            for side in sides:
                side.position = side.ask("random")
    # The role of the first player: the first to choose, or the other one.
    roles = sides[0].roles
    me = roles[seat]
    played = False
    while not sides[0].position["over"]:
        choosing = sides[0].position["choosing"]
        if len(choosing) > 1:
            sys.exit(f"versus.py: {name} has simultaneous choices")
        text = None
        if choosing:
            played = True
            text = sides[0 if choosing[0] == me else 1].think()["move"]
        for side in sides:
            side.play(text)
    rewards = sides[0].position["rewards"]
    if not played:
        return None
    mine, other = rewards[me], rewards[roles[1 - seat]]
    score = 0.5 + 0.5 * ((mine > other) - (mine < other))
    return score, [side.spent / max(side.moves, 1) for side in sides]


def interval(total, count):
    """Wilson's 95 % interval."""
    if count == 0:
        return 0.0, 1.0
    z, mean = 1.96, total / count
    middle = (mean + z * z / (2 * count)) / (1 + z * z / count)
    width = z / (1 + z * z / count) * math.sqrt(mean * (1 - mean) / count + z * z / (4 * count**2))
    return middle - width, middle + width


def evidence(scores, low, high):
    """The log-likelihood ratio of the means `high` and `low`.

    A draw counts as half a win and half a loss, which is conservative because draws have less
    variance. An estimated variance would be close to zero after a few wins in a row, and the test
    would end too early.
    """
    won = sum(scores)
    lost = len(scores) - won
    return won * math.log(high / low) + lost * math.log((1 - high) / (1 - low))


def series(name, options, one_game):
    """Plays games until the test ends; `one_game` plays one with its seed and seat."""
    bound = math.log((1 - options.error) / options.error)
    scores, times, verdict, number = [], [], "open", 0
    while len(scores) < options.most:
        # Both games of a pair have the same opening.
        pair = [one_game(options.seed * 10_000 + number, seat) for seat in (0, 1)]
        number += 1
        if None in pair:
            continue
        for score, spent in pair:
            scores.append(score)
            times.append(spent)
        print(f"{name}: {sum(scores):g} of {len(scores)}", file=sys.stderr, flush=True)
        found = evidence(scores, options.low, options.high)
        if len(scores) >= options.least and abs(found) > bound:
            verdict = "above" if found > 0 else "below"
            break
    count, total = len(scores), sum(scores)
    low, high = interval(total, count)
    won, drawn = sum(s > 0.5 for s in scores), sum(s == 0.5 for s in scores)
    seconds = [sum(t[side] for t in times) / count for side in (0, 1)]
    print(
        f"| {name} | {count} | {won} | {drawn} | {count - won - drawn} | {100 * total / count:.1f} % "
        f"| {100 * low:.1f}–{100 * high:.1f} % | {elo(total / count)} ({elo(low)} to {elo(high)}) "
        f"| {verdict} | {seconds[0]:.3f} : {seconds[1]:.3f} |",
        flush=True,
    )


def elo(score):
    """The difference in Elo points for a score."""
    if score <= 0.0 or score >= 1.0:
        return "−∞" if score <= 0.0 else "∞"
    return f"{round(-400 * math.log10(1 / score - 1)):+d}"


def head(text, options):
    print(
        f"{text}, {options.time:g} s of processor time per move, {options.opening} random moves "
        f"first. The test distinguishes {options.low:g} from {options.high:g}.\n"
    )
    print("| game | games | won | drawn | lost | score | 95 % | Elo | test | s per move |")
    print("|---" * 10 + "|", flush=True)


def match(pyspiel, options):
    version = importlib.metadata.version("open_spiel")
    solver = "without" if options.no_solver else "with"
    bot = f"OpenSpiel {version}'s MCTS (c = {options.uct:g}, {solver} solver)"
    head(f"`{options.player}` against {bot}", options)
    for name in options.games:
        there, write = GAMES[name]
        game = pyspiel.load_game(there)
        magister, bot = Magister(options, name), OpenSpiel(pyspiel, game, options)

        def one_game(seed, seat, write=write, game=game, magister=magister, bot=bot):
            actions = opening(game, options.opening, random.Random(seed))
            return play(magister, bot, write, actions, seat, seed)

        series(name, options, one_game)
        magister.close()


def duels(options):
    head(f"`{options.player}` against `{options.other}`", options)
    for name in options.games:
        sides = [Magister(options, name), Magister(options, name, options.other)]

        def one_game(seed, seat, name=name, sides=sides):
            return duel(name, options, sides, seat, seed)

        series(name, options, one_game)
        for side in sides:
            side.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["speed", "match", "duel"])
    parser.add_argument("games", nargs="*", help=f"{', '.join(GAMES)}; for a duel any")
    parser.add_argument("--magister", default="magister", help="the binary")
    parser.add_argument("--player", default="uct", help="by Magister's name, with parameters")
    parser.add_argument("--other", default="mcts", help="the other player of a duel")
    parser.add_argument("--time", type=float, help="seconds per move [0.2, or 1 for speed]")
    parser.add_argument("--uct", type=float, default=1.4, help="OpenSpiel's exploration constant")
    parser.add_argument("--no-solver", action="store_true", help="without OpenSpiel's solver")
    parser.add_argument("--rounds", type=int, default=3, help="for speed; the best counts")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--opening", type=int, default=4, help="random moves of an opening")
    parser.add_argument("--low", type=float, default=0.60, help="the score of the null hypothesis")
    parser.add_argument("--high", type=float, default=0.75, help="the score of the alternative hypothesis")
    parser.add_argument("--error", type=float, default=0.05, help="of the sequential test")
    parser.add_argument("--least", type=int, default=20, help="games at least")
    parser.add_argument("--most", type=int, default=200, help="games at most")
    options = parser.parse_intermixed_args()
    if options.what == "duel":
        options.time = options.time or 0.2
        duels(options)
        return
    for name in options.games:
        if name not in GAMES:
            parser.error(f"{name} is not one of {', '.join(GAMES)}")
    try:
        import pyspiel
    except ImportError as error:
        sys.exit(f"versus.py: {error}; `pip install open_spiel` installs it")
    if options.what == "speed":
        options.time = options.time or 1.0
        options.games = options.games or list(GAMES)
        speed(pyspiel, options)
    else:
        options.time = options.time or 0.2
        options.games = options.games or ["connect-four", "breakthrough", "othello"]
        match(pyspiel, options)


if __name__ == "__main__":
    main()
