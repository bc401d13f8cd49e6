//! Control groups: hard limits on the memory and the processes of a whole script, where this engine may make groups.
//!
//! Both kinds are used: the one tree of version 2 when the group above hands its controllers on, and the trees of version
//! 1 when the engine runs as root. Where neither can be had, the engine looks at the script several times a second
//! instead (`adapters::scripts`).

use super::launch::Limits;
use std::fs;
use std::path::{Path, PathBuf};

/// Where the system keeps them.
const ROOT: &str = "/sys/fs/cgroup";

/// Groups made for one script; taken away again when this is dropped.
#[derive(Debug, Default)]
pub struct Groups {
    pub folders: Vec<PathBuf>,
}

impl Groups {
    /// Makes what can be made.
    pub fn make(run: &str, limits: &Limits) -> Self {
        let own = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        Self::make_in(Path::new(ROOT), &own, run, limits)
    }

    fn make_in(root: &Path, own: &str, run: &str, limits: &Limits) -> Self {
        let name = format!("sentient-{run}");
        let mut made = Self::default();
        for place in places(root, own) {
            let folder = place.join(&name);
            // One that is there was left by an engine that was cut off; it goes only when nothing is in it.
            if fs::create_dir(&folder)
                .or_else(|_| fs::remove_dir(&folder).and_then(|()| fs::create_dir(&folder)))
                .is_err()
            {
                continue;
            }
            made.folders.push(folder.clone());
            // Without the limit on swap, a memory limit only moves the script to the disk. A file of the other version is
            // not there, and a limit that does not take shows when the doors are tried.
            for (file, value) in [
                ("memory.max", limits.memory_bytes),
                ("memory.swap.max", 0),
                ("memory.limit_in_bytes", limits.memory_bytes),
                ("pids.max", limits.processes),
            ] {
                let file = folder.join(file);
                if file.exists()
                    && let Err(cause) = fs::write(&file, value.to_string())
                {
                    tracing::debug!(%cause, file = %file.display(), "a limit was not taken");
                }
            }
        }
        made
    }
}

impl Drop for Groups {
    fn drop(&mut self) {
        for folder in &self.folders {
            if let Err(cause) = fs::remove_dir(folder) {
                tracing::debug!(%cause, folder = %folder.display(), "a control group stays");
            }
        }
    }
}

/// Where a group could be made: beside the engine's own in version 2, below it in version 1 (`cgroups(7)`).
fn places(root: &Path, own: &str) -> Vec<PathBuf> {
    let mut places = Vec::new();
    for line in own.lines() {
        let mut parts = line.splitn(3, ':');
        let (Some(_), Some(controllers), Some(path)) = (parts.next(), parts.next(), parts.next()) else { continue };
        let path = path.trim_start_matches('/');
        if path.split('/').any(|part| part == "..") {
            continue;
        }
        if controllers.is_empty() {
            // A group with processes in it hands nothing on (the "no internal processes" rule), so its parent is asked.
            let above = Path::new(path).parent().unwrap_or(Path::new(""));
            let folder = root.join(above);
            let hands_on = fs::read_to_string(folder.join("cgroup.subtree_control")).unwrap_or_default();
            if hands_on.contains("memory") || hands_on.contains("pids") {
                places.push(folder);
            }
        } else if controllers.split(',').any(|name| matches!(name, "memory" | "pids")) {
            places.push(root.join(controllers).join(path));
        }
    }
    places
}

/// Moves this process into them.
pub(super) fn enter(folders: &[PathBuf]) {
    for folder in folders {
        drop(fs::write(folder.join("cgroup.procs"), "0")); // a group it cannot enter does not hold; the probe tells
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_made_where_the_system_hands_them_on() {
        let root = tempfile::tempdir().expect("a folder");
        let make = |path: &str| fs::create_dir_all(root.path().join(path)).expect("made");
        make("user/app.scope");
        make("pids/here");
        make("memory/here");
        fs::write(root.path().join("user/cgroup.subtree_control"), "memory pids").expect("written");
        let two = places(root.path(), "0::/user/app.scope\n");
        assert_eq!(two, [root.path().join("user")]);
        assert!(places(root.path(), "0::/other/app.scope\n").is_empty(), "nothing is handed on there");
        assert!(places(root.path(), "0::/../user/x\n").is_empty());
        let one = places(root.path(), "8:pids:/here\n4:memory:/here\n3:cpu:/here\nnonsense\n");
        assert_eq!(one, [root.path().join("pids/here"), root.path().join("memory/here")]);
        let folder = root.path().join("pids/here/sentient-r1");
        fs::create_dir(&folder).expect("made");
        let groups = Groups::make_in(root.path(), "8:pids:/here\n", "r1", &Limits::default());
        assert_eq!(
            groups.folders,
            std::slice::from_ref(&folder),
            "an empty one of an engine that was cut off is taken over"
        );
        drop(groups);
        assert!(!folder.exists());
    }
}
