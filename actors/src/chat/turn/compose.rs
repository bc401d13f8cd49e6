//! The end of a reply: the row that is kept, and the words for the ends that have none of their own.

use super::{Append, Runner};
use crate::chat::{Ended, NewRow};
use protocol::Error;
use protocol::chat::{ChatEvent, ErrorCode};
use protocol::model::ModelErrorKind;
use protocol::sessions::MessageRole;
use protocol::tools::ToolOutcome;
use rules::turn::End;
use serde_json::json;

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
        NewRow {
            text,
            thinking: (!self.round.thinking.is_empty()).then(|| self.round.thinking.clone()),
            memory_sources: self.memory_sources.clone(),
            sources: self.sources.clone(),
            ..NewRow::of(MessageRole::Assistant)
        }
    }

    pub(super) async fn finish(&mut self, end: End) -> Ended {
        let usage = std::mem::take(&mut self.usage);
        let mut ended = match end {
            End::Answered => self.answered(self.round.text.clone()),
            End::Stopped => self.stopped(),
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

    /// What was written so far is kept; calls without a result get one, so that the chat can go on.
    fn stopped(&self) -> Ended {
        let mut rows: Vec<NewRow> = self.unrecorded_results();
        let began = !self.round.text.trim().is_empty() || !rows.is_empty() || self.wrote_before();
        if began {
            let text = self.round.text.trim_end();
            let text = match (text.is_empty(), rows.is_empty()) {
                (false, true) => format!("{text}\n\n(stopped)"),
                _ => "(stopped)".to_owned(),
            };
            rows.push(self.answer_row(text));
        }
        Ended { has_answer: began, rows, cancelled: true, ..Ended::default() }
    }

    /// Whether an earlier round of this turn is stored.
    fn wrote_before(&self) -> bool {
        self.said.iter().any(|said| said.ordinal >= self.setting.first_ordinal && said.role == MessageRole::Assistant)
    }

    fn unrecorded_results(&self) -> Vec<NewRow> {
        let open = self.calls.iter().filter(|call| !call.recorded && self.is_stored(call));
        open.map(|call| {
            let outcome = call.outcome.clone().unwrap_or_else(|| {
                let unknown = call.ran && call.journaled;
                let error = if unknown {
                    "Stopped by the user while it ran, so it is not known whether it went through."
                } else {
                    "Stopped by the user before it was done."
                };
                ToolOutcome { result: json!({ "error": error, "stopped": true }), is_error: true }
            });
            NewRow {
                text: rules::results::text(&outcome.result),
                call_id: Some(call.id.clone()),
                name: Some(call.name.clone()),
                is_error: outcome.is_error,
                approval: call.approval.clone(),
                ..NewRow::of(MessageRole::Tool)
            }
        })
        .collect()
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
