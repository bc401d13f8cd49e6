//! The index on disk: its fields, opening, and how far it has come.

use super::error::Trouble;
use super::words::{Cut, words};
use crate::records::MessageRecord;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use tantivy::indexer::IndexWriterOptions;
use tantivy::schema::{Field, IndexRecordOption, NumericOptions, Schema, TextFieldIndexing, TextOptions, Value};
use tantivy::tokenizer::{PreTokenizedString, Token};
use tantivy::{Index, IndexReader, IndexWriter, ReloadPolicy, TantivyDocument, Term};

/// Raised when the fields or the cutting into words change: an index of another version is made anew.
const INDEX_VERSION: u32 = 1;
/// Bytes of the writer's arena: the least tantivy takes. It exists only while there is work.
const WRITER_BYTES: usize = 15_000_000;
/// Decompressed blocks the reader keeps (16 KB each).
const STORE_CACHE_BLOCKS: usize = 4;

/// How far the index has come, kept in tantivy's commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Progress {
    version: u32,
    /// Outbox rows up to this number are in.
    position: u64,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Fields {
    pub(super) id: Field,
    pub(super) session: Field,
    pub(super) ordinal: Field,
    pub(super) text: Field,
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
    pub(super) index: Index,
    pub(super) reader: IndexReader,
    pub(super) fields: Fields,
}

fn schema() -> (Schema, Fields) {
    let name = TextOptions::default().set_stored().set_indexing_options(
        TextFieldIndexing::default()
            .set_tokenizer("raw")
            .set_index_option(IndexRecordOption::Basic)
            .set_fieldnorms(false),
    );
    // Words are cut before they come here; no tokenizer of tantivy's ever runs on a text.
    let text = TextOptions::default().set_indexing_options(
        TextFieldIndexing::default().set_tokenizer("raw").set_index_option(IndexRecordOption::WithFreqs),
    );
    let mut builder = Schema::builder();
    let fields = Fields {
        id: builder.add_text_field("id", name.clone()),
        session: builder.add_text_field("session", name),
        ordinal: builder.add_u64_field("ordinal", NumericOptions::default().set_stored()),
        text: builder.add_text_field("text", text),
    };
    (builder.build(), fields)
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
        let (schema, fields) = schema();
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
        let reader: IndexReader = index
            .reader_builder()
            .reload_policy(ReloadPolicy::Manual)
            .doc_store_cache_num_blocks(STORE_CACHE_BLOCKS)
            .try_into()?;
        Ok(Opened { index, reader, fields })
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
            Err(Trouble::Other(super::SearchError::Index(error.to_string())))
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
        Ok(self.index.writer_with_options(options)?)
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

    pub(super) fn add(&self, writer: &IndexWriter, message: &MessageRecord) -> Result<(), Trouble> {
        let mut document = TantivyDocument::default();
        document.add_text(self.fields.id, message.id.as_str());
        document.add_text(self.fields.session, message.session_id.as_str());
        document.add_u64(self.fields.ordinal, message.ordinal);
        let tokens = words(&message.content, Cut::Message).into_iter().enumerate().map(|(position, word)| Token {
            offset_from: word.start,
            offset_to: word.end,
            position,
            text: word.text,
            position_length: 1,
        });
        let text = PreTokenizedString { text: String::new(), tokens: tokens.collect() };
        document.add_pre_tokenized_text(self.fields.text, text);
        writer.add_document(document)?;
        Ok(())
    }

    pub(super) fn remove(&self, writer: &IndexWriter, field: Field, name: &str) {
        writer.delete_term(Term::from_field_text(field, name));
    }

    /// Chat, ordinal and message id of a document.
    pub(super) fn names(&self, document: &TantivyDocument) -> Option<(String, u64, String)> {
        let text = |field| document.get_first(field).and_then(|value| value.as_str()).map(str::to_owned);
        let ordinal = document.get_first(self.fields.ordinal).and_then(|value| value.as_u64());
        Some((text(self.fields.session)?, ordinal?, text(self.fields.id)?))
    }
}
