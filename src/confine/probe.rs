//! Tries the doors from inside, so that what is said about them was seen.

use super::launch::Doors;
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// What the doors are tried on, made by the engine for this one try.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Targets {
    /// A file that may not be read.
    pub file: PathBuf,
    /// A name in a folder that may not be written to.
    pub new_file: PathBuf,
    /// A port on this computer where the engine listens.
    pub port: u16,
    /// The engine, which may not be reached.
    pub engine: u32,
    /// Whether groups limit memory and processes; they cannot be seen from inside.
    pub groups_hold: bool,
}

/// Prints the doors as JSON.
pub(super) fn run(text: &str) -> ExitCode {
    let Ok(targets) = serde_json::from_str::<Targets>(text) else { return ExitCode::from(super::WRONG_CALL) };
    let doors = tried(&targets);
    let said = serde_json::to_string(&doors).unwrap_or_default();
    if writeln!(std::io::stdout(), "{said}").is_err() {
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

#[cfg(not(target_os = "linux"))]
fn tried(_: &Targets) -> Doors {
    Doors::default()
}

#[cfg(target_os = "linux")]
fn tried(targets: &Targets) -> Doors {
    use nix::sys::prctl;
    use nix::sys::resource::{Resource, getrlimit};
    use nix::sys::signal::kill;
    use nix::unistd::{Pid, getuid};
    use std::net::{Ipv4Addr, TcpStream, UdpSocket};

    let engine = Pid::from_raw(i32::try_from(targets.engine).unwrap_or(i32::MAX));
    let connected = TcpStream::connect((Ipv4Addr::LOCALHOST, targets.port)).is_ok();
    let bound = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).is_ok();
    let limited = |resource| getrlimit(resource).is_ok_and(|(soft, _)| soft < u64::from(u32::MAX));
    // Landlock keeps `kill` from the outside or hides the engine; without it the engine of the same user answers.
    let reaches_engine = kill(engine, None).is_ok();
    let sees_engine = std::fs::read(format!("/proc/{}/environ", targets.engine)).is_ok();
    let filtered = nix::sys::personality::get().is_err();
    Doors {
        reads: std::fs::read(&targets.file).is_err(),
        writes: std::fs::write(&targets.new_file, "x").is_err(),
        network: !connected && !bound,
        processes: !reaches_engine && !sees_engine,
        privileges: prctl::get_no_new_privs().is_ok_and(|set| set) && filtered,
        limits: targets.groups_hold || (limited(Resource::RLIMIT_NPROC) && !getuid().is_root()),
    }
}
