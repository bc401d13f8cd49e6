//! A document's text as memories: read piece by piece, everything found waits for review (contract section 7, import).

use super::LearningParts;
use crate::Engine;
use crate::memory::{NewFact, SaveOrigin};
use protocol::memory::{MemoryStatus, SaveAction, SourceRef};
use protocol::memory_files::ImportResult;
use protocol::{Error, ErrorKind};
use rules::memory::extraction::{self, FACTS_MAX, Source};
use rules::memory::{pieces, review, scope, talk};

/// A document that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocumentText {
    /// The file's name as the person knows it.
    pub name: String,
    pub text: String,
}

impl Engine {
    /// Reads a document for memories, which wait for review in `scope` (`None`: personal).
    ///
    /// # Errors
    /// `Invalid` for a scope that is none, `Unprocessable` for a document without text, `Unavailable` when no model can
    /// read it: nothing of it is kept then, or what was kept by then waits for review.
    pub async fn import_document(&self, document: DocumentText, into: Option<&str>) -> Result<ImportResult, Error> {
        let into = scope::parse(into.unwrap_or(protocol::memory::SCOPE_PERSONAL));
        let into = into.map_err(|error| Error::invalid(error.to_string()))?;
        self.learning.import(document, &into).await
    }
}

impl LearningParts {
    async fn import(&self, document: DocumentText, into: &str) -> Result<ImportResult, Error> {
        let config = self.config();
        let piece_chars = usize::try_from(config.memory.import_chunk_chars).unwrap_or(usize::MAX);
        let pieces = pieces::of(&document.text, piece_chars);
        if pieces.is_empty() {
            let none = format!("{} holds no text that can be read.", document.name);
            return Err(Error::new(ErrorKind::Unprocessable, none));
        }
        let owner = config.assistant.user_name.as_str();
        let mut result = ImportResult { source: format!("file:{}", document.name), ..ImportResult::default() };
        for piece in pieces {
            let answer = self.ask_for_import(&piece, owner).await?;
            let said = [piece.clone()];
            let source = Source { said: &said, said_before: &[], shown: &[], owner, marked: false, facts_max: FACTS_MAX };
            for content in extraction::parse(&answer, &source).unwrap_or_default() {
                let quote = talk::said_where(&content, &[&piece]).map_or(piece.as_str(), |(_, sentence)| sentence);
                let mut new = NewFact::new(content, result.source.clone(), SaveOrigin::Import);
                into.clone_into(&mut new.scope);
                new.hold = Some(review::note(&document.name, Some(quote), None));
                new.reference = Some(SourceRef::File { file: document.name.clone(), quote: quote.to_owned() });
                count(&mut result, &self.memories.save(new).await?);
            }
        }
        Ok(result)
    }

    /// The person asked for it, so it may run while everything is stopped.
    async fn ask_for_import(&self, piece: &str, owner: &str) -> Result<String, Error> {
        let ask = crate::completion::Ask {
            question: extraction::prompt(piece, owner),
            job: protocol::engine::ModelJob::Interactive,
            output_tokens_max: super::ANSWER_TOKENS_MAX,
            who: crate::completion::Who::Upkeep,
            then: Vec::new(),
        };
        let cancel = tokio_util::sync::CancellationToken::new();
        let _at_work = self.stop.enter(crate::stop::Work::Background, cancel.clone(), self.stop.stops());
        tokio::select! {
            biased;
            () = cancel.cancelled() => Err(Error::new(ErrorKind::Cancelled, "Everything was stopped.")),
            answer = self.asker.complete(&self.world, ask) => answer,
        }
    }
}

fn count(result: &mut ImportResult, saved: &protocol::memory::Saved) {
    match saved.action {
        SaveAction::Add if saved.status == Some(MemoryStatus::Pending) => result.pending += 1,
        SaveAction::Add => result.added += 1,
        SaveAction::Update => result.updated += 1,
        SaveAction::Skip | SaveAction::Delete => result.skipped += 1,
    }
}
