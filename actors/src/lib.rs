//! Who does what, when: one folder per role, ports to the outside, the tools.
//!
//! Only actors write. They know no HTTP and no provider: what is outside comes in through `ports`.

pub mod approvals;
pub mod callers;
pub mod chat;
pub mod chats;
pub(crate) mod completion;
pub mod config;
pub mod dreams;
pub mod effects;
pub mod embeddings;
pub mod engine;
pub mod events;
pub mod files;
#[cfg(test)]
mod fixtures;
pub mod folders;
pub mod gate;
pub mod indexer;
pub mod knowing;
pub mod learning;
pub mod live;
pub mod memory;
pub mod model_queue;
pub mod models;
pub mod narrative;
pub mod notifications;
pub mod ports;
pub mod presence;
pub mod restore;
pub mod sandbox;
pub mod settings;
pub mod small;
pub mod snapshots;
pub mod start;
pub mod stop;
pub mod subagents;
pub mod summaries;
pub mod terminal;
pub mod tools;
pub mod undo;
pub mod usage;
pub mod user_model;
pub use engine::Engine;
