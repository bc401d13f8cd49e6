//! The wires of language models: what is sent to a provider as JSON, and how its streamed answer becomes typed pieces.
//!
//! Pure: bytes and values in, pieces out. It must never do I/O, never panic on what a provider sent, never present a
//! cut answer as a whole one, and never put a provider's raw words into an error sentence.
//!
//! An adapter posts `request_body(..)`, feeds the response bytes to a decoder in whatever chunks they come, and calls
//! [`AnswerDecoder::end`] once the body is over. When the connection broke, [`AnswerDecoder::is_answered`] says whether
//! the answer was whole all the same (then `end` gives it) or the broken connection is the error to tell.

pub mod anthropic;
mod base64;
mod call_ids;
mod calls;
pub mod dialect;
pub mod lines;
pub mod ollama;
pub mod openai;
#[cfg(test)]
mod replay_tests;
mod reply;
pub mod sse;
mod surrogates;
mod thinking;

pub use call_ids::CallIdRule;

use protocol::model::{ModelError, Piece, Thought};

/// What came out of a few bytes, in the provider's order. An error is always the last one of a stream.
pub type Pieces = Vec<Result<Piece, ModelError>>;

/// Reads one streamed answer. How the bytes are cut into chunks never changes what comes out.
pub trait AnswerDecoder {
    /// Takes the next bytes of the response body. After an error or the end of the answer nothing more comes.
    fn push(&mut self, bytes: &[u8]) -> Pieces;

    /// The body is over. An answer without the provider's end mark becomes an error of kind `Malformed`.
    fn end(&mut self) -> Pieces;

    /// Whether the provider said why its answer ends: a connection that breaks from here on costs nothing, and
    /// [`AnswerDecoder::end`] gives the whole answer.
    fn is_answered(&self) -> bool;

    /// Whether the answer is over (finished or failed): no more bytes need to be read.
    fn is_over(&self) -> bool;
}

/// Bytes a whole answer may hold (text, thinking and arguments together, before decoding). Ours: far above the longest
/// output of any model, low enough that a runaway server cannot fill memory.
pub const ANSWER_BYTES_MAX: usize = 16 * 1024 * 1024;
/// Calls of one answer that are kept. Ours; the turn takes fewer (`protocol::limits::CALLS_PER_ROUND_MAX`).
pub const ANSWER_CALLS_MAX: usize = 256;
/// What stands for a picture that the model cannot see.
const PICTURE_NOT_SEEN: &str = "[A picture was attached here, but this model can't see pictures.]";

/// A model's readable thinking as the one text most wires have for it.
fn joined_thoughts(thinking: &[Thought]) -> String {
    thinking.iter().map(Thought::readable).filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n")
}
