//! Vectors and their text go together.

use super::*;
use crate::records::SearchedChange;

fn fact(id: u64) -> Searched {
    Searched::new(SearchedKind::Fact, id)
}

fn write(store: &Store, space: &str, searched: Searched) {
    let mut batch = Batch::new();
    put(&mut batch, &record(space, searched, "a text", &[3.0, 4.0]).expect("has a direction"));
    store.commit_now(batch).expect("written");
}

#[test]
fn a_vector_has_length_one_or_is_none() {
    assert_eq!(unit(&[3.0, 4.0]), Some(vec![0.6, 0.8]));
    for (name, vector) in [
        ("empty", vec![]),
        ("zero", vec![0.0; 3]),
        ("not a number", vec![1.0, f32::NAN]),
        ("infinite", vec![f32::INFINITY, 1.0]),
        ("too long", vec![1.0; DIMENSIONS_MAX + 1]),
    ] {
        assert_eq!(unit(&vector), None, "{name}");
    }
}

#[test]
fn forgetting_a_text_takes_all_its_vectors_and_jobs() {
    let store = Store::in_memory();
    for searched in [fact(1), fact(2), Searched::new(SearchedKind::Summary, 1)] {
        for space in ["builtin", "ollama/x"] {
            write(&store, space, searched);
        }
    }
    let mut batch = Batch::new();
    batch.put(&EmbedJob::of(fact(1)));
    store.commit_now(batch).expect("written");
    let mut batch = Batch::new();
    forget(&mut batch, fact(1));
    store.commit_now(batch).expect("written");

    let snapshot = store.snapshot().expect("reads");
    assert_eq!(snapshot.prefix::<VectorRecord>(&fact(1)).expect("reads").count(), 0);
    assert_eq!(snapshot.count::<VectorRecord>(), Ok(4), "nobody else's");
    assert_eq!(snapshot.count::<EmbedJob>(), Ok(0));
    let told: Vec<Change> =
        snapshot.all::<SearchedChange>().expect("reads").map(|row| row.expect("reads").change).collect();
    assert_eq!(told[6..], [Change::NoVectors(fact(1)), Change::Text(fact(1))], "the index hears of it");
}

#[test]
fn a_changed_text_waits_for_a_new_vector() {
    let store = Store::in_memory();
    write(&store, "builtin", fact(1));
    let mut batch = Batch::new();
    changed(&mut batch, fact(1));
    store.commit_now(batch).expect("written");
    let snapshot = store.snapshot().expect("reads");
    assert_eq!(of(&snapshot, "builtin", fact(1)), Ok(None));
    assert_eq!(snapshot.get::<EmbedJob>(&fact(1)), Ok(Some(EmbedJob::of(fact(1)))));
}

#[test]
fn a_space_goes_step_by_step_and_the_other_stays() {
    let store = Store::in_memory();
    let texts = FORGET_STEP as u64 + 3;
    for kind in [SearchedKind::Fact, SearchedKind::Insight] {
        for space in ["new", "old"] {
            let mut batch = Batch::new();
            for id in 0..texts {
                put(&mut batch, &record(space, Searched::new(kind, id), "a", &[1.0]).expect("a vector"));
            }
            store.commit_now(batch).expect("written");
        }
    }
    let mut at = None;
    let mut steps = 0;
    loop {
        at = forget_space(&store, "old", at).expect("deletes");
        steps += 1;
        if at.is_none() {
            break;
        }
    }
    assert!(steps >= 4, "{steps} steps");
    let snapshot = store.snapshot().expect("reads");
    for kind in [SearchedKind::Fact, SearchedKind::Insight] {
        assert_eq!(all(&snapshot, "old", kind).expect("reads").count(), 0);
        assert_eq!(all(&snapshot, "new", kind).expect("reads").count() as u64, texts);
        assert_eq!(spaces(&snapshot, kind), Ok(vec!["new".to_owned()]));
    }
}

#[test]
fn the_hash_of_a_text_is_stored_so_it_never_changes() {
    for (text, want) in [("", 0xcbf2_9ce4_8422_2325), ("a", 0xaf63_dc4c_8601_ec8c), ("foobar", 0x8594_4171_f739_67e8)] {
        assert_eq!(text_hash(text), want, "{text}");
    }
}
