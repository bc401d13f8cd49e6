//! A document's text as memories: read piece by piece, everything found waits for review (contract section 7, import).

use super::LearningParts;
use crate::Engine;
use crate::memory::{NewFact, SaveOrigin};
use protocol::memory::{MemoryStatus, SaveAction, SourceRef};
use protocol::memory_files::ImportResult;
use protocol::{Error, ErrorKind};
use rules::memory::extraction::{self, FACTS_MAX, Source};
use rules::memory::{pieces, review, scope, talk};

/// Characters of a file's name. Ours.
const NAME_CHARS_MAX: usize = 200;

/// A document that was read.
struct Document {
    /// The file's name as the person knows it.
    name: String,
    text: String,
}

impl Engine {
    /// Reads a document for memories, which wait for review in the scope `into` (`None`: personal).
    ///
    /// # Errors
    /// `Invalid` for another kind of file or a scope that is none, `Unprocessable` for a document that cannot be read,
    /// `Unavailable` when no model can read it: what was found by then waits for review.
    pub async fn import_file(&self, name: &str, bytes: Vec<u8>, into: Option<&str>) -> Result<ImportResult, Error> {
        let into = scope::parse(into.unwrap_or(protocol::memory::SCOPE_PERSONAL));
        let into = into.map_err(|error| Error::invalid(error.to_string()))?;
        let name = file_name(name);
        let text = self.document_text(&name, bytes).await?;
        self.learning.import(Document { name, text }, &into).await
    }

    async fn document_text(&self, name: &str, bytes: Vec<u8>) -> Result<String, Error> {
        let kind = name.rsplit_once('.').map(|(_, kind)| kind.to_lowercase()).unwrap_or_default();
        let documents = &self.small.outside.documents;
        let read = match kind.as_str() {
            "txt" | "md" => return plain_text(&bytes).ok_or_else(|| unreadable(name, "it is not text")),
            "pdf" => documents.pdf_text(bytes).await,
            "docx" => documents.docx_text(bytes).await,
            _ => return Err(Error::invalid("Memories can be read from PDF, TXT, MD and DOCX files.")),
        };
        read.map_err(|error| Error::new(ErrorKind::Unprocessable, error.0))
    }
}

/// The last part of a name, on one line.
fn file_name(given: &str) -> String {
    let last = given.rsplit(['/', '\\']).next().unwrap_or_default();
    let plain: String =
        rules::look_alike::visible(last).chars().filter(|c| !c.is_control()).take(NAME_CHARS_MAX).collect();
    plain.trim().to_owned()
}

/// Text in UTF-8, or in UTF-16 with its mark.
fn plain_text(bytes: &[u8]) -> Option<String> {
    let utf16 = |read: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = bytes[2..].chunks_exact(2).map(|pair| read([pair[0], pair[1]])).collect();
        String::from_utf16(&units).ok()
    };
    let text = match bytes {
        [0xff, 0xfe, ..] => utf16(u16::from_le_bytes)?,
        [0xfe, 0xff, ..] => utf16(u16::from_be_bytes)?,
        _ => String::from_utf8(bytes.to_vec()).ok()?,
    };
    (!text.contains('\0')).then_some(text)
}

fn unreadable(name: &str, why: &str) -> Error {
    Error::new(ErrorKind::Unprocessable, format!("{name} cannot be read: {why}."))
}

impl LearningParts {
    async fn import(&self, document: Document, into: &str) -> Result<ImportResult, Error> {
        let config = self.config();
        let piece_chars = usize::try_from(config.memory.import_chunk_chars).unwrap_or(usize::MAX);
        let pieces = pieces::of(&document.text, piece_chars);
        if pieces.is_empty() {
            return Err(unreadable(&document.name, "it holds no text"));
        }
        let owner = config.assistant.user_name.as_str();
        let mut result = ImportResult { source: format!("file:{}", document.name), ..ImportResult::default() };
        for piece in pieces {
            let answer = self.ask_for_import(&piece, owner).await?;
            let said = [piece.clone()];
            let source =
                Source { said: &said, said_before: &[], shown: &[], owner, marked: false, facts_max: FACTS_MAX };
            for content in extraction::parse(&answer, &source).unwrap_or_default() {
                let quote =
                    talk::said_where(&content, &[piece.as_str()]).map_or(piece.as_str(), |(_, sentence)| sentence);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_is_read_and_anything_else_is_not() {
        for (name, bytes, want) in [
            ("utf-8", "माया".as_bytes().to_vec(), Some("माया")),
            ("utf-16", vec![0xff, 0xfe, b'h', 0, b'i', 0], Some("hi")),
            ("utf-16, the other way round", vec![0xfe, 0xff, 0, b'h', 0, b'i'], Some("hi")),
            ("zeros", b"a\0b".to_vec(), None),
            ("no text", vec![0x80, 0x81], None),
            ("empty", Vec::new(), Some("")),
        ] {
            assert_eq!(plain_text(&bytes).as_deref(), want, "{name}");
        }
    }

    #[test]
    fn a_name_is_the_last_part_on_one_line() {
        for (given, want) in
            [("resume.pdf", "resume.pdf"), ("C:\\files\\a\n.md", "a.md"), ("../../etc/माया.txt", "माया.txt"), ("", "")]
        {
            assert_eq!(file_name(given), want, "{given:?}");
        }
    }
}
