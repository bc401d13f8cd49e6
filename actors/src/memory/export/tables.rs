//! The export for other programs: the tables `memories` and `about_you` in an SQLite file.

use super::Rows;
use crate::memory::facts::{json, status};
use protocol::memory::MemoryStatus;
use protocol::{Error, ErrorKind};
use rules::sqlite_file::{Table, Value, write};
use storage::records::FactRecord;

const MEMORIES: &str = "CREATE TABLE memories (id INTEGER PRIMARY KEY, content TEXT, source TEXT, topics TEXT, \
                        memory_type TEXT, status TEXT, created_at TEXT, updated_at TEXT, expires_at TEXT, \
                        came_from TEXT, scope TEXT)";
const ABOUT_YOU: &str = "CREATE TABLE about_you (id TEXT, dimension TEXT, statement TEXT, confidence REAL, status TEXT, \
                         source TEXT, created_at TEXT, updated_at TEXT, came_from TEXT)";

/// The file's bytes.
///
/// # Errors
/// More than such a file holds.
pub(in crate::memory) fn sqlite(rows: &Rows) -> Result<Vec<u8>, Error> {
    let memories = rows.facts.iter().map(|fact| (i64::try_from(fact.id).unwrap_or(i64::MAX), memory(fact))).collect();
    let about = rows.about.iter().zip(1..).map(|(about, number)| {
        let text = |text: &str| Value::Text(text.to_owned());
        let values = vec![
            text(&about.id),
            text(&about.dimension),
            text(&about.statement),
            Value::Real(about.confidence),
            text(&about.status),
            text(&about.source),
            text(&about.created_at.to_string()),
            text(&about.updated_at.to_string()),
            optional(about.came_from.clone()),
        ];
        (number, values)
    });
    let tables = [
        Table { name: "memories", sql: MEMORIES, rows: memories },
        Table { name: "about_you", sql: ABOUT_YOU, rows: about.collect() },
    ];
    write(&tables).map_err(|problem| Error::new(ErrorKind::TooLarge, problem.to_string()))
}

fn optional(text: Option<String>) -> Value {
    text.map_or(Value::Null, Value::Text)
}

fn memory(fact: &FactRecord) -> Vec<Value> {
    let text = |text: &str| Value::Text(text.to_owned());
    vec![
        Value::Null, // the row's own number stands for it
        text(&fact.content),
        text(&fact.source),
        Value::Text(json(&fact.topics)),
        text(if fact.short_term { "short-term" } else { "long-term" }),
        text(if status(fact.status) == MemoryStatus::Pending { "pending" } else { "active" }),
        text(&fact.created_at.to_string()),
        text(&fact.updated_at.to_string()),
        optional(fact.expires_at.map(|end| end.to_string())),
        optional(fact.review.clone()),
        text(&fact.scope),
    ]
}
