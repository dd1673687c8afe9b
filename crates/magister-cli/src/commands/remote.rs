//! Local and remote players of one match.

use std::net::{TcpStream, ToSocketAddrs as _};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Result, bail};
use magister::{Playable, Reading};
use magister_arena::{Seating, TimeControl};
use magister_core::{Game, PlayerSource, SourceError};
use magister_learn::{FileError, LearnedAgent};
use magister_manager::{
    AddressPolicy, Manner, OpenMatches, PlayerAddress, RemoteSource, RemoteTable, WireGame, client,
    wire,
};
use magister_players::Spec;
use magister_protocol::Status;

use crate::args::{PlayerArg, Remotes, Thinking};
use crate::game;

/// The start clock of remote players if none is given.
const START: Duration = Duration::from_secs(10);
/// How long to wait for a connection before the first match.
const CONNECT: Duration = Duration::from_secs(5);

/// Refuses a clock that messages cannot express. A player that is sent a longer clock than it has
/// would be late, and one that is sent a shorter clock would be at a disadvantage, so nothing is
/// rounded without the user's consent.
fn whole(option: &str, time: Duration) -> Result<()> {
    if time.subsec_nanos() == 0 && !time.is_zero() {
        return Ok(());
    }
    let up = time.as_secs() + 1;
    bail!(
        "messages to remote players carry clocks in whole seconds, so {option} {time:?} cannot be \
         sent; write {option} {up}s"
    );
}

/// The time limit for remote players to reply to INFO.
const PING: Duration = Duration::from_secs(5);

/// Asks the remote players whether they are available. A player that is busy or does not know this
/// message is accepted; one that cannot be reached is refused later, with the others.
fn ping(players: &[PlayerArg]) {
    let mut asked: Vec<&PlayerAddress> = Vec::new();
    for player in players {
        let PlayerArg::Remote(address) = player else { continue };
        if asked.contains(&address) {
            continue;
        }
        asked.push(address);
        match client::ping(address, AddressPolicy::Any, PING) {
            Ok(info) if info.status == Status::Busy => {
                anstream::eprintln!("magister: {address} is in another match");
            }
            Err(error) if reach(address).is_ok() => {
                anstream::eprintln!("magister: {address}: {error}");
            }
            Ok(_) | Err(_) => {}
        }
    }
}

/// Why a player could not be created, without the surrounding text.
fn reason(error: &SourceError) -> &str {
    match error {
        SourceError::Refused(why) | SourceError::Connection(why) | SourceError::Failed(why) => why,
        _ => "it could not be created",
    }
}

/// Whether a connection to a player can be opened.
fn reach(address: &PlayerAddress) -> std::io::Result<()> {
    let mut failed = std::io::Error::other("unknown host");
    for place in (address.host.as_str(), address.port).to_socket_addrs()? {
        match TcpStream::connect_timeout(&place, CONNECT) {
            Ok(_) => return Ok(()),
            Err(error) => failed = error,
        }
    }
    Err(failed)
}

/// The player that solves Connect Four.
const PERFECT: &str = "perfect-connect-four";

/// Refuses a player that knows another game: it could only play random moves.
pub(crate) fn fits(spec: &Spec, game: &Arc<dyn Game>) -> Result<()> {
    let text = spec.to_string();
    let files = text.split("file=").skip(1).filter_map(|rest| rest.split([',', ')', ']']).next());
    for file in files {
        // A file that cannot be read is reported when the player is created.
        let Ok(bytes) = std::fs::read(file) else { continue };
        match LearnedAgent::from_bytes(&bytes).and_then(|file| file.suits(game)) {
            // Other files, such as opening books, belong to other players.
            Ok(()) | Err(FileError::Foreign) => {}
            Err(FileError::OtherRules { learned, played }) if learned != played => {
                bail!("{spec} cannot play {played}: it was trained for {learned}")
            }
            Err(error) => bail!("{spec} cannot play {}: {error}", game.info().name),
        }
    }
    if text.contains(PERFECT) && !magister_learn::connect_four::is_played_in(game) {
        bail!("{spec} cannot play {}: {PERFECT} plays only Connect Four", game.info().name);
    }
    Ok(())
}

