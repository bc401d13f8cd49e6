//! The index of words of one kind on disk: its fields, opening, and how far it has come.
//!
//! Each kind has an index of its own: how rare a word is and how long texts are differ between memories and notes.

use super::forms::forms;
use crate::search::error::{SearchError, Trouble};
use crate::search::words::Cut;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use tantivy::indexer::{IndexWriterOptions, LogMergePolicy};
use tantivy::schema::{Field, IndexRecordOption, NumericOptions, Schema, TextFieldIndexing, TextOptions};
use tantivy::tokenizer::{PreTokenizedString, Token};
use tantivy::{DocAddress, Index, IndexReader, IndexWriter, ReloadPolicy, Searcher, TantivyDocument, Term};

/// Raised when the fields or the cutting into words change: an index of another version is made anew.
const INDEX_VERSION: u32 = 1;
/// Bytes of the writer's arena: the least tantivy takes. It exists only while there is work.
const WRITER_BYTES: usize = 15_000_000;
/// The field with the number of the text.
const ID: &str = "id";

/// How far the index has come, kept in tantivy's commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Progress {
    version: u32,
    /// Outbox rows up to this number are in.
    position: u64,
}

/// Where the index lives.
#[derive(Clone, Debug)]
pub(super) enum Place {
    Folder(PathBuf),
    Memory,
}

/// An open index. Small while nothing is written: the files are mapped, not read.
#[derive(Clone)]
pub(super) struct Opened {
    index: Index,
    reader: IndexReader,
    id: Field,
    pub(super) text: Field,
}

fn schema() -> (Schema, Field, Field) {
    // Words are cut before they come here; no tokenizer of tantivy's ever runs on a text.
    let indexing = TextFieldIndexing::default().set_tokenizer("raw").set_index_option(IndexRecordOption::WithFreqs);
    let mut builder = Schema::builder();
    let id = builder.add_u64_field(ID, NumericOptions::default().set_indexed().set_fast());
    let text = builder.add_text_field("text", TextOptions::default().set_indexing_options(indexing));
    (builder.build(), id, text)
}

impl Place {
    /// Whether there is something to open.
    pub(super) fn exists(&self) -> bool {
        match self {
            Self::Folder(folder) => folder.join("meta.json").exists(),
            Self::Memory => false,
        }
    }

    /// Opens what is there, or makes an empty index.
    pub(super) fn open(&self) -> Result<Opened, Trouble> {
        let (schema, id, text) = schema();
        let index = match self {
            Self::Memory => Index::create_in_ram(schema),
            Self::Folder(folder) if self.exists() => {
                let index = Index::open_in_dir(folder)?;
                if index.schema() != schema {
                    return Err(Trouble::Damaged("it has other fields".into()));
                }
                index
            }
            Self::Folder(folder) => {
                clear(folder)?;
                std::fs::create_dir_all(folder)?;
                Index::create_in_dir(folder, schema)?
            }
        };
        let reader: IndexReader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        Ok(Opened { index, reader, id, text })
    }

    /// Deletes the index.
    pub(super) fn clear(&self) -> Result<(), Trouble> {
        match self {
            Self::Folder(folder) => clear(folder),
            Self::Memory => Ok(()),
        }
    }
}

fn clear(folder: &Path) -> Result<(), Trouble> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(Trouble::Other(SearchError::Index(error.to_string())))
        }
        _ => Ok(()),
    }
}

impl Opened {
    /// The outbox number up to which everything is in; `None` when it has to be made from the records.
    pub(super) fn position(&self) -> Result<Option<u64>, Trouble> {
        let payload = self.index.load_metas()?.payload;
        let progress = payload.and_then(|text| serde_json::from_str::<Progress>(&text).ok());
        Ok(progress.filter(|it| it.version == INDEX_VERSION).map(|it| it.position))
    }

    pub(super) fn writer(&self) -> Result<IndexWriter, Trouble> {
        let options = IndexWriterOptions::builder()
            .memory_budget_per_thread(WRITER_BYTES)
            .num_worker_threads(1)
            .num_merge_threads(1)
            .build();
        let writer: IndexWriter = self.index.writer_with_options(options)?;
        // What was forgotten must leave the files too: a segment with anything deleted is written anew.
        let mut policy = LogMergePolicy::default();
        policy.set_del_docs_ratio_before_merge(f32::EPSILON);
        writer.set_merge_policy(Box::new(policy));
        Ok(writer)
    }

    /// Makes what was written found, and remembers how far it goes.
    pub(super) fn commit(&self, writer: &mut IndexWriter, position: u64) -> Result<(), Trouble> {
        let progress = Progress { version: INDEX_VERSION, position };
        let payload = serde_json::to_string(&progress).map_err(|error| Trouble::Damaged(error.to_string()))?;
        let mut prepared = writer.prepare_commit()?;
        prepared.set_payload(&payload);
        prepared.commit()?;
        self.reader.reload()?;
        Ok(())
    }

    /// Ends the merges that a commit began, and deletes the files they made superfluous.
    pub(super) fn finish(&self, writer: IndexWriter) -> Result<(), Trouble> {
        writer.wait_merging_threads()?;
        self.reader.reload()?;
        // Without a writer nobody deletes files: this one lives just long enough for that.
        let writer = self.writer()?;
        writer.garbage_collect_files().wait()?;
        Ok(())
    }

    pub(super) fn add(&self, writer: &IndexWriter, id: u64, text: &str) -> Result<(), Trouble> {
        let mut document = TantivyDocument::default();
        document.add_u64(self.id, id);
        let tokens = forms(text, Cut::Message).into_iter().enumerate().map(|(position, word)| Token {
            offset_from: word.start,
            offset_to: word.end,
            position,
            text: word.text,
            position_length: 1,
        });
        let cut = PreTokenizedString { text: String::new(), tokens: tokens.collect() };
        document.add_pre_tokenized_text(self.text, cut);
        writer.add_document(document)?;
        Ok(())
    }

    pub(super) fn remove(&self, writer: &IndexWriter, id: u64) {
        writer.delete_term(Term::from_field_u64(self.id, id));
    }

    pub(super) fn searcher(&self) -> Searcher {
        self.reader.searcher()
    }
}

/// The number of the text that a document stands for.
pub(super) fn id_of(searcher: &Searcher, address: DocAddress) -> Result<Option<u64>, Trouble> {
    let ids = searcher.segment_reader(address.segment_ord).fast_fields().u64(ID)?;
    Ok(ids.first(address.doc_id))
}
