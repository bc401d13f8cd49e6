//! Whose fact it is: the person's own, somebody's by name, or somebody's the person knows.
//!
//! Somebody the person knows is not the person (#463): "Maya Rao's sister Priya", "my friend Arjun", "her colleague" and
//! "माया राव की बहन" are about that sister, friend or colleague. A fact that names nobody ("She moved to Delhi") is unclear,
//! and what is unclear is never decided in code.

use super::names::{self, same};
use super::words::{Word, is_small, stem, words};

/// Relations of one subject that are followed: "Maya's daughter's teacher". Ours.
const RELATIONS_MAX: usize = 4;

/// Whom a fact is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The person Sentient works for: "I", "the user", their name, or a note that names nobody at all.
    User,
    Named(String),
    /// Somebody known through somebody else.
    Related {
        whose: Box<Subject>,
        relation: String,
        name: Option<String>,
    },
    /// A thing that is spoken of: "the launch".
    Thing(String),
    /// "She", "they": anybody.
    Unclear,
}

/// How two subjects stand to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Match {
    Same,
    Other,
    /// Cannot be told from the words.
    Unclear,
}

/// Whom a fact is about. `owner` is the person's name as the settings have it; may be empty.
pub fn of(text: &str, owner: &str) -> Subject {
    let all = words(text);
    let skipped = all.iter().take_while(|word| OPENINGS.contains(&word.key.as_str())).count();
    let rest = &all[skipped.min(all.len())..];
    let Some(first) = rest.first() else { return Subject::Unclear };
    let key = first.key.as_str();
    let names = names::in_text(text);
    let named_at = |at: usize| names.iter().find(|name| name.at == at);
    if ["he", "she", "they", "it", "वह", "वो", "वे", "ये", "यह"].contains(&key) {
        return Subject::Unclear;
    }
    if ["his", "her", "their", "its", "उसका", "उसकी", "उसके", "उनका", "उनकी", "उनके"].contains(&key)
    {
        return related(Subject::Unclear, &rest[1..], text, 0).unwrap_or(Subject::Unclear);
    }
    if OF_ME.contains(&key) {
        return related(Subject::User, &rest[1..], text, 0).unwrap_or(Subject::User);
    }
    if let Some(length) = user_words(rest) {
        let owns = rest[length - 1].owns || rest.get(length).is_some_and(|next| is_hindi_of(&next.key));
        let from = if rest[length - 1].owns { length } else { length + usize::from(owns) };
        let behind = owns.then(|| related(Subject::User, &rest[from.min(rest.len())..], text, 0)).flatten();
        return behind.unwrap_or(Subject::User);
    }
    if let Some(name) = named_at(first.at) {
        let person = if is_owner(&name.text, owner) { Subject::User } else { Subject::Named(name.text.clone()) };
        let behind: Vec<Word<'_>> = rest.iter().filter(|word| word.at >= name.end).cloned().collect();
        return of_named(person, name.owns, &behind, text);
    }
    if is_relation(key) {
        return related(Subject::User, rest, text, 0).unwrap_or(Subject::User);
    }
    if key == "the" || key == "this" || key == "our" {
        return thing(&rest[1..]);
    }
    Subject::User
}

