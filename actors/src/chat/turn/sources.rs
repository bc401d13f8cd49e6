//! Notes what a reply used, for its `sources`.

use super::Runner;
use super::call::RoundCall;
use protocol::tools::ToolOutcome;
use rules::answer_sources::{Used, add};

impl Runner {
    pub(super) fn note_source(&mut self, call: &RoundCall, outcome: &ToolOutcome) {
        let tools = &self.setting.parts.tools;
        let plugin = tools.get(&call.name).map(|tool| tool.spec().plugin).unwrap_or_default();
        let used = Used {
            tool: &call.name,
            plugin,
            app: &tools.plugin_display_name(plugin),
            is_connected: tools.is_connected_app(plugin),
            arguments: &call.arguments,
            result: &outcome.result,
        };
        add(&mut self.sources, &used);
    }
}
