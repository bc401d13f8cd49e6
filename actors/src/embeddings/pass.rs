//! One pass over the configured model's space: settles which spaces there are, meets the model, notes which texts lack its
//! vector, and fills them in batches, the newest text first.
//!
//! Every step is a commit and can be the last one: the next pass finds what is left. A text that changes while its vector
//! is made keeps its row (`Batch::only_if`), so no vector is ever of words that are gone.

use super::board::Progress;
use super::outside::Made;
use super::{Embeddings, spaces};
use futures::future::try_join_all;
use protocol::engine::ModelJob;
use protocol::model::{ModelError, ModelErrorKind, ModelName, is_builtin};
use protocol::{Error, ErrorKind};
use rules::embeddings::{Space, SpaceState, Spaces};
use std::sync::Arc;
use storage::memory_index::text_guarded;
use storage::records::{ModelEmbedJob, Searched, SearchedKind};
use storage::{Batch, Store, vectors};

/// What a model is met with, and what tells a model that fails from a text it cannot read.
const PROBE: &str = "A short text to try out the embedding model.";
/// Rows deleted in one commit. Ours.
const CLEAR_ROWS: usize = 2_000;

/// What a pass works with.
pub(super) struct Pass {
    pub(super) embeddings: Embeddings,
    pub(super) store: Store,
    /// The model that was configured when it began; it ends when the settings change.
    pub(super) configured: ModelName,
}

/// A text on its way to a model.
struct Text {
    searched: Searched,
    /// `None`: it is gone or may not be found now.
    words: Option<String>,
    batch: Batch,
}

/// What a batch came to.
enum Filled {
    /// These many texts were seen to.
    Some,
    /// None lacks its vector.
    Nothing,
    /// The model failed, and the board says how.
    Away,
    /// The model makes vectors of so many numbers now.
    Other(usize),
}

impl Pass {
    /// Goes on until there is nothing to do for now.
    ///
    /// # Errors
    /// The store fails.
    pub(super) async fn run(&self) -> Result<(), Error> {
        while self.step().await? {}
        Ok(())
    }

    /// Answers whether to go on.
    async fn step(&self) -> Result<bool, Error> {
        let met = self.embeddings.board().met.take();
        let met = met.filter(|(model, _)| *model == self.configured);
        let known = self.change(|spaces| match met {
            Some((model, dimensions)) => spaces.met(&model, dimensions),
            None => spaces,
        });
        let spaces = known.await?;
        if let Some(leaving) = spaces.models.iter().find(|space| space.state == SpaceState::Leaving) {
            self.leave(leaving).await?;
            return Ok(true);
        }
        if is_builtin(self.configured.as_str()) {
            self.clear().await?;
            return Ok(false);
        }
        if self.embeddings.board().is_away(&self.configured) {
            return Ok(false);
        }
        let Some(space) = spaces.of(&self.configured) else { return self.meet().await };
        if space.state == SpaceState::New {
            self.note(space).await?;
            return Ok(true);
        }
        let before = spaces.models.iter().find(|other| other.model != space.model);
        match self.fill(space, before).await? {
            Filled::Some => Ok(true),
            Filled::Away => Ok(false),
            Filled::Other(dimensions) => {
                self.change(|spaces| spaces.met(&self.configured, dimensions)).await?;
                Ok(true)
            }
            Filled::Nothing if space.state == SpaceState::Filling => {
                let name = space.name.clone();
                tracing::info!(space = name, "memory is searched with this model now");
                self.change(|spaces| spaces.with(&name, SpaceState::Whole)).await?;
                Ok(true)
            }
            Filled::Nothing => Ok(false),
        }
    }

    /// Changes what is stored of the spaces, settles them, and shows them to searches.
    async fn change(&self, change: impl FnOnce(Spaces) -> Spaces) -> Result<Spaces, Error> {
        let spaces = spaces::change(&self.store, |spaces| change(spaces).settled(&self.configured)).await?;
        self.embeddings.board().spaces = spaces.clone();
        Ok(spaces)
    }

