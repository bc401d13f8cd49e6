//! What is said of an effect outside that did not come to an ordinary end. Never that it happened when that is not
//! known, and never that it did not when it may have.

use crate::prompt::UNKNOWN_OUTCOME;
use protocol::tools::ToolOutcome;
use serde_json::{Value, json};

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

/// The result of a call whose reply the person stopped.
pub fn stopped(begun: Begun) -> ToolOutcome {
    let error = match begun {
        Begun::Never => "Stopped by the user before it was done.",
        Begun::Waiting => "NOT SENT. The user stopped the reply while this was waiting to be sent.",
        Begun::OutcomeUnknown => "Stopped by the user while it ran, so it is not known whether it went through.",
    };
    let mut result = json!({ "error": error, "stopped": true });
    if begun == Begun::Waiting {
        result["not_sent"] = true.into();
    }
    ToolOutcome { result, is_error: true }
}

/// The result of a call that was cut off while it ran. `changes`: it may have changed something outside.
pub fn cut_off(happened: &str, changes: bool) -> ToolOutcome {
    if changes {
        let rest = "so it is not known whether it went through. Don't do it again without asking the user.";
        return ToolOutcome::error(format!("{happened}, {rest}"));
    }
    ToolOutcome::error(format!("{happened}."))
}

/// The result of a call that was made before in this turn with the same arguments, and of which nobody knows whether it
/// went through then (ours: the engine never repeats such a call by itself, whatever the model asks for).
pub fn outcome_still_unknown() -> ToolOutcome {
    ToolOutcome::error(
        "Not done: exactly this was tried before in this reply, and it is not known whether it went through. Ask the \
         user before it is done again.",
    )
}

/// A result with the note that the trash took the place of a delete for good (strings.tsv, trash_note).
pub fn moved_to_trash(outcome: ToolOutcome) -> ToolOutcome {
    if outcome.is_error {
        return outcome;
    }
    let result = match outcome.result {
        Value::Object(mut object) => {
            object.insert("note".into(), crate::trash::NOTE.into());
            Value::Object(object)
        }
        other => json!({ "result": other, "note": crate::trash::NOTE }),
    };
    ToolOutcome::ok(result)
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
        for (begun, want) in
            [(Begun::Never, "before it was done"), (Begun::Waiting, "NOT SENT"), (Begun::OutcomeUnknown, "not known")]
        {
            let error = stopped(begun).result["error"].as_str().unwrap_or_default().to_owned();
            assert!(error.contains(want), "{begun:?}: {error}");
        }
        assert!(cut_off("It broke", true).result.to_string().contains("not known"));
        assert_eq!(cut_off("It broke", false).result, json!({ "error": "It broke." }));
    }

    #[test]
    fn a_result_says_that_the_trash_took_it() {
        for (name, result, want) in [
            ("an object", json!({"ok": true}), json!({"ok": true, "note": crate::trash::NOTE})),
            ("a text", json!("done"), json!({"result": "done", "note": crate::trash::NOTE})),
        ] {
            assert_eq!(moved_to_trash(ToolOutcome::ok(result)), ToolOutcome::ok(want), "{name}");
        }
        let failed = ToolOutcome::error("It is not there.");
        assert_eq!(moved_to_trash(failed.clone()), failed);
    }
}
