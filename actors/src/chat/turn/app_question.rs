//! Questions of a turn that another program asked for: no window of that program can show them, so each is also a
//! notification, answered like any other (contract section 6, "Approval payload"). The notification never decides: the
//! broker of questions does, and this only says what came of it.

use super::{Runner, STORE_WAIT};
use crate::approvals::Answered;
use crate::chat::ChatParts;
use crate::notifications::{AddNotification, NewNotification, Notifications, PENDING, SettleApprovals};
use protocol::approvals::ApprovalAsk;
use protocol::ids::{ApprovalId, SessionId};
use protocol::notifications::NotificationKind;
use rules::callers::{API_CHANNEL, OtherApp};
use runtime::{Address, Outside};
use serde_json::json;

/// The title of such a notification. Ours.
const TITLE: &str = "Another app needs your OK";

impl Runner {
    /// Posts the question when another program asked for this turn. Answers what settles the notification later.
    pub(super) async fn post_question(&mut self, card: &ApprovalAsk) -> Option<Posted> {
        let channel = &self.setting.turn.channel;
        let source = self.setting.rows.first().map(|row| row.outside_source.clone()).unwrap_or_default();
        let app = OtherApp::of(channel, &source)?;
        let mut payload = json!({
            "approval_id": card.approval_id,
            "name": card.name,
            "risk": card.risk,
            "arguments": card.arguments,
            "session_id": self.record.id,
            "channel": channel,
            "reason": card.reason,
            "untrusted": source,
            "status": PENDING,
        });
        if channel == API_CHANNEL {
            payload["source"] = API_CHANNEL.into();
        }
        let message = app.question(&card.name);
        let kind = NotificationKind::Approval;
        let new = NewNotification { kind, title: TITLE.into(), message, payload, task_id: None };
        let notifications = self.setting.parts.notifications.clone();
        if let Err(error) = notifications.ask(&Outside::within(STORE_WAIT), AddNotification { new, mark: None }).await {
            // Windows show the question all the same.
            tracing::warn!(%error, "a question of another app has no notification");
        }
        Some(Posted { notifications, id: card.approval_id.clone() })
    }
}

/// A question in the notification centre.
pub(super) struct Posted {
    notifications: Address<Notifications>,
    id: ApprovalId,
}

impl Posted {
    /// Says what came of it: an answer, or none in time.
    pub(super) async fn settle(self, answer: Option<Answered>) {
        let settle = SettleApprovals::Answered(self.id, answer.map(|answer| answer.decision));
        if let Err(error) = self.notifications.ask(&Outside::within(STORE_WAIT), settle).await {
            tracing::warn!(%error, "a question of another app still looks open");
        }
    }
}

/// Settles what a turn has left open, however it ended: stopped, broken, or cut off by a crash.
pub(crate) async fn expire_questions(parts: &ChatParts, channel: &str, session: &SessionId) {
    if !rules::callers::is_other_app(channel) {
        return;
    }
    let settle = SettleApprovals::TurnEnded(session.clone());
    if let Err(error) = parts.notifications.ask(&Outside::within(STORE_WAIT), settle).await {
        tracing::warn!(%error, chat = %session, "questions of another app still look open");
    }
}
