//! Asks the person and waits, within `tools.approvals.timeout_s`. Nobody answering is a no.

use super::judge::effective_risk;
use super::{Append, Outcome, Runner};
use crate::approvals::{Answered, Ask, OpenQuestion};
use protocol::approvals::{ApprovalAsk, ApprovalRecord, Decision};
use protocol::chat::ChatEvent;
use protocol::ids::ApprovalId;
use protocol::{Error, Timestamp};
use rules::gate::{Question, Verdict};
use rules::turn::Input;
use runtime::Outside;
use storage::records::ToolAllowance;
use tokio::time::{Duration, timeout};

/// How long the broker may take to open a question.
const BROKER_WAIT: Duration = Duration::from_secs(10);

/// What came of a question.
pub(super) struct Decided {
    answer: Option<Answered>,
    asked_at: Timestamp,
}

impl Runner {
    pub(super) async fn ask(&mut self, index: usize) -> Result<(), Error> {
        let Some(call) = self.calls.get(index).cloned() else { return Ok(()) };
        let Some(Verdict::Ask(question)) = call.verdict.clone() else {
            return Err(Error::internal("a question without a reason"));
        };
        let approval_id = ApprovalId(self.setting.world.id());
        let card = self.card(index, approval_id, &question);
        let opened = OpenQuestion {
            session_id: self.record.id.clone(),
            turn_id: self.setting.turn.turn_id.clone(),
            card: card.clone(),
        };
        let answer = self.setting.parts.approvals.ask(&Outside::within(BROKER_WAIT), Ask(opened)).await?;
        let asked_at = self.setting.world.now();
        let shown = card.clone();
        self.tell(ChatEvent::ApprovalRequest(Box::new(card)));
        let posted = self.post_question(&shown).await;
        let patience = Duration::from_secs(u64::from(self.setting.parts.config().tools.approvals.timeout_s));
        self.jobs.push(Box::pin(async move {
            let answer = timeout(patience, answer).await.ok().and_then(Result::ok);
            if let Some(posted) = posted {
                posted.settle(answer).await;
            }
            Outcome::Decided { call: index, decision: Decided { answer, asked_at } }
        }));
        Ok(())
    }

    fn card(&self, index: usize, approval_id: ApprovalId, question: &Question) -> ApprovalAsk {
        let call = &self.calls[index];
        let tool = self.setting.parts.tools.get(&call.name);
        let risk = tool.as_ref().map(|tool| effective_risk(tool.as_ref(), call)).unwrap_or_default();
        let words = tool.map(|tool| tool.describe(&call.arguments)).unwrap_or_default();
        let label = words.risk_label.unwrap_or_else(|| risk.label().to_owned());
        ApprovalAsk {
            approval_id,
            call_id: call.id.clone(),
            name: call.name.clone(),
            arguments: call.arguments.clone(),
            risk,
            // Says more than the risk itself, or nothing (contract section 1).
            reason: if label == risk.label() { String::new() } else { label.clone() },
            risk_label: Some(label),
            target: words.target,
            untrusted: question.untrusted.clone(),
            warning: None,
            choices: question.choices.clone(),
            grant_minutes: None,
            preview: None,
        }
    }

    pub(super) fn decided(&mut self, index: usize, decided: Decided) {
        let Some(call) = self.calls.get(index).cloned() else { return };
        let Some(Verdict::Ask(question)) = &call.verdict else { return };
        let now = self.setting.world.now();
        let decision = decided.answer.map_or(Decision::Deny, |answer| answer.decision);
        let card = self.card(index, ApprovalId::default(), question);
        let call = &mut self.calls[index];
        call.approved = decision.is_yes();
        call.declined = !decision.is_yes();
        call.approval = Some(ApprovalRecord {
            decision,
            asked_at: decided.asked_at,
            answered_at: decided.answer.map_or(now, |answer| answer.at),
            target: card.target,
            risk_label: card.risk_label,
            untrusted: card.untrusted,
            rule: question.rule.map(str::to_owned),
            warning: None,
        });
        self.feed(Input::Decided { call: index, yes: decision.is_yes() });
    }

    /// "Allow for this chat", to be stored with the result of the call it was given for.
    pub(super) fn allowance(&self, index: usize, step: Append) -> Append {
        let call = &self.calls[index];
        let given = call.approval.as_ref().is_some_and(|approval| approval.decision == Decision::AllowSession);
        let tool = self.setting.parts.tools.get(&call.name).filter(|_| given);
        let allowance =
            tool.map(|tool| ToolAllowance { tool: call.name.clone(), risk: effective_risk(tool.as_ref(), call) });
        Append { allowance, ..step }
    }
}
