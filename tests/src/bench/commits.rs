//! Durable commits: many writers of the store against redb used plainly, one commit for each row.

use super::numbers::figures;
use super::report::{Row, Verdict};
use super::start::stored;
use super::{Measured, Trouble};
use futures::future::try_join_all;
use redb::{Database, TableDefinition};
use std::path::Path;
use storage::{Batch, OpenOptions, Store};
use tempfile::TempDir;
use tokio::time::Instant;

const WRITERS: usize = 64;
const ROWS_PER_WRITER: usize = 100;
/// Commits of the peer; each waits for the disk.
const PLAIN_COMMITS: u32 = 200;
/// Passes of both, in turns; the median ratio counts.
const PASSES: usize = 5;
const TABLE: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("rows");

pub(super) async fn grouped() -> Measured {
    let home = TempDir::new()?;
    let (store, _) = Store::open(&home.path().join("store"), OpenOptions::default())?;
    let mut passes = Vec::new();
    for pass in 0..PASSES {
        let path = home.path().join(format!("plain{pass}.redb"));
        let plain = tokio::task::spawn_blocking(move || plainly(&path)).await??;
        passes.push((together(&store, pass).await?, plain));
    }
    passes.sort_by(|one, other| (one.0 / one.1).total_cmp(&(other.0 / other.1)));
    let (ours, plain) = passes[PASSES / 2];
    Ok(vec![Row {
        what: format!("durable commits, {WRITERS} writers"),
        bar: "≥ 30 × one commit per row".into(),
        ours: format!("{} rows/s, {} ×", figures(ours), figures(ours / plain)),
        peer: format!("redb, one commit per row: {} rows/s ({} ms each)", figures(plain), figures(1_000.0 / plain)),
        verdict: Verdict::of(ours / plain >= 30.0),
        how: format!(
            "{WRITERS} tasks commit {ROWS_PER_WRITER} messages each, every one waiting until its own is on the disk; the peer \
             commits {PLAIN_COMMITS} rows of the same size one after the other. Median of {PASSES} pairs."
        ),
    }])
}

/// Rows a second.
async fn together(store: &Store, pass: usize) -> Result<f64, Trouble> {
    let began = Instant::now();
    let writers = (0..WRITERS).map(|writer| async move {
        for ordinal in 0..ROWS_PER_WRITER {
            let mut batch = Batch::new();
            batch.put(&stored(pass * WRITERS + writer, ordinal));
            store.commit(batch).await?;
        }
        Ok::<(), Trouble>(())
    });
    try_join_all(writers).await?;
    #[expect(clippy::cast_precision_loss, reason = "some thousand")]
    let rows = (WRITERS * ROWS_PER_WRITER) as f64;
    Ok(rows / began.elapsed().as_secs_f64())
}

/// Rows a second. Blocks.
fn plainly(path: &Path) -> Result<f64, Trouble> {
    let db = Database::create(path)?;
    let began = Instant::now();
    for number in 0..PLAIN_COMMITS {
        let row = stored(0, usize::try_from(number)?).content;
        let txn = db.begin_write()?;
        txn.open_table(TABLE)?.insert(number.to_be_bytes().as_slice(), row.as_bytes())?;
        txn.commit()?;
    }
    Ok(f64::from(PLAIN_COMMITS) / began.elapsed().as_secs_f64())
}
