//! A question as windows and messaging apps show it. It is built from the call by code; no model has a word in it.

use super::{Call, Gate, Judged};
use protocol::approvals::{ApprovalAsk, Decision};
use protocol::ids::{ApprovalId, CallId};
use rules::gate::Verdict;

impl Gate {
    /// The card of a call the gate asks about; `None` for one it does not.
    pub fn card(&self, judged: &Judged, call: &Call<'_>, call_id: CallId, id: ApprovalId) -> Option<ApprovalAsk> {
        let Verdict::Ask(question) = &judged.verdict else { return None };
        let label = judged.words.risk_label.clone();
        let grant_minutes = self.config.borrow().tools.approvals.grant_minutes;
        Some(ApprovalAsk {
            approval_id: id,
            call_id,
            name: call.name.to_owned(),
            arguments: call.arguments.clone(),
            risk: judged.risk,
            // Says more than the risk itself, or nothing (contract section 1).
            reason: if label == judged.risk.label() { String::new() } else { label.clone() },
            risk_label: Some(label),
            target: judged.words.target.clone(),
            untrusted: question.untrusted.clone(),
            warning: question.warning.clone(),
            grant_minutes: question.choices.contains(&Decision::AllowTimed).then_some(grant_minutes),
            choices: question.choices.clone(),
            preview: judged.preview.clone(),
        })
    }
}
