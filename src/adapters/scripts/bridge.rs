//! A script's tool calls: read from the connection or the folder it was started with, answered in the order they come.
//!
//! What a script writes is read with limits and never trusted: a line that cannot be read is answered with an error.

use super::keep::open_plain;
use actors::ports::{ScriptAnswer, ScriptCalls, ScriptFault};
use serde::Deserialize;
use serde_json::{Value, json};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::time::{Duration, sleep};

/// Bytes of one message of a script.
const MESSAGE_BYTES_MAX: u64 = 4 * 1024 * 1024;
/// How often a folder is looked into.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// What a script said beside its calls.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Said {
    pub(super) result: Option<Value>,
    pub(super) fault: Option<ScriptFault>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Message {
    Call {
        call: String,
        #[serde(default)]
        arguments: Value,
    },
    Available {
        #[expect(dead_code, reason = "the name alone says what is asked")]
        available: bool,
    },
    Fault {
        fault: Fault,
    },
    Result {
        result: Value,
    },
}

#[derive(Deserialize)]
struct Fault {
    #[serde(default)]
    is_syntax: bool,
    #[serde(default)]
    kind: String,
    #[serde(default)]
    message: String,
    line: Option<u32>,
    #[serde(default)]
    text: String,
}

/// Answers the calls of one script. Cheap to clone.
#[derive(Clone)]
pub(super) struct Bridge {
    calls: Arc<dyn ScriptCalls>,
    said: Arc<Mutex<Said>>,
}

impl Bridge {
    pub(super) fn new(calls: Arc<dyn ScriptCalls>) -> Self {
        Self { calls, said: Arc::default() }
    }

    fn held(&self) -> MutexGuard<'_, Said> {
        self.said.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn said(&self) -> Said {
        self.held().clone()
    }

    /// The answer to one message; `None` for one that wants none.
    async fn answer(&self, line: &[u8]) -> Option<Value> {
        match serde_json::from_slice(line) {
            Ok(Message::Call { call, arguments }) => Some(match self.calls.call(call, arguments).await {
                ScriptAnswer::Result(result) => json!({ "result": result }),
                ScriptAnswer::Refused(why) => json!({ "refused": why }),
                ScriptAnswer::Failed(why) => json!({ "error": why }),
            }),
            Ok(Message::Available { .. }) => Some(json!({ "names": self.calls.available() })),
            Ok(Message::Fault { fault }) => {
                let Fault { is_syntax, kind, message, line, text } = fault;
                self.held().fault = Some(ScriptFault { is_syntax, kind, message, line, text });
                None
            }
            Ok(Message::Result { result }) => {
                self.held().result = Some(result);
                None
            }
            Err(_) => Some(json!({ "error": "This call could not be read." })),
        }
    }

    /// Answers over a connection until the script closes it.
    pub(super) async fn serve(&self, stream: impl AsyncRead + AsyncWrite) {
        let (reader, mut writer) = tokio::io::split(stream);
        let reader = BufReader::new(reader);
        tokio::pin!(reader);
        loop {
            let mut line = Vec::new();
            let read = (&mut reader).take(MESSAGE_BYTES_MAX).read_until(b'\n', &mut line).await;
            if !matches!(read, Ok(count) if count > 0) || line.last() != Some(&b'\n') {
                return; // at its end, or longer than a message may be
            }
            let Some(answer) = self.answer(&line).await else { continue };
            let text = format!("{answer}\n");
            if writer.write_all(text.as_bytes()).await.is_err() {
                return;
            }
        }
    }

    /// Answers over a folder, without end: who waits for the script drops it.
    pub(super) async fn serve_folder(&self, folder: PathBuf) {
        for number in 1_u64.. {
            let name = folder.join(format!("{number}.request"));
            let line = loop {
                match read_request(&name) {
                    Ok(line) => break line,
                    Err(cause) if cause.kind() == io::ErrorKind::NotFound => sleep(LOOK_EVERY).await,
                    Err(_) => break Vec::new(),
                }
            };
            let Some(answer) = self.answer(&line).await else { continue };
            if let Err(cause) = write_answer(&folder, number, &answer.to_string()) {
                tracing::debug!(%cause, "a script in a container is not answered any more");
                return;
            }
        }
    }

    /// What a script left in its folder that nobody had read yet, once it has ended.
    pub(super) async fn rest_of_folder(&self, folder: &Path) {
        for number in 1_u64..10_000 {
            let Ok(line) = read_request(&folder.join(format!("{number}.request"))) else { return };
            // Only what it came to: calls of a script that has ended are not made.
            if !matches!(serde_json::from_slice(&line), Ok(Message::Call { .. } | Message::Available { .. })) {
                drop(self.answer(&line).await);
            }
        }
    }
}

fn read_request(name: &Path) -> io::Result<Vec<u8>> {
    let mut line = Vec::new();
    open_plain(name)?.take(MESSAGE_BYTES_MAX).read_to_end(&mut line)?;
    Ok(line)
}

/// Never over a name that is there already: it could be a link out of the folder.
fn write_answer(folder: &Path, number: u64, text: &str) -> io::Result<()> {
    let beside = folder.join(format!("{number}.answer.new"));
    let mut file = std::fs::OpenOptions::new().write(true).create_new(true).open(&beside)?;
    file.write_all(text.as_bytes())?;
    std::fs::rename(&beside, folder.join(format!("{number}.answer")))
}
