//! In which order memories answer a question: how near their meaning is, and how much of what it says they say (contract
//! section 7, `GET /api/memories?q=`; `memory.md` section 3; rule 81).
//!
//! It compares nothing itself: cosines, words and how rare words are come in as numbers, so that the order is the same
//! whatever found the candidates.

mod stop_words;

use stop_words::is_stop_word;

/// Words of a question that count (`memory.md` section 3).
pub const QUERY_WORDS_MAX: usize = 10;
/// Candidates at least (`memory.md` section 3).
const POOL_MIN: usize = 10;
/// Candidates per answer wanted (`memory.md` section 3).
const POOL_PER_ANSWER: usize = 3;
/// Characters that a word of an alphabet must have more of to count (`memory.md` section 3).
const SHORT_WORD_CHARS: usize = 2;
/// The share of a question's words that keeps a memory whose meaning is not near (`memory.md` section 3).
const WORDS_THAT_KEEP: f32 = 0.5;
/// How much a telling word says: as much as one that a hundredth of all memories have, in nats. Ours; decision 0231.
pub const TELLING_WORD: f32 = 4.605_17;

/// What settings say about ranking.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weighing {
    /// `memory.keyword_weight`: what all of a question's words are worth beside the cosine.
    pub keyword_weight: f32,
    /// `memory.min_similarity`: the cosine that keeps a memory by itself.
    pub min_similarity: f32,
}

/// How much of a question's words a memory has.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Share {
    /// The plain share of its words, 0 to 1.
    pub words: f32,
    /// The share of what its words say: each weighed by how rare it is, out of all of them, but of no more than one
    /// [`TELLING_WORD`]. So it is 1 when all are there, and above 1 when those that are there say more than one telling word.
    pub said: f32,
}

/// How many candidates are looked at for so many answers, by meaning and by words each.
pub fn pool(limit: usize) -> usize {
    limit.saturating_mul(POOL_PER_ANSWER).max(POOL_MIN)
}

/// The words of a question that count, from its words in the form in which they are compared (lower case, no accents):
/// the first [`QUERY_WORDS_MAX`] different ones that are no stop words and longer than two characters. In scripts that
/// write less per letter, a word of two letters counts; where there are no spaces, every piece does.
pub fn counted(words: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut counted: Vec<String> = Vec::new();
    for word in words {
        if counted.len() < QUERY_WORDS_MAX && is_long_enough(&word) && !is_stop_word(&word) && !counted.contains(&word)
        {
            counted.push(word);
        }
    }
    counted
}

fn is_long_enough(word: &str) -> bool {
    let letters = word.chars().count();
    match word.chars().next() {
        None => false,
        // Latin, Greek, Cyrillic, Armenian, and digits: alphabets with vowels.
        Some('\0'..='\u{058F}') => letters > SHORT_WORD_CHARS,
        // Hebrew to Sinhala, Tibetan, Hangul and so on: a syllable is one or two characters.
        Some('\u{0590}'..='\u{0DFF}' | '\u{0F00}'..='\u{0FFF}' | '\u{1100}'..='\u{11FF}' | '\u{AC00}'..='\u{D7AF}') => {
            letters >= SHORT_WORD_CHARS
        }
        // Scripts without spaces: pieces are cut by the index.
        Some(_) => true,
    }
}

/// How much of a question a memory has: for each of its counted words how rare it is (inverse document frequency in nats),
/// and whether the memory has it.
#[expect(clippy::cast_precision_loss, reason = "at most ten words")]
pub fn share(words: impl IntoIterator<Item = (f32, bool)>) -> Share {
    let (mut all, mut there, mut says, mut said) = (0_usize, 0_usize, 0.0_f32, 0.0_f32);
    for (rarity, has) in words {
        let rarity = rarity.max(f32::EPSILON);
        all += 1;
        says += rarity;
        if has {
            there += 1;
            said += rarity;
        }
    }
    if all == 0 {
        return Share::default();
    }
    Share { words: there as f32 / all as f32, said: said / says.min(TELLING_WORD) }
}

