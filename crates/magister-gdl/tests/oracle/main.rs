//! Tests against the rulesheets of others, which lie beside the project and not in it.

mod round_trip;
mod sheets;
mod translate;
mod validator;
