//! `web_fetch`: the text of one page. Where it may go is the adapter's guard and the gate, never decided here.

use super::arguments::{json, needed, outcome, wait, whole, words};
use super::{Description, Tool, ToolCtx};
use crate::ports::Pages;
use futures::future::{BoxFuture, FutureExt};
use protocol::tools::{Progress, Risk, ToolOutcome, ToolSpec};
use serde_json::{Value, json};
use std::sync::Arc;

/// The same bounds as `integrations.web_fetch_max_chars`.
const CHARS: (u64, u64) = (1_000, 200_000);

pub(super) struct WebFetch {
    pub(super) pages: Arc<dyn Pages>,
}

impl Tool for WebFetch {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "web_fetch",
            plugin: "web",
            description: "Opens one public web address and gives its title and text: pages, articles, PDFs, JSON and \
                          plain text. It cannot log in, click or fill in forms.",
            parameters: json!({
                "type": "object",
                "properties": {
                    "url": {
                        "type": "string",
                        "description": "The full address, starting with https:// or http://.",
                        "minLength": 4,
                        "maxLength": rules::address_guard::ADDRESS_CHARS_MAX
                    },
                    "max_chars": {
                        "type": ["integer", "null"],
                        "description": "Characters of text to give at most; leave out for the usual amount.",
                        "minimum": CHARS.0,
                        "maximum": CHARS.1
                    }
                },
                "required": ["url"],
                "additionalProperties": false
            }),
            risk: Risk::Read,
            internal: false,
            allow_for_chat: true,
            untrusted_output: true,
        }
    }

    fn describe(&self, arguments: &Value) -> Description {
        Description { risk_label: None, target: words(arguments, "url") }
    }

    fn url(&self, arguments: &Value) -> Option<String> {
        words(arguments, "url")
    }

    fn run(&self, arguments: Value, ctx: ToolCtx) -> BoxFuture<'static, ToolOutcome> {
        let pages = self.pages.clone();
        async move { outcome(open(pages, arguments, ctx).await) }.boxed()
    }
}

async fn open(pages: Arc<dyn Pages>, arguments: Value, ctx: ToolCtx) -> Result<Value, ToolOutcome> {
    let url = needed(&arguments, "url")?;
    let chars = match arguments.get("max_chars") {
        None | Some(Value::Null) => 0,
        Some(_) => whole(&arguments, "max_chars", CHARS.1, CHARS) as usize,
    };
    ctx.progress(Progress::status(format!("Opening {url}")));
    json(&wait(&ctx, pages.read(url, chars)).await?)
}

#[cfg(test)]
mod tests {
    use super::super::fakes::{self, FakeWeb};
    use super::*;

    #[tokio::test]
    async fn a_page_comes_back_as_text() {
        let web = Arc::new(FakeWeb::default());
        let tool = WebFetch { pages: web.clone() };
        let arguments = json!({"url": "https://example.com/a"});
        assert_eq!(tool.url(&arguments).as_deref(), Some("https://example.com/a"));
        let answer = tool.run(arguments, fakes::ctx()).await;
        let want = json!({"url": "https://example.com/a", "title": "A page", "content": "text", "truncated": false});
        assert_eq!(answer, ToolOutcome::ok(want));
        for chars in [json!(null), json!(5), json!(3000), json!(9_999_999)] {
            tool.run(json!({"url": "https://example.com/a", "max_chars": chars}), fakes::ctx()).await;
        }
        let asked = [0, 0, 1_000, 3_000, 200_000].map(|chars| format!("page https://example.com/a {chars}"));
        assert_eq!(web.asked(), asked, "0 leaves it to the settings");
    }
}
