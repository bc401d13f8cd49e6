//! The workspace folder: who the assistant is (`SOUL.md`), whom it works for (`USER.md`), what it keeps in view
//! (`MEMORY.md`) and the notes of single days.

use actors::ports::{Workspace, WorkspaceFile};
use futures::FutureExt;
use futures::future::BoxFuture;
use protocol::{Error, ErrorKind};
use std::fs;
use std::io::{ErrorKind as IoKind, Write as _};
use std::path::{Path, PathBuf};

/// Bytes of one workspace file that are read. Ours: more would fill a prompt by itself.
const FILE_BYTES_MAX: usize = 64 * 1024;

/// The folder `<home>/workspace`.
#[derive(Clone, Debug)]
pub(super) struct WorkspaceFolder(PathBuf);

impl WorkspaceFolder {
    pub(super) fn new(home: &Path) -> Self {
        Self(home.join("workspace"))
    }

    fn path(&self, file: WorkspaceFile) -> PathBuf {
        match file {
            WorkspaceFile::Soul => self.0.join("SOUL.md"),
            WorkspaceFile::User => self.0.join("USER.md"),
            WorkspaceFile::Memory => self.0.join("MEMORY.md"),
            WorkspaceFile::Note(day) => self.0.join("notes").join(format!("{day}.md")),
        }
    }
}

fn read(path: &Path) -> Result<Option<String>, Error> {
    match fs::read(path) {
        Ok(mut bytes) => {
            bytes.truncate(FILE_BYTES_MAX);
            Ok(Some(String::from_utf8_lossy(&bytes).trim_start_matches('\u{feff}').to_owned()))
        }
        Err(cause) if cause.kind() == IoKind::NotFound => Ok(None),
        Err(cause) => Err(unusable(path, &cause)),
    }
}

/// Beside the old text and then in its place, in one step.
fn write(path: &Path, text: &str) -> Result<(), Error> {
    let folder = path.parent().unwrap_or(path);
    let beside = path.with_extension("md.new");
    let done = fs::create_dir_all(folder).and_then(|()| {
        let mut file = fs::File::create(&beside)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&beside, path)
    });
    done.map_err(|cause| unusable(path, &cause))
}

fn unusable(path: &Path, cause: &std::io::Error) -> Error {
    Error::new(ErrorKind::Unavailable, format!("{} cannot be used: {cause}.", path.display()))
        .hint("Check the disk and the folder's permissions.")
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T, Error> + Send + 'static) -> Result<T, Error> {
    tokio::task::spawn_blocking(work).await.map_err(|cause| Error::internal(cause.to_string()))?
}

impl Workspace for WorkspaceFolder {
    fn read(&self, file: WorkspaceFile) -> BoxFuture<'static, Result<Option<String>, Error>> {
        let path = self.path(file);
        blocking(move || read(&path)).boxed()
    }

    fn write(&self, file: WorkspaceFile, text: String) -> BoxFuture<'static, Result<(), Error>> {
        let path = self.path(file);
        blocking(move || write(&path, &text)).boxed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_there_after_it_was_written_and_none_before() {
        let home = tempfile::tempdir().expect("a folder");
        let folder = WorkspaceFolder::new(home.path());
        let path = folder.path(WorkspaceFile::User);
        assert_eq!(read(&path).expect("no trouble"), None);
        write(&path, "Maya, Pune").expect("written");
        assert_eq!(read(&path).expect("read").as_deref(), Some("Maya, Pune"));
    }
}
