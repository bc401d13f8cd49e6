//! Who does what, when: one folder per role, ports to the outside, the tools.
//!
//! Only actors write. They know no HTTP and no provider: what is outside comes in through `ports`.

pub mod chats;
pub mod config;
pub mod engine;
pub mod events;
#[cfg(test)]
mod fixtures;
pub mod live;
pub mod models;
pub mod notifications;
pub mod ports;
pub mod presence;
pub mod settings;
pub mod small;
pub mod tools;
pub use engine::Engine;
