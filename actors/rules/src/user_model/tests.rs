//! What a refresh may change and what a model gets of it.

use super::*;
use crate::marking::MarkKey;
use proptest::prelude::*;
use protocol::Timestamp;
use protocol::knowing::{EvidenceKind, Refreshed, Verdict};
use serde_json::json;

const T: fn(i64) -> Timestamp = Timestamp;

fn known(id: u64, statement: &str, confidence: f64, status: InsightStatus) -> Known {
    let evidence = Vec::new();
    let dimension = Dimension::Preferences;
    Known { id, dimension, statement: statement.into(), confidence, status, is_users: false, evidence, is_asked: false }
}

fn material(name: &str, outside: Option<&str>) -> Material {
    let kind = match &name[..1] {
        "m" => EvidenceKind::Message,
        "f" => EvidenceKind::Fact,
        _ => EvidenceKind::Summary,
    };
    let (reference, outside) = (name.to_owned(), outside.map(str::to_owned));
    let text = format!("what {name} says");
    Material { name: name.into(), kind, reference, session_id: None, text, at: T(1), outside }
}

fn limits() -> Limits {
    Limits {
        operations: 8,
        active_insights: 80,
        open_questions: 5,
        questions_open: 0,
        support_step: 0.1,
        contradict_step: 0.2,
        dispute_below: 0.35,
    }
}

fn run(operations: serde_json::Value, known: &[Known], material: &[Material], limits: &Limits) -> Changes {
    let answer = json!({ "operations": operations }).to_string();
    let (operations, _) = parse(&answer).expect("an answer");
    apply(&operations, known, material, limits, &|text| text.contains("from now on"))
}

fn add(statement: &str, evidence: &[&str]) -> serde_json::Value {
    json!({ "op": "add", "dimension": "routines", "statement": statement, "confidence": 0.6, "evidence": evidence })
}

fn op(op: &str, insight: &str, evidence: &[&str]) -> serde_json::Value {
    json!({ "op": op, "insight": insight, "evidence": evidence })
}

#[test]
fn rule_91_rows_of_the_same_moment_are_read_once_and_never_lost() {
    let mark = Mark::default().after([(T(5), "a"), (T(7), "b"), (T(7), "c")].into_iter());
    assert_eq!(mark, Mark { at: T(7), ids: vec!["b".into(), "c".into()] });
    for (name, at, id, want) in [
        ("read", T(7), "b", false),
        ("saved in the same tick, later", T(7), "d", true),
        ("older", T(6), "z", false),
        ("newer", T(8), "b", true),
    ] {
        assert_eq!(mark.is_new(at, id), want, "{name}");
    }
    let again = mark.after([(T(7), "d")].into_iter());
    assert_eq!(again.ids, ["b", "c", "d"]);
    assert_eq!(again.after([(T(3), "x")].into_iter()), again, "a clock put back takes no mark back");
    assert_eq!(again.after(std::iter::empty()), again);
    let rows = vec![(T(9), "e"), (T(7), "b"), (T(8), "f"), (T(7), "g")];
    let newest = newest(rows, 2, &mark, |(at, id)| (*at, (*id).to_owned()));
    assert_eq!(newest, [(T(8), "f"), (T(9), "e")]);
}

#[test]
fn rule_91_new_insights_stay_between_0_4_and_0_7() {
    let fresh = [material("m1", None)];
    for (given, want) in [(0.0, 0.4), (0.55, 0.55), (1.0, 0.7), (-3.0, 0.4)] {
        let mut adding = add("Maya runs before work", &["m1"]);
        adding["confidence"] = json!(given);
        let changes = run(json!([adding]), &[], &fresh, &limits());
        assert_eq!(changes.added[0].confidence, want, "{given}");
        assert_eq!((changes.added[0].evidence.as_slice(), &changes.added[0].held), (&[0][..], &None));
        assert_eq!(changes.counts, Refreshed { added: 1, ..Refreshed::default() });
    }
    let words = json!({ "op": "add", "statement": "Maya runs before work", "confidence": "very", "evidence": ["m1"] });
    let changes = run(json!([words]), &[], &fresh, &limits());
    assert_eq!((changes.added[0].confidence, changes.added[0].dimension), (0.5, Dimension::Context));
}

