//! (skeleton)
pub mod adapters;
