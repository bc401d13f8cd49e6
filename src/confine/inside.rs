//! The first process behind the doors: closes them, starts the program, and buries whatever dies. In a process namespace
//! of its own it is the first process there, so all others end with it.

use super::launch::{Launch, NOT_STARTED, SIGNALLED};
use super::{calls, files, limits};
use nix::sys::prctl;
use nix::sys::signal::Signal;
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::Pid;
use std::io::Write;
use std::process::{Command, ExitCode};

/// Runs to the end of the program.
pub(super) fn run(launch: &Launch) -> ExitCode {
    match confined(launch) {
        Ok(code) => ExitCode::from(code),
        Err(cause) => not_started(&cause.to_string()),
    }
}

#[expect(clippy::disallowed_methods, reason = "this process exists to start one program")]
fn confined(launch: &Launch) -> std::io::Result<u8> {
    let Some(confinement) = &launch.confinement else { return Ok(NOT_STARTED) };
    prctl::set_pdeathsig(Signal::SIGKILL)?;
    prctl::set_no_new_privs()?;
    limits::set(&confinement.limits)?;
    files::close(&confinement.read, &confinement.write);
    calls::close();
    let child = Command::new(&launch.program).args(&launch.arguments).spawn()?;
    let main = Pid::from_raw(i32::try_from(child.id()).unwrap_or(i32::MAX));
    loop {
        match waitpid(None, None) {
            Ok(status) if status.pid() == Some(main) => {
                if let Some(code) = code_of(status) {
                    return Ok(code);
                }
            }
            Ok(_) | Err(nix::errno::Errno::EINTR) => (),
            Err(cause) => return Err(cause.into()),
        }
    }
}

/// The exit code of a process that has ended.
pub(super) fn code_of(status: WaitStatus) -> Option<u8> {
    match status {
        WaitStatus::Exited(_, code) => Some(u8::try_from(code & 0xFF).unwrap_or(NOT_STARTED)),
        WaitStatus::Signaled(_, signal, _) => Some(signalled(signal)),
        _ => None,
    }
}

/// The exit code for a signal.
pub(super) fn signalled(signal: Signal) -> u8 {
    SIGNALLED.saturating_add(u8::try_from(signal as i32).unwrap_or_default())
}

/// Says on stderr why nothing was started. Nobody to read it is no reason to panic.
pub(super) fn not_started(cause: &str) -> ExitCode {
    if writeln!(std::io::stderr(), "sentient: it could not be started: {cause}").is_err() {
        return ExitCode::from(NOT_STARTED);
    }
    ExitCode::from(NOT_STARTED)
}
