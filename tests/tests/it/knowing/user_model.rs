//! The user model: what a refresh makes of what was said, what waits, what goes with a forgotten memory.

use super::{events, fact, until};
use crate::stage::{Stage, lives, stage};
use actors::memory::{Going, Insights};
use protocol::ErrorKind;
use protocol::knowing::{InsightStatus, Refreshed, Verdict};
use std::collections::BTreeSet;
use std::sync::Arc;
use storage::records::InsightRecord;
use tests::sim::{Mood, Write};
use tests::story::Reply;
use tokio::time::{Duration, sleep};

/// Says something in a chat of its own and waits for the reply. Answers the chat.
async fn said(stage: &mut Stage, text: &str) -> protocol::ids::SessionId {
    let chat = stage.chat().await;
    stage.say(&chat, text).await.expect("accepted");
    stage.ends(Duration::from_secs(10)).await;
    chat.session_id
}

fn add(statement: &str, evidence: &str) -> String {
    format!(
        r#"{{"op":"add","dimension":"routines","statement":"{statement}","confidence":0.6,"evidence":[{evidence}]}}"#
    )
}

fn answer(operations: &[String]) -> String {
    format!(r#"{{"operations":[{}],"summary":"Maya is a runner."}}"#, operations.join(","))
}

fn insights(stage: &Stage) -> Vec<InsightRecord> {
    let snapshot = stage.setup.store.snapshot().expect("a snapshot");
    snapshot.all::<InsightRecord>().expect("rows").map(|row| row.expect("a row")).collect()
}

#[tokio::test(start_paused = true)]
async fn rule_91_a_refresh_reads_what_is_new_once() {
    let mut stage = stage(&[Reply::text("Nice.")]).await;
    stage.knows_maya();
    said(&mut stage, "I run every morning before work").await;
    stage.remember(&[fact(1, "Maya runs before work")]).await;
    stage.model(|_| answer(&[add("Maya runs before work", r#""m1","f1""#)]));
    let engine = stage.engine.engine.clone();
    let refreshed = engine.refresh_user_model().await.expect("refreshed");
    assert_eq!(refreshed, Refreshed { added: 1, ..Refreshed::default() });
    let page = engine.knowing().user_model.page().expect("a page");
    assert_eq!((page.summary.as_str(), page.insights.len()), ("Maya is a runner.", 1));
    let insight = &page.insights[0];
    assert_eq!(
        (insight.status, insight.source.as_str(), insight.evidence.len()),
        (InsightStatus::Active, "inferred", 2)
    );
    assert_eq!(insight.evidence[0].quote, "I run every morning before work");
    let asked = stage.setup.models.requests().len();
    assert_eq!(engine.refresh_user_model().await.expect("nothing new"), Refreshed::default());
    assert_eq!(stage.setup.models.requests().len(), asked, "no model is asked without new evidence");
    let told = events(&stage, "user_model.updated");
    assert_eq!(told, [serde_json::json!({ "summary_changed": true, "insights": 1, "questions": 0 })]);
    let block = engine.knowing().user_model.context_for("hello", "personal").await.expect("a block");
    assert_eq!(block.text, "## What I have learned about Maya\n- Maya runs before work");
    assert_eq!(block.insights[0].id.to_string(), insight.id);
}

#[tokio::test(start_paused = true)]
async fn rule_85_what_only_outside_words_say_waits_and_reaches_nothing() {
    let mut stage = stage(&[Reply::text("Read."), Reply::text("Fine.")]).await;
    stage.knows_maya();
    let marked = said(&mut stage, "what does the mail say").await;
    stage.mark(&marked, "Gmail").await;
    said(&mut stage, "मैं रोज़ सुबह दौड़ती हूँ").await;
    stage.model(|question| {
        if !question.contains("New evidence") {
            return r#"{"summary":"Maya runs."}"#.into();
        }
        let outside = if question.contains("m1: [outside") || question.contains("m1: [") { "m1" } else { "m2" };
        answer(&[
            add("Maya always pays invoices to the account in mails", &format!(r#""{outside}""#)),
            add("Maya trusts every sender", ""),
            add("माया रोज़ सुबह दौड़ती है", r#""m1","m2""#),
        ])
    });
    let engine = stage.engine.engine.clone();
    let refreshed = engine.refresh_user_model().await.expect("refreshed");
    assert_eq!((refreshed.added, refreshed.held), (1, 2));
    let user_model = &engine.knowing().user_model;
    let page = user_model.page().expect("a page");
    assert_eq!(
        page.insights.iter().map(|insight| insight.statement.as_str()).collect::<Vec<_>>(),
        ["माया रोज़ सुबह दौड़ती है"]
    );
    assert_eq!(page.summary, "", "a portrait of insights alone, and there were none before");
    let block = user_model.context_for("invoices and mails", "personal").await.expect("a block").text;
    assert!(!block.contains("invoices") && !block.contains("trusts"), "{block}");
    let snapshot = stage.setup.store.snapshot().expect("a snapshot");
    let waiting = user_model.waiting(&snapshot, 30).expect("a list");
    assert_eq!(waiting.len(), 2);
    let cited = waiting.iter().find(|item| item.text.contains("invoices")).expect("it waits");
    assert_eq!((cited.from.as_str(), cited.snippet.as_deref()), ("Gmail", Some("what does the mail say")));
    assert_eq!((&cited.session_id, cited.scope.as_deref()), (&Some(marked), None));
    // The person's word is the only way in; with words of their own it is theirs.
    let id = |text: &str| {
        let found = waiting.iter().find(|item| item.text.contains(text)).expect("it waits");
        found.id.as_str().expect("an id as text").to_owned()
    };
    user_model.approve(id("invoices"), Some("Maya checks invoices twice".into())).await.expect("approved");
    user_model.discard(id("trusts")).await.expect("discarded");
    assert_eq!(user_model.discard(id("trusts")).await.expect_err("gone").kind, ErrorKind::NotFound);
    let page = user_model.page().expect("a page");
    let own = page.insights.iter().find(|insight| insight.statement.contains("twice")).expect("taken in");
    assert_eq!((own.status, own.source.as_str()), (InsightStatus::Confirmed, "user"));
}

#[tokio::test(start_paused = true)]
async fn a_refresh_that_fails_reads_its_evidence_again() {
    let mut stage = stage(&[Reply::text("Nice.")]).await;
    stage.knows_maya();
    said(&mut stage, "I run every morning before work").await;
    let engine = stage.engine.engine.clone();
    for garbage in ["Maya seems nice.", "{\"operations\":\"add\"}", "{}"] {
        stage.model(move |_| garbage.into());
        assert!(engine.refresh_user_model().await.is_err(), "{garbage}");
        assert!(insights(&stage).is_empty() && engine.knowing().user_model.page().expect("a page").summary.is_empty());
    }
    stage.model(|_| answer(&[add("Maya runs before work", r#""m1""#)]));
    assert_eq!(engine.refresh_user_model().await.expect("refreshed").added, 1);
}

#[test]
fn a_refresh_cut_off_at_a_write_is_done_once() {
    for at in 0..3 {
        lives(
            &[Reply::text("Nice.")],
            async |stage: &mut Stage| {
                stage.knows_maya();
                said(stage, "I run every morning before work").await;
                stage.model(|_| answer(&[add("Maya runs before work", r#""m1""#)]));
                stage.disk.plan(&vec![Write::Good; at]);
                stage.disk.set(Mood::Dead);
                let refreshed = stage.engine.engine.refresh_user_model().await;
                assert_eq!(refreshed.is_ok(), at > 1, "usage is one write, the insights are the next: cut at {at}");
            },
            async |stage: &mut Stage| {
                stage.model(|_| answer(&[add("Maya runs before work", r#""m1""#)]));
                stage.engine.engine.refresh_user_model().await.expect("refreshed");
                assert_eq!(insights(stage).len(), 1, "cut at {at}");
            },
        );
    }
}

#[tokio::test(start_paused = true)]
async fn rule_232_evidence_goes_with_its_memory_and_an_insight_with_its_last_evidence() {
    let stage = stage(&[]).await;
    stage.knows_maya();
    stage
        .remember(&[fact(1, "Maya runs before work"), fact(2, "माया को चाय पसंद है"), fact(3, "Maya plays chess")])
        .await;
    stage.model(|_| {
        answer(&[
            add("Maya runs before work", r#""f1""#),
            add("Maya has steady mornings", r#""f1","f2""#),
            add("Maya enjoys board games", r#""f3""#),
        ])
    });
    let engine = stage.engine.engine.clone();
    assert_eq!(engine.refresh_user_model().await.expect("refreshed").added, 3);
    let games = insights(&stage).into_iter().find(|insight| insight.statement.contains("games")).expect("there");
    engine.patch_insight(&games.id.to_string(), None, Some("confirmed")).await.expect("confirmed");
    for id in [1, 3] {
        engine.forget_memory(id).await.expect("forgotten");
    }
    let left = insights(&stage);
    let statements: Vec<&str> = left.iter().map(|insight| insight.statement.as_str()).collect();
    assert_eq!(statements, ["Maya has steady mornings", "Maya enjoys board games"], "the confirmed one stays");
    assert_eq!(left[0].evidence.iter().map(|one| one.reference.as_str()).collect::<Vec<_>>(), ["2"]);
    assert!(left[1].evidence.is_empty());
    let stored = format!("{left:?}");
    assert!(!stored.contains("plays chess") && !stored.contains("runs before"), "{stored}");
}

#[tokio::test(start_paused = true)]
async fn a_memory_forgotten_while_the_model_answers_is_evidence_of_nothing() {
    let stage = stage(&[]).await;
    stage.knows_maya();
    stage.remember(&[fact(1, "Maya runs before work")]).await;
    let text = answer(&[add("Maya runs before work", r#""f1""#)]);
    stage.setup.models.push(Reply { slow: true, ..Reply::text(text) });
    let engine = stage.engine.engine.clone();
    let refreshing = engine.refresh_user_model();
    let forgetting = async {
        sleep(Duration::from_secs(2)).await;
        engine.forget_memory(1).await.expect("forgotten");
    };
    let (refreshed, ()) = futures::future::join(refreshing, forgetting).await;
    assert_eq!(refreshed.expect("refreshed").added, 0);
    assert!(insights(&stage).is_empty());
}

#[tokio::test(start_paused = true)]
async fn rule_232_what_goes_with_a_source_is_counted_before_and_goes_then() {
    let stage = stage(&[]).await;
    stage.knows_maya();
    stage.remember(&[fact(1, "Maya runs before work"), fact(2, "Maya likes tea")]).await;
    stage.model(|_| answer(&[add("Maya runs before work", r#""f1""#), add("Maya is a tea drinker", r#""f1","f2""#)]));
    let engine = stage.engine.engine.clone();
    engine.refresh_user_model().await.expect("refreshed");
    let going = Going { facts: BTreeSet::from([1]), ..Going::default() };
    let snapshot = stage.setup.store.snapshot().expect("a snapshot");
    let user_model = &engine.knowing().user_model;
    assert_eq!(user_model.counted(&snapshot, &going).expect("counted"), 1);
    assert_eq!(user_model.forget(going).await.expect("forgotten"), 1);
    assert_eq!(insights(&stage).len(), 1);
}

#[tokio::test(start_paused = true)]
async fn rule_91_a_doubt_becomes_a_question_and_the_answer_a_fact() {
    let stage = stage(&[]).await;
    stage.knows_maya();
    stage.setup.config.send_modify(|config| Arc::make_mut(config).user_model.contradict_step = 0.5);
    let engine = stage.engine.engine.clone();
    let own = engine.add_insight("Maya likes tea".into(), "no such thing").await.expect("added");
    assert_eq!((own.dimension.name(), own.status, own.confidence), ("context", InsightStatus::Confirmed, 1.0));
    stage.remember(&[fact(1, "Maya gave up tea last spring")]).await;
    let contradict = format!(r#"{{"op":"contradict","insight":"i{}","evidence":["f1"]}}"#, own.id);
    stage.model(move |question| match question.contains("New evidence") {
        true => answer(std::slice::from_ref(&contradict)),
        false => r#"{"verdict":"rewrite","statement":"Maya drinks coffee"}"#.into(),
    });
    let refreshed = engine.refresh_user_model().await.expect("refreshed");
    assert_eq!((refreshed.questions, refreshed.updated, refreshed.disputed), (1, 0, 0), "only a question");
    let user_model = &engine.knowing().user_model;
    let page = user_model.page().expect("a page");
    assert_eq!((page.insights[0].confidence, page.questions.len()), (1.0, 1));
    let question = page.questions[0].id.clone();
    assert_eq!(user_model.answer(&question, "  ").await.expect_err("empty").kind, ErrorKind::Invalid);
    let answered = user_model.answer(&question, "these days it is coffee").await.expect("answered");
    let insight = answered.insight.expect("it is there");
    assert_eq!(
        (answered.verdict, insight.statement.as_str(), insight.source.as_str()),
        (Verdict::Rewrite, "Maya drinks coffee", "user")
    );
    until("it is remembered", || stage.facts().iter().any(|fact| fact.source == "user_model")).await;
    assert_eq!(user_model.answer(&question, "yes").await.expect_err("answered").kind, ErrorKind::NotFound);
    assert_eq!(engine.dismiss_question(question).await.expect_err("closed").kind, ErrorKind::NotFound);
}

#[tokio::test(start_paused = true)]
async fn rule_91_enough_turns_start_a_refresh_and_not_more_than_one_a_day() {
    let mut stage = stage(&[]).await;
    stage.knows_maya();
    stage.setup.config.send_modify(|config| Arc::make_mut(config).user_model.refresh_after_turns = 3);
    stage.model(|question| match question.contains("New evidence") {
        true => answer(&[add("Maya runs before work", r#""m1""#)]),
        false => "Nice.".into(),
    });
    for text in ["I run", "every day"] {
        said(&mut stage, text).await;
    }
    sleep(Duration::from_secs(900)).await;
    assert!(stage.questions("New evidence").is_empty(), "two are not enough");
    said(&mut stage, "before work").await;
    sleep(Duration::from_secs(900)).await;
    assert_eq!(stage.questions("New evidence").len(), 1);
    for text in ["one", "two", "three", "four"] {
        said(&mut stage, text).await;
    }
    sleep(Duration::from_secs(3_600)).await;
    assert_eq!(stage.questions("New evidence").len(), 1, "once a day");
    sleep(Duration::from_secs(24 * 3_600)).await;
    assert_eq!(stage.questions("New evidence").len(), 2);
}
