//! Rule 134: how what was found by words and what was found by meaning become one list.

use super::words::share;
use std::collections::BTreeMap;

/// Pieces of one file in an answer (contract section 22, "Search").
pub const FOUND_PER_FILE_MAX: usize = 2;
/// How far below the best match by meaning a piece may be (contract section 22, "Search").
pub const MEANING_WINDOW: f32 = 0.15;
/// The constant of reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009).
const RANK_CONSTANT: f64 = 60.0;

/// A piece found by words.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WordHit {
    pub id: u64,
    /// Its bm25.
    pub score: f32,
    /// The share of the question's words it holds, from 0 to 1.
    pub held: f64,
}

/// How much more a word counts in a piece's title, in its other names and tags, and in its headings, than in its text.
/// Ours.
const TITLE_WEIGHT: f64 = 1.0;
const LABELS_WEIGHT: f64 = 0.75;
const HEADING_WEIGHT: f64 = 0.5;

/// Where a piece stands, as words are counted in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing<'a> {
    pub title: &'a str,
    pub labels: &'a str,
    pub heading: &'a str,
    pub text: &'a str,
}

impl WordHit {
    /// A piece found by `words` with a bm25 of `score`: what its title, names and headings hold of them adds to it.
    pub fn new(id: u64, score: f32, words: &[String], piece: Standing<'_>) -> Self {
        let Standing { title, labels, heading, text } = piece;
        let held = share(words, &format!("{title} {labels} {heading} {text}"));
        let more = TITLE_WEIGHT * share(words, title)
            + LABELS_WEIGHT * share(words, labels)
            + HEADING_WEIGHT * share(words, heading);
        // Between one and three times a bm25: far inside what an f32 holds.
        #[expect(clippy::cast_possible_truncation, reason = "a factor between 1 and 3.25")]
        let factor = (1.0 + more) as f32;
        Self { id, score: score * factor, held }
    }
}

/// A piece of the answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Found {
    pub id: u64,
    /// Cosine with the question, when it was found by meaning.
    pub similarity: Option<f32>,
    pub score: f64,
}

/// Merges both lists, each best first, by reciprocal rank. What words found counts as much as the match is strong: its
/// bm25 beside the best one, times the share of the question's words. `file_of` says whose piece it is; a piece without
/// a file is left out.
pub fn merge<F: Ord>(
    by_words: &[WordHit],
    by_meaning: &[(u64, f32)],
    file_of: impl Fn(u64) -> Option<F>,
    limit: usize,
) -> Vec<Found> {
    let mut all: BTreeMap<u64, Found> = BTreeMap::new();
    let best = by_meaning.iter().map(|(_, similarity)| *similarity).fold(f32::MIN, f32::max);
    let near = by_meaning.iter().filter(|(_, similarity)| *similarity >= best - MEANING_WINDOW);
    for (rank, (id, similarity)) in near.enumerate() {
        let found = all.entry(*id).or_insert(Found { id: *id, similarity: None, score: 0.0 });
        found.similarity = Some(*similarity);
        found.score += reciprocal(rank);
    }
    let strongest = by_words.iter().map(|hit| hit.score).fold(f32::MIN_POSITIVE, f32::max);
    for (rank, hit) in by_words.iter().enumerate() {
        let strength = f64::from((hit.score / strongest).clamp(0.0, 1.0)) * hit.held.clamp(0.0, 1.0);
        let found = all.entry(hit.id).or_insert(Found { id: hit.id, similarity: None, score: 0.0 });
        found.score += strength * reciprocal(rank);
    }
    let mut ranked: Vec<Found> = all.into_values().collect();
    ranked.sort_by(|one, other| other.score.total_cmp(&one.score).then(one.id.cmp(&other.id)));
    let mut of_file: BTreeMap<F, usize> = BTreeMap::new();
    ranked.retain(|found| {
        file_of(found.id).is_some_and(|file| {
            let count = of_file.entry(file).or_default();
            *count += 1;
            *count <= FOUND_PER_FILE_MAX
        })
    });
    ranked.truncate(limit);
    ranked
}

