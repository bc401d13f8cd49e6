//! What background work after a reply changes: the chat's name and its summary.

use super::Chat;
use super::turn::{Look, Name, Summarised};
use crate::events::log_line;
use protocol::Error;
use protocol::events::{DomainEvent, SessionChange};
use runtime::{Ctx, Handles};
use storage::Batch;
use storage::records::{SessionRecord, TitleSource};

impl Handles<Look> for Chat {
    async fn handle(&mut self, _: Look, _: &Ctx<Self>) -> Result<SessionRecord, Error> {
        Ok(self.record.clone())
    }
}

impl Handles<Name> for Chat {
    async fn handle(&mut self, Name(title): Name, ctx: &Ctx<Self>) -> Result<(), Error> {
        if self.record.title_source != TitleSource::FirstWords || !self.stored {
            return Ok(()); // the person named it meanwhile, or it is gone
        }
        let record = SessionRecord { title: title.clone(), title_source: TitleSource::Model, ..self.record.clone() };
        let session_id = record.id.clone();
        let change = SessionChange { session_id, title: Some(title), ..SessionChange::default() };
        let mut batch = Batch::new();
        batch.put(&record).event(log_line(&DomainEvent::SessionUpdated(change), ctx.now()));
        self.commit(batch).await?;
        self.record = record;
        Ok(())
    }
}

impl Handles<Summarised> for Chat {
    async fn handle(&mut self, Summarised(summary): Summarised, _: &Ctx<Self>) -> Result<(), Error> {
        let known = self.record.summary.as_ref().map_or(0, |known| known.upto);
        if summary.upto <= known || !self.stored || self.running.is_some() {
            return Ok(()); // a reply in progress has the older messages in its prompt; the next one summarises
        }
        let record = SessionRecord { summary: Some(summary), ..self.record.clone() };
        let mut batch = Batch::new();
        batch.put(&record);
        self.commit(batch).await?;
        self.record = record;
        Ok(())
    }
}
