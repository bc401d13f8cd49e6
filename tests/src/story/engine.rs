//! A whole engine for a test: real actors and a real store, with the outside replaced at the ports.

use crate::apps::TestApps;
use crate::story::computer::{TestScripts, TestShells};
use crate::story::{ScriptedModels, TestTools, ToolLog};
use actors::Engine;
use actors::embeddings::Embeddings;
use actors::folders::{FolderNotes, folder_app, folder_tools};
use actors::live::Hub;
use actors::ports::{
    ChatFiles, ConfigStore, Documents, FileEntry, FilesPort, MachineProbe, PowerSupply, Secret, SecretStore,
    SecretStoreState, TextPart, WebError, Workspace, WorkspaceFile, WrittenFile,
};
use actors::sandbox::Sandbox;
use actors::small::{Outsides, SmallSetup, small_roles};
use actors::start::{Setup, Started, start};
use actors::stop::ProcessTrees;
use actors::terminal::Terminal;
use actors::tools::{Registry, computer_tools, memory_app, memory_tools};
use futures::future::{BoxFuture, FutureExt, ready};
use protocol::config::Config;
use protocol::hardware::Machine;
use protocol::ids::SessionId;
use protocol::secrets::SecretSource;
use protocol::{Error, ErrorKind, Timestamp};
use rules::local_queue::Power;
use runtime::{Clock, Entropy, Ids, Scope, Tree, World};
use sentient::adapters::folders::{DiskFolders, Reader};
use sentient::adapters::processes::Launcher;
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use storage::search::MessageIndex;
use storage::{MemoryIndex, Store};
use tokio::sync::watch;
use tokio::time::Instant;

/// When stories begin: 2026-10-10 09:00 UTC.
pub fn start_millis() -> i64 {
    1_791_622_800_000
}

/// A clock that goes with tokio's, from a moment that outlives a crash.
pub struct TestClock {
    began: Instant,
    base: i64,
    /// How far the wall clock was put forward or back.
    jump: Arc<AtomicI64>,
}

impl Clock for TestClock {
    fn now(&self) -> Timestamp {
        let since = i64::try_from(self.began.elapsed().as_millis()).unwrap_or(i64::MAX);
        Timestamp(self.base + since + self.jump.load(Ordering::Relaxed))
    }
}

/// Counts, so that runs are the same every time; the counter outlives a crash.
struct Counter(Arc<AtomicU64>);

impl Ids for Counter {
    fn next(&self) -> String {
        format!("id{:06}", self.0.fetch_add(1, Ordering::Relaxed))
    }
}

struct Sevens;

impl Entropy for Sevens {
    fn fill(&self, bytes: &mut [u8]) {
        bytes.fill(7);
    }
}

/// Files in memory; they outlive a crash.
#[derive(Clone, Default)]
pub struct TestFiles(Arc<Mutex<BTreeMap<String, Vec<u8>>>>);

impl TestFiles {
    pub fn put(&self, name: &str, bytes: &[u8]) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(name.into(), bytes.to_vec());
    }

    fn get(&self, name: &str) -> Result<Vec<u8>, Error> {
        let files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        files.get(name).cloned().ok_or_else(|| Error::not_found(format!("There is no file {name}.")))
    }
}

impl FilesPort for TestFiles {
    fn list(&self, _: String) -> BoxFuture<'static, Result<Vec<FileEntry>, Error>> {
        let files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let rows =
            files.iter().map(|(name, bytes)| FileEntry { name: name.clone(), bytes: bytes.len() as u64 }).collect();
        ready(Ok(rows)).boxed()
    }

    fn read_text(&self, name: String, offset: usize, limit: usize) -> BoxFuture<'static, Result<TextPart, Error>> {
        let part = self.get(&name).and_then(|bytes| {
            let text = String::from_utf8(bytes).map_err(|_| Error::new(ErrorKind::Unprocessable, "It is not text."))?;
            let total = text.chars().count();
            let content: String = text.chars().skip(offset).take(limit).collect();
            let more = offset + content.chars().count() < total;
            Ok(TextPart { content, total: Some(total as u64), more })
        });
        ready(part).boxed()
    }

    fn read(&self, name: String, _: usize) -> BoxFuture<'static, Result<Vec<u8>, Error>> {
        ready(self.get(&name)).boxed()
    }

    fn write(&self, name: String, bytes: Vec<u8>) -> BoxFuture<'static, Result<WrittenFile, Error>> {
        let written = WrittenFile { path: format!("/files/{name}"), bytes: bytes.len() as u64, name: name.clone() };
        self.put(&name, &bytes);
        ready(Ok(written)).boxed()
    }
}

