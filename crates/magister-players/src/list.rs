//! The list of players.

use crate::alphabeta::AlphaBeta;
use crate::bestfirst::BestFirst;
use crate::council::Council;
use crate::depth::Searcher;
use crate::hidden::{
    Bayes, Clairvoyant, Honest, HyperPlay, HyperPlay2, Ismcts, Pimc, Regret, Thesis,
};
use crate::mcs::Flat;
use crate::mcts::Mcts;
use crate::plies::Plies;
use crate::puct::Puct;
use crate::registry::{Parameter, Registered};
use crate::simple::{Simple, nobody};
use crate::uct::{POLICIES, Uct};

const EXPANDED: &str = "a position that is expanded";

const MEMORY: Parameter =
    Parameter::whole("memory", 256, (1, 1 << 20), "the memory it may use, in MiB");

const NODES: Parameter = Parameter::whole(
    "nodes",
    50_000,
    (1, 1 << 28),
    "the nodes that the game may have; of a larger one, courses are drawn as by oos",
);

const WALK: Parameter = Parameter::whole(
    "nodes",
    20_000,
    (1, 1 << 28),
    "the nodes that a walk may have; where there are more, courses are drawn as by oos",
);

/// How many states are followed before a sample is drawn, and the size of a sample.
const STATES: Parameter = Parameter::whole(
    "states",
    5_000,
    (1, 1 << 24),
    "how many states it follows exactly before it goes over to a sample",
);
const PARTICLES: Parameter =
    Parameter::whole("particles", 1_000, (1, 1 << 24), "the courses of the game in a sample");
const EXPLORE: Parameter =
    Parameter::real("c", 0.7, (0.0, 100.0), "how much what was visited little is worth");

/// A player that sees everything, without parameters.
const fn plain(
    name: &'static str,
    about: &'static str,
    make: fn(&crate::registry::Arguments) -> crate::registry::Made,
) -> Registered {
    Registered {
        name,
        about,
        iteration: EXPANDED,
        parameters: &[],
        hidden: false,
        clairvoyant: false,
        make,
    }
}

/// A person. People are asked by the arena, without a clock, and can take moves back; where nobody
/// is there to ask them, they give no move.
pub static HUMAN: Registered = Registered {
    iteration: "it makes none",
    hidden: true,
    ..plain("human", "A person at the terminal; `magister play` is the short way", nobody)
};

