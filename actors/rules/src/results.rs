//! What the model reads of a tool's result: the whole of a short one, the beginning of a long one and where to read on
//! (contract section 10, "large results"). Texts the model reads are fixed by the contract.

use serde_json::Value;

/// The least a result may be cut to (contract section 10).
pub const RESULT_CHARS_MIN: usize = 1_500;
/// Characters counted for one token when a share of the context is worked out (contract section 10).
const CHARS_PER_TOKEN: f64 = 3.0;

/// How many characters of a result a model with this context length reads: `chat.tool_result_max_chars`, and at most
/// `chat.tool_result_context_share` of the context at 3 characters a token, never below 1500.
pub fn limit(chars_max: usize, context_share: f64, context_length: Option<u32>) -> usize {
    let share = context_length.map_or(usize::MAX, |tokens| {
        let chars = f64::from(tokens) * CHARS_PER_TOKEN * context_share.clamp(0.0, 1.0);
        // A context length is below 2^32, so the product is far inside what a usize holds; the cast saturates anyway.
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturating, and never negative")]
        let chars = chars as usize;
        chars
    });
    chars_max.min(share.max(RESULT_CHARS_MIN))
}

/// The key that says whose words a result holds.
const OUTSIDE: &str = "outside_content";

/// A result as text: a text as it is, anything else as compact JSON. Whose words it holds is said first (contract section
/// 22, "Clipped web pages"), so that cutting the result never cuts that off.
pub fn text(result: &Value) -> String {
    match result {
        Value::String(text) => text.clone(),
        Value::Object(fields) if fields.contains_key(OUTSIDE) => {
            let mut rest = fields.clone();
            let outside = rest.remove(OUTSIDE).unwrap_or_default();
            let rest = Value::Object(rest).to_string();
            let between = if rest == "{}" { "" } else { "," };
            format!("{{\"{OUTSIDE}\":{outside}{between}{}", rest.trim_start_matches('{'))
        }
        other => other.to_string(),
    }
}

/// A result as the model gets it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    pub text: String,
    /// The engine's note that follows it; it stays outside the marks around outside content.
    pub note: Option<String>,
}

/// Cuts a result that is longer than `limit` characters. `saved_as` is the file name under `files/` the whole text is
/// kept under; `None` when it could not be saved.
pub fn cut(full: &str, limit: usize, saved_as: Option<&str>) -> Shown {
    let total = full.chars().count();
    if total <= limit {
        return Shown { text: full.to_owned(), note: None };
    }
    let text: String = full.chars().take(limit).collect();
    let begin = format!("[Result cut: this is only the first {limit} of {total} characters.");
    let note = match saved_as {
        Some(name) => format!(
            "{begin} The full result is saved as files/{name} ({total} characters). Read on with \
             file_read(name=\"{name}\", offset={limit}); each part gives the next_offset to continue from.]"
        ),
        None => format!("{begin} The rest could not be saved.]"),
    };
    Shown { text, note: Some(note) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_limit_follows_the_context() {
        for (chars_max, share, context, want) in [
            (16_000, 0.25, Some(8_192), 6_144), // the contract's own example
            (16_000, 0.25, None, 16_000),
            (16_000, 0.25, Some(200_000), 16_000),
            (16_000, 0.25, Some(512), RESULT_CHARS_MIN),
            (1_000, 0.25, Some(8_192), 1_000),
        ] {
            assert_eq!(limit(chars_max, share, context), want, "{chars_max} {share} {context:?}");
        }
    }

    #[test]
    fn a_long_result_says_where_to_read_on() {
        let shown = cut("abcdef", 4, Some("outputs/tool-c1.txt"));
        assert_eq!(shown.text, "abcd");
        assert_eq!(
            shown.note.as_deref(),
            Some(
                "[Result cut: this is only the first 4 of 6 characters. The full result is saved as \
                 files/outputs/tool-c1.txt (6 characters). Read on with file_read(name=\"outputs/tool-c1.txt\", \
                 offset=4); each part gives the next_offset to continue from.]"
            )
        );
    }

    proptest! {
        /// What was shown and what is read from the offset on are the whole.
        #[test]
        fn reading_on_misses_nothing(full in "\\PC{0,60}", limit in 1usize..50) {
            let shown = cut(&full, limit, None);
            let rest: String = full.chars().skip(limit).collect();
            if shown.note.is_some() {
                prop_assert_eq!(shown.text + &rest, full);
            } else {
                prop_assert_eq!(shown.text, full);
            }
        }
    }
}
