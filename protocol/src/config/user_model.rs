//! `user_model` and `dreaming`: insights about the person, and the nightly tidy-up.

use super::schemas;
use super::section::section;
use crate::model::ModelRole;

section! {
    /// What Sentient works out about you, and how sure it is.
    pub struct UserModel {
        /// Your messages after which the insights are looked at again.
        #[schemars(range(min = 1, max = 500))]
        pub refresh_after_turns: u32 = 12,
        /// Work out insights about you.
        pub enabled: bool = true,
        /// Hours between two looks, at least.
        #[schemars(range(min = 0, max = 720))]
        pub min_refresh_hours: f64 = 24.0,
        /// How much surer an insight gets when something supports it.
        #[schemars(range(min = 0, max = 0.5))]
        pub support_step: f64 = 0.1,
        /// How much less sure it gets when something speaks against it.
        #[schemars(range(min = 0, max = 1))]
        pub contradict_step: f64 = 0.2,
        /// Below this an insight is doubted and you are asked.
        #[schemars(range(min = 0, max = 1))]
        pub dispute_below: f64 = 0.35,
        /// Characters of insights that a model gets with a message.
        #[schemars(range(min = 0, max = 4000))]
        pub context_max_chars: u32 = 600,
        /// How alike an insight must be to the message to be given, from 0 to 1.
        #[schemars(range(min = 0, max = 1))]
        pub context_min_similarity: f64 = 0.7,
        /// Model role that works the insights out.
        #[schemars(schema_with = "schemas::role")]
        pub role: ModelRole = ModelRole::Fast,
        /// How many insights one look may change.
        #[schemars(range(min = 1, max = 50))]
        pub max_operations: u32 = 8,
        /// How many insights of its own there may be.
        #[schemars(range(min = 5, max = 1000))]
        pub max_active_insights: u32 = 80,
        /// How many questions to you may be open.
        #[schemars(range(min = 0, max = 50))]
        pub max_open_questions: u32 = 5,
        /// How many of your messages one look reads.
        #[schemars(range(min = 0, max = 200))]
        pub recent_messages: u32 = 30,
        /// How many new facts one look reads.
        #[schemars(range(min = 0, max = 200))]
        pub recent_facts: u32 = 25,
        /// How many summaries one look reads.
        #[schemars(range(min = 0, max = 50))]
        pub recent_summaries: u32 = 5,
    }
}

/// When the nightly tidy-up starts where `dreaming.time` cannot be read, in minutes after midnight (config.tsv: 03:00).
pub const DREAM_MINUTE_DEFAULT: u16 = 3 * 60;

section! {
    /// The nightly tidy-up of memories.
    pub struct Dreaming {
        /// When the tidy-up may start, as `HH:MM` in your time. What cannot be read counts as 03:00.
        #[schemars(length(max = 20))]
        pub time: String = "03:00".into(),
        /// Tidy up memories at night.
        pub enabled: bool = true,
        /// Minutes nobody must have used Sentient before it starts.
        #[schemars(range(min = 0, max = 1440))]
        pub require_idle_minutes: u32 = 30,
        /// How alike two memories must be to be merged, from 0.5 to 1.
        #[schemars(range(min = 0.5, max = 1))]
        pub merge_similarity: f64 = 0.9,
        /// How many of their words they must share to be merged, from 0 to 1.
        #[schemars(range(min = 0, max = 1))]
        pub merge_min_overlap: f64 = 0.6,
        /// How alike memories must be to be checked for contradictions, from 0 to 1.
        #[schemars(range(min = 0, max = 1))]
        pub contradiction_similarity: f64 = 0.5,
        /// Merge the same memory in two languages.
        pub merge_languages: bool = true,
        /// How alike such memories must be, with an embedding model made for many languages.
        #[schemars(range(min = 0, max = 1))]
        pub language_merge_similarity: f64 = 0.7,
        /// How many model calls one tidy-up may make.
        #[schemars(range(min = 0, max = 500))]
        pub max_model_calls: u32 = 20,
        /// How often a short-term memory must have been used to stay for good.
        #[schemars(range(min = 1, max = 1000))]
        pub promote_min_recalls: u32 = 3,
        /// Model role that does the tidy-up.
        #[schemars(schema_with = "schemas::role")]
        pub role: ModelRole = ModelRole::Fast,
        /// How many of the newest memories are looked at.
        #[schemars(range(min = 10, max = 20_000))]
        pub max_facts: u32 = 500,
        /// Look at the insights about you as well.
        pub refresh_user_model: bool = true,
        /// Tell you when something changed.
        pub notify: bool = true,
    }
}

impl Dreaming {
    /// When the tidy-up may start, in minutes after local midnight; a time that cannot be read counts as 03:00.
    pub fn minute_of_day(&self) -> u16 {
        super::formats::clock(&self.time).unwrap_or(DREAM_MINUTE_DEFAULT)
    }
}
