//! Texts that lack vectors get the builtin one, at once and in this process; the configured model's turn is noted as a row
//! of its own. This goes on while everything is stopped: it calls nobody.

use super::spaces;
use futures::future::try_join_all;
use protocol::Error;
use rules::embeddings::BUILTIN_SPACE;
use storage::memory_index::{no_texts, text_guarded};
use storage::records::{EmbedJob, ModelEmbedJob, Searched, SearchedKind, VectorRecord};
use storage::{Batch, Store, vectors};

/// Texts of one step. Ours: a few milliseconds of work.
const STEP_TEXTS: usize = 64;

/// The row of a text's builtin vector; `None` when the model knows nothing of it.
pub(super) fn record(searched: Searched, text: &str) -> Option<VectorRecord> {
    vectors::record(BUILTIN_SPACE, searched, text, &embedder::vector(text)?)
}

/// Sees to all texts that lack vectors, and first of all to all there are when another builtin model made those.
pub(super) async fn catch_up(store: &Store, for_model: bool) -> Result<(), Error> {
    let snapshot = store.snapshot()?;
    // A new home has nothing to make anew, and its first text is written with its vector: no row is written before it.
    let made_anew = spaces::load(&snapshot)?.builtin != BUILTIN_SPACE && !no_texts(&snapshot)?;
    drop(snapshot);
    if made_anew {
        spaces::note_lacking(store, BUILTIN_SPACE, |searched, batch| {
            batch.put(&EmbedJob::of(searched));
        })
        .await?;
        spaces::change(store, |spaces| rules::embeddings::Spaces { builtin: BUILTIN_SPACE.into(), ..spaces }).await?;
    }
    while step(store, for_model).await? > 0 {}
    Ok(())
}

/// Answers how many texts it saw to.
async fn step(store: &Store, for_model: bool) -> Result<usize, Error> {
    let snapshot = store.snapshot()?;
    let mut batches = Vec::new();
    for kind in SearchedKind::ALL {
        for job in snapshot.prefix::<EmbedJob>(&kind)?.take(STEP_TEXTS - batches.len()) {
            let searched = job?.searched();
            let mut batch = Batch::new();
            let text = text_guarded(&snapshot, searched, &mut batch)?;
            if let Some(record) = text.as_ref().and_then(|text| record(searched, text)) {
                vectors::put(&mut batch, &record);
            }
            if for_model && text.is_some() {
                batch.put(&ModelEmbedJob::of(searched));
            }
            batch.delete::<EmbedJob>(&searched);
            batches.push(batch);
        }
    }
    drop(snapshot);
    // One that changed meanwhile keeps its row and is seen to in the next step.
    let seen_to = try_join_all(batches.into_iter().map(|batch| store.commit(batch))).await?;
    Ok(seen_to.len())
}
