//! One write transaction: a group of batches, each in full, with the numbers that events and index work get.

use super::tables::{OUTBOX, SEARCHED_OUTBOX, Tables, number};
use super::{Committed, FaultPoint, Inner};
use crate::StoreError;
use crate::batch::{Batch, Op};
use crate::key::{Key, after_prefix};
use crate::record::{Record, Table, encode};
use crate::records::{EventRecord, NewEvent, OutboxRow, SearchedChange};
use redb::{ReadableTable, WriteTransaction};
use std::sync::Arc;

/// Rows that one step looks at before it deletes them.
const DELETE_CHUNK: usize = 1_000;

impl Inner {
    /// Writes the batches in one transaction and tells subscribers. Either all are written or (as far as is known) none.
    pub(super) fn write(&self, batches: &[&Batch]) -> Result<Vec<Committed>, StoreError> {
        let txn = self.db.begin_write().map_err(StoreError::failed)?;
        let committed = apply(&txn, batches)?;
        self.fault(FaultPoint::BeforeCommit).map_err(|reason| StoreError::Failed { reason })?;
        txn.commit().map_err(StoreError::uncertain)?;
        self.fault(FaultPoint::AfterCommit).map_err(|reason| StoreError::Uncertain { reason })?;
        for event in committed.iter().flat_map(|it| &it.events) {
            // Nobody listening is fine: the log has it.
            drop(self.committed.send(Arc::new(event.clone())));
        }
        Ok(committed)
    }

    fn fault(&self, point: FaultPoint) -> Result<(), String> {
        self.faults.as_ref().map_or(Ok(()), |faults| faults.at(point))
    }
}

fn apply(txn: &WriteTransaction, batches: &[&Batch]) -> Result<Vec<Committed>, StoreError> {
    let mut tables = Tables::of(txn);
    let mut committed = Vec::with_capacity(batches.len());
    for batch in batches {
        if !is_as_seen(&mut tables, batch)? {
            committed.push(Committed { skipped: true, ..Committed::default() });
            continue;
        }
        for op in &batch.ops {
            perform(&mut tables, op)?;
        }
        add_jobs(&mut tables, batch)?;
        add_changes(&mut tables, batch)?;
        let events = add_events(&mut tables, &batch.events)?;
        let numbers = (events.first().map(|it| it.seq), events.last().map(|it| it.seq));
        committed.push(Committed { skipped: false, first: numbers.0, last: numbers.1, events });
    }
    Ok(committed)
}

/// Whether the rows that the batch was worked out from have not changed since.
fn is_as_seen(tables: &mut Tables<'_>, batch: &Batch) -> Result<bool, StoreError> {
    for guard in &batch.guards {
        let stored = tables.table(guard.table)?.get(guard.key.as_slice()).map_err(StoreError::failed)?;
        if stored.as_ref().map(|stored| stored.value()) != guard.value.as_deref() {
            return Ok(false);
        }
    }
    Ok(true)
}

fn perform(tables: &mut Tables<'_>, op: &Op) -> Result<(), StoreError> {
    match op {
        Op::Put { table, key, value, entries } => tables.put(*table, key, value, entries),
        Op::Delete { table, key } => tables.delete(*table, key),
        Op::DeletePrefix { table, prefix } => {
            let end = after_prefix(prefix);
            loop {
                let keys = tables.keys(table.name, prefix, end.as_deref(), DELETE_CHUNK)?;
                for key in &keys {
                    tables.delete(*table, key)?;
                }
                if keys.len() < DELETE_CHUNK {
                    return Ok(());
                }
            }
        }
        Op::Replace { table, key, value } => {
            if tables.has(table.name, key)? {
                tables.put(*table, key, value, &[])?;
            }
            Ok(())
        }
        Op::DeleteBelow { table, end, limit } => {
            for key in tables.keys(table.name, &[], Some(end), *limit)? {
                tables.delete(*table, &key)?;
            }
            Ok(())
        }
    }
}

fn add_events(tables: &mut Tables<'_>, events: &[NewEvent]) -> Result<Vec<EventRecord>, StoreError> {
    if events.is_empty() {
        return Ok(Vec::new());
    }
    let table = tables.table(EventRecord::TABLE)?;
    // Pruning always leaves the newest row, so the last number is never given twice.
    let mut seq = table.last().map_err(StoreError::failed)?.map_or(0, |(key, _)| number(key.value()));
    let mut numbered = Vec::with_capacity(events.len());
    for event in events {
        seq += 1;
        let record = EventRecord { seq, at: event.at, kind: event.kind.clone(), data: event.data.clone() };
        table.insert(seq.encoded().as_slice(), encode(&record)?.as_slice()).map_err(StoreError::failed)?;
        numbered.push(record);
    }
    Ok(numbered)
}

/// The outbox is emptied all the time, so its last number is kept apart: the index remembers how far it has come.
fn add_jobs(tables: &mut Tables<'_>, batch: &Batch) -> Result<(), StoreError> {
    if batch.jobs.is_empty() {
        return Ok(());
    }
    let mut last = tables.counter(OUTBOX)?;
    for job in &batch.jobs {
        last += 1;
        let row = OutboxRow { number: last, job: job.clone() };
        tables.put(Table::of::<OutboxRow>(), &last.encoded(), &encode(&row)?, &[])?;
    }
    tables.set_counter(OUTBOX, last)
}

/// As for [`add_jobs`].
fn add_changes(tables: &mut Tables<'_>, batch: &Batch) -> Result<(), StoreError> {
    if batch.changes.is_empty() {
        return Ok(());
    }
    let mut last = tables.counter(SEARCHED_OUTBOX)?;
    for change in &batch.changes {
        last += 1;
        let row = SearchedChange { number: last, change: change.clone() };
        tables.put(Table::of::<SearchedChange>(), &last.encoded(), &encode(&row)?, &[])?;
    }
    tables.set_counter(SEARCHED_OUTBOX, last)
}
