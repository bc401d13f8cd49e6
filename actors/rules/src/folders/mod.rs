//! Folders of the person's own notes and Obsidian vaults (contract section 22): what of them is read, how a file becomes
//! pieces, which pieces answer a question, and which of them go with a message.
//!
//! Nothing here opens a file: names, texts and numbers come in, decisions go out.

mod clipping;
mod cut;
mod excerpt;
mod files;
mod front_matter;
mod ignore;
mod inline;
mod merge;
mod note;
mod path_check;
mod prompt_notes;
mod seen;
mod words;

pub use clipping::{CLIPPING_SOURCE, is_clipping};
pub use cut::{Piece, cut};
pub use excerpt::excerpt;
pub use files::{FileKind, is_hidden, is_hidden_path, link, stem};
pub use front_matter::{FrontMatter, front_matter};
pub use ignore::{IGNORE_CHARS_MAX, IGNORE_MAX, Patterns, vault_ignores};
pub use inline::{readable, tags};
pub use merge::{FOUND_PER_FILE_MAX, Found, MEANING_WINDOW, Standing, WordHit, merge};
pub use note::{CUTTER, CutNote, PIECES_BYTES_MAX, PIECES_PER_FILE_MAX, cut_note};
pub use path_check::{Places, Refused, check_new};
pub use prompt_notes::{Candidate, Choosing, HEADING, PromptNote, block, choose, drew_on};
pub use seen::{ListedFile, Look, Seen, Unfinished, look};
pub use words::{held, meaningful, share};
