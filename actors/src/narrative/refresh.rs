//! Writes a page anew: memories and the page before go to a model, and what comes back is a version or nothing.
//!
//! A job beside the role. A failing or stopped one leaves the page as it was; only the moment of the try is noted first, so
//! that a model that answers garbage is not asked over and over.

use super::handle::asking;
use super::{Keep, NarrativeHandle, Tried, ground};
use protocol::knowing::{NarrativeOutcome, NarrativeState, NarrativeTrigger};
use protocol::memory::{ReviewNote, SNIPPET_CHARS_MAX};
use protocol::{Error, ErrorKind};
use rules::memory::{DetailKind, details, instruction, names};
use rules::narrative::{Ask, Draft, Due, Ground, Unusable, accept, due, question};
use storage::records::SentenceRecord;
use storage::vectors::text_hash;

/// Tokens of an answer. Ours: the page and its JSON.
const OUTPUT_TOKENS_MAX: u32 = 2_000;

impl NarrativeHandle {
    /// Writes the page of a scope anew, when it is due.
    ///
    /// # Errors
    /// No model answered, or a store that cannot be read or written: the page stays as it is.
    pub async fn refresh(&self, of_scope: &str, trigger: NarrativeTrigger) -> Result<NarrativeOutcome, Error> {
        let _alone = self.line.acquire().await.map_err(|_| Error::internal("the line of pages is closed"))?;
        let config = self.means.config();
        let Some(material) = self.material(of_scope, trigger).await? else { return Ok(NarrativeOutcome::Unchanged) };
        let scope = of_scope.to_owned();
        self.role.ask(&asking(), Tried { scope: scope.clone(), read: None }).await?;
        let asked = question(&Ask {
            name: &config.assistant.user_name,
            scope: of_scope,
            facts: &material.facts,
            insights: &material.insights,
            before: &material.before,
            marks: &self.means.marks,
        });
        let answer = self.means.ask(config.user_model.role, asked, OUTPUT_TOKENS_MAX).await?;
        let owner = config.assistant.user_name.clone();
        let names_fit = |text: &str, ground: &str| names_fit(text, ground, &owner, of_scope);
        let is_instruction = |text: &str| instruction::shaped(text, &config.assistant.name);
        let grounds = (material.facts.as_slice(), material.insights.as_slice());
        let draft = match accept(&answer, grounds, &material.before, &names_fit, &is_instruction) {
            Ok(draft) => draft,
            Err(why) => {
                tracing::info!(?why, scope = of_scope, "an answer made no page, which stays as it was");
                return Ok(unusable(why));
            }
        };
        if draft.is_same {
            self.role.ask(&asking(), Tried { scope, read: Some(material.read) }).await?;
            return Ok(NarrativeOutcome::Unchanged);
        }
        let keep = Keep {
            scope,
            trigger,
            review: draft.held.as_ref().map(review_note),
            sentences: sentences(draft, &material.facts, &material.insights),
            read: material.read,
        };
        match self.role.ask(&asking(), keep).await? {
            Some(kept) if kept.state == NarrativeState::Held => Ok(NarrativeOutcome::Held),
            Some(_) => Ok(NarrativeOutcome::Written),
            None => Ok(NarrativeOutcome::Unchanged), // all of it was forgotten meanwhile
        }
    }

    /// What the page is written from; `None` when it is not due.
    async fn material(&self, of_scope: &str, trigger: NarrativeTrigger) -> Result<Option<ground::Material>, Error> {
        let now = self.means.world.now();
        let (store, scope) = (self.means.store().clone(), of_scope.to_owned());
        let read = tokio::task::spawn_blocking(move || ground::gather(&store.snapshot()?, &scope, now)).await;
        let material = read.map_err(|cause| Error::internal(format!("memories were not read: {cause}")))??;
        let is_due = due(&Due {
            trigger,
            facts: material.count,
            learned: material.learned,
            has_version: material.has_version,
            tried_at: material.tried_at,
            now,
        });
        let has_ground = !material.facts.is_empty() || !material.insights.is_empty();
        Ok((is_due && has_ground).then_some(material))
    }
}

fn unusable(why: Unusable) -> NarrativeOutcome {
    match why {
        Unusable::NotThePageAskedFor | Unusable::NothingRestsOnMemories => NarrativeOutcome::Unusable,
    }
}

/// What the person is told of a refresh.
pub(super) fn detail(outcome: NarrativeOutcome) -> &'static str {
    match outcome {
        NarrativeOutcome::Written => "The page was written anew.",
        NarrativeOutcome::Held => "The new version rests on what others wrote, so it waits for your review.",
        NarrativeOutcome::Unchanged => "Nothing was learned that changes the page.",
        NarrativeOutcome::Unusable => {
            "The model's answer could not be used, so the page stays as it was. Try again, or pick another model in Settings \
             > Models."
        }
    }
}

/// Every name and place in the sentence is in its basis, or is the person's own or the project's.
fn names_fit(text: &str, ground: &str, owner: &str, of_scope: &str) -> bool {
    let named = details(text).into_iter().filter(|one| matches!(one.kind, DetailKind::Name | DetailKind::Place));
    named.into_iter().all(|one| {
        let is_owners = !owner.trim().is_empty() && names::same(&one.text, owner);
        is_owners || one.is_said(ground) || one.is_said(of_scope)
    })
}

fn review_note((from, words): &(String, String)) -> String {
    let note = ReviewNote {
        from: from.clone(),
        snippet: Some(words.chars().take(SNIPPET_CHARS_MAX).collect()),
        ..ReviewNote::default()
    };
    // It holds no map, so writing it cannot fail.
    serde_json::to_string(&note).unwrap_or_default()
}

fn sentences(draft: Draft, facts: &[Ground], insights: &[Ground]) -> Vec<SentenceRecord> {
    let hashed = |ids: &[u64], grounds: &[Ground]| -> Vec<(u64, u64)> {
        let found = ids.iter().filter_map(|id| grounds.iter().find(|ground| ground.id == *id));
        found.map(|ground| (ground.id, text_hash(&ground.text))).collect()
    };
    let sentences = draft.sentences.into_iter().map(|sentence| SentenceRecord {
        facts: hashed(&sentence.facts, facts),
        insights: hashed(&sentence.insights, insights),
        text: sentence.text,
        outside: sentence.outside,
    });
    sentences.collect()
}

/// The scope a request names.
///
/// # Errors
/// `Invalid` for a name that is none, and for `always`, which has no page of its own.
pub(super) fn page_scope(name: Option<&str>) -> Result<String, Error> {
    match name.map(str::trim).filter(|name| !name.is_empty()) {
        None => Ok(protocol::memory::SCOPE_PERSONAL.to_owned()),
        Some(name) => {
            rules::memory::scope::parse_for_run(name).map_err(|error| Error::new(ErrorKind::Invalid, error.to_string()))
        }
    }
}