#[test]
fn rule_91_support_stops_at_0_8_and_counts_a_thing_once() {
    let fresh = [material("m1", None), material("m2", None)];
    let mut counted = known(1, "Maya likes tea", 0.5, InsightStatus::Active);
    counted.evidence = vec![fresh[0].key()];
    for (name, known, evidence, want) in [
        ("a step", known(1, "Maya likes tea", 0.5, InsightStatus::Active), "m1", Some(0.6)),
        ("no further", known(1, "Maya likes tea", 0.75, InsightStatus::Active), "m1", Some(0.8)),
        ("one that is surer keeps it", known(1, "Maya likes tea", 0.9, InsightStatus::Active), "m1", Some(0.9)),
        ("the same message again", counted.clone(), "m1", None),
        ("another one", counted, "m2", Some(0.6)),
        ("material nobody gave", known(1, "Maya likes tea", 0.5, InsightStatus::Active), "m9", None),
        ("a retired one", known(1, "Maya likes tea", 0.5, InsightStatus::Retired), "m1", None),
        ("one that waits", known(1, "Maya likes tea", 0.5, InsightStatus::Pending), "m1", None),
        ("a confirmed one", known(1, "Maya likes tea", 0.5, InsightStatus::Confirmed), "m1", None),
    ] {
        let changes = run(json!([op("support", "i1", &[evidence])]), &[known], &fresh, &limits());
        let got = changes.changed.first().map(|changed| (changed.confidence * 100.0).round() / 100.0);
        assert_eq!(got, want, "{name}");
    }
}

#[test]
fn rule_91_contradictions_lead_to_doubt_and_a_question() {
    let fresh = [material("f1", None)];
    for (name, before, status, want, asked) in [
        ("still held", 0.7, InsightStatus::Active, InsightStatus::Active, false),
        ("doubted", 0.5, InsightStatus::Active, InsightStatus::Disputed, true),
        ("doubted already", 0.3, InsightStatus::Disputed, InsightStatus::Disputed, true),
    ] {
        let insight = known(1, "Maya likes tea", before, status);
        let changes = run(json!([op("contradict", "i1", &["f1"])]), &[insight], &fresh, &limits());
        assert_eq!(changes.changed[0].status, want, "{name}");
        assert_eq!(!changes.questions.is_empty(), asked, "{name}");
    }
    let doubted = known(1, "माया को चाय पसंद है", 0.3, InsightStatus::Disputed);
    let changes = run(json!([op("support", "1", &["f1"])]), &[doubted], &fresh, &limits());
    assert_eq!((changes.changed[0].status, changes.changed[0].closes_question), (InsightStatus::Active, true));
}

#[test]
fn rule_91_what_the_person_confirmed_or_wrote_is_only_asked_about() {
    let fresh = [material("m1", None)];
    let confirmed = known(1, "Maya likes tea", 1.0, InsightStatus::Confirmed);
    let written = Known {
        is_users: true, ..known(2, "माया सुबह दौड़ती है", 1.0, InsightStatus::Active)
    };
    let operations = json!([op("contradict", "i1", &["m1"]), op("retire", "i2", &["m1"])]);
    let changes = run(operations.clone(), &[confirmed.clone(), written.clone()], &fresh, &limits());
    assert!(changes.changed.is_empty() && changes.added.is_empty());
    let asked: Vec<u64> = changes.questions.iter().map(|question| question.insight).collect();
    assert_eq!(asked, [1, 2]);
    assert!(changes.questions[1].text.contains("माया सुबह दौड़ती है"));
    let is_asked = Known { is_asked: true, ..confirmed.clone() };
    assert_eq!(run(operations.clone(), &[is_asked, written.clone()], &fresh, &limits()).questions.len(), 1);
    let full = Limits { questions_open: 5, ..limits() };
    assert!(run(operations, &[confirmed, written], &fresh, &full).questions.is_empty());
}

