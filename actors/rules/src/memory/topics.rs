//! Topics of memories: from a model's words for them, and from a fact's own words when no model answers (`memory.md`
//! section 1).

use super::words::{key, stem, words};
use protocol::memory::TOPICS;
use std::collections::BTreeSet;

/// Topics one memory has.
pub const TOPICS_MAX: usize = 3;
/// Topics of a memory that others were merged into.
pub const MERGED_TOPICS_MAX: usize = 4;

const MISCELLANEOUS: &str = "Miscellaneous";

/// The topics that were meant, at most [`TOPICS_MAX`], never none: exact names, `&` or `and`, other words for them, and
/// beginnings of names. What fits none is left out.
pub fn normalise<S: AsRef<str>>(given: &[S]) -> Vec<String> {
    limited(given.iter().filter_map(|topic| one(topic.as_ref())).collect(), TOPICS_MAX)
}

/// The topics of two memories that become one, at most [`MERGED_TOPICS_MAX`].
pub fn merged(one: &[String], other: &[String]) -> Vec<String> {
    limited(one.iter().chain(other).filter_map(|topic| self::one(topic)).collect(), MERGED_TOPICS_MAX)
}

/// The topics a fact's own words speak of.
pub fn guess(content: &str) -> Vec<String> {
    let said: BTreeSet<String> = words(content).iter().map(|word| stem(&word.key)).collect();
    let speaks = |words: &[&str]| words.iter().any(|word| said.contains(&stem(&key(word))));
    let of_relation = words(content).iter().any(|word| super::subject::is_relation(&word.key));
    let mut found: Vec<&'static str> =
        WORDS.iter().filter(|(_, words)| speaks(words)).map(|(topic, _)| *topic).collect();
    if of_relation && !found.contains(&TOPICS[4].0) {
        found.push(TOPICS[4].0);
    }
    limited(found, TOPICS_MAX)
}

/// The topic of a name that is searched for, as in `?topic=work`; `None` when it is none.
pub fn one(given: &str) -> Option<&'static str> {
    let plain = plain(given);
    if plain.is_empty() {
        return None;
    }
    let names = || TOPICS.iter().map(|(name, _)| *name);
    names()
        .find(|name| self::plain(name) == plain)
        .or_else(|| ALIASES.iter().find(|(_, aliases)| aliases.contains(&plain.as_str())).map(|(topic, _)| *topic))
        .or_else(|| {
            names().find(|name| plain.chars().count() >= PREFIX_CHARS_MIN && self::plain(name).starts_with(&plain))
        })
}

/// The shortest beginning of a name that counts as it. Ours.
const PREFIX_CHARS_MIN: usize = 3;

