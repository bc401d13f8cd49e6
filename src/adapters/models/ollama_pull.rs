//! Downloads a model with Ollama and passes its progress on, line by line.
//!
//! A failure is a line as well (`{status: "error", error}`, models.md), in plain words. Dropping the stream ends the
//! download; Ollama keeps what it has and goes on from there next time.

use super::Inner;
use super::target::Target;
use actors::ports::{PullLine, PullStream};
use bytes::Bytes;
use futures::stream::{self, BoxStream, StreamExt};
use protocol::model::{ModelError, ModelName};
use rules::wire::lines::LineDecoder;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::Arc;
use tokio::time::{Duration, Instant, timeout};

/// The longest silence of a download; Ollama reports many times a second, but checks a whole file at the end.
const SILENCE_LIMIT: Duration = Duration::from_secs(300);
/// Bytes of one progress line.
const LINE_BYTES_MAX: usize = 64 * 1024;
/// Characters of a model's name.
const NAME_CHARS_MAX: usize = 200;

pub(super) fn pull(inner: Arc<Inner>, name: String) -> PullStream {
    let opened = async move {
        match open(&inner, &name).await {
            Ok(body) => Download {
                body,
                lines: LineDecoder::new(LINE_BYTES_MAX),
                ready: VecDeque::new(),
                over: false,
                name,
                inner,
            }
            .lines(),
            Err(sentence) => stream::iter([Ok(failed(sentence))]).boxed(),
        }
    };
    stream::once(Box::pin(opened)).flatten().boxed()
}

async fn open(inner: &Inner, name: &str) -> Result<BoxStream<'static, reqwest::Result<Bytes>>, String> {
    let fits = |c: char| !c.is_whitespace() && !c.is_control();
    if name.is_empty() || NAME_CHARS_MAX < name.chars().count() || !name.chars().all(fits) {
        return Err("That isn't the name of a model. Names look like qwen3:8b.".to_owned());
    }
    let plain = |error: ModelError| error.message;
    let target: Target = inner.ollama_target().await.map_err(plain)?;
    let model = ModelName(format!("ollama_chat/{name}"));
    let request = inner.clients.post(&target, &target.url("/api/pull"), &json!({"model": name, "stream": true}));
    let request = request.map_err(plain)?;
    let response =
        inner.clients.send(request, Instant::now() + target.timeout, &target, &model).await.map_err(plain)?;
    Ok(response.bytes_stream().boxed())
}

fn failed(sentence: impl Into<String>) -> PullLine {
    PullLine { status: "error".to_owned(), error: Some(sentence.into()), ..PullLine::default() }
}

struct Download {
    body: BoxStream<'static, reqwest::Result<Bytes>>,
    lines: LineDecoder,
    ready: VecDeque<PullLine>,
    over: bool,
    name: String,
    inner: Arc<Inner>,
}

impl Download {
    fn lines(self) -> PullStream {
        stream::unfold(self, async |mut download| {
            let line = download.next().await?;
            Some((Ok(line), download))
        })
        .boxed()
    }

    async fn next(&mut self) -> Option<PullLine> {
        loop {
            if let Some(line) = self.ready.pop_front() {
                if matches!(line.status.as_str(), "success" | "error") {
                    self.over = true;
                    self.ready.clear();
                    // What is downloaded now may not be what was described before.
                    self.inner.shown.forget_all();
                }
                return Some(line);
            }
            if self.over {
                return None;
            }
            self.read().await;
        }
    }

    async fn read(&mut self) {
        match timeout(SILENCE_LIMIT, self.body.next()).await {
            Ok(Some(Ok(bytes))) => {
                for line in self.lines.push(&bytes) {
                    let line = line.ok().and_then(|line| progress(&line, &self.name));
                    self.ready.extend(line);
                }
            }
            // Without `success` it did not succeed, however the body ended.
            Ok(Some(Err(_)) | None) => {
                let last = self.lines.end().and_then(|line| progress(&line, &self.name));
                self.ready.extend(last);
                self.ready
                    .push_back(failed("The download from Ollama broke off. Try again: it goes on where it stopped."));
            }
            Err(_) => self.ready.push_back(failed("Ollama has stopped reporting on the download. Try again.")),
        }
    }
}

/// One line of Ollama's; `None` when it says nothing.
fn progress(line: &str, name: &str) -> Option<PullLine> {
    let value: Value = serde_json::from_str(line).ok()?;
    if let Some(error) = value["error"].as_str() {
        tracing::debug!(name, error, "the download failed");
        return Some(failed(reason(error, name)));
    }
    let status = value["status"].as_str()?.to_owned();
    Some(PullLine { status, completed: value["completed"].as_u64(), total: value["total"].as_u64(), error: None })
}

/// Ollama's reason in plain words.
fn reason(error: &str, name: &str) -> String {
    let error = error.to_lowercase();
    if error.contains("file does not exist") || error.contains("not found") {
        format!("Ollama has no model called {name}. Check the name on ollama.com.")
    } else if error.contains("no space left") || error.contains("not enough space") {
        format!("There isn't enough free disk space for {name}. Free some and try again.")
    } else if error.contains("newer version of ollama") {
        format!("{name} needs a newer Ollama. Update Ollama and try again.")
    } else {
        format!("Ollama couldn't download {name}. Check the internet connection and try again.")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_become_progress_or_a_plain_reason() {
        let line =
            |status: &str, completed, total| PullLine { status: status.to_owned(), completed, total, error: None };
        for (text, want) in [
            (r#"{"status":"pulling manifest"}"#, Some(line("pulling manifest", None, None))),
            (r#"{"status":"pulling 0f","completed":5,"total":9}"#, Some(line("pulling 0f", Some(5), Some(9)))),
            (r#"{"error":"pull model manifest: file does not exist"}"#, Some(failed(reason("not found", "m")))),
            (r#"{"error":"write: no space left on device"}"#, Some(failed(reason("no space left", "m")))),
            ("{}", None),
            ("not json", None),
        ] {
            assert_eq!(progress(text, "m"), want, "{text}");
        }
        assert!(!reason("SECRET raw words", "m").contains("SECRET"));
    }
}
