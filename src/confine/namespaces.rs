//! Namespaces of its own for a script: a network with nothing in it, processes among themselves, and a user that is nobody
//! outside. Where the system allows none, the script runs without, and the probe tells.

use nix::sched::{CloneFlags, unshare};
use nix::unistd::{getegid, geteuid};
use std::fs;

/// The user inside, when the engine itself runs as root: nobody.
const NOBODY: u32 = 65_534;

/// Enters as many as can be had. What is started after this lives in them.
pub(super) fn enter() {
    let (user, group) = (geteuid().as_raw(), getegid().as_raw());
    let all = CloneFlags::CLONE_NEWUSER
        | CloneFlags::CLONE_NEWPID
        | CloneFlags::CLONE_NEWNET
        | CloneFlags::CLONE_NEWIPC
        | CloneFlags::CLONE_NEWUTS;
    if unshare(all).is_ok() {
        // Files made inside belong to the person outside. A user other than root loses every capability at `exec`.
        let inside = |id: u32| if id == 0 { NOBODY } else { id };
        let written = fs::write("/proc/self/setgroups", "deny")
            .and_then(|()| fs::write("/proc/self/uid_map", format!("{} {user} 1", inside(user))))
            .and_then(|()| fs::write("/proc/self/gid_map", format!("{} {group} 1", inside(group))));
        drop(written); // without a map the script is nobody altogether, and its folder tells soon enough
    }
}
