//! One turn as OpenAI's clients read it: a whole `chat.completion`, or its pieces as server-sent events
//! (`text/event-stream`), closed by `[DONE]`.
//!
//! A client that hangs up ends nothing: the turn goes on and is saved, as in the window.

use super::MODEL;
use super::errors::V1Error;
use actors::callers::AppReply;
use actors::live::{Delivery, Line, Subscription};
use axum::Json;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures::Stream;
use http::{HeaderValue, header};
use protocol::ids::TurnId;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::convert::Infallible;
use tokio::time::{Duration, timeout};

/// How often a stream that has nothing to say shows that it is alive: an approval may take minutes, and clients and their
/// proxies give up on silence.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// A comment, which clients pass over (HTML standard, "Server-sent events").
const ALIVE: &[u8] = b": waiting\n\n";
const DONE: &[u8] = b"data: [DONE]\n\n";

/// What a turn says, as far as a client hears of it.
#[derive(Debug, PartialEq)]
enum Said {
    Text(String),
    /// A call that was not allowed: said before the model's own words about it.
    NotDone(String),
    End(Result<String, V1Error>),
}

/// A frame of the chat, as far as it matters here.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Frame {
    TextDelta {
        text: String,
    },
    ToolCall {},
    ToolResult {
        name: String,
        result: Value,
    },
    Usage {
        prompt_tokens: u64,
        completion_tokens: u64,
    },
    Done {
        #[serde(default)]
        content: String,
        #[serde(default)]
        cancelled: bool,
        error: Option<String>,
    },
    #[serde(other)]
    Other,
}

/// Reads the lines of one turn.
struct Turn {
    id: TurnId,
    lines: Subscription,
    ready: VecDeque<Said>,
    /// Words were said, and a tool has run since: what comes next is a new paragraph.
    between: bool,
    spoke: bool,
    prompt_tokens: u64,
    completion_tokens: u64,
    ended: bool,
}

impl Turn {
    fn of(begun: AppReply) -> Self {
        let AppReply { turn_id, lines, .. } = begun;
        let (prompt_tokens, completion_tokens) = (0, 0);
        let ready = VecDeque::new();
        Self { id: turn_id, lines, ready, between: false, spoke: false, prompt_tokens, completion_tokens, ended: false }
    }

    /// What comes next; `None` after the end. Cancel-safe.
    async fn next(&mut self) -> Option<Said> {
        loop {
            if let Some(said) = self.ready.pop_front() {
                return Some(said);
            }
            if self.ended {
                return None;
            }
            match self.lines.next().await {
                Delivery::Frames(lines) => lines.iter().for_each(|line| self.take(line)),
                Delivery::Lagged { .. } => {
                    let message =
                        "This connection fell too far behind the reply. Open the chat in Sentient to read it.";
                    self.end(Err(V1Error::turn_failed(message.into())));
                }
            }
        }
    }

    fn take(&mut self, line: &Line) {
        if self.ended || line.turn.as_ref() != Some(&self.id) {
            return;
        }
        match serde_json::from_str(&line.json).unwrap_or(Frame::Other) {
            Frame::TextDelta { text } => {
                let text = if std::mem::take(&mut self.between) { format!("\n\n{text}") } else { text };
                self.spoke = true;
                self.ready.push_back(Said::Text(text));
            }
            Frame::ToolCall {} => self.between = self.spoke,
            Frame::ToolResult { name, result } if result["declined"] == true => {
                let before = if self.spoke { "\n\n" } else { "" };
                let sentence = format!("{before}{}", rules::callers::not_done(&name));
                (self.spoke, self.between) = (true, true);
                self.ready.push_back(Said::NotDone(sentence));
            }
            Frame::Usage { prompt_tokens, completion_tokens } => {
                self.prompt_tokens += prompt_tokens;
                self.completion_tokens += completion_tokens;
            }
            Frame::Done { cancelled: true, .. } => self.end(Err(V1Error::stopped())),
            Frame::Done { error: Some(message), .. } => self.end(Err(V1Error::turn_failed(message))),
            Frame::Done { content, .. } => self.end(Ok(content)),
            Frame::ToolResult { .. } | Frame::Other => (),
        }
    }

    fn end(&mut self, how: Result<String, V1Error>) {
        self.ended = true;
        self.ready.push_back(Said::End(how));
    }

