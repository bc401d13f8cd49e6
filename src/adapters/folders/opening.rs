//! Opens a file inside a folder so that no link is followed, neither in its path nor as the file itself: whatever was
//! swapped since the folder was listed.

use actors::ports::NoText;
use std::fs::File;
use std::path::Path;

/// Opens `path`, which is inside `root` with `/` between its parts.
///
/// # Errors
/// It is gone, or may not be opened.
pub(super) fn open(root: &Path, path: &str) -> Result<File, NoText> {
    let is_inside = path.split('/').all(|part| !matches!(part, "" | "." | "..") && !part.contains('\0'));
    if !is_inside || (cfg!(windows) && path.contains(['\\', ':'])) {
        return Err(NoText::NotOpened);
    }
    system::open(root, path)
}

#[cfg(unix)]
mod system {
    use super::NoText;
    use rustix::fs::{Mode, OFlags, openat};
    use rustix::io::Errno;
    use std::fs::File;
    use std::os::fd::OwnedFd;
    use std::path::Path;

    /// A pipe or a device must not hold up who opens it.
    const FILE: OFlags = OFlags::RDONLY.union(OFlags::CLOEXEC).union(OFlags::NOFOLLOW).union(OFlags::NONBLOCK);
    const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::CLOEXEC).union(OFlags::NOFOLLOW).union(OFlags::DIRECTORY);

    pub(super) fn open(root: &Path, path: &str) -> Result<File, NoText> {
        opened(root, path).map(File::from).map_err(|cause| match cause {
            Errno::NOENT | Errno::NOTDIR => NoText::Gone,
            _ => NoText::NotOpened,
        })
    }

    #[cfg(target_os = "linux")]
    fn opened(root: &Path, path: &str) -> Result<OwnedFd, Errno> {
        use rustix::fs::{CWD, ResolveFlags, openat2};
        let resolve = ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        let top = match openat2(CWD, root, FOLDER, Mode::empty(), resolve) {
            // Kernels before 5.6, and containers that close the call.
            Err(Errno::NOSYS | Errno::PERM) => return by_parts(root, path),
            top => top?,
        };
        openat2(&top, path, FILE, Mode::empty(), resolve | ResolveFlags::BENEATH)
    }

    #[cfg(not(target_os = "linux"))]
    fn opened(root: &Path, path: &str) -> Result<OwnedFd, Errno> {
        by_parts(root, path)
    }

    /// One part after the other, each from the folder that was opened before it.
    pub(in crate::adapters::folders) fn by_parts(root: &Path, path: &str) -> Result<OwnedFd, Errno> {
        let mut folder = rustix::fs::open(root, FOLDER, Mode::empty())?;
        let mut parts = path.split('/').peekable();
        while let Some(part) = parts.next() {
            if parts.peek().is_none() {
                return openat(&folder, part, FILE, Mode::empty());
            }
            folder = openat(&folder, part, FOLDER, Mode::empty())?;
        }
        Err(Errno::NOENT)
    }
}

#[cfg(unix)]
#[cfg(test)]
pub(in crate::adapters::folders) use system::by_parts;

#[cfg(not(unix))]
mod system {
    use super::NoText;
    use std::fs::{File, OpenOptions};
    use std::io::ErrorKind;
    use std::path::Path;

    /// `FILE_FLAG_OPEN_REPARSE_POINT`: a link is opened as itself.
    #[cfg(windows)]
    const AS_ITSELF: u32 = 0x0020_0000;

    /// Each part is looked at, the file is opened as itself, and where it was opened is looked up afterwards.
    pub(super) fn open(root: &Path, path: &str) -> Result<File, NoText> {
        let mut place = root.to_owned();
        for part in path.split('/') {
            place.push(part);
            let metadata = std::fs::symlink_metadata(&place).map_err(|cause| why(&cause))?;
            if metadata.file_type().is_symlink() {
                return Err(NoText::NotOpened);
            }
        }
        let mut options = OpenOptions::new();
        options.read(true);
        #[cfg(windows)]
        std::os::windows::fs::OpenOptionsExt::custom_flags(&mut options, AS_ITSELF);
        let file = options.open(&place).map_err(|cause| why(&cause))?;
        let (real, top) = (place.canonicalize(), root.canonicalize());
        let is_inside = real.is_ok_and(|real| top.is_ok_and(|top| real.starts_with(top)));
        if is_inside { Ok(file) } else { Err(NoText::NotOpened) }
    }

    fn why(cause: &std::io::Error) -> NoText {
        if cause.kind() == ErrorKind::NotFound { NoText::Gone } else { NoText::NotOpened }
    }
}
