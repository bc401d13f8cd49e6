//! `WS /ws`: one task per window. What the engine tells goes out through the hub's subscription only, so a slow window
//! costs nothing but its own delay; what the window says is handled one frame after the other.
//!
//! Nothing a window sends closes the socket: what cannot be read is answered with a recoverable error. It is closed by a
//! wrong token (4401), by silence, by a frame that is too large, and when the engine ends.

use super::sessions::CHANNEL;
use super::{Gateway, Routes};
use crate::gateway::errors::{ApiError, public_detail};
use crate::gateway::extract::Query;
use actors::chats::requests::{NewChat, NewMessage};
use actors::live::{Delivery, Subscription, approval_frame, undo_frame};
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade};
use axum::extract::{RawQuery, State};
use axum::response::{IntoResponse, Response};
use futures::future::BoxFuture;
use futures::stream::{SplitSink, SplitStream};
use futures::{FutureExt, SinkExt, StreamExt};
use http::HeaderMap;
use protocol::approvals::Via;
use protocol::chat::{ClientFrame, SocketFrame};
use protocol::ids::{ClientId, SessionId};
use protocol::limits::FRAME_BYTES_MAX;
use protocol::{Error, ErrorKind};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::time::{Duration, Instant, interval_at, sleep_until, timeout};

/// How often the engine asks a silent window whether it is there (client.md section 4).
pub(super) const PING_EVERY: Duration = Duration::from_secs(20);
/// A window that has not been heard for so long is gone (client.md section 4). A write may take as long.
pub(super) const SILENCE_MAX: Duration = Duration::from_secs(60);
/// Close code for a missing or wrong token (client.md section 4).
pub(super) const CLOSE_BAD_TOKEN: u16 = 4401;
/// Close codes of RFC 6455 section 7.4.1.
const CLOSE_GOING_AWAY: u16 = 1001;
const CLOSE_TOO_LARGE: u16 = 1009;
/// Characters of an unknown type that are repeated to the window. Ours.
const TYPE_CHARS_SHOWN: usize = 60;

pub(super) fn routes(routes: Routes) -> Routes {
    routes.socket("/ws", open)
}

#[derive(Deserialize)]
struct Resume {
    since: Option<u64>,
}

async fn open(
    State(gateway): State<Gateway>,
    Query(resume): Query<Resume>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    upgrade: Result<WebSocketUpgrade, axum::extract::ws::rejection::WebSocketUpgradeRejection>,
) -> Response {
    let Ok(upgrade) = upgrade else {
        let detail = "This address is a WebSocket. Connect with ws:// and the token as ?token=.";
        return ApiError::new(http::StatusCode::UPGRADE_REQUIRED, detail).into_response();
    };
    let upgrade = upgrade.max_message_size(FRAME_BYTES_MAX).max_frame_size(FRAME_BYTES_MAX);
    if !gateway.access.knows_parts(&headers, query.as_deref()) {
        return upgrade.on_upgrade(|socket| close(socket, CLOSE_BAD_TOKEN, super::guard::BAD_TOKEN));
    }
    let Ok(permit) = gateway.sockets.clone().try_acquire_owned() else {
        return ApiError::from(Error::new(ErrorKind::Busy, "Too many windows are open. Close one and try again."))
            .into_response();
    };
    upgrade.on_upgrade(move |socket| async move {
        let window = gateway.engine.world.id();
        Session::begin(gateway.clone(), window.clone(), socket, resume.since).run().await;
        if let Err(error) = gateway.engine.set_presence(window, false).await {
            tracing::debug!(%error, "a window left an engine that is ending");
        }
        drop(permit);
    })
}

async fn close(mut socket: WebSocket, code: u16, reason: &'static str) {
    let frame = Message::Close(Some(CloseFrame { code, reason: reason.into() }));
    if timeout(SILENCE_MAX, socket.send(frame)).await.is_err() {
        tracing::debug!("a socket did not take its close");
    }
}

/// Why a socket ended.
enum End {
    /// The window left, or the connection broke.
    Left,
    /// It has not been heard, or takes nothing in.
    Silent,
    TooLarge,
    /// The engine is stopping.
    Closing,
}

struct Session {
    gateway: Gateway,
    /// A name for this socket, for what the window says of itself (presence).
    window: String,
    sink: SplitSink<WebSocket, Message>,
    stream: SplitStream<WebSocket>,
    subscription: Subscription,
    resume: bool,
}

impl Session {
    fn begin(gateway: Gateway, window: String, socket: WebSocket, since: Option<u64>) -> Self {
        let subscription = gateway.engine.live.subscribe(since);
        let (sink, stream) = socket.split();
        Self { gateway, window, sink, stream, subscription, resume: since.is_some() }
    }

