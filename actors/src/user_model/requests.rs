//! What the role is asked. Each request is handled in one file beside this one.

use super::evidence::Marks;
use protocol::Request;
use protocol::knowing::{Dimension, InsightStatus, Refreshed};
use rules::user_model::{Answer, Changes, Material};
use storage::records::InsightRecord;

macro_rules! requests {
    ($($(#[$doc:meta])* $vis:vis $name:ident { $($(#[$field_doc:meta])* $field:ident: $of:ty),* $(,)? } -> $reply:ty, $wire:literal;)+) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq)]
        $vis struct $name {
            $($(#[$field_doc])* pub $field: $of,)*
        }

        impl Request for $name {
            type Reply = $reply;
            const NAME: &'static str = $wire;
        }
    )+};
}

requests! {
    /// The person adds an insight: source `user`, confirmed. `Invalid` without a statement.
    pub AddInsight { statement: String, dimension: Dimension } -> InsightRecord, "user_model.add";
    /// The person rewords an insight, or says how it stands. `NotFound` when it is gone.
    pub PatchInsight { id: u64, statement: Option<String>, status: Option<InsightStatus> } -> InsightRecord, "user_model.patch";
    /// Deletes an insight with its questions. `NotFound` when it is gone.
    pub DeleteInsight { id: u64 } -> (), "user_model.delete";
    /// The person does not want to answer. `NotFound` when the question is not open.
    pub DismissQuestion { id: String } -> (), "user_model.dismiss";
    /// What the person answered. `None`: the insight is gone. `NotFound` when the question is not open.
    pub(super) Settle { question: String, answer: Answer } -> Option<InsightRecord>, "user_model.settle";
    /// What a refresh came to, with how far it read.
    pub(super) Apply { changes: Changes, material: Vec<Material>, portrait: Option<String>, marks: Marks } -> Refreshed, "user_model.apply";
    /// Takes a held insight in; in the person's words when there are some.
    pub(super) ApproveInsight { id: u64, content: Option<String> } -> (), "user_model.approve";
    /// Deletes a held insight.
    pub(super) DiscardInsight { id: u64 } -> (), "user_model.discard";
    /// Takes in every held insight with this `from`. Answers how many.
    pub(super) ApproveInsightsFrom { from: String } -> usize, "user_model.approve_from";
    /// Deletes held insights that nobody reviewed in time. Answers how many.
    pub(crate) ExpireInsights {} -> usize, "user_model.expire";
    /// Takes evidence away that goes with a source. Answers how many insights went with it.
    pub(super) ForgetEvidence { going: crate::memory::Going } -> usize, "user_model.forget";
}
