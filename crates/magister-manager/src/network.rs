//! How a manager reaches its players.

use std::future::Future;
use std::time::Duration;

use magister_protocol::http::{HttpLimits, HttpReader, Kind, RequestHeaders, write_request};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout, timeout_at};

use crate::address::{AddressPolicy, PlayerAddress};
use crate::client::CONNECT;
use crate::exchange::ExchangeError;

/// A network of players. A simulation has another one than a real manager.
pub trait Network: Send + Sync + 'static {
    /// Sends a message and waits for the reply until a moment.
    fn exchange(
        &self,
        address: &str,
        headers: RequestHeaders,
        message: String,
        deadline: Instant,
    ) -> impl Future<Output = Result<String, ExchangeError>> + Send;
}

/// TCP: one connection for each message, and none is kept.
#[derive(Clone, Copy, Debug, Default)]
pub struct TcpNetwork {
    /// Which addresses may be connected to.
    pub policy: AddressPolicy,
}

impl Network for TcpNetwork {
    async fn exchange(
        &self,
        address: &str,
        mut headers: RequestHeaders,
        message: String,
        deadline: Instant,
    ) -> Result<String, ExchangeError> {
        let address: PlayerAddress = address.parse().map_err(ExchangeError::Connection)?;
        headers.host.clone_from(&address.host);
        let talk = async {
            let mut stream = connect(&address, self.policy).await?;
            let failed = |error: std::io::Error| ExchangeError::Connection(error.to_string());
            let _ = stream.set_nodelay(true);
            stream.write_all(&write_request(&headers, &message)).await.map_err(failed)?;
            let mut reader = HttpReader::new(Kind::Reply, HttpLimits::REPLY);
            let mut buffer = [0; 4 << 10];
            loop {
                let count = stream.read(&mut buffer).await.map_err(failed)?;
                if count == 0 || reader.feed(&buffer[..count]).map_err(ExchangeError::Http)? {
                    break;
                }
            }
            Ok(reader.finish().map_err(ExchangeError::Http)?.reply_text())
        };
        timeout_at(deadline, talk).await.unwrap_or(Err(ExchangeError::Late))
    }
}

async fn connect(
    address: &PlayerAddress,
    policy: AddressPolicy,
) -> Result<TcpStream, ExchangeError> {
    let failed = |error: std::io::Error| ExchangeError::Connection(error.to_string());
    let found = tokio::net::lookup_host((address.host.as_str(), address.port));
    let mut trouble = ExchangeError::Connection(format!("{} has no address", address.host));
    for place in found.await.map_err(failed)? {
        // The check is made here, on the address that is going to be used: a name may resolve to
        // another one each time.
        if !policy.allows(place) {
            trouble = ExchangeError::Forbidden(place.ip());
            continue;
        }
        match timeout(CONNECT, TcpStream::connect(place)).await {
            Ok(Ok(stream)) => return Ok(stream),
            Ok(Err(error)) => trouble = failed(error),
            Err(_) => trouble = ExchangeError::Connection(format!("no answer in {CONNECT:?}")),
        }
    }
    Err(trouble)
}

/// How long a player may take to read a farewell.
pub(crate) const FAREWELL: Duration = Duration::from_secs(1);
