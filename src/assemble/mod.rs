//! The composition: environment, configuration, store and adapters become an engine.

mod computer;
mod files;
mod folders;
mod machine;
mod settings;
mod this_start;
mod tools;
mod workspace;
mod world;

use crate::VERSION;
use crate::adapters::bases::Bases;
use crate::adapters::http::install_crypto;
use crate::adapters::imported::ImportedDocuments;
use crate::adapters::models::ModelRouter;
use crate::adapters::power::{SaidPower, SystemPower};
use crate::adapters::secrets::{self, FileStore, KeychainStore, Secrets, SystemKeychain, Vault};
use crate::config_file::ConfigFile;
use crate::environment::Environment;
use actors::Engine;
use actors::embeddings::Embeddings;
use actors::folders::{folder_app, folder_tools};
use actors::live::Hub;
use actors::ports::{PowerSupply, SecretStore};
use actors::small::{Outsides, SmallSetup, small_roles};
use actors::start::{Setup, start};
use actors::stop::ProcessTrees;
use actors::tools::{Registry, Tool};
use actors::usage::budget_gate;
use computer::computer;
use files::FolderFiles;
use futures::future::BoxFuture;
use protocol::Error;
use protocol::config::Config;
use protocol::tools::PluginInfo;
use rules::local_queue::Power;
use runtime::{Tree, World};
use settings::ConfigNow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use storage::{FileSnapshots, Files, MemoryIndex, MessageIndex, OpenOptions, Store};
use this_start::ThisStart;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use workspace::WorkspaceFolder;

pub use world::{SystemEntropy, TimeOrderedIds, world};

/// An app and its tools: how a person sees it (its own list of tools is filled in here), and what runs.
pub type App = (PluginInfo, Vec<Arc<dyn Tool>>);

/// What an engine is made from.
pub struct AssembleOptions {
    /// Where everything is kept; it is there.
    pub home: PathBuf,
    pub environment: Environment,
    /// The primary model for this start, over the configured one.
    pub model: Option<String>,
    /// Apps beside the built-in ones.
    pub apps: Vec<App>,
    /// The program whose hidden mode reads documents; `None`: the one that runs now. A test binary has no such mode.
    pub reader: Option<PathBuf>,
}

/// An engine at work.
pub struct Running {
    pub engine: Engine,
    /// Cancelled when the engine is gone by itself: it kept failing and gave up.
    pub gone: CancellationToken,
    /// Ends it: turns save what they have, and what was accepted becomes durable.
    pub shutdown: Box<dyn FnOnce() -> BoxFuture<'static, ()> + Send>,
}

impl Running {
    /// The configured address: host and port.
    pub fn listen_at(&self) -> (String, u16) {
        let config = self.engine.config.borrow();
        (config.gateway.host.clone(), config.gateway.port)
    }
}

