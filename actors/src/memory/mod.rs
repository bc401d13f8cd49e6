//! What is remembered (contract section 7).

mod recall;

pub use recall::{Finder, Recall, RecallAsk, RecalledFact, weighing};
