//! What a new fact does to the ones that are known: it is added, it updates one, it deletes one, or it is skipped
//! (contract section 7; rule 82).
//!
//! The order is fixed. Code first: the same words, a correction, a new home, a near-duplicate, a fact that says no more than
//! a known one. Then, only when code cannot tell, a model, which is offered no fact about somebody else. Then code again:
//! the model can overwrite nobody else's fact, lose no name, place or number, and skip nothing that is new. Without a
//! model what code cannot tell is added.

use super::details::{Detail, DetailKind, in_text};
use super::subject::{self, Match};
use super::words::{meaningful, negative, spelling};
use super::{analysis, attribute, correction, cover, residence, wishes};
use protocol::memory::SaveAction;
use std::collections::BTreeSet;

/// A fact that is to be saved.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'a> {
    pub content: &'a str,
    /// The person's name as the settings have it; may be empty.
    pub owner: &'a str,
    /// It will wait for review: it may be skipped, and never updates or deletes another.
    pub held: bool,
}

/// A known fact in the candidate's scope or `always`: the nearest ones, and those about the same attribute.
#[derive(Clone, Copy, Debug)]
pub struct Existing<'a> {
    pub id: u64,
    pub content: &'a str,
    /// Cosine with the candidate; 0 when there is no search by meaning.
    pub similarity: f32,
    /// It waits for review itself: only a held candidate is compared with it.
    pub pending: bool,
}

/// What becomes of the candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    Add,
    /// `content` is what the known fact says from now on.
    Update {
        id: u64,
        content: String,
    },
    Delete {
        id: u64,
    },
    /// The known fact `id` says it already.
    Skip {
        id: u64,
    },
}

/// What a model answered, read by [`super::decision::parse`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelDecision {
    pub action: SaveAction,
    pub id: Option<u64>,
    /// Its wording of the updated fact.
    pub content: Option<String>,
    pub analysis: analysis::Analysis,
}

/// A known fact as a model is shown it.
#[derive(Clone, Debug, PartialEq)]
pub struct Offered {
    pub id: u64,
    pub content: String,
    pub similarity: f32,
    pub same_subject_attribute: bool,
    pub changes_value: bool,
}

/// What code can tell before a model is asked.
#[derive(Clone, Debug, PartialEq)]
pub enum BeforeModel {
    Decided(Decision),
    /// A model has to look at these; empty: there is nothing to compare with, so it is asked for topics only.
    Ask(Vec<Offered>),
}

/// Known facts offered to a model. Five by likeness and three by attribute (`memory.md` section 2).
const OFFERED_MAX: usize = 8;
/// The least likeness a fact is offered for, unless it is about the same attribute.
const OFFERED_SIMILARITY_MIN: f32 = 0.5;

/// Decides in code, or says which known facts a model has to look at. `duplicate_similarity` is the setting of that name.
pub fn before_model(candidate: &Candidate<'_>, existing: &[Existing<'_>], duplicate_similarity: f64) -> BeforeModel {
    if let Some(decision) = in_code(candidate, existing, duplicate_similarity) {
        return BeforeModel::Decided(decision);
    }
    if candidate.held {
        return BeforeModel::Decided(Decision::Add);
    }
    BeforeModel::Ask(offered(candidate, existing))
}

/// The whole decision; `model` is `None` when none was asked or none answered.
pub fn decide(candidate: &Candidate<'_>, existing: &[Existing<'_>], model: Option<&ModelDecision>) -> Decision {
    // What a near-duplicate by meaning is was decided before the model was asked.
    if let Some(decision) = in_code(candidate, existing, f64::INFINITY) {
        return decision;
    }
    let Some(model) = model.filter(|_| !candidate.held) else { return Decision::Add };
    let Some(known) = model.id.and_then(|id| visible(candidate, existing).find(|known| known.id == id)) else {
        return Decision::Add;
    };
    if about(candidate, known) == Match::Other || wishes::differ(candidate.content, known.content, candidate.owner) {
        return Decision::Add;
    }
    match model.action {
        SaveAction::Add => Decision::Add,
        SaveAction::Skip
            if cover::new_details(known.content, candidate.content, candidate.owner).is_empty()
                && same_sense(candidate, known) =>
        {
            Decision::Skip { id: known.id }
        }
        SaveAction::Skip => Decision::Add,
        SaveAction::Delete if takes_back(candidate, known) => Decision::Delete { id: known.id },
        SaveAction::Delete => Decision::Add,
        SaveAction::Update => updated(candidate, known, model.content.as_deref())
            .map_or(Decision::Add, |content| Decision::Update { id: known.id, content }),
    }
}

fn in_code(candidate: &Candidate<'_>, existing: &[Existing<'_>], duplicate_similarity: f64) -> Option<Decision> {
    let new = spelling(candidate.content);
    if let Some(known) = visible(candidate, existing).find(|known| spelling(known.content) == new) {
        return Some(Decision::Skip { id: known.id });
    }
    let owner = candidate.owner;
    if !candidate.held {
        let corrects = |known: &&Existing<'_>| {
            correction::find(candidate.content, known.content, owner).map(|found| (known.id, found.content))
        };
        let moves = |known: &&Existing<'_>| {
            residence::moved(candidate.content, known.content, owner).map(|content| (known.id, content))
        };
        let changed = visible(candidate, existing)
            .find_map(|known| corrects(&known))
            .or_else(|| visible(candidate, existing).find_map(|known| moves(&known)));
        if let Some((id, content)) = changed {
            return Some(Decision::Update { id, content });
        }
    }
    let duplicate = |known: &&Existing<'_>| {
        f64::from(known.similarity) >= duplicate_similarity
            && about(candidate, known) == Match::Same
            && same_sense(candidate, known)
            && !wishes::differ(candidate.content, known.content, owner)
            && !correction::changes_value(candidate.content, known.content, owner)
            && cover::new_details(known.content, candidate.content, owner).is_empty()
    };
    visible(candidate, existing)
        .find(duplicate)
        .or_else(|| visible(candidate, existing).find(|known| cover::says_all(known.content, candidate.content, owner)))
        .map(|known| Decision::Skip { id: known.id })
}

