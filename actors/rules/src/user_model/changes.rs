//! What a model's answer may change: operations, read strictly and kept within their bounds (contract rule 91).

use super::{Known, Material, says_the_same, statement};
use crate::json_answer;
use protocol::knowing::{Dimension, InsightStatus, Refreshed};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeSet;

/// How sure a new insight may be (memory.md, section 9).
const NEW_MIN: f64 = 0.4;
const NEW_MAX: f64 = 0.7;
const NEW_DEFAULT: f64 = 0.5;
/// How sure an insight may become without the person (memory.md, section 9).
const CAP: f64 = 0.8;
/// Operations of one answer that are looked at, used or not. Ours.
const LOOKED_AT_MAX: usize = 200;

/// The bounds of one refresh (`user_model.*`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    pub operations: usize,
    pub active_insights: usize,
    /// Questions that may be open at once, and how many are.
    pub open_questions: usize,
    pub questions_open: usize,
    pub support_step: f64,
    pub contradict_step: f64,
    pub dispute_below: f64,
}

/// One operation of an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Operation {
    Add { dimension: Dimension, statement: String, confidence: f64, evidence: Vec<String> },
    Support { insight: u64, evidence: Vec<String> },
    Contradict { insight: u64, evidence: Vec<String> },
    Retire { insight: u64, evidence: Vec<String> },
}

/// The operations and the portrait of an answer. `None` when the answer is no object with a list of operations: then
/// nothing of it is used.
pub fn parse(answer: &str) -> Option<(Vec<Operation>, Option<String>)> {
    #[derive(Deserialize)]
    struct Written {
        operations: Vec<Value>,
        #[serde(default)]
        summary: Option<Value>,
    }
    let Written { operations, summary } = json_answer::parsed(answer)?;
    let operations = operations.iter().take(LOOKED_AT_MAX).filter_map(operation).collect();
    Some((operations, summary.as_ref().and_then(Value::as_str).map(str::to_owned)))
}

fn operation(value: &Value) -> Option<Operation> {
    let words = |key: &str| value[key].as_str().unwrap_or_default();
    let evidence: Vec<String> = match &value["evidence"] {
        Value::Array(names) => names.iter().filter_map(Value::as_str).map(|name| name.trim().to_owned()).collect(),
        Value::String(name) => vec![name.trim().to_owned()],
        _ => Vec::new(),
    };
    let insight = || words("insight").trim().trim_start_matches('i').parse::<u64>().ok();
    match words("op").trim() {
        "add" => {
            let confidence = value["confidence"].as_f64().filter(|number| number.is_finite()).unwrap_or(NEW_DEFAULT);
            let (dimension, statement) = (Dimension::of(words("dimension")), statement(words("statement"))?);
            Some(Operation::Add { dimension, statement, confidence, evidence })
        }
        "support" => Some(Operation::Support { insight: insight()?, evidence }),
        "contradict" => Some(Operation::Contradict { insight: insight()?, evidence }),
        "retire" => Some(Operation::Retire { insight: insight()?, evidence }),
        _ => None,
    }
}

/// Why a new insight waits for the person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// The app whose content it may come from.
    pub from: String,
    /// The material it cites (an index), when it cites any.
    pub material: Option<usize>,
    /// It reads like a standing order.
    pub is_instruction: bool,
}

/// A new insight.
#[derive(Clone, Debug, PartialEq)]
pub struct Added {
    pub dimension: Dimension,
    pub statement: String,
    pub confidence: f64,
    /// Indexes of the material it rests on.
    pub evidence: Vec<usize>,
    pub held: Option<Held>,
}

/// An insight that became surer, less sure, doubted or retired.
#[derive(Clone, Debug, PartialEq)]
pub struct Changed {
    pub id: u64,
    pub confidence: f64,
    pub status: InsightStatus,
    /// New material it rests on.
    pub evidence: Vec<usize>,
    /// It is no longer in doubt: its question is closed.
    pub closes_question: bool,
}

/// A new question to the person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    pub insight: u64,
    pub text: String,
}

/// All that one refresh changes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Changes {
    pub added: Vec<Added>,
    pub changed: Vec<Changed>,
    pub questions: Vec<Question>,
    pub counts: Refreshed,
}

/// Applies operations within the bounds. What breaks one is left out, silently: a model's answer is a proposal.
///
/// `is_instruction` says whether a statement reads like an order for the assistant (`memory::instruction`).
pub fn apply(
    operations: &[Operation],
    known: &[Known],
    material: &[Material],
    limits: &Limits,
    is_instruction: &dyn Fn(&str) -> bool,
) -> Changes {
    let (touched, changes) = (BTreeSet::new(), Changes::default());
    let mut refresh = Refresh { known, material, limits, is_instruction, touched, changes };
    for operation in operations {
        if refresh.used() >= limits.operations {
            break;
        }
        match operation {
            Operation::Add { dimension, statement, confidence, evidence } => {
                refresh.add(*dimension, statement, *confidence, evidence);
            }
            Operation::Support { insight, evidence } => refresh.support(*insight, evidence),
            Operation::Contradict { insight, evidence } => refresh.contradict(*insight, evidence),
            Operation::Retire { insight, evidence } => refresh.retire(*insight, evidence),
        }
    }
    refresh.changes
}

struct Refresh<'a> {
    known: &'a [Known],
    material: &'a [Material],
    limits: &'a Limits,
    is_instruction: &'a dyn Fn(&str) -> bool,
    /// Insights this refresh has changed: once is enough.
    touched: BTreeSet<u64>,
    changes: Changes,
}

