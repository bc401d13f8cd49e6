//! The person's decision about a proposal.

use super::{HeldBy, Proposals};
use crate::config::ChangeConfig;
use crate::gate::level;
use protocol::approvals::Via;
use protocol::config::{Config, RuleOrigin, RuleSource};
use protocol::ids::ProposalId;
use protocol::rule_proposals::{ProposalDecision, ProposalStatus, RuleProposal};
use protocol::{Error, ErrorKind, Request, Timestamp};
use rules::chat_rules::accepted;
use runtime::{Ctx, Handles};
use storage::Batch;
use storage::records::RuleProposalRecord;

/// Accepts or declines. Either ends the chat's extra questions.
pub struct Decide {
    pub id: ProposalId,
    pub decision: ProposalDecision,
    pub via: Via,
}

impl Request for Decide {
    type Reply = RuleProposal;
    const NAME: &'static str = "proposals.decide";
}

impl Handles<Decide> for Proposals {
    async fn handle(&mut self, decide: Decide, ctx: &Ctx<Self>) -> Result<RuleProposal, Error> {
        let snapshot = self.needs.store.snapshot()?;
        let mut found = snapshot.all::<RuleProposalRecord>()?.filter_map(Result::ok);
        let record = found.find(|record| record.id == decide.id);
        let record = record.ok_or_else(|| Error::not_found("There is no such proposal."))?;
        if record.status != ProposalStatus::Pending {
            return Err(Error::new(ErrorKind::Conflict, "This was answered already."));
        }
        let status = match decide.decision {
            ProposalDecision::Accept => {
                // The rule first: when the engine ends in between, the card is still there and accepting again is harmless.
                self.tighten(&record, decide.via, ctx).await?;
                ProposalStatus::Accepted
            }
            ProposalDecision::Decline => ProposalStatus::Declined,
        };
        let record = RuleProposalRecord { status, decided_at: Some(ctx.now()), ..record };
        let mut batch = Batch::new();
        let shown = self.write(&mut batch, &record, ctx.now());
        self.needs.store.commit(batch).await?;
        let mut list = self.list();
        list.retain(|held| !matches!(&held.why, HeldBy::Proposal { id, .. } if *id == record.id));
        self.show(list);
        Ok(shown)
    }
}

impl Proposals {
    async fn tighten(&self, record: &RuleProposalRecord, via: Via, ctx: &Ctx<Self>) -> Result<(), Error> {
        let (record, at) = (record.clone(), ctx.now());
        let tools = self.needs.tools.tools().iter().map(|tool| tool.spec());
        let tools: Vec<(&'static str, &'static str)> = tools.map(|spec| (spec.name, spec.plugin)).collect();
        let change = ChangeConfig::new(move |config| accept(config, &record, &tools, (via, at)));
        let changed = self.needs.settings.ask(ctx, change).await?;
        changed.map(drop).map_err(|problems| {
            Error::invalid(
                problems.first().map_or_else(|| "This rule cannot be saved.".to_owned(), ToString::to_string),
            )
        })
    }
}

fn accept(config: &mut Config, record: &RuleProposalRecord, tools: &[(&str, &str)], (via, at): (Via, Timestamp)) {
    let approvals = &mut config.tools.approvals;
    let in_force = approvals.rules.iter().map(|(key, rule)| (key.as_str(), level(*rule))).collect();
    for key in accepted(level(record.rule), &record.keys, &in_force, tools) {
        let origin = RuleOrigin {
            rule: Some(record.rule),
            said: Some(record.said.clone()),
            at: Some(at),
            session_id: Some(record.session_id.0.clone()),
            source: Some(RuleSource::Chat),
            via: Some(via.as_str().to_owned()),
        };
        approvals.rules.insert(key.clone(), record.rule);
        approvals.rule_origins.insert(key, origin);
    }
}
