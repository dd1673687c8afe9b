//! How a manager reaches its players.
//!
//! Each message has its own connection, which is closed afterwards: players that serve one
//! connection at a time, such as those of ggp-base, would be blocked by an idle connection.
//! Redirects are never followed: a redirect is a reply like any other, so it cannot lead to a
//! forbidden address.

use std::future::Future;
use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use magister_protocol::gamemaster::{Body, Envelope, Form};
use magister_protocol::http::{HttpLimits, HttpReader, Kind, RequestHeaders, write_request};
use magister_protocol::{PlayerInfo, Request, Style, TermError};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout, timeout_at};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::{WebSocketStream, client_async_with_config};

use crate::address::{AddressPolicy, PlayerAddress, Protocol};
use crate::exchange::ExchangeError;

/// The time limit for establishing a connection, as in ggp-base.
const CONNECT: Duration = Duration::from_secs(5);

/// The time that a player has to read the last message of a match.
pub(crate) const FAREWELL: Duration = Duration::from_secs(1);

/// A network of players. A simulation uses another one than a real manager.
pub trait Network: Send + Sync + 'static {
    /// Sends a message and waits for the reply until a deadline.
    fn exchange(
        &self,
        address: &str,
        headers: RequestHeaders,
        message: String,
        deadline: Instant,
    ) -> impl Future<Output = Result<String, ExchangeError>> + Send;

    /// Sends a message to a player that need not reply.
    fn notify(
        &self,
        address: &str,
        headers: RequestHeaders,
        message: String,
        deadline: Instant,
    ) -> impl Future<Output = ()> + Send {
        async move {
            let _ = self.exchange(address, headers, message, deadline).await;
        }
    }
}

/// Asks a player for its name and whether it is available: by INFO in GGP, and by a ping in
/// Gamemaster's protocol.
pub async fn ping<N: Network>(
    network: &N,
    address: &str,
    within: Duration,
) -> Result<PlayerInfo, ExchangeError> {
    let read: PlayerAddress = address.parse().map_err(ExchangeError::Connection)?;
    let deadline = Instant::now() + within;
    let headers = RequestHeaders::default();
    let unreadable = |error: TermError| ExchangeError::Connection(error.to_string());
    if !read.protocol.is_gamemaster() {
        let message = Request::Info.write(Style::Gdl);
        let reply = network.exchange(address, headers, message, deadline).await?;
        return PlayerInfo::read(&reply).map_err(unreadable);
    }
    let name = read.name.unwrap_or_else(|| "player".to_owned());
    let ping = Envelope {
        id: "1".to_owned(),
        from: "manager".to_owned(),
        to: name.clone(),
        body: Body::Ping,
    };
    let reply = network.exchange(address, headers, ping.write(Form::Site), deadline).await?;
    let value = match Envelope::read(&reply).map(|envelope| envelope.body) {
        Ok(Body::Reply(value)) => value,
        _ => reply,
    };
    let info = PlayerInfo::read(&value).map_err(unreadable)?;
    Ok(PlayerInfo { name: info.name.or(Some(name)), ..info })
}

/// TCP, with one connection per message.
#[derive(Clone, Copy, Debug, Default)]
pub struct TcpNetwork {
    /// Which addresses may be connected to.
    pub policy: AddressPolicy,
}

impl Network for TcpNetwork {
    async fn exchange(
        &self,
        address: &str,
        headers: RequestHeaders,
        message: String,
        deadline: Instant,
    ) -> Result<String, ExchangeError> {
        let talk = async {
            let address: PlayerAddress = address.parse().map_err(ExchangeError::Connection)?;
            let stream = connect(&address, self.policy).await?;
            if address.protocol == Protocol::GamemasterWebSocket {
                return web_socket_reply(&address, stream, message).await;
            }
            http_reply(&address, stream, headers, &message).await
        };
        timeout_at(deadline, talk).await.unwrap_or(Err(ExchangeError::Late))
    }

