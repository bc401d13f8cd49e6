//! The keeper: starts one program, takes in what that leaves behind, and ends all of it when the program ends, when it is
//! told to (SIGTERM), or when the engine is gone.

use super::inside;
use super::launch::{CONFINED, Launch, NOT_STARTED};
use super::{namespaces, sweep};
use nix::errno::Errno;
use nix::sys::prctl;
use nix::sys::signal::{SigSet, Signal};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{Pid, getpid, getppid, setsid};
use std::process::{Child, Command, ExitCode};

/// What ends the keeper and all it keeps.
const ENDINGS: [Signal; 4] = [Signal::SIGTERM, Signal::SIGINT, Signal::SIGHUP, Signal::SIGQUIT];

/// Runs to the end of the program.
pub(super) fn run(launch: &Launch) -> ExitCode {
    match tended(launch) {
        Ok(code) => ExitCode::from(code),
        Err(cause) => inside::not_started(&cause.to_string()),
    }
}

fn tended(launch: &Launch) -> std::io::Result<u8> {
    let mut heard: SigSet = ENDINGS.into_iter().collect();
    heard.add(Signal::SIGCHLD);
    heard.thread_block()?;
    prctl::set_child_subreaper(true)?;
    if let Err(cause) = setsid() {
        // It leads a group already; then it is one of its own all the same.
        if cause != Errno::EPERM {
            return Err(cause.into());
        }
    }
    if let Some(confinement) = &launch.confinement {
        super::groups::enter(&confinement.groups);
        namespaces::enter();
    }
    // After the namespaces: a change of credentials forgets it.
    prctl::set_pdeathsig(Signal::SIGTERM)?;
    if u32::try_from(getppid().as_raw()) != Ok(launch.engine) {
        return Ok(NOT_STARTED); // the engine was gone before the signal was asked for
    }
    let child = start(launch)?;
    let main = Pid::from_raw(i32::try_from(child.id()).unwrap_or(i32::MAX));
    let code = keep(main, &heard);
    sweep::all_below(getpid(), None);
    reap_all();
    Ok(code)
}

#[expect(clippy::disallowed_methods, reason = "this process exists to start one program")]
fn start(launch: &Launch) -> std::io::Result<Child> {
    if launch.confinement.is_none() {
        return Command::new(&launch.program).args(&launch.arguments).spawn();
    }
    let text = serde_json::to_string(launch)?;
    Command::new("/proc/self/exe").arg(CONFINED).arg(text).spawn()
}

/// Waits for the program's end or for the word to end it.
fn keep(main: Pid, heard: &SigSet) -> u8 {
    loop {
        while let Ok(status) = waitpid(None, Some(WaitPidFlag::WNOHANG)) {
            if status == WaitStatus::StillAlive {
                break;
            }
            if status.pid() == Some(main)
                && let Some(code) = inside::code_of(status)
            {
                return code;
            }
        }
        match heard.wait() {
            Ok(signal) if ENDINGS.contains(&signal) => return inside::signalled(signal),
            Ok(_) | Err(_) => (),
        }
    }
}

fn reap_all() {
    while matches!(waitpid(None, Some(WaitPidFlag::WNOHANG)), Ok(status) if status != WaitStatus::StillAlive) {}
}
