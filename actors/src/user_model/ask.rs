//! A question about the person, answered from insights and memories in one model call (`user_model_ask`).

use super::{UserModelHandle, context};
use crate::memory::RecallAsk;
use protocol::Error;
use protocol::knowing::Dimension;
use protocol::tools::ToolOutcome;
use rules::memory::scope;
use serde::Deserialize;
use serde_json::json;
use storage::records::{FactRecord, FactState, InsightRecord};

/// Insights and memories that a question is answered from. Ours.
const INSIGHTS_MAX: usize = 20;
const FACTS_MAX: usize = 15;
/// Tokens of the answer. Ours.
const OUTPUT_TOKENS_MAX: u32 = 600;

#[derive(Deserialize)]
struct Written {
    answer: String,
    #[serde(default)]
    basis: Vec<String>,
}

impl UserModelHandle {
    /// Answers from what a chat of this scope reads.
    ///
    /// # Errors
    /// A store that cannot be read, or no model that answers.
    pub(super) async fn ask_about(&self, question: &str, in_scope: &str) -> Result<ToolOutcome, Error> {
        let (insights, facts) =
            (self.insights_about(question, in_scope).await?, self.facts_about(question, in_scope).await?);
        if insights.is_empty() && facts.is_empty() {
            let nothing = json!({ "answer": "Nothing is known about this.", "insights": [], "facts": [] });
            return Ok(ToolOutcome::ok(nothing));
        }
        let asked = asked(question, &insights, &facts);
        let answer = self.means.ask(self.means.config().user_model.role, asked, OUTPUT_TOKENS_MAX).await?;
        let Some(written) = rules::json_answer::parsed::<Written>(&answer) else {
            return Ok(ToolOutcome::error(
                "The model's answer could not be used. Ask again, or ask for memories instead.",
            ));
        };
        let named = |name: &str| written.basis.iter().any(|basis| basis.trim() == name);
        let statements: Vec<&str> = insights
            .iter()
            .filter(|insight| named(&format!("i{}", insight.id)))
            .map(|insight| insight.statement.as_str())
            .collect();
        let contents: Vec<&str> =
            facts.iter().filter(|fact| named(&format!("f{}", fact.id))).map(|fact| fact.content.as_str()).collect();
        let used = facts.iter().filter(|fact| named(&format!("f{}", fact.id))).map(|fact| fact.id).collect();
        self.means.memories.recalled(used).await;
        Ok(ToolOutcome::ok(json!({ "answer": written.answer.trim(), "insights": statements, "facts": contents })))
    }

    /// The insights that fit best, then the surest.
    async fn insights_about(&self, question: &str, in_scope: &str) -> Result<Vec<InsightRecord>, Error> {
        let mut insights = context::insights_in_use(&self.snapshot()?)?;
        if !scope::reads_personal_files(in_scope) {
            insights.retain(|insight| insight.dimension != Dimension::Relationships);
        }
        let found = self.similarities(question, &insights).await?;
        let likeness = |insight: &InsightRecord| found.get(&insight.id).copied().unwrap_or_default();
        insights.sort_by(|a, b| {
            likeness(b).total_cmp(&likeness(a)).then(b.confidence.total_cmp(&a.confidence)).then(a.id.cmp(&b.id))
        });
        insights.truncate(INSIGHTS_MAX);
        Ok(insights)
    }

    async fn facts_about(&self, question: &str, in_scope: &str) -> Result<Vec<FactRecord>, Error> {
        let ask = RecallAsk {
            text: question.to_owned(),
            scopes: Some(scope::readable(in_scope)),
            sources: None,
            states: vec![FactState::Current],
            limit: FACTS_MAX,
        };
        Ok(self.means.memories.recall.facts(ask).await?.into_iter().map(|found| found.fact).collect())
    }
}

fn asked(question: &str, insights: &[InsightRecord], facts: &[FactRecord]) -> String {
    let mut text =
        format!("Answer a question about a person from what is known about them.\n\nQuestion: {question}\n\nKnown:\n");
    for insight in insights {
        text += &format!("i{}: {}\n", insight.id, insight.statement);
    }
    for fact in facts {
        text += &format!("f{}: {}\n", fact.id, fact.content);
    }
    text += "\nSay nothing that is not known; when it is not known, say so. Answer with one JSON object and nothing else: \
             {\"answer\": one or two sentences, \"basis\": [names of what it rests on, such as \"i1\" or \"f2\"]}";
    text
}
