//! What the engine itself saves and clears away: long tool results, folders of incognito chats, forgotten captures.

use super::{FileError, Files};
use protocol::Timestamp;
use protocol::ids::{CallId, SessionId};

/// A capture that no message has is removed after this long (contract section 2: over an hour).
const CAPTURE_KEPT_MILLIS: i64 = 60 * 60 * 1_000;
const INCOGNITO_PREFIX: &str = "incognito-";

/// A long tool result on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedOutput {
    /// Its name under `files/`, as `file_read` takes it.
    pub name: String,
    /// Characters of the text.
    pub characters: u64,
}

impl Files {
    /// Saves what a call came to as `outputs/tool-<call id>.txt`, for an incognito chat in the folder that goes with it.
    ///
    /// # Errors
    /// [`FileError::BadName`] for an id that cannot be a file name, the disk.
    pub fn save_output(
        &self,
        call: &CallId,
        incognito: Option<&SessionId>,
        text: &str,
    ) -> Result<SavedOutput, FileError> {
        let folder = match incognito {
            Some(session) => incognito_folder(session)?,
            None => "outputs".to_owned(),
        };
        let name = format!("{folder}/tool-{}.txt", part(call.as_str())?);
        self.write(&name, text.as_bytes())?;
        Ok(SavedOutput { name, characters: text.chars().count() as u64 })
    }

    /// Makes the folder of an incognito chat and answers its name. It need not be made before an output is saved.
    ///
    /// # Errors
    /// [`FileError::BadName`], the disk.
    pub fn create_incognito(&self, session: &SessionId) -> Result<String, FileError> {
        let folder = incognito_folder(session)?;
        self.disk.make_folder(&folder)?;
        Ok(folder)
    }

    /// Deletes the folder of an incognito chat; `false` when it had none.
    ///
    /// # Errors
    /// [`FileError::BadName`], the disk.
    pub fn delete_incognito(&self, session: &SessionId) -> Result<bool, FileError> {
        self.disk.delete_folder(&incognito_folder(session)?)
    }

    /// Deletes the folders of incognito chats that are gone (contract section 2: at the next start). Answers how many.
    ///
    /// # Errors
    /// The disk.
    pub fn sweep_incognito(&self, is_open: impl Fn(&SessionId) -> bool) -> Result<usize, FileError> {
        let mut swept = 0;
        for folder in self.disk.folders_in("outputs")? {
            if let Some(session) = folder.strip_prefix(INCOGNITO_PREFIX)
                && !is_open(&session.into())
            {
                self.disk.delete_folder(&format!("outputs/{folder}"))?;
                swept += 1;
            }
        }
        Ok(swept)
    }

    /// Deletes screens and selections over an hour old that no message has (contract section 2: at start). Answers
    /// their names.
    ///
    /// # Errors
    /// The disk.
    pub fn sweep_captures(&self, now: Timestamp, attached: impl Fn(&str) -> bool) -> Result<Vec<String>, FileError> {
        let mut swept = Vec::new();
        for folder in ["screens", "selections"] {
            for file in self.list_in(folder)? {
                let old = file.modified_at.plus_millis(CAPTURE_KEPT_MILLIS) < now;
                if old && !attached(&file.name) && self.delete(&file.name)? {
                    swept.push(file.name);
                }
            }
        }
        Ok(swept)
    }
}

fn incognito_folder(session: &SessionId) -> Result<String, FileError> {
    Ok(format!("outputs/{INCOGNITO_PREFIX}{}", part(session.as_str())?))
}

/// An id as part of a file name: our own ids are; anything else is refused rather than changed, so that no two meet.
fn part(id: &str) -> Result<&str, FileError> {
    let fine =
        !id.is_empty() && id.len() <= 100 && id.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    if fine { Ok(id) } else { Err(FileError::BadName) }
}
