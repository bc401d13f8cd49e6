//! What is settled when a reply begins: the models that may answer, the tools it is offered, the settings it runs under.

use super::Setting;
use crate::ports::{Models, WorkspaceFile};
use futures::future::join5;
use protocol::Error;
use protocol::config::Config;
use protocol::model::{Effort, ModelName, ModelRole, ToolOffer};
use rules::gate::Surface;
use rules::memory::workspace;
use rules::memory_access::{MemoryAccess, TurnFacts};
use rules::model_choice::{Candidate, Choice, candidates};
use rules::prompt::SystemFacts;
use rules::subagents::Brief;
use rules::turn::{Attended, Limits};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The tool that reads outside content into fields.
const READER: &str = "read_with_reader";
/// Channels where answers are spoken (contract section 10).
const SPOKEN: [&str; 3] = ["voice", "glasses", "phone"];

pub(super) struct Facts {
    pub(super) config: Arc<Config>,
    pub(super) candidates: Vec<Candidate>,
    pub(super) offers: Vec<ToolOffer>,
    /// About how many tokens the offered tools take.
    pub(super) tool_tokens: usize,
    /// The system prompt, the same for the whole turn.
    pub(super) system: String,
    /// The turn's one memory decision (contract section 10, "Turns without memory").
    pub(super) memory: MemoryAccess,
    pub(super) zone: jiff::tz::TimeZone,
    pub(super) limits: Limits,
    /// Why the chat's own model was passed over before the turn began.
    pub(super) own_model_why: Option<String>,
}

impl Facts {
    pub(super) async fn gather(setting: &Setting) -> Result<Self, Error> {
        let config = setting.parts.config();
        let mut candidates = candidates(&choice(setting, &config));
        let own_model_why = pass_over_own(&config, &mut candidates, &setting.parts.models).await;
        let memory = memory(setting, &config);
        let offers = offers(setting, &config, memory, &candidates);
        let system = match &setting.errand {
            Some(errand) => rules::subagents::system(&Brief { has_tools: !offers.is_empty(), ..errand.brief.clone() }),
            None => chat_system(setting, &config, memory, !offers.is_empty()).await,
        };
        let errand = setting.errand.as_ref();
        let limits = Limits {
            rounds_max: errand.map_or(config.models.max_tool_rounds, |errand| errand.limits.steps),
            repeat_limit: config.tools.repeated_call_limit,
            parallel_reads: config.chat.parallel_read_tools,
            candidates: candidates.len(),
            attended: if errand.is_some() { Attended::No } else { Attended::Yes },
        };
        let zone = zone(&config.assistant.timezone, setting);
        let tool_tokens = offers.iter().map(tokens_of).sum();
        Ok(Self { config, candidates, offers, tool_tokens, system, memory, zone, limits, own_model_why })
    }

    /// `models.reasoning` of the role.
    pub(super) fn effort(&self, role: ModelRole) -> Effort {
        self.config.models.reasoning.get(&role).copied().unwrap_or_default()
    }

    /// Tokens the model is asked to read at once; a cloud model's own window when it is known.
    pub(super) fn context_length(&self, candidate: &Candidate) -> Option<u32> {
        if rules::prices::is_local_runtime(&candidate.model) {
            let set = self.config.models.context_length_per_role.get(&candidate.role).copied();
            return Some(set.unwrap_or(self.config.models.context_length));
        }
        rules::prices::context_window(&candidate.model)
    }

    pub(super) fn api_base(&self, model: &ModelName) -> Option<String> {
        api_base(&self.config, model)
    }
}

/// What a chat's model is told: a function of the settings, the files and the chat, the same from turn to turn.
async fn chat_system(setting: &Setting, config: &Config, memory: MemoryAccess, has_tools: bool) -> String {
    let scope = super::recalled::scope_of(setting, config);
    let files = workspace_files(setting, config, memory).await;
    let budget = usize::try_from(config.memory.workspace_budget_chars).unwrap_or(usize::MAX);
    let files = workspace::for_prompt(&files, &scope, budget);
    let keep = |text: &String| if memory.reads { text.clone() } else { String::new() };
    rules::prompt::system(&SystemFacts {
        assistant_name: config.assistant.name.clone(),
        user_name: keep(&config.assistant.user_name),
        location: keep(&config.assistant.location),
        language: config.assistant.language.clone(),
        persona: files.soul,
        profile: files.user,
        memory_page: files.memory,
        notes: files.notes,
        narrative: if memory.reads { super::known::page(setting, &scope) } else { String::new() },
        scope_note: keep(&workspace::scope_note(&scope)),
        channel: setting.turn.channel.clone(),
        incognito: setting.record.incognito,
        read_only_apps: setting.parts.gate.read_only_apps(),
        without_memory: !memory.reads && !setting.record.incognito,
        has_tools,
        marks_outside: config.chat.mark_outside_content,
    })
}

/// The workspace files a turn may read; without memory the persona alone.
async fn workspace_files(setting: &Setting, config: &Config, memory: MemoryAccess) -> workspace::Files {
    let read = |file| workspace_text(setting, file);
    if !memory.reads {
        return workspace::Files { soul: read(WorkspaceFile::Soul).await, ..workspace::Files::default() };
    }
    let today = zone(&config.assistant.timezone, setting).to_datetime(setting.world.now().to_jiff()).date();
    let yesterday = today.yesterday().unwrap_or(today);
    let (soul, user, memory_page, new, old) = join5(
        read(WorkspaceFile::Soul),
        read(WorkspaceFile::User),
        read(WorkspaceFile::Memory),
        read(WorkspaceFile::Note(today)),
        read(WorkspaceFile::Note(yesterday)),
    )
    .await;
    let notes = vec![(yesterday.to_string(), old), (today.to_string(), new)];
    workspace::Files { soul, user, memory: memory_page, notes }
}

