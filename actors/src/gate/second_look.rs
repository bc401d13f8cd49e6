//! Takes the second look (`rules::second_look`) at a call that could move data out: gathers what it is compared with, asks
//! where a reply goes, and asks a model when code has found nothing. Every surface that runs tools uses this one.
//!
//! It fails closed: what cannot be found out in time is a question to the person, never a silent yes.

use super::{Call, Gate, Judged, Run};
use crate::chat::ChatParts;
use crate::completion::{Ask, Who, complete};
use futures::future::BoxFuture;
use protocol::engine::ModelJob;
use protocol::model::ModelName;
use protocol::sessions::MessageRole;
use protocol::tools::{Destination, Risk};
use rules::gate::Verdict;
use rules::prompt::Said;
use rules::second_look::question::{ANSWER_SECONDS_MAX, ANSWER_TOKENS_MAX, Answer, question, read};
use rules::second_look::{COULD_NOT_CHECK, Look, OutsideText, Trusted, asks_model, from_model, look};
use runtime::World;
use serde_json::Value;
use std::sync::Arc;
use tokio::time::{Duration, timeout};

/// How long a tool may take to say where a reply goes (contract section 10).
const DESTINATIONS_WAIT: Duration = Duration::from_secs(20);
const MODEL_WAIT: Duration = Duration::from_secs(ANSWER_SECONDS_MAX);
/// The address book: others can be in it, but the person keeps it (contract section 10).
const ADDRESS_BOOK: &str = "gpeople";

/// What a call is compared with: everything the run has read, by who wrote it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Material {
    /// What the person wrote or said, oldest first.
    pub(crate) words: Vec<String>,
    pub(crate) own_name: String,
    /// Records that count like the person's word, and whether outside content was read before them.
    pub(crate) trusted: Vec<(String, bool)>,
    pub(crate) outside: Vec<Theirs>,
}

/// Something others wrote.
#[derive(Clone, Debug)]
pub(crate) struct Theirs {
    pub(crate) source: String,
    pub(crate) text: String,
    /// A tool's result, and not a message inside the chat.
    pub(crate) is_result: bool,
}

impl Material {
    /// Sorts a transcript by who wrote what. `system` is the chat's system prompt.
    pub(crate) fn of_transcript(gate: &Gate, said: &[Said], system: String) -> Self {
        let own_name = gate.config.borrow().assistant.user_name.clone();
        let mut material = Self { own_name, trusted: vec![(system, false)], ..Self::default() };
        for said in said {
            match said.role {
                // The words of another app's user come under its name, and are that app's.
                MessageRole::User if said.name.is_none() => material.words.push(said.text.clone()),
                MessageRole::User => material.others(said.name.clone().unwrap_or_default(), said.text.clone(), false),
                MessageRole::Other => {
                    let writer = rules::prompt::group_source(said.name.as_deref().unwrap_or("someone"));
                    material.others(writer, said.text.clone(), false);
                }
                MessageRole::Tool => material.result(gate, said),
                MessageRole::Assistant | MessageRole::Event => (),
            }
        }
        material
    }

    /// Adds something others wrote.
    pub(crate) fn others(&mut self, source: String, text: String, is_result: bool) {
        self.outside.push(Theirs { source, text, is_result });
    }

    fn result(&mut self, gate: &Gate, said: &Said) {
        let name = said.name.as_deref().unwrap_or_default();
        let spec = gate.tools.get(name).map(|tool| tool.spec());
        let is_address_book = spec.as_ref().is_some_and(|spec| spec.plugin == ADDRESS_BOOK && spec.risk == Risk::Read);
        if !said.outside.is_empty() && !is_address_book {
            return self.others(said.outside.clone(), said.text.clone(), true);
        }
        // Only a look-up is a record. What a call that does something answers can be no more than its own arguments.
        if is_address_book || spec.is_some_and(|spec| spec.risk == Risk::Read && !spec.untrusted_output) {
            self.trusted.push((said.text.clone(), !self.outside.is_empty()));
        }
    }
}

