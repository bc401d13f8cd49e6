//! Searches the pieces of notes by words and by meaning (contract section 22, "Search"; rule 134).

use super::notes::FolderNotes;
use crate::embeddings::QueryVector;
use protocol::Error;
use protocol::folders::{FolderAnswer, FolderHit};
use protocol::memory::{SCOPE_ALWAYS, SCOPE_PERSONAL, SCOPE_WORK};
use rules::folders::{CLIPPING_SOURCE, Found, Standing, WordHit, is_hidden_path, link, meaningful, merge};
use std::collections::BTreeMap;
use storage::Snapshot;
use storage::records::{FolderFileRecord, FolderPieceRecord, FolderRecord, SearchedKind, folder_of_piece};
use tokio::task::spawn_blocking;

/// Characters of a question that are looked at. Ours.
const QUERY_CHARS_MAX: usize = 1_000;
/// Pieces taken from each of the two lists. Ours: enough that two per file still fill the longest answer.
const TAKEN: usize = 60;
/// The most pieces of one answer (contract section 22).
const RESULTS_MAX: usize = 20;

/// What is searched for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FindAsk {
    pub query: String,
    /// A folder's name or id; empty for all.
    pub folder: String,
    /// 0: as many as the settings say.
    pub limit: usize,
    /// The scope of the run that asks; `None` reads every folder.
    pub scope: Option<String>,
    /// Folders of other scopes too.
    pub everywhere: bool,
}

/// A piece with all that is known of where it stands.
pub(super) struct FoundPiece {
    pub(super) folder: FolderRecord,
    pub(super) file: FolderFileRecord,
    pub(super) piece: FolderPieceRecord,
    pub(super) similarity: Option<f32>,
}

/// Both lists of a search, each best first.
#[derive(Default)]
pub(super) struct Lists {
    pub(super) by_words: Vec<WordHit>,
    pub(super) by_meaning: Vec<(u64, f32)>,
}

impl FolderNotes {
    /// Searches.
    ///
    /// # Errors
    /// The store cannot be read.
    pub async fn find(&self, ask: FindAsk) -> Result<FolderAnswer, Error> {
        let folders = self.folders();
        if folders.is_empty() {
            return Ok(note("No folder is added. The user can add one in Settings > Folders."));
        }
        let named: Vec<&FolderRecord> = folders.iter().filter(|folder| is_named(folder, &ask.folder)).collect();
        if named.is_empty() {
            let names: Vec<&str> = folders.iter().map(|folder| folder.name.as_str()).collect();
            return Ok(note(&format!(
                "There is no folder called \"{}\". There are: {}.",
                ask.folder,
                names.join(", ")
            )));
        }
        let may = |folder: &&FolderRecord| ask.everywhere || reads(ask.scope.as_deref(), &folder.scope);
        let asked: Vec<FolderRecord> = named.iter().copied().filter(may).cloned().collect();
        if asked.is_empty() {
            return Ok(note(&kept_elsewhere(&named)));
        }
        let query: String = ask.query.trim().chars().take(QUERY_CHARS_MAX).collect();
        if query.is_empty() {
            return Ok(note("Say what to look for."));
        }
        let usual = self.settings().results as usize;
        let limit = if ask.limit == 0 { usual } else { ask.limit }.clamp(1, RESULTS_MAX);
        let vector = self.embeddings.query(&query).await;
        let (notes, scope, asking) = (self.clone(), ask.scope.clone(), query.clone());
        let searched = spawn_blocking(move || notes.found(&asking, vector.as_ref(), &asked, limit));
        let found = searched.await.map_err(|cause| Error::internal(format!("a search of notes ended: {cause}")))??;
        if found.is_empty() {
            return Ok(note("Nothing in the user's folders matches this."));
        }
        let outside = self.settings().clippings_are_outside && found.iter().any(|found| found.file.is_clipping);
        Ok(FolderAnswer {
            outside_content: outside.then(|| CLIPPING_SOURCE.to_owned()),
            results: found.into_iter().map(|found| hit(found, scope.as_deref())).collect(),
            note: None,
        })
    }

    /// The pieces that answer a question. Blocks.
    pub(super) fn found(
        &self,
        query: &str,
        vector: Option<&QueryVector>,
        asked: &[FolderRecord],
        limit: usize,
    ) -> Result<Vec<FoundPiece>, Error> {
        let snapshot = self.store.snapshot()?;
        let lists = self.lists(query, vector, asked)?;
        let mut pieces = Pieces::new(&snapshot, asked);
        let all = lists.by_words.iter().map(|hit| hit.id).chain(lists.by_meaning.iter().map(|(id, _)| *id));
        for id in all {
            pieces.look_up(id)?;
        }
        let file_of = |id: u64| pieces.known.get(&id).map(|(_, file, _)| (file.folder_id.clone(), file.path.clone()));
        let merged = merge(&lists.by_words, &lists.by_meaning, file_of, limit);
        let found = merged.into_iter().filter_map(|Found { id, similarity, .. }| {
            let (folder, file, piece) = pieces.known.remove(&id)?;
            Some(FoundPiece { folder, file, piece, similarity })
        });
        Ok(found.collect())
    }

