//! Copies what a script wrote into the files folder. It follows no link: what a script names is not what it may read.

use actors::ports::{FilesPort, ScriptLimits};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Folders below each other that are looked into.
const DEPTH_MAX: usize = 8;
/// Names looked at, so that a million empty files hold nobody up.
const NAMES_MAX: usize = 5_000;

/// What came of the files.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Kept {
    pub(super) names: Vec<String>,
    pub(super) left_out: Option<String>,
}

/// Copies the files of `work` to `outputs/<run_id>/`.
pub(super) async fn keep(work: PathBuf, run_id: &str, limits: &ScriptLimits, files: &Arc<dyn FilesPort>) -> Kept {
    let found = tokio::task::spawn_blocking({
        let work = work.clone();
        move || found(&work)
    })
    .await
    .unwrap_or_default();
    let mut kept = Kept::default();
    let (mut too_big, mut failed) = (0_usize, 0_usize);
    let many = found.len().saturating_sub(limits.files_max);
    for name in found.into_iter().take(limits.files_max) {
        let (path, bytes_max) = (work.join(&name), limits.file_bytes_max);
        let read = tokio::task::spawn_blocking(move || read(&path, bytes_max)).await;
        match read {
            Ok(Ok(Some(bytes))) => match files.write(format!("outputs/{run_id}/{name}"), bytes).await {
                Ok(written) => kept.names.push(written.name),
                Err(error) => {
                    tracing::debug!(%error, "a script's file was not kept");
                    failed += 1;
                }
            },
            Ok(Ok(None)) => too_big += 1,
            Ok(Err(_)) | Err(_) => failed += 1,
        }
    }
    kept.left_out = left_out(many, too_big, failed, limits);
    kept
}

fn left_out(many: usize, too_big: usize, failed: usize, limits: &ScriptLimits) -> Option<String> {
    let mut parts = Vec::new();
    if many > 0 {
        parts.push(format!("{many} beyond the {} that are kept", limits.files_max));
    }
    if too_big > 0 {
        parts.push(format!("{too_big} larger than {} MB", limits.file_bytes_max / (1024 * 1024)));
    }
    if failed > 0 {
        parts.push(format!("{failed} that could not be read"));
    }
    (!parts.is_empty()).then(|| format!("Some files were not kept: {}.", parts.join(", ")))
}

/// Names of plain files, relative, with `/` between the folders, in order. Hidden files and Python's own are left out.
fn found(work: &Path) -> Vec<String> {
    let (mut names, mut waiting, mut seen) = (Vec::new(), vec![(String::new(), 0)], 0);
    while let Some((folder, depth)) = waiting.pop() {
        let Ok(entries) = fs::read_dir(work.join(&folder)) else { continue };
        for entry in entries.flatten() {
            seen += 1;
            if seen > NAMES_MAX {
                break;
            }
            let Ok(name) = entry.file_name().into_string() else { continue };
            if name.starts_with('.') || name == "__pycache__" {
                continue;
            }
            let whole = if folder.is_empty() { name } else { format!("{folder}/{name}") };
            // The entry's own kind: a link is neither file nor folder here.
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_file() {
                names.push(whole);
            } else if kind.is_dir() && depth < DEPTH_MAX {
                waiting.push((whole, depth + 1));
            }
        }
    }
    names.sort();
    names
}

/// `None`: larger than it may be.
fn read(path: &Path, bytes_max: u64) -> io::Result<Option<Vec<u8>>> {
    let file = open_plain(path)?;
    let mut bytes = Vec::new();
    file.take(bytes_max.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok((u64::try_from(bytes.len()).unwrap_or(u64::MAX) <= bytes_max).then_some(bytes))
}

/// Opens a plain file and nothing else, even when its name was made a link a moment ago.
pub(super) fn open_plain(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(target_os = "linux")]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NOFOLLOW | libc::O_NONBLOCK);
    let file = options.open(path)?;
    let is_plain = file.metadata()?.is_file() && fs::symlink_metadata(path)?.is_file();
    if is_plain { Ok(file) } else { Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no plain file")) }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn plain_files_are_found_and_links_are_not() {
        let home = tempfile::tempdir().expect("a folder");
        let work = home.path().join("work");
        fs::create_dir_all(work.join("a/b")).expect("made");
        fs::create_dir_all(work.join("__pycache__")).expect("made");
        for name in ["chart.png", "a/b/data.csv", ".hidden", "__pycache__/x.pyc"] {
            fs::write(work.join(name), "x").expect("written");
        }
        fs::write(home.path().join("secret"), "s").expect("written");
        std::os::unix::fs::symlink(home.path().join("secret"), work.join("stolen")).expect("linked");
        std::os::unix::fs::symlink(home.path(), work.join("out")).expect("linked");
        assert_eq!(found(&work), ["a/b/data.csv", "chart.png"]);
        assert!(read(&work.join("stolen"), 10).is_err());
        assert!(open_plain(&work).is_err());
        assert_eq!(read(&work.join("chart.png"), 1).expect("read"), Some(b"x".to_vec()));
        assert_eq!(read(&work.join("chart.png"), 0).expect("read"), None);
    }
}
