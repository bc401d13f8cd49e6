//! Judgement: decide, parse, rank, cut, price. Plain functions from facts to decisions.
//!
//! No async, no clock, no I/O, no randomness: time, ids and settings come in as arguments, so every rule has a table of
//! cases and replaying the same facts gives the same answer.

pub mod address_guard;
pub mod config_patch;
pub mod gate;
pub mod hardware;
pub mod keychain_names;
pub mod marking;
pub mod model_choice;
pub mod model_errors;
pub mod onboarding;
pub mod oracles;
pub mod outside;
pub mod prices;
pub mod prompt;
pub mod providers;
pub mod results;
pub mod summary;
pub mod titles;
pub mod turn;
pub mod wire;