    async fn run(mut self) {
        let end = match self.greet().await {
            Ok(()) => self.talk().await,
            Err(end) => end,
        };
        let (code, reason) = match end {
            End::Left | End::Silent => return,
            End::TooLarge => (CLOSE_TOO_LARGE, "the frame is too large"),
            End::Closing => (CLOSE_GOING_AWAY, "the engine is stopping"),
        };
        let frame = Message::Close(Some(CloseFrame { code, reason: reason.into() }));
        if timeout(Duration::from_secs(1), self.sink.send(frame)).await.is_err() {
            tracing::debug!("a socket did not take its close");
        }
    }

    /// The first frame. Whether state must be fetched again is said only to a window that had some.
    async fn greet(&mut self) -> Result<(), End> {
        let (seq, resync) = (self.subscription.seq, self.resume && self.subscription.resync);
        let hello = self.hello(seq, resync);
        self.send(&hello).await?;
        if self.resume && !resync {
            return Ok(()); // what it missed is replayed, its questions among it
        }
        self.ask_again().await
    }

    /// The questions and undo windows that wait, for a window that cannot have heard them. These frames have no number, since they are no
    /// news: one that was asked while this window came in may be heard a second time, and is known by its `approval_id`.
    /// They are looked up after the subscription began, so that an answer from elsewhere comes behind its question.
    async fn ask_again(&mut self) -> Result<(), End> {
        let waiting = self.gateway.engine.open_questions().await.unwrap_or_else(|error| {
            tracing::warn!(%error, "a window was not told which questions wait");
            Vec::new()
        });
        for question in waiting {
            self.send(&approval_frame(question.session_id, question.turn_id, question.card)).await?;
        }
        let held = self.gateway.engine.open_windows().await.unwrap_or_else(|error| {
            tracing::warn!(%error, "a window was not told what can still be taken back");
            Vec::new()
        });
        for open in held {
            self.send(&undo_frame(open.session_id, open.turn_id, open.window)).await?;
        }
        Ok(())
    }

    fn hello(&self, seq: u64, resync: bool) -> SocketFrame {
        let assistant = self.gateway.engine.config().assistant.name.clone();
        SocketFrame::Hello { version: crate::VERSION.into(), assistant, seq, resync }
    }

    async fn talk(&mut self) -> End {
        let closing = self.gateway.closing.clone();
        let mut pings = interval_at(Instant::now() + PING_EVERY, PING_EVERY);
        let mut heard = Instant::now();
        // What the window said last, while the engine works on it: nothing more is read before it is answered.
        let mut work: Option<BoxFuture<'static, Option<SocketFrame>>> = None;
        loop {
            let step = tokio::select! {
                biased;
                () = closing.cancelled() => Err(End::Closing),
                answer = async { work.as_mut().expect("polled only while there is work").await }, if work.is_some() => {
                    (work, heard) = (None, Instant::now());
                    match answer {
                        Some(frame) => self.send(&frame).await,
                        None => Ok(()),
                    }
                }
                message = self.stream.next(), if work.is_none() => {
                    heard = Instant::now();
                    received(message).map(|text| work = text.and_then(|text| self.handle(&text)))
                }
                delivery = self.subscription.next() => self.deliver(delivery).await,
                _ = pings.tick() => self.write(Message::Ping(bytes::Bytes::new())).await,
                () = sleep_until(heard + SILENCE_MAX), if work.is_none() => Err(End::Silent),
            };
            if let Err(end) = step {
                return end;
            }
        }
    }

    async fn deliver(&mut self, delivery: Delivery) -> Result<(), End> {
        match delivery {
            Delivery::Frames(lines) => {
                for line in lines {
                    self.feed(Message::Text(line.numbered().into())).await?;
                }
                self.flush().await
            }
            Delivery::Lagged { seq } => {
                let hello = self.hello(seq, true);
                self.send(&hello).await?;
                self.ask_again().await
            }
        }
    }

    /// Begins what a frame asks for; `None` when it asks for nothing.
    fn handle(&self, text: &str) -> Option<BoxFuture<'static, Option<SocketFrame>>> {
        match read(text) {
            Ok(frame) => Some(answer(self.gateway.clone(), self.window.clone(), frame).boxed()),
            Err(message) => Some(futures::future::ready(Some(recoverable(message))).boxed()),
        }
    }

    async fn send(&mut self, frame: &impl Serialize) -> Result<(), End> {
        match serde_json::to_string(frame) {
            Ok(json) => self.write(Message::Text(json.into())).await,
            Err(error) => {
                tracing::error!(%error, "a frame could not be written");
                Ok(())
            }
        }
    }

    async fn write(&mut self, message: Message) -> Result<(), End> {
        self.feed(message).await?;
        self.flush().await
    }

    async fn feed(&mut self, message: Message) -> Result<(), End> {
        match timeout(SILENCE_MAX, self.sink.feed(message)).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(End::Left),
            Err(_) => Err(End::Silent),
        }
    }

    async fn flush(&mut self) -> Result<(), End> {
        match timeout(SILENCE_MAX, self.sink.flush()).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(End::Left),
            Err(_) => Err(End::Silent),
        }
    }
}

