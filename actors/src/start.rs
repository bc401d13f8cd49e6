//! Puts the actors together: who is started under whom, with what, and in which order all of it ends.

use crate::approvals::start::Keepers;
use crate::callers::{Callers, CallersNeeds};
use crate::chat::ChatParts;
use crate::chats::{Chats, ChatsNeeds, CloseIncognito};
use crate::effects::{EffectRoles, effect_roles};
use crate::embeddings::{Embedder, EmbedderNeeds, Embeddings, OutsideModels};
use crate::engine::Engine;
use crate::gate::Gate;
use crate::indexer::{Indexer, IndexerNeeds};
use crate::live::Hub;
use crate::memory::{MemoryRoles, memory_roles};
use crate::model_queue::{AtTheModel, ModelQueue, ModelQueueNeeds};
use crate::ports::{ChatFiles, FilesPort, Models, PowerSupply, Workspace};
use crate::small::SmallRoles;
use crate::stop::{ProcessTrees, Switch};
use crate::subagents::{Subagents, SubagentsNeeds};
use crate::tools::Registry;
use futures::future::BoxFuture;
use protocol::Error;
use protocol::config::Config;
use rules::marking::MarkKey;
use runtime::{
    Address, Child, Limits, Outside, Plan, Restart, Scope, Spawner, Supervisor, SupervisorHandle, Tree, World,
};
use std::sync::Arc;
use storage::search::MessageIndex;
use storage::{FileSnapshots, Store};
use tokio::sync::watch;
use tokio::time::Duration;
use tokio_util::sync::CancellationToken;

/// How long replies get to store what they have, when the engine ends.
const REPLIES_END_MAX: Duration = Duration::from_millis(1_500);

/// What an engine is made from.
pub struct Setup {
    pub world: World,
    pub store: Store,
    pub index: Arc<MessageIndex>,
    pub config: watch::Receiver<Arc<Config>>,
    pub models: Arc<dyn Models>,
    pub tools: Arc<Registry>,
    pub files: Arc<dyn FilesPort>,
    pub chat_files: Arc<dyn ChatFiles>,
    pub workspace: Arc<dyn Workspace>,
    pub power: Arc<dyn PowerSupply>,
    /// False leaves out what nobody asked for now: resuming, upkeep after replies (`SENTIENT_DISABLE_BACKGROUND`).
    pub background: bool,
    /// See [`ChatParts::budget`].
    pub budget: Arc<dyn Fn() -> Option<String> + Send + Sync>,
    /// The roles behind [`Engine::small`], and further children of the `domain` level, in order.
    pub small: SmallRoles,
    /// Programs that run for tools; whoever starts one adds it.
    pub processes: ProcessTrees,
    /// Where copies of files are kept before tools change them.
    pub copies: FileSnapshots,
    pub domain: Vec<Child>,
    pub tree: Tree,
    pub live: Hub,
}

/// A started engine.
pub struct Started {
    pub engine: Engine,
    root: SupervisorHandle,
    /// Tells windows what was committed. It ends last, so that they hear what the end itself commits.
    relay: Scope,
    /// Cancelled when the root has ended: after `shutdown`, or because it gave up.
    pub gone: CancellationToken,
}

fn limits(restarts_max: usize, seconds: u64) -> Limits {
    Limits { restarts_max, window: Duration::from_secs(seconds), backoff_max: Duration::from_secs(5) }
}

fn plan(name: &'static str, children: Vec<Child>, limits: Limits) -> Plan {
    Plan { name, children, limits, grace: Duration::from_secs(2) }
}

/// Starts an engine.
///
/// # Errors
/// An actor that does not start, with its reason.
pub async fn start(setup: Setup) -> Result<Started, Error> {
    let Setup { world, store, index, config, tree, live, .. } = &setup;
    let keepers = Keepers::new(&setup)?;
    let (effects, mut core, kept) = effect_roles(&setup)?;
    let queue = line_for_the_model(&setup);
    let index_needs = IndexerNeeds { store: store.clone(), index: index.clone() };
    let indexer = Spawner::<Indexer>::new(world, tree, "root/domain", index_needs);
    let (embeddings, embedder) = embedding(&setup, queue.address(), effects.switch.clone());
    let (chats_known, chats_address) = watch::channel(None);
    let subagents = helpers(&setup, effects.switch.clone(), chats_address);
    let memory = memory_roles(&setup, queue.address(), &effects.switch, embeddings);
    let gate = Gate::new(setup.tools.clone(), config.clone(), keepers.standing(&setup));
    let parts = chat_parts(&setup, &keepers, &gate, (queue.address(), subagents.address(), &effects, &memory));
    let (nursery, open) = Supervisor::child(plan("open chats", Vec::new(), limits(5, 60)), Restart::Always);
    let chats_needs = ChatsNeeds {
        parts,
        files: setup.chat_files.clone(),
        tree: tree.clone(),
        nursery: open,
        recovered: Arc::default(),
    };
    let chats = Spawner::<Chats>::new(world, tree, "root/work", chats_needs);
    chats_known.send_replace(Some(chats.address()));
    let callers_needs = CallersNeeds { store: store.clone(), chats: chats.address() };
    let callers = Spawner::<Callers>::new(world, tree, "root/work", callers_needs);
    let engine = Engine {
        world: world.clone(),
        live: live.clone(),
        tree: tree.clone(),
        store: store.clone(),
        config: config.clone(),
        chats: chats.address(),
        callers: callers.address(),
        approvals: keepers.approvals.address(),
        grants: keepers.grants.address(),
        grant_list: keepers.granted.clone(),
        proposals: keepers.proposals.address(),
        gate,
        queue: queue.address(),
        subagents: subagents.address(),
        effects,
        index: index.clone(),
        memories: memory.handle,
        insights: memory.insights,
        small: setup.small,
        processes: setup.processes,
    };
    core.extend(keepers.children());
    let core = plan("core", core, limits(3, 10));
    let mut domain = vec![indexer.child(Restart::OnFailure)];
    domain.extend(kept);
    domain.extend(setup.domain);
    domain.extend(memory.children);
    let work = vec![
        queue.child(Restart::OnFailure),
        embedder.child(Restart::OnFailure),
        subagents.child(Restart::OnFailure),
        nursery,
        chats.child(Restart::OnFailure),
        callers.child(Restart::OnFailure),
    ];
    let levels = [core, plan("domain", domain, limits(5, 60)), plan("work", work, limits(5, 60))];
    let (root, ended) = under_one_root(levels).await?;
    let (relay, gone) = watched(&engine, ended);
    Ok(Started { engine, root, relay, gone })
}

