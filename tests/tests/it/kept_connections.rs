//! A provider that gives up a connection it was kept by: noticed only when the next call is sent on it.

use actors::ports::Models;
use futures::StreamExt;
use protocol::model::{Effort, ModelCall, ModelErrorKind, ModelName, Piece, PromptMessage};
use sentient::adapters::models::{ModelRouter, ProviderSettings};
use sentient::adapters::secrets::{Environment, FileStore, Secrets, Vault};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// What the provider does with each request of a connection, in order; then it closes.
type Manners = &'static [Do];

#[derive(Clone, Copy)]
enum Do {
    Answer,
    /// Reads the request and closes without a byte.
    Close,
    /// Closes in the middle of its answer.
    Break,
}

/// Serves each next connection by the next of `manners`. Answers its address and how many requests it has read.
async fn provider(manners: Vec<Manners>) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let base = format!("http://{}", listener.local_addr().expect("bound"));
    let asked = Arc::new(AtomicUsize::new(0));
    let count = asked.clone();
    #[expect(clippy::disallowed_methods, reason = "the server ends with the test")]
    tokio::spawn(async move {
        for manners in manners {
            let (stream, _) = listener.accept().await.expect("a connection");
            serve(stream, manners, &count).await;
        }
    });
    (base, asked)
}

async fn serve(stream: TcpStream, manners: Manners, asked: &AtomicUsize) {
    let mut stream = BufReader::new(stream);
    for manner in manners {
        if !read_request(&mut stream).await {
            return;
        }
        asked.fetch_add(1, Ordering::SeqCst);
        let body =
            "data: {\"choices\":[{\"delta\":{\"content\":\"hi\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n";
        let answer = match manner {
            Do::Close => return,
            Do::Answer => format!("{head}content-length: {}\r\n\r\n{body}", body.len()),
            Do::Break => format!(
                "{head}content-length: 5000\r\n\r\ndata: {{\"choices\":[{{\"delta\":{{\"content\":\"h\"}}}}]}}\n\n"
            ),
        };
        stream.get_mut().write_all(answer.as_bytes()).await.expect("taken");
    }
}

/// Reads one request to its end; false when the connection ends instead.
async fn read_request(stream: &mut BufReader<TcpStream>) -> bool {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await.unwrap_or(0) == 0 {
            return false;
        }
        let line = line.trim_end().to_ascii_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().expect("a number");
        }
        if line.is_empty() {
            break;
        }
    }
    stream.read_exact(&mut vec![0; length]).await.is_ok()
}

fn router(base: &str) -> ModelRouter {
    let environment = Environment::new([("OPENAI_API_KEY".to_owned(), "sk-1".to_owned())]);
    let nowhere = FileStore::new("/nonexistent/secrets".into(), None, Arc::new(sentient::assemble::SystemEntropy));
    let secrets = Arc::new(Secrets::new(Vault::File(Arc::new(nowhere)), environment));
    let bases = BTreeMap::from([("openai".to_owned(), base.to_owned())]);
    ModelRouter::new(secrets, Arc::new(|_: &str| ProviderSettings::default()), bases)
}

/// What came of one call: its text, or why there is none.
async fn call(router: &ModelRouter) -> Result<String, ModelErrorKind> {
    let mut pieces = router.stream(ModelCall {
        model: ModelName("openai/gpt-4o".into()),
        messages: vec![PromptMessage::User { text: "hello".into(), pictures: Vec::new() }],
        tools: Vec::new(),
        effort: Effort::None,
        temperature: None,
        context_length: 8_192,
        api_base: None,
        json: false,
        output_tokens_max: None,
    });
    let mut text = String::new();
    while let Some(piece) = pieces.next().await {
        if let Piece::Text(more) = piece.map_err(|error| error.kind)? {
            text += &more;
        }
    }
    Ok(text)
}

#[tokio::test]
async fn a_call_on_a_connection_that_was_given_up_is_sent_once_more() {
    let (base, asked) = provider(vec![&[Do::Answer, Do::Close], &[Do::Answer]]).await;
    let router = router(&base);
    assert_eq!(call(&router).await, Ok("hi".into()));
    assert_eq!(call(&router).await, Ok("hi".into()), "the person hears nothing of it");
    assert_eq!(asked.load(Ordering::SeqCst), 3);
}

#[tokio::test]
async fn it_is_sent_once_more_and_not_again() {
    let (base, asked) = provider(vec![&[Do::Answer, Do::Close], &[Do::Close], &[Do::Answer]]).await;
    let router = router(&base);
    assert_eq!(call(&router).await, Ok("hi".into()));
    assert_eq!(call(&router).await, Err(ModelErrorKind::Unreachable));
    assert_eq!(asked.load(Ordering::SeqCst), 3);
}

#[tokio::test]
async fn a_new_connection_that_ends_is_a_failure_at_once() {
    let (base, asked) = provider(vec![&[Do::Close], &[Do::Answer]]).await;
    assert_eq!(call(&router(&base)).await, Err(ModelErrorKind::Unreachable));
    assert_eq!(asked.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn an_answer_that_began_is_never_asked_for_again() {
    let (base, asked) = provider(vec![&[Do::Answer, Do::Break], &[Do::Answer]]).await;
    let router = router(&base);
    assert_eq!(call(&router).await, Ok("hi".into()));
    assert!(call(&router).await.is_err());
    assert_eq!(asked.load(Ordering::SeqCst), 2);
}
