//! The builtin sentence model: a text in, a vector of length one out, in microseconds, on any computer.
//!
//! Two texts that mean the same point the same way. It is a static model: every piece of a word has a vector, learned
//! once from all-MiniLM-L6-v2, and a text is the sum of its pieces (`assets/models/sentence-en/README.md`). It knows
//! English; a text in another script has no vector, and those who ask go by its words.
//!
//! This crate is pure: no files, no clock, no state. The model is part of the program and is read where it lies, so it
//! costs no start and no memory of its own: the system loads the pages that are looked at, and takes them back.

mod file;
mod normal;
pub mod oracles;
mod pieces;
#[cfg(test)]
mod tests;

pub use file::{Model, ModelError};
pub use pieces::{PIECE_CHARS_MAX, TEXT_PIECES_MAX};

/// The model that is part of the program.
static BUILTIN: &[u8] = include_bytes!("../../assets/models/sentence-en/sentence-en.bin");

/// Numbers of one vector of the builtin model.
pub const DIMENSIONS: usize = 256;

/// The file of the builtin model.
#[cfg(test)]
pub(crate) fn builtin_bytes() -> &'static [u8] {
    BUILTIN
}

/// The builtin model. Costs nothing: its parts are found, not loaded.
pub fn builtin() -> Model<'static> {
    Model::of(BUILTIN).expect("the model that is built in is whole: a test reads all of it")
}

/// The vector of a text by the builtin model, of length one: [`DIMENSIONS`] numbers. `None` when it knows no piece of
/// the text: an empty one, or one in another script.
pub fn vector(text: &str) -> Option<Vec<f32>> {
    builtin().vector(text)
}