    async fn notify(
        &self,
        address: &str,
        headers: RequestHeaders,
        message: String,
        deadline: Instant,
    ) {
        let Ok(read) = address.parse::<PlayerAddress>() else { return };
        if read.protocol != Protocol::GamemasterWebSocket {
            // The reply is read, because some players fail otherwise.
            let _ = self.exchange(address, headers, message, deadline).await;
            return;
        }
        let talk = async {
            let stream = connect(&read, self.policy).await?;
            let mut socket = web_socket(&read, stream, message).await?;
            socket.close(None).await?;
            // The next message has its own connection and could overtake this one. Once the player
            // closes its side as well, it has received everything.
            while let Some(Ok(_)) = socket.next().await {}
            Ok::<(), ExchangeError>(())
        };
        let _ = timeout_at(deadline, talk).await;
    }
}

async fn http_reply(
    address: &PlayerAddress,
    mut stream: TcpStream,
    mut headers: RequestHeaders,
    message: &str,
) -> Result<String, ExchangeError> {
    headers.host.clone_from(&address.host);
    stream.write_all(&write_request(&headers, message)).await?;
    let mut reader = HttpReader::new(Kind::Reply, HttpLimits::REPLY);
    let mut buffer = [0; 4 << 10];
    loop {
        let count = stream.read(&mut buffer).await?;
        if count == 0 || reader.feed(&buffer[..count]).map_err(ExchangeError::Http)? {
            break;
        }
    }
    Ok(reader.finish().map_err(ExchangeError::Http)?.reply_text())
}

async fn web_socket_reply(
    address: &PlayerAddress,
    stream: TcpStream,
    message: String,
) -> Result<String, ExchangeError> {
    let mut socket = web_socket(address, stream, message).await?;
    while let Some(heard) = socket.next().await {
        match heard? {
            Message::Text(text) => {
                let reply = text.as_str().trim().to_owned();
                let _ = socket.close(None).await;
                return Ok(reply);
            }
            Message::Close(_) => break,
            _ => {}
        }
    }
    Err(ExchangeError::Connection("the player closed the connection".to_owned()))
}

/// A WebSocket on which a message was sent.
async fn web_socket(
    address: &PlayerAddress,
    stream: TcpStream,
    message: String,
) -> Result<WebSocketStream<TcpStream>, ExchangeError> {
    let limit = HttpLimits::REPLY.body;
    let config =
        WebSocketConfig::default().max_message_size(Some(limit)).max_frame_size(Some(limit));
    let host = if address.host.contains(':') {
        format!("[{}]:{}", address.host, address.port)
    } else {
        format!("{}:{}", address.host, address.port)
    };
    let made = client_async_with_config(format!("ws://{host}/"), stream, Some(config));
    let (mut socket, _) = made.await?;
    socket.send(Message::text(message)).await?;
    Ok(socket)
}

impl From<std::io::Error> for ExchangeError {
    fn from(error: std::io::Error) -> Self {
        ExchangeError::Connection(error.to_string())
    }
}

impl From<tokio_tungstenite::tungstenite::Error> for ExchangeError {
    fn from(error: tokio_tungstenite::tungstenite::Error) -> Self {
        ExchangeError::Connection(error.to_string())
    }
}

async fn connect(
    address: &PlayerAddress,
    policy: AddressPolicy,
) -> Result<TcpStream, ExchangeError> {
    let found = tokio::net::lookup_host((address.host.as_str(), address.port));
    let mut failure = ExchangeError::Connection(format!("{} has no address", address.host));
    for place in found.await? {
        // The check is made here, on the address that will be used, because a name may resolve to
        // another address each time.
        if !policy.allows(place) {
            failure = ExchangeError::Forbidden(place.ip());
            continue;
        }
        match timeout(CONNECT, TcpStream::connect(place)).await {
            Ok(Ok(stream)) => {
                let _ = stream.set_nodelay(true);
                return Ok(stream);
            }
            Ok(Err(error)) => failure = error.into(),
            Err(_) => failure = ExchangeError::Connection(format!("no answer in {CONNECT:?}")),
        }
    }
    Err(failure)
}
