//! Forgetting: the memory and everything made of it, at once or as soon as it can be, and nothing of it stays behind.

use super::{Scene, from_gmail, said};
use protocol::ErrorKind;
use protocol::memory::SourceRef;
use protocol::memory_requests::{ExportFormat, MemoryQuery, NewMemory};
use serde_json::json;
use storage::records::{
    EventRecord, FactChipRecord, FactCleanupRecord, FactRecord, FactSaveRecord, MessageRecord, MetaRecord,
    NotificationRecord,
};
use storage::{Record, Snapshot, Store};
use tests::story::Reply;

/// A word nobody says by chance.
const SECRET: &str = "zanzibarquux";

/// Every row of one table as text.
fn text_of<R: Record + std::fmt::Debug>(snapshot: &Snapshot) -> String {
    snapshot.all::<R>().expect("a table").map(|row| format!("{:?}\n", row.expect("a row"))).collect()
}

/// The tables that could hold words of a memory.
fn tables(store: &Store) -> String {
    let snapshot = store.snapshot().expect("a snapshot");
    [
        text_of::<FactRecord>(&snapshot),
        text_of::<FactCleanupRecord>(&snapshot),
        text_of::<FactSaveRecord>(&snapshot),
        text_of::<FactChipRecord>(&snapshot),
        text_of::<EventRecord>(&snapshot),
        text_of::<MetaRecord>(&snapshot),
        text_of::<NotificationRecord>(&snapshot),
        text_of::<storage::records::EmbedJob>(&snapshot),
        text_of::<storage::records::VectorRecord>(&snapshot),
        text_of::<storage::records::SearchedChange>(&snapshot),
        text_of::<storage::records::ForgetRecord>(&snapshot),
    ]
    .concat()
}

#[tokio::test(start_paused = true)]
async fn rule_232_nothing_of_a_forgotten_memory_is_left_in_any_table_or_in_the_log() {
    let scene = Scene::new().await;
    scene.type_in(&format!("Maya keeps her key at {SECRET}")).await;
    let engine = &scene.engine.engine;
    engine.edit_memory(1, &format!("Maya keeps her spare key at {SECRET}")).await.expect("edited");
    engine.edit_memory(1, &format!("Maya hides her spare key at {SECRET}")).await.expect("edited");
    assert!(tables(&scene.setup.store).contains(SECRET), "it is there before");
    let deleted = engine.forget_memory(1).await.expect("forgotten");
    assert!(deleted.deleted && !deleted.cleanup_pending);
    let left = tables(&scene.setup.store);
    assert!(!left.contains(SECRET), "{}", left.lines().filter(|line| line.contains(SECRET)).collect::<String>());
    assert_eq!(scene.told().len(), 4, "the lines of the log stay with their numbers");
    let found = scene.listed(MemoryQuery { q: Some(SECRET.into()), ..MemoryQuery::default() }).await;
    assert!(found.is_empty());
    assert_eq!(engine.forget_memory(1).await.expect_err("gone").kind, ErrorKind::NotFound);
    assert_eq!(engine.memory(1).await.expect_err("gone").kind, ErrorKind::NotFound);
}

