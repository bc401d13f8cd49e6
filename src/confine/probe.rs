//! Tries the doors from inside, so that what is said about them was seen.

use super::launch::Doors;
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// How long too many threads are held where the kernel does not refuse them: the engine, which looks at a script several
/// times a second, ends the try in that time or does not look.
const HELD: Duration = Duration::from_secs(3);

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
    /// Processes and threads it may have.
    pub processes: u64,
    /// Memory one process may ask for.
    pub memory_bytes: u64,
}

/// Prints the doors as JSON. Too many threads, where it could have them, are then kept for a moment: who ends this
/// process for that holds a script too.
pub(super) fn run(text: &str) -> ExitCode {
    let Ok(targets) = serde_json::from_str::<Targets>(text) else { return ExitCode::from(super::WRONG_CALL) };
    let crowd = Crowd::default();
    let doors = tried(&targets, &crowd);
    let said = serde_json::to_string(&doors).unwrap_or_default();
    if writeln!(std::io::stdout(), "{said}").is_err() {
        return ExitCode::FAILURE;
    }
    if cfg!(target_os = "linux") && !doors.count {
        let (_open, never) = channel::<()>();
        if never.recv_timeout(HELD).is_ok() {
            return ExitCode::FAILURE; // nobody sends; whoever looks ends this process meanwhile
        }
    }
    ExitCode::SUCCESS
}

#[cfg(not(target_os = "linux"))]
fn tried(_: &Targets, _: &Crowd) -> Doors {
    Doors::default()
}

#[cfg(target_os = "linux")]
fn tried(targets: &Targets, crowd: &Crowd) -> Doors {
    use nix::sys::prctl;
    use nix::sys::signal::kill;
    use nix::unistd::Pid;
    use std::net::{Ipv4Addr, TcpStream, UdpSocket};

    let engine = Pid::from_raw(i32::try_from(targets.engine).unwrap_or(i32::MAX));
    let connected = TcpStream::connect((Ipv4Addr::LOCALHOST, targets.port)).is_ok();
    let bound = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).is_ok();
    // Landlock keeps `kill` from the outside or hides the engine; without it the engine of the same user answers.
    let reaches_engine = kill(engine, None).is_ok();
    let sees_engine = std::fs::read(format!("/proc/{}/environ", targets.engine)).is_ok();
    let filtered = nix::sys::personality::get().is_err();
    Doors {
        reads: std::fs::read(&targets.file).is_err(),
        writes: std::fs::write(&targets.new_file, "x").is_err() && keeps_its_mode(&targets.file),
        network: !connected && !bound,
        processes: !reaches_engine && !sees_engine,
        privileges: prctl::get_no_new_privs().is_ok_and(|set| set) && filtered,
        memory: runs_into_memory(targets.memory_bytes),
        count: crowd.runs_into(targets.processes),
    }
}

/// Whether a file's mode stays as it is: what may not be written may not be opened up either.
#[cfg(target_os = "linux")]
fn keeps_its_mode(file: &std::path::Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    let mode = || std::fs::metadata(file).map(|file| file.permissions().mode()).ok();
    let before = mode();
    let changed = std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o777));
    changed.is_err() || mode() == before
}

/// Asks for more memory than there may be. It is not written to, so nothing is taken when it is given.
#[cfg(target_os = "linux")]
fn runs_into_memory(bytes: u64) -> bool {
    let more = usize::try_from(bytes).unwrap_or(usize::MAX / 2).saturating_add(1024 * 1024);
    Vec::<u8>::new().try_reserve_exact(more).is_err()
}

/// Threads that wait until this is dropped.
struct Crowd {
    _open: Sender<()>,
    waiting: Arc<Mutex<Receiver<()>>>,
}

impl Default for Crowd {
    fn default() -> Self {
        let (open, waiting) = channel();
        Self { _open: open, waiting: Arc::new(Mutex::new(waiting)) }
    }
}

#[cfg(target_os = "linux")]
impl Crowd {
    /// Starts more threads than there may be. Answers whether one of them was refused.
    fn runs_into(&self, processes: u64) -> bool {
        const STACK_BYTES: usize = 64 * 1024;
        // The look allows for the first process behind the doors.
        (0..processes.saturating_add(2)).any(|_| {
            let waiting = self.waiting.clone();
            let waits = move || drop(waiting.lock().map(|waiting| waiting.recv()));
            std::thread::Builder::new().stack_size(STACK_BYTES).spawn(waits).is_err()
        })
    }
}
