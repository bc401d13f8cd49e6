//! Which files get no copy, by name and size alone.

use std::path::Path;

/// Said of a file that is no text (contract section 10: a plain note).
pub(super) const NOT_TEXT: &str = "Not a text file, so no copy was kept.";
const TOO_BIG: &str = "Too big to keep a copy.";

/// Endings of files that are not text: pictures, sound, film, archives, office files, databases, programs.
const NOT_TEXT_ENDINGS: [&str; 66] = [
    "png", "jpg", "jpeg", "gif", "webp", "bmp", "ico", "tif", "tiff", "heic", "avif", "psd", "mp3", "wav", "ogg",
    "flac", "m4a", "aac", "opus", "mp4", "mov", "avi", "mkv", "webm", "m4v", "zip", "gz", "tgz", "bz2", "xz", "zst",
    "7z", "rar", "tar", "jar", "iso", "dmg", "pdf", "doc", "docx", "xls", "xlsx", "ppt", "pptx", "odt", "ods", "odp",
    "epub", "db", "sqlite", "sqlite3", "redb", "parquet", "exe", "dll", "so", "dylib", "bin", "o", "a", "pyc", "class",
    "wasm", "woff", "woff2", "ttf",
];

/// Folders that are never looked at (contract section 10: `.git`, `node_modules`, `__pycache__`, `.venv` and similar).
const SKIPPED: [&str; 15] = [
    ".git",
    ".hg",
    ".svn",
    "node_modules",
    "__pycache__",
    ".venv",
    "venv",
    ".tox",
    ".mypy_cache",
    ".pytest_cache",
    ".ruff_cache",
    ".cache",
    "target",
    ".gradle",
    ".idea",
];

/// Why a file gets no copy; `None` when it gets one.
pub(super) fn no_copy(path: &Path, bytes: u64, bytes_max: u64) -> Option<&'static str> {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_lowercase();
    if NOT_TEXT_ENDINGS.contains(&ending.as_str()) {
        return Some(NOT_TEXT);
    }
    (bytes > bytes_max).then_some(TOO_BIG)
}

/// Whether a folder of this name is passed over.
pub(super) fn is_skipped(name: &str) -> bool {
    SKIPPED.contains(&name)
}
