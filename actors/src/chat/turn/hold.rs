//! Holds a send back for a few seconds, so that the person can still take it back (contract section 10, "Undo window").
//!
//! That it waits is in the journal before anybody hears of it. When the window ends the gate is asked again, also after
//! "Send now": a rule may have changed meanwhile.

use super::{Append, Outcome, Runner};
use crate::undo::{Hold, OpenWindow};
use protocol::chat::ChatEvent;
use protocol::ids::UndoId;
use protocol::undo::{UndoAction, UndoWindow};
use protocol::{Error, Timestamp};
use rules::gate::Verdict;
use rules::turn::Input;
use runtime::Outside;
use storage::records::{EffectRecord, EffectState};
use tokio::sync::oneshot;
use tokio::time::{Duration, Instant, sleep_until, timeout_at};

/// How long the broker may take to open a window.
const BROKER_WAIT: Duration = Duration::from_secs(10);

impl Runner {
    /// Opens the window of a call the gate lets run only after a while.
    pub(super) async fn hold(&mut self, index: usize) -> Result<(), Error> {
        let Some(call) = self.calls.get(index).cloned() else { return Ok(()) };
        let Some(judged) = call.judged.as_ref() else { return Err(Error::internal("a window without a verdict")) };
        let Verdict::Run { undo: Some(wait) } = judged.verdict else {
            return Err(Error::internal("a window without a time"));
        };
        let millis = i64::try_from(wait.as_millis()).unwrap_or(i64::MAX);
        let until = Timestamp(self.setting.world.now().as_millis().saturating_add(millis));
        let ends = Instant::now() + wait;
        let waiting = EffectRecord { until: Some(until), ..self.effect(&call, EffectState::Waiting) };
        let step = Append { effects: vec![waiting], ..self.step() };
        self.append(step).await?;
        self.calls[index].journaled = true;
        let window = UndoWindow {
            undo_id: UndoId(self.setting.world.id()),
            call_id: call.id.clone(),
            name: call.name.clone(),
            seconds: wait.as_secs(),
            until,
            preview: judged.preview.clone(),
        };
        let opened = OpenWindow {
            session_id: self.record.id.clone(),
            turn_id: self.setting.turn.turn_id.clone(),
            window: window.clone(),
        };
        let answer = self.setting.parts.undo.ask(&Outside::within(BROKER_WAIT), Hold(opened)).await?;
        self.tell(ChatEvent::UndoWindow(Box::new(window)));
        self.jobs.push(Box::pin(async move { Outcome::Held { call: index, action: waited(ends, answer).await } }));
        Ok(())
    }

    /// The window has ended, or was answered.
    pub(super) fn held(&mut self, index: usize, action: Option<UndoAction>) {
        let Some(call) = self.calls.get_mut(index) else { return };
        call.held = true;
        let goes = action != Some(UndoAction::Undo);
        if !goes {
            call.outcome = Some(rules::effects::undone());
        }
        self.feed(Input::Held { call: index, goes });
    }
}

/// The answer, or none by the end of the window. A broker that broke takes no answers any more; it does not end the
/// window early.
async fn waited(ends: Instant, answer: oneshot::Receiver<UndoAction>) -> Option<UndoAction> {
    match timeout_at(ends, answer).await {
        Ok(Ok(action)) => Some(action),
        Ok(Err(_)) => {
            sleep_until(ends).await;
            None
        }
        Err(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_window_ends_with_its_answer_or_its_time_and_not_with_the_broker() {
        let began = Instant::now();
        let ends = began + Duration::from_secs(10);
        let (answer, receiver) = oneshot::channel();
        answer.send(UndoAction::Undo).expect("somebody waits");
        assert_eq!(waited(ends, receiver).await, Some(UndoAction::Undo));
        assert_eq!(began.elapsed(), Duration::ZERO);
        let (broken, receiver) = oneshot::channel();
        drop(broken);
        assert_eq!(waited(ends, receiver).await, None);
        assert_eq!(began.elapsed(), Duration::from_secs(10));
        let (_open, receiver) = oneshot::channel();
        assert_eq!(waited(ends + Duration::from_secs(1), receiver).await, None);
        assert_eq!(began.elapsed(), Duration::from_secs(11));
    }
}