/// The turn's memory decision; a helper has that of the turn it was started from.
fn memory(setting: &Setting, config: &Config) -> MemoryAccess {
    match &setting.errand {
        Some(errand) => errand.memory,
        None => MemoryAccess::of_turn(TurnFacts {
            incognito: setting.record.incognito,
            incognito_uses_memory: config.chat.incognito_uses_memory,
            from_api: Surface::of_channel(&setting.turn.channel) == Surface::Api,
            api_allows_memory: config.openai_api.allow_memory,
        }),
    }
}

/// The tools the turn is offered. Any that brings in words of others comes with the reader (contract section 10).
fn offers(setting: &Setting, config: &Config, memory: MemoryAccess, candidates: &[Candidate]) -> Vec<ToolOffer> {
    let tools = &setting.parts.tools;
    let plugin = |name: &str| tools.get(name).map(|tool| tool.spec().plugin).unwrap_or_default();
    let withheld = crate::subagents::withheld(config, memory);
    let mut all = setting.parts.gate.offers();
    all.retain(|offer| !withheld.contains(&offer.name.as_str()) && !withheld.contains(&plugin(&offer.name)));
    if let Some(errand) = &setting.errand {
        all.retain(|offer| rules::subagents::is_offered(&offer.name, plugin(&offer.name), errand.tools.as_deref()));
        return rules::tool_offer::select(&all, &errand.brief.goal, tool_budget(config, candidates));
    }
    let mut chosen = rules::tool_offer::select(&all, words(setting), tool_budget(config, candidates));
    let brings_outside = |offer: &ToolOffer| tools.get(&offer.name).is_some_and(|tool| tool.spec().untrusted_output);
    if chosen.len() < all.len() && !chosen.iter().any(|offer| offer.name == READER) && chosen.iter().any(brings_outside)
    {
        chosen.extend(all.into_iter().find(|offer| offer.name == READER));
    }
    chosen
}

/// A workspace file; one that cannot be read counts as empty.
async fn workspace_text(setting: &Setting, file: WorkspaceFile) -> String {
    match setting.parts.workspace.read(file).await {
        Ok(text) => text.unwrap_or_default(),
        Err(error) => {
            tracing::warn!(%error, "a workspace file is left out");
            String::new()
        }
    }
}

/// `models.providers.<id>.api_base`.
pub(super) fn api_base(config: &Config, model: &ModelName) -> Option<String> {
    config.models.providers.get(model.provider()).and_then(|provider| provider.api_base.clone())
}

fn tokens_of(offer: &ToolOffer) -> usize {
    rules::prompt::estimate(&offer.description) + rules::prompt::estimate(&offer.parameters.to_string())
}

/// `assistant.timezone`, or the computer's own.
fn zone(name: &str, setting: &Setting) -> jiff::tz::TimeZone {
    match jiff::tz::TimeZone::get(name) {
        Ok(zone) if name != "auto" => zone,
        _ => setting.world.clock.zone(),
    }
}

/// A helper's role is the configured one; its chat's own model stands for `primary` (contract section 2).
fn choice<'a>(setting: &'a Setting, config: &'a Config) -> Choice<'a> {
    let helpers = setting.errand.is_some().then(|| config.subagents.role.model_role());
    let roles =
        ModelRole::ALL.into_iter().filter_map(|role| Some((role, config.models.roles.own(role)?.as_str()))).collect();
    let fallbacks: BTreeMap<ModelRole, Vec<&str>> = config
        .models
        .fallbacks
        .iter()
        .map(|(role, models)| (*role, models.iter().map(ModelName::as_str).collect()))
        .collect();
    Choice {
        message_model: setting.turn.model.as_deref(),
        chat_model: setting.record.model.as_deref().filter(|_| helpers.is_none_or(|role| role == ModelRole::Primary)),
        role: helpers,
        roles,
        fallbacks,
        spoken: SPOKEN.contains(&setting.turn.channel.as_str()),
        has_picture: super::prompt::has_picture(setting),
    }
}

/// A chat's own model that cannot answer is passed over before it is called (contract section 2, "The chat's model").
async fn pass_over_own(config: &Config, candidates: &mut Vec<Candidate>, models: &Arc<dyn Models>) -> Option<String> {
    let own = candidates.first().filter(|own| own.is_chats_own)?.clone();
    if candidates.len() < 2 {
        return None;
    }
    let base = api_base(config, &own.model);
    if config.models.local_only && !rules::prices::runs_here(&own.model, base.as_deref()) {
        candidates.remove(0);
        return Some(super::model::LOCAL_ONLY.into());
    }
    let error = models.ready(own.model, base).await.err()?;
    candidates.remove(0);
    Some(error.message)
}

fn tool_budget(config: &Config, candidates: &[Candidate]) -> Option<usize> {
    if config.chat.tool_selection == protocol::config::ToolSelection::All {
        return None;
    }
    let local = candidates.first().is_some_and(|first| rules::prices::is_local_runtime(&first.model));
    let budget = if local { config.chat.max_tools_local } else { config.chat.max_tools_cloud };
    usize::try_from(budget).ok()
}

/// The words tools are chosen by.
fn words(setting: &Setting) -> &str {
    setting.rows.first().map_or("", |message| message.content.as_str())
}
