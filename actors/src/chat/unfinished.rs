//! What is said of calls that a turn leaves without a result when it ends without going on: the journal knows which of
//! them were begun, and the chat says so.

use super::{Chat, Ended, NewRow};
use protocol::ids::CallId;
use protocol::sessions::{MessageRole, StoredCall};
use protocol::{Error, Timestamp};
use rules::effects::{Begun, left_over};
use storage::Snapshot;
use storage::records::{EffectRecord, EffectState, MessageRecord, TurnRecord};

/// How the journal's state counts for what is said.
pub(super) fn begun(effect: Option<&EffectRecord>) -> Begun {
    match effect.map(|effect| effect.state) {
        None => Begun::Never,
        Some(EffectState::Waiting | EffectState::NotSent) => Begun::Waiting,
        // Its result is written with the row that says so: a call without that row has not told how it went.
        Some(EffectState::Attempted | EffectState::Done | EffectState::Failed | EffectState::Unknown) => {
            Begun::OutcomeUnknown
        }
    }
}

impl Chat {
    /// The end of a turn that everything was stopped for, when the program ended before it could end itself.
    pub(super) fn stopped_before_a_crash(&self, turn: &TurnRecord, now: Timestamp) -> Result<Ended, Error> {
        let (mut rows, effects) = self.results_left_over(turn, now)?;
        let began = !rows.is_empty() || self.rows_of(turn, &self.parts.store.snapshot()?)?.len() > 1;
        if began {
            rows.push(NewRow { text: "(stopped)".to_owned(), ..NewRow::of(MessageRole::Assistant) });
        }
        Ok(Ended { rows, effects, has_answer: began, cancelled: true, ..Ended::default() })
    }

    /// A result for each call of the turn that has none, and what the journal says from now on of those that were begun.
    pub(super) fn results_left_over(
        &self,
        turn: &TurnRecord,
        now: Timestamp,
    ) -> Result<(Vec<NewRow>, Vec<EffectRecord>), Error> {
        let snapshot = self.parts.store.snapshot()?;
        let rows = self.rows_of(turn, &snapshot)?;
        let has_result = |id: &CallId| rows.iter().any(|row| row.tool_call_id.as_ref() == Some(id));
        let open: Vec<&StoredCall> =
            rows.iter().flat_map(|row| &row.tool_calls).filter(|call| !has_result(&call.id)).collect();
        let (mut results, mut effects) = (Vec::with_capacity(open.len()), Vec::new());
        for call in open {
            let effect = snapshot.get::<EffectRecord>(&call.id)?;
            let begun = begun(effect.as_ref());
            let outcome = left_over(begun);
            let state = if begun == Begun::Waiting { EffectState::NotSent } else { EffectState::Unknown };
            effects.extend(effect.map(|effect| EffectRecord { state, at: now, ..effect }));
            results.push(NewRow {
                text: rules::results::text(&outcome.result),
                call_id: Some(call.id.clone()),
                name: Some(call.function.name.clone()),
                is_error: outcome.is_error,
                ..NewRow::of(MessageRole::Tool)
            });
        }
        Ok((results, effects))
    }

    fn rows_of(&self, turn: &TurnRecord, snapshot: &Snapshot) -> Result<Vec<MessageRecord>, Error> {
        let place = |ordinal| (turn.session_id.clone(), ordinal);
        let rows = snapshot.range::<MessageRecord>(place(turn.first_ordinal)..=place(u64::MAX))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}
