//! A model that answers from a script, at the lowest seam: the port. It checks every request it gets.

use actors::ports::{LocalModels, Models, PieceStream, PullStream};
use futures::future::{BoxFuture, FutureExt, ready};
use futures::stream::{self, StreamExt};
use protocol::model::{
    Finish, ModelCall, ModelError, ModelErrorKind, ModelName, Piece, PromptMessage, Thought, TokenUsage,
};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::time::{Duration, sleep};

/// What the model answers to one call.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reply {
    pub text: String,
    pub thinking: String,
    /// The thinking comes with its provider's proof.
    pub signed: bool,
    /// Names and arguments as the model writes them.
    pub calls: Vec<(String, String)>,
    /// The ids it gives them; where none is said it is `call_0`, since models reuse ids.
    pub call_ids: Vec<Option<String>>,
    pub error: Option<ModelError>,
    /// It never ends by itself.
    pub hangs: bool,
    /// A second between words.
    pub slow: bool,
    /// The connection ends in the middle.
    pub cut: bool,
}

impl Reply {
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }
}

/// The scripted model. Clones share the script.
#[derive(Clone, Default)]
pub struct ScriptedModels {
    inner: Arc<Mutex<Inner>>,
}

#[derive(Default)]
struct Inner {
    replies: VecDeque<Reply>,
    requests: Vec<ModelCall>,
    faults: Vec<String>,
    not_ready: Vec<String>,
    improviser: Option<Improviser>,
}

/// Makes up an answer when the script is at its end.
type Improviser = Box<dyn FnMut(&ModelCall) -> Reply + Send>;

impl ScriptedModels {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds the answer to a later call.
    pub fn push(&self, reply: Reply) {
        self.lock().replies.push_back(reply);
    }

    /// A model that cannot answer, as found out without calling it.
    pub fn not_ready(&self, model: &str) {
        self.lock().not_ready.push(model.into());
    }

    /// From the end of the script on, answers are made up by this.
    pub fn improvise(&self, improviser: impl FnMut(&ModelCall) -> Reply + Send + 'static) {
        self.lock().improviser = Some(Box::new(improviser));
    }

    /// Every request so far.
    pub fn requests(&self) -> Vec<ModelCall> {
        self.lock().requests.clone()
    }

    /// What was wrong with requests, and what of the script was not asked for.
    pub fn faults(&self) -> Vec<String> {
        let inner = self.lock();
        let mut faults = inner.faults.clone();
        if !inner.replies.is_empty() {
            faults.push(format!("{} scripted answers were not asked for", inner.replies.len()));
        }
        faults
    }

    fn next(&self, call: &ModelCall) -> Reply {
        let mut inner = self.lock();
        if let Some(fault) = fault_of(&call.messages) {
            inner.faults.push(fault);
        }
        inner.requests.push(call.clone());
        match inner.replies.pop_front() {
            Some(reply) => reply,
            None if inner.improviser.is_some() => inner.improviser.as_mut().map(|make| make(call)).unwrap_or_default(),
            None => {
                inner.faults.push("a model call that the script does not have".into());
                Reply::text("(the script is at its end)")
            }
        }
    }
}

/// What every provider would turn down.
pub(crate) fn fault_of(messages: &[PromptMessage]) -> Option<String> {
    let mut open: VecDeque<&str> = VecDeque::new();
    for (index, message) in messages.iter().enumerate() {
        match message {
            PromptMessage::Tool { call_id, .. } => {
                if open.pop_front() != Some(call_id.as_str()) {
                    return Some(format!("message {index}: a result without its call: {call_id}"));
                }
            }
            _ if !open.is_empty() => return Some(format!("message {index}: calls without a result: {open:?}")),
            PromptMessage::Assistant { calls, .. } => open.extend(calls.iter().map(|call| call.id.as_str())),
            PromptMessage::System { .. } | PromptMessage::User { .. } => (),
        }
    }
    if !open.is_empty() {
        return Some(format!("calls without a result at the end: {open:?}"));
    }
    (!matches!(messages.first(), Some(PromptMessage::System { .. } | PromptMessage::User { .. })))
        .then(|| "a prompt that begins with neither instructions nor the person".into())
}

fn pieces(reply: Reply) -> Vec<Result<Piece, ModelError>> {
    let mut pieces: Vec<Result<Piece, ModelError>> = Vec::new();
    if !reply.thinking.is_empty() {
        pieces.push(Ok(Piece::Thinking(reply.thinking.clone())));
        if reply.signed {
            let signature = format!("proof of {:?}", reply.thinking);
            pieces.push(Ok(Piece::Thought(Thought::Text { text: reply.thinking, signature })));
        }
    }
    pieces.extend(reply.text.split_inclusive(' ').map(|word| Ok(Piece::Text(word.to_owned()))));
    if let Some(error) = reply.error {
        pieces.push(Err(error));
        return pieces;
    }
    if reply.cut || reply.hangs {
        return pieces;
    }
    let finish = if reply.calls.is_empty() { Finish::Stop } else { Finish::ToolCalls };
    let ids = reply.call_ids.into_iter().chain(std::iter::repeat(Some("call_0".into())));
    let calls = reply.calls.into_iter().zip(ids);
    pieces.extend(calls.map(|((name, arguments), id)| Ok(Piece::Call { id, name, arguments })));
    pieces.push(Ok(Piece::Usage(TokenUsage { prompt: 100, cached: 0, completion: 10 })));
    pieces.push(Ok(Piece::Finish(finish)));
    pieces
}

impl Models for ScriptedModels {
    fn stream(&self, call: ModelCall) -> PieceStream {
        let reply = self.next(&call);
        let (hangs, slow) = (reply.hangs, reply.slow);
        let pace = if slow { Duration::from_secs(1) } else { Duration::from_millis(1) };
        let spoken = stream::iter(pieces(reply)).then(move |piece| async move {
            sleep(pace).await;
            piece
        });
        if hangs { spoken.chain(stream::pending()).boxed() } else { spoken.boxed() }
    }

    fn embed(
        &self,
        _: ModelName,
        _: Option<String>,
        texts: Vec<String>,
    ) -> BoxFuture<'static, Result<Vec<Vec<f32>>, ModelError>> {
        ready(Ok(texts.iter().map(|_| vec![1.0, 0.0]).collect())).boxed()
    }

    fn ready(&self, model: ModelName, _: Option<String>) -> BoxFuture<'static, Result<(), ModelError>> {
        let missing = self.lock().not_ready.iter().any(|name| name == model.as_str());
        let message = format!("{} is not downloaded.", model.model());
        let answer = if missing { Err(ModelError::new(ModelErrorKind::ModelMissing, message)) } else { Ok(()) };
        ready(answer).boxed()
    }

    fn local(&self) -> BoxFuture<'static, LocalModels> {
        ready(LocalModels::default()).boxed()
    }

    fn pull(&self, _: String) -> PullStream {
        stream::empty().boxed()
    }
}
