//! What a model is offered: no tool that a rule or a Read only connection would refuse anyway (contract sections 2, 5).

use super::Gate;
use crate::tools::Tool;
use protocol::config::{ApprovalRule, Config};
use protocol::model::ToolOffer;
use protocol::tools::Risk;

impl Gate {
    /// The tools a model may be told of now. `GET /api/tools` lists the others too.
    pub fn offers(&self) -> Vec<ToolOffer> {
        let config = self.config.borrow().clone();
        let approvals = &config.tools.approvals;
        let nothing_hidden = config.integrations.read_only.is_empty()
            && !approvals.rules.values().any(|rule| *rule == ApprovalRule::Never);
        if nothing_hidden {
            return self.tools.offers(&crate::tools::hidden(&config));
        }
        let hidden = self.tools.tools().iter().filter(|tool| is_hidden(tool.as_ref(), &config));
        let hidden: Vec<String> = hidden.map(|tool| tool.spec().name.to_owned()).collect();
        self.tools.offers(&[crate::tools::hidden(&config), hidden].concat())
    }

    /// Whether a tool is kept from models (`app.approvals.is_hidden`): switched off, never used, or of a Read only
    /// connection and never a look-up. A name that is no tool is hidden.
    pub fn is_hidden(&self, name: &str) -> bool {
        let config = self.config.borrow().clone();
        self.tools.get(name).is_none_or(|tool| is_hidden(tool.as_ref(), &config))
    }

    /// The names of apps set to Read only that have tools here, for the system prompt.
    pub fn read_only_apps(&self) -> Vec<String> {
        let read_only = self.config.borrow().integrations.read_only.clone();
        let known = |id: &String| self.tools.tools().iter().any(|tool| tool.spec().plugin == id);
        read_only.iter().filter(|id| known(id)).map(|id| self.tools.plugin_display_name(id)).collect()
    }
}

fn is_hidden(tool: &dyn Tool, config: &Config) -> bool {
    let spec = tool.spec();
    let named = |entry: &String| entry == spec.name || entry == spec.plugin;
    let rules = &config.tools.approvals.rules;
    let never = rules.get(spec.name).or_else(|| rules.get(spec.plugin)) == Some(&ApprovalRule::Never);
    let acts_only = spec.risk > Risk::Read && !tool.risk_varies();
    let read_only = acts_only && config.integrations.read_only.iter().any(|id| id == spec.plugin);
    never || read_only || !tool.is_offered() || crate::tools::hidden(config).iter().any(named)
}
