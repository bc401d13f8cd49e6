//! The first step: memories that say the same become one.

use super::steps::{Work, asking};
use crate::memory::Merge;
use protocol::{Error, ErrorKind};
use rules::dreams::{Cluster, DreamFact, MergeLimits, accepted_text, clusters, fuller, merge_question, parse_merged};

impl Work {
    pub(super) async fn merge(&mut self) -> Result<(), Error> {
        let config = self.config();
        let owner = config.assistant.user_name.clone();
        let limits =
            MergeLimits { similarity: config.dreaming.merge_similarity, overlap: config.dreaming.merge_min_overlap };
        let known = self.facts().await?;
        self.record.stats.facts_reviewed = u32::try_from(known.facts.len()).unwrap_or(u32::MAX);
        let found = {
            let similar = |one: u64, other: u64| known.similar(one, other);
            clusters(&known.facts, &similar, limits, &owner)
        };
        let mut failed = None;
        for cluster in found {
            let members: Vec<&DreamFact> = cluster.members.iter().map(|index| &known.facts[*index]).collect();
            match self.merge_one(&cluster, &members, &known.facts, &owner).await {
                Ok(()) => (),
                // One that was changed, forgotten or moved meanwhile is tomorrow's.
                Err(error) if matches!(error.kind, ErrorKind::NotFound | ErrorKind::Conflict) => (),
                Err(error) if error.kind == ErrorKind::Cancelled => return Err(error),
                Err(error) => failed = Some(error),
            }
        }
        failed.map_or(Ok(()), Err)
    }

    async fn merge_one(
        &mut self,
        cluster: &Cluster,
        members: &[&DreamFact],
        facts: &[DreamFact],
        owner: &str,
    ) -> Result<(), Error> {
        let contents: Vec<&str> = members.iter().map(|fact| fact.content.as_str()).collect();
        let content = match cluster.words_of {
            Some(index) => facts[index].content.clone(),
            None => {
                let Some(answer) = self.ask(merge_question(&contents), false).await? else { return Ok(()) };
                let merged = accepted_text(parse_merged(&answer), &contents, owner);
                merged.unwrap_or_else(|| contents[fuller(&contents)].to_owned())
            }
        };
        if !self.unchanged(members)? {
            return Ok(());
        }
        let keep = members[0].id;
        let fold: Vec<u64> = members[1..].iter().map(|fact| fact.id).collect();
        let folded = u32::try_from(fold.len()).unwrap_or(u32::MAX);
        let kept = self.means().memories.memory.ask(&asking(), Merge { keep, fold, content: Some(content) }).await?;
        self.record.stats.merged += folded;
        self.journal.merged(members.len(), &kept.content);
        self.progress(None).await;
        Ok(())
    }
}
