//! A chat is deleted: its helpers are stopped first, then what they left goes (contract section 2, `DELETE
//! /api/sessions/{id}`).

use super::Subagents;
use protocol::ids::{SessionId, SubagentId};
use protocol::{Error, Request};
use runtime::{Ctx, Handles};
use std::collections::BTreeSet;
use storage::Batch;
use storage::records::{EffectRecord, SubagentRecord, SubagentStepRecord};

/// The end of a chat's helpers.
pub(crate) struct EndOf(pub(crate) SessionId);

impl Request for EndOf {
    type Reply = ();
    const NAME: &'static str = "subagents.end_of";
}

impl Handles<EndOf> for Subagents {
    async fn handle(&mut self, EndOf(session): EndOf, ctx: &Ctx<Self>) -> Result<(), Error> {
        let mut batch = Batch::new();
        let snapshot = self.needs.store.snapshot()?;
        let mut gone = BTreeSet::new();
        for record in snapshot.subagents_of(&session)? {
            let id = record?.id;
            batch.delete::<SubagentRecord>(&id).delete_prefix::<SubagentStepRecord>(&id);
            gone.insert(id);
        }
        if gone.is_empty() {
            return Ok(());
        }
        // The journal holds what helpers did, word for word. Their calls are in no message, so they are looked for.
        for effect in snapshot.all::<EffectRecord>()? {
            let effect = effect?;
            if effect.session_id == session && gone.contains(&SubagentId(effect.turn_id.0.clone())) {
                batch.delete::<EffectRecord>(&effect.call_id);
            }
        }
        self.needs.store.commit(batch).await?;
        for id in &gone {
            if let Some(helper) = self.open.remove(id) {
                helper.scope.cancel();
            }
        }
        self.line.retain(|(id, _)| !gone.contains(id));
        self.fill_places(ctx);
        Ok(())
    }
}
