//! Writes summaries: stretches of messages that are old enough, a few at every look, each in one commit with the mark that
//! says how far its chat is summed up.

use crate::embeddings;
use crate::learning::LearningParts;
use crate::memory::Occasion;
use protocol::Error;
use protocol::config::Config;
use protocol::sessions::MessageRole;
use rules::memory::episodes::{self, Cut, PER_LOOK_MAX, Said};
use storage::records::{
    MessageRecord, MetaRecord, ReadFor, ReadMarkRecord, Searched, SearchedKind, SessionRecord, SummaryRecord,
};
use storage::{Batch, Snapshot};

/// The number of the newest summary there ever was.
const LAST_ID: &str = "summaries.last_id";
/// Messages of one chat that are looked at for one stretch. Ours: tool results stand between them.
const ROWS_MAX: usize = 2_000;

/// A stretch that is to be summed up.
struct Stretch {
    chat: SessionRecord,
    rows: Vec<MessageRecord>,
}

/// Sums up what is due, a bounded many.
pub(crate) async fn look(parts: &LearningParts) -> Result<(), Error> {
    for _ in 0..PER_LOOK_MAX {
        let config = parts.config();
        if !config.memory.summaries_enabled || parts.stop.is_stopped() {
            return Ok(());
        }
        let (store, now) = (parts.store.clone(), parts.world.now());
        let next = tokio::task::spawn_blocking(move || next_stretch(&store.snapshot()?, &config, now)).await;
        let Some(stretch) = next.map_err(|cause| Error::internal(cause.to_string()))?? else { return Ok(()) };
        sum_up(parts, stretch).await?;
    }
    Ok(())
}

/// The next stretch that is due, of the chat that was used last.
fn next_stretch(snapshot: &Snapshot, config: &Config, now: protocol::Timestamp) -> Result<Option<Stretch>, Error> {
    let cut = Cut {
        messages: usize::try_from(config.memory.summary_chunk_messages).unwrap_or(usize::MAX),
        after_ms: i64::from(config.memory.summarize_after_minutes) * 60_000,
    };
    for chat in snapshot.newest_sessions()? {
        let chat = chat?;
        let mark = snapshot.get::<ReadMarkRecord>(&ReadMarkRecord::key_of(&chat.id, ReadFor::Summary))?;
        let from = mark.map_or(0, |mark| mark.upto);
        if chat.incognito || from >= chat.next_ordinal {
            continue;
        }
        let range = (chat.id.clone(), from)..(chat.id.clone(), chat.next_ordinal);
        let rows = snapshot.range::<MessageRecord>(range)?.take(ROWS_MAX);
        let mut rows: Vec<MessageRecord> = rows.collect::<Result<_, _>>()?;
        rows.retain(is_said);
        let said: Vec<Said<'_>> = rows.iter().map(said).collect();
        if let Some(count) = episodes::due(&said, now, cut) {
            rows.truncate(count);
            return Ok(Some(Stretch { chat, rows }));
        }
    }
    Ok(None)
}

async fn sum_up(parts: &LearningParts, Stretch { chat, rows }: Stretch) -> Result<(), Error> {
    let (Some(first), Some(last)) = (rows.first(), rows.last()) else { return Ok(()) };
    let config = parts.config();
    let said: Vec<Said<'_>> = rows.iter().map(said).collect();
    let answer = parts.ask(episodes::prompt(&said, &config.assistant.user_name)).await?;
    let content = episodes::accept(&answer);
    let content = content.ok_or_else(|| Error::new(protocol::ErrorKind::Upstream, "The model's summary was empty."))?;
    let app = config.channels.get(chat.channel.split(':').next().unwrap_or_default());
    let snapshot = parts.store.snapshot()?;
    // It may have been deleted or marked while the model wrote.
    let Some(chat) = snapshot.get::<SessionRecord>(&chat.id)? else { return Ok(()) };
    let last_id =
        snapshot.get::<MetaRecord>(&LAST_ID.to_owned())?.and_then(|row| row.value.parse().ok()).unwrap_or(0_u64);
    let id = last_id + 1;
    let summary = SummaryRecord {
        id,
        session_id: chat.id.clone(),
        content,
        start_at: first.created_at,
        end_at: last.created_at,
        from: first.ordinal,
        upto: last.ordinal + 1,
        untrusted: chat.untrusted.clone().unwrap_or_default(),
        scope: Occasion::of_chat(&chat, app.map(|app| app.memory_scope.as_str())).scope,
        created_at: parts.world.now(),
    };
    let mut batch = Batch::new();
    batch.put(&MetaRecord { name: LAST_ID.into(), value: id.to_string() }).put(&summary);
    batch.put(&ReadMarkRecord { session_id: chat.id, purpose: ReadFor::Summary, upto: summary.upto });
    embeddings::changed(&mut batch, Searched::new(SearchedKind::Summary, id), &summary.content);
    parts.store.commit(batch).await?;
    Ok(())
}

/// The person's and the assistant's words.
fn is_said(row: &MessageRecord) -> bool {
    matches!(row.role, MessageRole::User | MessageRole::Assistant) && !row.content.trim().is_empty()
}

fn said(row: &MessageRecord) -> Said<'_> {
    Said { ordinal: row.ordinal, at: row.created_at, by_person: row.role == MessageRole::User, text: &row.content }
}
