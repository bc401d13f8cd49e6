//! Judgement: plain functions that decide, parse, price and repair.
//!
//! No async, no clock, no I/O, no randomness: time and ids come in as arguments, and every result can be had again.

pub mod context_meter;
pub mod model_errors;
pub mod oracles;
pub mod prices;
pub mod schema_check;
pub mod tool_repair;
pub mod usage_report;
pub mod wire;
