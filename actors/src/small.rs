//! The small roles and the ports that surfaces reach through them, as one part of the engine's handle; and how they are
//! started.

use crate::config::{self, ConfigRole};
use crate::live::Hub;
use crate::notifications::Notifications;
use crate::ports::{ConfigStore, Documents, MachineProbe, Models, SecretStore, Workspace};
use crate::presence::Presence;
use crate::sandbox::Sandbox;
use crate::terminal::Terminal;
use crate::tools::Registry;
use crate::usage::{Usage, UsageNeeds};
use protocol::config::Config;
use protocol::events::{DomainEvent, EventFrame};
use runtime::{Address, Child, Outside, Restart, Spawner, Tree, World};
use std::sync::Arc;
use storage::{Files, Store};
use tokio::sync::watch;
use tokio::time::Duration;

/// How long a surface waits for a small role. Ours: they only commit a row.
const PATIENCE: Duration = Duration::from_secs(10);

/// What is behind the engine's methods for settings, notifications, files, usage, models and secrets. Cheap to clone.
#[derive(Clone)]
pub struct SmallRoles {
    /// The configuration's one writer.
    pub settings: Address<ConfigRole>,
    pub notifications: Address<Notifications>,
    pub presence: Address<Presence>,
    pub usage: Address<Usage>,
    pub folder: Files,
    pub outside: Outsides,
}

/// What is outside the engine, and what it knows of itself.
#[derive(Clone)]
pub struct Outsides {
    pub models: Arc<dyn Models>,
    pub secrets: Arc<dyn SecretStore>,
    pub machine: Arc<dyn MachineProbe>,
    pub workspace: Arc<dyn Workspace>,
    /// Reads documents that are imported.
    pub documents: Arc<dyn Documents>,
    pub tools: Arc<Registry>,
    pub terminal: Arc<Terminal>,
    pub sandbox: Arc<Sandbox>,
    /// The data folder, as the person sees it.
    pub home: String,
}

/// What the small roles are made from.
pub struct SmallSetup<'a> {
    pub world: &'a World,
    pub tree: &'a Tree,
    pub live: &'a Hub,
    pub store: &'a Store,
    pub folder: Files,
    pub config_file: Arc<dyn ConfigStore>,
    /// The configuration in force; the settings role alone sends to it.
    pub config: Arc<watch::Sender<Arc<Config>>>,
    pub outside: Outsides,
}

/// Makes the small roles: their addresses, and what a supervisor starts, in order.
pub fn small_roles(setup: SmallSetup<'_>) -> (SmallRoles, Vec<Child>) {
    let SmallSetup { world, tree, live, store, folder, config_file, config, outside } = setup;
    let reader = config.subscribe();
    let (told, clock) = (live.clone(), world.clock.clone());
    let publish = Arc::new(move |sections| {
        told.event(&EventFrame { event: DomainEvent::ConfigUpdated { sections }, ts: clock.now() });
    });
    let settings_needs = config::Needs { file: config_file, current: config, publish };
    let settings = Spawner::<ConfigRole>::new(world, tree, "root/domain", settings_needs);
    let notifications = Spawner::<Notifications>::new(world, tree, "root/domain", store.clone());
    let presence = Spawner::<Presence>::new(world, tree, "root/domain", live.clone());
    let usage_needs = UsageNeeds { store: store.clone(), config: reader, notifications: notifications.address() };
    let usage = Spawner::<Usage>::new(world, tree, "root/domain", usage_needs);
    let roles = SmallRoles {
        settings: settings.address(),
        notifications: notifications.address(),
        presence: presence.address(),
        usage: usage.address(),
        folder,
        outside,
    };
    let children = vec![
        settings.child(Restart::OnFailure),
        notifications.child(Restart::OnFailure),
        presence.child(Restart::OnFailure),
        usage.child(Restart::OnFailure),
    ];
    (roles, children)
}

/// A surface that asks.
pub(crate) fn asking() -> Outside {
    Outside::within(PATIENCE)
}
