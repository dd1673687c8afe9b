//! The site: an HTTP API, live matches, and pages.
//!
//! [`Site::open`] opens the store and continues the matches that were running, [`router`] returns
//! the pages and the API as an axum router, [`serve`] serves them on a listener. The API is
//! described by `/api/openapi.json`.
//!
//! | module | holds |
//! |---|---|
//! | [`games`] | the catalogue, saved games, prepared games |
//! | [`drawing`], [`pieces`], [`scene`] | positions as data: shapes, cells, values, moves |
//! | [`known`] | what a role knows with hidden information |
//! | [`live`] | matches: seats, clocks, searches, events, the store |
//! | [`pool`] | the fair pool of search threads |
//! | [`reached`] | positions that moves reach or facts describe |
//! | [`tools`] | check, format, convert, explain, analyze, information sets |
//! | [`style`] | previews of a game with a `style.toml` |
//! | [`puzzles`] | positions with exactly one winning move |
//! | [`tournaments`] | tournaments and the leaderboard |
//! | [`training`] | agents that learn a game in the pool and play on the site |
//! | [`accounts`] | visitors: accounts, sessions, CSRF tokens, quotas |
//! | [`limits`] | limits of the site, and the middleware that enforces them |

#![forbid(unsafe_code)]

pub mod accounts;
mod api;
mod assets;
pub mod drawing;
mod error;
pub mod games;
pub mod known;
pub mod limits;
pub mod live;
pub mod metrics;
mod openapi;
mod pages;
pub mod pieces;
pub mod pool;
pub mod puzzles;
pub mod reached;
pub mod scene;
mod site;
pub mod style;
mod svg;
pub mod tools;
pub mod tournaments;
pub mod training;
mod words;

pub use api::router;
pub use assets::has_client;
pub use error::ApiError;
pub use limits::Limits;
pub use site::{Config, Resumed, Site, may_bind, serve};
