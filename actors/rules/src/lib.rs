//! Judgement: plain functions that decide, parse and check.
//!
//! No async, no clock, no chance, no I/O: what they need comes in as arguments.

pub mod address_guard;
pub mod outside;
