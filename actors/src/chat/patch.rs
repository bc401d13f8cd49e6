//! Renames a chat, gives it a model of its own, picks its memories (contract section 2, `PATCH /api/sessions/{id}`).

use super::Chat;
use crate::chats::requests::{Patch, Patched};
use crate::events::log_line;
use protocol::events::{DomainEvent, SessionChange};
use protocol::limits::{SCOPE_CHARS_MAX, TITLE_CHARS_MAX};
use protocol::model::ModelName;
use protocol::{Error, ErrorKind};
use runtime::{Ctx, Handles};
use storage::Batch;
use storage::records::TitleSource;

impl Handles<Patch> for Chat {
    async fn handle(&mut self, Patch(patch): Patch, ctx: &Ctx<Self>) -> Result<Patched, Error> {
        self.is_here()?;
        let mut record = self.record.clone();
        let mut patched = Patched { ok: true, ..Patched::default() };
        if let Some(title) = patch.title {
            let title = rules::titles::typed(&title)
                .ok_or_else(|| unprocessable(format!("A title has 1 to {TITLE_CHARS_MAX} characters.")))?;
            record.title.clone_from(&title);
            record.title_source = TitleSource::Person;
            patched.title = Some(title);
        }
        if let Some(model) = patch.model {
            record.model = own_model(model)?;
            patched.model = Some(record.model.clone());
        }
        if let Some(scope) = patch.memory_scope {
            record.memory_scope = own_scope(scope)?;
            patched.memory_scope = Some(record.memory_scope.clone().unwrap_or_else(|| "personal".into()));
        }
        let change = SessionChange {
            session_id: record.id.clone(),
            title: patched.title.clone(),
            model: patched.model.clone(),
            memory_scope: patched.memory_scope.clone(),
            untrusted: None,
        };
        if record != self.record || !self.stored {
            let mut batch = Batch::new();
            batch.put(&record).event(log_line(&DomainEvent::SessionUpdated(change), ctx.now()));
            self.commit(batch).await?;
            self.record = record;
            self.stored = true;
        }
        Ok(patched)
    }
}

fn unprocessable(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Unprocessable, message)
}

/// A chat's own model; `null` and an empty text go back to the default.
pub(crate) fn own_model(model: Option<String>) -> Result<Option<String>, Error> {
    match model.filter(|model| !model.trim().is_empty()) {
        None => Ok(None),
        Some(model) if ModelName::parse(&model).is_some() => Ok(Some(model)),
        Some(model) => Err(unprocessable(format!("\"{model}\" is not a model.")).hint("Write it as provider/model.")),
    }
}

/// A chat's memories; `null` and an empty text go back to the default.
pub(crate) fn own_scope(scope: Option<String>) -> Result<Option<String>, Error> {
    let Some(scope) = scope.map(|scope| scope.trim().to_owned()).filter(|scope| !scope.is_empty()) else {
        return Ok(None);
    };
    if scope.eq_ignore_ascii_case("always") {
        return Err(unprocessable("\"always\" is part of every chat; pick personal, work or a project."));
    }
    if scope.chars().count() > SCOPE_CHARS_MAX || scope.chars().any(char::is_control) {
        return Err(unprocessable(format!("A project's name has 1 to {SCOPE_CHARS_MAX} characters.")));
    }
    Ok(Some(scope))
}
