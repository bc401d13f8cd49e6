//! Stores what others wrote in a paired group chat (contract section 10, "Group chats", ADR 0029): always outside content,
//! never the person's words, and never the beginning of a reply.

use super::trust::changed;
use super::{Chat, NewRow, append};
use crate::chats::requests::GroupMessages;
use crate::events::log_line;
use protocol::events::DomainEvent;
use protocol::limits::{GROUP_MESSAGES_MAX, MESSAGE_CHARS_MAX};
use protocol::sessions::MessageRole;
use protocol::{Error, ErrorKind};
use rules::prompt::{group_source, member_name};
use runtime::{Ctx, Handles};
use storage::Batch;

impl Handles<GroupMessages> for Chat {
    async fn handle(&mut self, GroupMessages(messages): GroupMessages, ctx: &Ctx<Self>) -> Result<(), Error> {
        self.is_here()?;
        if messages.len() > GROUP_MESSAGES_MAX {
            let message = format!("At most {GROUP_MESSAGES_MAX} group messages are stored at once.");
            return Err(Error::new(ErrorKind::Unprocessable, message));
        }
        let mut record = self.record.clone();
        let mut batch = Batch::new();
        for (sender, text) in messages.into_iter().filter(|(_, text)| !text.trim().is_empty()) {
            let source = group_source(&sender);
            if record.untrusted.as_deref().unwrap_or_default().is_empty() {
                record.untrusted = Some(source.clone());
                batch.event(log_line(&DomainEvent::SessionUpdated(changed(&record)), ctx.now()));
            }
            let row = NewRow {
                text: text.chars().take(MESSAGE_CHARS_MAX).collect(),
                name: Some(member_name(&sender)),
                outside: source,
                ..NewRow::of(MessageRole::Other)
            };
            let row = append::place(&mut record, row, None, &ctx.world);
            append::index(&mut batch, &record, &row);
            batch.put(&row);
        }
        if record == self.record {
            return Ok(());
        }
        batch.put(&record);
        self.commit(batch).await?;
        self.last_used = ctx.now();
        self.record = record;
        self.stored = true;
        Ok(())
    }
}
