//! The end of a chat: its rows go, or it leaves memory because nobody uses it.

use super::Chat;
use super::begin::idle_for;
use crate::events::log_line;
use protocol::chat::{ChatEvent, Done};
use protocol::events::DomainEvent;
use protocol::{Error, Request};
use runtime::{Ctx, Handles};
use storage::Batch;
use storage::records::{AttachmentRecord, IndexJob, MessageRecord, QueuedInput, SessionRecord, TurnRecord};

/// Deletes the chat with everything in it. The reply says which files only it had attached.
pub(crate) struct Forget {
    /// `incognito` when the engine closed it.
    pub(crate) reason: Option<String>,
}

impl Request for Forget {
    type Reply = Vec<String>;
    const NAME: &'static str = "chat.forget";
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
        Ok(self.running.is_none() && self.queue.is_empty() && idle_for(self.last_used, ctx.now()) >= for_ms)
    }
}

impl Handles<Forget> for Chat {
    async fn handle(&mut self, Forget { reason }: Forget, ctx: &Ctx<Self>) -> Result<Vec<String>, Error> {
        let id = self.record.id.clone();
        let mut batch = Batch::new();
        if let Some(running) = &self.running {
            batch.delete::<TurnRecord>(&running.turn_id);
        }
        let (kept, orphans) = self.attachments()?;
        for attachment in &kept {
            batch.put(attachment);
        }
        batch.delete::<SessionRecord>(&id).delete_prefix::<MessageRecord>(&id).delete_prefix::<QueuedInput>(&id);
        batch.index(IndexJob::SessionGone { session_id: id.clone() });
        batch.event(log_line(&DomainEvent::SessionDeleted { session_id: id, reason }, ctx.now()));
        self.commit(batch).await?;
        self.queue.clear();
        self.stored = false;
        self.gone = true;
        if let Some(running) = self.running.take() {
            running.scope.cancel();
            let done = Done { cancelled: true, ..Done::default() };
            self.tell(ChatEvent::Done(Box::new(done)), Some(running.turn_id));
        }
        Ok(orphans)
    }
}

impl Chat {
    /// Attachment rows without this chat, and the captures and selections that no other chat has (contract section 2,
    /// "Files"). A name stays known for ever, so it never comes to mean another file.
    fn attachments(&self) -> Result<(Vec<AttachmentRecord>, Vec<String>), Error> {
        let snapshot = self.parts.store.snapshot()?;
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