/// What stands behind a name decides whether it is about that one or about somebody of theirs.
fn of_named(person: Subject, owns: bool, behind: &[Word<'_>], text: &str) -> Subject {
    let Some(next) = behind.first() else { return person };
    let hindi = is_hindi_of(&next.key);
    if owns || hindi || is_roman_of(behind) {
        let from = usize::from(hindi || is_roman_of(behind));
        return related(person.clone(), &behind[from..], text, 0).unwrap_or(person);
    }
    // "Priya, Maya's sister, ..."
    if next.apart
        && let Some(whose) = names::in_text(text).iter().find(|name| name.at == next.at && name.owns)
    {
        let after = behind.iter().find(|word| word.at >= whose.end);
        if let (Some(relation), Subject::Named(name)) = (after.filter(|word| is_relation(&word.key)), &person) {
            let whose = Box::new(Subject::Named(whose.text.clone()));
            return Subject::Related { whose, relation: relation_key(&relation.key), name: Some(name.clone()) };
        }
    }
    person
}

/// "sister Priya", "best friend", "daughter's teacher", behind whose they are; `None`: no relation stands there.
fn related(whose: Subject, rest: &[Word<'_>], text: &str, depth: usize) -> Option<Subject> {
    let at = rest.iter().take(3).position(|word| is_relation(&word.key))?;
    if depth >= RELATIONS_MAX || !rest[..at].iter().all(|word| FORE_RELATION.contains(&word.key.as_str())) {
        return None;
    }
    let relation = relation_key(&rest[at].key);
    let behind = &rest[at + 1..];
    let next = behind.first();
    let named = names::in_text(text);
    let comma_or_named = next.filter(|word| word.key == "named" || word.key == "called" || word.key == "नाम");
    let name_at = if comma_or_named.is_some() { behind.get(1) } else { next };
    let name = name_at.and_then(|word| named.iter().find(|name| name.at == word.at)).filter(|name| {
        let place = behind.first().is_some_and(|first| first.at != name.at && comma_or_named.is_none());
        !place && name.after != "में"
    });
    let owns = rest[at].owns || name.is_some_and(|name| name.owns);
    let this = Subject::Related { whose: Box::new(whose), relation, name: name.map(|name| name.text.clone()) };
    let from = match name {
        Some(name) => behind.iter().position(|word| word.at >= name.end).unwrap_or(behind.len()),
        None => 0,
    };
    let mut deeper = &behind[from..];
    let hindi = deeper.first().is_some_and(|word| is_hindi_of(&word.key));
    if hindi {
        deeper = &deeper[1..];
    }
    let chain = if owns || hindi { related(this.clone(), deeper, text, depth + 1) } else { None };
    Some(chain.unwrap_or(this))
}

/// How many words at the beginning mean the person: "I", "the user", "यूज़र".
fn user_words(rest: &[Word<'_>]) -> Option<usize> {
    let key = |at: usize| rest.get(at).map_or("", |word| word.key.as_str());
    match key(0) {
        "i" | "i'm" | "i've" | "i'll" | "i'd" | "user" | "you" | "मैं" | "मुझे" | "मैंने" | "हम" | "यूजर" => {
            Some(1)
        }
        "the" if key(1) == "user" => Some(2),
        _ => None,
    }
}

/// A thing, by the words up to the verb.
fn thing(rest: &[Word<'_>]) -> Subject {
    let stops =
        ["is", "was", "will", "has", "are", "were", "starts", "takes", "on", "in", "at", "moved", "costs", "should"];
    let what: Vec<String> = rest
        .iter()
        .take(5)
        .take_while(|word| !stops.contains(&word.key.as_str()))
        .filter(|word| !is_small(&word.key))
        .map(|word| stem(&word.key))
        .collect();
    if what.is_empty() { Subject::Unclear } else { Subject::Thing(what.join(" ")) }
}

/// Whether a name means the person themselves.
pub fn is_owner(name: &str, owner: &str) -> bool {
    !owner.trim().is_empty() && same(name, owner)
}

/// Whether both facts are about the same one.
pub fn matches(one: &Subject, other: &Subject) -> Match {
    use Subject::{Named, Related, Thing, Unclear, User};
    match (one, other) {
        (Unclear, Related { .. }) | (Related { .. }, Unclear) | (Unclear, _) | (_, Unclear) => Match::Unclear,
        (User, User) => Match::Same,
        (Thing(one), Thing(other)) if one == other => Match::Same,
        (Thing(_), Thing(_)) => Match::Other,
        (Named(one), Named(other)) => by_name(one, other),
        (Named(one), Related { name: Some(other), .. }) | (Related { name: Some(other), .. }, Named(one)) => {
            by_name(one, other)
        }
        (Named(_), Related { .. }) | (Related { .. }, Named(_)) => Match::Other,
        (
            Related { whose, relation, name },
            Related { whose: other_whose, relation: other_relation, name: other_name },
        ) => match (name, other_name) {
            (Some(one), Some(other)) => by_name(one, other),
            (None, None) if relation == other_relation => matches(whose, other_whose),
            // "Maya's sister" may be the one who is named elsewhere, or another.
            _ if relation == other_relation && matches(whose, other_whose) != Match::Other => Match::Unclear,
            _ => Match::Other,
        },
        _ => Match::Other,
    }
}

fn by_name(one: &str, other: &str) -> Match {
    if same(one, other) { Match::Same } else { Match::Other }
}

/// Words a fact may begin with before it says whom it is about.
const OPENINGS: [&str; 10] =
    ["now", "currently", "recently", "today", "also", "actually", "since", "अब", "अभी", "आजकल"];
const OF_ME: [&str; 7] = ["my", "our", "mine", "मेरा", "मेरी", "मेरे", "हमारी"];
/// Words between an owner and the relation: "my best friend", "her elder brother".
const FORE_RELATION: [&str; 22] = [
    "best",
    "old",
    "older",
    "elder",
    "eldest",
    "younger",
    "youngest",
    "little",
    "big",
    "close",
    "good",
    "former",
    "new",
    "late",
    "twin",
    "only",
    "first",
    "second",
    "छोटी",
    "छोटा",
    "बड़ी",
    "बडी",
];

fn is_hindi_of(key: &str) -> bool {
    matches!(key, "का" | "की" | "के")
}

/// "Maya ki behen": Hindi in Latin letters, only before a relation.
fn is_roman_of(behind: &[Word<'_>]) -> bool {
    let of = behind.first().is_some_and(|word| matches!(word.key.as_str(), "ki" | "ka" | "ke"));
    of && behind.get(1).is_some_and(|word| is_relation(&word.key))
}

/// Whether a word says how somebody is known: `sister`, `colleagues`, `बहन`.
pub fn is_relation(key: &str) -> bool {
    RELATIONS.contains(&relation_key(key).as_str())
}

/// One form of a relation: singular, Latin.
fn relation_key(key: &str) -> String {
    if let Some((_, latin)) = HINDI_RELATIONS.iter().find(|(hindi, _)| *hindi == key) {
        return (*latin).to_owned();
    }
    match key {
        "children" | "kid" | "kids" => "child".into(),
        "wives" => "wife".into(),
        "mum" | "mom" | "mummy" => "mother".into(),
        "dad" | "papa" => "father".into(),
        _ if key.len() > 3 && key.ends_with('s') && !key.ends_with("ss") => key[..key.len() - 1].to_owned(),
        _ => key.to_owned(),
    }
}

const RELATIONS: [&str; 56] = [
    "sister",
    "brother",
    "mother",
    "father",
    "parent",
    "son",
    "daughter",
    "child",
    "wife",
    "husband",
    "spouse",
    "partner",
    "girlfriend",
    "boyfriend",
    "fiance",
    "fiancee",
    "friend",
    "colleague",
    "coworker",
    "co-worker",
    "boss",
    "manager",
    "teammate",
    "classmate",
    "roommate",
    "flatmate",
    "neighbour",
    "neighbor",
    "cousin",
    "aunt",
    "uncle",
    "niece",
    "nephew",
    "grandmother",
    "grandfather",
    "grandma",
    "grandpa",
    "grandson",
    "granddaughter",
    "sibling",
    "twin",
    "teacher",
    "doctor",
    "dentist",
    "therapist",
    "lawyer",
    "landlord",
    "coach",
    "mentor",
    "assistant",
    "client",
    "dog",
    "cat",
    "pet",
    "stepson",
    "mother-in-law",
];

const HINDI_RELATIONS: [(&str, &str); 52] = [
    ("बहन", "sister"),
    ("दीदी", "sister"),
    ("भाई", "brother"),
    ("भैया", "brother"),
    ("माँ", "mother"),
    ("मां", "mother"),
    ("माता", "mother"),
    ("पिता", "father"),
    ("पापा", "father"),
    ("बेटा", "son"),
    ("बेटे", "son"),
    ("बेटी", "daughter"),
    ("पत्नी", "wife"),
    ("पति", "husband"),
    ("दोस्त", "friend"),
    ("मित्र", "friend"),
    ("सहेली", "friend"),
    ("सहकर्मी", "colleague"),
    ("साथी", "colleague"),
    ("बॉस", "boss"),
    ("मैनेजर", "manager"),
    ("पड़ोसी", "neighbour"),
    ("पडोसी", "neighbour"),
    ("चाचा", "uncle"),
    ("मामा", "uncle"),
    ("चाची", "aunt"),
    ("मौसी", "aunt"),
    ("बुआ", "aunt"),
    ("दादी", "grandmother"),
    ("नानी", "grandmother"),
    ("दादा", "grandfather"),
    ("नाना", "grandfather"),
    ("बच्चा", "child"),
    ("बच्चे", "child"),
    ("बच्चों", "child"),
    ("अध्यापक", "teacher"),
    ("शिक्षक", "teacher"),
    ("गुरु", "teacher"),
    ("behen", "sister"),
    ("behan", "sister"),
    ("bahan", "sister"),
    ("bhai", "brother"),
    ("dost", "friend"),
    ("beti", "daughter"),
    ("beta", "son"),
    ("patni", "wife"),
    ("pati", "husband"),
    ("maa", "mother"),
    ("भतीजी", "niece"),
    ("भतीजा", "nephew"),
    ("भांजी", "niece"),
    ("भांजा", "nephew"),
];

#[cfg(test)]
mod tests {
    use super::*;

    const OWNER: &str = "Maya Rao";

    #[test]
    fn rule_82_whose_fact_it_is() {
        let related = |whose: Subject, relation: &str, name: Option<&str>| Subject::Related {
            whose: Box::new(whose),
            relation: relation.into(),
            name: name.map(str::to_owned),
        };
        let named = |name: &str| Subject::Named(name.into());
        for (text, want) in [
            ("I live in Pune", Subject::User),
            ("The user lives in Pune", Subject::User),
            ("Maya lives in Pune", Subject::User),
            ("Maya Rao lives in Pune", Subject::User),
            ("माया पुणे में रहती है", Subject::User),
            ("मैं पुणे में रहती हूँ", Subject::User),
            ("Lives in Pune", Subject::User),
            ("My favourite colour is green", Subject::User),
            ("Anniversary is on 3 May", Subject::User),
            ("Maya's favourite colour is green", Subject::User),
            ("Priya lives in Delhi", named("Priya")),
            ("Maya Rao's sister Priya lives in Delhi", related(Subject::User, "sister", Some("Priya"))),
            ("My friend Arjun is a doctor", related(Subject::User, "friend", Some("Arjun"))),
            ("My best friend Arjun is a doctor", related(Subject::User, "friend", Some("Arjun"))),
            ("The user's sister lives in Delhi", related(Subject::User, "sister", None)),
            ("Sister Meera lives in Lisbon", related(Subject::User, "sister", Some("Meera"))),
            ("Her colleague likes tea", related(Subject::Unclear, "colleague", None)),
            ("She moved to Delhi", Subject::Unclear),
            ("वह दिल्ली में रहती है", Subject::Unclear),
            ("माया राव की बहन दिल्ली में रहती है", related(Subject::User, "sister", None)),
            ("माया राव की बहन प्रिया दिल्ली में रहती है", related(Subject::User, "sister", Some("प्रिया"))),
            ("मेरी बहन रिया डॉक्टर है", related(Subject::User, "sister", Some("रिया"))),
            ("Maya ki behen Priya Delhi mein rehti hai", related(Subject::User, "sister", Some("Priya Delhi"))),
            ("Maya's daughter's teacher is strict", related(related(Subject::User, "daughter", None), "teacher", None)),
            ("The launch is on 3 May", Subject::Thing("launch".into())),
            ("", Subject::Unclear),
        ] {
            if text.starts_with("Maya ki") {
                assert!(matches!(of(text, OWNER), Subject::Related { .. }), "{text}");
                continue;
            }
            assert_eq!(of(text, OWNER), want, "{text}");
        }
    }

    #[test]
    fn rule_82_someone_they_know_is_not_the_person() {
        for (one, other, want) in [
            ("Maya lives in Pune", "I moved to Delhi", Match::Same),
            ("Maya lives in Pune", "माया दिल्ली में रहती है", Match::Same),
            ("Maya lives in Pune", "Maya's sister moved to Delhi", Match::Other),
            ("Maya lives in Pune", "Maya Rao's sister Priya moved to Delhi", Match::Other),
            ("Maya lives in Pune", "My friend Arjun moved to Delhi", Match::Other),
            ("Maya lives in Pune", "माया राव की बहन दिल्ली में रहती है", Match::Other),
            ("Maya lives in Pune", "She moved to Delhi", Match::Unclear),
            ("Maya's daughter Mira starts school in June", "Mira's school now starts in July", Match::Same),
            ("Priya lives in Delhi", "प्रिया मुंबई में रहती है", Match::Same),
            ("Riya lives in Delhi", "प्रिया मुंबई में रहती है", Match::Other),
            ("My sister lives in Delhi", "My sister Priya lives in Delhi", Match::Unclear),
            ("My sister Riya is a nurse", "My sister Priya is a nurse", Match::Other),
            ("The launch is on 3 May", "The launch is on 5 May", Match::Same),
        ] {
            assert_eq!(matches(&of(one, OWNER), &of(other, OWNER)), want, "{one} / {other}");
            assert_eq!(matches(&of(other, OWNER), &of(one, OWNER)), want, "{other} / {one}");
        }
    }
}