#[tokio::test(start_paused = true)]
async fn rule_232_the_chips_of_replies_go_and_the_replies_stay() {
    let scene = Scene::new().await;
    scene.type_in("Maya lives in Pune").await;
    scene.type_in("Maya works at Acme").await;
    let call = |name: &str, arguments: &str| Reply { calls: vec![(name.into(), arguments.into())], ..Reply::default() };
    scene.setup.models.push(call("memory_recall", r#"{"query":"Maya lives works Pune Acme"}"#));
    scene.model("In Pune, at Acme.");
    let chat = scene.engine.engine.open_chat(None, Default::default()).await.expect("a chat");
    let mut lines = scene.engine.engine.live.subscribe_chat(&chat.session_id);
    let message = actors::chats::requests::NewMessage {
        text: "where am I?".into(),
        channel: "desktop".into(),
        ..Default::default()
    };
    chat.send(message).await.expect("sent");
    super::done(&mut lines).await;
    let named = || {
        let snapshot = scene.setup.store.snapshot().expect("a snapshot");
        let rows = snapshot.prefix::<MessageRecord>(&chat.session_id).expect("rows");
        let last = rows.map(|row| row.expect("a row")).last().expect("a reply");
        (last.content, last.memory_sources)
    };
    let (said, sources) = named();
    assert!(sources.contains("Pune") && sources.contains("Acme"), "{sources}");
    scene.engine.engine.forget_memory(1).await.expect("forgotten");
    let (still, sources) = named();
    assert_eq!(said, still);
    assert!(!sources.contains("Pune") && sources.contains("Acme"), "{sources}");
}

#[tokio::test(start_paused = true)]
async fn a_memory_takes_its_copies_with_it() {
    let scene = Scene::new().await;
    scene.type_in("Maya likes tea").await;
    scene.hear(&format!("माया को {SECRET} पसंद है"), "m1").await;
    let fold = actors::memory::FoldLanguage { keep: 1, fold: 2 };
    let patience = runtime::Outside::within(tokio::time::Duration::from_secs(30));
    scene.engine.engine.memory_handle().memory.ask(&patience, fold).await.expect("folded");
    scene.engine.engine.forget_memory(1).await.expect("forgotten");
    assert!(scene.row(2).is_none());
    assert!(!tables(&scene.setup.store).contains(SECRET));
}

#[tokio::test(start_paused = true)]
async fn forgetting_a_source_spares_what_another_one_backs() {
    let scene = Scene::new().await;
    let from = |content: &str, source: &str, message: &str| actors::memory::NewFact {
        source: source.into(),
        ..said(content, message)
    };
    scene.save(from("Maya lives in Pune", "channel:telegram", "m1")).await.expect("saved");
    scene.save(from("Maya likes tea", "channel:telegram", "m2")).await.expect("saved");
    scene.save(from("Maya likes tea", "conversation", "m3")).await.expect("saved");
    scene.save(from("Maya works at Acme", "conversation", "m4")).await.expect("saved");
    scene.save(from_gmail("Maya flies on 5 May")).await.expect("held");
    let engine = &scene.engine.engine;
    let preview = engine.forget_preview("channel:telegram".into()).await.expect("a preview");
    assert_eq!((preview.memories, preview.shared, preview.item_noun.as_str()), (1, 1, "items"));
    assert_eq!(engine.forget_preview("manual".into()).await.expect_err("not an app").kind, ErrorKind::Invalid);
    assert_eq!(engine.forget_preview("app:gmail".into()).await.expect("a preview").item_noun, "emails");
    let forgot = engine.forget_memory_source("channel:telegram".into()).await.expect("forgotten");
    assert_eq!((forgot.deleted, forgot.unlinked), (1, 1));
    assert_eq!(scene.remembered().await, ["Maya likes tea", "Maya works at Acme"]);
    let tea = scene.listed(MemoryQuery { q: Some("tea".into()), ..MemoryQuery::default() }).await.remove(0);
    assert_eq!(tea.source, "conversation", "the next source becomes its own");
    assert!(matches!(tea.reference, Some(SourceRef::Message { message_id: Some(id), .. }) if id.0 == "m3"));
    let told = scene.last_told();
    assert_eq!((&told["reason"], &told["count"], &told["unlinked"]), (&json!("forgotten"), &json!(1), &json!(1)));
    assert_eq!(engine.forget_memory_source("app:gmail".into()).await.expect("held ones go too").deleted, 1);
    assert_eq!(engine.forget_memory_source(" ".into()).await.expect_err("no source").kind, ErrorKind::Invalid);
}

#[tokio::test(start_paused = true)]
async fn disconnecting_an_app_forgets_its_chats_and_says_so() {
    let scene = Scene::new().await;
    let engine = &scene.engine.engine;
    let new = actors::chats::requests::NewChat { channel: "telegram".into(), ..Default::default() };
    let chat = engine.create_chat(new).await.expect("a chat");
    let open = engine.open_chat(Some(chat.clone()), Default::default()).await.expect("open");
    scene.model("Hello.");
    let mut lines = engine.live.subscribe_chat(&chat);
    let message =
        actors::chats::requests::NewMessage { text: "hi".into(), channel: "telegram".into(), ..Default::default() };
    open.send(message).await.expect("sent");
    super::done(&mut lines).await;
    let fact = actors::memory::NewFact { source: "channel:telegram".into(), ..said("Maya lives in Pune", "m1") };
    scene.save(fact).await.expect("saved");
    let preview = engine.forget_preview("channel:telegram".into()).await.expect("a preview");
    let counts = engine.forget_learned("channel:telegram".into()).await.expect("forgotten");
    assert_eq!(counts, preview, "what was said is what went");
    assert_eq!((counts.memories, counts.chats, counts.messages), (1, 1, 2));
    assert!(engine.sessions(10).await.expect("chats").is_empty() && scene.remembered().await.is_empty());
    let told = scene.last_told();
    assert_eq!((&told["label"], &told["counts"]["chats"]), (&json!("Telegram"), &json!(1)));
    assert!(told["counts"].get("source").is_none(), "{told}");
}

#[tokio::test(start_paused = true)]
async fn an_export_holds_everything_and_overwrites_nothing() {
    let scene = Scene::new().await;
    scene.type_in("Maya lives in Pune").await;
    scene.save(from_gmail("Maya flies on 5 May")).await.expect("held");
    let engine = &scene.engine.engine;
    let first = engine.export_memories(ExportFormat::Markdown).await.expect("written");
    let second = engine.export_memories(ExportFormat::Markdown).await.expect("written");
    assert_ne!(first.path, second.path);
    assert_eq!((first.memories, first.about_you, first.waiting), (1, 0, 1));
    assert!(first.name.starts_with("sentient-memory-20261010-") && first.name.ends_with(".md"), "{}", first.name);
    let text = std::fs::read_to_string(&first.path).expect("a file");
    assert!(text.contains("- Maya lives in Pune (typed by you, 10 Oct 2026)"), "{text}");
    assert!(text.contains("## Waiting for review\n\n- Maya flies on 5 May (Gmail, 10 Oct 2026)"), "{text}");
    let database = engine.export_memories(ExportFormat::Sqlite).await.expect("written");
    let bytes = std::fs::read(&database.path).expect("a file");
    assert!(bytes.starts_with(b"SQLite format 3\0") && database.name.ends_with(".db"));
    let new = NewMemory { content: "Maya likes tea".into(), ..NewMemory::default() };
    drop(engine.remember(new).await.expect("an export locks nothing"));
}
