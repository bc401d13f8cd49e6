//! Pages, emails, files and apps a reply used, read from tool results by code; a model is never asked (contract section 2,
//! "Answer sources").

use protocol::limits::{ANSWER_SNIPPET_CHARS_MAX, ANSWER_SOURCES_MAX};
use protocol::sessions::{AnswerSource, AnswerSourceKind};
use serde_json::Value;

/// Results of one web search that count.
const SEARCH_RESULTS_COUNTED: usize = 3;
/// Notes of one search of the folders that count.
const NOTES_COUNTED: usize = 3;
/// Values of one result that are looked through for emails. Ours.
const VALUES_MAX: usize = 5_000;

/// A result that counts: the call ran and was no error.
#[derive(Clone, Copy, Debug)]
pub struct Used<'a> {
    pub tool: &'a str,
    /// The app's id, and the name a person knows it by.
    pub plugin: &'a str,
    pub app: &'a str,
    /// It is a connected app or an MCP server, not a part of Sentient.
    pub is_connected: bool,
    pub arguments: &'a Value,
    pub result: &'a Value,
}

/// Adds what a result brought. The first mention of a thing wins; an app is named once, with every tool of it.
pub fn add(sources: &mut Vec<AnswerSource>, used: &Used<'_>) {
    for source in found(used) {
        let has_room = sources.len() < ANSWER_SOURCES_MAX;
        match sources.iter_mut().find(|known| is_same(known, &source)) {
            Some(known) if known.kind == AnswerSourceKind::App => {
                let tools = known.tools.get_or_insert_default();
                if !tools.iter().any(|tool| tool == used.tool) {
                    tools.push(used.tool.to_owned());
                }
            }
            Some(_) => (),
            None if has_room => sources.push(source),
            None => (),
        }
    }
}

fn is_same(one: &AnswerSource, other: &AnswerSource) -> bool {
    one.kind == other.kind
        && match one.kind {
            AnswerSourceKind::Web => one.url == other.url,
            AnswerSourceKind::File => one.file == other.file && one.path == other.path,
            AnswerSourceKind::Email => one.app == other.app && one.id == other.id && one.title == other.title,
            AnswerSourceKind::App => one.app == other.app,
        }
}

fn found(used: &Used<'_>) -> Vec<AnswerSource> {
    let result = used.result;
    match used.tool {
        "web_search" => {
            let hits = result["results"].as_array().into_iter().flatten().take(SEARCH_RESULTS_COUNTED);
            hits.map(|hit| page(used, hit, "snippet")).collect()
        }
        "web_fetch" => vec![page(used, result, "content")],
        "file_read" => {
            let name = text(&used.arguments["name"]);
            let title = name.rsplit('/').next().unwrap_or_default().to_owned();
            let base = base(used, AnswerSourceKind::File, title);
            vec![AnswerSource { file: Some(name), snippet: snippet(&text(&result["content"])), ..base }]
        }
        "folder_search" => result["results"]
            .as_array()
            .into_iter()
            .flatten()
            .take(NOTES_COUNTED)
            .map(|hit| note(used, hit, "text"))
            .collect(),
        "folder_read" => vec![note(used, result, "content")],
        _ if used.is_connected => connected(used),
        _ => Vec::new(),
    }
}

/// What a connected app returned: its emails when there are any, else the app itself.
fn connected(used: &Used<'_>) -> Vec<AnswerSource> {
    let (mut emails, mut left) = (Vec::new(), VALUES_MAX);
    emails_in(used, used.result, &mut emails, &mut left);
    if !emails.is_empty() {
        return emails;
    }
    let shown = match used.result {
        Value::String(text) => text.clone(),
        Value::Null => return Vec::new(),
        other => other.to_string(),
    };
    let base = base(used, AnswerSourceKind::App, used.app.to_owned());
    vec![AnswerSource { snippet: snippet(&shown), tools: Some(vec![used.tool.to_owned()]), ..base }]
}

/// The items of a result that are emails: they have a sender with an address and a subject.
fn emails_in(used: &Used<'_>, value: &Value, found: &mut Vec<AnswerSource>, left: &mut usize) {
    if *left == 0 || found.len() >= ANSWER_SOURCES_MAX {
        return;
    }
    *left -= 1;
    match value {
        Value::Array(list) => list.iter().for_each(|item| emails_in(used, item, found, left)),
        Value::Object(object) => {
            let from =
                ["from", "sender_email"].map(|key| text(&value[key])).into_iter().find(|from| from.contains('@'));
            let (Some(from), Value::String(subject)) = (from, &value["subject"]) else {
                return object.values().for_each(|item| emails_in(used, item, found, left));
            };
            let read = ["body", "snippet"].map(|key| text(&value[key])).into_iter().find(|text| !text.is_empty());
            found.push(AnswerSource {
                from: Some(from),
                id: value["id"].as_str().map(str::to_owned),
                url: value["url"].as_str().map(str::to_owned),
                snippet: snippet(&read.unwrap_or_default()),
                ..base(used, AnswerSourceKind::Email, subject.clone())
            });
        }
        _ => (),
    }
}

fn page(used: &Used<'_>, value: &Value, words: &str) -> AnswerSource {
    AnswerSource {
        url: Some(text(&value["url"])),
        snippet: snippet(&text(&value[words])),
        ..base(used, AnswerSourceKind::Web, text(&value["title"]))
    }
}

