//! Pieces of notes that go to the model with a message (contract section 22, "Note pieces in the prompt"; rule 135).

use super::notes::FolderNotes;
use super::search::{FoundPiece, Pieces, full_path, reads};
use protocol::Error;
use protocol::sessions::{AnswerSource, AnswerSourceKind};
use rules::folders::{Candidate, Choosing, PromptNote, choose, drew_on, link};
use std::collections::BTreeMap;
use storage::records::{EmbedJob, FolderRecord, Searched, SearchedKind};
use tokio::task::spawn_blocking;
use tokio::time::{Duration, timeout};

/// How long the look-up may take (contract section 22).
const LOOK_UP_MAX: Duration = Duration::from_secs(4);
/// Characters of a message that are looked at. Ours.
const MESSAGE_CHARS_MAX: usize = 2_000;

/// Pieces that went with a message, and how each shows as a source of the reply.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prompted {
    message: String,
    notes: Vec<(PromptNote, AnswerSource)>,
}

impl Prompted {
    /// What the model is told; empty when there is nothing.
    pub fn block(&self) -> String {
        let notes: Vec<PromptNote> = self.notes.iter().map(|(note, _)| note.clone()).collect();
        rules::folders::block(&notes)
    }

    /// The sources a reply drew on.
    pub fn drawn_on(&self, reply: &str) -> Vec<AnswerSource> {
        let drawn = self.notes.iter().filter(|(note, _)| drew_on(reply, &self.message, note));
        drawn.map(|(_, source)| source.clone()).collect()
    }
}

impl FolderNotes {
    /// What goes with a message in a chat of this scope. Whatever goes wrong, the message goes without notes.
    pub async fn prompted(&self, message: &str, scope: &str) -> Prompted {
        let settings = self.settings();
        let asked: Vec<FolderRecord> =
            self.folders().into_iter().filter(|folder| reads(Some(scope), &folder.scope)).collect();
        if asked.is_empty() || settings.prompt_notes == 0 || message.trim().is_empty() {
            return Prompted::default();
        }
        let message: String = message.chars().take(MESSAGE_CHARS_MAX).collect();
        match timeout(LOOK_UP_MAX, self.look_up(message, asked)).await {
            Ok(Ok(prompted)) => prompted,
            Ok(Err(error)) => {
                tracing::warn!(%error, "a message goes without notes");
                Prompted::default()
            }
            Err(_) => {
                tracing::debug!("looking for notes took too long");
                Prompted::default()
            }
        }
    }

    async fn look_up(&self, message: String, asked: Vec<FolderRecord>) -> Result<Prompted, Error> {
        let vector = self.embeddings.query(&message).await;
        let notes = self.clone();
        let looking =
            spawn_blocking(move || {
                let lists = notes.lists(&message, vector.as_ref(), &asked)?;
                let snapshot = notes.store.snapshot()?;
                let mut pieces = Pieces::new(&snapshot, &asked);
                // A piece with a vector counts by how alike it is; one that has none yet, by its words.
                let mut ids: BTreeMap<u64, Option<f32>> =
                    lists.by_meaning.iter().map(|(id, similarity)| (*id, Some(*similarity))).collect();
                for hit in &lists.by_words {
                    let piece = Searched::new(SearchedKind::NotePiece, hit.id);
                    if vector.is_none() || snapshot.get::<EmbedJob>(&piece)?.is_some() {
                        ids.entry(hit.id).or_insert(None);
                    }
                }
                for id in ids.keys() {
                    pieces.look_up(*id)?;
                }
                let found = std::mem::take(&mut pieces.known)
                    .into_iter()
                    .map(|(id, (folder, file, piece))| FoundPiece { folder, file, piece, similarity: ids[&id] });
                Ok::<_, Error>(notes.chosen(message, found.collect()))
            });
        looking.await.map_err(|cause| Error::internal(format!("notes for a message: {cause}")))?
    }

    fn chosen(&self, message: String, found: Vec<FoundPiece>) -> Prompted {
        let settings = self.settings();
        let texts: Vec<String> = found.iter().map(|found| found.piece.searched()).collect();
        let candidates: Vec<Candidate<'_>> = found
            .iter()
            .zip(&texts)
            .map(|(found, text)| Candidate {
                id: found.piece.id,
                note: (&found.file.folder_id, &found.file.path),
                text,
                similarity: found.similarity,
                is_clipping: found.file.is_clipping,
            })
            .collect();
        let choosing =
            Choosing { notes_max: settings.prompt_notes as usize, similarity_min: settings.prompt_min_similarity };
        let chars = settings.prompt_note_chars as usize;
        let chosen = choose(&message, &candidates, choosing);
        let notes = chosen.iter().filter_map(|id| {
            let found = found.iter().find(|found| found.piece.id == *id)?;
            let place = format!("{}/{}", found.folder.name, found.file.path);
            let note = PromptNote::new(&found.file.title, place, &found.piece.text, &message, chars);
            let source = source(found, &note);
            Some((note, source))
        });
        let notes = notes.collect();
        Prompted { message, notes }
    }
}

/// How a note shows as a source of the reply that drew on it.
fn source(found: &FoundPiece, note: &PromptNote) -> AnswerSource {
    let FoundPiece { folder, file, .. } = found;
    AnswerSource {
        kind: AnswerSourceKind::File,
        title: file.title.clone(),
        url: folder.is_vault.then(|| link(&folder.name, &file.path)),
        path: Some(full_path(folder, &file.path)),
        folder: Some(folder.name.clone()),
        snippet: Some(note.text.chars().take(protocol::limits::ANSWER_SNIPPET_CHARS_MAX).collect()),
        app: super::app::PLUGIN.to_owned(),
        tool: "folder_search".to_owned(),
        via: Some("prompt".to_owned()),
        ..AnswerSource::default()
    }
}
