#!/usr/bin/env python3
"""Measures the speed of random play in OpenSpiel's C++; prints one JSON line per game.

The games run entirely in C++: a search bot gets a single simulation and evaluates it by many random
rollouts from the initial state, so it is a loop over playouts. Python starts it and measures
processor time. The bot does not report its number of moves. A loop in Python over the same games
measures the mean length of a playout; moves per second are playouts per second times that length.
"""

import argparse
import importlib.metadata
import json
import random
import sys
import time

GAMES = ["tic_tac_toe", "connect_four", "breakthrough", "othello"]
# The bot requires these arguments; a single simulation does not use them.
UCT, MEGABYTES = 1.4, 100


def rollouts(pyspiel, game, count, seed):
    """Processor seconds for `count` random playouts in C++."""
    evaluator = pyspiel.RandomRolloutEvaluator(count, seed)
    bot = pyspiel.MCTSBot(game, evaluator, UCT, 1, MEGABYTES, False, seed, False)
    start = game.new_initial_state()
    before = time.thread_time()
    bot.mcts_search(start)
    return time.thread_time() - before


def playouts_per_s(pyspiel, game, seconds, rounds):
    """The best of several rounds of about `seconds` each."""
    count, took = 64, 0.0
    while took < seconds / 4:
        count *= 2
        took = rollouts(pyspiel, game, count, 1)
    count = max(1, int(count * seconds / took))
    return max(count / rollouts(pyspiel, game, count, seed) for seed in range(2, rounds + 2))


def mean_length(game, seconds, seed=1):
    """Mean moves per playout, over the playouts that fit into `seconds`."""
    rng = random.Random(seed)
    moves = playouts = 0
    end = time.thread_time() + seconds
    while playouts == 0 or time.thread_time() < end:
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(rng.choice(state.legal_actions()))
            moves += 1
        playouts += 1
    return moves / playouts, playouts


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("games", nargs="*", default=GAMES, help="by OpenSpiel's names")
    parser.add_argument("--seconds", type=float, default=0.5, help="of each round")
    parser.add_argument("--rounds", type=int, default=5, help="the best one counts")
    options = parser.parse_args()
    try:
        import pyspiel
    except ImportError as error:
        sys.exit(f"openspiel.py: {error}; `pip install open_spiel` installs it")
    for name in options.games:
        game = pyspiel.load_game(name)
        length, counted = mean_length(game, 2 * options.seconds)
        playouts = playouts_per_s(pyspiel, game, options.seconds, options.rounds)
        line = {
            "game": name,
            "open_spiel": importlib.metadata.version("open_spiel"),
            "states_per_s": playouts * length,
            "playouts_per_s": playouts,
            "mean_length": length,
            "counted": counted,
            "clock": "cpu",
        }
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
