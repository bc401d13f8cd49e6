//! How much of the computer one process of a script may use (`setrlimit(2)`).

use super::launch::Limits;
use nix::errno::Errno;
use nix::sys::resource::{Resource, getrlimit, setrlimit};

/// Sets them for this process and all it starts. No limit is raised above what the system gave.
pub(super) fn set(limits: &Limits) -> Result<(), Errno> {
    for (resource, value) in [
        (Resource::RLIMIT_AS, limits.memory_bytes),
        (Resource::RLIMIT_NPROC, limits.processes),
        (Resource::RLIMIT_FSIZE, limits.file_bytes),
        (Resource::RLIMIT_NOFILE, limits.open_files),
        (Resource::RLIMIT_CPU, limits.cpu_seconds),
        (Resource::RLIMIT_CORE, 0),
    ] {
        let (_, most) = getrlimit(resource)?;
        let value = value.min(most);
        setrlimit(resource, value, value)?;
    }
    Ok(())
}
