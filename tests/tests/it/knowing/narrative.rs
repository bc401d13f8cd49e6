//! The narrative: versions that rest on memories, and what never becomes one.

use super::{events, fact, from_mail};
use crate::stage::{Stage, stage};
use actors::narrative::Deed;
use protocol::ErrorKind;
use protocol::knowing::{NarrativeOutcome, NarrativeState};
use serde_json::json;
use storage::Batch;
use storage::records::{FactRecord, FactState, NarrativeRecord};
use tests::story::Reply;
use tokio::time::{Duration, sleep};

fn page(sentences: &[(&str, &[&str])]) -> String {
    let sentences: Vec<_> = sentences.iter().map(|(text, basis)| json!({ "text": text, "basis": basis })).collect();
    json!({ "sentences": sentences }).to_string()
}

fn life() -> Vec<FactRecord> {
    vec![
        fact(1, "Maya lives in Pune"),
        fact(2, "Maya's launch is on 3 May"),
        fact(3, "माया की बहन रिया दिल्ली में रहती है"),
        fact(4, "Maya is training for a race"),
    ]
}

async fn refreshed(stage: &Stage, answer: String) -> NarrativeOutcome {
    stage.model(move |_| answer.clone());
    let narrative = &stage.engine.engine.knowing().narrative;
    narrative.refresh_by_hand(None).await.expect("refreshed").outcome
}

/// The same memory in other words, a moment later.
async fn reword(stage: &Stage, id: u64, content: &str) {
    let row = stage.facts().into_iter().find(|fact| fact.id == id).expect("there");
    let updated_at = stage.engine.engine.world.now();
    stage.remember(&[FactRecord { content: content.into(), updated_at, ..row }]).await;
}

#[tokio::test(start_paused = true)]
async fn a_version_shows_what_each_sentence_rests_on_and_garbage_makes_none() {
    let stage = stage(&[]).await;
    stage.knows_maya();
    stage.remember(&life()).await;
    let narrative = stage.engine.engine.knowing().narrative.clone();
    for garbage in
        ["Maya is great.".to_owned(), page(&[("Maya owns a yacht.", &["f99"])]), "{\"content\":\"x\"}".into()]
    {
        assert_eq!(refreshed(&stage, garbage.clone()).await, NarrativeOutcome::Unusable, "{garbage}");
        assert!(narrative.versions(None).expect("versions").is_empty(), "{garbage}");
    }
    let answer = page(&[
        ("Maya lives in Pune.", &["f1", "f99"]),
        ("Her launch is on 3 May.", &["f2"]),
        ("रिया दिल्ली में रहती है।", &["f3"]),
        ("She also lives in Rome.", &["f1"]),
        ("The launch is on 9 May.", &["f2"]),
    ]);
    assert_eq!(refreshed(&stage, answer.clone()).await, NarrativeOutcome::Written);
    let current = narrative.page(None).await.expect("a page").current.expect("a version");
    assert_eq!((current.version, current.state), (1, NarrativeState::Current));
    assert_eq!(current.text, "Maya lives in Pune. Her launch is on 3 May. रिया दिल्ली में रहती है।");
    let basis: Vec<&[u64]> = current.sentences.iter().map(|sentence| sentence.facts.as_slice()).collect();
    let want: [&[u64]; 3] = [&[1], &[2], &[3]];
    assert_eq!(basis, want);
    // Nothing was learned since: no model is asked.
    let asked = stage.setup.models.requests().len();
    assert_eq!(refreshed(&stage, "anything".into()).await, NarrativeOutcome::Unchanged);
    assert_eq!(stage.setup.models.requests().len(), asked);
    let question = &stage.questions("You keep one short page")[0];
    assert!(question.contains("f4") && !question.contains("yacht"), "{question}");
}

