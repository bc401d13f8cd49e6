//! Reads a whole note from the disk, in parts (contract section 22, `folder_read`). Only what is in the index and what the
//! patterns of now keep can be read, and whether it is a clipping is seen on the file as it is now.

use super::notes::FolderNotes;
use super::search::{full_path, label, reads};
use crate::ports::NoText;
use protocol::folders::FolderPart;
use protocol::{Error, ErrorKind};
use rules::folders::{CLIPPING_SOURCE, FileKind, Patterns, cut_note, is_hidden_path, link};
use storage::records::{FolderFileRecord, FolderRecord};

const MEGABYTE: u64 = 1024 * 1024;

/// What is read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadAsk {
    /// The full path, the path inside a folder, or `<folder>/<path inside>`.
    pub path: String,
    pub offset: usize,
    /// Characters at most.
    pub limit: usize,
    /// The scope of the run that asks; `None` reads every folder.
    pub scope: Option<String>,
    pub everywhere: bool,
}

impl FolderNotes {
    /// Reads a part of a note.
    ///
    /// # Errors
    /// There is no such note in the index, it is kept for other chats, or it cannot be read now.
    pub async fn read(&self, ask: ReadAsk) -> Result<FolderPart, Error> {
        let (folder, file) = self.indexed(&ask.path)?.ok_or_else(|| {
            Error::not_found(format!(
                "There is no note \"{}\" in the user's folders. Find its path with folder_search.",
                ask.path
            ))
        })?;
        if !ask.everywhere && !reads(ask.scope.as_deref(), &folder.scope) {
            let kept = label(&folder.scope);
            return Err(Error::new(
                ErrorKind::Denied,
                format!(
                    "This note is in a folder that is kept for {kept}. Read it with everywhere=true only when the user asks for that."
                ),
            ));
        }
        let settings = self.settings();
        let kind = FileKind::of(&file.path).ok_or_else(|| gone(&file))?;
        let bytes_max = u64::from(settings.max_file_mb) * MEGABYTE;
        let text = self.files.text(folder.path.clone(), file.path.clone(), kind, bytes_max).await;
        let text = text.map_err(|why| not_read(&file, why))?.text;
        let note = cut_note(&file.path, kind, &text, usize::MAX / 2);
        let total = text.chars().count();
        let content: String = text.chars().skip(ask.offset).take(ask.limit.max(1)).collect();
        let next = ask.offset.saturating_add(content.chars().count());
        let more = next < total && ask.offset < total;
        let outside = settings.clippings_are_outside && note.is_clipping;
        Ok(FolderPart {
            outside_content: outside.then(|| CLIPPING_SOURCE.to_owned()),
            title: note.title,
            file: full_path(&folder, &file.path),
            link: folder.is_vault.then(|| link(&folder.name, &file.path)),
            clipped_from: note.clipped_from,
            offset: ask.offset as u64,
            content,
            total: total as u64,
            more,
            next_offset: more.then_some(next as u64),
            folder: folder.name,
            path: file.path,
        })
    }

    /// The note a path means, when it is in the index and kept by the patterns of now.
    fn indexed(&self, asked: &str) -> Result<Option<(FolderRecord, FolderFileRecord)>, Error> {
        let snapshot = self.store.snapshot()?;
        let ignored = self.settings().ignore;
        let asked = asked.trim();
        for folder in self.folders() {
            let patterns = Patterns::new(ignored.iter().chain(&folder.ignore).map(String::as_str));
            for path in inside(&folder, asked) {
                for path in [path.clone(), format!("{path}.md")] {
                    let row = snapshot.get::<FolderFileRecord>(&(folder.id.clone(), path.clone()))?;
                    let row = row.filter(|_| patterns.keeps_file(&path) && !is_hidden_path(&path));
                    if let Some(row) = row {
                        return Ok(Some((folder, row)));
                    }
                }
            }
        }
        Ok(None)
    }
}

/// The paths inside a folder that a path can mean.
fn inside(folder: &FolderRecord, asked: &str) -> Vec<String> {
    let plain = |text: &str| text.replace('\\', "/");
    let mut paths = Vec::new();
    let within = |rest: &str| rest.strip_prefix('/').map(str::to_owned);
    if let Some(rest) = plain(asked).strip_prefix(&plain(&folder.path)) {
        paths.extend(within(rest));
    }
    if let Some((first, rest)) = asked.split_once(['/', '\\'])
        && first.to_lowercase() == folder.name.to_lowercase()
    {
        paths.push(plain(rest));
    }
    paths.push(asked.trim_start_matches("./").to_owned());
    // A name that no key can have is nobody's.
    paths.retain(|path| !path.is_empty() && path.len() <= storage::records::FOLDER_PATH_BYTES_MAX);
    paths
}

fn gone(file: &FolderFileRecord) -> Error {
    Error::not_found(format!("\"{}\" is not there any more.", file.path))
}

fn not_read(file: &FolderFileRecord, why: NoText) -> Error {
    let path = &file.path;
    match why {
        NoText::Gone => gone(file),
        NoText::NotOpened => Error::new(ErrorKind::Denied, format!("\"{path}\" cannot be opened.")),
        NoText::TooBig => {
            Error::new(ErrorKind::TooLarge, format!("\"{path}\" is bigger than what is read of one file."))
        }
        NoText::Unreadable => Error::new(
            ErrorKind::Unprocessable,
            format!("\"{path}\" is damaged, locked or no text, so it cannot be read."),
        ),
    }
}
