//! `weather_forecast`: the weather at a place in the coming days.

use super::arguments::{outcome, wait, whole};
use super::weather_current::{location, location_schema};
use super::{Tool, ToolCtx};
use crate::ports::Weather;
use futures::future::{BoxFuture, FutureExt};
use protocol::tools::{Risk, ToolOutcome, ToolSpec};
use serde_json::{Value, json};
use std::sync::Arc;

const DAYS: (u64, u64) = (1, 16);
const DAYS_DEFAULT: u64 = 7;

pub(super) struct WeatherForecast {
    pub(super) weather: Arc<dyn Weather>,
}

impl Tool for WeatherForecast {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "weather_forecast",
            plugin: "weather",
            description: "Tells the weather at a place for the coming days, one row a day, today first.",
            parameters: json!({
                "type": "object",
                "properties": {
                    "location": location_schema(),
                    "days": {
                        "type": "integer",
                        "description": "How many days, today included.",
                        "default": DAYS_DEFAULT,
                        "minimum": DAYS.0,
                        "maximum": DAYS.1
                    }
                },
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
        let days = whole(&arguments, "days", DAYS_DEFAULT, DAYS) as u32;
        async move {
            let answer = match location(&arguments, &ctx) {
                Ok(place) => wait(&ctx, weather.forecast(place, days)).await,
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
    async fn days_stay_within_what_the_service_knows() {
        let web = Arc::new(FakeWeb::default());
        let tool = WeatherForecast { weather: web.clone() };
        for days in [json!(null), json!(0), json!(3), json!(40)] {
            assert!(!tool.run(json!({"location": "Oslo", "days": days}), fakes::ctx()).await.is_error);
        }
        assert_eq!(web.asked(), ["forecast Oslo 7", "forecast Oslo 1", "forecast Oslo 3", "forecast Oslo 16"]);
    }
}
