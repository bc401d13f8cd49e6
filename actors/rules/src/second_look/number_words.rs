//! Numbers written in words, English and Chinese, as they appear in what people say about money.

const SMALL: [(&str, i128); 32] = [
    ("zero", 0),
    ("one", 1),
    ("two", 2),
    ("three", 3),
    ("four", 4),
    ("five", 5),
    ("six", 6),
    ("seven", 7),
    ("eight", 8),
    ("nine", 9),
    ("ten", 10),
    ("eleven", 11),
    ("twelve", 12),
    ("thirteen", 13),
    ("fourteen", 14),
    ("fifteen", 15),
    ("sixteen", 16),
    ("seventeen", 17),
    ("eighteen", 18),
    ("nineteen", 19),
    ("twenty", 20),
    ("thirty", 30),
    ("forty", 40),
    ("fourty", 40),
    ("fifty", 50),
    ("sixty", 60),
    ("seventy", 70),
    ("eighty", 80),
    ("ninety", 90),
    ("a", 1),
    ("an", 1),
    ("dozen", 12),
];

const LARGE: [(&str, i128); 6] = [
    ("thousand", 1_000),
    ("million", 1_000_000),
    ("billion", 1_000_000_000),
    ("lakh", 100_000),
    ("crore", 10_000_000),
    ("grand", 1_000),
];

/// A number in words that begins here: where it ends, and its value.
pub(super) fn number_at(text: &[char], at: usize) -> Option<(usize, i128)> {
    if at > 0 && text[at - 1].is_alphanumeric() {
        return chinese_at(text, at);
    }
    english_at(text, at).or_else(|| chinese_at(text, at))
}

fn english_at(text: &[char], at: usize) -> Option<(usize, i128)> {
    let (mut total, mut part, mut end, mut words) = (0_i128, 0_i128, at, 0);
    let (mut next, mut only_article) = (at, true);
    while let Some((stop, word)) = word_at(text, next) {
        let word = word.to_lowercase();
        let number = SMALL.iter().find(|(name, _)| *name == word).map(|(_, value)| *value);
        match number {
            // `a` only begins a number: `a hundred`.
            Some(_) if matches!(word.as_str(), "a" | "an") && words > 0 => break,
            Some(value) => {
                part += value;
                only_article &= matches!(word.as_str(), "a" | "an");
            }
            None if word == "hundred" => {
                part = part.max(1) * 100;
                only_article = false;
            }
            None if word == "and" && words > 0 => {
                // Belongs to the number only when a small one follows: `a hundred and five`.
                let follows = word_at(text, after_gap(text, stop)?).map(|(_, word)| word.to_lowercase());
                let goes_on = follows.is_some_and(|word| {
                    SMALL.iter().any(|(name, value)| *name == word && *value > 0 && word != "a" && word != "an")
                });
                if !goes_on || part % 100 != 0 || (part == 0 && total == 0) {
                    break;
                }
                next = after_gap(text, stop)?;
                continue;
            }
            None => {
                let Some((_, times)) = LARGE.iter().find(|(name, _)| *name == word).filter(|_| words > 0) else {
                    break;
                };
                total += part.max(1) * times;
                part = 0;
                only_article = false;
            }
        }
        (end, words) = (stop, words + 1);
        match after_gap(text, stop) {
            Some(start) if words < 24 => next = start,
            _ => break,
        }
    }
    (words > 0 && !only_article).then(|| (end, total + part))
}

/// The letters that begin here.
fn word_at(text: &[char], at: usize) -> Option<(usize, String)> {
    let word: String = text.get(at..)?.iter().take(12).take_while(|c| c.is_ascii_alphabetic()).collect();
    (!word.is_empty()).then(|| (at + word.len(), word))
}

/// Where the next word begins, behind one blank or hyphen.
fn after_gap(text: &[char], at: usize) -> Option<usize> {
    matches!(text.get(at)?, ' ' | '-').then_some(at + 1)
}

fn chinese_at(text: &[char], at: usize) -> Option<(usize, i128)> {
    const DIGITS: &str = "零一二三四五六七八九";
    const PLACES: [(char, i128); 3] = [('十', 10), ('百', 100), ('千', 1_000)];
    let digit = |c: char| {
        let c = if c == '两' { '二' } else { c };
        DIGITS.chars().position(|known| known == c).and_then(|at| i128::try_from(at).ok())
    };
    let (mut total, mut part, mut one, mut end) = (0_i128, 0_i128, None, at);
    let mut places = 0;
    for c in text.get(at..)?.iter().take(20) {
        if let Some(value) = digit(*c) {
            one = Some(value);
        } else if let Some((_, times)) = PLACES.iter().find(|(place, _)| place == c) {
            part += one.take().unwrap_or(1) * times;
            places += 1;
        } else if matches!(c, '万' | '萬') && (part > 0 || one.is_some()) {
            total += (part + one.take().unwrap_or(0)) * 10_000;
            part = 0;
            places += 1;
        } else {
            break;
        }
        end += 1;
    }
    // A single sign is a word more often than a number.
    (end > at + 1 || places > 0).then(|| (end, total + part + one.unwrap_or(0)))
}
