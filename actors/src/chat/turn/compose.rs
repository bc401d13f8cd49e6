//! The end of a reply: the row that is kept, and the words for the ends that have none of their own.

use super::{Append, Runner};
use crate::chat::{Ended, NewRow};
use protocol::Error;
use protocol::chat::{ChatEvent, ErrorCode};
use protocol::model::ModelErrorKind;
use protocol::sessions::MessageRole;
use rules::turn::{Budget, End};
use storage::records::EffectRecord;

/// Findings listed when no answer came. Ours.
const FINDINGS_MAX: usize = 5;
/// Characters of one finding. Ours.
const FINDING_CHARS_MAX: usize = 300;

impl Runner {
    /// An answer that a steer message follows is a message of its own.
    pub(super) async fn keep_answer(&mut self) -> Result<(), Error> {
        let row = self.answer_row(self.round.text.clone());
        let step = Append { rows: vec![row], ..self.step() };
        self.append(step).await.map(drop)
    }

    fn answer_row(&self, text: String) -> NewRow {
        let sources = self.sources_of(&text);
        NewRow {
            text,
            thinking: (!self.round.thinking.is_empty()).then(|| self.round.thinking.clone()),
            memory_sources: self.memory_sources.clone(),
            sources,
            ..NewRow::of(MessageRole::Assistant)
        }
    }

    pub(super) async fn finish(&mut self, end: End) -> Ended {
        let usage = std::mem::take(&mut self.usage);
        let mut ended = match end {
            End::Answered => self.answered(self.round.text.clone()),
            End::Stopped => self.stopped(),
            End::Repeated if self.setting.errand.is_some() => Ended::failed(self.repeated()),
            End::Repeated => self.said(
                "I stopped because I kept repeating the same step with the same result. Tell me how you would like to \
                 go on."
                    .to_owned(),
            ),
            End::Findings => self.said(self.findings()),
            End::Empty => Ended::failed(format!(
                "{} gave an empty answer. Send the message again, or pick another model in Settings > Models.",
                self.model_name()
            )),
            End::UsedUp(budget) => Ended::failed(self.used_up(budget)),
            End::Failed => self.failed(),
        };
        ended.usage = usage;
        ended
    }

    fn answered(&self, text: String) -> Ended {
        Ended { rows: vec![self.answer_row(text)], has_answer: true, ..Ended::default() }
    }

    /// Words of the engine's own: shown like an answer and kept as one.
    fn said(&self, text: String) -> Ended {
        self.tell(ChatEvent::TextDelta { text: text.clone() });
        self.answered(text)
    }

    /// What was written so far is kept; calls without a result get one, so that the chat can go on, and the journal says
    /// of each that was begun how far it came.
    fn stopped(&mut self) -> Ended {
        let (mut rows, effects) = self.unrecorded_results();
        let began = !self.round.text.trim().is_empty() || !rows.is_empty() || self.wrote_before();
        if began {
            let text = self.round.text.trim_end();
            let text = match (text.is_empty(), rows.is_empty()) {
                (false, true) => format!("{text}\n\n(stopped)"),
                _ => "(stopped)".to_owned(),
            };
            rows.push(self.answer_row(text));
        }
        Ended { has_answer: began, rows, effects, cancelled: true, ..Ended::default() }
    }

    /// Whether an earlier round of this turn is stored.
    fn wrote_before(&self) -> bool {
        self.said.iter().any(|said| said.ordinal >= self.setting.first_ordinal && said.role == MessageRole::Assistant)
    }

    fn unrecorded_results(&mut self) -> (Vec<NewRow>, Vec<EffectRecord>) {
        let stored: Vec<bool> = self.calls.iter().map(|call| self.is_stored(call)).collect();
        let mut rows = Vec::new();
        for call in self.calls.iter_mut().zip(stored).filter(|(_, stored)| *stored).map(|(call, _)| call) {
            if call.recorded {
                continue;
            }
            let has_result = call.outcome.is_some();
            call.unknown |= call.ran && call.journaled && !has_result;
            let outcome = call.outcome.clone().unwrap_or_else(|| rules::effects::stopped(call.how_far()));
            rows.push(NewRow {
                text: rules::results::text(&outcome.result),
                call_id: Some(call.id.clone()),
                name: Some(call.name.clone()),
                is_error: outcome.is_error,
                approval: call.approval.clone(),
                ..NewRow::of(MessageRole::Tool)
            });
            call.outcome = Some(outcome);
        }
        let open = self.calls.iter().filter(|call| call.journaled && !call.recorded);
        let effects = open.filter_map(|call| Some(self.effect(call, call.settled(call.outcome.as_ref()?)))).collect();
        (rows, effects)
    }

    fn is_stored(&self, call: &super::call::RoundCall) -> bool {
        self.said.iter().any(|said| said.calls.iter().any(|stored| stored.id == call.id))
    }

    /// What calls of this turn found, when the model made no answer of it.
    fn findings(&self) -> String {
        // The sentence is fixed by the contract (strings.tsv, findings_prefix).
        let mut text = "I couldn't put together a full answer, so here is what I found:".to_owned();
        let results = self.said.iter().filter(|said| {
            said.ordinal >= self.setting.first_ordinal
                && said.role == MessageRole::Tool
                && !said.text.starts_with("{\"error\"")
        });
        for said in results.rev_limited(FINDINGS_MAX) {
            let short: String = said.text.split_whitespace().collect::<Vec<_>>().join(" ");
            let short: String = short.chars().take(FINDING_CHARS_MAX).collect();
            text += &format!("\n- {}: {short}", rules::gate::plain_name(said.name.as_deref().unwrap_or_default(), ""));
        }
        text
    }

    fn failed(&self) -> Ended {
        let Some(error) = &self.last_error else {
            return Ended::failed("The model could not answer.");
        };
        let code = match error.kind {
            ModelErrorKind::LocalOnly => Some(ErrorCode::LocalOnly),
            ModelErrorKind::BudgetReached => Some(ErrorCode::BudgetReached),
            _ => None,
        };
        Ended { code, ..Ended::failed(error.message.clone()) }
    }

    fn used_up(&self, budget: Budget) -> String {
        let limits = self.setting.errand.as_ref().map(|errand| errand.limits).unwrap_or_default();
        rules::subagents::used_up(budget, &limits, self.spent)
    }

    /// Which step of a helper kept repeating.
    fn repeated(&self) -> String {
        let call = self.machine.repeated_call().and_then(|index| self.calls.get(index));
        let tool = call.map_or("a tool", |call| call.name.as_str());
        rules::subagents::repeated(tool, self.facts.limits.repeat_limit)
    }

    fn model_name(&self) -> String {
        let candidate = self.facts.candidates.get(self.machine.candidate());
        candidate.map_or_else(|| "The model".into(), |candidate| candidate.model.model().to_owned())
    }
}

/// The last few of an iterator, in order.
trait RevLimited: Iterator + Sized {
    fn rev_limited(self, max: usize) -> Vec<Self::Item> {
        let mut all: Vec<Self::Item> = self.collect();
        all.split_off(all.len().saturating_sub(max))
    }
}

impl<I: Iterator> RevLimited for I {}
