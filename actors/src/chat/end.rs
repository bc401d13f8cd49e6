//! Ends a reply: its last row, the end of its turn and its `done`, exactly once; then the next message that waits.

use super::{Chat, ChatParts, append};
use crate::chat::append::NewRow;
use protocol::chat::{ChatEvent, ChatFrame, Done, ErrorCode};
use protocol::ids::{SessionId, TurnId};
use protocol::sessions::MessageRole;
use protocol::{Error, ErrorKind, Request};
use runtime::{Ctx, Handles};
use storage::records::{
    EffectRecord, LearnJobRecord, MessageRecord, QueuedInput, QueuedKind, SessionRecord, TurnRecord, UsageRecord,
};
use storage::{Batch, Snapshot};

/// How a reply ended.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ended {
    /// Rows still to be stored; the last one is the answer, when there is one.
    pub(crate) rows: Vec<NewRow>,
    /// Whether the last row is the answer.
    pub(crate) has_answer: bool,
    pub(crate) usage: Vec<UsageRecord>,
    /// What the journal says of calls that came to no ordinary end.
    pub(crate) effects: Vec<EffectRecord>,
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
        if !self.is_running(&turn.turn_id, turn.resumed) {
            return Err(not_running());
        }
        self.last_used = ctx.now();
        let ended = if ended.error.is_some() { self.with_results(&turn, ended, ctx)? } else { ended };
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
        for effect in &ended.effects {
            batch.put(effect);
        }
        self.look_for_a_stop();
        let dropped = self.dropped();
        for input in &dropped {
            batch.delete::<QueuedInput>(&(input.session_id.clone(), input.number));
        }
        let steers = self.queue.iter().filter(|input| input.kind == QueuedKind::Steer);
        for input in steers.filter(|input| input.number > self.dropped_upto) {
            batch.put(&QueuedInput { kind: QueuedKind::Turn, ..input.clone() });
        }
        batch.delete::<TurnRecord>(&turn.turn_id).put(&record);
        if answers && !record.incognito && self.parts.background && self.parts.config().memory.extract_after_turn {
            batch.put(&LearnJobRecord {
                session_id: record.id.clone(),
                from: turn.first_ordinal,
                upto: record.next_ordinal,
                found: None,
                failed: 0,
                at: ctx.now(),
            });
        }
        self.commit(batch).await?;
        self.record = record;
        self.running = None;
        for input in &mut self.queue {
            input.kind = QueuedKind::Turn; // what was dropped is told by the copies
        }
        let mut done = rows.last().filter(|_| answers).map(done_of).unwrap_or_default();
        (done.cancelled, done.error) = (ended.cancelled, ended.error.clone());
        let unread = dropped.iter().filter(|input| input.kind == QueuedKind::Steer);
        done.dropped = unread.map(|input| input.text.clone()).collect();
        self.tell_end(turn.turn_id.clone(), ended.error, ended.code, done);
        self.forget_dropped(&dropped);
        Ok(())
    }

    /// A reply that failed may leave calls without a result: the chat says of each how far it came.
    fn with_results(&self, turn: &TurnRecord, ended: Ended, ctx: &Ctx<Self>) -> Result<Ended, Error> {
        let (mut rows, mut effects) = self.results_left_over(turn, ctx.now())?;
        rows.extend(ended.rows);
        effects.extend(ended.effects);
        Ok(Ended { rows, effects, ..ended })
    }

    fn tell_end(&self, turn_id: TurnId, error: Option<String>, code: Option<ErrorCode>, done: Done) {
        if let Some(message) = error {
            let event = ChatEvent::Error { message, recoverable: false, code, dropped: false, client_id: None };
            self.tell(event, Some(turn_id.clone()));
        }
        self.tell(ChatEvent::Done(Box::new(done)), Some(turn_id));
    }
}

fn done_of(answer: &MessageRecord) -> Done {
    Done {
        content: answer.content.clone(),
        message_id: Some(answer.id.clone()),
        memory_sources: serde_json::from_str(&answer.memory_sources).unwrap_or_default(),
        sources: serde_json::from_str(&answer.sources).unwrap_or_default(),
        ..Done::default()
    }
}

/// Tells the end of a turn that is stored and was never told: the store did not say whether it had written it, and the
/// chat started again. `unfinished` is the turn that is not at its end.
pub(super) fn tell_stored_end(
    parts: &ChatParts,
    session: &SessionId,
    unfinished: Option<&TurnRecord>,
    snapshot: &Snapshot,
) -> Result<(), Error> {
    let waited_for = parts.live.open_turn(session);
    let Some(turn_id) = waited_for.filter(|turn| unfinished.is_none_or(|open| open.turn_id != *turn)) else {
        return Ok(());
    };
    let newest = snapshot.prefix::<MessageRecord>(session)?.rev().find_map(Result::ok);
    let answer = newest.filter(|row| {
        row.turn_id.as_ref() == Some(&turn_id) && row.role == MessageRole::Assistant && row.tool_calls.is_empty()
    });
    let deleted = snapshot.get::<SessionRecord>(session)?.is_none();
    let done = match answer {
        Some(answer) => done_of(&answer),
        None if deleted => Done { cancelled: true, ..Done::default() },
        None => {
            let error = "Sentient could not finish this reply. Send the message again to get an answer.";
            Done { error: Some(error.into()), ..Done::default() }
        }
    };
    let event = ChatEvent::Done(Box::new(done));
    parts.live.chat(ChatFrame { event, session_id: session.clone(), turn_id: Some(turn_id) });
    Ok(())
}
