//! Puts a call to the gate with the facts of this moment.

use super::Runner;
use super::call::RoundCall;
use crate::tools::Tool;
use protocol::config::{ApprovalRule, ApprovalsMode, Config};
use protocol::tools::Risk;
use rules::gate::{AddressFacts, Case, Mode, Rule, Surface, ToolFacts, Verdict, decide};
use rules::turn::{Input, Ruling};
use std::sync::Arc;

/// The words a purchase is labelled with (contract section 2, `risk_label`).
const PURCHASE: &str = "Purchase";
/// Labels of calls that open the person's home (contract section 2, strings.tsv `opens_home_labels`).
const OPENS_HOME: [&str; 4] =
    ["Unlocks a door", "Turns off your alarm", "Opens a garage door or gate", "Controls a door, lock or alarm"];

impl Runner {
    /// Asks the gate. Settings are read now, so a rule changed a moment ago counts.
    pub(super) fn judge(&mut self, index: usize) {
        let Some(call) = self.calls.get(index).cloned() else { return };
        if call.outcome.is_some() {
            // Found in the store as begun and not settled: it is not begun again.
            self.calls[index].verdict = None;
            self.feed(Input::Judged { call: index, ruling: Ruling::Refuse });
            return;
        }
        let config = self.setting.parts.config();
        let tool = self.setting.parts.tools.get(&call.name);
        let verdict = self.decide(&call, tool.as_ref(), &config);
        let risk = tool.as_ref().map_or(Risk::Read, |tool| effective_risk(tool.as_ref(), &call));
        let ruling = match &verdict {
            Verdict::Run => Ruling::Run { beside: risk == Risk::Read && !call.approved },
            Verdict::Ask(_) => Ruling::Ask,
            Verdict::Refuse(_) => Ruling::Refuse,
        };
        self.calls[index].verdict = Some(verdict);
        self.feed(Input::Judged { call: index, ruling });
    }

    fn decide(&self, call: &RoundCall, tool: Option<&Arc<dyn Tool>>, config: &Config) -> Verdict {
        let approvals = &config.tools.approvals;
        let spec = tool.map(|tool| tool.spec());
        let plugin = spec.as_ref().map_or("", |spec| spec.plugin);
        let app = self.setting.parts.tools.plugin_display_name(plugin);
        let shown_name = format!("\"{}\" in {app}", plain_name(&call.name));
        let address = tool.and_then(|tool| tool.url(&call.arguments));
        let host = address.as_deref().and_then(host_of);
        let own_rule = approvals.rules.get(&call.name);
        let rule = own_rule.or_else(|| approvals.rules.get(plugin)).copied().map(level);
        let is_plugin_rule = own_rule.is_none() && rule.is_some();
        let facts = spec.as_ref().zip(tool).map(|(spec, tool)| {
            let risk = effective_risk(tool.as_ref(), call);
            let label = tool.describe(&call.arguments).risk_label.unwrap_or_default();
            ToolFacts {
                name: &call.name,
                shown_name: if is_plugin_rule { &app } else { &shown_name },
                plugin,
                risk,
                raised: risk > spec.risk,
                internal: spec.internal,
                allow_for_chat: spec.allow_for_chat,
                exfiltrates: tool.exfiltrates(&call.arguments),
                purchase: label == PURCHASE && risk >= Risk::Send,
                opens_home: OPENS_HOME.contains(&label.as_str()) && risk >= Risk::Send,
                hidden: config.tools.disabled.iter().any(|name| name == &call.name || name == plugin),
            }
        });
        let visited = self.record.visited_hosts.as_deref().unwrap_or_default();
        decide(&Case {
            tool: facts,
            bad_arguments: call.bad_arguments.as_deref(),
            surface: Surface { can_ask: true, unprompted: false },
            mode: mode(approvals.mode),
            rule,
            chat_allowance: self.record.allowances.iter().find(|known| known.tool == call.name).map(|known| known.risk),
            allowances_count: approvals.remember_session,
            outside: self.outside_at_round.as_deref(),
            address: address.as_deref().zip(host.as_deref()).map(|(address, host)| AddressFacts {
                host,
                carries_data: rules::outside::address_carries_data(address),
                visited: visited.iter().any(|known| known == host),
            }),
            approved: call.approved,
        })
    }
}

pub(super) fn effective_risk(tool: &dyn Tool, call: &RoundCall) -> Risk {
    tool.risk(&call.arguments).unwrap_or(tool.spec().risk)
}

fn mode(mode: ApprovalsMode) -> Mode {
    match mode {
        ApprovalsMode::Off => Mode::Off,
        ApprovalsMode::Ask => Mode::Ask,
        ApprovalsMode::Always => Mode::Always,
    }
}

fn level(rule: ApprovalRule) -> Rule {
    match rule {
        ApprovalRule::Allow => Rule::Allow,
        ApprovalRule::IfAsked => Rule::IfAsked,
        ApprovalRule::Ask => Rule::Ask,
        ApprovalRule::HandOff => Rule::HandOff,
        ApprovalRule::Never => Rule::Never,
    }
}

/// `file_write` as a person reads it: `File write`.
pub(super) fn plain_name(name: &str) -> String {
    let mut words = name.replace('_', " ");
    if let Some(first) = words.get_mut(0..1) {
        first.make_ascii_uppercase();
    }
    words
}

/// The host of a web address, lower case.
pub(super) fn host_of(address: &str) -> Option<String> {
    url::Url::parse(address).ok()?.host_str().map(str::to_lowercase)
}
