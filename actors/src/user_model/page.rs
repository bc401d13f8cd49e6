//! Insights as surfaces see them.

use super::{review, rows};
use protocol::Error;
use protocol::knowing::{Evidence, Insight, InsightQuestion, InsightStatus, UserModelPage};
use storage::Snapshot;
use storage::records::{InsightRecord, QuestionRecord};

/// An insight as clients see it.
pub fn shown(insight: InsightRecord) -> Insight {
    let review = review::note(&insight);
    let evidence = insight.evidence.into_iter().map(|one| Evidence {
        kind: one.kind,
        reference: one.reference,
        quote: one.quote,
        at: one.at,
    });
    Insight {
        id: insight.id.to_string(),
        dimension: insight.dimension,
        statement: insight.statement,
        confidence: insight.confidence,
        status: insight.status,
        source: insight.source,
        evidence: evidence.collect(),
        review,
        created_at: insight.created_at,
        updated_at: insight.updated_at,
    }
}

/// Everything but what waits, in the contract's order.
pub(super) fn page(snapshot: &Snapshot) -> Result<UserModelPage, Error> {
    let mut insights: Vec<InsightRecord> = snapshot.all::<InsightRecord>()?.collect::<Result<_, _>>()?;
    insights.retain(|insight| insight.status != InsightStatus::Pending);
    insights.sort_by(|a, b| a.status.cmp(&b.status).then(b.confidence.total_cmp(&a.confidence)).then(a.id.cmp(&b.id)));
    let questions: Vec<QuestionRecord> = snapshot.all::<QuestionRecord>()?.collect::<Result<_, _>>()?;
    let rows::State { summary, updated_at } = rows::state(snapshot)?;
    Ok(UserModelPage {
        summary,
        updated_at,
        insights: insights.into_iter().map(shown).collect(),
        questions: questions
            .into_iter()
            .map(|question| InsightQuestion {
                id: question.id,
                question: question.question,
                insight_id: question.insight_id.to_string(),
                created_at: question.created_at,
            })
            .collect(),
    })
}