fn plain(text: &str) -> String {
    let words = text.replace('&', " and ").replace(['_', '-', '/'], " ");
    key(&words.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn limited(mut topics: Vec<&'static str>, most: usize) -> Vec<String> {
    let mut seen = BTreeSet::new();
    topics.retain(|topic| seen.insert(*topic));
    if topics.iter().any(|topic| *topic != MISCELLANEOUS) {
        topics.retain(|topic| *topic != MISCELLANEOUS);
    }
    topics.truncate(most);
    if topics.is_empty() {
        topics.push(MISCELLANEOUS);
    }
    topics.into_iter().map(str::to_owned).collect()
}

const ALIASES: [(&str, &[&str]); 8] = [
    (
        "Personal Identity",
        &["identity", "location", "preferences", "preference", "personal", "values", "beliefs", "पहचान"],
    ),
    (
        "Interests & Lifestyle",
        &[
            "hobbies",
            "hobby",
            "food",
            "travel",
            "routine",
            "routines",
            "lifestyle",
            "interests",
            "habits",
            "entertainment",
            "शौक",
        ],
    ),
    (
        "Work & Learning",
        &[
            "work",
            "job",
            "tech",
            "technology",
            "skills",
            "projects",
            "project",
            "education",
            "career",
            "learning",
            "काम",
        ],
    ),
    ("Health & Wellbeing", &["health", "fitness", "wellbeing", "wellness", "diet", "sleep", "सेहत", "स्वास्थ्य"]),
    (
        "Relationships & Social Life",
        &["family", "friends", "relationships", "relationship", "social", "social life", "pets", "परिवार"],
    ),
    ("Financial", &["money", "finance", "finances", "budget", "पैसा"]),
    ("Goals & Challenges", &["goals", "goal", "plans", "plan", "challenges", "लक्ष्य"]),
    (MISCELLANEOUS, &["other", "misc", "general", "अन्य"]),
];

const WORDS: [(&str, &[&str]); 7] = [
    (
        "Personal Identity",
        &[
            "name",
            "born",
            "birthday",
            "lives",
            "moved",
            "language",
            "religion",
            "believes",
            "prefers",
            "values",
            "age",
            "nationality",
            "hometown",
            "pronouns",
            "speaks",
            "रहता",
            "रहती",
            "जन्मदिन",
            "उम्र",
            "नाम",
        ],
    ),
    (
        "Interests & Lifestyle",
        &[
            "likes",
            "loves",
            "enjoys",
            "hobby",
            "plays",
            "reads",
            "music",
            "book",
            "movie",
            "film",
            "travel",
            "food",
            "tea",
            "coffee",
            "cooks",
            "game",
            "garden",
            "paints",
            "guitar",
            "piano",
            "favourite",
            "favorite",
            "पसंद",
            "चाय",
            "संगीत",
            "किताब",
            "फिल्म",
            "खेलता",
            "खेलती",
        ],
    ),
    (
        "Work & Learning",
        &[
            "works",
            "job",
            "company",
            "project",
            "client",
            "meeting",
            "deadline",
            "launch",
            "studies",
            "school",
            "university",
            "course",
            "exam",
            "learning",
            "engineer",
            "designer",
            "developer",
            "code",
            "team",
            "काम",
            "नौकरी",
            "कंपनी",
            "स्कूल",
            "पढ़ाई",
        ],
    ),
    (
        "Health & Wellbeing",
        &[
            "allergic",
            "allergy",
            "health",
            "sleep",
            "diet",
            "vegetarian",
            "vegan",
            "gym",
            "doctor",
            "medicine",
            "medication",
            "pain",
            "diabetes",
            "asthma",
            "yoga",
            "marathon",
            "injury",
            "therapy",
            "एलर्जी",
            "दवा",
            "शाकाहारी",
            "बीमार",
            "योग",
        ],
    ),
    (
        "Relationships & Social Life",
        &["married", "dating", "wedding", "divorced", "engaged", "family", "शादी", "परिवार"],
    ),
    (
        "Financial",
        &[
            "salary",
            "money",
            "rent",
            "loan",
            "mortgage",
            "invests",
            "savings",
            "budget",
            "bank",
            "account",
            "tax",
            "पैसा",
            "वेतन",
            "किराया",
            "बैंक",
        ],
    ),
    (
        "Goals & Challenges",
        &[
            "goal",
            "plans",
            "hopes",
            "dreams",
            "struggles",
            "wants",
            "challenge",
            "aims",
            "trying",
            "लक्ष्य",
            "चाहता",
            "चाहती",
        ],
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rule_230_topics_are_the_eight() {
        for (given, want) in [
            (&["Health & Wellbeing"][..], &["Health & Wellbeing"][..]),
            (&["health and wellbeing"], &["Health & Wellbeing"]),
            (&["HEALTH"], &["Health & Wellbeing"]),
            (&["Relationships"], &["Relationships & Social Life"]),
            (&["location", "preferences"], &["Personal Identity"]),
            (&["परिवार"], &["Relationships & Social Life"]),
            (&["Work_Learning", "tech"], &["Work & Learning"]),
            (&["Misc", "money"], &["Financial"]),
            (&["other"], &["Miscellaneous"]),
            (&["quantum"], &["Miscellaneous"]),
            (&["a"], &["Miscellaneous"]),
            (&[], &["Miscellaneous"]),
            (&["work", "health", "money", "goals"], &["Work & Learning", "Health & Wellbeing", "Financial"]),
        ] {
            assert_eq!(normalise(given), want, "{given:?}");
        }
        let four = merged(&normalise(&["work", "health", "money"]), &normalise(&["goals", "work"]));
        assert_eq!(four.len(), MERGED_TOPICS_MAX);
    }

    #[test]
    fn rule_230_topics_without_a_model() {
        for (content, want) in [
            ("Maya is allergic to peanuts", &["Health & Wellbeing"][..]),
            ("Maya lives in Pune", &["Personal Identity"]),
            ("Maya's sister Priya is a nurse", &["Relationships & Social Life"]),
            ("माया को चाय पसंद है", &["Interests & Lifestyle"]),
            ("Xyzzy", &["Miscellaneous"]),
            ("", &["Miscellaneous"]),
        ] {
            assert_eq!(guess(content), want, "{content}");
        }
        let known = |topic: &str| TOPICS.iter().any(|(name, _)| *name == topic);
        assert!(ALIASES.iter().all(|(topic, _)| known(topic)) && WORDS.iter().all(|(topic, _)| known(topic)));
    }
}
