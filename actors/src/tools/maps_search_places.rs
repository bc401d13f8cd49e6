//! `maps_search_places`: places by name or kind.

use super::arguments::{json, needed, outcome, wait, whole};
use super::{Tool, ToolCtx};
use crate::ports::Maps;
use futures::future::{BoxFuture, FutureExt};
use protocol::tools::{Risk, ToolOutcome, ToolSpec};
use serde_json::{Value, json};
use std::sync::Arc;

const RESULTS: (u64, u64) = (1, 10);
const RESULTS_DEFAULT: u64 = 5;

pub(super) struct MapsSearchPlaces {
    pub(super) maps: Arc<dyn Maps>,
}

impl Tool for MapsSearchPlaces {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "maps_search_places",
            plugin: "maps",
            description: "Finds places on the map: addresses, towns, sights, shops. Gives name, address and \
                          coordinates.",
            parameters: json!({
                "type": "object",
                "properties": {
                    "query": {
                        "type": "string",
                        "description": "What and where, for example bookshop in Lisbon or 10 Downing Street, London.",
                        "minLength": 1,
                        "maxLength": 300
                    },
                    "max_results": {
                        "type": "integer",
                        "description": "How many places to give.",
                        "default": RESULTS_DEFAULT,
                        "minimum": RESULTS.0,
                        "maximum": RESULTS.1
                    }
                },
                "required": ["query"],
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
        async move { outcome(find(maps, arguments, ctx).await) }.boxed()
    }
}

async fn find(maps: Arc<dyn Maps>, arguments: Value, ctx: ToolCtx) -> Result<Value, ToolOutcome> {
    let query = needed(&arguments, "query")?;
    let results = whole(&arguments, "max_results", RESULTS_DEFAULT, RESULTS) as usize;
    let (provider, places) = wait(&ctx, maps.places(query.clone(), results)).await?;
    let mut answer = json!({ "query": query, "provider": provider, "places": json(&places)? });
    if places.is_empty() {
        answer["note"] = "No place was found. A shorter name, or a town with its country, may help.".into();
    }
    Ok(answer)
}

#[cfg(test)]
mod tests {
    use super::super::fakes::{self, FakeWeb};
    use super::*;

    #[tokio::test]
    async fn places_and_none() {
        let tool = MapsSearchPlaces { maps: Arc::new(FakeWeb::default()) };
        let found = tool.run(json!({"query": "Oslo"}), fakes::ctx()).await.result;
        let place = json!({"name": "Oslo", "address": "Oslo, Norway", "latitude": 59.9, "longitude": 10.7,
                           "url": "https://www.openstreetmap.org/"});
        assert_eq!(found, json!({"query": "Oslo", "provider": "openstreetmap", "places": [place]}));
        let none = tool.run(json!({"query": "nothing"}), fakes::ctx()).await.result;
        assert!(none["places"].as_array().unwrap().is_empty() && none["note"].is_string(), "{none}");
    }
}
