//! The list of players.

use crate::alphabeta::AlphaBeta;
use crate::bestfirst::BestFirst;
use crate::council::Council;
use crate::depth::Searcher;
use crate::hidden::{
    Bayes, Clairvoyant, Honest, HyperPlay, HyperPlay2, Ismcts, Lazy, Paired, Pimc, Pipmc, Regret,
    Single, Thesis,
};
use crate::mcs::Flat;
use crate::mcts::Mcts;
use crate::plies::Plies;
use crate::puct::{self, Puct};
use crate::registry::{Parameter, Registered};
use crate::simple::{Simple, no_player};
use crate::uct::{POLICIES, Uct};

const EXPANDED: &str = "one expanded position";

const MEMORY: Parameter = Parameter::whole("memory", 256, (1, 1 << 20), "the memory limit in MiB");

const NODES: Parameter = Parameter::whole(
    "nodes",
    50_000,
    (1, 1 << 28),
    "the largest game tree that is traversed in full; in a larger one, histories are sampled as in oos",
);

const WALK: Parameter = Parameter::whole(
    "nodes",
    20_000,
    (1, 1 << 28),
    "the maximum number of nodes in one traversal; beyond it, histories are sampled as in oos",
);

/// The size up to which an information set is enumerated, and the size of a sample of a larger one.
const STATES: Parameter = Parameter::whole(
    "states",
    5_000,
    (1, 1 << 24),
    "the largest information set that is enumerated; a larger one is sampled",
);
const PARTICLES: Parameter =
    Parameter::whole("particles", 1_000, (1, 1 << 24), "the number of particles in a sample");
const EXPLORE: Parameter = Parameter::real("c", 0.7, (0.0, 100.0), "the exploration constant");

/// A player for perfect information, without parameters.
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

/// A person. The arena asks people without a clock, and they can take moves back. Without a
/// console, they give no move.
pub static HUMAN: Registered = Registered {
    iteration: "none",
    hidden: true,
    ..plain("human", "A person at the terminal; `magister play` is the shortcut", no_player)
};

