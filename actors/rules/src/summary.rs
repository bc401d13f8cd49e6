//! When older messages become a running summary, which ones, and what counts as one (contract: `chat.history_window`,
//! `chat.compress_after_messages`). Until a summary is stored every message stays in the prompt, so one that fails
//! loses nothing.

/// Characters of a summary that is kept; longer ones are cut. Ours.
pub const SUMMARY_CHARS_MAX: usize = 6_000;
/// Characters of the chat that one summarising call reads. Ours.
const SOURCE_CHARS_MAX: usize = 48_000;

/// One message, as far as this needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row<'a> {
    pub ordinal: u64,
    /// A person's message: a summary ends right before one.
    pub begins_exchange: bool,
    /// Who speaks, e.g. `User`.
    pub speaker: &'a str,
    pub text: &'a str,
}

/// The ordinal up to which messages should be summarised now, if any: once more than `compress_after` messages stand
/// after the last summary, all but the newest `window`, ending at the start of an exchange.
pub fn due(rows: &[Row<'_>], window: usize, compress_after: usize) -> Option<u64> {
    if rows.len() <= compress_after.max(window) {
        return None;
    }
    let newest = rows.len() - window;
    rows[..=newest]
        .iter()
        .rev()
        .find(|row| row.begins_exchange)
        .map(|row| row.ordinal)
        .filter(|upto| *upto > rows[0].ordinal)
}

/// What the model is asked.
pub fn question(before: &str, rows: &[Row<'_>]) -> String {
    let mut said = String::new();
    for row in rows {
        let text: String = row.text.chars().take(2_000).collect();
        said.push_str(&format!("{}: {text}\n", row.speaker));
    }
    let skip = said.chars().count().saturating_sub(SOURCE_CHARS_MAX);
    let said: String = said.chars().skip(skip).collect();
    let earlier = if before.is_empty() { String::new() } else { format!("Summary so far:\n{before}\n\n") };
    format!(
        "Summarise this conversation so that it can go on without its older messages. Keep names, dates, numbers, \
         decisions, open questions and what the user asked for; keep who said what; leave out greetings and tool \
         output that no longer matters. Write plain sentences in the language of the conversation.\n\n\
         {earlier}Conversation:\n{said}"
    )
}

/// A model's answer as a summary; `None` when it is none.
pub fn accept(answer: &str) -> Option<String> {
    let text = answer.trim();
    let words = text.split_whitespace().count();
    (words >= 3).then(|| text.chars().take(SUMMARY_CHARS_MAX).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(count: u64) -> Vec<Row<'static>> {
        (0..count)
            .map(|ordinal| Row { ordinal, begins_exchange: ordinal % 2 == 0, speaker: "User", text: "x" })
            .collect()
    }

    #[test]
    fn older_messages_are_summarised_when_there_are_many() {
        for (count, window, after, want) in [
            (60, 30, 60, None),
            (61, 30, 60, Some(30)),
            (62, 31, 60, Some(30)), // ends where an exchange begins
            (10, 30, 5, None),      // the window always stays
            (0, 2, 10, None),
        ] {
            assert_eq!(due(&rows(count), window, after), want, "{count} {window} {after}");
        }
    }

    #[test]
    fn an_answer_without_words_is_no_summary() {
        for (answer, want) in [("", false), ("  \n", false), ("Ok.", false), ("They planned a trip.", true)] {
            assert_eq!(accept(answer).is_some(), want, "{answer:?}");
        }
    }
}
