//! `skills` and `evolution`: how-tos the assistant keeps, and how it improves them.

use super::section::section;

section! {
    /// How-tos the assistant keeps.
    pub struct Skills {
        /// A new skill waits for your review. Changed ones always do.
        pub write_approval: bool = true,
        /// More folders to read skills from.
        #[schemars(inner(length(min = 1)))]
        pub extra_dirs: Vec<String> = Vec::new(),
    }
}

section! {
    /// How the assistant improves its skills and its notes about you.
    pub struct Evolution {
        /// Hours between two repairs of one skill.
        #[schemars(range(min = 0, max = 168))]
        pub repair_cooldown_hours: u32 = 6,
        /// Repair skills that failed.
        pub skill_repair: bool = true,
        /// Look for new skills after chats and task runs.
        pub review_enabled: bool = true,
        /// Minutes a chat must be idle before that look.
        #[schemars(range(min = 1))]
        pub review_idle_minutes: u32 = 10,
        /// How many tool calls make a chat worth that look.
        #[schemars(range(min = 1))]
        pub min_tool_calls_for_review: u32 = 3,
        /// Tidy up the skills from time to time.
        pub curator_enabled: bool = true,
        /// Hours between those clean-ups.
        #[schemars(range(min = 1))]
        pub curator_interval_hours: u32 = 168,
        /// Days after which an unused skill counts as stale.
        #[schemars(range(min = 1))]
        pub stale_after_days: u32 = 14,
        /// Days after which a stale skill is put away.
        #[schemars(range(min = 1))]
        pub archive_after_days: u32 = 30,
        /// Suggest merging skills that are nearly the same.
        pub curator_merge_suggestions: bool = true,
        /// Keep the notes about you (USER.md, MEMORY.md) up to date.
        pub user_profile_updates: bool = true,
        /// Hours between updates of those notes.
        #[schemars(range(min = 1))]
        pub profile_update_hours: u32 = 24,
    }
}
