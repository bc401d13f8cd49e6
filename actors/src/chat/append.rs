//! Stores steps of a reply: rows, the journal of effects, usage, what the chat has read. One commit, then the answer.

use super::Chat;
use crate::events::log_line;
use protocol::approvals::ApprovalRecord;
use protocol::events::{DomainEvent, SessionChange};
use protocol::ids::{CallId, MessageId, TurnId};
use protocol::limits::VISITED_HOSTS_MAX;
use protocol::sessions::{AnswerSource, MemorySource, MessageRole, StoredCall};
use protocol::{Error, Request, Timestamp};
use runtime::{Ctx, Handles, World};
use storage::Batch;
use storage::records::{
    EffectRecord, FactChipRecord, IndexJob, LedHostsRecord, MessageRecord, QueuedInput, QueuedKind, SessionRecord,
    ToolAllowance, TurnRecord, UsageRecord,
};

/// One message to be stored.
#[derive(Clone, Debug)]
pub(crate) struct NewRow {
    pub(crate) role: MessageRole,
    pub(crate) text: String,
    pub(crate) thinking: Option<String>,
    pub(crate) calls: Vec<StoredCall>,
    pub(crate) call_id: Option<CallId>,
    pub(crate) name: Option<String>,
    pub(crate) attachments: Vec<String>,
    pub(crate) interjection: bool,
    pub(crate) is_error: bool,
    pub(crate) memory_sources: Vec<MemorySource>,
    pub(crate) sources: Vec<AnswerSource>,
    pub(crate) approval: Option<ApprovalRecord>,
    pub(crate) outside: String,
}

impl NewRow {
    pub(crate) fn of(role: MessageRole) -> Self {
        Self {
            role,
            text: String::new(),
            thinking: None,
            calls: Vec::new(),
            call_id: None,
            name: None,
            attachments: Vec::new(),
            interjection: false,
            is_error: false,
            memory_sources: Vec::new(),
            sources: Vec::new(),
            approval: None,
            outside: String::new(),
        }
    }
}

/// What to do with steer messages that wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum QueueDrain {
    Leave,
    /// Store them as messages of the running reply, before anything else of this request.
    TakeSteers,
}

/// One step of a reply.
#[derive(Clone)]
pub(crate) struct Append {
    pub(crate) turn_id: TurnId,
    /// Which try at the turn this is (`TurnRecord::resumed`).
    pub(crate) run: u32,
    pub(crate) rows: Vec<NewRow>,
    pub(crate) effects: Vec<EffectRecord>,
    pub(crate) usage: Vec<UsageRecord>,
    /// The app whose content the chat has read from now on.
    pub(crate) untrusted: Option<String>,
    /// Web hosts it has loaded.
    pub(crate) visited: Vec<String>,
    /// All hosts that what it read may have led it to, when they have changed.
    pub(crate) led: Option<Vec<String>>,
    pub(crate) allowance: Option<ToolAllowance>,
    pub(crate) drain: QueueDrain,
}

impl Append {
    pub(crate) fn to(turn: &TurnRecord) -> Self {
        Self {
            turn_id: turn.turn_id.clone(),
            run: turn.resumed,
            rows: Vec::new(),
            effects: Vec::new(),
            usage: Vec::new(),
            untrusted: None,
            visited: Vec::new(),
            led: None,
            allowance: None,
            drain: QueueDrain::Leave,
        }
    }
}

/// What was stored.
pub(crate) struct Appended {
    /// Steer messages that joined, then the rows of the request.
    pub(crate) steers: Vec<MessageRecord>,
    /// The number of the last of them; steer messages up to it have joined.
    pub(crate) steers_upto: u64,
    pub(crate) rows: Vec<MessageRecord>,
    /// The chat as it is now.
    pub(crate) record: SessionRecord,
}

impl Request for Append {
    type Reply = Appended;
    const NAME: &'static str = "chat.append";
}

impl Handles<Append> for Chat {
    async fn handle(&mut self, step: Append, ctx: &Ctx<Self>) -> Result<Appended, Error> {
        if !self.is_running(&step.turn_id, step.run) {
            return Err(super::end::not_running());
        }
        self.last_used = ctx.now();
        let mut record = self.record.clone();
        let mut batch = Batch::new();
        let steers = match step.drain {
            QueueDrain::TakeSteers => take_steers(&self.queue, &mut record, &mut batch, &step.turn_id, ctx),
            QueueDrain::Leave => Vec::new(),
        };
        let rows = put_rows(&mut record, &mut batch, step.rows, &step.turn_id, ctx);
        for effect in &step.effects {
            batch.put(effect);
        }
        for usage in &step.usage {
            batch.put(usage);
        }
        if let Some(allowance) = step.allowance {
            record.allowances.retain(|known| known.tool != allowance.tool);
            record.allowances.push(allowance);
        }
        if let Some(hosts) = step.led {
            batch.put(&LedHostsRecord { session_id: record.id.clone(), hosts });
        }
        note_reading(&mut record, &mut batch, step.untrusted, step.visited, ctx.now());
        if record != self.record {
            batch.put(&record);
        }
        if !batch.is_empty() {
            self.commit(batch).await?;
        }
        let mut steers_upto = 0;
        if step.drain == QueueDrain::TakeSteers {
            let joined = self.queue.iter().filter(|input| input.kind == QueuedKind::Steer);
            steers_upto = joined.map(|input| input.number).max().unwrap_or(0);
            self.queue.retain(|input| input.kind != QueuedKind::Steer);
        }
        self.record = record.clone();
        Ok(Appended { steers, steers_upto, rows, record })
    }
}