/// A call that is looked at again, with all that takes.
pub(crate) struct Seen {
    name: String,
    arguments: Value,
    /// What the card says the call is.
    wording: String,
    risk: Risk,
    asks_model: bool,
    destinations: Option<BoxFuture<'static, Result<Vec<Destination>, String>>>,
    material: Material,
}

impl Gate {
    /// The call as a second look sees it; `None` when it takes none: it reaches nobody, or it does not run anyway.
    pub(crate) fn seen(
        &self,
        run: &Run<'_>,
        judged: &Judged,
        call: &Call<'_>,
        material: impl FnOnce() -> Material,
    ) -> Option<Seen> {
        let would_run = match judged.verdict {
            Verdict::Run { .. } => true,
            Verdict::Ask(_) => false,
            _ => return None,
        };
        let tool = self.tools.get(call.name).filter(|_| judged.sends_out)?;
        let read_outside = run.outside.is_some_and(|source| !source.is_empty());
        let with_model = self.config.borrow().tools.approvals.second_look_model;
        let words = &judged.words;
        let target = words.target.as_deref().map(|target| format!(": {target}")).unwrap_or_default();
        Some(Seen {
            name: call.name.to_owned(),
            arguments: call.arguments.clone(),
            wording: format!("{} in {} ({}{target})", words.tool, words.app, words.risk_label),
            risk: judged.risk,
            asks_model: with_model && asks_model(judged.internal, judged.risk, would_run, read_outside),
            destinations: tool.destinations(call.arguments),
            material: material(),
        })
    }
}

/// Looks. The sentence says what is odd, if something is. `then` are models asked when no fast one answers.
pub(crate) async fn second_look(
    parts: &Arc<ChatParts>,
    world: &World,
    seen: Seen,
    then: Vec<ModelName>,
) -> Option<String> {
    let Seen { name, arguments, wording, risk, asks_model, destinations, material } = seen;
    let destinations = match destinations {
        Some(reading) => Some(timeout(DESTINATIONS_WAIT, reading).await.ok().and_then(|read| match read {
            Ok(destinations) => Some(destinations),
            Err(why) => {
                tracing::info!(tool = name, why, "where a reply goes could not be read");
                None
            }
        })),
        None => None,
    };
    let found = by_code(&name, &arguments, risk, destinations.as_ref().map(Option::as_deref), &material);
    if found.is_some() || !asks_model {
        return found;
    }
    let question = question(&material.words.join("\n"), &wording, &arguments);
    let ask =
        Ask { question, job: ModelJob::Interactive, output_tokens_max: ANSWER_TOKENS_MAX, who: Who::Upkeep, then };
    let answer = timeout(MODEL_WAIT, complete(parts, world, ask)).await;
    match answer.ok().and_then(Result::ok).as_deref().and_then(read) {
        Some(Answer::Fits) => None,
        Some(Answer::Odd(reason)) => Some(from_model(&reason)),
        None => Some(COULD_NOT_CHECK.to_owned()),
    }
}

fn by_code(
    name: &str,
    arguments: &Value,
    risk: Risk,
    destinations: Option<Option<&[Destination]>>,
    material: &Material,
) -> Option<String> {
    let words: Vec<&str> = material.words.iter().map(String::as_str).collect();
    let trusted: Vec<Trusted<'_>> =
        material.trusted.iter().map(|(text, is_later)| Trusted { text, is_later: *is_later }).collect();
    let outside: Vec<OutsideText<'_>> = material
        .outside
        .iter()
        .map(|theirs| OutsideText { source: &theirs.source, text: &theirs.text, is_result: theirs.is_result })
        .collect();
    look(&Look {
        tool: name,
        arguments: Some(arguments),
        risk,
        words: &words,
        own_name: &material.own_name,
        trusted: &trusted,
        outside: &outside,
        destinations,
    })
}
