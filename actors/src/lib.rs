//! Who does what, when: one folder per role, ports to the outside, the tools.
//!
//! Only actors write. They know no HTTP and no provider: what is outside comes in through `ports`.

pub mod approvals;
pub mod chat;
pub mod chats;
pub(crate) mod completion;
pub mod config;
pub mod engine;
pub mod indexer;
pub mod live;
pub mod model_queue;
pub mod ports;
pub mod start;
pub mod tools;
pub use engine::Engine;
