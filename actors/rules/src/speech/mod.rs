//! Plain English as far as rules need it: sentences, clauses, where a verb stands, and which tools its verbs mean.
//!
//! It is a small grammar of requests, not of the language. Where it is unsure it says that nothing was asked for or
//! instructed, so the person is asked once more; it never guesses the other way.

mod actions;
mod clauses;
mod verbs;

pub use actions::{Action, action_of, base_of, is_action, object_words};
pub use clauses::{Clause, has_address, names_phrase, normal, sentence_texts, sentences, stem};
pub use verbs::{Stance, asks_for, stances};