impl<'a> Refresh<'a> {
    fn used(&self) -> usize {
        self.changes.added.len() + self.touched.len()
    }

    /// Indexes of the material with these names, each once; names that nobody gave are left out.
    fn cited(&self, names: &[String]) -> Vec<usize> {
        let mut cited: Vec<usize> =
            names.iter().filter_map(|name| self.material.iter().position(|material| material.name == *name)).collect();
        cited.sort_unstable();
        cited.dedup();
        cited
    }

    fn is_clean(&self, index: usize) -> bool {
        self.material[index].outside.is_none()
    }

    /// What waits: an insight that cites words of others alone, or nothing while there were some.
    fn hold(&self, cited: &[usize], is_instruction: bool) -> Option<Held> {
        let cited_outside = cited.iter().copied().find(|index| !self.is_clean(*index));
        let any_outside = self.material.iter().position(|material| material.outside.is_some());
        let from = |index: usize| self.material[index].outside.clone().unwrap_or_default();
        let only_outside = cited_outside.filter(|_| !cited.iter().any(|index| self.is_clean(*index)));
        match (only_outside, any_outside) {
            (Some(index), _) => Some(Held { from: from(index), material: Some(index), is_instruction }),
            (None, Some(index)) if cited.is_empty() => Some(Held { from: from(index), material: None, is_instruction }),
            _ if is_instruction => {
                Some(Held { from: "an instruction".into(), material: cited.first().copied(), is_instruction })
            }
            _ => None,
        }
    }

    fn add(&mut self, dimension: Dimension, statement: &str, confidence: f64, evidence: &[String]) {
        let is_known = self.known.iter().any(|known| says_the_same(&known.statement, statement))
            || self.changes.added.iter().any(|added| says_the_same(&added.statement, statement));
        let count = self.known.iter().filter(|known| known.counts()).count() + self.changes.added.len();
        if is_known || count >= self.limits.active_insights {
            return;
        }
        let cited = self.cited(evidence);
        let held = self.hold(&cited, (self.is_instruction)(statement));
        match held {
            Some(_) => self.changes.counts.held += 1,
            None => self.changes.counts.added += 1,
        }
        let confidence = confidence.clamp(NEW_MIN, NEW_MAX);
        let statement = statement.to_owned();
        self.changes.added.push(Added { dimension, statement, confidence, evidence: cited, held });
    }

    /// The insight of an operation that may change it, with the material that counts: cited, not only of others, and not
    /// counted before.
    fn subject(&self, id: u64, evidence: &[String]) -> Option<(&'a Known, Vec<usize>)> {
        let known: &'a [Known] = self.known;
        let known = known.iter().find(|known| known.id == id && !self.touched.contains(&id))?;
        if matches!(known.status, InsightStatus::Pending | InsightStatus::Retired) {
            return None;
        }
        let cited = self.cited(evidence);
        if !cited.iter().any(|index| self.is_clean(*index)) {
            return None;
        }
        let fresh: Vec<usize> = cited
            .into_iter()
            .filter(|index| self.is_clean(*index) && !known.evidence.contains(&self.material[*index].key()))
            .collect();
        (!fresh.is_empty()).then_some((known, fresh))
    }

    fn support(&mut self, id: u64, evidence: &[String]) {
        let Some((known, fresh)) = self.subject(id, evidence).filter(|(known, _)| !known.is_protected()) else {
            return;
        };
        // One that came in surer than the cap, from an import, is not made less sure by support.
        let confidence = known.confidence.max((known.confidence + self.limits.support_step).min(CAP));
        let is_back = known.status == InsightStatus::Disputed && confidence >= self.limits.dispute_below;
        let status = if is_back { InsightStatus::Active } else { known.status };
        self.change(Changed { id, confidence, status, evidence: fresh, closes_question: is_back });
        self.changes.counts.updated += 1;
    }

    fn contradict(&mut self, id: u64, evidence: &[String]) {
        let Some((known, _)) = self.subject(id, evidence) else { return };
        if known.is_protected() {
            self.ask(known);
            return;
        }
        let confidence = (known.confidence - self.limits.contradict_step).max(0.0);
        let is_disputed = confidence < self.limits.dispute_below;
        let status = if is_disputed { InsightStatus::Disputed } else { known.status };
        self.change(Changed { id, confidence, status, evidence: Vec::new(), closes_question: false });
        match is_disputed && known.status != InsightStatus::Disputed {
            true => self.changes.counts.disputed += 1,
            false => self.changes.counts.updated += 1,
        }
        if is_disputed {
            self.ask(known);
        }
    }

    fn retire(&mut self, id: u64, evidence: &[String]) {
        let Some((known, _)) = self.subject(id, evidence) else { return };
        if known.is_protected() {
            self.ask(known);
            return;
        }
        let (confidence, status) = (known.confidence, InsightStatus::Retired);
        self.change(Changed { id, confidence, status, evidence: Vec::new(), closes_question: true });
        self.changes.counts.updated += 1;
    }

    fn change(&mut self, changed: Changed) {
        self.touched.insert(changed.id);
        self.changes.changed.push(changed);
    }

    /// Asks the person, unless they are asked already or too much is open.
    fn ask(&mut self, known: &Known) {
        self.touched.insert(known.id);
        let open = self.limits.questions_open + self.changes.questions.len();
        if known.is_asked || open >= self.limits.open_questions {
            return;
        }
        let text = format!("Is this still right? \"{}\"", known.statement);
        self.changes.questions.push(Question { insight: known.id, text });
        self.changes.counts.questions += 1;
    }
}
