//! Looks whether what the person said in this turn is a standing instruction, before a model answers it (contract
//! section 2, "Rules from chat").
//!
//! A message that reads like none, or is about no tool, costs nothing. One that does is put to a fast model once; the
//! reply waits for it a while, and until it ends every tool it weighs asks first in this chat.

use super::Runner;
use super::safe::Safe;
use crate::approvals::proposals::{Found, HeldBy, Proposals, Settle, Weigh};
use crate::chat::ChatParts;
use crate::completion::{Ask, Who, complete};
use crate::gate::KnownTool;
use futures::FutureExt;
use protocol::Error;
use protocol::engine::ModelJob;
use protocol::ids::{MessageId, SessionId};
use protocol::model::{ModelName, ModelRole};
use rules::chat_rules::{Instruction, Known, Rules, candidates, instructions, parse, proposals, question};
use rules::gate::Surface;
use runtime::{Address, Outside, World};
use std::sync::Arc;
use storage::records::RuleProposalRecord;
use tokio::sync::oneshot;
use tokio::time::{Duration, timeout};
use tokio_util::sync::CancellationToken;

/// How long a reply waits for a check (contract section 2). A slower one ends in the background.
const CHECK_WAIT_MAX: Duration = Duration::from_secs(20);
/// Tokens of the fast model's answer. Ours.
const ANSWER_TOKENS_MAX: u32 = 400;
/// How long the keeper of proposals may take.
const KEEPER_WAIT: Duration = Duration::from_secs(10);

/// One message, to be checked.
struct Check {
    parts: Arc<ChatParts>,
    world: World,
    session: SessionId,
    message: MessageId,
    found: Vec<Instruction>,
    tools: Vec<KnownTool>,
    /// Models that answer when no fast one does.
    otherwise: Vec<ModelName>,
    safe: Safe,
}

impl Runner {
    /// Checks the messages that joined since the last model call.
    pub(super) async fn look_for_rules(&mut self) {
        let fresh = std::mem::take(&mut self.unchecked);
        if !Surface::of_channel(&self.setting.turn.channel).is_persons_chat() {
            return;
        }
        for (message, text) in fresh {
            let found = instructions(&text);
            if found.is_empty() || self.was_checked(&message) {
                continue;
            }
            let known = self.setting.parts.gate.known_tools();
            let tools = chosen(&found, &known);
            if !tools.is_empty() {
                let check = self.check(message, found, tools);
                wait_for(check, self.setting.cancel.clone()).await;
            }
        }
    }

    fn check(&self, message: MessageId, found: Vec<Instruction>, tools: Vec<KnownTool>) -> Check {
        let (parts, record) = (self.setting.parts.clone(), &self.record);
        let own = record.model.as_deref().map(|model| ModelName(model.to_owned()));
        let otherwise = vec![own.unwrap_or_else(|| parts.config().models.roles.get(ModelRole::Primary).clone())];
        let (world, session, safe) = (self.setting.world.clone(), record.id.clone(), self.setting.safe.clone());
        Check { parts, world, session, message, found, tools, otherwise, safe }
    }

    /// Whether a proposal came of this message before a restart.
    fn was_checked(&self, message: &MessageId) -> bool {
        let rows = self.setting.parts.store.snapshot();
        rows.and_then(|rows| {
            Ok(rows
                .prefix::<RuleProposalRecord>(&self.record.id)?
                .any(|row| row.is_ok_and(|row| row.message_id == *message)))
        })
        .unwrap_or(false)
    }
}

/// Waits for the check, at most so long, and not beyond the reply's end.
async fn wait_for(check: Check, cancel: CancellationToken) {
    let (keeper, world) = (check.parts.proposals.clone(), check.world.clone());
    let mut keys: Vec<String> = check.tools.iter().map(|tool| tool.name.clone()).collect();
    keys.sort_unstable();
    let weigh = Weigh { session: check.session.clone(), keys };
    let begun = keeper.ask(&Outside::within(KEEPER_WAIT), weigh).await;
    let Ok(id) = begun.inspect_err(|error| tracing::warn!(%error, "a message was not checked for rules")) else {
        return;
    };
    let (done, ended) = oneshot::channel::<()>();
    let stop = world.work.token();
    world.work.spawn("a check for rules", async move {
        let found = tokio::select! {
            biased;
            () = stop.cancelled() => None,
            found = check.run() => found,
        };
        settle(&keeper, Settle { check: id, found }).await;
        drop(done);
    });
    tokio::select! {
        biased;
        () = cancel.cancelled() => (),
        _ = timeout(CHECK_WAIT_MAX, ended) => (),
    }
}

async fn settle(keeper: &Address<Proposals>, settle: Settle) {
    if let Err(error) = keeper.ask(&Outside::within(KEEPER_WAIT), settle).await {
        tracing::warn!(%error, "what a check for rules found is not kept");
    }
}

impl Check {
    async fn run(self) -> Option<Found> {
        let known: Vec<Known<'_>> = self.tools.iter().map(KnownTool::known).collect();
        let text = question(&self.found, &known);
        let then = self.otherwise.clone();
        let ask = Ask {
            question: text,
            job: ModelJob::Interactive,
            output_tokens_max: ANSWER_TOKENS_MAX,
            who: Who::Upkeep,
            then,
        };
        let answer = complete(&self.parts, &self.world, ask).await;
        let answer = answer.inspect_err(|error| tracing::info!(%error, "no model said which rule was meant")).ok()?;
        let mapped = parse(&answer, &known)?;
        let config = self.parts.config();
        let in_force: Rules<'_> =
            config.tools.approvals.rules.iter().map(|(key, rule)| (key.as_str(), crate::gate::level(*rule))).collect();
        let held = self.parts.gate.held();
        let pending = held.iter().filter(|held| held.session == self.session).filter_map(|held| match &held.why {
            HeldBy::Proposal { rule, .. } => Some(held.keys.iter().map(move |key| (key.as_str(), *rule))),
            HeldBy::Check(_) => None,
        });
        let mut strictest = Rules::new();
        for (key, rule) in pending.flatten() {
            strictest.entry(key).and_modify(|known| *known = (*known).max(rule)).or_insert(rule);
        }
        let proposals = proposals(&self.found, &mapped, &known, &in_force, &strictest);
        self.safe.wait().map(|stored: Result<(), Error>| stored.ok()).await?; // no card for a message that is not there
        (!proposals.is_empty()).then_some(Found { session: self.session, message: self.message, proposals })
    }
}

/// The tools a message may be about, as owned values that outlive the turn.
fn chosen(found: &[Instruction], tools: &[KnownTool]) -> Vec<KnownTool> {
    let known: Vec<Known<'_>> = tools.iter().map(KnownTool::known).collect();
    let names: Vec<&str> = candidates(found, &known).iter().map(|tool| tool.name).collect();
    names.iter().filter_map(|name| tools.iter().find(|tool| tool.name == *name)).cloned().collect()
}
