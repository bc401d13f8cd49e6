//! What a refresh reads: what arrived since the last one, with marks that lose nothing to a shared clock tick.

use protocol::Timestamp;
use protocol::ids::SessionId;
use protocol::knowing::EvidenceKind;
use serde::{Deserialize, Serialize};

/// Characters of one piece of evidence, as it is shown to a model and kept as a quote. Ours.
pub const QUOTE_CHARS_MAX: usize = 400;
/// Ids kept in a mark. Ours: more rows than that in one tick are read once more, which harms nothing.
const MARK_IDS_MAX: usize = 2_000;

/// How far one kind of evidence was read: the newest moment, and what of that moment was read (contract section 15, #297).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    pub at: Timestamp,
    pub ids: Vec<String>,
}

impl Mark {
    /// Whether a row was not read yet. A row of the same moment that was not there at the last reading is new.
    pub fn is_new(&self, at: Timestamp, id: &str) -> bool {
        at > self.at || (at == self.at && !self.ids.iter().any(|known| known == id))
    }

    /// The mark after these rows were read.
    #[must_use]
    pub fn after<'a>(&self, read: impl Iterator<Item = (Timestamp, &'a str)> + Clone) -> Self {
        let Some(newest) = read.clone().map(|(at, _)| at).max() else { return self.clone() };
        if newest < self.at {
            return self.clone();
        }
        let mut ids = if newest == self.at { self.ids.clone() } else { Vec::new() };
        ids.extend(read.filter(|(at, _)| *at == newest).map(|(_, id)| id.to_owned()));
        ids.truncate(MARK_IDS_MAX);
        Self { at: newest, ids }
    }
}

/// The newest `max` rows that were not read yet, oldest first.
pub fn newest<T>(rows: Vec<T>, max: usize, mark: &Mark, place: impl Fn(&T) -> (Timestamp, String)) -> Vec<T> {
    let mut unread: Vec<(Timestamp, String, T)> = rows
        .into_iter()
        .filter_map(|row| {
            let (at, id) = place(&row);
            mark.is_new(at, &id).then_some((at, id, row))
        })
        .collect();
    unread.sort_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
    let skipped = unread.len().saturating_sub(max);
    unread.into_iter().skip(skipped).map(|(_, _, row)| row).collect()
}

/// One piece of evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Material {
    /// What the model calls it: `m…` a message, `f…` a memory, `s…` a summary.
    pub name: String,
    pub kind: EvidenceKind,
    /// The id of what it is.
    pub reference: String,
    pub session_id: Option<SessionId>,
    /// At most [`QUOTE_CHARS_MAX`] characters.
    pub text: String,
    pub at: Timestamp,
    /// Whose words may be in it, when its chat read what others wrote.
    pub outside: Option<String>,
}

impl Material {
    /// What it is, as one text.
    pub fn key(&self) -> String {
        key(self.kind, &self.reference)
    }
}

/// What a piece of evidence is, as one text: it counts once for an insight.
pub fn key(kind: EvidenceKind, reference: &str) -> String {
    format!("{kind:?}:{reference}")
}
