//! Servers that answer what they should not: searches go on, the person is told, and nothing is lost.

use super::*;

#[tokio::test(start_paused = true)]
async fn whatever_a_server_answers_the_builtin_model_searches_until_it_is_right() {
    let ones = |many: usize, length: usize| vec![vec![1.0; length]; many];
    for (name, answers, said) in [
        ("it fails", Answers::Fails(ModelErrorKind::Unreachable), "doesn't answer"),
        ("it fails on everything", Answers::Fails(ModelErrorKind::Other), "doesn't answer"),
        ("its key is wrong", Answers::Fails(ModelErrorKind::KeyRejected), "doesn't answer"),
        ("fewer vectors", Answers::These(Vec::new()), "answered with 0 vectors for 1 texts"),
        ("more vectors", Answers::These(ones(99, 4)), "answered with 99 vectors for 1 texts"),
        ("not a number", Answers::These(vec![vec![f32::NAN; 4]]), "vectors that are not numbers"),
        ("infinite", Answers::These(vec![vec![f32::INFINITY; 4]]), "vectors that are not numbers"),
        ("zeros", Answers::These(vec![vec![0.0; 4]]), "answered with empty vectors"),
        ("nothing in them", Answers::These(vec![Vec::new()]), "vectors of different lengths"),
        ("it hangs", Answers::Never, "took longer than 90 seconds"),
    ] {
        let stage = stage("openai/a").await;
        stage.servers.set("openai/a", answers);
        stage.save_many(3);
        for _ in 0..20 {
            stage.embedder.ask(&outside(), Look).await.expect("it looks");
            sleep(Duration::from_secs(10)).await;
        }
        let state = stage.embeddings.state();
        let error = state.error.unwrap_or_default();
        assert!(error.contains(said) && error.ends_with("the built-in model searches by meaning."), "{name}: {error}");
        assert_eq!(stage.answers().await, BUILTIN_SPACE, "{name}");
        assert_eq!((stage.in_space(BUILTIN_SPACE).len(), stage.jobs()), (3, (0, 3)), "{name}");
        let calls = stage.servers.calls().len();
        assert!((1..=8).contains(&calls), "{name}: {calls} calls in 200 seconds");

        stage.servers.set("openai/a", Answers::Vectors(4));
        sleep(Duration::from_secs(400)).await;
        stage.rest().await;
        assert_eq!((stage.answers().await.as_str(), stage.jobs()), ("openai/a@4", (0, 0)), "{name}");
        assert_eq!(stage.embeddings.state().error, None, "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_model_that_goes_away_is_noticed_by_the_search_and_comes_back_by_itself() {
    let stage = stage("openai/a").await;
    stage.servers.set("openai/a", Answers::Vectors(4));
    stage.save_many(3);
    stage.rest().await;
    assert_eq!(stage.answers().await, "openai/a@4");
    stage.servers.set("openai/a", Answers::Fails(ModelErrorKind::Unreachable));
    let found = stage.embeddings.query("Who waters the plants?").await.expect("found by meaning");
    assert_eq!(found.space, BUILTIN_SPACE);
    assert!(stage.embeddings.state().error.is_some());
    stage.servers.calls();
    assert!(stage.embeddings.query("And when?").await.is_some());
    assert!(stage.servers.calls().is_empty(), "it is left alone for a moment");
    for id in 10..60 {
        stage.save(id, &format!("Saved while it was away, number {id}."));
    }
    stage.rest().await;
    stage.servers.set("openai/a", Answers::Vectors(4));
    sleep(Duration::from_secs(6)).await;
    stage.rest().await;
    assert_eq!((stage.in_space("openai/a@4").len(), stage.answers().await.as_str()), (53, "openai/a@4"));
}

#[tokio::test(start_paused = true)]
async fn other_dimensions_under_the_same_name_are_another_space() {
    for by_search in [false, true] {
        let stage = stage("openai/a").await;
        stage.servers.set("openai/a", Answers::Vectors(4));
        stage.save_many(40);
        stage.rest().await;
        stage.servers.set("openai/a", Answers::Vectors(6));
        if by_search {
            assert_eq!(stage.answers().await, BUILTIN_SPACE, "never compared with vectors of another length");
        } else {
            stage.save(41, "A new memory.");
        }
        stage.rest().await;
        assert_eq!(stage.answers().await, "openai/a@6", "by search: {by_search}");
        assert_eq!(stage.in_space("openai/a@6").len(), stage.in_space(BUILTIN_SPACE).len());
        assert_eq!(stage.spaces(), [BUILTIN_SPACE, "openai/a@6"]);
    }
}

#[tokio::test(start_paused = true)]
async fn one_text_that_cannot_be_read_holds_up_no_other() {
    let stage = stage("openai/a").await;
    stage.servers.set("openai/a", Answers::CannotRead("poison"));
    stage.save_many(40);
    stage.save(41, "This one is poison.");
    stage.rest().await;
    assert_eq!((stage.in_space("openai/a@3").len(), stage.jobs()), (40, (0, 0)));
    assert_eq!((stage.answers().await.as_str(), stage.embeddings.state().error), ("openai/a@3", None));
}

#[tokio::test(start_paused = true)]
async fn what_is_forgotten_or_changed_while_its_vector_is_made_leaves_none_of_the_old_words() {
    let stage = stage("openai/a").await;
    stage.save(1, "A secret.");
    stage.save(2, "The old words.");
    stage.rest().await;
    stage.servers.set("openai/a", Answers::Vectors(4));
    let store = stage.store.clone();
    stage.servers.meanwhile("A secret.", move || {
        forget(&store, 1);
        write(&store, 2, "The new words.");
    });
    sleep(Duration::from_secs(10)).await; // past the pause: it asks by itself
    stage.rest().await;
    assert_eq!(stage.in_space("openai/a@4"), [2]);
    let snapshot = stage.store.snapshot().expect("read");
    for space in [BUILTIN_SPACE, "openai/a@4"] {
        let row = vectors::of(&snapshot, space, named(2)).expect("read").expect("there");
        assert_eq!(row.text_hash, vectors::text_hash("The new words."), "{space}");
        assert_eq!(vectors::of(&snapshot, space, named(1)).expect("read"), None, "{space}");
    }
    assert_eq!(stage.jobs(), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn local_only_and_the_budget_are_kept_to() {
    let stage = stage("openai/a").await;
    stage.servers.set("openai/a", Answers::Vectors(4));
    let mut config = with_model("openai/a");
    config.models.local_only = true;
    stage.config.send_replace(Arc::new(config));
    stage.save(1, "A memory.");
    stage.rest().await;
    assert!(stage.servers.calls().is_empty(), "nothing leaves the computer");
    assert!(stage.embeddings.state().error.expect("said").contains("Local only is on"));
    assert_eq!(stage.answers().await, BUILTIN_SPACE);
}
