//! The result of a call that does not run: what the model reads in its place.

use super::Judged;
use protocol::tools::ToolOutcome;
use rules::gate::Verdict;
use serde_json::json;

/// What the model reads of a call that is only noted (contract section 4, "Try it first").
const TRY_RUN: &str = "TRY RUN: this was not really done, only noted for the user. Go on as if it had worked, and never say that it was \
     done.";

impl Judged {
    /// The result of a call that does not run; `None` for one that runs, or that waits for an answer.
    pub fn outcome(&self) -> Option<ToolOutcome> {
        match &self.verdict {
            Verdict::Run { .. } | Verdict::Ask(_) => None,
            Verdict::HandOff(message) => Some(ToolOutcome::ok(self.handed_off(message))),
            Verdict::Swap(tool) => {
                Some(ToolOutcome::error(format!("Not done: what it names goes to the trash instead. Call {tool}.")))
            }
            Verdict::Note => Some(ToolOutcome::ok(json!({ "ok": true, "try_run": true, "note": TRY_RUN }))),
            Verdict::Refuse(refusal) => Some(ToolOutcome::error(refusal.message())),
        }
    }
}
