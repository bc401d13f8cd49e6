//! `chart_save_image`: paints a chart and keeps it in the files folder under a name of its own.

use super::arguments::{outcome, wait, words};
use super::chart_create_url::{chart_properties, paint};
use super::{Description, Tool, ToolCtx};
use crate::ports::{Charts, FilesPort};
use futures::future::{BoxFuture, FutureExt};
use protocol::tools::{Risk, ToolOutcome, ToolSpec};
use serde_json::{Value, json};
use std::sync::Arc;

/// Characters of a picture's name, its ending aside.
const NAME_CHARS_MAX: usize = 80;

pub(super) struct ChartSaveImage {
    pub(super) charts: Arc<dyn Charts>,
    pub(super) files: Arc<dyn FilesPort>,
}

impl Tool for ChartSaveImage {
    fn spec(&self) -> ToolSpec {
        let mut properties = chart_properties();
        properties["filename"] = json!({
            "type": ["string", "null"],
            "description": "Name of the picture, for example sales-2026.png; leave out for one made up here.",
            "maxLength": 120
        });
        ToolSpec {
            name: "chart_save_image",
            plugin: "charts",
            description: "Paints a chart and saves it as a PNG picture in the files folder, for the person to keep.",
            parameters: json!({
                "type": "object",
                "properties": properties,
                "required": ["chart_config"],
                "additionalProperties": false
            }),
            risk: Risk::Write,
            internal: false,
            allow_for_chat: true,
            untrusted_output: false,
        }
    }

    fn describe(&self, arguments: &Value) -> Description {
        Description { risk_label: None, target: words(arguments, "filename").and_then(|name| picture_name(&name)) }
    }

    fn run(&self, arguments: Value, ctx: ToolCtx) -> BoxFuture<'static, ToolOutcome> {
        let (charts, files) = (self.charts.clone(), self.files.clone());
        async move { outcome(save(charts, files, arguments, ctx).await) }.boxed()
    }
}

async fn save(
    charts: Arc<dyn Charts>,
    files: Arc<dyn FilesPort>,
    arguments: Value,
    ctx: ToolCtx,
) -> Result<Value, ToolOutcome> {
    let (_, picture) = paint(charts.as_ref(), &arguments, &ctx).await?;
    let name = words(&arguments, "filename")
        .and_then(|name| picture_name(&name))
        .unwrap_or_else(|| format!("charts/chart-{}.png", rules::outside::short_hash(&picture)));
    let saved = wait(&ctx, files.write(name, picture)).await?;
    Ok(json!({ "saved": saved.name, "path": saved.path, "bytes": saved.bytes }))
}

/// `charts/<name>.png` for what a model called a picture: its last part, in letters, digits, blanks, `-` and `_`.
fn picture_name(text: &str) -> Option<String> {
    let last = text.rsplit(['/', '\\']).next().unwrap_or_default();
    let ending = last.len().checked_sub(4).filter(|at| last.is_char_boundary(*at));
    let stem = ending.filter(|at| last[*at..].eq_ignore_ascii_case(".png")).map_or(last, |at| &last[..at]);
    let kept = |c: char| if c.is_alphanumeric() || "-_ ".contains(c) { c } else { '-' };
    let name: String = stem.chars().take(NAME_CHARS_MAX).map(kept).collect();
    let name = name.trim_matches(['-', ' ']);
    (!name.is_empty()).then(|| format!("charts/{name}.png"))
}

#[cfg(test)]
mod tests {
    use super::super::fakes::{self, FakeFiles, FakeWeb};
    use super::*;

    #[test]
    fn pictures_get_plain_names() {
        for (text, want) in [
            ("sales", Some("charts/sales.png")),
            ("Sales 2026.PNG", Some("charts/Sales 2026.png")),
            ("charts/sales.png", Some("charts/sales.png")),
            ("../../etc/passwd", Some("charts/passwd.png")),
            (r"c:\x\y.png", Some("charts/y.png")),
            ("a.b.png", Some("charts/a-b.png")),
            ("données", Some("charts/données.png")),
            ("..", None),
            (".png", None),
            ("", None),
        ] {
            assert_eq!(picture_name(text).as_deref(), want, "{text}");
        }
        assert!(picture_name(&"é".repeat(500)).unwrap().chars().count() < 100);
    }

    #[tokio::test]
    async fn a_chart_is_saved_under_its_name() {
        let files = FakeFiles::with(&[]);
        let tool = ChartSaveImage { charts: Arc::new(FakeWeb::default()), files: files.clone() };
        let config = json!({"type": "pie", "data": {}});
        let arguments = json!({"chart_config": config, "filename": "sales", "width": 300, "height": 200});
        assert_eq!(tool.describe(&arguments).target.as_deref(), Some("charts/sales.png"));
        let answer = tool.run(arguments, fakes::ctx()).await;
        let want = json!({"saved": "charts/sales.png", "path": "/files/charts/sales.png", "bytes": 19});
        assert_eq!(answer, ToolOutcome::ok(want));
        let unnamed = tool.run(json!({ "chart_config": config }), fakes::ctx()).await.result;
        assert!(unnamed["saved"].as_str().unwrap().starts_with("charts/chart-"), "{unnamed}");
        assert_eq!(files.count(), 2);
    }
}
