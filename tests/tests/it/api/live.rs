//! The live channel over a real socket.

use super::{Api, TOKEN};
use futures::{SinkExt, StreamExt};
use runtime::Scope;
use sentient::serve::listen;
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};
use tokio_util::sync::CancellationToken;

type Window = WebSocketStream<MaybeTlsStream<TcpStream>>;

async fn next(window: &mut Window) -> Value {
    loop {
        match window.next().await.expect("still open").expect("a frame") {
            Message::Text(text) => return serde_json::from_str(&text).expect("JSON"),
            Message::Close(frame) => return json!({ "closed": frame.map(|frame| u16::from(frame.code)) }),
            _ => (),
        }
    }
}

/// The next frame of this type.
async fn next_of(window: &mut Window, kind: &str) -> Value {
    loop {
        let frame = next(window).await;
        if frame["type"] == kind {
            return frame;
        }
    }
}

async fn say(window: &mut Window, frame: &str) {
    window.send(Message::text(frame)).await.expect("sent");
}

#[tokio::test]
async fn a_window_talks_and_comes_back() {
    let api = Api::start().await;
    let listener = listen::bind("127.0.0.1", 0).await.expect("a free port");
    let port = listener.local_addr().expect("bound").port();
    let (stop, connections) = (CancellationToken::new(), Scope::new());
    connections.spawn("accept", listen::run(listener, api.router.clone(), stop.clone(), connections.clone()));
    let address = |query: &str| format!("ws://127.0.0.1:{port}/ws?{query}");

    let (mut stranger, _) = connect_async(address("token=wrong")).await.expect("a socket");
    assert_eq!(next(&mut stranger).await, json!({ "closed": 4401 }));

    let token = format!("token={}", TOKEN.replace(' ', "+"));
    let (mut window, _) = connect_async(address(&token)).await.expect("a socket");
    let hello = next(&mut window).await;
    assert_eq!((hello["type"].clone(), hello["assistant"].clone()), ("hello".into(), "Sentient".into()));
    assert_eq!(hello.get("resync"), None, "a new window has nothing to fetch again");

    for (frame, want) in [
        (r#"{"type":"ping"}"#, json!({ "type": "pong" })),
        ("{", json!({ "type": "error", "message": "That message was not JSON.", "recoverable": true })),
        (r#"{"type":"sing"}"#, json!({ "type": "error", "message": "unknown message type sing", "recoverable": true })),
        (
            r#"{"type":"approval.respond","approval_id":"gone","decision":"allow"}"#,
            json!({ "type": "approval.ack", "approval_id": "gone", "resolved": false }),
        ),
        (
            r#"{"type":"undo.respond","undo_id":"u","action":"undo"}"#,
            json!({ "type": "undo.ack", "undo_id": "u", "action": "undo", "done": false }),
        ),
    ] {
        say(&mut window, frame).await;
        assert_eq!(next(&mut window).await, want, "{frame}");
    }

    say(&mut window, r#"{"type":"chat.send","text":"  "}"#).await; // nothing: ignored
    say(&mut window, r#"{"type":"chat.send","text":"Hello","client_id":"c1"}"#).await;
    let session = next(&mut window).await;
    assert_eq!((session["type"].clone(), session["client_id"].clone()), ("session".into(), "c1".into()));
    let mut seq = session["seq"].as_u64().expect("numbered");
    loop {
        let frame = next(&mut window).await;
        let number = frame["seq"].as_u64().expect("numbered");
        assert!(number > seq, "{frame}");
        seq = number;
        if frame["type"] == "done" {
            break;
        }
    }

    let since = session["seq"].as_u64().expect("numbered");
    let (mut again, _) = connect_async(address(&format!("{token}&since={since}"))).await.expect("a socket");
    assert_eq!(next(&mut again).await.get("resync"), None);
    assert!(next(&mut again).await["seq"].as_u64().expect("numbered") > since, "what was missed comes first");
    let (mut late, _) = connect_async(address(&format!("{token}&since=1"))).await.expect("a socket");
    assert_eq!(next(&mut late).await["resync"], true);

    stop.cancel();
    api.end().await;
}

#[tokio::test]
async fn a_window_that_opens_late_sees_the_question_that_waits() {
    let api = Api::start().await;
    let listener = listen::bind("127.0.0.1", 0).await.expect("a free port");
    let port = listener.local_addr().expect("bound").port();
    let (stop, connections) = (CancellationToken::new(), Scope::new());
    connections.spawn("accept", listen::run(listener, api.router.clone(), stop.clone(), connections.clone()));
    let address = format!("ws://127.0.0.1:{port}/ws?token={}", TOKEN.replace(' ', "+"));

    let (mut window, _) = connect_async(&address).await.expect("a socket");
    say(&mut window, r#"{"type":"chat.send","text":"write a file"}"#).await;
    let asked = next_of(&mut window, "approval_request").await;
    let seq = asked["seq"].as_u64().expect("numbered");

    let (mut late, _) = connect_async(&address).await.expect("a socket");
    assert_eq!(next(&mut late).await["type"], "hello");
    let mut shown = next(&mut late).await;
    assert_eq!(shown.get("seq"), None, "it is no news, so it has no number");
    shown["seq"] = asked["seq"].clone();
    assert_eq!(shown, asked, "the same card, with its chat and its turn");

    let (mut back, _) = connect_async(format!("{address}&since={}", seq - 1)).await.expect("a socket");
    assert_eq!(next(&mut back).await["type"], "hello");
    assert_eq!(next(&mut back).await, asked, "a window that comes back hears it once, in its place");

    let id = asked["approval_id"].as_str().expect("an id");
    say(&mut late, &format!(r#"{{"type":"approval.respond","approval_id":"{id}","decision":"deny"}}"#)).await;
    assert_eq!(next_of(&mut late, "approval.ack").await["resolved"], true);
    assert_eq!(next_of(&mut late, "tool_result").await["result"]["declined"], true);
    next_of(&mut late, "done").await;

    let (mut after, _) = connect_async(&address).await.expect("a socket");
    assert_eq!(next(&mut after).await["type"], "hello");
    say(&mut after, r#"{"type":"ping"}"#).await;
    assert_eq!(next(&mut after).await["type"], "pong", "an answered question is not shown again");

    stop.cancel();
    api.end().await;
}
