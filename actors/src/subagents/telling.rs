//! What a helper in the background found becomes a message of its chat, exactly once, and a notification.
//!
//! The message has a name made from the helper's, so handing it in twice is the same as once; only when the chat has it
//! does the row say so.

use super::{Subagents, SubagentsNeeds};
use crate::chat::Remark;
use crate::chats::{Open, requests::NewChat};
use crate::notifications::{AddNotification, NewNotification};
use protocol::ids::{MessageId, SubagentId};
use protocol::notifications::NotificationKind;
use protocol::subagents::SubagentStatus;
use protocol::{Error, ErrorKind, Request};
use runtime::{Address, Ctx, Handles, Outside};
use serde_json::json;
use storage::records::{SessionRecord, SubagentRecord};
use storage::{Batch, Store};
use tokio::time::{Duration, sleep};

/// How long a chat may take, how long a try is apart from the next, and how many there are before the next start tries.
const CHAT_WAIT: Duration = Duration::from_secs(30);
const TRY_AGAIN: Duration = Duration::from_secs(5);
const TRIES_MAX: usize = 120;
/// What a chat is said to have read when it gets a report: helpers read what others wrote.
const SOURCE: &str = "Subagents";
/// Characters of a goal or a summary in a notification. Ours.
const SHORT_CHARS_MAX: usize = 200;

/// The chat has the summary.
struct Told(SubagentId);

impl Request for Told {
    type Reply = ();
    const NAME: &'static str = "subagents.told";
}

impl Handles<Told> for Subagents {
    async fn handle(&mut self, Told(id): Told, ctx: &Ctx<Self>) -> Result<(), Error> {
        let Some(mut record) = self.needs.store.snapshot()?.get::<SubagentRecord>(&id)? else { return Ok(()) };
        record.untold = false;
        // Windows heard that it ended before its message was there: now there is something to fetch.
        self.store(&record, Batch::new(), ctx.now()).await
    }
}

/// Hands the summary in, in a job.
pub(super) fn begin(record: SubagentRecord, needs: SubagentsNeeds, ctx: &Ctx<Subagents>) {
    let me = ctx.me.clone();
    ctx.scope.spawn_dropped("a helper's summary", async move {
        for _ in 0..TRIES_MAX {
            match hand_in(&record, &needs, &me).await {
                Ok(()) => return,
                Err(error) => tracing::debug!(%error, subagent = %record.id, "a summary is handed in again"),
            }
            sleep(TRY_AGAIN).await;
        }
        tracing::warn!(subagent = %record.id, "a helper's summary waits for the next start");
    });
}

async fn hand_in(record: &SubagentRecord, needs: &SubagentsNeeds, me: &Address<Subagents>) -> Result<(), Error> {
    let chats = needs.chats.borrow().clone();
    let chats = chats.ok_or_else(|| Error::new(ErrorKind::Unavailable, "The engine is still starting."))?;
    let open = Open { session: Some(record.session_id.clone()), new: NewChat::default() };
    let caller = || Outside::within(CHAT_WAIT);
    let remark =
        Remark { id: MessageId(format!("helper-{}", record.id)), text: message(record), outside: SOURCE.into() };
    let said = match chats.ask(&caller(), open).await {
        Ok(chat) => chat.address.ask(&caller(), remark).await,
        Err(error) => Err(error),
    };
    match said {
        Ok(()) => notify(record, needs).await?,
        Err(error) if error.kind == ErrorKind::NotFound => (), // the chat is deleted: nobody is left to tell
        Err(error) => return Err(error),
    }
    me.ask(&caller(), Told(record.id.clone())).await
}

/// A notification says that a helper has ended; nothing of an incognito chat is kept there.
async fn notify(record: &SubagentRecord, needs: &SubagentsNeeds) -> Result<(), Error> {
    if is_incognito(&needs.store, record)? {
        return Ok(());
    }
    let new = NewNotification {
        kind: NotificationKind::Info,
        title: title(record).to_owned(),
        message: short(record),
        payload: json!({ "subagent_id": record.id, "session_id": record.session_id, "status": record.status }),
        task_id: None,
    };
    needs.notifications.ask(&Outside::within(CHAT_WAIT), AddNotification { new, mark: None }).await.map(drop)
}

fn is_incognito(store: &Store, record: &SubagentRecord) -> Result<bool, Error> {
    let chat = store.snapshot()?.get::<SessionRecord>(&record.session_id)?;
    Ok(chat.is_none_or(|chat| chat.incognito))
}

fn title(record: &SubagentRecord) -> &'static str {
    if record.status == SubagentStatus::Completed { "A helper is done" } else { "A helper did not finish" }
}

fn short(record: &SubagentRecord) -> String {
    let line = |text: &str| {
        let (cut, more) = rules::subagents::cut(text.trim(), SHORT_CHARS_MAX);
        if more { format!("{cut}…") } else { cut }
    };
    let came_of_it = record.summary.as_deref().or(record.error.as_deref()).unwrap_or_default();
    format!("{}\n\n{}", line(&record.goal), line(came_of_it))
}

/// The message its chat gets.
fn message(record: &SubagentRecord) -> String {
    let (goal, _) = rules::subagents::cut(record.goal.trim(), SHORT_CHARS_MAX);
    match (&record.summary, &record.error) {
        (Some(summary), _) => format!("**Helper done:** {goal}\n\n{summary}"),
        (None, error) => format!("**Helper did not finish:** {goal}\n\n{}", error.as_deref().unwrap_or_default()),
    }
}