/// A note of an added folder; `words` is the field with its text.
fn note(used: &Used<'_>, value: &Value, words: &str) -> AnswerSource {
    AnswerSource {
        path: Some(text(&value["file"])),
        folder: Some(text(&value["folder"])),
        url: value["link"].as_str().map(str::to_owned),
        snippet: snippet(&text(&value[words])),
        ..base(used, AnswerSourceKind::File, text(&value["title"]))
    }
}

fn base(used: &Used<'_>, kind: AnswerSourceKind, title: String) -> AnswerSource {
    AnswerSource { kind, title, app: used.plugin.to_owned(), tool: used.tool.to_owned(), ..AnswerSource::default() }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn snippet(text: &str) -> Option<String> {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let cut: String = line.chars().take(ANSWER_SNIPPET_CHARS_MAX).collect();
    (!cut.is_empty()).then_some(cut)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn used<'a>(tool: &'a str, arguments: &'a Value, result: &'a Value) -> Used<'a> {
        let is_connected = tool.starts_with("gmail") || tool.starts_with("notion");
        Used { tool, plugin: "p", app: "Gmail", is_connected, arguments, result }
    }

    fn all(calls: &[(&str, Value, Value)]) -> Vec<AnswerSource> {
        let mut sources = Vec::new();
        calls.iter().for_each(|(tool, arguments, result)| add(&mut sources, &used(tool, arguments, result)));
        sources
    }

    #[test]
    fn pages_and_files() {
        let hit = |n: u32| json!({ "title": format!("T{n}"), "url": format!("https://x/{n}"), "snippet": "s" });
        let search = json!({ "results": [hit(1), hit(2), hit(3), hit(4)] });
        let fetched = json!({ "url": "https://x/2", "title": "T2", "content": "whole" });
        let sources = all(&[("web_search", json!({}), search), ("web_fetch", json!({}), fetched)]);
        assert_eq!(sources.len(), 3, "the first mention wins");
        assert_eq!(sources[1].tool, "web_search");
        let read = all(&[("file_read", json!({ "name": "uploads/a b.txt" }), json!({ "content": " x  y " }))]);
        assert_eq!((read[0].title.as_str(), read[0].snippet.as_deref()), ("a b.txt", Some("x y")));
        assert!(all(&[("current_datetime", json!({}), json!({ "now": 1 }))]).is_empty());
    }

    #[test]
    fn notes_of_folders() {
        let hit = |n: u32| {
            json!({ "title": format!("N{n}"), "folder": "Notes", "path": format!("{n}.md"), "file": format!("/n/{n}.md"),
                    "text": "a  b", "link": "obsidian://open?vault=Notes&file=1" })
        };
        let found = json!({ "results": [hit(1), hit(2), hit(3), hit(4)] });
        let read = json!({ "title": "N2", "folder": "Notes", "file": "/n/2.md", "content": "whole" });
        let sources = all(&[("folder_search", json!({}), found), ("folder_read", json!({}), read)]);
        assert_eq!(sources.len(), 3, "the first three, and the first mention wins");
        let first = &sources[0];
        assert_eq!(
            (first.kind, first.path.as_deref(), first.file.as_deref()),
            (AnswerSourceKind::File, Some("/n/1.md"), None)
        );
        assert_eq!((first.folder.as_deref(), first.snippet.as_deref()), (Some("Notes"), Some("a b")));
        assert!(first.url.as_deref().is_some_and(|url| url.starts_with("obsidian://")));
        assert!(all(&[("folder_search", json!({}), json!({ "results": [], "note": "nothing" }))]).is_empty());
    }

    #[test]
    fn emails_and_other_apps() {
        let mail = json!({ "messages": [
            { "id": "m1", "from": "Jo <jo@example.com>", "subject": "Hi", "snippet": "there", "url": "https://mail/1" },
            { "id": "m2", "from": "Sam <sam@example.com>", "subject": "", "body": "whole" },
        ] });
        let one = json!({ "id": "m1", "from": "Jo <jo@example.com>", "subject": "Hi", "body": "all of it" });
        let sources = all(&[("gmail_search", json!({}), mail), ("gmail_read_message", json!({}), one)]);
        let [first, second] = &sources[..] else { panic!("{sources:?}") };
        assert_eq!(
            (first.kind, first.title.as_str(), first.id.as_deref()),
            (AnswerSourceKind::Email, "Hi", Some("m1"))
        );
        assert_eq!(
            (first.from.as_deref(), first.url.as_deref()),
            (Some("Jo <jo@example.com>"), Some("https://mail/1"))
        );
        assert_eq!((second.snippet.as_deref(), second.url.as_deref()), (Some("whole"), None));

        let apps = all(&[
            ("notion_search", json!({}), json!({ "results": [1] })),
            ("notion_read_page", json!({}), json!("text")),
            ("notion_search", json!({}), json!({})),
        ]);
        let [app] = &apps[..] else { panic!("{apps:?}") };
        assert_eq!((app.kind, app.title.as_str()), (AnswerSourceKind::App, "Gmail"));
        assert_eq!(app.tools.as_deref(), Some(&["notion_search".to_owned(), "notion_read_page".to_owned()][..]));
    }

    #[test]
    fn there_is_a_limit() {
        let calls: Vec<_> =
            (0..30).map(|n| ("web_fetch", json!({}), json!({ "url": format!("https://x/{n}") }))).collect();
        assert_eq!(all(&calls).len(), ANSWER_SOURCES_MAX);
    }
}
