//! Where memories are kept, and that nothing crosses over.

use super::{Scene, said};
use actors::memory::NewFact;
use protocol::ErrorKind;
use protocol::memory::SaveAction::{Add, Skip, Update};
use protocol::memory_requests::{MemoryPatch, MemoryQuery};
use serde_json::json;

fn kept_in(scope: &str, content: &str, message: &str) -> NewFact {
    NewFact { scope: scope.into(), ..said(content, message) }
}

#[tokio::test(start_paused = true)]
async fn rule_83_saves_and_duplicates_stay_in_their_scope_and_in_what_is_shared() {
    let scene = Scene::new().await;
    let save = async |scope, content, message| {
        let saved = scene.save(kept_in(scope, content, message)).await.expect("saved");
        (saved.action, saved.id)
    };
    assert_eq!(save("work", "Maya lives in Pune", "m1").await, (Add, 1));
    assert_eq!(save("personal", "Maya lives in Pune", "m2").await, (Add, 2), "another scope does not count");
    assert_eq!(save("Kestrel launch", "Maya moved to Bengaluru", "m3").await, (Add, 3), "nor is it corrected");
    assert_eq!(save("always", "Maya is called Em", "m4").await, (Add, 4));
    assert_eq!(save("WORK", "maya is called em", "m5").await, (Skip, 4), "what is shared is seen from everywhere");
    assert_eq!(save("work", "Maya moved to Delhi", "m6").await, (Update, 1));
    let contents: Vec<String> = scene.remembered().await;
    assert_eq!(contents[..3], ["Maya moved to Delhi", "Maya lives in Pune", "Maya moved to Bengaluru"]);
}

#[tokio::test(start_paused = true)]
async fn memories_move_and_scopes_are_listed_and_reset() {
    let scene = Scene::new().await;
    scene.type_in("Maya lives in Pune").await;
    scene.save(kept_in("work", "Maya leads Kestrel", "m1")).await.expect("saved");
    let engine = &scene.engine.engine;
    let to = |scope: &str| MemoryPatch { scope: Some(scope.into()), state: None };
    assert_eq!(engine.patch_memory(1, to(" ")).await.expect_err("empty").kind, ErrorKind::Invalid);
    assert_eq!(engine.patch_memory(9, to("work")).await.expect_err("gone").kind, ErrorKind::NotFound);
    let nothing = engine.patch_memory(1, MemoryPatch::default()).await.expect_err("nothing to do");
    assert_eq!(nothing.kind, ErrorKind::Invalid);
    let moved = engine.patch_memory(1, to("Kestrel launch")).await.expect("moved");
    assert_eq!(moved.scope, "Kestrel launch");
    let told = scene.last_told();
    assert_eq!(
        (&told["reason"], &told["scope"], &told["previous_scope"]),
        (&json!("moved"), &json!("Kestrel launch"), &json!("personal"))
    );
    let rows = engine.memory_scopes().await.expect("scopes");
    let rows: Vec<(&str, usize)> = rows.iter().map(|row| (row.name.as_str(), row.count)).collect();
    assert_eq!(rows, [("always", 0), ("personal", 0), ("work", 1), ("Kestrel launch", 1)]);
    let of_work = scene.listed(MemoryQuery { scope: Some("Work".into()), ..MemoryQuery::default() }).await;
    assert_eq!(of_work.len(), 1);
    assert_eq!(engine.reset_memory_scope("Kestrel launch".into()).await.expect("reset").deleted, 1);
    let told = scene.last_told();
    assert_eq!((&told["id"], &told["reason"], &told["count"]), (&json!(null), &json!("scope_reset"), &json!(1)));
    assert_eq!(scene.remembered().await, ["Maya leads Kestrel"]);
    assert_eq!(engine.reset_memory_scope("Kestrel launch".into()).await.expect("reset").deleted, 0);
}
