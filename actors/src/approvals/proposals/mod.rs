//! Lasting rules proposed from what the person said (contract section 2, "Rules from chat").
//!
//! The one writer of proposals, and of the list the gate reads: what a chat asks about until the person decides, and what
//! a check that is still running may yet propose. A proposal is a row, so it survives a restart and the summary of its
//! chat. Only the person's decision makes a rule of it; this role can add a question and nothing else.

mod decide;
mod forget_chat;
mod labels;
mod weigh;

pub use decide::Decide;
pub use forget_chat::ForgetChat;
pub use weigh::{Found, Settle, Weigh, WeighId};

use crate::config::ConfigRole;
use crate::events::log_line;
use crate::tools::Registry;
use protocol::config::ApprovalRule;
use protocol::events::DomainEvent;
use protocol::ids::{ProposalId, SessionId};
use protocol::rule_proposals::{ProposalStatus, RuleProposal};
use protocol::{Error, Timestamp};
use rules::gate::Rule;
use runtime::{Address, Ctx, Role};
use std::sync::Arc;
use storage::records::RuleProposalRecord;
use storage::{Batch, Store};
use tokio::sync::watch;

/// Proposals of one chat that wait for a decision at once. Ours: more cards than that nobody reads.
pub const PENDING_PER_CHAT_MAX: usize = 20;

/// What the gate reads.
pub type HeldList = watch::Receiver<Arc<Vec<Held>>>;

/// Tools and apps that ask in one chat for now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    pub session: SessionId,
    pub keys: Vec<String>,
    pub why: HeldBy,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HeldBy {
    /// An undecided proposal of a rule this strict.
    Proposal { id: ProposalId, rule: Rule },
    /// A check that has not ended.
    Check(WeighId),
}

/// Whether a call of this tool asks in this chat.
pub fn is_held(list: &[Held], session: &SessionId, tool: &str, plugin: &str) -> bool {
    list.iter().any(|held| held.session == *session && held.keys.iter().any(|key| key == tool || key == plugin))
}

/// What the role is handed.
#[derive(Clone)]
pub struct ProposalsNeeds {
    pub store: Store,
    /// This role alone sends to it.
    pub list: Arc<watch::Sender<Arc<Vec<Held>>>>,
    pub settings: Address<ConfigRole>,
    pub tools: Arc<Registry>,
}

/// The role. The list is its memory.
pub struct Proposals {
    needs: ProposalsNeeds,
    checks: u64,
}

impl Role for Proposals {
    const NAME: &'static str = "proposals";
    /// Above the settings, which it asks to keep an accepted rule.
    const RANK: u8 = 21;
    type Needs = ProposalsNeeds;

    async fn start(needs: ProposalsNeeds, _: &Ctx<Self>) -> Result<Self, Error> {
        let mut list = stored(&needs.store)?;
        // Checks that outlived the role that knew of them still hold what they weigh.
        let before = needs.list.borrow().clone();
        list.extend(before.iter().filter(|held| matches!(held.why, HeldBy::Check(_))).cloned());
        let checks = before.iter().filter_map(|held| match held.why {
            HeldBy::Check(WeighId(number)) => Some(number),
            HeldBy::Proposal { .. } => None,
        });
        let checks = checks.max().unwrap_or(0);
        needs.list.send_replace(Arc::new(list));
        Ok(Self { needs, checks })
    }
}

/// What the stored proposals hold; the gate has it before the first call, whoever starts first.
///
/// # Errors
/// A store that cannot be read.
pub fn stored(store: &Store) -> Result<Vec<Held>, Error> {
    let snapshot = store.snapshot()?;
    let mut list = Vec::new();
    for record in snapshot.all::<RuleProposalRecord>()? {
        list.extend(held(&record?));
    }
    Ok(list)
}

fn held(record: &RuleProposalRecord) -> Option<Held> {
    (record.status == ProposalStatus::Pending).then(|| Held {
        session: record.session_id.clone(),
        keys: record.keys.clone(),
        why: HeldBy::Proposal { id: record.id.clone(), rule: crate::gate::level(record.rule) },
    })
}

impl Proposals {
    fn list(&self) -> Vec<Held> {
        self.needs.list.borrow().to_vec()
    }

    fn show(&self, list: Vec<Held>) {
        self.needs.list.send_replace(Arc::new(list));
    }

    /// Adds a proposal to a batch, with the event that tells of it. Answers it as clients see it.
    fn write(&self, batch: &mut Batch, record: &RuleProposalRecord, now: Timestamp) -> RuleProposal {
        let shown = labels::shown(record.clone(), &self.needs.tools);
        batch.put(record).event(log_line(&DomainEvent::RuleProposalUpdated(Box::new(shown.clone())), now));
        shown
    }
}

/// A proposal as clients see it.
pub(crate) fn shown(record: RuleProposalRecord, tools: &Registry) -> RuleProposal {
    labels::shown(record, tools)
}

/// As the settings write it.
pub(super) fn setting(rule: Rule) -> ApprovalRule {
    match rule {
        Rule::Allow => ApprovalRule::Allow,
        Rule::IfAsked => ApprovalRule::IfAsked,
        Rule::Ask => ApprovalRule::Ask,
        Rule::HandOff => ApprovalRule::HandOff,
        Rule::Never => ApprovalRule::Never,
    }
}

#[cfg(test)]
mod tests;
