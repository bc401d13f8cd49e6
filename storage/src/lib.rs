//! The memory of the engine: records and their event log in redb, words in tantivy, files on disk.
//!
//! Knows no HTTP and no actors. A record and the events that tell of it commit in one transaction or not at all.
//! Reads block for microseconds and may be made anywhere; [`Store::commit`] is the one async entrance; all else that
//! is slow (opening, searching, files, copies) is synchronous and belongs into `spawn_blocking`.

mod batch;
mod error;
pub mod file_snapshots;
pub mod files;
pub mod key;
pub mod memory_index;
pub mod record;
pub mod records;
#[cfg(test)]
mod samples;
pub mod search;
mod store;
pub mod vectors;

pub use batch::{BATCH_BYTES_MAX, BATCH_OPS_MAX, Batch};
pub use error::{OpenError, StoreError};
pub use file_snapshots::FileSnapshots;
pub use files::Files;
pub use key::{Key, Prefix, TextPrefix};
pub use memory_index::MemoryIndex;
pub use record::{Record, RecordError};
pub use search::MessageIndex;
pub use store::{
    COMMIT_QUEUE_MAX, Committed, EVENT_LOG_ROWS_MAX, EVENTS_READ_MAX, FaultPoint, Faults, GROUP_BATCHES_MAX, Lagged,
    OpenOptions, OpenReport, Rows, SUBSCRIPTION_EVENTS_MAX, Snapshot, Store, Subscription, UpgradedTable,
};
