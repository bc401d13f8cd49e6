//! What a story expects of memories: what is remembered, what waits for review, what a reply had in mind.

use super::Line;
use super::player::Player;
use actors::ports::WorkspaceFile;
use serde_json::Value;
use storage::records::{FactRecord, FactStatus};

impl Player {
    /// The words of all memories with this status.
    fn memories(&self, status: FactStatus) -> Vec<FactRecord> {
        let snapshot = self.setup.store.snapshot().expect("a snapshot");
        let all = snapshot.all::<FactRecord>().expect("memories").map(|fact| fact.expect("a memory"));
        all.filter(|fact| fact.status == status).collect()
    }

    pub(super) async fn forget(&mut self, words: &str) {
        let facts = self.memories(FactStatus::Active);
        let fact = facts.iter().find(|fact| fact.content == words).expect("a memory to forget");
        self.engine.engine.forget_memory(fact.id).await.expect("forgotten");
    }

    pub(super) fn expect_memory(&self, line: &Line) {
        let name = &self.name;
        match line {
            Line::Remembers(words) => expect_words(name, &self.memories(FactStatus::Active), words),
            Line::Holds(words) => expect_words(name, &self.memories(FactStatus::Pending), words),
            Line::Source(want) => {
                let done = self.frames.iter().rev().find(|frame| frame["type"] == "done").expect("a reply");
                let sources = done["memory_sources"].as_array().cloned().unwrap_or_default();
                let text = |source: &Value, field: &str| source[field].as_str().unwrap_or_default().to_owned();
                let shown: Vec<String> =
                    sources.iter().map(|source| format!("{} {}", text(source, "via"), text(source, "text"))).collect();
                match want.as_str() {
                    "nothing" => assert!(shown.is_empty(), "{name}: {shown:?}"),
                    _ => assert!(shown.contains(want), "{name}: `{want}` is not in {shown:?}"),
                }
            }
            Line::Summary { has, words } => {
                let listed = self.engine.engine.chat_summaries(None).expect("summaries");
                let text: Vec<String> = listed.into_iter().map(|summary| summary.content).collect();
                assert_eq!(text.join("\n").contains(words.as_str()), *has, "{name}: `{words}` and {text:?}");
            }
            Line::Workspace { file, has, words } => {
                let file = match file.as_str() {
                    "SOUL.md" => WorkspaceFile::Soul,
                    "USER.md" => WorkspaceFile::User,
                    "MEMORY.md" => WorkspaceFile::Memory,
                    other => panic!("{name}: no workspace file {other}"),
                };
                let text = self.setup.workspace.text(file);
                assert_eq!(text.contains(words.as_str()), *has, "{name}: `{words}` and {file:?}:\n{text}");
            }
            other => panic!("{name}: not about memories: {other:?}"),
        }
    }
}

fn expect_words(name: &str, facts: &[FactRecord], words: &str) {
    let said: Vec<&str> = facts.iter().map(|fact| fact.content.as_str()).collect();
    match words {
        "nothing" => assert!(said.is_empty(), "{name}: {said:?}"),
        _ => assert!(said.contains(&words), "{name}: `{words}` is not in {said:?}"),
    }
}
