//! Finding messages by their words: a tantivy index that follows the records through the index outbox.
//!
//! The index is disposable. It may lag, and it may be lost: what is not yet in it is searched in the outbox, every hit
//! is looked up in the records before it is shown, and a damaged index is deleted and made anew. It never answers a
//! message that is deleted or of an incognito chat. Everything here blocks: call it from `spawn_blocking`.

mod catch_up;
pub(crate) mod error;
mod files;
mod question;
#[cfg(test)]
mod tests;
pub(crate) mod words;

pub use catch_up::{INDEX_COMMIT_JOBS_MAX, INDEX_WORTHWHILE_JOBS};
pub use error::SearchError;
pub use protocol::sessions::SearchHit as Hit;
pub use question::{QUESTION_CHARS_MAX, QUESTION_WORDS_MAX};

use crate::records::{IndexJob, MessageRecord, OutboxRow, SessionRecord};
use crate::{Snapshot, Store, StoreError};
use error::Trouble;
use files::{Opened, Place};
use protocol::ids::{MessageId, SessionId};
use protocol::limits::SEARCH_HITS_MAX;
use protocol::sessions::MessageRole;
use question::{Match, Question, asks_for_beginning, snippet};
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tantivy::collector::TopDocs;
use tantivy::query::{BooleanQuery, FuzzyTermQuery, Occur, Query, TermQuery};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{TantivyDocument, Term};

/// Newest outbox rows that a search looks through. Ours: what waits for the indexer, and as much again that comes while it
/// works; more wait only after an import.
pub const TAIL_JOBS_MAX: usize = 2_500;
/// How often a search asks the index for more because hits were deleted or changed. Ours.
const PAGES_MAX: usize = 8;

/// The index of messages. Clones are the same index.
#[derive(Clone)]
pub struct MessageIndex {
    inner: Arc<Inner>,
}

struct Inner {
    place: Place,
    opened: Mutex<Option<Opened>>,
    /// One writer at a time.
    writing: Mutex<()>,
    /// A search found the files damaged; the next catch-up makes them anew.
    damaged: AtomicBool,
    /// It has been brought up to date since it was opened or made anew, so only the outbox can bring it work.
    settled: AtomicBool,
}

impl MessageIndex {
    /// The index of the data folder `home`, in `<home>/index/messages/`. Touches no file until it is used.
    pub fn open(home: &Path) -> Self {
        Self::at(Place::Folder(home.join("index").join("messages")))
    }

    /// An index that is gone with its last handle.
    pub fn in_memory() -> Self {
        Self::at(Place::Memory)
    }

    fn at(place: Place) -> Self {
        let inner = Inner {
            place,
            opened: Mutex::default(),
            writing: Mutex::default(),
            damaged: AtomicBool::new(false),
            settled: AtomicBool::new(false),
        };
        Self { inner: Arc::new(inner) }
    }

    /// Messages with the words of `query`: first those with all of them, then those with any. At most `limit` and
    /// [`SEARCH_HITS_MAX`]. Within each group what was saved last and is not indexed yet comes first, then the best
    /// match. Looks at user, assistant and other people's messages; never at incognito chats.
    ///
    /// # Errors
    /// The records cannot be read. Trouble with the index only makes it find less.
    pub fn search(&self, store: &Store, query: &str, limit: usize) -> Result<Vec<Hit>, SearchError> {
        let question = Question::new(query);
        let limit = limit.min(SEARCH_HITS_MAX);
        if question.words.is_empty() || limit == 0 {
            return Ok(Vec::new());
        }
        // The snapshot first: a row that has left its outbox is in the index by then.
        let snapshot = store.snapshot()?;
        let mut search = Search::new(&snapshot, &question, limit);
        let tail = search.tail()?;
        let all = question.words.len();
        search.take(tail.iter().filter(|(_, found)| found.words == all));
        self.ask_index(&mut search, Occur::Must)?;
        search.take(tail.iter());
        if all > 1 {
            self.ask_index(&mut search, Occur::Should)?;
        }
        Ok(search.hits)
    }

    /// Adds hits of the index. A damaged one adds none, and is remembered as damaged.
    fn ask_index(&self, search: &mut Search<'_>, occur: Occur) -> Result<(), SearchError> {
        let asked = catch_unwind(AssertUnwindSafe(|| -> Result<(), Trouble> {
            let Some(opened) = self.inner.opened_if_there()? else { return Ok(()) };
            search.index(&opened, occur)
        }));
        match asked {
            Ok(Ok(())) => Ok(()),
            Ok(Err(Trouble::Other(SearchError::Store(error)))) => Err(error.into()),
            Ok(Err(Trouble::Other(error))) => {
                tracing::warn!(%error, "the search index could not be asked");
                Ok(())
            }
            Ok(Err(Trouble::Damaged(detail))) => {
                self.inner.set_damaged(&detail);
                Ok(())
            }
            Err(_) => {
                self.inner.set_damaged("reading it failed");
                Ok(())
            }
        }
    }
}

impl Inner {
    fn opened(&self) -> MutexGuard<'_, Option<Opened>> {
        self.opened.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn opened_if_there(&self) -> Result<Option<Opened>, Trouble> {
        let mut opened = self.opened();
        if opened.is_none() && self.place.exists() && !self.damaged.load(Ordering::Acquire) {
            *opened = Some(self.place.open()?);
        }
        Ok(opened.clone())
    }

