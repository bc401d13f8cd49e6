//! Whether a word in Devanagari and one in Latin letters are the same name: `माया` is `Maya`, `प्रिया` is not `Riya`.
//!
//! A Devanagari word becomes a row of sounds, in which the vowel that is spoken without being written may be there or not;
//! a Latin word becomes sounds with the usual spellings folded (`ee` and `i`, `w` and `v`, doubled letters). Nothing else is
//! left out, so that a missing consonant or another vowel makes another name.

/// One sound of a Devanagari word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sound {
    letter: char,
    /// The vowel that is not written: people write it down, or not.
    may_miss: bool,
}

/// Sounds of one word that are compared. Ours: longer than any name.
const SOUNDS_MAX: usize = 64;

/// Whether a text has Devanagari letters.
pub(super) fn is_devanagari(word: &str) -> bool {
    word.chars().any(|c| matches!(c, '\u{900}'..='\u{97f}'))
}

/// Whether the Devanagari word may be written as the Latin one.
pub(super) fn same(devanagari: &str, latin: &str) -> bool {
    let Some(sounds) = sounds(devanagari) else { return false };
    let latin = folded(latin);
    !sounds.is_empty() && sounds.len() <= SOUNDS_MAX && latin.len() <= SOUNDS_MAX && fits(&sounds, &latin)
}

/// Whether the Latin letters are the sounds, leaving out only what may be left out.
fn fits(sounds: &[Sound], latin: &[char]) -> bool {
    // reached[j]: the sounds so far can be the first j letters.
    let mut reached = vec![false; latin.len() + 1];
    reached[0] = true;
    for sound in sounds {
        let mut next = vec![false; latin.len() + 1];
        for (at, _) in reached.iter().enumerate().filter(|(_, here)| **here) {
            next[at] |= sound.may_miss;
            if latin.get(at) == Some(&sound.letter) {
                next[at + 1] = true;
            }
        }
        reached = next;
    }
    reached[latin.len()]
}

/// A Latin word as sounds.
fn folded(word: &str) -> Vec<char> {
    let mut text = super::words::key(word);
    text.retain(|c| c.is_ascii_alphabetic());
    for (written, sound) in [
        ("ksh", "kS"),
        ("chh", "C"),
        ("ch", "C"),
        ("sh", "S"),
        ("ph", "f"),
        ("kh", "K"),
        ("gh", "G"),
        ("th", "T"),
        ("dh", "D"),
        ("bh", "B"),
        ("jh", "J"),
        ("gy", "jn"),
        ("ee", "i"),
        ("ea", "i"),
        ("oo", "u"),
        ("ou", "O"),
        ("aa", "a"),
        ("ai", "E"),
        ("ei", "E"),
        ("au", "O"),
        ("ow", "O"),
        ("ao", "av"),
        ("w", "v"),
        ("z", "j"),
        ("q", "k"),
        ("x", "kS"),
    ] {
        text = text.replace(written, sound);
    }
    let mut letters: Vec<char> = text.chars().map(|c| if c == 'y' { 'Y' } else { c }).collect();
    // A last `y` behind a consonant is a vowel: Jaya has a sound there, Johny has `i`.
    let vowel = |c: &char| matches!(c, 'a' | 'e' | 'i' | 'o' | 'u' | 'E' | 'O');
    if letters.last() == Some(&'Y') && letters.len() > 1 && !vowel(&letters[letters.len() - 2]) {
        letters.pop();
        letters.push('i');
    }
    // `d` and `dh`, `t` and `th` change from hand to hand; doubled letters are one.
    letters.iter_mut().for_each(|c| *c = loose(*c));
    letters.dedup();
    letters
}

/// Sounds that are written one for another.
fn loose(c: char) -> char {
    match c {
        'T' => 't',
        'D' => 'd',
        'K' => 'k',
        'G' => 'g',
        'B' => 'b',
        'J' => 'j',
        'S' => 's',
        'E' => 'e',
        'O' => 'o',
        other => other,
    }
}

