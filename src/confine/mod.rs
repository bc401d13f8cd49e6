//! How the program starts other programs so that they can be ended, and held.
//!
//! The engine never becomes what it starts. It starts itself once more, in a hidden mode, and that second process, which
//! has one thread and no secret, prepares the ground: it takes in every orphan of the program, and for a script it
//! closes the doors (namespaces, Landlock, seccomp, limits) before the script begins. So nothing here runs between
//! `fork` and `exec`, and no line of it is unsafe.
//!
//! ```text
//! engine ── sentient __tend ── the command of a person        (a keeper of orphans, nothing else)
//! engine ── sentient __tend ── sentient __confined ── python3  (doors closed at `__confined`)
//! ```
//!
//! A door that the system does not have is left open and told: [`Doors`] says what was closed, `__probe` tries each.

pub mod launch;
pub mod probe;
#[cfg(target_os = "linux")]
pub mod sweep;

#[cfg(target_os = "linux")]
mod calls;
#[cfg(target_os = "linux")]
mod files;
#[cfg(target_os = "linux")]
mod groups;
#[cfg(target_os = "linux")]
mod inside;
#[cfg(target_os = "linux")]
mod limits;
#[cfg(target_os = "linux")]
mod namespaces;
#[cfg(target_os = "linux")]
mod tend;

#[cfg(target_os = "linux")]
pub use groups::Groups;
pub use launch::{CONFINED, Confinement, Doors, Launch, Limits, PROBE, TEND};

use std::ffi::OsString;
use std::process::ExitCode;

/// `EX_USAGE` of sysexits.h.
const WRONG_CALL: u8 = 64;

/// Runs a hidden mode, when the program was called in one. Called before anything else: these modes need a process with
/// one thread.
pub fn hidden(arguments: &[OsString]) -> Option<ExitCode> {
    let mode = arguments.get(1)?.to_str()?;
    if !matches!(mode, TEND | CONFINED | PROBE) {
        return None;
    }
    let text = arguments.get(2).and_then(|text| text.to_str()).unwrap_or_default();
    Some(run(mode, text))
}

#[cfg(target_os = "linux")]
fn run(mode: &str, text: &str) -> ExitCode {
    if mode == PROBE {
        return probe::run(text);
    }
    let Ok(launch) = serde_json::from_str::<Launch>(text) else { return ExitCode::from(WRONG_CALL) };
    if mode == TEND { tend::run(&launch) } else { inside::run(&launch) }
}

#[cfg(not(target_os = "linux"))]
fn run(mode: &str, text: &str) -> ExitCode {
    if mode == PROBE { probe::run(text) } else { ExitCode::from(WRONG_CALL) }
}
