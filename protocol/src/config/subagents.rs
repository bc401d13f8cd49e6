//! `subagents`: helpers that a chat starts for part of its work.

use super::section::{choice, section};
use crate::model::ModelRole;

choice! {
    /// The model role helpers use.
    pub enum SubagentRole { Executor, Primary, Fast, }
}

impl SubagentRole {
    /// The same as a model role.
    pub fn model_role(self) -> ModelRole {
        match self {
            Self::Executor => ModelRole::Executor,
            Self::Primary => ModelRole::Primary,
            Self::Fast => ModelRole::Fast,
        }
    }
}

section! {
    /// Helpers that a chat starts for part of its work.
    pub struct Subagents {
        /// Which model role helpers use.
        pub role: SubagentRole = SubagentRole::Executor,
        /// Let chats start helpers.
        pub enabled: bool = true,
        /// How many helpers may run at once.
        #[schemars(range(min = 1, max = 16))]
        pub max_concurrent: u32 = 3,
        /// How many steps a helper may take.
        #[schemars(range(min = 1, max = 200))]
        pub max_rounds: u32 = 24,
        /// How many minutes a helper may take.
        #[schemars(range(min = 1))]
        pub timeout_minutes: u32 = 20,
        /// How many tokens of a cloud model a helper may use. 0: no limit.
        #[schemars(range(min = 0))]
        pub max_tokens: u64 = 1_000_000,
        /// What a helper may cost in US dollars, where the price is known. 0: no limit.
        #[schemars(range(min = 0))]
        pub max_cost_usd: f64 = 2.0,
    }
}
