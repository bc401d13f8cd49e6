//! Landlock: which files a script may touch, no TCP, no signals to the outside (`landlock(7)`).

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetError, Scope,
};
use std::path::PathBuf;

/// The newest kernel interface the rules are written for; an older kernel enforces what it knows.
const NEWEST: ABI = ABI::V7;

/// Closes all files but these. A kernel without Landlock leaves them open, and the probe tells.
pub(super) fn close(read: &[PathBuf], write: &[PathBuf]) {
    drop(closed(read, write)); // what went wrong shows in what is still open
}

fn closed(read: &[PathBuf], write: &[PathBuf]) -> Result<(), RulesetError> {
    let all = AccessFs::from_all(NEWEST);
    // No devices and no sockets are made in its folder: nobody outside may take one for his own.
    let own = all & !(AccessFs::MakeChar | AccessFs::MakeBlock | AccessFs::MakeSock | AccessFs::IoctlDev);
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(all)?
        .handle_access(AccessNet::from_all(ABI::V4))?
        .scope(Scope::from_all(ABI::V6))?
        .create()?;
    for (paths, access) in [(read, AccessFs::from_read(NEWEST)), (write, own)] {
        for path in paths {
            let Ok(opened) = PathFd::new(path) else { continue };
            rules = rules.add_rule(PathBeneath::new(opened, fitting(path, access)))?;
        }
    }
    rules.restrict_self()?;
    Ok(())
}

/// What of `access` makes sense for a file that is no folder.
fn fitting(path: &std::path::Path, access: BitFlags<AccessFs>) -> BitFlags<AccessFs> {
    let file = AccessFs::from_file(NEWEST);
    if path.is_dir() { access } else { access & file }
}
