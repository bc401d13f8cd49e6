//! (skeleton)

pub mod adapters;
