//! Saving: what is known is found, code decides what it can, a model is asked about the rest, and nothing is there twice.

use super::{Scene, from_gmail, said};
use actors::memory::{NewFact, SaveOrigin};
use futures::future::join_all;
use protocol::memory::SaveAction::{Add, Skip, Update};
use protocol::memory::{MemoryState, SourceRef};
use serde_json::json;
use tests::story::TestEngine;

#[tokio::test(start_paused = true)]
async fn rule_82_the_same_fact_saved_forty_times_at_once_is_one_memory() {
    let scene = Scene::new().await;
    let spellings = ["Maya lives in Pune", "maya lives in pune.", "Maya  lives in Pune!"];
    let saves = (0..40).map(|nth| scene.hear(spellings[nth % 3], if nth % 2 == 0 { "m1" } else { "m2" }));
    let saved = join_all(saves).await;
    assert!(saved.iter().all(|saved| saved.id == 1), "all answer the one memory");
    assert_eq!(scene.remembered().await.len(), 1);
    assert_eq!(scene.calls(), 0, "no model was needed to see that it is the same");
}

#[tokio::test(start_paused = true)]
async fn rule_82_a_duplicate_is_skipped_with_the_id_it_has() {
    let scene = Scene::new().await;
    let first = scene.type_in("Maya lives in Pune").await;
    assert_eq!((first.action, first.id, first.scope.as_deref()), (Add, 1, Some("personal")));
    let again = scene.type_in("maya lives in Pune.").await;
    assert_eq!((again.action, again.id), (Skip, 1));
    assert_eq!(scene.told().len(), 1, "a skip tells nobody");
}

#[tokio::test(start_paused = true)]
async fn rule_82_a_correction_always_updates_and_is_never_skipped_as_a_duplicate() {
    for (name, old, new, want) in [
        (
            "a date",
            "Maya's daughter Mira starts school in June",
            "Mira's school now starts in July",
            "Maya's daughter Mira starts school in July",
        ),
        ("a home", "Maya lives in Pune", "Maya moved to Bengaluru", "Maya moved to Bengaluru"),
    ] {
        let scene = Scene::new().await;
        scene.type_in(old).await;
        let saved = scene.type_in(new).await;
        assert_eq!((saved.action, saved.id, saved.previous.as_deref()), (Update, 1, Some(old)), "{name}");
        assert_eq!(scene.remembered().await, [want], "{name}");
        assert_eq!(scene.row(1).and_then(|fact| fact.previous_content).as_deref(), Some(old), "{name}");
        let told = scene.last_told();
        assert_eq!((&told["action"], &told["previous"]), (&json!("UPDATE"), &json!(old)), "{name}");
        assert_eq!(scene.calls(), 0, "{name}: code decides it");
    }
}