#[test]
fn rule_91_what_was_retired_never_comes_back() {
    let fresh = [material("m1", None)];
    let retired = known(1, "Maya likes green tea in the morning", 0.5, InsightStatus::Retired);
    for again in ["Maya likes green tea in the morning", "maya likes  GREEN tea in the morning."] {
        assert!(
            run(json!([add(again, &["m1"])]), std::slice::from_ref(&retired), &fresh, &limits()).added.is_empty(),
            "{again}"
        );
    }
    let hindi = known(1, "माया को सुबह हरी चाय पसंद है", 0.5, InsightStatus::Retired);
    assert!(run(json!([add("माया को सुबह हरी चाय पसंद है।", &["m1"])]), &[hindi], &fresh, &limits()).added.is_empty());
    let other = run(json!([add("Maya plays chess on Sundays", &["m1"])]), &[retired], &fresh, &limits());
    assert_eq!(other.added.len(), 1);
    let twice = json!([add("Maya plays chess on Sundays", &["m1"]), add("Maya plays chess on Sundays", &["m1"])]);
    assert_eq!(run(twice, &[], &fresh, &limits()).added.len(), 1, "the same twice in one answer");
}

#[test]
fn rule_91_words_of_others_wait_and_change_nothing() {
    let mixed = [material("m1", None), material("m2", Some("Gmail"))];
    for (name, evidence, want) in [
        ("its own words", vec!["m1"], None),
        ("both", vec!["m1", "m2"], None),
        ("words of others alone", vec!["m2"], Some(("Gmail", Some(1)))),
        ("nothing, while there were some", vec![], Some(("Gmail", None))),
        ("made up, while there were some", vec!["m7"], Some(("Gmail", None))),
    ] {
        let changes = run(json!([add("Maya runs before work", &evidence)]), &[], &mixed, &limits());
        let held = changes.added[0].held.as_ref().map(|held| (held.from.as_str(), held.material));
        assert_eq!(held, want, "{name}");
        assert_eq!((changes.counts.added, changes.counts.held), if want.is_some() { (0, 1) } else { (1, 0) }, "{name}");
    }
    let clean = [material("m1", None)];
    let changes = run(json!([add("Maya runs before work", &[])]), &[], &clean, &limits());
    assert_eq!(changes.added[0].held, None, "nothing cited, and nothing of others there");
    for kind in ["support", "contradict", "retire"] {
        let insight = known(1, "Maya likes tea", 0.5, InsightStatus::Active);
        let changes = run(json!([op(kind, "i1", &["m2"])]), std::slice::from_ref(&insight), &mixed, &limits());
        assert_eq!(changes, Changes::default(), "{kind} by others");
        let changes = run(json!([op(kind, "i1", &[])]), &[insight], &mixed, &limits());
        assert_eq!(changes, Changes::default(), "{kind} by nothing");
    }
    let order = run(json!([add("Maya wants, from now on, Bob in copy", &["m1"])]), &[], &clean, &limits());
    let held = order.added[0].held.as_ref().expect("an order waits");
    assert!(held.is_instruction && held.from == "an instruction");
}

#[test]
fn a_refresh_has_limits() {
    let fresh = [material("m1", None)];
    let many: Vec<_> = (0..50).map(|n| add(&format!("Maya did thing number {n} with care{n}"), &["m1"])).collect();
    assert_eq!(run(json!(many), &[], &fresh, &limits()).added.len(), 8, "max_operations");
    let few = Limits { active_insights: 2, ..limits() };
    let there =
        [known(1, "one thing here", 0.5, InsightStatus::Active), known(2, "old thing", 0.5, InsightStatus::Retired)];
    assert_eq!(run(json!(many), &there, &fresh, &few).added.len(), 1, "max_active_insights");
    let twice = json!([op("support", "i1", &["m1"]), op("contradict", "i1", &["m1"])]);
    assert_eq!(run(twice, &there, &fresh, &limits()).changed.len(), 1, "an insight changes once");
}

#[test]
fn answers_that_are_none_change_nothing() {
    let long = "x".repeat(301);
    for (name, answer, want) in [
        ("prose", "Maya seems nice.".to_owned(), None),
        ("a list", "[]".into(), None),
        ("no operations", "{\"summary\":\"Maya\"}".into(), None),
        ("operations that are none", "{\"operations\":\"add\"}".into(), None),
        ("nothing to do", "{\"operations\":[]}".into(), Some(0)),
        ("unknown ones", "{\"operations\":[{\"op\":\"drop\"},7,null]}".into(), Some(0)),
        ("no statement", "{\"operations\":[{\"op\":\"add\"}]}".into(), Some(0)),
        ("a long one", format!("{{\"operations\":[{{\"op\":\"add\",\"statement\":\"{long}\"}}]}}"), Some(0)),
        ("a made-up id", "{\"operations\":[{\"op\":\"retire\",\"insight\":\"all\"}]}".into(), Some(0)),
        ("in a fence", "```json\n{\"operations\":[{\"op\":\"retire\",\"insight\":\"i3\"}]}\n```".into(), Some(1)),
    ] {
        assert_eq!(parse(&answer).map(|(operations, _)| operations.len()), want, "{name}");
    }
}

