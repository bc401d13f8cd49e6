//! The app the memory tools belong to, and what they share. They read and save through the memory they are handed, and
//! refuse where there is none.

use super::history_search::MemorySearchHistory;
use super::history_semantic_search::HistorySemanticSearch;
use super::history_time_search::HistoryTimeSearch;
use super::memory_forget::MemoryForget;
use super::memory_recall::{MemoryRecall, MemorySearchBySource};
use super::memory_remember::MemoryRemember;
use super::{Tool, ToolCtx};
use crate::memory::MemoryHandle;
use crate::user_model::UserModelAsk;
use protocol::tools::{PluginInfo, Risk, ToolOutcome, ToolSpec};
use serde_json::Value;
use std::sync::Arc;
use storage::Store;

/// The app's id.
pub(super) const PLUGIN: &str = "memory";

/// The app, as Settings shows it.
pub fn memory_app() -> PluginInfo {
    PluginInfo {
        id: PLUGIN.into(),
        display_name: "Memory".into(),
        description: "Remembers what you tell it, and finds it again, past chats too.".into(),
        category: "core".into(),
        icon: "brain".into(),
        auth: "builtin".into(),
        selection_hint:
            "remember, recall, forget, what do you know about me, my name, my favourite, last time, earlier \
                         chat, did I tell you, we talked about, history"
                .into(),
        tools: Vec::new(),
    }
}

/// All of them. `store` is where an approval card reads what a memory says; `None` where tools are only looked at.
pub fn memory_tools(store: Option<Store>) -> Vec<Arc<dyn Tool>> {
    vec![
        Arc::new(MemoryRecall),
        Arc::new(MemorySearchBySource),
        Arc::new(MemoryRemember),
        Arc::new(MemoryForget { store }),
        Arc::new(MemorySearchHistory),
        Arc::new(HistorySemanticSearch),
        Arc::new(HistoryTimeSearch),
        Arc::new(UserModelAsk),
    ]
}

/// What the declarations have in common.
pub(super) fn spec(name: &'static str, risk: Risk) -> ToolSpec {
    ToolSpec {
        name,
        plugin: PLUGIN,
        description: "",
        parameters: Value::Null,
        risk,
        internal: false,
        allow_for_chat: true,
        untrusted_output: false,
    }
}

/// The memory a call reads, where it may.
pub(super) fn memories(ctx: &ToolCtx) -> Result<MemoryHandle, ToolOutcome> {
    let withheld = || ToolOutcome::error("Memory isn't available in this chat.");
    ctx.memories.clone().filter(|_| ctx.memory.reads).ok_or_else(withheld)
}

#[cfg(test)]
mod tests {
    use super::super::fakes;
    use super::*;
    use rules::memory_access::{MemoryAccess, READING_TOOLS};
    use serde_json::json;

    /// Name, risk and whether it is part of the assistant itself, as `contract/tools.tsv` has them.
    const CONTRACT: [(&str, Risk, bool); 8] = [
        ("memory_recall", Risk::Read, false),
        ("memory_search_by_source", Risk::Read, false),
        ("memory_remember", Risk::Write, true),
        ("memory_forget", Risk::Send, false),
        ("memory_search_history", Risk::Read, false),
        ("history_semantic_search", Risk::Read, false),
        ("history_time_search", Risk::Read, false),
        ("user_model_ask", Risk::Read, false),
    ];

    #[test]
    fn the_tools_are_those_of_the_contract() {
        let specs: Vec<ToolSpec> = memory_tools(None).iter().map(|tool| tool.spec()).collect();
        let got: Vec<_> = specs.iter().map(|spec| (spec.name, spec.risk, spec.internal)).collect();
        assert_eq!(got, CONTRACT);
        for spec in specs {
            assert!(spec.plugin == PLUGIN && spec.allow_for_chat && !spec.untrusted_output, "{}", spec.name);
            assert_eq!(spec.parameters["additionalProperties"], false, "{}", spec.name);
            let properties = spec.parameters["properties"].as_object().expect("an object");
            for (name, property) in properties {
                assert!(property["description"].as_str().is_some_and(|text| text.len() > 8), "{} {name}", spec.name);
            }
        }
    }

    #[tokio::test]
    async fn rule_80_without_memory_every_one_of_them_refuses() {
        let hidden = MemoryAccess { reads: false, learns: false };
        for tool in memory_tools(None) {
            let name = tool.spec().name;
            assert!(READING_TOOLS.contains(&name) || name == "memory_remember", "{name} is not withheld");
            let arguments = json!({ "query": "x", "source": "manual", "fact": "x", "fact_id": 1,
                "start_date": "2026-01-01", "end_date": "2026-01-02" });
            let refused = tool.run(arguments, ToolCtx { memory: hidden, ..fakes::ctx() }).await;
            assert!(refused.is_error, "{name}: {}", refused.result);
        }
    }

    #[test]
    fn what_a_search_of_past_chats_found_marks_the_chat_that_reads_it() {
        let tools = memory_tools(None);
        let source = |name: &str, result: &Value| {
            let tool = tools.iter().find(|tool| tool.spec().name == name).expect("there");
            tool.outside_source(&json!({}), result)
        };
        let rows = json!([{ "text": "a" }, { "text": "b", "from": "Gmail" }]);
        assert_eq!(source("memory_search_history", &rows).as_deref(), Some("Gmail"));
        assert_eq!(source("memory_search_history", &json!([{ "text": "a" }])), None);
        assert_eq!(source("history_time_search", &json!({ "count": 1, "from": "Gmail" })).as_deref(), Some("Gmail"));
        assert_eq!(source("history_time_search", &json!({ "count": 1 })), None);
        assert_eq!(source("history_semantic_search", &json!({ "summaries": [{ "from": "2026-01-01" }] })), None);
    }
}
