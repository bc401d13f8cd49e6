//! Folders of the person's notes.

use super::settings::ConfigNow;
use crate::adapters::folders::{DiskFolders, Reader};
use crate::adapters::processes::Launcher;
use crate::environment::Environment;
use actors::embeddings::Embeddings;
use actors::folders::FolderNotes;
use actors::stop::ProcessTrees;
use protocol::{Error, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use storage::{MemoryIndex, Store};

/// What reads them.
pub(super) fn notes(
    (home, environment): (&Path, &Environment),
    store: &Store,
    search: (MemoryIndex, Embeddings),
    config: ConfigNow,
    reader: Reader,
) -> FolderNotes {
    let person = environment.person_home();
    let files = DiskFolders::new(person.as_deref(), home, reader);
    FolderNotes::new(store.clone(), search, config, Arc::new(files))
}

/// What reads documents, in added folders and imported ones: `program`, else the one that runs now.
///
/// # Errors
/// A system that does not say which program this is.
pub(super) fn reader(program: Option<PathBuf>, trees: ProcessTrees) -> Result<Reader, Error> {
    if let Some(program) = program {
        return Ok(Reader::new(Launcher::new(program, trees)));
    }
    let launcher = Launcher::own(trees).map_err(|cause| {
        Error::new(ErrorKind::Unavailable, format!("The system does not say where this program is: {cause}."))
    })?;
    Ok(Reader::new(launcher))
}
