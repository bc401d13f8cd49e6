//! `current_datetime`: what time it is, here or in another zone. It reads the clock it is given, never the computer's.

use super::arguments::{outcome, words};
use super::{Tool, ToolCtx};
use futures::future::{BoxFuture, FutureExt};
use jiff::tz::TimeZone;
use protocol::Timestamp;
use protocol::tools::{Risk, ToolOutcome, ToolSpec};
use serde_json::{Value, json};

pub(super) struct CurrentDatetime;

impl Tool for CurrentDatetime {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "current_datetime",
            plugin: "time",
            description: "Tells the date, the time and the weekday right now. Use it before anything that depends on \
                          today, and with `timezone` for the time somewhere else.",
            parameters: json!({
                "type": "object",
                "properties": {
                    "timezone": {
                        "type": ["string", "null"],
                        "description": "IANA time zone such as Asia/Kolkata or Europe/Berlin; leave out for the \
                                        person's own.",
                        "maxLength": 64
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
        let zone = match words(&arguments, "timezone") {
            None => Ok(ctx.zone.clone()),
            Some(name) if name.eq_ignore_ascii_case("auto") => Ok(ctx.zone.clone()),
            Some(name) => TimeZone::get(&name).map_err(|_| {
                ToolOutcome::error(format!(
                    "\"{name}\" is not a time zone. Use an IANA name such as Asia/Kolkata or Europe/Berlin."
                ))
            }),
        };
        let answer = outcome(zone.map(|zone| describe(ctx.now, zone)));
        async move { answer }.boxed()
    }
}

/// The result: `{iso, date, time, weekday, timezone}`. A zone without a name is shown as its offset.
fn describe(now: Timestamp, zone: TimeZone) -> Value {
    let there = jiff::ZonedDateTime::new(now.to_jiff(), zone);
    let offset = there.strftime("%:z").to_string();
    json!({
        "iso": there.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string(),
        "date": there.strftime("%Y-%m-%d").to_string(),
        "time": there.strftime("%H:%M").to_string(),
        "weekday": there.strftime("%A").to_string(),
        "timezone": there.time_zone().iana_name().map_or(offset, str::to_owned),
    })
}

#[cfg(test)]
mod tests {
    use super::super::fakes;
    use super::*;

    #[tokio::test]
    async fn the_same_moment_in_several_zones() {
        // 2026-10-10T09:00:00Z, a Saturday.
        for (arguments, want) in [
            (json!({}), ["2026-10-10T09:00:00+00:00", "2026-10-10", "09:00", "Saturday", "UTC"]),
            (json!({"timezone": null}), ["2026-10-10T09:00:00+00:00", "2026-10-10", "09:00", "Saturday", "UTC"]),
            (json!({"timezone": "auto"}), ["2026-10-10T09:00:00+00:00", "2026-10-10", "09:00", "Saturday", "UTC"]),
            (
                json!({"timezone": "Asia/Kolkata"}),
                ["2026-10-10T14:30:00+05:30", "2026-10-10", "14:30", "Saturday", "Asia/Kolkata"],
            ),
            (
                json!({"timezone": "Pacific/Kiritimati"}),
                ["2026-10-10T23:00:00+14:00", "2026-10-10", "23:00", "Saturday", "Pacific/Kiritimati"],
            ),
            (
                json!({"timezone": "Pacific/Honolulu"}),
                ["2026-10-09T23:00:00-10:00", "2026-10-09", "23:00", "Friday", "Pacific/Honolulu"],
            ),
        ] {
            let answer = CurrentDatetime.run(arguments.clone(), fakes::ctx()).await;
            assert!(!answer.is_error, "{arguments}");
            let got = ["iso", "date", "time", "weekday", "timezone"].map(|key| answer.result[key].as_str().unwrap());
            assert_eq!(got, want, "{arguments}");
        }
    }

    #[tokio::test]
    async fn a_zone_that_does_not_exist_is_explained() {
        let answer = CurrentDatetime.run(json!({"timezone": "Mars/Olympus"}), fakes::ctx()).await;
        assert!(answer.is_error);
        assert!(answer.result["error"].as_str().unwrap().contains("Mars/Olympus"), "{}", answer.result);
    }
}
