//! The end of a chat: its rows go, or it leaves memory because nobody uses it.

use super::begin::idle_for;
use super::{Chat, Left};
use crate::events::log_line;
use protocol::chat::{ChatEvent, Done};
use protocol::events::DomainEvent;
use protocol::{Error, Request};
use runtime::{Ctx, Handles};
use storage::records::{
    AttachmentRecord, EffectRecord, IndexJob, LearnJobRecord, LedHostsRecord, MessageRecord, QueuedInput,
    ReadMarkRecord, RestoreRecord, RuleProposalRecord, SessionRecord, TurnRecord,
};
use storage::{Batch, Snapshot};

/// Deletes the chat with everything in it. The reply says which files only it had attached.
pub(crate) struct Forget {
    /// `incognito` when the engine closed it.
    pub(crate) reason: Option<String>,
}

impl Request for Forget {
    type Reply = Vec<String>;
    const NAME: &'static str = "chat.forget";
}

/// Lets the chat leave memory when it has had nothing to do for this long. Answers whether it does: from then on it
/// takes nothing in any more, so that nothing is lost between the answer and its end.
pub(crate) struct Leave {
    pub(crate) for_ms: i64,
}

impl Request for Leave {
    type Reply = bool;
    const NAME: &'static str = "chat.leave";
}

/// Whether the chat has had nothing to do for this long.
pub(crate) struct Idle {
    pub(crate) for_ms: i64,
}

impl Request for Idle {
    type Reply = bool;
    const NAME: &'static str = "chat.idle";
}

impl Handles<Idle> for Chat {
    async fn handle(&mut self, Idle { for_ms }: Idle, ctx: &Ctx<Self>) -> Result<bool, Error> {
        Ok(self.is_idle(for_ms, ctx))
    }
}

impl Handles<Leave> for Chat {
    async fn handle(&mut self, Leave { for_ms }: Leave, ctx: &Ctx<Self>) -> Result<bool, Error> {
        if self.left.is_none() && self.is_idle(for_ms, ctx) {
            self.left = Some(Left::Memory);
        }
        Ok(self.left.is_some())
    }
}

impl Handles<Forget> for Chat {
    async fn handle(&mut self, Forget { reason }: Forget, ctx: &Ctx<Self>) -> Result<Vec<String>, Error> {
        let id = self.record.id.clone();
        let mut batch = Batch::new();
        let snapshot = self.parts.store.snapshot()?;
        for turn in snapshot.all::<TurnRecord>()?.filter_map(Result::ok).filter(|turn| turn.session_id == id) {
            batch.delete::<TurnRecord>(&turn.turn_id);
        }
        let (kept, orphans) = self.attachments(&snapshot)?;
        for attachment in &kept {
            batch.put(attachment);
        }
        self.delete_effects(&snapshot, &mut batch)?;
        batch
            .delete::<SessionRecord>(&id)
            .delete::<LedHostsRecord>(&id)
            .delete_prefix::<MessageRecord>(&id)
            .delete_prefix::<QueuedInput>(&id)
            .delete_prefix::<LearnJobRecord>(&id)
            .delete_prefix::<ReadMarkRecord>(&id)
            .delete_prefix::<RuleProposalRecord>(&id);
        batch.index(IndexJob::SessionGone { session_id: id.clone() });
        batch.event(log_line(&DomainEvent::SessionDeleted { session_id: id, reason }, ctx.now()));
        self.commit(batch).await?;
        self.queue.clear();
        self.stored = false;
        self.left = Some(Left::Store);
        if let Some(running) = self.running.take() {
            running.scope.cancel();
            let done = Done { cancelled: true, ..Done::default() };
            self.tell(ChatEvent::Done(Box::new(done)), Some(running.turn_id));
        }
        Ok(orphans)
    }
}

impl Chat {
    fn is_idle(&self, for_ms: i64, ctx: &Ctx<Self>) -> bool {
        self.running.is_none() && self.queue.is_empty() && idle_for(self.last_used, ctx.now()) >= for_ms
    }

    /// The journal holds what was sent in this chat, word for word.
    fn delete_effects(&self, snapshot: &Snapshot, batch: &mut Batch) -> Result<(), Error> {
        for message in snapshot.prefix::<MessageRecord>(&self.record.id)? {
            for call in message?.tool_calls {
                if snapshot.get::<EffectRecord>(&call.id)?.is_some() {
                    batch.delete::<EffectRecord>(&call.id).delete::<RestoreRecord>(&call.id);
                }
            }
        }
        Ok(())
    }

    /// Attachment rows without this chat, and the captures and selections that no other chat has (contract section 2,
    /// "Files"). A name stays known for ever, so it never comes to mean another file.
    fn attachments(&self, snapshot: &Snapshot) -> Result<(Vec<AttachmentRecord>, Vec<String>), Error> {
        let (mut kept, mut orphans) = (Vec::new(), Vec::new());
        for message in snapshot.prefix::<MessageRecord>(&self.record.id)? {
            for name in message?.attachments {
                let Some(mut attachment) = snapshot.get::<AttachmentRecord>(&name)? else { continue };
                attachment.sessions.retain(|session| *session != self.record.id);
                let goes_with_chat = name.starts_with("screens/") || name.starts_with("selections/");
                if goes_with_chat
                    && (attachment.sessions.is_empty() || self.record.incognito)
                    && !orphans.contains(&name)
                {
                    orphans.push(name);
                }
                kept.push(attachment);
            }
        }
        Ok((kept, orphans))
    }
}
