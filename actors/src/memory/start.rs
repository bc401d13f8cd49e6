//! How the memory roles are put together at the start of the engine.

use super::cascade::{Chips, Derived, Events};
use super::handle::Saving;
use super::{Memory, MemoryHandle, MemoryNeeds, Recall};
use crate::completion::Asker;
use crate::embeddings::Embeddings;
use crate::learning::ForgetLines;
use crate::model_queue::ModelQueue;
use crate::start::Setup;
use crate::stop::Switch;
use crate::summaries::ForgetSummaries;
use runtime::{Address, Child, Restart, Spawner};
use std::sync::Arc;

/// How memory is reached, and what a supervisor starts.
pub(crate) struct MemoryRoles {
    pub(crate) handle: MemoryHandle,
    /// For the `domain` level, after the notifications.
    pub(crate) children: Vec<Child>,
}

/// What is made of memories and goes with them, in the order in which it goes. Parts of the engine that make something of
/// memories add themselves here.
fn derived(setup: &Setup) -> Arc<[Arc<dyn Derived>]> {
    let lines = ForgetLines { store: setup.store.clone(), workspace: setup.workspace.clone() };
    let all: Vec<Arc<dyn Derived>> =
        vec![Arc::new(Chips), Arc::new(Events), Arc::new(ForgetSummaries), Arc::new(lines)];
    all.into_iter().chain(crate::knowing::derived()).collect()
}

/// Makes the role and its handle.
pub(crate) fn memory_roles(
    setup: &Setup,
    queue: Address<ModelQueue>,
    stop: &Switch,
    embeddings: Embeddings,
) -> MemoryRoles {
    let needs = MemoryNeeds {
        store: setup.store.clone(),
        config: setup.config.clone(),
        notifications: setup.small.notifications.clone(),
        derived: derived(setup),
        background: setup.background,
    };
    let memory = Spawner::<Memory>::new(&setup.world, &setup.tree, "root/domain", needs);
    let asker = Asker {
        store: setup.store.clone(),
        config: setup.config.clone(),
        models: setup.models.clone(),
        queue,
        budget: setup.budget.clone(),
    };
    let saving = Saving::new(asker, &setup.world, stop.clone(), setup.small.notifications.clone());
    let recall = Recall::new(
        setup.store.clone(),
        setup.memory_index.clone(),
        embeddings.clone(),
        setup.config.clone(),
        setup.world.clone(),
    );
    let handle = MemoryHandle::new(
        memory.address(),
        recall,
        embeddings,
        (saving, setup.index.clone(), setup.memory_index.clone()),
    );
    MemoryRoles { handle, children: vec![memory.child(Restart::OnFailure)] }
}
