//! Notifications as surfaces see them.

use super::{AddNotification, DeleteNotifications, NewNotification, ReadNotifications, shown};
use crate::Engine;
use crate::small::asking;
use protocol::Error;
use protocol::ids::NotificationId;
use protocol::limits::NOTIFICATIONS_MAX;
use protocol::notifications::{NewNote, Notification, NotificationKind, NotificationList};
use rules::callers::{AppName, MCP_CHANNEL};
use serde_json::{Map, Value};
use storage::records::NotificationRecord;

/// Rows of a list when the caller names no number. Ours.
const NOTIFICATIONS_LIMIT_DEFAULT: usize = 100;
/// Characters of a note's parts; the rest is cut. Ours.
const MESSAGE_CHARS_MAX: usize = 10_000;
const TITLE_CHARS_MAX: usize = 200;
const NAME_CHARS_MAX: usize = 60;
/// The name of a program that gives none (contract section 6).
const NAMELESS_APP: &str = "An MCP app";
/// The title of a note that has none. Ours.
const UNTITLED: &str = "Note";

impl Engine {
    /// The newest `limit` of them, newest first, and how many of all are unread.
    ///
    /// # Errors
    /// A store that cannot be read.
    pub async fn notifications(&self, limit: Option<usize>, unread_only: bool) -> Result<NotificationList, Error> {
        let limit = limit.unwrap_or(NOTIFICATIONS_LIMIT_DEFAULT).min(NOTIFICATIONS_MAX);
        let mut list = NotificationList { notifications: Vec::new(), unread: 0 };
        for row in self.store.snapshot()?.all::<NotificationRecord>()?.rev() {
            let row = row?;
            list.unread += u64::from(!row.read);
            if list.notifications.len() < limit && !(unread_only && row.read) {
                list.notifications.push(shown(row));
            }
        }
        Ok(list)
    }

    /// Adds a plain note of another program (`POST /api/notifications`).
    ///
    /// # Errors
    /// `Invalid` without a message.
    pub async fn add_note(&self, note: NewNote) -> Result<Notification, Error> {
        self.add_notification(plain(note)?).await
    }

    /// Adds a note of a program behind `sentient mcp`, under its cleaned name, whatever else it says of itself.
    ///
    /// # Errors
    /// `Invalid` without a message.
    pub async fn add_app_note(&self, note: NewNote) -> Result<Notification, Error> {
        let app = AppName::clean(note.app.as_deref().unwrap_or_default());
        let (source, app) = (Some(MCP_CHANNEL.to_owned()), Some(app.as_str().to_owned()));
        self.add_note(NewNote { source, app, ..note }).await
    }

    /// Adds a notification.
    ///
    /// # Errors
    /// A store that cannot be written.
    pub async fn add_notification(&self, new: NewNotification) -> Result<Notification, Error> {
        self.small.notifications.ask(&asking(), AddNotification { new, mark: None }).await
    }

    /// Marks one as read, or all.
    ///
    /// # Errors
    /// `NotFound` for one that is not there.
    pub async fn read_notifications(&self, id: Option<NotificationId>) -> Result<(), Error> {
        self.small.notifications.ask(&asking(), ReadNotifications(id)).await
    }

    /// Deletes one, or all.
    ///
    /// # Errors
    /// `NotFound` for one that is not there.
    pub async fn delete_notifications(&self, id: Option<NotificationId>) -> Result<(), Error> {
        self.small.notifications.ask(&asking(), DeleteNotifications(id)).await
    }
}

/// A note can never dress itself up: it is always an `info`, and one that comes from another program says so first.
fn plain(note: NewNote) -> Result<NewNotification, Error> {
    let message = cut(&note.message, MESSAGE_CHARS_MAX);
    if message.is_empty() {
        return Err(Error::invalid("A note needs a message."));
    }
    let filled = |text: Option<String>, max| text.map(|text| line(&text, max)).filter(|text| !text.is_empty());
    let source = filled(note.source, NAME_CHARS_MAX);
    let from_app = note.app.is_some() || source.as_deref() == Some("mcp");
    let app = filled(note.app, NAME_CHARS_MAX);
    let title = filled(note.title, TITLE_CHARS_MAX);
    let title = match (from_app, &app, title) {
        (false, _, title) => title.unwrap_or_else(|| UNTITLED.into()),
        (true, Some(app), title) => format!("From MCP app ({app}): {}", title.unwrap_or_else(|| UNTITLED.into())),
        (true, None, title) => format!("From {NAMELESS_APP}: {}", title.unwrap_or_else(|| UNTITLED.into())),
    };
    let mut payload = Map::new();
    for (name, value) in [("source", source), ("app", app)] {
        if let Some(value) = value {
            payload.insert(name.into(), Value::String(value));
        }
    }
    let payload = Value::Object(payload);
    Ok(NewNotification { kind: NotificationKind::Info, title, message, payload, task_id: None })
}

fn cut(text: &str, chars_max: usize) -> String {
    text.trim().chars().take(chars_max).collect()
}

/// One line: a title must not look like two things.
fn line(text: &str, chars_max: usize) -> String {
    let spaced: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    cut(&spaced, chars_max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_says_whom_it_is_from() {
        let note = |title: &str, source: &str, app: Option<&str>| NewNote {
            message: " Hi ".into(),
            title: Some(title.into()),
            source: Some(source.into()),
            app: app.map(Into::into),
        };
        for (name, note, title, payload) in [
            ("plain", note("Tea", "", None), "Tea", "{}"),
            ("untitled", note(" ", "script", None), "Note", r#"{"source":"script"}"#),
            (
                "an app",
                note("Tea", "mcp", Some("Claude Code")),
                "From MCP app (Claude Code): Tea",
                r#"{"app":"Claude Code","source":"mcp"}"#,
            ),
            ("no name", note("Tea", "mcp", None), "From An MCP app: Tea", r#"{"source":"mcp"}"#),
            ("an empty name", note("Tea", "", Some("")), "From An MCP app: Tea", "{}"),
            ("two lines", note("Approve\nthis", "", None), "Approve this", "{}"),
        ] {
            let made = plain(note).expect(name);
            assert_eq!((made.title.as_str(), made.payload.to_string().as_str()), (title, payload), "{name}");
            assert_eq!((made.kind, made.message.as_str()), (NotificationKind::Info, "Hi"), "{name}");
        }
        assert!(plain(NewNote { message: " \n".into(), ..NewNote::default() }).is_err());
        let long = NewNote { message: "x".repeat(20_000), ..NewNote::default() };
        assert_eq!(plain(long).expect("cut").message.len(), MESSAGE_CHARS_MAX);
    }
}
