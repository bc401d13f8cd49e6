//! What a turn may do with what Sentient knows about the person: read it, add to it (contract section 10, "Turns without
//! memory"; section 2, "Incognito chats").
//!
//! Decided once per turn. Everything the turn starts copies the answer: helpers, the reader, scripts. So it holds for them
//! too when a setting changes meanwhile, and nothing that was started without memory ever gets it.

/// Tools that read memory or history. Without memory they are neither offered nor run, however they are called.
pub const READING_TOOLS: [&str; 7] = [
    "memory_recall",
    "memory_search_by_source",
    "memory_search_history",
    "history_semantic_search",
    "history_time_search",
    "user_model_ask",
    "memory_forget",
];
/// Tools that keep something for later chats. An incognito chat leaves nothing behind, not even for review.
pub const LEARNING_TOOLS: [&str; 2] = ["memory_remember", "skill_save"];

/// What a turn may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MemoryAccess {
    pub reads: bool,
    pub learns: bool,
}

impl Default for MemoryAccess {
    /// An ordinary chat's.
    fn default() -> Self {
        Self { reads: true, learns: true }
    }
}

/// What decides about a turn's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TurnFacts {
    pub incognito: bool,
    /// `chat.incognito_uses_memory`.
    pub incognito_uses_memory: bool,
    /// The turn came in through `/v1`.
    pub from_api: bool,
    /// `openai_api.allow_memory`.
    pub api_allows_memory: bool,
}

impl MemoryAccess {
    /// The turn's one memory decision.
    pub fn of_turn(facts: TurnFacts) -> Self {
        let hidden = (facts.incognito && !facts.incognito_uses_memory) || (facts.from_api && !facts.api_allows_memory);
        Self { reads: !hidden, learns: !facts.incognito }
    }

    /// Whether a tool is kept from this turn.
    pub fn withholds(self, tool: &str) -> bool {
        (!self.reads && READING_TOOLS.contains(&tool)) || (!self.learns && LEARNING_TOOLS.contains(&tool))
    }

    /// The tools kept from this turn, to be left out of what it is offered.
    pub fn withheld(self) -> impl Iterator<Item = &'static str> {
        READING_TOOLS.into_iter().chain(LEARNING_TOOLS).filter(move |tool| self.withholds(tool))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_with_and_without_memory() {
        let chat =
            TurnFacts { incognito: false, incognito_uses_memory: false, from_api: false, api_allows_memory: false };
        let (incognito, api) = (TurnFacts { incognito: true, ..chat }, TurnFacts { from_api: true, ..chat });
        for (name, facts, reads, learns) in [
            ("an ordinary chat", chat, true, true),
            ("incognito without memory", incognito, false, false),
            ("incognito with memory", TurnFacts { incognito_uses_memory: true, ..incognito }, true, false),
            ("another app", api, false, true),
            ("another app that may", TurnFacts { api_allows_memory: true, ..api }, true, true),
            (
                "another app in an incognito chat",
                TurnFacts { incognito: true, api_allows_memory: true, ..api },
                false,
                false,
            ),
        ] {
            let access = MemoryAccess::of_turn(facts);
            assert_eq!((access.reads, access.learns), (reads, learns), "{name}");
            assert_eq!(access.withholds("memory_recall"), !reads, "{name}");
            assert_eq!(access.withholds("skill_save"), !learns, "{name}");
            assert!(!access.withholds("web_search"), "{name}");
            let withheld = if reads { 0 } else { 7 } + if learns { 0 } else { 2 };
            assert_eq!(access.withheld().count(), withheld, "{name}");
        }
    }
}
