//! Begins a reply: from a new message, from one that waited, or again after a crash.

use super::{Chat, Running, SIGNALS_MAX, append, turn};
use crate::chats::requests::NewMessage;
use crate::stop::Work;
use protocol::chat::ChatEvent;
use protocol::ids::TurnId;
use protocol::sessions::MessageRole;
use protocol::{Error, Timestamp};
use rules::callers::OtherApp;
use runtime::Ctx;
use storage::Batch;
use storage::records::{
    AttachmentRecord, MessageRecord, QueuedInput, QueuedKind, SessionRecord, TitleSource, TurnRecord,
};
use tokio::sync::mpsc;

/// How often a turn is begun again after a crash before it is ended honestly.
const RESUMES_MAX: u32 = 1;
/// How old a turn may be to be begun again. Later the person has moved on, and acting for them would surprise.
const RESUME_WITHIN_MS: i64 = 60 * 60 * 1_000;

/// A reply that is about to run: see `turn::Setting`.
struct Reply {
    turn: TurnRecord,
    record: SessionRecord,
    rows: Vec<MessageRecord>,
    safe: turn::Safe,
}

impl Chat {
    /// Stores the message and its turn in one commit, and lets the reply run. Its model may begin while the disk works;
    /// what anybody hears of the reply comes after the commit, and after the news of the message itself.
    pub(super) async fn start_reply(&mut self, message: NewMessage, ctx: &Ctx<Self>) -> Result<TurnId, Error> {
        let client_id = message.client_id.clone();
        let (turn_id, promise) = self.begin(message, None, ctx).await?;
        self.tell(ChatEvent::Session { client_id }, Some(turn_id.clone()));
        promise.keep();
        Ok(turn_id)
    }

    /// Begins the next reply for a message that waited, if any did.
    pub(super) async fn begin_queued(&mut self, ctx: &Ctx<Self>) -> Result<(), Error> {
        if ctx.world.work.is_cancelled() {
            return Ok(()); // the engine ends: what waits is found by the next start
        }
        self.drop_stopped().await?;
        let Some(input) = self.queue.front().cloned() else { return Ok(()) };
        let message = NewMessage {
            text: input.text.clone(),
            attachments: input.attachments.clone(),
            model: input.model.clone(),
            client_id: input.client_id.clone(),
            channel: input.channel.clone(),
            ..NewMessage::default()
        };
        let (turn_id, promise) = self.begin(message, Some(&input), ctx).await?;
        self.queue.pop_front();
        // Whoever waits for this message's reply learns here which turn it is (`POST /api/chat`).
        self.tell(ChatEvent::Session { client_id: input.client_id }, Some(turn_id));
        promise.keep();
        Ok(())
    }

    /// Answers after the commit. The reply says nothing before the promise is kept.
    async fn begin(
        &mut self,
        message: NewMessage,
        queued: Option<&QueuedInput>,
        ctx: &Ctx<Self>,
    ) -> Result<(TurnId, turn::Promise), Error> {
        let now = ctx.now();
        let mut record = self.record.clone();
        let turn = TurnRecord {
            turn_id: ctx.world.id().into(),
            session_id: record.id.clone(),
            client_id: message.client_id,
            channel: message.channel,
            model: message.model,
            first_ordinal: record.next_ordinal,
            started_at: now,
            resumed: 0,
        };
        if record.next_ordinal == 0 && record.title_source == TitleSource::FirstWords {
            record.title = rules::titles::first_words(&message.text);
        }
        let source = message.from.as_ref().map(OtherApp::source);
        let row = append::NewRow {
            text: message.text,
            attachments: message.attachments,
            name: source.clone(),
            outside: source.clone().unwrap_or_default(),
            ..append::NewRow::of(MessageRole::User)
        };
        let row = append::place(&mut record, row, Some(&turn.turn_id), &ctx.world);
        let mut batch = Batch::new();
        // What another program asks counts as read from the first moment on (contract section 2, "OpenAI-compatible API").
        append::note_reading(&mut record, &mut batch, source, Vec::new(), now);
        self.put_attachments(&mut batch, &row)?;
        batch.put(&row).put(&turn);
        append::index(&mut batch, &record, &row);
        if let Some(input) = queued {
            batch.delete::<QueuedInput>(&(input.session_id.clone(), input.number));
        }
        batch.put(&record);
        let (turn_id, (promise, safe)) = (turn.turn_id.clone(), turn::promise());
        self.run(Reply { turn, record: record.clone(), rows: vec![row], safe }, ctx);
        if let Err(error) = self.commit(batch).await {
            if let Some(running) = self.running.take() {
                running.scope.cancel();
            }
            return Err(error);
        }
        self.record = record;
        self.stored = true;
        Ok((turn_id, promise))
    }

