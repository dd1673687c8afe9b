//! Local and remote players of one match.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, bail};
use magister::{Playable, Reading};
use magister_arena::TimeControl;
use magister_core::{Game, PlayerSource};
use magister_manager::{Manner, OpenMatches, RemoteSource, WireGame, wire};

use crate::args::{PlayerArg, Remotes, Thinking};
use crate::game;

/// The start clock of remote players if none is given.
const START: Duration = Duration::from_secs(10);

/// The players of some games.
pub(crate) struct Table<'a> {
    players: &'a [PlayerArg],
    manner: Manner,
    limits: TimeControl,
    memory: Option<u32>,
    /// The games that remote players are sent.
    games: Vec<(Arc<dyn Game>, Arc<WireGame>)>,
    open: Arc<OpenMatches>,
}

impl<'a> Table<'a> {
    /// The players with their clocks. Messages to remote players carry whole seconds.
    pub(crate) fn new(
        players: &'a [PlayerArg],
        remotes: &Remotes,
        thinking: &Thinking,
        mut limits: TimeControl,
    ) -> Result<Self> {
        let whole = |time: Duration| time.subsec_nanos() == 0 && !time.is_zero();
        if players.iter().any(PlayerArg::is_remote) {
            let start = *limits.start.get_or_insert(START);
            if limits.time.is_none_or(|time| !whole(time)) || !whole(start) {
                bail!("remote players need clocks of whole seconds, such as --start 5s --time 1s");
            }
        }
        let manner =
            Manner { variant: remotes.gdl2_variant, upper: false, scramble: remotes.scramble };
        let memory = thinking.memory;
        Ok(Table { players, manner, limits, memory, games: Vec::new(), open: Arc::default() })
    }

    /// How long the players think.
    pub(crate) fn limits(&self) -> TimeControl {
        self.limits
    }

    fn has_remotes(&self) -> bool {
        self.players.iter().any(PlayerArg::is_remote)
    }

    /// The matches of remote players that are not over, for when the program is interrupted.
    pub(crate) fn open_matches(&self) -> Arc<OpenMatches> {
        Arc::clone(&self.open)
    }

    /// Opens a game for them.
    pub(crate) fn open(
        &mut self,
        argument: &str,
        reading: &Reading,
        force: bool,
    ) -> Result<Playable> {
        if !self.has_remotes() {
            return game::open_clean(argument, reading, force);
        }
        let (playable, wire) = wire::open(&game::find_clean(argument, reading, force)?)?;
        playable.warm_up();
        self.games.push((Arc::clone(&playable.game), Arc::new(wire)));
        Ok(playable)
    }

    /// The players.
    pub(crate) fn sources(&self) -> Vec<Arc<dyn PlayerSource>> {
        let source = |player: &PlayerArg| -> Arc<dyn PlayerSource> {
            match player {
                PlayerArg::Local(spec) => {
                    Arc::new(self.memory.map_or(spec.clone(), |most| spec.with_memory(most)))
                }
                PlayerArg::Remote(address) => {
                    let remote = RemoteSource::new(address.clone(), self.limits, self.manner);
                    let known = |remote: RemoteSource, (game, wire): &(Arc<dyn Game>, _)| {
                        remote.knowing(&**game, wire)
                    };
                    Arc::new(self.games.iter().fold(remote.listed_in(&self.open), known))
                }
            }
        };
        self.players.iter().map(source).collect()
    }
}