impl ChatFiles for TestFiles {
    fn forget(&self, names: Vec<String>, _: Option<SessionId>) -> BoxFuture<'static, ()> {
        let mut files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        files.retain(|name, _| !names.contains(name));
        ready(()).boxed()
    }
}

struct PluggedIn;

impl PowerSupply for PluggedIn {
    fn read(&self) -> BoxFuture<'static, Power> {
        ready(Power::Mains).boxed()
    }
}

/// The workspace in memory; it outlives a crash.
#[derive(Clone, Default)]
pub struct TestWorkspace(Arc<Mutex<HashMap<WorkspaceFile, String>>>);

impl TestWorkspace {
    /// The text of a file, empty when it is not there.
    pub fn text(&self, file: WorkspaceFile) -> String {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&file).cloned().unwrap_or_default()
    }

    pub fn put(&self, file: WorkspaceFile, text: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(file, text.into());
    }
}

impl Workspace for TestWorkspace {
    fn read(&self, file: WorkspaceFile) -> BoxFuture<'static, Result<Option<String>, Error>> {
        ready(Ok(self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&file).cloned())).boxed()
    }

    fn write(&self, file: WorkspaceFile, text: String) -> BoxFuture<'static, Result<(), Error>> {
        self.put(file, &text);
        ready(Ok(())).boxed()
    }
}

/// Documents that nobody can read.
struct NoDocuments;

impl Documents for NoDocuments {
    fn pdf_text(&self, _: Vec<u8>) -> BoxFuture<'static, Result<String, WebError>> {
        ready(Err(WebError("This PDF is damaged.".into()))).boxed()
    }
}

/// Settings are in force but on no disk.
struct Unsaved;

impl ConfigStore for Unsaved {
    fn save(&self, _: &Config) -> Result<(), Error> {
        Ok(())
    }
}

/// No secret is set, and none can be.
struct NoSecrets;

impl SecretStore for NoSecrets {
    fn get(&self, _: String, _: Option<String>) -> BoxFuture<'static, Result<Option<(Secret, SecretSource)>, Error>> {
        ready(Ok(None)).boxed()
    }

    fn set(&self, _: String, _: Secret) -> BoxFuture<'static, Result<(), Error>> {
        ready(Err(Error::new(ErrorKind::Unavailable, "Nothing can be saved here."))).boxed()
    }

    fn delete(&self, _: String) -> BoxFuture<'static, Result<(), Error>> {
        ready(Ok(())).boxed()
    }

    fn state(&self) -> BoxFuture<'static, SecretStoreState> {
        ready(SecretStoreState { can_save: false, detail: "Nothing can be saved here.".into() }).boxed()
    }
}

/// A computer nothing can be read of.
struct NoMachine;

impl MachineProbe for NoMachine {
    fn machine(&self, _: String, _: bool) -> BoxFuture<'static, Machine> {
        ready(Machine::default()).boxed()
    }
}

/// What outlives a crash: the store, the files, the script, the settings.
#[derive(Clone)]
pub struct TestSetup {
    pub store: Store,
    pub models: ScriptedModels,
    pub log: ToolLog,
    /// A mailer, notes and more, when a test wants them beside the small tools.
    pub apps: Option<TestApps>,
    /// Commands and scripts, on a computer of the tests.
    pub with_computer: bool,
    /// The memory tools.
    pub with_memory: bool,
    pub files: TestFiles,
    pub workspace: TestWorkspace,
    pub config: watch::Sender<Arc<Config>>,
    /// Milliseconds the wall clock was put forward (or back), beside the time that passes.
    pub jump: Arc<AtomicI64>,
    now: Arc<AtomicI64>,
    ids: Arc<AtomicU64>,
}

impl Default for TestSetup {
    fn default() -> Self {
        let mut config = Config::default();
        config.chat.auto_title = false;
        // The second look's question to a model would be one more answer in every script; its tests turn it on.
        config.tools.approvals.second_look_model = false;
        // What is learned asks models too.
        config.memory.extract_after_turn = false;
        config.memory.summaries_enabled = false;
        config.memory.flush_enabled = false;
        config.evolution.user_profile_updates = false;
        // What is worked out about the person too: those tests turn it on.
        config.user_model.enabled = false;
        config.dreaming.enabled = false;
        Self {
            store: Store::in_memory(),
            models: ScriptedModels::default(),
            log: ToolLog::default(),
            apps: None,
            with_computer: false,
            with_memory: false,
            files: TestFiles::default(),
            workspace: TestWorkspace::default(),
            config: watch::Sender::new(Arc::new(config)),
            jump: Arc::default(),
            now: Arc::new(AtomicI64::new(start_millis())),
            ids: Arc::default(),
        }
    }
}