/// A Devanagari word as sounds; `None` when another script stands in it.
fn sounds(word: &str) -> Option<Vec<Sound>> {
    let mut found: Vec<Sound> = Vec::new();
    let say = |found: &mut Vec<Sound>, letter: char, may_miss: bool| {
        if found.last().is_none_or(|last| last.letter != letter) {
            found.push(Sound { letter, may_miss });
        } else if let Some(last) = found.last_mut() {
            last.may_miss &= may_miss;
        }
    };
    let letters: Vec<char> = word.chars().filter(|c| !matches!(c, '\u{93c}' | '\u{200c}' | '\u{200d}')).collect();
    for (at, c) in letters.iter().enumerate() {
        let next = letters.get(at + 1).copied();
        if let Some(spelled) = consonant(*c) {
            for letter in spelled.chars() {
                say(&mut found, letter, false);
            }
            let has_vowel = next.is_some_and(|next| next == '\u{94d}' || sign(next).is_some());
            if !has_vowel {
                say(&mut found, 'a', true);
            }
        } else if matches!(c, 'इ' | 'ई') && found.last().is_some_and(|last| last.letter == 'a') {
            // "मुंबई", "साई": written `ai`, which is one sound in Latin letters.
            found.pop();
            say(&mut found, 'e', false);
        } else if let Some(vowel) = sign(*c).or_else(|| letter(*c)) {
            vowel.chars().for_each(|letter| say(&mut found, letter, false));
        } else if matches!(c, 'ं' | 'ँ') {
            let lips = next.and_then(consonant).is_some_and(|spelled| spelled.starts_with(['p', 'b', 'f', 'm']));
            say(&mut found, if lips { 'm' } else { 'n' }, next.is_none());
        } else if !matches!(c, '\u{94d}' | 'ः' | 'ऽ') {
            return None;
        }
    }
    Some(found)
}

fn consonant(c: char) -> Option<&'static str> {
    Some(match c {
        'क' | 'ख' => "k",
        'ग' | 'घ' => "g",
        'ङ' | 'ञ' | 'ण' | 'न' => "n",
        'च' | 'छ' => "C",
        'ज' | 'झ' => "j",
        'ट' | 'ठ' | 'त' | 'थ' => "t",
        'ड' | 'ढ' | 'द' | 'ध' => "d",
        'प' => "p",
        'फ' => "f",
        'ब' | 'भ' => "b",
        'म' => "m",
        'य' => "Y",
        'र' => "r",
        'ल' | 'ळ' => "l",
        'व' => "v",
        'श' | 'ष' | 'स' => "s",
        'ह' => "h",
        _ => return None,
    })
}

/// A vowel's sign behind a consonant.
fn sign(c: char) -> Option<&'static str> {
    Some(match c {
        'ा' | 'ॉ' => "a",
        'ि' | 'ी' => "i",
        'ु' | 'ू' => "u",
        'ृ' => "ri",
        'े' | 'ै' | 'ॅ' => "e",
        'ो' | 'ौ' => "o",
        _ => return None,
    })
}

/// A vowel on its own.
fn letter(c: char) -> Option<&'static str> {
    Some(match c {
        'अ' | 'आ' | 'ऑ' => "a",
        'इ' | 'ई' => "i",
        'उ' | 'ऊ' => "u",
        'ऋ' => "ri",
        'ए' | 'ऐ' => "e",
        'ओ' | 'औ' => "o",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_across_scripts() {
        for (devanagari, latin, want) in [
            ("माया", "Maya", true),
            ("प्रिया", "Priya", true),
            ("प्रिया", "Riya", false),
            ("रिया", "Riya", true),
            ("रिया", "Priya", false),
            ("अर्जुन", "Arjun", true),
            ("मीरा", "Meera", true),
            ("मीरा", "Mira", true),
            ("मीरा", "Maya", false),
            ("राव", "Rao", true),
            ("राव", "Rav", true),
            ("लक्ष्मी", "Lakshmi", true),
            ("कृष्ण", "Krishna", true),
            ("कृष्णा", "Krishna", true),
            ("विक्रम", "Vikram", true),
            ("संजय", "Sanjay", true),
            ("पूजा", "Pooja", true),
            ("दीपक", "Deepak", true),
            ("नेहा", "Neha", true),
            ("शेखर", "Shekhar", true),
            ("रोहन", "Rohan", true),
            ("रोहन", "Rohit", false),
            ("राम", "Ram", true),
            ("राम", "Rama", true),
            ("राम", "Rim", false),
            ("सिद्धार्थ", "Siddharth", true),
            ("अनन्या", "Ananya", true),
            ("पुणे", "Pune", true),
            ("दिल्ली", "Delhi", false), // a place with an English name of its own: see `names`
            ("दिल्ली", "Dilli", true),
            ("बेंगलुरु", "Bengaluru", true),
            ("मुंबई", "Mumbai", true),
            ("साई", "Sai", true),
            ("माया", "", false),
            ("", "Maya", false),
            ("माx", "Max", false),
        ] {
            assert_eq!(same(devanagari, latin), want, "{devanagari} / {latin}");
        }
    }

    proptest! {
        #[test]
        fn nothing_breaks(one in "\\PC{0,80}", other in "\\PC{0,80}") {
            same(&one, &other);
            is_devanagari(&one);
        }
    }
}
