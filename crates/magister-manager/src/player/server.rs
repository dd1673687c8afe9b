//! A player on a port.

use std::future::Future;
use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::{SinkExt as _, StreamExt as _};
use magister_protocol::Request;
use magister_protocol::gamemaster::{Body, Envelope, Form};
use magister_protocol::http::{
    HttpLimits, HttpMessage, HttpReader, Kind, write_reply, write_status,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};

use super::{GgpPlayer, complaint};
use crate::limit::{ArrivalLimit, Rate, RateLimit};

/// Limits of a player on a port.
#[derive(Clone, Copy, Debug)]
pub struct ServeOptions {
    /// The time limit for a request to arrive.
    pub patience: Duration,
    /// The maximum number of concurrent connections. Further ones have to wait.
    pub connections: usize,
    /// The maximum size of a request.
    pub limits: HttpLimits,
    /// The rate limit of each address.
    pub rate: Rate,
    /// The maximum number of concurrently arriving requests of each address.
    pub arriving: usize,
    /// How long a WebSocket may be silent before it is closed.
    pub idle: Duration,
}

impl Default for ServeOptions {
    fn default() -> Self {
        ServeOptions {
            patience: Duration::from_secs(10),
            connections: 256,
            limits: HttpLimits::default(),
            rate: Rate::default(),
            arriving: 64,
            idle: Duration::from_mins(10),
        }
    }
}

/// The maximum number of messages of one WebSocket that are answered concurrently. Further ones
/// have to wait.
const IN_WORK: usize = 8;

/// The data that connections share.
struct Host {
    player: Arc<GgpPlayer>,
    options: ServeOptions,
    rate: RateLimit,
    arriving: ArrivalLimit,
}

/// Serves a player on a port until the future ends.
pub async fn serve(
    player: Arc<GgpPlayer>,
    listener: TcpListener,
    options: ServeOptions,
    until: impl Future<Output = ()>,
) -> io::Result<()> {
    let places = Arc::new(Semaphore::new(options.connections));
    let (rate, arriving) = (RateLimit::new(options.rate), ArrivalLimit::new(options.arriving));
    let host = Arc::new(Host { player, options, rate, arriving });
    tokio::pin!(until);
    loop {
        let accepted = tokio::select! {
            () = &mut until => return Ok(()),
            accepted = listener.accept() => accepted,
        };
        let (stream, from) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                // For example, too many files are open: others may be closed soon.
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { return Ok(()) };
        let host = Arc::clone(&host);
        tokio::spawn(async move {
            if let Err(error) = host.converse(stream, from.ip()).await {
                tracing::debug!(%from, %error, "a connection failed");
            }
            drop(place);
        });
    }
}

impl Host {
    /// Reads one request, answers it and closes the connection, or continues as a WebSocket.
    async fn converse(&self, mut stream: TcpStream, from: IpAddr) -> io::Result<()> {
        let _ = stream.set_nodelay(true);
        // The clock of the manager has been running since it connected.
        let received = Instant::now();
        let Some(arriving) = self.arriving.enter(from) else {
            return send(&mut stream, &write_status(429, "Too Many Requests", "")).await;
        };
        let read = timeout(self.options.patience, read(&mut stream, self.options.limits)).await;
        drop(arriving);
        let reply = match read {
            _ if !self.rate.allows(from, received) => write_status(429, "Too Many Requests", ""),
            Err(_) => write_status(408, "Request Timeout", ""),
            Ok(Err(error)) => {
                tracing::debug!(%error, "a request cannot be read");
                write_status(400, "Bad Request", "")
            }
            Ok(Ok(message)) => match upgrade(&message) {
                Some(hello) => {
                    timeout(self.options.patience, stream.write_all(hello.as_bytes())).await??;
                    return self.web_socket(stream, from).await;
                }
                None if message.method().eq_ignore_ascii_case("OPTIONS") => write_reply(""),
                None => {
                    let step = ["GGP-Match-Step", "Match-Step"]
                        .iter()
                        .find_map(|name| message.header(name)?.parse().ok());
                    match answer(&self.player, message.text(), step, received, None).await {
                        // HTTP needs a reply even if the player has nothing to say.
                        Ok(said) => write_reply(&said.unwrap_or_else(|| "nil".to_owned())),
                        Err(complaint) => write_status(400, "Bad Request", &complaint),
                    }
                }
            },
        };
        timeout(self.options.patience, send(&mut stream, &reply))
            .await
            .unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
    }

