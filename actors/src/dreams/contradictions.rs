//! The third step: of memories that cannot both hold, one does.

use super::languages::row;
use super::steps::{Work, asking};
use crate::memory::Supersede;
use protocol::{Error, ErrorKind};
use rules::dreams::{
    DreamFact, Settled, contradiction_question, contradictions, pair_key, parse_contradiction, remember_cleared, settle,
};
use std::collections::BTreeSet;

/// Pairs that may both hold.
const CLEARED: &str = "dreaming.cleared_pairs";

impl Work {
    pub(super) async fn contradictions(&mut self) -> Result<(), Error> {
        let config = self.config();
        let owner = config.assistant.user_name.clone();
        let known = self.facts().await?; // merges have changed some
        let mut cleared = self.pairs(CLEARED)?;
        let found = {
            let similar = |one: u64, other: u64| known.similar(one, other);
            contradictions(&known.facts, &similar, config.dreaming.contradiction_similarity, &owner, &cleared)
        };
        let zone = self.means().zone();
        let (mut settled, mut failed) = (BTreeSet::new(), None);
        for pair in found {
            let (older, newer) = (&known.facts[pair.older], &known.facts[pair.newer]);
            if settled.contains(&older.id) || settled.contains(&newer.id) {
                continue;
            }
            let answer = match self.ask(contradiction_question(older, newer, &zone), false).await {
                Ok(Some(answer)) => answer,
                Ok(None) => break,
                Err(error) if error.kind == ErrorKind::Cancelled => return Err(error),
                Err(error) => {
                    failed = Some(error);
                    continue;
                }
            };
            let Some(answer) = parse_contradiction(&answer) else { continue };
            let (old, by) = match settle(&older.content, &newer.content, answer) {
                Settled::Both => {
                    remember_cleared(&mut cleared, pair_key(older, newer));
                    self.progress(Some(row(CLEARED, &cleared))).await;
                    continue;
                }
                Settled::Newer => (older, newer),
                Settled::Older => (newer, older),
            };
            if self.supersede(old, by).await? {
                settled.insert(old.id);
            }
        }
        failed.map_or(Ok(()), Err)
    }

    async fn supersede(&mut self, old: &DreamFact, by: &DreamFact) -> Result<bool, Error> {
        if !self.unchanged(&[old, by])? {
            return Ok(false);
        }
        match self.means().memories.memory.ask(&asking(), Supersede { old: old.id, by: by.id }).await {
            Err(error) if matches!(error.kind, ErrorKind::NotFound | ErrorKind::Conflict) => return Ok(false),
            settled => settled.map(drop)?,
        }
        self.record.stats.contradictions_resolved += 1;
        self.journal.settled(&by.content, &old.content);
        self.progress(None).await;
        Ok(true)
    }
}
