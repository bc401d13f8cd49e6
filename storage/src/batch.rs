//! One change of the store as data: rows to put and delete, events that tell of them, index work that follows.
//!
//! A batch runs nothing by itself, so it can wait in the queue and share a transaction with others. All of it is
//! written or none.

use crate::StoreError;
use crate::key::{KEY_BYTES_MAX, Key, Prefix};
use crate::record::{IndexEntry, Record, RecordError, Table, encode, index_entries};
use crate::records::{Change, EventRecord, IndexJob, NewEvent};
use std::fmt;

/// Bytes of keys, rows and events in one batch. Ours: a batch is one answer's worth of change, not an import.
pub const BATCH_BYTES_MAX: usize = 32 * 1024 * 1024;
/// Steps of one batch. Ours.
pub const BATCH_OPS_MAX: usize = 20_000;

pub(crate) enum Op {
    Put {
        table: Table,
        key: Vec<u8>,
        value: Vec<u8>,
        entries: Vec<IndexEntry>,
    },
    Delete {
        table: Table,
        key: Vec<u8>,
    },
    DeletePrefix {
        table: Table,
        prefix: Vec<u8>,
    },
    /// Keys below `end`, at most `limit` of them from the front.
    DeleteBelow {
        table: Table,
        end: Vec<u8>,
        limit: usize,
    },
    /// A row in place of the one that has its key; nothing when there is none.
    Replace {
        table: Table,
        key: Vec<u8>,
        value: Vec<u8>,
    },
}

/// A row that must be as it was seen for a batch to be written.
pub(crate) struct Guard {
    pub(crate) table: &'static str,
    pub(crate) key: Vec<u8>,
    /// `None`: there must be no such row.
    pub(crate) value: Option<Vec<u8>>,
}

/// What is to be written in one go. Steps are done in the order they were added.
#[derive(Default)]
pub struct Batch {
    pub(crate) guards: Vec<Guard>,
    pub(crate) ops: Vec<Op>,
    pub(crate) events: Vec<NewEvent>,
    pub(crate) jobs: Vec<IndexJob>,
    pub(crate) changes: Vec<Change>,
    bytes: usize,
    /// The first step that could not be taken down; the commit answers it.
    fault: Option<RecordError>,
}

impl Batch {
    pub fn new() -> Self {
        Self::default()
    }

    /// Writes a row, over an older one with the same key. A row that cannot be stored makes the commit fail.
    pub fn put<R: Record>(&mut self, record: &R) -> &mut Self {
        const { assert!(R::WRITABLE, "the log and the outbox are numbered by the store") };
        self.put_any(record)
    }

    /// [`Batch::put`] for the tables that only the store itself writes.
    pub(crate) fn put_any<R: Record>(&mut self, record: &R) -> &mut Self {
        let key = record.key().encoded();
        let stored = encode(record).and_then(|value| match key.len() {
            0..=KEY_BYTES_MAX => Ok(value),
            bytes => Err(RecordError::KeyTooLong { table: R::TABLE, bytes }),
        });
        match stored {
            Ok(value) => {
                self.bytes += key.len() + value.len();
                self.ops.push(Op::Put { table: Table::of::<R>(), key, value, entries: index_entries(record) });
            }
            Err(error) => {
                self.fault.get_or_insert(error);
            }
        }
        self
    }

    /// Deletes a row; nothing happens when there is none.
    pub fn delete<R: Record>(&mut self, key: &R::Key) -> &mut Self {
        const { assert!(R::WRITABLE, "the log and the outbox are numbered by the store") };
        self.push(Op::Delete { table: Table::of::<R>(), key: key.encoded() })
    }

    /// Deletes every row whose key begins so: `delete_prefix::<MessageRecord>(&session_id)` empties a chat.
    pub fn delete_prefix<R: Record>(&mut self, prefix: &impl Prefix<R::Key>) -> &mut Self {
        const { assert!(R::WRITABLE, "the log and the outbox are numbered by the store") };
        self.push(Op::DeletePrefix { table: Table::of::<R>(), prefix: prefix.prefix_bytes() })
    }

    pub(crate) fn delete_below<R: Record>(&mut self, end: &R::Key, limit: usize) -> &mut Self {
        self.push(Op::DeleteBelow { table: Table::of::<R>(), end: end.encoded(), limit })
    }

