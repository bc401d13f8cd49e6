//! Asks the person and waits, within `tools.approvals.timeout_s`. Nobody answering is a no.

use super::call::RoundCall;
use super::{Append, Outcome, Runner};
use crate::approvals::{Answered, Ask, OpenQuestion};
use protocol::approvals::{ApprovalAsk, ApprovalRecord, Decision};
use protocol::chat::ChatEvent;
use protocol::ids::ApprovalId;
use protocol::{Error, Timestamp};
use rules::gate::Verdict;
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
        let approval_id = ApprovalId(self.setting.world.id());
        let card = self.card(&call, approval_id).ok_or_else(|| Error::internal("a question without a reason"))?;
        let opened = OpenQuestion {
            session_id: self.record.id.clone(),
            turn_id: self.setting.turn.turn_id.clone(),
            card: card.clone(),
            words: call.judged.as_ref().map(|judged| judged.words.clone()).unwrap_or_default(),
            task: None,
        };
        let answer = self.setting.parts.approvals.ask(&Outside::within(BROKER_WAIT), Ask(opened)).await?;
        let asked_at = self.setting.world.now();
        let posted = self.post_question(&card).await;
        self.tell(ChatEvent::ApprovalRequest(Box::new(card)));
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

    fn card(&self, call: &RoundCall, id: ApprovalId) -> Option<ApprovalAsk> {
        let judged = call.judged.as_ref()?;
        self.setting.parts.gate.card(judged, &call.for_the_gate(), call.id.clone(), id)
    }

    pub(super) fn decided(&mut self, index: usize, decided: Decided) {
        let Some(call) = self.calls.get(index).cloned() else { return };
        let rule = match call.judged.as_ref().map(|judged| &judged.verdict) {
            Some(Verdict::Ask(question)) => question.rule,
            _ => return,
        };
        let Some(card) = self.card(&call, ApprovalId::default()) else { return };
        let now = self.setting.world.now();
        let decision = decided.answer.map_or(Decision::Deny, |answer| answer.decision);
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
            rule: rule.map(str::to_owned),
            warning: card.warning,
        });
        self.feed(Input::Decided { call: index, yes: decision.is_yes() });
    }

    /// "Allow for this chat", to be stored with the result of the call it was given for.
    pub(super) fn allowance(&self, index: usize, step: Append) -> Append {
        let call = &self.calls[index];
        let given = call.approval.as_ref().is_some_and(|approval| approval.decision == Decision::AllowSession);
        let judged = call.judged.as_ref().filter(|_| given);
        let allowance = judged.map(|judged| ToolAllowance { tool: call.name.clone(), risk: judged.risk });
        Append { allowance, ..step }
    }
}