    /// What words and meaning find in these folders. Blocks.
    pub(super) fn lists(
        &self,
        query: &str,
        vector: Option<&QueryVector>,
        asked: &[FolderRecord],
    ) -> Result<Lists, Error> {
        let snapshot = self.store.snapshot()?;
        let mut numbers: Vec<u64> = asked.iter().map(|folder| folder.number).collect();
        numbers.sort_unstable();
        let keep = |id: u64| numbers.binary_search(&folder_of_piece(id)).is_ok();
        let search = |error: storage::memory_index::SearchError| Error::internal(format!("a search of notes: {error}"));
        let by_meaning = match vector {
            Some(QueryVector { space, vector }) => {
                let kind = (space.as_str(), SearchedKind::NotePiece);
                self.index.nearest(&self.store, kind, vector, TAKEN, &keep).map_err(search)?
            }
            None => Vec::new(),
        };
        let words = meaningful(query);
        let found = self.index.words(&self.store, SearchedKind::NotePiece, query, TAKEN, &keep).map_err(search)?;
        let mut by_words = Vec::new();
        for (id, score) in found {
            let Some(piece) = snapshot.get::<FolderPieceRecord>(&id)? else { continue };
            let FolderPieceRecord { title, labels, heading, text, .. } = &piece;
            by_words.push(WordHit::new(id, score, &words, Standing { title, labels, heading, text }));
        }
        by_words.sort_by(|one, other| other.score.total_cmp(&one.score).then(one.id.cmp(&other.id)));
        Ok(Lists { by_words, by_meaning })
    }
}

/// Pieces that were looked up, with their files and folders.
pub(super) struct Pieces<'a> {
    snapshot: &'a Snapshot,
    folders: &'a [FolderRecord],
    pub(super) known: BTreeMap<u64, (FolderRecord, FolderFileRecord, FolderPieceRecord)>,
}

impl<'a> Pieces<'a> {
    pub(super) fn new(snapshot: &'a Snapshot, folders: &'a [FolderRecord]) -> Self {
        Self { snapshot, folders, known: BTreeMap::new() }
    }

    /// Looks a piece up. What its file does not hold any more is not there.
    pub(super) fn look_up(&mut self, id: u64) -> Result<(), Error> {
        if self.known.contains_key(&id) {
            return Ok(());
        }
        let number = folder_of_piece(id);
        let Some(folder) = self.folders.iter().find(|folder| folder.number == number) else { return Ok(()) };
        let Some(piece) = self.snapshot.get::<FolderPieceRecord>(&id)? else { return Ok(()) };
        let key = (folder.id.clone(), piece.path.clone());
        let Some(file) = self.snapshot.get::<FolderFileRecord>(&key)? else { return Ok(()) };
        if file.piece_ids().contains(&id) && !is_hidden_path(&file.path) {
            self.known.insert(id, (folder.clone(), file, piece));
        }
        Ok(())
    }
}

fn hit(found: FoundPiece, scope: Option<&str>) -> FolderHit {
    let FoundPiece { folder, file, piece, similarity } = found;
    FolderHit {
        title: file.title,
        heading: (!piece.heading.is_empty()).then_some(piece.heading),
        text: piece.text,
        tags: (!file.tags.is_empty()).then_some(file.tags),
        file: full_path(&folder, &file.path),
        link: folder.is_vault.then(|| link(&folder.name, &file.path)),
        clipped_from: file.clipped_from,
        similarity: similarity.map(|similarity| (f64::from(similarity) * 1_000.0).round() / 1_000.0),
        kept_for: (!reads(scope, &folder.scope)).then(|| label(&folder.scope)),
        path: file.path,
        folder: folder.name,
    }
}

/// A file's full path, as this computer writes it.
pub(super) fn full_path(folder: &FolderRecord, path: &str) -> String {
    let between = if folder.path.contains('\\') && !folder.path.contains('/') { '\\' } else { '/' };
    let inner = if between == '\\' { path.replace('/', "\\") } else { path.to_owned() };
    format!("{}{between}{inner}", folder.path.trim_end_matches(between))
}

/// Whether a folder is the one that is asked for, by its name or id.
pub(super) fn is_named(folder: &FolderRecord, asked: &str) -> bool {
    let asked = asked.trim();
    asked.is_empty() || folder.id == asked || folder.name.to_lowercase() == asked.to_lowercase()
}

/// Whether a run of this scope reads a folder; work that is tied to no chat reads all of them.
pub(super) fn reads(run: Option<&str>, folder: &str) -> bool {
    run.is_none_or(|run| folder == SCOPE_ALWAYS || rules::memory::scope::reads(run, folder))
}

/// What a scope is called (`strings.tsv`, chat_default_scope_label).
pub(super) fn label(scope: &str) -> String {
    match scope {
        SCOPE_ALWAYS => "Every chat".to_owned(),
        SCOPE_PERSONAL => "Personal".to_owned(),
        SCOPE_WORK => "Work".to_owned(),
        project => project.to_owned(),
    }
}

/// Says that folders are kept for other chats.
fn kept_elsewhere(folders: &[&FolderRecord]) -> String {
    let mut labels: Vec<String> = folders.iter().map(|folder| label(&folder.scope)).collect();
    labels.sort();
    labels.dedup();
    format!(
        "The user's folders are kept for other chats ({}). Search them with everywhere=true only when the user asks for \
         that.",
        labels.join(", ")
    )
}

fn note(text: &str) -> FolderAnswer {
    FolderAnswer { note: Some(text.to_owned()), ..FolderAnswer::default() }
}
