//! Ends everything below a process, and everything that carries a mark, as `/proc` shows it.
//!
//! Processes that keep starting others are stopped first and killed then, over and over until none is left.

use nix::errno::Errno;
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{Pid, SysconfVar, sysconf};
use std::collections::{HashMap, HashSet};
use std::fs;

/// How often the processes are looked through. Each round ends all that the one before could not see; a tree that grows
/// faster than this runs into its limit of processes first.
const ROUNDS_MAX: usize = 2_000;
/// Bytes of a process's environment that are read.
const ENVIRONMENT_BYTES_MAX: usize = 256 * 1024;
/// A page, where the system does not say how big its own are.
const USUAL_PAGE_BYTES: u64 = 4_096;

/// One process, as far as a sweep needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Row {
    parent: i32,
    session: i32,
    is_dead: bool,
    threads: u64,
    resident_pages: u64,
}

/// What a tree of processes takes at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Weight {
    /// Processes and threads, as the kernel's own limits count them.
    pub tasks: u64,
    pub bytes: u64,
}

/// Kills all processes below `root`, those of a session it began, and those with `mark` (`NAME=value`) in their environment; never `root` itself nor
/// this process. Answers whether none is left.
pub fn all_below(root: Pid, mark: Option<&str>) -> bool {
    for _ in 0..ROUNDS_MAX {
        let found = living(root, mark);
        for signal in [Signal::SIGSTOP, Signal::SIGKILL] {
            for pid in &found {
                if kill(Pid::from_raw(*pid), signal).is_err() {
                    tracing::trace!(pid, "gone by itself");
                }
            }
        }
        // While `/proc` is read, one that starts another and ends may hide both: a keeper of orphans asks the kernel.
        let is_childless = root != Pid::this() || has_buried_all();
        if found.is_empty() && is_childless {
            return true;
        }
    }
    false
}

/// Buries the children of this process that have ended. Answers whether it has none any more: when it takes in orphans,
/// nothing is below it then.
fn has_buried_all() -> bool {
    loop {
        match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
            Ok(WaitStatus::StillAlive) => return false,
            Ok(_) | Err(Errno::EINTR) => (),
            Err(_) => return true,
        }
    }
}

/// What all that is below `root` takes now.
pub fn weight(root: Pid) -> Weight {
    let page_bytes = sysconf(SysconfVar::PAGE_SIZE).ok().flatten().and_then(|bytes| u64::try_from(bytes).ok());
    weighed(&rows(), root.as_raw(), page_bytes.unwrap_or(USUAL_PAGE_BYTES))
}

fn weighed(rows: &HashMap<i32, Row>, root: i32, page_bytes: u64) -> Weight {
    below(rows, root).iter().filter_map(|pid| rows.get(pid)).fold(Weight::default(), |weight, row| Weight {
        tasks: weight.tasks.saturating_add(row.threads.max(1)),
        bytes: weight.bytes.saturating_add(row.resident_pages.saturating_mul(page_bytes)),
    })
}

fn living(root: Pid, mark: Option<&str>) -> Vec<i32> {
    let rows = rows();
    let mut found = below(&rows, root.as_raw());
    found.extend(rows.iter().filter(|(_, row)| row.session == root.as_raw()).map(|(pid, _)| *pid));
    if let Some(mark) = mark {
        found.extend(rows.keys().copied().filter(|pid| carries(*pid, mark)));
    }
    let alive = |pid: &i32| rows.get(pid).is_some_and(|row| !row.is_dead);
    let me = Pid::this().as_raw();
    found.into_iter().filter(|pid| *pid != root.as_raw() && *pid != me && alive(pid)).collect()
}

fn below(rows: &HashMap<i32, Row>, root: i32) -> HashSet<i32> {
    let mut children: HashMap<i32, Vec<i32>> = HashMap::new();
    for (pid, row) in rows {
        children.entry(row.parent).or_default().push(*pid);
    }
    let (mut found, mut waiting) = (HashSet::new(), vec![root]);
    while let Some(pid) = waiting.pop() {
        for child in children.get(&pid).into_iter().flatten() {
            if found.insert(*child) {
                waiting.push(*child);
            }
        }
    }
    found
}

fn rows() -> HashMap<i32, Row> {
    let Ok(entries) = fs::read_dir("/proc") else { return HashMap::new() };
    let pids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    pids.filter_map(|pid| Some((pid, row(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)?))).collect()
}

/// `proc_pid_stat(5)`: the name in brackets may hold anything, so the fields are counted from its end.
fn row(stat: &str) -> Option<Row> {
    let (_, rest) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    Some(Row {
        is_dead: matches!(*fields.first()?, "Z" | "X"),
        parent: fields.get(1)?.parse().ok()?,
        session: fields.get(3)?.parse().ok()?,
        threads: fields.get(17).and_then(|threads| threads.parse().ok()).unwrap_or(1),
        resident_pages: fields.get(21).and_then(|pages| pages.parse().ok()).unwrap_or(0),
    })
}

fn carries(pid: i32, mark: &str) -> bool {
    let Ok(mut environment) = fs::read(format!("/proc/{pid}/environ")) else { return false };
    environment.truncate(ENVIRONMENT_BYTES_MAX);
    environment.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_read_whatever_the_name_is() {
        let tail = "S 41 7 7 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 5 0 100 4096 33 18446744073709551615";
        for (name, stat, want) in [
            ("plain", format!("7 (cat) {tail}"), Some((41, false, 5, 33))),
            ("brackets", format!("7 (a) Z 1 (b) {tail}"), Some((41, false, 5, 33))),
            ("dead", "7 (cat) Z 41 7 7".to_owned(), Some((41, true, 1, 0))),
            ("cut", "7 (cat) S 41".to_owned(), None),
            ("empty", String::new(), None),
        ] {
            let got = row(&stat).map(|row| (row.parent, row.is_dead, row.threads, row.resident_pages));
            assert_eq!(got, want, "{name}");
        }
    }

    #[test]
    fn all_that_is_below_is_found() {
        let row = |parent| Row { parent, session: 1, is_dead: false, threads: 2, resident_pages: 3 };
        let rows: HashMap<i32, Row> = [(2, row(1)), (3, row(2)), (4, row(3)), (5, row(1)), (6, row(6))].into();
        assert_eq!(below(&rows, 2), [3, 4].into());
        assert_eq!(below(&rows, 6), [6].into(), "a ring ends");
        assert_eq!(below(&rows, 9), HashSet::new());
        assert_eq!(weighed(&rows, 2, 1_024), Weight { tasks: 4, bytes: 2 * 3 * 1_024 }, "threads are counted");
        assert_eq!(weighed(&rows, 9, 1_024), Weight::default());
    }
}
