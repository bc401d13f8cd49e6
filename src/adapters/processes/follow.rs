//! Follows a program to its end: hands on what it prints, and ends it when its time is up, when it is told to, or when it
//! uses too much.

use super::Tree;
use actors::ports::{Ending, Output, OutputSink, TooMuch};
use std::future::pending;
use std::io;
use std::process::ExitStatus;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::time::{Duration, interval, sleep, timeout};
use tokio_util::sync::CancellationToken;

/// Bytes read at once.
const PIECE_BYTES: usize = 16 * 1024;
/// How long outputs are read on after the program's end. All that could print is gone by then.
const LAST_WORDS_MAX: Duration = Duration::from_secs(2);
/// How often a script's size is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// How far a program may go.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    pub time_max: Duration,
    /// Memory of all its processes together, and how many processes and threads it may have; `None` where nobody looks.
    pub weight: Option<(u64, u64)>,
}

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Followed {
    pub ending: Ending,
}

impl Tree {
    /// Follows it to its end. Dropping this ends the program.
    pub async fn follow(mut self, bounds: Bounds, output: OutputSink, stop: CancellationToken) -> Followed {
        let (stdout, stderr) = (self.child.stdout.take(), self.child.stderr.take());
        let reading = async {
            tokio::join!(read(stdout, Output::Stdout, &output), read(stderr, Output::Stderr, &output));
        };
        tokio::pin!(reading);
        let mut read_to_end = false;
        let ending = {
            let (id, everything) = (self.id, self.signs.stop.clone());
            let waiting = self.child.wait();
            tokio::pin!(waiting);
            let (time, heavy) = (sleep(bounds.time_max), too_much(id, bounds.weight));
            tokio::pin!(time, heavy);
            loop {
                tokio::select! {
                    biased;
                    status = &mut waiting => break Ending::Exited(code(&status)),
                    () = stop.cancelled() => break Ending::Stopped,
                    () = everything.cancelled() => break Ending::Stopped,
                    () = &mut time => break Ending::TimedOut,
                    what = &mut heavy => break Ending::TooMuch(what),
                    () = &mut reading, if !read_to_end => read_to_end = true,
                }
            }
        };
        self.end();
        if !read_to_end && timeout(LAST_WORDS_MAX, reading).await.is_err() {
            tracing::debug!("an output stayed open after the end");
        }
        if timeout(LAST_WORDS_MAX, self.child.wait()).await.is_err() {
            tracing::warn!("a keeper did not end in time");
        }
        Followed { ending }
    }
}

fn code(status: &io::Result<ExitStatus>) -> i32 {
    const UNKNOWN: i32 = -1;
    let Ok(status) = status else { return UNKNOWN };
    #[cfg(unix)]
    {
        use std::os::unix::process::ExitStatusExt;
        status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(UNKNOWN)
    }
    #[cfg(not(unix))]
    status.code().unwrap_or(UNKNOWN)
}

async fn read(from: Option<impl AsyncRead + Unpin>, which: Output, output: &OutputSink) {
    let Some(mut from) = from else { return };
    let mut piece = vec![0; PIECE_BYTES];
    loop {
        match from.read(&mut piece).await {
            Ok(0) | Err(_) => return,
            Ok(count) => output(which, &piece[..count]),
        }
    }
}

/// Waits until the processes weigh too much. Never ends where nobody looks.
async fn too_much(id: Option<u32>, weight: Option<(u64, u64)>) -> TooMuch {
    #[cfg(target_os = "linux")]
    if let (Some(id), Some((bytes_max, tasks_max))) = (id, weight) {
        let keeper = nix::unistd::Pid::from_raw(i32::try_from(id).unwrap_or(i32::MAX));
        let mut looks = interval(LOOK_EVERY);
        looks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            looks.tick().await;
            let weight = crate::confine::sweep::weight(keeper);
            // One of them is the first process behind the doors.
            if weight.tasks > tasks_max.saturating_add(1) {
                return TooMuch::Processes;
            }
            if weight.bytes > bytes_max {
                return TooMuch::Memory;
            }
        }
    }
    #[cfg(not(target_os = "linux"))]
    drop((id, weight, interval(LOOK_EVERY)));
    pending().await
}
