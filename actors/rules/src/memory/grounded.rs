//! Whether a fact from a chat that read outside content rests on the person's own words of that turn (rule 86).
//!
//! Every name, place, number and address of it must be in what they typed or said, and at least two thirds of its other
//! meaningful words. In a script without capitals a word that is no ordinary one may be a name, so it must be there.

use super::details::in_text;
use super::names::{alike, is_ordinary_hindi, same_word};
use super::subject;
use super::words::{is_small, says_no, words};

/// Whether `said`, the person's messages of the turn, backs the whole fact. `owner` is the person's name, which a fact may
/// carry without its being said.
pub fn by(fact: &str, said: &[String], owner: &str) -> bool {
    let heard = said.join("\n");
    let details = in_text(fact);
    let owner_words = words(owner);
    let is_owner = |key: &str| owner_words.iter().any(|word| same_word(&word.key, key));
    let backed = details.iter().all(|detail| subject::is_owner(&detail.text, owner) || detail.is_said(&heard));
    if !backed {
        return false;
    }
    let heard = words(&heard);
    let is_heard = |key: &str| heard.iter().any(|word| alike(&word.key, key));
    let (mut count, mut known) = (0_usize, 0_usize);
    for word in words(fact) {
        let is_detail = details.iter().any(|detail| (detail.at..detail.end).contains(&word.at));
        if is_detail || is_small(&word.key) || is_owner(&word.key) {
            continue;
        }
        // A word that says no turns the fact around: it has to have been said.
        if says_no(&word.key) {
            if !super::words::negative(&said.join("\n")) {
                return false;
            }
            continue;
        }
        let heard = is_heard(&word.key);
        if word.caseless() && !heard && !is_ordinary_hindi(&word.key) {
            return false;
        }
        count += 1;
        known += usize::from(heard);
    }
    let says_something = count > 0 || details.iter().any(|detail| !subject::is_owner(&detail.text, owner));
    says_something && known * 3 >= count * 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rule_86_the_persons_own_words_back_a_fact() {
        for (fact, said, want) in [
            ("Maya is allergic to peanuts", "By the way, I'm allergic to peanuts.", true),
            ("Maya lives in Pune", "I live in Pune, what does this page say?", true),
            ("Maya lives in Delhi", "I live in Pune", false),
            ("Maya's invoice is due on 5 May", "what is in my invoice mail?", false),
            ("Maya has 3 cats", "I have cats", false),
            ("Maya's mail is m@x.example", "my mail is m@x.example", true),
            ("Maya's mail is m@evil.example", "my mail is m@x.example", false),
            ("Maya doesn't eat meat", "I eat meat", false),
            ("Maya owns a large wooden sailing boat", "I own a boat", false),
            ("माया पुणे में रहती है", "मैं पुणे में रहती हूँ", true),
            ("माया दिल्ली में रहती है", "मैं पुणे में रहती हूँ", false),
            ("माया की बहन प्रिया नर्स है", "मेरी बहन रिया नर्स है", false),
            ("Maya's sister Priya is a nurse", "मेरी बहन प्रिया nurse है, my sister", true),
            ("麻雅住在北京", "我住在上海", false),
            ("", "anything", false),
        ] {
            assert_eq!(by(fact, &[said.to_owned()], "Maya"), want, "{fact} / {said}");
        }
        let two = ["I own a boat".to_owned(), "it is wooden".to_owned()];
        assert!(by("Maya owns a wooden boat", &two, "Maya"), "a steer message counts too");
        assert!(!by("Maya owns a wooden boat", &[], "Maya"));
    }
}
