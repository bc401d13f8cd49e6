//! Puts a call of this reply to the gate.

use super::Runner;
use super::call::RoundCall;
use crate::gate::{Call, Judged, Run};
use protocol::sessions::MessageRole;
use protocol::tools::Risk;
use rules::gate::Verdict;
use rules::turn::{Input, Ruling};
use storage::records::MessageRecord;

impl Runner {
    /// Asks the gate. Settings are read now, so a rule changed a moment ago counts.
    pub(super) fn judge(&mut self, index: usize) {
        let Some(call) = self.calls.get(index) else { return };
        if call.outcome.is_some() {
            // Found in the store as begun and not settled: it is not begun again.
            self.calls[index].judged = None;
            self.feed(Input::Judged { call: index, ruling: Ruling::Refuse });
            return;
        }
        let judged = self.judged(call);
        let ruling = match &judged.verdict {
            Verdict::Run { .. } => Ruling::Run { beside: judged.risk == Risk::Read && !call.approved },
            Verdict::Ask(_) => Ruling::Ask,
            Verdict::HandOff(_) | Verdict::Swap(_) | Verdict::Note | Verdict::Refuse(_) => Ruling::Refuse,
        };
        self.calls[index].judged = Some(judged);
        self.feed(Input::Judged { call: index, ruling });
    }

    fn judged(&self, call: &RoundCall) -> Judged {
        let run = Run {
            outside: self.outside_at_round.as_deref(),
            words: &self.words,
            without_memory: !self.facts.memory,
            ..Run::of_chat(&self.record, &self.setting.turn.channel)
        };
        self.setting.parts.gate.judge(&run, &call.for_the_gate())
    }
}

impl RoundCall {
    pub(super) fn for_the_gate(&self) -> Call<'_> {
        Call {
            bad_arguments: self.bad_arguments.as_deref(),
            approved: self.approved,
            ..Call::new(&self.name, &self.arguments)
        }
    }
}

/// What the person said, as typed or spoken, in messages of one turn.
pub(super) fn words<'a>(rows: impl IntoIterator<Item = &'a MessageRecord>) -> impl Iterator<Item = String> {
    let own = rows.into_iter().filter(|row| row.role == MessageRole::User && row.name.is_none());
    own.map(|row| row.content.clone()).collect::<Vec<_>>().into_iter()
}
