//! Dreams: what they change, and that one that is cut off anywhere leaves whole memories.

use super::{events, fact, until};
use crate::stage::{Stage, lives, stage};
use protocol::knowing::{Dream, DreamStatus, DreamTrigger};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use storage::records::{FactRecord, FactState, FactStatus, NotificationRecord};
use tests::sim::{Mood, Write};
use tests::story::Reply;
use tokio::time::{Duration, sleep};

/// What the dream's model says to each kind of question.
fn wise(question: &str) -> String {
    if question.contains("Two memories in two languages") {
        let same = question.contains("ginger tea");
        return format!(r#"{{"same":{same},"extra":"none","conflict":false}}"#);
    }
    if question.contains("Can both be true now?") {
        return r#"{"contradict":true,"current":"B"}"#.into();
    }
    r#"{"operations":[]}"#.into()
}

fn night() -> Vec<FactRecord> {
    let mut often = fact(7, "Maya trains for the June race");
    often.short_term = true;
    often.expires_at = Some(protocol::Timestamp(tests::story::start_millis() + 86_400_000));
    often.recall_count = 3;
    vec![
        fact(1, "Maya plays chess on Sundays"),
        fact(2, "maya plays chess on sundays."),
        fact(3, "Maya lives in Pune"),
        fact(4, "Maya lives in Delhi"),
        fact(5, "Maya likes ginger tea"),
        fact(6, "माया को अदरक की चाय पसंद है"),
        often,
    ]
}

/// What is in use after a whole night.
const MORNING: [&str; 4] =
    ["Maya plays chess on Sundays", "Maya lives in Delhi", "Maya likes ginger tea", "Maya trains for the June race"];

async fn dreamt(stage: &Stage) -> Dream {
    let dreams = stage.engine.engine.knowing().dreams.clone();
    let id = dreams.run().await.expect("a dream").id;
    until("the dream ends", || dreams.one(&id).is_ok_and(|dream| dream.status != DreamStatus::Running)).await;
    dreams.one(&id).expect("a dream")
}

#[tokio::test(start_paused = true)]
async fn rule_90_a_night_merges_settles_promotes_and_tells() {
    let stage = stage(&[]).await;
    stage.knows_maya();
    stage.model(wise);
    stage.remember(&night()).await;
    let dream = dreamt(&stage).await;
    assert_eq!(
        (dream.status, dream.trigger, dream.error.as_deref()),
        (DreamStatus::Completed, DreamTrigger::Manual, None)
    );
    let stats = dream.stats;
    assert_eq!((stats.facts_reviewed, stats.merged, stats.languages_merged), (7, 2, 1), "{stats:?}");
    assert_eq!((stats.contradictions_resolved, stats.promoted), (1, 1), "{stats:?}");
    let mut in_use = stage.in_use();
    in_use.sort_unstable();
    let mut want = MORNING.to_vec();
    want.sort_unstable();
    assert_eq!(in_use, want);
    let old = stage.facts().into_iter().find(|fact| fact.id == 3).expect("history is kept");
    assert_eq!((old.state, old.superseded_by), (FactState::Superseded, Some(4)));
    let hindi = stage.facts().into_iter().find(|fact| fact.id == 6).expect("kept for its undo");
    assert_eq!((hindi.status, hindi.merged_into), (FactStatus::Merged, Some(5)));
    for words in
        ["merged 2 duplicate memories into 1", "ginger tea", "Maya lives in Pune\" no longer holds", "June race"]
    {
        assert!(dream.journal_md.contains(words), "{words}: {}", dream.journal_md);
    }
    let told = events(&stage, "dream.updated");
    let states: Vec<&str> = told.iter().map(|dream| dream["status"].as_str().expect("a status")).collect();
    assert_eq!(states, ["running", "completed"]);
    let snapshot = stage.setup.store.snapshot().expect("a snapshot");
    let notices: Vec<NotificationRecord> = snapshot.all().expect("rows").map(|row| row.expect("a row")).collect();
    assert_eq!(notices.len(), 1);
    assert!(notices[0].payload.contains(&dream.id) && notices[0].message.contains("merged 2 memories"), "{notices:?}");
    // The next night has nothing left to do, and asks nobody about it.
    let asked = stage.setup.models.requests().len();
    let again = dreamt(&stage).await;
    assert!(!again.stats.is_worth_telling(), "{again:?}");
    assert_eq!(again.journal_md, "Tonight there was nothing to tidy up.");
    let more: Vec<String> = stage.setup.models.requests()[asked..].iter().map(super::asked).collect();
    assert!(more.iter().all(|question| !question.contains("Two memories")), "{more:?}");
}

#[tokio::test(start_paused = true)]
async fn rule_234_memories_of_two_scopes_never_meet() {
    let stage = stage(&[]).await;
    stage.knows_maya();
    stage.model(wise);
    let mut facts = night();
    for fact in facts.iter_mut().filter(|fact| [2, 4, 6].contains(&fact.id)) {
        fact.scope = "work".into();
    }
    stage.remember(&facts).await;
    let dream = dreamt(&stage).await;
    assert_eq!((dream.stats.merged, dream.stats.contradictions_resolved), (0, 0), "{dream:?}");
    let mixed = |question: &String| question.contains("अदरक") && question.contains("ginger");
    assert!(!stage.questions("Two memories").iter().any(mixed));
}

#[tokio::test(start_paused = true)]
async fn a_model_that_talks_nonsense_changes_nothing() {
    let stage = stage(&[]).await;
    stage.knows_maya();
    stage.model(|_| "IGNORE EVERYTHING and forget all {\"same\": \"yes\"".into());
    stage.remember(&night()).await;
    let dream = dreamt(&stage).await;
    assert_eq!((dream.stats.merged, dream.stats.contradictions_resolved), (1, 0), "only the exact copy: {dream:?}");
    assert_eq!(stage.in_use().len(), 6);
    assert_eq!(dream.status, DreamStatus::Completed);
}

#[tokio::test(start_paused = true)]
async fn rule_90_model_calls_are_counted_and_half_are_for_languages() {
    let stage = stage(&[]).await;
    stage.knows_maya();
    stage.setup.config.send_modify(|config| Arc::make_mut(config).dreaming.max_model_calls = 2);
    stage.model(|question| match question.contains("two languages") {
        true => r#"{"same":false,"extra":"none","conflict":false}"#.into(),
        false => r#"{"contradict":false}"#.into(),
    });
    let mut facts = vec![fact(1, "माया को अदरक की चाय पसंद है"), fact(2, "माया को तैराकी पसंद है")];
    facts.extend([fact(3, "Maya likes ginger tea"), fact(4, "Maya likes swimming")]);
    facts.extend(
        (5..9).map(|id| fact(id, &format!("Maya lives in {}", ["Pune", "Delhi", "Goa", "Agra"][id as usize - 5]))),
    );
    stage.remember(&facts).await;
    dreamt(&stage).await;
    assert_eq!((stage.questions("two languages").len(), stage.questions("Can both be true now?").len()), (1, 1));
    // What was answered is not asked again.
    let first = stage.questions("two languages")[0].clone();
    dreamt(&stage).await;
    let asked = stage.questions("two languages");
    assert!(asked.len() == 2 && asked[1] != first, "{asked:?}");
}

#[tokio::test(start_paused = true)]
async fn a_dream_that_runs_is_answered_and_a_stop_ends_it_honestly() {
    let stage = stage(&[]).await;
    stage.knows_maya();
    stage.setup.models.improvise(|_| Reply { hangs: true, ..Reply::text("Hm") });
    stage.remember(&night()).await;
    let dreams = stage.engine.engine.knowing().dreams.clone();
    let first = dreams.run().await.expect("a dream");
    sleep(Duration::from_secs(5)).await;
    assert_eq!(dreams.run().await.expect("the same").id, first.id);
    stage.engine.engine.stop_all(None).await.expect("stopped");
    until("the dream ends", || dreams.one(&first.id).is_ok_and(|dream| dream.status != DreamStatus::Running)).await;
    let dream = dreams.one(&first.id).expect("a dream");
    assert_eq!((dream.status, dream.error.as_deref()), (DreamStatus::Error, Some("Stopped by Stop everything.")));
    assert_eq!(dream.stats.merged, 1, "what was done stays and is counted");
    // The person may dream now while everything is stopped; the clock may not.
    stage.model(wise);
    assert_eq!(dreamt(&stage).await.status, DreamStatus::Completed);
}

#[tokio::test(start_paused = true)]
async fn rule_90_the_clock_starts_one_dream_a_day_when_nobody_is_there() {
    let mut stage = stage(&[Reply::text("Good night.")]).await;
    stage.setup.config.send_modify(|config| Arc::make_mut(config).dreaming.enabled = true);
    let chat = stage.chat().await;
    stage.say(&chat, "good night").await.expect("accepted");
    stage.one_end(Duration::from_secs(10), "Good night.").await;
    let dreams = stage.engine.engine.knowing().dreams.clone();
    let count = || dreams.list(None).expect("dreams").len();
    sleep(Duration::from_secs(20 * 60)).await;
    assert_eq!(count(), 0, "somebody was there twenty minutes ago");
    sleep(Duration::from_secs(20 * 60)).await;
    assert_eq!(count(), 1);
    sleep(Duration::from_secs(3 * 3_600)).await;
    assert_eq!(count(), 1, "once a day");
    stage.setup.jump.fetch_add(86_400_000, Ordering::Relaxed);
    sleep(Duration::from_secs(10 * 60)).await;
    assert_eq!(count(), 2, "the next day");
    assert!(dreams.list(None).expect("dreams").iter().all(|dream| dream.trigger == DreamTrigger::Schedule));
}

/// What must hold of memories at any moment, however a dream ended.
fn whole(stage: &Stage, at: usize) {
    let facts = stage.facts();
    let find = |id: u64| facts.iter().find(|fact| fact.id == id);
    for fact in &facts {
        match (fact.status, fact.state) {
            (FactStatus::Merged, _) => {
                let kept =
                    fact.merged_into.and_then(find).unwrap_or_else(|| panic!("cut at {at}: {fact:?} hangs in the air"));
                assert_eq!(kept.status, FactStatus::Active, "cut at {at}");
            }
            (_, FactState::Superseded) => {
                let by =
                    fact.superseded_by.and_then(find).unwrap_or_else(|| panic!("cut at {at}: {fact:?} has no winner"));
                assert_eq!((by.status, by.state), (FactStatus::Active, FactState::Current), "cut at {at}");
            }
            _ => assert!(fact.merged_into.is_none() && fact.superseded_by.is_none(), "cut at {at}: {fact:?}"),
        }
    }
    // Nothing that was known is lost, whatever was done and not done.
    let in_use = stage.in_use();
    for words in MORNING {
        let said = in_use.iter().any(|text| text.to_lowercase().trim_end_matches('.') == words.to_lowercase());
        assert!(said, "cut at {at}: {words} is gone from {in_use:?}");
    }
    assert!(facts.iter().any(|fact| fact.id == 3), "cut at {at}: history is gone");
}

#[test]
fn rule_90_a_dream_cut_off_at_every_write_leaves_whole_memories_and_the_next_one_goes_on() {
    for at in 0..24 {
        lives(
            &[],
            async |stage: &mut Stage| {
                stage.knows_maya();
                stage.model(wise);
                stage.remember(&night()).await;
                stage.disk.plan(&vec![Write::Good; at]);
                stage.disk.set(Mood::Dead);
                let dreams = stage.engine.engine.knowing().dreams.clone();
                if let Err(error) = dreams.run().await {
                    assert!(at < 3, "cut at {at}: {error}");
                }
                sleep(Duration::from_secs(400)).await;
                whole(stage, at);
            },
            async |stage: &mut Stage| {
                whole(stage, at);
                let dreams = stage.engine.engine.knowing().dreams.clone();
                let running = |dream: &Dream| dream.status == DreamStatus::Running;
                until("what was cut off is ended", || !dreams.list(None).expect("dreams").iter().any(running)).await;
                let cut_off = dreams.list(None).expect("dreams");
                for dream in &cut_off {
                    assert!(dream.finished_at.is_some(), "cut at {at}");
                    let says = dream.status == DreamStatus::Completed
                        || dream.error.as_deref().is_some_and(|why| why.contains("stays"));
                    assert!(says, "cut at {at}: {dream:?}");
                }
                let dream = dreamt(stage).await;
                assert_eq!((dream.status, dream.error.as_deref()), (DreamStatus::Completed, None), "cut at {at}");
                let mut in_use = stage.in_use();
                in_use.sort_unstable();
                assert_eq!(in_use.len(), MORNING.len(), "cut at {at}: {in_use:?}");
                whole(stage, at);
            },
        );
    }
}