    /// The first call of a model, which says how long its vectors are.
    async fn meet(&self) -> Result<bool, Error> {
        match self.embed(&self.configured, &[PROBE.to_owned()], ModelJob::Memory).await {
            Ok(made) => {
                self.change(|spaces| spaces.met(&self.configured, made.dimensions)).await?;
                Ok(true)
            }
            Err(_) => Ok(false),
        }
    }

    /// Asks a model, and tells the board how it went.
    async fn embed(&self, model: &ModelName, texts: &[String], job: ModelJob) -> Result<Made, ModelError> {
        let made = self.embeddings.ask(model, texts, job).await;
        match &made {
            Ok(_) => self.embeddings.board().answered(model),
            Err(error) if is_of_texts(error) && texts != [PROBE] => (),
            Err(error) => self.embeddings.board().failed(model, &error.message),
        }
        made
    }

    /// Notes which texts lack a vector in a space that is new or was left before.
    async fn note(&self, space: &Space) -> Result<(), Error> {
        let put = |searched: Searched, batch: &mut Batch| {
            batch.put(&ModelEmbedJob::of(searched));
        };
        let (lacking, total) = spaces::note_lacking(&self.store, &space.name, put).await?;
        tracing::info!(space = space.name, lacking, total, "memory is being read for this model");
        self.embeddings.board().progress = Some(Progress { done: total - lacking, total });
        self.change(|spaces| spaces.with(&space.name, SpaceState::Filling)).await?;
        Ok(())
    }

    /// Deletes the vectors of a space, then the space.
    async fn leave(&self, space: &Space) -> Result<(), Error> {
        let mut after = None;
        loop {
            let (store, name) = (self.store.clone(), space.name.clone());
            let step = tokio::task::spawn_blocking(move || vectors::forget_space(&store, &name, after)).await;
            after = step.map_err(|cause| Error::new(ErrorKind::Unavailable, cause.to_string()))??;
            if after.is_none() {
                break;
            }
        }
        self.change(|spaces| spaces.without(&space.name)).await?;
        Ok(())
    }

    /// With the builtin model no text waits for another.
    async fn clear(&self) -> Result<(), Error> {
        loop {
            let mut batch = Batch::new();
            for job in self.store.snapshot()?.all::<ModelEmbedJob>()?.take(CLEAR_ROWS) {
                batch.delete::<ModelEmbedJob>(&job?.searched());
            }
            if batch.is_empty() {
                self.embeddings.board().waiting = 0;
                return Ok(());
            }
            self.store.commit(batch).await?;
        }
    }

    /// Gives one batch of texts their vectors in the space, and in the one that answers meanwhile.
    async fn fill(&self, space: &Space, before: Option<&Space>) -> Result<Filled, Error> {
        let mut texts = self.next_texts()?;
        let Some(first) = texts.first() else {
            self.told_waiting()?;
            return Ok(Filled::Nothing);
        };
        let job = job_of(first.searched.kind);
        match self.add_of_space(space, &mut texts, job).await? {
            Ok(()) => (),
            Err(stopped) => return Ok(stopped),
        }
        if let Some(before) = before.filter(|before| !self.embeddings.board().is_away(&before.model)) {
            // What goes wrong here costs the old space a text that was just saved; its words still find it.
            if self.add_of_space(before, &mut texts, job).await?.is_err() {
                tracing::debug!(space = before.name, "it misses what was just saved");
            }
        }
        let batches = texts.into_iter().map(|text| {
            let mut batch = text.batch;
            batch.delete::<ModelEmbedJob>(&text.searched);
            self.store.commit(batch)
        });
        try_join_all(batches).await?;
        self.told_waiting()?;
        Ok(Filled::Some)
    }

    /// Tells the board how many texts still wait.
    fn told_waiting(&self) -> Result<(), Error> {
        let waiting = self.store.snapshot()?.count::<ModelEmbedJob>()?;
        let waiting = usize::try_from(waiting).unwrap_or(usize::MAX);
        let mut board = self.embeddings.board();
        let total = board.progress.map_or(waiting, |progress| progress.total).max(waiting);
        board.progress = Some(Progress { done: total - waiting, total });
        board.waiting = waiting;
        Ok(())
    }