    /// Writes nothing of this batch unless the row with this key is still as `seen` (`None`: still not there) when its
    /// turn comes: for what was worked out from a row while others could change it. See [`crate::Committed::skipped`].
    pub fn only_if<R: Record>(&mut self, key: &R::Key, seen: Option<&R>) -> &mut Self {
        match seen.map(encode).transpose() {
            Ok(value) => self.guards.push(Guard { table: R::TABLE, key: key.encoded(), value }),
            Err(error) => {
                self.fault.get_or_insert(error);
            }
        }
        self
    }

    /// Adds a line to the event log, numbered when the batch is written.
    pub fn event(&mut self, event: NewEvent) -> &mut Self {
        self.bytes += event.kind.len() + event.data.len();
        self.events.push(event);
        self
    }

    /// Takes words out of a line of the event log that has them: `data` stands where they stood. The line keeps its number
    /// and its kind; nothing happens when the log no longer has it. For what was forgotten, and for nothing else.
    pub fn redact_event(&mut self, event: &EventRecord, data: String) -> &mut Self {
        let redacted = EventRecord { data, ..event.clone() };
        match encode(&redacted) {
            Ok(value) => {
                self.bytes += value.len();
                self.ops.push(Op::Replace { table: Table::of::<EventRecord>(), key: redacted.key().encoded(), value });
            }
            Err(error) => {
                self.fault.get_or_insert(error);
            }
        }
        self
    }

    /// Leaves work for the search indexes.
    pub fn index(&mut self, job: IndexJob) -> &mut Self {
        match job {
            IndexJob::Searched(searched) => self.change(Change::Text(searched)),
            job => {
                self.jobs.push(job);
                self
            }
        }
    }

    /// [`Batch::index`] for the vectors of a text, which [`crate::vectors`] writes.
    pub(crate) fn change(&mut self, change: Change) -> &mut Self {
        self.changes.push(change);
        self
    }

    pub fn is_empty(&self) -> bool {
        let nothing = self.ops.is_empty() && self.events.is_empty() && self.jobs.is_empty() && self.changes.is_empty();
        nothing && self.fault.is_none()
    }

    fn push(&mut self, op: Op) -> &mut Self {
        if let Op::Delete { key: bytes, .. } | Op::DeletePrefix { prefix: bytes, .. } = &op {
            self.bytes += bytes.len();
        }
        self.ops.push(op);
        self
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Whether it can be written at all.
    pub(crate) fn check(&self) -> Result<(), StoreError> {
        if let Some(error) = &self.fault {
            return Err(StoreError::Record(error.clone()));
        }
        let steps = self.ops.len() + self.events.len() + self.jobs.len() + self.changes.len();
        if steps > BATCH_OPS_MAX {
            return Err(StoreError::TooLarge { what: format!("{steps} steps, the limit is {BATCH_OPS_MAX}") });
        }
        if self.bytes > BATCH_BYTES_MAX {
            return Err(StoreError::TooLarge { what: format!("{} bytes, the limit is {BATCH_BYTES_MAX}", self.bytes) });
        }
        Ok(())
    }
}

/// Counts only: rows hold what people wrote.
impl fmt::Debug for Batch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Batch")
            .field("ops", &self.ops.len())
            .field("events", &self.events.len())
            .field("jobs", &(self.jobs.len() + self.changes.len()))
            .field("bytes", &self.bytes)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::MetaRecord;
    use protocol::Timestamp;

    #[test]
    fn a_batch_knows_its_limits() {
        let mut empty = Batch::new();
        assert!(empty.is_empty());
        empty.event(NewEvent { at: Timestamp(1), kind: "a.b".into(), data: "{}".into() });
        assert!(!empty.is_empty());

        let mut long = Batch::new();
        for _ in 0..=BATCH_OPS_MAX {
            long.delete::<MetaRecord>(&"a".to_owned());
        }
        assert!(matches!(long.check(), Err(StoreError::TooLarge { .. })));

        let mut heavy = Batch::new();
        let row = MetaRecord { name: "a".into(), value: "x".repeat(BATCH_BYTES_MAX / 3 - 100) };
        heavy.put(&row).put(&row).put(&row);
        assert!(heavy.check().is_ok());
        heavy.put(&MetaRecord { name: "b".into(), value: "x".repeat(1_000) });
        assert!(matches!(heavy.check(), Err(StoreError::TooLarge { .. })));

        let mut named = Batch::new();
        named.put(&MetaRecord { name: "n".repeat(KEY_BYTES_MAX), value: String::new() });
        assert!(matches!(named.check(), Err(StoreError::Record(_))));
        assert!(!named.is_empty(), "a batch with a fault must not pass for nothing to do");
    }
}