    fn usage(&self) -> Value {
        let (prompt, completion) = (self.prompt_tokens, self.completion_tokens);
        json!({ "prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion })
    }

    fn completion_id(&self) -> String {
        format!("chatcmpl-{}", self.id)
    }
}

/// Waits for the end of the turn: the reply, begun by what was not done.
pub(super) async fn whole(begun: AppReply, created: i64) -> Result<Response, V1Error> {
    let mut turn = Turn::of(begun);
    let mut not_done: Vec<String> = Vec::new();
    while let Some(said) = turn.next().await {
        match said {
            Said::Text(_) => (),
            Said::NotDone(sentence) => not_done.push(sentence.trim().to_owned()),
            Said::End(Err(error)) => return Err(error),
            Said::End(Ok(reply)) => {
                not_done.push(reply);
                let content = not_done.join("\n\n");
                let message = json!({ "role": "assistant", "content": content, "refusal": null });
                let choice = json!({ "index": 0, "message": message, "logprobs": null, "finish_reason": "stop" });
                let completion = json!({
                    "id": turn.completion_id(),
                    "object": "chat.completion",
                    "created": created,
                    "model": MODEL,
                    "choices": [choice],
                    "usage": turn.usage(),
                });
                return Ok(Json(completion).into_response());
            }
        }
    }
    Err(V1Error::turn_failed("The reply had no end.".into()))
}

/// The pieces of the turn as they come.
pub(super) fn streamed(begun: AppReply, created: i64, include_usage: bool) -> Response {
    let pieces = Pieces { turn: Turn::of(begun), created, include_usage, begun: false, closed: false };
    let mut response = axum::body::Body::from_stream(pieces.stream()).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream; charset=utf-8"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

struct Pieces {
    turn: Turn,
    created: i64,
    include_usage: bool,
    begun: bool,
    closed: bool,
}

impl Pieces {
    fn stream(self) -> impl Stream<Item = Result<Bytes, Infallible>> + Send {
        futures::stream::unfold(self, |mut pieces| async move {
            let bytes = pieces.next().await?;
            Some((Ok(bytes), pieces))
        })
    }

    async fn next(&mut self) -> Option<Bytes> {
        if self.closed {
            return None;
        }
        if !std::mem::replace(&mut self.begun, true) {
            return Some(self.chunk(json!({ "role": "assistant" }), None));
        }
        match timeout(KEEP_ALIVE, self.turn.next()).await {
            Err(_) => Some(Bytes::from_static(ALIVE)),
            Ok(Some(Said::Text(text) | Said::NotDone(text))) => Some(self.chunk(json!({ "content": text }), None)),
            Ok(Some(Said::End(how))) => {
                self.closed = true;
                Some(self.last(how.err()))
            }
            Ok(None) => None,
        }
    }

    /// The end: a last piece that says why, or the error; then the line that closes every stream.
    fn last(&self, error: Option<V1Error>) -> Bytes {
        let mut last = Vec::new();
        match error {
            Some(error) => last.extend_from_slice(&event(&error.body())),
            None => {
                last.extend_from_slice(&self.chunk(json!({}), Some("stop")));
                if self.include_usage {
                    let mut usage = self.envelope(json!([]));
                    usage["usage"] = self.turn.usage();
                    last.extend_from_slice(&event(&usage));
                }
            }
        }
        last.extend_from_slice(DONE);
        last.into()
    }

    fn chunk(&self, delta: Value, finish_reason: Option<&str>) -> Bytes {
        let choice = json!({ "index": 0, "delta": delta, "logprobs": null, "finish_reason": finish_reason });
        event(&self.envelope(json!([choice])))
    }

    fn envelope(&self, choices: Value) -> Value {
        json!({
            "id": self.turn.completion_id(),
            "object": "chat.completion.chunk",
            "created": self.created,
            "model": MODEL,
            "choices": choices,
        })
    }
}

/// One server-sent event. JSON on one line has no line breaks of its own.
fn event(data: &Value) -> Bytes {
    Bytes::from(format!("data: {data}\n\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use actors::live::Hub;
    use futures::StreamExt;
    use protocol::chat::{ChatEvent, ChatFrame, Done, UsageMeter};

    fn frame(event: ChatEvent, turn: &str) -> ChatFrame {
        ChatFrame { event, session_id: "s1".into(), turn_id: Some(turn.into()) }
    }

    fn text(text: &str) -> ChatFrame {
        frame(ChatEvent::TextDelta { text: text.into() }, "t1")
    }

    fn call(name: &str) -> ChatFrame {
        frame(ChatEvent::ToolCall { call_id: "c1".into(), name: name.into(), arguments: json!({}) }, "t1")
    }

    fn result(name: &str, result: Value) -> ChatFrame {
        let call_id = "c1".into();
        frame(ChatEvent::ToolResult { call_id, name: name.into(), result, is_error: false, duration_ms: 1 }, "t1")
    }

    fn used(prompt_tokens: u64, completion_tokens: u64) -> ChatFrame {
        let meter = UsageMeter {
            model: "m".into(),
            prompt_tokens,
            completion_tokens,
            context_used: None,
            context_length: None,
            context_percent: None,
            context_warning: None,
        };
        frame(ChatEvent::Usage(meter), "t1")
    }

    fn done(done: Done) -> ChatFrame {
        frame(ChatEvent::Done(Box::new(done)), "t1")
    }

    fn answered(content: &str) -> ChatFrame {
        done(Done { content: content.into(), ..Done::default() })
    }

    /// A reply whose frames have all been told.
    fn told(frames: Vec<ChatFrame>) -> AppReply {
        let hub = Hub::new(0);
        let lines = hub.subscribe_chat(&"s1".into());
        for frame in frames {
            hub.chat(frame);
        }
        AppReply { session_id: "s1".into(), turn_id: "t1".into(), lines }
    }

    /// The data of every event, with what is the same in each left out.
    async fn events(frames: Vec<ChatFrame>, include_usage: bool) -> Vec<String> {
        let body = streamed(told(frames), 7, include_usage).into_body();
        let bytes = axum::body::to_bytes(body, 1 << 20).await.expect("a whole body");
        let text = String::from_utf8(bytes.to_vec()).expect("text");
        let events = text.strip_suffix("\n\n").expect("ends with an event").split("\n\n");
        let short = |event: &str| {
            let data = event.strip_prefix("data: ").expect("an event of data");
            let Ok(value) = serde_json::from_str::<Value>(data) else { return data.to_owned() };
            if value.get("error").is_some() {
                return format!("error {} {}", value["error"]["code"], value["error"]["message"]);
            }
            assert_eq!((&value["id"], &value["object"]), (&json!("chatcmpl-t1"), &json!("chat.completion.chunk")));
            assert_eq!((&value["created"], &value["model"]), (&json!(7), &json!("sentient")));
            match value["choices"].get(0) {
                Some(choice) => format!("{} {}", choice["delta"], choice["finish_reason"]),
                None => format!("usage {}", value["usage"]["total_tokens"]),
            }
        };
        events.map(short).collect()
    }

    const FIRST: &str = r#"{"role":"assistant"} null"#;

    #[tokio::test]
    async fn a_reply_streams_as_the_clients_expect() {
        let frames = vec![text("Hello"), frame(done(Done::default()).event, "t0"), used(3, 2), answered("Hello")];
        let plain = events(frames.clone(), false).await;
        assert_eq!(plain, [FIRST, r#"{"content":"Hello"} null"#, r#"{} "stop""#, "[DONE]"]);
        let counted = events(frames, true).await;
        assert_eq!(counted[2..], [r#"{} "stop""#, "usage 5", "[DONE]"]);
    }

    #[tokio::test]
    async fn words_before_and_after_a_tool_are_paragraphs() {
        let frames =
            vec![text("Let me look."), call("x"), result("x", json!({})), text("It is 5."), answered("It is 5.")];
        let got = events(frames, false).await;
        assert_eq!(got[1..3], [r#"{"content":"Let me look."} null"#, r#"{"content":"\n\nIt is 5."} null"#]);
    }

    #[tokio::test]
    async fn what_was_not_allowed_comes_first() {
        let declined = json!({ "error": "no", "declined": true });
        let frames = vec![call("mail_send"), result("mail_send", declined), text("Sorry."), answered("Sorry.")];
        let sentence = rules::callers::not_done("mail_send");
        let got = events(frames.clone(), false).await;
        assert_eq!(
            got[1..3],
            [format!("{} null", json!({ "content": sentence })), r#"{"content":"\n\nSorry."} null"#.into()]
        );
        let response = whole(told(frames), 7).await.expect("a reply");
        let bytes = axum::body::to_bytes(response.into_body(), 1 << 20).await.expect("a body");
        let value: Value = serde_json::from_slice(&bytes).expect("JSON");
        assert_eq!(value["choices"][0]["message"]["content"], format!("{sentence}\n\nSorry."));
    }

    #[tokio::test]
    async fn a_turn_that_fails_ends_with_its_error() {
        let failed = Done { error: Some("The model is away.".into()), ..Done::default() };
        let got = events(vec![text("He"), done(failed.clone())], false).await;
        assert_eq!(got[2..], [r#"error "turn_failed" "The model is away.""#, "[DONE]"]);
        let stopped = Done { cancelled: true, ..Done::default() };
        let got = events(vec![done(stopped.clone())], true).await;
        assert_eq!(got, [FIRST, r#"error "stopped" "Stopped.""#, "[DONE]"]);
        for (end, want) in [(failed, V1Error::turn_failed("The model is away.".into())), (stopped, V1Error::stopped())]
        {
            assert_eq!(whole(told(vec![done(end)]), 7).await.err(), Some(want));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_silent_stream_shows_that_it_is_alive() {
        let hub = Hub::new(0);
        let lines = hub.subscribe_chat(&"s1".into());
        let reply = AppReply { session_id: "s1".into(), turn_id: "t1".into(), lines };
        let mut body = streamed(reply, 7, false).into_body().into_data_stream();
        assert!(body.next().await.expect("a piece").expect("bytes").starts_with(b"data: "));
        assert_eq!(body.next().await.expect("a piece").expect("bytes"), ALIVE);
        hub.chat(answered(""));
        assert!(body.next().await.expect("a piece").expect("bytes").ends_with(DONE));
        assert!(body.next().await.is_none());
    }
}