/// All players, from those that do not think to the strongest.
pub const PLAYERS: &[Registered] = &[
    Registered {
        iteration: "it makes none",
        hidden: true,
        ..plain("legal", "Plays the first legal move", Simple::legal)
    },
    Registered {
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
    Registered {
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
    Registered {
        parameters: &[Parameter::whole("depth", 3, (1, 100), "how many joint moves to look ahead")],
        ..plain("minimaxdepth", "Minimax to a fixed depth", Searcher::minimaxdepth)
    },
    plain("minimaxid", "Minimax, one deeper at a time", Searcher::minimaxid),
    plain("maximax", "Searches to the end, everybody being selfish", Searcher::maximax),
    plain("maxn", "Max-n: everybody is selfish; one deeper at a time", Searcher::maxn),
    plain("paranoid", "All others are hostile together; one deeper at a time", Searcher::minimaxid),
    Registered {
        parameters: &[Parameter::whole("depth", 2, (1, 100), "how many joint moves to look ahead")],
        ..plain("expectimax", "Means over chance, everybody being selfish", Searcher::expectimax)
    },
    Registered {
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
    Registered {
        parameters: &[MEMORY],
        ..plain("greedy", "Widens a tree where goal values are best", BestFirst::greedy)
    },
    Registered {
        parameters: &[MEMORY],
        ..plain("pts", "Widens a tree where it was least visited", BestFirst::pts)
    },
    Registered {
        iteration: "a playout",
        parameters: &[Parameter::whole(
            "playouts",
            32,
            (1, 100_000),
            "playouts that value a position for who stands around it",
        )],
        ..plain("mcs", "Playouts after each of its moves, the best mean wins", Flat::make)
    },
    Registered {
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
    Registered {
        parameters: &[
            Parameter::whole("depth", 2, (1, 100), "how many joint moves to look ahead"),
            Parameter::player("inner", "onestep", "the player that values the positions there"),
        ],
        ..plain("plies", "Looks ahead, and trusts another player there", Plies::make)
    },
    Registered {
        iteration: "a descent to a new position",
        parameters: &[
            Parameter::real("c", 1.25, (0.0, 100.0), "how much what was visited little is worth"),
            Parameter::real(
                "sharp",
                0.0,
                (0.0, 1000.0),
                "how much likelier a move is that looks better at once, 0 for not at all",
            ),
            Parameter::player("inner", "mcs", "the player or model that values new positions"),
            Parameter::whole(
                "batch",
                0,
                (0, 1 << 16),
                "the descents whose ends are valued in one call, 0 for what suits the inner player",
            ),
            Parameter::real(
                "loss",
                1.0,
                (0.0, 100.0),
                "the losses that a descent under way counts for, 0 for one descent at a time",
            ),
            MEMORY,
        ],
        ..plain("puct", "A tree whose leaves another player values, many at once", Puct::make)
    },
    Registered {
        iteration: "an iteration of a member",
        parameters: &[
            Parameter::whole("threads", 2, (1, 256), "the members, each on a thread of its own"),
            Parameter::player("inner", "uct", "what each of them is"),
        ],
        ..plain("council", "Several of a player think at the same time, and vote", Council::make)
    },
    Registered {
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
            Parameter::choice(
                "policy",
                POLICIES,
                "how playouts that are played one by one choose: by what moves did after the same \
                 moves before, by what they did anywhere, or all alike; where one is named, all are \
                 played so; else it is nst where neither lanes nor threads play many at once",
            ),
            Parameter::real(
                "epsilon",
                0.2,
                (0.0, 1.0),
                "how likely a playout with a policy makes any move instead of the best",
            ),
            Parameter::whole("threads", 1, (1, 256), "threads that share the playouts of a round"),
            Parameter::whole(
                "batch",
                0,
                (0, 4096),
                "descents of a round, 0 for as many as the engine plays out at once",
            ),
            Parameter::whole(
                "patience",
                128,
                (1, 1000),
                "a round has at most one descent for so many visits of the root, as long as there is \
                 time for many rounds",
            ),
            Parameter::whole(
                "crowd",
                4,
                (1, 1000),
                "a node takes at most one descent at once for so many visits, and one in any case, as \
                 long as there is time for many rounds",
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
                "playouts of a leaf, 0 for what suits the engine; where they are played side by side, a \
                 power of two up to 32",
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
    Registered {
        iteration: "a step",
        hidden: true,
        parameters: &[
            Parameter::whole("depth", 100, (1, 100), "how many own moves to look ahead"),
            Parameter::whole("worst", 0, (0, 1), "whether what is unknown is as bad as can be"),
            STATES,
            PARTICLES,
        ],
        ..plain("bayes", "Looks ahead through all it may see, others being random", Bayes::make)
    },
    Registered {
        iteration: "one of the inner player",
        hidden: true,
        parameters: &[
            Parameter::player("inner", "uct", "who thinks about each state"),
            Parameter::whole("worlds", 40, (1, 100_000), "how many states are thought about"),
            STATES,
            PARTICLES,
        ],
        ..plain("pimc", "Asks a player that sees everything about many states", Pimc::make)
    },
    Registered {
        iteration: "a state in which all moves are tried",
        hidden: true,
        parameters: &[STATES, PARTICLES],
        ..plain(
            "hyperplay",
            "Random playouts in states that agree with what it saw",
            HyperPlay::make,
        )
    },
    Registered {
        iteration: "a simulation of one move",
        hidden: true,
        parameters: &[
            Parameter::whole("depth", 6, (0, 1000), "steps for which everybody decides"),
            STATES,
            PARTICLES,
        ],
        ..plain(
            "hyperplay2",
            "Simulations in which everybody decides by what it would know",
            HyperPlay2::make,
        )
    },
    Registered {
        iteration: "a descent with playouts",
        hidden: true,
        parameters: &[EXPLORE, STATES, PARTICLES, MEMORY],
        ..plain(
            "ao-tree",
            "A tree of own moves and percepts, for one against chance",
            Ismcts::alone,
        )
    },
    Registered {
        iteration: "a descent with playouts",
        hidden: true,
        parameters: &[EXPLORE, STATES, PARTICLES, MEMORY],
        ..plain("so-ismcts", "A tree of what its own role sees", Ismcts::single)
    },
    Registered {
        iteration: "a descent with playouts",
        hidden: true,
        parameters: &[
            EXPLORE,
            Parameter::choice(
                "root",
                &["widened", "own", "start"],
                "where descents begin: in what anybody takes to be possible, in what the own role \
                 does, or at the start of the game",
            ),
            STATES,
            PARTICLES,
            MEMORY,
        ],
        ..plain("mo-ismcts", "A tree for each role of what it sees", Ismcts::multiple)
    },
    Registered {
        iteration: "a round through the whole game",
        hidden: true,
        parameters: &[NODES, MEMORY],
        ..plain("cfr", "Minimises regret in the whole game and plays the average", Regret::cfr)
    },
    Registered {
        iteration: "a round through the whole game",
        hidden: true,
        parameters: &[NODES, MEMORY],
        ..plain("cfr+", "The same, where later rounds count for more", Regret::cfr_plus)
    },
    Registered {
        iteration: "a walk for each player",
        hidden: true,
        parameters: &[WALK, MEMORY],
        ..plain("mccfr", "Minimises regret by walks that try all own moves", Regret::mccfr)
    },
    Registered {
        iteration: "a course of the game",
        hidden: true,
        parameters: &[
            Parameter::real(
                "target",
                0.9,
                (0.0, 0.99),
                "how often a course is made to agree with what was seen",
            ),
            Parameter::real("explore", 0.4, (0.01, 1.0), "how often it tries something at random"),
            MEMORY,
        ],
        ..plain("oos", "Minimises regret along courses that lead where the match is", Regret::oos)
    },
    Registered {
        iteration: "a playout",
        hidden: true,
        parameters: &[
            Parameter::whole("flaws", 0, (0, 1), "whether it has the flaws of the original"),
            STATES,
            PARTICLES,
        ],
        ..plain("thesis-honest", "A bandit over its moves in random states", Thesis::make)
    },
    Registered {
        iteration: "one of the inner player",
        hidden: true,
        clairvoyant: true,
        parameters: &[Parameter::player("inner", "uct", "who thinks")],
        ..plain("clairvoyant", "Is shown the state, and the record says so", Clairvoyant::make)
    },
    Registered {
        iteration: "one of the method it takes",
        hidden: true,
        ..plain("honest", "Takes the method that suits what the game hides", Honest::make)
    },
];
