//! Reading: one consistent view of the whole store, typed.

use super::tables::{Bytes, definition};
use crate::key::{Key, Prefix, after_prefix};
use crate::record::{Record, decode};
use crate::records::{
    FACTS_BY_WORDS, FactRecord, MESSAGES_BY_ID, MessageRecord, SESSIONS_BY_UPDATE, SUBAGENTS_BY_SESSION,
    SUMMARIES_BY_SESSION, SessionRecord, SubagentRecord, SummaryRecord,
};
use crate::{RecordError, StoreError};
use protocol::ids::{MessageId, SessionId};
use redb::{ReadOnlyTable, ReadTransaction, ReadableTableMetadata, TableError};
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Bound, RangeBounds};

/// The store as it was at one moment. Reads never wait for writes; they fail once the last [`crate::Store`] is gone.
pub struct Snapshot {
    txn: ReadTransaction,
}

impl Snapshot {
    pub(super) fn new(txn: ReadTransaction) -> Self {
        Self { txn }
    }

    /// The row with this key.
    ///
    /// # Errors
    /// [`StoreError::Read`] or [`StoreError::Record`], as for every read here.
    pub fn get<R: Record>(&self, key: &R::Key) -> Result<Option<R>, StoreError> {
        self.raw(R::TABLE, &key.encoded())?.map(|stored| decode(&stored).map_err(StoreError::from)).transpose()
    }

    /// Rows whose keys are in the range, in order; `.rev()` and `.take(n)` read no more than they give.
    ///
    /// # Errors
    /// As for [`Snapshot::get`]; each row may fail on its own too.
    pub fn range<R: Record>(&self, range: impl RangeBounds<R::Key>) -> Result<Rows<R>, StoreError> {
        let bound = |bound: Bound<&R::Key>| bound.map(Key::encoded);
        self.rows(R::TABLE, bound(range.start_bound()), bound(range.end_bound()))
    }

    /// Rows whose keys begin so: `prefix::<MessageRecord>(&session_id)` is a chat from its first message on.
    ///
    /// # Errors
    /// As for [`Snapshot::get`].
    pub fn prefix<R: Record>(&self, prefix: &impl Prefix<R::Key>) -> Result<Rows<R>, StoreError> {
        let start = prefix.prefix_bytes();
        let end = after_prefix(&start).map_or(Bound::Unbounded, Bound::Excluded);
        self.rows(R::TABLE, Bound::Included(start), end)
    }

    /// Every row, in order of the keys.
    ///
    /// # Errors
    /// As for [`Snapshot::get`].
    pub fn all<R: Record>(&self) -> Result<Rows<R>, StoreError> {
        self.rows(R::TABLE, Bound::Unbounded, Bound::Unbounded)
    }

    /// How many rows there are. Costs the same for one row and for a million.
    ///
    /// # Errors
    /// [`StoreError::Read`].
    pub fn count<R: Record>(&self) -> Result<u64, StoreError> {
        self.table(R::TABLE)?.map_or(Ok(0), |table| table.len().map_err(StoreError::read))
    }

    /// The message with this id, whatever chat it is in.
    ///
    /// # Errors
    /// As for [`Snapshot::get`].
    pub fn message(&self, id: &MessageId) -> Result<Option<MessageRecord>, StoreError> {
        let Some(key) = self.raw(MESSAGES_BY_ID, &id.encoded())? else { return Ok(None) };
        let Some(stored) = self.raw(MessageRecord::TABLE, &key)? else { return Ok(None) };
        let message: MessageRecord = decode(&stored)?;
        Ok((message.id == *id).then_some(message))
    }

