//! `scripted/fails`: begins to answer and breaks off, as a real model does when its server goes away.

use protocol::model::{ModelCall, ModelError, ModelErrorKind, Piece};

/// What comes before the end that never comes.
pub(super) fn begun(call: &ModelCall) -> Vec<Piece> {
    vec![
        Piece::ContextLength(call.context_length),
        Piece::Thinking("This will not end well, and that is what I am for.".to_owned()),
        Piece::Text("Half a sentence, and th".to_owned()),
    ]
}

pub(super) fn error() -> ModelError {
    let message = "This model broke off in the middle of its answer; it always does. Try again, or pick another model in \
                   Settings > Models.";
    ModelError::new(ModelErrorKind::Malformed, message)
}