#[tokio::test(start_paused = true)]
async fn rule_82_a_friends_facts_never_take_the_place_of_the_persons_own() {
    let scene = Scene::new().await;
    scene.type_in("Maya lives in Pune").await;
    // A model that would overwrite anything is not even offered it.
    scene.setup.models.improvise(|_| {
        tests::story::Reply::text(r#"{"action":"UPDATE","fact_id":1,"content":"Maya lives in Delhi","analysis":{"topics":["other"],"memory_type":"long-term"}}"#)
    });
    let friend = scene.type_in("Maya's friend Arjun lives in Delhi").await;
    assert_eq!(friend.action, Add);
    assert_eq!(scene.remembered().await, ["Maya lives in Pune", "Maya's friend Arjun lives in Delhi"]);
}

#[tokio::test(start_paused = true)]
async fn rule_82_without_a_model_code_decides_and_the_person_hears_of_it_once() {
    let scene = Scene::new().await;
    scene.no_model();
    assert_eq!(scene.type_in("Maya xyzzy").await.action, Add);
    assert_eq!(scene.type_in("Maya plugh").await.action, Add);
    assert!(scene.calls() >= 2, "a model was tried each time");
    assert_eq!(scene.titles().await, ["Memories saved without a full check"]);
    // Once one answers, the next failure is news again.
    let answers = r#"{"action":"ADD","analysis":{"topics":["Goals & Challenges"],"memory_type":"long-term"}}"#;
    scene.setup.models.improvise(move |_| tests::story::Reply::text(answers));
    scene.type_in("Maya frobozz").await;
    assert_eq!(scene.all().await[0].topics, ["Goals & Challenges"], "the model's topics are kept");
    scene.no_model();
    scene.type_in("Maya gnusto").await;
    assert_eq!(scene.titles().await.len(), 2);
}

#[tokio::test(start_paused = true)]
async fn rule_82_what_a_model_answers_is_checked() {
    for (name, answer) in [
        ("an unknown memory", r#"{"action":"UPDATE","fact_id":99,"content":"x"}"#),
        ("no JSON at all", "I think that is new!"),
        ("a delete that nobody said", r#"{"action":"DELETE","fact_id":1}"#),
    ] {
        let scene = Scene::new().await;
        scene.type_in("Maya works at Google").await;
        scene.model(answer);
        let saved = scene.type_in("Maya is a designer").await;
        assert_eq!(scene.calls(), 1, "{name}: the model was asked about the job it may touch");
        assert_eq!(saved.action, Add, "{name}");
        assert_eq!(scene.remembered().await, ["Maya works at Google", "Maya is a designer"], "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn rule_84_each_new_source_makes_a_memory_surer() {
    let scene = Scene::new().await;
    let confidence = |id| scene.row(id).expect("there").confidence;
    scene.hear("Maya lives in Pune", "m1").await;
    assert!((confidence(1) - 0.9).abs() < 1e-9, "said in a chat");
    scene.hear("Maya lives in Pune", "m2").await;
    assert!((confidence(1) - 0.9).abs() < 1e-9, "the same source again");
    scene.type_in("Maya lives in Pune").await;
    assert!((confidence(1) - 1.0).abs() < 1e-9, "another source");
    let sources: Vec<String> = scene.row(1).expect("there").sources.into_iter().map(|link| link.source).collect();
    assert_eq!(sources, ["conversation", "conversation", "manual"]);
    scene.save(from_gmail("Maya flies on 5 May")).await.expect("held");
    assert!((confidence(2) - 0.6).abs() < 1e-9, "held for review");
}

#[tokio::test(start_paused = true)]
async fn saying_a_disputed_memory_again_makes_it_current() {
    let scene = Scene::new().await;
    scene.type_in("Maya lives in Pune").await;
    let patch = protocol::memory_requests::MemoryPatch { state: Some("disputed".into()), ..Default::default() };
    let disputed = scene.engine.engine.patch_memory(1, patch).await.expect("patched");
    assert_eq!(disputed.state, MemoryState::Disputed);
    assert_eq!(scene.last_told()["reason"], "disputed");
    assert_eq!(scene.hear("Maya lives in Pune", "m1").await.action, Skip);
    assert_eq!(scene.all().await[0].state, MemoryState::Current);
    assert_eq!((&scene.last_told()["state"], &scene.last_told()["reason"]), (&json!("current"), &json!("confirmed")));
}

#[tokio::test(start_paused = true)]
async fn one_message_saves_its_words_once_even_after_they_were_corrected_or_forgotten() {
    let scene = Scene::new().await;
    scene.hear("Maya lives in Pune", "m1").await;
    scene.hear("Maya moved to Bengaluru", "m2").await;
    assert_eq!(scene.remembered().await, ["Maya moved to Bengaluru"]);
    // The program died between the save and its answer, and the chat is learned from again.
    for message in ["m1", "m2"] {
        let words = if message == "m1" { "Maya lives in Pune" } else { "Maya moved to Bengaluru" };
        assert_eq!(scene.hear(words, message).await.id, 1);
    }
    assert_eq!(scene.remembered().await, ["Maya moved to Bengaluru"]);
    scene.engine.engine.forget_memory(1).await.expect("forgotten");
    assert_eq!(scene.hear("Maya moved to Bengaluru", "m2").await.action, Skip, "it does not come back by itself");
    assert!(scene.remembered().await.is_empty());
    assert_eq!(scene.hear("Maya moved to Bengaluru", "m9").await.action, Add, "said anew it is remembered");
}

#[tokio::test(start_paused = true)]
async fn numbers_are_never_given_twice() {
    let scene = Scene::new().await;
    scene.type_in("Maya lives in Pune").await;
    scene.engine.engine.forget_memory(1).await.expect("forgotten");
    let again = TestEngine::start(&scene.setup).await;
    let new = protocol::memory_requests::NewMemory { content: "Maya lives in Pune".into(), ..Default::default() };
    assert_eq!(again.engine.remember(new).await.expect("saved").id, 2);
}

#[tokio::test(start_paused = true)]
async fn what_is_no_memory_is_refused() {
    let scene = Scene::new().await;
    for (name, fact) in [
        ("empty", NewFact::new(" \n", "manual", SaveOrigin::Typed)),
        ("too long", NewFact::new("x".repeat(2_001), "manual", SaveOrigin::Typed)),
        ("a scope that is too long", NewFact { scope: "x".repeat(41), ..said("Maya lives in Pune", "m1") }),
    ] {
        let refused = scene.save(fact).await.expect_err(name);
        assert_eq!(refused.kind, protocol::ErrorKind::Invalid, "{name}: {refused}");
    }
    assert!(scene.all().await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_short_term_memory_ends() {
    let scene = Scene::new().await;
    scene.type_in("Maya is busy this week").await;
    assert_eq!(scene.remembered().await.len(), 1);
    scene.days_pass(8);
    assert!(scene.remembered().await.is_empty(), "hidden at once");
    assert!(scene.row(1).is_some());
    scene.upkeep().await;
    assert!(scene.row(1).is_none(), "and deleted by the upkeep");
    let told = scene.last_told();
    assert_eq!(
        (&told["action"], &told["id"], &told["reason"], &told["count"]),
        (&json!("DELETE"), &json!(null), &json!("expired"), &json!(1))
    );
}

#[tokio::test(start_paused = true)]
async fn a_memory_says_exactly_where_it_was_said() {
    let scene = Scene::new().await;
    scene.hear("Maya lives in Pune", "m1").await;
    let memory = scene.engine.engine.memory(1).await.expect("there");
    let want = SourceRef::Message { session_id: "s1".into(), message_id: Some("m1".into()), quote: None };
    assert_eq!(memory.reference, Some(want));
    let sources = memory.sources.expect("with sources");
    assert!(sources.len() == 1 && sources[0].own && sources[0].source == "conversation");
    let told = scene.last_told();
    assert_eq!((&told["session_id"], &told["source"]), (&json!("s1"), &json!("conversation")));
}
