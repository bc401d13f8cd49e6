//! Judgement: decide, parse, rank, cut, price. Plain functions from facts to decisions.
//!
//! No async, no clock, no I/O, no randomness: time, ids and settings come in as arguments, so every rule has a table of
//! cases and replaying the same facts gives the same answer.

pub mod gate;
pub mod marking;
pub mod model_choice;
pub mod prompt;
pub mod results;
pub mod summary;
pub mod titles;
pub mod turn;
