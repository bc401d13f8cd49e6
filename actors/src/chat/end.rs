//! Ends a reply: its last row, the end of its turn and its `done`, exactly once; then the next message that waits.

use super::{Chat, append};
use crate::chat::append::NewRow;
use protocol::chat::{ChatEvent, Done, ErrorCode};
use protocol::ids::TurnId;
use protocol::{Error, ErrorKind, Request};
use runtime::{Ctx, Handles};
use storage::Batch;
use storage::records::{QueuedKind, TurnRecord, UsageRecord};

/// How a reply ended.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ended {
    /// Rows still to be stored; the last one is the answer, when there is one.
    pub(crate) rows: Vec<NewRow>,
    /// Whether the last row is the answer.
    pub(crate) has_answer: bool,
    pub(crate) usage: Vec<UsageRecord>,
    pub(crate) cancelled: bool,
    /// What to tell the person when no answer came.
    pub(crate) error: Option<String>,
    pub(crate) code: Option<ErrorCode>,
}

impl Ended {
    pub(crate) fn failed(message: impl Into<String>) -> Self {
        Self { error: Some(message.into()), ..Self::default() }
    }
}

/// Ends the running reply.
pub(crate) struct Close {
    pub(crate) turn: TurnRecord,
    pub(crate) ended: Ended,
}

impl Request for Close {
    type Reply = ();
    const NAME: &'static str = "chat.close";
}

impl Handles<Close> for Chat {
    async fn handle(&mut self, Close { turn, ended }: Close, ctx: &Ctx<Self>) -> Result<(), Error> {
        if self.running_turn() != Some(&turn.turn_id) {
            return Err(not_running());
        }
        self.last_used = ctx.now();
        self.close(&turn, ended, ctx).await?;
        self.begin_queued(ctx).await
    }
}

/// A reply that was ended by somebody else has nothing to store any more.
pub(super) fn not_running() -> Error {
    Error::new(ErrorKind::Cancelled, "This reply has ended.")
}

impl Chat {
    /// Stores the end and tells it. What was waiting becomes messages of their own.
    pub(super) async fn close(&mut self, turn: &TurnRecord, ended: Ended, ctx: &Ctx<Self>) -> Result<(), Error> {
        let mut record = self.record.clone();
        let mut batch = Batch::new();
        let answers = ended.has_answer;
        record.untrusted.get_or_insert_default(); // a first turn that read nothing of others leaves a clean chat
        let rows = append::put_rows(&mut record, &mut batch, ended.rows, &turn.turn_id, ctx);
        for usage in &ended.usage {
            batch.put(usage);
        }
        for input in self.queue.iter_mut().filter(|input| input.kind == QueuedKind::Steer) {
            input.kind = QueuedKind::Turn;
            batch.put(&*input);
        }
        batch.delete::<TurnRecord>(&turn.turn_id).put(&record);
        self.commit(batch).await?;
        self.record = record;
        self.running = None;
        let answer = rows.last().filter(|_| answers);
        let mut done = Done { cancelled: ended.cancelled, error: ended.error.clone(), ..Done::default() };
        if let Some(row) = answer {
            done.content.clone_from(&row.content);
            done.message_id = Some(row.id.clone());
            done.memory_sources = serde_json::from_str(&row.memory_sources).unwrap_or_default();
            done.sources = serde_json::from_str(&row.sources).unwrap_or_default();
        }
        self.tell_end(turn.turn_id.clone(), ended.error, ended.code, done);
        Ok(())
    }

    fn tell_end(&self, turn_id: TurnId, error: Option<String>, code: Option<ErrorCode>, done: Done) {
        if let Some(message) = error {
            let event = ChatEvent::Error { message, recoverable: false, code, dropped: false, client_id: None };
            self.tell(event, Some(turn_id.clone()));
        }
        self.tell(ChatEvent::Done(Box::new(done)), Some(turn_id));
    }
}
