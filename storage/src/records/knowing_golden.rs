//! Golden files of what was worked out about the person.

use super::golden::check;
use super::*;
use protocol::Timestamp;
use protocol::knowing::{
    Dimension, DreamStatus, DreamTrigger, EvidenceKind, InsightStatus, NarrativeState, NarrativeTrigger,
};

#[test]
fn insights() {
    let bare = InsightRecord {
        id: 1,
        dimension: Dimension::Preferences,
        statement: "Maya likes short answers".into(),
        confidence: 0.5,
        status: InsightStatus::Active,
        source: "inferred".into(),
        evidence: Vec::new(),
        review: None,
        created_at: Timestamp(1),
        updated_at: Timestamp(2),
    };
    let kinds = [
        EvidenceKind::Fact,
        EvidenceKind::Message,
        EvidenceKind::Summary,
        EvidenceKind::Feedback,
        EvidenceKind::Import,
    ];
    let evidence = kinds.map(|kind| InsightEvidence {
        kind,
        reference: "7".into(),
        session_id: Some("s-1".into()),
        quote: "छोटे जवाब".into(),
        at: Timestamp(3),
    });
    let held = InsightRecord {
        id: 300,
        status: InsightStatus::Pending,
        evidence: evidence.into(),
        review: Some(r#"{"from":"Gmail","snippet":null,"session_id":null}"#.into()),
        ..bare.clone()
    };
    let mut rows = vec![bare.clone(), held];
    for (id, status) in
        (301..).zip([InsightStatus::Confirmed, InsightStatus::Disputed, InsightStatus::Retired, InsightStatus::Active])
    {
        rows.push(InsightRecord { id, status, ..bare.clone() });
    }
    for (id, (_, dimension)) in (400..).zip(Dimension::NAMES) {
        rows.push(InsightRecord { id, dimension, ..bare.clone() });
    }
    check(1, &rows);
}

#[test]
fn questions() {
    let question = "Is this still right?".into();
    check(1, &[QuestionRecord { id: "q-1".into(), insight_id: 300, question, created_at: Timestamp(1) }]);
}

#[test]
fn dreams() {
    let running = DreamRecord {
        id: "d-1".into(),
        started_at: Timestamp(1),
        finished_at: None,
        status: DreamStatus::Running,
        trigger: DreamTrigger::Schedule,
        stats: DreamCounts::default(),
        journal: Vec::new(),
        error: None,
        done: Vec::new(),
        calls: 0,
    };
    let done = DreamRecord {
        finished_at: Some(Timestamp(2)),
        status: DreamStatus::Completed,
        trigger: DreamTrigger::Manual,
        stats: DreamCounts {
            facts_reviewed: 300,
            merged: 3,
            contradictions_resolved: 1,
            promoted: 2,
            expired: 4,
            insights_updated: 5,
            languages_merged: 1,
        },
        journal: vec!["Tonight I merged 3 duplicate memories into 1.".into()],
        done: vec![
            DreamStep::Merge,
            DreamStep::Languages,
            DreamStep::Contradictions,
            DreamStep::Promote,
            DreamStep::Expire,
            DreamStep::UserModel,
            DreamStep::Narrative,
        ],
        calls: 7,
        ..running.clone()
    };
    let failed = DreamRecord { status: DreamStatus::Error, error: Some("Stopped.".into()), ..done.clone() };
    check(1, &[running, done, failed]);
}

#[test]
fn narratives() {
    let bare = NarrativeRecord {
        scope: "personal".into(),
        version: 1,
        state: NarrativeState::Current,
        trigger: NarrativeTrigger::Facts,
        sentences: Vec::new(),
        before: None,
        review: None,
        restored_from: None,
        created_at: Timestamp(1),
    };
    let sentence = SentenceRecord {
        text: "माया पुणे में रहती है।".into(),
        facts: vec![(300, u64::MAX)],
        insights: vec![(7, 1)],
        outside: true,
    };
    let held = NarrativeRecord {
        scope: "Kestrel launch".into(),
        version: 2,
        state: NarrativeState::Held,
        trigger: NarrativeTrigger::Dream,
        sentences: vec![sentence],
        before: Some(1),
        review: Some("{}".into()),
        ..bare.clone()
    };
    let earlier = NarrativeRecord {
        version: 3,
        state: NarrativeState::Earlier,
        trigger: NarrativeTrigger::Manual,
        ..bare.clone()
    };
    let back = NarrativeRecord {
        version: 4,
        state: NarrativeState::Discarded,
        trigger: NarrativeTrigger::Rollback,
        restored_from: Some(1),
        ..bare.clone()
    };
    check(1, &[bare, held, earlier, back]);
}
