//! The list of players.

use crate::alphabeta::AlphaBeta;
use crate::bestfirst::BestFirst;
use crate::depth::Searcher;
use crate::mcs::Flat;
use crate::mcts::Mcts;
use crate::registry::{Entry, Parameter};
use crate::simple::Simple;
use crate::uct::Uct;

const EXPANDED: &str = "a position that is expanded";

const MEMORY: Parameter =
    Parameter::whole("memory", 256, (1, 1 << 20), "the memory it may use, in MiB");

/// A player that sees everything, without parameters.
const fn plain(
    name: &'static str,
    about: &'static str,
    make: fn(&crate::Settings) -> Box<dyn magister_core::Agent>,
) -> Entry {
    Entry { name, about, iteration: EXPANDED, parameters: &[], hidden: false, make }
}

/// All players, from those that do not think to the strongest.
pub const PLAYERS: &[Entry] = &[
    Entry {
        iteration: "it makes none",
        hidden: true,
        ..plain("legal", "Plays the first legal move", Simple::legal)
    },
    Entry {
        iteration: "it makes none",
        hidden: true,
        ..plain("random", "Plays a random legal move", Simple::random)
    },
    plain("onestep", "Looks one move ahead and trusts the goal values there", Searcher::onestep),
    plain("twostep", "Looks at its move, an answer and its next move", Searcher::twostep),
    plain(
        "maximizer",
        "Looks for the best end that can be reached if all others help",
        Searcher::maximizer,
    ),
    Entry {
        parameters: &[
            Parameter::whole(
                "bounds",
                1,
                (0, 1),
                "whether the best and the worst reward end a search",
            ),
            Parameter::real(
                "level",
                u32::MAX as f64,
                (0.0, u32::MAX as f64),
                "a reward that is good enough, such as 51",
            ),
        ],
        ..plain("minimax", "Searches to the end, all others being hostile", Searcher::minimax)
    },
    Entry {
        parameters: &[Parameter::whole("depth", 3, (1, 100), "how many joint moves to look ahead")],
        ..plain("minimaxdepth", "Minimax to a fixed depth", Searcher::minimaxdepth)
    },
    plain("minimaxid", "Minimax, one deeper at a time", Searcher::minimaxid),
    plain("maximax", "Searches to the end, everybody being selfish", Searcher::maximax),
    plain("maxn", "Max-n: everybody is selfish; one deeper at a time", Searcher::maxn),
    plain("paranoid", "All others are hostile together; one deeper at a time", Searcher::minimaxid),
    Entry {
        parameters: &[Parameter::whole("depth", 2, (1, 100), "how many joint moves to look ahead")],
        ..plain("expectimax", "Means over chance, everybody being selfish", Searcher::expectimax)
    },
    Entry {
        parameters: &[
            Parameter::whole(
                "playouts",
                0,
                (0, 10_000),
                "playouts that value a position at the horizon, 0 for goal values",
            ),
            Parameter::whole("memory", 64, (1, 1 << 20), "the memory it may use, in MiB"),
        ],
        ..plain(
            "alphabeta",
            "Alpha-beta with a transposition table, all others being hostile; one deeper at a time",
            AlphaBeta::make,
        )
    },
    Entry {
        parameters: &[MEMORY],
        ..plain("greedy", "Widens a tree where goal values are best", BestFirst::greedy)
    },
    Entry {
        parameters: &[MEMORY],
        ..plain("pts", "Widens a tree where it was least visited", BestFirst::pts)
    },
    Entry {
        iteration: "a playout",
        ..plain("mcs", "Playouts after each of its moves, the best mean wins", Flat::make)
    },
    Entry {
        iteration: "a descent with a playout",
        parameters: &[
            Parameter::real("c", 0.7, (0.0, 100.0), "how much what was visited little is worth"),
            Parameter::whole(
                "steps",
                1000,
                (1, 1_000_000),
                "steps after which a playout is cut off",
            ),
            MEMORY,
        ],
        ..plain("mcts", "Plain UCT, one playout at a time", Mcts::make)
    },
    Entry {
        iteration: "a descent with playouts of its own",
        parameters: &[
            Parameter::real("c", 0.4, (0.0, 100.0), "how much what was visited little is worth"),
            Parameter::real(
                "fpu",
                1.0,
                (0.01, 100.0),
                "the visits that an untried move is taken to have",
            ),
            Parameter::real(
                "bias",
                0.0,
                (0.0, 100.0),
                "how much the worth of a move elsewhere counts",
            ),
            Parameter::real(
                "grave",
                0.0,
                (0.0, 1e6),
                "the visits up to which playouts with the move made later count most",
            ),
            Parameter::whole("threads", 1, (1, 256), "threads that share the playouts of a round"),
            Parameter::whole(
                "batch",
                0,
                (0, 4096),
                "descents of a round, 0 for as many as the engine plays out at once",
            ),
            Parameter::whole(
                "expand",
                0,
                (0, 1000),
                "how often a leaf is played out before its moves are tried, 0 for what suits the \
                 engine",
            ),
            Parameter::whole(
                "playouts",
                0,
                (0, 10_000),
                "playouts of a leaf, 0 for what suits the engine",
            ),
            Parameter::whole(
                "steps",
                1000,
                (1, 1_000_000),
                "steps after which a playout is cut off",
            ),
            MEMORY,
        ],
        ..plain("uct", "UCT in a graph with proofs and playouts side by side", Uct::make)
    },
];
