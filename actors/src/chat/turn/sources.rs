//! Pages, files and apps a reply used, read from results by code; a model is never asked (contract section 2, "Answer
//! sources").

use super::Runner;
use super::call::RoundCall;
use protocol::limits::{ANSWER_SNIPPET_CHARS_MAX, ANSWER_SOURCES_MAX};
use protocol::sessions::{AnswerSource, AnswerSourceKind};
use protocol::tools::ToolOutcome;
use serde_json::Value;

/// Results of one web search that count.
const SEARCH_RESULTS_COUNTED: usize = 3;

impl Runner {
    pub(super) fn note_source(&mut self, call: &RoundCall, outcome: &ToolOutcome) {
        let plugin = self.setting.parts.tools.get(&call.name).map(|tool| tool.spec().plugin).unwrap_or_default();
        for source in found(&call.name, plugin, &call.arguments, &outcome.result) {
            let known = self.sources.iter().any(|known| known.url == source.url && known.file == source.file);
            if !known && self.sources.len() < ANSWER_SOURCES_MAX {
                self.sources.push(source);
            }
        }
    }
}

fn found(tool: &str, plugin: &str, arguments: &Value, result: &Value) -> Vec<AnswerSource> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let base = |kind, title: String| AnswerSource {
        kind,
        title,
        app: plugin.to_owned(),
        tool: tool.to_owned(),
        ..AnswerSource::default()
    };
    match tool {
        "web_fetch" => vec![AnswerSource {
            url: Some(text(&result["url"])),
            snippet: snippet(&text(&result["content"])),
            ..base(AnswerSourceKind::Web, text(&result["title"]))
        }],
        "web_search" => result["results"]
            .as_array()
            .into_iter()
            .flatten()
            .take(SEARCH_RESULTS_COUNTED)
            .map(|hit| AnswerSource {
                url: Some(text(&hit["url"])),
                snippet: snippet(&text(&hit["snippet"])),
                ..base(AnswerSourceKind::Web, text(&hit["title"]))
            })
            .collect(),
        "file_read" => {
            let name = text(&arguments["name"]);
            let title = name.rsplit('/').next().unwrap_or_default().to_owned();
            vec![AnswerSource {
                file: Some(name),
                snippet: snippet(&text(&result["content"])),
                ..base(AnswerSourceKind::File, title)
            }]
        }
        _ => Vec::new(),
    }
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

    #[test]
    fn what_counts_as_a_source() {
        let hit = |n: u32| json!({ "title": format!("T{n}"), "url": format!("https://x/{n}"), "snippet": "s" });
        let search = json!({ "results": [hit(1), hit(2), hit(3), hit(4)] });
        assert_eq!(found("web_search", "internet_search", &json!({}), &search).len(), 3);
        let read = found("file_read", "files", &json!({ "name": "uploads/a b.txt" }), &json!({ "content": " x  y " }));
        assert_eq!((read[0].title.as_str(), read[0].snippet.as_deref()), ("a b.txt", Some("x y")));
        assert!(found("current_datetime", "time", &json!({}), &json!({})).is_empty());
    }
}
