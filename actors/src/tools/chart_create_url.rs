//! `chart_create_url`: paints a chart and gives its address and the Markdown that shows it in the chat.
//!
//! Nothing leaves the computer: the picture is painted here and kept under `files/charts/` (decision 0040).

use super::arguments::{outcome, wait, whole};
use super::{Tool, ToolCtx};
use crate::ports::{Charts, FilesPort};
use futures::future::{BoxFuture, FutureExt};
use protocol::tools::{Risk, ToolOutcome, ToolSpec};
use serde_json::{Value, json};
use std::sync::Arc;

const WIDTH: (u64, u64) = (200, 2_000);
const HEIGHT: (u64, u64) = (150, 2_000);
const WIDTH_DEFAULT: u64 = 800;
const HEIGHT_DEFAULT: u64 = 450;
/// Characters of a configuration, as compact JSON. Ours: some 10,000 points.
const CONFIG_CHARS_MAX: usize = 200_000;
/// Characters of the title that go into the picture's alternative text.
const ALT_CHARS_MAX: usize = 120;

pub(super) struct ChartCreateUrl {
    pub(super) charts: Arc<dyn Charts>,
    pub(super) files: Arc<dyn FilesPort>,
}

/// The arguments both chart tools take.
pub(super) fn chart_properties() -> Value {
    json!({
        "chart_config": {
            "type": "object",
            "description": "A Chart.js configuration: type (bar, horizontalBar, line, pie, doughnut, radar, scatter or \
                            polarArea), data with labels and datasets, and options such as title.",
            "properties": {
                "type": { "type": "string" },
                "data": { "type": "object" },
                "options": { "type": "object" }
            },
            "required": ["type", "data"]
        },
        "width": {
            "type": "integer",
            "description": "Width in pixels.",
            "default": WIDTH_DEFAULT,
            "minimum": WIDTH.0,
            "maximum": WIDTH.1
        },
        "height": {
            "type": "integer",
            "description": "Height in pixels.",
            "default": HEIGHT_DEFAULT,
            "minimum": HEIGHT.0,
            "maximum": HEIGHT.1
        }
    })
}

/// Paints the picture the arguments describe. Small models send the configuration as text; that is read too.
pub(super) async fn paint(
    charts: &dyn Charts,
    arguments: &Value,
    ctx: &ToolCtx,
) -> Result<(Value, Vec<u8>), ToolOutcome> {
    let config = match arguments.get("chart_config") {
        Some(Value::String(text)) if text.len() <= CONFIG_CHARS_MAX => serde_json::from_str(text).unwrap_or_default(),
        Some(config) => config.clone(),
        None => Value::Null,
    };
    if !config.is_object() {
        return Err(ToolOutcome::error("`chart_config` must be a Chart.js configuration object."));
    }
    if config.to_string().len() > CONFIG_CHARS_MAX {
        return Err(ToolOutcome::error("The chart has too much data. Summarise it to a few thousand points."));
    }
    let width = whole(arguments, "width", WIDTH_DEFAULT, WIDTH) as u32;
    let height = whole(arguments, "height", HEIGHT_DEFAULT, HEIGHT) as u32;
    let picture = wait(ctx, charts.paint(config.clone(), width, height)).await?;
    Ok((config, picture))
}

impl Tool for ChartCreateUrl {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "chart_create_url",
            plugin: "charts",
            description: "Paints a chart from numbers you have and gives Markdown that shows it; put that Markdown \
                          into your reply.",
            parameters: json!({
                "type": "object",
                "properties": chart_properties(),
                "required": ["chart_config"],
                "additionalProperties": false
            }),
            risk: Risk::Read,
            internal: false,
            allow_for_chat: true,
            untrusted_output: false,
        }
    }

    fn run(&self, arguments: Value, ctx: ToolCtx) -> BoxFuture<'static, ToolOutcome> {
        let (charts, files) = (self.charts.clone(), self.files.clone());
        async move { outcome(create(charts, files, arguments, ctx).await) }.boxed()
    }
}

