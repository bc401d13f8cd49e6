//! What the nightly tidy-up may do to memories, and that it can be taken back.

use super::{Scene, said};
use actors::memory::{FoldLanguage, MemoryHandle, Merge, NewFact, Promote, Supersede, Unmerge};
use protocol::ErrorKind;
use protocol::memory::MemoryState;
use protocol::memory_requests::{MemoryPatch, MemoryQuery, StateFilter};
use runtime::Outside;
use serde_json::json;
use tokio::time::Duration;

fn patience() -> Outside {
    Outside::within(Duration::from_secs(30))
}

fn handle(scene: &Scene) -> MemoryHandle {
    scene.engine.engine.memory_handle().clone()
}

#[tokio::test(start_paused = true)]
async fn a_merge_keeps_one_with_all_sources() {
    let scene = Scene::new().await;
    scene.type_in("Maya likes tea").await;
    scene.hear("Maya enjoys drinking black tea", "m1").await;
    let memory = handle(&scene).memory;
    let merge = Merge { keep: 1, fold: vec![2], content: Some("Maya likes black tea".into()) };
    let kept = memory.ask(&patience(), merge.clone()).await.expect("merged");
    assert_eq!(scene.remembered().await, ["Maya likes black tea"]);
    let sources: Vec<&str> = kept.sources.iter().map(|link| link.source.as_str()).collect();
    assert_eq!(sources, ["manual", "conversation"]);
    let told = scene.told();
    let folded = &told[told.len() - 2];
    assert_eq!((&folded["id"], &folded["reason"], &folded["merged_into"]), (&json!(2), &json!("merged"), &json!(1)));
    assert_eq!(memory.ask(&patience(), merge).await.expect_err("gone").kind, ErrorKind::NotFound);
}

#[tokio::test(start_paused = true)]
async fn rule_87_a_replaced_memory_is_history_and_goes_when_it_is_old_enough() {
    let scene = Scene::new().await;
    scene.type_in("Maya works at Acme").await;
    scene.save(NewFact { scope: "work".into(), ..said("Maya works at Globex", "m1") }).await.expect("saved");
    let memory = handle(&scene).memory;
    let across = memory.ask(&patience(), Supersede { old: 1, by: 2 }).await.expect_err("another scope");
    assert_eq!(across.kind, ErrorKind::Conflict);
    let to = |scope: &str| MemoryPatch { scope: Some(scope.into()), state: None };
    scene.engine.engine.patch_memory(2, to("personal")).await.expect("moved");
    memory.ask(&patience(), Supersede { old: 1, by: 2 }).await.expect("superseded");
    assert_eq!(scene.remembered().await, ["Maya works at Globex"]);
    let history = MemoryQuery { state: StateFilter::Superseded, ..MemoryQuery::default() };
    assert_eq!(scene.listed(history).await.len(), 1);
    let old = scene.engine.engine.memory(1).await.expect("there");
    assert_eq!((old.superseded_by, old.superseded_by_content.as_deref()), (Some(2), Some("Maya works at Globex")));
    scene.days_pass(100);
    scene.engine.engine.patch_memory(1, to("work")).await.expect("moved");
    scene.days_pass(79);
    scene.upkeep().await;
    assert!(scene.row(1).is_some(), "not yet, and moving it does not count");
    scene.days_pass(2);
    scene.upkeep().await;
    assert!(scene.row(1).is_none());
    assert_eq!(scene.last_told()["reason"], "superseded_expired");
}

#[tokio::test(start_paused = true)]
async fn rule_87_zero_days_keep_history_for_ever_and_the_person_brings_it_back() {
    let scene = Scene::new().await;
    scene.setup.config.send_modify(|config| std::sync::Arc::make_mut(config).memory.keep_superseded_days = 0);
    scene.type_in("Maya works at Acme").await;
    scene.type_in("Maya climbs on Sundays").await;
    handle(&scene).memory.ask(&patience(), Supersede { old: 1, by: 2 }).await.expect("superseded");
    scene.days_pass(5_000);
    scene.upkeep().await;
    assert!(scene.row(1).is_some());
    let right = MemoryPatch { state: Some("current".into()), scope: None };
    let back = scene.engine.engine.patch_memory(1, right).await.expect("back");
    assert_eq!((back.state, back.superseded_by), (MemoryState::Current, None));
    assert!((back.confidence - 1.0).abs() < 1e-9);
}

#[tokio::test(start_paused = true)]
async fn a_copy_in_another_language_can_be_taken_apart_again() {
    let scene = Scene::new().await;
    scene.type_in("Maya likes tea").await;
    scene.hear("माया को चाय पसंद है", "m1").await;
    let memory = handle(&scene).memory;
    memory.ask(&patience(), FoldLanguage { keep: 1, fold: 2 }).await.expect("folded");
    assert_eq!(scene.remembered().await, ["Maya likes tea"]);
    let review = scene.engine.engine.memory_review().await.expect("a review");
    assert_eq!((review.count, review.merged.len(), review.merged[0].by.as_str()), (0, 1, "nightly tidying"));
    assert_eq!(review.merged[0].merged_into.as_ref().map(|kept| kept.id), Some(1));
    // Said again in the copy's words, it is known.
    assert_eq!(scene.hear("माया को चाय पसंद है", "m2").await.id, 1);
    let undone = scene.engine.engine.undo_merge(2).await.expect("undone");
    assert_eq!(undone.content, "माया को चाय पसंद है");
    assert_eq!((&scene.last_told()["action"], &scene.last_told()["reason"]), (&json!("ADD"), &json!("unmerged")));
    let kept = scene.row(1).expect("there");
    assert!(kept.sources.iter().all(|link| link.merged_from.is_none()), "exactly the copy's links are gone");
    let gone = memory.ask(&patience(), Unmerge { id: 2 }).await.expect_err("not merged");
    assert_eq!(gone.kind, ErrorKind::NotFound);
    let apart = scene.setup.store.snapshot().expect("a snapshot");
    let apart = apart.get::<storage::records::MetaRecord>(&"memory.kept_apart".to_owned()).expect("readable");
    assert_eq!(apart.map(|row| row.value).as_deref(), Some("[[1,2]]"));
}

#[tokio::test(start_paused = true)]
async fn what_is_needed_often_becomes_lasting() {
    let scene = Scene::new().await;
    scene.type_in("Maya is busy this week").await;
    let handle = handle(&scene);
    handle.recalled(vec![1, 1, 99]).await;
    handle.memory.ask(&patience(), Promote { id: 1 }).await.expect("promoted");
    let row = scene.row(1).expect("there");
    assert_eq!((row.recall_count, row.short_term, row.expires_at), (1, false, None));
    assert_eq!(scene.last_told()["reason"], "promoted");
    scene.days_pass(60);
    assert_eq!(scene.remembered().await.len(), 1);
}