impl TestSetup {
    /// One with the test apps, and a handle to them.
    pub fn with_apps() -> (Self, TestApps) {
        let apps = TestApps::default();
        (Self { apps: Some(apps.clone()), ..Self::default() }, apps)
    }

    fn registry(&self, terminal: &Arc<Terminal>, sandbox: &Arc<Sandbox>) -> Registry {
        let mut small = TestTools::registry(&self.log);
        if self.with_computer {
            let mut tools = small.tools().to_vec();
            tools.extend(computer_tools(terminal.clone(), sandbox.clone()));
            small = Registry::of(tools);
        }
        if self.with_memory {
            small = small.with_app(memory_app(), memory_tools(Some(self.store.clone())));
        }
        match &self.apps {
            Some(apps) => apps.install(small),
            None => small,
        }
    }
}

/// Folders on this computer's disk; documents are not read, since there is no program to read them.
fn notes(setup: &TestSetup, home: &std::path::Path, index: &MemoryIndex) -> FolderNotes {
    let reader = Reader::new(Launcher::new("/nowhere/sentient".into(), ProcessTrees::default()));
    let files = Arc::new(DiskFolders::new(None, home, reader));
    let search = (index.clone(), Embeddings::default());
    FolderNotes::new(setup.store.clone(), search, setup.config.subscribe(), files)
}

/// A started engine.
pub struct TestEngine {
    pub engine: Engine,
    pub started: Started,
    setup: TestSetup,
    /// The folder of uploads, gone with the engine.
    _home: Arc<tempfile::TempDir>,
}

impl TestEngine {
    /// Starts an engine on what the setup holds. Call it on a runtime whose clock is paused.
    ///
    /// # Panics
    /// When the engine does not start.
    pub async fn start(setup: &TestSetup) -> Self {
        let clock =
            TestClock { began: Instant::now(), base: setup.now.load(Ordering::Relaxed), jump: setup.jump.clone() };
        let first = u64::try_from(clock.now().as_millis()).expect("after 1970") * 1024;
        let world = World {
            clock: Arc::new(clock),
            ids: Arc::new(Counter(setup.ids.clone())),
            entropy: Arc::new(Sevens),
            work: Scope::new(),
        };
        let (tree, live) = (Tree::default(), Hub::new(first));
        let home = Arc::new(tempfile::tempdir().expect("a folder"));
        let config = setup.config.subscribe();
        let (shells, scripts) = (Arc::new(TestShells(setup.log.clone())), Arc::new(TestScripts(setup.log.clone())));
        let terminal = Arc::new(Terminal::new(shells, Arc::new(setup.files.clone()), config.clone(), world.clone()));
        let memory_index = MemoryIndex::in_memory();
        let notes = notes(setup, home.path(), &memory_index);
        let sandbox = Arc::new(Sandbox::new(scripts, terminal.clone(), config, world.clone()));
        let tools = setup.registry(&terminal, &sandbox).with_app(folder_app(), folder_tools(notes.clone()));
        let tools = Arc::new(tools);
        sandbox.know_tools(&tools);
        let (small, domain) = small_roles(SmallSetup {
            world: &world,
            tree: &tree,
            live: &live,
            store: &setup.store,
            folder: storage::Files::open(home.path()).expect("a files folder"),
            config_file: Arc::new(Unsaved),
            config: Arc::new(setup.config.clone()),
            outside: Outsides {
                models: Arc::new(setup.models.clone()),
                secrets: Arc::new(NoSecrets),
                machine: Arc::new(NoMachine),
                workspace: Arc::new(setup.workspace.clone()),
                documents: Arc::new(NoDocuments),
                tools: tools.clone(),
                terminal,
                sandbox,
                home: home.path().display().to_string(),
            },
        });
        let started = start(Setup {
            world,
            store: setup.store.clone(),
            index: Arc::new(MessageIndex::in_memory()),
            memory_index,
            config: setup.config.subscribe(),
            models: Arc::new(setup.models.clone()),
            tools,
            files: Arc::new(setup.files.clone()),
            chat_files: Arc::new(setup.files.clone()),
            notes,
            workspace: Arc::new(setup.workspace.clone()),
            power: Arc::new(PluggedIn),
            background: true,
            budget: Arc::new(|| None),
            small,
            processes: ProcessTrees::default(),
            copies: storage::FileSnapshots::new(home.path(), Vec::new()),
            domain,
            tree,
            live,
        })
        .await
        .expect("the engine starts");
        Self { engine: started.engine.clone(), started, setup: setup.clone(), _home: home }
    }

    /// Remembers the time for the engine that comes after a crash.
    pub fn keep_time(&self) {
        let now = self.engine.world.now().as_millis() - self.setup.jump.load(Ordering::Relaxed);
        self.setup.now.store(now, Ordering::Relaxed);
    }
}