async fn create(
    charts: Arc<dyn Charts>,
    files: Arc<dyn FilesPort>,
    arguments: Value,
    ctx: ToolCtx,
) -> Result<Value, ToolOutcome> {
    let (config, picture) = paint(charts.as_ref(), &arguments, &ctx).await?;
    // Named by its content: painting the same chart again gives the same file, not another one.
    let name = format!("charts/chart-{}.png", rules::outside::short_hash(&picture));
    let saved = wait(&ctx, files.write(name, picture)).await?;
    let url = format!("/api/files/content/{}", saved.name);
    let markdown = format!("![{}]({url})", alternative_text(&config));
    Ok(json!({ "url": url, "markdown": markdown }))
}

/// The chart's title, without what would end the Markdown early; "Chart" when it has none.
fn alternative_text(config: &Value) -> String {
    let title = config
        .pointer("/options/plugins/title/text")
        .or_else(|| config.pointer("/options/title/text"))
        .and_then(|text| text.as_str().or_else(|| text.get(0)?.as_str()))
        .unwrap_or_default();
    let plain = |c: char| if c.is_control() || "[]()!`\\<>".contains(c) { ' ' } else { c };
    let text: String = title.chars().take(ALT_CHARS_MAX).map(plain).collect();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.is_empty() { "Chart".to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::super::fakes::{self, FakeFiles, FakeWeb};
    use super::*;

    fn tool() -> (ChartCreateUrl, Arc<FakeFiles>, Arc<FakeWeb>) {
        let (files, web) = (FakeFiles::with(&[]), Arc::new(FakeWeb::default()));
        (ChartCreateUrl { charts: web.clone(), files: files.clone() }, files, web)
    }

    #[tokio::test]
    async fn a_chart_is_kept_here_and_shown_by_markdown() {
        let (tool, files, web) = tool();
        let config = json!({"type": "bar", "data": {}, "options": {"title": {"text": "Rain [mm] in Oslo"}}});
        let answer = tool.run(json!({"chart_config": config, "width": 9}), fakes::ctx()).await.result;
        let url = answer["url"].as_str().unwrap();
        assert_eq!(answer["markdown"], format!("![Rain mm in Oslo]({url})"));
        let name = url.strip_prefix("/api/files/content/").unwrap();
        assert!(name.starts_with("charts/chart-") && name.ends_with(".png"), "{name}");
        assert_eq!(files.text(name).as_deref(), Some("picture bar 200 450"));
        let again = json!({"chart_config": config.to_string(), "width": 200});
        assert_eq!(tool.run(again, fakes::ctx()).await.result, answer, "the same chart is the same file");
        assert_eq!(files.count(), 1);
        assert_eq!(web.asked().len(), 2);
    }

    #[tokio::test]
    async fn what_is_not_a_chart_is_explained() {
        let (tool, files, _) = tool();
        for config in [json!(null), json!("bar"), json!([1]), json!({"type": "fail"})] {
            let answer = tool.run(json!({ "chart_config": config }), fakes::ctx()).await;
            assert!(answer.is_error, "{config}");
        }
        let long = json!({"type": "bar", "data": "1".repeat(CONFIG_CHARS_MAX)});
        assert!(tool.run(json!({ "chart_config": long }), fakes::ctx()).await.is_error);
        assert_eq!(files.count(), 0, "nothing was saved");
    }

    #[test]
    fn titles_cannot_break_out_of_the_picture() {
        for (config, want) in [
            (json!({}), "Chart"),
            (json!({"options": {"plugins": {"title": {"text": "A"}}}}), "A"),
            (json!({"options": {"plugins": {"title": {"text": ["A b", "C"]}}}}), "A b"),
            (json!({"options": {"title": {"text": "](https://evil.example/x) ![y"}}}), "https://evil.example/x y"),
            (json!({"options": {"title": {"text": 5}}}), "Chart"),
        ] {
            assert_eq!(alternative_text(&config), want, "{config}");
        }
    }
}
