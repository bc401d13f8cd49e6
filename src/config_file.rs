//! `config.yaml`: reads whatever people and crashes leave there, and never makes it worse.
//!
//! A file that cannot be read is never written over. What Sentient does not know, or could not use, stays in the file.
//! Saving writes only what changed, beside the old file, and then puts it in its place in one step.

mod merge;
mod text;

use actors::ports::ConfigStore;
use merge::Change;
use protocol::config::{Config, normalize};
use protocol::{Error, ErrorKind};
use serde_json::{Map, Value};
use std::ffi::OsString;
use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The file, and what the engine last took from it or put into it.
pub struct ConfigFile {
    path: PathBuf,
    /// The configuration as the file was last read or written.
    last: Mutex<Map<String, Value>>,
}

/// What was found when the file was opened.
#[derive(Debug)]
pub struct Loaded {
    /// What is to be in force: the file's values, and defaults for the rest and for what could not be used.
    pub config: Config,
    /// All that the person should know about the file.
    pub problems: Vec<FileProblem>,
    /// False when nothing of the file could be read. Then nothing is saved until it can be.
    pub readable: bool,
}

/// One thing wrong with the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileProblem {
    /// The dotted key it is about; empty: the file as a whole.
    pub key: String,
    /// What is wrong, as one or two plain sentences.
    pub message: String,
}

impl fmt::Display for FileProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.key.is_empty() { f.write_str(&self.message) } else { write!(f, "{}: {}", self.key, self.message) }
    }
}

impl ConfigFile {
    /// Reads the file. It always answers a configuration that works; what was wrong is in the problems.
    pub fn open(path: impl Into<PathBuf>) -> (Self, Loaded) {
        let path = path.into();
        let loaded = match read(&path).and_then(|text| Ok((text::parse(text.as_deref().unwrap_or_default())?, text))) {
            Ok((settings, text)) => {
                let (config, problems) = Config::from_value_lenient(Value::Object(settings));
                let problems = problems.into_iter().map(|problem| FileProblem {
                    key: problem.key(),
                    message: format!("{} It is ignored, and stays in the file.", problem.msg),
                });
                let problems = emptied(&path, text.as_deref()).into_iter().chain(problems).collect();
                Loaded { config, problems, readable: true }
            }
            Err(cause) => {
                let message = format!("{} cannot be read. {cause} The defaults are used.", path.display());
                let problems = vec![FileProblem { key: String::new(), message }];
                Loaded { config: Config::default(), problems, readable: false }
            }
        };
        let last = Mutex::new(as_map(&loaded.config));
        (Self { path, last }, loaded)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    fn save_over(&self, last: &Map<String, Value>, new: &Map<String, Value>) -> Result<(), Error> {
        let unreadable = |cause: String| {
            let file = self.path.display();
            Error::new(ErrorKind::Conflict, format!("{file} cannot be read, so nothing is saved over it. {cause}"))
                .hint("Repair the file, or give it another name to begin with a new one; then try again.")
        };
        let old_text = read(&self.path).map_err(unreadable)?;
        let settings = text::parse(old_text.as_deref().unwrap_or_default()).map_err(unreadable)?;
        let mut tidy = Value::Object(settings.clone());
        normalize(&mut tidy); // so that ` gmail` in the file is the `gmail` that changed
        let mut merged = into_map(tidy);
        merge::merge(&mut merged, Change { base: last, new, default: &as_map(&Config::default()) });
        if old_text.is_some() && merged == settings {
            return Ok(());
        }
        let text = text::write(&merged).map_err(|cause| {
            tracing::error!(%cause, "the settings cannot be written as YAML");
            Error::internal("The settings could not be written down.")
        })?;
        let saved = match old_text.filter(|text| !text.trim().is_empty()) {
            Some(old) => write_safely(&sibling(&self.path, ".bak"), &old),
            None => Ok(()),
        };
        saved.and_then(|()| write_safely(&self.path, &text)).map_err(|cause| {
            tracing::warn!(%cause, path = %self.path.display(), "the settings could not be saved");
            Error::new(ErrorKind::Unavailable, format!("The settings could not be saved: {}.", cause.kind()))
                .hint("Check that the disk has room and that the data folder can be written to, then try again.")
        })
    }
}

impl ConfigStore for ConfigFile {
    /// Writes what changed since the file was last read or written. Reads it again first, so that what the person
    /// changed in it meanwhile stays. Keeps the text it replaces as `config.yaml.bak`; comments are only in there.
    fn save(&self, config: &Config) -> Result<(), Error> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let new = as_map(config);
        self.save_over(&last, &new)?;
        *last = new;
        Ok(())
    }
}

fn as_map(config: &Config) -> Map<String, Value> {
    into_map(config.to_value())
}

fn into_map(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

/// An empty file is no mistake, unless there was something in it before.
fn emptied(path: &Path, text: Option<&str>) -> Option<FileProblem> {
    let before = sibling(path, ".bak");
    let lost = text.is_some_and(|text| text.trim().is_empty()) && before.exists();
    lost.then(|| FileProblem {
        key: String::new(),
        message: format!("{} is empty. What was in it before is in {}.", path.display(), before.display()),
    })
}

/// The text of the file; `None` when there is none. An error is the reason in the person's words.
fn read(path: &Path) -> Result<Option<String>, String> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(cause) => return Err(format!("The system says: {}.", cause.kind())),
    };
    let mut bytes = Vec::new();
    file.take(text::FILE_BYTES_MAX + 1)
        .read_to_end(&mut bytes)
        .map_err(|cause| format!("The system says: {}.", cause.kind()))?;
    if text::FILE_BYTES_MAX < bytes.len() as u64 {
        return Err(format!("It is bigger than {} MB.", text::FILE_BYTES_MAX >> 20));
    }
    text::decode(&bytes).map(Some)
}

fn sibling(path: &Path, ending: &str) -> PathBuf {
    let mut name: OsString = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// Puts `text` at `path` so that a crash at any moment leaves either the old file or the new one.
fn write_safely(path: &Path, text: &str) -> io::Result<()> {
    // Where the file is a link to somewhere else, that is where it belongs.
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    let temporary = sibling(&path, ".tmp");
    let result = (|| {
        let mut file = create_private(&temporary)?;
        if let Ok(old) = std::fs::metadata(&path) {
            file.set_permissions(old.permissions())?;
        }
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        std::fs::rename(&temporary, &path)?;
        sync_folder(folder)
    })();
    if result.is_err()
        && let Err(cause) = std::fs::remove_file(&temporary)
    {
        tracing::debug!(%cause, "no half-written file to clear away");
    }
    result
}

/// A new file that only its owner can read, where the system knows of owners.
fn create_private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Makes the new name in a folder last. Windows has no such call and needs none.
fn sync_folder(folder: &Path) -> io::Result<()> {
    #[cfg(unix)]
    File::open(folder)?.sync_all()?;
    #[cfg(not(unix))]
    let _: &Path = folder;
    Ok(())
}

#[cfg(test)]
mod tests;
