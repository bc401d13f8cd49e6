//! Takes the steps of a cleanup, and remembers those that failed.

use super::{Derived, Forgotten};
use protocol::{Error, Timestamp};
use std::sync::Arc;
use storage::records::FactCleanupRecord;
use storage::{Batch, Store};
use tokio::time::{Duration, timeout};

/// Days for which a step that fails is tried again (contract section 7).
pub(in crate::memory) const CLEANUP_DAYS_MAX: i64 = 7;
/// Memories forgotten in one commit. Ours: far below what a batch may hold.
pub(in crate::memory) const FACTS_PER_CLEANUP: usize = 200;
/// How long what is outside the store may take: a file of this computer.
const OUTSIDE_MAX: Duration = Duration::from_secs(10);

/// What is due for these memories; `None` when nothing is made of memories that are only withdrawn.
pub(in crate::memory) fn due(
    derived: &[Arc<dyn Derived>],
    forgotten: &Forgotten,
    since: Timestamp,
) -> Option<FactCleanupRecord> {
    let steps = derived.iter().filter(|step| !forgotten.withdrawn || step.follows_withdrawal());
    let steps: Vec<String> = steps.map(|step| step.name().to_owned()).collect();
    let fact = forgotten.facts.first()?.id;
    let forgotten = crate::memory::facts::json(forgotten);
    (!steps.is_empty()).then_some(FactCleanupRecord { fact, forgotten, steps, since })
}

/// Takes the steps that are left. Answers whether some still are.
///
/// # Errors
/// A store that cannot be written.
pub(in crate::memory) async fn run(
    store: &Store,
    derived: &[Arc<dyn Derived>],
    mut cleanup: FactCleanupRecord,
) -> Result<bool, Error> {
    let forgotten: Forgotten = match serde_json::from_str(&cleanup.forgotten) {
        Ok(forgotten) => forgotten,
        Err(error) => {
            tracing::error!(%error, fact = cleanup.fact, "a cleanup cannot be read and is dropped");
            cleanup.steps.clear();
            Forgotten::default()
        }
    };
    let mut left = Vec::new();
    for name in std::mem::take(&mut cleanup.steps) {
        // A step this build no longer has: nothing of it can be there.
        let Some(step) = derived.iter().find(|step| step.name() == name) else { continue };
        if let Err(error) = take(store, step, &forgotten).await {
            tracing::warn!(%error, step = %name, "something made of a forgotten memory waits to be removed");
            left.push(name);
        }
    }
    cleanup.steps = left;
    let is_pending = !cleanup.steps.is_empty();
    let mut batch = Batch::new();
    if is_pending {
        batch.put(&cleanup);
    } else {
        batch.delete::<FactCleanupRecord>(&cleanup.fact);
    }
    store.commit(batch).await?;
    Ok(is_pending)
}

async fn take(store: &Store, step: &Arc<dyn Derived>, forgotten: &Forgotten) -> Result<(), Error> {
    let (reader, doing, of) = (store.clone(), step.clone(), forgotten.clone());
    let prepared = tokio::task::spawn_blocking(move || {
        let mut batch = Batch::new();
        doing.forget(&reader.snapshot()?, &of, &mut batch)?;
        Ok::<Batch, Error>(batch)
    });
    let batch = prepared.await.map_err(|cause| Error::new(protocol::ErrorKind::Unavailable, cause.to_string()))??;
    if !batch.is_empty() {
        store.commit(batch).await?;
    }
    timeout(OUTSIDE_MAX, step.forget_outside(forgotten))
        .await
        .map_err(|_| Error::new(protocol::ErrorKind::Timeout, "It took too long."))?
}
