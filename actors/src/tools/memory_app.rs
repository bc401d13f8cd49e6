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
