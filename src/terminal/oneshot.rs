//! One question, one answer: for pipes and scripts. Standard output carries the answer and nothing else.

use super::client::Client;
use super::incoming::{Event, Frame};
use super::plain::neutral;
use super::{Ending, card};
use futures::StreamExt;
use protocol::{Error, ErrorKind};
use serde_json::json;
use std::io::{IsTerminal, Read, Write};

/// Bytes of a message read from standard input. As large as the engine takes one (contract section 1).
const INPUT_BYTES_MAX: u64 = 1_000_000;
/// Bytes of one line of the answer's stream.
const LINE_BYTES_MAX: usize = 64 * 1024 * 1024;

pub(super) struct Question {
    pub(super) text: String,
    pub(super) session: Option<String>,
    pub(super) attached: Vec<String>,
    pub(super) incognito: bool,
}

/// The whole of standard input, as text.
///
/// # Errors
/// It is too large or no text.
pub(super) fn standard_input() -> Result<String, Error> {
    let mut text = String::new();
    let read = std::io::stdin().lock().take(INPUT_BYTES_MAX + 1).read_to_string(&mut text);
    let read = read.map_err(|cause| Error::new(ErrorKind::Invalid, format!("The input cannot be read: {cause}.")))?;
    if u64::try_from(read).unwrap_or(u64::MAX) > INPUT_BYTES_MAX {
        return Err(Error::new(ErrorKind::Invalid, "The input is larger than a message may be (1 MB).")
            .hint("Send it as a file: sentient chat --file PATH \"…\""));
    }
    text.truncate(text.trim_end_matches(['\n', '\r']).len());
    Ok(text)
}

/// Asks and prints the answer.
///
/// # Errors
/// Nothing to ask, or no engine that answers.
pub(super) async fn answer(client: &Client, question: Question) -> Result<Ending, Error> {
    if question.text.trim().is_empty() && question.attached.is_empty() {
        return Err(Error::new(ErrorKind::Invalid, "There is nothing to ask.").hint("sentient chat \"your question\""));
    }
    let mut body = json!({ "text": question.text, "attachments": question.attached, "incognito": question.incognito });
    if let Some(session) = question.session {
        body["session_id"] = json!(session);
    }
    let mut lines = Lines::new(client.stream(&body).await?);
    let mut stopped = std::pin::pin!(tokio::signal::ctrl_c());
    let (mut refused, mut session) = (false, None);
    loop {
        let frame = tokio::select! {
            biased;
            _ = &mut stopped => {
                stop(client, session.as_deref()).await;
                return Ok(Ending::Stopped);
            }
            line = lines.next() => match line? {
                Some(frame) => frame,
                None => return Err(Error::new(ErrorKind::Unavailable, "Sentient broke off before the answer was whole.")),
            },
        };
        session = frame.session_id.or(session);
        match frame.event {
            Event::ApprovalRequest(asked) => {
                refused = true;
                say(&format!(
                    "{}\nNobody can be asked here, so the answer is no. Use `sentient chat` in a terminal.",
                    card::text(&asked)
                ));
                client.answer(&asked.approval_id, "deny").await?;
            }
            Event::Notice { message } => say(&neutral(&message)),
            Event::Error { message, recoverable: true, .. } => say(&neutral(&message)),
            Event::Done { content, cancelled, error, .. } => {
                if let Some(error) = error {
                    return Err(Error::new(ErrorKind::Upstream, neutral(&error)));
                }
                print(&content);
                return Ok(if cancelled {
                    Ending::Stopped
                } else if refused {
                    Ending::NotAllowed
                } else {
                    Ending::Done
                });
            }
            _ => (),
        }
    }
}

async fn stop(client: &Client, session: Option<&str>) {
    // Leaving the stream does not end a reply; this says that nobody wants it any more.
    let Some(session) = session else { return };
    let stopped = super::driver::say_once(client, &json!({ "type": "chat.cancel", "session_id": session })).await;
    if let Err(error) = stopped {
        tracing::debug!(%error, "the reply could not be stopped");
    }
}

/// The answer as it is for a program, harmless for a terminal.
fn print(content: &str) {
    let out = std::io::stdout();
    let text = if out.is_terminal() { neutral(content) } else { content.to_owned() };
    let mut out = out.lock();
    if writeln!(out, "{}", text.trim_end_matches('\n')).and_then(|()| out.flush()).is_err() {
        tracing::debug!("nobody reads the answer");
    }
}

fn say(text: &str) {
    if writeln!(std::io::stderr(), "{text}").is_err() {
        tracing::debug!("nobody reads the errors");
    }
}

/// The lines of a streamed answer.
struct Lines {
    bytes: futures::stream::BoxStream<'static, Result<bytes::Bytes, reqwest::Error>>,
    rest: Vec<u8>,
}

impl Lines {
    fn new(response: reqwest::Response) -> Self {
        Self { bytes: response.bytes_stream().boxed(), rest: Vec::new() }
    }

    async fn next(&mut self) -> Result<Option<Frame>, Error> {
        loop {
            if let Some(end) = self.rest.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.rest.drain(..=end).collect();
                match std::str::from_utf8(&line).ok().and_then(Frame::read) {
                    Some(frame) => return Ok(Some(frame)),
                    None => continue,
                }
            }
            if self.rest.len() > LINE_BYTES_MAX {
                return Err(Error::internal("The engine sent a line without an end."));
            }
            match self.bytes.next().await {
                Some(Ok(more)) => self.rest.extend_from_slice(&more),
                Some(Err(_)) | None => return Ok(None),
            }
        }
    }
}
