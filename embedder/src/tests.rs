//! The builtin model against what made it: pieces as the published tokenizer cuts them, vectors as they were before they
//! were stored in eight bits a number, and the order in which all-MiniLM-L6-v2 itself finds sentences alike.

use crate::{builtin, oracles, vector};
use proptest::prelude::*;
use serde_json::Value;

fn checks() -> Value {
    serde_json::from_str(include_str!("../../assets/models/sentence-en/checks.json")).expect("a list of checks")
}

fn rows<'a>(checks: &'a Value, name: &str) -> &'a Vec<Value> {
    checks[name].as_array().expect("a list")
}

fn cosine(one: &[f32], other: &[f32]) -> f32 {
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f32>();
    dot(one, other) / (dot(one, one) * dot(other, other)).sqrt()
}

fn likeness(one: &str, other: &str) -> f32 {
    cosine(&vector(one).expect("English"), &vector(other).expect("English"))
}

#[test]
fn texts_are_cut_as_the_models_own_tokenizer_cuts_them() {
    let (checks, model) = (checks(), builtin());
    let rows = rows(&checks, "pieces");
    assert!(rows.len() > 80);
    for row in rows {
        let text = row["text"].as_str().expect("a text");
        let want: Vec<u64> = row["ids"].as_array().expect("ids").iter().map(|id| id.as_u64().expect("an id")).collect();
        let got: Vec<u64> = model.cut(text).into_iter().map(u64::from).collect();
        assert_eq!(got, want, "{text:?}");
    }
}

#[test]
fn vectors_are_those_before_they_were_made_small() {
    let checks = checks();
    for row in rows(&checks, "vectors") {
        let text = row["text"].as_str().expect("a text");
        #[expect(clippy::cast_possible_truncation, reason = "numbers below one")]
        let want: Vec<f32> =
            row["vector"].as_array().expect("numbers").iter().map(|n| n.as_f64().expect("a number") as f32).collect();
        let cosine = cosine(&vector(text).expect("English"), &want);
        assert!(cosine > 0.999, "{text}: {cosine}");
    }
}

/// Spearman's rank correlation.
fn rank_correlation(one: &[f64], other: &[f64]) -> f64 {
    let ranks = |values: &[f64]| -> Vec<f64> {
        values.iter().map(|value| values.iter().filter(|other| *other < value).count()).map(as_f64).collect()
    };
    let (one, other) = (ranks(one), ranks(other));
    let n = as_f64(one.len());
    let squares: f64 = one.iter().zip(&other).map(|(a, b)| (a - b).powi(2)).sum();
    1.0 - 6.0 * squares / (n * (n * n - 1.0))
}

fn as_f64(count: usize) -> f64 {
    f64::from(u32::try_from(count).expect("a short list"))
}

#[test]
fn it_finds_alike_what_the_model_it_was_learned_from_finds_alike() {
    let checks = checks();
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for row in rows(&checks, "pairs") {
        let text = |name: &str| row[name].as_str().expect("a text");
        ours.push(f64::from(likeness(text("one"), text("other"))));
        theirs.push(row["minilm"].as_f64().expect("a number"));
    }
    let correlation = rank_correlation(&ours, &theirs);
    assert!(ours.len() >= 30 && correlation > 0.75, "{correlation} over {} pairs", ours.len());
}

#[test]
fn what_means_the_same_is_nearer_than_what_does_not() {
    for (text, near, far) in [
        ("Where does Maya live?", "Maya moved to a flat in Pune.", "The car needs new tyres."),
        ("What pets do they have?", "The dog is called Rex.", "The invoice is due on Friday."),
        ("doctor's appointment", "I see the physician on Monday.", "We painted the fence green."),
        ("food she cannot eat", "She is allergic to peanuts.", "She drives to work."),
    ] {
        let (near, far) = (likeness(text, near), likeness(text, far));
        assert!(near > far + 0.05, "{text}: {near} and {far}");
    }
}

#[test]
fn a_text_it_knows_nothing_of_has_no_vector() {
    for text in [
        "",
        " \n\t",
        "\u{200b}\u{0}",
        "माया पुणे में रहती है?",
        "我住在北京。",
        "私は東京",
        "أنا",
        "Москва",
        "[]🙂 ... -- !?",
    ] {
        assert_eq!(vector(text), None, "{text:?}");
    }
    assert!(vector("Maya पुणे में रहती है").is_some(), "its Latin words have one");
}

#[test]
fn long_texts_are_bounded() {
    let long = "word ".repeat(100_000);
    assert_eq!(builtin().cut(&long).len(), crate::TEXT_PIECES_MAX);
    oracles::check_text(&"x".repeat(1_000_000));
    oracles::check_text(&"é\u{301}".repeat(100_000));
}

#[test]
fn what_the_fuzzer_found_holds() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus/sentence");
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).expect("a corpus") {
        let bytes = std::fs::read(entry.expect("an entry").path()).expect("a file");
        oracles::check_file(&bytes);
        oracles::check_text(&String::from_utf8_lossy(&bytes));
        seen += 1;
    }
    assert!(seen > 4, "{seen} files");
}

proptest! {
    #[test]
    fn any_text(text in "\\PC{0,80}|[a-zA-Z0-9 .,'\\-]{0,120}") {
        oracles::check_text(&text);
    }

    #[test]
    fn any_characters(letters in proptest::collection::vec(any::<char>(), 0..60)) {
        oracles::check_text(&letters.into_iter().collect::<String>());
    }

    #[test]
    fn capitals_and_order_say_nothing(words in proptest::collection::vec("[a-z]{1,9}", 1..8)) {
        let text = words.join(" ");
        let turned: Vec<&str> = words.iter().rev().map(String::as_str).collect();
        let cosine = cosine(&vector(&text).expect("English"), &vector(&turned.join(" ").to_uppercase()).expect("English"));
        prop_assert!(cosine > 0.9999, "{}", cosine);
    }

    #[test]
    fn any_bytes_are_a_model_or_not(at in 0..60_usize, byte in any::<u8>(), length in 0..4_000_usize) {
        let mut bytes = crate::builtin_bytes()[..length.max(60)].to_vec();
        bytes[at] = byte;
        oracles::check_file(&bytes);
    }
}
