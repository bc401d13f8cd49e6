//! The places where memories are kept, and how many are in each.

use crate::Engine;
use protocol::Error;
use protocol::memory::{SCOPE_ALWAYS, SCOPE_PERSONAL, SCOPE_WORK};
use protocol::memory_requests::ScopeRow;
use std::collections::BTreeMap;
use storage::records::{FactRecord, FactStatus, SessionRecord};

/// The built-in scopes in their order, with their labels.
const BUILT_IN: [(&str, &str); 3] = [(SCOPE_ALWAYS, "Always"), (SCOPE_PERSONAL, "Personal"), (SCOPE_WORK, "Work")];

impl Engine {
    /// `GET /api/memories/scopes`: the built-in ones first, then every project that a memory, a chat or a messaging app uses.
    ///
    /// # Errors
    /// A store that cannot be read.
    pub async fn memory_scopes(&self) -> Result<Vec<ScopeRow>, Error> {
        let config = self.config();
        let apps: Vec<String> = config.channels.memory_scopes().map(str::to_owned).collect();
        self.reading(move |snapshot| {
            let mut counts: BTreeMap<String, usize> = apps.into_iter().map(|name| (name, 0)).collect();
            for session in snapshot.all::<SessionRecord>()? {
                if let Some(scope) = session?.memory_scope {
                    counts.entry(scope).or_default();
                }
            }
            for fact in snapshot.all::<FactRecord>()? {
                let fact = fact?;
                *counts.entry(fact.scope).or_default() += usize::from(fact.status == FactStatus::Active);
            }
            Ok(rows(&counts))
        })
        .await
    }
}

fn rows(counts: &BTreeMap<String, usize>) -> Vec<ScopeRow> {
    let row = |name: &str, label: &str, built_in| ScopeRow {
        name: name.to_owned(),
        label: label.to_owned(),
        count: counts.get(name).copied().unwrap_or(0),
        built_in,
    };
    let built_in = BUILT_IN.iter().map(|(name, label)| row(name, label, true));
    let mut projects: Vec<&String> =
        counts.keys().filter(|name| !name.is_empty() && !BUILT_IN.iter().any(|(known, _)| known == name)).collect();
    projects.sort_by_key(|name| name.to_lowercase());
    built_in.chain(projects.into_iter().map(|name| row(name, name, false))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_scopes_come_first_and_projects_by_name() {
        let counts = [("kestrel launch", 2), ("Albatross", 0), ("work", 1), ("personal", 5)];
        let counts = counts.map(|(name, count)| (name.to_owned(), count)).into();
        let listed: Vec<_> = rows(&counts).into_iter().map(|row| (row.label, row.count, row.built_in)).collect();
        let want = [("Always", 0, true), ("Personal", 5, true), ("Work", 1, true), ("Albatross", 0, false)];
        let want = want.into_iter().chain([("kestrel launch", 2, false)]);
        assert_eq!(listed, want.map(|(label, count, own)| (label.to_owned(), count, own)).collect::<Vec<_>>());
    }
}
