//! The engine's own sentence model as a provider: it is here, needs no key and no network, and makes vectors only.

use protocol::model::{ModelError, ModelErrorKind, ModelName, is_builtin};

/// Whether it is this provider's model.
pub(super) fn is(model: &ModelName) -> bool {
    is_builtin(model.as_str())
}

/// One vector per text. A text it knows nothing of has none.
pub(super) fn embed(texts: &[String]) -> Result<Vec<Vec<f32>>, ModelError> {
    let vectors: Option<Vec<Vec<f32>>> = texts.iter().map(|text| embedder::vector(text)).collect();
    vectors.ok_or_else(|| {
        let message = "The built-in model knows English only: a text in another script is found by its words.";
        ModelError::new(ModelErrorKind::Unsupported, message)
    })
}

/// What a chat with it is told.
pub(super) fn says_nothing() -> ModelError {
    let message = "The built-in model only makes vectors for memory search. Pick another model in Settings > Models.";
    ModelError::new(ModelErrorKind::Unsupported, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_makes_vectors_and_says_nothing() {
        let vectors = embed(&["A dog.".to_owned(), "A cat.".to_owned()]).expect("English");
        assert!(vectors.iter().all(|vector| vector.len() == embedder::DIMENSIONS));
        assert!(embed(&["नमस्ते".to_owned()]).is_err());
        assert_eq!(says_nothing().kind, ModelErrorKind::Unsupported);
    }
}
