//! The role under a real supervisor, with a store that can fail.

use super::*;
use protocol::{ErrorKind, Timestamp};
use runtime::{Address, Clock, Entropy, Ids, Limits, Outside, Plan, Restart, Scope, Spawner, Supervisor, Tree, World};
use serde_json::json;
use std::sync::Mutex;
use tokio::time::Duration;

/// Keeps what is saved, or fails as it is told.
#[derive(Default)]
struct MemoryStore {
    saved: Mutex<Vec<Config>>,
    failure: Mutex<Option<Error>>,
}

impl ConfigStore for MemoryStore {
    fn save(&self, config: &Config) -> Result<(), Error> {
        if let Some(error) = self.failure.lock().expect("whole").clone() {
            return Err(error);
        }
        self.saved.lock().expect("whole").push(config.clone());
        Ok(())
    }
}

struct Still;

impl Clock for Still {
    fn now(&self) -> Timestamp {
        Timestamp(0)
    }
}

impl Ids for Still {
    fn next(&self) -> String {
        "id".to_owned()
    }
}

impl Entropy for Still {
    fn fill(&self, bytes: &mut [u8]) {
        bytes.fill(0);
    }
}

struct Bench {
    store: Arc<MemoryStore>,
    reader: ConfigReader,
    told: Arc<Mutex<Vec<Vec<String>>>>,
    role: Address<ConfigRole>,
}

fn patient() -> Outside {
    Outside::within(Duration::from_secs(10))
}

impl Bench {
    async fn start() -> Self {
        let world =
            World { clock: Arc::new(Still), ids: Arc::new(Still), entropy: Arc::new(Still), work: Scope::new() };
        let (store, told) = (Arc::new(MemoryStore::default()), Arc::new(Mutex::new(Vec::new())));
        let (current, reader) = readers(Config::default());
        let tell = told.clone();
        let publish = Arc::new(move |sections| tell.lock().expect("whole").push(sections));
        let needs = Needs { file: store.clone(), current, publish };
        let spawner: Spawner<ConfigRole> = Spawner::new(&world, &Tree::default(), "root/core", needs);
        let role = spawner.address();
        let limits = Limits { restarts_max: 3, window: Duration::from_secs(5), backoff_max: Duration::from_secs(1) };
        let children = vec![spawner.child(Restart::Always)];
        let plan = Plan { name: "core", children, limits, grace: Duration::from_secs(1) };
        let (_, ended) = Supervisor::root(plan).await.expect("starts");
        drop(ended); // it runs on without being waited for
        Self { store, reader, told, role }
    }

    async fn patch(&self, patch: serde_json::Value) -> Result<Changed, Error> {
        self.role.ask(&patient(), PatchConfig { patch }).await
    }

    fn saved(&self) -> usize {
        self.store.saved.lock().expect("whole").len()
    }

    fn told(&self) -> Vec<Vec<String>> {
        self.told.lock().expect("whole").clone()
    }
}

#[tokio::test]
async fn a_patch_is_saved_seen_and_told() {
    let bench = Bench::start().await;
    let patch = json!({"chat": {"auto_title": false}, "ui": {"theme": "light"}});
    let answered = bench.patch(patch.clone()).await.expect("handled").expect("allowed");
    assert!(!answered.chat.auto_title);
    assert_eq!(*bench.reader.borrow(), answered);
    assert_eq!(bench.store.saved.lock().expect("whole").last(), Some(&*answered));
    assert_eq!(bench.told(), [["chat", "ui"]]);

    bench.patch(patch).await.expect("handled").expect("allowed");
    assert_eq!((bench.saved(), bench.told().len()), (1, 1), "the same again writes nothing and tells nobody");
}

#[tokio::test]
async fn what_is_not_allowed_changes_nothing() {
    let bench = Bench::start().await;
    let problems = bench.patch(json!({"chat": {"alarm_snooze_minutes": 0}})).await.expect("handled").expect_err("no");
    assert_eq!(problems[0].key(), "chat.alarm_snooze_minutes");
    let body = json!({"assistant": {"name": ""}});
    let problems = bench.role.ask(&patient(), ReplaceConfig { body }).await.expect("handled").expect_err("no");
    assert_eq!(problems[0].key(), "assistant.name");
    assert_eq!((bench.saved(), bench.told().len()), (0, 0));
    assert_eq!(**bench.reader.borrow(), Config::default());
}

#[tokio::test]
async fn a_change_that_cannot_be_saved_is_not_in_force() {
    let bench = Bench::start().await;
    for kind in [ErrorKind::Conflict, ErrorKind::Unavailable] {
        *bench.store.failure.lock().expect("whole") = Some(Error::new(kind, "The file cannot be read."));
        let error = bench.patch(json!({"chat": {"auto_title": false}})).await.expect_err("not saved");
        assert_eq!(error.kind, kind);
        assert!(bench.reader.borrow().chat.auto_title, "{kind:?}");
        assert_eq!(bench.told().len(), 0, "{kind:?}");
    }
    *bench.store.failure.lock().expect("whole") = None;
    bench.patch(json!({"chat": {"auto_title": false}})).await.expect("handled").expect("allowed");
    assert!(!bench.reader.borrow().chat.auto_title, "and works again as soon as it can be saved");
}

#[tokio::test]
async fn a_whole_configuration_takes_the_place_of_the_old_one() {
    let bench = Bench::start().await;
    bench.patch(json!({"chat": {"auto_title": false}})).await.expect("handled").expect("allowed");
    let body = json!({"ui": {"accent": "rose"}});
    let answered = bench.role.ask(&patient(), ReplaceConfig { body }).await.expect("handled").expect("allowed");
    assert!(answered.chat.auto_title, "what is left out has its default");
    assert_eq!(bench.told().last(), Some(&vec!["chat".to_owned(), "ui".to_owned()]));
}

#[tokio::test]
async fn changes_of_the_engines_own_build_on_each_other() {
    let bench = Bench::start().await;
    let add = |app: &str| {
        let app = app.to_owned();
        ChangeConfig::new(move |config| config.integrations.read_only.push(app))
    };
    let caller = patient();
    let (first, second) = tokio::join!(bench.role.ask(&caller, add("gmail")), bench.role.ask(&caller, add("github")));
    first.expect("handled").expect("allowed");
    second.expect("handled").expect("allowed");
    let mut both = bench.reader.borrow().integrations.read_only.clone();
    both.sort();
    assert_eq!(both, ["github", "gmail"], "in whichever order they were handled, none is lost");
    let bad = ChangeConfig::new(|config| config.assistant.name.clear());
    let problems = bench.role.ask(&caller, bad).await.expect("handled").expect_err("no name");
    assert_eq!(problems[0].key(), "assistant.name");
}
