//! `history_time_search`: what was said in a span of time, in all chats, as one conversation.

use super::arguments::{needed, outcome, whole};
use super::history_search::{blocking, when, whose};
use super::memory_app::{memories, spec};
use super::{Tool, ToolCtx};
use futures::future::{BoxFuture, FutureExt};
use jiff::ToSpan;
use protocol::sessions::MessageRole;
use protocol::tools::{Risk, ToolOutcome, ToolSpec};
use protocol::{Error, Timestamp};
use serde_json::{Value, json};
use storage::Store;
use storage::records::{MessageRecord, SessionRecord};

/// Messages of one answer. Ours.
const LIMIT_MAX: u64 = 500;
/// Characters of one message (contract, tools.tsv).
const TEXT_CHARS_MAX: usize = 600;

pub(super) struct HistoryTimeSearch;

impl Tool for HistoryTimeSearch {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            description: "Reads what was said between two dates, in all chats, oldest first. Dates are ISO 8601 in the \
                          user's time zone; an end date without a time includes that day.",
            parameters: json!({
                "type": "object",
                "properties": {
                    "start_date": { "type": "string", "description": "From when, such as 2026-11-01.", "maxLength": 40 },
                    "end_date": { "type": "string", "description": "Until when, such as 2026-11-07.", "maxLength": 40 },
                    "limit": { "type": "integer", "description": "How many messages at most; the newest are kept.", "default": 200, "minimum": 1, "maximum": LIMIT_MAX }
                },
                "required": ["start_date", "end_date"],
                "additionalProperties": false
            }),
            ..spec("history_time_search", Risk::Read)
        }
    }

    fn outside_source(&self, _: &Value, result: &Value) -> Option<String> {
        result["from"].as_str().map(str::to_owned)
    }

    fn run(&self, arguments: Value, ctx: ToolCtx) -> BoxFuture<'static, ToolOutcome> {
        async move {
            let memories = match memories(&ctx) {
                Ok(memories) => memories,
                Err(refused) => return refused,
            };
            let span = match span(&arguments, &ctx) {
                Ok(span) => span,
                Err(refused) => return refused,
            };
            let limit = usize::try_from(whole(&arguments, "limit", 200, (1, LIMIT_MAX))).unwrap_or(usize::MAX);
            let store = memories.store().clone();
            outcome(blocking(move || search(&store, &ctx, span, limit)).await)
        }
        .boxed()
    }
}

fn span(arguments: &Value, ctx: &ToolCtx) -> Result<(Timestamp, Timestamp), ToolOutcome> {
    let read = |name: &str, edge| {
        let text = needed(arguments, name)?;
        moment(&text, &ctx.zone, edge).ok_or_else(|| {
            ToolOutcome::error(format!("`{name}` is not a date such as 2026-11-30 or 2026-11-30T14:00."))
        })
    };
    let (start, end) = (read("start_date", Edge::Start)?, read("end_date", Edge::End)?);
    if end <= start {
        return Err(ToolOutcome::error("`end_date` is before `start_date`."));
    }
    Ok((start, end))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Edge {
    Start,
    End,
}

/// A date or a moment in ISO 8601, in this zone when it names none. The end of a day is the beginning of the next.
fn moment(text: &str, zone: &jiff::tz::TimeZone, edge: Edge) -> Option<Timestamp> {
    let text = text.trim();
    if let Ok(moment) = text.parse::<jiff::Timestamp>() {
        return Some(Timestamp(moment.as_millisecond()));
    }
    let is_day = !text.contains([':', 'T', 't']);
    let civil = if is_day {
        let day: jiff::civil::Date = text.parse().ok()?;
        let day = if edge == Edge::End { day.checked_add(1.day()).ok()? } else { day };
        day.at(0, 0, 0, 0)
    } else {
        text.parse::<jiff::civil::DateTime>().ok()?
    };
    Some(Timestamp(civil.to_zoned_datetime(zone.clone()).ok()?.timestamp().as_millisecond()))
}

fn search(store: &Store, ctx: &ToolCtx, (start, end): (Timestamp, Timestamp), limit: usize) -> Result<Value, Error> {
    let snapshot = store.snapshot()?;
    let mut found: Vec<MessageRecord> = Vec::new();
    for session in snapshot.newest_sessions()? {
        let session: SessionRecord = session?;
        if session.updated_at < start {
            break; // newest first: the others ended before
        }
        if session.incognito || session.created_at >= end {
            continue;
        }
        for message in snapshot.prefix::<MessageRecord>(&session.id)? {
            let message = message?;
            let is_said = matches!(message.role, MessageRole::User | MessageRole::Assistant | MessageRole::Other);
            if is_said && !message.content.trim().is_empty() && (start..end).contains(&message.created_at) {
                found.push(message);
            }
        }
        // Only the newest are kept; sorting now and then keeps what waits small.
        if found.len() > 4 * limit {
            newest(&mut found, limit);
        }
    }
    newest(&mut found, limit);
    if found.is_empty() {
        return Ok(json!({ "result": "Nothing was said in that time." }));
    }
    let mut lines = Vec::with_capacity(found.len());
    let mut from = None;
    for message in &found {
        if from.is_none() {
            from = whose(&snapshot, message, ctx)?;
        }
        let text: String = message.content.chars().take(TEXT_CHARS_MAX).collect();
        let role = serde_json::to_value(message.role).unwrap_or_default();
        let who = message.name.as_deref().filter(|_| message.role == MessageRole::Other);
        lines.push(format!("[{}] {}: {text}", when(message, ctx), who.or(role.as_str()).unwrap_or_default()));
    }
    let mut answer = json!({ "conversation": lines.join("\n"), "count": found.len() });
    if let Some(from) = from {
        answer["from"] = Value::String(from);
    }
    Ok(answer)
}

/// The last `limit` of them, oldest first.
fn newest(found: &mut Vec<MessageRecord>, limit: usize) {
    found.sort_by(|one, other| one.created_at.cmp(&other.created_at).then_with(|| one.id.cmp(&other.id)));
    found.drain(..found.len().saturating_sub(limit));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_read_in_the_persons_zone() {
        let zone = jiff::tz::TimeZone::fixed(jiff::tz::offset(2));
        for (text, edge, want) in [
            ("2026-11-30", Edge::Start, Some("2026-11-29T22:00:00Z")),
            ("2026-11-30", Edge::End, Some("2026-11-30T22:00:00Z")),
            ("2026-11-30T14:00", Edge::End, Some("2026-11-30T12:00:00Z")),
            ("2026-11-30T14:00:00Z", Edge::Start, Some("2026-11-30T14:00:00Z")),
            (" 2026-11-30 ", Edge::Start, Some("2026-11-29T22:00:00Z")),
            ("yesterday", Edge::Start, None),
            ("", Edge::End, None),
            ("2026-13-40", Edge::End, None),
        ] {
            let want = want.map(|text| Timestamp(text.parse::<jiff::Timestamp>().expect(text).as_millisecond()));
            assert_eq!(moment(text, &zone, edge), want, "{text}");
        }
    }
}
