//! Texts get their vectors; another model takes over without a gap.

use super::*;
use crate::model_queue::{Acquire, in_line};
use protocol::engine::ModelJob;

#[tokio::test(start_paused = true)]
async fn a_text_is_found_by_meaning_as_soon_as_it_is_stored() {
    let stage = stage("builtin").await;
    let mut batch = Batch::new();
    batch.put(&fact(1, "The dog is called Rex."));
    changed(&mut batch, named(1), "The dog is called Rex.");
    stage.store.commit_now(batch).expect("written");
    assert_eq!(stage.in_space(BUILTIN_SPACE), [1]);
    stage.rest().await;
    assert_eq!((stage.in_space(BUILTIN_SPACE), stage.jobs()), (vec![1], (0, 0)));
    assert!(stage.servers.calls().is_empty(), "nobody was asked");
    let state = stage.embeddings.state();
    assert_eq!((state.searching_by_meaning, state.error, state.model.as_str()), (true, None, "builtin"));
}

#[tokio::test(start_paused = true)]
async fn a_fresh_machine_without_ollama_searches_by_meaning_and_says_so() {
    let stage = stage("ollama/nomic-embed-text").await;
    stage.rest().await;
    assert!(stage.servers.calls().is_empty(), "a home without a memory asks nobody");
    assert_eq!(stage.embeddings.state().error, None);
    stage.save(1, "The tomatoes are ripe in August.");
    stage.save(2, "The car needs new tyres.");
    stage.rest().await;
    assert_eq!(stage.in_space(BUILTIN_SPACE), [1, 2]);
    assert_eq!(stage.answers().await, BUILTIN_SPACE);
    let state = stage.embeddings.state();
    let said = "ollama/nomic-embed-text doesn't answer. Until then the built-in model searches by meaning.";
    assert_eq!((state.error.as_deref(), state.model.as_str()), (Some(said), "builtin"));
    assert_eq!(stage.jobs(), (0, 2), "they wait for Ollama as rows");
}

#[tokio::test(start_paused = true)]
async fn ollama_that_comes_later_takes_over_when_every_text_has_its_vector() {
    let stage = stage("ollama/a").await;
    stage.save_many(70);
    stage.rest().await;
    assert_eq!(stage.answers().await, BUILTIN_SPACE);
    stage.servers.set("ollama/a", Answers::Vectors(4));
    sleep(Duration::from_secs(400)).await; // past the longest pause
    stage.rest().await;
    assert_eq!(stage.in_space("ollama/a@4").len(), 70);
    assert_eq!((stage.answers().await, stage.jobs()), ("ollama/a@4".into(), (0, 0)));
    assert_eq!(stage.embeddings.state().error, None);
    let longest = stage.servers.calls().iter().map(|(_, texts)| texts.len()).max();
    assert_eq!(longest, Some(32), "in batches of 32");
    stage.save(71, "A new memory.");
    stage.rest().await;
    assert_eq!((stage.in_space("ollama/a@4").len(), stage.in_space(BUILTIN_SPACE).len()), (71, 71));
}

#[tokio::test(start_paused = true)]
async fn another_model_is_filled_while_the_one_before_it_answers() {
    let stage = stage("ollama/a").await;
    stage.servers.set("ollama/a", Answers::Vectors(4));
    stage.save_many(100);
    stage.rest().await;
    assert_eq!(stage.answers().await, "ollama/a@4");
    stage.pick("openai/b");
    stage.rest().await;
    assert_eq!(stage.answers().await, "ollama/a@4", "the new one is not there");
    assert!(stage.embeddings.state().error.expect("said").ends_with("Until then ollama/a searches by meaning."));

    stage.servers.set("openai/b", Answers::Vectors(4));
    sleep(Duration::from_secs(400)).await;
    stage.rest().await;
    assert_eq!(stage.answers().await, "openai/b@4");
    assert_eq!(stage.in_space("openai/b@4").len(), 100);
    assert_eq!(stage.spaces(), [BUILTIN_SPACE, "openai/b@4"], "the old vectors are gone");
}

#[tokio::test(start_paused = true)]
async fn in_the_middle_of_a_change_nothing_is_missing() {
    let stage = stage("ollama/a").await;
    stage.servers.set("ollama/a", Answers::Vectors(4));
    stage.save_many(100);
    stage.rest().await;
    stage.servers.set("ollama/b", Answers::Vectors(6));
    stage.pick("ollama/b");
    let mut seen = 0;
    while stage.in_space("ollama/b@6").len() < 100 {
        seen += 1;
        assert!(seen < 2_000, "it is never filled");
        stage.embedder.ask(&outside(), Look).await.expect("it looks");
        let state = stage.embeddings.state();
        let space = stage.answers().await;
        assert_eq!(stage.in_space(&space).len(), 100, "the space that answers has everything: {state:?}");
        if let Some(Progress { done, total }) = state.progress {
            assert!(done <= total && total == 100, "{done} of {total}");
        }
        sleep(Duration::from_millis(1)).await;
    }
    stage.rest().await;
    assert_eq!(stage.answers().await, "ollama/b@6");
    assert_eq!(stage.spaces(), [BUILTIN_SPACE, "ollama/b@6"]);
}

#[tokio::test(start_paused = true)]
async fn back_to_the_builtin_model_leaves_nothing_behind() {
    let stage = stage("ollama/a").await;
    stage.servers.set("ollama/a", Answers::Vectors(4));
    stage.save_many(5);
    stage.rest().await;
    stage.pick("builtin");
    stage.save(6, "One more.");
    stage.rest().await;
    assert_eq!((stage.answers().await.as_str(), stage.jobs()), (BUILTIN_SPACE, (0, 0)));
    assert_eq!((stage.spaces(), stage.in_space(BUILTIN_SPACE).len()), (vec![BUILTIN_SPACE.to_owned()], 6));
}

