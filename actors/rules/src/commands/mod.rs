//! Commands on this computer: which need no question, which never run, what environment they get, and where they may
//! run (contract section 18).
//!
//! Nothing here looks at a disk or starts anything. The list of commands that never run is a safety net under the
//! question and the person's answer, and no fence: a shell can hide anything from a reader. What cannot be read is
//! never a listed command.

mod blocked;
mod environment;
mod git;
mod listed;
mod paths;
mod shell;

#[cfg(test)]
mod tests;

pub use blocked::{Blocked, blocked};
pub use environment::{clean, listed_git_settings};
pub use git::{Repository, git_subcommand, starts_programs};
pub use listed::is_listed;
pub use paths::inside;
pub use shell::{ShellKind, Simple, simple_commands};

/// Characters of a command (contract section 18).
pub const COMMAND_CHARS_MAX: usize = 8_000;
/// Characters of the folder an approval card shows (contract section 18).
pub const TARGET_CHARS_MAX: usize = 120;

/// The kind of system a command runs on: how it quotes, and what its folders are called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum System {
    Unix,
    Windows,
}

impl System {
    /// The system of `std::env::consts::OS`.
    pub fn named(os: &str) -> Self {
        if os == "windows" { Self::Windows } else { Self::Unix }
    }
}

/// Where a command would run: what relative names and `~` mean in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place<'a> {
    pub system: System,
    /// The folder the command starts in, absolute.
    pub folder: &'a str,
    /// The person's own folder, when the system names one.
    pub home: Option<&'a str>,
    /// Where the assistant keeps everything, copies kept for a bad day included.
    pub data: Option<&'a str>,
}

/// The folder as the approval card shows it: its last characters when it is long.
pub fn target(folder: &str) -> String {
    let count = folder.chars().count();
    folder.chars().skip(count.saturating_sub(TARGET_CHARS_MAX)).collect()
}

/// The sentence for a command that took too long (contract section 18).
pub fn timed_out(seconds: u64) -> String {
    format!(
        "The command took longer than {seconds} seconds and was stopped. Settings > Terminal says how long a command \
         may take."
    )
}

/// The sentence for a command that was stopped (contract section 18).
pub const STOPPED: &str = "The command was stopped before it finished.";
