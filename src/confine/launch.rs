//! What is started, and what it may touch: handed to the hidden modes as JSON in an argument. It holds no secret.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The mode that takes in the orphans of what it starts.
pub const TEND: &str = "__tend";
/// The mode that closes the doors and starts the program behind them.
pub const CONFINED: &str = "__confined";
/// The mode that tries the doors from inside.
pub const PROBE: &str = "__probe";

/// The exit code of a launcher that could not start the program; what it was is on stderr (as shells have it).
pub const NOT_STARTED: u8 = 127;
/// The exit code of a program that a signal ended is this and the signal's number (as shells have it).
pub const SIGNALLED: u8 = 128;

/// One program to be started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Launch {
    /// The process that starts it: when that ends, all of this ends.
    pub engine: u32,
    pub program: PathBuf,
    pub arguments: Vec<String>,
    /// `None`: it may do what the person may do.
    pub confinement: Option<Confinement>,
}

/// What a confined program may touch. Everything else is closed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confinement {
    /// Folders and files it may read and run.
    pub read: Vec<PathBuf>,
    /// Folders and files it may also write.
    pub write: Vec<PathBuf>,
    pub limits: Limits,
    /// Control groups made for it, which the launcher enters.
    pub groups: Vec<PathBuf>,
}

/// How much of the computer it may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Address space of one process.
    pub memory_bytes: u64,
    /// Processes and threads at once.
    pub processes: u64,
    /// One file.
    pub file_bytes: u64,
    /// Files open at once in one process.
    pub open_files: u64,
    /// Processor time of one process.
    pub cpu_seconds: u64,
}

impl Default for Limits {
    /// Ours: enough for a table of a million rows and a picture of it, not for a computer to become slow.
    fn default() -> Self {
        Self {
            memory_bytes: 2 * 1024 * 1024 * 1024,
            processes: 64,
            file_bytes: 512 * 1024 * 1024,
            open_files: 256,
            cpu_seconds: 3_600,
        }
    }
}

/// Which doors are closed to a script on this computer, as tried from inside.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Doors {
    /// It reads only what it needs.
    pub reads: bool,
    /// It writes only into its own folder.
    pub writes: bool,
    /// It reaches no other computer and nothing else on this one.
    pub network: bool,
    /// It can neither see nor stop other programs.
    pub processes: bool,
    /// It cannot become another user, and calls of the system it does not need are closed.
    pub privileges: bool,
    /// One process of it has no more memory than it may have.
    pub memory: bool,
    /// It has no more processes and threads than it may have.
    pub count: bool,
}