#[tokio::test(start_paused = true)]
async fn a_restart_goes_on_where_it_was() {
    let first = stage("ollama/a").await;
    first.servers.set("ollama/a", Answers::Vectors(4));
    first.save_many(64);
    let work = first.world.work.clone();
    first.servers.meanwhile("Memory number", move || work.cancel());
    first.embedder.ask(&outside(), Look).await.expect("it looks");
    sleep(Duration::from_millis(50)).await;
    assert_eq!(first.in_space("ollama/a@4").len(), 0, "it ended in the middle of a call");
    let again = stage_on(first.store.clone(), first.servers.clone(), "ollama/a").await;
    again.rest().await;
    assert_eq!((again.in_space("ollama/a@4").len(), again.jobs()), (64, (0, 0)));
    assert_eq!(again.answers().await, "ollama/a@4");
    let third = stage_on(first.store.clone(), Servers::default(), "ollama/a").await;
    third.servers.set("ollama/a", Answers::Vectors(4));
    third.rest().await;
    assert_eq!(third.answers().await, "ollama/a@4", "known from the store");
}

#[tokio::test(start_paused = true)]
async fn memories_of_an_older_home_get_their_vectors() {
    let store = Store::in_memory();
    let mut batch = Batch::new();
    for id in 1..=3 {
        batch.put(&fact(id, "Written before there were vectors."));
    }
    store.commit_now(batch).expect("written");
    let stage = stage_on(store, Servers::default(), "builtin").await;
    stage.rest().await;
    assert_eq!(stage.in_space(BUILTIN_SPACE), [1, 2, 3]);
}

#[tokio::test(start_paused = true)]
async fn a_stop_halts_it_and_a_resume_lets_it_go_on() {
    let stage = stage("ollama/a").await;
    stage.servers.set("ollama/a", Answers::Vectors(4));
    drop(stage.stop.pull("tray", Timestamp(1)));
    stage.save_many(3);
    stage.rest().await;
    assert!(stage.servers.calls().is_empty(), "no model is called");
    assert_eq!((stage.in_space(BUILTIN_SPACE).len(), stage.jobs()), (3, (0, 3)), "what is ours goes on");
    assert!(stage.stop.release(protocol::engine::StopState::default(), stage.stop.stops()));
    stage.rest().await;
    assert_eq!(stage.in_space("ollama/a@4").len(), 3);

    stage.servers.set("ollama/a", Answers::Never);
    stage.save(4, "One more.");
    assert!(stage.embedder.ask(&outside(), Look).await.expect("it looks"), "it hangs in a call");
    sleep(Duration::from_millis(50)).await;
    assert_eq!(stage.stop.pull("tray", Timestamp(2)).cancelled, 1, "which a stop ends");
    sleep(Duration::from_millis(50)).await;
    assert!(!stage.embedder.ask(&outside(), Look).await.expect("it looks"));
}

#[tokio::test(start_paused = true)]
async fn a_search_does_not_wait_for_a_busy_model_and_remembers_its_last_texts() {
    let stage = stage("ollama/a").await;
    stage.servers.set("ollama/a", Answers::Vectors(4));
    stage.save_many(3);
    stage.rest().await;
    assert_eq!(stage.answers().await, "ollama/a@4");
    stage.servers.calls();
    assert_eq!(stage.answers().await, "ollama/a@4");
    assert!(stage.servers.calls().is_empty(), "the same text is not embedded again");
    let chat = Acquire { job: ModelJob::Chat, model: "ollama_chat/m".into() };
    let permit = in_line(&stage.queue, chat).await.expect("the chat has the model");
    let other = stage.embeddings.query("Another question").await.expect("found by meaning");
    assert_eq!(other.space, BUILTIN_SPACE);
    assert_eq!(stage.embeddings.state().error, None, "busy is not broken");
    drop(permit);
    assert_eq!(stage.embeddings.query("Another question").await.expect("found").space, "ollama/a@4");
}

#[tokio::test(start_paused = true)]
async fn texts_are_compared_in_one_space() {
    let stage = stage("ollama/a").await;
    let texts = || vec!["A dog.".to_owned(), "  ".into(), "A cat.".into()];
    for (space, numbers) in [(BUILTIN_SPACE, embedder::DIMENSIONS), ("ollama/a@4", 4)] {
        let embedded = stage.embeddings.texts(texts()).await.expect("made");
        assert_eq!(embedded.space, space);
        let lengths: Vec<Option<usize>> = embedded.vectors.iter().map(|v| v.as_ref().map(|v| v.len())).collect();
        assert_eq!(lengths, [Some(numbers), None, Some(numbers)]);
        stage.servers.set("ollama/a", Answers::Vectors(4));
        stage.save(1, "A memory.");
        stage.rest().await;
    }
    assert!(stage.embeddings.texts(vec![String::new(); TEXTS_MAX + 1]).await.is_err());
    for (text, found) in [("", false), (" \n", false), ("नमस्ते", true), ("नमस्ते Pune", true)]
    {
        assert_eq!(stage.embeddings.query(text).await.is_some(), found, "{text}");
    }
}

#[tokio::test(start_paused = true)]
async fn without_a_model_for_its_script_a_text_is_found_by_its_words() {
    let stage = stage("builtin").await;
    stage.save(1, "माया पुणे में रहती है");
    stage.save(2, "我住在北京");
    stage.save(3, "Maya पुणे में रहती है");
    stage.rest().await;
    assert_eq!((stage.in_space(BUILTIN_SPACE), stage.jobs()), (vec![3], (0, 0)));
    assert_eq!(stage.embeddings.query("माया कहाँ रहती है?").await, None, "words find it");
}
