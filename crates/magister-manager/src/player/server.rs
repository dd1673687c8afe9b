//! A player on a port.

use std::future::Future;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use magister_protocol::Request;
use magister_protocol::http::{HttpLimits, HttpReader, Kind, write_reply, write_status};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::{GgpPlayer, complaint};

/// Limits of a player on a port.
#[derive(Clone, Copy, Debug)]
pub struct ServeOptions {
    /// How long a request may take to arrive.
    pub patience: Duration,
    /// How many connections are served at the same time. More have to wait.
    pub connections: usize,
    /// What a request may hold at most.
    pub limits: HttpLimits,
}

impl Default for ServeOptions {
    fn default() -> Self {
        ServeOptions {
            patience: Duration::from_secs(10),
            connections: 64,
            limits: HttpLimits::default(),
        }
    }
}

/// Serves a player on a port until the future ends.
pub async fn serve(
    player: Arc<GgpPlayer>,
    listener: TcpListener,
    options: ServeOptions,
    until: impl Future<Output = ()>,
) -> io::Result<()> {
    let places = Arc::new(Semaphore::new(options.connections));
    tokio::pin!(until);
    loop {
        let accepted = tokio::select! {
            () = &mut until => return Ok(()),
            accepted = listener.accept() => accepted,
        };
        let (stream, from) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                // Too many open files, for instance: others may close soon.
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { return Ok(()) };
        let player = Arc::clone(&player);
        tokio::spawn(async move {
            if let Err(error) = converse(&player, stream, &options).await {
                tracing::debug!(%from, %error, "a connection failed");
            }
            drop(place);
        });
    }
}

/// Reads one request, answers it and closes the connection.
async fn converse(
    player: &Arc<GgpPlayer>,
    mut stream: TcpStream,
    options: &ServeOptions,
) -> io::Result<()> {
    let _ = stream.set_nodelay(true);
    // The clock of the manager runs since it connected.
    let received = Instant::now();
    let reply = match timeout(options.patience, read(&mut stream, options.limits)).await {
        Err(_) => write_status(408, "Request Timeout", ""),
        Ok(Err(error)) => {
            tracing::debug!(%error, "a request cannot be read");
            write_status(400, "Bad Request", "")
        }
        Ok(Ok(message)) if message.method().eq_ignore_ascii_case("OPTIONS") => write_reply(""),
        Ok(Ok(message)) => match Request::read(&message.text()) {
            Err(error) => {
                tracing::debug!(%error, "a message cannot be read");
                write_status(400, "Bad Request", &complaint(&error))
            }
            Ok(request) => {
                let step = ["GGP-Match-Step", "Match-Step"]
                    .iter()
                    .find_map(|name| message.header(name)?.parse().ok());
                let player = Arc::clone(player);
                let said =
                    tokio::task::spawn_blocking(move || player.reply(request, step, received));
                write_reply(&said.await.unwrap_or_else(|_| "nil".to_owned()))
            }
        },
    };
    timeout(options.patience, async {
        stream.write_all(&reply).await?;
        stream.shutdown().await
    })
    .await
    .unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
}

async fn read(
    stream: &mut TcpStream,
    limits: HttpLimits,
) -> io::Result<magister_protocol::http::HttpMessage> {
    let mut reader = HttpReader::new(Kind::Request, limits);
    let mut buffer = vec![0; 16 << 10];
    let wrong = |error| io::Error::new(io::ErrorKind::InvalidData, error);
    loop {
        let count = stream.read(&mut buffer).await?;
        if count == 0 || reader.feed(&buffer[..count]).map_err(wrong)? {
            return reader.finish().map_err(wrong);
        }
    }
}
