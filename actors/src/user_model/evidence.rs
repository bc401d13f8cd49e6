//! What arrived since the last refresh: the person's messages, new or changed memories, conversation summaries. It reads
//! rows and decides nothing: which rows count and which of them may be words of others is said here once.

use protocol::config::Config;
use protocol::ids::SessionId;
use protocol::knowing::EvidenceKind;
use protocol::sessions::MessageRole;
use protocol::{Error, Timestamp};
use rules::user_model::{Mark, Material, QUOTE_CHARS_MAX, newest};
use storage::records::{FactRecord, FactState, FactStatus, MessageRecord, MetaRecord, SessionRecord, SummaryRecord};
use storage::{Batch, Snapshot};

/// Names of the marks among the single values of the store (contract section 15).
const MESSAGES_MARK: &str = "user_model.messages_mark";
const FACTS_MARK: &str = "user_model.facts_mark";
const SUMMARIES_MARK: &str = "user_model.summaries_mark";
/// When the last refresh was.
const LAST_REFRESH: &str = "user_model.last_refresh_at";
/// Chats that are looked at, and messages of one chat, newest first. Ours.
const CHATS_MAX: usize = 300;
const MESSAGES_OF_CHAT_MAX: usize = 400;
/// Summaries that are looked at, newest first. Ours.
const SUMMARIES_MAX: usize = 200;

/// How far each kind of evidence was read.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Marks {
    pub(super) messages: Mark,
    pub(super) facts: Mark,
    pub(super) summaries: Mark,
}

impl Marks {
    pub(super) fn read(snapshot: &Snapshot) -> Result<Self, Error> {
        let mark = |name: &str| -> Result<Mark, Error> {
            let row = snapshot.get::<MetaRecord>(&name.to_owned())?;
            Ok(row.and_then(|row| serde_json::from_str(&row.value).ok()).unwrap_or_default())
        };
        Ok(Self { messages: mark(MESSAGES_MARK)?, facts: mark(FACTS_MARK)?, summaries: mark(SUMMARIES_MARK)? })
    }
}

pub(super) fn put_marks(batch: &mut Batch, marks: &Marks, now: Timestamp) {
    for (name, mark) in
        [(MESSAGES_MARK, &marks.messages), (FACTS_MARK, &marks.facts), (SUMMARIES_MARK, &marks.summaries)]
    {
        // A mark is a moment and a list of texts: writing it cannot fail.
        let value = serde_json::to_string(mark).unwrap_or_default();
        batch.put(&MetaRecord { name: name.into(), value });
    }
    batch.put(&MetaRecord { name: LAST_REFRESH.into(), value: serde_json::to_string(&now).unwrap_or_default() });
}

pub(super) fn last_refresh(snapshot: &Snapshot) -> Result<Option<Timestamp>, Error> {
    let row = snapshot.get::<MetaRecord>(&LAST_REFRESH.to_owned())?;
    Ok(row.and_then(|row| serde_json::from_str(&row.value).ok()))
}

/// A message of the person and its chat's mark.
struct Said {
    session_id: SessionId,
    message: MessageRecord,
    outside: Option<String>,
}

/// The person's own messages that were not read yet. Incognito chats leave nothing, and what another program asked is not
/// the person's.
fn messages(snapshot: &Snapshot, mark: &Mark) -> Result<Vec<Said>, Error> {
    let mut found = Vec::new();
    for session in snapshot.newest_sessions()?.take(CHATS_MAX) {
        let SessionRecord { id, updated_at, incognito, untrusted, .. } = session?;
        if updated_at < mark.at {
            break;
        }
        if incognito {
            continue;
        }
        let outside = untrusted.filter(|from| !from.is_empty());
        for message in snapshot.prefix::<MessageRecord>(&id)?.rev().take(MESSAGES_OF_CHAT_MAX) {
            let message = message?;
            if message.created_at < mark.at {
                break;
            }
            let is_persons = message.role == MessageRole::User && message.outside_source.is_empty();
            if is_persons && !message.content.trim().is_empty() && mark.is_new(message.created_at, message.id.as_str())
            {
                found.push(Said { session_id: id.clone(), message, outside: outside.clone() });
            }
        }
    }
    Ok(found)
}

/// How many messages of the person were not read by a refresh yet: what `user_model.refresh_after_turns` counts.
pub(super) fn unread_messages(snapshot: &Snapshot) -> Result<usize, Error> {
    Ok(messages(snapshot, &Marks::read(snapshot)?.messages)?.len())
}

