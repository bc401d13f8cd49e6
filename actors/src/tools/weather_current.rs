//! `weather_current`: the weather at a place now and today.

use super::arguments::{outcome, wait, words};
use super::{Tool, ToolCtx};
use crate::ports::Weather;
use futures::future::{BoxFuture, FutureExt};
use protocol::tools::{Risk, ToolOutcome, ToolSpec};
use serde_json::{Value, json};
use std::sync::Arc;

pub(super) struct WeatherCurrent {
    pub(super) weather: Arc<dyn Weather>,
}

/// The `location` argument both weather tools take.
pub(super) fn location_schema() -> Value {
    json!({
        "type": ["string", "null"],
        "description": "Town, optionally with its country, such as Pune, India; leave out for where the person lives.",
        "maxLength": 200
    })
}

/// The place that was asked for, or where the person lives.
pub(super) fn location(arguments: &Value, ctx: &ToolCtx) -> Result<String, ToolOutcome> {
    let home = ctx.location.trim();
    words(arguments, "location").or_else(|| (!home.is_empty()).then(|| home.to_owned())).ok_or_else(|| {
        ToolOutcome::error("No place was given and no city is set. Ask which town, or set the city in Settings.")
    })
}

impl Tool for WeatherCurrent {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "weather_current",
            plugin: "weather",
            description: "Tells the weather at a place right now, and today's highs, lows and chance of rain.",
            parameters: json!({
                "type": "object",
                "properties": { "location": location_schema() },
                "required": [],
                "additionalProperties": false
            }),
            risk: Risk::Read,
            internal: false,
            allow_for_chat: true,
            untrusted_output: false,
        }
    }

    fn run(&self, arguments: Value, ctx: ToolCtx) -> BoxFuture<'static, ToolOutcome> {
        let weather = self.weather.clone();
        async move {
            let answer = match location(&arguments, &ctx) {
                Ok(place) => wait(&ctx, weather.current(place)).await,
                Err(missing) => Err(missing),
            };
            outcome(answer)
        }
        .boxed()
    }
}

#[cfg(test)]
mod tests {
    use super::super::fakes::{self, FakeWeb};
    use super::*;

    #[tokio::test]
    async fn the_persons_own_city_is_the_default() {
        let web = Arc::new(FakeWeb::default());
        let tool = WeatherCurrent { weather: web.clone() };
        let at_home = ToolCtx { location: "Pune, India".to_owned(), ..fakes::ctx() };
        for (arguments, ctx) in [
            (json!({"location": "Oslo"}), fakes::ctx()),
            (json!({"location": null}), at_home.clone()),
            (json!({"location": " "}), at_home),
        ] {
            assert!(!tool.run(arguments, ctx).await.is_error);
        }
        assert!(tool.run(json!({}), fakes::ctx()).await.is_error, "no city is known");
        assert_eq!(web.asked(), ["weather Oslo", "weather Pune, India", "weather Pune, India"]);
    }
}
