//! The folder of one run. Dropping it takes it away.

use protocol::{Error, ErrorKind};
use std::fs;
use std::io::{self, ErrorKind as IoKind};
use std::path::{Path, PathBuf};

const TOOLS: &str = include_str!("python/sentient_tools.py");
const START: &str = include_str!("python/start.py");

/// The folders of one run.
#[derive(Debug)]
pub(super) struct RunFolder {
    root: PathBuf,
    keep: bool,
}

impl RunFolder {
    /// Makes them and puts the script into them.
    ///
    /// # Errors
    /// A disk that cannot be written to.
    pub(super) fn make(runs: &Path, run_id: &str, code: &str, keep: bool) -> Result<Self, Error> {
        let folder = Self { root: runs.join(run_id), keep };
        folder.fill(code).map_err(|cause| {
            Error::new(ErrorKind::Unavailable, format!("The folder for the script could not be made: {cause}."))
                .hint("Check the disk.")
        })?;
        Ok(folder)
    }

    fn fill(&self, code: &str) -> io::Result<()> {
        private_folder(self.root.parent().unwrap_or(&self.root))?;
        for folder in [self.root.clone(), self.work(), self.lib(), self.tmp(), self.link()] {
            private_folder(&folder)?;
        }
        fs::write(self.lib().join("sentient_tools.py"), TOOLS)?;
        fs::write(self.start(), START)?;
        fs::write(self.script(), code)
    }

    /// Where the script runs and writes.
    pub(super) fn work(&self) -> PathBuf {
        self.root.join("work")
    }

    /// What it is started with; it only reads there.
    pub(super) fn lib(&self) -> PathBuf {
        self.root.join("lib")
    }

    pub(super) fn tmp(&self) -> PathBuf {
        self.root.join("tmp")
    }

    /// Where a container leaves its tool calls.
    pub(super) fn link(&self) -> PathBuf {
        self.root.join("link")
    }

    pub(super) fn start(&self) -> PathBuf {
        self.lib().join("start.py")
    }

    pub(super) fn script(&self) -> PathBuf {
        self.lib().join("script.py")
    }
}

impl Drop for RunFolder {
    fn drop(&mut self) {
        if !self.keep {
            remove(&self.root);
        }
    }
}

/// Makes a folder only its owner looks into.
pub(super) fn private_folder(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Takes away what runs before this start of the engine left.
pub(super) fn tidy(runs: &Path) {
    let Ok(entries) = fs::read_dir(runs) else { return };
    for entry in entries.flatten() {
        remove(&entry.path());
    }
}

/// Links are taken away, never followed. A folder the script closed is opened first.
fn remove(path: &Path) {
    let gone = fs::remove_dir_all(path).or_else(|_| {
        open_up(path);
        fs::remove_dir_all(path)
    });
    match gone {
        Err(cause) if cause.kind() != IoKind::NotFound => {
            tracing::warn!(%cause, folder = %path.display(), "a script's folder stays until the next start");
        }
        _ => (),
    }
}

#[cfg(unix)]
fn open_up(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let mut waiting = vec![path.to_owned()];
    while let Some(folder) = waiting.pop() {
        let opened = fs::set_permissions(&folder, fs::Permissions::from_mode(0o700));
        let Ok(entries) = opened.and_then(|()| fs::read_dir(&folder)) else { continue };
        let folders = entries.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        waiting.extend(folders.map(|entry| entry.path()));
    }
}

#[cfg(not(unix))]
fn open_up(_: &Path) {}
