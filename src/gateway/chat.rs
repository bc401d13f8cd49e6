//! `POST /api/chat`: one message in, the lines of its reply out as NDJSON (contract section 2 "Sessions").
//!
//! The first line names the chat, the last is the turn's `done`. A client that hangs up ends nothing: the reply goes on
//! and is saved.

use super::caller::Caller;
use super::errors::Answer;
use super::extract::Body;
use super::sessions::CHANNEL;
use super::{Gateway, Routes};
use actors::callers::{AppChat, AppReply};
use actors::chats::requests::{Accepted, Disposition, NewChat, NewMessage};
use actors::live::{Delivery, Line, Subscription};
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures::Stream;
use http::header;
use protocol::chat::{ChatEvent, ChatFrame, Done};
use protocol::ids::{ClientId, SessionId, TurnId};
use rules::callers::{AppName, OtherApp};
use serde::Deserialize;
use std::collections::VecDeque;
use std::convert::Infallible;

pub(super) fn routes(routes: Routes) -> Routes {
    routes.post("/api/chat", chat)
}

#[derive(Deserialize)]
struct Say {
    #[serde(default)]
    text: String,
    session_id: Option<SessionId>,
    #[serde(default)]
    attachments: Vec<String>,
    model: Option<String>,
    #[serde(default)]
    incognito: bool,
    /// The program's name for itself; counts only when it comes through `sentient mcp`.
    #[serde(default)]
    app: String,
}

async fn chat(State(gateway): State<Gateway>, caller: Caller, Body(say): Body<Say>) -> Answer<Response> {
    if caller == Caller::Mcp {
        return chat_of_app(&gateway, say).await;
    }
    let new = NewChat { incognito: say.incognito, channel: CHANNEL.into(), ..NewChat::default() };
    let open = gateway.engine.open_chat(say.session_id, new).await?;
    // Listening begins before the message goes in, so that no line of its reply can be missed.
    let subscription = gateway.engine.live.subscribe_chat(&open.session_id);
    let client_id = ClientId(gateway.engine.world.id());
    let message = NewMessage {
        text: say.text,
        attachments: say.attachments,
        model: say.model,
        client_id: Some(client_id.clone()),
        channel: CHANNEL.into(),
        ..NewMessage::default()
    };
    let accepted = open.send(message).await?;
    Ok(streamed(accepted, client_id, subscription))
}

/// A request of a program behind `sentient mcp`: it names no model, brings no files and is never incognito, whatever it
/// says.
async fn chat_of_app(gateway: &Gateway, say: Say) -> Answer<Response> {
    let app = OtherApp::Mcp(AppName::clean(&say.app));
    let chat = say.session_id.map_or(AppChat::New, AppChat::Continued);
    let AppReply { session_id, turn_id, lines } = gateway.engine.ask_as_app(app, chat, say.text).await?;
    let accepted = Accepted { session_id, disposition: Disposition::Started(turn_id) };
    Ok(streamed(accepted, ClientId(gateway.engine.world.id()), lines))
}

fn streamed(accepted: Accepted, client_id: ClientId, subscription: Subscription) -> Response {
    let body = axum::body::Body::from_stream(lines(accepted, client_id, subscription));
    let headers = [(header::CONTENT_TYPE, "application/x-ndjson"), (header::CACHE_CONTROL, "no-store")];
    (headers, body).into_response()
}

fn lines(
    accepted: Accepted,
    client_id: ClientId,
    subscription: Subscription,
) -> impl Stream<Item = Result<Bytes, Infallible>> + Send {
    let (reply, first) = Reply::begin(accepted, client_id);
    let state = (reply, VecDeque::from([first]), subscription);
    futures::stream::unfold(state, |(mut reply, mut ready, mut subscription)| async move {
        loop {
            if let Some(line) = ready.pop_front() {
                return Some((Ok(line), (reply, ready, subscription)));
            }
            if reply.ended {
                return None;
            }
            match subscription.next().await {
                Delivery::Frames(lines) => ready.extend(lines.into_iter().filter_map(|line| reply.take(line))),
                Delivery::Lagged { .. } => ready.extend(reply.lost()),
            }
        }
    })
}

/// Picks the lines of one message's reply out of what its chat tells.
struct Reply {
    session_id: SessionId,
    client_id: ClientId,
    /// The reply's turn; not known yet while the message waits behind another reply.
    turn: Option<TurnId>,
    ended: bool,
}

impl Reply {
    /// With the first line: the chat, or for a message that joins a running reply the one line there is.
    fn begin(accepted: Accepted, client_id: ClientId) -> (Self, Bytes) {
        let Accepted { session_id, disposition } = accepted;
        let (turn, event, ended) = match disposition {
            Disposition::Started(turn) => (Some(turn), ChatEvent::Session { client_id: None }, false),
            Disposition::Queued => (None, ChatEvent::Session { client_id: None }, false),
            Disposition::Steered(_) => (None, ChatEvent::SteerAck { queued: true, client_id: None }, true),
        };
        let reply = Self { session_id, client_id, turn, ended };
        let turn = if ended { None } else { reply.turn.clone() };
        let first = reply.line(event, turn);
        (reply, first)
    }

    /// The line for the client, when it belongs to this reply.
    fn take(&mut self, line: Line) -> Option<Bytes> {
        if self.ended {
            return None;
        }
        let Some(turn) = line.turn else { return self.take_loose(&line) };
        if self.turn.is_none() && self.is_answered_by(&line.json) {
            self.turn = Some(turn.clone());
        }
        if self.turn.as_ref() != Some(&turn) {
            return None;
        }
        self.ended = line.is_done;
        (!line.json.starts_with(SESSION_LINE)).then(|| terminated(&line.json))
    }

