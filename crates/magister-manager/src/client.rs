//! One message to a player over a connection of its own, for callers on a thread.
//!
//! Connections are never kept: players that serve one connection at a time, as those of ggp-base
//! do, would be blocked for everyone by an idle one.

use std::io::{Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

use magister_protocol::http::{HttpLimits, HttpReader, Kind, RequestHeaders, write_request};

use crate::address::{AddressPolicy, PlayerAddress};
use crate::exchange::ExchangeError;

/// How long a connection may take to be made, as in ggp-base.
pub(crate) const CONNECT: Duration = Duration::from_secs(5);

/// Sends a message and waits for the reply until a moment.
pub fn exchange(
    address: &PlayerAddress,
    policy: AddressPolicy,
    headers: &RequestHeaders,
    message: &str,
    deadline: Instant,
) -> Result<String, ExchangeError> {
    let mut stream = connect(address, policy, deadline)?;
    let failed = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut => ExchangeError::Late,
        _ => ExchangeError::Connection(error.to_string()),
    };
    let _ = stream.set_nodelay(true);
    stream.set_write_timeout(Some(left(deadline)?)).map_err(failed)?;
    stream.write_all(&write_request(headers, message)).map_err(failed)?;
    let mut reader = HttpReader::new(Kind::Reply, HttpLimits::REPLY);
    let mut buffer = [0; 16 << 10];
    loop {
        // Each read has the time that is left, so that a reply in drops does not take longer.
        stream.set_read_timeout(Some(left(deadline)?)).map_err(failed)?;
        match stream.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => {
                if reader.feed(&buffer[..count]).map_err(ExchangeError::Http)? {
                    break;
                }
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(failed(error)),
        }
    }
    Ok(reader.finish().map_err(ExchangeError::Http)?.reply_text())
}

fn left(deadline: Instant) -> Result<Duration, ExchangeError> {
    let left = deadline.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(ExchangeError::Late) } else { Ok(left) }
}

fn connect(
    address: &PlayerAddress,
    policy: AddressPolicy,
    deadline: Instant,
) -> Result<TcpStream, ExchangeError> {
    let found = (address.host.as_str(), address.port).to_socket_addrs();
    let found = found.map_err(|error| ExchangeError::Connection(error.to_string()))?;
    let mut trouble = ExchangeError::Connection(format!("{} has no address", address.host));
    for place in found {
        if !policy.allows(place) {
            trouble = ExchangeError::Forbidden(place.ip());
            continue;
        }
        match TcpStream::connect_timeout(&place, left(deadline)?.min(CONNECT)) {
            Ok(stream) => return Ok(stream),
            Err(error) => trouble = ExchangeError::Connection(error.to_string()),
        }
    }
    Err(trouble)
}
