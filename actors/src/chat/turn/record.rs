//! Stores and shows the result of a call: cut to what the model reads, the whole of it kept as a file.

use super::{Append, Runner};
use crate::chat::NewRow;
use protocol::Error;
use protocol::chat::ChatEvent;
use protocol::sessions::MessageRole;
use protocol::tools::ToolOutcome;
use rules::results;

impl Runner {
    pub(super) async fn record_call(&mut self, index: usize) -> Result<(), Error> {
        let Some(call) = self.calls.get(index).cloned() else { return Ok(()) };
        let outcome = call.outcome.clone().unwrap_or_else(|| ToolOutcome::error("Not done."));
        let outside = if call.ran { self.outside_source(&call.name, &call.arguments, &outcome) } else { None };
        let content = self.shown(&call.id.0, &outcome).await;
        if call.ran && !outcome.is_error {
            self.note_source(&call, &outcome);
        }
        let row = NewRow {
            text: content,
            call_id: Some(call.id.clone()),
            name: Some(call.name.clone()),
            is_error: outcome.is_error,
            approval: call.approval.clone(),
            outside: outside.clone().unwrap_or_default(),
            ..NewRow::of(MessageRole::Tool)
        };
        let mut step = Append { rows: vec![row], untrusted: outside, ..self.step() };
        if call.journaled {
            step.effects.push(self.effect(&call, call.settled(&outcome)));
        }
        if call.ran {
            let (host, led) = self.note_visit(&call);
            step.visited.extend(host);
            step.led = led;
        }
        let step = self.allowance(index, step);
        self.append(step).await?;
        self.calls[index].recorded = true;
        self.tell(ChatEvent::ToolResult {
            call_id: call.id,
            name: call.name,
            result: outcome.result,
            is_error: outcome.is_error,
            duration_ms: call.duration_ms,
        });
        Ok(())
    }

    /// Whose words the result carries, if somebody else's (contract section 10, "Outside content").
    fn outside_source(&self, name: &str, arguments: &serde_json::Value, outcome: &ToolOutcome) -> Option<String> {
        if let Some(source) = rules::outside::named_by_result(&outcome.result) {
            return Some(source);
        }
        let tool = self.setting.parts.tools.get(name)?;
        if let Some(source) = tool.outside_source(arguments, &outcome.result) {
            return Some(source);
        }
        let spec = tool.spec();
        spec.untrusted_output.then(|| self.setting.parts.tools.plugin_display_name(spec.plugin))
    }

    /// What the model reads of it.
    async fn shown(&mut self, call_id: &str, outcome: &ToolOutcome) -> String {
        let full = results::text(&outcome.result);
        let limit = self.result_limit();
        if full.chars().count() <= limit {
            return full;
        }
        let session = self.record.incognito.then_some(self.record.id.as_str());
        let name = rules::outside::saved_output_name(call_id, session);
        let saved = self.setting.parts.files.write(name.clone(), full.clone().into_bytes()).await;
        if let Err(error) = &saved {
            tracing::warn!(%error, "a long result could not be saved");
        }
        let shown = results::cut(&full, limit, saved.is_ok().then_some(name.as_str()));
        match shown.note {
            Some(note) => format!("{}\n{note}", shown.text),
            None => shown.text,
        }
    }
}
