//! What was acknowledged is there after the process was killed at any moment.
//!
//! The test starts its own program again as the engine, reads its acknowledgements, and kills it without warning.

use protocol::Timestamp;
use protocol::sessions::MessageRole;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use storage::records::{EventRecord, IndexJob, MessageRecord, NewEvent, OutboxRow};
use storage::{Batch, EVENTS_READ_MAX, OpenOptions, Store};

const HOME: &str = "STORAGE_CRASH_HOME";
/// Kills, each after another number of acknowledgements. They add up to more rows than one group holds.
const KILLED_AFTER: [usize; 10] = [1, 40, 3, 117, 9, 260, 2, 75, 31, 500];
/// Tasks that write at the same time.
const WRITERS: u64 = 16;

#[test]
fn acknowledged_rows_survive_a_kill() {
    if let Some(home) = std::env::var_os(HOME) {
        write_for_ever(Path::new(&home));
    }
    let home = tempfile::tempdir().expect("a folder");
    let mut acknowledged = Vec::new();
    for (round, after) in KILLED_AFTER.into_iter().enumerate() {
        acknowledged.extend(run_and_kill(home.path(), after));
        check(home.path(), &acknowledged, round);
    }
}

/// Starts the engine, waits for so many acknowledgements, kills it, and answers all it had given by then.
#[expect(clippy::disallowed_methods, reason = "the test is about a process")]
fn run_and_kill(home: &Path, after: usize) -> Vec<String> {
    let mut child = Command::new(std::env::current_exe().expect("this program"))
        .args(["acknowledged_rows_survive_a_kill", "--exact", "--nocapture"])
        .env(HOME, home)
        .stdout(Stdio::piped())
        .spawn()
        .expect("starts");
    let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines().map(|line| line.expect("a line"));
    let mut acks: Vec<String> = Vec::new();
    let ack = |line: &str| line.strip_prefix("ack ").map(str::to_owned);
    while acks.len() < after {
        acks.extend(ack(&lines.next().expect("the engine goes on until it is killed")));
    }
    child.kill().expect("killed");
    child.wait().expect("ended");
    // A last line may be cut short; a whole one ends in a full stop.
    acks.extend(lines.filter_map(|line| ack(&line)));
    acks.into_iter().filter_map(|id| id.strip_suffix('.').map(str::to_owned)).collect()
}

fn check(home: &Path, acknowledged: &[String], round: usize) {
    let (store, _) = Store::open(home, OpenOptions::default()).expect("opens after a kill");
    let snapshot = store.snapshot().expect("reads");
    for id in acknowledged {
        let found = snapshot.message(&id.as_str().into()).expect("reads");
        assert!(found.is_some_and(|message| message.id.as_str() == id), "round {round}: {id} is lost");
    }
    let messages = snapshot.count::<MessageRecord>().expect("counts");
    assert!(messages >= acknowledged.len() as u64);
    // A row, its event and its index work are there together, and the log has no gap.
    assert_eq!(snapshot.count::<EventRecord>().expect("counts"), messages, "round {round}");
    assert_eq!(snapshot.count::<OutboxRow>().expect("counts"), messages, "round {round}");
    let mut last = 0;
    loop {
        let events = store.events_since(last, EVENTS_READ_MAX).expect("reads");
        let Some(event) = events.last() else { break };
        assert!(events.iter().zip(last + 1..).all(|(event, seq)| event.seq == seq), "round {round}");
        for event in &events {
            let message = snapshot.message(&event.data.as_str().into()).expect("reads");
            assert!(message.is_some(), "round {round}: event {} tells of nothing", event.seq);
        }
        last = event.seq;
    }
    assert_eq!(last, messages);
}

/// The engine: writes and acknowledges from many tasks until it is killed.
fn write_for_ever(home: &Path) -> ! {
    let home = PathBuf::from(home);
    let (store, _) = Store::open(&home, OpenOptions::default()).expect("opens");
    let start = store.snapshot().and_then(|snapshot| snapshot.count::<MessageRecord>()).expect("counts");
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().expect("a runtime");
    runtime.block_on(async {
        let writers = (0..WRITERS).map(|writer| {
            let store = store.clone();
            async move {
                for n in start.. {
                    let id = format!("{start}-{writer}-{n}");
                    store.commit(message(writer, n, &id)).await.expect("written");
                    // In one piece, and past the test harness.
                    let line = format!("ack {id}.\n");
                    let mut out = std::io::stdout().lock();
                    out.write_all(line.as_bytes()).and_then(|()| out.flush()).expect("the test listens");
                }
            }
        });
        futures::future::join_all(writers).await
    });
    unreachable!("it writes until it is killed")
}

fn message(writer: u64, n: u64, id: &str) -> Batch {
    let session = format!("chat {writer}");
    let record = MessageRecord {
        session_id: session.as_str().into(),
        ordinal: n,
        id: id.into(),
        turn_id: None,
        role: MessageRole::User,
        content: "x".repeat(300),
        thinking: None,
        tool_calls: Vec::new(),
        tool_call_id: None,
        name: None,
        attachments: Vec::new(),
        interjection: false,
        is_error: false,
        memory_sources: "[]".into(),
        sources: "[]".into(),
        approval: None,
        outside_source: String::new(),
        created_at: Timestamp(1),
    };
    let mut batch = Batch::new();
    batch.put(&record).event(NewEvent { at: Timestamp(1), kind: "message.saved".into(), data: id.into() });
    batch.index(IndexJob::Message { session_id: record.session_id, ordinal: n, message_id: id.into() });
    batch
}
