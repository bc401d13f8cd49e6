//! The role and the handle together, over a real store and the real line for the local model, with servers that answer as
//! they should and as they should not.

mod faults;
mod filling;

use super::*;
use crate::fixtures::{outside, running, world};
use crate::live::Hub;
use crate::model_queue::{AtTheModel, ModelQueue, ModelQueueNeeds};
use crate::ports::{LocalModels, Models, PieceStream, PowerSupply, PullStream};
use crate::stop::Switch;
use futures::future::{BoxFuture, FutureExt, ready};
use futures::stream::{self, StreamExt};
use protocol::Timestamp;
use protocol::config::Config;
use protocol::model::ModelCall;
use rules::embeddings::BUILTIN_SPACE;
use rules::local_queue::Power;
use runtime::{Address, World};
use std::collections::BTreeMap;
use storage::Store;
use storage::records::{EmbedJob, FactRecord, FactState, FactStatus, ModelEmbedJob, SearchedKind, VectorRecord};
use tokio::sync::watch;
use tokio::time::{Duration, sleep};

/// What a server of a model answers.
#[derive(Clone)]
enum Answers {
    /// Vectors of so many numbers, another one for each text.
    Vectors(usize),
    /// These, whatever was asked.
    These(Vec<Vec<f32>>),
    Fails(ModelErrorKind),
    /// It fails on a text with these letters, and reads the others.
    CannotRead(&'static str),
    Never,
}

/// What happens while a call is under way.
type Meanwhile = Box<dyn FnOnce() + Send>;

/// Servers of models, by name.
#[derive(Clone, Default)]
struct Servers(Arc<Mutex<Behind>>);

#[derive(Default)]
struct Behind {
    answers: BTreeMap<String, Answers>,
    calls: Vec<(String, Vec<String>)>,
    meanwhile: Option<(&'static str, Meanwhile)>,
}

impl Servers {
    fn set(&self, model: &str, answers: Answers) {
        self.0.lock().expect("no panic").answers.insert(model.into(), answers);
    }

    /// Calls since the last time, with their texts.
    fn calls(&self) -> Vec<(String, Vec<String>)> {
        std::mem::take(&mut self.0.lock().expect("no panic").calls)
    }

    /// Does it during the first call that has a text with these letters.
    fn meanwhile(&self, letters: &'static str, what: impl FnOnce() + Send + 'static) {
        self.0.lock().expect("no panic").meanwhile = Some((letters, Box::new(what)));
    }
}

fn a_vector(text: &str, dimensions: usize) -> Vec<f32> {
    let sum: u32 = text.bytes().map(u32::from).sum();
    let turned = |at: usize| f32::from(u16::try_from((sum as usize + 7 * at) % 97).expect("small")) + 1.0;
    (0..dimensions).map(turned).collect()
}

impl Models for Servers {
    fn stream(&self, _: ModelCall) -> PieceStream {
        stream::empty().boxed()
    }

    fn embed(
        &self,
        model: ModelName,
        _: Option<String>,
        texts: Vec<String>,
    ) -> BoxFuture<'static, Result<Vec<Vec<f32>>, ModelError>> {
        let mut behind = self.0.lock().expect("no panic");
        let now = |(letters, _): &mut (&'static str, Meanwhile)| texts.iter().any(|text| text.contains(*letters));
        if let Some((_, meanwhile)) = behind.meanwhile.take_if(now) {
            meanwhile();
            drop(behind);
            // The answer comes a moment later, if whoever asked is still there.
            let answer = self.embed(model, None, texts);
            return async move {
                tokio::task::yield_now().await;
                answer.await
            }
            .boxed();
        }
        behind.calls.push((model.0.clone(), texts.clone()));
        let fails = |kind| ready(Err(ModelError::new(kind, format!("{model} doesn't answer.")))).boxed();
        match behind.answers.get(&model.0).cloned() {
            None => fails(ModelErrorKind::Unreachable),
            Some(Answers::Fails(kind)) => fails(kind),
            Some(Answers::Never) => futures::future::pending().boxed(),
            Some(Answers::These(vectors)) => ready(Ok(vectors)).boxed(),
            Some(Answers::CannotRead(letters)) if texts.iter().any(|text| text.contains(letters)) => {
                fails(ModelErrorKind::Other)
            }
            Some(Answers::CannotRead(_)) => ready(Ok(texts.iter().map(|text| a_vector(text, 3)).collect())).boxed(),
            Some(Answers::Vectors(many)) => ready(Ok(texts.iter().map(|text| a_vector(text, many)).collect())).boxed(),
        }
    }

    fn ready(&self, _: ModelName, _: Option<String>) -> BoxFuture<'static, Result<(), ModelError>> {
        ready(Ok(())).boxed()
    }

    fn local(&self) -> BoxFuture<'static, LocalModels> {
        ready(LocalModels::default()).boxed()
    }

