//! Huddle, a group chat: read what the others wrote, post to all of them.

use super::tool::{text, tool};
use super::{TestApps, Tools};
use actors::tools::ToolCtx;
use protocol::tools::{Risk, ToolOutcome};
use serde_json::{Value, json};

const APP: &str = "huddle";

pub(super) fn tools(apps: &TestApps) -> Tools {
    vec![
        tool(apps, (APP, "huddle_read_messages"), Risk::Read, "channel?", read).made(),
        tool(apps, (APP, "huddle_post_message"), Risk::Send, "channel text", post).says("Sends", "channel").made(),
    ]
}

fn read(apps: &TestApps, _: &Value, _: &ToolCtx) -> ToolOutcome {
    let state = apps.state();
    let messages: Vec<Value> = state.group.iter().map(|(who, text)| json!({ "user": who, "text": text })).collect();
    ToolOutcome::ok(json!({ "messages": messages }))
}

fn post(apps: &TestApps, arguments: &Value, _: &ToolCtx) -> ToolOutcome {
    apps.state().leaves("huddle_post_message", vec![text(arguments, "channel")], text(arguments, "text"));
    ToolOutcome::ok(json!({ "sent": true }))
}
