//! Who does what, when: one folder per role, ports to the outside, the tools.
//!
//! Only actors write. They know no HTTP and no provider: what is outside comes in through `ports`.

pub mod chats;
pub mod engine;
pub mod live;
pub mod ports;
pub mod tools;
pub use engine::Engine;
