//! The facts of one call, read from the tool itself and from the settings.

use super::trash::trash_version;
use super::{Call, Run, Words};
use crate::tools::{Registry, Tool};
use protocol::config::{ApprovalRule, ApprovalsMode, Config};
use protocol::tools::{Risk, ToolSpec};
use rules::gate::{AddressFacts, Case, Mode, Rule, ToolFacts, plain_name};
use rules::trash::Swapped;
use serde_json::Value;
use std::time::Duration;

/// The words a purchase is labelled with (contract section 2, `risk_label`).
const PURCHASE: &str = "Purchase";
/// Labels of calls that open the person's home (contract section 2, strings.tsv `opens_home_labels`).
const OPENS_HOME: [&str; 4] =
    ["Unlocks a door", "Turns off your alarm", "Opens a garage door or gate", "Controls a door, lock or alarm"];

/// What is known of a call before the gate looks at it.
pub(super) struct Known {
    spec: Option<ToolSpec>,
    pub(super) risk: Risk,
    rule: Option<Rule>,
    shown_name: String,
    exfiltrates: bool,
    address: Option<String>,
    host: Option<String>,
    pub(super) words: Words,
    /// The trash version of this delete, with the arguments it takes.
    pub(super) trash: Option<Swapped>,
}

impl Known {
    pub(super) fn of(tools: &Registry, config: &Config, call: &Call<'_>, said: &[String]) -> Self {
        let tool = tools.get(call.name);
        let spec = tool.as_ref().map(|tool| tool.spec());
        let plugin = spec.as_ref().map_or("", |spec| spec.plugin);
        let risk = tool.as_ref().map_or(Risk::Read, |tool| effective_risk(tool.as_ref(), call.arguments));
        let described = tool.as_ref().map(|tool| tool.describe(call.arguments)).unwrap_or_default();
        let words = Words {
            tool: plain_name(call.name, plugin),
            app: tools.plugin_display_name(plugin),
            plugin: plugin.to_owned(),
            risk_label: described.risk_label.unwrap_or_else(|| risk.label().to_owned()),
            target: described.target,
        };
        let rules = &config.tools.approvals.rules;
        let own = rules.get(call.name);
        let apps = rules.get(plugin);
        let address = tool.as_ref().and_then(|tool| tool.url(call.arguments));
        Self {
            risk,
            rule: own.or(apps).copied().map(level),
            shown_name: if own.is_none() && apps.is_some() {
                words.app.clone()
            } else {
                format!("\"{}\" in {}", words.tool, words.app)
            },
            exfiltrates: tool.as_ref().is_some_and(|tool| tool.exfiltrates(call.arguments)),
            host: address.as_deref().and_then(host_of),
            address,
            trash: trash_version(tools, config, call, said),
            words,
            spec,
        }
    }

    /// Contract section 10, `sends_out`.
    pub(super) fn sends_out(&self) -> bool {
        self.spec.is_some() && (self.risk >= Risk::Send || self.exfiltrates)
    }

    pub(super) fn internal(&self) -> bool {
        self.spec.as_ref().is_some_and(|spec| spec.internal)
    }

    /// The gate's case.
    pub(super) fn case<'a>(&'a self, run: &Run<'a>, call: &Call<'a>, config: &'a Config) -> Case<'a> {
        let approvals = &config.tools.approvals;
        let plugin = self.words.plugin.as_str();
        let tool = self.spec.as_ref().map(|spec| self.tool(spec, call, config));
        Case {
            bad_arguments: call.bad_arguments,
            rule: self.rule,
            memory: run.memory,
            read_only: config.integrations.read_only.iter().any(|id| id == plugin).then_some(self.words.app.as_str()),
            unprompted: run.unprompted,
            try_run: run.try_run,
            outside: run.outside,
            address: self.address(run),
            warning: call.warning,
            trash_tool: self.trash.as_ref().map(|trash| trash.name.as_str()),
            undo: self.undo(call, approvals.undo_seconds),
            confirm_purchases: config.browser.confirm_purchases,
            chat_allowance: run.allowances.iter().find(|known| known.tool == call.name).map(|known| known.risk),
            allowances_count: approvals.remember_session,
            approved: call.approved,
            ..Case::plain(tool, run.surface, mode(approvals.mode))
        }
    }

    /// How long it can still be taken back, when it is an email, a message or a post.
    fn undo(&self, call: &Call<'_>, seconds: u32) -> Option<Duration> {
        let internal = self.spec.as_ref().is_some_and(|spec| spec.internal);
        let waits = seconds > 0 && rules::preview::can_be_undone(&self.shown(call), internal);
        waits.then(|| Duration::from_secs(u64::from(seconds)))
    }

    fn tool<'a>(&'a self, spec: &ToolSpec, call: &Call<'a>, config: &Config) -> ToolFacts<'a> {
        let label = self.words.risk_label.as_str();
        let reaches_out = self.risk >= Risk::Send;
        let disabled = |entry: &String| entry == call.name || *entry == self.words.plugin;
        ToolFacts {
            name: call.name,
            shown_name: &self.shown_name,
            plugin: &self.words.plugin,
            risk: self.risk,
            raised: self.risk > spec.risk,
            internal: spec.internal,
            allow_for_chat: spec.allow_for_chat,
            exfiltrates: self.exfiltrates,
            purchase: reaches_out && label == PURCHASE,
            opens_home: reaches_out && OPENS_HOME.contains(&label),
            deletes: rules::tool_words::deletes(call.name),
            hidden: config.tools.disabled.iter().any(disabled),
        }
    }

    fn address<'a>(&'a self, run: &Run<'_>) -> Option<AddressFacts<'a>> {
        let address = self.address.as_deref()?;
        // Of what cannot be read as an address it is not known where it leads.
        let host = self.host.as_deref().unwrap_or("an address that can't be read");
        Some(AddressFacts {
            host,
            carries_data: rules::outside::address_carries_data(address),
            visited: run.visited_hosts.iter().any(|known| known == host),
        })
    }
}

/// How far this very call reaches.
pub fn effective_risk(tool: &dyn Tool, arguments: &Value) -> Risk {
    tool.risk(arguments).unwrap_or(tool.spec().risk)
}

/// The host of a web address, lower case. A missing scheme is taken as https, as the tools that open addresses take it.
pub fn host_of(address: &str) -> Option<String> {
    rules::outside::address_host(address)
}

fn mode(mode: ApprovalsMode) -> Mode {
    match mode {
        ApprovalsMode::Off => Mode::Off,
        ApprovalsMode::Ask => Mode::Ask,
        ApprovalsMode::Always => Mode::Always,
    }
}

/// A lasting rule as the gate knows it.
pub(crate) fn level(rule: ApprovalRule) -> Rule {
    match rule {
        ApprovalRule::Allow => Rule::Allow,
        ApprovalRule::IfAsked => Rule::IfAsked,
        ApprovalRule::Ask => Rule::Ask,
        ApprovalRule::HandOff => Rule::HandOff,
        ApprovalRule::Never => Rule::Never,
    }
}
