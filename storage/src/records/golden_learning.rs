//! Rows of what is learned from chats: see [`super::golden`].

use super::golden::check;
use super::*;
use protocol::Timestamp;

#[test]
fn learn_jobs() {
    let new = LearnJobRecord { session_id: "s-1".into(), from: 4, upto: 300, found: None, failed: 0, at: Timestamp(9) };
    let asked = LearnJobRecord {
        found: Some(vec!["माया पुणे में रहती है".into()]), failed: 2, ..new.clone()
    };
    check(1, &[new, asked]);
}

#[test]
fn read_marks() {
    let of = |purpose, upto| ReadMarkRecord { session_id: "s-1".into(), purpose, upto };
    check(1, &[of(ReadFor::Flush, 0), of(ReadFor::Summary, 4_000)]);
}

#[test]
fn summaries() {
    let clean = SummaryRecord {
        id: 1,
        session_id: "s-1".into(),
        content: "Maya and I planned a trip.".into(),
        start_at: Timestamp(1),
        end_at: Timestamp(2),
        from: 0,
        upto: 30,
        untrusted: String::new(),
        scope: "personal".into(),
        created_at: Timestamp(3),
    };
    let marked = SummaryRecord { id: 2, untrusted: "Gmail".into(), scope: "Kestrel".into(), ..clean.clone() };
    check(1, &[clean, marked]);
}