    fn pull(&self, _: String) -> PullStream {
        stream::empty().boxed()
    }
}

struct PluggedIn;

impl PowerSupply for PluggedIn {
    fn read(&self) -> BoxFuture<'static, Power> {
        ready(Power::Mains).boxed()
    }
}

struct Stage {
    world: World,
    store: Store,
    servers: Servers,
    stop: Switch,
    config: watch::Sender<Arc<Config>>,
    queue: Address<ModelQueue>,
    embeddings: Embeddings,
    embedder: Address<Embedder>,
}

/// An engine with this model for memory search.
async fn stage(model: &str) -> Stage {
    stage_on(Store::in_memory(), Servers::default(), model).await
}

async fn stage_on(store: Store, servers: Servers, model: &str) -> Stage {
    let (world, _) = world(1_000);
    let (config, reader) = watch::channel(Arc::new(with_model(model)));
    let (power, stop) = (Arc::new(PluggedIn), Switch::default());
    let needs = ModelQueueNeeds { config: reader.clone(), live: Hub::new(0), power, model: AtTheModel::default() };
    let queue = running::<ModelQueue>(&world, needs).await;
    let embeddings = Embeddings::default();
    embeddings.connect(OutsideModels {
        models: Arc::new(servers.clone()),
        queue: queue.clone(),
        config: reader.clone(),
        budget: Arc::new(|| None),
        store: store.clone(),
        world: world.clone(),
    });
    let needs = EmbedderNeeds {
        embeddings: embeddings.clone(),
        store: store.clone(),
        config: reader,
        stop: stop.clone(),
        background: true,
    };
    let embedder = running::<Embedder>(&world, needs).await;
    Stage { world, store, servers, stop, config, queue, embeddings, embedder }
}

fn with_model(model: &str) -> Config {
    let mut config = Config::default();
    config.models.roles.embedding = ModelName(model.into());
    config
}

fn fact(id: u64, content: &str) -> FactRecord {
    FactRecord {
        id,
        content: content.into(),
        topics: Vec::new(),
        source: "manual".into(),
        short_term: false,
        expires_at: None,
        status: FactStatus::Active,
        scope: "personal".into(),
        confidence: 0.9,
        state: FactState::Current,
        superseded_by: None,
        superseded_at: None,
        merged_into: None,
        merged_at: None,
        previous_content: None,
        review: None,
        sources: Vec::new(),
        recall_count: 0,
        last_recalled_at: None,
        created_at: Timestamp(1),
        updated_at: Timestamp(1),
    }
}

fn named(id: u64) -> Searched {
    Searched::new(SearchedKind::Fact, id)
}

fn write(store: &Store, id: u64, content: &str) {
    let mut batch = Batch::new();
    batch.put(&fact(id, content));
    vectors::changed(&mut batch, named(id));
    store.commit_now(batch).expect("written");
}

fn forget(store: &Store, id: u64) {
    let mut batch = Batch::new();
    batch.delete::<FactRecord>(&id);
    vectors::forget(&mut batch, named(id));
    store.commit_now(batch).expect("written");
}

impl Stage {
    fn save(&self, id: u64, content: &str) {
        write(&self.store, id, content);
    }

    fn save_many(&self, count: u64) {
        for id in 1..=count {
            self.save(id, &format!("Memory number {id} is about a garden."));
        }
    }

    fn pick(&self, model: &str) {
        self.config.send_replace(Arc::new(with_model(model)));
    }

    /// Looks until nothing is under way.
    async fn rest(&self) {
        for _ in 0..2_000 {
            if !self.embedder.ask(&outside(), Look).await.expect("it looks") {
                return;
            }
            sleep(Duration::from_millis(5)).await;
        }
        panic!("it never rests");
    }

    /// The numbers of the facts that have a vector in the space.
    fn in_space(&self, space: &str) -> Vec<u64> {
        let snapshot = self.store.snapshot().expect("read");
        let rows = vectors::all(&snapshot, space, SearchedKind::Fact).expect("read");
        rows.map(|row| row.expect("read").id).collect()
    }

    fn spaces(&self) -> Vec<String> {
        let snapshot = self.store.snapshot().expect("read");
        let mut names: Vec<String> =
            snapshot.all::<VectorRecord>().expect("read").map(|row| row.expect("read").space).collect();
        names.sort();
        names.dedup();
        names
    }

    fn jobs(&self) -> (u64, u64) {
        let snapshot = self.store.snapshot().expect("read");
        (snapshot.count::<EmbedJob>().expect("read"), snapshot.count::<ModelEmbedJob>().expect("read"))
    }

    /// The space that answers a search.
    async fn answers(&self) -> String {
        self.embeddings.query("What grows in the garden?").await.expect("found by meaning").space
    }
}