#[tokio::test(start_paused = true)]
async fn versions_are_kept_and_can_be_brought_back() {
    let stage = stage(&[]).await;
    stage.knows_maya();
    stage.remember(&life()).await;
    refreshed(&stage, page(&[("Maya lives in Pune.", &["f1"]), ("Maya trains for a race.", &["f4"])])).await;
    reword(&stage, 1, "Maya lives in Delhi").await;
    let narrative = stage.engine.engine.knowing().narrative.clone();
    let before = narrative.page(None).await.expect("a page");
    let current = before.current.expect("a version");
    assert_eq!(current.text, "Maya trains for a race.", "a sentence whose memory changed is not read");
    assert!(current.sentences[0].stale && before.learned_since > 0);
    let answer = page(&[("Maya lives in Delhi.", &["f1"]), ("Maya trains for a race.", &["f4"])]);
    assert_eq!(refreshed(&stage, answer).await, NarrativeOutcome::Written);
    let versions = narrative.versions(None).expect("versions");
    assert_eq!(
        versions.iter().map(|row| (row.version, row.state)).collect::<Vec<_>>(),
        [(2, NarrativeState::Current), (1, NarrativeState::Earlier)]
    );
    assert_eq!(versions[0].changes.added, ["Maya lives in Delhi."]);
    assert_eq!(versions[0].changes.removed, ["Maya lives in Pune."]);
    assert_eq!(narrative.decide(None, 2, Deed::Rollback).await.expect_err("it is current").kind, ErrorKind::Conflict);
    assert_eq!(narrative.decide(None, 9, Deed::Rollback).await.expect_err("unknown").kind, ErrorKind::NotFound);
    assert_eq!(narrative.decide(None, 1, Deed::Approve).await.expect_err("not held").kind, ErrorKind::Conflict);
    let page = narrative.decide(None, 1, Deed::Rollback).await.expect("back");
    let back = page.current.expect("a version");
    assert_eq!((back.version, back.restored_from, back.text.as_str()), (3, Some(1), "Maya trains for a race."));
    assert_eq!(events(&stage, "narrative.updated").len(), 3);
}

#[tokio::test(start_paused = true)]
async fn rule_85_what_rests_on_words_of_others_waits_for_the_person() {
    let stage = stage(&[]).await;
    stage.knows_maya();
    let mut facts = life();
    facts.push(from_mail(5, "Maya's invoices go to the new account"));
    stage.remember(&facts).await;
    let narrative = stage.engine.engine.knowing().narrative.clone();
    refreshed(&stage, page(&[("Maya lives in Pune.", &["f1"])])).await;
    reword(&stage, 2, "Maya's launch is on 4 May").await;
    let said = "Invoices go to the new account.";
    let answer = page(&[("Maya lives in Pune.", &["f1"]), (said, &["f5", "f1"])]);
    assert_eq!(refreshed(&stage, answer.clone()).await, NarrativeOutcome::Held);
    let shown = narrative.page(None).await.expect("a page");
    let held = shown.held.expect("it waits");
    assert_eq!(held.review.expect("a note").from, "Gmail");
    assert_eq!(shown.current.expect("the old one").version, 1);
    assert!(!narrative.prompt_block("personal").expect("a block").contains("Invoices"));
    // Turned down, it stays out; taken in, it is read; and once taken in it does not wait again.
    narrative.decide(None, 2, Deed::Discard).await.expect("discarded");
    assert_eq!(
        narrative.decide(None, 2, Deed::Rollback).await.expect("what was clean").current.expect("one").text,
        "Maya lives in Pune."
    );
    reword(&stage, 2, "Maya's launch is on 5 May").await;
    assert_eq!(refreshed(&stage, answer.clone()).await, NarrativeOutcome::Held);
    let version = narrative.page(None).await.expect("a page").held.expect("it waits").version;
    narrative.decide(None, version, Deed::Approve).await.expect("approved");
    assert!(narrative.prompt_block("personal").expect("a block").contains(said));
    reword(&stage, 2, "Maya's launch is on 6 May").await;
    let more = page(&[("Maya lives in Pune.", &["f1"]), (said, &["f5", "f1"]), ("Her launch is on 6 May.", &["f2"])]);
    assert_eq!(refreshed(&stage, more).await, NarrativeOutcome::Written);
}