/// Puts an engine together and starts it.
///
/// # Errors
/// A home that another engine uses, a store or configuration that cannot be opened: with what to do about it.
#[expect(clippy::too_many_lines, reason = "the list of what the program is made of, one part after the other")]
pub async fn assemble(options: AssembleOptions) -> Result<Running, Error> {
    let AssembleOptions { home, environment, model, apps, reader } = options;
    tracing::info!(home = %home.display(), "starting");
    install_crypto();
    let world = world();
    let (store, files) = open(&home, &world)?;
    let (file, config) = settings(&home, model.as_deref())?;
    let config = Arc::new(watch::Sender::new(Arc::new(config)));
    let bases = bases(&environment)?;
    let secrets = secret_store(&home, &environment, &config.borrow(), &world)?;
    let power = power(environment.debug_battery.as_deref())?;
    let models = Arc::new(model_router(&secrets, config.subscribe(), environment.bases.as_deref()));
    let folder = FolderFiles(files.clone());
    let processes = ProcessTrees::default();
    let computer =
        computer(&home, &environment, Arc::new(folder.clone()), config.subscribe(), (&world, processes.clone()))?;
    let memory_index = MemoryIndex::open(&home);
    let search = (memory_index.clone(), Embeddings::default());
    let reader = folders::reader(reader, processes.clone())?;
    let documents = ImportedDocuments::new(reader.clone(), home.join("tmp"));
    let notes = folders::notes((&home, &environment), &store, search, config.subscribe(), reader);
    let built_in = tools::registry(
        Arc::new(folder.clone()),
        &secrets,
        config.subscribe(),
        bases,
        (&computer, Some(store.clone())),
    )?;
    let built_in = built_in.with_app(folder_app(), folder_tools(notes.clone()));
    let tools = Arc::new(apps.into_iter().fold(built_in, |all, (app, tools)| all.with_app(app, tools)));
    computer.sandbox.know_tools(&tools);
    let outside = Outsides {
        models: models.clone(),
        secrets,
        machine: Arc::new(machine::Prober::new()?),
        workspace: Arc::new(WorkspaceFolder::new(&home)),
        documents: Arc::new(documents),
        tools: tools.clone(),
        terminal: computer.terminal,
        sandbox: computer.sandbox,
        home: home.display().to_string(),
    };
    let first = u64::try_from(world.now().as_millis()).unwrap_or_default().saturating_mul(1024);
    let (tree, live) = (Tree::default(), Hub::new(first));
    let reader = config.subscribe();
    let (small, domain) = small_roles(SmallSetup {
        world: &world,
        tree: &tree,
        live: &live,
        store: &store,
        folder: files,
        config_file: Arc::new(file),
        config,
        outside,
    });
    let budget = budget_gate(&world, store.clone(), reader.clone(), small.usage.clone());
    let started = start(Setup {
        world,
        store,
        index: Arc::new(MessageIndex::open(&home)),
        memory_index,
        config: reader,
        models,
        tools,
        files: Arc::new(folder.clone()),
        chat_files: Arc::new(folder),
        notes,
        workspace: Arc::new(WorkspaceFolder::new(&home)),
        power,
        background: !environment.disable_background,
        budget,
        small,
        processes,
        copies: FileSnapshots::new(&home, vec![home.clone()]),
        domain,
        tree,
        live,
    })
    .await?;
    let engine = started.engine.clone();
    settle_in(&engine, &environment).await;
    let gone = started.gone.clone();
    Ok(Running { engine, gone, shutdown: Box::new(|| Box::pin(started.shutdown())) })
}

fn bases(environment: &Environment) -> Result<Bases, Error> {
    let Some(text) = environment.bases.as_deref() else { return Ok(Bases::default()) };
    Bases::parse(text).map_err(|problem| Error::invalid(format!("SENTIENT_BASES: {problem}")))
}

/// What a start does beside answering.
async fn settle_in(engine: &Engine, environment: &Environment) {
    computer::try_doors(engine, environment.disable_background);
    if let Err(error) = engine.sweep_captures().await {
        tracing::warn!(%error, "old captures stay until the next start");
    }
    // The switch may have been turned on in the file; a keychain that is slow holds nothing up.
    let issuer = engine.clone();
    engine.world.work.spawn_dropped("mcp token", async move { issuer.issue_mcp_token().await });
}

/// What of the outside can be looked at without an engine.
pub(crate) struct Lookable {
    pub(crate) secrets: Arc<dyn SecretStore>,
    pub(crate) models: ModelRouter,
}

/// Keys and models as an engine on this home would see them (`sentient doctor`).
///
/// # Errors
/// As for [`assemble`].
pub(crate) fn outside(home: &Path, environment: &Environment, config: &Config) -> Result<Lookable, Error> {
    install_crypto();
    let secrets = secret_store(home, environment, config, &world())?;
    let (_, reader) = watch::channel(Arc::new(config.clone()));
    let models = model_router(&secrets, reader, environment.bases.as_deref());
    Ok(Lookable { secrets, models })
}

