//! `memory`: what is remembered, how it is found and how long it stays.

use super::section::section;

section! {
    /// What is remembered, how it is found and how long it stays.
    pub struct Memory {
        /// How much matching words count beside matching meaning, from 0 to 1.
        #[schemars(range(min = 0, max = 1))]
        pub keyword_weight: f64 = 0.15,
        /// How alike two memories must be to be linked in the graph, from 0 to 1.
        #[schemars(range(min = 0, max = 1))]
        pub graph_link_similarity: f64 = 0.8,
        /// Days an outdated memory is kept. 0: for good.
        #[schemars(range(min = 0, max = 3650))]
        pub keep_superseded_days: u32 = 180,
        /// Days after which a memory nobody reviewed is deleted.
        #[schemars(range(min = 1, max = 365))]
        pub review_expire_days: u32 = 30,
        /// Characters of older conversation read for facts before it is summed up.
        #[schemars(range(min = 500, max = 50_000))]
        pub flush_max_chars: u32 = 6000,
        /// How many facts that reading may save.
        #[schemars(range(min = 0, max = 50))]
        pub flush_max_facts: u32 = 8,
        /// Characters per piece when memories are imported.
        #[schemars(range(min = 500, max = 20_000))]
        pub import_chunk_chars: u32 = 4000,
        /// How many memories a model gets with a message.
        #[schemars(range(min = 0, max = 50))]
        pub facts_top_k: u32 = 8,
        /// How alike a memory must be to be given at all, from 0 to 1.
        #[schemars(range(min = 0, max = 1))]
        pub min_similarity: f64 = 0.35,
        /// From this likeness on, a new fact counts as known and is skipped.
        #[schemars(range(min = 0.5, max = 1))]
        pub duplicate_similarity: f64 = 0.98,
        /// Learn facts from each chat reply.
        pub extract_after_turn: bool = true,
        /// Characters of each workspace file that a model gets.
        #[schemars(range(min = 500))]
        pub workspace_budget_chars: u32 = 6000,
        /// Write summaries of older parts of chats.
        pub summaries_enabled: bool = true,
        /// Minutes a part of a chat must be old before it is summed up.
        #[schemars(range(min = 5))]
        pub summarize_after_minutes: u32 = 60,
        /// Messages per summary.
        #[schemars(range(min = 6))]
        pub summary_chunk_messages: u32 = 30,
        /// Minutes between looks for parts to sum up.
        #[schemars(range(min = 1))]
        pub summarize_interval_minutes: u32 = 5,
        /// Minutes between clean-ups of memories whose time is over.
        #[schemars(range(min = 5))]
        pub purge_interval_minutes: u32 = 60,
        /// Save facts from older messages before they are summed up.
        pub flush_enabled: bool = true,
    }
}
