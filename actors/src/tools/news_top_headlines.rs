//! `news_top_headlines`: what the papers of a country lead with.

use super::arguments::{json, outcome, wait, words};
use super::news_search::{country_and_results, country_schema, results_schema};
use super::{Tool, ToolCtx};
use crate::ports::NewsFeed;
use futures::future::{BoxFuture, FutureExt};
use protocol::tools::{Risk, ToolOutcome, ToolSpec};
use serde_json::{Value, json};
use std::sync::Arc;

const CATEGORIES: [&str; 8] =
    ["world", "nation", "business", "technology", "entertainment", "sports", "science", "health"];

pub(super) struct NewsTopHeadlines {
    pub(super) news: Arc<dyn NewsFeed>,
}

impl Tool for NewsTopHeadlines {
    fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: "news_top_headlines",
            plugin: "news",
            description: "Gives the top headlines of a country right now, of all kinds or of one category.",
            parameters: json!({
                "type": "object",
                "properties": {
                    "country": country_schema(),
                    "category": {
                        "type": ["string", "null"],
                        "description": "One kind of news; leave out for all.",
                        "enum": [
                            "world", "nation", "business", "technology", "entertainment", "sports", "science",
                            "health", null
                        ]
                    },
                    "max_results": results_schema()
                },
                "required": [],
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
        async move { outcome(headlines(news, arguments, ctx).await) }.boxed()
    }
}

async fn headlines(news: Arc<dyn NewsFeed>, arguments: Value, ctx: ToolCtx) -> Result<Value, ToolOutcome> {
    let (country, results) = country_and_results(&arguments)?;
    let category = words(&arguments, "category").map(|word| word.to_lowercase());
    if category.as_ref().is_some_and(|word| !CATEGORIES.contains(&word.as_str())) {
        return Err(ToolOutcome::error(format!("`category` must be one of {}.", CATEGORIES.join(", "))));
    }
    let answer = wait(&ctx, news.headlines(country, category.clone(), results)).await?;
    let articles = json(&answer.articles)?;
    Ok(json!({
        "provider": answer.provider, "country": answer.country, "category": category, "articles": articles,
    }))
}

#[cfg(test)]
mod tests {
    use super::super::fakes::{self, FakeWeb};
    use super::*;

    #[tokio::test]
    async fn headlines_of_one_kind_or_all() {
        let web = Arc::new(FakeWeb::default());
        let tool = NewsTopHeadlines { news: web.clone() };
        let answer = tool.run(json!({"category": "Sports"}), fakes::ctx()).await.result;
        assert_eq!((&answer["country"], &answer["category"]), (&json!("US"), &json!("sports")));
        let all = tool.run(json!({"category": null, "country": "de"}), fakes::ctx()).await.result;
        assert_eq!((&all["country"], &all["category"]), (&json!("DE"), &json!(null)));
        assert!(tool.run(json!({"category": "gossip"}), fakes::ctx()).await.is_error);
        assert_eq!(web.asked(), [r#"headlines None Some("sports") 10"#, r#"headlines Some("DE") None 10"#]);
    }

    #[test]
    fn the_schema_names_every_category() {
        let tool = NewsTopHeadlines { news: Arc::new(FakeWeb::default()) };
        let spec = tool.spec();
        let named = spec.parameters["properties"]["category"]["enum"].as_array().unwrap().clone();
        let named: Vec<&str> = named.iter().filter_map(Value::as_str).collect();
        assert_eq!(named, CATEGORIES);
    }
}
