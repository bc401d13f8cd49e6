//! `news_search`: recent articles about a topic.

use super::arguments::{json, needed, outcome, wait, whole, words};
use super::{Tool, ToolCtx};
use crate::ports::NewsFeed;
use futures::future::{BoxFuture, FutureExt};
use protocol::tools::{Risk, ToolOutcome, ToolSpec};
use serde_json::{Value, json};
use std::sync::Arc;

const RESULTS: (u64, u64) = (1, 30);
const RESULTS_DEFAULT: u64 = 10;

pub(super) struct NewsSearch {
    pub(super) news: Arc<dyn NewsFeed>,
}

/// The `country` argument both news tools take.
pub(super) fn country_schema() -> Value {
    json!({
        "type": ["string", "null"],
        "description": "Two-letter country code of the edition, such as IN or DE; leave out for the person's own.",
        "pattern": "^[A-Za-z]{2}$"
    })
}

/// The `max_results` argument both news tools take.
pub(super) fn results_schema() -> Value {
    json!({
        "type": "integer",
        "description": "How many articles to give.",
        "default": RESULTS_DEFAULT,
        "minimum": RESULTS.0,
        "maximum": RESULTS.1
    })
}

/// Country and number of articles. A country that is not two letters is explained.
pub(super) fn country_and_results(arguments: &Value) -> Result<(Option<String>, usize), ToolOutcome> {
    let country = words(arguments, "country").map(|code| code.to_uppercase());
    if country.as_ref().is_some_and(|code| code.len() != 2 || !code.bytes().all(|byte| byte.is_ascii_uppercase())) {
        return Err(ToolOutcome::error("`country` must be a two-letter code such as IN, US or DE."));
    }
    Ok((country, whole(arguments, "max_results", RESULTS_DEFAULT, RESULTS) as usize))
}

impl Tool for NewsSearch {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "news_search",
            plugin: "news",
            description: "Finds recent news articles about a topic, with their papers, dates and addresses.",
            parameters: json!({
                "type": "object",
                "properties": {
                    "query": {
                        "type": "string",
                        "description": "The topic, in a few words.",
                        "minLength": 1,
                        "maxLength": 300
                    },
                    "country": country_schema(),
                    "max_results": results_schema()
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
        let news = self.news.clone();
        async move { outcome(find(news, arguments, ctx).await) }.boxed()
    }
}

async fn find(news: Arc<dyn NewsFeed>, arguments: Value, ctx: ToolCtx) -> Result<Value, ToolOutcome> {
    let query = needed(&arguments, "query")?;
    let (country, results) = country_and_results(&arguments)?;
    let answer = wait(&ctx, news.search(query.clone(), country, results)).await?;
    Ok(json!({ "provider": answer.provider, "query": query, "articles": json(&answer.articles)? }))
}

#[cfg(test)]
mod tests {
    use super::super::fakes::{self, FakeWeb};
    use super::*;

    #[tokio::test]
    async fn articles_about_a_topic() {
        let web = Arc::new(FakeWeb::default());
        let tool = NewsSearch { news: web.clone() };
        let answer = tool.run(json!({"query": "rust", "country": "in", "max_results": 99}), fakes::ctx()).await;
        let article = json!({"title": "News", "source": "Paper", "url": "https://example.com/n",
                             "published_at": null, "summary": ""});
        assert_eq!(answer.result, json!({"provider": "google_news", "query": "rust", "articles": [article]}));
        assert_eq!(web.asked(), [r#"news rust Some("IN") 30"#]);
        for country in ["India", "I1", "é"] {
            assert!(tool.run(json!({"query": "rust", "country": country}), fakes::ctx()).await.is_error, "{country}");
        }
    }
}