    fn opened_or_made(&self) -> Result<Opened, Trouble> {
        let mut opened = self.opened();
        match &*opened {
            Some(opened) => Ok(opened.clone()),
            None => Ok(opened.insert(self.place.open()?).clone()),
        }
    }

    fn set_damaged(&self, detail: &str) {
        tracing::warn!(detail, "the search index is damaged and will be made anew");
        self.damaged.store(true, Ordering::Release);
        self.settled.store(false, Ordering::Release);
        *self.opened() = None;
    }
}

impl fmt::Debug for MessageIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MessageIndex").field("place", &self.inner.place).finish_non_exhaustive()
    }
}

/// Whether a message is one that a search may show, its chat aside.
fn is_searchable(message: &MessageRecord) -> bool {
    let said = matches!(message.role, MessageRole::User | MessageRole::Assistant | MessageRole::Other);
    said && !message.content.trim().is_empty()
}

/// Whether the chat is there and not incognito.
fn is_visible(snapshot: &Snapshot, session: &SessionId) -> Result<bool, StoreError> {
    Ok(snapshot.get::<SessionRecord>(session)?.is_some_and(|chat| !chat.incognito))
}

/// One search: what was found so far, and what was looked at.
struct Search<'a> {
    snapshot: &'a Snapshot,
    question: &'a Question,
    limit: usize,
    visible: HashMap<SessionId, bool>,
    shown: HashSet<MessageId>,
    hits: Vec<Hit>,
}

impl<'a> Search<'a> {
    fn new(snapshot: &'a Snapshot, question: &'a Question, limit: usize) -> Self {
        Self { snapshot, question, limit, visible: HashMap::new(), shown: HashSet::new(), hits: Vec::new() }
    }

    /// The stored message with this name, when it may be shown and has any of the words now.
    fn look_up(
        &mut self,
        session: SessionId,
        ordinal: u64,
        id: &MessageId,
    ) -> Result<Option<(MessageRecord, Match)>, StoreError> {
        let visible = match self.visible.get(&session) {
            Some(visible) => *visible,
            None => {
                let visible = is_visible(self.snapshot, &session)?;
                self.visible.insert(session.clone(), visible);
                visible
            }
        };
        if !visible {
            return Ok(None);
        }
        let message = self.snapshot.get::<MessageRecord>(&(session, ordinal))?;
        let message = message.filter(|message| message.id == *id && is_searchable(message));
        Ok(message.and_then(|message| self.question.look_in(&message.content).map(|found| (message, found))))
    }

    /// Matches among what waits for the indexer, newest first.
    fn tail(&mut self) -> Result<Vec<(MessageRecord, Match)>, StoreError> {
        let mut found = Vec::new();
        let mut seen = HashSet::new();
        for row in self.snapshot.all::<OutboxRow>()?.rev().take(TAIL_JOBS_MAX) {
            let IndexJob::Message { session_id, ordinal, message_id } = row?.job else { continue };
            if seen.insert(message_id.clone()) {
                found.extend(self.look_up(session_id, ordinal, &message_id)?);
            }
        }
        Ok(found)
    }

    fn take<'m>(&mut self, found: impl Iterator<Item = &'m (MessageRecord, Match)>) {
        for (message, found) in found {
            if self.hits.len() < self.limit && self.shown.insert(message.id.clone()) {
                self.hits.push(Hit {
                    session_id: message.session_id.clone(),
                    message_id: message.id.clone(),
                    role: message.role,
                    snippet: snippet(&message.content, found.first),
                    created_at: message.created_at,
                });
            }
        }
    }

    /// Asks the index, page by page, until there are enough hits that still hold.
    fn index(&mut self, opened: &Opened, occur: Occur) -> Result<(), Trouble> {
        let searcher = opened.reader.searcher();
        let query = query(opened.fields.text, self.question, occur);
        let page = 2 * self.limit;
        for number in 0..PAGES_MAX {
            if self.hits.len() >= self.limit {
                break;
            }
            let top = TopDocs::with_limit(page).and_offset(number * page).order_by_score();
            let documents = searcher.search(&query, &top)?;
            let last = documents.len() < page;
            for (_, address) in documents {
                let document: TantivyDocument = searcher.doc(address)?;
                let Some((session, ordinal, id)) = opened.names(&document) else { continue };
                let wanted = if occur == Occur::Must { self.question.words.len() } else { 1 };
                let found = self.look_up(session.into(), ordinal, &id.into())?;
                self.take(found.iter().filter(|(_, found)| found.words >= wanted));
            }
            if last {
                break;
            }
        }
        Ok(())
    }
}

/// The question for the index. Built from words, never parsed.
fn query(text: Field, question: &Question, occur: Occur) -> BooleanQuery {
    let words = question.words.iter().map(|word| {
        let term = Term::from_field_text(text, word);
        let exact: Box<dyn Query> = Box::new(TermQuery::new(term.clone(), IndexRecordOption::WithFreqs));
        let word: Box<dyn Query> = if asks_for_beginning(word) {
            let longer: Box<dyn Query> = Box::new(FuzzyTermQuery::new_prefix(term, 0, true));
            Box::new(BooleanQuery::new(vec![(Occur::Should, exact), (Occur::Should, longer)]))
        } else {
            exact
        };
        (occur, word)
    });
    BooleanQuery::new(words.collect())
}
