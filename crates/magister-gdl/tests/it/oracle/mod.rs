//! Tests against other people's rulesheets, which are outside of the project.

mod round_trip;
mod sheets;
mod translate;
mod validator;
