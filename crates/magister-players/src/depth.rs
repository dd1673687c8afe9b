//! Players that search to a depth without a transposition table: Gamemaster's onestep, twostep,
//! maximizer, minimax, minimaxdepth, minimaxid and maximax, and max-n, paranoid and expectimax.

use magister_core::{Agent, Budget, Decision, Halt, Rng, Stop, View};

use crate::combine::Outlook;
use crate::follow::{Follower, Standing};
use crate::lookahead::{Lookahead, deepest};
use crate::registry::{Arguments, Made};

/// The maximum number of positions to expand for a value; a player that needs more gives no value.
const VALUING: u64 = 20_000;

/// The search depth.
#[derive(Clone, Copy, Debug)]
enum Depth {
    /// A number of joint moves.
    Fixed(u32),
    /// To the end of the game.
    Full,
    /// Iterative deepening until the budget ends.
    Deepening,
}

/// A player that searches to a depth.
pub(crate) struct Searcher {
    name: String,
    outlook: Outlook,
    depth: Depth,
    /// Whether the maximum reward ends the search of a node.
    bounds: bool,
    /// A reward that is good enough.
    level: Option<f64>,
    follower: Follower,
}

impl Searcher {
    fn new(settings: &Arguments, outlook: Outlook, depth: Depth) -> Self {
        let name = settings.text().to_owned();
        let follower = Follower::new();
        Searcher { name, outlook, depth, bounds: true, level: None, follower }
    }

    /// The best position after the role's own move.
    #[expect(
        clippy::unnecessary_wraps,
        reason = "all constructors in the list have the same signature"
    )]
    pub(crate) fn onestep(settings: &Arguments) -> Made {
        Ok(Box::new(Self::new(settings, Outlook::Hostile, Depth::Fixed(1))))
    }

    /// Own move, reply, own move.
    #[expect(
        clippy::unnecessary_wraps,
        reason = "all constructors in the list have the same signature"
    )]
    pub(crate) fn twostep(settings: &Arguments) -> Made {
        Ok(Box::new(Self::new(settings, Outlook::Hostile, Depth::Fixed(3))))
    }

    #[expect(
        clippy::unnecessary_wraps,
        reason = "all constructors in the list have the same signature"
    )]
    pub(crate) fn maximizer(settings: &Arguments) -> Made {
        Ok(Box::new(Self::new(settings, Outlook::Kind, Depth::Full)))
    }

    pub(crate) fn minimax(settings: &Arguments) -> Made {
        let level = settings.real("level")?;
        Ok(Box::new(Searcher {
            bounds: settings.flag("bounds")?,
            level: (level < f64::from(u32::MAX)).then_some(level),
            ..Self::new(settings, Outlook::Hostile, Depth::Full)
        }))
    }

    pub(crate) fn minimaxdepth(settings: &Arguments) -> Made {
        let depth = Depth::Fixed(settings.whole("depth")?);
        Ok(Box::new(Self::new(settings, Outlook::Hostile, depth)))
    }

    #[expect(
        clippy::unnecessary_wraps,
        reason = "all constructors in the list have the same signature"
    )]
    pub(crate) fn minimaxid(settings: &Arguments) -> Made {
        Ok(Box::new(Self::new(settings, Outlook::Hostile, Depth::Deepening)))
    }

    #[expect(
        clippy::unnecessary_wraps,
        reason = "all constructors in the list have the same signature"
    )]
    pub(crate) fn maximax(settings: &Arguments) -> Made {
        Ok(Box::new(Self::new(settings, Outlook::Selfish, Depth::Full)))
    }

    #[expect(
        clippy::unnecessary_wraps,
        reason = "all constructors in the list have the same signature"
    )]
    pub(crate) fn maxn(settings: &Arguments) -> Made {
        Ok(Box::new(Self::new(settings, Outlook::Selfish, Depth::Deepening)))
    }

    pub(crate) fn expectimax(settings: &Arguments) -> Made {
        Ok(Box::new(Self::new(settings, Outlook::Selfish, Depth::Fixed(settings.whole("depth")?))))
    }
}

impl Agent for Searcher {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn decide(
        &mut self,
        view: &View,
        budget: &mut Budget,
        rng: &mut Rng,
    ) -> Result<Decision, Halt> {
        let (me, outlook) = (view.role(), self.outlook);
        let (worker, legal, state) = match self.follower.standing(view, budget.stop())? {
            Standing::Settled(decision) => return Ok(decision),
            Standing::Open { worker, legal, state } => (worker, legal, state),
        };
        let deepest = deepest(worker.info());
        let mut search = Lookahead::new(worker, budget, outlook, me);
        if self.bounds || self.level.is_some() {
            let (low, high) = (search.scale.low, search.scale.high);
            let low = if self.bounds { low } else { f64::NEG_INFINITY };
            let high = if self.bounds { high } else { f64::INFINITY };
            search.enough = Some((low, self.level.map_or(high, |level| level.min(high))));
        }
        // The answer is legal, however small the budget is.
        let mut decision: Decision = legal[rng.below(legal.len() as u64) as usize].into();
        let mut deepen = |search: &mut Lookahead<'_>, depth: u32, whole: bool, rng: &mut Rng| {
            // If the rules fail in a later position, the player still has to move here.
            let Ok(root) = search.root(&state, depth) else { return false };
            if (root.complete || !whole)
                && let Some(better) = root.decide(outlook, me, rng)
            {
                decision = better;
            }
            root.complete
        };
        match self.depth {
            Depth::Fixed(depth) => {
                deepen(&mut search, depth, false, rng);
            }
            Depth::Full => {
                deepen(&mut search, deepest, false, rng);
            }
            Depth::Deepening => {
                for depth in 1..=deepest {
                    search.horizon = false;
                    // An incomplete result of depth one is used, because there is no other result.
                    if !deepen(&mut search, depth, depth > 1, rng) || !search.horizon {
                        break;
                    }
                }
            }
        }
        let nodes = search.nodes;
        Ok(Decision { iterations: nodes, ..decision })
    }

    fn value(&mut self, view: &View) -> Option<Vec<f64>> {
        self.value_until(view, &Stop::never())
    }

    fn value_until(&mut self, view: &View, stop: &Stop) -> Option<Vec<f64>> {
        let Depth::Fixed(depth) = self.depth else { return None };
        let mut budget = Budget::iterations(VALUING).with_stop(stop.clone());
        let worker = self.follower.follow(view, budget.stop()).ok()?;
        let mut state = Vec::new();
        worker.save(&mut state);
        let mut search = Lookahead::new(worker, &mut budget, self.outlook, view.role());
        search.value(&state, depth).ok()
    }
}
