//! Restore, as surfaces press it: the item of a chat's call, or a snapshot of files.

use super::begin::conflict;
use super::{BeginRestore, EndRestore};
use crate::Engine;
use crate::gate::{Call, Judged, Run};
use crate::small::asking;
use crate::tools::ToolCtx;
use futures::FutureExt;
use protocol::ids::CallId;
use protocol::tools::ToolOutcome;
use protocol::{Error, ErrorKind};
use rules::gate::{Surface, Verdict};
use rules::trash::Swapped;
use serde::Serialize;
use serde_json::Value;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use storage::records::EffectRecord;
use tokio::sync::oneshot;
use tokio::time::{Duration, timeout};

/// How long an app may take to bring something back. Ours.
const RESTORE_TIME_MAX: Duration = Duration::from_secs(120);

/// What came of it (`POST /api/timeline/restore`).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Restored {
    /// The app brought it back.
    Tool { ok: bool, result: Value },
    /// Files are back where they were.
    Files { ok: bool, restored: usize, message: String },
    /// A rule hands such calls to the person: nothing was done.
    HandedOff { ok: bool, error: String, hand_off: Value },
}

impl Engine {
    /// Puts back what an item of the timeline changed: `call:<call id>` or `snap:<snapshot id>`.
    ///
    /// # Errors
    /// `Conflict` with the reason when there is nothing to restore, or it could not be.
    pub async fn restore(&self, item: &str) -> Result<Restored, Error> {
        match item.split_once(':') {
            Some(("snap", id)) => {
                let restored = self.put_files_back(id.to_owned()).await?;
                let files = if restored == 1 { "file" } else { "files" };
                Ok(Restored::Files { ok: true, restored, message: format!("Put back {restored} {files}.") })
            }
            Some(("call", id)) => self.bring_back(id.into()).await,
            _ => Err(conflict("There is nothing to restore here.")),
        }
    }

    /// It goes on to its end whoever stops listening.
    async fn bring_back(&self, call_id: CallId) -> Result<Restored, Error> {
        let (engine, (answer, answered)) = (self.clone(), oneshot::channel());
        self.effects.keeper.scope.spawn("something is brought back", async move {
            let done = engine.bring_back_now(call_id).await;
            if answer.send(done).is_err() {
                tracing::debug!("nobody waits any more for what was brought back");
            }
        });
        answered.await.map_err(|_| Error::new(ErrorKind::Unavailable, "The engine is ending."))?
    }

    async fn bring_back_now(&self, call_id: CallId) -> Result<Restored, Error> {
        let effect = self.effects.restores.ask(&asking(), BeginRestore { call_id: call_id.clone() }).await?;
        let done = self.call_restore_tool(&effect).await;
        let is_back = matches!(done, Ok(Restored::Tool { .. }));
        self.effects.restores.ask(&asking(), EndRestore { call_id, done: is_back }).await?;
        done
    }

    async fn call_restore_tool(&self, effect: &EffectRecord) -> Result<Restored, Error> {
        let arguments: Value = serde_json::from_str(&effect.arguments).unwrap_or_default();
        let way_back = self.gate.way_back(&Call::new(&effect.tool, &arguments));
        let Swapped { name, arguments } = way_back.ok_or_else(|| conflict("There is nothing to restore here."))?;
        // Pressing Restore is the person's yes to exactly this.
        let call = Call { approved: true, ..Call::new(&name, &arguments) };
        let judged = self.gate.judge(&Run::on(Surface::Window), &call);
        match (&judged.verdict, judged.outcome()) {
            (Verdict::Run { .. }, _) => (),
            (Verdict::HandOff(message), Some(outcome)) => {
                return Ok(Restored::HandedOff { ok: false, error: message.clone(), hand_off: outcome.result });
            }
            _ => return Err(conflict(&said(&judged))),
        }
        let tool = self.small.outside.tools.get(&name).ok_or_else(|| conflict("There is nothing to restore here."))?;
        let mut ctx = ToolCtx::new(self.world.now(), self.world.clock.zone(), Arc::new(|_| ()));
        ctx.key = format!("restore-{}", effect.call_id);
        let running = AssertUnwindSafe(tool.run(arguments, ctx)).catch_unwind();
        match timeout(RESTORE_TIME_MAX, running).await {
            Ok(Ok(outcome)) if !outcome.is_error => Ok(Restored::Tool { ok: true, result: outcome.result }),
            Ok(Ok(outcome)) => Err(conflict(&error_of(&outcome))),
            Ok(Err(_)) => Err(conflict("Restoring failed because of a fault in Sentient.")),
            Err(_) => Err(conflict("The app did not answer in time, so it is not known whether it was restored.")),
        }
    }
}

fn said(judged: &Judged) -> String {
    judged.outcome().map_or_else(|| "It could not be restored.".to_owned(), |outcome| error_of(&outcome))
}

fn error_of(outcome: &ToolOutcome) -> String {
    outcome.result["error"].as_str().unwrap_or("It could not be restored.").to_owned()
}
