//! Tests of the site in this process, through its router, and a few over a socket.

mod accounts;
mod common;
mod games;
mod hidden;
mod hostile;
mod matches;
mod pages;
mod proxy;
mod remote;
mod socket;
mod training;
