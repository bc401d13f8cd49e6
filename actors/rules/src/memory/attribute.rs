//! What a fact says about somebody, as a family: where they live, their job, diet, health. Facts of one family are looked
//! at together before a new one is saved, whatever their likeness (contract section 7; `memory.md` section 2).

use super::words::{key, stem, words};
use std::collections::BTreeSet;

/// A family of attributes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    Residence,
    Job,
    Relationship,
    Diet,
    Health,
    Ownership,
    Schedule,
}

impl Family {
    /// A tight family holds one thing at a time, so two of its facts are always compared; in a broad one many stand side
    /// by side.
    pub fn is_tight(self) -> bool {
        matches!(self, Self::Residence | Self::Job | Self::Relationship | Self::Diet)
    }
}

/// The families a text speaks of.
pub fn of(text: &str) -> BTreeSet<Family> {
    let said: BTreeSet<String> = words(text).iter().map(|word| stem(&word.key)).collect();
    WORDS
        .iter()
        .filter(|(_, words)| words.iter().any(|word| said.contains(&stem(&key(word)))))
        .map(|(family, _)| *family)
        .collect()
}

/// Whether two texts share a family.
pub fn shared(one: &str, other: &str) -> bool {
    !of(one).is_disjoint(&of(other))
}

const WORDS: [(Family, &[&str]); 7] = [
    (
        Family::Residence,
        &[
            "lives",
            "living",
            "lived",
            "resides",
            "residence",
            "moved",
            "relocated",
            "relocating",
            "home",
            "house",
            "apartment",
            "flat",
            "based",
            "address",
            "hometown",
            "रहता",
            "रहती",
            "रहते",
            "रहना",
            "घर",
            "शिफ्ट",
            "पता",
        ],
    ),
    (
        Family::Job,
        &[
            "works",
            "job",
            "employed",
            "employer",
            "company",
            "career",
            "profession",
            "occupation",
            "engineer",
            "doctor",
            "teacher",
            "designer",
            "manager",
            "developer",
            "nurse",
            "lawyer",
            "freelances",
            "retired",
            "hired",
            "promoted",
            "joined",
            "startup",
            "student",
            "काम",
            "नौकरी",
            "कंपनी",
            "डॉक्टर",
            "इंजीनियर",
            "अध्यापक",
            "शिक्षक",
        ],
    ),
    (
        Family::Relationship,
        &[
            "married",
            "single",
            "engaged",
            "divorced",
            "widowed",
            "dating",
            "separated",
            "wife",
            "husband",
            "spouse",
            "partner",
            "girlfriend",
            "boyfriend",
            "fiance",
            "fiancee",
            "wedding",
            "शादी",
            "शादीशुदा",
            "पति",
            "पत्नी",
            "तलाक",
            "सगाई",
        ],
    ),
    (
        Family::Diet,
        &[
            "vegetarian",
            "vegan",
            "diet",
            "eats",
            "eat",
            "meat",
            "gluten",
            "dairy",
            "keto",
            "halal",
            "kosher",
            "jain",
            "pescatarian",
            "शाकाहारी",
            "मांस",
            "मांसाहारी",
            "खाता",
            "खाती",
            "खाते",
        ],
    ),
    (
        Family::Health,
        &[
            "allergic",
            "allergy",
            "allergies",
            "diabetes",
            "diabetic",
            "asthma",
            "illness",
            "sick",
            "medication",
            "medicine",
            "doctor",
            "surgery",
            "injury",
            "pain",
            "therapy",
            "sleep",
            "health",
            "blood",
            "pregnant",
            "एलर्जी",
            "दवा",
            "बीमार",
            "दर्द",
            "मधुमेह",
            "नींद",
            "सेहत",
        ],
    ),
    (
        Family::Ownership,
        &[
            "owns",
            "bought",
            "car",
            "bike",
            "bicycle",
            "dog",
            "cat",
            "pet",
            "laptop",
            "phone",
            "has",
            "कार",
            "गाड़ी",
            "कुत्ता",
            "बिल्ली",
            "फोन",
            "खरीदी",
            "खरीदा",
        ],
    ),
    (
        Family::Schedule,
        &[
            "every",
            "daily",
            "weekly",
            "morning",
            "mornings",
            "evening",
            "evenings",
            "routine",
            "wakes",
            "starts",
            "schedule",
            "meeting",
            "class",
            "monday",
            "tuesday",
            "wednesday",
            "thursday",
            "friday",
            "saturday",
            "sunday",
            "gym",
            "सुबह",
            "शाम",
            "रोज",
            "हर",
            "सोमवार",
            "मंगलवार",
            "बुधवार",
            "गुरुवार",
            "शुक्रवार",
            "शनिवार",
            "रविवार",
        ],
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rule_82_families_of_attributes() {
        for (text, want) in [
            ("Lives in Pune", &[Family::Residence][..]),
            ("moved to Bengaluru", &[Family::Residence]),
            ("Works as a designer at Google", &[Family::Job]),
            ("Is married to Arun", &[Family::Relationship]),
            ("Is vegetarian", &[Family::Diet]),
            ("Is allergic to peanuts", &[Family::Health]),
            ("Owns a red bicycle", &[Family::Ownership]),
            ("Wakes at six every morning", &[Family::Schedule]),
            ("माया पुणे में रहती है", &[Family::Residence]),
            ("माया शाकाहारी है", &[Family::Diet]),
            ("Likes green tea", &[]),
        ] {
            assert_eq!(of(text).into_iter().collect::<Vec<_>>(), want, "{text}");
        }
        let tight: Vec<bool> = WORDS.iter().map(|(family, _)| family.is_tight()).collect();
        assert_eq!(tight, [true, true, true, true, false, false, false]);
    }
}
