//! "Stop everything" (contract section 17): one control that ends all of the engine's work at once. It never goes
//! through a model, so no prompt can talk it out of anything.

mod trees;

pub use trees::{KILL_WAIT_MAX, Killed, ProcessTrees, TREES_MAX, TreeGuard};
