//! One message to a player, for callers on a thread.

use std::time::{Duration, Instant};

use magister_protocol::PlayerInfo;
use magister_protocol::http::RequestHeaders;

use crate::address::{AddressPolicy, PlayerAddress};
use crate::exchange::ExchangeError;
use crate::network::{self, Network as _, TcpNetwork};

/// Sends a message and waits for the reply until a deadline.
pub fn exchange(
    address: &PlayerAddress,
    policy: AddressPolicy,
    headers: &RequestHeaders,
    message: &str,
    deadline: Instant,
) -> Result<String, ExchangeError> {
    on_network(policy, |network| async move {
        let (headers, message) = (headers.clone(), message.to_owned());
        network.exchange(&address.to_string(), headers, message, deadline.into()).await
    })
}

/// Asks a player for its name and whether it is available.
pub fn ping(
    address: &PlayerAddress,
    policy: AddressPolicy,
    within: Duration,
) -> Result<PlayerInfo, ExchangeError> {
    on_network(policy, |network| async move {
        network::ping(&network, &address.to_string(), within).await
    })
}

/// Sends a message to a player that need not reply.
pub fn notify(
    address: &PlayerAddress,
    policy: AddressPolicy,
    headers: &RequestHeaders,
    message: &str,
    deadline: Instant,
) {
    let _ = on_network(policy, |network| async move {
        let (headers, message) = (headers.clone(), message.to_owned());
        network.notify(&address.to_string(), headers, message, deadline.into()).await;
        Ok(())
    });
}

/// Runs one exchange on its own runtime, so that threads and tasks share the code.
fn on_network<F, T>(
    policy: AddressPolicy,
    talk: impl FnOnce(TcpNetwork) -> F,
) -> Result<T, ExchangeError>
where
    F: Future<Output = Result<T, ExchangeError>>,
{
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| ExchangeError::Connection(error.to_string()))?;
    let reply = runtime.block_on(talk(TcpNetwork { policy }));
    // Does not wait for a name server that does not answer.
    runtime.shutdown_background();
    reply
}
