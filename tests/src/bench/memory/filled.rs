//! A store full of generated memories, and the measuring of it.

use super::corpus::{Corpus, DIMENSIONS, Made};
use super::{Numbers, Times, Trouble};
use actors::embeddings::QueryVector;
use actors::memory::{Finder, RecallAsk, weighing};
use protocol::Timestamp;
use protocol::config::Config;
use std::collections::{BinaryHeap, HashSet};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use storage::records::{FactRecord, FactState, FactStatus, IndexJob, Searched, SearchedKind};
use storage::{Batch, MemoryIndex, OpenOptions, Store, vectors};
use tokio::time::Instant;

pub(super) const SPACE: &str = "bench";
/// Memories of one commit.
const PER_COMMIT: usize = 4_000;
/// Questions that are timed.
const QUESTIONS: usize = 1_000;
/// Questions that are also answered exactly.
const EXACT: usize = 100;
const ANSWERS: usize = 10;
/// Commits whose way to an answer is timed.
const COMMITS: u64 = 50;

/// Is shown every memory that is made.
pub(super) type Shown<'a> = dyn FnMut(&Made) -> Result<(), Trouble> + 'a;

pub(super) fn keep_nothing(_: &Made) -> Result<(), Trouble> {
    Ok(())
}

/// The store, its index, and the questions.
pub(super) struct Filled {
    finder: Finder,
    questions: Vec<Made>,
    /// Numbers of the memories that an exact search puts first, per question.
    exact: Vec<HashSet<u64>>,
    memories: usize,
    index_seconds: f64,
}

/// What an exact search has found so far for one question, the least near on top.
type Nearest = BinaryHeap<std::cmp::Reverse<(u32, u64)>>;

impl Filled {
    /// Fills the folder `home`. Memories are made twice, one after the other, and never held together.
    pub(super) fn make(home: &Path, memories: usize, shown: &mut Shown<'_>) -> Result<Self, Trouble> {
        let (store, _) = Store::open(home, OpenOptions::default())?;
        let questions = questions(memories);
        let mut nearest: Vec<Nearest> = vec![Nearest::new(); EXACT];
        let mut corpus = Corpus::new();
        let mut batch = Batch::new();
        for id in 1..=memories as u64 {
            let made = corpus.memory();
            shown(&made)?;
            for (nearest, question) in nearest.iter_mut().zip(&questions) {
                offer(nearest, cosine(&made.vector, &question.vector), id);
            }
            write(&mut batch, id, &made.text, &made.vector)?;
            if id.is_multiple_of(PER_COMMIT as u64) || id == memories as u64 {
                store.commit_now(std::mem::take(&mut batch))?;
            }
        }
        let index = MemoryIndex::open(home);
        let began = Instant::now();
        index.catch_up(&store)?;
        // The vectors are read by the first question, and cut into lists by the next upkeep.
        index.nearest(&store, (SPACE, SearchedKind::Fact), &questions[0].vector, ANSWERS, &|_| true)?;
        index.keep_up(&store)?;
        let index_seconds = began.elapsed().as_secs_f64();
        let finder = Finder { store, index, now: Timestamp(1), weighing: weighing(&Config::default()) };
        let exact = nearest.into_iter().map(|nearest| nearest.into_iter().map(|found| found.0.1).collect()).collect();
        Ok(Self { finder, questions, exact, memories, index_seconds })
    }

    pub(super) fn questions(&self) -> &[Made] {
        &self.questions
    }

    pub(super) fn measure(&self) -> Result<Numbers, Trouble> {
        let Finder { store, index, .. } = &self.finder;
        let mut numbers = Numbers {
            hybrid: Times::default(),
            meaning: Times::default(),
            words: Times::default(),
            recall: 0.0,
            found_after: Times::default(),
            index_seconds: self.index_seconds,
        };
        for question in self.questions.iter().take(EXACT) {
            self.ask(question)?; // warm
        }
        let mut found = 0;
        for (at, question) in self.questions.iter().enumerate() {
            let began = Instant::now();
            self.ask(question)?;
            numbers.hybrid.push(began.elapsed());
            let began = Instant::now();
            let near = index.nearest(store, (SPACE, SearchedKind::Fact), &question.vector, ANSWERS, &|_| true)?;
            numbers.meaning.push(began.elapsed());
            let began = Instant::now();
            index.words(store, SearchedKind::Fact, &question.text, ANSWERS, &|_| true)?;
            numbers.words.push(began.elapsed());
            if let Some(exact) = self.exact.get(at) {
                found += near.iter().filter(|near| exact.contains(&near.0)).count();
            }
        }
        #[expect(clippy::cast_precision_loss, reason = "a thousand")]
        let recall = found as f64 / (EXACT * ANSWERS) as f64;
        numbers.recall = recall;
        numbers.found_after = self.commits()?;
        Ok(numbers)
    }

