//! Laws of what is worked out about the person: whatever a model answers.

use crate::dreams::{self, Meant};
use crate::narrative::{self, Ground, PAGE_CHARS_MAX};
use crate::user_model::{self, Known, Limits, Material};
use protocol::Timestamp;
use protocol::knowing::{Dimension, EvidenceKind, InsightStatus};

/// One answer, read as an answer to each of the questions: the bounds hold, what is retired or confirmed stays as it is, a
/// page rests on what was given, and words of others wait.
///
/// # Panics
/// When it does not hold.
pub fn check_knowing(answer: &str) {
    check_page(answer);
    check_refresh(answer);
    if dreams::parse_language(answer) == Meant::Same {
        assert!(answer.contains("same") && answer.contains("none") && answer.contains("conflict"), "{answer}");
    }
    let contents = ["Maya lives in Pune", "Maya lives in Pune with Arun"];
    if let Some(text) = dreams::accepted_text(dreams::parse_merged(answer), &contents, "Maya") {
        assert!(text.contains("Arun") && text.contains("Pune") && !text.contains('\n'), "{text}");
    }
}

fn check_page(answer: &str) {
    let ground = |id, text: &str, outside: Option<&str>| Ground {
        id,
        text: text.into(),
        outside: outside.map(str::to_owned),
        is_new: false,
    };
    let facts = [ground(1, "Maya lives in Pune", None), ground(2, "The launch is on 3 May", Some("Gmail"))];
    let Ok(draft) = narrative::accept(answer, (&facts, &[]), &[], &|_, _| true, &|_| false) else { return };
    let chars: usize = draft.sentences.iter().map(|sentence| sentence.text.chars().count()).sum();
    assert!(chars <= PAGE_CHARS_MAX && !draft.sentences.is_empty());
    for sentence in &draft.sentences {
        assert!(!sentence.facts.is_empty() && sentence.facts.iter().all(|id| [1, 2].contains(id)), "{sentence:?}");
        assert_eq!(sentence.outside, sentence.facts.contains(&2), "{sentence:?}");
        assert!(!sentence.text.chars().any(char::is_control), "{sentence:?}");
    }
    assert_eq!(draft.held.is_some(), draft.sentences.iter().any(|sentence| sentence.outside));
}

fn check_refresh(answer: &str) {
    let Some((operations, summary)) = user_model::parse(answer) else { return };
    if let Some(portrait) = summary.as_deref().and_then(user_model::accept_portrait) {
        assert!(!portrait.trim().is_empty());
    }
    let known = |id, status| Known {
        id,
        dimension: Dimension::Goals,
        statement: format!("Maya does thing number {id}"),
        confidence: 0.5,
        status,
        is_users: false,
        evidence: Vec::new(),
        is_asked: false,
    };
    let there = [known(1, InsightStatus::Active), known(2, InsightStatus::Confirmed), known(3, InsightStatus::Retired)];
    let material = |name: &str, outside: Option<&str>| Material {
        name: name.into(),
        kind: EvidenceKind::Message,
        reference: name.into(),
        session_id: None,
        text: name.into(),
        at: Timestamp(1),
        outside: outside.map(str::to_owned),
    };
    let given = [material("m1", None), material("m2", Some("Gmail"))];
    let limits = Limits {
        operations: 8,
        active_insights: 80,
        open_questions: 5,
        questions_open: 0,
        support_step: 0.1,
        contradict_step: 0.2,
        dispute_below: 0.35,
    };
    let changes = user_model::apply(&operations, &there, &given, &limits, &|_| false);
    assert!(changes.added.len() + changes.changed.len() <= 8 && changes.questions.len() <= 5);
    assert!(changes.changed.iter().all(|changed| changed.id == 1 && (0.0..=0.8).contains(&changed.confidence)));
    for added in &changes.added {
        assert!((0.4..=0.7).contains(&added.confidence));
        let clean = added.evidence.contains(&0);
        assert_eq!(added.held.is_none(), clean, "{added:?}");
    }
}
