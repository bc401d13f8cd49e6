//! The memory of the engine: records and their event log in redb, words in tantivy, files on disk.
//!
//! Knows no HTTP and no actors. A record and the events that tell of it commit in one transaction or not at all.

pub mod records;
