//! Rule 82: what saving a fact does to the known ones, with and without a model; and that nothing ever gets lost by it.

use super::details::in_text;
use super::{Analysis, BeforeModel, Candidate, Decision, Existing, ModelDecision, before_model, decide};
use proptest::prelude::*;
use protocol::memory::{MemoryType, SaveAction};

const OWNER: &str = "Maya Rao";
const DUPLICATE: f64 = 0.98;

fn candidate(content: &str) -> Candidate<'_> {
    Candidate { content, owner: OWNER, held: false }
}

fn known(id: u64, content: &str, similarity: f32) -> Existing<'_> {
    Existing { id, content, similarity, pending: false }
}

fn model(action: SaveAction, id: u64, content: Option<&str>) -> ModelDecision {
    let analysis = Analysis { topics: Vec::new(), memory_type: MemoryType::LongTerm, duration: None };
    ModelDecision { action, id: Some(id), content: content.map(str::to_owned), analysis }
}

fn update(content: &str) -> Decision {
    Decision::Update { id: 1, content: content.into() }
}

#[test]
fn rule_82_what_code_decides_alone() {
    for (name, new, old, similarity, want) in [
        ("the same words", "maya lives in PUNE.", "Maya lives in Pune", 0.0, Decision::Skip { id: 1 }),
        ("the same in Hindi", "माया पुणे में रहती है।", "माया पुणे में रहती है", 0.0, Decision::Skip { id: 1 }),
        ("nearly the same", "Maya really likes green tea", "Maya likes green tea", 0.99, Decision::Skip { id: 1 }),
        ("a new home", "Maya moved to Bengaluru", "Maya lives in Pune", 0.6, update("Maya moved to Bengaluru")),
        ("a correction", "Maya has 3 cats", "Maya has 2 cats", 0.99, update("Maya has 3 cats")),
        (
            "a correction keeps the rest",
            "Mira's school now starts in July",
            "Maya's daughter Mira starts school in June",
            0.99,
            update("Maya's daughter Mira starts school in July"),
        ),
        (
            "said already",
            "Maya's sister lives in a city",
            "Maya's sister Meera lives in Lisbon",
            0.8,
            Decision::Skip { id: 1 },
        ),
    ] {
        let existing = [known(1, old, similarity)];
        assert_eq!(before_model(&candidate(new), &existing, DUPLICATE), BeforeModel::Decided(want), "{name}");
    }
}

#[test]
fn rule_82_what_is_left_to_a_model_and_what_it_is_never_shown() {
    for (name, new, old, similarity, offered) in [
        ("somebody else's", "Maya lives in Pune", "Maya's sister Priya lives in Delhi", 0.99, false),
        ("somebody else's in Hindi", "माया पुणे में रहती है", "माया राव की बहन दिल्ली में रहती है", 0.99, false),
        ("another name alike", "Riya likes tea a lot", "प्रिया को चाय पसंद है", 0.99, false),
        ("nobody named", "She moved to Delhi", "Maya lives in Pune", 0.6, true),
        ("alike", "Maya enjoys green tea", "Maya drinks green tea", 0.9, true),
        ("the same attribute, not alike", "Maya is a designer", "Maya works at Google", 0.1, true),
        ("neither", "Maya likes tea", "Maya works at Google", 0.3, false),
        ("past tense", "Maya lived in Delhi in 2010", "Maya lives in Pune", 0.7, true),
    ] {
        match before_model(&candidate(new), &[known(1, old, similarity)], DUPLICATE) {
            BeforeModel::Ask(shown) => assert_eq!(!shown.is_empty(), offered, "{name}"),
            BeforeModel::Decided(decision) => panic!("{name}: {decision:?}"),
        }
    }
}

/// What a model's answer about one known fact comes to.
fn answered(new: &str, old: &str, action: SaveAction, content: Option<&str>) -> Decision {
    decide(&candidate(new), &[known(1, old, 0.9)], Some(&model(action, 1, content)))
}

#[test]
fn rule_82_what_a_model_cannot_do() {
    use SaveAction::{Add, Delete, Skip, Update};
    let (files, emails) = ("doesn't want files deleted", "doesn't want emails deleted");
    for (name, new, old, action, want) in [
        ("skip what is new", "Maya's sister Meera lives in Lisbon", "Maya's sister lives abroad", Skip, Decision::Add),
        ("skip what is said", "Maya drinks tea daily", "Maya drinks tea every day", Skip, Decision::Skip { id: 1 }),
        ("update somebody else's", "Maya lives in Pune", "Maya's sister lives in Delhi", Update, Decision::Add),
        ("one wish for another", "doesn't want files written", files, Update, Decision::Add),
        ("one wish for another on another thing", emails, files, Skip, Decision::Add),
        (
            "an unrelated update",
            "Maya has a piano recital in July",
            "Maya starts school in July",
            Update,
            Decision::Add,
        ),
        ("a delete without a no", "Maya likes cars", "Maya owns a car", Delete, Decision::Add),
        ("a delete that is said", "Maya no longer owns a car", "Maya owns a car", Delete, Decision::Delete { id: 1 }),
        ("past for present", "Maya lived in Delhi", "Maya lives in Pune", Update, Decision::Add),
        ("add", "Maya enjoys green tea", "Maya drinks green tea", Add, Decision::Add),
    ] {
        assert_eq!(answered(new, old, action, None), want, "{name}");
    }
    let unknown = model(Update, 99, None);
    let existing = [known(1, "Maya drinks milk", 0.9)];
    assert_eq!(decide(&candidate("Maya drinks tea"), &existing, Some(&unknown)), Decision::Add);
}

