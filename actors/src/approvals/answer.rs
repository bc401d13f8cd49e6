//! Answers a question.

use super::grants::{Give, Reach};
use super::{Answer, Answered, Approvals, OpenQuestion};
use crate::config::ChangeConfig;
use protocol::approvals::{Decision, Via};
use protocol::config::{ApprovalRule, Config, RuleOrigin, RuleSource};
use protocol::{Error, Timestamp};
use runtime::{Ctx, Handles};

impl Handles<Answer> for Approvals {
    async fn handle(&mut self, answer: Answer, ctx: &Ctx<Self>) -> Result<bool, Error> {
        let Some(open) = self.open.get(&answer.approval_id) else { return Ok(false) };
        if open.answer.is_closed() {
            self.open.remove(&answer.approval_id); // the turn that asked has ended: nothing is waiting
            return Ok(false);
        }
        let decision = rules::gate::narrow(answer.decision, &open.question.card.choices);
        // A wide yes is kept before the call hears of it; when it cannot be, the question stays open.
        let question = open.question.clone();
        self.keep(&question, decision, answer.via, ctx).await?;
        let Some(open) = self.open.remove(&answer.approval_id) else { return Ok(false) };
        Ok(open.answer.send(Answered { decision, at: ctx.now() }).is_ok())
    }
}

impl Approvals {
    /// Keeps what an answer says about later calls.
    async fn keep(&self, question: &OpenQuestion, decision: Decision, via: Via, ctx: &Ctx<Self>) -> Result<(), Error> {
        let reach = match decision {
            Decision::AllowTimed => Reach::Minutes(question.card.grant_minutes.unwrap_or_default()),
            Decision::AllowTask => match question.task.clone() {
                Some((id, name)) => Reach::Task { id, name },
                None => return Ok(()),
            },
            Decision::AllowAlways => return self.always(question, via, ctx).await,
            Decision::Allow | Decision::AllowSession | Decision::Deny => return Ok(()),
        };
        let give = Give {
            tool: question.card.name.clone(),
            label: question.words.tool.clone(),
            app: question.words.app.clone(),
            risk: question.card.risk,
            via,
            reach,
        };
        self.needs.grants.ask(ctx, give).await.map(drop)
    }

    /// Saves the lasting rule.
    async fn always(&self, question: &OpenQuestion, via: Via, ctx: &Ctx<Self>) -> Result<(), Error> {
        let (tool, chat, at) = (question.card.name.clone(), question.session_id.0.clone(), ctx.now());
        let change = ChangeConfig::new(move |config| allow_always(config, tool, chat, via, at));
        let changed = self.needs.settings.ask(ctx, change).await?;
        changed.map(drop).map_err(|problems| {
            Error::invalid(
                problems.first().map_or_else(|| "This rule cannot be saved.".to_owned(), ToString::to_string),
            )
        })
    }
}

fn allow_always(config: &mut Config, tool: String, chat: String, via: Via, at: Timestamp) {
    let approvals = &mut config.tools.approvals;
    approvals.rules.insert(tool.clone(), ApprovalRule::Allow);
    let origin = RuleOrigin {
        rule: Some(ApprovalRule::Allow),
        said: None,
        at: Some(at),
        session_id: Some(chat),
        source: Some(RuleSource::Approval),
        via: Some(via.as_str().to_owned()),
    };
    approvals.rule_origins.insert(tool, origin);
}
