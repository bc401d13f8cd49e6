//! Lists of chats, files and models as lines of text.

use super::plain::line;
use serde_json::Value;

/// Columns of an id that is shown whole.
const ID_COLUMNS: usize = 34;

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_default()
}

/// One chat a line: id, when it was last used, title.
pub(crate) fn sessions_table(rows: &Value, width: usize) -> String {
    let rows = rows.as_array().map(Vec::as_slice).unwrap_or_default();
    if rows.is_empty() {
        return "There are no chats yet.".to_owned();
    }
    let one = |row: &Value| {
        let used = line(text(row, "updated_at"), 16).replace('T', " ");
        let title = line(text(row, "title"), width.saturating_sub(ID_COLUMNS + 20).max(20));
        format!("{:<ID_COLUMNS$}{used:<18}{title}", line(text(row, "id"), ID_COLUMNS))
    };
    rows.iter().map(one).collect::<Vec<_>>().join("\n")
}

/// One file a line: name and size.
pub(super) fn files_table(rows: &Value) -> String {
    let files = rows.as_array().or_else(|| rows["files"].as_array()).map(Vec::as_slice).unwrap_or_default();
    if files.is_empty() {
        return "There are no files yet.".to_owned();
    }
    let one = |row: &Value| {
        let size = row["size"].as_u64().or_else(|| row["bytes"].as_u64()).unwrap_or_default();
        format!("{:>10}  {}", format!("{} KB", size.div_ceil(1_000)), line(text(row, "name"), 200))
    };
    files.iter().map(one).collect::<Vec<_>>().join("\n")
}

/// One hit a line: the chat's id and the words around it.
pub(super) fn hits_table(rows: &Value, width: usize) -> String {
    let rows = rows.as_array().map(Vec::as_slice).unwrap_or_default();
    if rows.is_empty() {
        return "Nothing was found.".to_owned();
    }
    let one = |row: &Value| {
        let snippet = line(text(row, "snippet"), width.saturating_sub(ID_COLUMNS).max(20));
        format!("{:<ID_COLUMNS$}{snippet}", line(text(row, "session_id"), ID_COLUMNS))
    };
    rows.iter().map(one).collect::<Vec<_>>().join("\n")
}

/// The models in use by role, then those on this computer.
pub(crate) fn models_table(config: &Value, local: &Value) -> String {
    let mut out = Vec::new();
    for (role, model) in config["models"]["roles"].as_object().into_iter().flatten() {
        if let Some(model) = model.as_str().filter(|model| !model.is_empty()) {
            out.push(format!("{:<12}{}", line(role, 11), line(model, 100)));
        }
    }
    if out.is_empty() {
        out.push("No model is chosen yet.".to_owned());
    }
    let mut names = Vec::new();
    collect_models(local, &mut names);
    out.push(if names.is_empty() {
        "No model was found on this computer.".to_owned()
    } else {
        format!("On this computer: {}", names.join(", "))
    });
    out.join("\n")
}

/// Names of models wherever the list of local runtimes holds them.
fn collect_models(value: &Value, names: &mut Vec<String>) {
    match value {
        Value::Array(rows) => rows.iter().for_each(|row| collect_models(row, names)),
        Value::Object(fields) => {
            if let Some(Value::Array(models)) = fields.get("models") {
                let name = |row: &Value| row.as_str().or_else(|| row["name"].as_str()).map(|name| line(name, 100));
                names.extend(models.iter().filter_map(name));
            } else {
                fields.values().for_each(|field| collect_models(field, names));
            }
        }
        _ => (),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn lists_are_one_thing_a_line() {
        let rows = json!([{ "id": "c1", "title": "A\nname\u{1b}[2J", "updated_at": "2026-11-30T10:11:12Z" }]);
        let want = format!("{:<34}{:<18}A name␛[2J", "c1", "2026-11-30 10:1…");
        assert_eq!(sessions_table(&rows, 80), want);
        assert_eq!(sessions_table(&json!([]), 80), "There are no chats yet.");
        assert_eq!(files_table(&json!([{ "name": "a.pdf", "size": 1500 }])), "      2 KB  a.pdf");
        assert!(hits_table(&json!([{ "session_id": "c1", "snippet": "two words" }]), 80).ends_with("two words"));
        let config = json!({ "models": { "roles": { "primary": "ollama_chat/a", "fast": null } } });
        let local = json!([{ "runtime": "ollama", "models": [{ "name": "a" }, { "name": "b" }] }]);
        assert_eq!(models_table(&config, &local), "primary     ollama_chat/a\nOn this computer: a, b");
    }
}
