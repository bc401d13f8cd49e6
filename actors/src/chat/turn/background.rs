//! What happens after a reply and is nobody's wait: the chat's name, and the running summary. A failure changes nothing.

use crate::chat::{Chat, ChatParts};
use crate::completion::{Ask, Who, complete};
use protocol::engine::ModelJob;
use protocol::sessions::MessageRole;
use protocol::{Error, Request};
use rules::summary::Row;
use runtime::{Address, Outside, World};
use std::sync::Arc;
use storage::records::{MessageRecord, SessionRecord, Summary, TitleSource};
use tokio::time::Duration;

const CHAT_WAIT: Duration = Duration::from_secs(30);

/// The chat as it is now.
pub(crate) struct Look;

impl Request for Look {
    type Reply = SessionRecord;
    const NAME: &'static str = "chat.look";
}

/// Gives the chat a name, unless the person has.
pub(crate) struct Name(pub(crate) String);

impl Request for Name {
    type Reply = ();
    const NAME: &'static str = "chat.name";
}

/// Keeps a summary of the older messages.
pub(crate) struct Summarised(pub(crate) Summary);

impl Request for Summarised {
    type Reply = ();
    const NAME: &'static str = "chat.summarised";
}

pub(super) async fn after_reply(parts: Arc<ChatParts>, world: World, chat: Address<Chat>) {
    parts.learning.wake();
    if let Err(error) = name(&parts, &world, &chat).await {
        tracing::debug!(%error, "a chat was not named");
    }
    if let Err(error) = summarise(&parts, &world, &chat).await {
        tracing::info!(%error, "older messages were not summarised");
    }
}

async fn name(parts: &Arc<ChatParts>, world: &World, chat: &Address<Chat>) -> Result<(), Error> {
    let record = chat.ask(&Outside::within(CHAT_WAIT), Look).await?;
    if !parts.config().chat.auto_title || record.title_source != TitleSource::FirstWords || record.incognito {
        return Ok(());
    }
    let rows = rows(parts, &record, 0)?;
    let first = |role| rows.iter().find(|row| row.role == role && !row.content.trim().is_empty());
    let (Some(user), Some(assistant)) = (first(MessageRole::User), first(MessageRole::Assistant)) else {
        return Ok(());
    };
    let question = rules::titles::question(&user.content, &assistant.content);
    let answer = complete(
        parts,
        world,
        Ask { question, job: ModelJob::Titles, output_tokens_max: 60, who: Who::Upkeep, then: Vec::new() },
    )
    .await?;
    match rules::titles::clean(&answer) {
        Some(title) => chat.ask(&Outside::within(CHAT_WAIT), Name(title)).await,
        None => Ok(()),
    }
}

async fn summarise(parts: &Arc<ChatParts>, world: &World, chat: &Address<Chat>) -> Result<(), Error> {
    let record = chat.ask(&Outside::within(CHAT_WAIT), Look).await?;
    let config = parts.config();
    let from = record.summary.as_ref().map_or(0, |summary| summary.upto);
    let rows = rows(parts, &record, from)?;
    let short: Vec<Row<'_>> = rows.iter().map(row).collect();
    let size = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
    let (window, after) = (size(config.chat.history_window), size(config.chat.compress_after_messages));
    let Some(upto) = rules::summary::due(&short, window, after) else { return Ok(()) };
    let older: Vec<Row<'_>> = short.into_iter().filter(|row| row.ordinal < upto).collect();
    if let Err(error) = parts.learning.flush(&record, upto).await {
        tracing::info!(%error, "older messages were not read for memories");
    }
    let before = record.summary.as_ref().map_or("", |summary| summary.text.as_str());
    let question = rules::summary::question(before, &older);
    let answer = complete(
        parts,
        world,
        Ask { question, job: ModelJob::Memory, output_tokens_max: 1_500, who: Who::Upkeep, then: Vec::new() },
    )
    .await?;
    let text = rules::summary::accept(&answer).ok_or_else(|| Error::internal("the model's summary was empty"));
    let text = text.map_err(|error| Error::new(protocol::ErrorKind::Upstream, error.message))?;
    let outside = rows.iter().find(|row| row.ordinal < upto && !row.outside_source.is_empty());
    // What the summary before this one repeats is still in it.
    let before = record.summary.as_ref().map(|summary| summary.untrusted.clone());
    let untrusted = outside.map(|row| row.outside_source.clone()).or(before).unwrap_or_default();
    chat.ask(&Outside::within(CHAT_WAIT), Summarised(Summary { text, upto, untrusted })).await
}

fn rows(parts: &ChatParts, record: &SessionRecord, from: u64) -> Result<Vec<MessageRecord>, Error> {
    let id = record.id.clone();
    let range = (id.clone(), from)..=(id, u64::MAX);
    Ok(parts.store.snapshot()?.range::<MessageRecord>(range)?.collect::<Result<_, _>>()?)
}

fn row(message: &MessageRecord) -> Row<'_> {
    let speaker = match message.role {
        MessageRole::User if !message.outside_source.is_empty() => "Another app",
        MessageRole::User => "User",
        MessageRole::Assistant => "Assistant",
        MessageRole::Tool => "Tool result",
        MessageRole::Other => "Group member",
        MessageRole::Event => "Event",
    };
    let begins_exchange = message.role == MessageRole::User && !message.interjection;
    Row { ordinal: message.ordinal, begins_exchange, speaker, text: &message.content }
}
