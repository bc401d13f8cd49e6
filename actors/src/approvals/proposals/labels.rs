//! A proposal in the words of the card.

use crate::tools::Registry;
use protocol::rule_proposals::{RuleProposal, RuleTarget};
use rules::gate::plain_name;
use storage::records::RuleProposalRecord;

pub(super) fn shown(record: RuleProposalRecord, tools: &Registry) -> RuleProposal {
    let RuleProposalRecord { id, session_id, message_id, said, rule, keys, status, created_at, decided_at } = record;
    let targets = keys.iter().map(|key| target(key, tools)).collect();
    RuleProposal { id, session_id, message_id, said, rule, keys, targets, status, created_at, decided_at }
}

/// A tool that is gone is named as it was.
fn target(key: &str, tools: &Registry) -> RuleTarget {
    match tools.get(key).map(|tool| tool.spec()) {
        Some(spec) => {
            let (app, tool) = (tools.plugin_display_name(spec.plugin), plain_name(spec.name, spec.plugin));
            RuleTarget { key: key.to_owned(), label: format!("{app} > {tool}"), app, tool: Some(tool) }
        }
        None => {
            let app = tools.plugin_display_name(key);
            RuleTarget { key: key.to_owned(), label: app.clone(), app, tool: None }
        }
    }
}
