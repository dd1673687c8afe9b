//! Tests with rulesheets of other projects, which are not part of this project.

mod round_trip;
mod sheets;
mod translate;
mod validator;