/// The known facts the candidate is compared with.
fn visible<'a>(candidate: &Candidate<'_>, existing: &'a [Existing<'a>]) -> impl Iterator<Item = &'a Existing<'a>> {
    let held = candidate.held;
    existing.iter().filter(move |known| held || !known.pending)
}

fn offered(candidate: &Candidate<'_>, existing: &[Existing<'_>]) -> Vec<Offered> {
    let mut offered: Vec<Offered> = visible(candidate, existing)
        .filter(|known| about(candidate, known) != Match::Other)
        .map(|known| Offered {
            id: known.id,
            content: known.content.to_owned(),
            similarity: known.similarity,
            same_subject_attribute: attribute::shared(candidate.content, known.content),
            changes_value: correction::changes_value(candidate.content, known.content, candidate.owner),
        })
        .filter(|known| {
            known.similarity >= OFFERED_SIMILARITY_MIN || known.same_subject_attribute || known.changes_value
        })
        .collect();
    offered.sort_by(|one, other| other.similarity.total_cmp(&one.similarity));
    offered.truncate(OFFERED_MAX);
    offered
}

fn about(candidate: &Candidate<'_>, known: &Existing<'_>) -> Match {
    let owner = candidate.owner;
    subject::matches(&subject::of(candidate.content, owner), &subject::of(known.content, owner))
}

fn same_sense(candidate: &Candidate<'_>, known: &Existing<'_>) -> bool {
    negative(candidate.content) == negative(known.content)
        && cover::is_past(candidate.content) == cover::is_past(known.content)
}

/// Whether the candidate says that the known fact is no longer so: it denies it, in its words.
fn takes_back(candidate: &Candidate<'_>, known: &Existing<'_>) -> bool {
    about(candidate, known) == Match::Same
        && negative(candidate.content)
        && !negative(known.content)
        && !meaningful(candidate.content).is_disjoint(&meaningful(known.content))
        && cover::new_details(candidate.content, known.content, candidate.owner).is_empty()
}

/// The updated wording that loses nothing: the model's when it is faithful to both facts, else the candidate's own.
fn updated(candidate: &Candidate<'_>, known: &Existing<'_>, wording: Option<&str>) -> Option<String> {
    let related = attribute::shared(candidate.content, known.content)
        || !meaningful_of(candidate.content, candidate.owner)
            .is_disjoint(&meaningful_of(known.content, candidate.owner));
    if !related || cover::is_past(candidate.content) != cover::is_past(known.content) {
        return None;
    }
    let wording = wording.map(str::trim).filter(|text| !text.is_empty());
    wording
        .into_iter()
        .chain([candidate.content.trim()])
        .find(|text| keeps_all(text, candidate, known))
        .map(str::to_owned)
}

/// What a fact says, without whom it is about and when: two things in July have nothing in common.
fn meaningful_of(text: &str, owner: &str) -> BTreeSet<String> {
    let mut names = correction::subject_names(&subject::of(text, owner), owner);
    let timed = |detail: &Detail| matches!(detail.kind, DetailKind::Date | DetailKind::Number);
    names.extend(in_text(text).into_iter().filter(timed).map(|detail| detail.text));
    let named: Vec<String> = names.iter().flat_map(|name| meaningful(name)).collect();
    meaningful(text).into_iter().filter(|word| !named.iter().any(|name| super::names::same_word(name, word))).collect()
}

/// Whether a wording has every detail of the new fact, every one of the known fact that the new one did not change, and
/// nothing that neither says.
fn keeps_all(wording: &str, candidate: &Candidate<'_>, known: &Existing<'_>) -> bool {
    let (have, new, old) = (in_text(wording), in_text(candidate.content), in_text(known.content));
    let from_both = have.iter().all(|detail| detail.within(&new) || detail.within(&old) || is_owner(detail, candidate));
    let same_one =
        subject::matches(&subject::of(wording, candidate.owner), &subject::of(known.content, candidate.owner));
    let new_kept = new.iter().all(|detail| detail.within(&have) || is_owner(detail, candidate));
    // Each detail that goes is replaced by a new one of its kind.
    let mut fresh: Vec<&Detail> = new.iter().filter(|detail| !detail.within(&old)).collect();
    let old_kept = old.iter().filter(|detail| !detail.within(&have) && !is_owner(detail, candidate)).all(|gone| {
        let instead = fresh.iter().position(|detail| detail.kind == gone.kind);
        instead.map(|at| fresh.remove(at)).is_some()
    });
    from_both && new_kept && old_kept && same_one != Match::Other
}

fn is_owner(detail: &Detail, candidate: &Candidate<'_>) -> bool {
    subject::is_owner(&detail.text, candidate.owner)
}
