//! Puts a call of this reply to the gate.

use super::Runner;
use super::call::RoundCall;
use crate::gate::{Call, Judged, Run};
use protocol::ids::MessageId;
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
        if self.unknown.contains(&call.fingerprint()) {
            let outcome = Some(rules::effects::outcome_still_unknown());
            self.calls[index].outcome = outcome;
            self.feed(Input::Judged { call: index, ruling: Ruling::Refuse });
            return;
        }
        if let Some(why) = self.not_given(&call.name) {
            self.calls[index].bad_arguments = Some(why);
        }
        let judged = self.judged(&self.calls[index]);
        if self.begin_look(index, &judged) {
            return; // it is judged again with what the look finds
        }
        let call = &self.calls[index];
        let ruling = match &judged.verdict {
            Verdict::Run { undo: Some(_) } if !call.held => Ruling::Hold,
            Verdict::Run { .. } => Ruling::Run { beside: judged.risk == Risk::Read && !call.approved },
            Verdict::Ask(_) => Ruling::Ask,
            Verdict::HandOff(_) | Verdict::Swap(_) | Verdict::Note | Verdict::Refuse(_) => Ruling::Refuse,
        };
        self.calls[index].judged = Some(judged);
        self.feed(Input::Judged { call: index, ruling });
    }

    /// A helper has only the tools it was given, whatever names its model writes.
    fn not_given(&self, name: &str) -> Option<String> {
        let errand = self.setting.errand.as_ref()?;
        let plugin = self.setting.parts.tools.get(name)?.spec().plugin;
        let given = rules::subagents::is_offered(name, plugin, errand.tools.as_deref());
        (!given).then(|| format!("This helper does not have the tool {name}. Say in your report what is left to do."))
    }

    /// Whether the gate still lets the call run, by the rules of this moment.
    pub(super) fn still_runs(&mut self, index: usize) -> bool {
        let judged = self.judged(&self.calls[index]);
        let runs = matches!(judged.verdict, Verdict::Run { .. });
        if !runs {
            self.calls[index].judged = Some(judged);
        }
        runs
    }

    /// The call, or the trash version that takes its place, before it is stored or shown (contract section 10, "Trash
    /// instead of delete").
    pub(super) fn swapped(&self, call: RoundCall) -> RoundCall {
        match self.judged(&call) {
            Judged { verdict: Verdict::Swap(_), swapped: Some(swapped), .. } => RoundCall {
                name: swapped.name,
                arguments: swapped.arguments,
                instead_of: Some(call.name.clone()),
                ..call
            },
            _ => call,
        }
    }

    fn judged(&self, call: &RoundCall) -> Judged {
        let visited = self.visited_for(call);
        self.setting.parts.gate.judge(&self.run(&visited), &call.for_the_gate())
    }

    /// The run a call belongs to; `visited` are the hosts it may hand data to.
    pub(super) fn run<'a>(&'a self, visited: &'a [String]) -> Run<'a> {
        Run {
            visited_hosts: visited,
            outside: self.outside_at_round.as_deref(),
            words: &self.words,
            memory: self.facts.memory,
            unprompted: self.setting.errand.as_ref().is_some_and(|errand| errand.unprompted),
            ..Run::of_chat(&self.record, &self.setting.turn.channel)
        }
    }
}

impl RoundCall {
    pub(super) fn for_the_gate(&self) -> Call<'_> {
        Call {
            bad_arguments: self.bad_arguments.as_deref(),
            warning: self.warning.as_deref(),
            approved: self.approved,
            ..Call::new(&self.name, &self.arguments)
        }
    }
}

/// What the person said, as typed or spoken, in messages of one turn.
pub(super) fn words<'a>(
    rows: impl IntoIterator<Item = &'a MessageRecord>,
) -> impl Iterator<Item = (MessageId, String)> {
    let own = rows.into_iter().filter(|row| row.role == MessageRole::User && row.name.is_none());
    own.map(|row| (row.id.clone(), row.content.clone()))
}