    /// The newest texts of one kind that lack their vector.
    fn next_texts(&self) -> Result<Vec<Text>, Error> {
        let snapshot = self.store.snapshot()?;
        for kind in SearchedKind::ALL {
            let jobs = snapshot.prefix::<ModelEmbedJob>(&kind)?.rev().take(batch_of(kind));
            let texts = jobs.map(|job| {
                let (searched, mut batch) = (job?.searched(), Batch::new());
                let words = text_guarded(&snapshot, searched, &mut batch)?;
                Ok(Text { searched, words, batch })
            });
            let texts = texts.collect::<Result<Vec<_>, storage::StoreError>>()?;
            if !texts.is_empty() {
                return Ok(texts);
            }
        }
        Ok(Vec::new())
    }

    /// Adds the vectors of one space to the texts' batches, where they are lacking.
    async fn add_of_space(
        &self,
        space: &Space,
        texts: &mut [Text],
        job: ModelJob,
    ) -> Result<Result<(), Filled>, Error> {
        let snapshot = self.store.snapshot()?;
        let (mut at, mut lacking) = (Vec::new(), Vec::new());
        for (number, text) in texts.iter().enumerate() {
            let Some(words) = text.words.as_ref().filter(|words| !words.trim().is_empty()) else { continue };
            if !spaces::has(&snapshot, &space.name, text.searched, words)? {
                at.push(number);
                lacking.push(words.clone());
            }
        }
        drop(snapshot);
        if lacking.is_empty() {
            return Ok(Ok(()));
        }
        let made = match self.readable(space, &lacking, job).await {
            Ok(made) => made,
            Err(stopped) => return Ok(Err(stopped)),
        };
        for ((number, words), vector) in at.into_iter().zip(&lacking).zip(made) {
            let record = vector.and_then(|vector| vectors::record(&space.name, texts[number].searched, words, &vector));
            if let Some(record) = record {
                vectors::put(&mut texts[number].batch, &record);
            }
        }
        Ok(Ok(()))
    }

    /// The vectors of texts; `None` for one that the model cannot read while it reads others, so that a single text cannot
    /// hold up all of them.
    async fn readable(
        &self,
        space: &Space,
        texts: &[String],
        job: ModelJob,
    ) -> Result<Vec<Option<Arc<[f32]>>>, Filled> {
        match self.embed(&space.model, texts, job).await {
            Ok(made) => return fitting(space, made).map(|vectors| vectors.into_iter().map(Some).collect()),
            Err(error) if !is_of_texts(&error) => return Err(Filled::Away),
            Err(_) => (),
        }
        self.embed(&space.model, &[PROBE.to_owned()], job).await.map_err(|_| Filled::Away)?;
        let mut vectors = Vec::with_capacity(texts.len());
        for text in texts {
            vectors.push(match self.embed(&space.model, std::slice::from_ref(text), job).await {
                Ok(made) => fitting(space, made)?.into_iter().next(),
                Err(error) if is_of_texts(&error) => {
                    tracing::info!(model = %space.model, %error, "a text has no vector of this model");
                    None
                }
                Err(_) => return Err(Filled::Away),
            });
        }
        Ok(vectors)
    }
}

/// Vectors that can be compared with those of the space.
fn fitting(space: &Space, made: Made) -> Result<Vec<Arc<[f32]>>, Filled> {
    if made.dimensions == space.dimensions { Ok(made.vectors) } else { Err(Filled::Other(made.dimensions)) }
}

/// Whether the failure may be the fault of one of the texts.
fn is_of_texts(error: &ModelError) -> bool {
    matches!(error.kind, ModelErrorKind::TooLong | ModelErrorKind::Malformed | ModelErrorKind::Other)
}

/// Texts of one call (memory.md, "re-embedding"; contract section 22 for pieces of notes).
fn batch_of(kind: SearchedKind) -> usize {
    match kind {
        SearchedKind::Summary => 16,
        SearchedKind::Fact | SearchedKind::NotePiece | SearchedKind::Insight => 32,
    }
}

/// Whose upkeep a kind is in the line for the local model.
fn job_of(kind: SearchedKind) -> ModelJob {
    match kind {
        SearchedKind::NotePiece => ModelJob::Background,
        SearchedKind::Fact | SearchedKind::Summary | SearchedKind::Insight => ModelJob::Memory,
    }
}