/// The built-in tools as this build has them, to be looked at (`sentient surface`).
///
/// # Errors
/// A system on which no client for the web can be made.
pub(crate) fn built_in_tools() -> Result<Registry, Error> {
    let (environment, config) = (Environment::of([]), Config::default());
    let secrets = secret_store(Path::new(""), &environment, &config, &world())?;
    let (_, reader) = watch::channel(Arc::new(config));
    let computer = computer(
        Path::new(""),
        &environment,
        Arc::new(tools::NoFiles),
        reader.clone(),
        (&world(), ProcessTrees::default()),
    )?;
    let search = (MemoryIndex::in_memory(), Embeddings::default());
    let trees = ProcessTrees::default();
    let documents = folders::reader(None, trees)?;
    let notes = folders::notes((Path::new(""), &environment), &Store::in_memory(), search, reader.clone(), documents);
    let tools = tools::registry(Arc::new(tools::NoFiles), &secrets, reader, Bases::default(), (&computer, None))?;
    Ok(tools.with_app(folder_app(), folder_tools(notes)))
}

/// The store and the files folder. What was brought up to date is said.
fn open(home: &Path, world: &World) -> Result<(Store, Files), Error> {
    let options = OpenOptions { now: world.now(), version: VERSION.into(), faults: None };
    let (store, report) = Store::open(home, options)?;
    for table in &report.upgraded {
        tracing::info!(?table, "rows were brought up to date");
    }
    let files = Files::open(home)?;
    Ok((store, files))
}

/// What the computer runs on, or what `SENTIENT_DEBUG_BATTERY` says it does.
fn power(said: Option<&str>) -> Result<Arc<dyn PowerSupply>, Error> {
    let Some(said) = said else { return Ok(Arc::new(SystemPower::default())) };
    let power = Power::parse(said)
        .ok_or_else(|| Error::invalid("SENTIENT_DEBUG_BATTERY is ac, battery, or a percent from 0 to 100."))?;
    tracing::info!(?power, "the battery reading is faked");
    Ok(Arc::new(SaidPower(power)))
}

/// `config.yaml` as far as it can be read, with the model of this start over it.
fn settings(home: &Path, model: Option<&str>) -> Result<(ThisStart, Config), Error> {
    let (file, loaded) = ConfigFile::open(home.join("config.yaml"));
    for problem in &loaded.problems {
        tracing::warn!(%problem, "config.yaml");
    }
    let mut config = loaded.config;
    let file = ThisStart::new(file, &mut config, model)?;
    Ok((file, config))
}

fn secret_store(
    home: &Path,
    environment: &Environment,
    config: &Config,
    world: &World,
) -> Result<Arc<dyn SecretStore>, Error> {
    let vault = if config.secrets.file {
        let passphrase = environment.secrets_passphrase.clone();
        Vault::File(Arc::new(FileStore::new(home.join("secrets.enc"), passphrase, world.entropy.clone())))
    } else {
        let default_home = environment.home_is_default;
        let namespace = environment.keychain_namespace.as_deref();
        let resolved = home.canonicalize().unwrap_or_else(|_| home.to_owned());
        let service = rules::keychain_names::service(&resolved.to_string_lossy(), default_home, namespace);
        tracing::info!(%service, "secrets are kept in the keychain under this service");
        Vault::Keychain(KeychainStore::new(Arc::new(SystemKeychain::new(service))))
    };
    Ok(Arc::new(Secrets::new(vault, secrets::Environment::new(environment.variables()))))
}

fn model_router(secrets: &Arc<dyn SecretStore>, config: ConfigNow, bases: Option<&str>) -> ModelRouter {
    let over: BTreeMap<String, String> = bases
        .unwrap_or_default()
        .split(',')
        .filter_map(|pair| pair.split_once('='))
        .map(|(service, base)| (service.trim().to_owned(), base.trim().to_owned()))
        .collect();
    let settings = Arc::new(move |id: &str| settings::provider(&config.borrow(), id));
    ModelRouter::new(secrets.clone(), settings, over)
}
