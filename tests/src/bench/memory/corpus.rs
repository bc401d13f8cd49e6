//! Generated memories: words of a Zipf vocabulary and vectors in clusters, the same every time, made one after the other.

/// Numbers that look like chance and are the same every time (Steele and others, "Fast splittable pseudorandom number
/// generators", 2014).
#[derive(Clone, Debug)]
pub(super) struct Numbers(u64);

impl Numbers {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// At least 0 and less than 1.
    #[expect(clippy::cast_precision_loss, reason = "24 bits are exact")]
    fn share(&mut self) -> f32 {
        (self.next() >> 40) as f32 / 16_777_216.0
    }

    /// Less than `end`.
    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end.max(1) as u64).unwrap_or_default()
    }

    /// Normally distributed, nearly: the sum of twelve shares.
    fn normal(&mut self) -> f32 {
        (0..12).map(|_| self.share()).sum::<f32>() - 6.0
    }
}

/// Components of a vector.
pub(super) const DIMENSIONS: usize = 384;
/// Words of a memory (ARCHITECTURE.md, "Numbers to hold").
const WORDS: usize = 12;
/// Words of a question.
const QUESTION_WORDS: usize = 5;
const VOCABULARY: usize = 50_000;
const CLUSTERS: usize = 2_000;
/// Length of what a vector has of its own, beside the centre of its cluster of length one.
const SPREAD: f32 = 0.8;
const SEED: u64 = 20_261_130;

/// One generated text with its vector.
#[derive(Clone, Debug)]
pub(super) struct Made {
    pub(super) text: String,
    pub(super) vector: Vec<f32>,
}

/// Makes memories and questions.
pub(super) struct Corpus {
    numbers: Numbers,
    /// The share of all words that a word and those more frequent take.
    up_to: Vec<f32>,
    centres: Vec<Vec<f32>>,
}

impl Corpus {
    #[expect(clippy::cast_precision_loss, reason = "ranks of words")]
    pub(super) fn new() -> Self {
        let mut numbers = Numbers::new(SEED);
        let whole: f32 = (1..=VOCABULARY).map(|rank| 1.0 / rank as f32).sum();
        let mut sum = 0.0;
        let up_to = (1..=VOCABULARY)
            .map(|rank| {
                sum += 1.0 / rank as f32 / whole;
                sum
            })
            .collect();
        let centres = (0..CLUSTERS).map(|_| unit((0..DIMENSIONS).map(|_| numbers.normal()).collect())).collect();
        Self { numbers, up_to, centres }
    }

    /// The next memory.
    pub(super) fn memory(&mut self) -> Made {
        let words: Vec<String> = (0..WORDS).map(|_| self.word()).collect();
        Made { text: words.join(" "), vector: self.vector() }
    }

    /// A question about a memory: some of its words, and a vector near its own.
    pub(super) fn question(&mut self, about: &Made) -> Made {
        let words: Vec<&str> = about.text.split(' ').collect();
        let chosen: Vec<&str> = (0..QUESTION_WORDS).map(|_| words[self.numbers.below(words.len())]).collect();
        let own = SPREAD / 384.0_f32.sqrt();
        let vector = about.vector.iter().map(|it| it + own * self.numbers.normal()).collect();
        Made { text: chosen.join(" "), vector: unit(vector) }
    }

    fn word(&mut self) -> String {
        let share = self.numbers.share();
        let rank = self.up_to.partition_point(|up_to| *up_to < share).min(VOCABULARY - 1);
        name(rank)
    }

    fn vector(&mut self) -> Vec<f32> {
        let centre = self.numbers.below(CLUSTERS);
        let own = SPREAD / 384.0_f32.sqrt();
        let vector = (0..DIMENSIONS).map(|at| self.centres[centre][at] + own * self.numbers.normal()).collect();
        unit(vector)
    }
}

impl Default for Corpus {
    fn default() -> Self {
        Self::new()
    }
}

fn unit(vector: Vec<f32>) -> Vec<f32> {
    let length = vector.iter().map(|it| it * it).sum::<f32>().sqrt();
    vector.into_iter().map(|it| it / length).collect()
}

/// A word that can be said, different for each rank: syllables of a consonant and a vowel.
fn name(rank: usize) -> String {
    const CONSONANTS: &[u8] = b"bdfgklmnprstvz";
    const VOWELS: &[u8] = b"aiou";
    let syllables = CONSONANTS.len() * VOWELS.len();
    let mut left = rank;
    let mut word = String::new();
    for _ in 0..3 {
        let syllable = left % syllables;
        left /= syllables;
        word.push(char::from(CONSONANTS[syllable / VOWELS.len()]));
        word.push(char::from(VOWELS[syllable % VOWELS.len()]));
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn it_is_the_same_every_time() {
        let (mut one, mut two) = (Corpus::new(), Corpus::new());
        for _ in 0..20 {
            let (a, b) = (one.memory(), two.memory());
            assert_eq!((a.text, a.vector), (b.text, b.vector));
        }
    }

    #[test]
    fn words_are_all_different_and_vectors_have_length_one() {
        assert_eq!((0..VOCABULARY).map(name).collect::<HashSet<_>>().len(), VOCABULARY);
        let made = Corpus::new().memory();
        assert_eq!(made.text.split(' ').count(), WORDS);
        assert!((made.vector.iter().map(|it| it * it).sum::<f32>() - 1.0).abs() < 1e-4);
    }
}
