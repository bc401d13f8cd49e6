//! What is said of an effect outside that did not come to an ordinary end. Never that it happened when that is not
//! known, and never that it did not when it may have.

use crate::prompt::UNKNOWN_OUTCOME;
use protocol::tools::ToolOutcome;
use serde_json::json;

/// How far an effect had come when the program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begun {
    /// It is not in the journal, so it was not begun.
    Never,
    /// It was held back so that the person could undo it.
    Waiting,
    /// It was begun, and nothing says how it went.
    OutcomeUnknown,
}

/// The result of a call whose turn was cut off.
pub fn left_over(begun: Begun) -> ToolOutcome {
    match begun {
        Begun::Never => ToolOutcome::error("Not done: Sentient stopped before it came to this."),
        Begun::Waiting => not_sent(
            "NOT SENT. Sentient stopped while this was waiting so that the user could undo it, and it was not sent \
             afterwards. Ask the user whether to send it now.",
        ),
        Begun::OutcomeUnknown => {
            // The sentence is a JSON object of our own.
            let result = serde_json::from_str(UNKNOWN_OUTCOME).unwrap_or_default();
            ToolOutcome { result, is_error: true }
        }
    }
}

/// The result of a call the person undid in its undo window (contract section 10; strings.tsv, undo_result).
pub fn undone() -> ToolOutcome {
    let error = "NOT SENT. The user pressed Undo before it went out. Don't send it again unless they ask; ask what \
                 they would like changed.";
    ToolOutcome { result: json!({ "error": error, "undone": true }), is_error: true }
}

/// The result of a call that was waiting in its undo window when the reply was stopped.
pub fn stopped_while_waiting() -> ToolOutcome {
    not_sent("NOT SENT. The user stopped the reply while this was waiting to be sent.")
}

fn not_sent(error: &str) -> ToolOutcome {
    ToolOutcome { result: json!({ "error": error, "not_sent": true }), is_error: true }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_claimed_that_is_not_known() {
        for (begun, want, never) in [
            (Begun::Never, "Not done", "not known"),
            (Begun::Waiting, "NOT SENT", "not known"),
            (Begun::OutcomeUnknown, "not known whether it went through", "NOT SENT"),
        ] {
            let outcome = left_over(begun);
            let error = outcome.result["error"].as_str().unwrap_or_default().to_owned();
            assert!(outcome.is_error && error.contains(want) && !error.contains(never), "{begun:?}: {error}");
        }
        assert_eq!(undone().result["undone"], true);
        assert!(stopped_while_waiting().result["error"].as_str().is_some_and(|error| error.starts_with("NOT SENT")));
    }
}