/// All players, from those that do not search to the strongest.
pub const PLAYERS: &[Registered] = &[
    Registered {
        iteration: "none",
        hidden: true,
        ..plain("legal", "Plays the first legal move", Simple::legal)
    },
    Registered {
        iteration: "none",
        hidden: true,
        ..plain("random", "Plays a random legal move", Simple::random)
    },
    plain("onestep", "Looks one move ahead and compares goal values", Searcher::onestep),
    plain("twostep", "Looks ahead: its own move, the reply, its own move", Searcher::twostep),
    plain(
        "maximizer",
        "Looks for the best terminal state that is reachable if all other roles cooperate",
        Searcher::maximizer,
    ),
    Registered {
        parameters: &[
            Parameter::whole(
                "bounds",
                1,
                (0, 1),
                "1 prunes the search when the best or the worst possible reward is reached; 0 does not",
            ),
            Parameter::real(
                "level",
                u32::MAX as f64,
                (0.0, u32::MAX as f64),
                "a reward at which the search stops, such as 51",
            ),
        ],
        ..plain(
            "minimax",
            "Searches to the end of the game; assumes that all opponents are hostile",
            Searcher::minimax,
        )
    },
    Registered {
        parameters: &[Parameter::whole("depth", 3, (1, 100), "the search depth in joint moves")],
        ..plain("minimaxdepth", "Minimax to a fixed depth", Searcher::minimaxdepth)
    },
    plain("minimaxid", "Minimax with iterative deepening", Searcher::minimaxid),
    plain(
        "maximax",
        "Searches to the end of the game; every role maximises its own reward",
        Searcher::maximax,
    ),
    plain("maxn", "Max-n with iterative deepening", Searcher::maxn),
    plain(
        "paranoid",
        "Assumes that all other roles cooperate against it; iterative deepening",
        Searcher::minimaxid,
    ),
    Registered {
        parameters: &[Parameter::whole("depth", 2, (1, 100), "the search depth in joint moves")],
        ..plain(
            "expectimax",
            "Expectimax: averages over chance; every role maximises its own reward. plies is the \
             same with another player's values, such as learned ones, at the leaves",
            Searcher::expectimax,
        )
    },
    Registered {
        parameters: &[
            Parameter::whole(
                "playouts",
                0,
                (0, 10_000),
                "playouts that evaluate a position at the horizon; 0 uses goal values",
            ),
            Parameter::whole("memory", 64, (1, 1 << 20), "the memory limit in MiB"),
        ],
        ..plain(
            "alphabeta",
            "Alpha-beta with transposition table and iterative deepening; assumes hostile opponents",
            AlphaBeta::make,
        )
    },
    Registered {
        parameters: &[MEMORY],
        ..plain(
            "greedy",
            "Best-first search: expands the position with the best goal value",
            BestFirst::greedy,
        )
    },
    Registered {
        parameters: &[MEMORY],
        ..plain("pts", "Best-first search: expands the least visited position", BestFirst::pts)
    },
    Registered {
        iteration: "one playout",
        parameters: &[Parameter::whole(
            "playouts",
            32,
            (1, 100_000),
            "playouts that evaluate a position for a player that wraps this one",
        )],
        ..plain(
            "mcs",
            "Flat Monte Carlo: playouts after each move; plays the move with the best mean",
            Flat::make,
        )
    },
    Registered {
        iteration: "one descent with a playout",
        parameters: &[
            Parameter::real("c", 0.7, (0.0, 100.0), "the exploration constant"),
            Parameter::whole(
                "steps",
                1000,
                (1, 1_000_000),
                "the length at which a playout is cut off",
            ),
            MEMORY,
        ],
        ..plain("mcts", "Plain UCT, one playout at a time", Mcts::make)
    },
    Registered {
        parameters: &[
            Parameter::whole("depth", 2, (1, 100), "the search depth in joint moves"),
            Parameter::player("inner", "onestep", "the player that evaluates the leaves"),
        ],
        ..plain(
            "plies",
            "N-ply search (max-n, and expectimax over chance) whose leaves another player evaluates",
            Plies::make,
        )
    },
    Registered {
        iteration: "one descent to a new position",
        parameters: &[
            Parameter::real("c", puct::C, (0.0, 100.0), "the exploration constant"),
            Parameter::real(
                "sharp",
                0.0,
                (0.0, 1000.0),
                "how strongly the prior prefers moves with a better immediate value; 0 is uniform",
            ),
            Parameter::player("inner", "mcs", "the player or model that evaluates new positions"),
            Parameter::whole(
                "batch",
                0,
                (0, 1 << 16),
                "the number of leaves evaluated in one call; 0 lets the inner player choose",
            ),
            Parameter::real(
                "loss",
                puct::LOSS,
                (0.0, 100.0),
                "the virtual loss of a pending descent; 0 makes one descent at a time",
            ),
            MEMORY,
        ],
        ..plain("puct", "PUCT: a tree whose leaves another player evaluates in batches", Puct::make)
    },
    Registered {
        iteration: "one iteration of a member",
        parameters: &[
            Parameter::whole(
                "threads",
                2,
                (1, 256),
                "the number of members, each on its own thread",
            ),
            Parameter::player("inner", "uct", "the player that each member uses"),
        ],
        ..plain(
            "council",
            "Root-parallel search: several copies of a player think at the same time and vote",
            Council::make,
        )
    },
    Registered {
        iteration: "one descent with its playouts",
        parameters: &[
            Parameter::real("c", 0.4, (0.0, 100.0), "the exploration constant"),
            Parameter::real(
                "fpu",
                1.0,
                (0.01, 100.0),
                "first-play urgency: the visits that an untried move is assumed to have",
            ),
            Parameter::real(
                "bias",
                0.0,
                (0.0, 100.0),
                "the weight of a move's value elsewhere in the tree",
            ),
            Parameter::real(
                "grave",
                0.0,
                (0.0, 1e6),
                "GRAVE: the visit count up to which all-moves-as-first values dominate; 0 is off",
            ),
            Parameter::choice(
                "policy",
                POLICIES,
                "the playout policy: N-gram statistics (nst), move averages (mast) or uniform. A named \
                 policy plays one playout at a time; the default is nst where the engine has no \
                 batch playouts, otherwise uniform",
            ),
            Parameter::whole(
                "tactics",
                1,
                (0, 1),
                "1 if batch playouts take an immediate win, or otherwise block one of the opponent; 0 for \
                 uniform playouts. It has an effect only if two players strictly alternate and the \
                 rules are not too large",
            ),
            Parameter::real(
                "epsilon",
                0.2,
                (0.0, 1.0),
                "the probability that a playout with a policy makes a random move",
            ),
            Parameter::whole("threads", 1, (1, 256), "the number of threads for playouts"),
            Parameter::whole(
                "batch",
                0,
                (0, 4096),
                "the maximum number of descents per round; 0 chooses a number that suits the engine",
            ),
            Parameter::whole(
                "patience",
                128,
                (1, 1000),
                "the number of root visits per descent of a round; a larger number makes the first rounds smaller",
            ),
            Parameter::whole(
                "concurrency",
                4,
                (1, 1000),
                "the concurrency cap: with this value K, a node with V visits takes at most V/K \
                 descents in one round, but always at least one. With little time, the cap is \
                 looser",
            ),
            Parameter::whole(
                "expand",
                0,
                (0, 1000),
                "the visits of a leaf before it is expanded; 0 chooses a number that suits the engine",
            ),
            Parameter::whole(
                "playouts",
                0,
                (0, 10_000),
                "the playouts per leaf; 0 chooses a number that suits the engine. In batches, a power of \
                 two up to 32",
            ),
            Parameter::whole(
                "steps",
                1000,
                (1, 1_000_000),
                "the length at which a playout is cut off",
            ),
            Parameter::whole(
                "decompose",
                1,
                (0, 1),
                "1 splits a game into subgames and solves it part by part where that is possible; 0 \
                 searches every game as a whole",
            ),
            MEMORY,
        ],
        ..plain(
            "uct",
            "UCT with transpositions, proven values and batch playouts; the strongest player for \
             games with perfect information",
            Uct::make,
        )
    },
    Registered {
        iteration: "one step",
        hidden: true,
        parameters: &[
            Parameter::whole("depth", 100, (1, 100), "the search depth in moves of its own role"),
            Parameter::whole(
                "worst",
                0,
                (0, 1),
                "1 assumes the worst reward for unknown values; 0 assumes the mean",
            ),
            STATES,
            PARTICLES,
        ],
        ..plain(
            "bayes",
            "Expectimax over its own observations; assumes that the others play at random",
            Bayes::make,
        )
    },
    Registered {
        iteration: "one iteration of the inner player",
        hidden: true,
        parameters: &[
            Parameter::player("inner", "uct", "the player that evaluates each determinization"),
            Parameter::whole("worlds", 40, (1, 100_000), "the number of determinizations"),
            STATES,
            PARTICLES,
        ],
        ..plain(
            "pimc",
            "Perfect-information Monte Carlo: averages a player's values over determinizations",
            Pimc::make,
        )
    },
    Registered {
        iteration: "one state in which all moves are tried",
        hidden: true,
        parameters: &[STATES, PARTICLES],
        ..plain(
            "hyperplay",
            "Random playouts from states that are consistent with its percepts",
            HyperPlay::make,
        )
    },
    Registered {
        iteration: "one simulation of one move",
        hidden: true,
        parameters: &[
            Parameter::whole(
                "depth",
                6,
                (0, 1000),
                "the number of steps in which every role decides based on its own information",
            ),
            STATES,
            PARTICLES,
        ],
        ..plain(
            "hyperplay2",
            "HyperPlay-II: in its simulations, every role decides based on what it would know",
            HyperPlay2::make,
        )
    },
    Registered {
        iteration: "one descent with playouts",
        hidden: true,
        parameters: &[EXPLORE, STATES, PARTICLES, MEMORY],
        ..plain(
            "ao-tree",
            "A search tree over its own moves and percepts, for games against chance",
            Ismcts::alone,
        )
    },
    Registered {
        iteration: "one descent with playouts",
        hidden: true,
        parameters: &[EXPLORE, STATES, PARTICLES, MEMORY],
        ..plain("so-ismcts", "Single-observer information-set MCTS", Ismcts::single)
    },
    Registered {
        iteration: "one descent with playouts",
        hidden: true,
        parameters: &[
            EXPLORE,
            Parameter::choice(
                "root",
                &["widened", "own", "start"],
                "where descents begin: in states that any role considers possible (widened), in \
                 its own information set (own), or at the start of the game (start)",
            ),
            STATES,
            PARTICLES,
            MEMORY,
        ],
        ..plain(
            "mo-ismcts",
            "Multiple-observer information-set MCTS: one tree per role",
            Ismcts::multiple,
        )
    },
    Registered {
        iteration: "one playout",
        hidden: true,
        parameters: &[
            EXPLORE,
            Parameter::real(
                "margin",
                0.5,
                (0.0, 1.0),
                "the weight of the lead in score relative to the rank, in games with scores",
            ),
            Parameter::whole(
                "depth",
                1000,
                (0, 1000),
                "the maximum depth of the tree over its observations; 0 means playouts only",
            ),
            Parameter::real(
                "own",
                30.0,
                (0.0, 1000.0),
                "how much its own later moves in playouts follow what earlier playouts have shown",
            ),
            Parameter::real("others", 0.0, (0.0, 1000.0), "the same for the moves of the others"),
            STATES,
            PARTICLES,
        ],
        ..plain(
            "paired",
            "Tries all moves in the same sampled states with the same random numbers, and halves the \
             candidates",
            Paired::make,
        )
    },
    Registered {
        iteration: "one pass through the game tree",
        hidden: true,
        parameters: &[NODES, MEMORY],
        ..plain(
            "cfr",
            "Counterfactual regret minimisation; plays the average strategy",
            Regret::cfr,
        )
    },
    Registered {
        iteration: "one pass through the game tree",
        hidden: true,
        parameters: &[NODES, MEMORY],
        ..plain(
            "cfr+",
            "CFR+: regrets are clipped at zero and later passes weigh more",
            Regret::cfr_plus,
        )
    },
    Registered {
        iteration: "one traversal for each player",
        hidden: true,
        parameters: &[WALK, MEMORY],
        ..plain("mccfr", "Monte Carlo CFR with external sampling", Regret::mccfr)
    },
    Registered {
        iteration: "one history",
        hidden: true,
        parameters: &[
            Parameter::real(
                "target",
                0.9,
                (0.0, 0.99),
                "the probability that a sampled history is steered to the current information set",
            ),
            Parameter::real("explore", 0.4, (0.01, 1.0), "the exploration probability"),
            MEMORY,
        ],
        ..plain(
            "oos",
            "Online outcome sampling: CFR on histories steered to the current information set",
            Regret::oos,
        )
    },
    Registered {
        iteration: "one playout",
        hidden: true,
        parameters: &[
            Parameter::whole(
                "flaws",
                0,
                (0, 1),
                "1 keeps the flaws of the original; 0 corrects them",
            ),
            STATES,
            PARTICLES,
        ],
        ..plain(
            "thesis-honest",
            "The honest agent of Morris's thesis: a bandit over its moves in sampled states",
            Thesis::make,
        )
    },
    Registered {
        iteration: "one playout",
        hidden: true,
        parameters: &[STATES, PARTICLES],
        ..plain(
            "pipmc",
            "CardStock's flat Monte Carlo: playouts in fresh determinizations; plays the move with \
             the best mean rank",
            Pipmc::make,
        )
    },
    Registered {
        iteration: "one iteration of the inner player",
        hidden: true,
        parameters: &[
            Parameter::player("inner", "mcts", "the player that searches the determinization"),
            STATES,
            PARTICLES,
        ],
        ..plain(
            "single-mcts",
            "CardStock's tree search: one determinization per decision, searched with perfect \
             information",
            Single::make,
        )
    },
    Registered {
        iteration: "one descent with a playout",
        hidden: true,
        parameters: &[EXPLORE, STATES, PARTICLES],
        ..plain(
            "lazy-mcts",
            "Lazy determinization: a tree of moves, with a new determinization in every descent",
            Lazy::make,
        )
    },
    Registered {
        iteration: "one iteration of the inner player",
        hidden: true,
        clairvoyant: true,
        parameters: &[
            Parameter::player("inner", "uct", "the player that decides"),
            Parameter::whole(
                "most",
                0,
                (0, 1 << 28),
                "the number of iterations per move, whatever the limit of the match is, for a \
                 reference player of fixed strength; 0 means the limit of the match",
            ),
        ],
        ..plain(
            "clairvoyant",
            "Sees the true state; for comparison only. Match records mark it as clairvoyant",
            Clairvoyant::make,
        )
    },
    Registered {
        iteration: "one iteration of the method that it chooses",
        hidden: true,
        ..plain(
            "honest",
            "Uses only what its role may know; picks the method that suits the game",
            Honest::make,
        )
    },
];
