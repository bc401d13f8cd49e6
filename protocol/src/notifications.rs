//! The notification centre (contract section 6).

use crate::ids::NotificationId;
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Kinds of section 6, with `budget` and `backup` (ARCHITECTURE.md section 8).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NotificationKind {
    Info,
    Task,
    Approval,
    Proactive,
    Skill,
    Error,
    Brief,
    Reminder,
    Budget,
    Backup,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Notification {
    pub id: NotificationId,
    pub kind: NotificationKind,
    pub title: String,
    /// Markdown.
    pub message: String,
    pub payload: Value,
    pub task_id: Option<String>,
    pub read: bool,
    pub created_at: Timestamp,
}

/// `GET /api/notifications`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NotificationList {
    pub notifications: Vec<Notification>,
    pub unread: u64,
}

/// Body of `POST /api/notifications`: always an `info` note, whatever else the caller says.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct NewNote {
    #[serde(default)]
    pub message: String,
    #[serde(default)]
    pub title: Option<String>,
    #[serde(default)]
    pub source: Option<String>,
    #[serde(default)]
    pub app: Option<String>,
}