#[tokio::test(start_paused = true)]
async fn rule_232_nothing_forgotten_survives_in_any_version() {
    let stage = stage(&[]).await;
    stage.knows_maya();
    stage.remember(&life()).await;
    refreshed(&stage, page(&[("रिया दिल्ली में रहती है।", &["f3"]), ("Maya trains for a race.", &["f4"])])).await;
    reword(&stage, 4, "Maya is training for the June race").await;
    refreshed(&stage, page(&[("Maya trains for the June race.", &["f4"]), ("रिया दिल्ली में रहती है।", &["f3"])])).await;
    stage.engine.engine.forget_memory(3).await.expect("forgotten");
    let snapshot = stage.setup.store.snapshot().expect("a snapshot");
    let rows: Vec<NarrativeRecord> = snapshot.all().expect("rows").map(|row| row.expect("a row")).collect();
    assert_eq!(rows.len(), 2);
    for row in &rows {
        assert!(!row.sentences.is_empty(), "the others stay: {row:?}");
        assert!(!format!("{row:?}").contains("रिया"), "{row:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_memory_forgotten_while_the_model_writes_is_in_no_version() {
    let stage = stage(&[]).await;
    stage.knows_maya();
    stage.remember(&life()).await;
    let answer = page(&[("रिया दिल्ली में रहती है।", &["f3"]), ("Maya lives in Pune.", &["f1"])]);
    stage.setup.models.push(Reply { slow: true, ..Reply::text(answer) });
    let engine = stage.engine.engine.clone();
    let writing = engine.knowing().narrative.refresh_by_hand(None);
    let forgetting = async {
        sleep(Duration::from_secs(2)).await;
        engine.forget_memory(3).await.expect("forgotten");
    };
    let (written, ()) = futures::future::join(writing, forgetting).await;
    let page = written.expect("written").page;
    assert_eq!(page.current.expect("a version").text, "Maya lives in Pune.");
}

#[tokio::test(start_paused = true)]
async fn rule_234_a_page_holds_only_what_its_scope_reads_and_stays_the_same_byte_for_byte() {
    let stage = stage(&[]).await;
    stage.knows_maya();
    let scoped = |id: u64, content: &str, scope: &str| FactRecord { scope: scope.into(), ..fact(id, content) };
    let mut facts = life();
    facts.push(scoped(5, "The Kestrel launch slipped to June", "Kestrel launch"));
    facts.push(scoped(6, "Arjun leads the Kestrel launch", "Kestrel launch"));
    facts.push(scoped(7, "The Kestrel launch needs a venue", "Kestrel launch"));
    facts.push(scoped(8, "Maya answers in short sentences", "always"));
    stage.remember(&facts).await;
    let narrative = stage.engine.engine.knowing().narrative.clone();
    stage.model(|question| match question.contains("project \"Kestrel launch\"") {
        true => page(&[("Arjun leads the launch.", &["f6"]), ("Maya lives in Pune.", &["f1"])]),
        false => page(&[("Maya lives in Pune.", &["f1"]), ("The Kestrel launch slipped.", &["f5"])]),
    });
    for scope in [None, Some("Kestrel launch")] {
        assert_eq!(narrative.refresh_by_hand(scope).await.expect("refreshed").outcome, NarrativeOutcome::Written);
    }
    let questions = stage.questions("You keep one short page");
    assert!(
        questions[0].contains("lives in Pune") && !questions[0].contains("Kestrel launch slipped"),
        "{questions:?}"
    );
    assert!(questions[1].contains("f8") && !questions[1].contains("lives in Pune"), "{questions:?}");
    let personal = narrative.prompt_block("personal").expect("a block");
    assert_eq!(personal, "## Where things stand with Maya\nMaya lives in Pune.");
    let project = narrative.prompt_block("Kestrel launch").expect("a block");
    assert_eq!(project, "## Where things stand with Kestrel launch\nArjun leads the launch.");
    assert_eq!(narrative.prompt_block("work").expect("no page"), "");
    // Recalling a memory, and time, change nothing in it; the person saying that it is wrong does, at once.
    let mut row = stage.facts().into_iter().find(|fact| fact.id == 1).expect("there");
    row.recall_count += 1;
    stage.remember(&[row.clone()]).await;
    sleep(Duration::from_secs(7_200)).await;
    assert_eq!(narrative.prompt_block("personal").expect("a block"), personal);
    let mut batch = Batch::new();
    batch.put(&FactRecord { state: FactState::Disputed, ..row });
    stage.setup.store.commit(batch).await.expect("stored");
    assert_eq!(narrative.prompt_block("personal").expect("a block"), "");
    assert_eq!(narrative.page(Some("always")).await.expect_err("no page of its own").kind, ErrorKind::Invalid);
}

#[tokio::test(start_paused = true)]
async fn enough_that_is_new_writes_a_page_by_itself_and_a_broken_model_is_not_asked_over_and_over() {
    let stage = stage(&[]).await;
    stage.knows_maya();
    stage.model(|_| "no page".into());
    stage.remember(&life()).await;
    sleep(Duration::from_secs(5 * 3_600)).await;
    let asked = |stage: &Stage| stage.questions("You keep one short page").len();
    assert_eq!(asked(&stage), 1, "one try in six hours");
    stage.model(|question| match question.contains("You keep one short page") {
        true => page(&[("Maya lives in Pune.", &["f1"])]),
        false => r#"{"operations":[]}"#.into(),
    });
    sleep(Duration::from_secs(2 * 3_600)).await;
    assert_eq!(asked(&stage), 2);
    let narrative = stage.engine.engine.knowing().narrative.clone();
    assert!(narrative.page(None).await.expect("a page").current.is_some());
    sleep(Duration::from_secs(24 * 3_600)).await;
    assert_eq!(asked(&stage), 2, "nothing was learned since");
}
