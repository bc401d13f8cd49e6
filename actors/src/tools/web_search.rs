//! `web_search`: finds pages. It opens none of them.

use super::arguments::{json, needed, outcome, wait, whole};
use super::{Tool, ToolCtx};
use crate::ports::Search;
use futures::future::{BoxFuture, FutureExt};
use protocol::tools::{Risk, ToolOutcome, ToolSpec};
use serde_json::{Value, json};
use std::sync::Arc;

const RESULTS: (u64, u64) = (1, 20);
const RESULTS_DEFAULT: u64 = 8;

pub(super) struct WebSearch {
    pub(super) search: Arc<dyn Search>,
}

impl Tool for WebSearch {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "web_search",
            plugin: "internet_search",
            description: "Searches the web and gives titles, addresses and short excerpts. Open the best ones with \
                          web_fetch when the excerpts are not enough.",
            parameters: json!({
                "type": "object",
                "properties": {
                    "query": {
                        "type": "string",
                        "description": "What to look for, in a few words.",
                        "minLength": 1,
                        "maxLength": 400
                    },
                    "max_results": {
                        "type": "integer",
                        "description": "How many results to give.",
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
        let search = self.search.clone();
        async move { outcome(find(search, arguments, ctx).await) }.boxed()
    }
}

async fn find(search: Arc<dyn Search>, arguments: Value, ctx: ToolCtx) -> Result<Value, ToolOutcome> {
    let query = needed(&arguments, "query")?;
    let results = whole(&arguments, "max_results", RESULTS_DEFAULT, RESULTS) as usize;
    let mut answer = json(&wait(&ctx, search.search(query.clone(), results)).await?)?;
    answer["query"] = query.into();
    Ok(answer)
}

#[cfg(test)]
mod tests {
    use super::super::fakes::{self, FakeWeb};
    use super::*;

    #[tokio::test]
    async fn results_come_with_their_question() {
        let web = Arc::new(FakeWeb::default());
        let tool = WebSearch { search: web.clone() };
        let answer = tool.run(json!({"query": " rust  "}), fakes::ctx()).await;
        let want = json!({
            "query": "rust", "provider": "duckduckgo",
            "results": [{"title": "About rust", "url": "https://example.com/", "snippet": "words"}]
        });
        assert_eq!(answer, ToolOutcome::ok(want));
        tool.run(json!({"query": "rust", "max_results": 99}), fakes::ctx()).await;
        assert_eq!(web.asked(), ["search rust 8", "search rust 20"]);
    }

    #[tokio::test]
    async fn a_blank_question_a_failing_service_and_a_stopped_turn_are_explained() {
        let tool = WebSearch { search: Arc::new(FakeWeb::default()) };
        let stopped = fakes::ctx();
        stopped.cancel.cancel();
        for (query, ctx, want) in [
            ("  ", fakes::ctx(), "`query` is missing or empty."),
            ("fail", fakes::ctx(), "The service did not answer."),
            ("rust", stopped, "Stopped before it was done."),
        ] {
            assert_eq!(tool.run(json!({ "query": query }), ctx).await, ToolOutcome::error(want));
        }
    }
}