/// Writes waiting steer messages as messages of the reply.
fn take_steers<'a>(
    queue: impl IntoIterator<Item = &'a QueuedInput>,
    record: &mut SessionRecord,
    batch: &mut Batch,
    turn_id: &TurnId,
    ctx: &Ctx<Chat>,
) -> Vec<MessageRecord> {
    let mut rows = Vec::new();
    for input in queue.into_iter().filter(|input| input.kind == QueuedKind::Steer) {
        let row = NewRow { text: input.text.clone(), interjection: true, ..NewRow::of(MessageRole::User) };
        rows.extend(put_rows(record, batch, vec![row], turn_id, ctx));
        batch.delete::<QueuedInput>(&(input.session_id.clone(), input.number));
    }
    rows
}

pub(super) fn put_rows(
    record: &mut SessionRecord,
    batch: &mut Batch,
    rows: Vec<NewRow>,
    turn_id: &TurnId,
    ctx: &Ctx<Chat>,
) -> Vec<MessageRecord> {
    let placed: Vec<MessageRecord> =
        rows.into_iter().map(|row| place(record, row, Some(turn_id), &ctx.world)).collect();
    for row in &placed {
        batch.put(row);
        index(batch, record, row);
    }
    placed
}

/// Gives a row its place at the end of the chat.
pub(crate) fn place(record: &mut SessionRecord, row: NewRow, turn_id: Option<&TurnId>, world: &World) -> MessageRecord {
    let json = |value: serde_json::Result<String>| value.unwrap_or_else(|_| "[]".into());
    let placed = MessageRecord {
        session_id: record.id.clone(),
        ordinal: record.next_ordinal,
        id: MessageId(world.id()),
        turn_id: turn_id.cloned(),
        role: row.role,
        content: row.text,
        thinking: row.thinking,
        tool_calls: row.calls,
        tool_call_id: row.call_id,
        name: row.name,
        attachments: row.attachments,
        interjection: row.interjection,
        is_error: row.is_error,
        memory_sources: json(serde_json::to_string(&row.memory_sources)),
        sources: json(serde_json::to_string(&row.sources)),
        approval: row.approval,
        outside_source: row.outside,
        created_at: world.now(),
    };
    record.next_ordinal += 1;
    record.updated_at = placed.created_at;
    placed
}

/// Notes which memories a reply names, so that its chips go when they are forgotten.
fn chips(batch: &mut Batch, row: &MessageRecord) {
    if row.memory_sources == "[]" {
        return;
    }
    let named: Vec<MemorySource> = serde_json::from_str(&row.memory_sources).unwrap_or_default();
    for fact in named.iter().filter(|source| source.kind == "fact").filter_map(|source| source.id.as_u64()) {
        batch.put(&FactChipRecord { fact, session_id: row.session_id.clone(), ordinal: row.ordinal });
    }
}

/// Leaves work for the index: words people look for, and never those of an incognito chat.
pub(super) fn index(batch: &mut Batch, record: &SessionRecord, row: &MessageRecord) {
    chips(batch, row);
    let searched = matches!(row.role, MessageRole::User | MessageRole::Assistant | MessageRole::Other);
    if searched && !record.incognito && !row.content.trim().is_empty() {
        batch.index(IndexJob::Message {
            session_id: row.session_id.clone(),
            ordinal: row.ordinal,
            message_id: row.id.clone(),
        });
    }
}

/// What the chat has read: the mark stays with the first source until the person trusts the chat again.
pub(super) fn note_reading(
    record: &mut SessionRecord,
    batch: &mut Batch,
    untrusted: Option<String>,
    visited: Vec<String>,
    now: Timestamp,
) {
    if let Some(source) = read_from(record, untrusted, visited) {
        let session_id = record.id.clone();
        let change = SessionChange { session_id, untrusted: Some(source), ..SessionChange::default() };
        batch.event(log_line(&DomainEvent::SessionUpdated(change), now));
    }
}

/// Notes a source and hosts that were read. Answers the source when the record was clean before.
pub(crate) fn read_from(record: &mut SessionRecord, untrusted: Option<String>, visited: Vec<String>) -> Option<String> {
    let clean = record.untrusted.as_deref().unwrap_or_default().is_empty();
    let source = untrusted.filter(|source| clean && record.untrusted.as_ref() != Some(source));
    if source.is_some() {
        record.untrusted.clone_from(&source);
    }
    if !visited.is_empty() {
        let hosts = record.visited_hosts.get_or_insert_default();
        for host in visited {
            if !hosts.contains(&host) {
                hosts.push(host);
            }
        }
        let too_many = hosts.len().saturating_sub(VISITED_HOSTS_MAX);
        hosts.drain(..too_many);
    }
    source.filter(|source| !source.is_empty())
}
