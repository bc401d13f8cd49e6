//! `maps_directions`: the way from one place to another.

use super::arguments::{json, needed, outcome, wait, words};
use super::{Tool, ToolCtx};
use crate::ports::Maps;
use futures::future::{BoxFuture, FutureExt};
use protocol::tools::{Risk, ToolOutcome, ToolSpec};
use serde_json::{Value, json};
use std::sync::Arc;

const MODES: [&str; 4] = ["driving", "walking", "bicycling", "transit"];

pub(super) struct MapsDirections {
    pub(super) maps: Arc<dyn Maps>,
}

impl Tool for MapsDirections {
    fn spec(&self) -> ToolSpec {
        let place = |what: &str| json!({ "type": "string", "description": what, "minLength": 1, "maxLength": 300 });
        ToolSpec {
            name: "maps_directions",
            plugin: "maps",
            description: "Gives the route between two places: how far, how long, and the turns on the way.",
            parameters: json!({
                "type": "object",
                "properties": {
                    "origin": place("Where it starts: an address, a place, or latitude,longitude."),
                    "destination": place("Where it ends: an address, a place, or latitude,longitude."),
                    "mode": {
                        "type": "string",
                        "description": "How to travel.",
                        "enum": MODES,
                        "default": MODES[0]
                    }
                },
                "required": ["origin", "destination"],
                "additionalProperties": false
            }),
            risk: Risk::Read,
            internal: false,
            allow_for_chat: true,
            untrusted_output: true,
        }
    }

    fn run(&self, arguments: Value, ctx: ToolCtx) -> BoxFuture<'static, ToolOutcome> {
        let maps = self.maps.clone();
        async move { outcome(route(maps, arguments, ctx).await) }.boxed()
    }
}

async fn route(maps: Arc<dyn Maps>, arguments: Value, ctx: ToolCtx) -> Result<Value, ToolOutcome> {
    let origin = needed(&arguments, "origin")?;
    let destination = needed(&arguments, "destination")?;
    let mode = words(&arguments, "mode").unwrap_or_else(|| MODES[0].to_owned()).to_lowercase();
    if !MODES.contains(&mode.as_str()) {
        return Err(ToolOutcome::error(format!("`mode` must be one of {}.", MODES.join(", "))));
    }
    json(&wait(&ctx, maps.directions(origin, destination, mode)).await?)
}

#[cfg(test)]
mod tests {
    use super::super::fakes::{self, FakeWeb};
    use super::*;

    #[tokio::test]
    async fn a_route_in_every_mode_but_unknown_ones() {
        let web = Arc::new(FakeWeb::default());
        let tool = MapsDirections { maps: web.clone() };
        for (mode, fine) in
            [(json!(null), true), (json!("Walking"), true), (json!("transit"), true), (json!("fly"), false)]
        {
            let answer = tool.run(json!({"origin": "A", "destination": "B", "mode": mode}), fakes::ctx()).await;
            assert_eq!(answer.is_error, !fine, "{mode}");
        }
        assert_eq!(web.asked(), ["way A B driving", "way A B walking", "way A B transit"]);
        assert!(tool.run(json!({"origin": "A"}), fakes::ctx()).await.is_error);
    }
}
