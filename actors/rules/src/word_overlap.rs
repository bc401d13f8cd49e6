//! How many of their words two texts share, in any script. It knows no meaning; it says only what is written.

use std::collections::BTreeSet;
use unicode_normalization::UnicodeNormalization;
use unicode_segmentation::UnicodeSegmentation;

/// The words of a text, each once: compatibility forms and letters' case do not count.
pub fn words(text: &str) -> BTreeSet<String> {
    text.nfkc().collect::<String>().to_lowercase().unicode_words().map(str::to_owned).collect()
}

/// The share of all their words that both have (Jaccard), 0 to 1. Texts without a word share nothing.
pub fn overlap(one: &str, other: &str) -> f64 {
    let (one, other) = (words(one), words(other));
    let shared = one.intersection(&other).count();
    let all = one.len() + other.len() - shared;
    #[expect(clippy::cast_precision_loss, reason = "words of two short texts")]
    let share = shared as f64 / all.max(1) as f64;
    share
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_much_two_texts_share() {
        for (one, other, want) in [
            ("Maya likes tea", "maya LIKES tea.", 1.0),
            ("Maya likes green tea", "Maya likes tea", 0.75),
            ("माया को चाय पसंद है", "माया को चाय पसंद है।", 1.0),
            ("माया को चाय पसंद है", "माया को कॉफ़ी पसंद है", 4.0 / 6.0),
            ("a b", "c d", 0.0),
            ("...", "...", 0.0),
            ("", "a", 0.0),
        ] {
            assert!((overlap(one, other) - want).abs() < 1e-9, "{one} / {other}: {}", overlap(one, other));
            assert!((overlap(one, other) - overlap(other, one)).abs() < 1e-9, "{one} / {other}");
        }
    }
}