/// All new evidence, and how far it reads. May block: it looks at every memory.
pub(super) fn gather(snapshot: &Snapshot, config: &Config, now: Timestamp) -> Result<(Vec<Material>, Marks), Error> {
    let settings = &config.user_model;
    let size = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
    let marks = Marks::read(snapshot)?;
    let said = newest(messages(snapshot, &marks.messages)?, size(settings.recent_messages), &marks.messages, |said| {
        (said.message.created_at, said.message.id.0.clone())
    });
    let mut facts = Vec::new();
    for fact in snapshot.all::<FactRecord>()? {
        let fact = fact?;
        let in_use = fact.status == FactStatus::Active && fact.state == FactState::Current;
        if in_use
            && fact.expires_at.is_none_or(|end| now < end)
            && marks.facts.is_new(fact.updated_at, &fact.id.to_string())
        {
            facts.push(fact);
        }
    }
    let facts = newest(facts, size(settings.recent_facts), &marks.facts, |fact| (fact.updated_at, fact.id.to_string()));
    let summaries = newest(summaries(snapshot)?, size(settings.recent_summaries), &marks.summaries, |summary| {
        (summary.created_at, summary.id.to_string())
    });
    let read_to = Marks {
        messages: marks.messages.after(said.iter().map(|said| (said.message.created_at, said.message.id.as_str()))),
        facts: facts_mark(&marks.facts, &facts),
        summaries: marks.summaries.after(summary_ids(&summaries).iter().map(|(at, id)| (*at, id.as_str()))),
    };
    let mut material = Vec::new();
    material.extend(said.into_iter().zip(1..).map(|(said, number)| of_message(said, number)));
    material.extend(facts.into_iter().zip(1..).map(|(fact, number)| of_fact(fact, number)));
    for (summary, number) in summaries.into_iter().zip(1..) {
        material.push(of_summary(snapshot, summary, number)?);
    }
    Ok((material, read_to))
}

fn facts_mark(mark: &Mark, facts: &[FactRecord]) -> Mark {
    let ids: Vec<(Timestamp, String)> = facts.iter().map(|fact| (fact.updated_at, fact.id.to_string())).collect();
    mark.after(ids.iter().map(|(at, id)| (*at, id.as_str())))
}

/// The newest summaries: their numbers sort by when they were written.
fn summaries(snapshot: &Snapshot) -> Result<Vec<SummaryRecord>, Error> {
    Ok(snapshot.all::<SummaryRecord>()?.rev().take(SUMMARIES_MAX).collect::<Result<_, _>>()?)
}

fn summary_ids(summaries: &[SummaryRecord]) -> Vec<(Timestamp, String)> {
    summaries.iter().map(|summary| (summary.created_at, summary.id.to_string())).collect()
}

/// A summary is outside material when its chat was marked as it was written, and also when the chat is marked now.
fn of_summary(snapshot: &Snapshot, summary: SummaryRecord, number: usize) -> Result<Material, Error> {
    let chat = snapshot.get::<SessionRecord>(&summary.session_id)?;
    let now = chat.and_then(|chat| chat.untrusted).filter(|from| !from.is_empty());
    let outside = if summary.untrusted.is_empty() { now } else { Some(summary.untrusted.clone()) };
    Ok(Material {
        name: format!("s{number}"),
        kind: EvidenceKind::Summary,
        reference: summary.id.to_string(),
        session_id: Some(summary.session_id),
        text: cut(&summary.content),
        at: summary.end_at,
        outside,
    })
}

fn cut(text: &str) -> String {
    text.trim().chars().take(QUOTE_CHARS_MAX).collect()
}

fn of_message(said: Said, number: usize) -> Material {
    Material {
        name: format!("m{number}"),
        kind: EvidenceKind::Message,
        reference: said.message.id.0.clone(),
        session_id: Some(said.session_id),
        text: cut(&said.message.content),
        at: said.message.created_at,
        outside: said.outside,
    }
}

/// A memory in use is not held, so it is the person's, or the person has taken it in.
fn of_fact(fact: FactRecord, number: usize) -> Material {
    Material {
        name: format!("f{number}"),
        kind: EvidenceKind::Fact,
        reference: fact.id.to_string(),
        session_id: None,
        text: cut(&fact.content),
        at: fact.updated_at,
        outside: None,
    }
}