    /// A name some message has attached never comes to mean another file (contract section 2, "Files").
    fn put_attachments(&self, batch: &mut Batch, row: &MessageRecord) -> Result<(), Error> {
        let snapshot = self.parts.store.snapshot()?;
        for name in &row.attachments {
            let known = snapshot.get::<AttachmentRecord>(name)?;
            let mut attachment = known.unwrap_or_else(|| AttachmentRecord { name: name.clone(), sessions: Vec::new() });
            if !attachment.sessions.contains(&row.session_id) {
                attachment.sessions.push(row.session_id.clone());
            }
            batch.put(&attachment);
        }
        Ok(())
    }

    /// A turn that had no `done` when the engine ended: it goes on once, soon after, else it is ended honestly.
    pub(super) async fn resume(&mut self, mut turn: TurnRecord, ctx: &Ctx<Self>) -> Result<(), Error> {
        turn::expire_questions(&self.parts, &turn.channel, &turn.session_id).await; // if it asks again, under new ids
        if self.parts.stop.has_stopped(&turn.turn_id) {
            let ended = self.stopped_before_a_crash(&turn, ctx.now())?;
            self.close(&turn, ended, ctx).await?;
            return self.begin_queued(ctx).await;
        }
        let age = ctx.now().as_millis() - turn.started_at.as_millis();
        if turn.resumed >= RESUMES_MAX || age > RESUME_WITHIN_MS || !self.parts.background {
            let failed = super::Ended::failed(
                "Sentient was restarted while this reply was being written. Send the message again to get an answer.",
            );
            let (rows, effects) = self.results_left_over(&turn, ctx.now())?;
            let ended = super::Ended { rows, effects, ..failed };
            self.close(&turn, ended, ctx).await?;
            return self.begin_queued(ctx).await; // what waited behind it is still to be answered
        }
        turn.resumed += 1;
        let mut batch = Batch::new();
        batch.put(&turn);
        self.commit(batch).await?;
        let rows: Vec<MessageRecord> = self
            .parts
            .store
            .snapshot()?
            .range::<MessageRecord>(
                (turn.session_id.clone(), turn.first_ordinal)..=(turn.session_id.clone(), u64::MAX),
            )?
            .collect::<Result<_, _>>()?;
        tracing::info!(chat = %self.record.id, turn = %turn.turn_id, "a reply goes on after a restart");
        self.run(Reply { turn, record: self.record.clone(), rows, safe: turn::Safe::already() }, ctx);
        Ok(())
    }

    fn run(&mut self, Reply { turn, record, rows, safe }: Reply, ctx: &Ctx<Self>) {
        let (signals, receiver) = mpsc::channel(SIGNALS_MAX);
        let scope = ctx.scope.child();
        self.running =
            Some(Running { turn_id: turn.turn_id.clone(), run: turn.resumed, signals, scope: scope.clone() });
        self.parts.live.begins(&self.record.id, &turn.turn_id);
        let setting = turn::Setting {
            parts: self.parts.clone(),
            world: ctx.world.clone(),
            home: turn::Home::Chat(ctx.me.clone()),
            first_ordinal: turn.first_ordinal,
            turn,
            record,
            steers_wait: self.queue.iter().any(|input| input.kind == QueuedKind::Steer),
            rows,
            safe,
            cancel: scope.token(),
            errand: None,
        };
        let at_work = self.parts.stop.enter(Work::Reply, scope.token(), self.stops_seen);
        let chat = ctx.me.clone();
        scope.spawn("turn", async move {
            turn::run(chat, setting, receiver).await;
            drop(at_work);
        });
    }
}

/// How long ago a chat was last used, for closing idle ones; no time when the clock was put back meanwhile.
pub(super) fn idle_for(last_used: Timestamp, now: Timestamp) -> i64 {
    now.as_millis().saturating_sub(last_used.as_millis()).max(0)
}
