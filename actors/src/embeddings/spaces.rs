//! The spaces as they are stored: one row that says which there are, and steps over all texts.

use protocol::{Error, ErrorKind};
use rules::embeddings::Spaces;
use storage::memory_index::{every_text, no_texts};
use storage::records::{MetaRecord, Searched};
use storage::{Batch, Snapshot, Store, StoreError, vectors};

/// The name of the row among the single values of the store.
const ROW: &str = "embeddings.spaces";
/// Rows of one commit. Ours.
const STEP_ROWS: usize = 2_000;

/// What the store says. A row that cannot be read is none: everything is embedded anew.
pub(super) fn load(snapshot: &Snapshot) -> Result<Spaces, StoreError> {
    let row = snapshot.get::<MetaRecord>(&ROW.to_owned())?;
    Ok(row.map_or_else(Spaces::default, |row| {
        serde_json::from_str(&row.value).unwrap_or_else(|error| {
            tracing::warn!(%error, "which vectors there are cannot be read: they are made anew");
            Spaces::default()
        })
    }))
}

/// Changes the row, and answers what it says now. Only the background work calls it.
pub(super) async fn change(store: &Store, change: impl FnOnce(Spaces) -> Spaces) -> Result<Spaces, Error> {
    let before = load(&store.snapshot()?)?;
    let after = change(before.clone());
    if after != before {
        let value = serde_json::to_string(&after).map_err(|error| Error::internal(error.to_string()))?;
        let mut batch = Batch::new();
        batch.put(&MetaRecord { name: ROW.into(), value });
        store.commit(batch).await?;
    }
    Ok(after)
}

/// Leaves a row (`put`) for every text whose vector in the space is missing or was made of other words. Answers how many,
/// and of how many texts. May be begun again at any time.
pub(super) async fn note_lacking(
    store: &Store,
    space: &str,
    put: fn(Searched, &mut Batch),
) -> Result<(usize, usize), Error> {
    if no_texts(&store.snapshot()?)? {
        return Ok((0, 0)); // a new home: not worth a thread
    }
    let (reader, space) = (store.clone(), space.to_owned());
    let found = tokio::task::spawn_blocking(move || lacking(&reader, &space)).await;
    let (lacking, total) = found.map_err(|cause| Error::new(ErrorKind::Unavailable, cause.to_string()))??;
    for part in lacking.chunks(STEP_ROWS) {
        let mut batch = Batch::new();
        for searched in part {
            put(*searched, &mut batch);
        }
        store.commit(batch).await?;
    }
    Ok((lacking.len(), total))
}

fn lacking(store: &Store, space: &str) -> Result<(Vec<Searched>, usize), StoreError> {
    let snapshot = store.snapshot()?;
    let (mut lacking, mut total) = (Vec::new(), 0);
    every_text(&snapshot, &mut |searched, text| {
        total += 1;
        if !has(&snapshot, space, searched, text)? {
            lacking.push(searched);
        }
        Ok(())
    })?;
    Ok((lacking, total))
}

/// Whether the text has its vector in the space, made of these words.
pub(super) fn has(snapshot: &Snapshot, space: &str, searched: Searched, text: &str) -> Result<bool, StoreError> {
    let row = vectors::of(snapshot, space, searched)?;
    Ok(row.is_some_and(|row| row.text_hash == vectors::text_hash(text)))
}