    fn ask(&self, question: &Made) -> Result<Vec<u64>, Trouble> {
        let ask = RecallAsk { text: question.text.clone(), limit: ANSWERS, ..RecallAsk::default() };
        let asked = QueryVector { space: SPACE.into(), vector: question.vector.clone().into() };
        let found = self.finder.find(&ask, Some(&asked))?;
        Ok(found.into_iter().map(|found| found.fact.id).collect())
    }

    /// From the beginning of a commit to an answer that has what it wrote.
    fn commits(&self) -> Result<Times, Trouble> {
        let mut times = Times::default();
        for (n, question) in (1..=COMMITS).zip(&self.questions) {
            let id = self.memories as u64 + n;
            let began = Instant::now();
            let mut batch = Batch::new();
            write(&mut batch, id, &question.text, &question.vector)?;
            self.finder.store.commit_now(batch)?;
            if !self.ask(question)?.contains(&id) {
                return Err("what was committed was not found".into());
            }
            times.push(began.elapsed());
        }
        Ok(times)
    }
}

fn questions(memories: usize) -> Vec<Made> {
    let mut corpus = Corpus::new();
    let every = (memories / QUESTIONS).max(1);
    let mut about = Vec::new();
    for n in 0..memories {
        let made = corpus.memory();
        if n % every == 0 && about.len() < QUESTIONS {
            about.push(made);
        }
    }
    about.iter().map(|about| corpus.question(about)).collect()
}

pub(super) fn write(batch: &mut Batch, id: u64, text: &str, vector: &[f32]) -> Result<(), Trouble> {
    let searched = Searched::new(SearchedKind::Fact, id);
    batch.put(&fact(id, text));
    batch.index(IndexJob::Searched(searched));
    vectors::put(batch, &vectors::record(SPACE, searched, text, vector).ok_or("a vector without direction")?);
    Ok(())
}

fn fact(id: u64, content: &str) -> FactRecord {
    FactRecord {
        id,
        content: content.into(),
        topics: vec!["Miscellaneous".into()],
        source: "conversation".into(),
        short_term: false,
        expires_at: None,
        status: FactStatus::Active,
        scope: "personal".into(),
        confidence: 0.9,
        state: FactState::Current,
        superseded_by: None,
        superseded_at: None,
        merged_into: None,
        merged_at: None,
        previous_content: None,
        review: None,
        sources: Vec::new(),
        recall_count: 0,
        last_recalled_at: None,
        created_at: Timestamp(1),
        updated_at: Timestamp(1),
    }
}

/// Sixteen sums side by side, so that the compiler takes them at once.
fn cosine(one: &[f32], other: &[f32]) -> f32 {
    let (one, other) = (one.as_chunks::<16>().0, other.as_chunks::<16>().0);
    let mut sums = [0.0_f32; 16];
    for (a, b) in one.iter().zip(other) {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum += a * b;
        }
    }
    sums.iter().sum()
}

fn offer(nearest: &mut Nearest, cosine: f32, id: u64) {
    // Between 0 and 2 numbers sort as their bits do.
    nearest.push(std::cmp::Reverse(((cosine + 1.0).max(0.0).to_bits(), id)));
    if nearest.len() > ANSWERS {
        nearest.pop();
    }
}

/// Files for peers.
pub(super) struct Export<'a> {
    folder: &'a Path,
    texts: BufWriter<File>,
    vectors: BufWriter<File>,
}

impl<'a> Export<'a> {
    pub(super) fn new(folder: &'a Path) -> Result<Self, Trouble> {
        std::fs::create_dir_all(folder)?;
        let file = |name: &str| File::create(folder.join(name)).map(BufWriter::new);
        Ok(Self { folder, texts: file("texts.txt")?, vectors: file("texts.f32")? })
    }

    pub(super) fn memory(&mut self, made: &Made) -> Result<(), Trouble> {
        put(&mut self.texts, &mut self.vectors, made)
    }

    pub(super) fn questions(mut self, questions: &[Made]) -> Result<(), Trouble> {
        self.texts.flush()?;
        self.vectors.flush()?;
        let file = |name: &str| File::create(self.folder.join(name)).map(BufWriter::new);
        let (mut texts, mut vectors) = (file("questions.txt")?, file("questions.f32")?);
        for question in questions {
            put(&mut texts, &mut vectors, question)?;
        }
        texts.flush()?;
        Ok(vectors.flush()?)
    }
}

fn put(texts: &mut impl Write, vectors: &mut impl Write, made: &Made) -> Result<(), Trouble> {
    writeln!(texts, "{}", made.text)?;
    debug_assert_eq!(made.vector.len(), DIMENSIONS, "of the corpus");
    for number in &made.vector {
        vectors.write_all(&number.to_le_bytes())?;
    }
    Ok(())
}

/// Resident memory of this process, in megabytes; 0 where it cannot be read.
pub(super) fn resident_mb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kilobytes.unwrap_or_default() / 1_024
}
