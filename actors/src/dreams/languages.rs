//! The second step: the same memory in two languages is kept once.

use super::steps::{Work, asking};
use crate::memory::{FoldLanguage, KEPT_APART};
use protocol::{Error, ErrorKind};
use rules::dreams::{
    DreamFact, Meant, Side, is_remembered, kept_side, language_pairs, language_question, majority_is_devanagari,
    pair_key, parse_language, remember_cleared,
};
use std::collections::BTreeSet;
use storage::records::MetaRecord;

/// Pairs that are not the same (contract section 15).
const NOT_THE_SAME: &str = "dreaming.language_pairs";

impl Work {
    pub(super) async fn languages(&mut self) -> Result<(), Error> {
        let config = self.config();
        if !config.dreaming.merge_languages {
            return Ok(());
        }
        let owner = config.assistant.user_name.clone();
        let known = self.facts().await?;
        let mut not_the_same = self.pairs(NOT_THE_SAME)?;
        let kept_apart = self.kept_apart()?;
        let min = known.many_languages.then_some(config.dreaming.language_merge_similarity);
        let found = {
            let similar = |one: u64, other: u64| known.similar(one, other);
            let settled = |one: &DreamFact, other: &DreamFact| {
                kept_apart.contains(&(one.id.min(other.id), one.id.max(other.id)))
                    || is_remembered(&not_the_same, one, other)
            };
            language_pairs(&known.facts, &similar, min, &owner, &settled)
        };
        let majority = majority_is_devanagari(&known.facts);
        let (mut folded, mut failed) = (BTreeSet::new(), None);
        for pair in found {
            let (hindi, other) = (&known.facts[pair.hindi], &known.facts[pair.other]);
            if folded.contains(&hindi.id) || folded.contains(&other.id) {
                continue;
            }
            let answer = match self.ask(language_question(&hindi.content, &other.content), true).await {
                Ok(Some(answer)) => answer,
                Ok(None) => break,
                Err(error) if error.kind == ErrorKind::Cancelled => return Err(error),
                Err(error) => {
                    failed = Some(error);
                    continue;
                }
            };
            match parse_language(&answer) {
                Meant::Unclear => (),
                Meant::NotTheSame => {
                    remember_cleared(&mut not_the_same, pair_key(hindi, other));
                    self.progress(Some(row(NOT_THE_SAME, &not_the_same))).await;
                }
                Meant::Same => {
                    let (keep, fold) = match kept_side(hindi, other, majority) {
                        Side::Hindi => (hindi, other),
                        Side::Other => (other, hindi),
                    };
                    if self.fold(keep, fold).await? {
                        folded.insert(fold.id);
                    }
                }
            }
        }
        failed.map_or(Ok(()), Err)
    }

    /// Folds one into the other; `false` when one of them changed meanwhile.
    async fn fold(&mut self, keep: &DreamFact, fold: &DreamFact) -> Result<bool, Error> {
        if !self.unchanged(&[keep, fold])? {
            return Ok(false);
        }
        let request = FoldLanguage { keep: keep.id, fold: fold.id };
        match self.means().memories.memory.ask(&asking(), request).await {
            Err(error) if matches!(error.kind, ErrorKind::NotFound | ErrorKind::Conflict) => return Ok(false),
            folded => folded.map(drop)?,
        }
        self.record.stats.merged += 1;
        self.record.stats.languages_merged += 1;
        self.journal.merged_languages(&keep.content, &fold.content);
        self.progress(None).await;
        Ok(true)
    }

    /// A list of pairs that is kept between dreams.
    pub(super) fn pairs(&self, name: &str) -> Result<Vec<String>, Error> {
        let row = self.needs.store.snapshot()?.get::<MetaRecord>(&name.to_owned())?;
        Ok(row.and_then(|row| serde_json::from_str(&row.value).ok()).unwrap_or_default())
    }

    /// Pairs the person took apart: never merged again.
    fn kept_apart(&self) -> Result<BTreeSet<(u64, u64)>, Error> {
        let row = self.needs.store.snapshot()?.get::<MetaRecord>(&KEPT_APART.to_owned())?;
        Ok(row.and_then(|row| serde_json::from_str(&row.value).ok()).unwrap_or_default())
    }
}

/// A list of pairs as it is stored.
pub(super) fn row(name: &str, pairs: &[String]) -> MetaRecord {
    // A list of texts: writing it cannot fail.
    MetaRecord { name: name.to_owned(), value: serde_json::to_string(pairs).unwrap_or_default() }
}
