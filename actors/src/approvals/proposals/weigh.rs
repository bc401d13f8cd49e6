//! A check of a message, from its beginning to what came of it.

use super::{Held, HeldBy, PENDING_PER_CHAT_MAX, Proposals, held, setting};
use protocol::ids::{MessageId, ProposalId, SessionId};
use protocol::rule_proposals::ProposalStatus;
use protocol::{Error, Request};
use rules::chat_rules::Proposal;
use runtime::{Ctx, Handles};
use storage::Batch;
use storage::records::RuleProposalRecord;

/// A running check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WeighId(pub u64);

/// A check begins: what it weighs asks first in this chat until it ends with [`Settle`].
pub struct Weigh {
    pub session: SessionId,
    pub keys: Vec<String>,
}

impl Request for Weigh {
    type Reply = WeighId;
    const NAME: &'static str = "proposals.weigh";
}

impl Handles<Weigh> for Proposals {
    async fn handle(&mut self, weigh: Weigh, _: &Ctx<Self>) -> Result<WeighId, Error> {
        self.checks += 1;
        let id = WeighId(self.checks);
        let mut list = self.list();
        list.push(Held { session: weigh.session, keys: weigh.keys, why: HeldBy::Check(id) });
        self.show(list);
        Ok(id)
    }
}

/// What a check found.
pub struct Found {
    pub session: SessionId,
    /// The message it came from.
    pub message: MessageId,
    pub proposals: Vec<Proposal>,
}

/// A check has ended: what it found becomes cards, and what it weighed asks only for those from now on.
pub struct Settle {
    pub check: WeighId,
    /// `None`: nothing, or the check was cut short.
    pub found: Option<Found>,
}

impl Request for Settle {
    type Reply = ();
    const NAME: &'static str = "proposals.settle";
}

impl Handles<Settle> for Proposals {
    async fn handle(&mut self, settle: Settle, ctx: &Ctx<Self>) -> Result<(), Error> {
        let mut list = self.list();
        list.retain(|held| held.why != HeldBy::Check(settle.check));
        let (mut batch, mut added) = (Batch::new(), Vec::new());
        if let Some(found) = settle.found {
            let of_chat = |held: &&Held| held.session == found.session && matches!(held.why, HeldBy::Proposal { .. });
            let room = PENDING_PER_CHAT_MAX.saturating_sub(list.iter().filter(of_chat).count());
            for proposal in found.proposals.into_iter().take(room) {
                let record = RuleProposalRecord {
                    id: ProposalId(ctx.world.id()),
                    session_id: found.session.clone(),
                    message_id: found.message.clone(),
                    said: proposal.said,
                    rule: setting(proposal.rule),
                    keys: proposal.keys,
                    status: ProposalStatus::Pending,
                    created_at: ctx.now(),
                    decided_at: None,
                };
                self.write(&mut batch, &record, ctx.now());
                added.extend(held(&record));
            }
        }
        let kept = if batch.is_empty() { Ok(()) } else { self.needs.store.commit(batch).await.map(drop) };
        if kept.is_ok() {
            list.extend(added);
        }
        self.show(list); // the check is over, also when its cards could not be kept
        Ok(kept?)
    }
}