/// The players of some games.
pub(crate) struct Table<'a> {
    players: &'a [PlayerArg],
    manner: Manner,
    limits: TimeControl,
    memory: Option<u32>,
    /// All games.
    played: Vec<Arc<dyn Game>>,
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
        if players.iter().any(PlayerArg::is_remote) {
            let start = *limits.start.get_or_insert(START);
            let Some(time) = limits.time else {
                bail!("remote players need a clock, such as --time 1s");
            };
            whole("--time", time)?;
            whole("--start", start)?;
            ping(players);
        }
        let manner =
            Manner { variant: remotes.gdl2_variant, upper: false, scramble: remotes.scramble };
        let memory = thinking.memory;
        let (played, games) = (Vec::new(), Vec::new());
        Ok(Table { players, manner, limits, memory, played, games, open: Arc::default() })
    }

    /// How long the players think.
    pub(crate) fn limits(&self) -> TimeControl {
        self.limits
    }

    fn has_remotes(&self) -> bool {
        self.players.iter().any(PlayerArg::is_remote)
    }

    /// The unfinished matches of remote players, for the case that the program is interrupted.
    pub(crate) fn open_matches(&self) -> Arc<OpenMatches> {
        Arc::clone(&self.open)
    }

    /// Opens a game for the players.
    pub(crate) fn open(
        &mut self,
        argument: &str,
        reading: &Reading,
        force: bool,
    ) -> Result<Playable> {
        if !self.has_remotes() {
            let playable = game::open_clean(argument, reading, force)?;
            self.played.push(Arc::clone(&playable.game));
            return Ok(playable);
        }
        let (playable, wire) = wire::open(&game::find_clean(argument, reading, force)?)?;
        let gamemaster = |player: &&PlayerArg| match player {
            PlayerArg::Remote(address) => address.protocol.is_gamemaster(),
            PlayerArg::Local(_) => false,
        };
        if let (Some(player), None) = (self.players.iter().find(gamemaster), wire.operations()) {
            bail!(
                "{player} speaks Gamemaster's protocol, which needs rules that are written as \
                 operations; {argument} is not. `magister games` lists the languages of games"
            );
        }
        playable.warm_up();
        self.played.push(Arc::clone(&playable.game));
        self.games.push((Arc::clone(&playable.game), Arc::new(wire)));
        Ok(playable)
    }

    /// Stops before the first match if a player cannot play at all, because a match against
    /// substituted random moves would measure nothing.
    pub(crate) fn check(&self) -> Result<()> {
        for player in self.players {
            match player {
                PlayerArg::Local(spec) if spec.is_human() => {}
                PlayerArg::Local(spec) => {
                    if let Err(error) = spec.try_agent() {
                        bail!("{player} cannot play: {}", reason(&error));
                    }
                    self.played.iter().try_for_each(|game| fits(spec, game))?;
                }
                PlayerArg::Remote(address) => {
                    if let Err(error) = reach(address) {
                        bail!("{player} cannot play: no connection ({error}). Is it running?");
                    }
                }
            }
        }
        Ok(())
    }

    /// The players.
    pub(crate) fn sources(&self) -> Vec<Arc<dyn PlayerSource>> {
        let source = |player: &PlayerArg| -> Arc<dyn PlayerSource> {
            match player {
                PlayerArg::Local(spec) => {
                    Arc::new(self.memory.map_or(spec.clone(), |most| spec.with_memory(most)))
                }
                PlayerArg::Remote(address) => Arc::new(self.remote(address)),
            }
        };
        self.players.iter().map(source).collect()
    }

    /// The seating of remote players, if there are any.
    pub(crate) fn seating(&self) -> Option<Arc<dyn Seating>> {
        let remotes = self.players.iter().filter_map(|player| match player {
            PlayerArg::Remote(address) => Some(self.remote(address)),
            PlayerArg::Local(_) => None,
        });
        self.has_remotes().then(|| -> Arc<dyn Seating> { Arc::new(RemoteTable::new(remotes)) })
    }

    fn remote(&self, address: &PlayerAddress) -> RemoteSource {
        let remote = RemoteSource::new(address.clone(), self.limits, self.manner);
        let known =
            |remote: RemoteSource, (game, wire): &(Arc<dyn Game>, _)| remote.knowing(&**game, wire);
        self.games.iter().fold(remote.listed_in(&self.open), known)
    }
}
