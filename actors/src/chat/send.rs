//! A message from the person: it is stored first, and then starts a reply, joins the one in progress, or waits.

use super::{Chat, too_many_waiting, turn};
use crate::chats::requests::{Accepted, Disposition, NewMessage, Send};
use protocol::chat::{ChatEvent, ChatFrame};
use protocol::ids::TurnId;
use protocol::limits::{ATTACHMENTS_MAX, MESSAGE_CHARS_MAX, QUEUED_MESSAGES_MAX};
use protocol::model::ModelName;
use protocol::{Error, ErrorKind};
use rules::callers::OtherApp;
use runtime::{Ctx, Handles};
use storage::Batch;
use storage::records::{QueuedInput, QueuedKind};

impl Handles<Send> for Chat {
    async fn handle(&mut self, Send(message): Send, ctx: &Ctx<Self>) -> Result<Accepted, Error> {
        self.is_here()?;
        check(&message)?;
        self.last_used = ctx.now();
        self.look_for_a_stop();
        let session_id = self.record.id.clone();
        if let Some(app) = &message.from {
            self.admit(app)?;
        }
        let disposition = match self.running_turn().cloned() {
            None => Disposition::Started(self.start_reply(message, ctx).await?),
            Some(running) if message.attachments.is_empty() => self.steer(message, running, ctx).await?,
            Some(_) => {
                self.enqueue(&message, QueuedKind::Turn, ctx).await?;
                self.tell(ChatEvent::Session { client_id: message.client_id }, None);
                Disposition::Queued
            }
        };
        Ok(Accepted { session_id, disposition })
    }
}

/// What a message must be, before anything is stored.
fn check(message: &NewMessage) -> Result<(), Error> {
    if message.text.trim().is_empty() && message.attachments.is_empty() {
        return Err(Error::invalid("The message is empty."));
    }
    if message.text.chars().count() > MESSAGE_CHARS_MAX {
        return Err(Error::new(ErrorKind::TooLarge, format!("A message may have {MESSAGE_CHARS_MAX} characters."))
            .hint("Attach longer texts as a file."));
    }
    if message.attachments.len() > ATTACHMENTS_MAX {
        return Err(Error::new(ErrorKind::TooLarge, format!("A message may have {ATTACHMENTS_MAX} attachments.")));
    }
    match message.model.as_deref().filter(|model| ModelName::parse(model).is_none()) {
        Some(model) => Err(Error::new(ErrorKind::Unprocessable, format!("\"{model}\" is not a model."))
            .hint("Write it as provider/model, for example ollama_chat/qwen3:8b.")),
        None => Ok(()),
    }
}

impl Chat {
    /// Another program speaks in chats of its own kind only, and never into a reply somebody else asked for: what is
    /// written there would count as the person's words.
    fn admit(&self, app: &OtherApp) -> Result<(), Error> {
        if self.record.channel != app.channel() {
            return Err(Error::new(ErrorKind::Denied, "This chat is the user's own; another app can't continue it."));
        }
        if self.running.is_some() || !self.queue.is_empty() {
            return Err(super::is_answering());
        }
        Ok(())
    }

    async fn steer(&mut self, message: NewMessage, running: TurnId, ctx: &Ctx<Self>) -> Result<Disposition, Error> {
        let number = self.enqueue(&message, QueuedKind::Steer, ctx).await?;
        self.tell(ChatEvent::SteerAck { queued: true, client_id: message.client_id }, None);
        if let Some(reply) = &self.running {
            // A reply that has just ended picks the message up as a turn of its own (see `end`).
            if reply.signals.try_send(turn::Signal::Steered(number)).is_err() {
                tracing::debug!(chat = %self.record.id, "the reply ended before a steer message reached it");
            }
        }
        Ok(Disposition::Steered(running))
    }

    async fn enqueue(&mut self, message: &NewMessage, kind: QueuedKind, ctx: &Ctx<Self>) -> Result<u64, Error> {
        if self.queue.len() >= QUEUED_MESSAGES_MAX {
            return Err(too_many_waiting());
        }
        let input = QueuedInput {
            session_id: self.record.id.clone(),
            number: self.next_queued,
            kind,
            text: message.text.clone(),
            attachments: message.attachments.clone(),
            model: message.model.clone(),
            client_id: message.client_id.clone(),
            channel: message.channel.clone(),
            created_at: ctx.now(),
        };
        let mut batch = Batch::new();
        batch.put(&input);
        self.commit(batch).await?;
        self.next_queued += 1;
        let number = input.number;
        self.queue.push_back(input);
        Ok(number)
    }

    /// Tells the windows something of this chat.
    pub(super) fn tell(&self, event: ChatEvent, turn_id: Option<TurnId>) {
        self.parts.live.chat(ChatFrame { event, session_id: self.record.id.clone(), turn_id });
    }
}
