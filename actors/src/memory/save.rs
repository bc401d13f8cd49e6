//! Saving: what is known already is looked up, code decides what it can, a model is asked only about the rest, and the role
//! writes what came of it. When no model answers, code alone decides; nothing is lost over that.

use super::commit::sees;
use super::decided::Decided;
use super::handle::asking;
use super::notice::NoModel;
use super::requests::{Commit, Kept, NewFact, SaveOrigin};
use super::{MemoryHandle, RecallAsk, looking};
use crate::completion::{Ask, Who};
use crate::stop::Work;
use protocol::config::Config;
use protocol::engine::ModelJob;
use protocol::memory::{SNIPPET_CHARS_MAX, Saved};
use protocol::memory_requests::MEMORY_CHARS_MAX;
use protocol::{Error, ErrorKind};
use rules::memory::{
    Analysis, BeforeModel, Candidate, Decision, Existing, ModelDecision, Offered, analysis, attribute, before_model,
    decide, decision, grounded, instruction, review, scope, subject,
};
use storage::records::{FactRecord, FactState, FactStatus};
use tokio::time::{Duration, timeout};
use tokio_util::sync::CancellationToken;

/// How often a save is judged again because memories changed meanwhile. Ours: saves come one after another, so only an
/// edit in the window can be in the way.
const JUDGED_MAX: usize = 4;
/// How long a save waits for those before it; after that it does without a model. Ours.
const LINE_WAIT_MAX: Duration = Duration::from_secs(60);
/// How long the model may take, its place in the queue included. Ours.
const CHECK_TIME_MAX: Duration = Duration::from_secs(45);
/// Tokens of the model's answer. Ours: one small JSON object.
const ANSWER_TOKENS_MAX: u32 = 600;
/// Nearest facts a new one is compared with (`memory.md` section 2).
const NEAREST_MAX: usize = 5;
/// Facts about the same person and attribute it is compared with besides (contract section 7).
const SAME_ATTRIBUTE_MAX: usize = 3;
/// Newest memories looked through for those. Ours: some thirty milliseconds.
const LOOKED_THROUGH_MAX: usize = 20_000;

impl MemoryHandle {
    /// Remembers something, or finds that it is known, and answers what came of it. The same words are kept once, however
    /// many save them; saving the same words of the same message again changes nothing.
    ///
    /// # Errors
    /// `Invalid` without words or with a scope that is none; a store that cannot be written.
    pub async fn save(&self, new: NewFact) -> Result<Saved, Error> {
        let new = prepared(new, &self.config())?;
        if self.is_known(&new)? {
            return self.keep(&new, Decided::Add { analysis: analysis::of(&new.content) }).await?.ok_or_else(too_busy);
        }
        let place = timeout(LINE_WAIT_MAX, self.saving.line.acquire()).await;
        for _ in 0..JUDGED_MAX {
            let decided = self.judged(&new, place.is_ok()).await?;
            if let Some(saved) = self.keep(&new, decided).await? {
                return Ok(saved);
            }
        }
        Err(too_busy())
    }

    /// What a text is about and how long it holds: by its words, or by a model when they do not say.
    pub async fn analysis(&self, content: &str) -> Analysis {
        let own = analysis::of(content);
        if !says_little(&own) {
            return own;
        }
        self.ask_model(content, SaveOrigin::Typed, &[]).await.map_or(own, |answer| answer.analysis)
    }

    async fn keep(&self, new: &NewFact, decided: Decided) -> Result<Option<Saved>, Error> {
        match self.memory.ask(&asking(), Commit { new: new.clone(), decided }).await? {
            Kept::Saved(saved) => Ok(Some(saved)),
            Kept::Changed => Ok(None),
        }
    }

    /// Whether these words are remembered where this save would see them.
    fn is_known(&self, new: &NewFact) -> Result<bool, Error> {
        let same = self.snapshot()?.facts_saying(&new.content)?;
        Ok(same.iter().any(|fact| fact.state != FactState::Superseded && sees(new, fact)))
    }

