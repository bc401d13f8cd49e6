//! The language of the engine: requests, replies, events, ids, errors, config shapes and limits.
//!
//! Every crate speaks it and it knows none of them: no actors, no storage, no HTTP, no clock. A shape here that a client
//! sees is pinned by a snapshot; changing one is changing the contract.

pub mod approvals;
pub mod callers;
pub mod chat;
pub mod config;
pub mod engine;
pub mod error;
pub mod events;
pub mod files;
pub mod folders;
pub mod hardware;
pub mod ids;
pub mod knowing;
pub mod limits;
pub mod memory;
pub mod memory_files;
pub mod memory_requests;
pub mod model;
pub mod notifications;
pub mod onboarding;
pub mod preview;
pub mod rule_proposals;
pub mod sandbox;
pub mod secrets;
pub mod sessions;
pub mod subagents;
pub mod terminal;
pub mod time;
pub mod tools;
pub mod undo;
pub mod usage;

pub use error::{Error, ErrorKind};
pub use time::Timestamp;

/// One typed request to an actor, and what it answers.
pub trait Request: Send + 'static {
    /// The answer on success; a failure is always an [`Error`].
    type Reply: Send + 'static;
    /// Dotted name, `role.verb`, shown in logs and in `GET /api/engine/actors`.
    const NAME: &'static str;
}
