//! The thin layer over ractor: typed requests, addresses that outlive restarts, bounded mailboxes, deadlines, ordered
//! supervision, cancellation, and a live picture of it all.
//!
//! Nothing else in the engine names ractor. This crate knows no domain: what an actor needs is its own `Needs` type.
//! What ractor leaves out, and the tests that show it, are listed in `docs/ARCHITECTURE.md`, section "Actors".

mod address;
mod host;
mod restart;
mod scope;
mod supervisor;
mod tree;
mod world;

pub use address::{Address, Caller, Ctx, Handles, Outside, Role};
pub use host::Spawner;
pub use restart::{Exit, Limits, Restart, Verdict, decide};
pub use scope::Scope;
pub use supervisor::{Child, Plan, Supervisor, SupervisorHandle};
pub use tree::Tree;
pub use world::{Clock, Entropy, Ids, SystemClock, World};
