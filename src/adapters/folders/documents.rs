//! The text of a PDF or DOCX, read by a second process of ours behind closed doors (`crate::document`): it sees the one
//! file it is handed, has little memory and little time, and whatever it does, it ends.

use crate::adapters::processes::{Bounds, Launcher, Start};
use crate::confine::{Confinement, Limits};
use crate::document::{MODE, TEXT_BYTES_MAX, TOO_LONG};
use actors::ports::{Ending, NoText, Output, OutputSink};
use rules::folders::FileKind;
use std::fs::File;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Semaphore;
use tokio::time::Duration;
use tokio_util::sync::CancellationToken;

/// Documents read at the same time. Ours.
const READERS_MAX: usize = 1;
/// How long one may take. Ours.
const TIME_MAX: Duration = Duration::from_secs(60);
/// Processor time of the reader. Ours.
const CPU_SECONDS_MAX: u64 = 50;
/// Memory of the reader. Ours: a PDF of 20 MB with pictures stays far below.
const MEMORY_BYTES_MAX: u64 = 1024 * 1024 * 1024;
/// What the program itself reads to start.
const SYSTEM_READS: [&str; 8] =
    ["/proc/self/exe", "/lib", "/lib32", "/lib64", "/usr/lib", "/usr/lib64", "/nix/store", "/etc/ld.so.cache"];

/// Reads documents. Cheap to clone; clones share the places.
#[derive(Clone)]
pub struct Reader {
    launcher: Launcher,
    places: Arc<Semaphore>,
    runs: Arc<AtomicU64>,
}

impl Reader {
    pub fn new(launcher: Launcher) -> Self {
        Self { launcher, places: Arc::new(Semaphore::new(READERS_MAX)), runs: Arc::default() }
    }

    /// The text of an opened document, and whether there was more of it.
    ///
    /// # Errors
    /// `Unreadable`, whatever went wrong with it.
    pub(crate) async fn read(&self, file: File, kind: FileKind) -> Result<(String, bool), NoText> {
        let Ok(_place) = self.places.acquire().await else { return Err(NoText::NotOpened) };
        let limits = Limits {
            memory_bytes: MEMORY_BYTES_MAX,
            processes: 64,
            file_bytes: 0,
            open_files: 32,
            cpu_seconds: CPU_SECONDS_MAX,
        };
        let confinement = Confinement {
            read: SYSTEM_READS.map(PathBuf::from).to_vec(),
            write: Vec::new(),
            limits,
            groups: Vec::new(),
        };
        let run = format!("{}-{}", std::process::id(), self.runs.fetch_add(1, Ordering::Relaxed));
        let mark = format!("SENTIENT_DOCUMENT_RUN={run}");
        let name = if kind == FileKind::Pdf { "pdf" } else { "docx" };
        let program = self.launcher.program().to_owned();
        let tree = self.launcher.start(Start {
            program: &program,
            arguments: vec![MODE.to_owned(), name.to_owned()],
            folder: std::path::Path::new(if cfg!(windows) { "C:\\" } else { "/" }),
            environment: mark
                .split_once('=')
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .into_iter()
                .collect(),
            confinement: Some(confinement),
            mark,
            stdin: Stdio::from(file),
        });
        let tree = tree.map_err(|cause| {
            tracing::warn!(%cause, "documents cannot be read: the reader does not start");
            NoText::NotOpened
        })?;
        let heard = Arc::new(Mutex::new(Vec::new()));
        let bounds = Bounds { time_max: TIME_MAX, weight: Some((limits.memory_bytes, limits.processes)) };
        let followed = tree.follow(bounds, sink(heard.clone()), CancellationToken::new()).await;
        let bytes = std::mem::take(&mut *heard.lock().unwrap_or_else(PoisonError::into_inner));
        match followed.ending {
            Ending::Exited(0) => String::from_utf8(bytes).map(|text| (text, false)).map_err(|_| NoText::Unreadable),
            Ending::Exited(TOO_LONG) => Ok((String::from_utf8_lossy(&bytes).into_owned(), true)),
            // All was stopped: the document is as good as before.
            Ending::Stopped => Err(NoText::NotOpened),
            ending => {
                tracing::debug!(?ending, name, "a document cannot be read");
                Err(NoText::Unreadable)
            }
        }
    }
}

/// Keeps what the reader prints, and no more of it than a text may have.
fn sink(heard: Arc<Mutex<Vec<u8>>>) -> OutputSink {
    Arc::new(move |output, bytes| {
        let mut heard = heard.lock().unwrap_or_else(PoisonError::into_inner);
        let room = TEXT_BYTES_MAX.saturating_sub(heard.len());
        match output {
            Output::Stdout => heard.extend_from_slice(&bytes[..bytes.len().min(room)]),
            Output::Stderr => tracing::trace!(said = %String::from_utf8_lossy(bytes), "a reader of documents"),
        }
    })
}