    async fn judged(&self, new: &NewFact, may_ask: bool) -> Result<Decided, Error> {
        let config = self.config();
        let owner = config.assistant.user_name.as_str();
        let known = self.known(new, owner).await?;
        let existing: Vec<Existing<'_>> = known
            .iter()
            .map(|(fact, similarity)| Existing {
                id: fact.id,
                content: &fact.content,
                similarity: *similarity,
                pending: fact.status == FactStatus::Pending,
            })
            .collect();
        let candidate = Candidate { content: &new.content, owner, held: new.hold.is_some() };
        let own = analysis::of(&new.content);
        let offered = match before_model(&candidate, &existing, config.memory.duplicate_similarity) {
            BeforeModel::Decided(decision) => return decided(decision, own, &known),
            BeforeModel::Ask(offered) => offered,
        };
        let worth_asking = !offered.is_empty() || says_little(&own);
        let model =
            if may_ask && worth_asking { self.ask_model(&new.content, new.origin, &offered).await } else { None };
        let decision = decide(&candidate, &existing, model.as_ref());
        decided(decision, model.map_or(own, |answer| answer.analysis), &known)
    }

    /// What a new fact is compared with, in its scope and in what is shared: the nearest, and those about the same person
    /// and attribute.
    async fn known(&self, new: &NewFact, owner: &str) -> Result<Vec<(FactRecord, f32)>, Error> {
        let ask = RecallAsk {
            text: new.content.clone(),
            scopes: Some(vec![new.scope.clone(), protocol::memory::SCOPE_ALWAYS.to_owned()]),
            sources: None,
            states: vec![FactState::Current, FactState::Disputed],
            limit: NEAREST_MAX,
        };
        let nearest = self.recall.facts(ask).await?;
        let mut known: Vec<(FactRecord, f32)> = nearest.into_iter().map(|near| (near.fact, near.similarity)).collect();
        let (new, owner) = (new.clone(), owner.to_owned());
        for fact in looking(self.store(), move |snapshot| same_attribute(snapshot, &new, &owner)).await? {
            if !known.iter().any(|(there, _)| there.id == fact.id) {
                known.push((fact, 0.0));
            }
        }
        Ok(known)
    }

    /// Asks the fast model, unless everything is stopped. `None`: code alone decides; the person hears of it once.
    async fn ask_model(&self, content: &str, origin: SaveOrigin, offered: &[Offered]) -> Option<ModelDecision> {
        let config = self.config();
        let cancel = CancellationToken::new();
        let stop = &self.saving.stop;
        let at_work = match job(origin) {
            ModelJob::Interactive => Some(stop.enter(Work::Background, cancel.clone(), stop.stops())),
            _ => stop.enter_by_itself(Work::Background, cancel.clone()).ok(),
        };
        let _at_work = at_work?;
        let ask = Ask {
            question: decision::prompt(content, &config.assistant.user_name, offered),
            job: job(origin),
            output_tokens_max: ANSWER_TOKENS_MAX,
            who: Who::Upkeep,
            then: Vec::new(),
        };
        let asked = timeout(CHECK_TIME_MAX, self.saving.asker.complete(&self.saving.world, ask));
        let answer = tokio::select! {
            biased;
            () = cancel.cancelled() => return None,
            answer = asked => answer,
        };
        let answer = answer.unwrap_or_else(|_| Err(Error::new(ErrorKind::Timeout, "The fast model took too long.")));
        let read = answer.and_then(|text| {
            let unread = || Error::new(ErrorKind::Upstream, "The fast model's answer could not be used.");
            decision::parse(&text, content).ok_or_else(unread)
        });
        match read {
            Ok(decision) => {
                self.model_works(NoModel::Check).await;
                Some(decision)
            }
            Err(why) => {
                self.no_model(NoModel::Check, &why).await;
                None
            }
        }
    }
}

/// Whether a fact's own words leave open what it is about, so that a model is asked even with nothing to compare.
fn says_little(analysis: &Analysis) -> bool {
    analysis.topics.iter().all(|topic| topic == "Miscellaneous")
}