fn reciprocal(rank: usize) -> f64 {
    // Ranks are far below 2^52.
    1.0 / (RANK_CONSTANT + rank as f64 + 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Pieces 10 to 19 are of file 1, and so on.
    fn ids(words: &[(u64, f32, f64)], meaning: &[(u64, f32)], limit: usize) -> Vec<u64> {
        let words: Vec<WordHit> =
            words.iter().map(|(id, score, held)| WordHit { id: *id, score: *score, held: *held }).collect();
        merge(&words, meaning, |id| (id < 900).then_some(id / 10), limit).into_iter().map(|found| found.id).collect()
    }

    #[test]
    fn rule_134_words_and_meaning_become_one_list() {
        for (name, words, meaning, want) in [
            ("meaning alone", &[][..], &[(10, 0.8), (20, 0.7)][..], &[10, 20][..]),
            ("words alone", &[(10, 9.0, 1.0), (20, 4.0, 0.5)], &[], &[10, 20]),
            ("far below the best is left out", &[], &[(10, 0.8), (20, 0.66), (30, 0.64)], &[10, 20]),
            ("found both ways comes first", &[(20, 9.0, 1.0)], &[(10, 0.8), (20, 0.75)], &[20, 10]),
            ("a weak match in words changes little", &[(30, 9.0, 0.1)], &[(10, 0.8), (20, 0.75)], &[10, 20, 30]),
            ("a strong match beats the second in meaning", &[(30, 9.0, 1.0)], &[(10, 0.8), (20, 0.75)], &[10, 30, 20]),
            ("two pieces of a file", &[], &[(10, 0.8), (11, 0.79), (12, 0.78), (20, 0.77)], &[10, 11, 20]),
            ("a piece of no file", &[], &[(900, 0.8), (10, 0.79)], &[10]),
            ("nothing", &[], &[], &[]),
        ] {
            assert_eq!(ids(words, meaning, 6), want, "{name}");
        }
        assert_eq!(ids(&[], &[(10, 0.8), (20, 0.7), (30, 0.7)], 2), [10, 20]);
        let broken = ids(&[(10, f32::NAN, f64::NAN)], &[(20, f32::NAN)], 6);
        assert!(broken.len() <= 2, "numbers that are none do no harm");
    }

    #[test]
    fn rule_134_a_title_weighs_more_than_the_text() {
        let words = super::super::words::meaningful("cabin");
        let bare = Standing { title: "", labels: "", heading: "", text: "the cabin" };
        let score = |piece| WordHit::new(1, 2.0, &words, piece).score;
        let scores = [
            score(Standing { title: "Cabin", ..bare }),
            score(Standing { labels: "hut cabin", ..bare }),
            score(Standing { heading: "The cabin", ..bare }),
            score(bare),
        ];
        assert!(scores.is_sorted_by(|one, next| one > next), "{scores:?}");
        assert_eq!(scores[3], 2.0);
    }

    proptest! {
        #[test]
        fn an_answer_is_made_of_what_was_found(
            words in proptest::collection::vec((0_u64..60, 0_f32..20.0, 0_f64..1.0), 0..20),
            meaning in proptest::collection::vec((0_u64..60, -1_f32..1.0), 0..20),
            limit in 0_usize..8,
        ) {
            let found = ids(&words, &meaning, limit);
            prop_assert!(found.len() <= limit);
            for id in &found {
                prop_assert!(words.iter().any(|(word, ..)| word == id) || meaning.iter().any(|(piece, _)| piece == id));
                prop_assert!(found.iter().filter(|other| **other / 10 == *id / 10).count() <= FOUND_PER_FILE_MAX);
                prop_assert_eq!(found.iter().filter(|other| *other == id).count(), 1);
            }
        }
    }
}