    /// Chats, the one with the newest `updated_at` first; `.take(n)` reads no more than it gives.
    ///
    /// # Errors
    /// As for [`Snapshot::get`].
    pub fn newest_sessions(&self) -> Result<impl Iterator<Item = Result<SessionRecord, StoreError>> + '_, StoreError> {
        let entries = self.entries(SESSIONS_BY_UPDATE, Bound::Unbounded, Bound::Unbounded)?;
        Ok(entries.into_iter().flat_map(Iterator::rev).filter_map(move |entry| {
            let follow = || -> Result<Option<SessionRecord>, StoreError> {
                let (_, key) = entry.map_err(StoreError::read)?;
                self.raw(SessionRecord::TABLE, key.value())?.map(|stored| Ok(decode(&stored)?)).transpose()
            };
            follow().transpose()
        }))
    }

    /// The memories in these very words (see [`FactRecord::same_words`]), oldest first, of any scope, status and state.
    ///
    /// # Errors
    /// As for [`Snapshot::get`].
    pub fn facts_saying(&self, content: &str) -> Result<Vec<FactRecord>, StoreError> {
        let start = FactRecord::words_hash(content).encoded();
        let end = after_prefix(&start).map_or(Bound::Unbounded, Bound::Excluded);
        let mut found = Vec::new();
        for entry in self.entries(FACTS_BY_WORDS, Bound::Included(start), end)?.into_iter().flatten() {
            let (_, key) = entry.map_err(StoreError::read)?;
            let Some(stored) = self.raw(FactRecord::TABLE, key.value())? else { continue };
            let fact: FactRecord = decode(&stored)?;
            if FactRecord::same_words(&fact.content, content) {
                found.push(fact);
            }
        }
        Ok(found)
    }

    /// The helpers of a chat, oldest first.
    ///
    /// # Errors
    /// As for [`Snapshot::get`].
    pub fn subagents_of(
        &self,
        session: &SessionId,
    ) -> Result<impl Iterator<Item = Result<SubagentRecord, StoreError>> + '_, StoreError> {
        self.of_session(SUBAGENTS_BY_SESSION, session)
    }

    /// The summaries of a chat, oldest first; they outlive it.
    ///
    /// # Errors
    /// As for [`Snapshot::get`].
    pub fn summaries_of(
        &self,
        session: &SessionId,
    ) -> Result<impl Iterator<Item = Result<SummaryRecord, StoreError>> + '_, StoreError> {
        self.of_session(SUMMARIES_BY_SESSION, session)
    }

    /// The rows that an index of `(chat, row)` leads to.
    fn of_session<R: Record>(
        &self,
        index: &str,
        session: &SessionId,
    ) -> Result<impl Iterator<Item = Result<R, StoreError>> + '_, StoreError> {
        let start = session.encoded();
        let end = after_prefix(&start).map_or(Bound::Unbounded, Bound::Excluded);
        let entries = self.entries(index, Bound::Included(start), end)?;
        Ok(entries.into_iter().flatten().filter_map(move |entry| {
            let follow = || -> Result<Option<R>, StoreError> {
                let (_, key) = entry.map_err(StoreError::read)?;
                self.raw(R::TABLE, key.value())?.map(|stored| Ok(decode(&stored)?)).transpose()
            };
            follow().transpose()
        }))
    }

    /// A number of the store's own; zero when it was never set.
    pub(crate) fn counter(&self, name: &str) -> Result<u64, StoreError> {
        Ok(self.raw(super::tables::COUNTERS, name.as_bytes())?.map_or(0, |bytes| super::tables::number(&bytes)))
    }

    fn rows<R: Record>(&self, table: &str, start: Bound<Vec<u8>>, end: Bound<Vec<u8>>) -> Result<Rows<R>, StoreError> {
        Ok(Rows { entries: self.entries(table, start, end)?, record: PhantomData })
    }

    fn entries(&self, table: &str, start: Bound<Vec<u8>>, end: Bound<Vec<u8>>) -> Result<Option<Entries>, StoreError> {
        let Some(table) = self.table(table)? else { return Ok(None) };
        if is_empty(&start, &end) {
            return Ok(None);
        }
        let bounds = (start.as_ref().map(Vec::as_slice), end.as_ref().map(Vec::as_slice));
        table.range::<&[u8]>(bounds).map(Some).map_err(StoreError::read)
    }

    fn raw(&self, table: &str, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        let Some(table) = self.table(table)? else { return Ok(None) };
        let value = table.get(key).map_err(StoreError::read)?;
        Ok(value.map(|value| value.value().to_vec()))
    }

    /// A table that nothing was ever written to is not in the file.
    fn table(&self, name: &str) -> Result<Option<ReadOnlyTable<Bytes, Bytes>>, StoreError> {
        match self.txn.open_table(definition(name)) {
            Ok(table) => Ok(Some(table)),
            Err(TableError::TableDoesNotExist(_)) => Ok(None),
            Err(error) => Err(StoreError::read(error)),
        }
    }
}

impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Snapshot").finish_non_exhaustive()
    }
}

type Entries = redb::Range<'static, Bytes, Bytes>;

/// Whether the range holds nothing whatever the table holds (redb panics on bounds that cross).
fn is_empty(start: &Bound<Vec<u8>>, end: &Bound<Vec<u8>>) -> bool {
    match (start, end) {
        (Bound::Unbounded, _) | (_, Bound::Unbounded) => false,
        (Bound::Included(start), Bound::Included(end)) => start > end,
        (Bound::Included(start) | Bound::Excluded(start), Bound::Included(end) | Bound::Excluded(end)) => start >= end,
    }
}

/// Rows of a snapshot, read as they are asked for, from either end.
pub struct Rows<R> {
    entries: Option<Entries>,
    record: PhantomData<fn() -> R>,
}

impl<R: Record> Rows<R> {
    fn read(
        entry: Result<(redb::AccessGuard<'_, Bytes>, redb::AccessGuard<'_, Bytes>), redb::StorageError>,
    ) -> Result<R, StoreError> {
        let (_, value) = entry.map_err(StoreError::read)?;
        decode(value.value()).map_err(|error: RecordError| error.into())
    }
}

impl<R: Record> Iterator for Rows<R> {
    type Item = Result<R, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.entries.as_mut()?.next().map(Self::read)
    }
}

impl<R: Record> DoubleEndedIterator for Rows<R> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.entries.as_mut()?.next_back().map(Self::read)
    }
}

impl<R> fmt::Debug for Rows<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rows").finish_non_exhaustive()
    }
}
