//! What must hold for any text and any bytes, for property tests and the fuzz target. Panics when it does not.

use crate::{Model, TEXT_PIECES_MAX, builtin};

/// How far the length of a vector may be from one.
const LENGTH_SLACK: f32 = 1e-4;

/// Any text: the same pieces and the same vector every time, known pieces only, length one or nothing.
///
/// # Panics
/// When that does not hold.
pub fn check_text(text: &str) {
    let model = builtin();
    let pieces = model.cut(text);
    assert!(pieces.len() <= TEXT_PIECES_MAX);
    assert!(pieces.iter().all(|piece| model.letters(*piece).is_some()));
    let vector = model.vector(text);
    assert_eq!(vector, model.vector(text));
    if let Some(vector) = vector {
        assert!(!pieces.is_empty() && vector.len() == model.dimensions());
        let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
        assert!((length - 1.0).abs() < LENGTH_SLACK, "{length}");
    }
    assert_eq!(model.cut(&format!(" {text}\n")), pieces, "space around a text says nothing");
}

/// Any bytes as a model: refused, or read without a panic.
///
/// # Panics
/// When a vector of it is not of length one.
pub fn check_file(bytes: &[u8]) {
    let Ok(model) = Model::of(bytes) else { return };
    if let Some(vector) = model.vector("A sentence, ##with 2 pieces. \u{915}") {
        let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
        assert!((length - 1.0).abs() < LENGTH_SLACK, "{length}");
    }
}
