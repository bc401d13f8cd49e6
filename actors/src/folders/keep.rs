//! Keeps what a scan read: a file's row and its pieces change together, so a search never sees half of a file.

use super::Folders;
use super::forget::{FORGET_PIECES_MAX, pieces_gone};
use protocol::events::{DomainEvent, EventFrame};
use protocol::folders::{FolderChange, FolderProgress};
use protocol::{Error, ErrorKind, Request, Timestamp};
use rules::folders::CutNote;
use runtime::{Ctx, Handles};
use storage::records::{FolderFileRecord, FolderFileState, FolderPieceRecord, FolderRecord, Searched, SearchedKind};
use storage::{Batch, vectors};

/// Steps one file's change takes at most: forgetting and writing `PIECES_PER_FILE_MAX` pieces.
const FORGET_STEPS: usize = 5;
const WRITE_STEPS: usize = 7;
/// Steps gathered in one batch. Ours: below what a batch may have by the most one file adds.
const STEPS_MAX: usize = 1_500;
/// How often windows hear of a scan's progress (contract section 22).
const TELL_EVERY_MS: i64 = 1_000;
/// Characters of the labels each piece carries. Ours.
const LABELS_CHARS_MAX: usize = 500;

/// What became of one file.
#[derive(Debug)]
pub(super) struct Kept {
    pub(super) path: String,
    pub(super) bytes: u64,
    pub(super) modified_ms: i64,
    pub(super) cut: u64,
    pub(super) what: KeptWhat,
}

/// What was read of it.
#[derive(Debug)]
pub(super) enum KeptWhat {
    Cut(Box<CutNote>),
    /// Its text is what it was: only its size and time are written.
    SameText,
    /// It has no text, for the reason that the state says.
    NoText(FolderFileState),
}

/// Keeps files that were read, and forgets some that are gone.
pub(super) struct Keep {
    pub(super) scan: u64,
    pub(super) files: Vec<Kept>,
    pub(super) gone: Vec<String>,
    pub(super) progress: FolderProgress,
}

impl Request for Keep {
    type Reply = ();
    const NAME: &'static str = "folders.keep";
}

impl Handles<Keep> for Folders {
    async fn handle(&mut self, keep: Keep, ctx: &Ctx<Self>) -> Result<(), Error> {
        let Keep { scan, files, gone, progress } = keep;
        let running = self.running.as_ref().filter(|running| running.scan == scan && !running.cancel.is_cancelled());
        let Some(id) = running.map(|running| running.id.clone()) else { return Err(over()) };
        let mut folder = self.folder(&id)?.clone();
        let mut writing = Writing::default();
        let snapshot = self.needs.store.snapshot()?;
        for path in gone {
            let Some(old) = snapshot.get::<FolderFileRecord>(&(id.clone(), path.clone()))? else { continue };
            writing.forget(&old);
            writing.batch.delete::<FolderFileRecord>(&(id.clone(), path));
            self.flush(&mut writing, &folder).await?;
        }
        for file in files {
            let old = snapshot.get::<FolderFileRecord>(&(id.clone(), file.path.clone()))?;
            writing.file(&mut folder, file, old.as_ref());
            self.flush(&mut writing, &folder).await?;
        }
        writing.steps = STEPS_MAX;
        self.flush(&mut writing, &folder).await?;
        self.tell(progress, ctx.now());
        Ok(())
    }
}

/// A batch in the making.
#[derive(Default)]
struct Writing {
    batch: Batch,
    steps: usize,
}

impl Writing {
    fn forget(&mut self, old: &FolderFileRecord) {
        self.steps += 1 + FORGET_STEPS * old.pieces as usize;
        pieces_gone(&mut self.batch, old.piece_ids());
    }