/// The text of a message; `None` for the protocol's own ones.
fn received(message: Option<Result<Message, axum::Error>>) -> Result<Option<String>, End> {
    match message {
        Some(Ok(Message::Text(text))) => Ok(Some(text.as_str().to_owned())),
        Some(Ok(Message::Binary(_))) => Ok(Some(String::new())), // read as what it is: not JSON
        Some(Ok(Message::Ping(_) | Message::Pong(_))) => Ok(None),
        Some(Ok(Message::Close(_))) | None => Err(End::Left),
        Some(Err(error)) => {
            let too_large = error.to_string().contains("too long");
            Err(if too_large { End::TooLarge } else { End::Left })
        }
    }
}

/// Reads what a window sent; the error is what it is told.
fn read(text: &str) -> Result<ClientFrame, String> {
    let value: Value = serde_json::from_str(text).map_err(|_| "That message was not JSON.".to_owned())?;
    let kind = value.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
    if !ClientFrame::TYPES.contains(&kind.as_str()) {
        let shown: String = kind.chars().take(TYPE_CHARS_SHOWN).collect();
        return Err(format!("unknown message type {shown}")); // client.md section 4
    }
    serde_json::from_value(value).map_err(|error| format!("{kind}: {error}"))
}

fn recoverable(message: String) -> SocketFrame {
    SocketFrame::Error { message, recoverable: true }
}

/// Does what a frame asks for. The answer goes to this window only; what all windows hear comes through the hub.
async fn answer(gateway: Gateway, window: String, frame: ClientFrame) -> Option<SocketFrame> {
    let engine = &gateway.engine;
    let done = match frame {
        ClientFrame::Send { session_id, text, attachments, model, client_id, incognito } => {
            let new = NewChat { incognito, channel: CHANNEL.into(), ..NewChat::default() };
            let message = NewMessage { attachments, model, ..message(text, client_id) };
            say(&gateway, session_id, new, message).await
        }
        ClientFrame::Steer { session_id, text, client_id } => {
            let new = NewChat { channel: CHANNEL.into(), ..NewChat::default() };
            let message = NewMessage { steer: true, ..message(text, client_id) };
            say(&gateway, Some(session_id), new, message).await
        }
        ClientFrame::Cancel { session_id } => engine.cancel(&session_id).await.map(|_| None),
        // A question that was settled is told to every window; only one that was not needs an answer of its own.
        ClientFrame::Approve { approval_id, decision } => engine
            .answer_approval(approval_id.clone(), decision, Via::Desktop)
            .await
            .map(|resolved| (!resolved).then_some(SocketFrame::ApprovalAck { approval_id, resolved })),
        // As with a question: what came in time is told to every window.
        ClientFrame::Undo { undo_id, action } => engine
            .answer_undo(undo_id.clone(), action)
            .await
            .map(|done| (!done).then_some(SocketFrame::UndoAck { undo_id, action, done })),
        ClientFrame::Presence { active } => engine.set_presence(window, active).await.map(|()| None),
        ClientFrame::Ping => Ok(Some(SocketFrame::Pong)),
    };
    done.unwrap_or_else(|error| Some(recoverable(public_detail(&error))))
}

fn message(text: String, client_id: Option<ClientId>) -> NewMessage {
    NewMessage { text, client_id, channel: CHANNEL.into(), ..NewMessage::default() }
}

async fn say(
    gateway: &Gateway,
    session: Option<SessionId>,
    new: NewChat,
    message: NewMessage,
) -> Result<Option<SocketFrame>, Error> {
    if message.text.trim().is_empty() && message.attachments.is_empty() {
        return Ok(None);
    }
    let chat = gateway.engine.open_chat(session, new).await?;
    chat.send(message).await.map(|_| None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_window_sends_is_read_or_answered_with_words() {
        for (name, text, want) in [
            ("no JSON", "{", "That message was not JSON."),
            ("nothing", "", "That message was not JSON."),
            ("no object", "[1]", "unknown message type "),
            ("no type", "{}", "unknown message type "),
            ("a type that is no text", r#"{"type":7}"#, "unknown message type "),
            ("unknown", r#"{"type":"chat.sing"}"#, "unknown message type chat.sing"),
            ("a field is missing", r#"{"type":"chat.cancel"}"#, "chat.cancel: missing field `session_id`"),
        ] {
            assert_eq!(read(text).expect_err(name), want, "{name}");
        }
        assert_eq!(read(r#"{"type":"ping","more":1}"#), Ok(ClientFrame::Ping));
        let sent = read(r#"{"type":"chat.send","text":"hi"}"#).expect("only the text is needed");
        assert!(matches!(sent, ClientFrame::Send { session_id: None, incognito: false, .. }));
        let long = read(&format!(r#"{{"type":"{}"}}"#, "x".repeat(10_000))).expect_err("unknown");
        assert!(long.len() < 100, "only the beginning of a type is repeated");
    }
}