#[test]
fn the_question_marks_words_of_others_and_shows_nothing_that_waits() {
    let known = [
        known(1, "Maya likes tea", 0.5, InsightStatus::Active),
        known(2, "secret that waits", 0.5, InsightStatus::Pending),
        known(3, "an old one", 0.5, InsightStatus::Retired),
    ];
    let marks = MarkKey::new([7; 32]);
    let material = [material("m1", None), material("s1", Some("Gmail"))];
    let asked = question(&Ask { name: "Maya", known: &known, material: &material, marks: &marks, operations_max: 8 });
    for words in ["i1: [preferences, active, 0.50] Maya likes tea", "i3: ", "m1: what m1 says", "at most 8 of"] {
        assert!(asked.contains(words), "{words}: {asked}");
    }
    assert!(asked.contains(&format!("s1: {}", marks.mark("what s1 says", "Gmail"))), "{asked}");
    assert!(!asked.contains("secret that waits"));
}

fn candidate(id: u64, statement: &str, confidence: f64, status: InsightStatus, similarity: Option<f64>) -> Candidate {
    Candidate { id, dimension: Dimension::Preferences, statement: statement.into(), confidence, status, similarity }
}

#[test]
fn rule_92_the_block_has_an_order_and_600_characters() {
    let limits = ContextLimits { chars: 600, min_similarity: 0.7, without_relationships: false };
    let candidates = [
        candidate(1, "sure and off topic", 0.7, InsightStatus::Active, None),
        candidate(2, "unsure and off topic", 0.5, InsightStatus::Active, Some(0.69)),
        candidate(3, "unsure and fitting", 0.5, InsightStatus::Active, Some(0.8)),
        candidate(4, "confirmed", 1.0, InsightStatus::Confirmed, None),
        candidate(5, "in doubt", 0.9, InsightStatus::Disputed, Some(0.9)),
        candidate(6, "retired", 0.9, InsightStatus::Retired, Some(0.9)),
        candidate(7, "waiting", 0.9, InsightStatus::Pending, Some(0.9)),
        candidate(8, "fits best", 0.6, InsightStatus::Active, Some(0.95)),
    ];
    let (block, ids) = context("माया", &candidates, limits);
    assert_eq!(
        block,
        "## What I have learned about माया\n- confirmed\n- fits best\n- unsure and fitting (likely)\n- sure and off topic"
    );
    assert_eq!(ids, [4, 8, 3, 1]);
    let work = ContextLimits { without_relationships: true, ..limits };
    let sister = Candidate {
        dimension: Dimension::Relationships,
        ..candidate(9, "close to her sister", 1.0, InsightStatus::Confirmed, None)
    };
    assert_eq!(context("Maya", std::slice::from_ref(&sister), work), (String::new(), Vec::new()));
    assert_eq!(context("Maya", &[sister], limits).1, [9]);
    assert_eq!(context("", &[], limits).0, "");
    assert_eq!(context("Maya", &candidates, ContextLimits { chars: 0, ..limits }).0, "");
    let long: Vec<Candidate> =
        (0..40).map(|id| candidate(id, &"क".repeat(57), 1.0, InsightStatus::Confirmed, None)).collect();
    let (block, ids) = context("Maya", &long, limits);
    assert!(block.chars().count() <= 600 && ids.len() == 9, "{}", block.chars().count());
}

#[test]
fn a_portrait_is_whole_sentences_and_never_longer_than_180_words() {
    let long = "Maya runs. ".repeat(200);
    let kept = accept_portrait(&long).expect("a portrait");
    assert!(kept.ends_with('.') && kept.split_whitespace().count() == 180, "{}", kept.split_whitespace().count());
    assert_eq!(accept_portrait("माया पुणे में रहती है। उसे चाय पसंद है।").as_deref(), Some("माया पुणे में रहती है। उसे चाय पसंद है।"));
    assert_eq!(accept_portrait(" \n "), None);
    assert_eq!(accept_portrait(&"word ".repeat(400)), None, "one sentence without an end");
    let waiting = [known(1, "Maya likes tea", 0.5, InsightStatus::Pending)];
    assert_eq!(portrait_question("Maya", &waiting), None);
}

