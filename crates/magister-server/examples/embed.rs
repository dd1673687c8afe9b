//! A program that contains the site: `cargo run -p magister-server --example embed -- PORT STORE`.

use magister_server::{ApiError, Config, Limits, Site, serve};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let port: u16 = arguments.next().map_or(Ok(9876), |port| port.parse())?;
    let store = arguments.next().unwrap_or_else(|| "sqlite:embedded.db".to_owned());
    // Every limit has a name and can be changed.
    let limits = Limits { saved: 50, ..Limits::default() };
    let config = Config { store, limits, ..Config::default() };
    let (site, _resumed) =
        Site::open(&config).await.map_err(|error: ApiError| error.to_string())?;
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await?;
    serve(site, listener, async {
        let _ = tokio::signal::ctrl_c().await;
    })
    .await?;
    Ok(())
}
