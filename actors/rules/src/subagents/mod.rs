//! Helpers a chat starts: what they are told, what ends them and how that is said (contract section 10, "Subagents").
//!
//! A helper reads what others wrote and nobody watches it, so it never gets what its chat does not have: its mark, its
//! hosts and its memory decision come from the turn that starts it, and it asks nobody anything.

mod ends;
mod prompt;

pub use ends::{SpendLimits, Spent, cut_off, repeated, used_up};
pub use prompt::{Brief, first_message, system};

/// Plugins whose tools a helper never has: it starts no helpers and does not speak.
pub const WITHHELD_PLUGINS: [&str; 2] = ["subagents", "voice"];
/// Characters of a goal. Ours.
pub const GOAL_CHARS_MAX: usize = 8_000;
/// Characters of the context a chat gives along. Ours.
pub const CONTEXT_CHARS_MAX: usize = 24_000;
/// Characters of a helper's answer that its chat gets. Ours: the chat cuts its results itself, this is what is kept.
pub const SUMMARY_CHARS_MAX: usize = 16_000;
/// Helpers one call of `delegate_tasks` may start. Ours: they wait for a place, at most `subagents.max_concurrent` work.
pub const TASKS_MAX: usize = 16;

/// Whether a helper may be offered a tool: `wanted` are the tools its chat named, `None` for all.
pub fn is_offered(name: &str, plugin: &str, wanted: Option<&[String]>) -> bool {
    !WITHHELD_PLUGINS.contains(&plugin)
        && wanted.is_none_or(|wanted| wanted.iter().any(|entry| entry == name || entry == plugin))
}

/// A text of at most so many characters, and whether something was left out.
pub fn cut(text: &str, chars_max: usize) -> (String, bool) {
    let mut chars = text.chars();
    let kept: String = chars.by_ref().take(chars_max).collect();
    (kept, chars.next().is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_helper_is_offered() {
        let wanted = ["web_search".to_owned(), "files".to_owned()];
        for (name, plugin, wanted, want) in [
            ("web_search", "internet_search", None, true),
            ("delegate_task", "subagents", None, false),
            ("read_with_reader", "subagents", None, false),
            ("speak", "voice", None, false),
            ("web_search", "internet_search", Some(&wanted[..]), true),
            ("file_read", "files", Some(&wanted), true),
            ("weather_current", "weather", Some(&wanted), false),
            ("delegate_task", "subagents", Some(&["subagents".to_owned()]), false),
        ] {
            assert_eq!(is_offered(name, plugin, wanted), want, "{name} {wanted:?}");
        }
    }

    #[test]
    fn texts_are_cut_between_characters() {
        assert_eq!(cut("नमस्ते", 3), ("नमस".into(), true));
        assert_eq!(cut("नम", 3), ("नम".into(), false));
    }
}
