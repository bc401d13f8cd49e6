//! "I've checked it, trust this chat again", said by the person (contract section 2, `POST /api/sessions/{id}/trust`,
//! ADR 0029). No tool and no model gets here.

use super::{Chat, NewRow, append};
use crate::chats::requests::{Trust, Trusted};
use crate::events::log_line;
use protocol::events::{DomainEvent, SessionChange};
use protocol::ids::MessageId;
use protocol::sessions::MessageRole;
use protocol::{Error, ErrorKind};
use rules::outside::{Newer, newer};
use runtime::{Ctx, Handles};
use serde_json::json;
use storage::Batch;
use storage::records::{MessageRecord, SessionRecord};

/// The name of the row, and of the event in it.
const TRUSTED: &str = "trusted";

impl Handles<Trust> for Chat {
    async fn handle(&mut self, Trust { via, upto }: Trust, ctx: &Ctx<Self>) -> Result<Trusted, Error> {
        self.is_here()?;
        let rows = self.rows_after(upto.as_ref())?;
        let was = self.record.untrusted.clone().unwrap_or_default();
        if was.is_empty() {
            return Ok(Trusted { ok: true, trusted: true, ..Trusted::default() });
        }
        let found = rows.iter().find_map(reads);
        let mark = found.as_ref().map(|newer| newer.source.clone()).unwrap_or_default();
        let mut record = SessionRecord { untrusted: Some(mark.clone()), ..self.record.clone() };
        let mut batch = Batch::new();
        if found.is_none() {
            let content = json!({ "event": TRUSTED, "was": was, "via": via, "upto": upto }).to_string();
            let row = NewRow { text: content, name: Some(TRUSTED.into()), ..NewRow::of(MessageRole::Event) };
            batch.put(&append::place(&mut record, row, None, &ctx.world));
        }
        if mark != was {
            batch.event(log_line(&DomainEvent::SessionUpdated(changed(&record)), ctx.now()));
        }
        if record != self.record {
            batch.put(&record);
            self.commit(batch).await?;
            self.record = record;
        }
        let writer = found.map(|newer| newer.writer).unwrap_or_default();
        Ok(Trusted { ok: true, was, trusted: mark.is_empty(), untrusted: mark, writer })
    }
}

impl Chat {
    /// The messages stored after the newest one the person has seen; none when everything counts as seen.
    fn rows_after(&self, upto: Option<&MessageId>) -> Result<Vec<MessageRecord>, Error> {
        let Some(upto) = upto else { return Ok(Vec::new()) };
        let snapshot = self.parts.store.snapshot()?;
        let id = self.record.id.clone();
        let seen = snapshot.message(upto)?.filter(|row| row.session_id == id);
        let seen = seen.ok_or_else(|| {
            Error::new(
                ErrorKind::Unprocessable,
                "That message is not in this chat, so it is not known what you have seen.",
            )
        })?;
        let after = (id.clone(), seen.ordinal + 1)..=(id, u64::MAX);
        Ok(snapshot.range::<MessageRecord>(after)?.collect::<Result<_, _>>()?)
    }
}

fn reads(row: &MessageRecord) -> Option<Newer> {
    newer(row.role, row.name.as_deref(), &row.outside_source, &row.attachments)
}

pub(super) fn changed(record: &SessionRecord) -> SessionChange {
    let untrusted = Some(record.untrusted.clone().unwrap_or_default());
    SessionChange { session_id: record.id.clone(), untrusted, ..SessionChange::default() }
}
