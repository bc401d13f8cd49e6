//! Scopes of memories: which name means which, and what a chat of one reads (contract section 7, "Memory scopes").
//!
//! A scope never leaks: what is read is the chat's own scope and `always`, and nothing else, however names are written.

use protocol::memory::{SCOPE_ALWAYS, SCOPE_CHARS_MAX, SCOPE_PERSONAL, SCOPE_WORK};

/// Why a name is no scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScopeError {
    Empty,
    TooLong,
    /// `always` is for memories; a chat, a task or an app cannot have it.
    AlwaysIsForMemories,
}

impl std::fmt::Display for ScopeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Empty => f.write_str("Give the scope a name: personal, work, always or a project's own name."),
            Self::TooLong => write!(f, "A project's name can have at most {SCOPE_CHARS_MAX} characters."),
            Self::AlwaysIsForMemories => {
                f.write_str("\"always\" is for memories that every chat reads. Pick personal, work or a project.")
            }
        }
    }
}

/// The scope a name means for a memory: `Work` and `PERSONAL` are the built-in ones, a project keeps its own spelling.
pub fn parse(name: &str) -> Result<String, ScopeError> {
    let visible = crate::look_alike::visible(name);
    let name = visible.split_whitespace().collect::<Vec<_>>().join(" ");
    let built_in =
        [SCOPE_ALWAYS, SCOPE_PERSONAL, SCOPE_WORK].into_iter().find(|scope| name.eq_ignore_ascii_case(scope));
    match built_in {
        Some(scope) => Ok(scope.to_owned()),
        None if name.is_empty() => Err(ScopeError::Empty),
        None if name.chars().count() > SCOPE_CHARS_MAX => Err(ScopeError::TooLong),
        None => Ok(name),
    }
}

/// The scope a name means for a chat, a task or a messaging app, none of which can be `always`.
pub fn parse_for_run(name: &str) -> Result<String, ScopeError> {
    let scope = parse(name)?;
    if scope == SCOPE_ALWAYS { Err(ScopeError::AlwaysIsForMemories) } else { Ok(scope) }
}

/// The scope of a run: its own, else its messaging app's, else personal. What is no scope counts as not given.
pub fn of_run(own: Option<&str>, app: Option<&str>) -> String {
    [own, app]
        .into_iter()
        .flatten()
        .find_map(|name| parse_for_run(name).ok())
        .unwrap_or_else(|| SCOPE_PERSONAL.to_owned())
}

/// What a run of a scope reads: that scope and `always`.
pub fn readable(scope: &str) -> Vec<String> {
    let own = parse(scope).unwrap_or_else(|_| SCOPE_PERSONAL.to_owned());
    if own == SCOPE_ALWAYS { vec![own] } else { vec![own, SCOPE_ALWAYS.to_owned()] }
}

/// Whether a run of a scope may read a memory of another.
pub fn reads(run: &str, memory: &str) -> bool {
    parse(memory).is_ok_and(|memory| readable(run).contains(&memory))
}

/// Whether a chat of this scope gets the personal files: MEMORY.md, the daily notes and what was learned about the person.
pub fn reads_personal_files(scope: &str) -> bool {
    parse(scope).is_ok_and(|scope| scope == SCOPE_PERSONAL)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn rule_83_names_of_scopes() {
        for (name, want) in [
            ("Work", Ok("work")),
            (" PERSONAL ", Ok("personal")),
            ("Always", Ok("always")),
            ("Kestrel  launch", Ok("Kestrel launch")),
            ("केस्ट्रल लॉन्च", Ok("केस्ट्रल लॉन्च")),
            ("", Err(ScopeError::Empty)),
            (" \u{200b} ", Err(ScopeError::Empty)),
            (&"x".repeat(40), Ok(&"x".repeat(40) as &str)),
            (&"x".repeat(41), Err(ScopeError::TooLong)),
        ] {
            assert_eq!(parse(name), want.map(str::to_owned), "{name}");
        }
        assert_eq!(parse_for_run("ALWAYS"), Err(ScopeError::AlwaysIsForMemories));
        assert_eq!(of_run(None, Some("work")), "work");
        assert_eq!(of_run(Some("Kestrel"), Some("work")), "Kestrel");
        assert_eq!(of_run(Some("always"), None), "personal");
    }

    #[test]
    fn rule_234_a_chat_reads_its_scope_and_always() {
        for (run, memory, want) in [
            ("work", "work", true),
            ("work", "always", true),
            ("work", "personal", false),
            ("personal", "work", false),
            ("personal", "personal", true),
            ("Kestrel", "kestrel", false),
            ("Kestrel", "Kestrel", true),
            ("माया", "माया", true),
            ("माया", "personal", false),
        ] {
            assert_eq!(reads(run, memory), want, "{run} / {memory}");
        }
        assert!(reads_personal_files("Personal") && !reads_personal_files("work") && !reads_personal_files("Kestrel"));
    }

    proptest! {
        #[test]
        fn rule_234_no_scope_leaks(run in "\\PC{0,50}", memory in "\\PC{0,50}") {
            if reads(&run, &memory) {
                let memory = parse(&memory).expect("what is read has a scope");
                let run = parse(&run).unwrap_or_else(|_| SCOPE_PERSONAL.to_owned());
                prop_assert!(memory == run || memory == SCOPE_ALWAYS);
            }
        }
    }
}
