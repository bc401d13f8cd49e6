//! Puts the actors together: who is started under whom, with what, and in which order all of it ends.

use crate::approvals::start::Keepers;
use crate::callers::{Callers, CallersNeeds};
use crate::chat::ChatParts;
use crate::chats::{Chats, ChatsNeeds, CloseIncognito};
use crate::completion::Asker;
use crate::effects::{EffectRoles, effect_roles};
use crate::embeddings::{Embedder, EmbedderNeeds, Embeddings, OutsideModels};
use crate::engine::Engine;
use crate::folders::{FolderNotes, Folders, FoldersNeeds};
use crate::gate::Gate;
use crate::indexer::{Indexer, IndexerNeeds};
use crate::knowing::{KnowingRoles, knowing_roles};
use crate::learning::{Learning, LearningParts, LearningSetup};
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
use storage::{FileSnapshots, MemoryIndex, Store};
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
    /// What is remembered, by meaning and by words.
    pub memory_index: MemoryIndex,
    pub config: watch::Receiver<Arc<Config>>,
    pub models: Arc<dyn Models>,
    pub tools: Arc<Registry>,
    pub files: Arc<dyn FilesPort>,
    pub chat_files: Arc<dyn ChatFiles>,
    /// Folders of the person's notes.
    pub notes: FolderNotes,
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
    let index_needs = IndexerNeeds { store: store.clone(), index: index.clone(), memory: setup.memory_index.clone() };
    let indexer = Spawner::<Indexer>::new(world, tree, "root/domain", index_needs);
    let folders = folders(&setup, effects.switch.clone());
    let (embeddings, embedder) = embedding(&setup, queue.address(), effects.switch.clone());
    let (chats_known, chats_address) = watch::channel(None);
    let subagents = helpers(&setup, effects.switch.clone(), chats_address);
    let memory = memory_roles(&setup, queue.address(), &effects.switch, embeddings);
    let knowing = knowing_roles(&setup, &queue.address(), memory.handle.clone(), &effects.switch, marks(world));
    let gate = Gate::new(setup.tools.clone(), config.clone(), keepers.standing(&setup));
    let learning = learning_parts(&setup, queue.address(), &effects.switch, &memory);
    let learner = Spawner::<Learning>::new(world, tree, "root/domain", learning.clone());
    let roles = (queue.address(), subagents.address(), &effects, &memory, &learning, &knowing);
    let parts = chat_parts(&setup, &keepers, &gate, roles);
    let (chats, nursery) = directory(&setup, parts);
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
        folders: folders.address(),
        notes: setup.notes.clone(),
        effects,
        index: index.clone(),
        memories: memory.handle,
        learning,
        insights: Arc::new(knowing.knowing.user_model.clone()),
        knowing: knowing.knowing,
        small: setup.small,
        processes: setup.processes,
    };
    core.extend(keepers.children());
    let core = plan("core", core, limits(3, 10));
    let mut domain = vec![indexer.child(Restart::OnFailure), folders.child(Restart::OnFailure)];
    domain.extend(kept);
    domain.extend(setup.domain);
    domain.extend(memory.children);
    domain.push(learner.child(Restart::OnFailure));
    domain.extend(knowing.domain);
    let mut work = vec![
        queue.child(Restart::OnFailure),
        embedder.child(Restart::OnFailure),
        subagents.child(Restart::OnFailure),
        nursery,
        chats.child(Restart::OnFailure),
        callers.child(Restart::OnFailure),
    ];
    work.extend(knowing.work);
    let levels = [core, plan("domain", domain, limits(5, 60)), plan("work", work, limits(5, 60))];
    let (root, ended) = under_one_root(levels).await?;
    let (relay, gone) = watched(&engine, ended);
    Ok(Started { engine, root, relay, gone })
}

/// The directory of chats, and the place where open ones are started.
fn directory(setup: &Setup, parts: Arc<ChatParts>) -> (Spawner<Chats>, Child) {
    let (nursery, open) = Supervisor::child(plan("open chats", Vec::new(), limits(5, 60)), Restart::Always);
    let needs = ChatsNeeds {
        parts,
        files: setup.chat_files.clone(),
        tree: setup.tree.clone(),
        nursery: open,
        recovered: Arc::default(),
    };
    (Spawner::new(&setup.world, &setup.tree, "root/work", needs), nursery)
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
    let embeddings = setup.notes.embeddings.clone();
    embeddings.connect(OutsideModels {
        models: setup.models.clone(),
        queue,
        config: setup.config.clone(),
        budget: setup.budget.clone(),
        store: setup.store.clone(),
        world: setup.world.clone(),
    });
    let needs = EmbedderNeeds {
        embeddings: embeddings.clone(),
        store: setup.store.clone(),
        config: setup.config.clone(),
        stop,
        background: setup.background,
    };
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

/// The role of the added folders.
fn folders(setup: &Setup, stop: Switch) -> Spawner<Folders> {
    let needs = FoldersNeeds {
        store: setup.store.clone(),
        live: setup.live.clone(),
        config: setup.config.clone(),
        files: setup.notes.files.clone(),
        stop,
        known: setup.notes.known.clone(),
        background: setup.background,
    };
    Spawner::new(&setup.world, &setup.tree, "root/domain", needs)
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
    (queue, subagents, effects, memory, learning, knowing): (
        Address<ModelQueue>,
        Address<Subagents>,
        &EffectRoles,
        &MemoryRoles,
        &LearningParts,
        &KnowingRoles,
    ),
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
        notes: setup.notes.clone(),
        workspace: setup.workspace.clone(),
        marks: marks(&setup.world),
        budget: setup.budget.clone(),
        background: setup.background,
        undo: effects.undo.clone(),
        keeper: effects.keeper.clone(),
        stop: effects.switch.clone(),
        memories: memory.handle.clone(),
        knowing: knowing.knowing.clone(),
        learning: learning.clone(),
    })
}

/// What learning from chats takes.
fn learning_parts(setup: &Setup, queue: Address<ModelQueue>, stop: &Switch, memory: &MemoryRoles) -> LearningParts {
    let asker = Asker {
        store: setup.store.clone(),
        config: setup.config.clone(),
        models: setup.models.clone(),
        queue,
        budget: setup.budget.clone(),
    };
    LearningParts::new(LearningSetup {
        store: &setup.store,
        config: &setup.config,
        asker,
        memories: memory.handle.clone(),
        workspace: setup.workspace.clone(),
        stop: stop.clone(),
        world: &setup.world,
        background: setup.background,
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