    /// Answers the messages of a WebSocket until it is closed or silent for too long.
    async fn web_socket(&self, stream: TcpStream, from: IpAddr) -> io::Result<()> {
        let most = self.options.limits.body;
        let config =
            WebSocketConfig::default().max_message_size(Some(most)).max_frame_size(Some(most));
        let socket = WebSocketStream::from_raw_socket(stream, Role::Server, Some(config)).await;
        let (mut out, mut incoming) = socket.split();
        let (send, mut replies) = mpsc::channel::<String>(IN_WORK);
        let in_work = Arc::new(Semaphore::new(IN_WORK));
        // Completes when the player has accepted the previous message.
        let mut before: Option<oneshot::Receiver<()>> = None;
        loop {
            tokio::select! {
                reply = replies.recv() => {
                    let Some(reply) = reply else { return Ok(()) };
                    timeout(self.options.patience, out.send(Message::text(reply)))
                        .await?
                        .map_err(io::Error::other)?;
                }
                heard = timeout(self.options.idle, incoming.next()) => {
                    let received = Instant::now();
                    let text = match heard? {
                        Some(Ok(Message::Text(text))) => text.as_str().to_owned(),
                        Some(Ok(Message::Close(_))) => {
                            // The reply to this confirms that all previous messages were accepted;
                            // the manager may then send the next one on another connection.
                            if let Some(before) = before.take() {
                                let _ = timeout(self.options.patience, before).await;
                            }
                            let _ = timeout(self.options.patience, out.close()).await;
                            return Ok(());
                        }
                        None => return Ok(()),
                        Some(Ok(_)) => continue,
                        Some(Err(error)) => return Err(io::Error::other(error)),
                    };
                    if !self.rate.allows(from, received) {
                        return Err(io::Error::other("too many messages"));
                    }
                    let Ok(place) = Arc::clone(&in_work).try_acquire_owned() else {
                        return Err(io::Error::other("too many messages wait for replies"));
                    };
                    let (player, send) = (Arc::clone(&self.player), send.clone());
                    // The player accepts messages in order, but it need not answer one before it
                    // accepts the next, and it accepts an abort immediately.
                    let turn = (!aborts(&text)).then(|| {
                        let (done, next) = oneshot::channel();
                        (done, before.replace(next))
                    });
                    tokio::spawn(async move {
                        let done = match turn {
                            Some((done, Some(before))) => {
                                // An error means that the previous message was dropped.
                                let _ = before.await;
                                Some(done)
                            }
                            Some((done, None)) => Some(done),
                            None => None,
                        };
                        let said = answer(&player, text, None, received, done).await;
                        if let Some(reply) = said.unwrap_or_else(Some) {
                            let _ = send.send(reply).await;
                        }
                        drop(place);
                    });
                }
            }
        }
    }
}

/// Whether a message aborts a match, in either protocol.
fn aborts(text: &str) -> bool {
    let body = |envelope: Envelope| matches!(envelope.body, Body::Abort { .. });
    text.trim_start().get(..6).is_some_and(|word| word.eq_ignore_ascii_case("(abort"))
        || Envelope::read(text).is_ok_and(body)
}

/// The reply to a message in either protocol; `None` if no reply is due. The error describes a
/// message that cannot be read. `taken` is dropped when the player has accepted the message, which
/// is before it decides.
async fn answer(
    player: &Arc<GgpPlayer>,
    text: String,
    step: Option<u64>,
    received: Instant,
    taken: Option<oneshot::Sender<()>>,
) -> Result<Option<String>, String> {
    let player = Arc::clone(player);
    if text.trim_start().starts_with("message(") {
        let envelope = Envelope::read(&text).map_err(|error| error.to_string())?;
        let reply =
            tokio::task::spawn_blocking(move || player.reply_to(&envelope, received, taken));
        return Ok(reply.await.unwrap_or_default().map(|reply| reply.write(Form::Site)));
    }
    let request = Request::read(&text).map_err(|error| {
        tracing::debug!(%error, "a message cannot be read");
        complaint(&error)
    })?;
    let reply = tokio::task::spawn_blocking(move || player.reply(request, step, received));
    Ok(Some(reply.await.unwrap_or_else(|_| "nil".to_owned())))
}

/// The reply to a request to upgrade to a WebSocket, if it is one.
fn upgrade(message: &HttpMessage) -> Option<String> {
    let upgrade = message.header("upgrade")?;
    if !upgrade.to_ascii_lowercase().contains("websocket") {
        return None;
    }
    let key = derive_accept_key(message.header("sec-websocket-key")?.as_bytes());
    Some(format!(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Accept: {key}\r\n\r\n"
    ))
}

async fn send(stream: &mut TcpStream, reply: &[u8]) -> io::Result<()> {
    stream.write_all(reply).await?;
    stream.shutdown().await
}

async fn read(stream: &mut TcpStream, limits: HttpLimits) -> io::Result<HttpMessage> {
    let mut reader = HttpReader::new(Kind::Request, limits);
    let mut buffer = vec![0; 16 << 10];
    let wrong = |error| io::Error::new(io::ErrorKind::InvalidData, error);
    let mut encouraged = false;
    loop {
        let count = stream.read(&mut buffer).await?;
        if count == 0 || reader.feed(&buffer[..count]).map_err(wrong)? {
            return reader.finish().map_err(wrong);
        }
        if !encouraged && reader.expects_continue() {
            stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").await?;
            encouraged = true;
        }
    }
}
