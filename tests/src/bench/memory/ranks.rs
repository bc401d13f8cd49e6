//! What the engine finds for questions about texts that others brought, for benches of quality: it ranks, the script that
//! brought the texts counts.

use super::Trouble;
use super::filled::{SPACE, write};
use actors::embeddings::QueryVector;
use actors::memory::{Finder, RecallAsk, weighing};
use protocol::Timestamp;
use protocol::config::Config;
use rules::memory::ranking::counted;
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::Path;
use storage::memory_index::question_words;
use storage::records::SearchedKind;
use storage::{Batch, MemoryIndex, Store};

/// Memories of one answer.
const ANSWERS: usize = 10;

/// `texts.json`.
#[derive(Deserialize)]
struct Texts {
    texts: Vec<String>,
    questions: Vec<String>,
}

/// Saves every text of `texts.json` (`{"texts": […], "questions": […]}`) as a memory as it is, with its vector of
/// `texts.f32`, asks every question, and answers the places (from 0) of what was found, best first: by words, by meaning,
/// and by both as `GET /api/memories?q=` does.
///
/// # Errors
/// The files cannot be read, or the store fails.
pub fn ranks(folder: &Path) -> Result<Value, Trouble> {
    let Texts { texts, questions } = serde_json::from_slice(&std::fs::read(folder.join("texts.json"))?)?;
    let text_vectors = rows(&folder.join("texts.f32"), texts.len())?;
    let question_vectors = rows(&folder.join("questions.f32"), questions.len())?;
    let (store, index) = (Store::in_memory(), MemoryIndex::in_memory());
    for ((id, text), vector) in (1..).zip(&texts).zip(&text_vectors) {
        let mut batch = Batch::new();
        write(&mut batch, id, text, vector)?;
        store.commit_now(batch)?;
    }
    index.catch_up(&store)?;
    let finder = Finder { store, index, now: Timestamp(1), weighing: weighing(&Config::default()) };
    let (mut words, mut meaning, mut hybrid) = (Vec::new(), Vec::new(), Vec::new());
    for (question, vector) in questions.into_iter().zip(question_vectors) {
        let Finder { store, index, .. } = &finder;
        let place = |found: (u64, f32)| found.0 - 1;
        let counted = counted(question_words(&question)).join(" ");
        let by_words = index.words(store, SearchedKind::Fact, &counted, ANSWERS, &|_| true)?;
        words.push(by_words.into_iter().map(place).collect::<Vec<_>>());
        let by_meaning = index.nearest(store, (SPACE, SearchedKind::Fact), &vector, ANSWERS, &|_| true)?;
        meaning.push(by_meaning.into_iter().map(place).collect::<Vec<_>>());
        let ask = RecallAsk { text: question, limit: ANSWERS, ..RecallAsk::default() };
        let asked = QueryVector { space: SPACE.into(), vector: vector.into() };
        let found = finder.find(&ask, Some(&asked))?;
        hybrid.push(found.into_iter().map(|found| found.fact.id - 1).collect::<Vec<_>>());
    }
    Ok(json!({"words": words, "meaning": meaning, "hybrid": hybrid}))
}

/// The rows of a file of little-endian numbers.
fn rows(path: &Path, count: usize) -> Result<Vec<Vec<f32>>, Trouble> {
    let bytes = std::fs::read(path)?;
    let numbers: Vec<f32> = bytes.as_chunks::<4>().0.iter().map(|&four| f32::from_le_bytes(four)).collect();
    let dimensions = numbers.len() / count.max(1);
    if dimensions == 0 || dimensions * count != numbers.len() {
        return Err(format!("{} does not have {count} vectors of one length", path.display()).into());
    }
    Ok(numbers.chunks_exact(dimensions).map(<[f32]>::to_vec).collect())
}