/// The key of this start's marks around what others wrote.
fn marks(world: &World) -> MarkKey {
    let mut key = [0; 32];
    world.entropy.fill(&mut key);
    MarkKey::new(key)
}

/// The line for the one place at a local model.
fn line_for_the_model(setup: &Setup) -> Spawner<ModelQueue> {
    let needs = ModelQueueNeeds {
        config: setup.config.clone(),
        live: setup.live.clone(),
        power: setup.power.clone(),
        model: AtTheModel::default(),
    };
    Spawner::new(&setup.world, &setup.tree, "root/work", needs)
}

/// What makes vectors, and the role that gives every searched text its own.
fn embedding(setup: &Setup, queue: Address<ModelQueue>, stop: Switch) -> (Embeddings, Spawner<Embedder>) {
    let embeddings = Embeddings::new(OutsideModels {
        models: setup.models.clone(),
        queue,
        config: setup.config.clone(),
        budget: setup.budget.clone(),
        store: setup.store.clone(),
        world: setup.world.clone(),
    });
    let (store, background) = (setup.store.clone(), setup.background);
    let needs = EmbedderNeeds { embeddings: embeddings.clone(), store, stop, background };
    (embeddings, Spawner::new(&setup.world, &setup.tree, "root/work", needs))
}

/// The role of the helpers. Where their summaries go is known a little later.
fn helpers(setup: &Setup, stop: Switch, chats: watch::Receiver<Option<Address<Chats>>>) -> Spawner<Subagents> {
    let needs = SubagentsNeeds {
        store: setup.store.clone(),
        config: setup.config.clone(),
        notifications: setup.small.notifications.clone(),
        stop,
        chats,
    };
    Spawner::new(&setup.world, &setup.tree, "root/work", needs)
}

/// Starts the levels in order.
async fn under_one_root(levels: [Plan; 3]) -> Result<(SupervisorHandle, BoxFuture<'static, ()>), Error> {
    let levels = levels.into_iter().map(|level| Supervisor::child(level, Restart::OnFailure).0).collect();
    Supervisor::root(plan("root", levels, limits(3, 60))).await
}

/// Tells windows what is committed, and says when the root has ended.
fn watched(engine: &Engine, ended: BoxFuture<'static, ()>) -> (Scope, CancellationToken) {
    let relay = Scope::new();
    relay.spawn_dropped("event relay", crate::events::relay(engine.store.clone(), engine.live.clone()));
    let gone = CancellationToken::new();
    let noticed = gone.clone();
    relay.spawn("root", async move {
        ended.await;
        noticed.cancel();
    });
    (relay, gone)
}

/// What every chat is handed.
fn chat_parts(
    setup: &Setup,
    keepers: &Keepers,
    gate: &Gate,
    (queue, subagents, effects, memory): (Address<ModelQueue>, Address<Subagents>, &EffectRoles, &MemoryRoles),
) -> Arc<ChatParts> {
    Arc::new(ChatParts {
        store: setup.store.clone(),
        live: setup.live.clone(),
        config: setup.config.clone(),
        models: setup.models.clone(),
        queue,
        tools: setup.tools.clone(),
        files: setup.files.clone(),
        approvals: keepers.approvals.address(),
        proposals: keepers.proposals.address(),
        notifications: setup.small.notifications.clone(),
        subagents,
        gate: gate.clone(),
        workspace: setup.workspace.clone(),
        marks: marks(&setup.world),
        budget: setup.budget.clone(),
        background: setup.background,
        undo: effects.undo.clone(),
        keeper: effects.keeper.clone(),
        stop: effects.switch.clone(),
        memories: memory.handle.clone(),
    })
}

impl Started {
    /// Ends the engine: replies store what they have, incognito chats go, actors stop in reverse order.
    pub async fn shutdown(self) {
        let work = self.engine.world.work.clone();
        work.cancel();
        let killed = self.engine.processes.kill_all().await;
        tracing::debug!(ended = killed.ended, left = killed.left, "programs were ended");
        if !work.ended(REPLIES_END_MAX).await {
            tracing::warn!(jobs = work.running(), "some work did not end in time");
        }
        let patience = Outside::within(Duration::from_millis(500));
        if let Err(error) = self.engine.chats.ask(&patience, CloseIncognito).await {
            tracing::warn!(%error, "incognito chats are deleted at the next start");
        }
        self.root.shutdown().await;
        self.gone.cancelled().await;
        self.relay.cancel();
    }
}