    /// A line without a turn: a rule card of this chat, or the end of a message that never got its turn.
    fn take_loose(&mut self, line: &Line) -> Option<Bytes> {
        if line.json.starts_with(SESSION_LINE) || line.json.starts_with(STEER_LINE) {
            return None;
        }
        let names_someone = line.json.contains("\"client_id\"");
        if names_someone && !self.is_answered_by(&line.json) {
            return None;
        }
        self.ended = line.is_done;
        Some(terminated(&line.json))
    }

    fn is_answered_by(&self, json: &str) -> bool {
        json.contains(&format!("\"client_id\":\"{}\"", self.client_id))
    }

    /// The end for a client that fell too far behind: what it missed is in the chat.
    fn lost(&mut self) -> [Bytes; 2] {
        let message = "This connection fell too far behind the reply. Open the chat to read it.".to_owned();
        self.ended = true;
        let error = ChatEvent::Error {
            message: message.clone(),
            recoverable: false,
            code: None,
            dropped: false,
            client_id: None,
        };
        let done = ChatEvent::Done(Box::new(Done { error: Some(message), ..Done::default() }));
        [self.line(error, self.turn.clone()), self.line(done, self.turn.clone())]
    }

    fn line(&self, event: ChatEvent, turn_id: Option<TurnId>) -> Bytes {
        let frame = ChatFrame { event, session_id: self.session_id.clone(), turn_id };
        // These shapes hold no maps with keys that are not text, so writing them cannot fail.
        terminated(&serde_json::to_string(&frame).unwrap_or_default())
    }
}

/// How these lines begin; `type` is the first field of every frame.
const SESSION_LINE: &str = r#"{"type":"session""#;
const STEER_LINE: &str = r#"{"type":"steer_ack""#;

fn terminated(json: &str) -> Bytes {
    Bytes::from(format!("{json}\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use actors::live::Hub;
    use futures::StreamExt;

    fn frame(event: ChatEvent, turn: &str) -> ChatFrame {
        ChatFrame { event, session_id: "s1".into(), turn_id: Some(turn.into()) }
    }

    fn text(text: &str) -> ChatEvent {
        ChatEvent::TextDelta { text: text.into() }
    }

    fn session(client: &str) -> ChatEvent {
        ChatEvent::Session { client_id: Some(client.into()) }
    }

    fn done() -> ChatEvent {
        ChatEvent::Done(Box::default())
    }

    async fn types(disposition: Disposition, told: Vec<ChatFrame>) -> Vec<String> {
        let hub = Hub::new(0);
        let subscription = hub.subscribe_chat(&"s1".into());
        let accepted = Accepted { session_id: "s1".into(), disposition };
        for frame in told {
            hub.chat(frame);
        }
        let lines: Vec<_> = lines(accepted, "mine".into(), subscription).collect().await;
        lines
            .into_iter()
            .map(|line| {
                let line = line.expect("cannot fail");
                assert_eq!(line.last(), Some(&b'\n'));
                let value: serde_json::Value = serde_json::from_slice(&line).expect("one JSON object per line");
                assert_eq!(value["session_id"], "s1");
                let turn = value["turn_id"].as_str().unwrap_or("-");
                format!("{} {turn}", value["type"].as_str().expect("a type"))
            })
            .collect()
    }

    #[tokio::test]
    async fn a_reply_begins_with_its_chat_and_ends_with_its_own_done() {
        let told = vec![
            frame(session("mine"), "t1"),
            frame(text("a"), "t1"),
            frame(done(), "t0"),
            frame(text("elsewhere"), "t2"),
            frame(done(), "t1"),
            frame(text("too late"), "t1"),
        ];
        let want = ["session t1", "text_delta t1", "done t1"];
        assert_eq!(types(Disposition::Started("t1".into()), told).await, want);
    }

    #[tokio::test]
    async fn a_message_that_waits_gets_the_lines_of_its_own_turn() {
        let told = vec![
            frame(text("the reply before"), "t1"),
            frame(done(), "t1"),
            frame(session("another"), "t2"),
            frame(done(), "t2"),
            frame(session("mine"), "t3"),
            frame(text("b"), "t3"),
            frame(done(), "t3"),
        ];
        assert_eq!(types(Disposition::Queued, told).await, ["session -", "text_delta t3", "done t3"]);
    }

    #[tokio::test]
    async fn a_waiting_message_that_is_dropped_ends_with_its_done() {
        let dropped = ChatEvent::Done(Box::new(Done { client_id: Some("mine".into()), ..Done::default() }));
        let loose = ChatFrame { event: dropped, session_id: "s1".into(), turn_id: None };
        let told = vec![frame(done(), "t1"), loose];
        assert_eq!(types(Disposition::Queued, told).await, ["session -", "done -"]);
    }

    #[tokio::test]
    async fn a_message_that_joins_a_reply_gets_one_line() {
        assert_eq!(types(Disposition::Steered("t1".into()), vec![frame(text("a"), "t1")]).await, ["steer_ack -"]);
    }

    #[tokio::test]
    async fn a_client_that_fell_behind_still_gets_an_end() {
        let told = (0..10_000).map(|n| frame(text(&n.to_string()), "t1")).collect();
        let want = ["session t1", "error t1", "done t1"];
        assert_eq!(types(Disposition::Started("t1".into()), told).await, want);
    }
}