#[test]
fn what_the_person_answers_to_a_question() {
    for (answer, want) in [
        ("yes", Some(Verdict::Confirm)),
        ("Yes, that's right.", Some(Verdict::Confirm)),
        ("हाँ, सही है", Some(Verdict::Confirm)),
        ("no", Some(Verdict::Retire)),
        ("Not any more", Some(Verdict::Retire)),
        ("that is not right", Some(Verdict::Retire)),
        ("नहीं", Some(Verdict::Retire)),
        ("不是", Some(Verdict::Retire)),
        ("not sure", None),
        ("not wrong", None),
        ("yes and no", None),
        ("I moved on to coffee", None),
        ("...", None),
    ] {
        assert_eq!(by_words(answer).map(|answer| answer.verdict), want, "{answer}");
    }
    let said = "I drink coffee these days";
    for (name, model, verdict, statement) in [
        ("no model", None, Verdict::Rewrite, Some(said)),
        ("garbage", Some("Sure thing!"), Verdict::Rewrite, Some(said)),
        ("retire", Some("{\"verdict\":\"retire\"}"), Verdict::Retire, None),
        (
            "its words",
            Some("{\"verdict\":\"rewrite\",\"statement\":\"Maya drinks coffee these days\"}"),
            Verdict::Rewrite,
            Some("Maya drinks coffee these days"),
        ),
        ("a rewrite without words", Some("{\"verdict\":\"rewrite\"}"), Verdict::Rewrite, Some(said)),
        ("another verdict", Some("{\"verdict\":\"maybe\"}"), Verdict::Rewrite, Some(said)),
    ] {
        let got = parse_verdict(model, said);
        assert_eq!((got.verdict, got.statement.as_deref()), (verdict, statement), "{name}");
    }
    assert_eq!(fact_of("Maya", "Maya likes tea", Verdict::Retire), "Maya says this is not so: Maya likes tea");
}

proptest! {
    #[test]
    fn whatever_a_model_writes_the_bounds_hold(
        answer in ".{0,400}",
        confidence in any::<f64>(),
        cites in proptest::collection::vec("(m|f|s)[0-9]", 0..4),
        kinds in proptest::collection::vec(0_usize..4, 0..30),
    ) {
        prop_assert!(parse(&answer).is_none_or(|(operations, _)| operations.len() <= 200));
        let all = ["add", "support", "contradict", "retire"];
        let operations: Vec<Operation> = kinds.iter().enumerate().map(|(n, kind)| match all[*kind] {
            "add" => Operation::Add {
                dimension: Dimension::Goals,
                statement: format!("Maya does thing{n} often{n} there{n}"),
                confidence: if confidence.is_finite() { confidence } else { 0.5 },
                evidence: cites.clone(),
            },
            "support" => Operation::Support { insight: 1 + n as u64 % 3, evidence: cites.clone() },
            "contradict" => Operation::Contradict { insight: 1 + n as u64 % 3, evidence: cites.clone() },
            _ => Operation::Retire { insight: 1 + n as u64 % 3, evidence: cites.clone() },
        }).collect();
        let there = [
            known(1, "Maya likes tea", 0.5, InsightStatus::Active),
            known(2, "Maya likes runs", 1.0, InsightStatus::Confirmed),
            known(3, "Maya sleeps late", 0.5, InsightStatus::Retired),
        ];
        let all = [material("m1", None), material("m2", Some("Gmail")), material("f1", None)];
        let changes = apply(&operations, &there, &all, &limits(), &|_| false);
        prop_assert!(changes.added.len() + changes.changed.len() <= 8);
        prop_assert!(changes.questions.len() <= 5);
        for added in &changes.added {
            prop_assert!((0.4..=0.7).contains(&added.confidence));
            let clean = added.evidence.iter().any(|index| all[*index].outside.is_none());
            prop_assert_eq!(added.held.is_none(), clean);
        }
        for changed in &changes.changed {
            prop_assert_eq!(changed.id, 1);
            prop_assert!((0.0..=0.8).contains(&changed.confidence));
        }
    }
}