    fn file(&mut self, folder: &mut FolderRecord, file: Kept, old: Option<&FolderFileRecord>) {
        let Kept { path, bytes, modified_ms, cut, what } = file;
        let seen = |row: FolderFileRecord| FolderFileRecord { bytes, modified_ms, cut, ..row };
        let row = match (what, old) {
            (KeptWhat::SameText, Some(old)) => seen(old.clone()),
            // A file that cannot be opened for a moment keeps what is known of it.
            (KeptWhat::NoText(FolderFileState::NotOpened), Some(old)) if old.pieces > 0 => {
                FolderFileRecord { state: FolderFileState::NotOpened, ..old.clone() }
            }
            (KeptWhat::NoText(state), old) => {
                old.into_iter().for_each(|old| self.forget(old));
                seen(FolderFileRecord { state, ..bare(&folder.id, path) })
            }
            (KeptWhat::Cut(note), old) => {
                old.into_iter().for_each(|old| self.forget(old));
                seen(self.pieces(folder, path, *note))
            }
            (KeptWhat::SameText, None) => return,
        };
        self.steps += 1;
        self.batch.put(&row);
    }

    /// Writes the pieces of a file. Answers its row.
    fn pieces(&mut self, folder: &mut FolderRecord, path: String, note: CutNote) -> FolderFileRecord {
        let CutNote { title, aliases, tags, is_clipping, clipped_from, hash, pieces, is_part } = note;
        let labels: String = [&aliases[..], &tags[..]].concat().join(" ").chars().take(LABELS_CHARS_MAX).collect();
        let first_piece = folder.next_piece_id();
        let count = u32::try_from(pieces.len()).unwrap_or(u32::MAX);
        for (heading, text) in pieces {
            let piece = FolderPieceRecord {
                id: folder.next_piece_id(),
                folder_id: folder.id.clone(),
                path: path.clone(),
                title: title.clone(),
                labels: labels.clone(),
                heading,
                text,
            };
            folder.next_piece += 1;
            let searched = Searched::new(SearchedKind::NotePiece, piece.id);
            self.batch.put(&piece);
            vectors::changed(&mut self.batch, searched);
            self.steps += WRITE_STEPS;
        }
        FolderFileRecord {
            text_hash: hash,
            title,
            aliases,
            tags,
            is_clipping,
            clipped_from,
            state: if is_part { FolderFileState::ReadInPart } else { FolderFileState::Read },
            first_piece,
            pieces: count,
            ..bare(&folder.id, path)
        }
    }
}

/// A file of which nothing is known.
fn bare(folder: &str, path: String) -> FolderFileRecord {
    FolderFileRecord {
        folder_id: folder.to_owned(),
        title: rules::folders::stem(&path).to_owned(),
        path,
        bytes: 0,
        modified_ms: 0,
        text_hash: 0,
        cut: 0,
        aliases: Vec::new(),
        tags: Vec::new(),
        is_clipping: false,
        clipped_from: None,
        state: FolderFileState::Unreadable,
        first_piece: 0,
        pieces: 0,
    }
}

impl Folders {
    /// Writes what was gathered once there is enough, with the folder's own row: its numbers of pieces are never given
    /// twice.
    async fn flush(&mut self, writing: &mut Writing, folder: &FolderRecord) -> Result<(), Error> {
        if writing.steps < STEPS_MAX || writing.batch.is_empty() {
            return Ok(());
        }
        let Writing { mut batch, .. } = std::mem::take(writing);
        batch.put(folder);
        self.needs.store.commit(batch).await?;
        self.folders.insert(folder.id.clone(), folder.clone());
        Ok(())
    }

    /// Tells windows how far the scan is, at most once a second.
    fn tell(&mut self, progress: FolderProgress, now: Timestamp) {
        let Some(running) = self.running.as_mut() else { return };
        running.progress = Some(progress);
        let is_due = running.told_at.is_none_or(|told| now.as_millis() - told.as_millis() >= TELL_EVERY_MS);
        if is_due {
            running.told_at = Some(now);
            let change = FolderChange { id: running.id.clone(), removed: false, progress: Some(progress) };
            self.needs.live.event(&EventFrame { event: DomainEvent::FoldersUpdated(change), ts: now });
        }
        self.publish();
    }
}

/// The answer for a scan that is not the running one any more.
fn over() -> Error {
    Error::new(ErrorKind::Cancelled, "This look through a folder is over.")
}

/// One file's change fits into a batch.
const _: () = assert!(
    STEPS_MAX + (FORGET_STEPS + WRITE_STEPS) * rules::folders::PIECES_PER_FILE_MAX + 2 < storage::BATCH_OPS_MAX
        && FORGET_PIECES_MAX * FORGET_STEPS < storage::BATCH_OPS_MAX
);
