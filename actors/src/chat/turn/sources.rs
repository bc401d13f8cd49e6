//! Notes what a reply used, for its `sources`.

use super::Runner;
use super::call::RoundCall;
use protocol::sessions::MessageRole;
use protocol::tools::ToolOutcome;
use rules::answer_sources::{Used, add};
use serde_json::Value;

impl Runner {
    pub(super) fn note_source(&mut self, call: &RoundCall, outcome: &ToolOutcome) {
        self.note(&call.name, &call.arguments, &outcome.result);
        self.note_memories(&call.name, &outcome.result);
    }

    /// The memories a tool gave, as far as the model read its result (contract section 2, "Memory sources").
    fn note_memories(&mut self, tool: &str, result: &Value) {
        let read = rules::memory_sources::read_rows(tool, result, self.result_limit());
        for row in read {
            // One that was forgotten meanwhile is shown on no reply.
            let Ok(fact) = self.setting.parts.memories.fact(row.id) else { continue };
            rules::memory::recalled::add(&mut self.memory_sources, row.fact(&fact.source));
        }
    }

    /// What the steps before a restart used, read from their rows.
    pub(super) fn note_stored_sources(&mut self) {
        let rows = self.setting.rows.clone();
        let calls: Vec<_> = rows.iter().flat_map(|row| &row.tool_calls).collect();
        for row in rows.iter().filter(|row| row.role == MessageRole::Tool && !row.is_error) {
            let Some(call) = calls.iter().find(|call| Some(&call.id) == row.tool_call_id.as_ref()) else { continue };
            let arguments = serde_json::from_str(&call.function.arguments).unwrap_or_default();
            let result = serde_json::from_str(&row.content).unwrap_or_else(|_| Value::String(row.content.clone()));
            self.note(&call.function.name, &arguments, &result);
            self.note_memories(&call.function.name, &result);
        }
    }

    fn note(&mut self, name: &str, arguments: &Value, result: &Value) {
        // Handed to the person, or only tried: nothing was read.
        if result.get("handed_off").is_some() || result.get("try_run").is_some() {
            return;
        }
        let tools = self.setting.parts.tools.clone();
        let plugin = tools.get(name).map(|tool| tool.spec().plugin).unwrap_or_default();
        let app = tools.plugin_display_name(plugin);
        let is_connected = tools.is_connected_app(plugin);
        add(&mut self.sources, &Used { tool: name, plugin, app: &app, is_connected, arguments, result });
    }
}