/// What a memory is ordered by; `None` when it does not answer the question. `similarity` is the cosine, `None` when it is
/// not known.
pub fn score(similarity: Option<f32>, share: Share, weighing: Weighing) -> Option<f32> {
    let near = similarity.is_some_and(|similarity| similarity >= weighing.min_similarity);
    let kept = near || share.words >= WORDS_THAT_KEEP;
    kept.then(|| similarity.unwrap_or_default() + weighing.keyword_weight * share.said)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const DEFAULTS: Weighing = Weighing { keyword_weight: 0.15, min_similarity: 0.35 };

    fn words(text: &str) -> Vec<String> {
        counted(text.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn rule_81_words_that_count() {
        for (name, question, want) in [
            ("stop words are out", "where does the sister of maya live", &["sister", "maya", "live"][..]),
            ("two letters are too few", "is ai ok for uni", &["uni"]),
            ("once each", "tea tea coffee tea", &["tea", "coffee"]),
            (
                "ten at most",
                "w01 w02 w03 w04 w05 w06 w07 w08 w09 w10 w11",
                &["w01", "w02", "w03", "w04", "w05", "w06", "w07", "w08", "w09", "w10"],
            ),
            ("Hindi: two letters are a word, function words are out", "माया का घर कहाँ है", &["माया", "घर"]),
            ("Chinese and Japanese: every piece", "東京 京都 猫", &["東京", "京都", "猫"]),
            ("Arabic", "اين تسكن اختي في دبي", &["تسكن", "اختي", "دبي"]),
            ("Korean", "서울 사는 집", &["서울", "사는"]),
            ("German", "wo wohnt die schwester von maya", &["wohnt", "schwester", "maya"]),
            ("nothing", "", &[]),
        ] {
            assert_eq!(words(question), want, "{name}");
        }
    }

    #[test]
    fn rule_81_the_score_is_the_cosine_and_the_weighed_share_of_words() {
        for (name, similarity, rarities, has, want) in [
            ("no words", Some(0.5), &[][..], &[][..], Some(0.5)),
            ("all words", Some(0.5), &[1.0, 1.0], &[true, true], Some(0.65)),
            ("half of them", Some(0.5), &[1.0, 1.0], &[true, false], Some(0.575)),
            ("the rarer half", Some(0.5), &[3.0, 1.0], &[true, false], Some(0.6125)),
            ("two telling words of three", Some(0.5), &[4.605_17, 4.605_17, 4.605_17], &[true, true, false], Some(0.8)),
            ("too far, and no words", Some(0.34), &[1.0], &[false], None),
            ("just near enough", Some(0.35), &[1.0], &[false], Some(0.35)),
            ("far, but half of the words", Some(0.1), &[1.0, 1.0], &[true, false], Some(0.175)),
            ("far, and less than half of the words", Some(0.1), &[1.0, 1.0, 1.0], &[true, false, false], None),
            ("by words alone", None, &[1.0], &[true], Some(0.15)),
            ("nothing to go by", None, &[], &[], None),
        ] {
            let got = score(similarity, share(rarities.iter().copied().zip(has.iter().copied())), DEFAULTS);
            let close = match (got, want) {
                (Some(got), Some(want)) => (got - want).abs() < 1e-5,
                (got, want) => got == want,
            };
            assert!(close, "{name}: {got:?}, not {want:?}");
        }
    }

    #[test]
    fn rule_81_the_pool_is_three_times_what_is_wanted_and_ten_at_least() {
        for (limit, want) in [(0, 10), (3, 10), (4, 12), (8, 24), (usize::MAX, usize::MAX)] {
            assert_eq!(pool(limit), want, "{limit}");
        }
    }

    fn question() -> impl Strategy<Value = Vec<(f32, bool)>> {
        proptest::collection::vec((0.0_f32..12.0, any::<bool>()), 0..QUERY_WORDS_MAX)
    }

    proptest! {
        #[test]
        fn one_more_word_never_lowers_the_score(similarity in proptest::option::of(-1.0_f32..1.0), words in question(), at in any::<prop::sample::Index>()) {
            prop_assume!(!words.is_empty());
            let mut without = words.clone();
            without[at.index(words.len())].1 = false;
            let mut with = words;
            with[at.index(without.len())].1 = true;
            let (without, with) = (score(similarity, share(without), DEFAULTS), score(similarity, share(with), DEFAULTS));
            prop_assert!(with.unwrap_or(f32::MIN) >= without.unwrap_or(f32::MIN), "{:?} {:?}", without, with);
        }

        #[test]
        fn nearer_is_never_worse(near in -1.0_f32..1.0, nearer in -1.0_f32..1.0, words in question()) {
            prop_assume!(nearer >= near);
            let share = share(words);
            let (near, nearer) = (score(Some(near), share, DEFAULTS), score(Some(nearer), share, DEFAULTS));
            prop_assert!(nearer.unwrap_or(f32::MIN) >= near.unwrap_or(f32::MIN));
        }

        #[test]
        fn a_question_that_says_little_keeps_to_the_plain_bounds(words in question()) {
            let says: f32 = words.iter().map(|word| word.0.max(f32::EPSILON)).sum();
            let share = share(words.clone());
            prop_assert!((0.0..=1.0).contains(&share.words));
            prop_assert!(share.said >= 0.0);
            if says <= TELLING_WORD {
                prop_assert!(share.said <= 1.0 + 1e-5);
            }
            if !words.is_empty() && words.iter().all(|word| word.1) {
                prop_assert!(share.said >= 1.0 - 1e-5, "all words are all of it");
            }
        }

        #[test]
        fn the_order_of_words_does_not_matter(words in question()) {
            let mut turned = words.clone();
            turned.reverse();
            let (one, two) = (share(words), share(turned));
            prop_assert!((one.said - two.said).abs() < 1e-4 && one.words == two.words);
        }
    }
}
