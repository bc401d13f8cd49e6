//! The block about the person that a model gets with a message (contract section 15, `context_for`). No model is called.

use super::UserModelHandle;
use protocol::Error;
use protocol::knowing::InsightStatus;
use rules::memory::scope;
use rules::user_model::{Candidate, ContextLimits, context};
use std::collections::BTreeMap;
use storage::records::{InsightRecord, Searched, SearchedKind};
use storage::{Snapshot, vectors};

/// The block, and what is in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContextBlock {
    /// Empty when nothing is known, or it is turned off.
    pub text: String,
    pub insights: Vec<InsightRecord>,
}

impl UserModelHandle {
    /// What is known about the person that fits `text`, for a chat of a scope: work and projects leave out relationships.
    ///
    /// # Errors
    /// A store that cannot be read.
    pub async fn context_for(&self, text: &str, in_scope: &str) -> Result<ContextBlock, Error> {
        let config = self.means.config();
        if !config.user_model.enabled {
            return Ok(ContextBlock::default());
        }
        let mut in_use = insights_in_use(&self.snapshot()?)?;
        if in_use.is_empty() {
            return Ok(ContextBlock::default());
        }
        let found = self.similarities(text, &in_use).await?;
        let candidates: Vec<Candidate> = in_use
            .iter()
            .map(|insight| Candidate {
                id: insight.id,
                dimension: insight.dimension,
                statement: insight.statement.clone(),
                confidence: insight.confidence,
                status: insight.status,
                similarity: found.get(&insight.id).copied(),
            })
            .collect();
        let limits = ContextLimits {
            chars: usize::try_from(config.user_model.context_max_chars).unwrap_or(usize::MAX),
            min_similarity: config.user_model.context_min_similarity,
            without_relationships: !scope::reads_personal_files(in_scope),
        };
        let (text, ids) = context(&config.assistant.user_name, &candidates, limits);
        in_use.retain(|insight| ids.contains(&insight.id));
        in_use.sort_by_key(|insight| ids.iter().position(|id| *id == insight.id));
        Ok(ContextBlock { text, insights: in_use })
    }

    /// How alike insights are to a text, as far as that is known.
    pub(super) async fn similarities(
        &self,
        text: &str,
        insights: &[InsightRecord],
    ) -> Result<BTreeMap<u64, f64>, Error> {
        let mut found = BTreeMap::new();
        if text.trim().is_empty() {
            return Ok(found);
        }
        let Some(query) = self.means.memories.embeddings.query(text).await else { return Ok(found) };
        let snapshot = self.snapshot()?;
        for insight in insights {
            let row = vectors::of(&snapshot, &query.space, Searched::new(SearchedKind::Insight, insight.id))?;
            if let Some(row) = row {
                found.insert(insight.id, cosine(&query.vector, &vectors::from_half(&row.vector)));
            }
        }
        Ok(found)
    }
}

/// Insights that may be used: confirmed and active ones.
pub(super) fn insights_in_use(snapshot: &Snapshot) -> Result<Vec<InsightRecord>, Error> {
    let mut in_use = Vec::new();
    for insight in snapshot.all::<InsightRecord>()? {
        let insight = insight?;
        if matches!(insight.status, InsightStatus::Active | InsightStatus::Confirmed) {
            in_use.push(insight);
        }
    }
    Ok(in_use)
}

/// The cosine of two vectors of length one.
pub(crate) fn cosine(one: &[f32], other: &[f32]) -> f64 {
    if one.len() != other.len() {
        return 0.0;
    }
    one.iter().zip(other).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
}
