//! Takes the second look at a call of this reply, and keeps what it found with the call.

use super::{Outcome, Runner};
use crate::gate::Judged;
use crate::gate::second_look::{Material, second_look};
use rules::prompt::Attached;
use storage::records::{FactRecord, FactState, FactStatus};

/// Memories a second look compares a call with. Ours.
const MEMORIES_MAX: usize = 2_000;

impl Runner {
    /// Begins to look, when this call takes a second look and has had none. Whether it has begun.
    pub(super) fn begin_look(&mut self, index: usize, judged: &Judged) -> bool {
        let call = &self.calls[index];
        if call.looked {
            return false;
        }
        let gate = &self.setting.parts.gate;
        let Some(seen) = gate.seen(&self.run(&[]), judged, &call.for_the_gate(), || self.material()) else {
            return false;
        };
        let (parts, world) = (self.setting.parts.clone(), self.setting.world.clone());
        let then = self.facts.candidates.iter().map(|candidate| candidate.model.clone()).collect();
        self.jobs.push(Box::pin(async move {
            let warning = second_look(&parts, &world, seen, then).await;
            Outcome::Looked { call: index, warning }
        }));
        true
    }

    /// What came of it. The call is put to the gate again with it.
    pub(super) fn looked(&mut self, index: usize, warning: Option<String>) {
        let Some(call) = self.calls.get_mut(index) else { return };
        call.looked = true;
        call.warning = warning;
        self.judge(index);
    }

    /// Memories that name an address or a number: they count like the person's word (contract section 10). Only what is in
    /// use and what this chat may read.
    fn addresses_remembered(&self) -> impl Iterator<Item = String> {
        let scopes = self.occasion().read_scopes();
        let snapshot = self.facts.memory.reads.then(|| self.setting.parts.memories.snapshot().ok()).flatten();
        let rows = snapshot.and_then(|snapshot| snapshot.all::<FactRecord>().ok()).into_iter().flatten();
        let usable = rows.filter_map(Result::ok).filter(move |fact| {
            let is_used = fact.status == FactStatus::Active && fact.state == FactState::Current;
            let names_one =
                fact.content.contains('@') || fact.content.chars().filter(char::is_ascii_digit).count() >= 5;
            is_used && names_one && scopes.contains(&fact.scope)
        });
        usable.map(|fact| fact.content).take(MEMORIES_MAX)
    }

    /// What the chat has read so far, by who wrote it.
    fn material(&self) -> Material {
        let system = self.facts.system.clone();
        let mut material = Material::of_transcript(&self.setting.parts.gate, &self.said, system);
        if let Some(errand) = &self.setting.errand {
            material.words.clone_from(&errand.words);
        }
        for attached in &self.attached {
            if let Attached::Text { name, text } = attached
                && let Some(source) = rules::outside::attachment_source(name)
            {
                material.others(source.to_owned(), text.clone(), false);
            }
        }
        material.trusted.extend(self.addresses_remembered().map(|text| (text, false)));
        let summary = self.record.summary.as_ref().filter(|summary| !summary.untrusted.is_empty());
        if let Some(summary) = summary {
            material.others(summary.untrusted.clone(), summary.text.clone(), false);
        }
        material
    }
}
