//! What the Memory role is asked. Each request is handled in one file beside this one; saving goes through
//! [`MemoryHandle::save`](super::MemoryHandle::save), since it may ask a model, which no actor waits for.

use super::decided::Decided;
use protocol::Request;
use protocol::memory::{ChangeReason, MemoryState, ReviewNote, Saved, SourceRef};
use rules::memory::Analysis;
use storage::records::{FactRecord, FactSource};

/// Something to remember.
#[derive(Clone, Debug, PartialEq)]
pub struct NewFact {
    /// One fact, in the third person with the person's name.
    pub content: String,
    /// Where it was learned: `conversation`, `channel:<id>`, `file:<name>`, `manual`…
    pub source: String,
    /// Exactly where it was said.
    pub reference: Option<SourceRef>,
    /// Where it is kept: `personal`, `work`, `always` or a project's name.
    pub scope: String,
    pub origin: SaveOrigin,
    /// Set: it waits for review, unless the person's own words back all of it ([`NewFact::said`]).
    pub hold: Option<ReviewNote>,
    /// How sure it is; `None`: what its source says (contract section 7, "confidence").
    pub confidence: Option<f64>,
    /// What the person themself typed or said in this turn; empty for what they did not say.
    pub said: Vec<String>,
    /// Further places that say the same.
    pub linked: Vec<FactSource>,
}

impl NewFact {
    /// A fact of the `personal` scope, not held, with nothing else known about it.
    pub fn new(content: impl Into<String>, source: impl Into<String>, origin: SaveOrigin) -> Self {
        Self {
            content: content.into(),
            source: source.into(),
            reference: None,
            scope: protocol::memory::SCOPE_PERSONAL.to_owned(),
            origin,
            hold: None,
            confidence: None,
            said: Vec::new(),
            linked: Vec::new(),
        }
    }
}

/// Who wants something remembered. Facts out of chats are looked at for standing instructions (contract section 7,
/// "Instructions"); what the person typed, onboarding and imports are not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SaveOrigin {
    /// The person, in Memory.
    Typed,
    /// Learned from a chat: after a turn, or before it was compressed.
    Chat,
    /// A model's `memory_remember` call.
    Tool,
    Onboarding,
    /// A document, or another assistant's memories.
    Import,
    /// A program behind `sentient mcp`.
    App,
    /// The engine itself: a task's result, a note the person keeps.
    Engine,
}

/// A save whose outcome was judged; the role judges again when its memories have changed meanwhile.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Commit {
    pub(super) new: NewFact,
    pub(super) decided: Decided,
}

/// What a [`Commit`] came to.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kept {
    Saved(Saved),
    /// What it was judged by is not there any more, or has other words: judge again.
    Changed,
}

impl Request for Commit {
    type Reply = Kept;
    const NAME: &'static str = "memory.commit";
}

macro_rules! requests {
    ($($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $of:ty),* $(,)? } -> $reply:ty, $wire:literal;)+) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name {
            $($(#[$field_doc])* pub $field: $of,)*
        }

        impl Request for $name {
            type Reply = $reply;
            const NAME: &'static str = $wire;
        }
    )+};
}

requests! {
    /// Gives a memory other words, by the person: its topics and how long it holds are `analysis`, or what code can tell.
    /// The old words are kept in `previous_content`. `NotFound` when it is gone.
    Edit { id: u64, content: String, analysis: Option<Analysis> } -> FactRecord, "memory.edit";
    /// Moves a memory to another scope. `Invalid` for an empty one, `NotFound` when it is gone.
    Move { id: u64, scope: String } -> FactRecord, "memory.move";
    /// The person says that a memory is not right (`Disputed`), or is (`Current`). `Invalid` for `Superseded`.
    Judge { id: u64, state: MemoryState } -> FactRecord, "memory.judge";
    /// Forgets a memory with everything derived from it. `NotFound` when it is gone, `Unavailable` when nothing was done.
    Forget { id: u64, reason: Option<ChangeReason> } -> Forgot, "memory.forget";
    /// Forgets what was learned from a source; what another source backs too only loses this one.
    ForgetSource { source: String } -> ForgotSource, "memory.forget_source";
    /// Forgets every memory of one scope, also those that wait for review. Answers how many.
    ResetScope { scope: String } -> usize, "memory.reset_scope";
    /// Counts memories that were recalled into a prompt or by `memory_recall`.
    Recalled { ids: Vec<u64> } -> (), "memory.recalled";
    /// Takes a held memory in, in other words when there are some. `NotFound` when it does not wait.
    Approve { id: u64, content: Option<String> } -> (), "memory.approve";
    /// Deletes a held memory. `NotFound` when it does not wait.
    Discard { id: u64 } -> (), "memory.discard";
    /// Takes in every held memory with this `from`. Answers how many.
    ApproveFrom { from: String } -> usize, "memory.approve_from";
    /// The nightly tidy-up says that several memories say the same: `keep` gets `content` (its own words when `None`) and
    /// the sources of `fold`, which are deleted without the cascade.
    Merge { keep: u64, fold: Vec<u64>, content: Option<String> } -> FactRecord, "memory.merge";
    /// A newer memory contradicts an older one, which is kept as history.
    Supersede { old: u64, by: u64 } -> FactRecord, "memory.supersede";
    /// A short-term memory that is recalled often becomes a lasting one.
    Promote { id: u64 } -> FactRecord, "memory.promote";
    /// `fold` says the same as `keep` in another language: it becomes `merged`, and its sources are linked to `keep`.
    FoldLanguage { keep: u64, fold: u64 } -> FactRecord, "memory.fold_language";
    /// Takes a [`FoldLanguage`] back; the pair is never folded again (meta `memory.kept_apart`).
    Unmerge { id: u64 } -> FactRecord, "memory.unmerge";
    /// What the clock does: what has run out goes, and what could not be cleaned up is tried again.
    Upkeep {} -> (), "memory.upkeep";
}

/// What a [`Forget`] came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Forgot {
    /// It is gone; some of what came from it waits to be cleaned up.
    pub cleanup_pending: bool,
}

/// What a [`ForgetSource`] came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ForgotSource {
    pub deleted: usize,
    /// Kept, since another source backs them.
    pub unlinked: usize,
    pub cleanup_pending: bool,
}