/// Its place in the line for a local model: somebody waits for what they typed and for what a reply saves.
fn job(origin: SaveOrigin) -> ModelJob {
    match origin {
        SaveOrigin::Typed | SaveOrigin::Tool | SaveOrigin::App => ModelJob::Interactive,
        SaveOrigin::Chat | SaveOrigin::Onboarding | SaveOrigin::Import | SaveOrigin::Engine => ModelJob::Memory,
    }
}

/// A decision with the words it was judged by.
fn decided(decision: Decision, analysis: Analysis, known: &[(FactRecord, f32)]) -> Result<Decided, Error> {
    let seen = |id: u64| {
        let fact = known.iter().find(|(fact, _)| fact.id == id).map(|(fact, _)| fact.content.clone());
        fact.ok_or_else(|| Error::internal("a decision names a memory that was not offered"))
    };
    Ok(match decision {
        Decision::Add => Decided::Add { analysis },
        Decision::Update { id, content } => Decided::Update { id, seen: seen(id)?, content, analysis },
        Decision::Delete { id } => Decided::Delete { id, seen: seen(id)? },
        Decision::Skip { id } => Decided::Skip { id, seen: seen(id)? },
    })
}

/// Memories about the same person and the same attribute, newest first.
fn same_attribute(snapshot: &storage::Snapshot, new: &NewFact, owner: &str) -> Result<Vec<FactRecord>, Error> {
    let about = subject::of(&new.content, owner);
    let mut found = Vec::new();
    for fact in snapshot.all::<FactRecord>()?.rev().take(LOOKED_THROUGH_MAX) {
        let fact = fact?;
        let is_used = fact.status == FactStatus::Active || (new.hold.is_some() && fact.status == FactStatus::Pending);
        if !is_used || fact.state == FactState::Superseded || !sees(new, &fact) {
            continue;
        }
        let is_same = attribute::shared(&new.content, &fact.content)
            && subject::matches(&about, &subject::of(&fact.content, owner)) != subject::Match::Other;
        if is_same {
            found.push(fact);
            if found.len() == SAME_ATTRIBUTE_MAX {
                break;
            }
        }
    }
    Ok(found)
}

/// The fact as it will be kept: its words and scope checked, and whether it waits for review settled (rules 85 and 86,
/// "Instructions").
fn prepared(mut new: NewFact, config: &Config) -> Result<NewFact, Error> {
    new.content = new.content.split_whitespace().collect::<Vec<_>>().join(" ");
    if new.content.is_empty() {
        return Err(Error::invalid("A memory needs words."));
    }
    if new.content.chars().count() > MEMORY_CHARS_MAX {
        return Err(Error::invalid(format!("A memory has at most {MEMORY_CHARS_MAX} characters."))
            .hint("Say it in fewer words, or split it."));
    }
    new.scope = scope::parse(&new.scope).map_err(|error| Error::invalid(error.to_string()))?;
    let owner = config.assistant.user_name.as_str();
    let is_backed = !new.said.is_empty() && grounded::by(&new.content, &new.said, owner);
    new.hold = new.hold.filter(|_| !is_backed);
    let assistant = config.assistant.name.as_str();
    let is_from_chat = matches!(new.origin, SaveOrigin::Chat | SaveOrigin::Tool);
    if is_from_chat && instruction::shaped(&new.content, assistant) {
        let orders = new.said.iter().find(|said| instruction::shaped(said, assistant));
        let said = orders.or_else(|| new.said.first()).map_or("", String::as_str);
        let session = super::facts::chat_of(new.reference.as_ref());
        new.hold = Some(review::instruction(new.hold.take(), said, session.as_ref()));
    }
    if let Some(snippet) = new.hold.as_mut().and_then(|note| note.snippet.as_mut()) {
        *snippet = snippet.chars().take(SNIPPET_CHARS_MAX).collect();
    }
    Ok(new)
}

fn too_busy() -> Error {
    Error::new(ErrorKind::Busy, "Memories changed while this one was being checked.").hint("Try again in a moment.")
}
