//! Stores what a helper did: its log, the journal of effects, what its model calls cost.

use super::{Subagents, put_step};
use protocol::ids::SubagentId;
use protocol::subagents::{ProgressMessage, ProgressType};
use protocol::{Error, ErrorKind, Request};
use runtime::{Ctx, Handles};
use storage::Batch;
use storage::records::{EffectRecord, UsageRecord};

/// Files named in one helper's record. Ours.
const FILES_MAX: usize = 100;

/// One step of an open helper.
#[derive(Clone, Default)]
pub(super) struct Step {
    pub(super) id: SubagentId,
    pub(super) log: Vec<ProgressMessage>,
    pub(super) effects: Vec<EffectRecord>,
    pub(super) usage: Vec<UsageRecord>,
    /// Files a call saved, under the files folder.
    pub(super) files: Vec<String>,
}

impl Request for Step {
    type Reply = ();
    const NAME: &'static str = "subagents.step";
}

impl Handles<Step> for Subagents {
    async fn handle(&mut self, step: Step, ctx: &Ctx<Self>) -> Result<(), Error> {
        let Some(helper) = self.open.get(&step.id) else {
            return Err(Error::new(ErrorKind::Cancelled, "This helper has ended."));
        };
        let mut record = helper.record.clone();
        let mut batch = Batch::new();
        for effect in &step.effects {
            batch.put(effect);
        }
        for usage in &step.usage {
            batch.put(usage);
        }
        for message in step.log {
            record.tool_calls += u32::from(message.kind == ProgressType::ToolCall);
            put_step(&mut record, &mut batch, message, ctx.now());
        }
        for file in step.files {
            if record.files.len() < FILES_MAX && !record.files.contains(&file) {
                record.files.push(file);
            }
        }
        if record == helper.record {
            if !batch.is_empty() {
                self.needs.store.commit(batch).await?;
            }
            return Ok(());
        }
        self.store(&record, batch, ctx.now()).await?;
        if let Some(helper) = self.open.get_mut(&step.id) {
            helper.record = record;
        }
        Ok(())
    }
}
