//! Which memories a tool brought to a reply (contract section 2, "Memory sources"): recorded from what it returned, never
//! asked of a model. Those of the prompt, and the limit of all, are in `memory::recalled`.

use protocol::sessions::MemorySource;
use serde_json::Value;

/// Tools whose rows are memories.
const TOOLS: [&str; 2] = ["memory_recall", "memory_search_by_source"];

/// A row of a memory tool's result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub id: u64,
    /// The memory as it was during the turn.
    pub text: String,
}

impl Row {
    /// The memory as a reply names it. `source`: where it was learned.
    pub fn fact(self, source: &str) -> MemorySource {
        MemorySource {
            kind: "fact".into(),
            id: self.id.into(),
            text: self.text,
            source: source.to_owned(),
            via: "tool".into(),
        }
    }
}

/// The rows of a memory tool's result that the model read whole: those within the first `limit` characters of its text.
pub fn read_rows(tool: &str, result: &Value, limit: usize) -> Vec<Row> {
    let Some(rows) = result.as_array().filter(|_| TOOLS.contains(&tool)) else { return Vec::new() };
    let mut end = 1; // the bracket
    let mut read = Vec::new();
    for row in rows {
        end += row.to_string().chars().count();
        if end > limit {
            break;
        }
        end += 1; // the comma, or the bracket at the end
        if let (Some(id), Some(text)) = (row["id"].as_u64(), row["fact"].as_str()) {
            read.push(Row { id, text: text.to_owned() });
        }
    }
    read
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn rule_88_only_rows_that_were_read_count() {
        let rows = json!([{ "id": 1, "fact": "Maya lives in Pune" }, { "id": 2, "fact": "माया को चाय पसंद है" }, { "id": 3, "fact": "c" }]);
        let whole = rows.to_string().chars().count();
        let first = 1 + rows[0].to_string().chars().count();
        let second = first + 1 + rows[1].to_string().chars().count();
        for (name, tool, limit, want) in [
            ("all", "memory_recall", whole, &[1, 2, 3][..]),
            ("the last row is cut", "memory_recall", whole - 2, &[1, 2]),
            ("two", "memory_search_by_source", second, &[1, 2]),
            ("one", "memory_recall", second - 1, &[1]),
            ("none", "memory_recall", first - 1, &[]),
            ("another tool", "web_search", whole, &[]),
        ] {
            let read: Vec<u64> = read_rows(tool, &rows, limit).into_iter().map(|row| row.id).collect();
            assert_eq!(read, want, "{name}");
        }
        assert!(read_rows("memory_recall", &json!({ "error": "x" }), 100).is_empty());
        assert!(read_rows("memory_recall", &json!([{ "id": "a" }, 5, null]), 100).is_empty());
    }
}