#[test]
fn rule_82_an_update_keeps_every_detail_and_makes_none_up() {
    for (name, new, old, content, want) in [
        (
            "it loses a name",
            "Maya likes tea",
            "Maya likes tea at Cafe Noir with Arjun",
            "Maya likes coffee",
            Decision::Skip { id: 1 },
        ),
        (
            "it makes up a name",
            "Maya works as a designer",
            "Maya works at Google",
            "Maya works as a designer at Acme",
            Decision::Add,
        ),
        (
            "it keeps all",
            "Maya works as a designer",
            "Maya works at Google",
            "Maya works as a designer at Google",
            update("Maya works as a designer at Google"),
        ),
    ] {
        assert_eq!(answered(new, old, SaveAction::Update, Some(content)), want, "{name}");
    }
}

#[test]
fn rule_82_without_a_model_code_decides() {
    assert_eq!(
        decide(&candidate("Maya enjoys green tea"), &[known(1, "Maya drinks green tea", 0.9)], None),
        Decision::Add
    );
    assert_eq!(
        decide(&candidate("Maya moved to Bengaluru"), &[known(1, "Maya lives in Pune", 0.1)], None),
        update("Maya moved to Bengaluru")
    );
}

#[test]
fn rule_237_a_held_fact_changes_no_other() {
    let held = Candidate { held: true, ..candidate("Maya moved to Bengaluru") };
    let existing = [known(1, "Maya lives in Pune", 0.9)];
    assert_eq!(before_model(&held, &existing, DUPLICATE), BeforeModel::Decided(Decision::Add));
    let answer = model(SaveAction::Delete, 1, None);
    assert_eq!(decide(&held, &existing, Some(&answer)), Decision::Add);
    let again = Candidate { held: true, ..candidate("माया पुणे में रहती है") };
    let waiting =
        [Existing { pending: true, ..known(7, "माया पुणे में रहती है", 1.0) }];
    assert_eq!(before_model(&again, &waiting, DUPLICATE), BeforeModel::Decided(Decision::Skip { id: 7 }));
    let clean = candidate("माया पुणे में रहती है");
    assert_eq!(before_model(&clean, &waiting, DUPLICATE), BeforeModel::Ask(Vec::new()), "what waits hides nothing");
}

/// Facts with names, places, numbers and dates, about the person and people they know.
fn fact() -> impl Strategy<Value = String> {
    let who = prop::sample::select(vec![
        "Maya",
        "Maya's sister Priya",
        "My friend Arjun",
        "माया",
        "Priya",
        "She",
        "The launch",
    ]);
    let what = prop::sample::select(vec![
        "lives in Pune",
        "moved to Delhi",
        "works at Acme",
        "works at Google as a designer",
        "has 2 cats",
        "has 3 cats",
        "starts school in June",
        "starts school in July",
        "likes tea",
        "doesn't eat meat",
        "doesn't want files deleted",
        "lived in Rome in 2010",
        "no longer owns a car",
        "owns a car",
        "दिल्ली में रहती है",
        "meets Kim on 3 May",
        "lives in Pune with Arun",
    ]);
    (who, what).prop_map(|(who, what)| format!("{who} {what}"))
}

proptest! {
    #[test]
    fn rule_82_no_decision_loses_a_detail(
        new in fact(), old in fact(), wording in fact(), similarity in 0.0_f32..=1.0, held: bool,
        action in prop::sample::select(vec![SaveAction::Add, SaveAction::Update, SaveAction::Delete, SaveAction::Skip]),
    ) {
        let candidate = Candidate { content: &new, owner: OWNER, held };
        let existing = [known(1, &old, similarity)];
        let answer = model(action, 1, Some(&wording));
        let first = before_model(&candidate, &existing, DUPLICATE);
        let decision = match first {
            BeforeModel::Decided(decision) => decision,
            BeforeModel::Ask(_) => decide(&candidate, &existing, Some(&answer)),
        };
        let (had, said) = (in_text(&old), in_text(&new));
        let owner = |text: &str| super::subject::is_owner(text, OWNER);
        match decision {
            Decision::Add => (),
            Decision::Skip { .. } => prop_assert!(
                said.iter().all(|detail| detail.within(&had) || owner(&detail.text)), "skipped {new:?}, known {old:?}"
            ),
            Decision::Delete { .. } => prop_assert!(!held && super::words::negative(&new), "{new:?} deleted {old:?}"),
            Decision::Update { content, .. } => {
                let kept = in_text(&content);
                prop_assert!(!held);
                prop_assert!(said.iter().all(|detail| detail.within(&kept) || owner(&detail.text)), "{content:?} lost some of {new:?}");
                let gone = had.iter().filter(|detail| !detail.within(&kept) && !owner(&detail.text)).count();
                let fresh = said.iter().filter(|detail| !detail.within(&had) && !owner(&detail.text)).count();
                prop_assert!(gone <= fresh, "{old:?} became {content:?} by {new:?}");
            }
        }
    }

    #[test]
    fn any_text_can_be_read(text in "\\PC{0,200}", other in "\\PC{0,60}") {
        super::subject::of(&text, &other);
        super::correction::find(&text, &other, "Maya");
        super::residence::moved(&text, &other, "माया");
        super::instruction::shaped(&text, &other);
        super::grounded::by(&text, std::slice::from_ref(&other), "Maya");
        super::told::without(&text, &other, []);
        super::attribute::of(&text);
        super::analysis::of(&text);
        super::topics::normalise(&[&text]);
        super::wishes::of(&text, &other);
        super::decision::parse(&text, &other);
        for detail in in_text(&text) {
            prop_assert_eq!(&text[detail.at..detail.end], detail.text.as_str());
        }
    }
}
